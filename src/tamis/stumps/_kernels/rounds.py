"""Rounds of boosting on histograms, one after the other, by several threads together.

Every thread runs `play` from beginning to end. Long work is shared out by `part`; short work each thread does for itself,
with the same result; after shared work they `meet`. What one thread writes and another reads is never written again
before both have met.

Symbols, arrays and the place of a stump as in `bounds`.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tamis._jit import kernel
from tamis.stumps._kernels.barrier import meet
from tamis.stumps._kernels.bounds import N_CELLS, UNIT, bounds, contenders
from tamis.stumps._kernels.histograms import (
    add_small,
    cap_weights,
    full_histogram,
    listed_sums,
    mix,
    scale,
    take_small,
)
from tamis.stumps._kernels.ordering import distribute, open_bins
from tamis.stumps._kernels.searching import best_stump, scan
from tamis.stumps._kernels.splitting import exact_histograms, sides

ULP = 2.0**-53
DONE, WAITING, GAVE_UP = 0, 1, 2
FEW_WORDS = 4  # a thread: with fewer words the rows are shared out, not the words


class Game(NamedTuple):
    """What the rounds of a model read, and the arrays that they write."""

    table: Any  # a Table
    order: Any  # an Order
    rows: Any  # Rows
    units: Any  # (d,) the unit of each column
    info: Any  # (d, 7)
    flags: Any  # (d, 256)
    counts: Any  # (units, 2, 256) the number of rows in each cell
    averaging: Any  # (n,) what u sums over; (0,) if it counts rows
    sharers: Any  # (2,) a cap is so many times the total weight over this, for either class
    positive: Any  # (2,) positions of the positive rows
    H: Any  # (units, 2, 256)
    parts: Any  # (threads, units, 2, 256) room for histograms of a share of the rows
    limits: Any  # (2, d) room for bounds
    found: Any  # (t, 6) room for the best stumps inside bins
    account: Any  # (8,) by class: weight, possible error of H, rows, what u sums to
    settings: (
        Any  # (3,) weight cap or 0, learning rate, the share of the weight from which an error is too large
    )
    meeting: Any  # (3,) where the threads meet


class Rounds(NamedTuple):
    """The stumps so far, and which columns they use."""

    place: Any  # (T, 4) column, bin, last, right
    figures: Any  # (T, 4) polarity, alpha, u, edge
    state: Any  # (3,) how many there are; 1 if there will be no more; rounds whose place is given beforehand
    used: Any  # (d,) bool, columns whose first use has been kept


@kernel
def search(game, H, columns, info, eps, part, n_parts):
    """The best stump in some columns: place, its |edge|, and the columns among which histograms cannot decide."""
    S = game.account[0] - game.account[1]
    bin_of = game.table.bin_of
    bounds(H, columns, S, info, game.flags, bin_of, game.limits, part, n_parts)
    together = meet(game.meeting, n_parts)
    between, tasks = contenders(H, columns, game.limits, S, eps, info, game.flags, bin_of)
    if len(tasks) > 0 and together:
        distribute(game.table, game.units, game.order, tasks, part, n_parts)
        together = meet(game.meeting, n_parts)
        open_bins(game.table, game.order, tasks, part, n_parts)
        together &= meet(game.meeting, n_parts)
        scan(
            between, tasks, S, eps, info, game.order, game.rows.weights, game.positive, game.found,
            part, n_parts,
        )  # fmt: skip
    together &= meet(game.meeting, n_parts)
    column, k, last, right, size, rivals = best_stump(between, tasks, game.found, eps)
    return np.array([column if together else -2, k, last, np.int64(right)]), size, rivals


@kernel
def _error(account):
    """How far an edge read from the histograms may be off."""
    off = account[2] + account[3]
    return 1.0001 * (2.0 * off + 1200.0 * ULP * (account[0] + account[1])) if off > 0.0 else 0.0


@kernel
def _best_place(game, columns, part, n_parts):
    """The place of the best stump; column -1 if there is none."""
    place, _, rivals = search(game, game.H, columns, game.info, _error(game.account), part, n_parts)
    if len(rivals) > 0:
        H = exact_histograms(
            rivals, game.table.words, game.info, game.table.bin_of, game.positive, game.rows.weights
        )
        info = game.info.copy()
        for i in range(len(rivals)):
            info[rivals[i], UNIT] = i
            info[rivals[i], N_CELLS] = 0
        if place[0] != -2:
            place = search(game, H, rivals, info, 0.0, part, n_parts)[0]
    return place


@kernel
def _class_sums(rows, by_chunk):
    """Sums of the chunks' entries over the positive and the negative rows."""
    sums = np.zeros(2)
    for c in range(len(by_chunk)):
        sums[rows.chunks[c, 2]] += by_chunk[c]
    return sums


