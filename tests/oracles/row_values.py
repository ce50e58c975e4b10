"""The value of a row by the definition: every set of the other rows, and what the row adds to it."""

from itertools import combinations
from math import comb


def worth(members, order, right, n_neighbors):
    """Return the share of right votes of the nearest members, of `n_neighbors`; `order` is by distance."""
    nearest = [row for row in order if row in members][:n_neighbors]
    return sum(right[row] for row in nearest) / n_neighbors


def shapley(order, right, n_neighbors):
    """Return the Shapley value of every row of one game, by its place in `order`."""
    values = {}
    for row in order:
        others = [other for other in order if other != row]
        total = 0.0
        for size in range(len(others) + 1):
            for members in combinations(others, size):
                gain = worth({*members, row}, order, right, n_neighbors) - worth(
                    set(members), order, right, n_neighbors
                )
                total += gain / (len(order) * comb(len(others), size))
        values[row] = total
    return values


def row_values(distances, labels, n_neighbors):
    """Return the mean value of every row in the votes on each of the others."""
    n = len(labels)
    totals = [0.0] * n
    for asked in range(n):
        others = sorted(
            (row for row in range(n) if row != asked), key=lambda row: (distances[asked][row], row)
        )
        found = shapley(others, {row: labels[row] == labels[asked] for row in others}, n_neighbors)
        for row, value in found.items():
            totals[row] += value
    return [total / (n - 1) for total in totals]


def margin(distances, labels, row):
    """Return (b - a) / (b + a) of one row among all others; -1 without a, 1 without b, 0 where they are equal."""
    own = [distances[row][p] ** 0.5 for p in range(len(labels)) if p != row and labels[p] == labels[row]]
    other = [distances[row][p] ** 0.5 for p in range(len(labels)) if labels[p] != labels[row]]
    if not own:
        return -1.0
    if not other:
        return 1.0
    a, b = min(own), min(other)
    return 0.0 if a == b else (b - a) / (b + a)
