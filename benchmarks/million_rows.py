"""A million rows: PSBoost on the approximate graph, Hart's rule in blocks, MovedPrototypes, and MarginPrototypes in parts.

    python benchmarks/million_rows.py [--rows 1000000] [--part psboost,condensing,moved,margin]

Minutes and peak memory.

The table is 20 columns around 100 centres of two classes, 2 % of the labels drawn at random; for Hart's rule, which
stores every such label and what lies around it, none are, but the centres overlap (a spread of 0.6 in place of 0.35: some
3 % of the rows are stored). MovedPrototypes makes 1,000 rows; MarginPrototypes keeps 1,000 of each of 50 parts, and then of all
these (500 candidates, two passes); for both, accuracy is that of 1-NN on a hundredth of the rows, held out. Every part runs in a process of its own, whose peak memory
is what the operating system says (the table itself and its making included). On a machine with other work to do the
processor seconds are the ones to read. Needs the extra ``tamis[ann]``. Results go
to benchmarks/results/million_rows.json.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import time
from pathlib import Path

import numpy as np

from tamis import MarginPrototypes, MovedPrototypes, PrototypeClassifier
from tamis.prototypes import psboost
from tamis.prototypes.condensed import CondensedNN
from tamis.prototypes.in_parts import condense_parts

RESULTS = Path(__file__).parent / "results"
N_COLUMNS = 20


def table(n_rows, noise, spread):
    """Rows around 100 centres, and classes that belong to the centres."""
    random = np.random.default_rng(0)
    centre = random.integers(0, 100, n_rows)
    X = random.normal(size=(100, N_COLUMNS))[centre]
    X += spread * random.standard_normal((n_rows, N_COLUMNS))
    y = centre % 2
    drawn = random.random(n_rows) < noise
    y[drawn] = random.integers(0, 2, int(drawn.sum()))
    return X, y


def boosted(n_rows):
    """PSBoost at its defaults with the approximate graph, 10 % kept; the graph's part of it."""
    X, y = table(n_rows, 0.02, 0.35)
    graph, inside = psboost.neighbor_graph, []

    def timed_graph(*arguments, **settings):
        start = time.process_time()
        found = graph(*arguments, **settings)
        inside.append(time.process_time() - start)
        return found

    psboost.neighbor_graph = timed_graph
    selector = psboost.PSBoost(0.1, graph="approximate", random_state=0, n_jobs=-1)
    figures = timed(lambda: selector.fit(X, y))
    return {**figures, "processor_seconds_of_the_graph": inside[0]}


def condensed(n_rows):
    """Hart's rule in blocks."""
    X, y = table(n_rows, 0.0, 0.6)
    return timed(lambda: CondensedNN(n_jobs=-1).fit(X, y))


def moved(n_rows):
    """MovedPrototypes with its own nearest-neighbour rule, 1,000 rows made, one thread."""
    X, y = table(n_rows + n_rows // 100, 0.02, 0.6)
    model = PrototypeClassifier(MovedPrototypes(1000, random_state=0))
    model.fit(X[:12_000], y[:12_000])  # compiles
    figures = timed(lambda: model.fit(X[:n_rows], y[:n_rows]))
    right = float(np.mean(model.predict(X[n_rows:]) == y[n_rows:]))
    return {**figures, "accuracy": 100 * right}


def margin(n_rows):
    """MarginPrototypes in 50 parts, 1,000 rows kept, one thread."""
    X, y = table(n_rows + n_rows // 100, 0.02, 0.6)
    selector = MarginPrototypes(1000, n_candidates=500, max_passes=2, random_state=0)
    selector.fit(X[:5000], y[:5000])  # compiles
    found = []
    figures = timed(
        lambda: (
            found.append(condense_parts(selector, X[:n_rows], y[:n_rows], n_parts=50, random_state=0))
            or found[0]
        )
    )
    rule = PrototypeClassifier(MovedPrototypes(len(found[0].y_), n_steps=0, learn_weights=False))
    right = float(np.mean(rule.fit(found[0].X_, found[0].y_).predict(X[n_rows:]) == y[n_rows:]))
    return {**figures, "accuracy": 100 * right}


def timed(work):
    """Seconds by the clock and of the processors (all threads together), and the number of kept rows."""
    start, start_processor = time.perf_counter(), time.process_time()
    done = work()
    return {
        "seconds": time.perf_counter() - start,
        "processor_seconds": time.process_time() - start_processor,
        "kept": len(done.selector_.labels_ if hasattr(done, "_nearest") else done.sample_indices_),
    }


def measured(part, n_rows, answers):
    """Run one part, and put its figures with the peak memory of the process into a queue."""
    figures = {"psboost": boosted, "condensing": condensed, "moved": moved, "margin": margin}[part](n_rows)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    answers.put({"rows": n_rows, "columns": N_COLUMNS, **figures, "peak_memory_gb": peak / 1e9})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--part", default="psboost,condensing,moved,margin")
    options = parser.parse_args()
    path = RESULTS / ("million_rows.json" if options.rows == 1_000_000 else "million_rows_quick.json")
    results = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    context = multiprocessing.get_context("spawn")
    for part in options.part.split(","):
        answers = context.Queue()
        process = context.Process(target=measured, args=(part, options.rows, answers))
        process.start()
        results[part] = answers.get()
        process.join()
        print(part, results[part], flush=True)
        path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
