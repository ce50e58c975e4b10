"""Tail probabilities of the chi-squared distribution, however far out, as logarithms."""

from __future__ import annotations

import math

from tamis._jit import kernel

N_TERMS = 10_000  # more than any series here needs
LAST = 1e-16  # a series ends at a term that is a smaller share of the total


@kernel
def log_tail(statistic: float, freedom: int) -> float:
    """Log P(chi-squared > statistic) with `freedom` degrees of freedom; 0 where there are none.

    With a = freedom / 2 and x = statistic / 2 it is log Q(a, x), the regularized upper incomplete gamma function: up to
    x = a + 1 by the series of 1 - Q, beyond by Lentz's continued fraction, which works even where Q itself underflows.
    """
    a, x = freedom / 2, statistic / 2
    if freedom <= 0 or x <= 0:
        return 0.0
    front = a * math.log(x) - x - math.lgamma(a)
    if x <= a + 1:
        term = total = 1 / a
        for k in range(1, N_TERMS):
            term *= x / (a + k)
            total += term
            if term < LAST * total:
                break
        return math.log1p(-math.exp(front) * total)
    b = x + 1 - a
    c, d = 1e300, 1 / b
    h = d
    for k in range(1, N_TERMS):
        term = -k * (k - a)
        b += 2
        d = 1 / (term * d + b)
        c = b + term / c
        h *= d * c
        if abs(d * c - 1) < LAST * 10:
            break
    return front + math.log(h)
