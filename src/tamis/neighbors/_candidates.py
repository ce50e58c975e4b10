"""Approximate neighbours: pynndescent proposes candidates, exact distances rank them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

from tamis.neighbors._distance import CODE_GAP, FloatArray, IntArray, ScaledRows
from tamis.neighbors._exact import Progress, rows_by_kernel
from tamis.neighbors._kernels.nearest import listed_distances, proposal_l1, proposal_l2

SPARE = 5
"""Candidates asked for beyond the wanted neighbours."""

UNKNOWN = np.iinfo(np.int64).max
"""The distance of a candidate that is not there."""


def nearest_of_listed(
    fitted: ScaledRows, queries: FloatArray, listed: IntArray, own_rows: IntArray, n_neighbors: int
) -> tuple[IntArray, IntArray]:
    """Sort each query's listed rows by (exact distance, row), leave out the query itself, and keep the nearest.

    Where too few are listed (-1 stands for none), the distance is `UNKNOWN`.
    """
    distances = listed_distances(queries, fitted.coordinates, listed, fitted.space.squared)
    distances[listed == own_rows[:, np.newaxis]] = UNKNOWN
    order = np.lexsort((listed, distances), axis=-1)[:, :n_neighbors]
    return np.take_along_axis(listed, order, axis=1), np.take_along_axis(distances, order, axis=1)


def approximate_rows(
    fitted: ScaledRows,
    n_neighbors: int,
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = 1,
    progress: Progress | None = None,
) -> tuple[IntArray, IntArray]:
    """Find most of each row's neighbours among the other rows, as proposed by pynndescent; distances are exact.

    pynndescent runs on one thread, because its graph changes with the number of threads; the rest uses `n_jobs`.
    """
    try:
        import pynndescent
    except ImportError:
        raise ImportError(
            "nearest_rows: graph='approximate' needs pynndescent, which is not installed. "
            "Run `pip install tamis[ann]`, or use graph='exact'."
        ) from None
    points, measure = proposal_points(fitted)
    index = pynndescent.NNDescent(
        points,
        metric=measure,
        n_neighbors=max(15, n_neighbors + 1 + SPARE),
        random_state=check_random_state(random_state).randint(2**31 - 1),
        n_jobs=1,
    )
    listed = index.neighbor_graph[0].astype(np.int64)
    own_rows = np.arange(len(fitted))
    rows, distances = nearest_of_listed(fitted, fitted.coordinates, listed, own_rows, n_neighbors)
    settled = distances[:, -1] < UNKNOWN
    if progress is not None:
        progress(int(settled.sum()))
    left = np.flatnonzero(~settled)
    if len(left):
        rows[left], distances[left] = rows_by_kernel(
            fitted, fitted.take(left), own_rows[left], n_neighbors, n_jobs, progress
        )
    return rows, distances


def proposal_points(rows: ScaledRows) -> tuple[npt.NDArray[np.float32], Any]:
    """Return points for pynndescent (numeric values in [0, 1], codes and missing values 3 apart), and their distance."""
    space = rows.space
    coded = (rows.coordinates == -CODE_GAP) | space.nominal
    unit = 2.0**10 if space.squared else 2.0**20
    points = np.where(coded, rows.coordinates / CODE_GAP * 3, rows.coordinates / unit)
    return points.astype(np.float32), proposal_l2 if space.squared else proposal_l1
