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
"""

# mypy: allow-untyped-defs

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tamis._jit import kernel

GAP = 255


class Fit(NamedTuple):
    """What stays the same through all rounds of a fit."""

    columns: Any  # (k,) the columns with a stump, ascending
    first: Any  # (d,) the lowest bin in use
    last: Any  # (d,) the highest
    has_gaps: Any  # (d,)
    occupied: Any  # (d, 256) whether a bin is in use: holds a row of positive weight
    positive_first: int  # the positions of the positive rows
    positive_last: int


@kernel
def column_histogram(H, table, column, scratch):
    """The weights p and q in a column's bins: a part of H, or sums over the cells of its bundle in `scratch`."""
    unit = table.unit[column]
    n_cells = table.n_cells[unit]
    if n_cells == 0:
        return H[unit, 0], H[unit, 1]
    scratch[:] = 0.0
    for cell in range(n_cells):
        k = table.bin_of[column, cell]
        scratch[0, k] += H[unit, 0, cell]
        scratch[1, k] += H[unit, 1, cell]
    return scratch[0], scratch[1]


@kernel
def fit_columns(counts, table, columns, positive_first, positive_last):
    """The `Fit` of the given columns, from the number of rows of positive weight in each cell, shaped like H."""
    n_columns = len(table.unit)
    first = np.zeros(n_columns, np.int64)
    last = np.full(n_columns, -1, np.int64)
    has_gaps = np.zeros(n_columns, np.bool_)
    occupied = np.zeros((n_columns, 256), np.bool_)
    usable = np.zeros(n_columns, np.bool_)
    scratch = np.zeros((2, 256))
    for column in columns:
        p, q = column_histogram(counts, table, column, scratch)
        n_known = 0
        for k in range(GAP):
            if p[k] + q[k] > 0:
                occupied[column, k] = True
                if n_known == 0:
                    first[column] = k
                last[column] = k
                n_known += 1
        has_gaps[column] = p[GAP] + q[GAP] > 0
        if n_known > 0:
            usable[column] = n_known > 1 or has_gaps[column] or table.mixed[column, last[column]]
    return Fit(columns[usable[columns]], first, last, has_gaps, occupied, positive_first, positive_last)


@kernel
def _reach(S, low, high, G, has_gaps):
    """The largest |S - 2 F| for F from low to high, with or without the gaps added to F."""
    most = max(abs(S - 2.0 * low), abs(S - 2.0 * high))
    if has_gaps:
        most = max(most, max(abs(S - 2.0 * (low + G)), abs(S - 2.0 * (high + G))))
    return most


@kernel
def _column_bounds(p, q, S, table, fit, column):
    """The largest |edge| of the column's stumps between bins, and a bound on those inside bins."""
    has_gaps = fit.has_gaps[column]
    first, last = fit.first[column], fit.last[column]
    G = p[GAP] - q[GAP]
    low, high = np.inf, -np.inf  # of F between bins
    inner_low, inner_high = np.inf, -np.inf  # of F inside bins
    F = 0.0
    if table.nominal[column]:
        top = 0.0
        for k in range(first, last + 1):
            F += p[k] - q[k]
            if table.mixed[column, k]:
                inner_low = min(inner_low, -q[k])
                inner_high = max(inner_high, p[k])
            elif fit.occupied[column, k]:
                top = max(top, _reach(S, p[k] - q[k], p[k] - q[k], G, has_gaps and first < last))
    else:
        mixed = table.mixed[column]
        for k in range(first, last + 1):
            if mixed[k]:
                inner_low = min(inner_low, F - q[k])
                inner_high = max(inner_high, F + p[k])
            F += p[k] - q[k]
            if k < last:
                low = min(low, F)
                high = max(high, F)
        top = _reach(S, low, high, G, has_gaps) if first < last else 0.0
    if has_gaps:
        top = max(top, abs(S - 2.0 * F))
    return top, _reach(S, inner_low, inner_high, G, has_gaps) if inner_low < np.inf else 0.0


