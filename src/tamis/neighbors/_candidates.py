"""Neighbours from candidates: another library proposes them, exact distances decide.

`screened_rows` is exact: scikit-learn's brute force proposes, and its answer is taken only where the distances
prove that no other row can be nearer. `approximate_rows` trusts what pynndescent proposes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import threadpoolctl  # comes with scikit-learn, without types
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_random_state

from tamis._parameters import n_workers
from tamis.neighbors._distance import CODE_GAP, FloatArray, IntArray, ScaledRows
from tamis.neighbors._exact import Progress, rows_by_kernel
from tamis.neighbors._kernels.nearest import listed_distances, proposal_l1, proposal_l2

SPARE = 5
"""Candidates asked for beyond the wanted neighbours."""

PROBE_ROWS = 512
"""Queries screened first, to notice at little cost that ties are too many."""

SCREENED_ROWS = 4096
"""Queries per thread screened at a time afterwards: with fewer, scikit-learn's threads are badly used."""

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


def screened_rows(
    fitted: ScaledRows,
    queries: ScaledRows,
    own_rows: IntArray,
    n_neighbors: int,
    n_jobs: int | None = 1,
    progress: Progress | None = None,
) -> tuple[IntArray, IntArray]:
    """Find exact neighbours for l2 on numeric columns without missing values, proposed by scikit-learn's brute force.

    Notes
    -----
    With d columns and u = 2**-53, a float distance of a query q differs from the distance in steps by at most

        d / 2 + 2 (d + 8) u (|q| + max |x|)**2.

    Rounding to steps accounts for half a step per column. The matrix product |q|**2 + |x|**2 - 2 q.x is off by
    at most (d + 3) u (|q| + |x|)**2 for any order of summation, the squared differences by 3 u of themselves;
    twice their sum leaves room for the float norms in the bound. A row that was not proposed is, in floats, at
    least as far away as the last proposal: where that distance minus the bound exceeds the k-th exact distance
    among the proposals, no other row can precede it or tie with it. The remaining queries are answered by the
    kernel; if they are more than a quarter of a batch, so are all later queries.
    """
    search = NearestNeighbors(algorithm="brute", metric="sqeuclidean").fit(fitted.coordinates)
    longest = _lengths(fitted.coordinates).max()
    n_queries, n_columns = queries.coordinates.shape
    n_listed = min(len(fitted), n_neighbors + 1 + SPARE)
    rows = np.empty((n_queries, n_neighbors), dtype=np.int64)
    distances = np.empty_like(rows)
    settled = np.zeros(n_queries, dtype=bool)
    n_threads = n_workers(n_jobs)
    for start in (0, *range(PROBE_ROWS, n_queries, SCREENED_ROWS * n_threads)):
        size = PROBE_ROWS if start == 0 else SCREENED_ROWS * n_threads
        part = slice(start, min(start + size, n_queries))
        batch = queries.coordinates[part]
        with threadpoolctl.threadpool_limits(n_threads):
            floats, listed = search.kneighbors(batch, n_neighbors=n_listed)
        rows[part], distances[part] = nearest_of_listed(fitted, batch, listed, own_rows[part], n_neighbors)
        bound = n_columns / 2 + (n_columns + 8) * 2.0**-52 * (_lengths(batch) + longest) ** 2
        settled[part] = (floats[:, -1] - bound > distances[part, -1]) | (n_listed == len(fitted))
        if progress is not None:
            progress(int(settled[part].sum()))
        if settled[part].mean() < 0.75:
            break
    _settle(fitted, queries, own_rows, np.flatnonzero(~settled), rows, distances, n_jobs, progress)
    return rows, distances


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
    _settle(fitted, fitted, own_rows, np.flatnonzero(~settled), rows, distances, n_jobs, progress)
    return rows, distances


def proposal_points(rows: ScaledRows) -> tuple[npt.NDArray[np.float32], Any]:
    """Return points for pynndescent (numeric values in [0, 1], codes and missing values 3 apart), and their distance."""
    space = rows.space
    coded = (rows.coordinates == -CODE_GAP) | space.nominal
    unit = 2.0**10 if space.squared else 2.0**20
    points = np.where(coded, rows.coordinates / CODE_GAP * 3, rows.coordinates / unit)
    return points.astype(np.float32), proposal_l2 if space.squared else proposal_l1


def _settle(
    fitted: ScaledRows,
    queries: ScaledRows,
    own_rows: IntArray,
    open_queries: IntArray,
    rows: IntArray,
    distances: IntArray,
    n_jobs: int | None,
    progress: Progress | None,
) -> None:
    """Let the kernel answer the open queries; write to `rows` and `distances`."""
    if len(open_queries):
        rows[open_queries], distances[open_queries] = rows_by_kernel(
            fitted, queries.take(open_queries), own_rows[open_queries], rows.shape[1], n_jobs, progress
        )


def _lengths(coordinates: FloatArray) -> FloatArray:
    """Return the Euclidean norm of each row."""
    norms: FloatArray = np.sqrt(np.einsum("ij,ij->i", coordinates, coordinates))
    return norms
