"""Rows of a mixed table as points that may lie anywhere, and points as rows again.

A numeric column is one coordinate, scaled by the range of the table. A categorical column has a coordinate for each of
its values, sqrt(1/2) at the row's own and 0 at the others: two rows that differ there are 1 apart, squared. Where a
value is missing, or was never seen, the coordinates are not known: they add nothing to any distance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tamis.neighbors import STEPS, MixedSpace
from tamis.neighbors._distance import CODE_GAP
from tamis.prototypes._kernels.moving import Made, Rows, nearest_one, singles
from tamis.table._table import Schema, Table

Float = NDArray[np.float64]
Single = NDArray[np.float32]

HALF = 0.5**0.5
"""The coordinate of a categorical value in its own column."""

NOBODY = np.zeros(0, dtype=np.int64)
"""Where classes begin, where none is asked for."""

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

    @cached_property
    def lengths(self) -> Float:
        """The norm of every row, with what is known of it: that of its line in a product."""
        squares = np.einsum("ij,ij->i", self.values, self.values)
        return np.asarray(np.sqrt(squares + self.known.sum(axis=1) if len(self.known) else squares))

    def filled(self, rows: NDArray[np.intp], codes: NDArray[np.int64]) -> Float:
        """The coordinates of some rows, those not known being the mean of the known ones of the row's class, or of all."""
        values: Float = self.values[rows]
        if not len(self.known):
            return values
        everyone = _means(self.values, self.known, np.zeros(values.shape[1]))
        for code in np.unique(codes[rows]):
            own, places = np.flatnonzero(codes == code), np.flatnonzero(codes[rows] == code)
            means = _means(self.values[own], self.known[own], everyone)
            values[places] = np.where(self.known[rows[places]] > 0, values[places], means)
        return values

    def bounds(self, rows: NDArray[np.intp], prototypes: Float, counts: Float) -> tuple[Single, Float, Rows]:
        """What the kernels decide by, as said there: nearness, slack, and the rows that take part.

        With u = 2**-24, a float32 product of W terms, its factors being rounded too, is wrong by (W + 3) u times the product
        of the norms at most, whatever the order of its sums; what is taken off adds u times itself, and u times what is
        left. Twice that for two prototypes; a little more leaves room for the norms.
        """
        taking_part = Rows(self.values, self.known, rows)
        right = prototypes * counts
        halves = np.einsum("ij,ij->i", prototypes, right) / 2
        if len(self.known):
            right = np.concatenate([right, -0.5 * prototypes * right], axis=1)
            halves = np.zeros(len(prototypes))
        longest = np.sqrt(np.einsum("ij,ij->i", right, right).max(initial=0.0))
        slack = (right.shape[1] + 5) * 2.0**-23 * (longest * self.lengths[rows]) + halves.max(
            initial=0.0
        ) * 2.0**-21
        nearness = singles(taking_part) @ right.astype(np.float32).T
        nearness -= halves.astype(np.float32)
        return nearness, slack + 1e-30, taking_part


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
        if not self.space.nominal.any():
            missing = scaled == -CODE_GAP
            scaled /= STEPS**0.5
            if not missing.any():
                return Points(scaled, np.empty((0, 0)))
            scaled[missing] = 0.0
            return Points(scaled, (~missing).astype(np.float64))
        widths = [1 if labels is None else len(labels) for labels in self.schema.categories]
        points, known = np.empty((len(values), sum(widths))), np.empty((len(values), sum(widths)), dtype=bool)
        start = 0
        for column, labels in enumerate(self.schema.categories):
            part = slice(start, start + widths[column])
            if labels is None:
                seen = scaled[:, column] != -CODE_GAP
                points[:, start] = np.where(seen, scaled[:, column] / STEPS**0.5, 0.0)
                known[:, start] = seen
            else:
                codes = values[:, column, np.newaxis]
                points[:, part] = HALF * (codes == np.arange(len(labels)))
                known[:, part] = codes < len(labels)  # NaN is not below
            start = part.stop
        return Points(points, np.empty((0, 0)) if known.all() else known.astype(np.float64))

    def with_real_values(self, points: Float) -> Float:
        """Points whose categorical columns are where a row of the nearest value is, the first on ties."""
        moved, start = points.copy(), 0
        for labels in self.schema.categories:
            width = 1 if labels is None else len(labels)
            if labels is not None and width:
                nearest = points[:, start : start + width].argmax(axis=1)
                moved[:, start : start + width] = HALF * (nearest[:, np.newaxis] == np.arange(width))
            start += width
        return moved

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
                with np.errstate(over="ignore"):  # beyond the largest float: infinite
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
            bounds = part.bounds(np.arange(len(part)), prototypes, counts)
            found[start : start + BATCH] = nearest_one(*bounds, Made(prototypes, counts, NOBODY))
        return found


def _means(values: Float, known: Float, otherwise: Float) -> Float:
    counts = known.sum(axis=0)
    return np.where(counts > 0, values.sum(axis=0) / np.maximum(counts, 1.0), otherwise)
