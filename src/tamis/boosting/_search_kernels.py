"""The best stump of a round: open bins are read row by row.

Symbols and the place of a stump as in `_contender_kernels`. Edges are right to within eps, as the histograms are.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from tamis._jit import kernel

LAST_OF_VALUE = np.uint32(1 << 31)
POSITION = np.uint32((1 << 31) - 1)


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
def _inside_bin(E, G, table, fit, order, weights, column, k, found):
    """Enter the stumps that part bin k of a numeric column; E is the edge at the bin's lower border."""
    rows = order.rows[column, order.starts[column, k] : order.starts[column, k + 1]]
    has_gaps = fit.has_gaps[column]
    first, last = fit.positive_first, fit.positive_last
    end = len(rows) - 1  # the first row of the highest value in use
    while end > 0 and weights[rows[end] & POSITION] == 0.0:
        end -= 1
    while end > 0 and not rows[end - 1] & LAST_OF_VALUE:
        end -= 1
    inside = 0.0  # what F gains inside the bin, an exact integer
    for i in range(end):
        pos = rows[i] & POSITION
        inside += weights[pos] * np.float64(2 * np.int64((pos >= first) & (pos < last)) - 1)
        if not rows[i] & LAST_OF_VALUE:
            continue
        edge = E - 2.0 * inside
        gap_edge = E - 2.0 * (inside + G)
        if max(abs(edge), abs(gap_edge)) > found[1] and _in_use(rows, weights, i):
            if has_gaps:
                _consider(found, gap_edge, k, i, False)
            _consider(found, edge, k, i, has_gaps)


@kernel
def _in_use(rows, weights, last):
    """Whether a row of positive weight has the value whose sorted rows end at `last`."""
    i = last
    while weights[rows[i] & POSITION] == 0.0:
        i -= 1
        if i < 0 or rows[i] & LAST_OF_VALUE:
            return False
    return True


@kernel
def _inside_codes(S, G, table, fit, order, weights, column, k, found):
    """Enter the stumps that send one code of bin k of a nominal column right."""
    rows = order.rows[column, order.starts[column, k] : order.starts[column, k + 1]]
    has_gaps = fit.has_gaps[column]
    several = fit.first[column] < fit.last[column] or _n_codes(rows, weights) > 1
    V = 0.0
    live = False
    for i in range(len(rows)):
        pos = rows[i] & POSITION
        V += weights[pos] if fit.positive_first <= pos < fit.positive_last else -weights[pos]
        live |= weights[pos] != 0.0
        if not rows[i] & LAST_OF_VALUE:
            continue
        if live and (several or has_gaps):
            _consider(found, 2.0 * V - S, k, i, False)
            if several and has_gaps:
                _consider(found, 2.0 * (V + G) - S, k, i, True)
        V = 0.0
        live = False


@kernel
def _n_codes(rows, weights):
    """The number of values among sorted rows that have a row of positive weight."""
    found = 0
    live = False
    for i in range(len(rows)):
        live |= weights[rows[i] & POSITION] != 0.0
        if rows[i] & LAST_OF_VALUE:
            found += live
            live = False
    return found


@kernel
def _inside(tasks, t, S, table, fit, order, weights, found):
    """Enter the stumps inside the bin of task t."""
    i = tasks.owners[t]
    column = tasks.columns[i]
    if table.nominal[column]:
        _inside_codes(S, tasks.gap_sums[i], table, fit, order, weights, column, tasks.bins[t], found)
    else:
        _inside_bin(
            tasks.edges[t], tasks.gap_sums[i], table, fit, order, weights, column, tasks.bins[t], found
        )


@kernel
def scan(tasks, S, eps, table, fit, order, weights, found, part, n_parts):
    """Enter the stumps inside the bins of this part's tasks into `found` (t, 6), all -1; bins without a chance are left."""
    most = 0.0
    for i in range(len(tasks.columns)):
        most = max(most, tasks.between[i, 0])
    by_bound = np.argsort(-tasks.bounds)
    for j in range(part, len(by_bound), n_parts):
        t = by_bound[j]
        if tasks.bounds[t] >= most - 2.0 * eps:
            _inside(tasks, t, S, table, fit, order, weights, found[t])
            most = max(most, found[t, 0])


@kernel
def best_stump(tasks, found, eps):
    """The stump of largest |edge|, among those between bins and those that `scan` found.

    Returns
    -------
    column, bin, last, right, size : the stump and its |edge|; column -1 if there is none
    rivals : the columns that hold a stump which may be as good, ascending; empty if the stump is certain
    """
    most = 0.0
    best = np.full((len(tasks.columns), 6), -1.0)
    for t in range(len(tasks.bins)):
        _merge(best[tasks.owners[t]], found[t])
    for i in range(len(tasks.columns)):
        _merge(best[i], tasks.between[i])
        most = max(most, best[i, 0])
    winner = -1
    n_rivals = 0
    rivals = np.empty(len(tasks.columns), np.int64)
    certain = True
    for i in range(len(tasks.columns)):
        if best[i, 0] >= 0.0 and best[i, 0] >= most - 2.0 * eps:
            rivals[n_rivals] = tasks.columns[i]
            n_rivals += 1
            certain = certain and n_rivals == 1 and best[i, 1] < most - 2.0 * eps
            if winner < 0 or best[i, 0] > best[winner, 0]:
                winner = i
    if winner < 0:
        return -1, -1, -1, False, 0.0, rivals[:0]
    if eps == 0.0 or certain:
        n_rivals = 0
    return (
        tasks.columns[winner],
        np.int64(best[winner, 3]),
        np.int64(best[winner, 4]),
        best[winner, 5] > 0.0,
        best[winner, 0],
        rivals[:n_rivals],
    )


@kernel
def _merge(best, found):
    """Take over `found` where it is better, or equal and earlier; keep the size of the runner-up."""
    if found[0] < 0.0:
        return
    earlier = found[3] < best[3] or (found[3] == best[3] and best[4] < 0.0)
    if found[0] > best[0] or (found[0] == best[0] and earlier):
        runner_up = max(best[0], found[1])
        best[:] = found
    else:
        runner_up = max(best[1], found[0])
    best[1] = max(best[1], runner_up)
