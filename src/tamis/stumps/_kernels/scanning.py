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

import numpy as np

from tamis._jit import kernel
from tamis.stumps._kernels.sorting import (
    BULK_START,
    ENTRY_MIDDLE,
    ENTRY_START,
    HAS_GAPS,
    LEFT_OUT,
    N_GROUPS,
    NOMINAL,
)

TWO_52 = 4503599627370496.0
TWO_52_BITS = np.int64(0x4330000000000000)  # how float64 holds 2^52; 2^52 + w is held as that plus w
FAR = np.int64(1) << np.int64(60)  # beyond every sum
COLUMN, CUT, GAP_RIGHT, POLARITY = range(4)  # of `Runs.stumps`
ALPHA, U, EDGE = range(3)  # of `Runs.figures`


class Runs(NamedTuple):
    """The boosted models of several problems (one row each) on the same table, and what a restart needs."""

    n_rounds: Any  # (problems,) rounds trained
    stumps: Any  # (problems, T, 4) column, cut, gaps' side, polarity; see `best_stump`
    figures: Any  # (problems, T, 3) alpha, u, gamma
    averaging: Any  # (problems, n) int64, the weights of the rows in u
    sharers: Any  # (problems, 2) a cap is so many times the total weight over this, for positive and for negative rows
    snapshots: Any  # (problems, T or 1, n) signed weights at the start of rounds that first use a column
    bounds: Any  # (problems, T or 1, d) an upper bound of each column's largest |edge| in each round
    extended: Any  # the signed weights of the run at work, with slots behind them; see `sorting`
    whole: Any  # the same as integers
    totals: Any  # (2,) the sum of the signed weights and that of the weights


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
        total = np.int64(0)
        for k in range(
            np.uint64(bulks[bulk, 1]), np.uint64(bulks[bulk, 2])
        ):  # unsigned: Numba then need not care for negative positions
            total += whole[members[k]]
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
    n_rows = layout.codes.shape[1]
    facts, entries = layout.columns, layout.entries
    for column in columns:
        first, last = facts[column, BULK_START], facts[column + 1, BULK_START]
        fill_slots(extended, whole, layout.members, layout.bulks, first, last)
        gaps, bound = 0.0, 0.0
        if facts[column, HAS_GAPS] and facts[column, N_GROUPS] > 0:
            gaps = extended[n_rows]
            bound = abs(2.0 * gaps - signed_total)
        start, stop = facts[column, ENTRY_START], facts[column + 1, ENTRY_START]
        if facts[column, NOMINAL]:
            most = signed_total - gaps
            low, high = math.inf, -math.inf
            for k in range(start, stop):
                value = extended[entries[k]]
                most -= value
                low, high = min(low, value), max(high, value)
            if stop > start:
                bound = larger_edge(bound, min(low, most), max(high, most), gaps, signed_total)
        else:
            middle = facts[column, ENTRY_MIDDLE]
            for _ in range(2):
                if middle > start:
                    low, high = running_extremes(extended, whole, entries, start, middle)
                    bound = larger_edge(bound, low, high, gaps, signed_total)
                start, middle = middle, stop
        bounds[column] = bound


@kernel
def entry_group(codes: Any, bulks: Any, column: int, first: int, entry: int) -> int:
    """Return the group to which an entry of a column, a row or the slot of a bulk, belongs.

    `first` is the first bulk of the column that is not that of its gaps.
    """
    n_rows = codes.shape[1]
    return np.int64(codes[column, entry]) if entry < n_rows else bulks[first + (entry - n_rows - 1), 3]


@kernel
def better(edge: float, place: int, other: float, gaps: float, cut: int) -> tuple[float, int]:
    """Return edge and place of the best of three stumps: the larger |edge|, the smaller place on ties.

    `edge` and `place` are those of the best so far; the edge of a stump with this `cut` is `other` with gaps on its
    left side, and `other` + 2 gaps with gaps on its right. A place is 2 cut, and 1 more where gaps are on the right.
    """
    if abs(other) > abs(edge) or (abs(other) == abs(edge) and 2 * cut < place):
        edge, place = other, 2 * cut
    other += 2.0 * gaps
    if abs(other) > abs(edge) or (abs(other) == abs(edge) and 2 * cut + 1 < place):
        edge, place = other, 2 * cut + 1
    return edge, place


