"""Decoys of normal variables against the joint distribution that they must have."""

from __future__ import annotations

import numpy as np
import pytest

from tamis.decoys.gaussian import Draws, correlation, distances
from tests.oracles import decoys as oracle
from tests.settings import N_PROBLEMS


def related(seed: int):
    """Correlations of a few variables, some of them strong."""
    random = np.random.default_rng(seed)
    p = int(random.integers(2, 7))
    factors = random.normal(size=(p, p + 1)) * random.choice([0.2, 1.0, 3.0])
    whole = factors @ factors.T + np.eye(p)
    return whole / np.sqrt(np.outer(np.diag(whole), np.diag(whole))), int(random.integers(1, 5))


class Given:
    """Stands for a source of random numbers: what it gives is known."""

    def __init__(self, numbers):
        self.numbers, self.at = numbers, 0

    def normal(self, size):
        given = self.numbers[self.at : self.at + int(np.prod(size))].reshape(size)
        self.at += int(np.prod(size))
        return given


@pytest.mark.parametrize("seed", range(6 * N_PROBLEMS))
@pytest.mark.parametrize("how", ["equicorrelated", "minimum_variance"])
def test_decoys_have_the_conditional_distribution(seed, how):
    """Means and covariances of the decoys given the originals are those of the joint normal distribution, which exists."""
    whole, m = related(seed)
    p = len(whole)
    groups = np.arange(p) // (1 + seed % 3)  # one, two or three variables share a verdict
    draws = Draws(whole, m, how, groups)
    s = draws.spread
    assert (np.diag(s) > 0).all()
    assert np.abs(s[groups[:, None] != groups]).max(initial=0.0) == 0
    if seed % 3 == 0:
        np.testing.assert_allclose(np.diag(s), distances(whole, m, how))
    assert np.linalg.eigvalsh(oracle.joint(whole, s, m))[0] > -1e-9
    pull, covariance = oracle.conditional(whole, s, m)
    row = np.random.default_rng(seed).normal(size=(1, p))
    mean = draws.drawn(row, Given(np.zeros((m + 1) * p))).reshape(m, p)
    np.testing.assert_allclose(mean.ravel(), (row @ pull).ravel(), atol=1e-8)
    zero = np.zeros((1, p))
    responses = np.array([draws.drawn(zero, Given(unit)).ravel() for unit in np.eye((m + 1) * p)])
    np.testing.assert_allclose(responses.T @ responses, covariance, atol=1e-7)


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_the_minimum_variance_choice_is_a_minimum(seed):
    """No small change of any distance makes the trace of the inverse smaller, and it is below that of equal distances."""
    whole, m = related(seed)
    s = distances(whole, m, "minimum_variance")
    best = oracle.trace_of_inverse(whole, s, m)
    for j in range(len(s)):
        for factor in (0.98, 1.02):
            other = s.copy()
            other[j] *= factor
            if np.linalg.eigvalsh(oracle.joint(whole, other, m))[0] > 0:
                assert oracle.trace_of_inverse(whole, other, m) > best - 1e-6 * best
    equal = distances(whole, m, "equicorrelated") * 0.99
    assert best <= oracle.trace_of_inverse(whole, equal, m)


def test_independent_variables_have_independent_decoys():
    """Without correlations every distance is 1, however many decoys there are."""
    for m in (1, 3, 10):
        np.testing.assert_allclose(distances(np.eye(4), m, "minimum_variance"), 1, atol=1e-6)
        np.testing.assert_allclose(distances(np.eye(4), m, "equicorrelated"), 1, atol=1e-6)


def test_a_group_that_is_independent_of_others_has_independent_decoys():
    """However strongly the variables of a group hang together: their decoys know nothing of them."""
    block = np.full((3, 3), 0.95) + 0.05 * np.eye(3)
    whole = np.kron(np.eye(2), block)
    draws = Draws(whole, 5, "minimum_variance", np.repeat([0, 1], 3))
    np.testing.assert_allclose(draws.spread, whole, atol=1e-3)
    np.testing.assert_allclose(draws.pull, np.eye(6), atol=0.02)


def test_correlations_are_shrunk():
    """With fewer rows than columns there is no eigenvalue of 0; a constant column is correlated with nothing."""
    scores = np.random.default_rng(0).normal(size=(10, 30))
    scores[:, 3] = 1.0
    whole = correlation(scores)
    assert np.linalg.eigvalsh(whole)[0] > 0
    np.testing.assert_array_equal(np.diag(whole), 1)
    assert np.abs(np.delete(whole[3], 3)).max() == 0
