"""MovedPrototypes on 60,000 rows of 784 columns, 1 % made, beside scikit-learn's k-means in each class.

    OMP_NUM_THREADS=1 python benchmarks/wide_rows.py [--rows 60000]

The table has the shape of an image set: ten classes of several clumps each, blurred over neighbouring columns, clipped to
0 ... 1. Processor seconds and peak memory of each (in a process of its own), and 1-NN accuracy on 5,000 further rows.
Results go to benchmarks/results/wide_rows.json and .md.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time

import numpy as np
from psboost_table import write
from sklearn.cluster import KMeans
from sklearn.neighbors import KNeighborsClassifier

from tamis import MovedPrototypes, PrototypeClassifier

N_NEW, N_COLUMNS, N_CLASSES, N_CLUMPS, SHARE = 5000, 784, 10, 20, 0.01


def table(n_rows):
    """Rows and classes, the last `N_NEW` to be judged on."""
    random = np.random.default_rng(0)
    clumps = random.random((N_CLASSES * N_CLUMPS, N_COLUMNS)) < 0.25
    smooth = np.apply_along_axis(np.convolve, 1, clumps, np.ones(9) / 4, mode="same")
    which = random.integers(0, len(clumps), n_rows + N_NEW)
    noise = random.normal(scale=0.6, size=(n_rows + N_NEW, N_COLUMNS)).astype(np.float32)
    return np.clip(smooth[which] + noise, 0, 1), which // N_CLUMPS


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


def one(method, n_rows):
    """Seconds, MB and accuracy of one method."""
    X, y = table(n_rows)
    work = {"MovedPrototypes": moved, "k-means per class": k_means}[method]
    if method == "MovedPrototypes":
        work(X[:500], y[:500])  # compiles
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    model = work(X[:n_rows], y[:n_rows])
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    right = float(np.mean(model.predict(X[n_rows:]) == y[n_rows:]))
    return {"method": method, "seconds": seconds, "mb": (peak - before) / 1024, "accuracy": 100 * right}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=60_000)
    parser.add_argument("--method")
    options = parser.parse_args()
    if options.method:
        print(json.dumps(one(options.method, options.rows)))
        return
    records = []
    for method in ("k-means per class", "MovedPrototypes"):
        command = [sys.executable, __file__, "--rows", str(options.rows), "--method", method]
        found = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        records.append(json.loads(found.splitlines()[-1]))
    lines = [f"# {options.rows:,} rows of {N_COLUMNS} columns, 1 % made, one thread", ""]
    lines += ["| method | processor seconds | MB above the table | accuracy |", "| --- | --- | --- | --- |"]
    lines += [
        f"| {r['method']} | {r['seconds']:.1f} | {r['mb']:.0f} | {r['accuracy']:.1f} |" for r in records
    ]
    ratio = records[1]["seconds"] / records[0]["seconds"]
    lines += ["", f"MovedPrototypes takes {ratio:.2f} times as long as k-means."]
    write("wide_rows", records, "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
