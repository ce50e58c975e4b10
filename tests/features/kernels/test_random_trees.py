"""Trees of random cuts against the oracle, and what they can tell."""

import numpy as np
import pytest

from tamis.features._kernels.random_trees import unseen_shares
from tests.oracles import random_trees as oracle
from tests.settings import N_PROBLEMS

# Where kernels are not compiled, numpy warns of the products of 64 bits that the random numbers are made of.
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered in scalar")


def test_the_shares_are_those_of_the_oracle():
    """Numbers with ties, nominal columns and constants; every draw in its place."""
    for seed in range(N_PROBLEMS):
        random = np.random.default_rng(seed)
        n, p = int(random.integers(1, 25)), int(random.integers(1, 6))
        columns = np.where(
            random.random((p, 1)) < 0.5, random.integers(4, size=(p, n)), random.normal(size=(p, n))
        )
        columns[0, :] = columns[0, 0] if seed % 3 == 0 else columns[0, :]
        nominal = (columns == np.round(columns)).all(axis=1) & (random.random(p) < 0.5)
        labels = random.integers(3, size=n)
        found = unseen_shares(columns, nominal, labels, np.ones(n), 3, 4, seed)
        expected = oracle.unseen_shares(columns, nominal, labels, 3, 4, seed)
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_the_means_are_those_of_the_oracle():
    """A numeric target, in eighths so that every sum is exact."""
    for seed in range(N_PROBLEMS):
        random = np.random.default_rng(seed)
        n, p = int(random.integers(1, 25)), int(random.integers(1, 6))
        columns = np.where(
            random.random((p, 1)) < 0.5, random.integers(4, size=(p, n)), random.normal(size=(p, n))
        )
        nominal = (columns == np.round(columns)).all(axis=1) & (random.random(p) < 0.5)
        numbers = random.integers(-20, 20, size=n) / 8
        found = unseen_shares(columns, nominal, np.zeros(n, dtype=np.int64), numbers, 1, 4, seed)
        expected = oracle.unseen_shares(columns, nominal, numbers, 0, 4, seed)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_trees_tell_an_exclusive_or():
    """Of two columns that say nothing one by one."""
    X = np.random.default_rng(0).random((2, 300))
    labels = ((X[0] > 0.5) ^ (X[1] > 0.5)).astype(np.int64)
    said = unseen_shares(X, np.zeros(2, dtype=bool), labels, np.ones(300), 2, 30, 0)
    assert (said.argmax(axis=1) == labels).mean() > 0.9
    np.testing.assert_allclose(said.sum(axis=1), 1)
