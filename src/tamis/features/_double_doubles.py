"""Arrays of numbers of twice the precision of floats, each the sum of two floats (T. J. Dekker, Numerische Mathematik 18, 1971)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
_SPLIT = 134217729.0  # 2**27 + 1


class Double(NamedTuple):
    """Numbers hi + lo, where lo is at most half a unit in the last place of hi."""

    hi: Float
    lo: Float

    def at(self, *place: Any) -> Double:
        """Some of the numbers."""
        return Double(self.hi[place], self.lo[place])

    def put(self, place: Any, other: Double) -> None:
        """Write numbers in place."""
        self.hi[place], self.lo[place] = other


def plus(x: Double, y: Double) -> Double:
    """X + y."""
    high, low = _sum(x.hi, y.hi)
    lower, lowest = _sum(x.lo, y.lo)
    high, low = _close_sum(high, low + lower)
    return Double(*_close_sum(high, low + lowest))


def minus(x: Double, y: Double) -> Double:
    """X - y."""
    return plus(x, Double(-y.hi, -y.lo))


def times(x: Double, y: Double) -> Double:
    """X y."""
    high = x.hi * y.hi
    (a, b), (c, d) = _halves(x.hi), _halves(y.hi)
    low = ((a * c - high) + a * d + b * c) + b * d
    return Double(*_close_sum(high, low + (x.hi * y.lo + x.lo * y.hi)))


def over(x: Double, y: Double) -> Double:
    """X / y."""
    first = Double(x.hi / y.hi, np.zeros_like(x.hi / y.hi))
    rest = minus(x, times(first, y))
    return Double(*_close_sum(first.hi, rest.hi / y.hi))


def of_integers(numbers: NDArray[np.int64]) -> Double:
    """Integers, exactly."""
    high = numbers.astype(np.float64)
    return Double(high, (numbers - high.astype(np.int64)).astype(np.float64))


def scaled(x: Double, power: int) -> Double:
    """X times a power of two."""
    return Double(np.ldexp(x.hi, power), np.ldexp(x.lo, power))


def _sum(a: Float, b: Float) -> tuple[Float, Float]:
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _close_sum(a: Float, b: Float) -> tuple[Float, Float]:
    """As `_sum`, where b is not larger than a."""
    total = a + b
    return total, b - (total - a)


def _halves(a: Float) -> tuple[Float, Float]:
    product = _SPLIT * a
    high = product - (product - a)
    return high, a - high
