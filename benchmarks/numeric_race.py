"""A full ranking for a numeric target: SBSMF against recursive elimination on LightGBM's regression stumps.

    OMP_NUM_THREADS=1 TAMIS_DATA=folder python benchmarks/numeric_race.py

Settings as in stumps.py, the race for classes: 100 stumps a model, one column leaves at a time, one thread. The learning rate is
0.1 for both. A time is the smallest processor time of three runs, taken in turn, after one that is not timed; tables
that do not ship with tamis are looked for in the folder TAMIS_DATA. Results go to benchmarks/results/numeric_race.json and .md.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import time
import warnings
from pathlib import Path

import numpy as np

RESULTS = Path(__file__).parent / "results"
N_ROUNDS, REPEATS = 100, 3
SHIPPED = ("glass_index", "heart_rate", "german_amount", "friedman1")
ELSEWHERE = (
    "bodyfat",
    "cpu_small",
    "wind",
    "tecator",
    "music_origin",
    "friedman_c4_1000_100",
    "houses",
    "fried",
)


def shipped(name):
    """A data set of tamis as numbers, categories by their codes, missing values as NaN."""
    from tamis import datasets
    from tamis.table._encode import encode

    data = datasets.load(name)
    return encode(_Reader(), data.X).values, data.y


class _Reader:
    """Stands in for an estimator when a table is read."""

    def __sklearn_tags__(self):
        from sklearn.base import BaseEstimator

        return BaseEstimator().__sklearn_tags__()


def elsewhere(name):
    """A table of the folder TAMIS_DATA; None if it is not there."""
    path = Path(os.environ.get("TAMIS_DATA", ".")) / f"{name}.csv.gz"
    if not path.exists():
        return None
    with gzip.open(path, "rt", newline="") as file:
        _, *rows = csv.reader(file)
    values = np.array([[float(value) if value else np.nan for value in row] for row in rows])
    return values[:, :-1], values[:, -1]


def synthetic():
    """5,000 rows and 60 columns, of which five decide."""
    from tamis.datasets import make_friedman

    made = make_friedman(1, 5000, irrelevant=55, random_state=0)
    return made.X.to_numpy(), made.y


def ours(X, y):
    """The ranking, and the number of models that were trained."""
    from tamis import SBSMF

    return int(SBSMF(n_rounds=N_ROUNDS, n_jobs=1).fit(X, y).history_["n_fits"][-1])


def theirs(X, y):
    """Recursive elimination with scikit-learn."""
    from lightgbm import LGBMRegressor
    from sklearn.feature_selection import RFE

    model = LGBMRegressor(n_estimators=N_ROUNDS, num_leaves=2, max_depth=1, n_jobs=1, verbose=-1)
    RFE(model, n_features_to_select=1, step=1).fit(X, y)


def spent(call, *arguments):
    """Processor seconds."""
    start = time.process_time()
    call(*arguments)
    return time.process_time() - start


def raced(name, X, y):
    """One table: both, in turn."""
    n_fits = ours(X, y)
    times = {"tamis": [], "lightgbm": []}
    for _ in range(REPEATS):
        times["tamis"].append(spent(ours, X, y))
        times["lightgbm"].append(spent(theirs, X, y))
    best = {who: min(each) for who, each in times.items()}
    row = {
        "table": name, "rows": X.shape[0], "columns": X.shape[1], "fits": n_fits, "tamis_seconds": best["tamis"],
        "lightgbm_seconds": best["lightgbm"], "ratio": best["lightgbm"] / best["tamis"], "runs": times,
    }  # fmt: skip
    print(
        f"{name:22s} {row['rows']:>6d} x {row['columns']:<4d} {best['tamis']:8.4f} {best['lightgbm']:8.3f} {row['ratio']:6.1f} times",
        flush=True,
    )
    return row


def page(rows):
    """The results as a table."""
    ratios = [row["ratio"] for row in rows]
    lines = [
        "# A full ranking for a numeric target",
        "",
        "SBSMF against RFE on LightGBM's regression stumps: 100 stumps, one column leaves at a time, one thread, processor seconds",
        "(the smallest of three runs in turn). `python benchmarks/numeric_race.py` writes it anew.",
        "",
        "| table | rows | columns | SBSMF, s | RFE on LightGBM, s | times | models that SBSMF trained |",
        "| --- | --: | --: | --: | --: | --: | --: |",
        *(
            f"| {row['table']} | {row['rows']} | {row['columns']} | {row['tamis_seconds']:.4f} | {row['lightgbm_seconds']:.3f} | "
            f"{row['ratio']:.1f} | {row['fits']} |"
            for row in rows
        ),
        "",
        f"Geometric mean {np.exp(np.mean(np.log(ratios))):.1f} times, least {min(ratios):.1f}, most {max(ratios):.1f}.",
    ]
    return "\n".join(lines) + "\n"


def main():
    """Race on every table at hand."""
    warnings.filterwarnings("ignore", message="X does not have valid feature names")
    tables = {name: shipped(name) for name in SHIPPED} | {"synthetic": synthetic()}
    tables |= {name: found for name in ELSEWHERE if (found := elsewhere(name)) is not None}
    rows = [raced(name, *table) for name, table in tables.items()]
    (RESULTS / "numeric_race.json").write_text(json.dumps(rows, indent=1) + "\n")
    (RESULTS / "numeric_race.md").write_text(page(rows))


if __name__ == "__main__":
    main()
