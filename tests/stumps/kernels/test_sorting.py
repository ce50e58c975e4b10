"""Columns sorted and grouped."""

import numpy as np
import pytest

from tamis.stumps._kernels import sorting
from tamis.stumps._kernels.fields import BULK, COLUMN
from tamis.stumps.sorted_columns import _scattered_rows, sorted_table


@pytest.mark.parametrize("seed", range(3))
def test_rows_in_order_equal_plain_loops(seed):
    """Rows stand by ascending value, missing ones last; -0.0 equals 0.0, and the last bits of a value count."""
    rng = np.random.default_rng(seed)
    values = (1.0 + rng.integers(0, 40, 90) * 2.0**-52)[:, np.newaxis]
    values[::9], values[1::9], values[2::9] = np.nan, -0.0, 0.0
    row_of = _scattered_rows(90)
    low_bits = np.empty(90, np.int64)
    low_bits[row_of] = np.arange(90)
    keys, turned = np.empty((1, 90), np.int64), np.empty((1, 90))
    sorting.sort_keys(values, values.view(np.int64), 0, low_bits, keys, turned)
    keys.sort(axis=1)
    rows, ordered = np.empty(90, np.int64), np.empty(90)
    sorting.sort_rows(keys[0], row_of, turned[0], rows, ordered)
    assert np.array_equal(np.sort(rows), np.arange(90))
    assert np.array_equal(ordered, np.sort(values[:, 0]), equal_nan=True)
    codes, starts, distinct = np.empty(90, np.uint16), np.empty(91, np.int64), np.empty(90)
    n_groups = sorting.number_groups(rows, ordered, codes, starts, distinct, 0)
    known = ~np.isnan(values[:, 0])
    expected, groups = np.unique(values[known, 0], return_inverse=True)
    assert np.array_equal(distinct[:n_groups], expected)
    assert np.array_equal(codes[known], groups)
    assert (codes[~known] == n_groups).all()
    assert starts[n_groups] == known.sum()


@pytest.mark.parametrize("nominal", [False, True])
def test_entries_and_bulks_hold_every_row_once(nominal):
    """The entries of a column, its bulks opened, and the group left out are all rows; groups stand in their order."""
    rng = np.random.default_rng(0)
    x = np.concatenate([np.repeat([2.0, 5.0], 80), rng.integers(0, 9, 100), rng.normal(size=60)])
    x[::11] = np.nan
    layout = sorted_table(x[:, np.newaxis], [nominal]).layout
    facts, n_rows = layout.columns[0], len(x)
    slots = {}
    for bulk in layout.bulks:
        slots[bulk[BULK.slot]] = layout.members[bulk[BULK.first] : bulk[BULK.stop]]
        assert (layout.codes[0, slots[bulk[BULK.slot]]] == bulk[BULK.group]).all()
    assert np.isnan(x[slots[n_rows]]).all()
    rows = [slots[entry] if entry >= n_rows else [entry] for entry in layout.entries]
    groups = np.array([int(layout.codes[0, each[0]]) for each in rows])
    held = np.concatenate([*rows, slots[n_rows], np.flatnonzero(layout.codes[0] == facts[COLUMN.left_out])])
    assert np.array_equal(np.sort(held), np.arange(n_rows))
    middle = facts[COLUMN.entry_middle]
    assert (np.diff(groups[:middle]) >= 0).all()
    assert (np.diff(groups[middle:]) <= 0).all()
    assert (groups[:middle] < facts[COLUMN.left_out]).all()
    assert (groups[middle:] > facts[COLUMN.left_out]).all()
    assert np.array_equal(layout.group_ends, np.append(np.diff(groups) != 0, True))


def test_the_most_frequent_group_is_left_out():
    """The last of equals; the last of all in a numeric column where it saves little."""
    starts = np.array([0, 50, 110, 170, 171])
    assert sorting.group_left_out(starts, 4, False) == 2
    assert sorting.group_left_out(np.array([0, 4, 6, 7]), 3, False) == 2
    assert sorting.group_left_out(np.array([0, 4, 6, 7]), 3, True) == 0
