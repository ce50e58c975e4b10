"""Boosting by least squares on cells: what is left of a numeric target is summed cell by cell, in integers.

A cell is one value of a column, or one bin of its values; the last cell of a column holds its missing values. A model needs no
row of the table, only sums over cells: after a stump with the answers a (left) and b (right), the sum of what is left in a cell
falls by a times the weight of its rows on the left and b times that of its rows on the right.

Symbols
    w      weight of a row, an integer
    r      what is left of its target, an integer number of steps; every sum of |w r| stays below 2^61
    R, V   sum of w r and of w over the rows on the right of a stump; L, U over those on the left
    gain   R^2 / V + L^2 / U: by how much the stump's means lower the sum of squares, but for a constant

Who calls whom: write_cells; add_cells; train -> best_stump, side_sums, slot_of -> joint_weights, take_off; column_gains -> best_of_column.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tamis._jit import kernel
from tamis.stumps._kernels.fields import STATE, Rounds


class Cells(NamedTuple):
    """A table in cells."""

    codes: Any  # (d, n) uint8 or uint16: the cell of each value, from the first of its column; (d, 0) if rows lie elsewhere
    starts: Any  # (d + 1,) int64: where the cells of each column begin
    nominal: Any  # (d,) bool
    weights: Any  # (n,) int64: w
    held: Any  # (cells,) int64: the weight of each cell
    given: Any  # (cells,) int64: the sum of w times the target of each cell


class Work(NamedTuple):
    """A model in the making."""

    rounds: Rounds
    left: Any  # (cells,) int64: the sum of w r of each cell
    snapshots: Any  # (kept, cells) int64: `left` before every so many rounds
    slots: Any  # (2 cells,) int64: where `joint` holds a stump's weights; -1 for nowhere
    joint: Any  # (slots, cells) int64: of some stumps, the weight of each cell's rows on the right
    used: Any  # (1,) int64: slots taken


@kernel
def write_cells(values: Any, edges: Any, n_cells: int, nominal: bool, codes: Any) -> None:
    """Write the cell of each value of a column into `codes` (n,).

    A numeric value is in the first of `n_cells` cells whose edge (the last has none) is not below it, a nominal one in that
    of its code, the last for those beyond; the cell of missing values comes after all.
    """
    for i in range(values.shape[0]):
        value = values[i]
        if np.isnan(value):
            codes[i] = n_cells
        elif nominal:
            codes[i] = min(np.int64(value), n_cells - 1)
        else:
            # low becomes the number of edges below the value; no branch depends on the value
            low, size = 0, n_cells - 1
            while size > 0:
                half = (size + 1) // 2
                low += half * (edges[low + half - 1] < value)
                size -= half
            codes[i] = low


@kernel
def add_cells(codes: Any, starts: Any, weights: Any, target: Any, held: Any, given: Any) -> None:
    """Add the weight of each row, and its weight times target, to the sums of its cells (cells,) in all columns."""
    for f in range(codes.shape[0]):
        for i in range(codes.shape[1]):
            cell = starts[f] + np.int64(codes[f, i])
            held[cell] += weights[i]
            given[cell] += weights[i] * target[i]


@kernel
def best_of_column(cells: Cells, left: Any, column: int, best: float) -> Any:
    """Return the gain, cell and side of missing values (1: right) of a column's first stump of gain above `best`.

    The cell is -1 where there is none. In this order: each cut, missing values on the left, then on the right; at last
    known values on the left and missing ones on the right, whose cell is that of the missing values.
    """
    first, gap = cells.starts[column], cells.starts[column + 1] - 1
    total, weight = np.int64(0), np.int64(0)
    for cell in range(first, gap + 1):
        total += left[cell]
        weight += cells.held[cell]
    gaps, gap_weight = left[gap], cells.held[gap]
    found, found_right = -1, 0
    nominal = cells.nominal[column]
    below, below_weight = np.int64(0), np.int64(0)
    for cell in range(first, gap + 1):
        if cell == gap:
            right, right_weight = gaps, gap_weight
        elif nominal:
            right, right_weight = left[cell], cells.held[cell]
        else:
            below += left[cell]
            below_weight += cells.held[cell]
            right, right_weight = total - gaps - below, weight - gap_weight - below_weight
        if cells.held[cell] == 0 or right_weight == 0:
            continue
        for gap_right in range(1 + (gap_weight > 0 and cell < gap)):
            if gap_right:
                right += gaps
                right_weight += gap_weight
            other, other_weight = total - right, weight - right_weight
            if right_weight == 0 or other_weight == 0:
                continue
            gain = np.float64(right) * np.float64(right) / np.float64(right_weight) + np.float64(
                other
            ) * np.float64(other) / np.float64(other_weight)
            if gain > best:
                best, found, found_right = gain, cell, gap_right
    return best, found, 1 if found == gap else found_right


@kernel
def column_gains(cells: Cells, left: Any, columns: Any) -> Any:
    """Return the largest gain of each of some columns; 0 for one without a stump."""
    gains = np.zeros(columns.shape[0])
    for k in range(columns.shape[0]):
        gain, cell, _ = best_of_column(cells, left, columns[k], -1.0)
        if cell >= 0:
            gains[k] = gain
    return gains


@kernel
def best_stump(cells: Cells, left: Any, columns: Any) -> Any:
    """Return column, cell and side of missing values of the stump of largest gain; the first of equals, -1 for none."""
    best, column, cell, gap_right = -1.0, -1, -1, 0
    for k in range(columns.shape[0]):
        gain, found, side = best_of_column(cells, left, columns[k], best)
        if found >= 0:
            best, column, cell, gap_right = gain, columns[k], found, side
    return column, cell, gap_right


@kernel
def side_sums(cells: Cells, sums: Any, column: int, cell: int, gap_right: int) -> Any:
    """Return what some sums over cells add up to on the right of a stump, and on its left."""
    first, gap = cells.starts[column], cells.starts[column + 1] - 1
    total, right = np.int64(0), np.int64(0)
    for c in range(first, gap + 1):
        total += sums[c]
        on_right = gap_right == 1 if c == gap else (c == cell if cells.nominal[column] else c > cell)
        if on_right:
            right += sums[c]
    return right, total - right


@kernel
def joint_weights(cells: Cells, columns: Any, column: int, cell: int, gap_right: int, joint: Any) -> None:
    """Write the weight of each cell's rows on the right of a stump, in some columns."""
    n_rows = cells.codes.shape[1]
    gap, cut = cells.starts[column + 1] - 1 - cells.starts[column], cell - cells.starts[column]
    rows = np.empty(n_rows, dtype=np.int64)
    n_right = 0
    for i in range(n_rows):
        code = np.int64(cells.codes[column, i])
        on_right = gap_right == 1 if code == gap else (code == cut if cells.nominal[column] else code > cut)
        rows[n_right if on_right else n_rows - 1 - (i - n_right)] = i
        n_right += on_right
    few_right = 2 * n_right <= n_rows
    first, stop = (0, n_right) if few_right else (n_right, n_rows)
    for k in range(columns.shape[0]):
        f = columns[k]
        start, end = cells.starts[f], cells.starts[f + 1]
        own = joint[start:end]
        own[:] = 0
        codes = cells.codes[f]
        for p in range(first, stop):
            own[codes[rows[p]]] += cells.weights[rows[p]]
        if not few_right:
            for c in range(end - start):
                own[c] = cells.held[start + c] - own[c]


