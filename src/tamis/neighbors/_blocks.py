"""Scaled rows laid out for the kernels, and the distances between all rows of two small sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist

from tamis._parameters import n_workers
from tamis._threads import Team
from tamis.neighbors._distance import CODE_GAP, FloatArray, IntArray, MixedSpace, Rows, ScaledRows
from tamis.neighbors._kernels.nearest import Columns, distances_to_blocks

BLOCK_ROWS = 512
"""Fitted rows in a block: enough for the vector loops, few enough for the second-level cache."""

QUERY_ROWS = 512
"""Queries that one job answers."""

Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class Layout:
    """Which columns are numeric without missing values, numeric with some, and categorical."""

    plain: npt.NDArray[np.intp]
    gapped: npt.NDArray[np.intp]
    nominal: npt.NDArray[np.intp]

    @classmethod
    def of(cls, *row_sets: ScaledRows) -> Layout:
        """Sort the columns by kind; `gapped` are the numeric ones with a missing value in any of the sets."""
        nominal = row_sets[0].space.nominal
        gaps = np.zeros_like(nominal)
        for rows in dict.fromkeys(row_sets):  # often the same set twice
            gaps |= (rows.coordinates == -CODE_GAP).any(axis=0)
        return cls(np.flatnonzero(~nominal & ~gaps), np.flatnonzero(~nominal & gaps), np.flatnonzero(nominal))

    def as_queries(self, coordinates: FloatArray) -> Columns:
        """Lay rows out one after the other, as arrays of shape (n_rows, columns of a kind)."""
        return Columns(
            np.ascontiguousarray(coordinates[:, self.plain]),
            np.ascontiguousarray(coordinates[:, self.gapped]),
            np.ascontiguousarray(coordinates[:, self.nominal] / CODE_GAP, dtype=np.int32),
        )

    def as_blocks(self, coordinates: FloatArray) -> Columns:
        """Lay rows out in blocks, column by column: shape (n_blocks, columns of a kind, rows of a block)."""
        return Columns(
            _blocks(coordinates, self.plain, 1.0, np.float64),
            _blocks(coordinates, self.gapped, 1.0, np.float64),
            _blocks(coordinates, self.nominal, 1 / CODE_GAP, np.int32),
        )


def _blocks(
    coordinates: FloatArray, columns: npt.NDArray[np.intp], factor: float, dtype: type
) -> npt.NDArray[Any]:
    """Return the chosen columns times `factor` as (n_blocks, columns, rows of a block), padded with zeros."""
    n_rows = len(coordinates)
    size = max(1, min(BLOCK_ROWS, n_rows))
    packed: npt.NDArray[Any] = np.zeros((-(-n_rows // size), len(columns), size), dtype=dtype)
    for block, start in enumerate(range(0, n_rows, size)):
        part = coordinates[start : start + size, columns]
        packed[block, :, : len(part)] = part.T * factor
    return packed


def in_threads(
    job: Callable[[slice], Result], n_queries: int, size: int, n_jobs: int | None
) -> Iterator[Result]:
    """Yield what `job` returns for consecutive slices of `size` queries, in order, computed by `n_jobs` threads."""
    slices = [slice(start, min(start + size, n_queries)) for start in range(0, n_queries, size)]
    n_parts = min(n_workers(n_jobs), len(slices))
    results: list[Any] = [None] * n_parts

    def work(first: int, part: int, n_parts: int) -> None:
        if first + part < len(slices):
            results[part] = job(slices[first + part])

    with Team(n_parts) as team:
        for first in range(0, len(slices), max(1, n_parts)):
            team.each(work, first)
            yield from results[: len(slices) - first]


def pair_distances(space: MixedSpace, rows_a: Rows, rows_b: Rows) -> IntArray | FloatArray:
    """Return the distance from every row of `rows_a` to every row of `rows_b`.

    The result holds all pairs, so at least one of the two sets should be small.

    Parameters
    ----------
    space : MixedSpace
        The distance.
    rows_a, rows_b : ndarray of shape (n_rows, n_columns), or ScaledRows
        The two sets. Rows used in several calls are best scaled once, by `MixedSpace.scaled`.

    Returns
    -------
    ndarray of shape (len(rows_a), len(rows_b))
        int64, in steps of 2**-20, for l1 and l2; float64 for the metrics of scikit-learn.
    """
    scaled_a, scaled_b = space.rows(rows_a), space.rows(rows_b)
    if not space.additive:
        return named_distances(space, scaled_a.coordinates, scaled_b.coordinates)
    # the vector loops run over the second set: make it the longer one
    if len(scaled_b) < min(len(scaled_a), BLOCK_ROWS):
        transposed: IntArray = np.ascontiguousarray(
            pair_distances(space, scaled_b, scaled_a).T, dtype=np.int64
        )
        return transposed
    layout = Layout.of(scaled_a, scaled_b)
    queries, fitted = layout.as_queries(scaled_a.coordinates), layout.as_blocks(scaled_b.coordinates)
    distances: IntArray = distances_to_blocks(queries, fitted, len(scaled_b), space.squared)
    return distances


def named_distances(space: MixedSpace, coordinates_a: FloatArray, coordinates_b: FloatArray) -> FloatArray:
    """Return the float distances of all pairs by one of scikit-learn's metrics, the same bits in any block.

    Where a metric is undefined (the cosine of a row of zeros), equal rows are at distance 0, others at 1.
    """
    name = "cityblock" if space.metric == "manhattan" else space.metric
    with np.errstate(invalid="ignore", divide="ignore"):
        distances: FloatArray = cdist(coordinates_a, coordinates_b, name)
    undefined_a, undefined_b = np.nonzero(np.isnan(distances))
    unequal = (coordinates_a[undefined_a] != coordinates_b[undefined_b]).any(axis=1)
    distances[undefined_a, undefined_b] = unequal
    return distances
