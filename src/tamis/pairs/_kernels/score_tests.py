"""What two columns tell about the classes together, beyond what each tells alone.

Symbols: n rows of weights w, W their sum, M the space of the constant 1 and, for a pair, of what each of the two
columns tells alone, m its dimension, e_c the indicator of class c less its part in M, q_1..q_f an orthonormal basis
of what the products of views add to M, and p_c the classes' shares of the weight. With s_kc = q_k . e_c and h_i = sum
over k of q_ik^2,

    T = f (C - 1) (W - m) / W  sum over k, c of s_kc^2 / p_c  /  V,   V = sum over i of w_i h_i sum over c of e_ic^2 / p_c

is chi-squared with f (C - 1) degrees of freedom where the products tell nothing. It is a score test whose variance
comes from the rows that carry it (Rao and Scott's first-order correction), or from all rows, h_i = f / W, where that
is larger. Evidence that rests on few rows counts less: with x_i the part of row i in sqrt(T), and b = sum x_i^3 / sum
x_i^2 the typical size of such a part, Bennett's inequality gives

    T' = 2 / b^2  ((1 + u) log(1 + u) - u),  u = b sqrt(T).

All products of vectors are weighted sums over the rows. The basis is kept as combinations of the lines of `sums`, and
is found from the sums of products alone. These also give T with the variance of all rows, which T' cannot exceed:
only the tests of a pair that could still be its best are computed row by row.
"""

from __future__ import annotations

import math

import numpy as np

from tamis._jit import kernel
from tamis.pairs._kernels.bases import Basis, class_parts, corrected, lines_of_test, orthonormal, picked
from tamis.pairs._kernels.lists import Views, groups_of_test, n_tests
from tamis.pairs._kernels.sums import BLOCK, Rows, lines, n_moments, n_own, sums_of_products
from tamis.pairs._kernels.tails import log_tail

CLOSE = 1e-5  # a basis with a smaller `newest` is made orthonormal a second time, row by row
SLACK = 1e-6  # a share of log p: allows for the rounding of the bounds


@kernel
def tempered(statistic: float, squares: float, cubes: float, total: float) -> float:
    """T' from T; `total`, `squares` and `cubes` sum the rows' parts in T, up to a factor, and their powers."""
    if total <= 0 or squares <= 0:
        return 0.0
    u = max(0.0, cubes / squares / total * statistic)
    if u < 1e-3:
        return statistic * (1 - u / 3)
    return statistic * (2 / (u * u) * ((1 + u) * math.log1p(u) - u))


@kernel
def most(basis: Basis, sums: np.ndarray, crosses: np.ndarray, rows: Rows) -> tuple[float, float]:
    """T with the variance of all rows, an upper bound of T'; and the sum over i, c of w_i e_ic^2 / p_c."""
    along, _ = class_parts(basis, crosses)
    evenly = found = 0.0
    for c in range(len(rows.shares)):
        left = sums[c, c]
        for k in range(basis.n_own):
            left -= along[k, c] ** 2
        evenly += max(0.0, left) / rows.shares[c]
        for k in range(basis.n_own, len(along)):
            found += along[k, c] ** 2 / rows.shares[c]
    if len(along) == basis.n_own or rows.counted <= basis.n_own or evenly <= 0.0:
        return 0.0, 0.0
    left_over = (rows.counted - basis.n_own) / rows.counted
    return (len(rows.shares) - 1) * left_over * found / evenly * rows.counted, evenly


