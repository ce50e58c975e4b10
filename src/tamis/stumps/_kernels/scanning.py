"""Kernels of AdaBoost over stumps on a sorted and grouped table.

Symbols: z_i = y_i W_i, the signed weight of row i, an integer held in float64; S = sum z; Z = sum |z|;
L, R, G the sums of z over the known values left of a cut, right of it, and over the gaps (missing values). Every sum is an integer
below 2^53 and therefore exact in any order. The edge of a stump with +1 on its right side is

    gaps left:   S - 2 (L + G) = 2 R - S            gaps right:  S - 2 L = 2 (R + G) - S

and gamma_t = |edge| / Z, alpha_t as in eq. (2).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tamis._jit import kernel
from tamis.stumps._kernels.fields import (
    BULK,
    COLUMN,
    NEGATIVE,
    POSITIVE,
    STATE,
    TOTALS,
    Floats,
    Index,
    Ints,
    Rounds,
)
from tamis.stumps._kernels.sorting import Layout
from tamis.stumps._kernels.weights import TWO_52, Settings, factors, largest_weight, lifted, stump_figures

TWO_52_BITS = np.int64(0x4330000000000000)  # how float64 holds 2^52; 2^52 + w is held as that plus w
FAR = np.int64(1) << np.int64(60)  # beyond every sum


class Work(NamedTuple):
    """A model on sorted columns, its weights, and what a restart needs."""

    rounds: Rounds  # whose cuts are groups; see `best_stump`
    averaging: Ints  # (n,) int64, the weights of the rows in u
    sharers: Floats  # (2,) positive, negative rows: a cap is so many times the total weight over this
    snapshots: Floats  # (T or 1, n) signed weights at the start of rounds that first use a column
    bounds: Floats  # (T or 1, d) an upper bound of each column's largest |edge| in each round
    extended: Floats  # the signed weights of the present round, with slots behind them; see `sorting`
    whole: Ints  # the same as integers
    totals: Floats  # (3,) see `TOTALS`


@kernel
def larger_edge(best: float, low: float, high: float, gaps: float, signed_total: float) -> float:
    """Return the larger of `best` and the |edges| of stumps with sums `low` and `high` on one side, gaps on either."""
    low, high = 2.0 * low - signed_total, 2.0 * high - signed_total
    best = max(best, max(abs(low), abs(high)))
    return max(best, max(abs(low + 2.0 * gaps), abs(high + 2.0 * gaps)))


@kernel
def running_extremes(
    extended: Floats, whole: Ints, entries: Index, start: int, stop: int
) -> tuple[float, float]:
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
    for step in range(length):
        k = np.uint64(
            step
        )  # as it is where compiled; in plain Python, NumPy 1 would make a float of the sums below
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
    for rest in range(fourth + length, np.uint64(stop)):
        d += whole[entries[rest]]
        low_d = min(low_d, d)
        high_d = max(high_d, d)
    low, high = min(low_a, a + low_b), max(high_a, a + high_b)
    low = min(low, (a + b) + min(low_c, c + low_d))
    high = max(high, (a + b) + max(high_c, c + high_d))
    return low, high


@kernel
def fill_slots(extended: Floats, whole: Ints, members: Index, bulks: Ints, first: int, last: int) -> None:
    """Write the sums over the bulks from `first` to `last` into their slots."""
    for bulk in range(first, last):
        total = np.int64(0)
        # unsigned: Numba then need not care for negative positions
        for k in range(np.uint64(bulks[bulk, BULK.first]), np.uint64(bulks[bulk, BULK.stop])):
            total += whole[members[k]]
        whole[bulks[bulk, BULK.slot]] = total
        extended[bulks[bulk, BULK.slot]] = total


@kernel
def edge_bounds(
    layout: Layout, columns: Ints, extended: Floats, whole: Ints, signed_total: float, bounds: Floats
) -> None:
    """Write an upper bound of each column's largest |edge| into `bounds` (d,).

    The running sums are taken after every entry and not only after every group, which can only make the bound larger
    than the edge, and cannot where every group is of one row, a bulk, or of one class.
    """
    n_rows = layout.codes.shape[1]
    facts, entries = layout.columns, layout.entries
    for column in columns:
        first, last = facts[column, COLUMN.bulk_start], facts[column + 1, COLUMN.bulk_start]
        fill_slots(extended, whole, layout.members, layout.bulks, first, last)
        gaps, bound = 0.0, 0.0
        if facts[column, COLUMN.has_gaps] and facts[column, COLUMN.n_groups] > 0:
            gaps = float(extended[n_rows])
            bound = abs(2.0 * gaps - signed_total)
        start, stop = facts[column, COLUMN.entry_start], facts[column + 1, COLUMN.entry_start]
        if facts[column, COLUMN.nominal]:
            most = signed_total - gaps
            low, high = math.inf, -math.inf
            for k in range(start, stop):
                value = extended[entries[k]]
                most -= value
                low, high = min(low, value), max(high, value)
            if stop > start:
                bound = larger_edge(bound, min(low, most), max(high, most), gaps, signed_total)
        else:
            middle = facts[column, COLUMN.entry_middle]
            for _ in range(2):
                if middle > start:
                    low, high = running_extremes(extended, whole, entries, start, middle)
                    bound = larger_edge(bound, low, high, gaps, signed_total)
                start, middle = middle, stop
        bounds[column] = bound


@kernel
def entry_group(codes: Index, bulks: Ints, column: int, first: int, entry: int) -> int:
    """Return the group to which an entry of a column, a row or the slot of a bulk, belongs.

    `first` is the first bulk of the column that is not that of its gaps.
    """
    n_rows = codes.shape[1]
    return (
        np.int64(codes[column, entry]) if entry < n_rows else bulks[first + (entry - n_rows - 1), BULK.group]
    )


@kernel
def better(edge: float, rank: int, other: float, gaps: float, cut: int) -> tuple[float, int]:
    """Return edge and rank of the best of three stumps: the larger |edge|, the smaller rank on ties.

    `edge` and `rank` are those of the best so far; the edge of a stump with this `cut` is `other` with gaps on its
    left side, and `other` + 2 gaps with gaps on its right. The rank of a stump in its column is
    2 cut, and 1 more where gaps are on the right.
    """
    if abs(other) > abs(edge) or (abs(other) == abs(edge) and 2 * cut < rank):
        edge, rank = other, 2 * cut
    other += 2.0 * gaps
    if abs(other) > abs(edge) or (abs(other) == abs(edge) and 2 * cut + 1 < rank):
        edge, rank = other, 2 * cut + 1
    return edge, rank


@kernel
def best_stump(
    layout: Layout, column: int, extended: Floats, whole: Ints, signed_total: float
) -> tuple[float, int]:
    """Return the edge of largest size of a column, and the rank of its first stump with that size; see `better`.

    A cut is the last group on the left; nominal: the group on the right; -1: known against missing. The edge is 0 for
    a column without a stump.
    """
    facts, entries, codes, bulks = layout.columns, layout.entries, layout.codes, layout.bulks
    has_gaps = facts[column, COLUMN.has_gaps]
    best, rank = 0.0, np.int64(-2)
    if facts[column, COLUMN.n_groups] + has_gaps < 2 or facts[column, COLUMN.n_groups] == 0:
        return best, rank
    first = facts[column, COLUMN.bulk_start]
    fill_slots(extended, whole, layout.members, bulks, first, facts[column + 1, COLUMN.bulk_start])
    first += has_gaps  # the gaps come before all other bulks
    gaps = float(extended[codes.shape[1]]) if has_gaps else 0.0
    start, stop = facts[column, COLUMN.entry_start], facts[column + 1, COLUMN.entry_start]
    if facts[column, COLUMN.nominal]:
        most = signed_total - gaps
        for k in range(start, stop):
            value = extended[entries[k]]
            most -= value
            group = entry_group(codes, bulks, column, first, np.int64(entries[k]))
            best, rank = better(best, rank, 2.0 * value - signed_total, gaps, group)
        group = facts[
            column, COLUMN.left_out
        ]  # a single value has no rest to which the gaps could not belong
        best, rank = better(best, rank, 2.0 * most - signed_total, gaps if stop > start else 0.0, group)
    else:
        middle = facts[column, COLUMN.entry_middle]
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
                best, rank = better(best, rank, -edge - 2.0 * gaps, gaps, group)
            else:  # all groups from this one on are on the right
                best, rank = better(best, rank, edge, gaps, group - 1)
            least = abs(best)
    if has_gaps and abs(2.0 * gaps - signed_total) > abs(best):
        best, rank = 2.0 * gaps - signed_total, np.int64(-1)
    return best, rank


@kernel
def load_weights(
    signed: Floats, limits: tuple[float, float], extended: Floats, whole: Ints, totals: Floats
) -> None:
    """Copy signed weights, brought down to their side's limit, into `extended` and, as integers, into `whole`.

    Written to `totals`: their sum and that of the weights.
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
    totals[TOTALS.signed], totals[TOTALS.weight] = signed_total, total


