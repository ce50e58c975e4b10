"""Polynomials of ranks in whole numbers, against least squares."""

import numpy as np
import pytest

from tamis.pairs._kernels.polynomials import column_polynomials, rank_polynomials, rounded
from tests.oracles import pair_scan as oracle


def made(column, weights):
    found = np.empty((4, 1, len(column)), dtype=np.int8)
    rank_polynomials(oracle.ranks(column, weights)[:, None], weights, 63, found)
    return found[:, 0]


@pytest.mark.parametrize("seed", range(20))
def test_polynomials_equal_least_squares(seed):
    """Every degree is what is new in that power, rounded; with ties, missing values and weights."""
    rng = np.random.default_rng(seed)
    column = rng.integers(0, 8, 40).astype(float) if seed % 2 else rng.normal(size=40)
    column[rng.random(40) < 0.2] = np.nan
    weights = rng.integers(1, 4, 40).astype(float)
    for view, expected in zip(made(column, weights), oracle.polynomials(column, weights)):
        np.testing.assert_array_equal(view, 0 if expected is None else expected)


def test_two_values_have_one_view():
    """A square of two values says nothing new, and neither does any higher power."""
    views = made(np.array([0.0, 1.0, 1.0, 0.0, 1.0]), np.ones(5))
    assert views[0].any()
    assert not views[1:].any()


def test_halves_go_away_from_nought():
    """Whatever the last bits of a half are."""
    for off in (-1e-12, 0.0, 1e-12):
        assert [rounded(sign * (2.5 + off), 63.0, 63) for sign in (1, -1)] == [3, -3]
    assert rounded(0.0, 0.0, 63) == 0


@pytest.mark.parametrize("seed", range(10))
def test_polynomials_of_columns_equal_those_of_their_ranks(seed):
    """Once for each value or row by row: with ties, missing values, a column without values, and weights."""
    rng = np.random.default_rng(seed)
    columns = rng.integers(0, 8, (3, 40)).astype(float)
    columns[1] = rng.normal(size=40)
    columns[rng.random(columns.shape) < 0.2] = np.nan
    columns[2, : 40 * (seed % 2)] = np.nan
    weights = rng.integers(1, 4, 40).astype(float)
    found = np.full((4, 3, 40), -99, dtype=np.int8)
    column_polynomials(columns, np.argsort(columns, axis=1), weights, 63, found)
    for j, column in enumerate(columns):
        expected = made(column, weights) if np.isfinite(column).any() else 0
        np.testing.assert_array_equal(found[:, j], expected)
