"""Which columns, and which of their bins, may hold the best stump of a round: bounds from the histograms.

The edge of a stump between two bins comes from the histogram. Inside a bin of several values the edges are bounded by
what the bin holds of either class.

Symbols
    p, q  (256,) weight of the positive and of the negative rows in each bin of a column
    S     weight of all positive rows less that of all negative ones, exact
    F     the same over the rows on the left; a stump's edge is S - 2 F
    G     the same over the gaps
    V     the same over one value of a nominal column, which goes right; the edge is 2 V - S

A stump is a column, a cut (a bin), `last` and `gap_right`. Numeric: `last` is the last left row among the sorted rows of
the bin, -1 for the border above the bin. Nominal (categorical): `last` ends the rows of the value that goes right, -1 for
the whole bin. `gap_right`: gaps (missing values) go right. Cut 255: known values left, gaps right. Of equal stumps the
lowest bin comes first, in a bin those with `last` of -1 last, and gaps left before gaps right.

Arrays, whose fields are named in `fields`
    info   (d, 7) what is known of each column: `INFO`
    flags  (d, 256) of each bin: MIXED if it may hold several values, + IN_USE if it holds a row of positive weight
    best   (6,) the best stump so far: `BEST`; all -1 before the first
    task   (6,) a bin to be opened, which means to be read row by row: `TASK`
"""

# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from tamis._jit import kernel
from tamis.stumps._kernels.fields import BEST, GAP, IN_USE, INFO, MIXED, NEGATIVE, POSITIVE, TASK

BETWEEN, INSIDE = (
    0,
    1,
)  # of `limits` (2, k): the largest |edge| between bins, and a bound on those inside bins


@kernel
def column_histogram(H, info, bin_of, column, scratch):
    """The weights p and q in a column's bins: a part of H, or sums over the cells of its bundle in `scratch`."""
    unit = info[column, INFO.unit]
    n_cells = info[column, INFO.n_cells]
    if n_cells == 0:
        return H[unit, POSITIVE], H[unit, NEGATIVE]
    scratch[:] = 0.0
    for cell in range(n_cells):
        k = bin_of[column, cell]
        scratch[POSITIVE, k] += H[unit, POSITIVE, cell]
        scratch[NEGATIVE, k] += H[unit, NEGATIVE, cell]
    return scratch[POSITIVE], scratch[NEGATIVE]


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
                    info[column, INFO.first] = k
                info[column, INFO.last] = k
                n_known += 1
        info[column, INFO.has_gaps] = p[GAP] + q[GAP] > 0
        info[column, INFO.has_mixed] = has_mixed
        usable[i] = n_known > 1 or (n_known == 1 and (info[column, INFO.has_gaps] > 0 or has_mixed))
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
        first, last = info[column, INFO.first], info[column, INFO.last]
        if info[column, INFO.nominal]:
            top, reach = _nominal_bounds(p, q, S, flags[column], first, last)
        else:
            top, reach = _numeric_bounds(
                p, q, S, flags[column], first, last, info[column, INFO.has_mixed] > 0
            )
        if info[column, INFO.has_gaps]:  # known values against gaps
            top = max(top, abs(2.0 * (p[GAP] - q[GAP]) - S))
        limits[BETWEEN, i] = top
        limits[INSIDE, i] = reach


@kernel
def consider(best, edge, cut, last, gap_right):
    """Enter a stump into `best`; of equals the earlier stays."""
    size = abs(edge)
    if size > best[BEST.size]:
        best[BEST.runner_up] = best[BEST.size]
        best[BEST.size] = size
        best[BEST.edge] = edge
        best[BEST.cut] = cut
        best[BEST.last] = last
        best[BEST.gap_right] = gap_right
    elif size > best[BEST.runner_up]:
        best[BEST.runner_up] = size


@kernel
def _between_bins(p, q, S, info, flags, best):
    """Enter a column's stumps between bins into `best`; `info` and `flags` are the column's."""
    has_gaps = info[INFO.has_gaps] > 0
    first, last = info[INFO.first], info[INFO.last]
    G = p[GAP] - q[GAP]
    F = 0.0
    for k in range(first, last + 1):
        V = p[k] - q[k]
        F += V
        if not flags[k] & IN_USE:
            continue
        if info[INFO.nominal]:
            if not flags[k] & MIXED:
                consider(best, 2.0 * V - S, k, -1, False)
                if has_gaps and first < last:
                    consider(best, 2.0 * (V + G) - S, k, -1, True)
        elif k < last:
            if has_gaps:
                consider(best, S - 2.0 * (F + G), k, -1, False)
            consider(best, S - 2.0 * F, k, -1, has_gaps)
    if has_gaps:
        consider(best, 2.0 * G - S, GAP, -1, True)


@kernel
def _list_bins(p, q, S, bar, info, flags, tasks):
    """Write bin, edge, G and bound of a column's bins to be opened; returns their number."""
    G = p[GAP] - q[GAP]
    F = 0.0
    n_tasks = 0
    for k in range(info[INFO.first], info[INFO.last] + 1):
        if flags[k] == MIXED | IN_USE:
            base = 0.0 if info[INFO.nominal] else F
            bound = _reach(S, base - q[k], base + p[k], G)
            if bound >= bar:
                tasks[n_tasks, TASK.bin] = k
                tasks[n_tasks, TASK.edge] = S - 2.0 * base
                tasks[n_tasks, TASK.gaps] = G
                tasks[n_tasks, TASK.bound] = bound
                n_tasks += 1
        F += p[k] - q[k]
    return n_tasks


@kernel
def contenders(H, columns, limits, S, eps, info, flags, bin_of):
    """What can reach the largest edge between bins, given that edges are right to eps; `limits` as `bounds` wrote them.

    Returns
    -------
    between : (c, 7) the contenders' best stumps between bins, as `BEST` names them, by ascending column
    tasks : (t, 6) their bins to be opened, by column and bin
    """
    most = 0.0
    for i in range(len(columns)):
        most = max(most, limits[BETWEEN, i])
    bar = most - 2.0 * eps
    n_contenders = 0
    n_tasks = 0
    for i in range(len(columns)):
        if max(limits[BETWEEN, i], limits[INSIDE, i]) >= bar:
            n_contenders += 1
            n_tasks += (
                0
                if limits[INSIDE, i] < bar
                else info[columns[i], INFO.last] - info[columns[i], INFO.first] + 1
            )
    between = np.full((n_contenders, 7), -1.0)
    tasks = np.empty((n_tasks, 6))
    scratch = np.empty((2, 256))
    n_contenders = 0
    n_tasks = 0
    for i in range(len(columns)):
        if max(limits[BETWEEN, i], limits[INSIDE, i]) < bar:
            continue
        column = columns[i]
        p, q = column_histogram(H, info, bin_of, column, scratch)
        _between_bins(p, q, S, info[column], flags[column], between[n_contenders])
        between[n_contenders, BEST.column] = column
        if limits[INSIDE, i] >= bar:
            n_bins = _list_bins(p, q, S, bar, info[column], flags[column], tasks[n_tasks:])
            tasks[n_tasks : n_tasks + n_bins, TASK.contender] = n_contenders
            tasks[n_tasks : n_tasks + n_bins, TASK.column] = column
            n_tasks += n_bins
        n_contenders += 1
    return between, tasks[:n_tasks]
