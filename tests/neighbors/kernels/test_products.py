"""Neighbours from products, the products being as wrong as they may be."""

import numpy as np
import pytest

from tamis.neighbors._kernels import products as kernels
from tests.coordinates import coordinates, distances


@pytest.mark.parametrize("slack", [0.0, 0.5, 1e4])
@pytest.mark.parametrize("n_rows", [37, 1500])
def test_wrong_products_within_the_slack_change_nothing(n_rows, slack):
    """Whatever the products, if they are wrong by `slack` at most, the neighbours are those of a plain sort."""
    rng = np.random.default_rng(n_rows)
    fitted, queries = (
        coordinates(n_rows, 3, 1, squared=True, seed=1),
        coordinates(6, 3, 1, squared=True, seed=2),
    )
    queries[:2] = fitted[:2]
    own, n_neighbors = np.array([0, 1, -1, -1, -1, -1]), 5
    steps = distances(queries, fitted, squared=True)
    products = -steps / 2**21 + rng.uniform(-slack, slack, steps.shape) * 0.9
    base = np.full(6, -slack - 1e-6)
    asking = kernels.Asking(
        queries=queries,
        own=own,
        base=base,
        slack=np.full(6, slack + 1e-6),
        largest=np.full((6, n_neighbors), -np.inf, dtype=np.float32),
        held=np.empty((6, 9), dtype=np.float32),
        held_rows=np.empty((6, 9), dtype=np.int64),
        n_held=np.zeros(6, dtype=np.int64),
        rows=np.full((6, n_neighbors), -1),
        distances=np.full((6, n_neighbors), np.inf),
    )
    for start in range(0, n_rows, 600):
        part = np.ascontiguousarray(products[:, start : start + 600], dtype=np.float32)
        kernels.look_at_products(part, start, asking, fitted)
    kernels.measure_all(asking, fitted)
    for i in range(6):
        order = [j for j in np.argsort(steps[i], kind="stable") if j != own[i]][:n_neighbors]
        assert asking.rows[i].tolist() == order
        assert asking.distances[i].tolist() == steps[i, order].tolist()


@pytest.mark.parametrize("shape", [(1, 1), (33, 70), (64, 31)])
def test_products_are_turned_round(shape):
    """The halves of the others are taken off in place, those of the rows in the turned copy, if there is one."""
    rng = np.random.default_rng(shape[1])
    products, halves, others = (rng.normal(size=size).astype(np.float32) for size in (shape, *shape))
    for turned in (np.empty(shape[::-1], dtype=np.float32), np.empty((0, shape[0]), dtype=np.float32)):
        found = products.copy()
        kernels.subtract_both_ways(found, halves, others, turned)
        assert np.array_equal(found, products - others)
        assert np.array_equal(turned, (products.T - halves)[: len(turned)])
