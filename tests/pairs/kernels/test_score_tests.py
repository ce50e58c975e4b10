"""The test of a pair, piece by piece; whole tests stand against an oracle in test_pair_scan.py."""

import math

import numpy as np

from tamis.pairs._kernels.lists import Views
from tamis.pairs._kernels.score_tests import log_p_values, tempered
from tamis.pairs._kernels.sums import Rows
from tamis.pairs._kernels.tails import log_tail
from tests.pairs.kernels.test_bases import small_pair


def test_evidence_of_one_row_counts_less_than_that_of_many():
    """Bennett's factor: 2 ((1 + u) log(1 + u) - u) / u^2, with u = 1 for 100 equal rows of T = 100, and 100 for one row."""
    for parts, u in ((np.full(100, 1.0), 1.0), (np.eye(100)[0], 100.0)):
        expected = 200 / u**2 * ((1 + u) * math.log1p(u) - u)
        found = tempered(100.0, (parts**2).sum(), (parts**3).sum(), parts.sum())
        assert math.isclose(found, expected, rel_tol=1e-12)
    assert tempered(100.0, 100.0, -100.0, -100.0) == 0


def test_an_exclusive_or_by_hand():
    """Eight rows, two columns of -1 and 1, class their product: e is q over sqrt(2), and T = 8 - 3 rows are left to judge by."""
    a = np.array([1, 1, 1, 1, -1, -1, -1, -1], dtype=np.int8)
    b = np.array([1, 1, -1, -1, 1, 1, -1, -1], dtype=np.int8)
    views = Views(np.stack([a, b]), np.array([[0, 1], [1, 2]]), np.array([0, 1, 2]), np.array([0, 1, 2]))
    rows = Rows((a * b > 0).astype(np.int64), np.ones(8), np.array([0.5, 0.5]), 8.0)
    found = np.full(2, np.nan)
    log_p_values(views, rows, np.array([[0, 1], [0, -1]]), (0, 2), found)
    u = 5 / 8  # parts are all 1 / 8 of T
    assert math.isclose(found[0], log_tail(5 * 2 / u**2 * ((1 + u) * math.log1p(u) - u), 1))
    assert found[1] == 0


def test_a_column_without_views_has_no_evidence():
    """Alone and in a pair."""
    views, rows = small_pair()
    silent = Views(views.values[:1], np.array([[0, 1]]), np.array([0, 1, 1]), np.array([0, 1, 1]))
    found = np.full(2, np.nan)
    log_p_values(silent, rows, np.array([[0, 1], [1, -1]]), (0, 2), found)
    assert found.tolist() == [0, 0]
