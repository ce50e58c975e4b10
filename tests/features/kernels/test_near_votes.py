"""Votes of the nearest rows, ties shared, against the oracle."""

import numpy as np

from tamis.features._kernels.near_votes import near_votes, nearer_by
from tests.oracles import sieve as oracle
from tests.settings import N_PROBLEMS


def test_the_votes_are_those_of_the_oracle():
    """With ties shared, and a column more than the distances hold."""
    for seed in range(N_PROBLEMS):
        random = np.random.default_rng(seed)
        n = int(random.integers(3, 12))
        labels = random.integers(3, size=n)
        first, second = random.integers(4, size=(2, n)).astype(float)
        k = int(random.integers(1, n))
        numeric, far = np.zeros(n), 1 + second
        base = nearer_by(np.zeros((n, n)), first, numeric)
        apart = np.subtract.outer(second, second)
        for kind, added in ((numeric, apart**2), (far, np.add.outer(far, far) * (apart != 0))):
            found = near_votes(base, second, kind, labels, np.ones(len(labels)), 3, k)
            np.testing.assert_allclose(found, oracle.votes(base + added, labels, 3, k), rtol=1e-12)
            numbers = random.normal(size=n)
            sums = near_votes(base, second, kind, np.zeros(n, dtype=np.int64), numbers, 1, k)
            expected = oracle.votes(base + added, np.arange(n), n, k) @ numbers
            np.testing.assert_allclose(sums[:, 0], expected, rtol=1e-12, atol=1e-12)
