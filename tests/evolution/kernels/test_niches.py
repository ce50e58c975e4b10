"""Niches: whole trajectories against plain loops, and that several kinds of hypotheses live on."""

import numpy as np
import pytest

from tamis.evolution._kernels.niches import evolve_niches, nearest
from tamis.evolution.engine import generator
from tests.evolution.kernels.test_strategy import small_problem
from tests.oracles import roger as oracle
from tests.settings import N_PROBLEMS


@pytest.fixture(autouse=True)
def _integers_may_wrap_around():
    """The generator's do; NumPy would warn of it without the compiler."""
    with np.errstate(over="ignore"):
        yield


@pytest.mark.parametrize("seed", range(0, N_PROBLEMS, 3))
def test_whole_trajectory_has_the_bits_of_the_plain_loops(seed):
    """All 20 parents, their losses and the curve, bit for bit."""
    values, views, owners, weights, groups, linear = small_problem(seed)
    n = len(weights)
    expected = oracle.evolve(
        values[:, :n], views[:, :n], owners.tolist(), weights, groups, linear, 450, seed, niching=True
    )
    genomes, lost, curve = evolve_niches(values, views, owners, weights, groups, linear, 450, generator(seed))
    assert genomes.tobytes() == np.asarray(expected[0], np.float32).tobytes()
    np.testing.assert_array_equal(lost, expected[1])
    np.testing.assert_array_equal(curve, expected[2])


def test_the_first_of_equally_near_parents():
    """By squared distance."""
    parents = np.array([[0.0, 1.0], [0.5, 0.5], [0.0, 1.0]], np.float32)
    assert nearest(np.array([0.1, 0.9], np.float32), parents) == 0
    assert nearest(np.array([0.4, 0.5], np.float32), parents) == 1
