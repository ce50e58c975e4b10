"""Columns made from pairs of columns, so that a stump can see two columns at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tamis.table._table import Schema, Table, Target
from tamis.table._target import codes_by_appearance

if TYPE_CHECKING:
    from tamis.pairs._kernels.lists import Views

Float = NDArray[np.float64]
Ints = NDArray[np.int64]
N_PARTNERS = 4  # pairs of each column that are tested
N_CURVES = 2  # of a numeric column: ranks and squares of ranks


@dataclass(frozen=True)
class Curve:
    """A view of a numeric column, as a function of its value: linear between the values seen in training.

    Attributes
    ----------
    at : ndarray
        The values, ascending.
    height : ndarray
        The view at these values.
    """

    at: Float
    height: Float

    def __call__(self, values: Float) -> Float:
        """The view of other values; beyond the first and last value it stays constant."""
        return np.interp(values, self.at, self.height)


@dataclass(frozen=True)
class Joint:
    """One column made from two.

    Attributes
    ----------
    columns : tuple of int
        The two columns.
    curves : tuple of Curve or None
        The views that are multiplied; None for a categorical column.
    levels : ndarray or None
        The pairs of values seen in training, (levels, 2), where one of the two columns is categorical; a numeric value
        counts by the half of the ranks (lower or upper) that it lies in. None for two numeric columns.
    """

    columns: tuple[int, int]
    curves: tuple[Curve | None, Curve | None]
    levels: Float | None

    def made(self, first: Float, second: Float) -> Float:
        """The column, from the values of the two; missing where either is, or where they were never seen together."""
        sides = [side if curve is None else curve(side) for side, curve in zip((first, second), self.curves)]
        missing = np.isnan(first) | np.isnan(second)
        if self.levels is None:
            return np.where(missing, np.nan, sides[0] * sides[1])
        given = _pairs_of_levels(sides, self.curves)
        joint = np.full(len(first), np.nan)
        for code, level in enumerate(self.levels):
            joint[(given == level).all(axis=1)] = code
        return np.where(missing, np.nan, joint)


@dataclass(frozen=True)
class PairColumns:
    """Columns made from the best pairs of a table.

    Attributes
    ----------
    pairs : ndarray of int64, shape (pairs, 2)
        The two columns of each pair.
    joints : tuple of Joint
        How the column of each pair is made.
    """

    pairs: Ints
    joints: tuple[Joint, ...]

    def behind(self, values: Float) -> Float:
        """The values of a table, followed by the made columns."""
        if not self.joints:
            return values
        made = [joint.made(values[:, joint.columns[0]], values[:, joint.columns[1]]) for joint in self.joints]
        return np.column_stack([values, *made])

    def table(self, table: Table) -> Table:
        """The same as a `Table`, with the schema of all columns."""
        nominal = np.array([joint.levels is not None for joint in self.joints], dtype=bool)
        schema = Schema(
            np.concatenate([table.nominal, nominal]), table.schema.categories + (None,) * len(self.joints)
        )
        return Table(self.behind(table.values), schema)

    def shared(self, worth: Float) -> Float:
        """The worth of each column, given that of columns and pairs: a pair gives one half to each of its columns.

        The columns are the last axis of `worth`.
        """
        own = worth[..., : worth.shape[-1] - len(self.pairs)].copy()
        for side in (0, 1):
            np.add.at(own.T, self.pairs[:, side], worth[..., own.shape[-1] :].T / 2)
        return own


NO_PAIRS = PairColumns(np.empty((0, 2), dtype=np.int64), ())


def pair_columns(
    table: Table,
    target: Target,
    weights: Float | None,
    columns: NDArray[np.intp],
    n_pairs: int,
    n_jobs: int | None,
) -> PairColumns:
    """The best pairs of columns, each as one column.

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
        How many pairs are taken, the best by the tests of `PairScan`.
    n_jobs : int or None
        The number of threads.

    Returns
    -------
    PairColumns
        One column per pair. For two numeric columns it is the product of their ranks or of squares of ranks, whichever
        follows the classes best. Otherwise it is a categorical column of both values, in which a numeric value counts
        by the half of the ranks that it lies in.
    """
    from tamis._threads import threads  # imported here, so that boosting without pairs does not load it
    from tamis.pairs.search import searched
    from tamis.pairs.views import column_views

    rows = np.ones(table.n_rows) if weights is None else weights
    codes = codes_by_appearance(target.codes)
    order = np.argsort(codes, kind="stable")  # the rows of each class side by side
    codes, rows = codes[order], rows[order]
    part = Table(
        table.values[:, columns][order],
        Schema(table.nominal[columns], tuple(table.schema.categories[j] for j in columns)),
    )
    views = column_views(lambda chosen: part.values[:, chosen], part.nominal, rows)
    n_partners = max(1, min(N_PARTNERS, len(columns) - 1))
    found = searched(views, codes, rows, float(len(rows)), n_partners, threads(n_jobs))
    best = np.lexsort((found.pairs[:, 1], found.pairs[:, 0], found.together))[:n_pairs]
    pairs = found.pairs[best]
    joints = [
        _joint(part, views, codes, rows, (int(a), int(b)), (int(columns[a]), int(columns[b])))
        for a, b in pairs
    ]
    return PairColumns(columns[pairs].astype(np.int64), tuple(joints))


def _joint(
    table: Table, views: Views, codes: Ints, weights: Float, pair: tuple[int, int], named: tuple[int, int]
) -> Joint:
    """How the column of one pair is made; `named` gives the two columns' positions in the whole table."""
    values = table.values[:, pair[0]], table.values[:, pair[1]]
    curves = [[None] if table.nominal[j] else _curves(table.values[:, j], views, j) for j in pair]
    if table.nominal[list(pair)].any():
        first = curves[0][0], curves[1][0]
        sides = [side if curve is None else curve(side) for side, curve in zip(values, first)]
        both = _pairs_of_levels(sides, first)
        return Joint(named, first, np.unique(both[~np.isnan(both).any(axis=1)], axis=0))
    joints = [Joint(named, (u, v), None) for u in curves[0] for v in curves[1]]
    return joints[int(np.argmax([_statistic(joint.made(*values), codes, weights) for joint in joints]))]


