"""The sums of RReliefF."""

import numpy as np

from tamis.features._kernels.regression_relief import regression_sums
from tamis.features._kernels.relief import ONE
from tamis.neighbors._kernels.distance import FAR


def test_equals_plain_loops():
    """A row is never its own neighbour, and values apart by more than FAR differ by one."""
    rng = np.random.default_rng(0)
    coordinates = np.round(rng.random((12, 3)) * ONE)
    coordinates[:4, 2] += 4 * FAR
    target = np.round(rng.random(12) * ONE).astype(np.int64)
    listed = np.array([rng.permutation(12)[:6] for _ in range(12)])
    asking, limit = np.arange(12), 4
    found = regression_sums(coordinates, listed, asking, target, limit, 1.0)
    of_target, of_columns, of_both = 0, np.zeros(3), np.zeros(3)
    for row in range(12):
        for other in [row_ for row_ in listed[row] if row_ != row][:limit]:
            apart = abs(int(target[row]) - int(target[other]))
            differ = np.abs(coordinates[row] - coordinates[other])
            differ = np.where(differ > FAR, ONE, differ)
            of_target += apart
            of_columns += differ
            of_both += np.rint(differ * apart / 2**10)
    assert found[0] == of_target
    assert found[1].tolist() == of_columns.tolist()
    assert found[2].tolist() == of_both.tolist()
