"""Pairs of columns in the hypotheses of a Markov chain: which two columns each slot multiplies.

Who calls whom::

    update_slots -> scan_partners -> exponential, logarithm; scan_partners_of_numbers
                    fallen, drawn_place, add_pair

Symbols and arrays are those of `sweeping.py`; results are bit for bit the same on every machine, as there.
"""

import numpy as np

from tamis._jit import kernel
from tamis.chains._kernels.numbers import drawn_place, exponential, logarithm, uniform
from tamis.chains._kernels.sweeping import add_pair

F32, I32, I64, U64 = np.float32, np.int32, np.int64, np.uint64

TAU, OMEGA, OFFSET, ON_RATE, PAIR_PLUS, PRECISION = 0, 1, 2, 4, 5, 6  # positions in `numbers`
BLOCK = 64  # rows whose likelihoods are multiplied before a logarithm is taken: at most 2^64
ZERO, HALF, ONE, FAR = F32(0.0), F32(0.5), F32(1.0), F32(80.0)


@kernel
def fallen(x):
    """Return exp(x) of a number that is not positive, at least exp(-80)."""
    return np.float64(exponential(F32(max(x, -80.0))))


@kernel
def scan_partners(base, fixed_end, rows, y, weight, precision, values):
    """Write to values (2, v) the log-likelihood with weight u1_fixed u1_v added to, or taken from, `base`, for all v."""
    if precision > 0.0:
        scan_partners_of_numbers(base, fixed_end, rows, y, weight, precision, values)
        return
    n, n_views = rows.shape
    c = F32(weight)
    losses, factors = np.zeros(n_views, np.float32), np.ones(n_views, np.float32)
    for side in range(2):
        out = values[side]
        out[:] = ZERO
        for i in range(n):
            row = rows[i]
            start, slope = y[i] * base[i], y[i] * (c * fixed_end[i])
            slope = -slope if side else slope
            for v in range(n_views):
                z = start + slope * row[v]
                t = abs(z)
                losses[v] += HALF * (t - z)
                t = t if t < FAR else FAR
                factors[v] *= ONE + exponential(-t)
            if (i + 1) % BLOCK == 0 or i + 1 == n:
                for v in range(n_views):
                    out[v] -= losses[v] + logarithm(factors[v])
                    losses[v], factors[v] = ZERO, ONE


@kernel
def scan_partners_of_numbers(base, fixed_end, rows, y, weight, precision, values):
    """Do the work of `scan_partners` where y are numbers: minus the precision times half the sum of squares."""
    n, n_views = rows.shape
    c, scale = F32(weight), F32(precision)
    squares = np.zeros(n_views, np.float32)
    for side in range(2):
        out = values[side]
        out[:] = ZERO
        for i in range(n):
            row = rows[i]
            start, slope = y[i] - base[i], c * fixed_end[i]
            slope = -slope if side else slope
            for v in range(n_views):
                left = start - slope * row[v]
                squares[v] += HALF * (left * left)
            if (i + 1) % BLOCK == 0 or i + 1 == n:
                for v in range(n_views):
                    out[v] -= scale * squares[v]
                    squares[v] = ZERO


@kernel
def update_slots(table, chain, fields, power, pairs):
    """Draw, for each slot, its state and one of its two views (ends) given all else.

    A slot that is off holds two random views. The probability that the slot is on with a column is added to `pairs`.
    """
    n, n_views = table.rows.shape
    n_columns = len(chain.shapes)
    bases, y, numbers = table.bases, table.y, chain.numbers
    values, chances = np.empty((2, n_views), np.float32), np.zeros(2 * n_views + 1)
    base, nothing, off = (
        np.empty(len(y), np.float32),
        np.zeros((n, 1), np.float32),
        np.empty((2, 1), np.float32),
    )
    for j in range(len(chain.signs)):
        left, right = chain.ends[j]
        fixed = left if uniform(chain.random) < 0.5 else right
        if chain.signs[j]:
            add_pair(fields, bases[left, 0], bases[right, 0], -chain.signs[j] * chain.slot_weights[j])
        tau, omega, offset = F32(numbers[TAU]), F32(numbers[OMEGA]), F32(numbers[OFFSET])
        additive, folded = fields[0], fields[1]
        for i in range(len(y)):
            base[i] = tau * (additive[i] + omega * abs(folded[i])) + offset
        weight = numbers[TAU] * chain.slot_weights[j]
        scan_partners(base, bases[fixed, 0], table.rows, y, weight, numbers[PRECISION], values)
        scan_partners(base, bases[fixed, 0], nothing, y, 0.0, numbers[PRECISION], off)
        top = np.float64(max(off[0, 0], values.max()))
        rate = numbers[ON_RATE] / (n_columns - 1)
        chances[0] = (1.0 - numbers[ON_RATE]) * fallen(power * (np.float64(off[0, 0]) - top))
        total = chances[0]
        for v in range(n_views):
            owner = table.owners[v]
            share = rate / (table.first[owner + 1] - table.first[owner])
            if owner == table.owners[fixed]:
                share = 0.0
            for side in range(2):
                sign = numbers[PAIR_PLUS] if side == 0 else 1.0 - numbers[PAIR_PLUS]
                chances[2 * v + side + 1] = share * sign * fallen(power * (np.float64(values[side, v]) - top))
                total += chances[2 * v + side + 1]
        for v in range(n_views):
            on = (chances[2 * v + 1] + chances[2 * v + 2]) / total
            pairs[table.owners[v]] += on
            pairs[table.owners[fixed]] += on
        drawn = drawn_place(chances, total * uniform(chain.random))
        chain.signs[j] = 0 if drawn == 0 else 1 - 2 * ((drawn - 1) % 2)
        if drawn:
            chain.ends[j, 0], chain.ends[j, 1] = fixed, (drawn - 1) // 2
            add_pair(
                fields,
                bases[fixed, 0],
                bases[chain.ends[j, 1], 0],
                chain.signs[j] * chain.slot_weights[j],
            )
