"""Accuracy against size for every row selector, for k-means per class, and for all rows.

    python benchmarks/row_sizes.py [--splits 10] [--quick] [--partial FILE]

A third of each set is held out, at most 1,200 rows of it are used; 1-NN on the kept rows is scored at 2, 5, 10, 20 and
50 % kept, and at the sizes that CondensedNN, ReducedNN, EditedNN and DROP3 choose for themselves. ``--quick`` is 2
splits of 4 sets. Sets that do not ship with tamis are looked for in the folder that TAMIS_DATA names, or fetched. What
is done is kept in the partial file, line by line, and not done again. Results go to benchmarks/results/row_sizes.json
and .md.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from itertools import product
from pathlib import Path

import numpy as np
from psboost_default import MORE
from psboost_table import PAPER, RESULTS, SIZES, Split, compact, means_by_split, standard_error, write

from tamis.prototypes.chance import RandomPrototypes
from tamis.prototypes.condensed import CondensedNN
from tamis.prototypes.drop3 import DROP3
from tamis.prototypes.edited import EditedNN
from tamis.prototypes.margin import MarginPrototypes
from tamis.prototypes.psboost import PSBoost
from tamis.prototypes.psboost_classifier import PSBoostClassifier
from tamis.prototypes.reduced import ReducedNN
from tamis.prototypes.skalak import HillClimbingPrototypes, MonteCarloPrototypes

SETS = sorted([*(name for name, _, _ in PAPER.values()), *MORE, "magic", "monks3"])
FIRST_SEED = 3000
MARGIN = "MarginPrototypes"
K_MEANS = "k-means per class (makes new rows)"
SELECTORS = {
    MARGIN: MarginPrototypes(),
    "MarginPrototypes, self_credit=0": MarginPrototypes(self_credit=0.0),
    "PSBoost": PSBoost(),
    "PSBoost, k = 1, paper": PSBoost(n_neighbors=1, remove_selected=False, class_quota=None),
    "HillClimbingPrototypes, 500": HillClimbingPrototypes(),
    "HillClimbingPrototypes, 2,000": HillClimbingPrototypes(n_mutations=2000),
    "MonteCarloPrototypes": MonteCarloPrototypes(),
    "RandomPrototypes": RandomPrototypes(),
}
OWN_SIZE = (CondensedNN(), ReducedNN(), EditedNN(), DROP3())
VOTES = ("PSBoost's rows, weighted vote of 5", "PSBoost's rows, plain vote of 5")


def of_one_split(one):
    """(method, size asked for, accuracy, share kept) of everything on one split."""
    n_rows = len(one.y)
    yield "all rows", None, one.accuracy(np.arange(n_rows)), 1.0
    for selector in OWN_SIZE:
        name, kept = type(selector).__name__, one.kept(selector)
        yield name, None, one.accuracy(kept), len(kept) / n_rows
        rivals = one.kept(MarginPrototypes(len(kept)))
        yield f"{MARGIN}, as many as {name}", None, one.accuracy(rivals), len(rivals) / n_rows
    for size in SIZES:
        for method, selector in SELECTORS.items():
            kept = one.kept(selector.set_params(n_prototypes=size))
            yield method, size, one.accuracy(kept), len(kept) / n_rows
        yield K_MEANS, size, *one.k_means(size)
        model = PSBoostClassifier(size, voting="weighted", categorical_features=one.nominal)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="PSBoost(Classifier)?: kept")
            model.fit(one.X, one.y)
        kept, alphas = model.sample_indices_, model.prototype_weights_
        for method, weights in zip(VOTES, (alphas, np.ones(len(kept))), strict=True):
            yield method, size, one.voted(kept, weights, 5), len(kept) / n_rows


def all_records(names, n_splits, partial):
    """Records of every method, set, split and size; what the partial file holds is not done again."""
    records = []
    if partial.exists():
        records = [json.loads(line) for line in partial.read_text(encoding="utf-8").splitlines()]
    done = {(r["set"], r["split"]) for r in records}
    splits = range(FIRST_SEED, FIRST_SEED + n_splits)
    for seed, name in product(splits, names):
        if (name, seed) in done:
            continue
        start = time.perf_counter()
        new = [
            {"method": m, "size": s, "set": name, "split": seed, "accuracy": 100 * a, "kept": 100 * share}
            for m, s, a, share in of_one_split(Split(name, seed, None, 1200))
        ]
        with partial.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(record) + "\n" for record in new)
        records += new
        print(f"{name}, split {seed}: {time.perf_counter() - start:.0f} s", flush=True)
    return [r for r in records if r["split"] in splits and r["set"] in names]


def cell(values, sign=""):
    """A mean with its standard error."""
    return f"{values.mean():{sign}.1f} ({standard_error(values):.1f})"


def sets_ahead(records, method, size):
    """On how many sets MarginPrototypes has the larger mean, and on how many the smaller."""
    means = {}
    for r in records:
        if r["size"] == size and r["method"] in (MARGIN, method):
            means.setdefault(r["set"], {}).setdefault(r["method"], []).append(r["accuracy"])
    gaps = np.array([np.mean(one[MARGIN]) - np.mean(one[method]) for one in means.values()])
    return f"{np.sum(gaps > 1e-9)} : {np.sum(gaps < -1e-9)}"


def report(records):
    """Accuracy against size, what MarginPrototypes is ahead by, and the methods that choose their own size."""
    sets, splits = sorted({r["set"] for r in records}), {r["split"] for r in records}
    sized = list(dict.fromkeys(r["method"] for r in records if r["size"] is not None))
    header = [
        f"| method | {' | '.join(f'{100 * size:g} %' for size in SIZES)} |",
        "| --- |" + " --- |" * len(SIZES),
    ]
    lines = [f"# Accuracy of 1-NN on the kept rows, mean of {len(sets)} sets over {len(splits)} splits", ""]
    lines += [f"Sets: {', '.join(sets)}. A third held out, at most 1,200 rows of a set.", ""]
    lines += ["Standard errors over the splits in brackets.", "", *header]
    for method in sized:
        cells = [cell(means_by_split(records, method, size)[0]) for size in SIZES]
        lines.append(f"| {method} | {' | '.join(cells)} |")
    all_rows = means_by_split(records, "all rows", None)[0]
    lines += ["", f"All rows: {cell(all_rows)}.", "", f"## What {MARGIN} is ahead by", ""]
    lines += ["Paired over the splits; then on how many sets its mean is larger, and smaller.", "", *header]
    for method in sized[1:]:
        cells = []
        for size in SIZES:
            gain = means_by_split(records, MARGIN, size)[0] - means_by_split(records, method, size)[0]
            cells.append(f"{cell(gain, '+')}, {sets_ahead(records, method, size)}")
        lines.append(f"| {method} | {' | '.join(cells)} |")
    lines += ["", "## Methods that choose their own size", ""]
    lines += [f"| method | % kept | accuracy | {MARGIN}, as many rows | ahead by |", "| --- |" + " --- |" * 4]
    for selector in OWN_SIZE:
        name = type(selector).__name__
        own, share = means_by_split(records, name, None)
        rival, _ = means_by_split(records, f"{MARGIN}, as many as {name}", None)
        lines.append(f"| {name} | {share:.1f} | {cell(own)} | {cell(rival)} | {cell(rival - own, '+')} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--quick", action="store_true", help="2 splits of 4 sets")
    parser.add_argument("--partial", type=Path)
    options = parser.parse_args()
    name = "row_sizes_quick" if options.quick else "row_sizes"
    partial = options.partial or RESULTS / f"{name}.partial.jsonl"
    RESULTS.mkdir(exist_ok=True)
    names, n_splits = (SETS[::6], 2) if options.quick else (SETS, options.splits)
    records = all_records(names, n_splits, partial)
    write(name, compact(records), report(records))


if __name__ == "__main__":
    main()
