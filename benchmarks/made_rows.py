"""Accuracy against size where rows may be made: MovedPrototypes beside kept rows, k-means per class, GLVQ and all rows.

    python benchmarks/made_rows.py [--splits 10] [--minutes 60] [--only METHOD ...] [--partial FILE]

A third of each set is held out, at most 1,200 rows of it are used; 1-NN on the kept or made rows is scored at 1, 2, 5, 10,
20 and 50 %. "Moved without rest, 100 steps" is GLVQ's loss from our start; GLVQ (sklvq) and Median GLVQ (proto-dist-ml) are
those of row_peers.py. Sets that do not ship with tamis are looked for in the folder that TAMIS_DATA names, or fetched. The
choices inside MovedPrototypes were made on sets of the first half; the second half chose nothing but
that column weights are tried by default, which had helped there too, and is shown apart.
What is done is kept in the partial file, line by line, and not done again; after so many minutes nothing further is
begun. Results go to benchmarks/results/made_rows.json and .md.
"""

from __future__ import annotations

import argparse
import json
import time
from itertools import product
from pathlib import Path

import numpy as np
from psboost_table import RESULTS, Split, compact, standard_error, write
from row_sizes import SETS

from tamis import HillClimbingPrototypes, MarginPrototypes, MovedPrototypes, PrototypeClassifier, PSBoost

SIZES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
FIRST_SEED = 4000
NEW_SETS = (
    "adult_train", "ann_thyroid", "authorship", "breast_cancer", "churn", "coil2000", "covtype", "digits", "dna",
    "hill_valley_noise", "madelon", "mfeat_fourier", "mfeat_zernike", "mushroom", "splice", "waveform_40", "wine",
    "wine_quality_white",
)  # fmt: skip
MOVED = "MovedPrototypes"
MADE = {
    MOVED: {},
    "MovedPrototypes, learn_weights=False": {"learn_weights": False},
    "MovedPrototypes, learn_weights=True": {"learn_weights": True},
    "moved without rest, 100 steps": {"resting": 0.0, "n_steps": 100, "learn_weights": False},
}
KEPT = {
    "MarginPrototypes": MarginPrototypes(),
    "HillClimbingPrototypes, 500": HillClimbingPrototypes(),
    "PSBoost": PSBoost(),
}
PEERS = ("k-means per class", "GLVQ (sklvq)", "Median GLVQ (proto-dist-ml)")
METHODS = (*MADE, *KEPT, *PEERS, "all rows")


def made_accuracy(one, size, settings):
    """1-NN on made rows, by PrototypeClassifier."""
    selector = MovedPrototypes(size, random_state=one.seed, categorical_features=one.nominal, **settings)
    model = PrototypeClassifier(selector).fit(one.X, one.y)
    return float(np.mean(model.predict(one.X_new) == one.y_new))


def accuracy(one, method, size):
    """The share of the held-out rows that a method has right at one size."""
    n_kept = max(len(np.unique(one.y)), round(size * len(one.y)))
    if method in MADE:
        return made_accuracy(one, n_kept, MADE[method])
    if method in KEPT:
        return one.accuracy(one.kept(KEPT[method].set_params(n_prototypes=n_kept)))
    if method == "k-means per class":
        return one.k_means(size)[0]
    from row_peers import glvq_accuracy, mglvq_accuracy  # needs sklvq and proto-dist-ml

    return glvq_accuracy(one, size) if method.startswith("GLVQ") else mglvq_accuracy(one, n_kept)


def of_one_split(one, method):
    """(size, accuracy) of one method on one split."""
    if method == "all rows":
        return [(None, one.accuracy(np.arange(len(one.y))))]
    return [(size, accuracy(one, method, size)) for size in SIZES]


