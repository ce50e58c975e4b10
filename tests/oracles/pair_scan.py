"""PairScan by the book: every pair is tested, with matrices of all rows, and polynomials by least squares.

The views of a column are whole numbers; here they are made anew, one value at a time. The tests are written with
projections, (I - P_M), where tamis keeps an orthonormal basis. The scan that chooses pairs is not here: all are tested.
"""

from __future__ import annotations

import math

import numpy as np


def ranks(column, weights):
    """Twice the weight below, plus the weight tied, less the known weight, over the known weight; NaN where missing."""
    known = [i for i in range(len(column)) if not math.isnan(column[i])]
    total = sum(weights[i] for i in known)
    found = np.full(len(column), np.nan)
    for i in known:
        below = sum(weights[k] for k in known if column[k] < column[i])
        tied = sum(weights[k] for k in known if column[k] == column[i])
        found[i] = (2 * below + tied - total) / total
    return found


def rounded(view):
    """From -63 to 63; halves, up to a rounding error, go away from 0."""
    largest = np.abs(view).max()
    if largest == 0:
        return np.zeros(len(view))
    return np.sign(view) * np.floor(np.abs(view) * (63 / largest) + 0.5 + 1e-9)


def polynomials(column, weights):
    """What is new in the powers 1 to 4 of the ranks, rounded; None where a power adds nothing."""
    u = ranks(column, weights)
    known = ~np.isnan(u)
    root = np.sqrt(weights[known])
    found = []
    for degree in (1, 2, 3, 4):
        lower = np.column_stack([u[known] ** k for k in range(degree)])
        power = u[known] ** degree
        fit = np.linalg.lstsq(lower * root[:, None], power * root, rcond=1e-10)[0]
        new = np.zeros(len(column))
        new[known] = power - lower @ fit
        share = (weights[known] * new[known] ** 2).sum() / (weights[known] * power**2).sum()
        found.append(rounded(new) if share > 1e-9 else None)
    return found


def contrasts(column, weights):
    """Each value against the more frequent ones; missing is a value, and those behind the seventh are one."""
    values = ["missing" if math.isnan(v) else v for v in column]
    weight, first = {}, {}
    for i, value in enumerate(values):
        weight[value] = weight.get(value, 0.0) + weights[i]
        first.setdefault(value, i)
    order = sorted(weight, key=lambda v: (-weight[v], first[v]))
    level = np.array([min(order.index(v), 7) for v in values])
    sizes = [weights[level == k].sum() for k in range(level.max() + 1)]
    found = []
    for k in range(1, len(sizes)):
        view = np.zeros(len(values))
        view[level == k] = 1 / sizes[k]
        view[level < k] = -1 / sum(sizes[:k])
        found.append(rounded(view))
    return found


def groups_of(column, nominal, weights):
    """The groups of views of a column that are tested by themselves, and all its views together."""
    if nominal:
        views = contrasts(column, weights)
        return ([views] if views else []), views
    powers = polynomials(column, weights)
    single = [[view] for view in powers[:2] if view is not None]
    missing = np.isnan(column)
    if missing.any() and not missing.all():
        single.append(contrasts(missing.astype(float), weights))
    views = [view for group in single for view in group]
    return single, views + [view for view in powers[2:] if view is not None]


def residual_maker(space, root):
    """The vectors of a space, each as root * vector, and the projection off them."""
    if not space:
        return np.eye(len(root)), 0
    vectors = np.column_stack(space) * root[:, None]
    lengths = np.linalg.norm(vectors, axis=0)
    left, sizes, _ = np.linalg.svd(vectors / np.where(lengths > 0, lengths, 1), full_matrices=False)
    left = left[:, sizes > 1e-6 * sizes.max()]
    return np.eye(len(root)) - left @ left.T, left.shape[1]


