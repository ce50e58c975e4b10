"""The prior of the hypotheses of a Markov chain, its hyperparameters, and the start of a chain.

Who calls whom::

    draw_start, update_hyperparameters -> hyperparameters -> beta, gamma
                                          redraw_free -> drawn_view, drawn_weight
    update_precision -> gamma
    all of these -> uniform, normal

Symbols and arrays are those of `sweeping.py`; results are bit for bit the same on every machine, as there.
"""

import numpy as np

from tamis._jit import kernel
from tamis.chains._kernels.numbers import exponential, log_uniform, logarithm, normal, uniform

F32, I32, I64, U64 = np.float32, np.int32, np.int64, np.uint64

TAU, OMEGA, OFFSET, RHO, ON_RATE, PAIR_PLUS, PRECISION = 0, 1, 2, 3, 4, 5, 6  # positions in `numbers`
PRECISION_SHAPE, PRECISION_RATE = 1.0, 0.5  # gamma prior of the precision of a target of variance 1
GROUP_PRIOR = (0.2, 0.2, 0.1, 0.1, 0.1)  # Dirichlet over the groups of shapes
LEAST_PRECISION = 1e-12  # a gamma variable may round to 0
ONE = F32(1.0)


@kernel
def gamma(shape, random):
    """Draw a gamma variable of rate 1, by Marsaglia and Tsang; a shape below 1 by a power of a uniform number."""
    d = (shape + 1.0 if shape < 1.0 else shape) - 1.0 / 3.0
    c = 1.0 / np.sqrt(9.0 * d)
    while True:
        x = normal(random)
        v = 1.0 + c * x
        if v > 0.0:
            v = v * v * v
            if log_uniform(random) < 0.5 * x * x + d - d * v + d * np.float64(logarithm(F32(v))):
                break
    if shape < 1.0:
        v *= np.float64(exponential(F32(max(log_uniform(random) / shape, -80.0))))
    return d * v


@kernel
def beta(a, b, random):
    """Draw a beta variable."""
    x, y = gamma(a, random), gamma(b, random)
    return x / (x + y)


@kernel
def drawn_weight(random):
    """Draw a weight from its prior, gamma of shape 4 and mean 1: the mean of four exponential variables."""
    product = uniform(random) * uniform(random) * uniform(random) * uniform(random)
    return -0.25 * np.float64(logarithm(F32(product)))


@kernel
def drawn_view(table, column, random):
    """Draw one of the views of a column."""
    first, last = table.first[column], table.first[column + 1]
    return first if last == first + 1 else first + I64(uniform(random) * (last - first))


@kernel
def hyperparameters(chain, off_counts):
    """Draw the rates, shares and signs given shapes and slots; from their priors if none is on and off_counts = 0.

    rho ~ Beta(2, 18); groups ~ Dirichlet; the plus sign in a group: even odds between 1/2 and Beta(.2, .2), by the
    marginal likelihoods; slots on ~ Beta(.4, 1.6); their plus sign ~ Beta(.5, .5).
    """
    random, numbers, groups = chain.random, chain.numbers, chain.groups
    n_groups = groups.shape[1]
    counts = np.zeros((n_groups, 2))
    n_on = 0
    for shape in chain.shapes:
        if shape:
            counts[(shape - 1) // 2, (shape - 1) % 2] += 1.0
            n_on += 1
    numbers[RHO] = beta(2.0 + n_on, 18.0 + off_counts * (len(chain.shapes) - n_on), random)
    total = 0.0
    for g in range(n_groups):
        groups[0, g] = gamma(GROUP_PRIOR[g] + counts[g, 0] + counts[g, 1], random)
        total += groups[0, g]
    for g in range(n_groups):
        groups[0, g] /= total
        odds, seen = 1.0, 0.0  # odds of Beta(.2, .2) against 1/2
        for side in range(2):
            for i in range(int(counts[g, side])):
                odds *= 2.0 * (0.2 + i) / (0.4 + seen)
                seen += 1.0
        groups[1, g] = 0.5
        if uniform(random) * (1.0 + odds) < odds:
            groups[1, g] = beta(0.2 + counts[g, 0], 0.2 + counts[g, 1], random)
    if len(chain.signs):
        plus, minus = 0.0, 0.0
        for sign in chain.signs:
            plus += sign == 1
            minus += sign == -1
        numbers[ON_RATE] = beta(
            0.4 + plus + minus, 1.6 + off_counts * (len(chain.signs) - plus - minus), random
        )
        numbers[PAIR_PLUS] = beta(0.5 + plus, 0.5 + minus, random)


@kernel
def redraw_free(table, chain):
    """Draw the views and weights of columns and slots that are off from the prior."""
    random, n_columns = chain.random, len(chain.shapes)
    for k in range(n_columns):
        if chain.shapes[k] == 0:
            chain.views[k], chain.weights[k] = drawn_view(table, k, random), drawn_weight(random)
    for j in range(len(chain.signs)):
        if chain.signs[j] == 0:
            left = I64(uniform(random) * n_columns)
            right = (left + 1 + I64(uniform(random) * (n_columns - 1))) % n_columns
            chain.ends[j, 0] = drawn_view(table, left, random)
            chain.ends[j, 1] = drawn_view(table, right, random)
            chain.slot_weights[j] = drawn_weight(random)


@kernel
def draw_start(table, chain):
    """Fill the chain with a draw from the prior; a precision of 0 stays 0, since y are classes."""
    random, numbers = chain.random, chain.numbers
    numbers[TAU] = np.float64(exponential(F32(normal(random))))
    numbers[OMEGA] = np.float64(exponential(F32(0.5 * normal(random))))
    numbers[OFFSET] = normal(random) * (1.0 if chain.groups.shape[1] == 2 else 3.0)
    chain.shapes[:], chain.signs[:] = 0, 0
    hyperparameters(chain, 0.0)
    redraw_free(table, chain)
    for k in range(len(chain.shapes)):
        if uniform(random) < numbers[RHO]:
            mark, group = uniform(random) - chain.groups[0, 0], 0
            while mark > 0.0 and group + 1 < chain.groups.shape[1]:
                group += 1
                mark -= chain.groups[0, group]
            chain.shapes[k] = 2 * group + (1 if uniform(random) < chain.groups[1, group] else 2)
    for j in range(len(chain.signs)):
        if uniform(random) < numbers[ON_RATE]:
            chain.signs[j] = 1 if uniform(random) < numbers[PAIR_PLUS] else -1
    if numbers[PRECISION] > 0.0:
        numbers[PRECISION] = max(gamma(PRECISION_SHAPE, random), LEAST_PRECISION) / PRECISION_RATE


@kernel
def update_precision(chain, n_rows, log_likelihood, power):
    """Draw the precision from its conditional law, a gamma; return the log-likelihood with it, without ln(2 pi).

    `log_likelihood` is minus the old precision times half the sum of squares.
    """
    half = -log_likelihood / chain.numbers[PRECISION]
    drawn = gamma(PRECISION_SHAPE + 0.5 * power * n_rows, chain.random)
    precision = max(drawn, LEAST_PRECISION) / (PRECISION_RATE + power * half)
    chain.numbers[PRECISION] = precision
    return 0.5 * n_rows * np.float64(logarithm(F32(precision))) - precision * half


@kernel
def update_hyperparameters(table, chain):
    """Draw the hyperparameters given shapes and slots, and the views and weights of those that are off."""
    hyperparameters(chain, 1.0)
    redraw_free(table, chain)
