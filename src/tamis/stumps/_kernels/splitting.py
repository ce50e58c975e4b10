"""What a chosen stump does to the rows: its sides, and the values between which it lies.

`info`, `flags` and stumps as in `bounds`.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from tamis._jit import kernel
from tamis.stumps._kernels.fields import (
    GAP,
    IN_USE,
    INFO,
    LAST_OF_VALUE,
    MIXED,
    NEGATIVE,
    POSITION,
    POSITIVE,
)
from tamis.stumps._kernels.weights import is_right


@kernel
def sides(counts, info, bin_of, order, positive, stump, small, small_right):
    """Which rows lie on the small side of their class, the one on which it has fewer rows.

    Parameters
    ----------
    counts : (units, 2, 256), the number of rows in each cell
    positive : (first, last), the positions of the positive rows
    stump : Stump
    small : (2, 256) uint8, written: 1 for the cells of the stump's unit on the small side of a class
    small_right : (2,) bool, written: whether the small side of a class is the right one

    Returns
    -------
    parted : positions on the small side in the bin that the stump parts; its cells are 0 in `small`
    """
    column, k, last = stump.column, stump.cut, stump.last
    unit = info[column, INFO.unit]
    nominal = info[column, INFO.nominal] > 0
    surplus = np.zeros(2)  # rows on the right less rows on the left
    for cell in range(256):
        on_right = is_right(bin_of[column, cell], k, nominal, stump.gap_right)
        for label in range(2):
            small[label, cell] = on_right
            surplus[label] += counts[unit, label, cell] if on_right else -counts[unit, label, cell]
    for label in range(2):
        small_right[label] = surplus[label] < 0.0
        for cell in range(256):
            in_parted = last >= 0 and bin_of[column, cell] == k
            small[label, cell] = not in_parted and (small[label, cell] == 1) == small_right[label]
    if last < 0:
        return np.empty(0, np.uint32)
    rows = order.rows[column, order.starts[column, k] : order.starts[column, k + 1]]
    return _parted_rows(rows, nominal, last, positive, small_right)


@kernel
def _parted_rows(rows, nominal, last, positive, small_right):
    """The positions on the small side of their class among the sorted rows of a bin, parted after row `last`."""
    first = last
    while nominal and first > 0 and not rows[first - 1] & LAST_OF_VALUE:
        first -= 1
    parted = np.empty(len(rows), np.uint32)
    n_parted = 0
    for i in range(len(rows)):
        pos = rows[i] & POSITION
        label = POSITIVE if positive[0] <= pos < positive[1] else NEGATIVE
        on_right = first <= i <= last if nominal else i > last
        parted[n_parted] = pos
        n_parted += on_right == small_right[label]
    return parted[:n_parted]


@kernel
def neighbours(table, info, flags, order, in_use, column, k, last):
    """The values in use next to a numeric stump, below and above; a nominal stump's code, twice; +inf for bin 255.

    `in_use` (n,) tells which positions have a positive weight.
    """
    if k == GAP:
        return np.inf, np.inf
    if last >= 0:
        rows = order.rows[column, order.starts[column, k] : order.starts[column, k + 1]]
        low = _value(table, rows[last], column)
        if info[column, INFO.nominal]:
            return low, low
        above = last + 1
        while not in_use[rows[above] & POSITION]:
            above += 1
        return low, _value(table, rows[above], column)
    low = _extreme(table, info, flags, order, in_use, column, k, False)
    if info[column, INFO.nominal]:
        return low, low
    above = k + 1
    while not flags[column, above] & IN_USE:
        above += 1
    return low, _extreme(table, info, flags, order, in_use, column, above, True)


@kernel
def _value(table, pos, column):
    """The value at a position, whose top bit does not matter."""
    return table.values[table.row_of[pos & POSITION] * table.steps[0] + column * table.steps[1]]


@kernel
def _extreme(table, info, flags, order, in_use, column, k, lowest):
    """The lowest or highest value in use in a bin."""
    if not flags[column, k] & MIXED:
        return table.bin_values[column, k]
    extreme = np.inf if lowest else -np.inf
    for pos in _rows_of_bin(table, info, order, column, k):
        if in_use[pos & POSITION]:
            x = _value(table, pos, column)
            extreme = min(extreme, x) if lowest else max(extreme, x)
    return extreme


@kernel
def _rows_of_bin(table, info, order, column, k):
    """The positions in a bin."""
    if order.starts[column, 256] >= 0:
        return order.rows[column, order.starts[column, k] : order.starts[column, k + 1]]
    unit = info[column, INFO.unit]
    word = table.words[unit // 4]
    shift = np.uint32(8 * (unit % 4))
    positions = np.empty(len(word), np.uint32)
    n_inside = 0
    for pos in range(len(word)):
        positions[n_inside] = pos
        n_inside += table.bin_of[column, (word[pos] >> shift) & np.uint32(255)] == k
    return positions[:n_inside]


@kernel
def exact_histograms(columns, words, info, bin_of, positive, weights):
    """The histograms of a few columns, from the rows: (len(columns), 2, 256)."""
    H = np.zeros((len(columns), 2, 256))
    for i in range(len(columns)):
        unit = info[columns[i], INFO.unit]
        word = words[unit // 4]
        shift = np.uint32(8 * (unit % 4))
        for pos in range(len(word)):
            label = POSITIVE if positive[0] <= pos < positive[1] else NEGATIVE
            H[i, label, bin_of[columns[i], (word[pos] >> shift) & np.uint32(255)]] += weights[pos]
    return H
