"""A Markov chain over sparse hypotheses: which columns, in which shape and weight, explain the labels.

Who calls whom::

    update_columns -> fresh_fields -> add, add_pair
                      shape_prior, log_likelihood, drawn_place
    update_rest    -> swap_columns, update_weights, update_numbers -> log_likelihood -> half_squares

Symbols: h(x) = tau (A(x) + omega |L(x)|) + b; a row of class y = 1 or -1 has the probability logistic(y h), and
a number y is normal with mean h and a precision (1 / variance) that is sampled as well. A column is off (shape 0) or adds its weight e times a shape of its bases u1 (rank) and u2 (folded rank) to A and L; each slot that
is on adds e times the product of the u1 of two columns, with a sign, to A. A column may have several views (categories
of a categorical column, "missing"); it uses one at a time.

The arrays come as named tuples. `table`: bases (v, 2, n padded), rows (n, v) with u1, owners (v,): the column of each
view, first (d + 1,): the first view of each column, y (n padded), in the padding 0, or NaN where y are numbers. `chain`, all written to: shapes, views
and weights (d,), ends (slots, 2): views, signs (slots,): 1, -1 or 0 for off, slot_weights (slots,), numbers (7,): the last is the precision, 0 for classes, groups
(2, g): shares of the groups of shapes and of the plus sign in each, random (1,).

Every number is computed from IEEE +, -, *, / and square roots in a fixed order, with our own logarithm and exponential
instead of library functions, whose last bit may differ between machines: a seed gives the same bits everywhere.
"""

import numpy as np

from tamis._jit import kernel
from tamis.chains._kernels.numbers import (
    LN2,
    drawn_place,
    exponential,
    log_uniform,
    logarithm,
    normal,
    uniform,
)

F32, I32, I64, U64 = np.float32, np.int32, np.int64, np.uint64

TAU, OMEGA, OFFSET, RHO, ON_RATE, PAIR_PLUS, PRECISION = 0, 1, 2, 3, 4, 5, 6  # positions in `numbers`
N_SWAPS = 20
STEPS = (0.6, 0.2, 0.06)  # step sizes of the Metropolis moves on tau, omega and b, from coarse to fine
BLOCK = 64  # rows whose likelihoods are multiplied before a logarithm is taken: at most 2^64
# Coefficients of u1 in A, u2 in A and u1 in L; two shapes per group, the plus sign first. The first two groups are
# additive.
SHAPES = np.array(
    [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [-1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, -1.0, 0.0],
        [0.0, 0.0, 1.0],
        [0.0, 0.0, -1.0],
        [0.0, -0.7, 0.7],
        [0.0, -0.7, -0.7],
        [0.0, 0.7, 0.7],
        [0.0, 0.7, -0.7],
    ],
    dtype=np.float32,
)

ZERO, HALF, ONE, FAR = F32(0.0), F32(0.5), F32(1.0), F32(80.0)


@kernel
def half_squares(fields, basis, coefficients, y, numbers, work):
    """Return half the sum of the squares of y - h with one view added; the arguments are those of `log_likelihood`."""
    additive, folded, u1, u2 = fields[0], fields[1], basis[0], basis[1]
    c1, c2, c3 = coefficients
    tau, omega, offset = F32(numbers[TAU]), F32(numbers[OMEGA]), F32(numbers[OFFSET])
    losses = work[0]
    for i in range(len(y)):
        a = additive[i] + (c1 * u1[i] + c2 * u2[i])
        left = y[i] - (tau * (a + omega * abs(folded[i] + c3 * u1[i])) + offset)
        losses[i] = HALF * (left * left) if left == left else ZERO  # padding is NaN
    total = 0.0
    for start in range(0, len(losses), BLOCK):
        for half in (32, 16, 8):
            part, more = losses[start : start + half], losses[start + half : start + 2 * half]
            for i in range(half):
                part[i] += more[i]
        s = losses[start : start + 8]
        total += np.float64(((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7])))
    return total


