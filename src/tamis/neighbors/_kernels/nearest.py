"""Loops of the neighbour search: distances of many pairs at a time, and the choice of the nearest rows.

The distance and its symbols are those of ``distance.py``.

Who calls whom
--------------
    nearest_in_blocks, distances_to_blocks -> _fill_tile
    _fill_tile -> _add_absolutes, _add_squares, _add_coded, _count_unequal
    nearest_in_blocks, lowest_in_rows -> insert
    listed_distances -> pair_distance
    proposal_l1, proposal_l2 stand alone

The fitted rows lie in blocks of shape (n_blocks, n_columns, rows of a block), so that the innermost loop runs
over consecutive rows of one column and becomes vector instructions: three additions (difference, rounding,
sum) per pair and column, which is what bounds the speed.
"""

from typing import NamedTuple

import numpy as np

from tamis._jit import kernel
from tamis.neighbors._kernels.distance import STEP, pair_distance, term

TILE_ROWS = 32  # queries that share one pass over the blocks
CHUNK = 16  # columns of a block that stay in the first-level cache while the queries of a tile go by


class Columns(NamedTuple):
    """Rows split by kind of column: queries as (rows, columns), fitted rows as (blocks, columns, block rows)."""

    plain: np.ndarray  # float64: numeric, without missing values
    gapped: np.ndarray  # float64: numeric, with missing values
    nominal: np.ndarray  # int32: codes of categories, -1 for a missing value


@kernel
def _add_absolutes(value, columns, block, column, totals, i):
    """Add rint(abs(value - x)) for the rows x of one plain column of a block to totals[i]."""
    for j in range(totals.shape[1]):
        totals[i, j] += np.rint(abs(value - columns[block, column, j]))


@kernel
def _add_squares(value, columns, block, column, totals, i):
    """Add rint((value - x)**2) for the rows x of one plain column of a block to totals[i]."""
    for j in range(totals.shape[1]):
        difference = value - columns[block, column, j]
        totals[i, j] += np.rint(difference * difference)


@kernel
def _add_coded(value, columns, block, column, totals, i, squared):
    """Add the terms of one column with missing values to totals[i]."""
    for j in range(totals.shape[1]):
        totals[i, j] += term(value, columns[block, column, j], squared)


@kernel
def _count_unequal(code, columns, block, column, unequal):
    """Add one to unequal[j] for every row j of a block whose code in one categorical column differs."""
    for j in range(unequal.shape[0]):
        unequal[j] += np.int32(columns[block, column, j] != code)


@kernel
def _fill_tile(queries, fitted, first, block, squared, tile, unequal):
    """Write the distances of the queries from `first` on to one block of fitted rows into `tile`.

    tile is (queries, block rows) float64; unequal is (block rows,) int32, working space.
    """
    n_queries = min(tile.shape[0], queries.plain.shape[0] - first)
    tile[:n_queries] = 0.0
    for chunk in range(0, fitted.plain.shape[1], CHUNK):
        for i in range(n_queries):
            for column in range(chunk, min(chunk + CHUNK, fitted.plain.shape[1])):
                value = queries.plain[first + i, column]
                if squared:
                    _add_squares(value, fitted.plain, block, column, tile, i)
                else:
                    _add_absolutes(value, fitted.plain, block, column, tile, i)
    for chunk in range(0, fitted.gapped.shape[1], CHUNK):
        for i in range(n_queries):
            for column in range(chunk, min(chunk + CHUNK, fitted.gapped.shape[1])):
                _add_coded(queries.gapped[first + i, column], fitted.gapped, block, column, tile, i, squared)
    for chunk in range(0, fitted.nominal.shape[1], CHUNK):
        for i in range(n_queries):
            unequal[:] = 0
            for column in range(chunk, min(chunk + CHUNK, fitted.nominal.shape[1])):
                _count_unequal(queries.nominal[first + i, column], fitted.nominal, block, column, unequal)
            for j in range(unequal.shape[0]):
                tile[i, j] += STEP * unequal[j]
    return n_queries


@kernel
def insert(distance, row, distances, rows, i):
    """Insert (distance, row) into the ascending lists of query i; it is called with ascending rows."""
    p = distances.shape[1] - 1
    while p > 0 and distances[i, p - 1] > distance:
        distances[i, p] = distances[i, p - 1]
        rows[i, p] = rows[i, p - 1]
        p -= 1
    distances[i, p] = distance
    rows[i, p] = row


