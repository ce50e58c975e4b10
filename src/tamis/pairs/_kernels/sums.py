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

BLOCK = 512  # the largest number of rows of the table in a block


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
                for i in range(n):
                    block[size, i] = views.values[v, at + i]
                size += 1
    for u in range(views.groups[groups[0], 0], views.groups[groups[0], 1]):
        if b < 0:
            for i in range(n):
                block[size, i] = views.values[u, at + i]
            size += 1
            continue
        for v in range(views.groups[groups[1], 0], views.groups[groups[1], 1]):
            for i in range(n):
                block[size, i] = np.float64(views.values[u, at + i]) * views.values[v, at + i]
            size += 1
    return size


@kernel
def sums_of_products(views: Views, rows: Rows, pair: tuple[int, int], block: np.ndarray) -> np.ndarray:
    """Weighted sums over all rows of the products of every two lines of all views of a pair, (lines, lines).

    A product of two lines is something of the first column (1, a view, or a product of two of its views) times something
    of the second. So one product of two smaller matrices has all sums: class by class for 1 and the views of the first
    column, over all rows for the products of its views. `block` is working memory, of at least `n_moments` lines.
    """
    a, b = pair
    n_classes = len(rows.shares)
    p = views.column_views[a + 1] - views.column_views[a]
    q = 0 if b < 0 else views.column_views[b + 1] - views.column_views[b]
    n_left = n_classes * (1 + p) + p * (p + 1) // 2
    n_right = 1 + q + q * (q + 1) // 2
    left, right = block[:n_left], block[n_left : n_left + n_right]
    moments = np.zeros((n_left, n_right))
    for at in range(0, len(rows.codes), block.shape[1]):
        left_moments(views, rows, a, at, left)
        right_moments(views, b, at, min(block.shape[1], len(rows.codes) - at), right)
        moments += np.dot(left, right.T)
    return arranged(moments, n_classes, p, q)


@kernel
def n_moments(n_classes: int, widest: int) -> int:
    """How many lines `sums_of_products` works with, where no column has more views than `widest`."""
    return n_classes * (1 + widest) + 1 + widest + widest * (widest + 1)


@kernel
def left_moments(views: Views, rows: Rows, a: int, at: int, left: np.ndarray) -> None:
    """Fill `left` with weighted rows from `at` on: 1 and the views class by class, then the products of two views."""
    first, stop = views.column_views[a], views.column_views[a + 1]
    p, n = stop - first, min(left.shape[1], len(rows.codes) - at)
    n_class_lines = len(rows.shares) * (1 + p)
    left[:n_class_lines] = 0.0
    left[n_class_lines:, n:] = 0.0
    weighted = np.empty((1 + p, n))
    for i in range(n):
        weighted[0, i] = rows.weights[at + i]
    for u in range(p):
        for i in range(n):
            weighted[1 + u, i] = weighted[0, i] * views.values[first + u, at + i]
    begin = 0
    while begin < n:  # the rows of a class that follow one another
        code, end = rows.codes[at + begin], begin + 1
        while end < n and rows.codes[at + end] == code:
            end += 1
        for u in range(1 + p):
            for i in range(begin, end):
                left[code * (1 + p) + u, i] = weighted[u, i]
        begin = end
    line = n_class_lines
    for u in range(p):
        for v in range(u, p):
            here, one = left[line], weighted[1 + u]
            for i in range(n):
                here[i] = one[i] * views.values[first + v, at + i]
            line += 1


@kernel
def right_moments(views: Views, b: int, at: int, n: int, right: np.ndarray) -> None:
    """Fill `right` with `n` rows from `at` on: 1, the views, and the products of two views; 1 only where there is no column."""
    right[0] = 1.0
    right[1:, n:] = 0.0
    if b < 0:
        return
    first, stop = views.column_views[b], views.column_views[b + 1]
    line = 1
    for u in range(first, stop):
        for i in range(n):
            right[line, i] = views.values[u, at + i]
        line += 1
    for u in range(first, stop):
        for v in range(u, stop):
            here, one, other = right[line], right[1 + u - first], right[1 + v - first]
            for i in range(n):
                here[i] = one[i] * other[i]
            line += 1


@kernel
def arranged(moments: np.ndarray, n_classes: int, p: int, q: int) -> np.ndarray:
    """The sums of products of every two lines, from `moments` as `sums_of_products` has them."""
    n_all = 1 + p + p * (p + 1) // 2
    whole = np.zeros((n_all, moments.shape[1]))
    for j in range(moments.shape[1]):
        for c in range(n_classes):
            for k in range(1 + p):
                whole[k, j] += moments[c * (1 + p) + k, j]
        for k in range(1 + p, n_all):
            whole[k, j] = moments[(n_classes - 1) * (1 + p) + k, j]
    parts = line_parts(p, q)
    sums = np.zeros((n_classes + len(parts), n_classes + len(parts)))
    for c in range(n_classes):
        sums[c, c] = moments[c * (1 + p), 0]
        for k in range(len(parts)):
            sums[c, n_classes + k] = sums[n_classes + k, c] = moments[c * (1 + p) + parts[k, 0], parts[k, 1]]
    for k in range(len(parts)):
        for m in range(len(parts)):
            of_a, of_b = joint(parts[k, 0], parts[m, 0], p), joint(parts[k, 1], parts[m, 1], q)
            sums[n_classes + k, n_classes + m] = whole[of_a, of_b]
    return sums


@kernel
def line_parts(p: int, q: int) -> np.ndarray:
    """Of which view of either column each line is made, counted from 1; 0 for none. Classes are not counted."""
    parts = np.zeros((1 + p + q + p * q, 2), dtype=np.int64)
    for u in range(1, p + 1):
        parts[u, 0] = u
    for v in range(1, q + 1):
        parts[p + v, 1] = v
    line = 1 + p + q
    for u in range(1, p + 1):
        for v in range(1, q + 1):
            parts[line, 0], parts[line, 1] = u, v
            line += 1
    return parts


@kernel
def joint(u: int, v: int, width: int) -> int:
    """Where the product of two views of a column of `width` views stands: after 1 and the views; 0 is no view."""
    low, high = min(u, v), max(u, v)
    if low == 0:
        return high
    return 1 + width + (low - 1) * width - (low - 1) * (low - 2) // 2 + high - low


@kernel
def weigh(block: np.ndarray, rows: Rows, at: int, weighted: np.ndarray) -> None:
    """Write the lines of a block, times the weights of its rows, to `weighted`."""
    n = min(block.shape[1], len(rows.codes) - at)
    weighted[:, n:] = 0.0
    for line in range(len(block)):
        for i in range(n):
            weighted[line, i] = rows.weights[at + i] * block[line, i]
