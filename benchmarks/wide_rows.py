"""MovedPrototypes on 60,000 rows of 784 columns, 1 % made, beside scikit-learn's k-means in each class.

    OMP_NUM_THREADS=1 python benchmarks/wide_rows.py [--rows 60000]

Two tables of the shape of an image set, ten classes each, clipped to 0 ... 1. ``clumps``: several clumps a class, blurred over
neighbouring columns, where k-means is done after a few rounds. ``shapes``: in each class twelve hidden numbers, through
a curve, make the columns, as strokes make an image; there are no clumps to be found. Processor seconds and peak memory of each (in a process of its own), and 1-NN accuracy on 5,000 further rows.
Results go to benchmarks/results/wide_rows.json and .md.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from itertools import product

import numpy as np
from psboost_table import write
from sklearn.cluster import KMeans
from sklearn.neighbors import KNeighborsClassifier

from tamis import MovedPrototypes, PrototypeClassifier

N_NEW, N_COLUMNS, N_CLASSES, N_CLUMPS, SHARE = 5000, 784, 10, 20, 0.01


def shapes(n_rows):
    """Rows and classes, the last `N_NEW` to be judged on: hidden numbers make the columns of each class."""
    random = np.random.default_rng(1)
    y = random.integers(0, N_CLASSES, n_rows + N_NEW)
    X = np.empty((len(y), N_COLUMNS), dtype=np.float32)
    common = random.normal(size=(12, N_COLUMNS))
    for label in range(N_CLASSES):
        own = common + 0.7 * random.normal(size=(12, N_COLUMNS))
        smooth = np.apply_along_axis(np.convolve, 1, own, np.ones(9) / 9, mode="same")
        hidden = random.normal(size=(int(np.sum(y == label)), 12))
        X[y == label] = np.tanh(hidden @ smooth + 0.3 * random.normal(size=N_COLUMNS))
    X += random.normal(scale=0.2, size=X.shape).astype(np.float32)
    return np.clip(X / 2 + 0.5, 0, 1).astype(np.float64), y


def clumps(n_rows):
    """Rows and classes, the last `N_NEW` to be judged on: clumps."""
    random = np.random.default_rng(0)
    centres = random.random((N_CLASSES * N_CLUMPS, N_COLUMNS)) < 0.25
    smooth = np.apply_along_axis(np.convolve, 1, centres, np.ones(9) / 4, mode="same")
    which = random.integers(0, len(centres), n_rows + N_NEW)
    noise = random.normal(scale=0.6, size=(n_rows + N_NEW, N_COLUMNS)).astype(np.float32)
    return np.clip(smooth[which] + noise, 0, 1), which // N_CLUMPS


TABLES = {"clumps": clumps, "shapes": shapes}


def moved(X, y):
    """Our made rows."""
    return PrototypeClassifier(MovedPrototypes(SHARE, random_state=0)).fit(X, y)


def k_means(X, y):
    """Centres of k-means, as many in each class as its share."""
    centres, labels = [], []
    for label in range(N_CLASSES):
        own = X[y == label]
        centres.append(KMeans(round(SHARE * len(own)), n_init=1, random_state=0).fit(own).cluster_centers_)
        labels += [label] * len(centres[-1])
    return KNeighborsClassifier(1).fit(np.concatenate(centres), labels)


def one(method, name, n_rows):
    """Seconds, MB and accuracy of one method."""
    X, y = TABLES[name](n_rows)
    work = {"MovedPrototypes": moved, "k-means per class": k_means}[method]
    if method == "MovedPrototypes":
        work(X[:500], y[:500])  # compiles
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    model = work(X[:n_rows], y[:n_rows])
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    right = float(np.mean(model.predict(X[n_rows:]) == y[n_rows:]))
    return {
        "table": name,
        "method": method,
        "seconds": seconds,
        "mb": (peak - before) / 1024,
        "accuracy": 100 * right,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=60_000)
    parser.add_argument("--method")
    parser.add_argument("--table")
    options = parser.parse_args()
    if options.method:
        print(json.dumps(one(options.method, options.table, options.rows)))
        return
    records = []
    for name, method in product(TABLES, ("k-means per class", "MovedPrototypes")):
        command = [sys.executable, __file__, "--rows", str(options.rows), "--method", method, "--table", name]
        found = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        records.append(json.loads(found.splitlines()[-1]))
        print(records[-1], flush=True)
    lines = [f"# {options.rows:,} rows of {N_COLUMNS} columns, 1 % made, one thread", ""]
    lines += [
        "| table | method | processor seconds | MB above the table | accuracy |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {r['table']} | {r['method']} | {r['seconds']:.1f} | {r['mb']:.0f} | {r['accuracy']:.1f} |"
        for r in records
    ]
    for theirs, ours in zip(records[::2], records[1::2], strict=True):
        ratio = ours["seconds"] / theirs["seconds"]
        lines += ["", f"{ours['table']}: MovedPrototypes takes {ratio:.2f} times as long as k-means."]
    write("wide_rows", records, "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
