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
def column_polynomials(
    columns: np.ndarray, order: np.ndarray, weights: np.ndarray, steps: int, found: np.ndarray
) -> None:
    """The polynomials of the ranks of some columns, worked out once for each different value.

    The rank of a value is twice the weight below it, plus the weight tied with it, less the known weight, all over the
    known weight.

    Parameters
    ----------
    columns : ndarray, shape (k, n)
        Numbers; NaN where the value is missing.
    order : ndarray of int64, shape (k, n)
        The rows of each column, sorted by its values, missing ones last.
    weights : ndarray, shape (n,)
        The weights of the rows. Those of equal values are added in the order of `order`.
    steps : int
        The largest value of a polynomial.
    found : ndarray of int8, shape (degrees, k, n)
        As in `rank_polynomials`; written to.
    """
    n_columns, n = columns.shape
    place = np.empty(n, dtype=np.int64)
    held = np.empty(n)
    for j in range(n_columns):
        n_values = 0
        last = np.nan
        for at in order[j]:
            value = columns[j, at]
            if np.isnan(value):
                break
            if value != last:
                held[n_values] = 0.0
                n_values += 1
                last = value
            held[n_values - 1] += weights[at]
            place[at] = n_values - 1
        ranks = np.empty((n_values, 1))
        total = below = 0.0
        for k in range(n_values):
            total += held[k]
        for k in range(n_values):
            ranks[k, 0] = (2 * below + held[k] - total) / total
            below += held[k]
        of_values = np.empty((len(found), 1, n_values), dtype=np.int8)
        if n_values:
            rank_polynomials(ranks, held[:n_values], steps, of_values)
        for degree in range(len(found)):
            here, own = found[degree, j], of_values[degree, 0]
            for i in range(n):
                here[i] = 0 if np.isnan(columns[j, i]) else own[place[i]]


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
            largest = 0.0
            for i in range(n):
                largest = max(largest, abs(new[i]))
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
