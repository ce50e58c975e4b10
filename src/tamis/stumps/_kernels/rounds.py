"""Rounds of boosting on histograms, one after the other, by several threads together.

Every thread runs `play` from beginning to end. Long work is shared out by `part`; short work each thread does for itself,
with the same result; after shared work they `meet`. What one thread writes and another reads is never written again
before both have met.

Symbols, arrays and stumps as in `bounds`.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tamis._jit import kernel
from tamis.stumps._kernels.barrier import meet
from tamis.stumps._kernels.bounds import bounds, contenders
from tamis.stumps._kernels.fields import (
    CHUNK,
    INFO,
    NEGATIVE,
    POSITIVE,
    STATE,
    Bytes,
    Flags,
    Floats,
    Ints,
    Stump,
)
from tamis.stumps._kernels.histograms import (
    Rows,
    add_small,
    cap_weights,
    full_histogram,
    listed_sums,
    mix,
    scale,
    take_small,
)
from tamis.stumps._kernels.ordering import Order, Table, distribute, open_bins
from tamis.stumps._kernels.searching import best_stump, scan
from tamis.stumps._kernels.splitting import exact_histograms, sides
from tamis.stumps._kernels.weights import Settings, factors, largest_weight, stump_figures

ULP = 2.0**-53
DONE, WAITING, GAVE_UP = 0, 1, 2
NOBODY = -2  # the column of a stump on which the threads did not agree: one of them gave up
FEW_WORDS = 4  # a thread: with fewer words the rows are shared out, not the words


class Account(NamedTuple):
    """Sums over the rows, (2,) each: the positive class first."""

    weight: Floats  # under the present weights, exact
    error: Floats  # how far H may be off, in sum over the cells of a unit
    n_rows: Floats
    averaging: Floats  # of what u sums over
    each: Floats  # what a row counts in it, where rows of a class count the same


class Game(NamedTuple):
    """What the rounds of a model read, and the arrays that they write."""

    table: Table
    order: Order
    rows: Rows
    units: Ints  # (d,) the unit of each column
    info: Ints  # (d, 7)
    flags: Bytes  # (d, 256)
    counts: Floats  # (units, 2, 256) the number of rows in each cell
    averaging: Floats  # (n,) what u sums over; (0,) if rows of a class count the same
    sharers: Floats  # (2,) a cap is so many times the total weight over this, for either class
    positive: Ints  # (2,) positions of the positive rows
    H: Floats  # (units, 2, 256)
    parts: Floats  # (threads, units, 2, 256) room for histograms of a share of the rows
    limits: Floats  # (2, d) room for bounds
    inside: Floats  # (t, 6) room for the best stumps inside bins
    account: Account
    settings: Settings
    rebuild: float  # from which share of the weight on an error is too large
    used: Flags  # (d,) bool, columns whose first use has been kept
    meeting: Ints  # (3,) where the threads meet


@kernel
def search(game, H, columns, info, eps, part, n_parts):
    """The best stump in some columns, its |edge|, and the columns among which histograms cannot decide."""
    S = game.account.weight[POSITIVE] - game.account.weight[NEGATIVE]
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
            between, tasks, S, eps, info, game.order, game.rows.weights, game.positive, game.inside,
            part, n_parts,
        )  # fmt: skip
    together &= meet(game.meeting, n_parts)
    stump, size, rivals = best_stump(between, tasks, game.inside, eps)
    if not together:
        stump = Stump(np.int64(NOBODY), stump.cut, stump.last, stump.gap_right)
    return stump, size, rivals


@kernel
def edge_error(errors, weights):
    """How far an edge read from the histograms may be off, eq. (4) of docs/engine.md; arguments by class."""
    off = errors[POSITIVE] + errors[NEGATIVE]
    return 1.0001 * (2.0 * off + 1200.0 * ULP * (weights[POSITIVE] + weights[NEGATIVE]))


@kernel
def _next_stump(game, columns, part, n_parts):
    """The best stump; column -1 if there is none."""
    account = game.account
    exact = account.error[POSITIVE] + account.error[NEGATIVE] == 0.0
    eps = 0.0 if exact else edge_error(account.error, account.weight)
    stump, _, rivals = search(game, game.H, columns, game.info, eps, part, n_parts)
    if len(rivals) > 0:
        H = exact_histograms(
            rivals, game.table.words, game.info, game.table.bin_of, game.positive, game.rows.weights
        )
        info = game.info.copy()
        for i in range(len(rivals)):
            info[rivals[i], INFO.unit] = i
            info[rivals[i], INFO.n_cells] = 0
        if stump.column != NOBODY:
            stump = search(game, H, rivals, info, 0.0, part, n_parts)[0]
    return stump


@kernel
def _class_sums(rows, by_chunk):
    """Sums of the chunks' entries over the positive and the negative rows."""
    sums = np.zeros(2)
    for c in range(len(by_chunk)):
        sums[rows.chunks[c, CHUNK.label]] += by_chunk[c]
    return sums


@kernel
def edge_of_sides(small, totals, small_right):
    """Right less left, positive less negative rows, from what the small sides hold: exact integers."""
    edge = 0.0
    for label in (POSITIVE, NEGATIVE):
        surplus = (
            2.0 * small[label] - totals[label] if small_right[label] else totals[label] - 2.0 * small[label]
        )
        edge += surplus if label == POSITIVE else -surplus
    return edge


