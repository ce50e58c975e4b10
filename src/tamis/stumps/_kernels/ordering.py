"""The rows of a bin in order of value, sorted when a search first asks for them, and kept."""

# mypy: allow-untyped-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tamis._jit import kernel
from tamis.stumps._kernels.fields import LAST_OF_VALUE, TASK, Bytes, Flags, Floats, Ints, Words

MOVES_A_ROW = 12


class Table(NamedTuple):
    """The prepared table."""

    values: Floats  # (n d,) the table as it lies in memory
    steps: Ints  # (2,) from row to row and from column to column in it
    row_of: Ints  # (n,) the row at each position
    words: Words  # (w, n) uint32
    bin_of: Bytes  # (d, 256) the bin of each cell of the column's unit
    bin_values: Floats  # (d, 256) the value of a simple bin


class Order(NamedTuple):
    """Positions in order of value, filled where a search needs them."""

    rows: Words  # (d, n) uint32 by bin; in ready bins by value, with the top bit set on the last row of each value
    starts: Ints  # (d, 257) where each bin begins; starts[:, 256] is -1 until the column is distributed
    ready: Flags  # (d, 256)


@kernel
def distribute(table, units, order, tasks, part, n_parts):
    """Sort all positions by their bin in each of this part's columns that have not been sorted yet.

    `units` (d,) is the unit of each column; `tasks` as in `bounds`.
    """
    for t in range(len(tasks)):
        column = np.int64(tasks[t, TASK.column])
        if np.int64(tasks[t, TASK.contender]) % n_parts == part and order.starts[column, 256] < 0:
            _distribute(table, units[column], order, column)


@kernel
def _distribute(table, unit, order, column):
    """Sort all positions by their bin in a column."""
    word = table.words[unit // 4]
    shift = np.uint32(8 * (unit % 4))
    bin_of = table.bin_of[column]
    rows = order.rows[column]
    starts = order.starts[column]
    cells = np.zeros(256, np.int64)
    for pos in range(len(word)):
        cells[(word[pos] >> shift) & np.uint32(255)] += 1
    starts[:] = 0
    for cell in range(256):
        starts[np.int64(bin_of[cell]) + 1] += cells[cell]
    for k in range(256):
        starts[k + 1] += starts[k]
    ends = starts[:256].copy()
    for pos in range(len(word)):
        k = bin_of[(word[pos] >> shift) & np.uint32(255)]
        rows[ends[k]] = pos
        ends[k] += 1


@kernel
def _sort_rows(rows, table, column):
    """Sort positions by value in place and set the top bit of the last of each value.

    Values of a bin lie close together: spread evenly over as many slots as there are rows they are nearly sorted, and
    insertion does the rest. Where that takes too many moves, a merge sort starts afresh.
    """
    n_rows = len(rows)
    x = np.empty(n_rows)
    low, high = np.inf, -np.inf
    for i in range(n_rows):
        x[i] = table.values[table.row_of[rows[i]] * table.steps[0] + column * table.steps[1]]
        low = min(low, x[i])
        high = max(high, x[i])
    sorted_x = np.empty(n_rows)
    sorted_rows = np.empty(n_rows, np.uint32)
    if not _spread_and_insert(x, rows, low, high, sorted_x, sorted_rows):
        by_value = np.argsort(x, kind="mergesort")
        for i in range(n_rows):
            sorted_x[i] = x[by_value[i]]
            sorted_rows[i] = rows[by_value[i]]
    for i in range(n_rows):
        last = i + 1 == n_rows or sorted_x[i] != sorted_x[i + 1]
        rows[i] = sorted_rows[i] | LAST_OF_VALUE if last else sorted_rows[i]


@kernel
def _spread_and_insert(x, rows, low, high, sorted_x, sorted_rows):
    """Sort `x` into `sorted_x` with its rows; returns False if that takes more than a few moves a row."""
    n_rows = len(x)
    width = high - low
    factor = (n_rows - 1) / width if width > 0.0 else 0.0
    if not (np.isfinite(width) and np.isfinite(factor)):
        return False
    slot = np.empty(n_rows, np.uint32)
    ends = np.zeros(n_rows + 1, np.uint32)
    for i in range(n_rows):
        slot[i] = np.uint32((x[i] - low) * factor)
        ends[slot[i] + np.uint32(1)] += np.uint32(1)
    for i in range(n_rows):
        ends[i + 1] += ends[i]
    for i in range(n_rows):
        at = ends[slot[i]]
        ends[slot[i]] = at + np.uint32(1)
        sorted_x[at] = x[i]
        sorted_rows[at] = rows[i]
    moves = 0
    for i in range(1, n_rows):
        value = sorted_x[i]
        if sorted_x[i - 1] <= value:
            continue
        row = sorted_rows[i]
        j = i
        while j > 0 and sorted_x[j - 1] > value:
            sorted_x[j] = sorted_x[j - 1]
            sorted_rows[j] = sorted_rows[j - 1]
            j -= 1
        sorted_x[j] = value
        sorted_rows[j] = row
        moves += i - j
        if moves > MOVES_A_ROW * n_rows:
            return False
    return True


@kernel
def open_bins(table, order, tasks, part, n_parts):
    """Sort the rows of the bins of this part's tasks by value, where they are not; their columns are distributed."""
    for t in range(part, len(tasks), n_parts):
        column, k = np.int64(tasks[t, TASK.column]), np.int64(tasks[t, TASK.bin])
        if not order.ready[column, k]:
            rows = order.rows[column, order.starts[column, k] : order.starts[column, k + 1]]
            if len(rows) > 0:
                _sort_rows(rows, table, column)
            order.ready[column, k] = True
