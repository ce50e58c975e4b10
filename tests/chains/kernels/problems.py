"""A small table and a chain for the loops of SampledEFR."""

import numpy as np

from tamis.chains._kernels.prior import draw_start
from tamis.chains.engine import Views, empty_chain, packed


def problem(seed, n=37, *, additive=False):
    """Three columns of numbers and one of three categories, packed, and a chain drawn from the prior."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, 4)).round(1)
    values[:, 3] = rng.integers(0, 3, n)
    codes = (values[:, 0] + rng.normal(size=n) > 0).astype(np.int64)
    [table] = packed(Views.of(values, np.array([False, False, False, True])), codes, [1])
    chain = empty_chain(4, additive=additive, seed=seed)
    with np.errstate(over="ignore"):
        draw_start(table, chain)
    return table, chain


def plain_fields(table, chain, shapes):
    """A and L of a hypothesis in double precision."""
    additive, folded = np.zeros(len(table.y)), np.zeros(len(table.y))
    for shape, view, weight in zip(chain.shapes, chain.views, chain.weights):
        u1, u2 = table.bases[view].astype(float)
        one, two, three = weight * shapes[shape].astype(float)
        additive += one * u1 + two * u2
        folded += three * u1
    for (left, right), sign, weight in zip(chain.ends, chain.signs, chain.slot_weights):
        additive += sign * weight * table.bases[left, 0].astype(float) * table.bases[right, 0]
    return np.stack([additive, folded])


def plain_likelihood(h, y):
    """The log-likelihood of the rows, those of padding (y = 0) left out."""
    rows = y != 0
    return -np.logaddexp(0, -(y * h)[rows].astype(float)).sum()
