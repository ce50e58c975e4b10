"""Loops of MarginPrototypes: how the loss changes if a kept row is swapped for another, from short lists.

Symbols
-------
S         the kept rows; `kept[slot]` is the row in a slot, `slots[4, row]` its slot, -1 for a row that is not kept
a1, a2    distances of row i to its nearest and second nearest kept row of its own class, never i itself
b1, b2    the same for the other classes; infinite where there is none
mu        margin, (sqrt b1 - sqrt a1) / (sqrt b1 + sqrt a1)
l(a, b)   the loss of row i: W / (1 + exp(beta mu)); W is `weights[0, i]`, or `weights[1, i]` while i is kept

Distances are squared and counted in steps, as in ``neighbors/_kernels/distance.py``. A loss is a whole multiple of 1 / LOSS_STEPS,
so that sums are exact in any order: the computed change of a swap is its true change, and threads change nothing.

For every row `terms` holds l(a1, b1), l(a2, b1), l(a1, b2), and l(a1, b1) as if the row were not kept. From them
`removal[slot]` is the rise of the loss if that slot is emptied. A candidate c at distance x from row i changes these
terms only where x < a2 (or b2, if the classes differ). Adding c and emptying slot p changes the loss by
gain(c) + removal[p] + correction(c, p).

Who calls whom
--------------
    first_swap -> _measure -> _candidate_distances
    first_swap -> _reached, best_slot -> _row_account, _own_account
    swap       -> _candidate_distances, withdraw, insert, _listed_anew, enter
    listed     -> _listed_anew
    opened     -> enter
    all measure by row_to_block, and count by _loss
"""

from typing import NamedTuple

import numpy as np

from tamis._jit import kernel
from tamis.neighbors._kernels.distance import row_to_block

LOSS_STEPS = 2.0**32
MOST_TOGETHER = 16


class Account(NamedTuple):
    """The rows, which of them are kept, and the losses; the kernels write to all fields from `kept` on."""

    blocks: np.ndarray  # (n_blocks, n_columns, rows of a block): the rows, column by column
    rows: np.ndarray  # (n_rows, n_columns): the same rows, one after the other
    n_plain: int
    codes: np.ndarray  # (n_rows,): their classes
    cache: np.ndarray  # (n_rows, n_rows) int32: their distances, or (0, 0): measured when they are needed
    weights: np.ndarray  # (2, n_rows): W of a row that is not kept, and while it is
    kept: np.ndarray  # (n_kept,)
    kept_blocks: np.ndarray  # (n_blocks of the kept, n_columns, rows of a block): their coordinates by slot
    near: np.ndarray  # (4, n_rows): a1, a2, b1, b2
    slots: np.ndarray  # (5, n_rows): the slots at these distances, -1 for none, and the row's own
    terms: np.ndarray  # (4, n_rows) int64
    removal: np.ndarray  # (n_kept,) int64


@kernel
def _loss(weight, a, b, beta):
    """Return W / (1 + exp(beta mu)) in steps; mu is -1 without a, 1 without b, 0 without both or where both are 0."""
    if a == b:
        mu = 0.0
    elif a == np.inf:
        mu = -1.0
    elif b == np.inf:
        mu = 1.0
    else:
        mu = (np.sqrt(b) - np.sqrt(a)) / (np.sqrt(b) + np.sqrt(a))
    return np.int64(np.rint(LOSS_STEPS * (weight / (1.0 + np.exp(beta * mu)))))


@kernel
def all_distances(blocks, rows, n_plain):
    """Return the (n_rows, n_rows) distances of all rows, int32."""
    n_rows = rows.shape[0]
    block_rows = blocks.shape[2]
    cache = np.empty((n_rows, n_rows), dtype=np.int32)
    totals = np.empty(block_rows)
    for row in range(n_rows):
        for block in range(blocks.shape[0]):
            row_to_block(rows[row], blocks, block, n_plain, totals)
            start = block * block_rows
            for j in range(min(block_rows, n_rows - start)):
                cache[row, start + j] = np.int32(totals[j])
    return cache


@kernel
def insert(near, slots, first, row, distance, slot):
    """Insert a slot that is nearer than the second into a list of two."""
    if distance < near[first, row]:
        near[first + 1, row], slots[first + 1, row] = near[first, row], slots[first, row]
        near[first, row], slots[first, row] = distance, slot
    else:
        near[first + 1, row], slots[first + 1, row] = distance, slot


@kernel
def _listed_anew(account, row, first, totals):
    """Search again for the two nearest kept rows of a row's own class (first = 0) or of the others (first = 2)."""
    near, slots, codes, kept, cache = account.near, account.slots, account.codes, account.kept, account.cache
    near[first, row], near[first + 1, row] = np.inf, np.inf
    slots[first, row], slots[first + 1, row] = -1, -1
    size = totals.shape[0]
    for start in range(0, kept.shape[0], size):
        end = min(start + size, kept.shape[0])
        if cache.shape[0] > 0:
            for slot in range(start, end):
                totals[slot - start] = cache[row, kept[slot]]
        else:
            block = start // size
            row_to_block(account.rows[row], account.kept_blocks, block, account.n_plain, totals)
        for slot in range(start, end):
            if totals[slot - start] < near[first + 1, row] and kept[slot] != row:
                if (codes[kept[slot]] != codes[row]) == (first == 2):
                    insert(near, slots, first, row, totals[slot - start], slot)