@kernel
def _consider(found, edge, k, last, right):
    """Enter a stump into `found`: size, size of the runner-up, edge, bin, last, right; of equals the earlier stays."""
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
def _between_bins(p, q, S, table, fit, column, found):
    """Enter the column's stumps between bins into `found`."""
    has_gaps = fit.has_gaps[column]
    first, last = fit.first[column], fit.last[column]
    nominal = table.nominal[column]
    G = p[GAP] - q[GAP]
    F = 0.0
    for k in range(first, last + 1):
        F += p[k] - q[k]
        if not fit.occupied[column, k]:
            continue
        if nominal:
            if not table.mixed[column, k]:
                V = p[k] - q[k]
                _consider(found, 2.0 * V - S, k, -1, False)
                if has_gaps and first < last:
                    _consider(found, 2.0 * (V + G) - S, k, -1, True)
        elif k < last:
            if has_gaps:
                _consider(found, S - 2.0 * (F + G), k, -1, False)
            _consider(found, S - 2.0 * F, k, -1, has_gaps)
    if has_gaps:
        _consider(found, S - 2.0 * F, GAP, -1, True)


@kernel
def _list_bins(p, q, S, bar, table, fit, column, bins, edges, bounds):
    """Write the column's bins to be opened, the edge at their lower border and their bound; returns their number."""
    has_gaps = fit.has_gaps[column]
    nominal = table.nominal[column]
    G = p[GAP] - q[GAP]
    F = 0.0
    found = 0
    for k in range(fit.first[column], fit.last[column] + 1):
        if table.mixed[column, k] and fit.occupied[column, k]:
            base = 0.0 if nominal else F
            bound = _reach(S, base - q[k], base + p[k], G, has_gaps)
            if bound >= bar:
                bins[found] = k
                edges[found] = S - 2.0 * base
                bounds[found] = bound
                found += 1
        F += p[k] - q[k]
    return found


class Tasks(NamedTuple):
    """The columns that may hold the best stump, and their bins that have to be opened to tell."""

    columns: Any  # (c,) ascending
    between: Any  # (c, 6) the best stump between bins, as in `_consider`
    gap_sums: Any  # (c,) G
    owners: Any  # (t,) the place in `columns` of each bin's column
    bins: Any  # (t,)
    edges: Any  # (t,) the edge at its lower border
    bounds: Any  # (t,)
    waiting: Any  # the tasks whose bins are not sorted yet


@kernel
def bounds(H, columns, S, table, fit, found, part, n_parts):
    """Write what `_column_bounds` says of this part's columns to `found` (2, k)."""
    scratch = np.empty((2, 256))
    for i in range(part * len(columns) // n_parts, (part + 1) * len(columns) // n_parts):
        p, q = column_histogram(H, table, columns[i], scratch)
        found[0, i], found[1, i] = _column_bounds(p, q, S, table, fit, columns[i])


@kernel
def contenders(H, columns, found, S, eps, table, fit, ready):
    """The `Tasks` of a round: what can reach the largest edge between bins, given that edges are right to eps.

    `found` is what `bounds` wrote; `ready` (d, 256) tells which bins are sorted already.
    """
    bar = 0.0
    for i in range(len(columns)):
        bar = max(bar, found[0, i])
    bar -= 2.0 * eps
    chosen = columns[np.maximum(found[0], found[1]) >= bar]
    between = np.full((len(chosen), 6), -1.0)
    gap_sums = np.empty(len(chosen))
    size = 256 * len(chosen)
    owners = np.empty(size, np.int64)
    bins = np.empty(size, np.int64)
    edges = np.empty(size)
    reaches = np.empty(size)
    waiting = np.empty(size, np.int64)
    scratch = np.empty((2, 256))
    n_tasks = 0
    n_waiting = 0
    for i in range(len(chosen)):
        p, q = column_histogram(H, table, chosen[i], scratch)
        gap_sums[i] = p[GAP] - q[GAP]
        _between_bins(p, q, S, table, fit, chosen[i], between[i])
        first = n_tasks
        n_tasks += _list_bins(
            p, q, S, bar, table, fit, chosen[i], bins[first:], edges[first:], reaches[first:]
        )
        for t in range(first, n_tasks):
            owners[t] = i
            if not ready[chosen[i], bins[t]]:
                waiting[n_waiting] = t
                n_waiting += 1
    n = n_tasks
    return Tasks(chosen, between, gap_sums, owners[:n], bins[:n], edges[:n], reaches[:n], waiting[:n_waiting])
