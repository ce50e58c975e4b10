"""Numbers of twice the precision of floats, against fractions."""

from fractions import Fraction

import numpy as np
import pytest

from tamis.features._double_doubles import Double, minus, of_integers, over, plus, scaled, times


def exactly(x):
    """As fractions."""
    return [Fraction(high) + Fraction(low) for high, low in zip(x.hi.tolist(), x.lo.tolist())]


def numbers(seed):
    """Of many sizes and both signs."""
    rng = np.random.default_rng(seed)
    high = rng.normal(size=200) * 2.0 ** rng.integers(-60, 60, 200)
    return Double(high, high * 2.0**-54 * rng.uniform(-1, 1, 200))


@pytest.mark.parametrize("seed", range(5))
def test_sums_products_and_quotients_are_right_to_a_hundred_bits(seed):
    """Also where two numbers nearly cancel: the error is a fraction of the result for products, of the parts for sums."""
    x, y = numbers(seed), numbers(seed + 100)
    near = Double(-x.hi * (1 + 2.0**-50), x.lo)
    cases = [(times(x, y), lambda a, b: a * b, y), (over(x, y), lambda a, b: a / b, y)]
    cases += [(plus(x, other), lambda a, b: a + b, other) for other in (y, near)]
    cases += [(minus(x, y), lambda a, b: a - b, y)]
    for found, right, other in cases:
        for one, a, b in zip(exactly(found), exactly(x), exactly(other)):
            assert abs(one - right(a, b)) <= abs(right(a, b)) * Fraction(2) ** -98


def test_integers_and_powers_of_two_are_exact():
    """Integers of 63 bits."""
    whole = np.random.default_rng(0).integers(-(2**62), 2**62, 100)
    assert exactly(of_integers(whole)) == whole.tolist()
    assert exactly(scaled(of_integers(whole), -84)) == [Fraction(one, 2**84) for one in whole.tolist()]
