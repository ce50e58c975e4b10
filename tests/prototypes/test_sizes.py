"""The number of rows by resampling: SelectorCV over a row selector."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from tamis import MarginPrototypes, SelectorCV
from tests.prototypes.problems import needs_compiler

SIZES = [0.03, 0.1, 0.3, 0.6]


@needs_compiler
def test_the_smallest_number_of_rows_within_a_standard_error_of_the_best() -> None:
    """Scores are those of rows chosen inside each fold; the smallest size that is good enough is taken on all rows."""
    random = np.random.default_rng(0)
    X = random.normal(size=(150, 3))
    y = np.where(X[:, 0] + 0.7 * random.normal(size=150) > 0, "far", "near")
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    selector = MarginPrototypes(random_state=0)
    search = SelectorCV(selector, KNeighborsClassifier(1), cv=folds, sizes=SIZES).fit(X, y)
    scores = np.empty((len(SIZES), 4))
    for place, size in enumerate(SIZES):
        for fold, (learnt, held) in enumerate(folds.split(X, y)):
            kept = clone(selector).set_params(n_prototypes=size).fit_resample(X[learnt], y[learnt])
            scores[place, fold] = KNeighborsClassifier(1).fit(*kept).score(X[held], y[held])
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], scores.mean(axis=1), atol=1e-12)
    error = scores.std(axis=1, ddof=1) / 2
    best = scores.mean(axis=1).argmax()
    enough = scores.mean(axis=1) >= scores.mean(axis=1)[best] - error[best] - 1e-12
    assert search.size_ == SIZES[int(np.flatnonzero(enough)[0])]
    expected = clone(selector).set_params(n_prototypes=search.size_).fit(X, y).sample_indices_
    np.testing.assert_array_equal(search.sample_indices_, expected)