@kernel
def right_codes(n_groups: int, nominal: bool, cut: int, gap_right: int) -> tuple[int, int, int]:
    """Return the groups on the right side of a stump: low, high for low..high, and one more; `n_groups` is the gaps'."""
    low, high = cut + 1, n_groups - 1 + gap_right
    if cut < 0:
        low = high = n_groups
    elif nominal:
        low = high = cut
    return low, high, n_groups if gap_right else low


@kernel
def first_use(column: Ints, t: int) -> bool:
    """Return whether the column of a round is that of no earlier one."""
    earlier = t - 1
    while earlier >= 0 and column[earlier] != column[t]:
        earlier -= 1
    return earlier < 0


@kernel
def stump_edge(codes: Index, right: tuple[int, int, int], whole: Ints) -> float:
    """Return the signed weight on the right less that on the left."""
    low, high, extra = right
    edge = np.int64(0)
    for row in range(len(codes)):
        code = np.int64(codes[row])
        on_right = ((low <= code) & (code <= high)) | (code == extra)
        edge += whole[row] if on_right else -whole[row]
    return np.float64(edge)


@kernel
def reweight(
    codes: Index,
    right: tuple[int, int, int],
    polarity: int,
    both_factors: tuple[float, float],
    extended: Floats,
    whole: Ints,
    averaging: Ints,
    totals: Floats,
) -> int:
    """Apply one stump to the signed weights, in `extended` and, as integers, in `whole`.

    Its right side are the codes low..high and extra of `right`; `both_factors` are those of `weights.factors`. Returns the
    averaging weight of the rows that it gets right; written to `totals`: the sums over the new weights.
    """
    low, high, extra = right
    shrink, grow = both_factors
    agreed = signed_total = total = np.int64(0)
    above = whole.view(np.float64)  # 2^52 + W
    for row in range(len(codes)):
        code = np.int64(codes[row])
        on_right = ((low <= code) & (code <= high)) | (code == extra)
        value = extended[row]
        correct = (value * polarity > 0.0) == on_right
        rounded = lifted(abs(value), shrink if correct else grow)
        above[row] = rounded
        extended[row] = math.copysign(rounded - TWO_52, value)
        agreed += averaging[row] if correct else 0
    for row in range(len(codes)):
        weight = whole[row] - TWO_52_BITS
        signed = weight if extended[row] > 0.0 else -weight
        whole[row] = signed
        signed_total += signed
        total += weight
    totals[TOTALS.signed], totals[TOTALS.weight] = signed_total, total
    return agreed


