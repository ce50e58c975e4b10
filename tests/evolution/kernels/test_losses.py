"""Wrongly ordered pairs: every way of counting them finds what all pairs say, exactly."""

import numpy as np
import pytest

from tamis.evolution._kernels import losses
from tests.oracles import roger as oracle
from tests.settings import N_PROBLEMS


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_all_ways_find_the_same_loss(seed):
    """Counting, cells and sorting give the doubled number of wrong pairs, ties once, exactly."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 200))
    h = rng.normal(size=n).astype(np.float32)
    if seed % 3 == 1:
        h = np.round(h, 1)  # ties, and zeros of both signs
    if seed % 3 == 2:
        h = (h**9).astype(np.float32)  # most rows in a few cells
    n_near = int(rng.integers(1, n))
    near, far = h[:n_near], h[n_near:]
    wrong = (near[:, None] > far[None, :]).sum() * 2 + (near[:, None] == far[None, :]).sum()
    assert losses.lost_by_counting(near, far) == wrong
    assert losses.lost_by_cells(near, far) in (wrong, -1)
    assert losses.lost_by_sorting(h, np.ones(n), n_near) == wrong


def test_cells_give_up_where_they_would_be_slow_or_wrong():
    """A crowded cell, equal values, and a range that single precision cannot cut are left to sorting."""
    near = np.linspace(0, 1, 50, dtype=np.float32)
    even = np.linspace(0.1, 0.9, 200, dtype=np.float32)
    assert losses.lost_by_cells(near, even) == losses.lost_by_counting(near, even)
    assert losses.lost_by_cells(near, np.append(even, np.float32(1e6))) == -1
    assert losses.lost_by_cells(near, np.full(3, 0.5, np.float32)) == -1
    assert losses.lost_by_cells(near, np.asarray([0, 1e-38], np.float32)) == -1


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_many_groups_are_judged_as_by_all_pairs(seed):
    """For a numeric target: comparing and the tree give the loss of the plain loops exactly, with ties and whole weights."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 60))
    h = rng.normal(size=n).round(int(rng.integers(0, 4))).astype(np.float32)
    starts = np.sort(1 + rng.choice(n - 1, int(rng.integers(2, n)), replace=False))
    groups = np.concatenate([[0], starts, [n]])
    weights = np.ones(n) if seed % 2 else rng.integers(1, 2**31 // n, n).astype(float)
    found = losses.lost_between_groups(h, weights, groups)
    assert found == oracle.lost_pairs(
        h.tolist(), weights, [*groups, n]
    )  # an empty group at the end: always many
    assert losses.lost_pairs(h, weights, groups, bool(seed % 2)) == found
    if seed % 2:
        assert losses.lost_by_comparing(h, groups) == found
