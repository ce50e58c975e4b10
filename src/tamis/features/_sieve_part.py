"""The rows and columns of a table that take part in a sieve, and the way back to the whole table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.features._drawn_rows import drawn_by_class, drawn_of_numbers
from tamis.table._distinct import Distinct
from tamis.table._table import Numbers, Schema, Table, Target

Float = NDArray[np.float64]
Ints = NDArray[np.intp]


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
    rows, columns : ndarray of int
        Their positions in the whole table, ascending.
    n_columns : int
        The number of columns of the whole table.
    """

    table: Table
    target: Target | Numbers
    weights: Float | None
    rows: Ints
    columns: Ints
    n_columns: int

    @classmethod
    def of(
        cls, table: Table, target: Target | Numbers, weights: Float | None, columns: Ints, rows: Ints
    ) -> Part:
        """Cut a table to some of its rows and columns."""
        schema = Schema(table.nominal[columns], tuple(table.schema.categories[j] for j in columns))
        cut = Table(np.ascontiguousarray(table.values[np.ix_(rows, columns)]), schema)
        return cls(
            cut,
            of_rows(target, rows),
            None if weights is None else weights[rows],
            rows,
            columns,
            table.n_columns,
        )

    def fewer_rows(self, n_most: int, random: np.random.RandomState) -> Part:
        """The part with at most `n_most` rows, drawn by class."""
        rows = few_rows(self.target, n_most, random)
        every = np.arange(self.table.n_columns)
        cut = Part.of(self.table, self.target, self.weights, every, rows)
        return Part(cut.table, cut.target, cut.weights, self.rows[rows], self.columns, self.n_columns)

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
