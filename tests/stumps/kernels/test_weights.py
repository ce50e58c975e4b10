"""The arithmetic of a round."""

import math

import numpy as np
import pytest

from tamis.stumps._kernels import weights


@pytest.mark.parametrize("seed", range(3))
def test_updates_equal_plain_loops(seed):
    """A new weight is max(1, rint(W f)), half to even; a weight of 0 stays 0."""
    rng = np.random.default_rng(seed)
    old = np.concatenate([[0.0, 1.0, 2.0, 3.0], np.floor(2.0 ** rng.uniform(0, 50, 200))])
    for factor in (0.5, 0.75, 1.0 / 1.3, 1.0 / 0.7, 1.5):
        new = np.array([weights.updated(w, factor) for w in old])
        assert new.tolist() == np.where(old == 0, 0.0, np.maximum(1.0, np.rint(old * factor))).tolist()
        assert [weights.lifted(w, factor) for w in old] == (new + 2.0**52).tolist()


def test_figures_of_a_stump():
    """gamma is the edge's share, alpha follows from the part of it that is acted on."""
    gamma, g, alpha, perfect = weights.stump_figures(-30.0, 100.0, 10.0, 0.5)
    assert (gamma, g, perfect) == (0.3, 0.15, False)
    assert alpha == 0.5 * math.log(1.15 / 0.85)


def test_a_stump_without_an_error_acts_as_if_its_edge_were_less_than_one():
    """gamma is 1, and 1 - 1/n is acted on, whatever the learning rate."""
    gamma, g, alpha, perfect = weights.stump_figures(64.0, 64.0, 8.0, 0.1)
    assert (gamma, g, perfect) == (1.0, 0.875, True)
    assert alpha == 0.5 * math.log(1.875 / 0.125)


def test_factors_keep_the_sum_of_the_weights():
    """Rows right and wrong by an edge g weigh half each afterwards."""
    correct, wrong = weights.factors(0.25)
    assert (correct, wrong) == (1 / 1.25, 1 / 0.75)
    assert math.isclose(0.625 * correct, 0.375 * wrong)


def test_a_cap_is_whole_and_at_least_one():
    """So many times the mean weight, rounded down."""
    assert weights.largest_weight(1.5, 100.0, 8.0) == 18
    assert weights.largest_weight(1.0, 3.0, 8.0) == 1.0


def test_sides_of_a_stump():
    """Numeric: above the cut; nominal: the cut alone; missing values where they are sent; cut 255: only these."""
    codes = range(256)
    numeric = [bool(weights.is_right(code, 7, False, True)) for code in codes]
    assert numeric == [code > 7 for code in codes]
    nominal = [bool(weights.is_right(code, 7, True, False)) for code in codes]
    assert nominal == [code == 7 for code in codes]
    missing = [bool(weights.is_right(code, 255, False, True)) for code in codes]
    assert missing == [code == 255 for code in codes]
