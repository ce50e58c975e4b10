"""Rows of a mixed table as points that may lie anywhere, and points as rows again.

A numeric column is one coordinate, scaled by the range of the table. A categorical column has a coordinate for each of
its values, sqrt(1/2) at the row's own and 0 at the others: two rows that differ there are 1 apart, squared. Where a
value is missing, or was never seen, the coordinates are not known: they add nothing to any distance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tamis.neighbors import STEPS, MixedSpace
from tamis.neighbors._distance import CODE_GAP
from tamis.prototypes._kernels.moving import nearest_one
from tamis.table._table import Schema, Table

Float = NDArray[np.float64]
Single = NDArray[np.float32]

HALF = 0.5**0.5
"""The coordinate of a categorical value in its own column."""

BATCH = 4096
"""Rows whose products with all prototypes are held at a time."""


@dataclass(frozen=True, eq=False)
class Points:
    """Rows as points.

    Attributes
    ----------
    values : ndarray of float64, shape (n, D), C order
        The coordinates, 0 where they are not known.
    known : ndarray of float64, shape (n, D) or (0, 0)
        1 where they are, 0 elsewhere; empty where all are known.
    """

    values: Float
    known: Float

    def __len__(self) -> int:
        return len(self.values)

    def take(self, rows: NDArray[np.intp] | slice) -> Points:
        """Some of the points, in the given order."""
        return Points(
            np.ascontiguousarray(self.values[rows]),
            np.ascontiguousarray(self.known[rows]) if len(self.known) else self.known,
        )

    def filled(self, codes: NDArray[np.int64]) -> Float:
        """The coordinates, those not known being the mean of the known ones of the row's class, or of all."""
        values = self.values.copy()
        if not len(self.known):
            return values
        everyone = _means(self.values, self.known, np.zeros(values.shape[1]))
        for code in np.unique(codes):
            rows = np.flatnonzero(codes == code)
            means = _means(self.values[rows], self.known[rows], everyone)
            values[rows] = np.where(self.known[rows] > 0, values[rows], means)
        return values

    def bounds(self, prototypes: Float, counts: Float) -> tuple[Single, Float, Float]:
        """What `nearest_one` and `nearest_two` decide by: products, halves, and slack, as said there.

        A float32 product of D terms is wrong by (D + 3) 2**-24 times the product of the norms at most, whatever the
        order of its sums; twice that for two prototypes, and twice again for the norms themselves.
        """
        weighed = prototypes * counts
        squares = np.einsum("ij,ij->i", prototypes, weighed)
        width = prototypes.shape[1] * (2 if len(self.known) else 1)
        lengths = np.sqrt(np.einsum("ij,ij,j->i", self.values, self.values, counts))
        lengths += np.sqrt(squares.max(initial=0.0))
        slack = (width + 8) * 2.0**-22 * lengths**2 + 1e-30
        left, right, halves = self.values, weighed, squares / 2
        if len(self.known):
            left = np.concatenate([left, self.known], axis=1)
            right = np.concatenate([right, -0.5 * prototypes * weighed], axis=1)
            halves = np.zeros(len(prototypes))
        return left.astype(np.float32) @ right.astype(np.float32).T, halves, slack


@dataclass(frozen=True, eq=False)
class PointSpace:
    """How rows of a table become points; made by `PointSpace.of`.

    Attributes
    ----------
    space : MixedSpace
        The ranges of the numeric columns.
    schema : Schema
        Kinds and values of the columns.
    empty : ndarray of bool, shape (d,)
        The columns in which every value was missing.
    """

    space: MixedSpace
    schema: Schema
    empty: NDArray[np.bool_]

    @classmethod
    def of(cls, table: Table) -> Self:
        """Take the ranges from a table."""
        space = MixedSpace.fit(table.values, table.nominal, "l2")
        return cls(space, table.schema, np.asarray(np.isnan(table.values).all(axis=0)))

    def points(self, values: Float) -> Points:
        """The rows of `fit` or new ones as points."""
        scaled = self.space.scaled(values).coordinates
        columns, known = [], []
        for column, labels in enumerate(self.schema.categories):
            if labels is None:
                seen = scaled[:, column] != -CODE_GAP
                columns.append(np.where(seen, scaled[:, column] / STEPS**0.5, 0.0)[:, np.newaxis])
                known.append(seen[:, np.newaxis])
            else:
                codes = values[:, column]
                own = codes[:, np.newaxis] == np.arange(len(labels))
                columns.append(HALF * own)
                known.append(
                    np.repeat(codes < len(labels), len(labels)).reshape(own.shape)
                )  # NaN is not below
        everything = np.concatenate(known, axis=1)
        return Points(
            np.ascontiguousarray(np.concatenate(columns, axis=1), dtype=np.float64),
            np.empty((0, 0)) if everything.all() else np.ascontiguousarray(everything, dtype=np.float64),
        )

    def values(self, points: Float) -> Float:
        """Points as rows of the table: numbers in their own scale, and the nearest value of a categorical column.

        The nearest value is the one of the largest coordinate, the first on ties; a column in which no value was ever
        seen stays missing.
        """
        rows = np.empty((len(points), len(self.schema.categories)))
        start = 0
        for column, labels in enumerate(self.schema.categories):
            if labels is None:
                scaled = points[:, start] * self.space.spread[column] + self.space.lowest[column]
                rows[:, column] = scaled / self.space.shrink[column]
                start += 1
            else:
                own = points[:, start : start + len(labels)]
                rows[:, column] = own.argmax(axis=1) if len(labels) else np.nan
                start += len(labels)
        rows[:, self.empty] = np.nan
        return rows

    def coordinates(self) -> NDArray[np.intp]:
        """The column that each coordinate belongs to."""
        widths = [1 if labels is None else len(labels) for labels in self.schema.categories]
        return np.repeat(np.arange(len(widths)), widths)

    def nearest(self, values: Float, prototypes: Float, counts: Float) -> NDArray[np.int64]:
        """The nearest prototype of each row, the lower on ties; `counts` is what each coordinate counts."""
        found = np.empty(len(values), dtype=np.int64)
        for start in range(0, len(values), BATCH):
            part = self.points(values[start : start + BATCH])
            found[start : start + BATCH] = nearest_one(
                part.bounds(prototypes, counts), part.values, part.known, prototypes, counts
            )
        return found


def _means(values: Float, known: Float, otherwise: Float) -> Float:
    counts = known.sum(axis=0)
    return np.where(counts > 0, values.sum(axis=0) / np.maximum(counts, 1.0), otherwise)
