"""Columns with the same information: how they are grouped, and how the columns of a group share its rank."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.stats import rankdata

from tamis.table._table import Table

Float = NDArray[np.float64]
_BLOCK = 512  # columns compared at a time


def twin_groups(table: Table, least: float, *, missing_alike: bool = True) -> NDArray[np.int64]:
    """Return the group of each column, numbered in the order of first appearance.

    Two numeric columns are in one group if the same rows have missing values (but see `missing_alike`) and their absolute
    rank correlation is at least `least`; two categorical columns if their values split the rows in the same way. Columns linked through others
    are in one group. A constant column is a group of its own.

    Parameters
    ----------
    table : Table
        The columns.
    least : float
        Between 0 and 1; 1 groups only columns that put the rows in the same or the opposite order.
    missing_alike : bool, default=True
        Whether numeric columns of a group must have missing values in the same rows. If not, the rows where both have a
        value decide, and there must be as many as half of all.

    Returns
    -------
    ndarray of int, shape (d,)
        Group numbers from 0.
    """
    ranks = unit_ranks(table)
    missing = np.isnan(table.values)
    _, patterns = np.unique(missing.T, axis=0, return_inverse=True)
    known = (~missing).astype(float)
    pairs = []
    for start in range(0, table.n_columns, _BLOCK):
        block = slice(start, start + _BLOCK)
        alike = np.abs(ranks[:, block].T @ ranks)
        if missing_alike:
            wanted = patterns.ravel()[block, None] == patterns.ravel()
        else:
            lengths = (ranks[:, block].T ** 2 @ known) * (known[:, block].T @ ranks**2)
            alike /= np.sqrt(np.where(lengths > 0, lengths, 1.0))
            wanted = 2 * (known[:, block].T @ known) >= table.n_rows
        left, right = np.nonzero((alike >= least - 1e-12) & wanted)
        left = left + start
        pairs.append(np.stack([left[left < right], right[left < right]]))
    pairs.append(_equal_partitions(table))
    left, right = np.concatenate(pairs, axis=1)
    links = coo_array((np.ones(len(left)), (left, right)), shape=(table.n_columns,) * 2)
    _, groups = connected_components(links, directed=False)
    _, first = np.unique(groups, return_index=True)
    number = np.empty(len(first), dtype=np.int64)
    number[groups[np.sort(first)]] = np.arange(len(first))
    numbered: NDArray[np.int64] = number[groups]
    return numbered


def unit_ranks(table: Table) -> Float:
    """Return ranks of the numeric columns, centred, scaled to length 1, 0 where missing; other columns are 0."""
    ranks = np.zeros(table.values.shape)
    for j in np.flatnonzero(~table.nominal):
        known = ~np.isnan(table.values[:, j])
        if known.sum() > 1:
            ranked = rankdata(table.values[known, j])
            ranks[known, j] = ranked - ranked.mean()
    lengths = np.linalg.norm(ranks, axis=0)
    return ranks / np.where(lengths > 0, lengths, 1.0)


def _equal_partitions(table: Table) -> NDArray[np.int64]:
    """Return pairs of categorical columns whose values split the rows in the same way."""
    seen: dict[bytes, int] = {}
    pairs = []
    for j in np.flatnonzero(table.nominal):
        column = np.where(np.isnan(table.values[:, j]), -1, table.values[:, j])
        distinct, first, inverse = np.unique(column, return_index=True, return_inverse=True)
        if len(distinct) == 1:
            continue
        numbers = np.empty(len(distinct), dtype=np.int64)
        numbers[np.argsort(first)] = np.arange(len(distinct))
        missing = (column == -1).tobytes()
        key = numbers[inverse].tobytes() + missing
        if key in seen:
            pairs.append((seen[key], int(j)))
        else:
            seen[key] = int(j)
    return np.array(pairs, dtype=np.int64).reshape(-1, 2).T


def best_of_groups(groups: NDArray[np.int64], worth: Float) -> NDArray[np.int64]:
    """Return the column with the largest worth in each group, the lowest on ties."""
    ranked = np.lexsort((np.arange(len(groups)), -worth, groups))
    _, first = np.unique(groups[ranked], return_index=True)
    best: NDArray[np.int64] = ranked[first].astype(np.int64)
    return best


def shared_order(groups: NDArray[np.int64], order: NDArray[np.int64], worth: Float) -> NDArray[np.intp]:
    """Return all columns from best to worst, given the order of one column per group.

    Parameters
    ----------
    groups : ndarray of int, shape (d,)
        The group of each column.
    order : ndarray of int
        One column of each group that was ranked, from best to worst.
    worth : ndarray, shape (d,)
        The order inside a group after its ranked column: larger worth first, then the lower column.

    Returns
    -------
    ndarray of int, shape (d,)
        The groups in their order, the columns of each next to each other; last the groups without a ranked column.
    """
    group_rank = np.full(groups.max() + 1, len(order))
    group_rank[groups[order]] = np.arange(len(order))
    not_ranked = np.ones(len(groups), dtype=np.int64)
    not_ranked[order] = 0
    return np.lexsort((np.arange(len(groups)), -worth, not_ranked, group_rank[groups]))
