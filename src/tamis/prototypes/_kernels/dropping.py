"""Loops of DROP3: rows are dropped while their associates stay correctly classified.

Symbols
-------
T        the edited rows, here numbered from 0 in table order; S those of them that are still kept
window   the first k + 1 rows of S in a row's list of nearest other rows
A of P   an associate of P: a row of T, kept or not, whose window holds P

A row's list ascends by (distance, row). Rows only leave S, so a window only moves outwards along the list; where
the list is too short it is made again from S. An associate is right (correctly classified) with P if its own class
has at least as many votes as any other among the first k rows of its window; without P, among the first k of the
other rows of the window. No vote at all is wrong.

Coordinates and distances are those of ``neighbors/_kernels/distance.py``.

Who calls whom
--------------
    dropped -> _goes -> _is_right
    dropped -> _reach -> _refill -> row_to_block
"""

from typing import NamedTuple

import numpy as np

from tamis._jit import kernel
from tamis.neighbors._kernels.distance import row_to_block


class Dropping(NamedTuple):
    """The state while rows are dropped; the kernels write to the last four fields."""

    blocks: np.ndarray  # (n_blocks, n_columns, rows of a block): the rows of T, column by column
    rows: np.ndarray  # (n_rows, n_columns): the same rows, one after the other
    n_plain: int
    codes: np.ndarray  # (n_rows,): their classes
    n_classes: int
    k: int
    kept: np.ndarray  # (n_rows,): whether a row is in S
    listed: np.ndarray  # (n_rows, length): nearest other rows, -1 ends a list
    head: np.ndarray  # (n_rows,): first node of a row's associates, -1 ends a chain
    following: np.ndarray  # (n_rows (k + 1),): next node; node i stands for associate i // (k + 1)


@kernel
def _refill(state, row, distances, totals):
    """List the nearest other kept rows of a row again, ascending by (distance, row)."""
    listed = state.listed[row]
    listed[:] = -1
    distances[:] = np.inf
    last = listed.shape[0] - 1
    block_rows = state.blocks.shape[2]
    for block in range(state.blocks.shape[0]):
        start = block * block_rows
        end = min(start + block_rows, state.kept.shape[0])
        if not state.kept[start:end].any():
            continue
        row_to_block(state.rows[row], state.blocks, block, state.n_plain, totals)
        for other in range(start, end):
            distance = totals[other - start]
            if distance < distances[last] and state.kept[other] and other != row:
                p = last
                while p > 0 and distances[p - 1] > distance:
                    distances[p] = distances[p - 1]
                    listed[p] = listed[p - 1]
                    p -= 1
                distances[p] = distance
                listed[p] = other


@kernel
def _reach(state, row, n_kept, distances, totals):
    """Return the last row of a row's window, -1 where S has fewer than k + 1 others; refill its list if needed."""
    listed = state.listed[row]
    others = n_kept - (1 if state.kept[row] else 0)
    for _ in range(2):
        n_listed = 0
        for p in range(listed.shape[0]):
            if listed[p] < 0:
                break
            if state.kept[listed[p]]:
                n_listed += 1
                if n_listed == state.k + 1:
                    return listed[p]
        if n_listed == others:  # the list holds all of S
            return -1
        _refill(state, row, distances, totals)
    return -1


@kernel
def _is_right(state, row, without, votes):
    """Return whether the first k kept rows of a row's list, except `without`, classify it correctly."""
    votes[:] = 0
    n_votes = 0
    for other in state.listed[row]:
        if other < 0 or n_votes == state.k:
            break
        if state.kept[other] and other != without:
            votes[state.codes[other]] += 1
            n_votes += 1
    own = votes[state.codes[row]]
    return own > 0 and own == votes.max()


@kernel
def _goes(state, row, votes):
    """Return whether at least as many associates of a row are right without it as with it."""
    balance = 0
    node = state.head[row]
    while node >= 0:
        associate = node // (state.k + 1)
        balance += _is_right(state, associate, row, votes)
        balance -= _is_right(state, associate, -1, votes)
        node = state.following[node]
    return balance >= 0


@kernel
def dropped(state, order):
    """Go through the rows in `order`; drop a row if as many associates are right without it. Writes to state.kept."""
    n_rows = state.kept.shape[0]
    votes = np.zeros(state.n_classes, dtype=np.int64)
    distances = np.empty(state.listed.shape[1])
    totals = np.empty(state.blocks.shape[2])
    for row in range(n_rows):
        for p in range(min(state.k + 1, state.listed.shape[1])):
            other = state.listed[row, p]
            if other >= 0:
                node = row * (state.k + 1) + p
                state.following[node] = state.head[other]
                state.head[other] = node
    n_kept = n_rows
    for row in order:
        if n_kept == 1:
            return
        if not _goes(state, row, votes):
            continue
        state.kept[row] = False
        n_kept -= 1
        node = state.head[row]
        while node >= 0:
            after = state.following[node]
            other = _reach(state, node // (state.k + 1), n_kept, distances, totals)
            if other >= 0:  # the window has moved outwards to it
                state.following[node] = state.head[other]
                state.head[other] = node
            node = after