@kernel
def slot_of(cells: Cells, work: Work, columns: Any, stump: Any) -> Any:
    """Return where `joint` holds the weights of a stump, which are summed if need be; -1 if the rows lie elsewhere."""
    column, cell, gap_right = stump
    number = 2 * cell + gap_right
    slot = work.slots[number]
    if slot < 0 and cells.codes.shape[1] > 0:
        slot = min(work.used[0], work.joint.shape[0] - 1)  # the last one is never kept
        joint_weights(cells, columns, column, cell, gap_right, work.joint[slot])
        if slot < work.joint.shape[0] - 1:
            work.slots[number] = slot
            work.used[0] += 1
    return slot


@kernel
def take_off(cells: Cells, work: Work, columns: Any, joint: Any, answers: Any) -> None:
    """Take what a stump answers, on its left and on its right, off what is left; `joint` (cells,) as in `Work`."""
    for k in range(columns.shape[0]):
        for c in range(cells.starts[columns[k]], cells.starts[columns[k] + 1]):
            work.left[c] -= answers[0] * cells.held[c] + (answers[1] - answers[0]) * joint[c]


@kernel
def train(cells: Cells, work: Work, columns: Any, end: int, learning_rate: float, every: int) -> Any:
    """Add stumps until there are `end`, or none changes anything; return -1 then.

    Stumps that are known beforehand (`STATE.n_given`) are taken as they are. A stump answers the mean of what is left on
    each of its sides, times the learning rate, in whole steps. If the rows lie elsewhere and the weights of a stump are not
    among the joint ones, its number (2 cell + gap_right) is returned: called again with them, it goes on.
    """
    rounds = work.rounds
    while rounds.state[STATE.n_rounds] < end:
        t = rounds.state[STATE.n_rounds]
        if t % every == 0:
            work.snapshots[t // every] = work.left
        stump = (rounds.column[t], rounds.cut[t], rounds.gap_right[t])
        if t >= rounds.state[STATE.n_given]:
            stump = best_stump(cells, work.left, columns)
        column, cell, gap_right = stump
        if column < 0:
            rounds.state[STATE.finished] = 1
            return -1
        right, left = side_sums(cells, work.left, column, cell, gap_right)
        right_weight, left_weight = side_sums(cells, cells.held, column, cell, gap_right)
        a = np.int64(np.rint(learning_rate * (np.float64(left) / np.float64(left_weight))))
        b = np.int64(np.rint(learning_rate * (np.float64(right) / np.float64(right_weight))))
        if a == b:
            rounds.state[STATE.finished] = 1
            return -1
        slot = slot_of(cells, work, columns, stump)
        if slot < 0:
            return 2 * cell + gap_right
        given_right, given_left = side_sums(cells, cells.given, column, cell, gap_right)
        sign = 1 if b > a else -1
        rounds.column[t], rounds.cut[t], rounds.gap_right[t] = column, cell, gap_right
        rounds.polarity[t] = sign
        rounds.alpha[t] = np.float64(abs(b - a)) / 2.0
        rounds.u[t] = np.float64(sign * (given_right - given_left))
        rounds.edge[t] = (np.float64(a) + np.float64(b)) / 2.0
        rounds.state[STATE.n_rounds] = t + 1
        take_off(cells, work, columns, work.joint[slot], (a, b))
    return -1
