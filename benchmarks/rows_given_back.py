"""What rows made for another model are worth: 1-NN by plain distances on what MovedPrototypes.fit_resample gives back.

    python benchmarks/rows_given_back.py [--splits 1] [--minutes 10]

The sets, sizes and halves of made_rows.py, on splits of their own. "rounded at the end, no weights": what was given back before made
rows moved with real values of categorical columns, and before learnt weights were folded into where they lie. After so many minutes
no further set is begun, and what is done is reported. Results go to benchmarks/results/rows_given_back.json and .md.
"""

from __future__ import annotations

import argparse
import time
from itertools import product

import numpy as np
from made_rows import NEW_SETS, SIZES
from psboost_table import Split, standard_error, write
from row_sizes import SETS

from tamis import MovedPrototypes
from tamis.neighbors import nearest_rows

FIRST_SEED = 8000
BEFORE, NOW = "rounded at the end, no weights", "MovedPrototypes"
METHODS = {
    BEFORE: {"learn_weights": False, "real_values": False},
    "real values, no weights": {"learn_weights": False},
    NOW: {},
}


def of_one_split(one):
    """(method, size, accuracy) of everything on one split; the methods share their start."""
    for size in SIZES:
        n_made = max(len(np.unique(one.y)), round(size * len(one.y)))
        start = None
        for method, settings in METHODS.items():
            made = MovedPrototypes(
                n_made, random_state=one.seed, categorical_features=one.nominal, **settings
            )
            made._fit_from(one.X, one.y, None, start)
            start = made.start_indices_
            near, _ = nearest_rows(one.space, made.prototypes_, 1, one.new)
            yield method, size, 100 * float(np.mean(made.labels_[near[:, 0]] == one.y_new))


def half_report(records):
    """Means over the sets, and what is gained over `BEFORE`."""
    sets = sorted({r["set"] for r in records})
    yield from (f"{len(sets)} sets: {', '.join(sets)}.", "")
    yield from (
        f"| method | {' | '.join(f'{100 * size:g} %' for size in SIZES)} |",
        "| --- |" + " --- |" * len(SIZES),
    )
    means = {}
    for method, size, name in product(METHODS, SIZES, sets):
        chosen = [r for r in records if (r["method"], r["size"], r["set"]) == (method, size, name)]
        means.setdefault((method, size), []).append(np.mean([r["accuracy"] for r in chosen]))
    for method in METHODS:
        yield f"| {method} | {' | '.join(f'{np.mean(means[method, size]):.1f}' for size in SIZES)} |"
    for method in list(METHODS)[1:]:
        gains = [np.subtract(means[method, size], means[BEFORE, size]) for size in SIZES]
        cells = [f"{gain.mean():+.1f} ({standard_error(gain):.1f}), {gain.min():+.1f}" for gain in gains]
        yield f"| gain of: {method} | {' | '.join(cells)} |"
    yield ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=10.0)
    options = parser.parse_args()
    begin, records = time.monotonic(), []
    pairs = list(product(range(FIRST_SEED, FIRST_SEED + options.splits), zip(NEW_SETS, SETS)))
    names = [(name, seed) for seed, both in pairs for name in both]
    left = SETS[len(NEW_SETS) :]
    names += list(product(left, range(FIRST_SEED, FIRST_SEED + options.splits)))
    for name, seed in names:
        if time.monotonic() - begin > 60 * options.minutes:
            break
        records += [
            {"method": method, "size": size, "set": name, "split": seed, "accuracy": round(accuracy, 2)}
            for method, size, accuracy in of_one_split(Split(name, seed, None, 1200))
        ]
        print(name, seed, flush=True)
    lines = ["# 1-NN by plain distances on the rows that MovedPrototypes gives back", ""]
    lines += [
        "A third held out, at most 1,200 rows of a set. Gains: mean (standard error over the sets), worst set.",
        "",
    ]
    for title, some in (("Sets that choices were made on", SETS), ("Sets that chose nothing", NEW_SETS)):
        lines += [f"## {title}", "", *half_report([r for r in records if r["set"] in some])]
    write("rows_given_back", records, "\n".join(lines))


if __name__ == "__main__":
    main()
