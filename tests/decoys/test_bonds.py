"""Bonds of columns that decoys have or do not have."""

from __future__ import annotations

import numpy as np
import pytest

from tamis.decoys.bonds import bonds, differences, seen_twice
from tests.oracles import decoys as oracle
from tests.settings import N_PROBLEMS


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_differences_equal_plain_loops(seed):
    """Means and their standard errors, pair by pair."""
    random = np.random.default_rng(seed)
    own, one, other = random.integers(-2, 3, size=(3, int(random.integers(3, 9)), 3)).astype(float)
    np.testing.assert_allclose(differences(own, one, other), oracle.differences(own, one, other), atol=1e-9)


def test_views_of_numbers_categories_and_gaps():
    """Scores and their squares, the two most frequent categories, 0 for a gap; every view has mean 0."""
    values = np.array([[1.0, 2], [5, 2], [9, 0], [np.nan, 0], [7, 2], [3, 1]])
    views = seen_twice(values, values, np.array([False, True]))
    assert (views[3, [0, 2]] == 0).all()
    np.testing.assert_allclose(views[:, 1], np.array([1.0, 1, 0, 0, 1, 0]) - 0.5)
    np.testing.assert_allclose(views[:, 3], np.array([0.0, 0, 1, 1, 0, 0]) - 1 / 3)
    np.testing.assert_allclose(views.mean(axis=0), 0, atol=1e-12)
    assert (np.diff(views[[0, 5, 1, 4, 2], 0]) > 0).all()


def test_a_curve_that_decoys_lack_is_found_and_a_good_decoy_is_not_doubted():
    """Over 20 tables each: decoys drawn as the columns were, and decoys that know nothing of a square."""
    doubted, found = 0, 0
    for seed in range(20):
        random = np.random.default_rng(seed)
        first = random.normal(size=400)
        noise = random.normal(size=(4, 400))
        values = np.stack([first, first**2 + noise[0], noise[1]], axis=1)
        good = np.stack(
            [[first, first**2 + random.normal(size=400), random.normal(size=400)] for _ in range(3)]
        )
        sign = random.choice([-1.0, 1.0], size=(3, 400))
        good[:, 0] *= sign  # the square does not know the sign
        bad = np.stack([random.permutation(values) for _ in range(3)])
        nominal = np.zeros(3, dtype=bool)
        told = bonds(values, good.transpose(0, 2, 1), nominal, np.arange(3))
        doubted += told.single or told.everywhere
        told = bonds(values, bad, nominal, np.arange(3))
        found += told.single and {told.first, told.second} == {0, 1}
    assert doubted == 0
    assert found == 20


def test_what_is_too_small_is_not_judged():
    """One column, or two rows."""
    assert bonds(np.ones((5, 1)), np.ones((2, 5, 1)), np.array([False]), np.arange(1)) is None
    assert bonds(np.ones((2, 3)), np.ones((2, 2, 3)), np.zeros(3, dtype=bool), np.arange(3)) is None
    assert bonds(np.ones((5, 2)), np.ones((2, 5, 2)), np.zeros(2, dtype=bool), np.zeros(2, dtype=int)) is None
