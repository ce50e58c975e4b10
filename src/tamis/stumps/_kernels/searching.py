"""The best stump of a round: open bins are read row by row.

Symbols, arrays and stumps as in `bounds`. Edges are right to within eps, as the histograms are.
Positive rows stand at the positions first..last - 1 of `positive`.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from tamis._jit import kernel
from tamis.stumps._kernels.bounds import consider
from tamis.stumps._kernels.fields import BEST, INFO, LAST_OF_VALUE, POSITION, TASK, Stump

BLOCK = 256  # rows


@kernel
def _inside_bin(task, has_gaps, rows, weights, positive, bar, best):
    """Enter the stumps that part a bin of a numeric column, whose sorted rows are `rows`, where they reach `bar`.

    Weights are fetched a block at a time, none waiting for another, and most blocks hold no edge worth a closer look.
    """
    k, E, G = task[TASK.bin], task[TASK.edge], task[TASK.gaps]
    first, last = positive
    end = len(rows) - 1  # the first row of the highest value in use
    while end > 0 and weights[rows[end] & POSITION] == 0.0:
        end -= 1
    while end > 0 and not rows[end - 1] & LAST_OF_VALUE:
        end -= 1
    inside = 0.0  # what F gains inside the bin, an exact integer
    signed = np.empty(BLOCK)
    for start in range(0, end, BLOCK):
        m = min(BLOCK, end - start)
        for i in range(m):
            pos = rows[start + i] & POSITION
            w = weights[pos]
            signed[i] = w if (pos >= first) & (pos < last) else -w
        low, high = np.inf, -np.inf
        after = inside
        for i in range(m):
            after += signed[i]
            low = min(low, after)
            high = max(high, after)
        reach = max(abs(E - 2.0 * low), abs(E - 2.0 * high))
        if has_gaps:
            reach = max(reach, max(abs(E - 2.0 * (low + G)), abs(E - 2.0 * (high + G))))
        if reach < bar or reach <= best[BEST.runner_up]:
            inside = after
            continue
        for i in range(m):
            inside += signed[i]
            if not rows[start + i] & LAST_OF_VALUE:
                continue
            edge = E - 2.0 * inside
            gap_edge = E - 2.0 * (inside + G)
            if max(abs(edge), abs(gap_edge)) > best[BEST.runner_up] and _in_use(rows, weights, start + i):
                if has_gaps:
                    consider(best, gap_edge, k, start + i, False)
                consider(best, edge, k, start + i, has_gaps)


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
def _inside_codes(task, S, has_gaps, others, rows, weights, positive, best):
    """Enter the stumps that send one code of a bin of a nominal column right; `others`: other bins are in use."""
    k, G = task[TASK.bin], task[TASK.gaps]
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
            consider(best, 2.0 * V - S, k, i, False)
            if several and has_gaps:
                consider(best, 2.0 * (V + G) - S, k, i, True)
        V = 0.0
        live = False


@kernel
def _n_codes(rows, weights):
    """The number of values among sorted rows that have a row of positive weight."""
    n_codes = 0
    live = False
    for i in range(len(rows)):
        live |= weights[rows[i] & POSITION] != 0.0
        if rows[i] & LAST_OF_VALUE:
            n_codes += live
            live = False
    return n_codes


@kernel
def scan(between, tasks, S, eps, info, order, weights, positive, inside, part, n_parts):
    """Enter the best stump inside the bin of each of this part's tasks into `inside` (t, 6), or none where it cannot win.

    `order` is an `ordering.Order` in which the bins are sorted.
    """
    most = 0.0
    for i in range(len(between)):
        most = max(most, between[i, BEST.size])
    by_bound = np.argsort(-tasks[:, TASK.bound])
    for j in range(part, len(by_bound), n_parts):
        t = by_bound[j]
        inside[t] = -1.0
        bar = most - 2.0 * eps
        if tasks[t, TASK.bound] < bar:
            continue
        column, k = np.int64(tasks[t, TASK.column]), np.int64(tasks[t, TASK.bin])
        rows = order.rows[column, order.starts[column, k] : order.starts[column, k + 1]]
        has_gaps = info[column, INFO.has_gaps] > 0
        if info[column, INFO.nominal]:
            others = info[column, INFO.first] < info[column, INFO.last]
            _inside_codes(tasks[t], S, has_gaps, others, rows, weights, positive, inside[t])
        else:
            _inside_bin(tasks[t], has_gaps, rows, weights, positive, bar, inside[t])
        most = max(most, inside[t, BEST.size])


@kernel
def _merge(best, other):
    """Take over `other` where it is better, or equal and earlier; keep the size of the runner-up."""
    if other[BEST.size] < 0.0:
        return
    earlier = other[BEST.cut] < best[BEST.cut] or (
        other[BEST.cut] == best[BEST.cut] and best[BEST.last] < 0.0
    )
    if other[BEST.size] > best[BEST.size] or (other[BEST.size] == best[BEST.size] and earlier):
        runner_up = max(best[BEST.size], other[BEST.runner_up])
        best[: BEST.column] = other
    else:
        runner_up = max(best[BEST.runner_up], other[BEST.size])
    best[BEST.runner_up] = runner_up


@kernel
def best_stump(between, tasks, inside, eps):
    """The stump of largest |edge|, among those between bins and those that `scan` has entered into `inside`.

    Returns
    -------
    stump : Stump, its column -1 if there is none
    size : its |edge|
    rivals : the columns that hold a stump which may be as good, ascending; empty if the stump is certain
    """
    most = 0.0
    for t in range(len(tasks)):
        _merge(between[np.int64(tasks[t, TASK.contender])], inside[t])
    for i in range(len(between)):
        most = max(most, between[i, BEST.size])
    bar = most - 2.0 * eps
    winner = -1
    rivals = np.empty(len(between), np.int64)
    n_rivals = 0
    certain = eps == 0.0
    for i in range(len(between)):
        if between[i, BEST.size] >= max(bar, 0.0):
            rivals[n_rivals] = between[i, BEST.column]
            n_rivals += 1
            if winner < 0 or between[i, BEST.size] > between[winner, BEST.size]:
                winner = i
    if winner < 0:
        return Stump(np.int64(-1), np.int64(-1), np.int64(-1), False), 0.0, rivals[:0]
    certain |= n_rivals == 1 and between[winner, BEST.runner_up] < bar
    best = between[winner]
    n_rivals = 0 if certain else n_rivals
    column, cut, last = np.int64(best[BEST.column]), np.int64(best[BEST.cut]), np.int64(best[BEST.last])
    return Stump(column, cut, last, best[BEST.gap_right] > 0.0), best[BEST.size], rivals[:n_rivals]
