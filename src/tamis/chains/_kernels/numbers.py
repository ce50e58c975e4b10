"""Random numbers, logarithms and exponentials that are bit for bit the same on every machine.

Every number is computed from IEEE +, -, *, / and square roots in a fixed order, without library functions, whose last
bit may differ between machines.
"""

import numpy as np

from tamis._jit import kernel

F32, I32, U64 = np.float32, np.int32, np.uint64
ONE = F32(1.0)
BELOW_ONE = 1.0 - 2.0**-53
GOLDEN, MIX1, MIX2 = U64(0x9E3779B97F4A7C15), U64(0xBF58476D1CE4E5B9), U64(0x94D049BB133111EB)
LOG2E, LN2, BIAS = F32(1.4426950408889634), F32(0.6931471805599453), F32(127.5)
ROOT_HALF = I32(0x3F3504F3)  # the bits of sqrt(1/2)
# ln(1 + f) / f on [sqrt(1/2) - 1, sqrt(2) - 1], and 2^f on [-1/2, 1/2]
L0, L1, L2, L3 = F32(0.99999994), F32(-0.50000364), F32(0.3333506), F32(-0.24969909)
L4, L5, L6, L7 = F32(0.19900165), F32(-0.17250831), F32(0.16222575), F32(-0.10106884)
E0, E1, E2 = F32(1.0000001), F32(0.69314694), F32(0.2402212)
E3, E4, E5 = F32(0.05550713), F32(0.009675541), F32(0.0013276471)


@kernel
def uniform(random):
    """Draw a number in (0, 1) from splitmix64; advances `random` (1,) uint64."""
    random[0] = U64(random[0] + GOLDEN)
    z = random[0]
    z = U64(U64(z ^ U64(z >> U64(30))) * MIX1)
    z = U64(U64(z ^ U64(z >> U64(27))) * MIX2)
    z = U64(z ^ U64(z >> U64(31)))
    return min((np.float64(U64(z >> U64(11))) + 0.5) * 2.0**-53, BELOW_ONE)  # the largest would round to 1


@kernel
def logarithm(x):
    """Return ln(x) of a positive single-precision number."""
    bits = np.float32(x).view(np.int32)
    e = I32(I32(bits - ROOT_HALF) >> I32(23))
    f = np.int32(bits - I32(e << I32(23))).view(np.float32) - ONE
    g = f * f
    p = (L0 + L1 * f) + (L2 + L3 * f) * g + ((L4 + L5 * f) + (L6 + L7 * f) * g) * (g * g)
    return F32(e) * LN2 + f * p


@kernel
def exponential(x):
    """Return exp(x) of a single-precision number from -80 to 80."""
    y = x * LOG2E
    whole = I32(y + BIAS)
    f = y - F32(I32(whole - I32(127)))
    g = f * f
    power = (E0 + E1 * f) + (E2 + E3 * f) * g + (E4 + E5 * f) * (g * g)
    return power * np.int32(whole << I32(23)).view(np.float32)


@kernel
def normal(random):
    """Draw a standard normal number by Marsaglia's polar method."""
    while True:
        x, y = 2.0 * uniform(random) - 1.0, 2.0 * uniform(random) - 1.0
        s = x * x + y * y
        if 0.0 < s < 1.0:
            return x * np.sqrt(-2.0 * np.float64(logarithm(F32(s))) / s)


@kernel
def log_uniform(random):
    """Draw the logarithm of a uniform number, which a Metropolis log-ratio must exceed."""
    return np.float64(logarithm(F32(uniform(random))))


@kernel
def drawn_place(chances, mark):
    """Return the first index at which the chances add up to more than `mark`; one without a chance is never drawn."""
    last = 0
    for s in range(len(chances)):
        if chances[s] > 0.0:
            last = s
            mark -= chances[s]
            if mark < 0.0:
                break
    return last
