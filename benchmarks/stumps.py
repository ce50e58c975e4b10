"""Boosted stumps and full column rankings: tamis and its peers on the same tables, as ratios in one run.

    python benchmarks/stumps.py [--quick] [--only fit,rank,memory] [--tables spambase,...]

Peers are left out when they are not installed (``pip install lightgbm xgboost``). Tables that do not ship with tamis
are looked for in the folder named by TAMIS_DATA. A time is the median of alternating runs after one that is not timed;
a peer that would take more than a minute is timed on fewer steps and marked with ~. Results go to
benchmarks/results/stumps.json, beside those of other tables that are there already.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np

RESULTS = Path(__file__).parent / "results"
N_ROUNDS = 100
SMALL = ("ionosphere", "musk1", "spambase", "kr_vs_kp", "dlbcl_shipp", "madelon", "magic")
LARGE = ("synthetic", "covtype")


def table(name):
    """X (numbers only, nominal columns by their codes) and y in {0, 1}."""
    if name == "synthetic":
        random = np.random.default_rng(0)
        X = random.normal(size=(100_000, 200))
        lean = random.normal(size=20)
        return X, (X[:, :20] @ lean + np.sqrt(20) * random.normal(size=len(X)) > 0).astype(int)
    import polars as pl

    from tamis import datasets
    from tamis.table import TableError

    try:
        data = datasets.load(name, download_if_missing=False)
    except TableError:
        return None
    X = np.column_stack(
        [
            column.to_numpy()
            if column.dtype.is_numeric()
            else column.cast(pl.String).rank("dense").to_numpy()
            for column in data.X.get_columns()
        ]
    ).astype(np.float64)
    labels, codes = np.unique(data.y, return_inverse=True)
    positive = 1 if len(labels) == 2 else int(np.argmax(np.bincount(codes)))
    return X, (codes == positive).astype(int)


def models(n_threads):
    """The stump boosters that are installed."""
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier

    from tamis import StumpAdaBoost

    found = {"tamis": lambda: StumpAdaBoost(N_ROUNDS, n_jobs=n_threads)}
    try:
        from lightgbm import LGBMClassifier

        found["lightgbm"] = lambda: LGBMClassifier(
            n_estimators=N_ROUNDS, num_leaves=2, max_depth=1, n_jobs=n_threads, verbose=-1
        )
    except ImportError:
        pass
    try:
        from xgboost import XGBClassifier

        found["xgboost"] = lambda: XGBClassifier(
            n_estimators=N_ROUNDS, max_depth=1, tree_method="hist", n_jobs=n_threads
        )
    except ImportError:
        pass
    if n_threads == 1:
        stump = DecisionTreeClassifier(max_depth=1)
        found["scikit-learn"] = lambda: AdaBoostClassifier(stump, n_estimators=N_ROUNDS)
    return found


def seconds(call, *arguments):
    start = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - start


def compare_fits(names, repeats):
    """One 100-stump fit, preparation included."""
    rows = []
    for name in names:
        data = table(name)
        if data is None:
            print(f"{name}: not at hand, left out")
            continue
        X, y = data
        part = np.random.default_rng(1).permutation(len(y))
        test, train = part[: len(y) // 3], part[len(y) // 3 :]
        X_train, y_train = X[train], y[train]
        for n_threads in (1, 2):
            makers = models(n_threads)
            times = {peer: [] for peer in makers}
            accuracy = {}
            for repeat in range(repeats + 1):
                for peer, make in makers.items():
                    slow = peer == "scikit-learn" and X.size > 2e6
                    if slow and repeat > 0:
                        continue
                    if slow:
                        times[peer].append(np.nan)
                        continue
                    model = make()
                    spent = seconds(model.fit, X_train, y_train)
                    if repeat:
                        times[peer].append(spent)
                    else:
                        accuracy[peer] = float(np.mean(np.asarray(model.predict(X[test])) == y[test]))
            ours = float(np.median(times["tamis"]))
            for peer in makers:
                middle = float(np.median(times[peer]))
                rows.append(
                    {
                        "job": "fit", "table": name, "rows": len(train), "columns": X.shape[1],
                        "threads": n_threads, "who": peer, "seconds": middle, "ratio": middle / ours,
                        "accuracy": accuracy.get(peer),
                    }
                )  # fmt: skip
                print_row(rows[-1])
        per = rows[-len(models(2)) - len(models(1))]["seconds"] / (len(train) * X.shape[1] * N_ROUNDS) * 1e9
        print(f"    tamis, one thread: {per:.3f} ns a row, column and round, preparation included")
    return rows


def rfe_seconds(X, y, n_threads, budget=60.0):
    """Seconds of RFE(step=1) on a 100-stump LightGBM; extrapolated over the number of columns where that is long."""
    import warnings

    from lightgbm import LGBMClassifier
    from sklearn.feature_selection import RFE

    warnings.filterwarnings("ignore", message="X does not have valid feature names")
    model = LGBMClassifier(n_estimators=N_ROUNDS, num_leaves=2, max_depth=1, n_jobs=n_threads, verbose=-1)
    one = min(seconds(model.fit, X, y) for _ in range(2))
    if one * X.shape[1] / 2 < budget:
        return seconds(RFE(model, n_features_to_select=1, step=1).fit, X, y), False
    sizes = np.unique(np.geomspace(1, X.shape[1], 5).astype(int))
    spent = [min(seconds(model.fit, X[:, :d].copy(), y) for _ in range(2)) for d in sizes]
    return float(np.interp(np.arange(2, X.shape[1] + 1), sizes, spent).sum()), True


def compare_rankings(names, repeats):
    """The full ranking, preparation included."""
    from tamis import SBSMF

    rows = []
    for name in names:
        data = table(name)
        if data is None:
            print(f"{name}: not at hand, left out")
            continue
        X, y = data
        for n_threads in (1, 2):
            fits = [0.0]

            def rank(n_threads=n_threads, X=X, y=y, fits=fits):
                fits[0] = int(SBSMF(n_rounds=N_ROUNDS, n_jobs=n_threads).fit(X, y).history_["n_fits"][-1])

            few = 1 if X.size > 5e6 else repeats
            spent = [seconds(rank) for _ in range(few + 1)][1:]
            ours = float(np.median(spent))
            try:
                theirs, guessed = rfe_seconds(X, y, n_threads)
            except ImportError:
                theirs, guessed = np.nan, False
            rows.append(
                {
                    "job": "rank", "table": name, "rows": X.shape[0], "columns": X.shape[1], "threads": n_threads,
                    "who": "lightgbm RFE", "seconds": theirs, "extrapolated": guessed, "tamis_seconds": ours,
                    "ratio": theirs / ours, "fits": fits[0],
                }
            )  # fmt: skip
            print(
                f"rank {name:12s} {X.shape[0]:>7d} x {X.shape[1]:<5d} threads {n_threads}: tamis {ours:8.3f} s "
                f"({fits[0]} fits), RFE on LightGBM {'~' if guessed else ' '}{theirs:8.2f} s: {theirs / ours:6.1f} times",
                flush=True,
            )
    return rows


def peak_memory(name):
    """Peak memory above the table, as a multiple of it, of one fit and of one ranking, each in its own process."""
    rows = []
    for what in ("fit", "rank") if name != "covtype" else ("fit",):
        command = [sys.executable, __file__, "--measure", what, "--tables", name]
        told = subprocess.run(command, capture_output=True, text=True, check=True)
        row = json.loads(told.stdout.splitlines()[-1])
        rows.append({"job": "memory", "table": name, "what": what, **row})
        print(
            f"memory {name} {what}: {row['multiple']:.2f} times the float64 table above the input", flush=True
        )
    return rows


def measure(what, name):
    """In a process of its own: fit a small table for compilation, then the large one, and print the growth."""
    from tamis import SBSMF, StumpAdaBoost

    make = StumpAdaBoost if what == "fit" else SBSMF
    X, y = table(name)
    small = slice(0, min(20_000, len(y)))
    make(n_rounds=5).fit(X[small, :10].copy(), y[small])
    before, highest, done = resident(), [0], threading.Event()

    def watch():
        while not done.wait(0.002):
            highest[0] = max(highest[0], resident())

    watcher = threading.Thread(target=watch)
    watcher.start()
    make(n_rounds=N_ROUNDS).fit(X, y)
    done.set()
    watcher.join()
    grown = highest[0] - before
    print(json.dumps({"multiple": grown / X.nbytes, "bytes": grown}))


def resident():
    """Bytes that this process has in memory."""
    with open("/proc/self/statm") as status:
        return int(status.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def ceiling():
    """How much faster two threads are than one at work that has nothing in common: sorting."""
    numbers = np.random.default_rng(0).normal(size=100_000)

    def work():
        for _ in range(20):
            np.sort(numbers)

    def together():
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    work()
    return 2 * min(seconds(work) for _ in range(5)) / min(seconds(together) for _ in range(5))


def bandwidth():
    """Bytes a second of a plain sum over memory, one thread."""
    block = np.ones(40_000_000)
    return block.nbytes / min(seconds(block.sum) for _ in range(5))


def print_row(row):
    accuracy = "" if row["accuracy"] is None else f"accuracy {row['accuracy']:.4f}"
    print(
        f"fit  {row['table']:12s} {row['rows']:>7d} x {row['columns']:<5d} threads {row['threads']} "
        f"{row['who']:13s} {row['seconds']:9.4f} s  {row['ratio']:7.2f} times tamis  {accuracy}",
        flush=True,
    )


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--quick", action="store_true", help="small tables and three repeats")
    words.add_argument("--only", default="fit,rank,memory")
    words.add_argument("--tables", default="")
    words.add_argument("--measure", default="", help=argparse.SUPPRESS)
    chosen = words.parse_args()
    names = chosen.tables.split(",") if chosen.tables else [*SMALL, *(() if chosen.quick else LARGE)]
    if chosen.measure:
        measure(chosen.measure, names[0])
        return
    repeats = 3 if chosen.quick else 7
    rows = []
    machine = {"job": "machine", "bytes_a_second": bandwidth(), "two_threads": ceiling()}
    rows.append(machine)
    print(f"memory bandwidth, one thread: {machine['bytes_a_second'] / 1e9:.1f} GB/s")
    print(f"two threads sorting arrays of their own: {machine['two_threads']:.2f} times one")
    if "fit" in chosen.only:
        rows += compare_fits([n for n in names if n not in ("ionosphere", "musk1", "kr_vs_kp")], repeats)
    if "rank" in chosen.only:
        rows += compare_rankings([n for n in names if n not in ("covtype", "magic")], repeats)
    if "memory" in chosen.only:
        for name in names:
            if name in LARGE and table(name) is not None:
                rows += peak_memory(name)
    keep(rows)


def keep(rows):
    """Write the rows to the results; earlier ones of other tables and jobs stay."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / "stumps.json"
    names = ("job", "table", "threads", "who", "what")
    known = (
        {tuple(row.get(name) for name in names): row for row in json.loads(path.read_text())}
        if path.exists()
        else {}
    )
    known |= {tuple(row.get(name) for name in names): row for row in rows}
    clean = [{key: None if value != value else value for key, value in row.items()} for row in known.values()]
    path.write_text(json.dumps(clean, indent=1) + "\n")


if __name__ == "__main__":
    main()
