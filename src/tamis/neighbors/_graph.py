"""The k nearest rows of every row: chooses between the exact and the approximate searches."""

from __future__ import annotations

import numpy as np

from tamis.neighbors._blocks import Layout
from tamis.neighbors._both_ways import rows_both_ways, worth_both_ways
from tamis.neighbors._candidates import approximate_rows
from tamis.neighbors._distance import FloatArray, IntArray, MixedSpace, Rows, ScaledRows
from tamis.neighbors._exact import Progress, rows_by_kernel, rows_by_name
from tamis.neighbors._products import ProductSpace, rows_by_products

PRODUCTS_FROM_VALUES = 2**14
"""From this many fitted values on, products may be the faster way."""

PRODUCT_COST = (1.0, 0.025)
KERNEL_COST = (0.27, 0.13)
"""Nanoseconds a pair (measured): by products, what a pair costs more and each entry of a vector; by the kernel, for each numeric
and for each categorical column."""

EXACT_UP_TO_ROWS = 2048
"""Up to this many rows the exact graph is used even for graph="approximate": pynndescent takes longer to compile."""


def nearest_rows(
    space: MixedSpace,
    fitted_rows: Rows,
    n_neighbors: int,
    queries: Rows | None = None,
    *,
    graph: str = "exact",
    random_state: int | np.random.RandomState | None = None,
    n_jobs: int | None = 1,
    progress: Progress | None = None,
) -> tuple[IntArray, IntArray | FloatArray]:
    """Find exactly `n_neighbors` nearest rows of every query; on ties the lower row comes first (``ties="lowest"``).

    Parameters
    ----------
    space : MixedSpace
        The distance.
    fitted_rows : ndarray of shape (n_rows, n_columns), or ScaledRows
        The rows to find neighbours among.
    n_neighbors : int
        How many.
    queries : ndarray of shape (n_queries, n_columns), or ScaledRows, default=None
        The rows whose neighbours are wanted. None: the fitted rows, each of which finds other rows only.
    graph : {"exact", "approximate"}, default="exact"
        "approximate" asks pynndescent for candidates (the extra ``tamis[ann]``; only without `queries` and for
        more than 2,048 rows) and ranks them by exact distances; some true neighbours will be missing.
    random_state : int, RandomState or None, default=None
        Decides the approximate graph.
    n_jobs : int or None, default=1
        Threads, as in joblib. The result does not depend on it.
    progress : callable, default=None
        Called with the number of queries answered since the last call.

    Returns
    -------
    rows : ndarray of shape (n_queries, n_neighbors), int64
        Row numbers in `fitted_rows`, ascending by (distance, row).
    distances : ndarray of shape (n_queries, n_neighbors)
        int64, in steps of 2**-20, for l1 and l2; float64 for the metrics of scikit-learn.

    Notes
    -----
    Every pair is looked at, O(n_queries n_rows n_columns), in blocks: besides the table and the answer, memory holds
    the scaled rows, one more copy of the fitted rows and a few MB per thread, never a matrix of all pairs.
    For l2, matrix products of float32 say which rows can be near, with a bound on what rounding does to them; these are
    measured, so that the answer is the same. With few columns or rows every pair is measured: that is faster there.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis.neighbors import MixedSpace, nearest_rows
    >>> values = np.array([[0.1], [0.2], [0.3]])
    >>> space = MixedSpace.fit(values, np.array([False]), metric="l1")
    >>> rows, distances = nearest_rows(space, values, 1)
    >>> rows.ravel(), distances.ravel() / 2**20
    (array([1, 0, 1]), array([0.5, 0.5, 0.5]))
    """
    if graph not in ("exact", "approximate"):
        raise ValueError(f"nearest_rows: graph={graph!r} is unknown. Use 'exact' or 'approximate'.")
    fitted = space.rows(fitted_rows)
    asking = fitted if queries is None else space.rows(queries)
    own_rows = rows_asking(fitted, queries)
    check_enough_rows("nearest_rows", n_neighbors, len(fitted) - (queries is None))
    if not space.additive:
        if graph == "approximate":
            raise ValueError(f"nearest_rows: graph='approximate' with metric={space.metric!r}. Use l1 or l2.")
        return rows_by_name(fitted, asking, own_rows, n_neighbors, n_jobs, progress)
    if graph == "approximate":
        if queries is not None:
            raise ValueError(
                "nearest_rows: graph='approximate' with queries. Leave them out, or use graph='exact'."
            )
        if len(fitted) > EXACT_UP_TO_ROWS:
            return approximate_rows(fitted, n_neighbors, random_state, n_jobs, progress)
    products = space_if_faster(fitted, asking)
    if products is not None:
        if queries is None and worth_both_ways(products, fitted, n_neighbors):
            return rows_both_ways(products, fitted, n_neighbors, n_jobs, progress)
        return rows_by_products(products, fitted, asking, own_rows, n_neighbors, n_jobs, progress)
    return rows_by_kernel(fitted, asking, own_rows, n_neighbors, n_jobs, progress)


def rows_asking(fitted: ScaledRows, queries: Rows | None) -> IntArray:
    """Return the fitted row that each query is: the row itself where `queries` is None, -1 for new rows."""
    if queries is None:
        return np.arange(len(fitted))
    return np.full(len(queries), -1)


def check_enough_rows(who: str, n_neighbors: int, available: int) -> None:
    """Refuse a number of neighbours that cannot be found."""
    if not 1 <= n_neighbors <= available:
        raise ValueError(
            f"{who}: n_neighbors={n_neighbors}, but a row has {available} others to find. "
            f"Use a value from 1 to {available}."
            if available > 0
            else f"{who}: n_neighbors={n_neighbors}, but there is no row to find. Give more rows."
        )


def space_if_faster(fitted: ScaledRows, queries: ScaledRows) -> ProductSpace | None:
    """Return the space of products if they find the neighbours faster than the kernel does."""
    if not fitted.space.squared or fitted.coordinates.size < PRODUCTS_FROM_VALUES:
        return None
    layout = Layout.of(fitted, queries)
    n_nominal = len(layout.nominal)
    by_kernel = KERNEL_COST[0] * (len(layout.plain) + len(layout.gapped)) + KERNEL_COST[1] * n_nominal
    if PRODUCT_COST[0] + PRODUCT_COST[1] * fitted.coordinates.shape[1] > by_kernel:
        return None
    space = ProductSpace.of(fitted, layout)
    return space if PRODUCT_COST[0] + PRODUCT_COST[1] * space.width <= by_kernel else None