@kernel
def log_likelihood(fields, basis, coefficients, y, numbers, work):
    """Return the log-likelihood with one view added to A and L by `coefficients` (u1 in A, u2 in A, u1 in L).

    -ln(1 + exp(-z)) = min(z, 0) - ln(1 + exp(-|z|)) with z = y h: the first terms are summed and the arguments of the
    logarithms multiplied, halving a block again and again. fields (2, n padded): A and L. work (2, whole blocks): zeros
    and ones beyond the rows. A row of padding adds -ln 2.

    For numbers it is the exponent of the normal densities: minus the precision times half the sum of squares.
    """
    if numbers[PRECISION] > 0.0:
        return -numbers[PRECISION] * half_squares(fields, basis, coefficients, y, numbers, work)
    additive, folded, u1, u2 = fields[0], fields[1], basis[0], basis[1]
    c1, c2, c3 = coefficients
    tau, omega, offset = F32(numbers[TAU]), F32(numbers[OMEGA]), F32(numbers[OFFSET])
    losses, factors = work[0], work[1]
    for i in range(len(y)):
        a = additive[i] + (c1 * u1[i] + c2 * u2[i])
        z = y[i] * (tau * (a + omega * abs(folded[i] + c3 * u1[i])) + offset)
        t = abs(z)
        losses[i] = HALF * (t - z)
        t = t if t < FAR else FAR
        factors[i] = ONE + exponential(-t)
    total = 0.0
    for start in range(0, len(losses), BLOCK):
        for half in (32, 16, 8):
            part, more = losses[start : start + half], losses[start + half : start + 2 * half]
            for i in range(half):
                part[i] += more[i]
            part, more = factors[start : start + half], factors[start + half : start + 2 * half]
            for i in range(half):
                part[i] *= more[i]
        s, p = losses[start : start + 8], factors[start : start + 8]
        loss = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
        factor = ((p[0] * p[4]) * (p[2] * p[6])) * ((p[1] * p[5]) * (p[3] * p[7]))
        total -= np.float64(loss + logarithm(factor))
    return total


@kernel
def scaled(shape, weight):
    """Return the three coefficients of a shape with this weight."""
    e = F32(weight)
    return e * SHAPES[shape, 0], e * SHAPES[shape, 1], e * SHAPES[shape, 2]


@kernel
def add(fields, basis, coefficients, sign):
    """Add a view with these coefficients to A and L, or subtract it (`sign` -1)."""
    additive, folded, u1, u2 = fields[0], fields[1], basis[0], basis[1]
    c1, c2, c3 = sign * coefficients[0], sign * coefficients[1], sign * coefficients[2]
    for i in range(len(u1)):
        additive[i] += c1 * u1[i] + c2 * u2[i]
        folded[i] += c3 * u1[i]


@kernel
def add_pair(fields, one, other, weight):
    """Add a product of two bases to A."""
    additive, c = fields[0], F32(weight)
    for i in range(len(one)):
        additive[i] += c * (one[i] * other[i])


@kernel
def fresh_fields(table, chain):
    """Sum A and L of the hypothesis again, so that rounding errors do not add up from sweep to sweep."""
    fields = np.zeros((2, len(table.y)), np.float32)
    for k in range(len(chain.shapes)):
        if chain.shapes[k]:
            add(fields, table.bases[chain.views[k]], scaled(chain.shapes[k], chain.weights[k]), ONE)
    for j in range(len(chain.signs)):
        if chain.signs[j]:
            left, right = chain.ends[j]
            add_pair(
                fields, table.bases[left, 0], table.bases[right, 0], chain.signs[j] * chain.slot_weights[j]
            )
    return fields


@kernel
def shape_prior(chain):
    """Return the prior probability of each shape of a column, "off" first."""
    prior = np.empty(2 * chain.groups.shape[1] + 1)
    rho = chain.numbers[RHO]
    prior[0] = 1.0 - rho
    for g in range(chain.groups.shape[1]):
        plus = chain.groups[1, g]
        prior[2 * g + 1] = rho * chain.groups[0, g] * plus
        prior[2 * g + 2] = rho * chain.groups[0, g] * (1.0 - plus)
    return prior


@kernel
def update_columns(table, chain, work, power, inclusion):
    """Draw the shape of each column given all else; its probability of being on is added to `inclusion`.

    Returns A and L, shape (2, n padded).
    """
    fields = fresh_fields(table, chain)
    prior = shape_prior(chain)
    chances = np.empty(len(prior))
    for k in range(len(chain.shapes)):
        basis, weight = table.bases[chain.views[k]], chain.weights[k]
        if chain.shapes[k]:
            add(fields, basis, scaled(chain.shapes[k], weight), -ONE)
        for s in range(len(prior)):
            chances[s] = log_likelihood(fields, basis, scaled(s, weight), table.y, chain.numbers, work)
        top = chances.max()
        total = 0.0
        for s in range(len(prior)):
            fall = max(power * (chances[s] - top), -80.0)
            chances[s] = prior[s] * np.float64(exponential(F32(fall)))
            total += chances[s]
        inclusion[k] += 1.0 - chances[0] / total
        chain.shapes[k] = drawn_place(chances, total * uniform(chain.random))
        if chain.shapes[k]:
            add(fields, basis, scaled(chain.shapes[k], weight), ONE)
    return fields


@kernel
def nth_column(shapes, on, n):
    """Return the n-th column, from 0, among those that are on, or off."""
    for k in range(len(shapes)):
        if (shapes[k] > 0) == on:
            if n == 0:
                return k
            n -= 1
    return -1


