"""Columns that tell something only many together: the backward order against its oracle, and when it is believed."""

import numpy as np
import pytest

from tamis import Sieve
from tamis.features._sieve_joint import backward_order, joint_order
from tamis.features._sieve_search import indicators
from tamis.table._table import Numbers, Schema, Table, Target
from tests.oracles import sieve as oracle
from tests.settings import N_PROBLEMS


def together(random, n=600, d=30, n_noise=30):
    """Columns whose differences decide, under a sway that all of them share, and columns of noise."""
    own = random.normal(size=(n, d))
    told = own + 6 * random.normal(size=(n, 1))
    return np.hstack([told, random.normal(size=(n, n_noise))]), own @ np.resize([1.0, -1.0], d)


def found(X, target, random):
    table = Table(X, Schema(np.zeros(X.shape[1], dtype=bool), (None,) * X.shape[1]))
    return joint_order(table, target, random.permutation(X.shape[1]), random)


def test_the_order_is_that_of_plain_refits():
    """Each time those columns leave whose absence raises the ridge loss least, of equal ones the last; nominal ones as a block."""
    for seed in range(N_PROBLEMS):
        random = np.random.default_rng(seed)
        n, d, c = 30, 13, int(random.integers(1, 4))
        columns = [
            random.integers(3, size=n) * 1.0 if j % 4 == 0 else random.normal(size=n) for j in range(d)
        ]
        parts = [indicators(column, j % 4 == 0) for j, column in enumerate(columns)]
        truth = random.normal(size=(n, c))
        np.testing.assert_array_equal(backward_order(parts, truth), oracle.backward_order(parts, truth))


@pytest.mark.parametrize("numeric", [False, True])
def test_columns_that_tell_only_together_are_found(numeric):
    """Of a class or a number: most of them come into the first half, where a random order has one in two."""
    random = np.random.default_rng(0)
    X, y = together(random)
    target = Numbers(y) if numeric else Target((y > 0).astype(np.int64), np.array([0, 1]))
    order = found(X, target, np.random.RandomState(0))
    assert order is not None
    assert (order[:30] < 30).sum() >= 25


def test_noise_has_no_joint_order():
    """On rows held out it is no better than any order."""
    for seed in range(max(10, N_PROBLEMS // 5)):
        random = np.random.RandomState(seed)
        X, y = random.normal(size=(120, 40)), np.arange(120) % 3
        assert found(X, Target(y, np.arange(3)), random) is None


def test_few_columns_and_rare_classes_have_none():
    """The forward search sees fewer than eight columns well enough; a class that a fold would lose allows no comparison."""
    random = np.random.RandomState(0)
    X, y = random.normal(size=(60, 7)), np.arange(60) % 2
    assert found(X, Target(y, np.arange(2)), random) is None
    X, y = random.normal(size=(60, 20)), np.where(np.arange(60) == 0, 2, y)
    assert found(X, Target(y, np.arange(3)), random) is None


def test_sieve_ranks_them_first():
    """More of them stand before the noise than in the order of the members and the forward search, by far."""
    X, y = together(np.random.default_rng(1))
    kept = [
        Sieve(30, explain=False, search=search, random_state=0).fit(X, y > 0).support_
        for search in (False, True)
    ]
    without, with_search = (int(one[:30].sum()) for one in kept)
    assert with_search >= without + 4


def test_their_reason_is_said():
    """Kept columns that tell nothing alone nor in pairs tell something with many others only; what is not kept does not."""
    X, y = together(np.random.default_rng(1))
    sieve = Sieve(30, random_state=0).fit(X, y > 0)
    kept, told = sieve.get_support(indices=True), sieve.reasons_
    assert any(told[j] == "with many others only" for j in kept)
    assert not any(told[j] == "with many others only" for j in set(range(60)) - set(kept))
