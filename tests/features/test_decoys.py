"""Decoys: verdicts at a rate, whatever the table, the selector and the number of jobs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge

from tamis import SBSMF, Decoys, GramSchmidt, ReliefF, UnivariateAUC
from tests.oracles import decoys as oracle


def problem(n=300, d=16, k=6, seed=0):
    """k columns that say something, correlated with others that do not."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d)) + 0.7 * random.normal(size=(n, 1))
    y = (X[:, :k] @ np.where(np.arange(k) % 2, -1, 1) + 0.3 * random.normal(size=n) > 0).astype(int)
    return X, y


def test_what_says_something_is_kept():
    """All of six columns, and at most one of the ten others."""
    X, y = problem()
    decoys = Decoys(random_state=0).fit(X, y)
    assert decoys.support_[:6].all()
    assert decoys.support_[6:].sum() <= 1
    assert decoys.verdicts_[:6] == ["kept"] * 6
    np.testing.assert_array_equal(decoys.support_, decoys.q_values_ <= 0.1)
    assert decoys.n_decoys_ == 10
    assert decoys.least_kept_ == 2


@pytest.mark.parametrize("n_sets", [1, 3])
def test_verdicts_equal_plain_loops_over_the_scores(n_sets):
    """From the scores of columns and decoys to what is kept, by the oracle."""
    X, y = problem()
    decoys = Decoys(UnivariateAUC(), n_sets=n_sets, n_decoys=4, fdr=0.2, random_state=1).fit(X, y)
    rate = 0.2 if n_sets == 1 else 0.1
    values = []
    for own, others in zip(decoys.column_scores_, decoys.decoy_scores_):
        told = [oracle.contest(own[j], others[:, j].tolist()) for j in range(16)]
        values.append(oracle.e_values([w for w, _ in told], [lead for _, lead in told], rate, 4))
    mean = np.mean(values, axis=0)
    np.testing.assert_allclose(decoys.e_values_, mean)
    assert set(np.flatnonzero(decoys.support_).tolist()) == oracle.kept_by_e_values(mean, 0.2)


def test_noise_is_not_kept():
    """Of 40 tables of noise, something is kept in one of ten at most, but for two standard errors."""
    found = 0
    for seed in range(40):
        random = np.random.default_rng(seed)
        X, y = random.normal(size=(80, 12)), random.integers(0, 2, 80)
        decoys = Decoys(UnivariateAUC(), n_sets=1, n_decoys=5, random_state=seed).fit(X, y)
        found += bool(decoys.support_.any())
    assert found / 40 <= 0.1 + 2 * (0.1 * 0.9 / 40) ** 0.5


def test_one_job_and_many_give_the_same_bits():
    """Nor does anything depend on what was fitted before."""
    X, y = problem(n=120)
    one = Decoys(GramSchmidt(), n_sets=3, random_state=2).fit(X, y)
    two = Decoys(GramSchmidt(), n_sets=3, random_state=2, n_jobs=2).fit(X[::-1], y[::-1]).fit(X, y)
    np.testing.assert_array_equal(one.statistics_, two.statistics_)
    np.testing.assert_array_equal(one.decoy_scores_, two.decoy_scores_)


def test_twins_share_a_verdict():
    """A copy, a near copy in another unit and a category of other names are kept with their originals."""
    X, y = problem()
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(16)])
    frame["copy"] = frame["c0"]
    frame["near"] = -2 * frame["c1"] + 0.01 * frame["c9"]
    frame["side"] = np.where(frame["c2"] > 0, "right", "left")
    frame["seite"] = np.where(frame["c2"] > 0, "rechts", "links")
    frame["constant"] = 1.0
    decoys = Decoys(random_state=0).fit(frame, y)
    units = dict(zip(frame.columns, decoys.units_.tolist()))
    assert units["copy"] == units["c0"]
    assert units["near"] == units["c1"]
    assert units["side"] == units["seite"]
    assert units["constant"] == -1
    told = dict(zip(frame.columns, decoys.q_values_))
    assert told["copy"] == told["c0"]
    assert decoys.ranking_[-1] == 21
    kept = set(frame.columns[decoys.support_])
    assert {"copy", "c0", "near", "c1"} <= kept