@kernel
def _split(game, stump, small_right, part, n_parts):
    """Take the rows on the small sides of a stump out; whether all threads have is returned, `small_right` written."""
    small = np.empty((2, 256), np.uint8)
    parted = sides(
        game.counts, game.info, game.table.bin_of, game.order, game.positive, stump, small, small_right
    )
    unit = game.units[stump.column]
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
def after_stump(g, on_plus, weight, error, taken, n_rows):
    """What a stump makes of the weights and of the error of the histograms; arguments and answers (2,), by class.

    `on_plus` tells whether the stump says +1 on the small side, which weighs `taken`.

    Returns
    -------
    big, small : the factors of the weights on either side
    errors : how far the histograms may be off afterwards, eq. (3) of docs/engine.md
    """
    correct, wrong = factors(g)
    big, small, errors = np.empty(2), np.empty(2), np.empty(2)
    for label in range(2):
        good = on_plus[label] == (label == POSITIVE)
        small[label] = correct if good else wrong
        big[label] = wrong if good else correct
        moved = big[label] * (weight[label] + error[label]) + small[label] * taken[label]
        errors[label] = big[label] * error[label] + n_rows[label] + 8.0 * ULP * moved
    return big, small, errors


@kernel
def _advance(game, g, on_plus, taken, part, n_parts):
    """Bring weights, histograms and what these may be off on to the next round.

    `on_plus` tells of either class whether the stump says +1 on its small side, which weighs `taken`. Returns whether all
    threads came to the end.
    """
    rows, account = game.rows, game.account
    weight_cap = game.settings.weight_cap
    big, small, errors = after_stump(g, on_plus, account.weight, account.error, taken, account.n_rows)
    keep_up = weight_cap == 0.0 and game.rebuild > 0.0
    if keep_up:
        _advance_histograms(game, big, small, part, n_parts)
    scale(rows, big, small, part)
    together = meet(game.meeting, n_parts)
    if weight_cap > 0.0:
        weight = rows.sums.sum()
        caps = np.empty(2)
        for label in range(2):
            caps[label] = largest_weight(weight_cap, weight, game.sharers[label])
        together &= meet(game.meeting, n_parts)
        cap_weights(rows, caps, part)
        together &= meet(game.meeting, n_parts)
    weights = _class_sums(rows, rows.sums)
    too_far = edge_error(errors, weights) > game.rebuild * (weights[POSITIVE] + weights[NEGATIVE])
    if not keep_up or too_far:
        _new_histograms(game, part, n_parts)
        errors[:] = 0.0
    together &= meet(game.meeting, n_parts)
    if part == 0:
        account.weight[:] = weights
        account.error[:] = errors
    return together & meet(game.meeting, n_parts)


@kernel
def _add(game, rounds, stump, t, part, n_parts):
    """Add a stump and go on to the next round; returns whether it was added, whether it is the last, and all is well."""
    account = game.account
    totals = account.weight.copy()
    small_right = np.empty(2, np.bool_)
    together = _split(game, stump, small_right, part, n_parts)
    taken = _class_sums(game.rows, game.rows.small_sums)
    edge = edge_of_sides(taken, totals, small_right)
    if edge == 0.0 or not together:
        return False, True, together
    if len(game.averaging) == 0:
        counted = _class_sums(game.rows, game.rows.counts) * account.each
    else:
        counted = listed_sums(game.rows, game.averaging)
    total, n_rows = totals[POSITIVE] + totals[NEGATIVE], account.n_rows[POSITIVE] + account.n_rows[NEGATIVE]
    gamma, g, alpha, perfect = stump_figures(edge, total, n_rows, game.settings.learning_rate)
    polarity = 1 if edge > 0 else -1
    if part == 0:
        _enter(rounds, t, stump)
        rounds.polarity[t] = polarity
        rounds.alpha[t] = alpha
        rounds.u[t] = polarity * edge_of_sides(counted, account.averaging, small_right)
        rounds.edge[t] = gamma
    if not perfect:
        for label in range(2):
            small_right[label] = small_right[label] == (edge > 0)
        together = _advance(game, g, small_right, taken, part, n_parts)
    return True, perfect, together


@kernel
def _enter(rounds, t, stump):
    """Write where the stump of a round cuts."""
    rounds.column[t] = stump.column
    rounds.cut[t] = stump.cut
    rounds.last[t] = stump.last
    rounds.gap_right[t] = stump.gap_right


@kernel
def play(game, rounds, columns, n_rounds, keep, part, n_parts):
    """Add stumps until there are `n_rounds`, or there will be no more.

    With `keep` it stops before a column is used for the first time, its stump entered, and returns WAITING.

    Parameters
    ----------
    game : Game, whose H, rows, order, account and rooms are written
    rounds : Rounds, written
    columns : the columns that stumps may use
    """
    t = rounds.state[STATE.n_rounds]
    n_given = rounds.state[STATE.n_given]
    finished = rounds.state[STATE.finished] > 0
    answer = DONE
    together = True
    while t < n_rounds and not finished and together and answer == DONE:
        if t < n_given:
            stump = Stump(rounds.column[t], rounds.cut[t], rounds.last[t], rounds.gap_right[t] > 0)
        else:
            stump = _next_stump(game, columns, part, n_parts)
        if stump.column < 0:
            together = stump.column != NOBODY
            finished = True
        elif keep and not game.used[stump.column]:
            answer = WAITING
            if part == 0:
                _enter(rounds, t, stump)
        else:
            added, finished, together = _add(game, rounds, stump, t, part, n_parts)
            t += added
    together &= meet(game.meeting, n_parts)
    if part == 0:
        rounds.state[STATE.n_rounds] = t
        rounds.state[STATE.finished] = finished
        rounds.state[STATE.n_given] = t + (answer == WAITING)
    return answer if together else GAVE_UP
