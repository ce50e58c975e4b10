"""The prior of a Markov chain against the laws that it names."""

import numpy as np
import pytest
from scipy import stats

from tamis.chains._kernels import prior as kernels
from tamis.chains.engine import empty_chain
from tests.chains.kernels.problems import problem

N = 3000


@pytest.fixture(autouse=True)
def _integers_may_wrap_around():
    with np.errstate(over="ignore"):
        yield


@pytest.mark.parametrize(
    ("law", "draw"),
    [
        (stats.gamma(0.4), lambda random: kernels.gamma(0.4, random)),
        (stats.gamma(3.0), lambda random: kernels.gamma(3.0, random)),
        (stats.beta(2.0, 18.0), lambda random: kernels.beta(2.0, 18.0, random)),
        (stats.gamma(4.0, scale=0.25), kernels.drawn_weight),
    ],
    ids=["gamma below 1", "gamma", "beta", "weight"],
)
def test_variables_have_their_laws(law, draw):
    """Kolmogorov and Smirnov find nothing."""
    random = np.array([3], np.uint64)
    assert stats.kstest([draw(random) for _ in range(N)], law.cdf).pvalue > 0.01


def test_all_views_of_a_column_are_drawn_alike():
    """A column of one view has no choice; of several, each comes as often as the others."""
    table, chain = problem(0)
    drawn = [kernels.drawn_view(table, 3, chain.random) for _ in range(N)]
    counts = np.bincount(np.array(drawn) - table.first[3])
    assert len(counts) == table.first[4] - table.first[3] > 1
    assert stats.chisquare(counts).pvalue > 0.01
    assert kernels.drawn_view(table, 0, chain.random) == table.first[0]


def test_the_rate_of_columns_follows_what_is_on():
    """Given the shapes, the rate of columns that are on is Beta(2 + on, 18 + off)."""
    chain = empty_chain(40, additive=True, seed=1)
    chain.shapes[:25] = 1
    rates = []
    for _ in range(400):
        kernels.hyperparameters(chain, 1.0)
        rates.append(chain.numbers[3])
        assert chain.groups[0].sum() == pytest.approx(1.0)
    assert stats.kstest(rates, stats.beta(2 + 25, 18 + 15).cdf).pvalue > 0.01


@pytest.mark.parametrize("additive", [False, True])
def test_a_start_is_a_hypothesis_and_hangs_on_its_seed(additive):
    """Views belong to their columns, shapes and slots exist, and the same seed draws the same."""
    table, chain = problem(5, additive=additive)
    again = problem(5, additive=additive)[1]
    for one, other in zip(chain, again):
        np.testing.assert_array_equal(one, other)
    assert (table.owners[chain.views] == np.arange(4)).all()
    assert chain.shapes.max() <= 2 * chain.groups.shape[1]
    assert set(chain.signs.tolist()) <= {-1, 0, 1}
    held = [array.copy() for array in (chain.shapes, chain.weights, chain.views)]
    kernels.redraw_free(table, chain)
    for before, after in zip(held, (chain.shapes, chain.weights, chain.views)):
        np.testing.assert_array_equal(before[held[0] > 0], after[held[0] > 0])
