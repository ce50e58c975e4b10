"""Kernels for tables that lie in parts: what a part tells of its columns, its weights, and its histograms.

Rows are worked on in blocks, from the first move to the last histogram, while they are near.

Words used here
    part     some rows of the table, those of a class side by side; a position is a number among them.
    positive (first, last), the positions of a part's positive rows: first, ..., last - 1.
    move     what a round does to the weights, (8,): a stump and four factors, see `fields.MOVE`; or, of kind WEIGHT_CAP, the
             largest weights allowed, see `fields.CAP`.

Weights are float64 that hold integers, and all sums of them stay below 2**53: exact in any order, for any parts.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tamis._jit import kernel
from tamis.stumps._kernels.fields import CAP, GAP, MOVE, NEGATIVE, POSITIVE, Bytes
from tamis.stumps._kernels.histograms import add_listed, add_range, list_small, sum_of
from tamis.stumps._kernels.weights import is_right, updated

N_SLOTS = 1021
NUMERIC_CUT, NOMINAL_CUT, WEIGHT_CAP = 0.0, 1.0, 2.0  # kinds of moves
EVERY_ROW, NO_ROW = -1, -2  # in place of a column
BLOCK = 8192  # rows


class Side(NamedTuple):
    """The rows that go into histograms: those in some bins of a column."""

    column: int  # or EVERY_ROW, or NO_ROW
    cells: Bytes  # (2, 256) by class and bin, 1 for rows that go in


@kernel
def distinct_values(x, bits, most, distinct):
    """Write the distinct values of `x`, missing ones aside, to `distinct`; returns their number, `most` + 1 if there are more.

    `bits` are the same numbers read as int64, among them no -0.0; `distinct` has room for `most` values.
    """
    slots = np.full(N_SLOTS, -1, np.int64)
    keys = np.empty(most, np.int64)
    n_distinct = 0
    for i in range(len(x)):
        if np.isnan(x[i]):
            continue
        key = bits[i]
        at = ((key ^ (key >> 32) ^ (key >> 47)) & 0x7FFFFFFF) % N_SLOTS
        while slots[at] >= 0 and keys[slots[at]] != key:
            at = at + 1 if at + 1 < N_SLOTS else 0
        if slots[at] < 0:
            if n_distinct == most:
                return most + 1
            slots[at] = n_distinct
            keys[n_distinct] = key
            distinct[n_distinct] = x[i]
            n_distinct += 1
    return n_distinct


@kernel
def right_cells(move):
    """Which of 256 bins lie on the right side of a stump: (256,) uint8."""
    cells = np.empty(256, np.uint8)
    nominal, gap_right = move[MOVE.kind] == NOMINAL_CUT, move[MOVE.gap_right] > 0.0
    for code in range(256):
        cells[code] = is_right(code, np.int64(move[MOVE.cut]), nominal, gap_right)
    return cells


@kernel
def play(words, weights, positive, moves, packed, groups, side, H):
    """Make moves on the weights of a part, and then fill histograms with those of some rows.

    Parameters
    ----------
    words : (w, n) uint32, the bin of column c in byte c % 4 of word c // 4
    weights : (n,), written: W <- max(1, rint(W f)), or min(W, cap); rows of weight 0 keep it
    positive : (first, last)
    moves : (m, 8)
    packed : (v, n) uint32, words that hold at least the columns wanted
    groups : (g,) those of the packed words that are read
    side : Side
    H : (4 g, 2, 256), added to, class 0 is the positive one

    Returns
    -------
    whole : (2,) the weight of all rows of either class after the moves
    """
    whole = np.zeros(2)
    listed = np.empty(BLOCK, np.uint32)
    taken = np.empty(BLOCK)
    column = max(side.column, 0)
    word = words[column // 4]
    shift = np.uint32(8 * (column % 4))
    borders = (0, positive[0], positive[1], len(weights))
    for k in range(3):
        label = POSITIVE if k == 1 else NEGATIVE
        for start in range(borders[k], borders[k + 1], BLOCK):
            stop = min(start + BLOCK, borders[k + 1])
            w = weights[start:stop]
            for m in range(len(moves)):
                _advance(words, start, w, label, moves[m])
            whole[label] += sum_of(w)
            if side.column == EVERY_ROW:
                for i in range(len(groups)):
                    add_range(packed[groups[i], start:stop], w, H[4 * i : 4 * i + 4], label)
            elif side.column != NO_ROW:
                n_listed = list_small(word[start:stop], shift, side.cells[label], 0, listed)
                for i in range(n_listed):
                    taken[i] = w[listed[i]]
                for i in range(len(groups)):
                    add_listed(
                        packed[groups[i], start:stop],
                        listed[:n_listed],
                        taken[:n_listed],
                        H[4 * i : 4 * i + 4],
                        label,
                    )
    return whole


@kernel
def _advance(words, start, weights, label, move):
    """Make a move on a block of rows of one class, which begin at `start`."""
    if move[MOVE.kind] == WEIGHT_CAP:
        cap = move[CAP.positive] if label == POSITIVE else move[CAP.negative]
        for i in range(len(weights)):
            weights[i] = min(weights[i], cap)
        return
    column = np.int64(move[MOVE.column])
    word = words[column // 4, start : start + len(weights)]
    shift = np.uint32(8 * (column % 4))
    left = move[MOVE.positive_left] if label == POSITIVE else move[MOVE.negative_left]
    right = move[MOVE.positive_right] if label == POSITIVE else move[MOVE.negative_right]
    gaps = right if move[MOVE.gap_right] > 0.0 else left
    low, high = _known_right(move)
    for i in range(len(weights)):
        code = (word[i] >> shift) & np.uint32(255)
        f = right if (code >= low) & (code <= high) else left
        f = gaps if code == np.uint32(GAP) else f
        weights[i] = updated(weights[i], f)


@kernel
def _known_right(move):
    """The first and the last bin of known values on the right side of a stump; without any the last is smaller."""
    cut = np.uint32(move[MOVE.cut])
    if cut == GAP:
        return np.uint32(1), np.uint32(0)
    if move[MOVE.kind] == NOMINAL_CUT:
        return cut, cut
    return cut + np.uint32(1), np.uint32(GAP - 1)


@kernel
def stump_edge(H, move):
    """Right less left, positive less negative, of one column's histograms (2, 256): an exact integer."""
    cells = right_cells(move)
    edge = 0.0
    for code in range(256):
        V = H[POSITIVE, code] - H[NEGATIVE, code]
        edge += V if cells[code] else -V
    return edge
