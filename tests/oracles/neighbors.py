"""Distances and neighbours on mixed data, by plain loops over Python integers.

A distance is counted in steps of 2**-20. `own` is the fitted row that a query is, or -1 for a new row.
"""

import numpy as np

ONE = 2**20


def column_ranges(fitted, nominal):
    """Return (lowest, highest) known value of each numeric column, None for a nominal or wholly missing one."""
    ranges = []
    for j in range(fitted.shape[1]):
        known = [float(v) for v in fitted[:, j] if not np.isnan(v)]
        ranges.append((min(known), max(known)) if known and not nominal[j] else None)
    return ranges


def column_term(a, b, is_nominal, limits, metric):
    """Return what one column adds to the distance of two rows, in steps."""
    if np.isnan(a) and np.isnan(b):
        return 0
    if np.isnan(a) or np.isnan(b):
        return ONE
    if is_nominal:
        return 0 if a == b else ONE
    if limits is None or limits[0] == limits[1]:
        return 0
    lowest, highest = limits
    scaled_a = (float(a) - lowest) / (highest - lowest)
    scaled_b = (float(b) - lowest) / (highest - lowest)
    difference = abs(scaled_a - scaled_b)
    return round((difference if metric == "l1" else difference**2) * ONE)


def all_distances(queries, fitted, nominal, metric):
    """Return the distance of every query to every fitted row, as a list of lists of int."""
    ranges = column_ranges(fitted, nominal)
    return [
        [
            sum(column_term(a[j], b[j], nominal[j], ranges[j], metric) for j in range(len(nominal)))
            for b in fitted
        ]
        for a in queries
    ]


def nearest_lowest(distances, own, n_neighbors):
    """Return exactly n_neighbors (distance, row), the lower row first on ties."""
    others = [(distance, row) for row, distance in enumerate(distances) if row != own]
    return sorted(others)[:n_neighbors]


def nearest_all(distances, own, n_neighbors):
    """Return every row at most as far as the n_neighbors-th, ascending by row."""
    reach = nearest_lowest(distances, own, n_neighbors)[-1][0]
    return [row for row, distance in enumerate(distances) if row != own and distance <= reach]
