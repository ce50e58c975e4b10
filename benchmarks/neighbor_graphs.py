"""Graphs of the 10 nearest rows on tables of many shapes: ours beside scikit-learn's brute force and imbalanced-learn's ENN.

    OMP_NUM_THREADS=2 python benchmarks/neighbor_graphs.py [--minutes 30] [--partial FILE]

Normal numbers. Each does the whole work from the raw table: scaling (ours alone), search, answer. EditedNN and
ENN, with 3 neighbours, are timed too. With one thread the processor time counts, with two the time on the clock; medians
of as many runs as fit into ten seconds, five at most, in turns. Of 400 rows the graph
is also held against the plain oracle, with and without ties. What is done is kept in the partial file. Results go to
benchmarks/results/neighbor_graphs.json and .md.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from itertools import product
from pathlib import Path

import numpy as np
import threadpoolctl
from imblearn.under_sampling import EditedNearestNeighbours
from psboost_table import RESULTS, write
from sklearn.neighbors import NearestNeighbors

from tamis import EditedNN
from tamis.neighbors import MixedSpace, nearest_rows

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.oracles import neighbors as oracle

ROWS, COLUMNS, THREADS, K = (1_000, 10_000, 50_000), (5, 20, 50, 100, 500), (1, 2), 10


def ours(X, _, n_jobs):
    """Our graph, from the raw table."""
    return nearest_rows(MixedSpace.fit(X, np.zeros(X.shape[1], dtype=bool)), X, K, n_jobs=n_jobs)[0]


def theirs(X, _, n_jobs):
    """scikit-learn's graph by brute force."""
    with threadpoolctl.threadpool_limits(n_jobs):
        return NearestNeighbors(n_neighbors=K, algorithm="brute", n_jobs=n_jobs).fit(X).kneighbors()[1]


def edited(X, y, n_jobs):
    """Our EditedNN."""
    return EditedNN(n_jobs=n_jobs).fit(X, y)


def enn(X, y, n_jobs):
    """imbalanced-learn's, by brute force."""
    search = NearestNeighbors(n_neighbors=4, algorithm="brute", n_jobs=n_jobs)
    with threadpoolctl.threadpool_limits(n_jobs):
        rule = EditedNearestNeighbours(sampling_strategy="all", n_neighbors=search, kind_sel="mode")
        return rule.fit_resample(X, y)


WORKS = (ours, theirs, edited, enn)


def seconds(X, y, n_threads):
    """Median seconds of the four, which take turns, and how often: processor time of one thread, clock time of more."""
    clock = time.process_time if n_threads == 1 else time.perf_counter
    found, begin = [[] for _ in WORKS], time.perf_counter()
    while len(found[0]) < 5 and (not found[0] or time.perf_counter() - begin < 10):
        for times, work in zip(found, WORKS, strict=True):
            start = clock()
            work(X, y, n_threads)
            times.append(clock() - start)
    return [float(np.median(times)) for times in found]


def equal_to_oracle(n_columns, ties):
    """Whether the graph of 400 rows is that of plain loops."""
    rng = np.random.default_rng(n_columns)
    X = rng.integers(0, 3, (400, n_columns)) * 0.1 if ties else rng.normal(size=(400, n_columns))
    nominal = np.zeros(n_columns, dtype=bool)
    lines = oracle.all_distances(X, X, nominal, "l2")
    expected = [[row for _, row in oracle.nearest_lowest(line, i, K)] for i, line in enumerate(lines)]
    return ours(X, None, 2).tolist() == expected


def records_of(minutes, partial):
    """One record a shape and number of threads."""
    records = []
    if partial.exists():
        records = [json.loads(line) for line in partial.read_text(encoding="utf-8").splitlines()]
    done = {(r["rows"], r["columns"], r["threads"]) for r in records}
    begin = time.monotonic()
    for n_rows, n_columns, n_threads in product(ROWS, COLUMNS, THREADS):
        if (n_rows, n_columns, n_threads) in done or time.monotonic() - begin > 60 * minutes:
            continue
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(n_rows, n_columns)), rng.integers(0, 2, n_rows)
        for work in WORKS:
            work(X[:1000], y[:1000], n_threads)  # compiles, and wakes threads
        found = seconds(X, y, n_threads)
        records.append(
            {
                "rows": n_rows,
                "columns": n_columns,
                "threads": n_threads,
                "seconds": np.round(found, 5).tolist(),
            }
        )
        with partial.open("a", encoding="utf-8") as file:
            file.write(json.dumps(records[-1]) + "\n")
        print(records[-1], flush=True)
    return records


def report(records, equal):
    """Seconds and ratios by shape."""
    lines = [f"# Graphs of the {K} nearest rows, and editing with 3", ""]
    lines += [
        "Seconds (processor time of one thread, clock time of two), and how many times as fast ours is.",
        "",
        "| rows | columns | threads | graph | scikit-learn | times | EditedNN | imbalanced-learn | times |",
        "| --- |" + " --- |" * 8,
    ]
    ratios = []
    for r in records:
        a, b, c, d = r["seconds"]
        ratios.append((b / a, d / c))
        cells = (f"{a:.4g}", f"{b:.4g}", f"{b / a:.2f}", f"{c:.4g}", f"{d:.4g}", f"{d / c:.2f}")
        lines.append(f"| {r['rows']:,} | {r['columns']} | {r['threads']} | {' | '.join(cells)} |")
    least = np.array(ratios).min(axis=0)
    lines += ["", f"The least: {least[0]:.2f} for graphs, {least[1]:.2f} for editing."]
    lines += [
        f"Equal to the plain oracle on 400 rows, with and without ties, at 5, 20 and 50 columns (the last by products): {equal}."
    ]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--partial", type=Path, default=RESULTS / "neighbor_graphs.partial.jsonl")
    options = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    equal = all(equal_to_oracle(*one) for one in product(COLUMNS[:3], (False, True)))
    records = records_of(options.minutes, options.partial)
    write("neighbor_graphs", {"records": records, "equal_to_oracle": equal}, report(records, equal))


if __name__ == "__main__":
    main()
