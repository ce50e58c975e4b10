"""The rows and columns of a table that take part in a sieve, and the way back to the whole table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tamis.features._drawn_rows import drawn_by_class, drawn_of_numbers
from tamis.table._arrays import unmasked
from tamis.table._distinct import Distinct
from tamis.table._encode import as_frame
from tamis.table._rows import rows_of
from tamis.table._table import Numbers, Schema, Table, Target
from tamis.table.parts.parted import in_parts

if TYPE_CHECKING:
    from tamis.table.parts.rows import PartRows

Float = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass(frozen=True)
class HeldRows:
    """All rows of a table in memory, with what a sieve asks of the rows of one in parts (`PartRows`).

    Attributes
    ----------
    X : array-like or frame
        The table as it came.
    table : Table
        The same in one form.
    target : Target or Numbers
        The target.
    weights : array-like or None
        The weights as given.
    """

    X: Any
    table: Table
    target: Target | Numbers
    weights: ArrayLike | None

    def some_rows(self, rows: Ints) -> Table:
        """Some rows, ascending."""
        return Table(self.table.values[rows], self.table.schema)

    def frame(self, rows: Ints) -> Any:
        """Some rows as they came."""
        whole = unmasked(self.X) if as_frame(self.X) is None else self.X
        return rows_of(whole if hasattr(whole, "shape") else np.asarray(whole), rows)


Rows: TypeAlias = "HeldRows | PartRows"


def every_row(selector: Any, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Rows:
    """All rows: of a table in memory, or where the parts of one are."""
    if not in_parts(X):
        table, target = selector._table_of_any(X, y, blank=False)
        return HeldRows(X, table, target, sample_weight)
    from tamis.features._part_rows import rows_of_parts

    rows = rows_of_parts(selector, X, y, sample_weight)
    selector._excluded(selector.n_features_in_)
    return rows


@dataclass(frozen=True)
class Part:
    """Some rows and columns of a table.

    Attributes
    ----------
    table : Table
        The table cut to these rows and columns.
    target : Target or Numbers
        The target of these rows; classes without a row among them are left out.
    weights : ndarray, shape (n,), or None
        The weights of these rows.
    groups : ndarray of int, shape (n,), or None
        Their groups.
    rows, columns : ndarray of int
        Their positions in the whole table, ascending.
    n_columns : int
        The number of columns of the whole table.
    """

    table: Table
    target: Target | Numbers
    weights: Float | None
    groups: NDArray[np.int64] | None
    rows: Ints
    columns: Ints
    n_columns: int

    @classmethod
    def of(
        cls,
        table: Table,
        target: Target | Numbers,
        weights: Float | None,
        columns: Ints,
        rows: Ints,
        groups: NDArray[np.int64] | None = None,
    ) -> Part:
        """Some columns of a table of these rows of the whole, with their target and weights."""
        schema = Schema(table.nominal[columns], tuple(table.schema.categories[j] for j in columns))
        cut = Table(np.ascontiguousarray(table.values[:, columns]), schema)
        return cls(cut, target, weights, groups, rows, columns, table.n_columns)

    def fewer_rows(self, n_most: int, random: np.random.RandomState) -> Part:
        """The part with at most `n_most` rows, drawn by class."""
        rows = few_rows(self.target, n_most, random)
        cut = Table(self.table.values[rows], self.table.schema)
        weights = None if self.weights is None else self.weights[rows]
        groups = None if self.groups is None else self.groups[rows]
        target = of_rows(self.target, rows)
        return replace(self, table=cut, target=target, weights=weights, groups=groups, rows=self.rows[rows])

    @property
    def labels(self) -> NDArray[Any]:
        """What a ranker is given as y: the codes of the classes, or the numbers."""
        return self.target.values if isinstance(self.target, Numbers) else self.target.codes

    @cached_property
    def distinct(self) -> Distinct:
        """Which columns are neither constant nor copies of another in these rows."""
        return Distinct.of(self.table)

    @cached_property
    def own(self) -> Table:
        """The table of the distinct columns."""
        return self.distinct.cut(self.table)

    def completed(self, order: Ints) -> Ints:
        """An order of `own` extended to the whole table: copies, constants and columns that took no part come last."""
        inside = self.columns[self.distinct.completed(self.distinct.columns[order])]
        return np.concatenate([inside, np.setdiff1d(np.arange(self.n_columns), self.columns)])

    def spread(self, scores: Float) -> Float:
        """Scores of `own` extended to the whole table: 0 for all other columns."""
        whole = np.zeros(self.n_columns)
        whole[self.columns[self.distinct.columns]] = scores
        return whole


def of_rows(target: Target | Numbers, rows: Ints) -> Target | Numbers:
    """The target of some rows; classes without a row among them are left out."""
    if isinstance(target, Numbers):
        return Numbers(target.values[rows])
    present, codes = np.unique(target.codes[rows], return_inverse=True)
    return Target(codes.astype(np.int64), target.classes[present])


def few_rows(target: Target | Numbers, n_most: int | None, random: np.random.RandomState) -> Ints:
    """Rows drawn by class, ascending; all rows where there are no more than `n_most`, or `n_most` is None."""
    n_rows = len(target.values if isinstance(target, Numbers) else target.codes)
    if n_most is None or n_rows <= n_most:
        return np.arange(n_rows)
    if isinstance(target, Numbers):
        return drawn_of_numbers(target, n_most, random)
    return drawn_by_class(target, max(n_most, 2 * target.n_classes), random)
