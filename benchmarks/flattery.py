"""What the choice among many is worth: five estimates of it beside the truth, on tables of 60 rows and 60 columns.

120 choices (three filters, ten sizes, four classifiers, all in plain numpy) are judged by five folds. "Best" and "chosen" are means on
the rows that chose; "other folds" makes the choice for each fold by the others; "corrected" is `honest_mean` of
`tamis.study.recommend`; "nested" makes it by models that never saw the fold, at three times the cost; the truth is the chosen
one, fitted on all rows, on 1000 others. Three columns are shifted by `shift` between the classes; 0 is noise.

Usage: python benchmarks/flattery.py [tables]   (writes benchmarks/results/flattery.json)
"""

import json
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
from scipy.stats import rankdata
from sklearn.model_selection import StratifiedKFold

from tamis.study._recommend import _choice
from tamis.study._statistics import corrected_error

RESULTS = Path(__file__).parent / "results" / "flattery.json"
SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
N_ROWS, N_COLUMNS, N_FRESH, N_FOLDS = 60, 60, 1000, 5
KEPT = np.repeat(np.tile(SIZES, 3), 4).astype(float)
FIGURES = ("best", "chosen", "other folds", "corrected", "nested", "truth")


def rankings(X, y):
    """The columns from best to worst by means, medians and ranks."""
    spread = X.std(axis=0)
    means = abs(X[y == 0].mean(axis=0) - X[y == 1].mean(axis=0)) / spread
    medians = abs(np.median(X[y == 0], axis=0) - np.median(X[y == 1], axis=0)) / spread
    ranks = rankdata(X, axis=0)[y == 1].sum(axis=0)
    return [np.argsort(-score) for score in (means, medians, abs(ranks - ranks.mean()))]


def answers(X, y, others):
    """What the nearest neighbour, five of them, the nearest mean and a ridge say of other rows."""
    mean, spread = X.mean(axis=0), X.std(axis=0) + 1e-9
    X, others = (X - mean) / spread, (others - mean) / spread
    distance = (others**2).sum(axis=1)[:, None] + (X**2).sum(axis=1) - 2 * others @ X.T
    yield y[distance.argmin(axis=1)]
    yield y[np.argsort(distance, axis=1)[:, :5]].mean(axis=1) > 0.5
    centres = np.array([X[y == label].mean(axis=0) for label in (0, 1)])
    width = (X - centres[y]).var(axis=0) + 1e-3
    near, far = (((others - centre) ** 2 / width).sum(axis=1) for centre in centres)
    yield far < near
    yield others @ (X.T @ np.linalg.solve(X @ X.T + 5 * np.eye(len(X)), y - y.mean())) > 0


def scores(X, y, train, tests):
    """Balanced accuracy of every choice on each set of rows, shape (choices, sets)."""
    held, ends = np.concatenate(tests), np.cumsum([len(test) for test in tests])[:-1]
    classes, found = [y[test] for test in tests], []
    for order in rankings(X[train], y[train]):
        for size in SIZES:
            kept = order[:size]
            said = answers(X[train][:, kept], y[train], X[held][:, kept])
            found += [[_balanced(*pair) for pair in zip(np.split(one, ends), classes)] for one in said]
    return np.array(found)


def _balanced(said, y):
    return np.mean([(said[y == label] == label).mean() for label in (0, 1)])


def chosen(values):
    """The smallest within one standard error of the best."""
    return _choice(KEPT, values.mean(axis=1), corrected_error(values.T, 1 / (N_FOLDS - 1)))[1]


def figures(seed, shift):
    """The five estimates and the truth on one table."""
    random = np.random.default_rng(seed)
    y = np.r_[random.permutation(np.repeat([0, 1], N_ROWS // 2)), random.integers(0, 2, N_FRESH)]
    X = random.normal(size=(len(y), N_COLUMNS))
    X[:, :3] += shift * y[:, None]
    rows = np.arange(N_ROWS)
    folds = list(StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed).split(rows, y[:N_ROWS]))
    outer = np.hstack([scores(X, y, train, [test]) for train, test in folds])
    inner = np.full((N_FOLDS, N_FOLDS, len(outer)), np.nan)
    for j, k in combinations(range(N_FOLDS), 2):
        tests = [folds[j][1], folds[k][1]]
        inner[j, k], inner[k, j] = scores(X, y, np.setdiff1d(rows, np.concatenate(tests)), tests).T
    others = [np.delete(np.arange(N_FOLDS), k) for k in range(N_FOLDS)]
    honest = np.mean([outer[chosen(outer[:, others[k]]), k] for k in range(N_FOLDS)])
    nested = np.mean([outer[chosen(inner[others[k], k].T), k] for k in range(N_FOLDS)])
    picked = chosen(outer)
    apparent = outer[picked].mean()
    corrected = honest - max(0.0, apparent - honest) / (N_FOLDS - 1)
    truth = scores(X, y, rows, [np.arange(N_ROWS, len(y))])[picked, 0]
    return outer.mean(axis=1).max(), apparent, honest, corrected, nested, truth


def main():
    """All shifts."""
    n_tables = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    told = {}
    for shift in (0.0, 0.5, 1.0, 2.0):
        found = np.array([figures(seed, shift) for seed in range(n_tables)])
        told[f"shift {shift}"] = {
            "tables": n_tables,
            **dict(zip(FIGURES, found.mean(axis=0).tolist())),
            "largest standard error": float(found.std(axis=0, ddof=1).max() / n_tables**0.5),
        }
        print(shift, told[f"shift {shift}"], flush=True)
        RESULTS.write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
