"""What two columns say of the classes together, beyond what each says alone.

Symbols: n rows of weights w, W their sum, e_c the indicator of class c less its part in the space of M (1 and, for a pair, what each of
the two columns says alone), q_1..q_f an orthonormal basis of what the products add to that space, p_c the classes' shares, and m the
dimension of M. With s_kc = q_k . e_c and h_i = sum over k of q_ik^2,

    T = f (C - 1) (W - m) / W  sum over k, c of s_kc^2 / p_c  /  V,   V = sum over i of h_i sum over c of e_ic^2 / p_c

is chi-squared with f (C - 1) degrees of freedom where the products say nothing: a score test, its variance taken from the rows
that carry it (Rao and Scott's first-order correction), or from all rows, h_i = f w_i / W, where that is more. Evidence that rests on few rows counts less: with x_i the part of row i in
sqrt(T), and b = sum x_i^3 / sum x_i^2 the size of the parts, Bennett's inequality gives

    T' = 2 / b^2  ((1 + u) log(1 + u) - u),  u = b sqrt(T).

All vectors are held as sqrt(w) times their values, so that products of vectors are weighted sums.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tamis._jit import kernel
from tamis.features._kernels.pair_lists import Views, groups_of_test, n_tests

ALIKE = 1e-8  # a vector of which a smaller share of the squares is new adds nothing


class Rows(NamedTuple):
    """The rows as the tests see them.

    Parameters
    ----------
    codes : ndarray of int64, shape (n,)
        The classes.
    roots : ndarray, shape (n,)
        sqrt(w).
    shares : ndarray, shape (c,)
        p_c.
    counted : float
        W: how many rows they count as. The roots are of weights in any unit.
    """

    codes: Any
    roots: Any
    shares: Any
    counted: float


@kernel
def dot(a: np.ndarray, b: np.ndarray) -> float:
    """A . b, in four sums that the processor can keep apart."""
    s0 = s1 = s2 = s3 = 0.0
    whole = len(a) - len(a) % 4
    for i in range(0, whole, 4):
        s0 += a[i] * b[i]
        s1 += a[i + 1] * b[i + 1]
        s2 += a[i + 2] * b[i + 2]
        s3 += a[i + 3] * b[i + 3]
    for i in range(whole, len(a)):
        s0 += a[i] * b[i]
    return (s0 + s1) + (s2 + s3)


@kernel
def kept(basis: np.ndarray, size: int) -> int:
    """Make row `size` of the basis orthogonal to those before it and of length 1; the new size, the old where it adds nothing."""
    new = basis[size]
    before = dot(new, new)
    for k in range(size):
        part = dot(basis[k], new)
        for i in range(len(new)):
            new[i] -= part * basis[k, i]
    after = dot(new, new)
    if after <= ALIKE * before:
        return size
    length = math.sqrt(after)
    for i in range(len(new)):
        new[i] /= length
    return size + 1


@kernel
def own_space(basis: np.ndarray, size: int, views: Views, column: int, roots: np.ndarray) -> int:
    """Add what one column says alone, all its views; the new size."""
    for v in range(views.column_views[column], views.column_views[column + 1]):
        for i in range(len(roots)):
            basis[size, i] = roots[i] * views.values[v, i]
        size = kept(basis, size)
    return size


@kernel
def residuals(basis: np.ndarray, size: int, rows: Rows) -> np.ndarray:
    """e_c for every class, (c, n)."""
    left = np.zeros((len(rows.shares), len(rows.codes)))
    for i in range(len(rows.codes)):
        left[rows.codes[i], i] = rows.roots[i]
    for c in range(len(left)):
        for k in range(size):
            part = dot(basis[k], left[c])
            for i in range(len(rows.codes)):
                left[c, i] -= part * basis[k, i]
    return left


@kernel
def tempering(statistic: float, contributions: np.ndarray, roots: np.ndarray) -> float:
    """T' / T, from T in the unit of the weights and the rows' parts in it, up to a factor."""
    total = squares = cubes = 0.0
    for i in range(len(roots)):
        weight = roots[i] * roots[i]
        total += contributions[i]
        squares += contributions[i] ** 2 / weight
        cubes += contributions[i] ** 3 / weight**2
    if total <= 0 or squares <= 0:
        return 0.0
    u = max(0.0, cubes / squares / total * statistic)
    if u < 1e-3:
        return 1 - u / 3
    return 2 / (u * u) * ((1 + u) * math.log1p(u) - u)


@kernel
def statistic_of(basis: np.ndarray, size: int, end: int, left: np.ndarray, rows: Rows) -> float:
    """T' of the rows `size` to `end` of the basis, given the residuals; 0 where no row is left to judge by."""
    weight = dot(rows.roots, rows.roots)
    scores = np.empty((end - size, len(left)))
    found = 0.0
    for k in range(end - size):
        for c in range(len(left)):
            scores[k, c] = dot(basis[size + k], left[c])
            found += scores[k, c] ** 2 / rows.shares[c]
    contributions = np.zeros(len(rows.codes))
    spread = evenly = 0.0
    for i in range(len(rows.codes)):
        leverage = 0.0
        for k in range(end - size):
            leverage += basis[size + k, i] ** 2
            for c in range(len(left)):
                contributions[i] += basis[size + k, i] * left[c, i] * scores[k, c] / rows.shares[c]
        for c in range(len(left)):
            square = left[c, i] ** 2 / rows.shares[c]
            spread += leverage * square / rows.roots[i] ** 2
            evenly += square
    spread = max(spread, evenly * (end - size) / weight)
    if end == size or rows.counted <= size or spread <= 0.0:
        return 0.0
    freedom = (end - size) * (len(left) - 1)
    statistic = freedom * (rows.counted - size) / rows.counted * found / spread
    return statistic * tempering(statistic, contributions, rows.roots) * (rows.counted / weight)


