"""Orthogonal polynomials of a column's ranks, in whole numbers."""

from __future__ import annotations

import numpy as np

from tamis._jit import kernel

NEAR = 1e-9  # a value this near to a half is rounded as a half
FLAT = 1e-9  # a power adds nothing if the new share of its sum of squares is no larger


@kernel
def rounded(value: float, largest: float, steps: int) -> int:
    """The value in whole steps, where `largest` is `steps` steps; halves are rounded away from 0."""
    if largest == 0:
        return 0
    size = int(np.floor(abs(value) * (steps / largest) + 0.5 + NEAR))
    return size if value > 0 else -size


@kernel
def rank_polynomials(ranks: np.ndarray, weights: np.ndarray, steps: int, found: np.ndarray) -> None:
    """Polynomials of degree 1, 2, ... of each column's ranks, each orthogonal to those before it and to 1.

    Parameters
    ----------
    ranks : ndarray, shape (n, k)
        Between -1 and 1; NaN where the value is missing.
    weights : ndarray, shape (n,)
        The weights of the rows.
    steps : int
        The largest value of a polynomial.
    found : ndarray of int8, shape (degrees, k, n)
        The rounded polynomials; written to. 0 for missing values, and for all values if a degree adds nothing.
    """
    degrees, n_columns, n = found.shape
    basis = np.empty((degrees + 1, n))
    lengths = np.empty(degrees + 1)
    for j in range(n_columns):
        for i in range(n):
            basis[0, i] = 0.0 if np.isnan(ranks[i, j]) else 1.0
        lengths[0] = squared_length(basis[0], weights)
        for degree in range(1, degrees + 1):
            new = basis[degree]
            for i in range(n):
                new[i] = 0.0 if np.isnan(ranks[i, j]) else ranks[i, j] ** degree
            before = squared_length(new, weights)
            for k in range(degree):
                if lengths[k] > 0:
                    take_off(new, basis[k], lengths[k], weights)
            lengths[degree] = squared_length(new, weights)
            if lengths[degree] <= FLAT * before:
                lengths[degree] = 0.0
                new[:] = 0.0
            largest = np.abs(new).max()
            for i in range(n):
                found[degree - 1, j, i] = rounded(new[i], largest, steps)


@kernel
def squared_length(vector: np.ndarray, weights: np.ndarray) -> float:
    """The weighted sum of squares."""
    total = 0.0
    for i in range(len(vector)):
        total += weights[i] * vector[i] * vector[i]
    return total


@kernel
def take_off(vector: np.ndarray, other: np.ndarray, length: float, weights: np.ndarray) -> None:
    """Subtract from the vector its part along `other`, whose squared length is `length`."""
    part = 0.0
    for i in range(len(vector)):
        part += weights[i] * vector[i] * other[i]
    part /= length
    for i in range(len(vector)):
        vector[i] -= part * other[i]
