"""Loops of Skalak's searches: the 1-NN rule of a set of kept rows, and what one replacement changes.

Rows are laid out in blocks, column by column; coordinates and distances are those of
``neighbors/_kernels/distance.py``. On ties the lower kept row is the nearest; a kept row may be its own nearest.

Who calls whom
--------------
    nearest_of_set -> row_to_block
    climbed        -> nearest_of_set, _replaced -> row_to_block, _nearest_kept -> pair_distance
"""

from typing import NamedTuple

import numpy as np

from tamis._jit import kernel
from tamis.neighbors._kernels.distance import pair_distance, row_to_block


class LaidOut(NamedTuple):
    """All rows in both layouts, their classes, and what they count."""

    blocks: np.ndarray  # (n_blocks, n_columns, rows of a block): the rows, column by column
    rows: np.ndarray  # (n_rows, n_columns): the same rows, one after the other
    n_plain: int
    codes: np.ndarray  # (n_rows,): their classes
    counts: np.ndarray  # (n_rows,) int64: what each counts where it is right


@kernel
def nearest_of_set(table, kept):
    """Return the nearest of the `kept` rows, which must ascend, for every row, and its distance.

    Both are (n_blocks, rows of a block); values beyond the last row are meaningless.
    """
    n_blocks, _, block_rows = table.blocks.shape
    nearest = np.zeros((n_blocks, block_rows), dtype=np.int64)
    distance = np.full((n_blocks, block_rows), np.inf)
    totals = np.empty(block_rows)
    for block in range(n_blocks):
        for row in kept:
            row_to_block(table.rows[row], table.blocks, block, table.n_plain, totals)
            for j in range(block_rows):
                nearer = totals[j] < distance[block, j]
                distance[block, j] = totals[j] if nearer else distance[block, j]
                nearest[block, j] = row if nearer else nearest[block, j]
    return nearest, distance


@kernel
def n_right(table, nearest):
    """Add up what the rows count that have the class of their nearest kept row."""
    right = 0
    block_rows = table.blocks.shape[2]
    for row in range(table.codes.shape[0]):
        if table.codes[nearest[row // block_rows, row % block_rows]] == table.codes[row]:
            right += table.counts[row]
    return right


@kernel
def _nearest_kept(table, row, kept, without, instead):
    """Return the nearest kept row of one row and its distance, with `instead` replacing `without`."""
    best, best_distance = -1, np.inf
    for other in kept:
        if other == without:
            other = instead
        total = pair_distance(table.rows, row, table.rows, other, True)
        if total < best_distance or (total == best_distance and other < best):
            best, best_distance = other, total
    return best, best_distance


@kernel
def _replaced(table, kept, old, new, nearest, distance):
    """Return what `nearest_of_set` would return with `new` replacing `old`, from its present answer."""
    n_blocks, _, block_rows = table.blocks.shape
    nearest, distance = nearest.copy(), distance.copy()
    totals = np.empty(block_rows)
    for block in range(n_blocks):
        row_to_block(table.rows[new], table.blocks, block, table.n_plain, totals)
        start = block * block_rows
        for j in range(min(block_rows, table.codes.shape[0] - start)):
            if nearest[block, j] == old:
                if totals[j] < distance[block, j]:
                    nearest[block, j], distance[block, j] = new, totals[j]
                else:
                    nearest[block, j], distance[block, j] = _nearest_kept(table, start + j, kept, old, new)
            elif totals[j] < distance[block, j] or (
                totals[j] == distance[block, j] and new < nearest[block, j]
            ):
                nearest[block, j], distance[block, j] = new, totals[j]
    return nearest, distance


@kernel
def climbed(table, kept, spare, slots, fresh):
    """Swap kept[slots[m]] and spare[fresh[m]] for every mutation m after which what is right counts more than before.

    `kept` must ascend at the start; the two rows take each other's positions. Returns the kept rows, and an array of
    shape (4, n_mutations): the old row, the new row, what the correctly classified rows count with the new one, and
    whether it stayed.
    """
    kept, spare = kept.copy(), spare.copy()
    n_mutations = slots.shape[0]
    tried = np.zeros((4, n_mutations), dtype=np.int64)
    nearest, distance = nearest_of_set(table, kept)
    right = n_right(table, nearest)
    for m in range(n_mutations):
        old, new = kept[slots[m]], spare[fresh[m]]
        other_nearest, other_distance = _replaced(table, kept, old, new, nearest, distance)
        other_right = n_right(table, other_nearest)
        tried[0, m], tried[1, m], tried[2, m] = old, new, other_right
        if other_right > right:
            nearest, distance, right = other_nearest, other_distance, other_right
            kept[slots[m]], spare[fresh[m]], tried[3, m] = new, old, 1
    return kept, tried
