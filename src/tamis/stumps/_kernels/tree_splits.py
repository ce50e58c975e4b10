"""The best split of a node of a tree, from the histogram of its weights.

Words and symbols
    h       (256,) the weights in the bins of a column, signed by class: integers held in float64, of which every sum is exact
    S       the sum of the weights of the node
    F       the sum over the left side of a split, whose edge is |S - 2 F|
    cut     a bin: up to it goes left; of a nominal (categorical) column it goes right. 255: known values left, gaps right

Ties: the lower column, then the lower cut, then gaps (missing values) on the left.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tamis._jit import kernel
from tamis.stumps._kernels.fields import GAP, IN_USE, INFO, MIXED


class View(NamedTuple):
    """The table as it is read."""

    words: Any  # (w, n) uint32
    bin_of: Any  # (d, 256) the bin of each cell of the column's unit
    info: Any  # (d, 7) see `INFO`
    flags: Any  # (d, 256) of each bin, see `bounds`


@kernel
def numeric_split(h, info, S, best):
    """Return edge, cut, gap_right and F of the first cut of edge above `best`; cut -1 if there is none.

    The largest edge belongs to the smallest or to the largest F. These are found from both ends, which do not wait for each
    other; all sums are exact.
    """
    first, last, G = info[INFO.first], info[INFO.last], h[GAP]
    low, high = G, S
    least, most = np.inf, -np.inf
    for i in range((last - first + 1) // 2):
        low += h[first + i]
        high -= h[last - i]
        least = min(least, min(low, high))
        most = max(most, max(low, high))
    if last <= first:
        return best, -1, 0, 0.0
    reach = max(abs(S - 2.0 * least), abs(S - 2.0 * most))
    if G != 0.0:
        reach = max(reach, max(abs(S - 2.0 * (least - G)), abs(S - 2.0 * (most - G))))
    if not reach > best:
        return best, -1, 0, 0.0
    F, k = G + h[first], first
    while abs(S - 2.0 * F) < reach and abs(S - 2.0 * (F - G)) < reach:
        k += 1
        F += h[k]
    gap_right = int(abs(S - 2.0 * F) < reach)
    return reach, k, gap_right, F - gap_right * G


@kernel
def nominal_split(h, info, flags, S, best):
    """As `numeric_split` for a nominal column: one value goes right; bins of several values are left alone."""
    cut, side, left = -1, 0, 0.0
    first, last = info[INFO.first], info[INFO.last]
    both_sides = 1 + (info[INFO.has_gaps] > 0 and last > first)
    for k in range(first, last + 1):
        if flags[k] & MIXED or not flags[k] & IN_USE:
            continue
        for gap_right in range(both_sides):
            F = S - (h[k] + gap_right * h[GAP])
            if abs(S - 2.0 * F) > best:
                best, cut, side, left = abs(S - 2.0 * F), k, gap_right, F
    return best, cut, side, left


@kernel
def column_histogram(H, info, bin_of, column, scratch):
    """The weights in a column's bins: a part of H, or sums over the cells of its bundle in `scratch` (256,)."""
    unit, n_cells = info[column, INFO.unit], info[column, INFO.n_cells]
    if n_cells == 0:
        return H[unit, 0]
    scratch[:] = 0.0
    for cell in range(n_cells):
        scratch[bin_of[column, cell]] += H[unit, 0, cell]
    return scratch


@kernel
def best_split(view, H, columns, S, least, scratch):
    """Return edge, column, cut, gap_right and F of the best split of edge above `least`; column -1 if there is none."""
    best = least
    column, cut, gap_right, left = -1, -1, 0, 0.0
    for i in range(len(columns)):
        f = columns[i]
        info = view.info[f]
        h = column_histogram(H, view.info, view.bin_of, f, scratch)
        if info[INFO.nominal]:
            found = nominal_split(h, info, view.flags[f], S, best)
        else:
            found = numeric_split(h, info, S, best)
        if found[1] >= 0:
            best, cut, gap_right, left = found
            column = f
        F = S - h[GAP]
        if info[INFO.has_gaps] and info[INFO.last] >= 0 and abs(S - 2.0 * F) > best:
            best, column, cut, gap_right, left = abs(S - 2.0 * F), f, GAP, 1, F
    return best, column, cut, gap_right, left


@kernel
def column_edges(view, H, columns, S):
    """Return the largest |edge| of a stump on each column."""
    edges, scratch = np.zeros(len(columns)), np.zeros(256)
    for i in range(len(columns)):
        edges[i] = best_split(view, H, columns[i : i + 1], S, 0.0, scratch)[0]
    return edges
