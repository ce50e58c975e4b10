"""Tails of chi-squared against SciPy's, and against closed forms where SciPy has none."""

import math

import pytest
from scipy.stats import chi2

from tamis.pairs._kernels.tails import log_tail


@pytest.mark.parametrize("freedom", [1, 2, 3, 16, 40, 600])
def test_log_tails_equal_those_of_scipy(freedom):
    """Near 0, on both sides of where the series ends, and far out."""
    for t in (1e-9, 0.5, freedom, freedom + 2.5, 2.0 * freedom, 900.0, 1300.0):
        assert math.isclose(log_tail(t, freedom), chi2.logsf(t, freedom), rel_tol=1e-12, abs_tol=1e-15)


def test_log_tails_too_small_for_a_number():
    """Of 2 degrees of freedom exp(-t / 2), of 4 exp(-t / 2) (1 + t / 2), which SciPy calls minus infinity in its logarithm."""
    assert math.isclose(log_tail(4000.0, 2), -2000, rel_tol=1e-12)
    assert math.isclose(log_tail(4000.0, 4), -2000 + math.log1p(2000), rel_tol=1e-12)
    assert log_tail(9.0, 0) == 0
    assert log_tail(0.0, 3) == 0
