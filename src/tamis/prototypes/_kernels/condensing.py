"""Loops of condensing and reducing: Hart's store, and Gates's pass over it.

Symbols
-------
A row is given by its coordinates in a `MixedSpace` for l2, numeric columns without missing values first (`n_plain`
of them); distances are those of ``neighbors/_kernels/distance.py``.

`pos` is a position in the store, in the order of storing. Rows are numbered in the order in which Hart's rule
goes through them. They are laid out in blocks, column by column: (n_blocks, n_columns, rows of a block), so that
the innermost loops run over consecutive rows and become vector instructions.

Who calls whom
--------------
    catch_up, walk -> _compare -> row_to_block; settle -> pair_distance
    kept_positions -> _owners, _turns_wrong, _next_position -> _refill -> row_to_block
"""

from typing import NamedTuple

import numpy as np

from tamis._jit import kernel
from tamis.neighbors._kernels.distance import pair_distance, row_to_block


class Search(NamedTuple):
    """The state while a store grows; the kernels write to all fields but the first four."""

    blocks: np.ndarray  # (n_blocks, n_columns, rows of a block): the rows, column by column
    rows: np.ndarray  # (n_rows, n_columns): the same rows, one after the other
    codes: np.ndarray  # (n_rows,): their classes
    n_plain: int
    store: np.ndarray  # (n_rows,): row at each pos
    passes: np.ndarray  # (n_rows,): the pass in which it was stored
    stored: np.ndarray  # (n_rows,): whether a row is in the store
    distance: np.ndarray  # (n_blocks, rows of a block): distance to the nearest pos compared so far
    nearest: np.ndarray  # (n_blocks, rows of a block): that pos, the earlier one on ties
    compared: np.ndarray  # (n_blocks,): how many positions a block has been compared with


class Reduction(NamedTuple):
    """The state while a store shrinks; the kernels write to the last three fields."""

    blocks: np.ndarray  # (n_blocks, n_columns, rows of a block): the stored rows, in the order of storing
    rows: np.ndarray  # (n_rows, n_columns): all rows
    codes: np.ndarray  # (n_rows,): their classes
    n_plain: int
    store: np.ndarray  # (n_stored,): row at each pos
    kept: np.ndarray  # (n_stored,): whether a pos is still in the store
    listed: (
        np.ndarray
    )  # (n_rows, length): the next nearest positions of a row, nearest first; -1 ends the list
    place: np.ndarray  # (n_rows,): index in its list up to which a row has used it


@kernel
def _compare(search, block, first, last, totals):
    """Compare the rows of a block with the positions first, ..., last - 1, which must follow those compared before."""
    rows, blocks, distance, nearest = search.rows, search.blocks, search.distance, search.nearest
    n_rows = blocks.shape[2]
    for pos in range(first, last):
        row_to_block(rows[search.store[pos]], blocks, block, search.n_plain, totals)
        for j in range(n_rows):
            nearer = totals[j] < distance[block, j]
            distance[block, j] = totals[j] if nearer else distance[block, j]
            nearest[block, j] = pos if nearer else nearest[block, j]


@kernel
def catch_up(search, first, last, n_stored):
    """Compare the rows of the blocks first, ..., last - 1 with every position they have not been compared with."""
    totals = np.empty(search.blocks.shape[2])
    for block in range(first, last):
        _compare(search, block, search.compared[block], n_stored, totals)
        search.compared[block] = n_stored


@kernel
def settle(search, block, first, products, lengths, slack):
    """Compare the rows of a block with the positions first, first + 1, ... by their scalar products.

    products is (rows of the block, positions); lengths (n_rows,) the squared norms; slack (n_rows,) how far at most a
    distance in steps can lie below |q|**2 + |x|**2 - 2 q.x. Only pairs that may be nearer than the nearest so far are
    measured.
    """
    start = block * search.blocks.shape[2]
    for i in range(products.shape[0]):
        row = start + i
        known = search.distance[block, i]
        least = known + slack[row] - lengths[row]
        for p in range(products.shape[1]):
            other = search.store[first + p]
            if lengths[other] - 2.0 * products[i, p] < least:
                total = pair_distance(search.rows, row, search.rows, other, True)
                if total < known:
                    known = total
                    least = known + slack[row] - lengths[row]
                    search.nearest[block, i] = first + p
        search.distance[block, i] = known
    search.compared[block] = first + products.shape[1]


