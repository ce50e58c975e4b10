"""The rows of a bin in order of value."""

import numpy as np
import pytest

from tamis.stumps._kernels.fields import LAST_OF_VALUE, POSITION, TASK
from tamis.stumps._kernels.ordering import Order, Table, distribute, open_bins


def opened(values, bins, which):
    """An order of one column in which some bins are opened."""
    n_rows = len(values)
    table = Table(
        values,
        np.array([1, n_rows]),
        np.arange(n_rows),
        bins.astype(np.uint32)[np.newaxis],
        np.arange(256, dtype=np.uint8)[np.newaxis],
        np.zeros((1, 256)),
    )
    order = Order(np.empty((1, n_rows), np.uint32), np.full((1, 257), -1), np.zeros((1, 256), np.bool_))
    tasks = np.zeros((len(which), len(TASK)))
    tasks[:, TASK.bin] = which
    for part in range(2):
        distribute(table, np.array([0]), order, tasks, part, 2)
    for part in range(2):
        open_bins(table, order, tasks, part, 2)
    return order


@pytest.mark.parametrize("seed", range(3))
def test_opened_bins_equal_plain_loops(seed):
    """Rows stand by bin; inside opened bins by value, the last of each value marked, however the values are spread."""
    rng = np.random.default_rng(seed)
    bins = rng.integers(0, 5, 300)
    x = np.exp(rng.normal(size=300) * (0.1, 5.0, 100.0)[seed]).round(1)
    values = 10.0 * bins + x
    order = opened(values, bins, [1, 3])
    starts = order.starts[0]
    assert np.array_equal(np.diff(starts), np.bincount(bins, minlength=256))
    assert order.ready[0].nonzero()[0].tolist() == [1, 3]
    for k in range(5):
        rows = order.rows[0, starts[k] : starts[k + 1]]
        assert np.array_equal(np.sort(rows & POSITION), np.flatnonzero(bins == k))
        if k in (1, 3):
            ordered = values[rows & POSITION]
            assert (np.diff(ordered) >= 0).all()
            last = np.append(ordered[1:] != ordered[:-1], True)
            assert np.array_equal(rows & LAST_OF_VALUE > 0, last)
