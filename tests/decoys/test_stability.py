"""Bounds on falsely kept columns, and halves of the rows."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tamis.decoys.stability import false_bound, halves, plan
from tests.oracles import stability_selection as oracle

GRID = list(itertools.product([1, 2, 5, 9], [3, 10, 50], [0.51, 0.6, 0.75, 0.76, 0.9, 1.0], [1, 2, 50]))


@pytest.mark.parametrize("how", ["unimodal", "worst_case"])
def test_bounds_equal_the_theorems(how):
    """Everywhere, also where they say nothing."""
    for q, p, tau, b in GRID:
        if q <= p:
            wanted = oracle.unimodal(q, p, tau, b) if how == "unimodal" else oracle.worst_case(q, p, tau)
            assert false_bound(q, p, tau, b, how) == pytest.approx(wanted)


@pytest.mark.parametrize("how", ["unimodal", "worst_case"])
def test_a_plan_keeps_the_bound(how):
    """One column more on each half would break it, and a lower threshold too where it was raised."""
    for p, v, tau in itertools.product([1, 3, 20, 200], [0.01, 0.1, 1.0, 3.0], [0.6, 0.75, 0.9]):
        q, threshold = plan(p, tau, 50, v, how)
        if np.isinf(threshold):
            assert q == 1
            continue
        assert false_bound(q, p, threshold, 50, how) <= v
        if threshold > tau + 1e-9:
            assert q == 1
            assert false_bound(1, p, threshold - 0.01, 50, how) > v
        elif q < p:
            assert false_bound(q + 1, p, threshold, 50, how) > v


def test_halves_share_no_row_and_every_stratum():
    """Equal sizes; of every class each has its half, but for one row."""
    strata = np.repeat([0, 1, 2], [10, 7, 4])
    for seed in range(20):
        one, other = halves(strata, np.random.RandomState(seed))
        assert len(one) == len(other) == 10
        assert not set(one) & set(other)
        assert (
            np.abs(np.bincount(strata[one], minlength=3) - np.bincount(strata[other], minlength=3)).max() <= 1
        )
