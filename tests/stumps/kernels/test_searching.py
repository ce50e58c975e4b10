"""Stumps inside opened bins, and the best of all."""

import numpy as np
import pytest

from tamis.stumps._kernels.fields import BEST, INFO, LAST_OF_VALUE, TASK
from tamis.stumps._kernels.ordering import Order
from tamis.stumps._kernels.searching import best_stump, scan

POSITIVE = (0, 30)


def problem(seed, nominal, n=80, n_values=12):
    """One column whose rows are all in bin 3: values, signed weights, and what `scan` reads."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, n_values, n)
    weights = rng.integers(0, 50, n).astype(float)
    rows = np.argsort(values, kind="stable")
    last = np.append(values[rows][1:] != values[rows][:-1], True)
    marked = rows.astype(np.uint32) | np.where(last, LAST_OF_VALUE, np.uint32(0))
    starts = np.full((1, 257), n)
    starts[0, :4] = 0
    order = Order(marked[np.newaxis].astype(np.uint32), starts, np.ones((1, 256), np.bool_))
    info = np.zeros((1, len(INFO)), np.int64)
    info[0, [INFO.nominal, INFO.first, INFO.last]] = nominal, 3, 3
    signed = np.where(np.arange(n) < 30, weights, -weights)
    tasks = np.zeros((1, len(TASK)))
    tasks[0, TASK.bin], tasks[0, TASK.edge], tasks[0, TASK.bound] = 3, signed.sum(), np.inf
    between = np.full((1, len(BEST)), -1.0)
    between[0, BEST.column] = 0
    return values, weights, signed, order, info, tasks, between


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("nominal", [False, True])
@pytest.mark.parametrize(("n", "n_values"), [(80, 12), (2000, 12), (2000, 900)])
def test_stumps_inside_a_bin_equal_plain_loops(seed, nominal, n, n_values):
    """The largest |edge| over all cuts between values that have weight on both sides, the earlier on ties."""
    values, weights, signed, order, info, tasks, between = problem(seed, nominal, n, n_values)
    S = float(signed.sum())
    inside = np.empty((1, 6))
    scan(between, tasks, S, 0.0, info, order, weights, POSITIVE, inside, 0, 1)
    edges = {}
    live = np.unique(values[weights > 0])
    for value in live if nominal else live[:-1]:
        right = values == value if nominal else values > value
        edges[value] = float(np.where(right, signed, -signed).sum())
    most = max(abs(edge) for edge in edges.values())
    assert inside[0, BEST.size] == most
    value = values[order.rows[0, int(inside[0, BEST.last])] & ~LAST_OF_VALUE]
    assert value == next(value for value, edge in edges.items() if abs(edge) == most)
    stump, size, rivals = best_stump(between, tasks, inside, 0.0)
    assert (stump.column, stump.cut, size) == (0, 3, most)
    assert stump.last == inside[0, BEST.last]
    assert len(rivals) == 0


@pytest.mark.parametrize("seed", range(3))
def test_what_another_stump_beats_is_left(seed):
    """A bin whose best stump is as good as one between bins is read to the end, one whose best is worse need not be."""
    *_, signed, order, info, tasks, between = problem(seed, False, 2000, 900)
    weights, S = np.abs(signed), float(signed.sum())
    inside = np.empty((1, 6))

    def most_inside(size):
        between[0, BEST.size] = size
        scan(between, tasks, S, 0.0, info, order, weights, POSITIVE, inside, 0, 1)
        return inside[0, BEST.size]

    most = most_inside(-1.0)
    assert most_inside(most) == most
    assert most_inside(most - 1.0) == most
    assert most_inside(most + 1.0) <= most


def test_columns_that_may_be_as_good_are_rivals():
    """With edges right to eps alone, all columns within 2 eps of the best are to be looked at again."""
    between = np.full((3, len(BEST)), -1.0)
    between[:, BEST.size], between[:, BEST.column] = [10.0, 9.0, 5.0], [2, 4, 7]
    stump, size, rivals = best_stump(between.copy(), np.empty((0, 6)), np.empty((0, 6)), 1.0)
    assert (stump.column, size, rivals.tolist()) == (2, 10.0, [2, 4])
    assert best_stump(between.copy(), np.empty((0, 6)), np.empty((0, 6)), 0.1)[2].tolist() == []


def test_without_contenders_there_is_no_stump():
    """The column is -1."""
    empty = np.empty((0, 6))
    assert best_stump(np.empty((0, 7)), empty, empty, 0.0)[0].column == -1
