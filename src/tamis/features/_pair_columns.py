"""Columns made of pairs: what a stump needs in order to see two columns at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tamis._threads import threads
from tamis.features._kernels.pair_lists import Views
from tamis.features._pair_search import searched
from tamis.features._pair_views import column_views
from tamis.features.relieff import codes_by_appearance
from tamis.table._table import Schema, Table, Target

Float = NDArray[np.float64]
Ints = NDArray[np.int64]
N_PARTNERS = 4


def with_pairs(
    table: Table,
    target: Target,
    weights: Float | None,
    columns: NDArray[np.intp],
    n_pairs: int,
    n_jobs: int | None,
) -> tuple[Table, Ints]:
    """Put the best pairs of columns behind the columns of a table.

    Parameters
    ----------
    table : Table
        The columns.
    target : Target
        The classes.
    weights : ndarray, shape (n,), or None
        Weights of the rows, above 0.
    columns : ndarray of int
        The columns that may form pairs.
    n_pairs : int
        How many pairs, the best by `PairScan`.
    n_jobs : int or None
        Threads.

    Returns
    -------
    Table
        With one more column per pair: of two numeric columns the product of their ranks, or of squares of ranks, whichever
        follows the classes best; otherwise one categorical column of both values, a number by the half of its ranks.
    ndarray of int, shape (pairs, 2)
        The two columns of each pair.
    """
    rows = np.ones(table.n_rows) if weights is None else weights
    part = Table(
        table.values[:, columns],
        Schema(table.nominal[columns], tuple(table.schema.categories[j] for j in columns)),
    )
    views = column_views(part, rows)
    codes = codes_by_appearance(target.codes)
    n_partners = max(1, min(N_PARTNERS, len(columns) - 1))
    found = searched(views, codes, rows, float(len(rows)), n_partners, threads(n_jobs))
    best = np.lexsort((found.pairs[:, 1], found.pairs[:, 0], found.together))[:n_pairs]
    pairs = found.pairs[best]
    made = [_joined(part, views, codes, rows, int(a), int(b)) for a, b in pairs]
    nominal = np.array([part.nominal[pair].any() for pair in pairs], dtype=bool)
    schema = Schema(np.concatenate([table.nominal, nominal]), table.schema.categories + (None,) * len(made))
    values = np.column_stack([table.values, *made])
    return Table(values, schema), columns[pairs].astype(np.int64)


def _joined(table: Table, views: Views, codes: Ints, weights: Float, a: int, b: int) -> Float:
    """The column of one pair; missing where either of the two is."""
    missing = np.isnan(table.values[:, a]) | np.isnan(table.values[:, b])
    if table.nominal[[a, b]].any():
        one, other = (_values(table, views, column) for column in (a, b))
        joint = np.unique(one * (other.max() + 1) + other, return_inverse=True)[1].astype(np.float64)
    else:
        products = [u * v for u in _ranks(views, a) for v in _ranks(views, b)]
        worth = [_statistic(product, codes, weights) for product in products]
        joint = products[int(np.argmax(worth))]
    return np.where(missing, np.nan, joint)


def _ranks(views: Views, column: int) -> list[Float]:
    """The ranks of a numeric column, and their squares where these say anything."""
    groups = views.groups[views.column_groups[column] : views.column_groups[column + 1]][:2]
    single = [first for first, behind in groups if behind - first == 1]
    return [views.values[first].astype(np.float64) for first in single]


def _values(table: Table, views: Views, column: int) -> Float:
    """Whole numbers from 0: the codes of a categorical column, or which half of its ranks a number is in."""
    if table.nominal[column]:
        codes: Float = np.nan_to_num(table.values[:, column])
        return codes
    upper: Float = (views.values[views.column_views[column]] > 0).astype(np.float64)
    return upper


def _statistic(product: Float, codes: Ints, weights: Float) -> float:
    """How well a product follows the classes."""
    shares = np.bincount(codes, weights=weights) / weights.sum()
    sums = np.bincount(codes, weights=weights * product)
    off = sums - shares * sums.sum()
    return float((off**2 / shares).sum() / max((weights * product**2).sum(), 1e-300))