@kernel
def swap_columns(table, chain, fields, work, power):
    """Propose N_SWAPS times that a column that is on gives its shape and weight to one that is off (Metropolis)."""
    n_on = 0
    for k in range(len(chain.shapes)):
        n_on += chain.shapes[k] > 0
    n_off = len(chain.shapes) - n_on
    if n_on == 0 or n_off == 0:
        return
    for _ in range(N_SWAPS):
        giver = nth_column(chain.shapes, True, I64(uniform(chain.random) * n_on))
        taker = nth_column(chain.shapes, False, I64(uniform(chain.random) * n_off))
        given, taken = table.bases[chain.views[giver]], table.bases[chain.views[taker]]
        moved = scaled(chain.shapes[giver], chain.weights[giver])
        before = log_likelihood(fields, given, scaled(0, 0.0), table.y, chain.numbers, work)
        add(fields, given, moved, -ONE)
        after = log_likelihood(fields, taken, moved, table.y, chain.numbers, work)
        if log_uniform(chain.random) < power * (after - before):
            chain.shapes[taker], chain.shapes[giver] = chain.shapes[giver], 0
            chain.weights[taker], chain.weights[giver] = chain.weights[giver], chain.weights[taker]
            add(fields, taken, moved, ONE)
        else:
            add(fields, given, moved, ONE)


@kernel
def update_weights(table, chain, fields, work, power):
    """Make a Metropolis step on the logarithm of each weight in use, and on the view of each column in use."""
    now = log_likelihood(fields, table.bases[0], scaled(0, 0.0), table.y, chain.numbers, work)
    for k in range(len(chain.shapes)):
        shape, weight = chain.shapes[k], chain.weights[k]
        if shape == 0:
            continue
        basis = table.bases[chain.views[k]]
        step = 0.5 * normal(chain.random)
        other = weight * np.float64(exponential(F32(step)))
        change = scaled(shape, other - weight)
        then = log_likelihood(fields, basis, change, table.y, chain.numbers, work)
        if log_uniform(chain.random) < power * (then - now) + 4.0 * (step - (other - weight)):
            add(fields, basis, change, ONE)
            chain.weights[k], now = other, then
        n_views = table.first[k + 1] - table.first[k]
        if n_views > 1:
            view = table.first[k] + I64(uniform(chain.random) * n_views)
            moved = scaled(shape, chain.weights[k])
            add(fields, basis, moved, -ONE)
            then = log_likelihood(fields, table.bases[view], moved, table.y, chain.numbers, work)
            if log_uniform(chain.random) < power * (then - now):
                chain.views[k], now = view, then
            add(fields, table.bases[chain.views[k]], moved, ONE)
    for j in range(len(chain.signs)):
        if chain.signs[j]:
            left, right = table.bases[chain.ends[j, 0], 0], table.bases[chain.ends[j, 1], 0]
            step = 0.5 * normal(chain.random)
            other = chain.slot_weights[j] * np.float64(exponential(F32(step)))
            change = other - chain.slot_weights[j]
            add_pair(fields, left, right, chain.signs[j] * change)
            then = log_likelihood(fields, table.bases[0], scaled(0, 0.0), table.y, chain.numbers, work)
            if log_uniform(chain.random) < power * (then - now) + 4.0 * (step - change):
                chain.slot_weights[j], now = other, then
            else:
                add_pair(fields, left, right, -chain.signs[j] * change)


@kernel
def update_numbers(table, chain, fields, work, power):
    """Make Metropolis steps of three sizes on ln tau, ln omega and b; return the log-likelihood without padding.

    ln tau ~ N(0, 1), ln omega ~ N(0, 1/4), b ~ N(0, 9), or N(0, 1) for additive chains, which have no |L|.
    """
    numbers = chain.numbers
    additive = chain.groups.shape[1] == 2
    now = log_likelihood(fields, table.bases[0], scaled(0, 0.0), table.y, numbers, work)
    for size in STEPS:
        for which in (TAU, OFFSET, OMEGA):
            if which == OMEGA and additive:
                continue
            old = numbers[which]
            step = size * normal(chain.random)
            if which == OFFSET:
                numbers[which] = old + 2.0 * step
                spread = 1.0 if additive else 9.0
                change = (numbers[which] * numbers[which] - old * old) / spread
            else:
                numbers[which] = old * np.float64(exponential(F32(step)))
                before = np.float64(logarithm(F32(old)))
                after = np.float64(logarithm(F32(numbers[which])))
                change = (after * after - before * before) * (1.0 if which == TAU else 4.0)
            then = log_likelihood(fields, table.bases[0], scaled(0, 0.0), table.y, numbers, work)
            if log_uniform(chain.random) < power * (then - now) - 0.5 * change:
                now = then
            else:
                numbers[which] = old
    if numbers[PRECISION] > 0.0:
        return now
    return now + (len(table.y) - len(table.rows)) * np.float64(LN2)


@kernel
def update_rest(table, chain, fields, work, power):
    """Swap columns, then update the weights and the numbers; return the log-likelihood without padding."""
    swap_columns(table, chain, fields, work, power)
    update_weights(table, chain, fields, work, power)
    return update_numbers(table, chain, fields, work, power)
