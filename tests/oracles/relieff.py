"""ReliefF by plain loops: neighbours by whole numbers of steps, weights as fractions."""

from fractions import Fraction

import numpy as np

STEPS = 2**20
FINE = 2**30


def ranges(X, nominal):
    """(lowest, highest) known value of each numeric column; None for a nominal or wholly missing one."""
    found = []
    for j in range(X.shape[1]):
        known = [float(value) for value in X[:, j] if not np.isnan(value)]
        found.append((min(known), max(known)) if known and not nominal[j] else None)
    return found


def difference(a, b, is_nominal, limits):
    """What two values of a column differ by, between 0 and 1."""
    if np.isnan(a) or np.isnan(b):
        return 0.0 if np.isnan(a) and np.isnan(b) else 1.0
    if is_nominal:
        return 0.0 if a == b else 1.0
    if limits is None or limits[0] == limits[1]:
        return 0.0
    low, width = limits[0], limits[1] - limits[0]
    return abs((float(a) - low) / width - (float(b) - low) / width)


def distance(x, other, nominal, limits, metric):
    """Distance of two rows in steps of 2**-20."""
    power = 1 if metric == "l1" else 2
    return sum(
        round(difference(a, b, kind, limit) ** power * STEPS)
        for a, b, kind, limit in zip(x, other, nominal, limits)
    )


def neighbors(X, nominal, y, row, label, n_neighbors, metric, groups=None):
    """The nearest rows of class `label` to a row, itself and its group apart; the lower row on ties."""
    limits = ranges(X, nominal)
    others = [
        (distance(X[row], X[other], nominal, limits, metric), other)
        for other in range(len(X))
        if other != row and y[other] == label and (groups is None or groups[other] != groups[row])
    ]
    return [other for _, other in sorted(others)[:n_neighbors]]


def weights(X, nominal, y, n_neighbors=10, metric="l1", asking=None, steps=FINE, groups=None, counts=None):
    """The weight of each column; `steps`: differences are rounded to so many steps of 1, or not at all (None).

    `counts` says what each row counts, in the sum over rows and in the shares of the classes.
    """
    counts = [Fraction(1)] * len(X) if counts is None else [Fraction(count) for count in counts]
    limits = ranges(X, nominal)
    asking = range(len(X)) if asking is None else asking
    labels = sorted(set(y))
    count = {label: sum(counts[other] for other in range(len(X)) if y[other] == label) for label in labels}
    result = [Fraction(0)] * X.shape[1]
    for row in asking:
        for label in labels:
            near = neighbors(X, nominal, y, row, label, n_neighbors, metric, groups)
            if not near:
                continue
            share = Fraction(-1) if label == y[row] else count[label] / (sum(counts) - count[y[row]])
            for j in range(X.shape[1]):
                for other in near:
                    apart = difference(X[row, j], X[other, j], nominal[j], limits[j])
                    apart = Fraction(apart) if steps is None else Fraction(round(apart * steps), steps)
                    result[j] += counts[row] * share * apart / len(near)
    return [float(total / sum(counts[row] for row in asking)) for total in result]
