"""The loops of MovedPrototypes: what a product leaves open is settled by sums, and slopes are those of the loss."""

from __future__ import annotations

import numpy as np
import pytest

from tamis.prototypes._kernels.moving import nearest_one, nearest_two, slope
from tamis.prototypes._points import Points

N_ROWS, N_PROTOTYPES, WIDTH = 30, 8, 5


def problem(seed: int) -> tuple[Points, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Points on a grid, with ties and gaps; prototypes, two of them the same; weights of columns; labels and codes."""
    random = np.random.default_rng(seed)
    values = random.integers(0, 4, (N_ROWS, WIDTH)) / 4
    known = (random.random((N_ROWS, WIDTH)) < 0.8).astype(float) if seed % 2 else np.empty((0, 0))
    prototypes = random.integers(0, 4, (N_PROTOTYPES, WIDTH)) / 4
    prototypes[-1] = prototypes[2]
    counts = random.choice([0.5, 1.0, 2.0], WIDTH)
    points = Points(values * known if len(known) else values, known)
    return points, prototypes, counts, np.arange(N_PROTOTYPES) % 3, random.integers(0, 3, N_ROWS)


def plain_distances(points: Points, prototypes: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The distances of all pairs, column by column."""
    known = points.known if len(points.known) else np.ones(points.values.shape)
    total = np.zeros((len(points), len(prototypes)))
    for column in range(prototypes.shape[1]):
        difference = points.values[:, column, np.newaxis] - prototypes[:, column]
        total += known[:, column, np.newaxis] * counts[column] * difference**2
    return total


@pytest.mark.parametrize("seed", range(10))
def test_the_nearest_are_those_of_the_sums(seed: int) -> None:
    """The lowest number on ties; of the own class and of another, and of all."""
    points, prototypes, counts, labels, codes = problem(seed)
    distances = plain_distances(points, prototypes, counts)
    bounds = points.bounds(prototypes, counts)
    found = nearest_one(bounds, points.values, points.known, prototypes, counts)
    assert found.tolist() == distances.argmin(axis=1).tolist()
    nearest, near = nearest_two(bounds, points.values, points.known, prototypes, counts, labels, codes)
    own = labels == codes[:, np.newaxis]
    for which, allowed in enumerate((own, ~own)):
        among = np.where(allowed, distances, np.inf)
        assert nearest[which].tolist() == among.argmin(axis=1).tolist()
        np.testing.assert_allclose(near[which], among.min(axis=1), atol=1e-15)


def test_a_class_without_a_prototype_pulls_at_nothing() -> None:
    """Its rows count their whole weight in the loss."""
    points, prototypes, counts, _, codes = problem(0)
    labels = np.zeros(N_PROTOTYPES, dtype=np.int64)
    bounds = points.bounds(prototypes, counts)
    nearest, near = nearest_two(bounds, points.values, points.known, prototypes, counts, labels, codes)
    gradient, by_counts, loss = slope(
        nearest, near, points.values, points.known, prototypes, counts, np.ones(N_ROWS), 8.0
    )
    assert not gradient.any()
    assert not by_counts.any()
    assert loss == (codes != 0).sum()


@pytest.mark.parametrize("seed", range(4))
def test_slopes_are_those_of_the_loss(seed: int) -> None:
    """A small move of a prototype, or of what a column counts, changes the loss as the slope says."""
    random = np.random.default_rng(seed)
    points, prototypes, counts, labels, codes = problem(seed)
    prototypes = prototypes + 0.05 * random.normal(size=prototypes.shape)
    weights = random.random(N_ROWS) + 0.5

    def of(places: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        bounds = points.bounds(places, columns)
        near = nearest_two(bounds, points.values, points.known, places, columns, labels, codes)
        found: tuple[np.ndarray, np.ndarray, float] = slope(
            *near, points.values, points.known, places, columns, weights, 8.0
        )
        return found

    gradient, by_counts, _ = of(prototypes, counts)
    for _ in range(6):
        place, column, step = random.integers(N_PROTOTYPES), random.integers(WIDTH), 1e-6
        moved, weighed = np.zeros_like(prototypes), np.zeros_like(counts)
        moved[place, column] = weighed[column] = step
        rise = of(prototypes + moved, counts)[2] - of(prototypes - moved, counts)[2]
        assert rise / (2 * step) == pytest.approx(gradient[place, column], abs=1e-5)
        rise = of(prototypes, counts + weighed)[2] - of(prototypes, counts - weighed)[2]
        assert rise / (2 * step) == pytest.approx(by_counts[column], abs=1e-5)
