"""StabilitySelection: what is kept, whatever the table, the selector and the number of jobs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import Ridge

from tamis import GramSchmidt, StabilitySelection, UnivariateAUC
from tamis.decoys.stability import halves
from tests.oracles import stability_selection as oracle


def problem(n=200, d=20, seed=0):
    """Three columns that say something."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d))
    return X, (X[:, :3].sum(axis=1) + 0.3 * random.normal(size=n) > 0).astype(int)


def test_shares_equal_plain_loops():
    """The selector is fitted on the very halves, and its first q are counted."""
    X, y = problem(n=60)
    stable = StabilitySelection(GramSchmidt(), n_pairs=5, random_state=3).fit(X, y)
    seeds = np.random.RandomState(3).randint(np.iinfo(np.int32).max, size=5)
    strata = np.where(y == y[0], 0, 1)
    rankings = []
    for seed in seeds:
        random = np.random.RandomState(seed)
        rankings += [GramSchmidt().fit(X[rows], y[rows]).ranking_.tolist() for rows in halves(strata, random)]
    assert stable.scores_.tolist() == pytest.approx(oracle.shares(rankings, stable.n_chosen_))
    np.testing.assert_array_equal(stable.support_, stable.scores_ >= stable.threshold_)


def test_what_says_something_is_kept_for_classes_and_numbers():
    """By the default, a forest and a model of numbers."""
    X, y = problem()
    assert StabilitySelection(n_pairs=10, random_state=0).fit(X, y).get_support(indices=True)[
        :3
    ].tolist() == [0, 1, 2]
    forest = RandomForestClassifier(10)
    assert StabilitySelection(forest, n_pairs=10, random_state=0).fit(X, y).support_[:3].all()
    stable = StabilitySelection(Ridge(), n_pairs=10, random_state=0).fit(X, X[:, :3].sum(axis=1))
    assert stable.support_[:3].all()
    assert not hasattr(stable, "classes_")


def test_false_columns_are_as_rare_on_noise_as_the_bound_says():
    """Over 40 tables of noise, but for two standard errors."""
    kept = []
    for seed in range(40):
        random = np.random.default_rng(seed)
        X, y = random.normal(size=(60, 20)), random.integers(0, 2, 60)
        kept.append(StabilitySelection(UnivariateAUC(), n_pairs=10, random_state=seed).fit(X, y).n_features_)
    assert np.mean(kept) <= 1 + 2 * np.std(kept) / 40**0.5


def test_one_job_and_many_give_the_same_bits():
    """Nor does anything depend on what was fitted before."""
    X, y = problem(n=80)
    one = StabilitySelection(UnivariateAUC(), n_pairs=6, random_state=2).fit(X, y)
    two = (
        StabilitySelection(UnivariateAUC(), n_pairs=6, random_state=2, n_jobs=2)
        .fit(X[::-1], y[::-1])
        .fit(X, y)
    )
    np.testing.assert_array_equal(one.scores_, two.scores_)
    np.testing.assert_array_equal(one.ranking_, two.ranking_)


def test_copies_constants_and_names():
    """A copy has the share of its original and comes after all others; a constant is last; categories are taken."""
    X, y = problem()
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(20)])
    frame["copy"], frame["constant"], frame["side"] = frame["c0"], 1.0, np.where(frame["c1"] > 0, "a", "b")
    stable = StabilitySelection(UnivariateAUC(), n_pairs=8, random_state=0).fit(frame, y)
    assert stable.scores_[20] == stable.scores_[0]
    assert stable.ranking_[[20, 21]].tolist() == [22, 23]
    assert not stable.support_[[20, 21]].any()


def test_few_rows_and_rare_classes():
    """Nothing is kept of one column, two rows or constants; a class of one row is no obstacle."""
    X, y = problem(n=30)
    y[:] = [0] * 14 + [1] * 14 + [2, 3]
    assert StabilitySelection(UnivariateAUC(), n_pairs=4, random_state=0).fit(X, y).scores_.max() <= 1
    lonely = StabilitySelection(UnivariateAUC(), n_pairs=4, random_state=0)
    assert not lonely.fit(X, [1] + [0] * 29).support_.any()
    assert not lonely.fit([[1.0, 2.0], [2.0, 1.0]], [0, 1]).support_.any()
    assert not lonely.fit(np.ones((6, 3)), [0, 1, 0, 1, 0, 1]).support_.any()
    one = StabilitySelection(expected_false=0.01, random_state=0).fit([[1.0], [2.0], [3.0]], [0, 1, 0])
    assert not one.support_.any()
    assert one.threshold_ == np.inf


def test_fixed_and_excluded_columns_and_what_is_refused():
    """Rules are this selector's; those of the judge are refused."""
    X, y = problem()
    stable = StabilitySelection(
        UnivariateAUC(), n_pairs=5, fixed_features=[7], excluded_features=[0], random_state=0
    ).fit(X, y)
    assert stable.support_[7]
    assert not stable.support_[0]
    with pytest.raises(ValueError, match=r"StabilitySelection: the selector has fixed_features"):
        StabilitySelection(UnivariateAUC(fixed_features=[0])).fit(X, y)
