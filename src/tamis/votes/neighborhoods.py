"""Neighbours of every row over many sets of columns that differ by a column or two.

A set E of columns is prepared once (`Base`): which rows share a description, and the distances between descriptions.
After that, finding the neighbours over E plus one more column costs little, for every column: see `distances`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tamis.votes._kernels.cells import Lists
from tamis.votes._kernels.distances import (
    Nearby,
    Units,
    nearest_first,
    refined_steps,
    split_groups,
    steps_between,
)
from tamis.votes._kernels.lists import unit_lists

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Item = TypeVar("Item")
Result = TypeVar("Result")
Use = Callable[[Units, Lists], Result]

BLOCK_BYTES = 2**27
"""Memory for distances: enough for all pairs of up to some 5,700 descriptions; beyond, for blocks of them."""

INT32_UP_TO_COLUMNS = 2000
"""Up to this many columns a distance in steps of 2**-20 fits into 32 bits."""

ONE_THREAD_UP_TO = 2**16
"""Up to this many pairs of descriptions a second thread is not worth it."""


@dataclass(frozen=True, eq=False)
class Base:
    """A prepared set of columns.

    Attributes
    ----------
    columns : tuple of int
        The set, ascending.
    group_of_row : ndarray, shape (n,)
        The description of each row over the columns; descriptions are numbered by their first row.
    first_rows : ndarray, shape (groups,)
        The first row of each description.
    steps : ndarray, shape (groups, groups), or None
        Their distances, where they fit into `BLOCK_BYTES`.
    """

    columns: tuple[int, ...]
    group_of_row: IntArray
    first_rows: IntArray
    steps: NDArray[Any] | None


class Neighborhoods:
    """Neighbours of every row, the row itself left out, over sets of columns.

    Parameters
    ----------
    coordinates : ndarray, shape (n, d)
        Scaled rows (`tamis.neighbors.ScaledRows`).
    n_neighbors : int
        k, at most n - 1.
    squared : bool
        Whether a column's term is the square of the difference (l2) or the difference (l1).
    lowest : bool
        Exactly k neighbours, the lower row first on ties, instead of all ties.
    n_threads : int
        Threads.
    together : ndarray of int, shape (n,), or None
        Rows with the same number are never each other's neighbours; at least two numbers occur. None: only the row itself.
    apart : bool, default=False
        Whether every row is a unit of its own, as it is where `lowest` or `together` is given.

    Notes
    -----
    The lists and their order depend only on the set of columns. Memory: three times `BLOCK_BYTES`; for more rows,
    `BLOCK_BYTES` and the lists of all candidates, some 100 + 4 k bytes per row and candidate.
    """

    def __init__(
        self,
        coordinates: FloatArray,
        n_neighbors: int,
        *,
        squared: bool,
        lowest: bool,
        n_threads: int,
        together: IntArray | None = None,
        apart: bool = False,
    ) -> None:
        self.columns = np.ascontiguousarray(coordinates.T)
        self.order = np.argsort(self.columns, axis=1, kind="stable")
        self.levels = _levels(self.columns, self.order)
        self.n_neighbors, self.squared, self.lowest = n_neighbors, squared, lowest
        self.n_threads = n_threads
        self.together = np.empty(0, dtype=np.int64) if together is None else together
        self.apart = apart or lowest or together is not None
        self.dtype = np.int32 if len(self.columns) <= INT32_UP_TO_COLUMNS else np.int64
        n = len(coordinates)
        nothing = Base((), np.zeros(n, np.int64), np.zeros(1, np.int64), np.zeros((1, 1), self.dtype))
        self._recent = [nothing]

    def extensions(self, columns: Iterable[int], candidates: Sequence[int], use: Use[Result]) -> list[Result]:
        """Return `use(units, lists)` over a set of columns plus one more, for each candidate."""
        base = self._prepared(columns)
        blocks = self._blocks(base)

        def units_of(column: int) -> Units:
            return self._units(base, self.order[column], self.columns[column])

        if len(blocks) == 1:
            nearby = self._nearby(base, blocks[0], self._width(base))
            return self._threaded(
                lambda column: use(units := units_of(column), self._lists(nearby, units)), candidates
            )
        units = self._threaded(units_of, candidates)
        parts: list[list[Lists]] = [[] for _ in candidates]
        for block in blocks:
            nearby = self._nearby(base, block, self._width(base))
            for part, lists in zip(parts, self._threaded(partial(self._lists, nearby), units)):
                part.append(lists)
        return self._threaded(lambda pos: use(units[pos], _joined(parts[pos])), range(len(units)))

    def subsets(
        self, columns: Iterable[int], sets: Sequence[Iterable[int]], use: Use[Result]
    ) -> list[Result]:
        """Return `use(units, lists)` over several sets that each differ little from `columns`."""
        anchor = self._prepared(columns)
        nothing = np.zeros(self.columns.shape[1])

        def result(chosen: Iterable[int]) -> Result:
            base = self._derived(anchor, tuple(sorted(chosen)), 1)
            units = self._units(base, np.arange(len(nothing)), nothing)
            near = (self._nearby(base, block, 0) for block in self._blocks(base))
            return use(units, _joined([self._lists(nearby, units) for nearby in near]))

        return self._threaded(result, sets)

    def descriptions(self, columns: Iterable[int], chosen: Iterable[int]) -> IntArray:
        """Return a number for each row's description over the columns of `chosen`, which holds the set `columns`.

        The numbers are below four times the number of rows; not every one needs to occur.
        """
        base = self._prepared(columns)
        number, n_numbers = base.group_of_row, len(base.first_rows)
        for column in sorted(set(chosen) - set(base.columns)):
            n_levels = int(self.levels[column].max()) + 1
            number, n_numbers = number * n_levels + self.levels[column], n_numbers * n_levels
            if n_numbers > 4 * len(number):
                number = np.unique(number, return_inverse=True)[1]
                n_numbers = int(number.max()) + 1
        return number

    def _units(self, base: Base, order: IntArray, column: FloatArray) -> Units:
        units: Units = split_groups(base.group_of_row, len(base.first_rows), order, column, self.apart)
        return units

    def _lists(self, nearby: Nearby, units: Units) -> Lists:
        return Lists(*unit_lists(nearby, units, self.squared, self.n_neighbors, self.lowest, self.together))

    def _prepared(self, columns: Iterable[int]) -> Base:
        """Return the prepared set, derived from the closer of the two sets last used."""
        key = tuple(sorted(columns))
        source = min(self._recent, key=lambda base: len(set(base.columns) ^ set(key)))
        if source.columns == key:
            self._recent = [source]
            return source
        base = self._derived(source, key, self.n_threads)
        self._recent = [base, source]
        return base

    def _derived(self, source: Base, key: tuple[int, ...], n_threads: int) -> Base:
        """Prepare a set from another prepared set; the result depends only on the set."""
        if key == source.columns:
            return source
        added, removed = sorted(set(key) - set(source.columns)), sorted(set(source.columns) - set(key))
        if removed:
            group_of_row, first_rows = self._groups(np.zeros_like(source.group_of_row), key)
        else:
            group_of_row, first_rows = self._groups(source.group_of_row, added)
        n_groups = len(first_rows)
        if n_groups**2 * np.dtype(self.dtype).itemsize > BLOCK_BYTES:
            return Base(key, group_of_row, first_rows, None)
        changes = [(column, 1) for column in added] + [(column, -1) for column in removed]
        if source.steps is None or len(changes) > len(key):
            everything = slice(0, n_groups)
            return Base(
                key, group_of_row, first_rows, self._distances(key, first_rows, everything, n_threads)
            )
        steps = np.empty((n_groups, n_groups), dtype=self.dtype)
        known, old = source.steps, source.group_of_row[first_rows]
        if np.array_equal(old, np.arange(len(known))):  # the same groups
            old = old[:0]
        for column, sign in changes:
            values = self.columns[column][first_rows]
            refine = partial(refined_steps, known, old, values, self.squared, sign, steps)
            _in_slices(n_groups, n_threads, refine)
            known, old = steps, old[:0]
        return Base(key, group_of_row, first_rows, steps)

    def _groups(self, group_of_row: IntArray, columns: Iterable[int]) -> tuple[IntArray, IntArray]:
        """Split descriptions by further columns; return each row's, numbered by first row, and their first rows."""
        for column in columns:
            levels = self.levels[column]
            group_of_row = np.unique(group_of_row * (levels.max() + 1) + levels, return_inverse=True)[1]
        _, first_rows, codes = np.unique(group_of_row, return_index=True, return_inverse=True)
        order = np.argsort(first_rows)
        number = np.empty_like(order)
        number[order] = np.arange(len(order))
        return number[codes], first_rows[order]

    def _distances(
        self, columns: tuple[int, ...], first_rows: IntArray, asking: slice, n_threads: int
    ) -> NDArray[Any]:
        """Compute the distances of some consecutive groups to all groups."""
        values = np.ascontiguousarray(self.columns[list(columns)][:, first_rows])
        out = np.empty((asking.stop - asking.start, len(first_rows)), dtype=self.dtype)
        _in_slices(len(out), n_threads, partial(steps_between, values, asking.start, self.squared, out))
        return out

    def _width(self, base: Base) -> int:
        """Return how many groups around a group are sorted: about twice as many as one more column makes necessary.

        Over e + 1 columns the k nearest of g points are within a distance r with g r**(e + 1) = k; over e columns,
        g r**e points are within that distance.
        """
        n_groups, n_columns = len(base.first_rows), len(base.columns)
        share = min(1.0, self.n_neighbors / n_groups) ** (n_columns / (n_columns + 1))
        return min(n_groups, 32 + 4 * self.n_neighbors + int(3 * n_groups * share))

    def _blocks(self, base: Base) -> list[slice]:
        """Return all groups, or blocks of them whose distances to all groups fit into `BLOCK_BYTES`."""
        n_groups = len(base.first_rows)
        if base.steps is not None:
            return [slice(0, n_groups)]
        size = max(1, BLOCK_BYTES // (n_groups * np.dtype(self.dtype).itemsize))
        return [slice(start, min(start + size, n_groups)) for start in range(0, n_groups, size)]

    def _nearby(self, base: Base, block: slice, width: int) -> Nearby:
        """Return the groups around those of a block, `width` of them in order of distance."""
        steps = base.steps
        if steps is None:
            steps = self._distances(base.columns, base.first_rows, block, self.n_threads)
        n = len(steps)
        groups = np.empty((n, width), dtype=np.int32)
        ordered = np.empty((n, width), dtype=self.dtype)
        length, reach = np.zeros(n, dtype=np.int64), np.full(n, -1, dtype=np.int64)
        if width:
            _in_slices(n, self.n_threads, partial(nearest_first, steps, groups, ordered, length, reach))
        return Nearby(block.start, groups, ordered, length, reach, steps)

    def _threaded(self, job: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        """Return what `job` returns for every item, in order."""
        n_rows = self.columns.shape[1]
        if self.n_threads == 1 or len(items) == 1 or n_rows * len(items) < ONE_THREAD_UP_TO // 16:
            return [job(item) for item in items]
        with ThreadPoolExecutor(self.n_threads) as pool:
            return list(pool.map(job, items))


def _levels(columns: FloatArray, order: IntArray) -> IntArray:
    """Return the position of every value among the distinct values of its column, (d, n)."""
    ranked = np.take_along_axis(columns, order, axis=1)
    opens = np.zeros(columns.shape, dtype=np.int64)
    opens[:, 1:] = ranked[:, 1:] != ranked[:, :-1]
    levels = np.empty_like(order)
    np.put_along_axis(levels, order, np.cumsum(opens, axis=1), axis=1)
    return levels


def _in_slices(n: int, n_threads: int, job: Callable[[int, int], None]) -> None:
    """Call `job(begin, end)` for consecutive slices of range(n), shared among threads."""
    if n_threads == 1 or n * n < ONE_THREAD_UP_TO:
        job(0, n)
        return
    ends = np.linspace(0, n, 4 * n_threads + 1).astype(int).tolist()
    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(job, ends[:-1], ends[1:]))


def _joined(parts: Sequence[Lists]) -> Lists:
    """Join the lists of consecutive blocks."""
    if len(parts) == 1:
        return parts[0]
    sizes = np.concatenate([np.diff(part.indptr) for part in parts])
    indptr = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
    return Lists(indptr, np.concatenate([part.units for part in parts]))
