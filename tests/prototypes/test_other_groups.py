"""The nearest rows of other groups, by all distances; groups of many rows, of few, and lists that are not full."""

from __future__ import annotations

import numpy as np
import pytest

from tamis.neighbors import MixedSpace, pair_distances
from tamis.prototypes._other_groups import LONGER_LISTS, nearest_of_other_groups


@pytest.mark.parametrize("seed", range(12))
def test_they_are_those_of_all_distances(seed: int) -> None:
    """Ascending by distance, then by row; -1 where too few rows are of another group."""
    random = np.random.default_rng(seed)
    n_rows = 3 * LONGER_LISTS
    values = random.integers(0, 4, (n_rows, 3)).astype(float)
    space = MixedSpace.fit(values, np.array([False, True, False]))
    rows = space.scaled(values)
    groups = np.minimum(random.integers(0, n_rows, n_rows), n_rows // [1, 3, 20][seed % 3])
    groups[: n_rows // 2 * (seed % 2)] = 0
    members = np.flatnonzero(random.random(n_rows) < 0.9)
    asking = random.permutation(n_rows)[:40]
    n_neighbors = 1 + 9 * (seed % 6)
    found, far = nearest_of_other_groups(rows, groups, members, asking, n_neighbors, None)
    distances = pair_distances(space, rows, rows)
    for line, (row, near) in enumerate(zip(asking, found)):
        others = [p for p in members if groups[p] != groups[row]]
        expected = sorted(others, key=lambda p: (distances[row, p], p))[:n_neighbors]
        lacking = [-1] * (n_neighbors - len(expected))
        assert near.tolist() == expected + lacking
        assert far[line].tolist() == [distances[row, p] for p in expected] + lacking