@kernel
def listed(account, start, end):
    """Make the lists of the rows start, ..., end - 1."""
    totals = np.empty(account.kept_blocks.shape[2])
    for row in range(start, end):
        for first in range(0, 4, 2):  # not two calls with 0 and 2: each would be compiled separately
            _listed_anew(account, row, first, totals)


@kernel
def enter(row, beta, near, slots, terms, weights, removal):
    """Write the terms of a row, add them to `removal` of its slots, and return its loss."""
    a1, b1 = near[0, row], near[2, row]
    own, other, slot = slots[0, row], slots[2, row], slots[4, row]
    weight = weights[0 if slot < 0 else 1, row]
    now = _loss(weight, a1, b1, beta)
    terms[0, row] = now
    terms[1, row] = _loss(weight, near[1, row], b1, beta)
    terms[2, row] = _loss(weight, a1, near[3, row], beta)
    terms[3, row] = now if slot < 0 else _loss(weights[0, row], a1, b1, beta)
    if own >= 0:
        removal[own] += terms[1, row] - now
    if other >= 0:
        removal[other] += terms[2, row] - now
    if slot >= 0:
        removal[slot] += terms[3, row] - now
    return now


@kernel
def withdraw(row, slots, terms, removal):
    """Subtract the terms of a row from `removal` of its slots, and return its loss."""
    own, other, slot = slots[0, row], slots[2, row], slots[4, row]
    now = terms[0, row]
    if own >= 0:
        removal[own] -= terms[1, row] - now
    if other >= 0:
        removal[other] -= terms[2, row] - now
    if slot >= 0:
        removal[slot] -= terms[3, row] - now
    return now


@kernel
def opened(account, beta):
    """Write all terms and removals for a beta, and return the loss."""
    near, slots, terms = account.near, account.slots, account.terms
    weights, removal = account.weights, account.removal
    removal[:] = 0
    loss = 0
    for row in range(slots.shape[1]):
        loss += enter(row, beta, near, slots, terms, weights, removal)
    return loss


@kernel
def _pair_loss(weight, same, x, y, beta):
    """Return l(x, y) if the candidate's class is the row's own, else l(y, x)."""
    return _loss(weight, x, y, beta) if same else _loss(weight, y, x, beta)


@kernel
def _row_account(row, same, x, beta, near, slots, terms, weights, correction):
    """Return how a row's loss changes by a candidate at distance x, nearer than its second; write to `correction`.

    The candidate enters one of the row's two lists (own class or other classes); the other list stays as it is.
    """
    side, across = (0, 2) if same else (2, 0)
    nearest, opposite, slot = slots[side, row], slots[across, row], slots[4, row]
    y = near[across, row]
    now, without_nearest = terms[0, row], terms[1 if same else 2, row]
    weight = weights[0 if slot < 0 else 1, row]
    new = _pair_loss(weight, same, x, y, beta)
    if x >= near[side, row]:  # it would only be the second: it matters if the nearest is removed
        correction[nearest] += new - without_nearest
        return 0
    if nearest >= 0:
        correction[nearest] -= without_nearest - now
    if opposite >= 0:
        later = _pair_loss(weight, same, x, near[across + 1, row], beta)
        correction[opposite] += later - new - (terms[2 if same else 1, row] - now)
    if slot >= 0:
        correction[slot] += _pair_loss(weights[0, row], same, x, y, beta) - new - (terms[3, row] - now)
    return new - now


@kernel
def _own_account(account, row, beta, correction):
    """Return how a candidate's own loss changes if it is kept (its weight changes); write to `correction`."""
    near, slots, terms = account.near, account.slots, account.terms
    weight = account.weights[1, row]
    a1, b1, now = near[0, row], near[2, row], terms[0, row]
    new = _loss(weight, a1, b1, beta)
    if slots[0, row] >= 0:
        correction[slots[0, row]] += _loss(weight, near[1, row], b1, beta) - new - (terms[1, row] - now)
    if slots[2, row] >= 0:
        correction[slots[2, row]] += _loss(weight, a1, near[3, row], beta) - new - (terms[2, row] - now)
    return new - now


@kernel
def _reached(distances, code, codes, near, reached):
    """Write which rows lie nearer to a candidate of class `code` than their second nearest; return how many."""
    n_reached = 0
    for row in range(codes.shape[0]):  # without branches, which the processor could not predict
        reached[n_reached] = row
        n_reached += distances[row] < near[1 + 2 * (codes[row] != code), row]
    return n_reached


