"""What a chosen stump does to the rows: its sides, and the values between which it lies.

The place of a stump as in `_contender_kernels`.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from tamis._jit import kernel

GAP = 255
LAST_OF_VALUE = np.uint32(1 << 31)
POSITION = np.uint32((1 << 31) - 1)


@kernel
def sides(counts, table, fit, order, column, k, last, right):
    """Which rows lie on the small side of their class, the one on which it has fewer rows.

    Parameters
    ----------
    counts : (units, 2, 256), the number of rows in each cell
    column, k, last, right : the stump

    Returns
    -------
    small : (2, 256) uint8, 1 for the cells of the stump's unit on the small side of a class
    parted : positions on the small side in the bin that the stump parts; its cells are 0 in `small`
    small_right : (2,) bool, whether the small side of a class is the right one
    """
    unit = table.unit[column]
    small = np.empty((2, 256), np.uint8)
    surplus = np.zeros(2)  # rows on the right less rows on the left
    for cell in range(256):
        code = table.bin_of[column, cell]
        if code == GAP:
            on_right = right
        elif k == GAP:
            on_right = False
        elif table.nominal[column]:
            on_right = code == k
        else:
            on_right = code > k
        for label in range(2):
            small[label, cell] = on_right
            surplus[label] += counts[unit, label, cell] if on_right else -counts[unit, label, cell]
    small_right = surplus < 0.0
    for label in range(2):
        for cell in range(256):
            in_parted = last >= 0 and table.bin_of[column, cell] == k
            small[label, cell] = not in_parted and (small[label, cell] == 1) == small_right[label]
    parted = np.empty(0, np.uint32)
    if last >= 0:
        parted = _parted_rows(table, fit, order, small_right, column, k, last)
    return small, parted, small_right


@kernel
def _parted_rows(table, fit, order, small_right, column, k, last):
    """The positions on the small side of their class in bin k, which the stump parts after its sorted row `last`."""
    rows = order.rows[column, order.starts[column, k] : order.starts[column, k + 1]]
    nominal = table.nominal[column]
    first = last
    while nominal and first > 0 and not rows[first - 1] & LAST_OF_VALUE:
        first -= 1
    parted = np.empty(len(rows), np.uint32)
    found = 0
    for i in range(len(rows)):
        pos = rows[i] & POSITION
        label = 0 if fit.positive_first <= pos < fit.positive_last else 1
        on_right = first <= i <= last if nominal else i > last
        parted[found] = pos
        found += on_right == small_right[label]
    return parted[:found]


@kernel
def neighbours(table, fit, order, weights, column, k, last):
    """The values in use next to a numeric stump, below and above; a nominal stump's code, twice; +inf for bin 255."""
    if k == GAP:
        return np.inf, np.inf
    if last >= 0:
        rows = order.rows[column, order.starts[column, k] : order.starts[column, k + 1]]
        low = _value(table, rows[last], column)
        if table.nominal[column]:
            return low, low
        above = last + 1
        while weights[rows[above] & POSITION] == 0.0:
            above += 1
        return low, _value(table, rows[above], column)
    if table.nominal[column]:
        return table.bin_values[column, k], table.bin_values[column, k]
    above = k + 1
    while not fit.occupied[column, above]:
        above += 1
    return _extreme(table, order, weights, column, k, False), _extreme(
        table, order, weights, column, above, True
    )


@kernel
def _value(table, pos, column):
    """The value at a position, whose top bit does not matter."""
    return table.values[table.row_of[pos & POSITION] * table.steps[0] + column * table.steps[1]]


@kernel
def _extreme(table, order, weights, column, k, lowest):
    """The lowest or highest value in use in a bin."""
    if not table.mixed[column, k]:
        return table.bin_values[column, k]
    found = np.inf if lowest else -np.inf
    for pos in _rows_of_bin(table, order, column, k):
        if weights[pos & POSITION] > 0.0:
            x = _value(table, pos, column)
            found = min(found, x) if lowest else max(found, x)
    return found


@kernel
def _rows_of_bin(table, order, column, k):
    """The positions in a bin."""
    if order.starts[column, 256] >= 0:
        return order.rows[column, order.starts[column, k] : order.starts[column, k + 1]]
    unit = table.unit[column]
    word = table.words[unit // 4]
    shift = np.uint32(8 * (unit % 4))
    found = np.empty(len(word), np.uint32)
    n_found = 0
    for pos in range(len(word)):
        found[n_found] = pos
        n_found += table.bin_of[column, (word[pos] >> shift) & np.uint32(255)] == k
    return found[:n_found]


@kernel
def exact_histograms(columns, table, fit, weights):
    """The histograms of a few columns, from the rows: (len(columns), 2, 256)."""
    H = np.zeros((len(columns), 2, 256))
    for i in range(len(columns)):
        unit = table.unit[columns[i]]
        word = table.words[unit // 4]
        shift = np.uint32(8 * (unit % 4))
        bin_of = table.bin_of[columns[i]]
        for pos in range(len(word)):
            label = 0 if fit.positive_first <= pos < fit.positive_last else 1
            H[i, label, bin_of[(word[pos] >> shift) & np.uint32(255)]] += weights[pos]
    return H
