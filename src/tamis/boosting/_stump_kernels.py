"""Kernels of AdaBoost over stumps on a sorted and grouped table.

Symbols: z_i = y_i W_i, the signed weight of row i, an integer held in float64; S = sum z; Z = sum |z|;
L, R, G the sums of z over the known values left of a cut, right of it, and over the gaps. Every sum is an integer
below 2^53 and therefore exact in any order. The edge of a stump with +1 on its right side is

    gaps left:   S - 2 (L + G) = 2 R - S            gaps right:  S - 2 L = 2 (R + G) - S

and gamma_t = |edge| / Z, alpha_t as in eq. (2).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numba
import numpy as np

from tamis._jit import kernel

TWO_52 = 4503599627370496.0
TWO_52_BITS = np.int64(0x4330000000000000)  # how float64 holds 2^52; 2^52 + w is held as that plus w
FAR = np.int64(1) << np.int64(60)  # beyond every sum
THREADED_FROM = 1 << 18  # how many values a round scans before several threads are worth their barrier


class Runs(NamedTuple):
    """The boosted models of several problems (one row each) on the same table, and what a restart needs."""

    n_rounds: Any  # (problems,) rounds trained
    column: Any  # (problems, T), as all up to `edge`
    cut: Any  # the last group on the left; nominal: the group on the right; -1: known against missing
    gap_right: Any
    polarity: Any
    alpha: Any
    u: Any
    edge: Any  # gamma_t
    averaging: Any  # (n,) int64, the weights of the rows in u
    snapshots: Any  # (problems, T or 1, n) signed weights at the start of rounds that first use a column
    bounds: Any  # (problems, T or 1, d) an upper bound of each column's largest |edge| in each round


@kernel
def gathered_sum(whole: Any, rows: Any, start: int, stop: int) -> int:
    """Return the sum of `whole` over rows[start:stop]."""
    total = np.int64(0)
    for k in range(
        np.uint64(start), np.uint64(stop)
    ):  # unsigned: Numba then need not care for negative positions
        total += whole[rows[k]]
    return total


@kernel
def larger_edge(best: float, low: float, high: float, gaps: float, signed_total: float) -> float:
    """Return the larger of `best` and the |edges| of stumps with sums `low` and `high` on one side, gaps on either."""
    low, high = 2.0 * low - signed_total, 2.0 * high - signed_total
    best = max(best, max(abs(low), abs(high)))
    return max(best, max(abs(low + 2.0 * gaps), abs(high + 2.0 * gaps)))


@kernel
def running_extremes(extended: Any, whole: Any, entries: Any, start: int, stop: int) -> tuple[float, float]:
    """Return the smallest and largest running sum over the entries, in four chains.

    Two chains add up the floats of `extended` and two the same numbers as integers, `whole`: a processor does both at
    the same time. A chain begins at zero and is shifted by what the chains before it add up to.
    """
    length = np.uint64(stop - start) // np.uint64(4)
    first = np.uint64(start)
    second = first + length
    third = second + length
    fourth = third + length
    a = b = 0.0
    low_a = low_b = math.inf
    high_a = high_b = -math.inf
    c = d = np.int64(0)
    low_c = low_d = FAR
    high_c = high_d = -FAR
    for k in range(length):
        a += extended[entries[first + k]]
        b += extended[entries[second + k]]
        c += whole[entries[third + k]]
        d += whole[entries[fourth + k]]
        low_a = a if a < low_a else low_a
        high_a = a if a > high_a else high_a
        low_b = b if b < low_b else low_b
        high_b = b if b > high_b else high_b
        low_c = min(low_c, c)
        high_c = max(high_c, c)
        low_d = min(low_d, d)
        high_d = max(high_d, d)
    for k in range(fourth + length, np.uint64(stop)):
        d += whole[entries[k]]
        low_d = min(low_d, d)
        high_d = max(high_d, d)
    low, high = min(low_a, a + low_b), max(high_a, a + high_b)
    low = min(low, (a + b) + min(low_c, c + low_d))
    high = max(high, (a + b) + max(high_c, c + high_d))
    return low, high


@kernel
def fill_slots(extended: Any, whole: Any, members: Any, bulks: Any, first: int, last: int) -> None:
    """Write the sums over the bulks from `first` to `last` into their slots."""
    for bulk in range(first, last):
        total = gathered_sum(whole, members, bulks[bulk, 1], bulks[bulk, 2])
        whole[bulks[bulk, 0]] = total
        extended[bulks[bulk, 0]] = total


@kernel
def edge_bounds(
    layout: Any, columns: Any, extended: Any, whole: Any, signed_total: float, bounds: Any
) -> None:
    """Write an upper bound of each column's largest |edge| into `bounds` (d,).

    The running sums are taken after every entry and not only after every group, which can only make the bound larger
    than the edge, and cannot where every group is of one row, a bulk, or of one class.
    """
    # A layout handed on to a function once a column would cost more than the scan of a short one.
    n_rows = layout.codes.shape[1]
    entries, entry_start, entry_middle = layout.entries, layout.entry_start, layout.entry_middle
    members, bulks, bulk_start = layout.members, layout.bulks, layout.bulk_start
    for column in columns:
        fill_slots(extended, whole, members, bulks, bulk_start[column], bulk_start[column + 1])
        gaps, bound = 0.0, 0.0
        if layout.has_gaps[column] and layout.n_groups[column] > 0:
            gaps = extended[n_rows]
            bound = abs(2.0 * gaps - signed_total)
        start, middle, stop = entry_start[column], entry_middle[column], entry_start[column + 1]
        if layout.nominal[column]:
            most = signed_total - gaps
            low, high = math.inf, -math.inf
            for k in range(start, stop):
                value = extended[entries[k]]
                most -= value
                low, high = min(low, value), max(high, value)
            if stop > start:
                bound = larger_edge(bound, min(low, most), max(high, most), gaps, signed_total)
        else:
            if middle > start:
                low, high = running_extremes(extended, whole, entries, start, middle)
                bound = larger_edge(bound, low, high, gaps, signed_total)
            if stop > middle:
                low, high = running_extremes(extended, whole, entries, middle, stop)
                bound = larger_edge(bound, low, high, gaps, signed_total)
        bounds[column] = bound


@kernel
def entry_group(layout: Any, column: int, entry: int) -> int:
    """Return the group to which an entry of a column, a row or the slot of a bulk, belongs."""
    n_rows = layout.codes.shape[1]
    if entry < n_rows:
        return np.int64(layout.codes[column, entry])
    first = layout.bulk_start[column] + layout.has_gaps[column]  # the gaps come before all other bulks
    return layout.bulks[first + (entry - n_rows - 1), 3]


@kernel
def better(best: Any, edge: float, cut: int, gap_right: bool) -> Any:
    """Return the better of two (|edge|, cut, gaps' side, edge): the larger |edge|, the earlier stump on ties."""
    if abs(edge) > best[0] or (abs(edge) == best[0] and cut < best[1]):
        return abs(edge), cut, gap_right, edge
    return best


@kernel
def best_cut(layout: Any, column: int, extended: Any, signed_total: float, gaps: float) -> Any:
    """Return |edge|, cut, gaps' side and edge of the best cut of a numeric column whose slots are filled."""
    entries, group_ends = layout.entries, layout.group_ends
    start, stop = layout.entry_start[column], layout.entry_start[column + 1]
    middle = layout.entry_middle[column]
    best = (0.0, -1, False, 0.0)
    least = 0.0
    running = 0.0
    for k in range(start, stop):
        if k == middle:
            running = 0.0
        running += extended[entries[k]]
        edge = 2.0 * running - signed_total
        if not group_ends[k] or max(abs(edge), abs(edge + 2.0 * gaps)) < least:
            continue
        group = entry_group(layout, column, np.int64(entries[k]))
        if k < middle:  # all groups up to this one are on the left
            best = better(best, -edge - 2.0 * gaps, group, False)
            best = better(best, -edge, group, True)
        else:  # all groups from this one on are on the right
            best = better(best, edge, group - 1, False)
            best = better(best, edge + 2.0 * gaps, group - 1, True)
        least = best[0]
    return best


@kernel
def best_value(layout: Any, column: int, extended: Any, signed_total: float, gaps: float) -> Any:
    """Return |edge|, value, gaps' side and edge of the best value of a nominal column whose slots are filled."""
    start, stop = layout.entry_start[column], layout.entry_start[column + 1]
    best = (0.0, -1, False, 0.0)
    most = signed_total - gaps
    for k in range(start, stop + 1):
        value, group = most, layout.left_out[column]
        if k < stop:
            entry = np.int64(layout.entries[k])
            value, group = extended[entry], entry_group(layout, column, entry)
            most -= value
        best = better(best, 2.0 * value - signed_total, group, False)
        if stop > start:  # a single value has no rest to which the gaps could not belong
            best = better(best, 2.0 * (value + gaps) - signed_total, group, True)
    return best


@kernel
def best_stump(
    layout: Any, column: int, extended: Any, whole: Any, signed_total: float
) -> tuple[float, int, bool, int]:
    """Return the largest |edge| of a column, and cut, gaps' side and polarity of its first stump with that |edge|.

    0 and anything for a column without a stump.
    """
    has_gaps = layout.has_gaps[column]
    if layout.n_groups[column] == 0 or (layout.n_groups[column] == 1 and not has_gaps):
        return 0.0, -1, True, 1
    first, last = layout.bulk_start[column], layout.bulk_start[column + 1]
    fill_slots(extended, whole, layout.members, layout.bulks, first, last)
    gaps = extended[layout.codes.shape[1]] if has_gaps else 0.0
    if layout.nominal[column]:
        best = best_value(layout, column, extended, signed_total, gaps)
    else:
        best = best_cut(layout, column, extended, signed_total, gaps)
    if has_gaps and abs(2.0 * gaps - signed_total) > best[0]:
        best = (abs(2.0 * gaps - signed_total), -1, True, 2.0 * gaps - signed_total)
    return best[0], best[1], best[2], 1 if best[3] > 0.0 else -1


@kernel
def load_weights(signed: Any, extended: Any, whole: Any) -> tuple[float, float]:
    """Copy signed weights into `extended` and, as integers, into `whole`; returns their sum and that of the weights."""
    signed_total = total = np.int64(0)
    for row in range(len(signed)):
        value = np.int64(signed[row])
        extended[row] = signed[row]
        whole[row] = value
        signed_total += value
        total += abs(value)
    return float(signed_total), float(total)


@kernel
def reweight(
    layout: Any, stump: Any, shrink: float, grow: float, extended: Any, whole: Any, averaging: Any
) -> tuple[int, float, float]:
    """Apply one stump to the signed weights, in `extended` and, as integers, in `whole`.

    `stump` is (column, |edge|, cut, gaps' side, polarity). W <- max(1, rint(W shrink)) for the rows it has right,
    W <- max(1, rint(W grow)) for the others. Returns the averaging weight of the rows it has right, the sum of the new
    signed weights and that of the weights.
    """
    column, _, cut, gap_right, polarity = stump
    codes = layout.codes[column]
    gap_code = layout.n_groups[column]
    low, high, extra = cut + 1, gap_code - 1 + gap_right, gap_code  # a right side is low..high and extra
    if cut < 0:
        low = high = gap_code
    elif layout.nominal[column]:
        low = high = cut
    if not gap_right:
        extra = low
    agreed = signed_total = total = np.int64(0)
    above = whole.view(np.float64)  # 2^52 + W, rounded half to even by the addition
    for row in range(len(codes)):
        code = np.int64(codes[row])
        on_right = ((low <= code) & (code <= high)) | (code == extra)
        value = extended[row]
        correct = (value * polarity > 0.0) == on_right
        rounded = max(abs(value) * (shrink if correct else grow) + TWO_52, TWO_52 + 1.0)
        above[row] = rounded
        extended[row] = math.copysign(rounded - TWO_52, value)
        agreed += averaging[row] if correct else 0
    for row in range(len(codes)):
        weight = whole[row] - TWO_52_BITS
        signed = weight if extended[row] > 0.0 else -weight
        whole[row] = signed
        signed_total += signed
        total += weight
    return agreed, float(signed_total), float(total)


@kernel
def cap_weights(extended: Any, whole: Any, n_rows: int, limit: float) -> tuple[float, float]:
    """Bring every weight down to `limit`; returns the sum of the signed weights and that of the weights."""
    for row in range(n_rows):
        extended[row] = math.copysign(min(abs(extended[row]), limit), extended[row])
    return load_weights(extended[:n_rows], extended, whole)


@kernel(parallel=True)
def bounds_on_threads(
    layout: Any, active: Any, extended: Any, whole: Any, signed_total: float, bounds: Any, n_threads: int
) -> None:
    """Write an upper bound of each active column's largest |edge| into `bounds` (d,), the columns dealt out to threads."""
    for thread in numba.prange(n_threads):
        edge_bounds(layout, active[thread::n_threads], extended.copy(), whole.copy(), signed_total, bounds)


@kernel
def choose_stump(
    layout: Any, active: Any, extended: Any, whole: Any, signed_total: float, bounds: Any
) -> tuple[int, float, int, bool, int]:
    """Return column, |edge|, cut, gaps' side and polarity of the stump of largest |edge|; column -1 if all edges are 0.

    The column of the largest bound (ties: the smallest column) is looked at closely, its bound becomes its edge, until
    the largest one is known to be an edge. `bounds` (d,) holds the column's edges where they were looked at.
    """
    best, best_edge, best_cut, best_gap_right, best_polarity = -1, 0.0, 0, False, 0
    while True:
        column, bound = -1, 0.0
        for candidate in active:
            if bounds[candidate] > bound:
                column, bound = candidate, bounds[candidate]
        if column < 0 or column == best:
            return column, best_edge, best_cut, best_gap_right, best_polarity
        edge, cut, gap_right, polarity = best_stump(layout, column, extended, whole, signed_total)
        bounds[column] = edge
        if edge > best_edge or (edge == best_edge and column < best):
            best, best_edge, best_cut, best_gap_right, best_polarity = column, edge, cut, gap_right, polarity


@kernel
def train(
    layout: Any,
    runs: Runs,
    problem: int,
    active: Any,
    first: int,
    weight_cap: float,
    learning_rate: float,
    n_threads: int,
) -> None:
    """Train rounds `first`, `first + 1`, ... of one problem on the active columns, which stand in ascending order.

    The signed weights at the start of round `first` are read from the snapshots. If the run has gone through that
    round before, on at least these columns, its bounds are still good. A weight cap of 0 is none. The learning
    rate is the part of an edge that is acted on: gamma stands for learning_rate * gamma in eq. (2) and in the update.
    """
    n_rows = layout.codes.shape[1]
    extended, whole = np.empty(layout.n_extended), np.empty(layout.n_extended, np.int64)
    signed_total, total = load_weights(runs.snapshots[problem, first], extended, whole)
    averaging_total = runs.averaging.sum()
    used = np.zeros(layout.codes.shape[0], np.bool_)
    used[runs.column[problem, :first]] = True
    known = runs.n_rounds[problem] > first
    runs.n_rounds[problem] = first
    threaded = n_threads > 1 and n_rows * len(active) >= THREADED_FROM
    for t in range(first, runs.column.shape[1]):
        kept = t % len(runs.snapshots[problem])
        bounds = runs.bounds[problem, kept]
        if not known and threaded:
            bounds_on_threads(layout, active, extended, whole, signed_total, bounds, n_threads)
        elif not known:
            edge_bounds(layout, active, extended, whole, signed_total, bounds)
        known = False
        stump = choose_stump(layout, active, extended, whole, signed_total, bounds)
        column, edge, cut, gap_right, polarity = stump
        if column < 0:
            break
        if not used[column]:
            runs.snapshots[problem, kept] = extended[:n_rows]
            used[column] = True
        perfect = edge == total
        gamma = 1.0 - 1.0 / n_rows if perfect else learning_rate * (edge / total)
        runs.edge[problem, t] = edge / total
        agreed, signed_total, total = reweight(
            layout, stump, 1.0 / (1.0 + gamma), 1.0 / (1.0 - gamma), extended, whole, runs.averaging
        )
        runs.column[problem, t] = column
        runs.cut[problem, t] = cut
        runs.gap_right[problem, t] = gap_right
        runs.polarity[problem, t] = polarity
        runs.alpha[problem, t] = 0.5 * math.log((1.0 + gamma) / (1.0 - gamma))  # eq. (2)
        runs.u[problem, t] = 2 * agreed - averaging_total
        runs.n_rounds[problem] = t + 1
        if perfect:
            break
        if weight_cap > 0.0:
            limit = max(1.0, math.floor(weight_cap * total / n_rows))
            signed_total, total = cap_weights(extended, whole, n_rows, limit)


@kernel
def first_edges(layout: Any, runs: Runs, problem: int, active: Any) -> Any:
    """Return the largest |edge| of each active column under the start weights, as a share of the total weight."""
    extended, whole = np.empty(layout.n_extended), np.empty(layout.n_extended, np.int64)
    signed_total, total = load_weights(runs.snapshots[problem, 0], extended, whole)
    edges = np.zeros(layout.codes.shape[0])
    for column in active:
        edges[column] = best_stump(layout, column, extended, whole, signed_total)[0] / total
    return edges
