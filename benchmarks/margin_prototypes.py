"""MarginPrototypes beside hill climbing with 2,000 mutations: seconds, peak memory and accuracy at four sizes.

    python benchmarks/margin_prototypes.py [--rows 1000,4000,20000,60000] [--methods whole,sampled,climbing]

Rows of covtype (54 columns, 7 classes), drawn at random, 5 % of them kept; accuracy is that of 1-NN on 5,000 other
rows. ``whole`` tries every row in every pass, ``sampled`` 2,000 rows (``n_candidates=2000``), ``few`` 1,000. covtype does
not ship with tamis: put covtype.csv.gz into the folder that TAMIS_DATA names, or let it be fetched. Every run is a
process of its own, which compiles on a small table before the clock starts; memory is its peak less what it held before
the fit. Results go to benchmarks/results/margin_prototypes.json and .md, into those of earlier runs.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import tempfile
import time
from itertools import product
from pathlib import Path

import numpy as np

from tamis import datasets
from tamis.neighbors import MixedSpace, nearest_rows
from tamis.prototypes.margin import MarginPrototypes
from tamis.prototypes.skalak import HillClimbingPrototypes

RESULTS = Path(__file__).parent / "results"
SHARE = 0.05
METHODS = {
    "whole": ("MarginPrototypes", lambda: MarginPrototypes(SHARE, random_state=0, n_jobs=-1)),
    "sampled": (
        "MarginPrototypes, n_candidates=2000",
        lambda: MarginPrototypes(SHARE, n_candidates=2000, random_state=0, n_jobs=-1),
    ),
    "few": (
        "MarginPrototypes, n_candidates=1000",
        lambda: MarginPrototypes(SHARE, n_candidates=1000, random_state=0, n_jobs=-1),
    ),
    "climbing": (
        "HillClimbingPrototypes, 2,000",
        lambda: HillClimbingPrototypes(SHARE, n_mutations=2000, random_state=0, n_jobs=-1),
    ),
}


def covtype(n_rows):
    """Rows to learn from, their classes, and 5,000 further rows with theirs."""
    data = datasets.load("covtype")
    order = np.random.default_rng(0).permutation(len(data.y))[: n_rows + 5000].tolist()
    X = data.X[order].to_numpy().astype(np.float64)
    y = np.unique(data.y[order], return_inverse=True)[1]
    return X[:n_rows], y[:n_rows], X[n_rows:], y[n_rows:]


def held(name):
    """Bytes that the process holds now (VmRSS), or held at most since the mark was reset (VmHWM); Linux only."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


def measured(method, path, answers):
    """Run one method on the rows in a file, and put its figures into a queue."""
    with np.load(path) as arrays:
        X, y, X_new, y_new = (arrays[name] for name in ("X", "y", "X_new", "y_new"))
    compiled = METHODS[method][1]()
    for n_small in (300, 4200):  # with all distances kept, and without
        settings = (
            {"betas": (4,), "max_passes": 1} if "betas" in compiled.get_params() else {"n_mutations": 2}
        )
        compiled.set_params(n_prototypes=20, **settings).fit(X[:n_small], y[:n_small])
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")  # resets VmHWM
    before = held("VmRSS")
    start, start_processor = time.perf_counter(), time.process_time()
    selector = METHODS[method][1]().fit(X, y)
    seconds, processor = time.perf_counter() - start, time.process_time() - start_processor
    peak = held("VmHWM")
    space = MixedSpace.fit(X, np.zeros(X.shape[1], dtype=bool))
    kept = selector.sample_indices_
    found, _ = nearest_rows(space, X[kept], 1, X_new)
    answers.put(
        {
            "seconds": seconds,
            "processor_seconds": processor,
            "memory_mb": (peak - before) / 1e6,
            "accuracy": 100 * float(np.mean(y[kept][found[:, 0]] == y_new)),
            "kept": len(kept),
        }
    )


def report(results):
    """One row a number of rows and method."""
    lines = ["# MarginPrototypes and hill climbing, 5 % of the rows of covtype kept", ""]
    lines += [
        "54 columns, 7 classes; 1-NN accuracy on 5,000 other rows; as many threads as processors (2).",
        "",
    ]
    lines += [
        "| rows | method | seconds | processor seconds | memory, MB | accuracy |",
        "| --- |" + " --- |" * 5,
    ]
    for n_rows in sorted(results, key=int):
        for method, (name, _) in METHODS.items():
            if (one := results[n_rows].get(method)) is not None:
                seconds = "" if one["seconds"] is None else f"{one['seconds']:.1f}"
                lines.append(
                    f"| {int(n_rows):,} | {name} | {seconds} | {one['processor_seconds']:.1f} "
                    f"| {one['memory_mb']:.0f} | {one['accuracy']:.1f} |"
                )
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default="1000,4000,20000,60000")
    parser.add_argument("--methods", default="whole,sampled,climbing")
    parser.add_argument(
        "--busy", action="store_true", help="the machine has other work: keep processor seconds only"
    )
    options = parser.parse_args()
    path = RESULTS / "margin_prototypes.json"
    results = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    context = multiprocessing.get_context("spawn")
    for n_rows, method in product(options.rows.split(","), options.methods.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            rows = Path(folder) / "rows.npz"
            np.savez(rows, **dict(zip(("X", "y", "X_new", "y_new"), covtype(int(n_rows)), strict=True)))
            answers = context.Queue()
            process = context.Process(target=measured, args=(method, rows, answers))
            process.start()
            results.setdefault(n_rows, {})[method] = answers.get()
            process.join()
        if options.busy:
            results[n_rows][method]["seconds"] = None
        print(n_rows, method, results[n_rows][method], flush=True)
        path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
        path.with_suffix(".md").write_text(report(results), encoding="utf-8")


if __name__ == "__main__":
    main()