@kernel
def best_stump(layout: Any, column: int, extended: Any, whole: Any, signed_total: float) -> tuple[float, int]:
    """Return the edge of largest size of a column, and the place of its first stump with that size; see `better`.

    A cut is the last group on the left; nominal: the group on the right; -1: known against missing. The edge is 0 for
    a column without a stump.
    """
    facts, entries, codes, bulks = layout.columns, layout.entries, layout.codes, layout.bulks
    has_gaps = facts[column, HAS_GAPS]
    best, place = 0.0, np.int64(-2)
    if facts[column, N_GROUPS] + has_gaps < 2 or facts[column, N_GROUPS] == 0:
        return best, place
    first = facts[column, BULK_START]
    fill_slots(extended, whole, layout.members, bulks, first, facts[column + 1, BULK_START])
    first += has_gaps  # the gaps come before all other bulks
    gaps = extended[codes.shape[1]] if has_gaps else 0.0
    start, stop = facts[column, ENTRY_START], facts[column + 1, ENTRY_START]
    if facts[column, NOMINAL]:
        most = signed_total - gaps
        for k in range(start, stop):
            value = extended[entries[k]]
            most -= value
            group = entry_group(codes, bulks, column, first, np.int64(entries[k]))
            best, place = better(best, place, 2.0 * value - signed_total, gaps, group)
        group = facts[column, LEFT_OUT]  # a single value has no rest to which the gaps could not belong
        best, place = better(best, place, 2.0 * most - signed_total, gaps if stop > start else 0.0, group)
    else:
        middle = facts[column, ENTRY_MIDDLE]
        running, least = 0.0, 0.0
        for k in range(start, stop):
            if k == middle:
                running = 0.0
            running += extended[entries[k]]
            edge = 2.0 * running - signed_total
            if not layout.group_ends[k] or max(abs(edge), abs(edge + 2.0 * gaps)) < least:
                continue
            group = entry_group(codes, bulks, column, first, np.int64(entries[k]))
            if k < middle:  # all groups up to this one are on the left
                best, place = better(best, place, -edge - 2.0 * gaps, gaps, group)
            else:  # all groups from this one on are on the right
                best, place = better(best, place, edge, gaps, group - 1)
            least = abs(best)
    if has_gaps and abs(2.0 * gaps - signed_total) > abs(best):
        best, place = 2.0 * gaps - signed_total, np.int64(-1)
    return best, place


@kernel
def load_weights(signed: Any, limits: Any, extended: Any, whole: Any, totals: Any) -> None:
    """Copy signed weights, brought down to their side's limit, into `extended` and, as integers, into `whole`.

    Written to `totals` (2,): their sum and that of the weights.
    """
    positive, negative = limits
    signed_total = total = np.int64(0)
    for row in range(len(signed)):
        limit = positive if signed[row] > 0.0 else negative
        weight = math.copysign(min(abs(signed[row]), limit), signed[row])
        value = np.int64(weight)
        extended[row] = weight
        whole[row] = value
        signed_total += value
        total += abs(value)
    totals[0], totals[1] = signed_total, total


@kernel
def reweight(
    codes: Any,
    right: Any,
    polarity: int,
    factors: Any,
    extended: Any,
    whole: Any,
    averaging: Any,
    totals: Any,
) -> int:
    """Apply one stump to the signed weights, in `extended` and, as integers, in `whole`.

    Its right side are the codes low..high and extra of `right`. W <- max(1, rint(W shrink)) for the rows it has right,
    W <- max(1, rint(W grow)) for the others, with shrink and grow of `factors`. Returns the averaging weight of the rows
    it has right; written to `totals` (2,): the sum of the new signed weights and that of the weights.
    """
    low, high, extra = right
    shrink, grow = factors
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
    totals[0], totals[1] = signed_total, total
    return agreed


