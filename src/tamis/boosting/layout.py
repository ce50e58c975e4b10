"""Tables in the form in which stumps are scanned: every column sorted and grouped, once for all models."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numpy.typing import ArrayLike, NDArray

from tamis.boosting import _layout_kernels
from tamis.boosting._layout_kernels import Layout

__all__ = ["Prepared", "prepare", "threads"]

Float = NDArray[np.float64]
CELLS_A_BLOCK = 1 << 20  # how many values are sorted together: bounds the scratch space


@dataclass(frozen=True)
class Prepared:
    """A table, each column sorted and grouped once; made by `prepare`."""

    values: Float
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
    n_groups = np.empty(n_columns, dtype=np.int64)
    width = max(1, CELLS_A_BLOCK // n_rows)
    blocks = [(first, min(first + width, n_columns)) for first in range(0, n_columns, width)]

    def group(block: tuple[int, int]) -> Float:
        return _group_block(table, *block, codes, n_groups)

    if threads(n_jobs) > 1 and len(blocks) > 1:
        with ThreadPoolExecutor(threads(n_jobs)) as pool:
            distinct = list(pool.map(group, blocks))
    else:
        distinct = [group(block) for block in blocks]
    return Prepared(table, _layout(codes, n_groups, flags), np.concatenate(distinct), _starts(n_groups))


def _group_block(
    table: Float, first: int, stop: int, codes: NDArray[Any], n_groups: NDArray[np.int64]
) -> Float:
    """Number the groups of some columns; returns their distinct values, one column after the other."""
    n_rows = len(table)
    row_mask = (1 << (n_rows - 1).bit_length()) - 1
    keys = np.empty((stop - first, n_rows), dtype=np.int64)
    _layout_kernels.sort_keys(table.view(np.int64), first, keys, row_mask)
    keys.sort(axis=1)
    distinct: Float = np.empty(keys.size)
    n_distinct = _layout_kernels.group_columns(keys, row_mask, table, first, codes, distinct, n_groups)
    return distinct[:n_distinct].copy()


def _layout(codes: NDArray[Any], n_groups: NDArray[np.int64], nominal: NDArray[np.bool_]) -> Layout:
    """What the scans read, from the group of each row."""
    n_columns = len(codes)
    most_frequent = np.empty(n_columns, dtype=np.int64)
    sizes = np.zeros((n_columns, 4), dtype=np.int64)
    _layout_kernels.layout_sizes(codes, n_groups, nominal, most_frequent, sizes)
    entry_start, bulk_start, member_start = (_starts(sizes[:, k]) for k in range(3))
    layout = Layout(
        codes=codes,
        n_groups=n_groups,
        has_gaps=sizes[:, 3] > 0,
        nominal=nominal,
        most_frequent=most_frequent,
        n_slots=np.empty(n_columns, dtype=np.int64),
        entry_start=entry_start,
        entry_middle=np.empty(n_columns, dtype=np.int64),
        entries=np.empty(entry_start[-1], dtype=codes.dtype),
        group_ends=np.zeros(entry_start[-1], dtype=np.bool_),
        bulk_start=bulk_start,
        bulks=np.empty((bulk_start[-1], 4), dtype=np.int64),
        members=np.empty(member_start[-1], dtype=codes.dtype),
    )
    _layout_kernels.fill_layout(layout, member_start)
    return layout


def _starts(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each of several parts of these sizes begins, and where the last one ends."""
    starts = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts


def threads(n_jobs: int | None) -> int:
    """How many threads `n_jobs` asks for: 1 if None, all processors if -1, all but one if -2."""
    most = int(numba.config.NUMBA_NUM_THREADS)
    if n_jobs is None:
        return 1
    return min(n_jobs, most) if n_jobs > 0 else max(1, most + 1 + n_jobs)
