"""Rows with coordinates and classes for the loops over kept rows."""

import numpy as np

from tests.coordinates import coordinates, distances, in_blocks


def rows_and_classes(seed, n=40, n_classes=3):
    """Coordinates (n, 5), the first three of which are plain numbers; their blocks; classes; all distances."""
    rows = coordinates(n, 3, 2, squared=True, seed=seed)
    codes = np.random.default_rng(seed).integers(0, n_classes, n)
    codes[:n_classes] = np.arange(n_classes)
    return rows, in_blocks(rows), codes, distances(rows, rows, squared=True)


def nearest(far, candidates, row):
    """The nearest of some rows to a row, the earlier of them on ties."""
    return min(candidates, key=lambda other: far[row, other])
