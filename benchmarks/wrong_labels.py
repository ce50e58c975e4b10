"""Turned labels found: RowValues beside EditedNN, the least k-NN Shapley values, and cleanlab and pyDVL where installed.

    python benchmarks/wrong_labels.py [--splits 3]

5, 10 and 20 % of the labels of shipped sets are turned to another class, drawn evenly; at most 1,200 rows of a set.
Precision is the share of turned rows among the suspects, recall the share of suspects among the turned. The least
values are as many as were turned, which nobody knows: they show the order, not a verdict. cleanlab's own probabilities
are those of 10 nearest neighbours in 5 folds, on the same columns, scaled and one-hot. pyDVL's k-NN Shapley values judge one
half of the rows by the other, twice; pyDVL 0.9.2 names a type that numpy 2 no longer has, which is put back here. A last
line times RowValues on 100,000 rows of 20 columns. Results go to benchmarks/results/wrong_labels.json and .md.
"""

from __future__ import annotations

import argparse
import time
import warnings
from itertools import product

import numpy as np
from psboost_table import Split, write
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from tamis import EditedNN, RowValues

SETS = (
    "breast_w",
    "credit_crx",
    "german",
    "heart_cleveland",
    "house_votes",
    "ionosphere",
    "kr_vs_kp",
    "mushroom",
    "musk1",
    "pima",
    "spambase",
    "tic_tac_toe",
    "vehicle",
)
SHARES = (0.05, 0.1, 0.2)


def suspects(one, labels, n_turned):
    """(method, mask of the rows it calls wrong)."""
    n_rows = len(labels)
    found = RowValues(categorical_features=one.nominal).fit(one.X, labels)
    yield "RowValues", np.isin(np.arange(n_rows), found.suspects_)
    yield "least Shapley values, as many as turned", found.ranking_ > n_rows - n_turned
    kept = EditedNN(categorical_features=one.nominal).fit(one.X, labels).sample_indices_
    yield "EditedNN", ~np.isin(np.arange(n_rows), kept)
    try:
        from cleanlab.filter import find_label_issues
    except ImportError:
        return
    codes = np.unique(labels, return_inverse=True)[1]
    points = one.one_hot(one.rows)
    judged = cross_val_predict(KNeighborsClassifier(10), points, codes, cv=5, method="predict_proba")
    yield "cleanlab", np.asarray(find_label_issues(codes, judged, n_jobs=1))


def pydvl_values(points, codes):
    """pyDVL's k-NN Shapley values, each half of the rows being judged by the other; None where pyDVL is not there."""
    setattr(np, "float_", np.float64)  # noqa: B010 - the linter takes the plain form for a use
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from pydvl.utils import Dataset, Utility
            from pydvl.value.shapley.knn import knn_shapley
    except ImportError:
        return None
    values = np.empty(len(codes))
    halves = np.array_split(np.random.default_rng(0).permutation(len(codes)), 2)
    for learnt, judging in (halves, halves[::-1]):
        data = Dataset(points[learnt], codes[learnt], points[judging], codes[judging])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = knn_shapley(Utility(KNeighborsClassifier(10), data), progress=False)
        values[learnt[found.indices]] = found.values
    return values


def seconds_of_many():
    """Processor seconds of RowValues on 100,000 rows of 20 columns, ten classes."""
    random = np.random.default_rng(0)
    labels = random.integers(0, 10, 100_000)
    X = random.normal(size=(10, 20))[labels] + random.normal(size=(100_000, 20))
    RowValues().fit(X[:2000], labels[:2000])  # compiles
    start = time.process_time()
    RowValues().fit(X, labels)
    return time.process_time() - start


def all_records(n_splits):
    """Precision and recall of every method on every set, share and split."""
    records = []
    for name, seed in product(SETS, range(5000, 5000 + n_splits)):
        one = Split(name, seed, 1, 1200)
        random = np.random.default_rng(seed)
        classes, codes = np.unique(one.y, return_inverse=True)
        for share in SHARES:
            turned = np.zeros(len(codes), dtype=bool)
            turned[random.permutation(len(codes))[: round(share * len(codes))]] = True
            shift = random.integers(1, len(classes), len(codes))
            labels = classes[np.where(turned, (codes + shift) % len(classes), codes)]
            for method, called in suspects(one, labels, int(turned.sum())):
                right = float((called & turned).sum())
                records.append(
                    {
                        "method": method,
                        "size": share,
                        "set": name,
                        "split": seed,
                        "precision": 100 * right / max(1, called.sum()),
                        "recall": 100 * right / turned.sum(),
                    }
                )
        print(name, seed, flush=True)
    return records


def report(records):
    """Mean precision and recall by share of turned labels."""
    sets, splits = sorted({r["set"] for r in records}), {r["split"] for r in records}
    lines = [f"# Turned labels found, mean of {len(sets)} sets over {len(splits)} splits", ""]
    lines += [f"Sets: {', '.join(sets)}; at most 1,200 rows. Precision / recall in percent.", ""]
    lines += ["| turned | 5 % | 10 % | 20 % |", "| --- | --- | --- | --- |"]
    for method in dict.fromkeys(r["method"] for r in records):
        cells = []
        for share in SHARES:
            chosen = [r for r in records if r["method"] == method and r["size"] == share]
            means = [np.mean([r[what] for r in chosen]) for what in ("precision", "recall")]
            cells.append(f"{means[0]:.0f} / {means[1]:.0f}")
        lines.append(f"| {method} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=3)
    records = all_records(parser.parse_args().splits)
    many = f"RowValues on 100,000 rows of 20 columns: {seconds_of_many():.0f} s of processor time.\n"
    write("wrong_labels", records, report(records) + "\n" + many)


if __name__ == "__main__":
    main()
