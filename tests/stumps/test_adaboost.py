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


@pytest.mark.parametrize("n_classes", [2, 3])
def test_interactions_are_stumps_on_a_wider_table(n_classes):
    """The model of the table with its pairs behind the columns; a pair's credit is shared by its two columns."""
    rng = np.random.default_rng(3)
    X = rng.random((150, 6))
    X[:, 4:] = np.floor(3 * X[:, 4:])
    X[rng.random(X.shape) < 0.05] = np.nan
    y = np.digitize(np.nan_to_num(X[:, 1] - 0.5) * np.nan_to_num(X[:, 3] - 0.5), [0, 0.04][: n_classes - 1])
    model = StumpAdaBoost(15, interactions=4, categorical_features=[4, 5]).fit(X, y)
    assert model.interactions_.shape == (4, 2)
    assert [1, 3] in model.interactions_.tolist()
    wide = model._pairs.behind(X)
    nominal = [4, 5, *(6 + k for k, pair in enumerate(model.interactions_) if max(pair) > 3)]
    plain = StumpAdaBoost(15, categorical_features=nominal).fit(wide, y)
    for one, other in zip(model.stumps_, plain.stumps_):
        np.testing.assert_array_equal(one.column, other.column)
        np.testing.assert_array_equal(one.alpha, other.alpha)
    np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(wide))
    np.testing.assert_array_equal(model.margins_, plain.margins_)
    np.testing.assert_array_equal(list(model.staged_decision_function(X))[-1], model.decision_function(X))
    shared = plain.margin_fractions_[:6].copy()
    for k, (a, b) in enumerate(model.interactions_):
        shared[[a, b]] += plain.margin_fractions_[6 + k] / 2
    np.testing.assert_allclose(model.margin_fractions_, shared, atol=1e-12)
    assert model.contribution_ratios_.sum() == pytest.approx(1)


def test_interactions_predict_an_exclusive_or_of_new_rows():
    """Which stumps alone cannot; one column has no pairs."""
    rng = np.random.default_rng(0)
    X, new = rng.random((300, 20)), rng.random((300, 20))
    y, expected = ((table[:, 3] > 0.5) != (table[:, 7] > 0.5) for table in (X, new))
    with_pairs = StumpAdaBoost(30, interactions=2).fit(X, y)
    assert with_pairs.interactions_[0].tolist() == [3, 7]
    assert with_pairs.score(new, expected) > 0.95
    assert StumpAdaBoost(30).fit(X, y).score(new, expected) < 0.65
    assert StumpAdaBoost(5, interactions=2).fit(X[:, :1], y).interactions_.shape == (0, 2)


def test_interactions_are_refused_for_a_table_in_parts(tmp_path):
    """With who, what and what to do."""
    pd.DataFrame({"a": [1.0, 2, 3, 4], "y": [0, 1, 0, 1]}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(
        ValueError, match=r"^StumpAdaBoost: interactions=3, which a table in parts cannot have"
    ):
        StumpAdaBoost(interactions=3).fit(str(tmp_path), "y")
