"""DROP3's loop against plain loops over associates."""

import numpy as np
import pytest

from tamis.prototypes._kernels.dropping import Dropping, dropped
from tests.prototypes.kernels.problems import rows_and_classes


def window(far, row, kept, k):
    """The first k + 1 of the other kept rows, nearest first, the lower row on ties."""
    others = [other for other in np.flatnonzero(kept) if other != row]
    return sorted(others, key=lambda other: (far[row, other], other))[: k + 1]


def is_right(codes, row, voters):
    """Whether the row's own class has at least as many votes as any other, and one at least."""
    votes = (
        np.bincount(codes[voters], minlength=codes.max() + 1) if len(voters) else np.zeros(codes.max() + 1)
    )
    return votes[codes[row]] > 0 and votes[codes[row]] == votes.max()


def plain_dropped(codes, far, order, k):
    """The rows that are kept: one goes if as many of its associates are right without it as with it."""
    kept = np.ones(len(codes), dtype=bool)
    for row in order:
        if kept.sum() == 1:
            break
        windows = {one: window(far, one, kept, k) for one in range(len(codes))}
        balance = 0
        for one, voters in windows.items():
            if row in voters:
                balance += is_right(codes, one, [other for other in voters if other != row][:k])
                balance -= is_right(codes, one, voters[:k])
        kept[row] = balance < 0
    return kept


@pytest.mark.parametrize("spare", [0, 4])
@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_what_is_dropped_is_what_plain_loops_drop(seed, k, spare):
    """Rows that left stay associates; lists that are too short are made again."""
    rows, blocks, codes, far = rows_and_classes(seed, n=24)
    listed = np.array([window(far, row, np.ones(24, dtype=bool), k + spare) for row in range(24)])
    order = np.random.default_rng(seed).permutation(24)
    state = Dropping(
        *(blocks, rows, 3, codes, 3, k, np.ones(24, dtype=bool), listed),
        *(np.full(24, -1), np.full(24 * (k + 1), -1)),
    )
    dropped(state, order)
    np.testing.assert_array_equal(state.kept, plain_dropped(codes, far, order, k))
