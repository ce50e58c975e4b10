"""Random numbers, logarithms and exponentials against Python's integers and NumPy's functions."""

import numpy as np
import pytest
from scipy import stats

from tamis.chains._kernels import numbers as kernels

MASK = 2**64 - 1


@pytest.fixture(autouse=True)
def _integers_may_wrap_around():
    with np.errstate(over="ignore"):
        yield


def splitmix(state):
    """One number of splitmix64 in (0, 1), and the next state, in Python's integers."""
    state = (state + 0x9E3779B97F4A7C15) & MASK
    z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return min(((z ^ (z >> 31)) >> 11) * 2.0**-53 + 2.0**-54, 1 - 2.0**-53), state


@pytest.mark.parametrize("seed", [0, 1, 2**63 + 5])
def test_uniforms_are_those_of_plain_integers(seed):
    """The numbers of splitmix64, in its order."""
    random, state = np.array([seed], np.uint64), seed
    for _ in range(50):
        expected, state = splitmix(state)
        assert kernels.uniform(random) == pytest.approx(expected, abs=1e-16)
        assert int(random[0]) == state


def test_logarithms_and_exponentials_are_within_single_precision():
    """Both are within a few units of the last place of single precision."""
    for x in np.exp(np.linspace(-80, 80, 101)).astype(np.float32):
        assert float(kernels.logarithm(x)) == pytest.approx(np.log(float(x)), rel=3e-7, abs=1e-7)
    for x in np.linspace(-80, 80, 101).astype(np.float32):
        assert float(kernels.exponential(x)) == pytest.approx(np.exp(float(x)), rel=1e-5)


def test_normals_and_logarithms_of_uniforms_have_their_laws():
    """Kolmogorov and Smirnov find nothing in 4,000 of each."""
    random = np.array([7], np.uint64)
    normals = [kernels.normal(random) for _ in range(4000)]
    assert stats.kstest(normals, "norm").pvalue > 0.01
    logarithms = [-kernels.log_uniform(random) for _ in range(4000)]
    assert stats.kstest(logarithms, "expon").pvalue > 0.01


def test_a_place_is_drawn_by_its_chance_and_never_without_one():
    """The first place at which the chances exceed the mark; the last one with a chance where rounding leaves none."""
    chances = np.array([0.0, 0.25, 0.0, 0.5, 0.0])
    drawn = [kernels.drawn_place(chances, mark) for mark in (0.0, 0.2, 0.25, 0.7, 0.75, 0.8)]
    assert drawn == [1, 1, 3, 3, 3, 3]
