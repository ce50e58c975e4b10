"""The concepts of benchmarks/pairs.py: tables whose relevant columns are known.

`PASSEMIERS` are the four of Passemiers et al. (2024). The views of PairScan were chosen among variants by their mean on `TUNING` (ranks
and squares, each product by itself, and all products up to degree 4), in two runs; between the two, degree 4 was also seen to do
better on two of `PASSEMIERS`, so that these are not wholly unseen. `HELD_OUT` was written down before that choice and measured after it.
A concept takes a number
of rows, of columns and a random generator, and returns the table, which columns are nominal, the classes, and the relevant columns.
"""

from __future__ import annotations

import numpy as np

PASSEMIERS, TUNING, HELD_OUT = {}, {}, {}


def _uniform(group, name, n_relevant, wrong=0.0):
    """Enter a concept on uniform columns: a function of them and of the generator, some of the labels turned over."""

    def enter(rule):
        def table(n, d, rng):
            X = rng.random((n, d))
            y = np.asarray(rule(X, rng)).astype(int)
            y = np.where(rng.random(n) < wrong, 1 - y, y) if wrong else y
            return X, np.zeros(d, dtype=bool), y, np.arange(n_relevant)

        group[name] = table
        return rule

    return enter


def _ring(X, width, columns=(0, 1)):
    c = X[:, list(columns)] - 0.5
    return np.abs(np.hypot(c[:, 0], c[:, 1]) - 0.35) <= width


def _xor(X, columns, least):
    c = X[:, list(columns)] - 0.5
    return -c[:, 0] * c[:, 1] >= least


def _chance(odds, rng):
    """True with the probability of these log odds."""
    return rng.random(len(odds)) < 1 / (1 + np.exp(-odds))


_uniform(PASSEMIERS, "ring", 2)(lambda X, rng: _ring(X, 0.1151))
_uniform(PASSEMIERS, "xor", 2)(lambda X, rng: _xor(X, (0, 1), 0.0))
_uniform(PASSEMIERS, "ring + xor", 4)(lambda X, rng: _ring(X, 0.0704) | _xor(X, (2, 3), 0.0337))
_uniform(PASSEMIERS, "ring + xor + sum", 6)(
    lambda X, rng: (
        _ring(X, 0.0479)
        | _xor(X, (2, 3), 0.0598)
        | (X[:, 4] + X[:, 5] + rng.normal(0, 0.2, len(X)) >= 1.4074)
    )
)

_uniform(TUNING, "band", 2, 0.1)(lambda X, rng: np.abs(X[:, 0] - X[:, 1]) < 0.29)
_uniform(TUNING, "board of nine", 2, 0.1)(lambda X, rng: np.floor(3 * X[:, :2]).sum(axis=1) % 2 == 0)
_uniform(TUNING, "corner", 2, 0.1)(lambda X, rng: (X[:, 0] > 0.5) & (X[:, 1] < 0.5))
_uniform(TUNING, "ellipse", 2, 0.1)(
    lambda X, rng: (X[:, 0] - 0.6) ** 2 / 0.2 + (X[:, 1] - 0.45) ** 2 / 0.08 < 1
)
_uniform(TUNING, "soft product", 2)(lambda X, rng: _chance(12 * (X[:, 0] - 0.5) * (X[:, 1] - 0.5), rng))
_uniform(TUNING, "square by line", 2)(
    lambda X, rng: _chance(30 * ((X[:, 0] - 0.5) ** 2 - 1 / 12) * (X[:, 1] - 0.5), rng)
)
_uniform(TUNING, "sum", 2, 0.25)(lambda X, rng: X[:, 0] + X[:, 1] > 1.1)
_uniform(TUNING, "folds", 2)(lambda X, rng: _chance(6 * (np.abs(X[:, :2] - 0.5).sum(axis=1) - 0.5), rng))

_uniform(HELD_OUT, "product with offset", 2, 0.1)(lambda X, rng: (X[:, 0] - 0.35) * (X[:, 1] - 0.6) > 0)
_uniform(HELD_OUT, "max", 2, 0.1)(lambda X, rng: X[:, :2].max(axis=1) > 0.7)
_uniform(HELD_OUT, "stripes", 2, 0.1)(lambda X, rng: (X[:, 0] + X[:, 1]) % 1.0 < 0.5)
_uniform(HELD_OUT, "fine stripes", 2, 0.1)(lambda X, rng: (X[:, 0] + X[:, 1]) % 0.5 < 0.25)
_uniform(HELD_OUT, "gate", 2)(lambda X, rng: np.where(X[:, 1] > 0.6, X[:, 0] > 0.5, rng.random(len(X)) < 0.5))
_uniform(HELD_OUT, "three-way", 3)(lambda X, rng: (X[:, :3] > 0.5).sum(axis=1) % 2 == 1)


def _nominal(name, n_values):
    """Enter two nominal columns of which neither says anything alone, among others."""

    def table(n, d, rng):
        X = rng.integers(0, n_values, (n, d)).astype(float)
        y = ((X[:, 0] + X[:, 1]) % n_values == 0).astype(int)
        return X, np.ones(d, dtype=bool), np.where(rng.random(n) < 0.2, 1 - y, y), np.arange(2)

    HELD_OUT[name] = table


_nominal("nominal epistasis", 3)


@lambda rule: HELD_OUT.__setitem__("number by value", rule)
def _mixed(n, d, rng):
    """A number that speaks for a class under one value of a nominal column, and against it under the others."""
    X, nominal = rng.random((n, d)), np.arange(d) % 2 == 1
    X[:, nominal] = rng.integers(0, 4, (n, nominal.sum()))
    odds = 5 * (X[:, 0] - 0.5) * np.where(X[:, 1] < 2, 1, -1)
    return X, nominal, _chance(odds, rng).astype(int), np.arange(2)
