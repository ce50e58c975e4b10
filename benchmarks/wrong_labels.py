"""Turned labels found: RowValues beside EditedNN, the least k-NN Shapley values, and cleanlab where it is installed.

    python benchmarks/wrong_labels.py [--splits 3]

5, 10 and 20 % of the labels of shipped sets are turned to another class, drawn evenly; at most 1,200 rows of a set.
Precision is the share of turned rows among the suspects, recall the share of suspects among the turned. The least
values are as many as were turned, which nobody knows: they show the order, not a verdict. cleanlab's own probabilities
are those of 10 nearest neighbours in 5 folds, on the same columns, scaled and one-hot. Results go to
benchmarks/results/wrong_labels.json and .md.
"""

from __future__ import annotations

import argparse
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
    write("wrong_labels", records, report(records))


if __name__ == "__main__":
    main()
