"""Which columns, and which of their bins, may hold the best stump of a round: bounds from the histograms.

The edge of a stump between two bins comes from the histogram. Inside a bin of several values the edges are bounded by
what the bin holds of either class.

Symbols
    p, q  (256,) weight of the positive and of the negative rows in each bin of a column
    S     weight of all positive rows less that of all negative ones, exact
    F     the same over the rows on the left; a stump's edge is S - 2 F
    G     the same over the gaps
    V     the same over one value of a nominal column, which goes right; the edge is 2 V - S

A stump's place in its column is (bin, last, right). Numeric: `last` is the last left row among the sorted rows of the
bin, -1 for the border above the bin. Nominal: `last` ends the rows of the value that goes right, -1 for the whole bin.
`right`: gaps go right. Bin 255: known values left, gaps right. Of equal stumps the lowest bin comes first, in a
bin those with `last` of -1 last, and gaps left before gaps right.

Arrays
    info   (d, 7) of each column: its unit, the cells of that unit (0 if it holds this column only), whether it is nominal,
           the lowest and the highest bin in use, whether it has gaps, whether some bin in use is not simple
    flags  (d, 256) of each bin: MIXED if it is not simple, + IN_USE if it holds a row of positive weight
    found  (6,) the best stump so far: size, size of the runner-up, edge, bin, last, right; all -1 before the first
    task   (6,) a bin to be opened: place of its column among the contenders, column, bin, edge at the bin's lower
           border, G, bound
"""

# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from tamis._jit import kernel

GAP = 255
UNIT, N_CELLS, NOMINAL, FIRST, LAST, HAS_GAPS, HAS_MIXED = range(7)
MIXED = np.uint8(1)
IN_USE = np.uint8(2)


@kernel
def column_histogram(H, info, bin_of, column, scratch):
    """The weights p and q in a column's bins: a part of H, or sums over the cells of its bundle in `scratch`."""
    unit = info[column, UNIT]
    n_cells = info[column, N_CELLS]
    if n_cells == 0:
        return H[unit, 0], H[unit, 1]
    scratch[:] = 0.0
    for cell in range(n_cells):
        k = bin_of[column, cell]
        scratch[0, k] += H[unit, 0, cell]
        scratch[1, k] += H[unit, 1, cell]
    return scratch[0], scratch[1]


@kernel
def fit_columns(counts, columns, info, flags, bin_of):
    """Fill in what `info` and `flags` say of bins in use, from the number of rows in each cell, shaped like H.

    Returns the columns that have a stump, or may have one.
    """
    usable = np.zeros(len(columns), np.bool_)
    scratch = np.zeros((2, 256))
    for i in range(len(columns)):
        column = columns[i]
        p, q = column_histogram(counts, info, bin_of, column, scratch)
        n_known = 0
        has_mixed = False
        for k in range(GAP):
            if p[k] + q[k] > 0:
                flags[column, k] |= IN_USE
                has_mixed |= flags[column, k] & MIXED > 0
                if n_known == 0:
                    info[column, FIRST] = k
                info[column, LAST] = k
                n_known += 1
        info[column, HAS_GAPS] = p[GAP] + q[GAP] > 0
        info[column, HAS_MIXED] = has_mixed
        usable[i] = n_known > 1 or (n_known == 1 and (info[column, HAS_GAPS] > 0 or has_mixed))
    return columns[usable]


@kernel
def _reach(S, low, high, G):
    """The largest |S - 2 F| for F from low to high, with or without the gaps added to F."""
    most = max(abs(S - 2.0 * low), abs(S - 2.0 * high))
    return max(most, max(abs(S - 2.0 * (low + G)), abs(S - 2.0 * (high + G))))


@kernel
def _numeric_bounds(p, q, S, flags, first, last, has_mixed):
    """The largest |edge| between bins first..last, and a bound on those inside bins.

    F is summed from both ends, where it is 0 and S - G.
    """
    G = p[GAP] - q[GAP]
    low, high = np.inf, -np.inf  # of F between bins
    inner_low, inner_high = np.inf, -np.inf  # of F inside bins
    left, right = 0.0, S - G
    middle = (first + last + 1) // 2
    a = first
    b = last
    for _ in range(middle - first):
        if has_mixed:
            if flags[a] & MIXED:
                inner_low = min(inner_low, left - q[a])
                inner_high = max(inner_high, left + p[a])
            if flags[b] & MIXED:
                inner_low = min(inner_low, right - p[b])
                inner_high = max(inner_high, right + q[b])
        left += p[a] - q[a]
        right -= p[b] - q[b]
        low = min(low, min(left, right))
        high = max(high, max(left, right))
        a += 1
        b -= 1
    if a == b and flags[a] & MIXED:  # one bin is left in the middle; both borders are done
        inner_low = min(inner_low, left - q[a])
        inner_high = max(inner_high, left + p[a])
    top = _reach(S, low, high, G) if first < last else 0.0
    return top, _reach(S, inner_low, inner_high, G) if inner_low < np.inf else 0.0


