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


def row_values(distances, labels, n_neighbors, groups=None):
    """Return the mean value of every row in the votes on each row of another group; without groups, of each other."""
    n = len(labels)
    groups = list(range(n)) if groups is None else groups
    totals, games = [0.0] * n, [0] * n
    for asked in range(n):
        others = [row for row in range(n) if groups[row] != groups[asked]]
        others.sort(key=lambda row: (distances[asked][row], row))
        found = shapley(others, {row: labels[row] == labels[asked] for row in others}, n_neighbors)
        for row, value in found.items():
            totals[row] += value
            games[row] += 1
    return [total / n_games for total, n_games in zip(totals, games)]


def margin(distances, labels, row, groups=None):
    """Return (b - a) / (b + a) of one row among all of other groups; -1 without a, 1 without b, 0 if they are equal."""
    groups = list(range(len(labels))) if groups is None else groups
    others = [p for p in range(len(labels)) if groups[p] != groups[row]]
    own = [distances[row][p] ** 0.5 for p in others if labels[p] == labels[row]]
    other = [distances[row][p] ** 0.5 for p in others if labels[p] != labels[row]]
    if not own:
        return 0.0 if not other else -1.0
    if not other:
        return 1.0
    a, b = min(own), min(other)
    return 0.0 if a == b else (b - a) / (b + a)
