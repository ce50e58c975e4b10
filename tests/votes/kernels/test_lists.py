"""The search of neighbouring units against a sort of all distances."""

import numpy as np
import pytest

from tamis.votes._kernels.distances import Nearby, nearest_first, split_groups
from tamis.votes._kernels.lists import unit_lists
from tests.coordinates import distances
from tests.votes.kernels.problems import grouped, neighbors


@pytest.mark.parametrize("width", [0, 6, 1000])
@pytest.mark.parametrize("lowest", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_lists_of_units_are_those_of_plain_loops(seed, lowest, width):
    """However many groups are in order, a unit's list holds the units of its rows' neighbours, itself left out."""
    squared, k = seed % 2 == 1, 4
    columns, group_of_row, extra, rows = grouped(60, squared, seed)
    n_groups = columns.shape[1]
    steps = distances(columns.T, columns.T, squared=squared).astype(np.int32)
    width = min(width, n_groups)
    groups, ordered = np.empty((n_groups, width), dtype=np.int32), np.empty((n_groups, width), dtype=np.int32)
    length, reach = np.zeros(n_groups, dtype=np.int64), np.full(n_groups, -1, dtype=np.int64)
    if width:
        nearest_first(steps, groups, ordered, length, reach, 0, n_groups)
    nearby = Nearby(0, groups, ordered, length, reach, steps)
    units = split_groups(group_of_row, n_groups, np.argsort(extra, kind="stable"), extra, lowest)
    indptr, listed = unit_lists(nearby, units, squared, k, lowest, np.empty(0, dtype=np.int64))
    unit_of_row = np.empty(60, dtype=np.int64)
    unit_of_row[units.rows] = np.repeat(np.arange(len(units.size)), units.size)
    for row, others in enumerate(neighbors(rows, extra, k, squared, lowest)):
        own = unit_of_row[row]
        expected = sorted({int(unit_of_row[other]) for other in others} - {int(own)})
        assert listed[indptr[own] : indptr[own + 1]].tolist() == expected