@kernel
def _nominal_bounds(p, q, S, flags, first, last):
    """The largest |edge| of a value that is a bin against the rest, and a bound on those inside bins."""
    G = p[GAP] - q[GAP]
    top, reach = 0.0, 0.0
    for k in range(first, last + 1):
        V = p[k] - q[k]
        if flags[k] & MIXED:
            reach = max(reach, _reach(S, -q[k], p[k], G))
        elif flags[k] & IN_USE:
            top = max(top, _reach(S, V, V, G if first < last else 0.0))
    return top, reach


@kernel
def bounds(H, columns, S, info, flags, bin_of, limits, part, n_parts):
    """Write the largest |edge| between bins and the bound on those inside bins of this part's columns to (2, k)."""
    scratch = np.empty((2, 256))
    for i in range(part * len(columns) // n_parts, (part + 1) * len(columns) // n_parts):
        column = columns[i]
        p, q = column_histogram(H, info, bin_of, column, scratch)
        first, last = info[column, FIRST], info[column, LAST]
        if info[column, NOMINAL]:
            top, reach = _nominal_bounds(p, q, S, flags[column], first, last)
        else:
            top, reach = _numeric_bounds(p, q, S, flags[column], first, last, info[column, HAS_MIXED] > 0)
        if info[column, HAS_GAPS]:  # known values against gaps
            top = max(top, abs(2.0 * (p[GAP] - q[GAP]) - S))
        limits[0, i] = top
        limits[1, i] = reach


@kernel
def _consider(found, edge, k, last, right):
    """Enter a stump into `found`; of equals the earlier stays."""
    size = abs(edge)
    if size > found[0]:
        found[1] = found[0]
        found[0] = size
        found[2] = edge
        found[3] = k
        found[4] = last
        found[5] = right
    elif size > found[1]:
        found[1] = size


@kernel
def _between_bins(p, q, S, info, flags, found):
    """Enter a column's stumps between bins into `found`; `info` and `flags` are the column's."""
    has_gaps = info[HAS_GAPS] > 0
    first, last = info[FIRST], info[LAST]
    G = p[GAP] - q[GAP]
    F = 0.0
    for k in range(first, last + 1):
        V = p[k] - q[k]
        F += V
        if not flags[k] & IN_USE:
            continue
        if info[NOMINAL]:
            if not flags[k] & MIXED:
                _consider(found, 2.0 * V - S, k, -1, False)
                if has_gaps and first < last:
                    _consider(found, 2.0 * (V + G) - S, k, -1, True)
        elif k < last:
            if has_gaps:
                _consider(found, S - 2.0 * (F + G), k, -1, False)
            _consider(found, S - 2.0 * F, k, -1, has_gaps)
    if has_gaps:
        _consider(found, 2.0 * G - S, GAP, -1, True)


@kernel
def _list_bins(p, q, S, bar, info, flags, tasks):
    """Write bin, edge, G and bound of a column's bins to be opened; returns their number."""
    G = p[GAP] - q[GAP]
    F = 0.0
    found = 0
    for k in range(info[FIRST], info[LAST] + 1):
        if flags[k] == MIXED | IN_USE:
            base = 0.0 if info[NOMINAL] else F
            bound = _reach(S, base - q[k], base + p[k], G)
            if bound >= bar:
                tasks[found, 2] = k
                tasks[found, 3] = S - 2.0 * base
                tasks[found, 4] = G
                tasks[found, 5] = bound
                found += 1
        F += p[k] - q[k]
    return found


@kernel
def contenders(H, columns, limits, S, eps, info, flags, bin_of):
    """What can reach the largest edge between bins, given that edges are right to eps; `limits` as `bounds` wrote them.

    Returns
    -------
    between : (c, 7) the contenders' best stumps between bins, each as in `found`, then the column; ascending
    tasks : (t, 6) their bins to be opened, by column and bin
    """
    most = 0.0
    for i in range(len(columns)):
        most = max(most, limits[0, i])
    bar = most - 2.0 * eps
    n_contenders = 0
    n_tasks = 0
    for i in range(len(columns)):
        if max(limits[0, i], limits[1, i]) >= bar:
            n_contenders += 1
            n_tasks += 0 if limits[1, i] < bar else info[columns[i], LAST] - info[columns[i], FIRST] + 1
    between = np.full((n_contenders, 7), -1.0)
    tasks = np.empty((n_tasks, 6))
    scratch = np.empty((2, 256))
    n_contenders = 0
    n_tasks = 0
    for i in range(len(columns)):
        if max(limits[0, i], limits[1, i]) < bar:
            continue
        column = columns[i]
        p, q = column_histogram(H, info, bin_of, column, scratch)
        _between_bins(p, q, S, info[column], flags[column], between[n_contenders])
        between[n_contenders, 6] = column
        if limits[1, i] >= bar:
            n_bins = _list_bins(p, q, S, bar, info[column], flags[column], tasks[n_tasks:])
            tasks[n_tasks : n_tasks + n_bins, 0] = n_contenders
            tasks[n_tasks : n_tasks + n_bins, 1] = column
            n_tasks += n_bins
        n_contenders += 1
    return between, tasks[:n_tasks]
