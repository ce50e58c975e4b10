"""Stumps on sorted columns."""

import math

import numpy as np
import pytest

from tamis.stumps._kernels import scanning
from tamis.stumps._kernels.fields import TOTALS
from tamis.stumps.sorted_columns import sorted_table


def problem(seed):
    """A table of sorted columns, and signed weights that are loaded."""
    rng = np.random.default_rng(seed)
    values = np.column_stack([rng.normal(size=150).round(1), rng.integers(0, 4, 150), rng.normal(size=150)])
    values[rng.random(values.shape) < 0.1] = np.nan
    table = sorted_table(values, [False, True, False])
    signed = rng.integers(1, 1 << 40, 150) * rng.choice([-1.0, 1.0], 150)
    extended, whole = np.empty(150 + table.n_slots), np.empty(150 + table.n_slots, np.int64)
    totals = np.zeros(3)
    scanning.load_weights(signed, (math.inf, math.inf), extended, whole, totals)
    return table, signed, extended, whole, totals


def plain_edges(table, column, signed):
    """The edge of each stump of a column, and its place: 2 cut, and 1 more with missing values on the right."""
    codes, n_groups = table.layout.codes[column].astype(int), int(table.layout.columns[column, 0])
    gaps, edges = codes == n_groups, {}
    nominal = table.nominal[column]
    for cut in range(n_groups if nominal else n_groups - 1):
        right = codes == cut if nominal else (codes > cut) & ~gaps
        for gap_right in (0, 1):
            sides = np.where(right | (gaps & (gap_right == 1)), 1, -1)
            edges[2 * cut + gap_right] = float((sides * signed).sum())
    if gaps.any():
        edges[-1] = float((np.where(gaps, 1, -1) * signed).sum())
    return edges


@pytest.mark.parametrize("seed", range(3))
def test_the_best_stump_equals_plain_loops(seed):
    """Of each column the largest |edge|, within its bound; of all columns the largest, ties aside."""
    table, signed, extended, whole, totals = problem(seed)
    assert totals[: TOTALS.averaging].tolist() == [signed.sum(), np.abs(signed).sum()]
    bounds = np.empty(3)
    signed_total = float(totals[TOTALS.signed])
    scanning.edge_bounds(table.layout, np.arange(3), extended, whole, signed_total, bounds)
    largest = []
    for column in range(3):
        edges = plain_edges(table, column, signed)
        edge, place = scanning.best_stump(table.layout, column, extended, whole, signed_total)
        most = max(abs(each) for each in edges.values())
        assert abs(edge) == most == abs(edges[place])
        assert bounds[column] >= most
        largest.append(most)
    column, edge, _ = scanning.choose_stump(table.layout, np.arange(3), extended, whole, signed_total, bounds)
    assert column == int(np.argmax(largest))
    assert abs(edge) == max(largest)


def test_sides_of_a_stump_are_ranges_of_groups():
    """The groups on the right of a cut among five, number 5 being the missing values."""
    sides = {
        (2, 0, False): [3, 4],
        (2, 1, False): [3, 4, 5],
        (2, 0, True): [2],
        (2, 1, True): [2, 5],
        (-1, 1, False): [5],
    }
    for (cut, gap_right, nominal), expected in sides.items():
        low, high, extra = scanning.right_codes(5, nominal, cut, gap_right)
        assert [code for code in range(6) if low <= code <= high or code == extra] == expected


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("polarity", [1, -1])
def test_new_weights_equal_plain_loops(seed, polarity):
    """Rows that the stump gets right shrink, the others grow, as floats and as integers."""
    table, signed, extended, whole, totals = problem(seed)
    codes = table.layout.codes[1]
    right = scanning.right_codes(4, True, 2, 1)
    sides = np.where((codes == 2) | (codes == 4), 1, -1)
    assert scanning.stump_edge(codes, right, whole) == (sides * signed).sum()
    averaging = np.arange(150)
    agreed = scanning.reweight(codes, right, polarity, (0.75, 1.5), extended, whole, averaging, totals)
    correct = np.sign(signed) == sides * polarity
    expected = np.maximum(1.0, np.rint(np.abs(signed) * np.where(correct, 0.75, 1.5))) * np.sign(signed)
    assert agreed == averaging[correct].sum()
    assert np.array_equal(extended[:150], expected)
    assert np.array_equal(whole[:150], expected)
    assert totals[: TOTALS.averaging].tolist() == [expected.sum(), np.abs(expected).sum()]


def test_limits_cut_weights_by_their_sign():
    """Positive and negative rows have limits of their own."""
    signed = np.array([5.0, -5.0, 2.0, -1.0])
    extended, whole, totals = np.empty(4), np.empty(4, np.int64), np.zeros(3)
    scanning.load_weights(signed, (3.0, 4.0), extended, whole, totals)
    assert extended.tolist() == whole.tolist() == [3.0, -4.0, 2.0, -1.0]


def test_a_column_is_used_for_the_first_time_once():
    """Only the first round of a column counts."""
    column = np.array([3, 1, 3, 2])
    assert [bool(scanning.first_use(column, t)) for t in range(4)] == [True, True, False, True]
