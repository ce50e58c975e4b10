"""Kernels for tables that lie in parts: what a part tells of its columns, its weights, and its histograms.

Words used here
    part     some rows of the table, those of a class side by side; a position is a number among them.
    positive (first, last), the positions of a part's positive rows: first, ..., last - 1.
    move     what a round does to the weights, (8,): a stump and four factors, see `fields.MOVE`; or, of kind WEIGHT_CAP, the
             largest weights allowed, see `fields.CAP`.

Weights are float64 that hold integers, and all sums of them stay below 2**53: exact in any order, for any parts.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from tamis._jit import kernel
from tamis.stumps._kernels.fields import CAP, MOVE, NEGATIVE, POSITIVE
from tamis.stumps._kernels.histograms import add_range
from tamis.stumps._kernels.weights import is_right, updated

N_SLOTS = 1021
NUMERIC_CUT, NOMINAL_CUT, WEIGHT_CAP = 0.0, 1.0, 2.0  # kinds of moves


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
def advance(words, weights, positive, move):
    """W <- max(1, rint(W f)), or min(W, cap); rows of weight 0 keep it.

    `words` (w, n) uint32 holds the bin of column c in byte c % 4 of word c // 4; `weights` (n,) is written.
    """
    n_rows = len(weights)
    if move[MOVE.kind] == WEIGHT_CAP:
        for i in range(n_rows):
            is_positive = positive[0] <= i < positive[1]
            weights[i] = min(weights[i], move[CAP.positive] if is_positive else move[CAP.negative])
        return
    column = np.int64(move[MOVE.column])
    word = words[column // 4]
    shift = np.uint32(8 * (column % 4))
    cells = right_cells(move)
    factors = np.empty(256)
    borders = (0, positive[0], positive[1], n_rows)
    for k in range(3):
        left = MOVE.positive_left if k == 1 else MOVE.negative_left
        right = MOVE.positive_right if k == 1 else MOVE.negative_right
        for code in range(256):
            factors[code] = move[right] if cells[code] else move[left]
        for i in range(borders[k], borders[k + 1]):
            weights[i] = updated(weights[i], factors[(word[i] >> shift) & np.uint32(255)])


@kernel
def add_rows(words, weights, positive, H):
    """Add a part's weights to the histograms H (4 w, 2, 256), in which class 0 is the positive one."""
    borders = (0, positive[0], positive[1], len(weights))
    for g in range(words.shape[0]):
        for k in range(3):
            first, stop = borders[k], borders[k + 1]
            label = POSITIVE if k == 1 else NEGATIVE
            add_range(words[g, first:stop], weights[first:stop], H[4 * g : 4 * g + 4], label)


@kernel
def stump_edge(H, move):
    """Right less left, positive less negative, of one column's histograms (2, 256): an exact integer."""
    cells = right_cells(move)
    edge = 0.0
    for code in range(256):
        V = H[POSITIVE, code] - H[NEGATIVE, code]
        edge += V if cells[code] else -V
    return edge
