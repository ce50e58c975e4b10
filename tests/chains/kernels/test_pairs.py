"""The slots of a Markov chain: likelihoods of all partners against NumPy, and fields that stay true."""

import numpy as np
import pytest

from tamis.chains._kernels import pairs as kernels
from tamis.chains._kernels.sweeping import SHAPES, fresh_fields
from tests.chains.kernels.problems import plain_fields, plain_likelihood, problem


@pytest.fixture(autouse=True)
def _integers_may_wrap_around():
    with np.errstate(over="ignore"):
        yield


@pytest.mark.parametrize("seed", range(3))
def test_the_scan_of_partners_is_that_of_plain_loops(seed):
    """The likelihood with a product of two views added, and taken away, for every partner."""
    table, _ = problem(seed, n=90)  # more rows than a block
    base = np.random.default_rng(seed).normal(size=len(table.y)).astype(np.float32)
    kept = table.bases[1, 0]
    values = np.empty((2, table.rows.shape[1]), np.float32)
    kernels.scan_partners(base, kept, table.rows, table.y, 0.7, 0.0, values)
    for side, sign in enumerate((1, -1)):
        for view in range(table.rows.shape[1]):
            h = base + sign * np.float64(0.7) * kept * table.bases[view, 0]
            assert values[side, view] == pytest.approx(plain_likelihood(h, table.y), rel=1e-4, abs=1e-3)


def test_a_fall_of_more_than_eighty_is_one_of_eighty():
    assert kernels.fallen(-1.0) == pytest.approx(np.exp(-1), rel=1e-5)
    assert kernels.fallen(-1000.0) == kernels.fallen(-80.0)


@pytest.mark.parametrize("seed", range(3))
def test_slots_are_drawn_and_the_fields_follow(seed):
    """After an update the fields are those of the slots; ends of a slot belong to two columns; chances are chances."""
    table, chain = problem(seed)
    chain.signs[0], chain.signs[-1] = 1, -1
    fields, pairs = fresh_fields(table, chain), np.zeros(4)
    kernels.update_slots(table, chain, fields, 1.0, pairs)
    np.testing.assert_allclose(fields, plain_fields(table, chain, SHAPES), rtol=1e-4, atol=1e-4)
    on = chain.signs != 0
    owners = table.owners[chain.ends[on]]
    assert (owners[:, 0] != owners[:, 1]).all()
    assert (pairs >= 0).all()
    assert pairs.sum() <= 2 * len(chain.signs) + 1e-9
