"""The lines of a pair, and the sums of their products."""

import numpy as np

from tamis.pairs._kernels.lists import Views
from tamis.pairs._kernels.sums import Rows, lines, n_moments, n_own, sums_of_products


def problem(n=11):
    """Two columns: one of two groups, of one view each, and all; one of two views in one group."""
    rng = np.random.default_rng(0)
    views = Views(
        rng.integers(-63, 64, (4, n)).astype(np.int8),
        np.array([[0, 1], [1, 2], [0, 2], [2, 4]]),
        np.array([0, 3, 4]),
        np.array([0, 2, 4]),
    )
    codes = rng.integers(0, 3, n)
    return views, Rows(codes, rng.integers(1, 5, n).astype(float), np.bincount(codes) / n, float(n))


def expected_lines(views, rows, products):
    classes = [rows.codes == c for c in range(3)]
    return np.array([*classes, np.ones(len(rows.codes)), *views.values, *products], dtype=float)


def test_lines_of_a_pair():
    """Classes, ones, the views of both columns, and products of two groups; 0 behind the last row."""
    views, rows = problem()
    wide = views.values.astype(float)
    expected = expected_lines(views, rows, [wide[1] * wide[2], wide[1] * wide[3]])
    block = np.full((20, 4), np.nan)
    for at in (0, 4, 8):
        assert lines(views, rows, (0, 1), (1, 3), at, block) == 3 + n_own(views, (0, 1)) + 2 == 10
        here = expected[:, at : at + 4]
        np.testing.assert_array_equal(block[:10, : here.shape[1]], here)
        assert (block[:10, here.shape[1] :] == 0).all()


def test_lines_of_a_column_alone():
    """Classes, ones, and the views of the group."""
    views, rows = problem()
    block = np.full((20, 11), np.nan)
    assert lines(views, rows, (0, -1), (2, -1), 0, block) == 3 + n_own(views, (0, -1)) + 2 == 6
    np.testing.assert_array_equal(block[3], 1)
    np.testing.assert_array_equal(block[4:6], views.values[:2])


def test_sums_are_the_same_for_any_block():
    """Whole numbers, exact in any order."""
    views, rows = problem()
    wide = views.values.astype(float)
    every = expected_lines(views, rows, [wide[u] * wide[v] for u in (0, 1) for v in (2, 3)])
    for size in (1, 4, 11, 30):
        sums = sums_of_products(views, rows, (0, 1), np.empty((n_moments(3, 2), size)))
        np.testing.assert_array_equal(sums, (every * rows.weights) @ every.T)
        alone = sums_of_products(views, rows, (0, -1), np.empty((n_moments(3, 2), size)))
        np.testing.assert_array_equal(alone, (every[:6] * rows.weights) @ every[:6].T)
