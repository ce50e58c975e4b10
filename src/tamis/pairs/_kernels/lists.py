"""From the sums of products of two blocks of views to the best partners of each column.

Symbols: S_c[a, b] the sum over the rows of class c of view a times view b, S[a, b] that over all rows, p_c the share of
class c in the weight, W the weight of all rows, N_a the sum of the squares of view a. Where two columns are independent
of each other and of the class,

    T = W / (N_a N_b) sum over c of (S_c[a, b] - p_c S[a, b])^2 / p_c  =  W / (N_a N_b) (sum over c of S_c^2 / p_c - S^2)

is chi-squared with C - 1 degrees of freedom. Summed over the products of the views of two groups, it has C - 1
degrees of freedom for each product.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tamis._jit import kernel


class Views(NamedTuple):
    """The views of all columns, side by side.

    A column has one group of views; or several, and after them one more group that holds all its views.

    Parameters
    ----------
    values : ndarray of int8, shape (v, n)
        One view per row.
    groups : ndarray of int64, shape (g, 2)
        The first view of each group, and the first after it.
    column_groups : ndarray of int64, shape (d + 1,)
        The first group of each column, and the number of groups.
    column_views : ndarray of int64, shape (d + 1,)
        The first view of each column, and the number of views.
    """

    values: Any
    groups: Any
    column_groups: Any
    column_views: Any


class Lists(NamedTuple):
    """The best partners of each column, from best to worst.

    Parameters
    ----------
    keys : ndarray of float64, shape (d, k)
        Higher is better; 0 where there is no partner.
    partners : ndarray of int64, shape (d, k)
        Columns; -1 where there is none.
    """

    keys: Any
    partners: Any


@kernel
def n_single(views: Views, column: int) -> int:
    """How many groups of a column are tested one by one: all but the last, or the only one."""
    return max(views.column_groups[column + 1] - views.column_groups[column] - 1, 1)


@kernel
def n_tests(views: Views, a: int, b: int) -> int:
    """How many tests two columns have: each group with each; if either has several, also all views with all."""
    singles = n_single(views, a) * n_single(views, b)
    whole = (
        views.column_groups[a + 1]
        - views.column_groups[a]
        + views.column_groups[b + 1]
        - views.column_groups[b]
        > 2
    )
    return singles + 1 if whole else singles


@kernel
def groups_of_test(views: Views, a: int, b: int, test: int) -> tuple[int, int]:
    """The groups of test number `test` of two columns."""
    n_b = n_single(views, b)
    if test == n_single(views, a) * n_b:
        return views.column_groups[a + 1] - 1, views.column_groups[b + 1] - 1
    return views.column_groups[a] + test // n_b, views.column_groups[b] + test % n_b


@kernel
def evidence(statistic: float, freedom: int) -> float:
    """Twice the Chernoff bound on -log P(chi-squared > statistic): never more than the statistic."""
    if statistic <= freedom:
        return 0.0
    return statistic - freedom - freedom * math.log(statistic / freedom)


@kernel
def enter(lists: Lists, column: int, partner: int, key: float) -> None:
    """Enter a partner in the sorted list of a column if it ranks there: larger keys first, lower partners on ties."""
    keys, partners = lists.keys[column], lists.partners[column]
    place = len(keys)
    while place > 0 and (
        partners[place - 1] < 0
        or key > keys[place - 1]
        or (key == keys[place - 1] and partner < partners[place - 1])
    ):
        place -= 1
        if place + 1 < len(keys):
            keys[place + 1], partners[place + 1] = keys[place], partners[place]
        keys[place], partners[place] = key, partner


@kernel
def view_statistics(
    sums: np.ndarray, shares: np.ndarray, scales_a: np.ndarray, scales_b: np.ndarray, found: np.ndarray
) -> None:
    """Write T for every two views to `found`; from S_c, (c, views of a, views of b), and sqrt(W) / N of the views."""
    whole = np.empty(sums.shape[2])
    for i in range(sums.shape[1]):
        here = found[i]
        here[:] = 0.0
        whole[:] = 0.0
        for c in range(len(shares)):
            weight = 1 / shares[c]
            for j in range(len(whole)):
                one = np.float64(sums[c, i, j])
                whole[j] += one
                here[j] += one * one * weight
        for j in range(len(whole)):
            left = here[j] - whole[j] * whole[j]
            here[j] = left * scales_a[i] * scales_b[j] if left > 0.0 else 0.0


@kernel
def best_key(
    found: np.ndarray,
    corner: tuple[int, int],
    views: Views,
    pair: tuple[int, int],
    n_classes: int,
    floor: float,
) -> float:
    """The largest evidence of the tests of a pair; 0 where no statistic reaches `floor`.

    `found` holds T for every two views; those of the pair begin at `corner`.
    """
    a, b = pair
    best = 0.0
    for test in range(n_tests(views, a, b)):
        g, h = groups_of_test(views, a, b, test)
        statistic = 0.0
        for u in range(views.groups[g, 0], views.groups[g, 1]):
            for v in range(views.groups[h, 0], views.groups[h, 1]):
                statistic += found[
                    corner[0] + u - views.column_views[a], corner[1] + v - views.column_views[b]
                ]
        if statistic >= floor:
            freedom = (
                (views.groups[g, 1] - views.groups[g, 0])
                * (views.groups[h, 1] - views.groups[h, 0])
                * (n_classes - 1)
            )
            best = max(best, evidence(statistic, freedom))
    return best


@kernel
def enter_block(
    sums: np.ndarray,
    shares: np.ndarray,
    scales: np.ndarray,
    views: Views,
    columns_a: tuple[int, int],
    columns_b: tuple[int, int],
    lists: Lists,
) -> None:
    """Enter all pairs of a column of `columns_a` and a later one of `columns_b` in the lists of both.

    Parameters
    ----------
    sums : ndarray, shape (c, views of a, views of b)
        S_c of the views of these columns; floats of 32 bits or 64.
    shares : ndarray, shape (c,)
        p_c.
    scales : ndarray, shape (v,)
        sqrt(W) / N_v for every view; 0 for a view that is 0 in every row.
    views : Views
        The views of all columns.
    columns_a, columns_b : tuple of int
        The first column of the block, and the first after it.
    lists : Lists
        Written to.
    """
    start = views.column_views
    top, left = start[columns_a[0]], start[columns_b[0]]
    widest = 0
    for a in range(columns_a[0], columns_a[1]):
        widest = max(widest, start[a + 1] - start[a])
    found = np.empty((widest, sums.shape[2]))
    totals = np.empty(
        sums.shape[2]
    )  # over the views of a: they bound the statistic of every test, and its evidence
    worst = lists.keys[:, -1]
    for a in range(columns_a[0], columns_a[1]):
        own = slice(start[a] - top, start[a + 1] - top)
        view_statistics(sums[:, own], shares, scales[top:][own], scales[left : start[columns_b[1]]], found)
        totals[:] = 0.0
        for i in range(start[a + 1] - start[a]):
            for j in range(len(totals)):
                totals[j] += found[i, j]
        for b in range(max(columns_b[0], a + 1), columns_b[1]):
            total = 0.0
            for j in range(start[b] - left, start[b + 1] - left):
                total += totals[j]
            floor = min(worst[a], worst[b])
            if total < floor or evidence(total, len(shares) - 1) < floor:
                continue
            key = best_key(found, (0, start[b] - left), views, (a, b), len(shares), floor)
            if key >= worst[a]:
                enter(lists, a, b, key)
            if key >= worst[b]:
                enter(lists, b, a, key)


@kernel
def enter_row(
    sums: np.ndarray,
    shares: np.ndarray,
    scales: np.ndarray,
    views: Views,
    column: int,
    others: np.ndarray,
    lists: Lists,
) -> None:
    """Enter the pairs of one column and some others in the lists of both.

    Parameters
    ----------
    sums : ndarray of float64, shape (c, views of the column, views of the others)
        S_c; the views of the others follow one another.
    shares, scales, views, lists
        As for `enter_block`.
    column : int
        The one column.
    others : ndarray of int64
        The other columns.
    """
    start = views.column_views
    place = 0
    found = np.empty(sums.shape[1:])
    for m in range(len(others)):
        b = others[m]
        width = start[b + 1] - start[b]
        view_statistics(
            sums[:, :, place : place + width],
            shares,
            scales[start[column] : start[column + 1]],
            scales[start[b] : start[b + 1]],
            found,
        )
        key = best_key(found, (0, 0), views, (column, b), len(shares), 0.0)
        enter(lists, column, b, key)
        enter(lists, b, column, key)
        place += width
