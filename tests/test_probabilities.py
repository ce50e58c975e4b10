"""Probabilities and predictions come from one rule."""

import numpy as np
import pytest

from tamis import NeighborAdaBoost, PrototypeClassifier, RandomPrototypes, StumpAdaBoost
from tamis._probabilities import class_probabilities, winners


def test_two_classes_have_the_logistic_function_of_twice_the_vote():
    """One number a row: the second class has 1 / (1 + exp(-2 H))."""
    votes = np.array([-3.0, 0.0, 0.5])
    chances = class_probabilities(votes)
    np.testing.assert_allclose(chances[:, 1], 1 / (1 + np.exp(-2 * votes)))
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    assert winners(votes).tolist() == [0, 0, 1]


def test_large_votes_do_not_saturate():
    """Votes of 40 and 41 have different probabilities, votes of thousands are no overflow, and a class may be out."""
    chances = class_probabilities(np.array([[40.0, 41.0, 0.0], [-5e3, 5e3, 4e3], [-np.inf, 1.0, 1.0]]))
    np.testing.assert_allclose(chances[0], [1 / (1 + np.e), np.e / (1 + np.e), 0], atol=1e-12)
    assert chances[1].tolist() == [0, 1, 0]
    assert chances[2].tolist() == [0, 0.5, 0.5]


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize(
    "model",
    [
        StumpAdaBoost(300),
        NeighborAdaBoost(60, n_neighbors=3),
        NeighborAdaBoost(60, n_neighbors=3, ties="lowest", vote="sign"),
        PrototypeClassifier(RandomPrototypes(0.5, random_state=0)),
        PrototypeClassifier(RandomPrototypes(0.5, random_state=0), StumpAdaBoost(300)),
    ],
    ids=["stumps", "neighbours", "signs", "nearest", "stumps on kept rows"],
)
def test_the_prediction_is_the_class_of_largest_probability(model, n_classes):
    """Also after hundreds of rounds on classes that can be told apart, for rows far from all others."""
    rng = np.random.default_rng(n_classes)
    X, new = rng.normal(size=(200, 4)), 2 * rng.normal(size=(2000, 4))
    y = np.digitize(X[:, 0], np.quantile(X[:, 0], np.arange(1, n_classes) / n_classes))
    model.fit(X, y)
    np.testing.assert_array_equal(model.predict(new), model.classes_[model.predict_proba(new).argmax(axis=1)])
