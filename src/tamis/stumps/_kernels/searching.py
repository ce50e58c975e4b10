"""The best stump of a round: open bins are read row by row.

Symbols, arrays and the place of a stump as in `bounds`. Edges are right to within eps, as the histograms are.
Positive rows stand at the positions first..last - 1 of `positive`.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from tamis._jit import kernel

NOMINAL, FIRST, LAST, HAS_GAPS = 2, 3, 4, 5
LAST_OF_VALUE = np.uint32(1 << 31)
POSITION = np.uint32((1 << 31) - 1)


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
def _inside_bin(task, has_gaps, rows, weights, positive, found):
    """Enter the stumps that part a bin of a numeric column, whose sorted rows are `rows`."""
    k, E, G = task[2], task[3], task[4]
    first, last = positive
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
def _inside_codes(task, S, has_gaps, others, rows, weights, positive, found):
    """Enter the stumps that send one code of a bin of a nominal column right; `others`: other bins are in use."""
    k, G = task[2], task[4]
    first, last = positive
    several = others or _n_codes(rows, weights) > 1
    V = 0.0
    live = False
    for i in range(len(rows)):
        pos = rows[i] & POSITION
        V += weights[pos] if first <= pos < last else -weights[pos]
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
def scan(between, tasks, S, eps, info, order, weights, positive, found, part, n_parts):
    """Enter the stumps inside the bins of this part's tasks into `found` (t, 6); bins without a chance are left.

    `order` is an `ordering.Order` in which the bins are sorted.
    """
    most = 0.0
    for i in range(len(between)):
        most = max(most, between[i, 0])
    by_bound = np.argsort(-tasks[:, 5])
    for j in range(part, len(by_bound), n_parts):
        t = by_bound[j]
        found[t] = -1.0
        if tasks[t, 5] < most - 2.0 * eps:
            continue
        column, k = np.int64(tasks[t, 1]), np.int64(tasks[t, 2])
        rows = order.rows[column, order.starts[column, k] : order.starts[column, k + 1]]
        has_gaps = info[column, HAS_GAPS] > 0
        if info[column, NOMINAL]:
            others = info[column, FIRST] < info[column, LAST]
            _inside_codes(tasks[t], S, has_gaps, others, rows, weights, positive, found[t])
        else:
            _inside_bin(tasks[t], has_gaps, rows, weights, positive, found[t])
        most = max(most, found[t, 0])


@kernel
def _merge(best, found):
    """Take over `found` where it is better, or equal and earlier; keep the size of the runner-up."""
    if found[0] < 0.0:
        return
    earlier = found[3] < best[3] or (found[3] == best[3] and best[4] < 0.0)
    if found[0] > best[0] or (found[0] == best[0] and earlier):
        runner_up = max(best[0], found[1])
        best[:6] = found
    else:
        runner_up = max(best[1], found[0])
    best[1] = runner_up


@kernel
def best_stump(between, tasks, found, eps):
    """The stump of largest |edge|, among those between bins and those that `scan` found.

    Returns
    -------
    column, bin, last, right, size : the stump and its |edge|; column -1 if there is none
    rivals : the columns that hold a stump which may be as good, ascending; empty if the stump is certain
    """
    most = 0.0
    for t in range(len(tasks)):
        _merge(between[np.int64(tasks[t, 0])], found[t])
    for i in range(len(between)):
        most = max(most, between[i, 0])
    bar = most - 2.0 * eps
    winner = -1
    rivals = np.empty(len(between), np.int64)
    n_rivals = 0
    certain = eps == 0.0
    for i in range(len(between)):
        if between[i, 0] >= max(bar, 0.0):
            rivals[n_rivals] = between[i, 6]
            n_rivals += 1
            if winner < 0 or between[i, 0] > between[winner, 0]:
                winner = i
    if winner < 0:
        return -1, -1, -1, False, 0.0, rivals[:0]
    certain |= n_rivals == 1 and between[winner, 1] < bar
    best = between[winner]
    n_rivals = 0 if certain else n_rivals
    return np.int64(best[6]), np.int64(best[3]), np.int64(best[4]), best[5] > 0.0, best[0], rivals[:n_rivals]
