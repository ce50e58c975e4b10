"""What is made ready for the search of neighbours, against plain NumPy."""

import numpy as np
import pytest

from tamis.votes._kernels import distances as kernels
from tests.coordinates import distances
from tests.votes.kernels.problems import grouped


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_steps_between_groups_are_those_of_plain_loops(seed, squared):
    """Distances of some groups to all, from the columns."""
    columns, *_ = grouped(60, squared, seed)
    n_groups = columns.shape[1]
    out = np.zeros((n_groups - 2, n_groups), dtype=np.int32)
    kernels.steps_between(columns, 2, squared, out, 1, n_groups - 2)
    expected = distances(columns.T, columns.T, squared=squared)
    np.testing.assert_array_equal(out[1:], expected[3:])
    assert not out[0].any()


@pytest.mark.parametrize("squared", [False, True])
def test_a_column_that_comes_and_goes_leaves_the_plain_steps(squared):
    """Distances follow a column into smaller groups, and back where the groups are the same."""
    columns, group_of_row, extra, _ = grouped(60, squared, 5)
    smaller = np.unique(np.column_stack([group_of_row, extra]), axis=0)
    old, values = smaller[:, 0].astype(np.int64), np.ascontiguousarray(smaller[:, 1])
    steps = distances(columns.T, columns.T, squared=squared).astype(np.int32)
    finer = np.column_stack([columns.T[old], values])
    out = np.empty((len(old), len(old)), dtype=np.int32)
    kernels.refined_steps(steps, old, values, squared, 1, out, 0, len(old))
    np.testing.assert_array_equal(out, distances(finer, finer, squared=squared))
    back = np.empty_like(out)
    kernels.refined_steps(out, old[:0], values, squared, -1, back, 0, len(old))
    np.testing.assert_array_equal(back, steps[np.ix_(old, old)])


@pytest.mark.parametrize("width", [0, 3, 20, 40])
def test_groups_near_a_group_are_in_order_by_a_sixteenth_and_complete_up_to_their_reach(width):
    """As many whole bins as fit; what is left out lies beyond the reach."""
    rng = np.random.default_rng(width)
    steps = (2.0 ** rng.integers(0, 25, (6, 40)) * rng.random((6, 40))).astype(np.int32)
    groups, ordered = np.zeros((6, width), dtype=np.int32), np.zeros((6, width), dtype=np.int32)
    length, reach = np.zeros(6, dtype=np.int64), np.zeros(6, dtype=np.int64)
    kernels.nearest_first(steps, groups, ordered, length, reach, 0, 6)
    for b in range(6):
        listed = groups[b, : length[b]]
        np.testing.assert_array_equal(ordered[b, : length[b]], steps[b, listed])
        assert len(set(listed.tolist())) == length[b]
        assert set(np.flatnonzero(steps[b] <= reach[b]).tolist()) <= set(listed.tolist())
        highest = np.maximum.accumulate(ordered[b, : length[b]].astype(np.int64))
        assert (ordered[b, : length[b]] >= highest - (highest >> 4) - 1).all()
        if width == 40:
            assert length[b] == 40


@pytest.mark.parametrize("apart", [False, True])
def test_groups_fall_into_units_by_one_more_column_as_in_plain_loops(apart):
    """Units ascend by coordinate within a group, and hold the rows of one description; each row its own if `apart`."""
    columns, group_of_row, extra, _ = grouped(50, False, 3)
    order = np.argsort(extra, kind="stable")
    units = kernels.split_groups(group_of_row, columns.shape[1], order, extra, apart)
    expected = []
    for group in range(columns.shape[1]):
        rows = [row for row in order if group_of_row[row] == group]
        values = [(extra[row], row) if apart else (extra[row], -1) for row in rows]
        expected += [
            (group, value, [row for row, one in zip(rows, values) if one == (value, tie)])
            for value, tie in dict.fromkeys(values)
        ]
    assert np.repeat(np.arange(columns.shape[1]), np.diff(units.start)).tolist() == [
        one[0] for one in expected
    ]
    assert units.coordinate.tolist() == [one[1] for one in expected]
    assert units.size.tolist() == [len(one[2]) for one in expected]
    assert np.split(units.rows, units.begins[1:-1])[0].tolist() == expected[0][2]
    assert units.rows.tolist() == [row for one in expected for row in one[2]]
