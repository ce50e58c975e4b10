"""The loops of MovedPrototypes: what a product leaves open is settled by sums, and slopes are those of the loss."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tamis.prototypes._kernels.moving import Made, adam, nearest_one, pulls, singles
from tamis.prototypes._points import Points

N_ROWS, N_PROTOTYPES = 30, 40


def problem(seed: int) -> tuple[Points, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Points on a grid, with ties and gaps; prototypes, two of them the same; weights of columns; labels and codes."""
    random = np.random.default_rng(seed)
    width = 5 + 4 * (seed % 4)
    values = random.integers(0, 4, (N_ROWS, width)) / 4
    known = (random.random((N_ROWS, width)) < 0.8).astype(float) if seed % 2 else np.empty((0, 0))
    prototypes = random.integers(0, 4, (N_PROTOTYPES, width)) / 4
    prototypes[-1] = prototypes[2]
    counts = random.choice([0.5, 1.0, 2.0], width)
    points = Points(values * known if len(known) else values, known)
    labels = np.sort(np.arange(N_PROTOTYPES) % 3)
    return points, prototypes, counts, labels, random.integers(0, 3, N_ROWS)


def slopes(points: Points, places: np.ndarray, counts: np.ndarray, labels: np.ndarray, *rest: Any) -> Any:
    """What `pulls` finds of all rows: rest is codes, weights, beta, and whether columns learn to count."""
    made = Made(places, counts, np.searchsorted(labels, np.arange(4)))
    return pulls(*points.bounds(np.arange(len(points)), places, counts), made, *rest)


def plain_distances(points: Points, prototypes: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The distances of all pairs, column by column."""
    known = points.known if len(points.known) else np.ones(points.values.shape)
    total = np.zeros((len(points), len(prototypes)))
    for column in range(prototypes.shape[1]):
        difference = points.values[:, column, np.newaxis] - prototypes[:, column]
        total += known[:, column, np.newaxis] * counts[column] * difference**2
    return total


@pytest.mark.parametrize("seed", range(10))
def test_the_nearest_is_that_of_the_sums(seed: int) -> None:
    """The lowest number on ties; of some rows, in any order."""
    points, prototypes, counts, _, _ = problem(seed)
    rows = np.random.default_rng(seed).permutation(N_ROWS)[:20]
    distances = plain_distances(points, prototypes, counts)[rows]
    bounds = points.bounds(rows, prototypes, counts)
    found = nearest_one(*bounds, Made(prototypes, counts, np.zeros(0, dtype=np.int64)))
    assert found.tolist() == distances.argmin(axis=1).tolist()


@pytest.mark.parametrize("seed", range(8))
def test_the_loss_is_that_of_the_nearest_of_both_sides(seed: int) -> None:
    """a and b are the least distances to the own class and to another, and the loss their sigmoid."""
    points, prototypes, counts, labels, codes = problem(seed)
    distances = plain_distances(points, prototypes, counts)
    own = labels == codes[:, np.newaxis]
    a, b = (np.where(allowed, distances, np.inf).min(axis=1) for allowed in (own, ~own))
    losses = np.where(a + b == 0, 0.5, 1 / (1 + np.exp(8.0 * (b - a) / np.where(a + b == 0, 1.0, a + b))))
    found = slopes(points, prototypes, counts, labels, codes, np.ones(N_ROWS), 8.0, False)
    assert found[2] == pytest.approx(losses.sum(), rel=1e-12)
    assert not found[1].any()


def test_a_class_without_a_prototype_pulls_at_nothing() -> None:
    """Its rows count their whole weight in the loss."""
    points, prototypes, counts, _, codes = problem(0)
    labels = np.zeros(N_PROTOTYPES, dtype=np.int64)
    gradient, by_counts, loss = slopes(points, prototypes, counts, labels, codes, np.ones(N_ROWS), 8.0, True)
    assert not gradient.any()
    assert not by_counts.any()
    assert loss == (codes != 0).sum()


@pytest.mark.parametrize("seed", range(4))
def test_products_are_wrong_by_less_than_the_slack(seed: int) -> None:
    """Two prototypes' nearness differs from the halves of their distances by the slack at most, far off the centre too."""
    random = np.random.default_rng(seed)
    values, prototypes = random.normal(size=(50, 300)) + 10 * seed, random.normal(size=(20, 300)) + 10 * seed
    known = (random.random(values.shape) < 0.9).astype(float) if seed % 2 else np.empty((0, 0))
    points = Points(values * known if len(known) else values, known)
    counts = random.random(300) * 2
    nearness, slack, rows = points.bounds(np.arange(50), prototypes, counts)
    exact = -plain_distances(points, prototypes, counts) / 2
    wrong = (nearness - nearness[:, :1]) - (exact - exact[:, :1])
    assert (np.abs(wrong) <= slack[:, np.newaxis]).all()
    assert np.array_equal(singles(rows)[:, :300], points.values.astype(np.float32))


def test_a_step_of_adam() -> None:
    """By hand: the first step is the length in the direction of the slope, and means fade in."""
    values, zeros = np.array([[1.0, 2.0]]), np.zeros((1, 2))
    stepped, means, squares = adam(values, zeros, zeros, np.array([[0.5, -4.0]]), 0, 0.1)
    np.testing.assert_allclose(stepped, [[0.9, 2.1]], atol=1e-8)
    np.testing.assert_allclose(means, [[0.05, -0.4]])
    np.testing.assert_allclose(squares, [[0.0025, 0.16]])


@pytest.mark.parametrize("seed", range(4))
def test_slopes_are_those_of_the_loss(seed: int) -> None:
    """A small move of a prototype, or of what a column counts, changes the loss as the slope says."""
    random = np.random.default_rng(seed)
    points, prototypes, counts, labels, codes = problem(seed)
    prototypes = prototypes + 0.05 * random.normal(size=prototypes.shape)
    weights = random.random(N_ROWS) + 0.5

    def of(places: np.ndarray, columns: np.ndarray) -> Any:
        return slopes(points, places, columns, labels, codes, weights, 8.0, True)

    gradient, by_counts, _ = of(prototypes, counts)
    for _ in range(6):
        place, column, step = random.integers(N_PROTOTYPES), random.integers(len(counts)), 1e-6
        moved, weighed = np.zeros_like(prototypes), np.zeros_like(counts)
        moved[place, column] = weighed[column] = step
        rise = of(prototypes + moved, counts)[2] - of(prototypes - moved, counts)[2]
        assert rise / (2 * step) == pytest.approx(gradient[place, column], abs=1e-5)
        rise = of(prototypes, counts + weighed)[2] - of(prototypes, counts - weighed)[2]
        assert rise / (2 * step) == pytest.approx(by_counts[column], abs=1e-5)
