"""Loops of ReliefF (sums of differences) and Simba (ascent of the margin).

Symbols
-------
A row is given by its coordinates in a `MixedSpace` for l1, in steps of 2**-20 (for l2, ReliefF only, in steps of
2**-10). Two values of one column differ by abs(a - b) steps; if that exceeds FAR, two categories differ or one value
is missing, and the difference is 1.

    S[c, f]     sum of the differences in column f between the rows of class c and their neighbours
    w           Simba's weights; squares = w**2
    z           a column's difference of two rows, a whole number of steps of 2**-20
    ||z||_w     sqrt(sum over f of w_f**2 z_f**2), summed in the order in which the columns are given

The rows of `ClassBlocks` are ordered class by class; `pos` is a position there, `row` a row of the caller's table.

Who calls whom
--------------
    summed_differences stands alone
    ascent -> _near_pairs, _square;  margins -> _near_pairs
    _near_pairs -> _distances -> _add_two, _add_column;  _near_pairs -> _nearest
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tamis._jit import kernel
from tamis.neighbors._kernels.distance import FAR, STEP, term

ONE = STEP  # the difference 1, in Simba's steps
ONE_SQUARED = 2.0**40
FINE = 2.0**30  # the difference 1, in the steps of `summed_differences`
PLAIN, GAPPED, NOMINAL = 0, 1, 2
TILE_ROWS = 16  # rows that share one pass over the blocks in `margins`


class ClassBlocks(NamedTuple):
    """A table laid out class by class, in blocks, column by column."""

    blocks: Any  # (n_blocks, d, rows of a block) float64: coordinates; the last block is padded
    kinds: Any  # (d,) int8: PLAIN or GAPPED (numeric without or with missing values), NOMINAL (categorical)
    rows: Any  # (n,) int64: row at each pos, ascending within a class
    codes: Any  # (n,) int64: class at each pos
    borders: Any  # (n_classes + 1,) int64: where each class begins; the last is n
    groups: Any  # (n,) int64: group of the row at each pos
    members: Any  # (n,) int64: positions, group by group
    starts: Any  # (n_groups + 1,) int64: where each group begins in `members`; the last is n


@kernel
def summed_differences(
    coordinates: Any, listed: Any, asking: Any, codes: Any, limits: Any, scale: float
) -> Any:
    """Return S (n_classes, d) int64 in steps of 2**-30, exact for any order of rows.

    Row asking[i] is compared with the first limits[its class] rows of listed[i], itself left out. A difference is
    rint(abs(a - b) * scale) steps.
    """
    n_columns = coordinates.shape[1]
    sums = np.zeros((limits.shape[0], n_columns), dtype=np.int64)
    line = np.empty(n_columns)
    for i in range(asking.shape[0]):
        row, n_taken = asking[i], 0
        line[:] = 0.0
        for p in range(listed.shape[1]):
            other = listed[i, p]
            if other == row:
                continue
            if n_taken == limits[codes[row]]:
                break
            n_taken += 1
            for f in range(n_columns):
                steps = abs(coordinates[row, f] - coordinates[other, f])
                line[f] += FINE if steps > FAR else np.rint(steps * scale)
        for f in range(n_columns):
            sums[codes[row], f] += np.int64(line[f])
    return sums


@kernel
def _square(a: float, b: float) -> float:
    """Return z**2 of two values of one column, in steps squared."""
    z = term(a, b, False)
    return z * z


@kernel
def _add_two(blocks: Any, block: int, f: int, values: Any, squares: Any, totals: Any) -> None:
    """Add w**2 z**2 of the plain columns f and f + 1 to `totals`, one after the other."""
    a, b, square_a, square_b = values[f], values[f + 1], squares[f], squares[f + 1]
    for j in range(totals.shape[0]):
        z_a = np.rint(a - blocks[block, f, j])
        z_b = np.rint(b - blocks[block, f + 1, j])
        totals[j] = (totals[j] + square_a * (z_a * z_a)) + square_b * (z_b * z_b)


@kernel
def _add_column(blocks: Any, block: int, f: int, kind: int, value: float, square: float, totals: Any) -> None:
    """Add w**2 z**2 of column f, of any kind, to `totals`."""
    if kind == PLAIN:
        for j in range(totals.shape[0]):
            z = np.rint(value - blocks[block, f, j])
            totals[j] += square * (z * z)
    elif kind == GAPPED:
        for j in range(totals.shape[0]):
            z = term(value, blocks[block, f, j], False)
            totals[j] += square * (z * z)
    else:
        for j in range(totals.shape[0]):
            totals[j] += square * ONE_SQUARED if blocks[block, f, j] != value else 0.0


@kernel
def _distances(table: ClassBlocks, block: int, values: Any, squares: Any, totals: Any) -> None:
    """Write ||z||_w**2 of one row, given by its values, to the rows of a block into `totals`, in steps squared."""
    totals[:] = 0.0
    n_columns = values.shape[0]
    f = 0
    while f < n_columns:
        if f + 1 < n_columns and table.kinds[f] == PLAIN and table.kinds[f + 1] == PLAIN:
            _add_two(table.blocks, block, f, values, squares, totals)
            f += 2
        else:
            _add_column(table.blocks, block, f, table.kinds[f], values[f], squares[f], totals)
            f += 1


@kernel
def _nearest(totals: Any, first: int, last: int, start: int, rows: Any, best: float, best_pos: int) -> Any:
    """Return the better of (best, best_pos) and the positions first..last - 1; the lower row on ties."""
    for pos in range(first, last):
        total = totals[pos - start]
        if total < best or (total == best and best_pos >= 0 and rows[pos] < rows[best_pos]):
            best, best_pos = total, pos
    return best, best_pos


@kernel
def _near_pairs(table: ClassBlocks, own: Any, squares: Any) -> Any:
    """Return the nearest hits and misses of some positions, in other groups: their positions and squared distances.

    Both results have the shape (len(own), 2), hits first; where there is none its position is -1.
    """
    n_rows, (n_blocks, n_columns, size) = table.rows.shape[0], table.blocks.shape
    near = np.full((own.shape[0], 2), -1, dtype=np.int64)
    distance = np.full((own.shape[0], 2), np.inf)
    values = np.empty((own.shape[0], n_columns))
    for i in range(own.shape[0]):
        for f in range(n_columns):
            values[i, f] = table.blocks[own[i] // size, f, own[i] % size]
    totals = np.empty(size)
    for block in range(n_blocks):
        start, end = block * size, min(n_rows, (block + 1) * size)
        for i in range(own.shape[0]):
            _distances(table, block, values[i], squares, totals)
            group = table.groups[own[i]]
            for k in range(table.starts[group], table.starts[group + 1]):
                if start <= table.members[k] < end:
                    totals[table.members[k] - start] = np.inf
            code = table.codes[own[i]]
            low = min(max(table.borders[code], start), end)
            high = min(max(table.borders[code + 1], start), end)
            hit, miss = (distance[i, 0], near[i, 0]), (distance[i, 1], near[i, 1])
            hit = _nearest(totals, low, high, start, table.rows, hit[0], hit[1])
            miss = _nearest(totals, start, low, start, table.rows, miss[0], miss[1])
            miss = _nearest(totals, high, end, start, table.rows, miss[0], miss[1])
            (distance[i, 0], near[i, 0]), (distance[i, 1], near[i, 1]) = hit, miss
    return near, distance


@kernel
def ascent(table: ClassBlocks, order: Any, lengths: Any, weights: Any) -> Any:
    """Return the weights after one step per position of `order`, and the hit and miss of each (rows; -1 for none).

    w_f += length/2 (z_f(miss)**2 / ||z(miss)||_w - z_f(hit)**2 / ||z(hit)||_w) w_f; a distance of 0 adds nothing, and
    a position without a hit or a miss makes no step.
    """
    size, weights = table.blocks.shape[2], weights.copy()
    pairs = np.empty((order.shape[0], 2), dtype=np.int64)
    for step in range(order.shape[0]):
        own = order[step]
        near, distance = _near_pairs(table, order[step : step + 1], weights * weights)
        hit, miss = near[0, 0], near[0, 1]
        pairs[step, 0] = table.rows[hit] if hit >= 0 else -1
        pairs[step, 1] = table.rows[miss] if miss >= 0 else -1
        if hit < 0 or miss < 0:
            continue
        to_hit, to_miss = np.sqrt(distance[0, 0]) * ONE, np.sqrt(distance[0, 1]) * ONE
        for f in range(weights.shape[0]):
            value = table.blocks[own // size, f, own % size]
            change = 0.0
            if to_miss > 0.0:
                change += _square(value, table.blocks[miss // size, f, miss % size]) / to_miss
            if to_hit > 0.0:
                change -= _square(value, table.blocks[hit // size, f, hit % size]) / to_hit
            weights[f] += 0.5 * lengths[step] * change * weights[f]
    return weights, pairs


@kernel
def margins(table: ClassBlocks, first: int, last: int, squares: Any) -> Any:
    """Return theta = 1/2 (||z(miss)||_w - ||z(hit)||_w) of the positions first..last - 1; 0 where one is missing."""
    theta = np.zeros(last - first)
    for start in range(first, last, TILE_ROWS):
        own = np.arange(start, min(start + TILE_ROWS, last))
        near, distance = _near_pairs(table, own, squares)
        for i in range(own.shape[0]):
            if near[i, 0] >= 0 and near[i, 1] >= 0:
                theta[own[i] - first] = 0.5 * (np.sqrt(distance[i, 1]) - np.sqrt(distance[i, 0])) / ONE
    return theta