@kernel
def _candidate_distances(account, candidate, start, totals):
    """Write the distances of a candidate to the rows of the block that begins with row `start`."""
    cache = account.cache
    if cache.shape[0] > 0:
        for j in range(min(totals.shape[0], cache.shape[0] - start)):
            totals[j] = cache[candidate, start + j]
    else:
        block = start // totals.shape[0]
        row_to_block(account.rows[candidate], account.blocks, block, account.n_plain, totals)


@kernel
def best_slot(account, candidate, distances, beta, correction, reached):
    """Return by how much the loss rises if a candidate takes the best slot, and that slot; the lower row on ties.

    reached are the rows that lie nearer to it than their second nearest, distances those from the candidate to them
    (indexed by row); correction is working space.
    """
    codes, near, slots, terms = account.codes, account.near, account.slots, account.terms
    weights, kept, removal = (
        account.weights,
        account.kept,
        account.removal,
    )  # reading a tuple in a loop costs time
    correction[:] = 0
    gain = _own_account(account, candidate, beta, correction)
    for p in range(reached.shape[0]):
        row = reached[p]
        if row != candidate:
            same = codes[row] == codes[candidate]
            gain += _row_account(row, same, distances[row], beta, near, slots, terms, weights, correction)
    best = 0
    for slot in range(kept.shape[0]):
        correction[slot] += removal[slot]
        if correction[slot] < correction[best] or (
            correction[slot] == correction[best] and kept[slot] < kept[best]
        ):
            best = slot
    return gain + correction[best], best


@kernel
def _measure(account, candidates, distances):
    """Write the distances of candidates to all rows, block by block: a block stays in the cache for all of them."""
    size = account.blocks.shape[2]
    for start in range(0, account.codes.shape[0], size):
        for p in range(candidates.shape[0]):
            if account.slots[4, candidates[p]] < 0:
                _candidate_distances(account, candidates[p], start, distances[p, start : start + size])


@kernel
def first_swap(account, candidates, beta, loss, least):
    """Go through candidates until one lowers the loss by more than `least` times the loss.

    Rows that are kept are skipped. Returns its position among the candidates, its slot, and the (negative) rise; the
    position is len(candidates) where there is none. Candidates are measured together, more and more of them as long as
    none is worth a swap.
    """
    n_candidates = candidates.shape[0]
    n_blocks, size = account.blocks.shape[0], account.blocks.shape[2]
    correction = np.empty(account.kept.shape[0], dtype=np.int64)
    reached = np.empty(n_blocks * size, dtype=np.int64)
    distances = np.empty((min(MOST_TOGETHER, n_candidates), n_blocks * size))
    first, together = 0, 2
    while first < n_candidates:
        last = min(first + together, n_candidates)
        _measure(account, candidates[first:last], distances)
        for pos in range(first, last):
            candidate = candidates[pos]
            if account.slots[4, candidate] < 0:
                line = distances[pos - first]
                n_reached = _reached(line, account.codes[candidate], account.codes, account.near, reached)
                rise, slot = best_slot(account, candidate, line, beta, correction, reached[:n_reached])
                if -rise > least * loss:
                    return pos, slot, rise
        first, together = last, min(2 * together, MOST_TOGETHER)
    return n_candidates, 0, 0


@kernel
def swap(account, slot, candidate, beta):
    """Put a candidate into a slot, update all lists and terms, and return by how much the loss rose."""
    codes, near, slots, terms = account.codes, account.near, account.slots, account.terms
    weights, kept, removal, kept_blocks = account.weights, account.kept, account.removal, account.kept_blocks
    totals, kept_totals = np.empty(account.blocks.shape[2]), np.empty(kept_blocks.shape[2])
    old = kept[slot]
    rise = -withdraw(old, slots, terms, removal) - withdraw(candidate, slots, terms, removal)
    slots[4, old], slots[4, candidate], kept[slot] = -1, slot, candidate
    for column in range(kept_blocks.shape[1]):  # one assignment would take seconds to compile
        kept_blocks[slot // kept_blocks.shape[2], column, slot % kept_blocks.shape[2]] = account.rows[
            candidate, column
        ]
    for row in range(codes.shape[0]):
        j = row % totals.shape[0]
        if j == 0:
            _candidate_distances(account, candidate, row, totals)
        first = 0 if codes[row] == codes[candidate] else 2
        lost = 0 if codes[row] == codes[old] else 2
        gone = slots[lost, row] == slot or slots[lost + 1, row] == slot
        nearer = totals[j] < near[first + 1, row] and row != candidate
        turned = row == old or row == candidate
        if gone or nearer or turned:
            if not turned:
                rise -= withdraw(row, slots, terms, removal)
            if nearer and not (gone and lost == first):
                insert(near, slots, first, row, totals[j], slot)
            if gone:
                _listed_anew(account, row, lost, kept_totals)
            rise += enter(row, beta, near, slots, terms, weights, removal)
    return rise
