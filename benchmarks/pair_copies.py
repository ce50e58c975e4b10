"""Near copies of columns beside pairs: part "copies" of benchmarks/pairs.py.

SBSMF with 30 pairs ranks columns with and without `share_above`, on tables that have columns of a rank correlation of .99 and
more. Judged by the accuracy on rows held out of 5-NN and extra trees on the first 2, 4, 8 columns and a quarter of them, and on
made tables (an exclusive or and a ring, each column with two near copies, among 150 others) by how many of the 12 relevant columns
are among the first 12.
"""

from __future__ import annotations

import numpy as np
from column_tables import task
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tamis

TABLES = ("breast_cancer", "churn", "coil2000", "hill_valley_noise", "mfeat_zernike", "vehicle")
MADE = "made, of 12 relevant"
SHARES = (None, 0.99, 0.95)
N_SEEDS = 3


def copies(kept, rankers):
    """Accuracy, or share of the relevant columns, for each table, seed and `share_above`."""
    for seed in range(N_SEEDS):
        for share in SHARES:
            for name in TABLES:
                kept.enter(["copies", name, seed, str(share)], _accuracy, name, seed, share)
            kept.enter(["copies", MADE, seed, str(share)], _found, seed, share)


def _ranked(X, y, nominal, share):
    few = {"step": 0.1, "step_until": 50} if X.shape[1] > 50 else {}
    selector = tamis.SBSMF(interactions=30, share_above=share, categorical_features=nominal, **few)
    return np.argsort(selector.fit(X, y).ranking_)


def _accuracy(name, seed, share):
    given = task(name, "plain", seed)
    X = np.where(np.isnan(given.X), np.nanmean(given.X, axis=0), given.X)
    train, test, y = given.train, given.test, given.y
    order = _ranked(given.X[train], y[train], given.nominal, share)
    right = {}
    for size in sorted({2, 4, 8, max(1, X.shape[1] // 4)}):
        few = order[:size]
        judges = (
            make_pipeline(StandardScaler(), KNeighborsClassifier(5)),
            ExtraTreesClassifier(100, random_state=0),
        )
        scores = [m.fit(X[train][:, few], y[train]).score(X[test][:, few], y[test]) for m in judges]
        right[str(size)] = round(float(np.mean(scores)), 4)
    return {"right": round(float(np.mean(list(right.values()))), 4), "sizes": right}


def made(seed, n=600, n_noise=150):
    """A table, its classes, and the positions of the relevant columns."""
    rng = np.random.default_rng([77, seed])
    base = rng.random((n, 4)) - 0.5
    y = (np.abs(np.hypot(base[:, 0], base[:, 1]) - 0.35) < 0.07) | (base[:, 2] * base[:, 3] > 0.03)
    near = [base, *(base + rng.normal(scale=0.02, size=base.shape) for _ in range(2))]
    X = np.column_stack([*near, rng.random((n, n_noise))])
    order = rng.permutation(X.shape[1])
    return X[:, order], y.astype(int), np.flatnonzero(order < 12)


def _found(seed, share):
    X, y, relevant = made(seed)
    order = _ranked(X, y, np.zeros(X.shape[1], dtype=bool), share)
    return {"right": round(float(np.isin(order[:12], relevant).mean()), 4)}


def copy_lines(found, make_table):
    """The section of the page."""
    if not found["copies"]:
        return []
    rows = []
    for name in (*TABLES, MADE):
        here = [
            [found["copies"].get((name, seed, str(share))) for seed in range(N_SEEDS)] for share in SHARES
        ]
        cells = [[e["right"] for e in some if e is not None] for some in here]
        rows.append([name, *(f"{100 * np.mean(cell):.1f}" if cell else "" for cell in cells)])
    return [
        "## Near copies: `share_above` beside 30 pairs",
        "",
        "SBSMF with 30 pairs on tables that have columns of rank correlation .99 and more; percent right on rows held out, mean of 5-NN and extra",
        "trees at 2, 4, 8 columns and a quarter, three splits; of the made tables the share of relevant columns among the first.",
        "",
        *make_table(["table", *(f"share_above={share}" for share in SHARES)], rows),
    ]
