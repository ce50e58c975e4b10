"""Tables in the form in which stumps are scanned: every column sorted and grouped, once for all models."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tamis._threads import Team, threads
from tamis.stumps._kernels import sorting
from tamis.stumps._kernels.fields import BULK, COLUMN, LAID
from tamis.stumps._kernels.sorting import Block, Layout
from tamis.stumps._kernels.weights import Settings
from tamis.stumps.problems import Problem, nominal_flags, refuse_other_rows
from tamis.stumps.sorted_run import THREADED_FROM, SortedRun

__all__ = ["SortedTable", "sorted_table"]

Float = NDArray[np.float64]
CELLS_A_BLOCK = 1 << 16  # how many values are sorted together: bounds the scratch space


@dataclass
class SortedTable:
    """A table, each column sorted and grouped once; made by `sorted_table`.

    Attributes
    ----------
    values : ndarray of shape (n, d)
        The table.
    nominal : ndarray of bool, shape (d,)
        Which columns are nominal.
    layout : Layout
        Its columns as the kernels read them.
    distinct : ndarray
        The distinct values of all columns, one column after the other, ascending.
    distinct_start : ndarray of int, shape (d + 1,)
        Where those of each column begin.
    """

    values: Float
    nominal: NDArray[np.bool_]
    layout: Layout
    distinct: Float
    distinct_start: NDArray[np.int64]
    _fewer: tuple[NDArray[np.bool_], SortedTable] | None = field(default=None, repr=False)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.layout.codes.shape[1])

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return int(self.layout.codes.shape[0])

    @property
    def n_slots(self) -> int:
        """How many slots a scan needs: one for the missing values, and the most bulks that a column has."""
        return 1 + int(np.diff(self.layout.columns[:, COLUMN.bulk_start]).max())

    def n_threads(self, n_jobs: int | None) -> int:
        """How many threads are worth their trouble."""
        return threads(n_jobs) if self.n_rows * self.n_columns >= THREADED_FROM else 1

    def n_kept(self, n_problems: int) -> int:
        """Rounds that are kept to go back to: as many as there are."""
        return 1

    def new_run(
        self, problem: Problem, columns: NDArray[np.int64], settings: Settings, n_kept: int, team: Team
    ) -> SortedRun:
        """A model of no rounds; with `n_kept` it can go back to the first use of any column."""
        refuse_other_rows(problem, self.n_rows)
        in_use = problem.start > 0
        if in_use.all():
            return SortedRun(self, problem, columns, settings, keep=n_kept > 0, team=team)
        own = problem._replace(sign=problem.sign[in_use], start=problem.start[in_use])
        return self._of_rows(in_use).new_run(own, columns, settings, n_kept, team)

    def _of_rows(self, in_use: NDArray[np.bool_]) -> SortedTable:
        """The table of some rows; problems on the same rows share it."""
        if self._fewer is None or not np.array_equal(self._fewer[0], in_use):
            self._fewer = in_use, sorted_table(self.values[in_use], self.nominal)
        return self._fewer[1]


def sorted_table(
    values: ArrayLike, nominal: ArrayLike | None = None, *, n_jobs: int | None = None
) -> SortedTable:
    """Sort and group every column of a table, once for all models on it.

    Parameters
    ----------
    values : array-like of shape (n, d)
        Numbers, NaN for missing values; a nominal (categorical) column holds codes. Infinity is not allowed.
    nominal : array-like of bool, shape (d,), optional
        Which columns are nominal; none if not given.
    n_jobs : int, optional
        Threads; 1 if None, all processors if -1.

    Returns
    -------
    SortedTable
        What `boost` and `eliminate` read.
    """
    table: Float = np.ascontiguousarray(values, dtype=np.float64)
    n_rows, n_columns = table.shape
    flags = nominal_flags("sorted_table", table, nominal)
    index = np.uint16 if 2 * n_rows + 1 < 1 << 16 else np.uint32  # a row or a slot
    codes = np.empty((n_columns, n_rows), dtype=index)
    columns = np.zeros((n_columns + 1, 7), dtype=np.int64)
    columns[:-1, COLUMN.nominal] = flags
    row_of = _scattered_rows(n_rows)
    width = max(1, CELLS_A_BLOCK // n_rows)
    firsts = range(0, n_columns, width)

    def laid_out(first: int) -> Block:
        return _block(table, first, min(first + width, n_columns), row_of, codes, columns)

    if threads(n_jobs) > 1 and len(firsts) > 1:
        with ThreadPoolExecutor(threads(n_jobs)) as pool:
            blocks = list(pool.map(laid_out, firsts))
    else:
        blocks = [laid_out(first) for first in firsts]
    return _assembled(table, flags, codes, columns, blocks)


def _scattered_rows(n_rows: int) -> NDArray[np.int64]:
    """All rows in a scattered order.

    Tables are often sorted by class; rows of equal value are listed in this order, so that the classes take turns
    and running sums within a group stay close to those at its ends.
    """
    stride = max(1, int(0.618 * n_rows))
    while math.gcd(stride, n_rows) > 1:
        stride -= 1
    return np.arange(n_rows) * stride % n_rows


def _block(
    table: Float,
    first: int,
    stop: int,
    row_of: NDArray[np.int64],
    codes: NDArray[Any],
    columns: NDArray[np.int64],
) -> Block:
    """Sort and group some columns; `codes` and `columns` are written to."""
    n_rows, n_cells = len(table), len(table) * (stop - first)
    low_bits = np.empty(n_rows, dtype=np.int64)
    low_bits[row_of] = np.arange(n_rows)
    keys = np.empty((stop - first, n_rows), dtype=np.int64)
    turned = np.empty(keys.shape)
    sorting.sort_keys(table, table.view(np.int64), first, low_bits, keys, turned)
    keys.sort(axis=1)
    room = Block(
        distinct=np.empty(n_cells),
        entries=np.empty(n_cells, dtype=codes.dtype),
        group_ends=np.empty(n_cells, dtype=np.bool_),
        bulks=np.empty((n_cells // 2 + stop - first, 4), dtype=np.int64),
        members=np.empty(n_cells, dtype=codes.dtype),
        sizes=np.empty((stop - first, 4), dtype=np.int64),
        taken=np.zeros(4, dtype=np.int64),
        rows=np.empty(n_rows, dtype=np.int64),
        ordered=np.empty(n_rows),
        starts=np.empty(n_rows + 1, dtype=np.int64),
    )
    sorting.lay_out(keys, row_of, turned, first, codes, columns, room)
    n_distinct, n_entries, n_bulks, n_members = room.taken
    return room._replace(
        distinct=room.distinct[:n_distinct].copy(),
        entries=room.entries[:n_entries].copy(),
        group_ends=room.group_ends[:n_entries].copy(),
        bulks=room.bulks[:n_bulks].copy(),
        members=room.members[:n_members].copy(),
    )


def _assembled(
    table: Float,
    nominal: NDArray[np.bool_],
    codes: NDArray[Any],
    columns: NDArray[np.int64],
    blocks: list[Block],
) -> SortedTable:
    """The whole table from its blocks."""
    member = 0
    for block in blocks:
        block.bulks[:, [BULK.first, BULK.stop]] += member
        member += len(block.members)
    starts = _starts(np.concatenate([block.sizes for block in blocks]))
    columns[:, COLUMN.entry_start] = starts[:, LAID.entries]
    columns[:-1, COLUMN.entry_middle] += starts[:-1, LAID.entries]
    columns[:, COLUMN.bulk_start] = starts[:, LAID.bulks]
    layout = Layout(
        codes=codes,
        columns=columns,
        entries=np.concatenate([block.entries for block in blocks]),
        group_ends=np.concatenate([block.group_ends for block in blocks]),
        bulks=np.concatenate([block.bulks for block in blocks]),
        members=np.concatenate([block.members for block in blocks]),
    )
    distinct = np.concatenate([block.distinct for block in blocks])
    return SortedTable(table, nominal, layout, distinct, starts[:, LAID.groups].copy())


def _starts(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each of several parts of these sizes begins, and where the last one ends, column by column."""
    starts = np.zeros((len(sizes) + 1, sizes.shape[1]), dtype=np.int64)
    np.cumsum(sizes, axis=0, out=starts[1:])
    return starts