@kernel
def statistic(
    basis: Basis,
    crosses: np.ndarray,
    views: Views,
    rows: Rows,
    pair: tuple[int, int],
    groups: tuple[int, int],
    evenly: float,
    block: np.ndarray,
) -> float:
    """T' of one test, computed row by row."""
    n_classes = len(rows.shares)
    n_lines = n_classes + basis.parts.shape[1]
    along, own = class_parts(basis, crosses)
    added = basis.parts[basis.n_own :]
    scores = along[basis.n_own :].copy()
    for k in range(len(scores)):
        for c in range(n_classes):
            scores[k, c] /= rows.shares[c]
    spread = total = squares = cubes = weight = 0.0
    for at in range(0, len(rows.codes), block.shape[1]):
        lines(views, rows, pair, groups, at, block)
        q = np.dot(added, block[n_classes:n_lines])
        e = np.dot(own, block[n_classes:n_lines])
        for c in range(n_classes):
            for i in range(e.shape[1]):
                e[c, i] = block[c, i] - e[c, i]
        scored = np.dot(scores.T, q)
        leverage = np.zeros(block.shape[1])
        for k in range(len(q)):
            for i in range(len(leverage)):
                leverage[i] += q[k, i] * q[k, i]
        for i in range(min(len(leverage), len(rows.codes) - at)):
            square = x = 0.0
            for c in range(n_classes):
                square += e[c, i] * e[c, i] / rows.shares[c]
                x += scored[c, i] * e[c, i]
            w = rows.weights[at + i]
            weight += w
            spread += w * leverage[i] * square
            total += w * x
            squares += w * x * x
            cubes += w * x * x * x
    found = 0.0
    for k in range(len(scores)):
        for c in range(n_classes):
            found += scores[k, c] * scores[k, c] * rows.shares[c]
    spread = max(spread, evenly * len(added) / weight)
    left_over = (rows.counted - basis.n_own) / rows.counted
    t = len(added) * (n_classes - 1) * left_over * found / spread
    return tempered(t, squares, cubes, total) * (rows.counted / weight)


@kernel
def ascending(bounds: np.ndarray) -> np.ndarray:
    """The places of a few numbers from the smallest to the largest, earlier ones first on ties."""
    order = np.empty(len(bounds), dtype=np.int64)
    for place in range(len(bounds)):
        at = place
        while at > 0 and bounds[order[at - 1]] > bounds[place]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = place
    return order


@kernel
def best_log_p(views: Views, rows: Rows, pair: tuple[int, int], block: np.ndarray) -> float:
    """The smallest log p of the tests of a pair, or of the groups of a single column; 0 where there is no test."""
    a, b = pair
    n_classes, own = len(rows.shares), n_own(views, pair)
    sums = sums_of_products(views, rows, pair, block)
    count = views.column_groups[a + 1] - views.column_groups[a] if b < 0 else n_tests(views, a, b)
    bounds = np.zeros(count)
    for test in range(count):
        groups = (views.column_groups[a] + test, -1) if b < 0 else groups_of_test(views, a, b, test)
        square, crosses = picked(sums, n_classes, lines_of_test(views, pair, groups))
        basis = orthonormal(square, own)
        bounds[test] = log_tail(
            most(basis, sums, crosses, rows)[0], (len(basis.parts) - basis.n_own) * (n_classes - 1)
        )
    best = 0.0
    for test in ascending(bounds):
        if bounds[test] >= best * (1 - SLACK):
            break
        groups = (views.column_groups[a] + test, -1) if b < 0 else groups_of_test(views, a, b, test)
        square, crosses = picked(sums, n_classes, lines_of_test(views, pair, groups))
        basis = orthonormal(square, own)
        if basis.newest < CLOSE:
            basis = corrected(basis, views, rows, pair, groups, block)
        evenly = most(basis, sums, crosses, rows)[1]
        if evenly > 0.0:
            t = statistic(basis, crosses, views, rows, pair, groups, evenly, block)
            best = min(best, log_tail(t, (len(basis.parts) - basis.n_own) * (n_classes - 1)))
    return best


@kernel
def log_p_values(
    views: Views, rows: Rows, pairs: np.ndarray, span: tuple[int, int], found: np.ndarray
) -> None:
    """The evidence of some pairs: the smallest log p of the tests of each.

    Parameters
    ----------
    views : Views
        The views of all columns.
    rows : Rows
        The classes and weights of the rows.
    pairs : ndarray of int64, shape (m, 2)
        The columns; the second is -1 for a test of a single column.
    span : tuple of int
        The first pair to test, and the first one after the last.
    found : ndarray, shape (m,)
        The smallest log p of each pair; written to.
    """
    start = views.column_views
    widest = 1
    for column in range(len(start) - 1):
        widest = max(widest, start[column + 1] - start[column])
    n_lines = len(rows.shares) + 1 + 2 * widest + widest * widest
    n_blocks = max(1, -(-len(rows.codes) // BLOCK))
    block = np.empty((max(n_lines, n_moments(len(rows.shares), widest)), -(-len(rows.codes) // n_blocks)))
    for m in range(span[0], span[1]):
        a, b = pairs[m, 0], pairs[m, 1]
        silent = start[a] == start[a + 1] or (b >= 0 and start[b] == start[b + 1])
        found[m] = 0.0 if silent else best_log_p(views, rows, (a, b), block)