def all_records(methods, n_splits, minutes, partial):
    """Records of every method, set, split and size; what the partial file holds is not done again."""
    records = []
    if partial.exists():
        records = [json.loads(line) for line in partial.read_text(encoding="utf-8").splitlines()]
    done = {(r["set"], r["split"], r["method"]) for r in records}
    begin = time.monotonic()
    for seed, name in product(range(FIRST_SEED, FIRST_SEED + n_splits), (*SETS, *NEW_SETS)):
        left = [method for method in methods if (name, seed, method) not in done]
        if not left or time.monotonic() - begin > 60 * minutes:
            continue
        one = Split(name, seed, None, 1200)
        for method in left:
            new = [
                {"method": method, "size": s, "set": name, "split": seed, "accuracy": 100 * a, "kept": 0.0}
                for s, a in of_one_split(one, method)
            ]
            with partial.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(record) + "\n" for record in new)
            records += new
        print(f"{name}, split {seed}: {time.process_time():.0f} s", flush=True)
    return records


def set_gaps(records, method, size):
    """By how much MovedPrototypes is ahead on each set, mean over the splits that both have done."""
    found = {}
    both = {(r["set"], r["split"]) for r in records if r["method"] == method}
    for r in records:
        if r["size"] == size and r["method"] in (MOVED, method) and (r["set"], r["split"]) in both:
            found.setdefault(r["set"], {}).setdefault(r["method"], []).append(r["accuracy"])
    return np.array([np.mean(one[MOVED]) - np.mean(one[method]) for one in found.values()])


def report(records):
    """Accuracy against size, and what MovedPrototypes is ahead by: on all sets, and on those that chose nothing."""
    judged = {(r["set"], r["split"]) for r in records if r["method"] == MOVED}
    records = [r for r in records if (r["set"], r["split"]) in judged]
    lines = [f"# Accuracy of 1-NN on made and kept rows, {len({r['set'] for r in records})} sets", ""]
    lines += [
        "A third held out, at most 1,200 rows of a set. Only splits that MovedPrototypes has done count; where a method has",
        "done fewer, it is compared on those that both have done.",
        "",
    ]
    chosen_on = [r for r in records if r["set"] in SETS]
    new = [r for r in records if r["set"] in NEW_SETS]
    for title, some in (("Sets that choices were made on", chosen_on), ("Sets that chose nothing", new)):
        if some:
            lines += [f"## {title}", "", *half_report(some)]
    return "\n".join(lines)


def half_report(records):
    """The two tables of some sets."""
    sets, n_done = sorted({r["set"] for r in records}), len({(r["set"], r["split"]) for r in records})
    methods = list(dict.fromkeys(m for m in METHODS if any(r["method"] == m for r in records)))[:-1]
    header = [
        f"| method | {' | '.join(f'{100 * size:g} %' for size in SIZES)} |",
        "| --- |" + " --- |" * len(SIZES),
    ]
    yield from (f"{len(sets)} sets, {n_done} splits in all: {', '.join(sets)}.", "", *header)
    for method in methods:
        cells = [f"{means_by_set(records, method, size).mean():.1f}" for size in SIZES]
        yield f"| {method} | {' | '.join(cells)} |"
    yield from ("", f"All rows: {means_by_set(records, 'all rows', None).mean():.1f}.", "")
    yield f"What {MOVED} is ahead by: mean over the sets (its standard error), sets won : lost, and the worst set."
    yield from ("", *header)
    for method in methods[1:]:
        cells = []
        for size in SIZES:
            gaps = set_gaps(records, method, size)
            won, lost = int(np.sum(gaps > 1e-9)), int(np.sum(gaps < -1e-9))
            cells.append(
                f"{gaps.mean():+.1f} ({standard_error(gaps):.1f}), {won} : {lost}, {gaps.min():+.1f}"
            )
        yield f"| {method} | {' | '.join(cells)} |"
    yield ""


def means_by_set(records, method, size):
    """The mean accuracy of each set."""
    found = {}
    for r in records:
        if r["method"] == method and r["size"] == size:
            found.setdefault(r["set"], []).append(r["accuracy"])
    return np.array([np.mean(values) for values in found.values()])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--only", nargs="+", choices=METHODS, default=METHODS, metavar="METHOD")
    parser.add_argument("--partial", type=Path, default=RESULTS / "made_rows.partial.jsonl")
    options = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    records = all_records(options.only, options.splits, options.minutes, options.partial)
    write("made_rows", compact(records), report(records))


if __name__ == "__main__":
    main()