@kernel
def choose_stump(
    layout: Layout, active: Ints, extended: Floats, whole: Ints, signed_total: float, bounds: Floats
) -> tuple[int, float, int]:
    """Return column, edge and rank of the stump of largest |edge|, see `best_stump`; column -1 if all edges are 0.

    The column of the largest bound (ties: the smallest column) is looked at closely, its bound becomes its |edge|, until
    the largest one is known to be an edge. `bounds` (d,) holds the column's |edges| where they were looked at.
    """
    best, best_edge, best_rank = np.int64(-1), 0.0, np.int64(0)
    while True:
        column, bound = np.int64(-1), 0.0
        for candidate in active:
            if bounds[candidate] > bound:
                column, bound = candidate, bounds[candidate]
        if column < 0 or column == best:
            return column, best_edge, best_rank
        edge, rank = best_stump(layout, column, extended, whole, signed_total)
        bounds[column] = abs(edge)
        if abs(edge) > abs(best_edge) or (abs(edge) == abs(best_edge) and column < best):
            best, best_edge, best_rank = column, edge, rank


@kernel
def train(layout: Layout, work: Work, active: Ints, last: int, known: bool, settings: Settings) -> None:
    """Add stumps on the active columns, which stand in ascending order, until there are `last`, or no more.

    Rounds whose stump is given are repeated. `known`: the bounds of the first new round are in `work` already. The weights
    at the start of a round are kept if it is the first to use its column. Written: `work`, of which `rounds.state` says
    how far it came.
    """
    n_rows, rounds, state = layout.codes.shape[1], work.rounds, work.rounds.state
    extended, whole, totals = work.extended, work.whole, work.totals
    for t in range(state[STATE.n_rounds], last):
        if t < state[STATE.n_given]:
            column, cut, gap_right = rounds.column[t], rounds.cut[t], rounds.gap_right[t]
            facts = layout.columns[column]
            right = right_codes(facts[COLUMN.n_groups], facts[COLUMN.nominal] > 0, cut, gap_right)
            edge = stump_edge(layout.codes[column], right, whole)
        else:
            bounds, signed_total = work.bounds[t % len(work.bounds)], totals[TOTALS.signed]
            if not known:
                edge_bounds(layout, active, extended, whole, signed_total, bounds)
            known = False
            column, edge, rank = choose_stump(layout, active, extended, whole, signed_total, bounds)
            if column < 0:
                state[STATE.finished] = 1
                return
            cut, gap_right = rank >> 1, rank & 1
            rounds.column[t], rounds.cut[t], rounds.last[t], rounds.gap_right[t] = column, cut, -1, gap_right
            facts = layout.columns[column]
            right = right_codes(facts[COLUMN.n_groups], facts[COLUMN.nominal] > 0, cut, gap_right)
        if first_use(rounds.column, t):
            snapshot = work.snapshots[t % len(work.snapshots)]
            for row in range(n_rows):
                snapshot[row] = extended[row]
        gamma, g, alpha, perfect = stump_figures(edge, totals[TOTALS.weight], n_rows, settings.learning_rate)
        polarity = 1 if edge > 0.0 else -1
        agreed = reweight(
            layout.codes[column], right, polarity, factors(g), extended, whole, work.averaging, totals
        )
        rounds.polarity[t], rounds.alpha[t], rounds.edge[t] = polarity, alpha, gamma
        rounds.u[t] = 2 * agreed - totals[TOTALS.averaging]
        state[STATE.n_rounds] = t + 1
        if perfect:
            state[STATE.finished] = 1
            return
        if settings.weight_cap > 0.0:
            limits = (
                largest_weight(settings.weight_cap, totals[TOTALS.weight], work.sharers[POSITIVE]),
                largest_weight(settings.weight_cap, totals[TOTALS.weight], work.sharers[NEGATIVE]),
            )
            load_weights(extended[:n_rows], limits, extended, whole, totals)
