"""The count of concordant pairs."""

import numpy as np
import pytest

from tamis.features._kernels.concordance import concordance


@pytest.mark.parametrize("seed", range(10))
def test_equals_all_pairs(seed):
    """With ties on both sides, missing values and large weights, exactly."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    ranks = rng.integers(-1, 8, n)
    y = rng.integers(0, 6, n)
    weights = rng.integers(1, 2**25, n)
    order = np.argsort(y, kind="stable")
    groups = np.flatnonzero(np.concatenate([[True], np.diff(y[order]) > 0, [True]]))
    expected = 0
    for i in range(n):
        for j in range(i):
            if ranks[i] >= 0 and ranks[j] >= 0:
                agree = int(np.sign(ranks[i] - ranks[j]) * np.sign(y[i] - y[j]))
                expected += int(weights[i]) * int(weights[j]) * agree
    assert int(concordance(ranks, order, groups, weights)) == expected
