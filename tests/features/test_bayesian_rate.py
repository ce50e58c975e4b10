"""A rate from probabilities."""

from __future__ import annotations

import numpy as np
import pytest

from tamis import SampledEFR
from tamis.features._bayesian_rate import n_at_rate


def test_as_many_as_the_mean_allows():
    """By plain loops over every number."""
    random = np.random.default_rng(0)
    for _ in range(50):
        told = random.random(random.integers(0, 8)) ** 0.3
        rate = random.random()
        ranked = sorted(told, reverse=True)
        fits = [k for k in range(1, len(told) + 1) if sum(1 - p for p in ranked[:k]) / k <= rate]
        assert n_at_rate(told, rate) == max(fits, default=0)


def test_sampled_hypotheses_keep_at_a_rate():
    """The column that decides is kept, noise is not, and a size beside a rate is refused."""
    random = np.random.default_rng(0)
    X = random.random((80, 6))
    settings = {"n_sweeps": 60, "n_burn_in": 20, "random_state": 0}
    told = SampledEFR(fdr=0.1, **settings).fit(X, abs(X[:, 2] - 0.5) < 0.25)
    assert told.get_support(indices=True).tolist() == [2]
    assert np.mean(1 - told.inclusion_[told.support_]) <= 0.1
    assert not SampledEFR(fdr=0.1, **settings).fit(X, random.integers(0, 2, 80)).support_.any()
    with pytest.raises(ValueError, match=r"fdr=0.1 and n_features_to_select=2 both say.*Give one"):
        SampledEFR(2, fdr=0.1).fit(X, X[:, 0] > 0.5)
