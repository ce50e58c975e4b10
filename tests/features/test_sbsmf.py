"""Backward elimination as an estimator."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification

from tamis import SBSMF, StumpAdaBoost
from tests.oracles import stumps as oracle
from tests.settings import N_PROBLEMS


@pytest.mark.parametrize("criterion", ["margin_fraction", "contribution_ratio"])
@pytest.mark.parametrize("seed", range(N_PROBLEMS // 5))
def test_order_of_elimination_is_the_oracle_s(seed, criterion):
    """Ranking and scores of a mixed table are those of the plain loop that trains every model anew, balanced or not."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 4, size=(30, 6)).astype(float) + random.normal(size=(30, 6)).round() * (seed % 2)
    X[random.random(X.shape) < 0.1] = np.nan
    nominal = random.random(6) < 0.3
    n_classes = 2 + seed % 3 // 2
    y = random.choice(n_classes, 30, p=[0.8, 0.2, 0.0][:n_classes] if seed % 2 else None)
    y[:n_classes] = np.arange(n_classes)
    codes = X.copy()
    for j in np.flatnonzero(nominal):
        levels = np.unique(X[~np.isnan(X[:, j]), j])
        codes[:, j] = np.where(np.isnan(X[:, j]), np.nan, np.searchsorted(levels, X[:, j]))
    signs = [np.where(y == label, 1, -1) for label in ([1] if n_classes == 2 else range(n_classes))]
    for class_weight in ("balanced", None):
        selector = SBSMF(
            criterion=criterion, n_rounds=20, categorical_features=nominal, class_weight=class_weight
        )
        fitted = selector.fit(X, y)
        order, _, _, scores = oracle.eliminate(
            codes,
            nominal,
            signs,
            20,
            priors=None if class_weight == "balanced" else np.bincount(y) / 30,
            criterion=criterion,
            balanced=class_weight == "balanced",
        )
        assert fitted.history_["feature"].tolist() == order.tolist()
        assert fitted.ranking_[order].tolist() == list(range(6, 0, -1))
        np.testing.assert_array_equal(fitted.scores_, scores)


def test_scores_are_the_full_model_s_margin_fractions():
    """`scores_` is what StumpAdaBoost says of the same table, for two classes and for three."""
    X, y = load_iris(return_X_y=True)
    for labels in (y, y == 1):
        model = StumpAdaBoost(class_weight="balanced").fit(X, labels)
        np.testing.assert_allclose(SBSMF().fit(X, labels).scores_, model.margin_fractions_, atol=1e-12)
        ratio = SBSMF(criterion="contribution_ratio").fit(X, labels).scores_
        np.testing.assert_allclose(ratio, model.contribution_ratios_, atol=1e-12)


def many_classes(seed, shares):
    """Classes in the given shares; columns 0 to 5 tell them apart, 24 say nothing."""
    random = np.random.default_rng(seed)
    y = random.permutation(np.repeat(np.arange(len(shares)), np.round(600 * np.array(shares)).astype(int)))
    centres = 0.75 * random.choice([-1.0, 1.0], size=(len(shares), 6))
    centres[0] = -centres[1]
    return np.hstack([centres[y] + random.normal(size=(len(y), 6)), random.normal(size=(len(y), 24))]), y


@pytest.mark.parametrize("shares", [(0.1,) * 10, (0.9, 0.1), (0.6, 0.3, 0.05, 0.05)])
@pytest.mark.parametrize("seed", range(5))
def test_signal_comes_before_noise_whatever_the_classes_sizes(seed, shares):
    """Many classes or unequal ones: the columns that tell them apart come before those that say nothing."""
    X, y = many_classes(seed, shares)
    assert SBSMF(6).fit(X, y).support_[:6].all()


def test_without_balance_noise_may_come_first():
    """The paper's weights, which are class_weight=None, keep the fault that balance cures."""
    X, y = many_classes(0, (0.1,) * 10)
    assert SBSMF(6, class_weight=None).fit(X, y).support_[:6].sum() < 4


