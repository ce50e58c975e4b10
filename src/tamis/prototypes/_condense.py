"""Hart's store and Gates's reduction of it, on plain arrays."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import joblib
import numpy as np
import threadpoolctl
from numpy.typing import NDArray

from tamis._parameters import n_workers
from tamis.neighbors import MixedSpace, ScaledRows
from tamis.neighbors._distance import CODE_GAP
from tamis.prototypes._kernels.condensing import Reduction, Search, catch_up, kept_positions, settle, walk
from tamis.table._table import Table, Target

BLOCK_ROWS = 256
"""Rows in a block: enough for the vector loops, few enough for the second-level cache."""

STRETCH = 32
"""Blocks gone through in one call: between calls the other threads catch up, and Ctrl-C is noticed."""

WIDE = 48
"""From this many columns, all numeric without missing values, matrix products are the faster way to catch up."""

PRODUCTS = 1024
"""Stored rows in one matrix product."""

LIST_LENGTH = 4
"""How many positions a search for the next nearest lists: most rows never need a second search."""


Report = Callable[[int, int, int], None]


@dataclass(frozen=True, eq=False)
class HartStore:
    """What Hart's rule keeps, with what Gates's rule needs to reduce it.

    Attributes
    ----------
    store : ndarray of int
        Positions in `order` of the kept rows, in the order of storing.
    passes : ndarray of int
        The pass, from 1, in which each was stored.
    nearest : ndarray of int, shape (n_rows,)
        For each row of `order`, the index in `store` of the kept row nearest to it, the earlier one on ties.
    order : ndarray of int, shape (n_rows,)
        The rows of the table in the order in which the rule went through them.
    coordinates : ndarray of shape (n_rows, n_columns)
        The rows in that order, numeric columns without missing values first.
    n_plain : int
        How many such columns there are.
    codes : ndarray of int, shape (n_rows,)
        Their classes.
    """

    store: NDArray[np.int64]
    passes: NDArray[np.int64]
    nearest: NDArray[np.int64]
    order: NDArray[np.intp]
    coordinates: NDArray[np.float64]
    n_plain: int
    codes: NDArray[np.int64]

    @property
    def rows(self) -> NDArray[np.intp]:
        """The rows of the table that are kept, in the order of storing."""
        return self.order[self.store]


def hart_store(
    table: Table,
    target: Target,
    order: NDArray[np.intp] | None = None,
    n_jobs: int | None = 1,
    report: Report | None = None,
) -> HartStore:
    """Keep the rows that Hart's rule stores.

    Parameters
    ----------
    table, target
        The rows and their classes.
    order : ndarray of int, shape (n_rows,), default=None
        The order in which to go through the rows; None is the order of the table.
    n_jobs : int or None, default=1
        Threads. The result does not depend on it.
    report : callable, default=None
        Called now and then with the number of the pass, the rows gone through since the last call, and the number stored.

    Returns
    -------
    HartStore
        The store.
    """
    if order is None:
        order = np.arange(table.n_rows)
    space = MixedSpace.fit(table.values, table.nominal, "l2")
    coordinates, n_plain = plain_first(space.scaled(table.values), order)
    codes = target.codes[order]
    search = _new_search(coordinates, codes, n_plain)
    n_stored = _stored(search, n_workers(n_jobs), report)
    return HartStore(
        search.store[:n_stored],
        search.passes[:n_stored],
        search.nearest.ravel()[: table.n_rows],
        order,
        coordinates,
        n_plain,
        codes,
    )


def reduced(store: HartStore) -> NDArray[np.bool_]:
    """Return which rows of a store Gates's rule keeps, as a mask in the order of storing."""
    n_stored = len(store.store)
    reduction = Reduction(
        blocks=in_blocks(store.coordinates[store.store]),
        rows=store.coordinates,
        codes=store.codes,
        n_plain=store.n_plain,
        store=store.store,
        kept=np.ones(n_stored, dtype=bool),
        listed=np.full((len(store.codes), LIST_LENGTH), -1),
        place=np.full(len(store.codes), LIST_LENGTH),
    )
    kept_positions(reduction, store.nearest)
    return reduction.kept


