"""Groups and units of rows for the loops of votes, and their lists of neighbours by plain NumPy."""

import numpy as np

from tests.coordinates import coordinates, distances


def grouped(n_rows, squared, seed):
    """Rows over two columns E, numbered into groups; the coordinates of each group; and one more column."""
    rows = coordinates(n_rows, 1, 1, squared=squared, seed=seed)
    extra = coordinates(n_rows, 0, 1, squared=squared, seed=seed + 1)[:, 0]
    points, group_of_row = np.unique(rows, axis=0, return_inverse=True)
    return np.ascontiguousarray(points.T), group_of_row.ravel(), extra, rows


def neighbors(rows, extra, k, squared, lowest):
    """The other rows within the distance of each row's k-th other row; exactly k, lower ones first, if `lowest`."""
    everything = np.column_stack([rows, extra])
    far = distances(everything, everything, squared=squared)
    found = []
    for row, steps in enumerate(far):
        order = [other for other in np.lexsort([np.arange(len(steps)), steps]) if other != row]
        radius = steps[order[k - 1]]
        found.append(set(order[:k] if lowest else [other for other in order if steps[other] <= radius]))
    return found