def test_groups_fixed_and_excluded_columns():
    """A group has one verdict, a fixed column is kept, an excluded one is not and takes no part."""
    X, y = problem()
    decoys = Decoys(
        random_state=0, feature_groups=[[0, 8], [9, 10]], fixed_features=[15], excluded_features=[1]
    )
    decoys.fit(X, y)
    assert decoys.q_values_[0] == decoys.q_values_[8]
    assert decoys.support_[[0, 8, 15]].all()
    assert decoys.ranking_[15] == 1
    assert not decoys.support_[1]
    assert decoys.units_[1] == -1
    assert len(set(decoys.units_.tolist()) - {-1}) == 13


@pytest.mark.parametrize(
    "selector",
    [ReliefF(), SBSMF(n_rounds=30, step=0.5), RandomForestClassifier(20), LogisticRegression()],
    ids=lambda selector: type(selector).__name__,
)
def test_any_selector_or_model(selector):
    """Whatever scores columns may be the judge."""
    X, y = problem(n=150, d=8, k=4)
    decoys = Decoys(selector, n_sets=2, n_decoys=3, random_state=0).fit(X, y)
    assert decoys.column_scores_.shape == (2, 8)
    assert decoys.decoy_scores_.shape == (2, 3, 8)
    assert np.isin(decoys.ranking_.argsort()[:2], range(4)).all()


def test_several_classes_and_numbers():
    """Three classes of unequal size, and a numeric target, by the default and by a model of scikit-learn."""
    X, _ = problem()
    total = X[:, :6].sum(axis=1)
    classes = np.searchsorted(np.quantile(total, [0.2, 0.9]), total)
    assert Decoys(n_sets=3, random_state=0).fit(X, classes).support_[:6].sum() >= 4
    for selector in (None, Ridge()):
        decoys = Decoys(selector, n_sets=3, random_state=0).fit(X, total + 0.1)
        assert decoys.support_[:6].all()
        assert not hasattr(decoys, "classes_")


def test_order_of_the_columns_is_drawn():
    """A selector that scores by position alone cannot favour originals."""

    class First(UnivariateAUC):
        def fit(self, X, y):
            super().fit(X, y)
            self.scores_ = -np.arange(X.shape[1], dtype=float)
            return self

    X, y = problem(n=50, d=10)
    decoys = Decoys(First(), n_sets=200, n_decoys=1, random_state=0).fit(X, y)
    assert abs(decoys.won_.mean() - 0.5) < 0.05


def test_few_rows_and_nothing_to_find():
    """Two rows, one column, only constants: nothing is kept, and everything is ranked."""
    assert not Decoys(random_state=0).fit([[1.0, 2.0], [2.0, 1.0]], [0, 1]).support_.any()
    assert Decoys(random_state=0).fit([[1.0], [2.0], [3.0]], [0, 1, 0]).ranking_.tolist() == [1]
    decoys = Decoys(random_state=0).fit(np.ones((6, 3)), [0, 1, 0, 1, 0, 1])
    assert decoys.ranking_.tolist() == [1, 2, 3]
    assert decoys.verdicts_ == ["chance"] * 3
    assert decoys.q_values_.tolist() == [1.0] * 3


def test_what_cannot_be_is_refused():
    """A selector with rules for columns, and one without scores."""
    X, y = problem(n=40)
    with pytest.raises(ValueError, match=r"Decoys: the selector has fixed_features.*Give them to Decoys"):
        Decoys(UnivariateAUC(fixed_features=[0])).fit(X, y)

    class Silent(LogisticRegression):
        def fit(self, X, y):
            return self

    with pytest.raises(TypeError, match=r"Decoys: Silent has no scores_.*Use another selector"):
        Decoys(Silent(), random_state=0).fit(X, y)
