"""Tables in the form in which stumps are scanned: every column sorted and grouped, once for all models."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tamis._threads import threads
from tamis.stumps._kernels import sorting
from tamis.stumps._kernels.sorting import Block, Layout

__all__ = ["Prepared", "prepare"]

Float = NDArray[np.float64]
CELLS_A_BLOCK = 1 << 16  # how many values are sorted together: bounds the scratch space


@dataclass(frozen=True)
class Prepared:
    """A table, each column sorted and grouped once; made by `prepare`."""

    values: Float
    nominal: NDArray[np.bool_]
    layout: Layout
    distinct: Float
    distinct_start: NDArray[np.int64]

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
        """How many slots a scan needs: one for the gaps, and one for each bulk of the column that has the most."""
        return 1 + int(np.diff(self.layout.columns[:, sorting.BULK_START]).max())


def prepare(values: ArrayLike, nominal: ArrayLike | None = None, *, n_jobs: int | None = None) -> Prepared:
    """Sort and group every column of a table, once for all models on it.

    Parameters
    ----------
    values : array-like of shape (n, d)
        Numbers, NaN for gaps; a nominal column holds codes. Infinity is not allowed.
    nominal : array-like of bool, shape (d,), optional
        Which columns are nominal; none if not given.
    n_jobs : int, optional
        Threads; 1 if None, all processors if -1.

    Returns
    -------
    Prepared
        What `boost` and `eliminate` read.
    """
    table: Float = np.ascontiguousarray(values, dtype=np.float64)
    n_rows, n_columns = table.shape
    flags = np.zeros(n_columns, dtype=np.bool_) if nominal is None else np.array(nominal, dtype=np.bool_)
    if flags.shape != (n_columns,):
        raise ValueError(f"prepare: nominal has shape {flags.shape}, but values has {n_columns} columns.")
    if n_rows == 0 or n_columns == 0:
        raise ValueError(
            f"prepare: values has shape {table.shape}, at least one row and one column are needed."
        )
    index = np.uint16 if 2 * n_rows + 1 < 1 << 16 else np.uint32  # a row or a slot
    codes = np.empty((n_columns, n_rows), dtype=index)
    facts = np.empty((n_columns, 4), dtype=np.int64)
    row_of = _scattered_rows(n_rows)
    width = max(1, CELLS_A_BLOCK // n_rows)
    firsts = range(0, n_columns, width)

    def laid_out(first: int) -> Block:
        return _block(table, first, min(first + width, n_columns), row_of, flags, codes, facts)

    if threads(n_jobs) > 1 and len(firsts) > 1:
        with ThreadPoolExecutor(threads(n_jobs)) as pool:
            blocks = list(pool.map(laid_out, firsts))
    else:
        blocks = [laid_out(first) for first in firsts]
    return _assembled(table, flags, codes, facts, blocks)


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
    nominal: NDArray[np.bool_],
    codes: NDArray[Any],
    facts: NDArray[np.int64],
) -> Block:
    """Sort and group some columns; `codes` and `facts` are written to."""
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
    sorting.lay_out(keys, row_of, turned, first, nominal, codes, facts, room)
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
    facts: NDArray[np.int64],
    blocks: list[Block],
) -> Prepared:
    """The whole table from its blocks."""
    member = 0
    for block in blocks:
        block.bulks[:, 1:3] += member
        member += len(block.members)
    starts = _starts(np.concatenate([block.sizes for block in blocks]))
    columns = np.zeros((len(starts), 7), dtype=np.int64)
    columns[:-1, sorting.N_GROUPS] = facts[:, 0]
    columns[:-1, sorting.HAS_GAPS] = facts[:, 1]
    columns[:-1, sorting.NOMINAL] = nominal
    columns[:-1, sorting.LEFT_OUT] = facts[:, 2]
    columns[:, sorting.ENTRY_START] = starts[:, 1]
    columns[:-1, sorting.ENTRY_MIDDLE] = starts[:-1, 1] + facts[:, 3]
    columns[:, sorting.BULK_START] = starts[:, 2]
    layout = Layout(
        codes=codes,
        columns=columns,
        entries=np.concatenate([block.entries for block in blocks]),
        group_ends=np.concatenate([block.group_ends for block in blocks]),
        bulks=np.concatenate([block.bulks for block in blocks]),
        members=np.concatenate([block.members for block in blocks]),
    )
    distinct = np.concatenate([block.distinct for block in blocks])
    return Prepared(table, nominal, layout, distinct, starts[:, 0].copy())


def _starts(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each of several parts of these sizes begins, and where the last one ends, column by column."""
    starts = np.zeros((len(sizes) + 1, sizes.shape[1]), dtype=np.int64)
    np.cumsum(sizes, axis=0, out=starts[1:])
    return starts
