"""The moves of a Markov chain: likelihoods and fields against NumPy, and what every move leaves true."""

import numpy as np
import pytest

from tamis.chains._kernels import sweeping as kernels
from tamis.chains.engine import work_space
from tests.chains.kernels.problems import plain_fields, plain_likelihood, problem

LN2 = np.log(2)


@pytest.fixture(autouse=True)
def _integers_may_wrap_around():
    with np.errstate(over="ignore"):
        yield


def padding(table):
    return len(table.y) - len(table.rows)


@pytest.mark.parametrize("seed", range(4))
def test_fields_and_likelihood_are_those_of_plain_sums(seed):
    """A and L of the hypothesis, and the likelihood with one more view; a row of padding adds -ln 2."""
    table, chain = problem(seed)
    fields = kernels.fresh_fields(table, chain)
    expected = plain_fields(table, chain, kernels.SHAPES)
    np.testing.assert_allclose(fields, expected, rtol=1e-5, atol=1e-5)
    more = kernels.scaled(5, 0.8)
    found = kernels.log_likelihood(fields, table.bases[1], more, table.y, chain.numbers, work_space(table))
    tau, omega, offset = chain.numbers[:3]
    one, two, three = (float(part) for part in more)
    additive = expected[0] + one * table.bases[1, 0] + two * table.bases[1, 1]
    h = tau * (additive + omega * np.abs(expected[1] + three * table.bases[1, 0])) + offset
    wanted = plain_likelihood(h, table.y) - padding(table) * LN2
    assert found == pytest.approx(wanted, rel=1e-4, abs=1e-3)


def test_what_was_added_can_be_taken_away():
    """`add` with sign -1, and `add_pair` with the opposite weight, leave the fields as they were."""
    table, chain = problem(1)
    fields = kernels.fresh_fields(table, chain)
    before = fields.copy()
    kernels.add(fields, table.bases[2], kernels.scaled(7, 1.5), np.float32(1))
    kernels.add_pair(fields, table.bases[0, 0], table.bases[1, 0], 0.5)
    assert not np.allclose(fields, before)
    kernels.add_pair(fields, table.bases[0, 0], table.bases[1, 0], -0.5)
    kernels.add(fields, table.bases[2], kernels.scaled(7, 1.5), np.float32(-1))
    np.testing.assert_allclose(fields, before, atol=1e-5)


@pytest.mark.parametrize("additive", [False, True])
def test_the_prior_of_the_shapes_is_a_distribution(additive):
    """Off has 1 - rho; the groups share rho, and their signs the group."""
    _, chain = problem(2, additive=additive)
    prior = kernels.shape_prior(chain)
    assert prior.sum() == pytest.approx(1.0)
    assert prior[0] == 1 - chain.numbers[3]
    assert prior[1:].reshape(-1, 2).sum(axis=1) == pytest.approx(chain.numbers[3] * chain.groups[0])


@pytest.mark.parametrize(
    ("on", "place", "column"), [(True, 0, 1), (True, 1, 3), (False, 0, 0), (False, 1, 2)]
)
def test_columns_are_counted_among_those_that_are_on_or_off(on, place, column):
    assert kernels.nth_column(np.array([0, 2, 0, 5]), on, place) == column


@pytest.mark.parametrize("additive", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_after_every_move_the_fields_are_those_of_the_hypothesis(seed, additive):
    """Drawing shapes, swapping columns and moving weights and numbers keep A and L up to date, and return the likelihood."""
    table, chain = problem(seed, additive=additive)
    chain.shapes[:2] = 1, 2
    work, inclusion = work_space(table), np.zeros(4)
    fields = kernels.update_columns(table, chain, work, 1.0, inclusion)
    np.testing.assert_allclose(fields, plain_fields(table, chain, kernels.SHAPES), rtol=1e-4, atol=1e-4)
    assert ((inclusion >= 0) & (inclusion <= 1)).all()
    found = kernels.update_rest(table, chain, fields, work, 1.0)
    expected = plain_fields(table, chain, kernels.SHAPES)
    np.testing.assert_allclose(fields, expected, rtol=1e-4, atol=1e-4)
    tau, omega, offset = chain.numbers[:3]
    h = tau * (expected[0] + omega * np.abs(expected[1])) + offset
    assert found == pytest.approx(plain_likelihood(h, table.y), rel=1e-3, abs=1e-2)
