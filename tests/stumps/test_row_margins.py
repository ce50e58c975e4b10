"""Margins taken apart row by row: equations (5), (6) and (8), and the bound of Theorem 2.1."""

import math

import numpy as np
import pandas as pd
import pytest

from tamis import SBSMF, StumpAdaBoost
from tamis.stumps.row_margins import margin_bound
from tests.oracles import stumps as oracle


def problem(seed, n_classes=2):
    """A small table with ties, missing values and a categorical column."""
    random = np.random.default_rng(seed)
    n_rows, n_columns = int(random.integers(8, 40)), int(random.integers(1, 6))
    X = random.normal(size=(n_rows, n_columns)).round(1)
    X[:, -1] = random.integers(3, size=n_rows)
    X[random.random(X.shape) < 0.1] = np.nan
    y = random.integers(n_classes, size=n_rows)
    y[:n_classes] = np.arange(n_classes)
    return X, y, n_columns - 1


@pytest.mark.parametrize("seed", range(50))
def test_votes_and_margins_of_columns_are_the_oracle_s(seed):
    """H_f(x) to the bit; conditional margins and margin fractions as eq. (6) and (8) say, by plain loops."""
    X, y, nominal = problem(seed)
    model = StumpAdaBoost(12, categorical_features=[nominal]).fit(X, y)
    flags = np.arange(X.shape[1]) == nominal
    sign = np.where(y == 1, 1, -1)
    theirs = oracle.boost(X, flags, sign, 12)
    votes, conditional, fractions = oracle.column_margins(theirs, X, sign)
    np.testing.assert_array_equal(model.column_votes(X), votes)
    told = model.row_margins(X, y)
    np.testing.assert_allclose(told.conditional, conditional, rtol=0, atol=1e-12)
    sure = np.abs(told.margins) > 1e-9
    np.testing.assert_allclose(told.fractions[sure], fractions[sure], rtol=1e-6)
    np.testing.assert_allclose(told.parts.sum(axis=1), model.margins_, rtol=0, atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("pairs", [0, 2])
def test_parts_add_up_to_the_margins(n_classes, pairs):
    """Theorem 3.1 for several classes and with pairs: parts make the margin, votes of columns the decision."""
    X, y, _ = problem(3 * n_classes, n_classes)
    X = np.column_stack([X, X[:, ::-1] + 1])
    model = StumpAdaBoost(15, interactions=pairs).fit(X, y)
    told = model.row_margins(X, y)
    np.testing.assert_allclose(told.margins, model.margins_, atol=1e-12)
    np.testing.assert_allclose(model.column_votes(X).sum(axis=1), model.decision_function(X), atol=1e-12)
    assert (told.labels == y).all()
    assert (told.rivals != y).all()
    assert np.abs(told.conditional).max() <= 1 + 1e-12
    assert model.row_margins(X).margins.min() >= 0
    assert (np.abs(model.row_margins(X).parts) > 0).any(axis=0).sum() > 1


def test_a_class_without_weight_has_no_margins():
    """It has no model: its rows are NaN, and it is nobody's rival where another class is left."""
    X, y, _ = problem(11, 3)
    model = StumpAdaBoost(5).fit(X, y, sample_weight=(y != 1).astype(float))
    told = model.row_margins(X, y)
    assert np.isnan(told.margins[y == 1]).all()
    assert np.isfinite(told.margins[y != 1]).all()
    assert (told.rivals[y != 1] != 1).all()
    assert (model.row_margins(X).labels != 1).all()


def test_classes_that_were_not_fitted_are_refused():
    """By name, and so are rows without a class."""
    X, y, _ = problem(2)
    model = StumpAdaBoost(3).fit(X, y)
    with pytest.raises(ValueError, match=r"^StumpAdaBoost: y has shape .* one of the classes \[0, 1\]"):
        model.row_margins(X, np.full(len(y), 7))
    with pytest.raises(ValueError, match=r"^StumpAdaBoost: y has shape \(1,\)"):
        model.row_margins(X, y[:1])


def test_the_model_behind_a_ranking_explains_the_kept_columns():
    """SBSMF hands on its settings; parts are those of the kept columns, and their names are known."""
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(80, 5)), columns=list("abcde"))
    y = np.where(X["b"] + X["d"] > 0, "yes", "no")
    selector = SBSMF(2, n_rounds=20, weight_cap=3.0).fit(X, y)
    model = selector.classifier().fit(selector.transform(X), y)
    assert model.get_params()["weight_cap"] == 3.0
    assert model.n_rounds == 20
    assert model.class_weight == "balanced"
    assert model.feature_names_in_.tolist() == ["b", "d"]
    assert model.row_margins(selector.transform(X), y).parts.shape == (80, 2)


def test_the_bound_is_theorem_2_1():
    """The printed formulas, written out once more; above 1 on a small table, below on a very large one."""
    gamma, theta, m, size, delta = 0.3, 0.4, 500, 1000.0, 0.05
    found = margin_bound([0.5, gamma, 0.4], theta, m, size, delta)
    tau = -0.99 * math.log(1 - gamma**2) / (math.log(1 + gamma) - math.log(1 - gamma))
    inner = 8 * math.log(2 * size) / (tau**2 * theta**2) * math.log(2 * m**2 / math.log(size))
    inner += math.log(size / delta)
    assert found.bound == pytest.approx(math.log(size) / m + math.sqrt(8 / m * inner))
    assert found.edge == gamma
    assert found.least_margin == pytest.approx(math.sqrt(8 / size))
    assert found.bound > 1
    large = margin_bound([gamma] * 5000, theta, 10**8, size, delta)
    assert large.bound < 1
    assert large.holds
    assert not margin_bound([gamma] * 10, theta, 10**8, size, delta).holds
    assert not margin_bound([gamma], 0.0, m, size).holds


def test_every_model_has_its_bound():
    """One for two classes, one per class for more; a stump without an error is counted as boosting counts it."""
    X, y, _ = problem(5, 3)
    assert len(StumpAdaBoost(5).fit(X, y).margin_bound(X, y)) == 3
    (bound,) = (
        StumpAdaBoost(5)
        .fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
        .margin_bound([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    )
    assert bound.edge == 0.75
    assert bound.n_hypotheses == 6
    assert bound.mean_margin == 1
