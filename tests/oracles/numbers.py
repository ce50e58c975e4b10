"""Columns against a numeric target, by loops over all pairs of rows."""

from fractions import Fraction

import numpy as np

from tests.oracles import relieff
from tests.oracles.least_squares import whole_weights


def sign(a, b):
    """-1, 0 or 1; 0 where a value is missing."""
    return 0 if np.isnan(a) or np.isnan(b) else int(a > b) - int(a < b)


def median(values, weights):
    """The weighted median of the known values."""
    known = sorted((float(v), w) for v, w in zip(values, weights) if not np.isnan(v))
    half, below = Fraction(sum(w for _, w in known), 2), 0
    for k, (value, w) in enumerate(known):
        below += w
        if below == half:
            return value / 2 + known[k + 1][0] / 2
        if below > half:
            return value / 2 + value / 2
    return 0.0


def concordance(view, y, weights):
    """The share of concordant pairs among those of different y, ties of the view counted half; the better direction."""
    lead = pairs = 0
    for i in range(len(y)):
        for j in range(i):
            product = weights[i] * weights[j]
            order = sign(y[i], y[j])
            pairs += product * abs(order)
            lead += product * order * sign(view[i], view[j])
    return Fraction(1, 2) + Fraction(abs(lead), 2 * pairs)


def auc_score(column, nominal, y, weights=None, folded=False):
    """The best of a column's views."""
    whole = whole_weights(len(y), weights)
    missing = np.isnan(column)
    if nominal:
        views = [(column == level).astype(float) for level in np.unique(column[~missing])]
    else:
        views = [column]
        if folded and not missing.all():
            views.append(np.abs(column - median(column, whole)))
    if missing.any():
        views.append(missing.astype(float))
    return float(max(concordance(view, y, whole) for view in views))


def relief_weights(X, nominal, y, n_neighbors=10, metric="l1", steps=2**20):
    """RReliefF with all neighbours counted alike; differences in whole steps, or not rounded at all (None)."""
    limits = relieff.ranges(X, nominal)
    low, width = min(y) / 2, max(y) / 2 - min(y) / 2
    scaled = [(number / 2 - low) / width for number in y]
    if steps is not None:
        scaled = [Fraction(round(number * steps), steps) for number in scaled]
    of_target, pairs = Fraction(0), 0
    of_columns, of_both = [Fraction(0)] * X.shape[1], [Fraction(0)] * X.shape[1]
    for row in range(len(X)):
        others = [
            (relieff.distance(X[row], X[other], nominal, limits, metric), other)
            for other in range(len(X))
            if other != row
        ]
        for _, other in sorted(others)[:n_neighbors]:
            apart = abs(Fraction(scaled[row]) - Fraction(scaled[other]))
            of_target += apart
            pairs += 1
            for j in range(X.shape[1]):
                differ = relieff.difference(X[row, j], X[other, j], nominal[j], limits[j])
                differ = Fraction(differ) if steps is None else Fraction(round(differ * steps), steps)
                both = differ * apart
                of_columns[j] += differ
                of_both[j] += both if steps is None else Fraction(round(both * 2**30), 2**30)
    return [
        (float(both / of_target) if of_target else 0.0)
        - (float((alone - both) / (pairs - of_target)) if pairs > of_target else 0.0)
        for alone, both in zip(of_columns, of_both)
    ]
