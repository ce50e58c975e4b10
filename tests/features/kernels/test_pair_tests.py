"""The test of a pair, piece by piece; whole tests stand against an oracle in test_pair_scan.py."""

import math

import numpy as np

from tamis.features._kernels.pair_lists import Views
from tamis.features._kernels.pair_tests import Rows, dot, kept, pair_statistics, residuals, tempering


def test_dot_of_any_length():
    """Whole numbers, so that the order of adding does not matter."""
    for n in range(11):
        a, b = np.arange(n) + 1.0, np.arange(n) - 3.0
        assert dot(a, b) == (a * b).sum()


def test_what_is_no_news_is_not_kept():
    """A vector in the space of those before it leaves the size as it is; another becomes of length 1 and orthogonal."""
    basis = np.array([[3.0, 4.0, 0.0], [6.0, 8.0, 0.0], [1.0, 0.0, 2.0]])
    assert kept(basis, 0) == 1
    np.testing.assert_allclose(basis[0], [0.6, 0.8, 0])
    assert kept(basis, 1) == 1
    basis[1] = basis[2]
    assert kept(basis, 1) == 2
    np.testing.assert_allclose(basis[:2] @ basis[:2].T, np.eye(2), atol=1e-15)


def test_residuals_are_orthogonal_to_the_space():
    """The indicators of the classes, off the mean: what a share leaves."""
    codes = np.array([0, 1, 1, 0, 1])
    rows = Rows(codes, np.ones(5), np.array([0.4, 0.6]), 5.0)
    basis = np.full((1, 5), 1 / math.sqrt(5))
    np.testing.assert_allclose(
        residuals(basis, 1, rows), [(codes == 0) - 0.4, (codes == 1) - 0.6], atol=1e-15
    )


def test_evidence_of_one_row_counts_less_than_that_of_many():
    """Bennett's factor: 2 ((1 + u) log(1 + u) - u) / u^2, with u = 1 for 100 equal rows of T = 100, and 100 for one row."""
    spread, single = np.full(100, 1.0), np.zeros(100)
    single[0] = 1.0
    for parts, u in ((spread, 1.0), (single, 100.0)):
        expected = 2 / u**2 * ((1 + u) * math.log1p(u) - u)
        assert math.isclose(tempering(100.0, parts, np.ones(100)), expected, rel_tol=1e-12)
    assert tempering(100.0, -spread, np.ones(100)) == 0


def test_an_exclusive_or_by_hand():
    """Eight rows, two columns of -1 and 1, class their product: e is q over sqrt(2), and T = 8 - 3 rows are left to judge by."""
    a = np.array([1, 1, 1, 1, -1, -1, -1, -1], dtype=np.int8)
    b = np.array([1, 1, -1, -1, 1, 1, -1, -1], dtype=np.int8)
    views = Views(np.stack([a, b]), np.array([[0, 1], [1, 2]]), np.array([0, 1, 2]), np.array([0, 1, 2]))
    rows = Rows((a * b > 0).astype(np.int64), np.ones(8), np.array([0.5, 0.5]), 8.0)
    statistics, freedoms = np.zeros((2, 1)), np.zeros((2, 1), dtype=np.int64)
    pair_statistics(views, rows, np.array([[0, 1], [0, -1]]), (0, 2), statistics, freedoms)
    u = 5 / 8  # parts are all 1 / 8 of T
    assert math.isclose(statistics[0, 0], 5 * 2 / u**2 * ((1 + u) * math.log1p(u) - u))
    assert statistics[1, 0] == 0
    assert freedoms.tolist() == [[1], [1]]
