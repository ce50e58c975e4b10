"""Kernels for tables that lie in parts: what a part tells of its columns, its weights, and its histograms.

Words used here
    part     some rows of the table, those of a class side by side; a position is a place among them.
    positive (first, last), the positions of a part's positive rows: first, ..., last - 1.
    move     what a round does to the weights: (8,) kind, column, bin, gaps go right, and the four factors of the weights:
             positive rows on the left and on the right, negative rows on the left and on the right. Of kind CAP, the
             second entry is the largest weight allowed to positive rows, the third that to negative ones.

Weights are float64 that hold integers, and all sums of them stay below 2**53: exact in any order, for any parts.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

import math

import numpy as np

from tamis._jit import kernel

GAP = 255
ROUND = 4503599627370496.0  # 2**52: (x + ROUND) - ROUND is rint(x) for 0 <= x < 2**52
N_SLOTS = 1021
NUMERIC, NOMINAL, CAP = 0.0, 1.0, 2.0  # kinds of moves


@kernel
def distinct_values(x, bits, most, found):
    """Write the distinct values of `x`, gaps aside, to `found`; returns their number, `most` + 1 if there are more.

    `bits` are the same numbers read as int64, among them no -0.0; `found` has room for `most` values.
    """
    slots = np.full(N_SLOTS, -1, np.int64)
    keys = np.empty(most, np.int64)
    n_found = 0
    for i in range(len(x)):
        if np.isnan(x[i]):
            continue
        key = bits[i]
        at = ((key ^ (key >> 32) ^ (key >> 47)) & 0x7FFFFFFF) % N_SLOTS
        while slots[at] >= 0 and keys[slots[at]] != key:
            at = at + 1 if at + 1 < N_SLOTS else 0
        if slots[at] < 0:
            if n_found == most:
                return most + 1
            slots[at] = n_found
            keys[n_found] = key
            found[n_found] = x[i]
            n_found += 1
    return n_found


@kernel
def right_cells(move):
    """Which of 256 bins lie on the right side of a stump: (256,) uint8."""
    cells = np.zeros(256, np.uint8)
    k = np.int64(move[2])
    for code in range(GAP):
        if k != GAP:
            cells[code] = code == k if move[0] == NOMINAL else code > k
    cells[GAP] = move[3] > 0.0
    return cells


@kernel
def advance(words, weights, positive, move):
    """W <- max(1, rint(W f)), or min(W, cap); rows of weight 0 keep it.

    `words` (w, n) uint32 holds the bin of column c in byte c % 4 of word c // 4; `weights` (n,) is written.
    """
    n_rows = len(weights)
    if move[0] == CAP:
        for i in range(n_rows):
            weights[i] = min(weights[i], move[1] if positive[0] <= i < positive[1] else move[2])
        return
    column = np.int64(move[1])
    word = words[column // 4]
    shift = np.uint32(8 * (column % 4))
    cells = right_cells(move)
    factors = np.empty(256)
    bounds = (0, positive[0], positive[1], n_rows)
    for k in range(3):
        label = 4 if k == 1 else 6
        for code in range(256):
            factors[code] = move[label + 1] if cells[code] else move[label]
        for i in range(bounds[k], bounds[k + 1]):
            w = weights[i]
            f = factors[(word[i] >> shift) & np.uint32(255)]
            weights[i] = max((w * f + ROUND) - ROUND, min(w, 1.0))


@kernel
def add_rows(words, weights, positive, H):
    """Add a part's weights to the histograms H (4 w, 2, 256), in which class 0 is the positive one."""
    n_rows = len(weights)
    byte = np.uint32(255)
    bounds = (0, positive[0], positive[1], n_rows)
    for g in range(words.shape[0]):
        word = words[g]
        for k in range(3):
            label = 0 if k == 1 else 1
            h0, h1 = H[4 * g, label], H[4 * g + 1, label]
            h2, h3 = H[4 * g + 2, label], H[4 * g + 3, label]
            for i in range(bounds[k], bounds[k + 1]):
                x = word[i]
                w = weights[i]
                h0[x & byte] += w
                h1[(x >> np.uint32(8)) & byte] += w
                h2[(x >> np.uint32(16)) & byte] += w
                h3[x >> np.uint32(24)] += w


@kernel
def stump_edge(H, move):
    """Right less left, positive less negative, of one column's histograms (2, 256): an exact integer."""
    cells = right_cells(move)
    edge = 0.0
    for code in range(256):
        V = H[0, code] - H[1, code]
        edge += V if cells[code] else -V
    return edge


@kernel
def stump_figures(edge, total, n_rows, learning_rate):
    """gamma, the gamma acted on, alpha of eq. (2), and whether the stump makes no error."""
    gamma = abs(edge) / total
    last = abs(edge) == total
    used = 1.0 - 1.0 / n_rows if last else learning_rate * gamma
    return gamma, used, 0.5 * math.log((1.0 + used) / (1.0 - used)), last