def statistic(space, products, codes, weights):
    """T' and its degrees of freedom: what the products say beyond the space."""
    root, total = np.sqrt(weights), weights.sum()
    off, size = residual_maker(space, root)
    added = off @ (np.column_stack(products) * root[:, None])
    norms = np.linalg.norm(np.column_stack(products) * root[:, None], axis=0)
    left, sizes, _ = np.linalg.svd(added / np.where(norms > 0, norms, 1), full_matrices=False)
    q = left[:, sizes > 1e-4]
    classes = sorted(set(codes.tolist()))
    freedom = q.shape[1] * (len(classes) - 1)
    if freedom == 0 or total <= size:
        return 0.0, freedom
    shares = np.array([weights[codes == c].sum() / total for c in classes])
    e = off @ (np.column_stack([codes == c for c in classes]) * root[:, None])
    s = q.T @ e
    carried = ((q**2).sum(axis=1) * (e**2 / shares).sum(axis=1) / weights).sum()
    evenly = (e**2 / shares).sum() * q.shape[1] / total
    variance = max(carried, evenly)
    if variance <= 0:
        return 0.0, freedom
    T = freedom * (total - size) / total * (s**2 / shares).sum() / variance
    x = ((q @ s) * e / shares).sum(axis=1) / weights  # of a row of weight 1
    if (weights * x).sum() <= 0:
        return 0.0, freedom
    x = x * math.sqrt(T) / (weights * x).sum()
    b = (weights * x**3).sum() / (weights * x**2).sum()
    u = b * math.sqrt(T)
    if u < 1e-3:
        return T * (1 - max(u, 0) / 3), freedom
    return 2 / b**2 * ((1 + u) * math.log1p(u) - u), freedom


def pair_tests(one, other):
    """The tests of two columns, each a pair of lists of views."""
    (single_a, all_a), (single_b, all_b) = one, other
    tests = [(g, h) for g in single_a for h in single_b]
    several = any(len(single) > 1 or len(views) > len(single[0]) for single, views in (one, other) if single)
    if single_a and single_b and several:
        tests.append((all_a, all_b))
    return tests


def pair_scan(X, codes, nominal, weights=None):
    """(T', freedom) of all tests: alone[column] a list, together[first, second] a list."""
    weights = np.ones(len(codes)) if weights is None else np.asarray(weights, dtype=float)
    one = np.ones(len(codes))
    columns = [groups_of(X[:, j], nominal[j], weights) for j in range(X.shape[1])]
    alone, together = {}, {}
    for j, (single, views) in enumerate(columns):
        tests = list(single)
        if single and (len(single) > 1 or len(views) > len(single[0])):
            tests.append(views)
        alone[j] = [statistic([one], test, codes, weights) for test in tests]
    for a in range(len(columns)):
        for b in range(a + 1, len(columns)):
            space = [one, *columns[a][1], *columns[b][1]]
            together[a, b] = [
                statistic(space, [u * v for u in g for v in h], codes, weights)
                for g, h in pair_tests(columns[a], columns[b])
            ]
    return alone, together


def log10_scores(alone, together, log_tail):
    """Score of each column and pair, given log P(chi-squared > statistic): corrected for all tests of their kind, twice."""
    n_alone = sum(len(tests) for tests in alone.values())
    n_pairs = sum(len(tests) for tests in together.values())

    def score(tests, n):
        logs = [log_tail(t, f) if f else 0.0 for t, f in tests] or [0.0]
        return -(min(logs) + math.log(max(1, 2 * n))) / math.log(10)

    columns = {j: score(tests, n_alone) for j, tests in alone.items()}
    pairs = {pair: score(tests, n_pairs) for pair, tests in together.items()}
    best = dict(columns)
    for (a, b), found in pairs.items():
        best[a], best[b] = max(best[a], found), max(best[b], found)
    return best, pairs


def pair_column(first, second, nominal, codes, weights):
    """One column of two: the product of two views that follows the classes best, or a name for each two values; None where missing."""
    known = [not (math.isnan(a) or math.isnan(b)) for a, b in zip(first, second)]
    seen = []
    for column, is_nominal in zip((first, second), nominal):
        powers = [] if is_nominal else [view for view in polynomials(column, weights)[:2] if view is not None]
        seen.append([column] if is_nominal else powers)
    if any(nominal):
        halves = [v[0] if n else (v[0] > 0).astype(float) for v, n in zip(seen, nominal)]
        return [(a, b) if ok else None for a, b, ok in zip(*halves, known)]
    best, worth = None, -1.0
    for u in seen[0]:
        for v in seen[1]:
            product = np.where(known, u * v, 0.0)
            total = 0.0
            for c in sorted(set(codes.tolist())):
                share = weights[codes == c].sum() / weights.sum()
                inside = (weights * product)[codes == c].sum()
                total += (inside - share * (weights * product).sum()) ** 2 / share
            total /= max((weights * product**2).sum(), 1e-300)
            if total > worth * (1 + 1e-12):
                best, worth = product, total
    return [p if ok else None for p, ok in zip(best, known)]
