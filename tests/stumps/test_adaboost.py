"""The boosted classifier."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_iris, make_classification

from tamis import StumpAdaBoost
from tests.oracles import stumps as oracle


def test_margins_are_the_normalised_votes_of_two_classes():
    """Eq. (3): y H(x) over the sum of alpha."""
    X, y = make_classification(n_samples=80, random_state=0)
    model = StumpAdaBoost(20).fit(X, y)
    expected = np.where(y == 1, 1, -1) * model.decision_function(X) / model.stumps_[0].alpha.sum()
    np.testing.assert_allclose(model.margins_, expected, rtol=0, atol=1e-15)


def test_margin_fractions_share_out_the_mean_margin():
    """Theorem 3.1 and eq. (10): the fractions sum to 1, and the mean margin is the sum of its parts."""
    X, y = make_classification(n_samples=90, n_features=8, random_state=1)
    model = StumpAdaBoost(30).fit(X, y)
    stumps = model.stumps_[0]
    parts = np.bincount(stumps.column, stumps.alpha * stumps.u, 8) / (len(y) * stumps.alpha.sum())
    assert model.margin_fractions_.sum() == pytest.approx(1)
    assert parts.sum() == pytest.approx(model.margins_.mean())
    np.testing.assert_allclose(model.margin_fractions_, parts / parts.sum(), atol=1e-12)
    assert model.contribution_ratios_.sum() == pytest.approx(1)


def test_predictions_are_the_oracle_s():
    """The votes on the training rows are those of the plain version, to the bit."""
    random = np.random.default_rng(3)
    X = random.normal(size=(60, 5)).round(1)
    X[random.random(X.shape) < 0.1] = np.nan
    y = np.where(np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) > 0, 1, -1)
    model = StumpAdaBoost(25).fit(X, y)
    theirs = oracle.boost(X, np.zeros(5, dtype=bool), y, 25)
    np.testing.assert_array_equal(model.decision_function(X), oracle.predict(theirs, X))


def test_three_classes_and_texts():
    """One model a class; labels come back as they were given."""
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = StumpAdaBoost(50).fit(X, names)
    assert len(model.stumps_) == 3
    assert (model.predict(X) == names).mean() > 0.95
    assert model.decision_function(X).shape == (150, 3)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert set(model.predict(X)) <= set(names)


def test_staged_values_end_at_the_final_ones():
    """The last stage is the whole model, and there is one stage a round."""
    X, y = load_iris(return_X_y=True)
    for labels in (y, y == 2):
        model = StumpAdaBoost(10).fit(X, labels)
        stages = list(model.staged_decision_function(X))
        assert len(stages) == max(len(stumps) for stumps in model.stumps_)
        np.testing.assert_array_equal(stages[-1], model.decision_function(X))
        np.testing.assert_array_equal(list(model.staged_predict(X))[-1], model.predict(X))


@pytest.mark.parametrize("library", [pd, pl])
def test_mixed_frames_with_gaps_and_unseen_values(library):
    """Nominal columns and gaps are learned from; a value never seen votes with the rest."""
    colour = ["red", "blue", None, "green"] * 10
    size = [1.0, 2.0, None, 4.0] * 10
    y = ["hot" if c in ("red", None) else "cold" for c in colour]
    model = StumpAdaBoost(20).fit(library.DataFrame({"colour": colour, "size": size}), y)
    assert (model.predict(library.DataFrame({"colour": colour, "size": size})) == y).all()
    new = library.DataFrame({"colour": ["violet", None], "size": [2.0, None]})
    assert model.predict(new).tolist() == ["cold", "hot"]


def test_a_separating_stump_ends_boosting():
    """A stump without an error is kept and is the last; its weight is that of gamma = 1 - 1/n."""
    model = StumpAdaBoost().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    assert len(model.stumps_[0]) == 1
    assert model.stumps_[0].alpha[0] == pytest.approx(0.5 * np.log(7))
    np.testing.assert_allclose(model.margins_, 1)


def test_columns_without_a_stump_give_a_constant_answer():
    """Where nothing can be learned every row gets the same class, and the margins are 0."""
    model = StumpAdaBoost().fit(np.ones((6, 2)), [0, 1, 0, 1, 0, 1])
    assert len(set(model.predict(np.ones((3, 2))))) == 1
    np.testing.assert_array_equal(model.margins_, 0)


def test_balanced_start_weights_help_the_small_class():
    """After one round of balanced boosting more rows of a small class are found than without."""
    random = np.random.default_rng(0)
    X = np.concatenate([random.normal(0, 1, (190, 1)), random.normal(1.5, 1, (10, 1))])
    y = np.repeat([0, 1], [190, 10])
    plain = StumpAdaBoost(1).fit(X, y).predict(X)[190:].sum()
    balanced = StumpAdaBoost(1, class_weight="balanced").fit(X, y).predict(X)[190:].sum()
    assert balanced > plain