@kernel
def nearest_in_blocks(queries, fitted, n_rows, own_rows, squared, n_neighbors):
    """Find the nearest of `n_rows` fitted rows, ascending by (distance, row).

    own_rows[i] is the fitted row that query i must not find (itself), or -1. Returns rows and distances,
    both int64 of shape (queries, n_neighbors). At least n_neighbors rows must be left to find.
    """
    n_queries = queries.plain.shape[0]
    n_blocks, _, block_rows = fitted.plain.shape
    rows = np.full((n_queries, n_neighbors), -1, dtype=np.int64)
    distances = np.full((n_queries, n_neighbors), np.inf)
    tile = np.empty((TILE_ROWS, block_rows))
    unequal = np.empty(block_rows, dtype=np.int32)
    for first in range(0, n_queries, TILE_ROWS):
        for block in range(n_blocks):
            n_filled = _fill_tile(queries, fitted, first, block, squared, tile, unequal)
            start = block * block_rows
            size = min(block_rows, n_rows - start)
            for i in range(n_filled):
                own = own_rows[first + i] - start
                if 0 <= own < size:
                    tile[i, own] = np.inf
                worst = distances[first + i, n_neighbors - 1]
                for j in range(size):
                    if tile[i, j] < worst:  # a later row at the same distance stays out
                        insert(tile[i, j], start + j, distances, rows, first + i)
                        worst = distances[first + i, n_neighbors - 1]
    return rows, distances.astype(np.int64)


@kernel
def distances_to_blocks(queries, fitted, n_rows, squared):
    """Return the distances of every query to each of `n_rows` fitted rows: (queries, n_rows) int64."""
    n_queries = queries.plain.shape[0]
    n_blocks, _, block_rows = fitted.plain.shape
    distances = np.empty((n_queries, n_rows), dtype=np.int64)
    tile = np.empty((TILE_ROWS, block_rows))
    unequal = np.empty(block_rows, dtype=np.int32)
    for first in range(0, n_queries, TILE_ROWS):
        for block in range(n_blocks):
            n_filled = _fill_tile(queries, fitted, first, block, squared, tile, unequal)
            start = block * block_rows
            for i in range(n_filled):
                for j in range(min(block_rows, n_rows - start)):
                    distances[first + i, start + j] = np.int64(tile[i, j])
    return distances


@kernel
def listed_distances(queries, fitted, listed, squared):
    """Return the distance of query i to fitted row listed[i, p]: int64, the largest int64 where listed is -1.

    queries and fitted are coordinates, (rows, columns) float64 in C order.
    """
    distances = np.full(listed.shape, np.iinfo(np.int64).max)
    for i in range(listed.shape[0]):
        for p in range(listed.shape[1]):
            if listed[i, p] >= 0:
                distances[i, p] = pair_distance(queries, i, fitted, listed[i, p], squared)
    return distances


@kernel
def proposal_l1(a, b):
    """Return the l1 distance of two rows (for pynndescent): numbers in [0, 1], codes and missing values 3 apart."""
    total = 0.0
    for column in range(a.shape[0]):
        difference = abs(a[column] - b[column])
        total += 1.0 if difference > 2.0 else difference
    return total


@kernel
def proposal_l2(a, b):
    """Return the l2 distance (sum of squares) of two such rows."""
    total = 0.0
    for column in range(a.shape[0]):
        difference = abs(a[column] - b[column])
        total += 1.0 if difference > 2.0 else difference * difference
    return total


@kernel
def lowest_in_rows(slab, own_rows, n_neighbors):
    """Return columns and values of the lowest entries of each row of `slab`, ascending by (value, column).

    own_rows[i] is a column that row i leaves out, or -1.
    """
    rows = np.full((slab.shape[0], n_neighbors), -1, dtype=np.int64)
    distances = np.full((slab.shape[0], n_neighbors), np.inf)
    for i in range(slab.shape[0]):
        for j in range(slab.shape[1]):
            if j != own_rows[i] and slab[i, j] < distances[i, n_neighbors - 1]:
                insert(slab[i, j], j, distances, rows, i)
    return rows, distances
