"""Views of columns: whole numbers between -63 and 63, whose products are summed without rounding.

The views of a numeric column are orthogonal polynomials of its ranks: the ranks, their squares (near the middle or at
the ends), third and fourth powers; a column with missing values has one more view, which says where they are. Ranks,
squares and missing values are each tested by themselves, and all views together. A nominal (categorical) column has
one group of views, which tell its values apart; a missing value counts as one of its values.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tamis.pairs._kernels.lists import Views
from tamis.pairs._kernels.polynomials import NEAR, column_polynomials

Float = NDArray[np.float64]
Ints = NDArray[np.int64]
Bytes = NDArray[np.int8]

STEPS = 63  # a view lies between -STEPS and STEPS
DEGREE = 4  # of the polynomials of ranks
N_SINGLE = 2  # the first polynomials, which are also tested by themselves
MOST_VALUES = 8  # of a nominal column: the 7 most frequent, and the others as one
_BLOCK = 1_000_000  # table entries in a block of numeric columns


def column_views(
    block_of: Callable[[NDArray[np.intp]], Float], nominal: NDArray[np.bool_], weights: Float
) -> Views:
    """The views of all columns.

    Parameters
    ----------
    block_of : callable
        The values of some columns, (n, columns): numbers, or codes of nominal columns; NaN for missing values. Of numbers
        only their order counts. A constant column has no views.
    nominal : ndarray of bool, shape (d,)
        Which columns are nominal.
    weights : ndarray, shape (n,)
        The weights of the rows, all above 0, in the order of the rows of `block_of`.

    Returns
    -------
    Views
        The views of all columns, and their groups.
    """
    single: list[list[Bytes]] = [[] for _ in range(len(nominal))]
    further: list[list[Bytes]] = [[] for _ in range(len(nominal))]
    width = max(1, _BLOCK // len(weights))
    numeric = np.flatnonzero(~nominal)
    for start in range(0, len(numeric), width):
        chosen = numeric[start : start + width]
        block = np.ascontiguousarray(block_of(chosen).T)
        for degree, views in enumerate(_polynomials(block, weights), start=1):
            for j, view, seen in zip(chosen, views, views.any(axis=1)):
                if seen:
                    (single if degree <= N_SINGLE else further)[j].append(view[None])
        missing = np.isnan(block)
        for k in np.flatnonzero(missing.any(axis=1) & ~missing.all(axis=1)):
            single[chosen[k]].append(_contrasts(missing[k].astype(np.float64), weights))
    others = np.flatnonzero(nominal)
    for start in range(0, len(others), width):
        chosen = others[start : start + width]
        for j, column in zip(chosen, block_of(chosen).T):
            views = _contrasts(column, weights)
            single[j] += [views] if len(views) else []
    return _side_by_side(single, further, len(weights))


def _side_by_side(single: list[list[Bytes]], further: list[list[Bytes]], n_rows: int) -> Views:
    """Join the views of each column: first groups tested by themselves, then views tested only with all others."""
    groups: list[tuple[int, int]] = []
    column_groups, column_views = [0], [0]
    for ones, others in zip(single, further):
        start = column_views[-1]
        ends = np.cumsum([start, *(len(one) for one in ones)]).tolist()
        groups += pairwise(ends)
        if len(ones) + len(others) > 1:
            groups.append((start, ends[-1] + len(others)))
        column_groups.append(len(groups))
        column_views.append(ends[-1] + len(others))
    stacked = [view for ones, others in zip(single, further) for view in (*ones, *others)]
    return Views(
        np.concatenate([np.zeros((0, n_rows), dtype=np.int8), *stacked]),
        np.array(groups, dtype=np.int64).reshape(-1, 2),
        np.array(column_groups, dtype=np.int64),
        np.array(column_views, dtype=np.int64),
    )


def single_views(views: Views) -> Views:
    """The same columns, without the views that are tested only with all others."""
    kept: list[NDArray[np.intp]] = []
    groups: list[tuple[int, int]] = []
    column_groups, column_views = [0], [0]
    for first, stop in pairwise(views.column_groups):
        own = views.groups[first:stop]
        singles = own[:-1] if len(own) > 1 else own
        start = column_views[-1]
        moved = singles - singles[0, 0] + start if len(singles) else singles
        groups += [(int(a), int(b)) for a, b in moved]
        end = groups[-1][1] if len(singles) else start
        if len(singles) > 1:
            groups.append((start, end))
        kept.append(np.arange(end - start) + (singles[0, 0] if len(singles) else 0))
        column_groups.append(len(groups))
        column_views.append(end)
    return Views(
        views.values[np.concatenate(kept)],
        np.array(groups, dtype=np.int64).reshape(-1, 2),
        np.array(column_groups, dtype=np.int64),
        np.array(column_views, dtype=np.int64),
    )


def _polynomials(block: Float, weights: Float) -> Bytes:
    """Orthogonal polynomials of the ranks of numeric columns, (degrees, columns, n); `block` holds a column per row."""
    whole = (
        weights == np.rint(weights)
    ).all()  # then sums of weights are exact, in any order of equal values
    order = np.argsort(block, axis=1, kind="quicksort" if whole else "stable")
    polynomials = np.empty((DEGREE, *block.shape), dtype=np.int8)
    column_polynomials(block, order, weights, STEPS, polynomials)
    return polynomials


def _whole_numbers(views: Float) -> Bytes:
    """Each column scaled so that its largest value is `STEPS`, and rounded."""
    largest = np.abs(views).max(axis=0, initial=0.0)
    scaled = views * (STEPS / np.where(largest > 0, largest, 1.0))
    return (np.sign(scaled) * np.floor(np.abs(scaled) + 0.5 + NEAR)).astype(np.int8)


def _contrasts(codes: Float, weights: Float) -> Bytes:
    """Orthogonal contrasts, (values - 1, n): each value of a nominal column against the more frequent ones.

    Values are ordered by decreasing weight, on ties the one seen first; those after the first
    `MOST_VALUES` - 1 count as one.
    """
    _, first, number = np.unique(codes, return_index=True, return_inverse=True, equal_nan=True)
    weight = np.bincount(number, weights=weights)
    place = np.empty(len(first), dtype=np.intp)
    place[np.lexsort((first, -weight))] = np.arange(len(first))
    level = np.minimum(place, MOST_VALUES - 1)[number]
    weight = np.bincount(level, weights=weights)
    before = np.cumsum(weight) - weight
    views = np.zeros((len(codes), len(weight) - 1))
    for k in range(1, len(weight)):
        views[:, k - 1] = np.where(level == k, 1 / weight[k], np.where(level < k, -1 / before[k], 0.0))
    return np.ascontiguousarray(_whole_numbers(views).T)
