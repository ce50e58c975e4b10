"""Margins of several classes: one against the rest, or one joint model (SAMME)? On tables with columns of noise added.

    TAMIS_DATA=folder python benchmarks/several_classes.py

SAMME is scikit-learn's AdaBoostClassifier over stumps. A column's part in its margins is the sum, over the stumps on it, of
alpha times the weighted mean of 1 on rows answered right and -1 / (K - 1) on the others; classes weigh the same. Half of
the columns leave at a time down to 8, then one by one, as in SBSMF(step=0.5, step_until=8), which stands beside. Judged as in
benchmarks/columns.py. Writes benchmarks/results/several_classes.md.
"""

from __future__ import annotations

import time
import warnings
from pathlib import Path

import numpy as np
from column_rankers import spread_out
from column_tables import task
from columns import accuracies
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

TABLES = (
    "vehicle", "wine", "wine_quality_white", "ann_thyroid", "authorship", "splice", "waveform_40", "digits",
    "mfeat_zernike", "mfeat_fourier", "dna", "covtype",
)  # fmt: skip
SEED = 3
STEP_UNTIL = 8
N_ROUNDS = 100
RESULT = Path(__file__).parent / "results" / "several_classes.md"


def samme(X, nominal, y):
    """The columns from best to worst."""
    left, gone = np.arange(X.shape[1]), []
    while len(left) > 1:
        parts = margin_parts(*spread_out(X[:, left], nominal[left]), y, len(left))
        order = np.argsort(parts, kind="stable")
        leaving = order[: len(left) // 2 if len(left) > STEP_UNTIL else 1]
        gone += left[leaving].tolist()
        left = np.delete(left, leaving)
    return np.array([*gone, *left])[::-1]


def margin_parts(Z, owner, y, n_columns):
    """The part of each column in the margins of one joint model."""
    n_classes = y.max() + 1
    weights = 1 / np.bincount(y)[y]
    weights /= weights.sum()
    model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=N_ROUNDS, random_state=0)
    model.fit(Z, y, sample_weight=weights)
    parts = np.zeros(n_columns)
    for stump, alpha in zip(model.estimators_, model.estimator_weights_):
        column = stump.tree_.feature[0]
        if column >= 0:
            right = stump.predict(Z) == y
            parts[owner[column]] += alpha * (weights * np.where(right, 1, -1 / (n_classes - 1))).sum()
    return parts


def one_against_rest(X, nominal, y):
    """The columns from best to worst, by SBSMF."""
    from tamis import SBSMF

    selector = SBSMF(step=0.5, step_until=STEP_UNTIL, n_rounds=N_ROUNDS, categorical_features=nominal)
    return np.argsort(selector.fit(X, y).ranking_)


def main() -> None:
    warnings.simplefilter("ignore")
    lines, differences = [], []
    for name in TABLES:
        found = task(name, "noise", SEED)
        if found is None:
            continue
        known, cells, means = {}, [], []
        for rank in (samme, one_against_rest):
            start = time.process_time()
            order = rank(found.X[found.train], found.nominal, found.y[found.train])
            seconds = time.process_time() - start
            means.append(
                100 * np.mean([accuracies(found, np.sort(order[:size]), known) for size in found.sizes])
            )
            true = found.own[order[: found.n_true]].mean()
            cells.append(f"{means[-1]:.1f} | {true:.2f} | {seconds:.2f}")
        differences.append(means[0] - means[1])
        lines.append(f"| {name} | {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    differences = np.array(differences)
    error = np.std(differences, ddof=1) / len(differences) ** 0.5
    verdict = (
        f"SAMME over one against the rest: {differences.mean():.2f} points (error over tables {error:.2f}), ahead on "
        f"{(differences > 0).sum()}, behind on {(differences < 0).sum()}."
    )
    text = [
        "# Several classes: one joint model (SAMME), or one against the rest (SBSMF)",
        "",
        f"{len(lines)} tables with three columns of noise for each of their own (`python benchmarks/several_classes.py`), seed {SEED}.",
        "Accuracy in percent, mean of 5-NN, LDA and a forest at several sizes; share of true columns; processor seconds.",
        "",
        verdict,
        "",
        "| table | SAMME | true | seconds | one against the rest | true | seconds |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        *lines,
    ]
    RESULT.write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