@kernel
def walk(search, first, last, n_stored, number):
    """Go through the rows of the blocks first, ..., last - 1 and store each row that the store misclassifies.

    number is the number of the pass. Returns how many rows are stored afterwards.
    """
    block_rows = search.blocks.shape[2]
    n_rows = search.rows.shape[0]
    totals = np.empty(block_rows)
    for block in range(first, last):
        _compare(search, block, search.compared[block], n_stored, totals)
        start = block * block_rows
        for j in range(min(block_rows, n_rows - start)):
            row = start + j
            right = search.codes[search.store[search.nearest[block, j]]] == search.codes[row]
            # a stored row is misclassified only if it equals a stored row of another class
            if right or search.stored[row]:
                continue
            search.stored[row] = True
            search.store[n_stored] = row
            search.passes[n_stored] = number
            _compare(search, block, n_stored, n_stored + 1, totals)
            n_stored += 1
        search.compared[block] = n_stored
    return n_stored


@kernel
def _owners(store, nearest):
    """Return linked lists of the rows whose nearest pos is p: head[p], following[head[p]], ...; -1 ends a list.

    A stored row comes first in its own list: it is the most likely to become misclassified.
    """
    head = np.full(store.shape[0], -1)
    following = np.full(nearest.shape[0], -1)
    for row in range(nearest.shape[0]):
        following[row] = head[nearest[row]]
        head[nearest[row]] = row
    for pos in range(store.shape[0]):
        own = store[pos]
        if nearest[own] != pos or head[pos] == own:
            continue
        row = head[pos]
        while following[row] != own:
            row = following[row]
        following[row] = following[own]
        following[own] = head[pos]
        head[pos] = own
    return head, following


@kernel
def _refill(reduction, row, without, distances, totals):
    """List the nearest kept positions of a row, except `without`, ascending by (distance, pos)."""
    listed = reduction.listed[row]
    listed[:] = -1
    distances[:] = np.inf
    last = listed.shape[0] - 1
    block_rows = reduction.blocks.shape[2]
    for block in range(reduction.blocks.shape[0]):
        row_to_block(reduction.rows[row], reduction.blocks, block, reduction.n_plain, totals)
        start = block * block_rows
        for j in range(min(block_rows, reduction.store.shape[0] - start)):
            pos = start + j
            if totals[j] < distances[last] and reduction.kept[pos] and pos != without:
                p = last
                while p > 0 and distances[p - 1] > totals[j]:
                    distances[p] = distances[p - 1]
                    listed[p] = listed[p - 1]
                    p -= 1
                distances[p] = totals[j]
                listed[p] = pos
    reduction.place[row] = 0


@kernel
def _next_position(reduction, row, pos, distances, totals):
    """Return the kept pos that is nearest to a row once its nearest, `pos`, is dropped."""
    listed = reduction.listed[row]
    p = reduction.place[row]
    while p < listed.shape[0] and listed[p] >= 0 and not reduction.kept[listed[p]]:
        p += 1
    reduction.place[row] = p
    if p == listed.shape[0] or listed[p] < 0:
        _refill(reduction, row, pos, distances, totals)
    return listed[reduction.place[row]]


@kernel
def _turns_wrong(reduction, head, following, pos, distances, totals):
    """Return whether a row that `pos` classifies correctly is misclassified once `pos` is dropped."""
    codes, store = reduction.codes, reduction.store
    row = head[pos]
    while row >= 0:
        if codes[row] == codes[store[pos]]:
            other = _next_position(reduction, row, pos, distances, totals)
            if codes[row] != codes[store[other]]:
                return True
        row = following[row]
    return False


@kernel
def kept_positions(reduction, nearest):
    """Go through the store once; drop a pos if no row becomes misclassified. Writes to reduction.kept.

    nearest is (n_rows,): the pos nearest to each row. Only the rows whose nearest pos is being judged are looked at;
    their next nearest is searched for when it is first needed, and some further positions are listed for later.
    """
    head, following = _owners(reduction.store, nearest)
    distances = np.empty(reduction.listed.shape[1])
    totals = np.empty(reduction.blocks.shape[2])
    n_kept = reduction.store.shape[0]
    for pos in range(reduction.store.shape[0]):
        if n_kept == 1:
            return
        if _turns_wrong(reduction, head, following, pos, distances, totals):
            continue
        row = head[pos]
        while row >= 0:
            after = following[row]
            other = _next_position(reduction, row, pos, distances, totals)
            following[row] = head[other]
            head[other] = row
            reduction.place[row] += 1
            row = after
        reduction.kept[pos] = False
        n_kept -= 1
