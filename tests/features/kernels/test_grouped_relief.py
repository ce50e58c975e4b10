"""The sums of ReliefF over rows with weights and groups."""

import numpy as np

from tamis.features._kernels.grouped_relief import mean_differences, weighted_sums
from tamis.neighbors._kernels.distance import FAR


def test_equal_plain_loops():
    """Rows of the same group are passed over, values apart by more than FAR differ by one, and a row without neighbours adds nothing."""
    rng = np.random.default_rng(0)
    coordinates = rng.random((12, 3))
    coordinates[:4, 2] += 4 * FAR
    listed = np.array([rng.permutation(12)[:6] for _ in range(12)])
    listed[0] = 0
    codes, groups, weights = rng.integers(0, 2, 12), rng.integers(0, 5, 12), rng.random(12)
    target, asking, limit = rng.random(12), np.arange(0, 12, 2), 3
    means, sums = np.zeros((2, 3)), [0.0, 0.0, np.zeros(3), np.zeros(3)]
    for i, row in enumerate(asking):
        near = [other for other in listed[i] if groups[other] != groups[row]][:limit]
        differ = np.abs(coordinates[near] - coordinates[row])
        differ = np.where(differ > FAR, 1.0, differ)
        if near:
            means[codes[row]] += weights[row] * differ.mean(axis=0)
        apart = np.abs(target[near] - target[row])
        sums[0] += weights[row] * len(near)
        sums[1] += weights[row] * apart.sum()
        sums[2] += weights[row] * differ.sum(axis=0)
        sums[3] += weights[row] * (differ * apart[:, None]).sum(axis=0)
    found = mean_differences(coordinates, listed, asking, codes, groups, weights, limit, 1.0)
    np.testing.assert_allclose(found[: len(means)], means[: len(found)], atol=1e-12)
    for one, expected in zip(
        weighted_sums(coordinates, listed, asking, target, groups, weights, limit, 1.0), sums
    ):
        np.testing.assert_allclose(one, expected, atol=1e-12)