@kernel
def choose_stump(
    layout: Any, active: Any, extended: Any, whole: Any, signed_total: float, bounds: Any
) -> tuple[int, float, int]:
    """Return column, edge and place of the stump of largest |edge|, see `best_stump`; column -1 if all edges are 0.

    The column of the largest bound (ties: the smallest column) is looked at closely, its bound becomes its |edge|, until
    the largest one is known to be an edge. `bounds` (d,) holds the column's |edges| where they were looked at.
    """
    best, best_edge, best_place = np.int64(-1), 0.0, np.int64(0)
    while True:
        column, bound = np.int64(-1), 0.0
        for candidate in active:
            if bounds[candidate] > bound:
                column, bound = candidate, bounds[candidate]
        if column < 0 or column == best:
            return column, best_edge, best_place
        edge, place = best_stump(layout, column, extended, whole, signed_total)
        bounds[column] = abs(edge)
        if abs(edge) > abs(best_edge) or (abs(edge) == abs(best_edge) and column < best):
            best, best_edge, best_place = column, edge, place


@kernel
def train(
    layout: Any, runs: Runs, problem: int, active: Any, first: int, last: int, known: bool, shape: Any
) -> bool:
    """Train rounds `first` to `last` - 1 of one problem on the active columns, which stand in ascending order.

    The signed weights at the start of round `first` are in `runs`; `known` says that its bounds are as well. `shape` is
    the weight cap, 0 for none, and the learning rate, the part of an edge that is acted on: gamma stands for
    learning_rate * gamma in eq. (2) and in the update. Returns whether boosting has come to its end.
    """
    n_rows = layout.codes.shape[1]
    extended, whole, totals, facts = runs.extended, runs.whole, runs.totals, layout.columns
    weight_cap, learning_rate = shape
    averaging, averaging_total = runs.averaging[problem], np.int64(0)
    for row in range(n_rows):
        averaging_total += averaging[row]
    for t in range(first, last):
        kept = t % runs.snapshots.shape[1]
        bounds = runs.bounds[problem, kept]
        if not known:
            edge_bounds(layout, active, extended, whole, totals[0], bounds)
        known = False
        column, edge, place = choose_stump(layout, active, extended, whole, totals[0], bounds)
        if column < 0:
            return True
        earlier = t - 1
        while earlier >= 0 and runs.stumps[problem, earlier, COLUMN] != column:
            earlier -= 1
        if earlier < 0:
            for row in range(n_rows):
                runs.snapshots[problem, kept, row] = extended[row]
        share, perfect = abs(edge) / totals[1], abs(edge) == totals[1]
        gamma = 1.0 - 1.0 / n_rows if perfect else learning_rate * share
        cut, gap_right, polarity = place >> 1, place & 1, 1 if edge > 0.0 else -1
        gap_code = facts[column, N_GROUPS]
        low, high = cut + 1, gap_code - 1 + gap_right
        if cut < 0:
            low = high = gap_code
        elif facts[column, NOMINAL]:
            low = high = cut
        right = (low, high, gap_code if gap_right else low)
        factors = (1.0 / (1.0 + gamma), 1.0 / (1.0 - gamma))
        agreed = reweight(layout.codes[column], right, polarity, factors, extended, whole, averaging, totals)
        runs.stumps[problem, t, COLUMN] = column
        runs.stumps[problem, t, CUT] = cut
        runs.stumps[problem, t, GAP_RIGHT] = gap_right
        runs.stumps[problem, t, POLARITY] = polarity
        runs.figures[problem, t, ALPHA] = 0.5 * math.log((1.0 + gamma) / (1.0 - gamma))  # eq. (2)
        runs.figures[problem, t, U] = 2 * agreed - averaging_total
        runs.figures[problem, t, EDGE] = share
        runs.n_rounds[problem] = t + 1
        if perfect:
            return True
        if weight_cap > 0.0:
            sharers = runs.sharers[problem]
            limits = (
                max(1.0, math.floor(weight_cap * totals[1] / sharers[0])),
                max(1.0, math.floor(weight_cap * totals[1] / sharers[1])),
            )
            load_weights(extended[:n_rows], limits, extended, whole, totals)
    return False
