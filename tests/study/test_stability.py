"""Nogueira's stability index against plain loops and its own properties."""

import math

import numpy as np
import pytest

from tamis.study import stability
from tests.oracles import stability as oracle
from tests.settings import N_PROBLEMS


def test_index_and_interval_are_the_oracles():
    """On random selections of any sizes the index and both ends of its interval equal the plain loops'."""
    random = np.random.default_rng(0)
    for _ in range(N_PROBLEMS):
        m, d = random.integers(2, 12), random.integers(2, 30)
        kept = random.random((m, d)) < random.uniform(0.1, 0.9)
        if not 0 < kept.sum() < kept.size:
            continue
        judged = stability(kept)
        low, high = oracle.interval(kept.tolist())
        assert judged.index == pytest.approx(oracle.index(kept.tolist()), abs=1e-12)
        assert (judged.low, judged.high) == pytest.approx((low, high), abs=1e-12)
        np.testing.assert_array_equal(judged.frequency, kept.mean(axis=0))


def test_equal_selections_are_stable():
    """Selections that are all the same have the index 1 and no width."""
    judged = stability([[True, False, True]] * 5)
    assert (judged.index, judged.low, judged.high) == (1, 1, 1)


def test_chance_has_no_stability():
    """The mean index of selections drawn by chance is 0."""
    random = np.random.default_rng(1)
    found = [stability(random.random((10, 40)) < 0.3).index for _ in range(400)]
    assert abs(np.mean(found)) < 4 * np.std(found) / math.sqrt(400)


@pytest.mark.parametrize("kept", [[[True, False]], [[True, True]] * 3, [[False, False]] * 3])
def test_what_has_no_index_is_nan(kept):
    """One selection alone, and selections that keep everything or nothing, have no index."""
    assert math.isnan(stability(kept).index)


@pytest.mark.parametrize("kept", [[True, False], [[0.5, 1.0]]])
def test_what_is_no_selection_is_refused(kept):
    """A single list and numbers other than 0 and 1 are refused with the shape."""
    with pytest.raises(ValueError, match="stability: selected has the shape"):
        stability(kept)
