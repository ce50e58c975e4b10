"""The vote of a model on many rows."""

import numpy as np
import pytest

from tamis.stumps._kernels.predicting import BLOCK, summed_votes


@pytest.mark.parametrize("seed", range(2))
def test_votes_equal_plain_loops(seed):
    """Every stump, numeric or nominal, with missing values on either side, adds its weight in order of the rounds."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 4, (BLOCK + 7, 3)).astype(float)
    values[rng.random(values.shape) < 0.2] = np.nan
    column = np.array([2, 0, 0, 1, 2])
    threshold = np.array([1.5, 2.0, np.inf, 0.5, 3.0])
    nominal = np.array([False, True, False, False, True])
    gap_right = np.array([True, False, True, False, True])
    weight = rng.normal(size=5)
    expected = np.zeros(len(values))
    for t in range(5):
        x = values[:, column[t]]
        right = x == threshold[t] if nominal[t] else x > threshold[t]
        expected += np.where(right | (np.isnan(x) & gap_right[t]), weight[t], -weight[t])
    assert summed_votes(values, column, threshold, nominal, gap_right, weight).tolist() == expected.tolist()