def test_repeated_rows_of_a_class_change_nothing_when_balanced():
    """Both sides weigh half however many rows they have: a class given twice leaves the ranking as it is."""
    X, y = many_classes(1, (0.7, 0.3))
    again = np.concatenate([np.arange(len(y)), np.flatnonzero(y == 1)])
    one, two = SBSMF().fit(X, y), SBSMF().fit(X[again], y[again])
    np.testing.assert_array_equal(one.ranking_, two.ranking_)
    np.testing.assert_allclose(one.scores_, two.scores_, atol=1e-9)


def test_unused_columns_go_without_new_models():
    """77 rows and thousands of columns need far fewer models than columns."""
    random = np.random.default_rng(0)
    X = random.normal(size=(77, 2000))
    y = random.random(77) < 0.3
    history = SBSMF().fit(X, y).history_
    assert len(history["feature"]) == 2000
    assert history["n_fits"][-1] < 200


def test_halving_ends_one_by_one():
    """With step=0.5 and step_until=8, models of 64, 32, 16, 8, 7, ... columns are looked at."""
    X, y = make_classification(n_samples=200, n_features=64, n_informative=20, random_state=0)
    history = SBSMF(step=0.5, step_until=8).fit(X, y).history_
    assert list(dict.fromkeys(history["n_features"].tolist())) == [64, 32, 16, 8, 7, 6, 5, 4, 3, 2, 1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_float_type_and_threads_do_not_matter(dtype):
    """float32 and float64 tables of the same numbers, one job and two: the same ranking and scores."""
    X, y = make_classification(n_samples=300, n_features=12, random_state=4)
    X = X.astype(np.float32)
    one = SBSMF(n_jobs=1).fit(X.astype(np.float64), y)
    two = SBSMF(n_jobs=2).fit(X.astype(dtype), y)
    np.testing.assert_array_equal(one.ranking_, two.ranking_)
    np.testing.assert_array_equal(one.scores_, two.scores_)


def test_joint_elimination_of_three_classes():
    """A column that tells one of three classes apart stays ahead of noise."""
    random = np.random.default_rng(1)
    y = random.integers(0, 3, 240)
    X = random.normal(size=(240, 6))
    X[:, 1] += 3 * (y == 0)
    X[:, 4] += 3 * (y == 1)
    assert set(np.flatnonzero(SBSMF(2).fit(X, y).support_)) == {1, 4}


@pytest.mark.parametrize("kind", ["numbers", "values", "number by value"])
def test_interactions_find_what_stumps_cannot_see(kind: str) -> None:
    """An exclusive or of two columns among 30: last or anywhere without pairs, first with them."""
    rng = np.random.default_rng(4)
    X = rng.random((250, 30))
    nominal = {"numbers": [], "values": list(range(30)), "number by value": list(range(1, 30, 2))}[kind]
    X[:, nominal] = np.floor(4 * X[:, nominal])
    halves = [X[:, j] % 2 == 0 if j in nominal else X[:, j] > 0.5 for j in (6, 11)]
    y = halves[0] != halves[1]
    found = SBSMF(2, interactions=5, n_rounds=30, categorical_features=nominal).fit(X, y)
    assert found.get_support(indices=True).tolist() == [6, 11]
    assert found.scores_.shape == (30,)
    assert sorted(found.history_["feature"]) == list(range(30))
    plain = SBSMF(2, n_rounds=30, categorical_features=nominal).fit(X, y)
    assert plain.get_support(indices=True).tolist() != [6, 11]


def test_interactions_need_two_columns_and_a_table_in_memory() -> None:
    """One column has no pair; more pairs than there are is all of them."""
    X, y = np.random.default_rng(0).random((20, 1)), np.arange(20) % 2
    np.testing.assert_array_equal(SBSMF(interactions=9).fit(X, y).ranking_, [1])
    wide = np.random.default_rng(0).random((20, 3))
    assert sorted(SBSMF(interactions=99).fit(wide, y).ranking_) == [1, 2, 3]
