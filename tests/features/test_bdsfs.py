"""BDSFS against its oracle."""

import numpy as np
import pytest

from tamis import BDSFS
from tests.oracles import bdsfs as oracle
from tests.oracles import columns
from tests.settings import N_PROBLEMS


def problem(seed):
    """A small table with ties, duplicates, constants, gaps and nominal columns; two to four classes."""
    random = np.random.default_rng(seed)
    n, d = int(random.integers(6, 40)), int(random.integers(1, 9))
    n_classes = int(random.integers(2, 5)) if seed % 3 == 0 else 2
    y = random.integers(0, n_classes, n)
    y[:n_classes] = np.arange(n_classes)
    X = np.empty((n, d))
    nominal = random.random(d) < 0.3
    for j in range(d):
        kind = random.integers(0, 4)
        X[:, j] = (
            random.integers(0, 4, n) if kind < 2 or nominal[j] else random.normal(size=n) + y * (kind == 2)
        )
        if random.random() < 0.1:
            X[:, j] = 1.0
        if random.random() < 0.3:
            X[random.random(n) < 0.3, j] = np.nan
    if d > 2 and random.random() < 0.4:
        X[:, 1] = X[:, 0]
        nominal[1] = nominal[0]
    weight = random.integers(0, 4, n).astype(float) if seed % 4 == 1 else None
    if weight is not None:
        weight[:n_classes] = 1
    return X, nominal, y, n_classes, weight


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_equals_the_oracle(seed):
    """Order of choice of the distinct columns is the plain version's, gains and errors within rounding."""
    X, nominal, y, n_classes, weight = problem(seed)
    first = columns.first_equals(X, nominal, weight)
    asked = columns.distinct(first)
    order, gains, errors, _ = oracle.rank(X[:, asked], nominal[asked], y, n_classes, weight)
    order = [asked[place] for place in order]
    fitted = BDSFS(categorical_features=nominal).fit(X, y, sample_weight=weight)
    assert fitted.history_["feature"].tolist() == order
    assert np.argsort(fitted.ranking_).tolist() == columns.completed(order, first)
    np.testing.assert_allclose(fitted.history_["gain"], gains, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(fitted.history_["error"], errors)
    *_, alone = oracle.rank(X, nominal, y, n_classes, weight)
    np.testing.assert_allclose(fitted.scores_, alone, rtol=0, atol=1e-12)


def test_many_columns_by_bound_equal_the_oracle():
    """Where the bound passes over columns the order is still the plain version's."""
    random = np.random.default_rng(5)
    X = random.normal(size=(40, 60)).round(1)
    y = (X[:, 0] + X[:, 1] + random.normal(size=40) > 0).astype(int)
    order, *_ = oracle.rank(X, np.zeros(60, dtype=bool), y, 2)
    assert BDSFS().fit(X, y).history_["feature"].tolist() == order


def test_a_copy_of_a_chosen_column_comes_late():
    """A column that repeats one already taken loses to one that says something new."""
    random = np.random.default_rng(0)
    strong, other = random.integers(0, 2, 200), random.integers(0, 2, 200)
    y = np.where(random.random(200) < 0.8, strong, other)
    ranking = BDSFS().fit(np.column_stack([strong, strong, other]), y).ranking_
    assert ranking.tolist() == [1, 3, 2]


def test_balanced_classes_equal_the_same_weights():
    """class_weight="balanced" is sample_weight in inverse proportion to the classes' sizes."""
    random = np.random.default_rng(1)
    X, y = random.normal(size=(50, 5)), (random.random(50) < 0.2).astype(int)
    weight = 50 / (2 * np.bincount(y))[y]
    one = BDSFS(class_weight="balanced").fit(X, y)
    two = BDSFS().fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(one.ranking_, two.ranking_)
    np.testing.assert_array_equal(one.scores_, two.scores_)


@pytest.mark.parametrize(
    ("weight", "says"),
    [({"x": 1}, "names 'x', which is no class"), ({0: -1}, "not negative"), ({0: np.inf}, "finite")],
)
def test_wrong_class_weights_are_refused(weight, says):
    """A class that does not exist, or a weight that no row can have, is named."""
    with pytest.raises(ValueError, match=says):
        BDSFS(class_weight=weight).fit([[1], [2]], [0, 1])
