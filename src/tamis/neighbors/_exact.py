"""Exact neighbours by computing the distance of every pair, block by block."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from tamis.neighbors._blocks import QUERY_ROWS, Layout, in_threads, named_distances
from tamis.neighbors._distance import FloatArray, IntArray, ScaledRows
from tamis.neighbors._kernels.nearest import lowest_in_rows, nearest_in_blocks

Progress = Callable[[int], None]
"""Called with the number of queries answered since the last call."""

Distances = TypeVar("Distances", IntArray, FloatArray)


def rows_by_kernel(
    fitted: ScaledRows,
    queries: ScaledRows,
    own_rows: IntArray,
    n_neighbors: int,
    n_jobs: int | None = 1,
    progress: Progress | None = None,
) -> tuple[IntArray, IntArray]:
    """Find the neighbours of each query for l1 and l2; own_rows[i] is the fitted row that query i is, or -1."""
    layout = Layout.of(fitted, queries)
    blocks = layout.as_blocks(fitted.coordinates)
    squared = fitted.space.squared

    def answer(part: slice) -> tuple[IntArray, IntArray]:
        columns = layout.as_queries(queries.coordinates[part])
        rows_and_distances: tuple[IntArray, IntArray] = nearest_in_blocks(
            columns, blocks, len(fitted), own_rows[part], squared, n_neighbors
        )
        return rows_and_distances

    rows = np.empty((len(queries), n_neighbors), dtype=np.int64)
    distances = np.empty_like(rows)
    return gathered(answer, rows, distances, QUERY_ROWS, n_jobs, progress)


def rows_by_name(
    fitted: ScaledRows,
    queries: ScaledRows,
    own_rows: IntArray,
    n_neighbors: int,
    n_jobs: int | None = 1,
    progress: Progress | None = None,
) -> tuple[IntArray, FloatArray]:
    """Find the neighbours of each query by one of scikit-learn's metrics; distances are floats."""
    size = max(1, min(QUERY_ROWS, 2**22 // len(fitted)))  # at most 32 MB of distances per thread

    def answer(part: slice) -> tuple[IntArray, FloatArray]:
        slab = named_distances(fitted.space, queries.coordinates[part], fitted.coordinates)
        rows_and_distances: tuple[IntArray, FloatArray] = lowest_in_rows(slab, own_rows[part], n_neighbors)
        return rows_and_distances

    rows = np.empty((len(queries), n_neighbors), dtype=np.int64)
    distances = np.empty(rows.shape)
    return gathered(answer, rows, distances, size, n_jobs, progress)


def gathered(
    answer: Callable[[slice], tuple[IntArray, Distances]],
    rows: IntArray,
    distances: Distances,
    size: int,
    n_jobs: int | None,
    progress: Progress | None,
) -> tuple[IntArray, Distances]:
    """Write the answers of all slices of queries into `rows` and `distances`."""
    start = 0
    for some_rows, some_distances in in_threads(answer, len(rows), size, n_jobs):
        part = slice(start, start + len(some_rows))
        rows[part], distances[part] = some_rows, some_distances
        start = part.stop
        if progress is not None:
            progress(len(some_rows))
    return rows, distances