@kernel
def with_products(basis: np.ndarray, size: int, views: Views, g: int, h: int, roots: np.ndarray) -> int:
    """Add the products of two groups of views, or, where h is -1, the views of one group; the new size."""
    for u in range(views.groups[g, 0], views.groups[g, 1]):
        for v in range(0 if h < 0 else views.groups[h, 0], 1 if h < 0 else views.groups[h, 1]):
            for i in range(len(roots)):
                other = 1.0 if h < 0 else float(views.values[v, i])
                basis[size, i] = roots[i] * views.values[u, i] * other
            size = kept(basis, size)
    return size


@kernel
def pair_statistics(
    views: Views,
    rows: Rows,
    pairs: np.ndarray,
    span: tuple[int, int],
    statistics: np.ndarray,
    freedoms: np.ndarray,
) -> None:
    """The statistics of some pairs, test by test as `groups_of_test` numbers them; of a column alone, group by group.

    Parameters
    ----------
    views : Views
        Of all columns.
    rows : Rows
        Classes and weights.
    pairs : ndarray of int64, shape (m, 2)
        Columns; the second is -1 for a column alone.
    span : tuple of int
        The first pair to test, and the first behind.
    statistics, freedoms : ndarray, shape (m, t)
        T' and its degrees of freedom; written to. 0 freedom where there is nothing to test.
    """
    start = views.column_views
    for m in range(span[0], span[1]):
        a, b = pairs[m]
        width_a = start[a + 1] - start[a]
        width_b = 1 if b < 0 else start[b + 1] - start[b]
        basis = np.empty((2 + width_a + width_b + width_a * width_b, len(rows.codes)))
        basis[0] = rows.roots
        size = kept(basis, 0)
        if b >= 0:
            size = own_space(basis, size, views, a, rows.roots)
            size = own_space(basis, size, views, b, rows.roots)
        left = residuals(basis, size, rows)
        count = views.column_groups[a + 1] - views.column_groups[a] if b < 0 else n_tests(views, a, b)
        for test in range(count):
            g, h = (views.column_groups[a] + test, -1) if b < 0 else groups_of_test(views, a, b, test)
            end = with_products(basis, size, views, g, h, rows.roots)
            statistics[m, test] = statistic_of(basis, size, end, left, rows)
            freedoms[m, test] = (end - size) * (len(rows.shares) - 1)
