"""Nogueira's stability index by plain loops over pairs of selections, and its variance term by term."""

import math


def index(selections):
    """One minus the mean of the columns' unbiased variances over what chance would give."""
    m, d = len(selections), len(selections[0])
    mean_size = sum(sum(row) for row in selections) / m
    total = 0.0
    for f in range(d):
        share = sum(row[f] for row in selections) / m
        total += m / (m - 1) * share * (1 - share)
    return 1 - (total / d) / ((mean_size / d) * (1 - mean_size / d))


def variance(selections):
    """4 / m^2 times the sum of squared deviations of each selection's part in the index."""
    m, d = len(selections), len(selections[0])
    sizes = [sum(row) for row in selections]
    mean_size = sum(sizes) / m
    share = [sum(row[f] for row in selections) / m for f in range(d)]
    phi = index(selections)
    parts = []
    for row, size in zip(selections, sizes):
        agreement = sum(share[f] for f in range(d) if row[f]) / d
        chance = size * mean_size / d**2
        scale = 2 * size * mean_size / d**2 - size / d - mean_size / d + 1
        parts.append((agreement - chance + phi / 2 * scale) / ((mean_size / d) * (1 - mean_size / d)))
    middle = sum(parts) / m
    return 4 / m**2 * sum((part - middle) ** 2 for part in parts)


def interval(selections, z=1.959963984540054):
    """The 95 % interval, cut at 1."""
    reach = z * math.sqrt(variance(selections))
    return index(selections) - reach, min(1.0, index(selections) + reach)