@kernel
def _edge(small, totals, small_right):
    """Right less left, positive less negative rows, from what the small sides hold: exact integers."""
    positive = 2.0 * small[0] - totals[0] if small_right[0] else totals[0] - 2.0 * small[0]
    negative = 2.0 * small[1] - totals[1] if small_right[1] else totals[1] - 2.0 * small[1]
    return positive - negative


@kernel
def _split(game, place, small_right, part, n_parts):
    """Take the rows on the small sides of a stump out; whether all threads have, and `small_right`, are returned."""
    small = np.empty((2, 256), np.uint8)
    column, k, last, right = place[0], place[1], place[2], place[3] > 0
    parted = sides(
        game.counts, game.info, game.table.bin_of, game.order, game.positive,
        column, k, last, right, small, small_right,
    )  # fmt: skip
    unit = game.units[column]
    take_small(
        game.table.words[unit // 4], np.uint32(8 * (unit % 4)), small, parted, game.rows, part, n_parts
    )
    return meet(game.meeting, n_parts)


@kernel
def _advance_histograms(game, big, small, part, n_parts):
    """H <- f_big H + (f_small - f_big) H_small, each thread its share of words or, where these are few, of rows."""
    words = game.table.words
    n_units = game.H.shape[0]
    n_listed = game.rows.counts.sum()
    by_rows = n_parts > 1 and len(words) < FEW_WORDS * n_parts
    n_words = len(words)
    first_word, last_word = part * n_words // n_parts, (part + 1) * n_words // n_parts
    h = game.parts[part]
    if by_rows:
        first, last = part * n_listed // n_parts, (part + 1) * n_listed // n_parts
        for g in range(n_words):
            h[4 * g : 4 * g + 4] = 0.0
            add_small(words[g], game.rows, first, last, h[4 * g : 4 * g + 4])
        if not meet(game.meeting, n_parts):
            return
        for unit in range(part * n_units // n_parts, (part + 1) * n_units // n_parts):
            for other in range(1, n_parts):
                game.parts[0, unit] += game.parts[other, unit]
            mix(game.H[unit : unit + 1], game.parts[0, unit : unit + 1], big, small)
    else:
        for g in range(first_word, last_word):
            h[4 * g : 4 * g + 4] = 0.0
            add_small(words[g], game.rows, 0, n_listed, h[4 * g : 4 * g + 4])
            mix(game.H[4 * g : 4 * g + 4], h[4 * g : 4 * g + 4], big, small)


@kernel
def _new_histograms(game, part, n_parts):
    """H from all rows."""
    full_histogram(game.table.words, game.rows, game.rows.weights, game.parts, part, n_parts)
    if not meet(game.meeting, n_parts):
        return
    n_units = game.H.shape[0]
    for unit in range(part * n_units // n_parts, (part + 1) * n_units // n_parts):
        game.H[unit] = game.parts[0, unit]
        for other in range(1, n_parts):
            game.H[unit] += game.parts[other, unit]


@kernel
def _advance(game, gamma, on_plus, taken, part, n_parts):
    """W <- max(1, rint(W / (1 +- gamma))), the histograms with them, and what these may be off.

    `on_plus` tells of either class whether the stump says +1 on its small side, which weighs `taken`. Returns whether all
    threads came to the end.
    """
    rows, account = game.rows, game.account
    cap, anew = game.settings[0], game.settings[2]
    correct, wrong = 1.0 / (1.0 + gamma), 1.0 / (1.0 - gamma)
    big, small, errors = np.empty(2), np.empty(2), np.empty(2)
    for label in range(2):
        good = on_plus[label] == (label == 0)
        small[label] = correct if good else wrong
        big[label] = wrong if good else correct
        moved = big[label] * (account[label] + account[2 + label]) + small[label] * taken[label]
        errors[label] = big[label] * account[2 + label] + account[4 + label] + 8.0 * ULP * moved
    keep_up = cap == 0.0 and anew > 0.0
    if keep_up:
        _advance_histograms(game, big, small, part, n_parts)
    scale(rows, big, small, part)
    together = meet(game.meeting, n_parts)
    if cap > 0.0:
        weight = rows.sums.sum()
        caps = np.empty(2)
        for label in range(2):
            caps[label] = max(1.0, math.floor(cap * weight / game.sharers[label]))
        together &= meet(game.meeting, n_parts)
        cap_weights(rows, caps, part)
        together &= meet(game.meeting, n_parts)
    totals = _class_sums(rows, rows.sums)
    off = errors[0] + errors[1]
    eps = 1.0001 * (2.0 * off + 1200.0 * ULP * (totals[0] + totals[1]))
    if not keep_up or eps > anew * (totals[0] + totals[1]):
        _new_histograms(game, part, n_parts)
        errors[:] = 0.0
    together &= meet(game.meeting, n_parts)
    if part == 0:
        account[:2] = totals
        account[2:4] = errors
    return together & meet(game.meeting, n_parts)


@kernel
def _add(game, rounds, place, t, part, n_parts):
    """Add a stump and go on to the next round; returns whether it was added, whether it is the last, and all is well."""
    account = game.account
    totals = account[:2].copy()
    small_right = np.empty(2, np.bool_)
    together = _split(game, place, small_right, part, n_parts)
    taken = _class_sums(game.rows, game.rows.small_sums)
    edge = _edge(taken, totals, small_right)
    if edge == 0.0 or not together:
        return False, True, together
    if len(game.averaging) == 0:
        counted = _class_sums(game.rows, game.rows.counts)
    else:
        counted = listed_sums(game.rows, game.averaging)
    total = totals[0] + totals[1]
    gamma = abs(edge) / total
    last = abs(edge) == total
    used = 1.0 - 1.0 / (account[4] + account[5]) if last else game.settings[1] * gamma
    polarity = 1.0 if edge > 0 else -1.0
    if part == 0:
        rounds.place[t] = place
        rounds.figures[t, 0] = polarity
        rounds.figures[t, 1] = 0.5 * math.log((1.0 + used) / (1.0 - used))
        rounds.figures[t, 2] = polarity * _edge(counted, account[6:], small_right)
        rounds.figures[t, 3] = gamma
    if not last:
        for label in range(2):
            small_right[label] = small_right[label] == (edge > 0)
        together = _advance(game, used, small_right, taken, part, n_parts)
    return True, last, together


@kernel
def play(game, rounds, columns, n_rounds, keep, part, n_parts):
    """Add stumps until there are `n_rounds`, or there will be no more.

    With `keep` it stops before a column is used for the first time, its place entered, and returns WAITING.

    Parameters
    ----------
    game : Game, whose H, rows, order, account and rooms are written
    rounds : Rounds, written
    columns : the columns that stumps may use
    """
    t = rounds.state[0]
    n_given = rounds.state[2]
    finished = rounds.state[1] > 0
    answer = DONE
    together = True
    while t < n_rounds and not finished and together and answer == DONE:
        if t < n_given:
            place = rounds.place[t].copy()
        else:
            place = _best_place(game, columns, part, n_parts)
        if place[0] < 0:
            together = place[0] == -1
            finished = True
        elif keep and not rounds.used[place[0]]:
            answer = WAITING
            if part == 0:
                rounds.place[t] = place
        else:
            added, finished, together = _add(game, rounds, place, t, part, n_parts)
            t += added
    together &= meet(game.meeting, n_parts)
    if part == 0:
        rounds.state[0] = t
        rounds.state[1] = finished
        rounds.state[2] = t + (answer == WAITING)
    return answer if together else GAVE_UP
