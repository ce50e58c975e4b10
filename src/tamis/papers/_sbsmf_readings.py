"""Other readings of the SBS-MF paper's Table II: what its text leaves open, tried on every set; and Theorem 2.1."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from tamis.features.sbsmf import SBSMF
from tamis.papers._folds import CLASSIFIERS, accuracy, folds, one_hot
from tamis.papers._paper import Figure, seed_of
from tamis.papers._rankers import TABLE, order
from tamis.papers._sbsmf_figures import ALL, SELECTORS
from tamis.papers._tables import Float, Ints, Numbers
from tamis.stumps.adaboost import StumpAdaBoost

SHARE = 0.4
FEW_FOLDS = 3  # of ten, for tables of more rows than these
MANY_ROWS = 4_000
CRITERIA = {"SBS-MF": "margin_fraction", "AdaBoost-CR": "contribution_ratio"}
RANKINGS: dict[str, dict[str, object]] = {
    "10 rounds": {"n_rounds": 10},
    "30 rounds": {"n_rounds": 30},
    "500 rounds": {"n_rounds": 500},
    "balanced classes": {"class_weight": "balanced"},
}
JUDGES = (
    "1-NN, numbers as they are",
    "1-NN, z-scores",
    "SVM, RBF kernel on z-scores",
    "SVM, squares and products",
)
READINGS = (*JUDGES, *(f"{classifier}, {name}" for classifier in CLASSIFIERS for name in RANKINGS))


def read_figures(name: str, data: Numbers, seed: int) -> Iterator[Figure]:
    """Accuracy of every method under every reading, the columns ranked on all rows, as in the paper.

    Rankings are read otherwise where the method is boosted, and judged as on the page; the page's rankings are judged
    otherwise.
    """
    data = data.filled()
    cuts = folds(data, seed_of(seed, name, 0))
    cuts = cuts[:FEW_FOLDS] if len(data.codes) > MANY_ROWS else cuts
    n_kept = round(SHARE * len(data.columns))
    every = np.arange(len(data.columns))
    for method in (ALL, *SELECTORS):
        best = every
        if method != ALL:
            best = np.sort(TABLE[method](data, seed_of(seed, name, "ranking"))[:n_kept])
        part = data.part(best)
        for reading in JUDGES:
            value = np.mean([judged(part, learnt, held, reading) for learnt, held in cuts])
            yield Figure(method, reading, "accuracy", float(value))
        for reading, changed in RANKINGS.items() if method in CRITERIA else ():
            settings = {"class_weight": None, **changed, "criterion": CRITERIA[method]}
            other = data.part(np.sort(order(SBSMF().set_params(**settings), data)[:n_kept]))
            for classifier in CLASSIFIERS:
                value = np.mean([accuracy(other, learnt, held, classifier) for learnt, held in cuts])
                yield Figure(method, f"{classifier}, {reading}", "accuracy", float(value))


def judged(data: Numbers, learnt: Ints, held: Ints, reading: str) -> float:
    """Return the percentage of held-out rows that a classifier, read otherwise, gets right."""
    X: Float = data.values
    if reading != JUDGES[0]:
        X = one_hot(data, learnt)
        X = StandardScaler().fit(X[learnt]).transform(X)
    models = (
        KNeighborsClassifier(1),
        KNeighborsClassifier(1),
        SVC(),
        SVC(kernel="poly", degree=2, coef0=1.0),
    )
    model = models[JUDGES.index(reading)].fit(X[learnt], data.codes[learnt])
    return 100 * float(np.mean(model.predict(X[held]) == data.codes[held]))


def bound_figures(data: Numbers) -> Iterator[Figure]:
    """Theorem 2.1 on a table, for the model of 100 rounds on all columns."""
    model = StumpAdaBoost(categorical_features=data.nominal).fit(data.values, data.codes)
    (found,) = model.margin_bound(data.values, data.codes)
    for figure in ("bound", "edge", "mean_margin", "least_rounds", "n_hypotheses"):
        yield Figure("StumpAdaBoost", "", figure, float(getattr(found, figure)))
    yield Figure("StumpAdaBoost", "", "wrong", 100 * float(np.mean(model.margins_ <= 0)))
