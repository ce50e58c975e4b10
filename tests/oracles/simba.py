"""Simba by plain loops.

Random numbers are drawn as Simba says: one seed a start; a start after the first draws its weights, then every pass
its order of the visits. A row of weight 2 is visited twice, one of weight 2.5 twice and by half a step.
"""

import math

import numpy as np

STEPS = 2**20


def differences(X, nominal):
    """z (n, n, d): what two rows differ by in each column, in whole steps of 2**-20."""
    n, d = X.shape
    z = np.zeros((n, n, d))
    for f in range(d):
        known = [float(value) for value in X[:, f] if not np.isnan(value)]
        low, high = (min(known), max(known)) if known else (0.0, 0.0)
        for i in range(n):
            for j in range(n):
                a, b = float(X[i, f]), float(X[j, f])
                if np.isnan(a) or np.isnan(b):
                    z[i, j, f] = 0.0 if np.isnan(a) and np.isnan(b) else 1.0
                elif nominal[f]:
                    z[i, j, f] = 0.0 if a == b else 1.0
                elif high > low:
                    apart = abs((a - low) / (high - low) - (b - low) / (high - low))
                    z[i, j, f] = round(apart * STEPS) / STEPS
    return z


def content_order(X, nominal, asked):
    """The columns `asked` in the order in which they are summed and draw weights.

    Numbers without gaps, numbers with gaps, categories; then by the values of all rows, numbers from 0 to 1, gaps highest,
    a category as the first row that has it.
    """

    def content(column):
        values = [float(value) for value in X[:, column]]
        if nominal[column]:
            return 2, [[str(one) for one in values].index(str(value)) for value in values]
        known = [value for value in values if not np.isnan(value)]
        low, high = (min(known), max(known)) if known else (0.0, 0.0)
        scaled = []
        for value in values:
            if np.isnan(value):
                scaled.append(math.inf)
            else:
                scaled.append((value - low) / (high - low) if high > low else 0.0)
        return int(len(known) < len(values)), scaled

    return sorted(asked, key=content)


def length(z, weights):
    """||z||_w, summed in the order of the columns."""
    total = 0.0
    for value, weight in zip(z.tolist(), weights):
        total += (weight * weight) * (value * value)
    return math.sqrt(total)


def near(z, y, row, weights, same, groups=None):
    """(row, distance) of the nearest row of the same class, or of another; the lower on ties; None for none.

    Rows of the row's group are passed over.
    """
    best = None
    for other in range(len(y)):
        if other == row or (y[other] == y[row]) != same:
            continue
        if groups is not None and groups[other] == groups[row]:
            continue
        away = length(z[row, other], weights)
        if best is None or away < best[1]:
            best = (other, away)
    return best


def step(z, y, row, weights, groups=None, part=1.0):
    """The weights after one step, or a part of one, and the near hit and near miss (None for none)."""
    hit, miss = near(z, y, row, weights, True, groups), near(z, y, row, weights, False, groups)
    if hit is None or miss is None:
        return weights, tuple(None if one is None else one[0] for one in (hit, miss))
    moved = []
    for f, weight in enumerate(weights):
        change = 0.0
        if miss[1] > 0:
            change += float(z[row, miss[0], f]) ** 2 / miss[1]
        if hit[1] > 0:
            change -= float(z[row, hit[0], f]) ** 2 / hit[1]
        moved.append(weight + 0.5 * part * change * weight)
    return moved, (hit[0], miss[0])


def margin(z, y, weights, groups=None, counts=None):
    """The total margin of all rows that have a hit and a miss, each as often as it counts."""
    parts, counts = [], [1] * len(y) if counts is None else counts
    for row in range(len(y)):
        hit, miss = near(z, y, row, weights, True, groups), near(z, y, row, weights, False, groups)
        if hit is not None and miss is not None:
            parts.append(counts[row] * 0.5 * (miss[1] - hit[1]))
    return math.fsum(parts)


def start(z, y, first, visits, groups=None, counts=None):
    """The weights that a start ends with, scaled, its margin, and the near pair of every step."""
    weights, pairs = [float(weight) for weight in first], []
    for row, part in visits:
        weights, pair = step(z, y, row, weights, groups, part)
        pairs.append(pair)
    squares = [weight * weight for weight in weights]
    top = max(squares)
    scores = [square / top for square in squares] if top > 0 else squares
    return scores, margin(z, y, [math.sqrt(score) for score in scores], groups, counts), pairs


def counted(sample_weight):
    """How often each row counts: its weight, all of them scaled where their mean is below 1 or above 10; in whole 2**-20."""
    mean = math.fsum(sample_weight) / len(sample_weight)
    wanted = min(max(mean, 1.0), 10.0)
    scaled = [weight if wanted == mean else weight * wanted / mean for weight in sample_weight]
    return [max(round(weight * STEPS), 1) / STEPS for weight in scaled]


def visits_of(counts):
    """(row, part of a step), row by row: as many whole steps as a row counts, and what is left over."""
    visits = []
    for row, count in enumerate(counts):
        while count >= 1:
            visits.append((row, 1.0))
            count -= 1
        if count > 0:
            visits.append((row, count))
    return visits


def draws(n, d, n_starts, n_passes, seed, counts=None):
    """First weights of each start, and its visits in order: (row, part of a step)."""
    visits = visits_of([1] * n if counts is None else counts)
    seeds = np.random.RandomState(seed).randint(2**31 - 1, size=n_starts)
    for number, own_seed in enumerate(seeds):
        random = np.random.RandomState(own_seed)
        first = np.ones(d) if number == 0 else 1.0 - random.random_sample(d)
        yield first, [visits[at] for _ in range(n_passes) for at in random.permutation(len(visits))]
