"""Sums over the rows of all products of the lines of a pair: the exact part of a test of the pair.

A line is a vector with one entry per row of the table; a block holds all lines for some of the rows. There is one
line for each class (1 in its rows), one of ones, one for each view of the two columns, and one for each product of a
view of the first column and one of the second. A single column (the second is -1) has the classes, the ones, and its
views in the place of products. Entries after the last row are 0. Unless weights are fractions, all entries are whole
numbers and so are their sums, which are then the same in any order and over any parts of the rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tamis._jit import kernel
from tamis.pairs._kernels.lists import Views

BLOCK = 256  # rows of the table in a block


class Rows(NamedTuple):
    """The rows as the tests see them.

    Parameters
    ----------
    codes : ndarray of int64, shape (n,)
        The class of each row.
    weights : ndarray, shape (n,)
        The weights of the rows, in any unit.
    shares : ndarray, shape (c,)
        The classes' shares of the weight.
    counted : float
        How many rows the weights count as in all.
    """

    codes: Any
    weights: Any
    shares: Any
    counted: float


@kernel
def n_own(views: Views, pair: tuple[int, int]) -> int:
    """How many lines a pair has before its products: the ones and the views of both columns; classes not counted."""
    start = views.column_views
    if pair[1] < 0:
        return 1
    return 1 + start[pair[0] + 1] - start[pair[0]] + start[pair[1] + 1] - start[pair[1]]


@kernel
def lines(
    views: Views, rows: Rows, pair: tuple[int, int], groups: tuple[int, int], at: int, block: np.ndarray
) -> int:
    """Fill a block with the rows from `at` on: classes, the columns' own lines, products of two groups of views.

    Parameters
    ----------
    views : Views
        The views of all columns.
    rows : Rows
        The classes and weights of the rows.
    pair : tuple of int
        The columns; the second is -1 for a single column.
    groups : tuple of int
        The group of views of the first column, and that of the second.
    at : int
        The first row.
    block : ndarray, shape (lines, BLOCK)
        Written to.

    Returns
    -------
    int
        How many lines there are.
    """
    b = pair[1]
    n = min(block.shape[1], len(rows.codes) - at)
    block[:, n:] = 0.0
    size = len(rows.shares)
    block[:size] = 0.0
    for i in range(n):
        block[rows.codes[at + i], i] = 1.0
    block[size, :n] = 1.0
    size += 1
    if b >= 0:
        for column in pair:
            for v in range(views.column_views[column], views.column_views[column + 1]):
                block[size, :n] = views.values[v, at : at + n]
                size += 1
    for u in range(views.groups[groups[0], 0], views.groups[groups[0], 1]):
        if b < 0:
            block[size, :n] = views.values[u, at : at + n]
            size += 1
            continue
        for v in range(views.groups[groups[1], 0], views.groups[groups[1], 1]):
            for i in range(n):
                block[size, i] = np.float64(views.values[u, at + i]) * views.values[v, at + i]
            size += 1
    return size


@kernel
def sums_of_products(
    views: Views, rows: Rows, pair: tuple[int, int], groups: tuple[int, int], block: np.ndarray
) -> np.ndarray:
    """Weighted sums over all rows of the products of every two lines, (lines, lines); `block` is working memory."""
    n_lines = lines(views, rows, pair, groups, 0, block)
    sums = np.zeros((n_lines, n_lines))
    weighted = np.empty((n_lines, block.shape[1]))
    for at in range(0, len(rows.codes), block.shape[1]):
        if at > 0:
            lines(views, rows, pair, groups, at, block)
        weigh(block[:n_lines], rows, at, weighted)
        sums += np.dot(weighted, block[:n_lines].T)
    return sums


@kernel
def weigh(block: np.ndarray, rows: Rows, at: int, weighted: np.ndarray) -> None:
    """Write the lines of a block, times the weights of its rows, to `weighted`."""
    n = min(block.shape[1], len(rows.codes) - at)
    weighted[:, n:] = 0.0
    for line in range(len(block)):
        for i in range(n):
            weighted[line, i] = rows.weights[at + i] * block[line, i]
