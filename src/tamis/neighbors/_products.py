"""Exact neighbours for l2 by matrix products: they leave few pairs to be measured."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tamis._threads import one_blas_thread
from tamis.neighbors._blocks import Layout
from tamis.neighbors._distance import CODE_GAP, STEPS, FloatArray, IntArray, ScaledRows
from tamis.neighbors._exact import Progress, gathered
from tamis.neighbors._kernels.products import Asking, look_at_products, measure_all

Single = npt.NDArray[np.float32]

TILE_QUERIES = 256
"""Queries that are multiplied with a block of fitted rows at a time."""

TILE_ROWS = 1024
"""Fitted rows in a block: the products, 1 MB, stay in the second-level cache until they are looked at."""

HELD = 64
"""Rows held for a query, beyond its neighbours, until they are measured."""

SAMPLE_ROWS = 256
"""Fitted rows whose mean is the centre: any centre is right, a central one leaves less to rounding."""

UNIT = float(STEPS) ** 0.5
"""The coordinate 1, in the units of `ScaledRows`."""

MISSING = -CODE_GAP / UNIT / 2
"""Numbers below stand for a missing value."""


@dataclass(frozen=True, eq=False)
class FittedVectors:
    """The vectors r_j of the fitted rows.

    Attributes
    ----------
    vectors : ndarray of float32, shape (rows, width)
        One a row.
    lengths : ndarray, shape (rows,)
        Their norms without their last entries.
    heavy : ndarray, shape (rows,)
        Their last entries before these were rounded; 0 where there are categorical columns alone.
    """

    vectors: Single
    lengths: FloatArray
    heavy: FloatArray

    @cached_property
    def longest(self) -> float:
        """The largest norm."""
        return float(self.lengths.max())

    @cached_property
    def heaviest(self) -> float:
        """The largest last entry."""
        return float(self.heavy.max())


@dataclass(frozen=True, eq=False)
class ProductSpace:
    """Vectors whose product says how near two rows are: distance / 2**21 = half_i - l_i . r_j, but for rounding.

    A column adds to the vectors, with a, b the (centred) values of the query and the fitted row, and p, q = 1 where
    they are missing (a, b = 0 there), else 0:

    * numeric: l = a, r = b, and a**2 / 2 to half_i; r_j has one entry more, the sum of b**2 / 2, which l_i takes off;
    * numeric with missing values: l = (a, a**2 / 2, p), r = (b, q, b**2 / 2 + q), and p / 2 and q / 2 besides the
      halves of the squares: so known against missing is 1, missing against missing 0;
    * categorical: for each value (missing is one), l = 1 where the query has it, r = 1/2 where the fitted row has it;
      1/2 to half_i.

    Attributes
    ----------
    layout : Layout
        Which columns are of which kind.
    centre : ndarray, shape (numeric columns,)
        What is taken off the values, so that products are small, and so is what rounding does to them.
    categories : list of arrays
        The values of each categorical column in the fitted rows.
    """

    layout: Layout
    centre: FloatArray
    categories: list[FloatArray]

    @classmethod
    def of(cls, fitted: ScaledRows, layout: Layout) -> ProductSpace:
        """The space of some fitted rows."""
        values = fitted.coordinates[:SAMPLE_ROWS] / UNIT
        if len(layout.plain) < values.shape[1]:
            values = values[:, np.concatenate([layout.plain, layout.gapped])]
            values[values < MISSING] = 0.0
        centre = values.mean(axis=0)
        return cls(layout, centre, [np.unique(fitted.coordinates[:, column]) for column in layout.nominal])

    @property
    def exact(self) -> bool:
        """Whether products are not rounded at all: categorical columns alone."""
        return not len(self.centre)

    def fitted(self, coordinates: FloatArray) -> FittedVectors:
        """The vectors of the fitted rows."""
        right = np.empty((len(coordinates), self.width), dtype=np.float32)
        lengths, heavy = np.empty(len(right)), np.zeros(len(right))
        for start in range(0, len(coordinates), TILE_ROWS):
            part = slice(start, start + TILE_ROWS)
            numbers, missing, entries = self._filled(coordinates[part], right[part])
            n_plain, n_gaps = len(self.layout.plain), missing.shape[1]
            gaps = entries[:, len(self.centre) : len(self.centre) + 2 * n_gaps]
            gaps[:, :n_gaps] = missing
            gaps[:, n_gaps:] = numbers[:, n_plain:] ** 2 / 2 + missing
            entries[:, len(self.centre) + 2 * n_gaps :] *= np.float32(0.5)
            lengths[part] = _lengths(entries)
            if not self.exact:
                heavy[part] = _squares(numbers) / 2 + missing.sum(axis=1) / 2
                right[part, -1] = heavy[part]
        return FittedVectors(right, lengths, heavy)

    def queries(
        self, coordinates: FloatArray, fitted: FittedVectors
    ) -> tuple[Single, FloatArray, FloatArray]:
        """l_i of some rows; half_i less slack_i; and slack_i, what rounding can have done to a product."""
        left = np.empty((len(coordinates), self.width), dtype=np.float32)
        numbers, missing, entries = self._filled(coordinates, left)
        n_plain, n_gaps = len(self.layout.plain), missing.shape[1]
        gaps = entries[:, len(self.centre) : len(self.centre) + 2 * n_gaps]
        gaps[:, :n_gaps] = numbers[:, n_plain:] ** 2 / 2
        gaps[:, n_gaps:] = missing
        half = _squares(numbers) / 2 + missing.sum(axis=1) / 2 + len(self.layout.nominal) / 2
        if self.exact:
            return left, half, np.zeros(len(half))
        left[:, -1] = -1.0
        return left, *self._base_and_slack(half, _lengths(entries), fitted)

    def own_queries(self, part: slice, fitted: FittedVectors) -> tuple[Single, FloatArray, FloatArray]:
        """As `queries`, of some of the fitted rows, where all columns are numeric without missing values."""
        left = fitted.vectors[part].copy()
        left[:, -1] = -1.0
        return left, *self.own_base_and_slack(part, fitted)

    def own_base_and_slack(self, part: slice, fitted: FittedVectors) -> tuple[FloatArray, FloatArray]:
        """half_i less slack_i, and slack_i, of some of the fitted rows (see `own_queries`)."""
        return self._base_and_slack(fitted.heavy[part], fitted.lengths[part], fitted)

    def _base_and_slack(
        self, half: FloatArray, lengths: FloatArray, fitted: FittedVectors
    ) -> tuple[FloatArray, FloatArray]:
        """half_i less slack_i, and slack_i.

        With D entries and u = 2**-24, a product of float32 is wrong by (D + 4) u (|l| |r| + r_D) at most, in any order of
        its sums, its factors being rounded too; the limit that it is compared with by u (half + |l| |r| + r_D). Twice as
        much leaves room for the float norms. Rounding to steps accounts for half a step per numeric column. Of
        categorical columns alone the products are exact.
        """
        slack = 2 * (self.width + 4) * 2.0**-24 * (lengths * fitted.longest + fitted.heaviest + half)
        slack += len(self.centre) / 2 / (2 * STEPS) + 1e-30
        return half - slack, slack

    @property
    def plain(self) -> bool:
        """Whether all columns are numeric without missing values."""
        return not (self.exact or len(self.layout.gapped) or len(self.layout.nominal))

    @property
    def width(self) -> int:
        """How many entries a vector has."""
        n_hot = sum(len(values) for values in self.categories)
        return len(self.centre) + 2 * len(self.layout.gapped) + n_hot + (not self.exact)

    def _filled(self, coordinates: FloatArray, vectors: Single) -> tuple[FloatArray, FloatArray, Single]:
        """Write numbers and categories into `vectors`.

        Returns the centred numbers, 0 where missing, plain columns first; which of the others are missing; and the
        entries of `vectors` without the last that is none of a column.
        """
        n_plain, n_numeric = len(self.layout.plain), len(self.centre)
        if n_plain == coordinates.shape[1]:
            numbers = coordinates * (1 / UNIT)
        else:
            numbers = coordinates[:, np.concatenate([self.layout.plain, self.layout.gapped])] * (1 / UNIT)
        missing = (numbers[:, n_plain:] < MISSING).astype(np.float64)
        numbers -= self.centre
        numbers[:, n_plain:][missing > 0] = 0.0
        entries = vectors if self.exact else vectors[:, :-1]
        entries[:, :n_numeric] = numbers
        start = n_numeric + 2 * missing.shape[1]
        for column, values in zip(self.layout.nominal, self.categories, strict=True):
            entries[:, start : start + len(values)] = coordinates[:, column, np.newaxis] == values
            start += len(values)
        return numbers, missing, entries


def _squares(numbers: FloatArray) -> FloatArray:
    """The sum of the squares of each row."""
    squares: FloatArray = np.einsum("ij,ij->i", numbers, numbers)
    return squares


def _lengths(entries: Single) -> FloatArray:
    """The norm of each row, in float64."""
    squares = np.einsum("ij,ij->i", entries, entries)
    lengths: FloatArray = np.sqrt(squares.astype(np.float64))
    return lengths


def rows_by_products(
    space: ProductSpace,
    fitted: ScaledRows,
    queries: ScaledRows,
    own_rows: IntArray,
    n_neighbors: int,
    n_jobs: int | None = 1,
    progress: Progress | None = None,
) -> tuple[IntArray, IntArray]:
    """Find the neighbours of each query for l2; own_rows[i] is the fitted row that query i is, or -1."""
    vectors = space.fitted(fitted.coordinates)
    own = queries is fitted and space.plain

    def answer(part: slice) -> tuple[IntArray, IntArray]:
        coordinates = queries.coordinates[part]
        left, base, slack = space.own_queries(part, vectors) if own else space.queries(coordinates, vectors)
        asking = new_asking(coordinates, own_rows[part], base, slack, n_neighbors)
        products = np.empty((len(left), min(TILE_ROWS, len(fitted))), dtype=np.float32)
        for start in range(0, len(fitted), TILE_ROWS):
            others = vectors.vectors[start : start + TILE_ROWS]
            if len(others) < products.shape[1]:
                products = np.empty((len(left), len(others)), dtype=np.float32)
            np.matmul(left, others.T, out=products)
            look_at_products(products, start, asking, fitted.coordinates)
        measure_all(asking, fitted.coordinates)
        return asking.rows, asking.distances.astype(np.int64)

    rows = np.empty((len(queries), n_neighbors), dtype=np.int64)
    with one_blas_thread():  # the queries are shared out among our threads
        return gathered(answer, rows, np.empty_like(rows), TILE_QUERIES, n_jobs, progress)


def new_asking(
    coordinates: FloatArray, own: IntArray, base: FloatArray, slack: FloatArray, n_neighbors: int
) -> Asking:
    """The state of some queries before the first block."""
    shape, room = (len(own), n_neighbors), n_neighbors + HELD
    return Asking(
        queries=coordinates,
        own=own,
        base=base,
        slack=slack,
        largest=np.full(shape, -np.inf, dtype=np.float32),
        held=np.empty((len(own), room), dtype=np.float32),
        held_rows=np.empty((len(own), room), dtype=np.int64),
        n_held=np.zeros(len(own), dtype=np.int64),
        rows=np.full(shape, -1, dtype=np.int64),
        distances=np.full(shape, np.inf),
    )