def _curves(values: Float, views: Views, column: int) -> list[Curve | None]:
    """The ranks of a numeric column, and their squares, without those that are constant."""
    first, stop = views.column_groups[[column, column + 1]]
    known = ~np.isnan(values)
    at, where = np.unique(values[known], return_index=True)
    starts = [start for start, end in views.groups[first:stop][:N_CURVES] if end - start == 1]
    curves = [Curve(at, views.values[start][known][where].astype(np.float64)) for start in starts]
    varying: list[Curve | None] = [curve for curve in curves if np.ptp(curve.height) > 0]
    return varying or [*curves]  # constant where only missing values tell rows apart


def _pairs_of_levels(sides: list[Float], curves: tuple[Curve | None, Curve | None]) -> Float:
    """Two values per row: the code of a category, or the half of the ranks (0 or 1) that a number lies in."""
    levels = [
        side if curve is None else np.where(np.isnan(side), np.nan, (side > 0).astype(np.float64))
        for side, curve in zip(sides, curves)
    ]
    return np.column_stack(levels)


def _statistic(product: Float, codes: Ints, weights: Float) -> float:
    """How well a product follows the classes: the score statistic of their means, up to a factor."""
    product = np.nan_to_num(product)
    shares = np.bincount(codes, weights=weights) / weights.sum()
    sums = np.bincount(codes, weights=weights * product)
    off = sums - shares * sums.sum()
    return float((off**2 / shares).sum() / max((weights * product**2).sum(), 1e-300))
