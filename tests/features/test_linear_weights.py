"""LinearWeights against Newton's method, and beside scikit-learn's own RFE."""

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import RFE
from sklearn.svm import LinearSVC

from tamis import LinearWeights
from tests.oracles import linear_weights as oracle
from tests.settings import N_PROBLEMS


def problem(seed):
    rng = np.random.default_rng(seed)
    n, d, n_classes = int(rng.integers(15, 50)), int(rng.integers(2, 7)), int(rng.integers(2, 5))
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, d)
    y = rng.integers(0, n_classes, n)
    y[:2] = [0, 1]
    y = np.where(X[:, 0] / X[:, 0].std() > rng.normal(), y, 0)
    y[:2] = [0, 1]
    return X, np.unique(y, return_inverse=True)[1], float(rng.choice([0.1, 1.0, 10.0]))


@pytest.mark.parametrize("seed", range(N_PROBLEMS // 2))
def test_weights_and_eliminations_equal_the_oracle(seed):
    """Weights to six digits; the same order, one at a time or a part of those left."""
    X, y, C = problem(seed)
    plain = LinearWeights(C=C, step=None).fit(X, y)
    np.testing.assert_allclose(plain.scores_, oracle.weights(X, y, C), atol=1e-6)
    assert (np.diff(plain.scores_[np.argsort(plain.ranking_)]) <= 0).all()
    for step, n_out in ((1, lambda left: 1), (0.4, lambda left: max(1, int(0.4 * left)))):
        found = np.argsort(LinearWeights(C=C, step=step).fit(X, y).ranking_)
        assert found.tolist() == oracle.eliminated(X, y, C, n_out)


def test_scikit_learn_eliminates_in_the_same_order():
    """A witness: RFE over LinearSVC, on columns of deviation 1."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(60, 8))
        y = X[:, 1] - X[:, 5] + rng.normal(size=60) > 0
        scaled = (X - X.mean(axis=0)) / X.std(axis=0)
        witness = RFE(LinearSVC(dual=False, tol=1e-8), n_features_to_select=1).fit(scaled, y)
        # RFE does not standardise anew, and need not: columns are scaled one by one
        assert LinearWeights().fit(X, y).ranking_.tolist() == witness.ranking_.tolist()


def test_bags_are_a_mean_over_samples():
    """The same seed the same bits; of three columns that matter in 40, all come first."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 40))
    y = X[:, 3] + X[:, 8] - X[:, 21] > 0
    settings = {"step": None, "n_bags": 10, "random_state": 1}
    one, other = LinearWeights(3, **settings).fit(X, y), LinearWeights(3, **settings).fit(X, y)
    assert one.get_support(indices=True).tolist() == [3, 8, 21]
    assert one.scores_.tolist() == other.scores_.tolist()
    assert np.isclose(one.scores_.sum(), 1)


def test_categories_missing_values_copies_constants_and_noise():
    """Views of one column count as that column; what says nothing comes behind, copies and constants last."""
    rng = np.random.default_rng(1)
    colour = rng.choice(["red", "blue", "green"], 300)
    frame = pd.DataFrame({
        "noise": rng.normal(size=300), "colour": colour, "gaps": np.where(rng.random(300) < 0.3, np.nan, rng.normal(size=300)),
        "one": 1.0, "shade": pd.Series(colour).map({"red": "r", "blue": "b", "green": "g"}),
    })  # fmt: skip
    y = np.where(frame["gaps"].isna(), 1, np.where(colour == "red", 2, 0))
    y[:9] = 3  # a rare class
    selector = LinearWeights(2).fit(frame, y)
    assert sorted(selector.get_feature_names_out()) == ["colour", "gaps"]
    assert selector.ranking_[[4, 3]].tolist() == [4, 5]