def _new_search(coordinates: NDArray[np.float64], codes: NDArray[np.int64], n_plain: int) -> Search:
    """Return the state before the first pass: the first row alone is stored."""
    n_rows = len(codes)
    blocks = in_blocks(coordinates)
    shape = (blocks.shape[0], blocks.shape[2])
    stored = np.zeros(n_rows, dtype=bool)
    stored[0] = True
    return Search(
        blocks=blocks,
        rows=coordinates,
        codes=codes,
        n_plain=n_plain,
        store=np.zeros(n_rows, dtype=np.int64),
        passes=np.ones(n_rows, dtype=np.int64),
        stored=stored,
        distance=np.full(shape, np.inf),
        nearest=np.zeros(shape, dtype=np.int64),
        compared=np.zeros(shape[0], dtype=np.int64),
    )


def _stored(search: Search, n_threads: int, report: Report | None) -> int:
    """Go through the rows, pass after pass, until a pass stores nothing; return how many are stored."""
    n_blocks, n_columns = search.blocks.shape[:2]
    wide = n_columns == search.n_plain >= WIDE
    stretch = 2 if wide else STRETCH
    slack = _slack(search.rows) if wide else None
    n_stored, before, number = 1, 0, 0
    limits = threadpoolctl.threadpool_limits(n_threads) if wide else contextlib.nullcontext()
    with limits, joblib.Parallel(n_jobs=n_threads, require="sharedmem") as parallel:
        while before < n_stored:
            before, number = n_stored, number + 1
            for first in range(0, n_blocks, stretch):
                last = min(first + stretch, n_blocks)
                if slack is not None:
                    _settle(search, range(first, last), n_stored, slack)
                elif n_threads > 1:
                    cuts = np.linspace(first, last, n_threads + 1).astype(int)
                    parallel(
                        joblib.delayed(catch_up)(search, start, end, n_stored)
                        for start, end in pairwise(cuts)
                    )
                n_stored = int(walk(search, first, last, n_stored, number))
                if report is not None:
                    size = search.blocks.shape[2]
                    report(number, min(last * size, len(search.codes)) - first * size, n_stored)
    return n_stored


def _slack(rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the squared norms of the rows, and how far a distance in steps can lie below the float distance.

    With d columns and u = 2**-53: half a step per column for rounding to steps, and 2 (d + 8) u (|q| + max |x|)**2 for
    the float sums, in any order of summation; `tamis.neighbors._candidates` has the derivation.
    """
    lengths = np.einsum("ij,ij->i", rows, rows)
    n_columns = rows.shape[1]
    reach = (np.sqrt(lengths) + np.sqrt(lengths.max())) ** 2
    return lengths, n_columns / 2 + (n_columns + 8) * 2.0**-52 * reach


def _settle(
    search: Search,
    blocks: range,
    n_stored: int,
    slack: tuple[NDArray[np.float64], NDArray[np.float64]],
) -> None:
    """Compare blocks with the rows stored since their last comparison; matrix products leave few pairs to measure."""
    size = search.blocks.shape[2]
    for block in blocks:
        rows = search.rows[block * size : (block + 1) * size]
        for first in range(int(search.compared[block]), n_stored, PRODUCTS):
            others = search.rows[search.store[first : min(first + PRODUCTS, n_stored)]]
            settle(search, block, first, rows @ others.T, *slack)


def plain_first(rows: ScaledRows, order: NDArray[np.intp]) -> tuple[NDArray[np.float64], int]:
    """Return coordinates of the given rows, numeric columns without missing values first, and how many these are."""
    coded = rows.space.nominal | (rows.coordinates == -CODE_GAP).any(axis=0)
    columns = np.argsort(coded, kind="stable")
    coordinates = np.ascontiguousarray(rows.coordinates[np.ix_(order, columns)])
    return coordinates, int(np.count_nonzero(~coded))


def in_blocks(coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
    """Lay rows out in blocks, column by column; the end of the last block is filled with zeros."""
    n_rows, n_columns = coordinates.shape
    size = min(BLOCK_ROWS, n_rows)
    blocks = np.zeros((-(-n_rows // size), n_columns, size))
    for block, start in enumerate(range(0, n_rows, size)):
        part = coordinates[start : start + size]
        blocks[block, :, : len(part)] = part.T
    return blocks
