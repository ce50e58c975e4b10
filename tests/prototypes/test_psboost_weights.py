"""PSBoostWeights: the paper's alpha and Z of every row, before any is chosen and through all of them."""

from __future__ import annotations

import numpy as np
import pytest

from tamis import PSBoostClassifier, PSBoostWeights
from tests.oracles import prototypes as oracle
from tests.prototypes.problems import problem
from tests.settings import N_PROBLEMS


@pytest.mark.parametrize("n_neighbors", [1, 4])
@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_the_weights_are_the_papers(seed: int, n_neighbors: int) -> None:
    """Alpha, Z, W+, W- and W0 of every row, and the order."""
    X, nominal, y, distances, _ = problem(seed)
    found = PSBoostWeights(n_neighbors, categorical_features=nominal).fit(X, y)
    neighbors = oracle.neighborhoods(distances, n_neighbors)
    expected = [oracle.first_alpha(row, neighbors, y) for row in range(len(y))]
    told = (found.weights_, found.criteria_, found.right_, found.wrong_, found.silent_)
    np.testing.assert_allclose(np.transpose(told), expected, rtol=0, atol=1e-10)
    good = found.weights_ >= 0  # there the largest alpha has the smallest Z
    by_alpha, by_z = -found.weights_[good].round(9), found.criteria_[good].round(9)
    assert ((by_alpha[:, None] < by_alpha[None]) <= (by_z[:, None] <= by_z[None])).all()
    order = sorted(range(len(y)), key=lambda row: (-round(expected[row][0], 9), row))
    assert np.argsort(found.ranking_).tolist() == order


@pytest.mark.parametrize("remove_selected", [False, True])
@pytest.mark.parametrize("seed", range(0, N_PROBLEMS, 5))
def test_adaptive_weights_are_those_of_boosting_to_the_last_row(seed: int, remove_selected: bool) -> None:
    """The weights that PSBoostClassifier lets all rows vote with."""
    X, nominal, y, distances, _ = problem(seed)
    settings = {"remove_selected": remove_selected, "categorical_features": nominal}
    found = PSBoostWeights(3, adaptive=True, **settings).fit(X, y)
    expected = oracle.all_row_alphas(oracle.neighborhoods(distances, 3), y, remove_selected)
    np.testing.assert_allclose(found.weights_, expected, rtol=0, atol=1e-9)
    model = PSBoostClassifier(n_neighbors=3, voting="weighted", all_rows=True, **settings).fit(X, y)
    np.testing.assert_array_equal(model.prototype_weights_, found.weights_)


def test_what_weights_say_of_noise_and_rare_places() -> None:
    """A wrong label in the midst of a class is below 0; a row that nobody has as a neighbour has 0, and Z = 1."""
    X = np.concatenate([np.linspace(0, 1, 21), np.linspace(5, 6, 20), [9.0]])[:, np.newaxis]
    y = np.repeat(["a", "b"], [21, 21])
    y[10] = "b"
    found = PSBoostWeights(3).fit(X, y)
    assert found.weights_[10] < 0
    assert found.ranking_[10] == 42
    assert found.weights_[41] == 0
    assert found.criteria_[41] == 1
    assert found.silent_[41] == 1
