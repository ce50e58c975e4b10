"""Condensing, reducing and boosting rows: tamis beside imbalanced-learn, as ratios in one run.

    python benchmarks/condensing.py [--quick]

Uses magic, which does not ship with tamis: put magic.csv.gz into the folder that TAMIS_DATA names, or let it be fetched
from OpenML. Times are processor seconds, medians of alternating runs after one that is not timed; imbalanced-learn,
whose CondensedNearestNeighbour takes some 20 seconds on 4,000 rows, is run once. Results go to
benchmarks/results/condensing.json.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
import warnings
from pathlib import Path

import numpy as np
from imblearn.under_sampling import CondensedNearestNeighbour
from sklearn.neighbors import NearestNeighbors

from tamis import datasets
from tamis.prototypes import psboost
from tamis.prototypes.condensed import CondensedNN
from tamis.prototypes.drop3 import DROP3
from tamis.prototypes.reduced import ReducedNN
from tamis.prototypes.skalak import HillClimbingPrototypes

RESULTS = Path(__file__).parent / "results"


def magic():
    """X scaled to [0, 1] and y, in random order: the file is sorted by class."""
    data = datasets.load("magic")
    X = data.X.to_numpy().astype(np.float64)
    X = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
    order = np.random.default_rng(0).permutation(len(X))
    return X[order], np.unique(data.y, return_inverse=True)[1][order]


def wide():
    """20,000 x 784 numbers around 200 centres of 10 classes, one label in twenty drawn at random."""
    random = np.random.default_rng(0)
    nearest = random.integers(0, 200, 20_000)
    X = random.random((200, 784))[nearest] + 0.35 * random.normal(size=(20_000, 784))
    return X, np.where(random.random(20_000) < 0.05, random.integers(0, 10, 20_000), nearest % 10)


def seconds(works, n_runs):
    """Median processor seconds of each work, run in turns, after a first run of each."""
    times = {name: [] for name in works}
    for run in range(n_runs + 1):
        for name, work in works.items():
            start = time.process_time()
            work()
            if run:
                times[name].append(time.process_time() - start)
    return {name: statistics.median(values) for name, values in times.items()}


def once(work):
    """Processor seconds of one run, and the result."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def against_imbalanced_learn(X, y, quick):
    """Hart's rule on 4,000 rows, both libraries."""
    n_rows = 1000 if quick else 4000
    X, y = X[:n_rows], y[:n_rows]
    ours = seconds({"CondensedNN": lambda: CondensedNN().fit(X, y)}, 15)["CondensedNN"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs, _ = once(lambda: CondensedNearestNeighbour(random_state=0).fit_resample(X, y))
    print(
        f"condensing {n_rows:,} rows of magic: {ours:.4f} s; imbalanced-learn {theirs:.1f} s: {theirs / ours:,.0f} times"
    )
    return {"rows": n_rows, "tamis": ours, "imbalanced_learn": theirs, "times_faster": theirs / ours}


def condensing_and_reducing(X, y, n_runs):
    """Hart's rule, Gates's on top of it, DROP3 and hill climbing on all of magic."""
    found = seconds(
        {
            "CondensedNN": lambda: CondensedNN().fit(X, y),
            "ReducedNN": lambda: ReducedNN().fit(X, y),
            "DROP3": lambda: DROP3().fit(X, y),
            "HillClimbingPrototypes": lambda: HillClimbingPrototypes(0.05, random_state=0).fit(X, y),
        },
        n_runs,
    )
    for name, value in found.items():
        print(
            f"{name} on {len(X):,} rows of magic: {value:.3f} s, {value / found['CondensedNN']:.2f} of CondensedNN"
        )
    return found


def boosting(X, y, n_runs):
    """PSBoost (k = 5, 20 %), the graph's part of each run, and scikit-learn's brute force for the same graph."""
    graph = psboost.neighbor_graph
    inside = []

    def timed_graph(*arguments, **settings):
        spent, found = once(lambda: graph(*arguments, **settings))
        inside.append(spent)
        return found

    psboost.neighbor_graph = timed_graph
    search = NearestNeighbors(n_neighbors=5, algorithm="brute")
    works = {
        "PSBoost": lambda: psboost.PSBoost(0.2).fit(X, y),
        "brute_force": lambda: search.fit(X).kneighbors(),
    }
    found = seconds(works, n_runs)
    psboost.neighbor_graph = graph
    found["graph"] = statistics.median(inside[1:])
    outside = 1 - found["graph"] / found["PSBoost"]
    ratio = found["graph"] / found["brute_force"]
    print(
        f"PSBoost on {len(X):,} rows of magic: {found['PSBoost']:.2f} s, {100 * outside:.1f} % outside the graph; "
        f"the graph takes {ratio:.2f} of scikit-learn's brute force (processor time)"
    )
    return {**found, "share_outside_graph": outside, "graph_to_brute_force": ratio}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="smaller tables and fewer runs")
    quick = parser.parse_args().quick
    X, y = magic()
    if quick:
        X, y = X[:6000], y[:6000]
    n_runs = 1 if quick else 5
    results = {
        "against_imbalanced_learn": against_imbalanced_learn(X, y, quick),
        "condensing_and_reducing": condensing_and_reducing(X, y, n_runs),
        "boosting": boosting(X, y, n_runs),
    }
    if not quick:
        X, y = wide()
        spent, selector = once(lambda: CondensedNN().fit(X, y))
        print(f"condensing 20,000 x 784 rows: {spent:.1f} s, {len(selector.sample_indices_)} kept")
        results["wide"] = {"seconds": spent, "kept": len(selector.sample_indices_)}
    RESULTS.mkdir(exist_ok=True)
    name = "condensing_quick.json" if quick else "condensing.json"
    (RESULTS / name).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
