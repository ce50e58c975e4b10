"""Classification on some columns by 1-NN and a linear SVM, for the tables of the SBS-MF paper."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import LinearSVC

from tamis.neighbors import MixedSpace, nearest_rows
from tamis.papers._tables import Float, Ints, Numbers

N_FOLDS = 10
CLASSIFIERS = ("1-NN", "SVM")


def folds(data: Numbers, seed: int) -> list[tuple[Ints, Ints]]:
    """Return the training and held-out rows of ten stratified folds."""
    cut = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed % 2**32)
    return list(cut.split(data.values, data.codes))


def scores(data: Numbers, learnt: Ints, held: Ints, classifier: str, *, balanced: bool = False) -> Float:
    """Return the score of each held-out row for class 1: 0 or 1 by 1-NN, a distance by the SVM."""
    if classifier == "1-NN":
        space = MixedSpace.fit(data.values[learnt], data.nominal)
        rows, new = space.scaled(data.values[learnt]), space.scaled(data.values[held])
        nearest, _ = nearest_rows(space, rows, 1, new)
        return data.codes[learnt][nearest[:, 0]].astype(np.float64)
    X = one_hot(data, learnt)
    model = LinearSVC(
        random_state=0, class_weight="balanced" if balanced else None, dual="auto", max_iter=10_000
    )
    decided: Float = model.fit(X[learnt], data.codes[learnt]).decision_function(X[held])
    return decided


def accuracy(data: Numbers, learnt: Ints, held: Ints, classifier: str) -> float:
    """Return the percentage of held-out rows classified correctly; two classes."""
    values = scores(data, learnt, held, classifier)
    limit = 0.5 if classifier == "1-NN" else 0.0
    return 100 * float(np.mean((values > limit) == (data.codes[held] == 1)))


def area(data: Numbers, values: Float) -> float:
    """Return the area under the ROC curve of the scores of all rows."""
    return float(roc_auc_score(data.codes, values))


def one_hot(data: Numbers, learnt: Ints) -> NDArray[np.float64]:
    """Return all rows as numbers for a linear model, scaled on the learnt rows.

    Numeric columns are scaled to [0, 1], missing values become the mean; a categorical column becomes one column per
    category, and one for missing values.
    """
    parts = []
    for j, nominal in enumerate(data.nominal):
        column = data.values[:, j]
        missing = np.isnan(column)
        if nominal:
            parts += [column == value for value in np.unique(column[~missing])]
            if missing.any():
                parts.append(missing)
            continue
        known = column[learnt][~missing[learnt]]
        low, high = (known.min(), known.max()) if len(known) else (0.0, 1.0)
        middle = known.mean() if len(known) else 0.0
        width = high - low if high > low else 1.0
        parts.append((np.where(missing, middle, column) - low) / width)
    return np.column_stack(parts).astype(np.float64)
