"""Neighbours with all ties (``ties="all"``), as groups of rows with equal values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tamis.neighbors._blocks import Layout, in_threads
from tamis.neighbors._distance import FloatArray, IntArray, MixedSpace, Rows, ScaledRows
from tamis.neighbors._exact import Progress
from tamis.neighbors._graph import check_enough_rows
from tamis.neighbors._kernels.groups import fill_lists, radii_of_lists, sums_of_lists
from tamis.neighbors._kernels.nearest import distances_to_blocks

SLAB_DISTANCES = 2**21
"""Distances that a thread keeps in memory at a time: 16 MB."""


@dataclass(frozen=True, eq=False)
class NeighborGroups:
    """Neighbours of every query, all ties kept, as lists of groups.

    A group holds the rows with the same description: equal values in every column.

    Attributes
    ----------
    group_of_row : ndarray of shape (n_rows,), int64
        The group of each fitted row. Groups are numbered by their first row.
    list_of_query : ndarray of shape (n_queries,), int64
        The list that holds a query's neighbours; queries with the same description share a list. Without queries
        it is `group_of_row`: there is one list per group.
    indptr : ndarray of shape (n_lists + 1,), int64
        List i is ``groups[indptr[i]:indptr[i + 1]]``, ascending.
    groups : ndarray, int32
        The groups listed.
    complement : ndarray of shape (n_lists,), bool
        False: the list holds the groups whose rows are neighbours. True: it holds the groups whose rows are not,
        because they are fewer.
    radius : ndarray of shape (n_lists,), int64
        The distance of the k-th neighbour, in steps.
    leave_one_out : bool
        Whether the queries are the fitted rows. Then a row's own group is among its neighbours if it has other
        rows, and the row itself has to be taken out of it; a group of one row is not among its own neighbours.

    Notes
    -----
    A vote is a sum over neighbours, of weights or of weights times labels. To sum a vector v over the
    neighbours of x:

    1. total[g] is the sum of v over the rows of group g;
    2. S is the sum of total[g] over the groups of x's list, or, where `complement` is set, the sum of all v
       minus that;
    3. with `leave_one_out`, if x's group has other rows than x, the answer is S - v[x]; otherwise S.

    `sums` does this in O(n_rows + len(groups)). The subtractions leave rounding errors of about 1e-16 times the
    sum of abs(v); whole numbers below 2**53 are summed exactly.
    """

    group_of_row: IntArray
    list_of_query: IntArray
    indptr: IntArray
    groups: npt.NDArray[np.int32]
    complement: npt.NDArray[np.bool_]
    radius: IntArray
    leave_one_out: bool

    def sums(self, row_values: npt.ArrayLike) -> FloatArray:
        """Return, for every query, the sum of `row_values` (one value per fitted row) over its neighbours."""
        values = np.asarray(row_values, dtype=np.float64)
        counts = np.bincount(self.group_of_row)
        totals = np.bincount(self.group_of_row, weights=values, minlength=len(counts))
        sums: FloatArray = sums_of_lists(self.indptr, self.groups, self.complement, totals)[
            self.list_of_query
        ]
        if self.leave_one_out:
            sums -= np.where(counts[self.group_of_row] > 1, values, 0.0)
        return sums

    def neighbors_of(self, query: int) -> IntArray:
        """Return the fitted rows that are neighbours of one query, ascending."""
        i = self.list_of_query[query]
        listed = np.zeros(int(self.group_of_row.max()) + 1, dtype=bool)
        listed[self.groups[self.indptr[i] : self.indptr[i + 1]]] = True
        is_neighbor = (listed ^ self.complement[i])[self.group_of_row]
        if self.leave_one_out:
            is_neighbor[query] = False
        return np.flatnonzero(is_neighbor)


def nearest_groups(
    space: MixedSpace,
    fitted_rows: Rows,
    n_neighbors: int,
    queries: Rows | None = None,
    *,
    n_jobs: int | None = 1,
    progress: Progress | None = None,
) -> NeighborGroups:
    """Find, for every query, all rows that are no farther than its `n_neighbors`-th neighbour (``ties="all"``).

    Parameters
    ----------
    space : MixedSpace
        The distance; its metric must be "l1" or "l2".
    fitted_rows : ndarray of shape (n_rows, n_columns), or ScaledRows
        The rows to find neighbours among.
    n_neighbors : int
        How many neighbours there are at least; rows that tie with the last of them are neighbours too.
    queries : ndarray of shape (n_queries, n_columns), or ScaledRows, default=None
        The rows whose neighbours are wanted. None: the fitted rows, each of which finds other rows only.
    n_jobs : int or None, default=1
        Threads, as in joblib. The result does not depend on it.
    progress : callable, default=None
        Called with the number of lists made since the last call.

    Returns
    -------
    NeighborGroups
        The lists, and how to sum over them.

    Notes
    -----
    With g different descriptions among the rows and k neighbours, the cost is that of g x g distances, 16 MB per
    thread at a time, plus the lists: at most g x g / 2 entries of 4 bytes if there are many ties, little more than
    g k entries if there are few.

    Examples
    --------
    One categorical column: the second value occurs in a single row, whose nearest rows are all the others.

    >>> import numpy as np
    >>> from tamis.neighbors import MixedSpace, nearest_groups
    >>> values = np.array([[0.0], [0.0], [0.0], [1.0]])
    >>> space = MixedSpace.fit(values, np.array([True]), metric="l1")
    >>> neighbors = nearest_groups(space, values, 1)
    >>> neighbors.neighbors_of(0), neighbors.neighbors_of(3)
    (array([1, 2]), array([0, 1, 2]))
    >>> neighbors.sums([1.0, 1.0, 1.0, 1.0])
    array([2., 2., 2., 3.])
    """
    if not space.additive:
        raise ValueError(
            f"nearest_groups: metric={space.metric!r}, but all ties are kept for l1 and l2 only."
        )
    fitted = space.rows(fitted_rows)
    check_enough_rows("nearest_groups", n_neighbors, len(fitted) - (queries is None))
    group_of_row, first_rows = description_groups(fitted)
    descriptions = fitted.take(first_rows)
    if queries is None:
        list_of_query, asking = group_of_row, descriptions
        own_groups = np.arange(len(first_rows))
    else:
        scaled_queries = space.rows(queries)
        list_of_query, first_queries = description_groups(scaled_queries)
        asking = scaled_queries.take(first_queries)
        own_groups = np.full(len(first_queries), -1)
    layout = Layout.of(descriptions, asking)
    blocks = layout.as_blocks(descriptions.coordinates)
    counts = np.bincount(group_of_row, minlength=len(first_rows))

    def lists(part: slice) -> tuple[IntArray, npt.NDArray[np.bool_], IntArray, npt.NDArray[np.int32]]:
        columns = layout.as_queries(asking.coordinates[part])
        distances = distances_to_blocks(columns, blocks, len(descriptions), space.squared)
        radii, sizes = radii_of_lists(distances, counts, own_groups[part], n_neighbors)
        complement = sizes > len(counts) // 2
        sizes = np.where(complement, len(counts) - sizes, sizes)
        indptr = np.concatenate([[0], np.cumsum(sizes)])
        groups = np.empty(indptr[-1], dtype=np.int32)
        fill_lists(distances, counts, own_groups[part], radii, complement, indptr, groups)
        return radii, complement, sizes, groups

    size = max(1, SLAB_DISTANCES // len(descriptions))
    parts = []
    for part in in_threads(lists, len(asking), size, n_jobs):
        parts.append(part)
        if progress is not None:
            progress(len(part[0]))
    radii, complement, sizes, groups = (np.concatenate(pieces) for pieces in zip(*parts))
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    return NeighborGroups(group_of_row, list_of_query, indptr, groups, complement, radii, queries is None)


def description_groups(rows: ScaledRows) -> tuple[IntArray, IntArray]:
    """Number the distinct descriptions by their first row; return each row's number and the first rows."""
    n_bytes = rows.coordinates.dtype.itemsize * rows.coordinates.shape[1]
    if n_bytes == 0:
        return np.zeros(len(rows), dtype=np.int64), np.zeros(1, dtype=np.int64)
    as_bytes = np.ascontiguousarray(rows.coordinates).view(np.dtype((np.void, n_bytes))).ravel()
    _, first_rows, codes = np.unique(as_bytes, return_index=True, return_inverse=True)
    order = np.argsort(first_rows)
    number = np.empty_like(order)
    number[order] = np.arange(len(order))
    return number[codes], first_rows[order]
