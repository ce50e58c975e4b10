"""Nearest rows of other groups, for rows that must never be each other's neighbours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tamis.neighbors import ScaledRows, nearest_rows

Int = NDArray[np.int64]

LONGER_LISTS = 32
"""Groups of at most so many rows are passed over in longer lists; the others are left out of the search, one by one."""


def nearest_of_other_groups(
    rows: ScaledRows, groups: Int, members: Int, asking: Int, n_neighbors: int, n_jobs: int | None
) -> tuple[Int, Int]:
    """Return the nearest members of other groups than the row that asks, nearest first, and their distances.

    Parameters
    ----------
    rows : ScaledRows
        The n rows.
    groups : ndarray of int, shape (n,)
        The group of each.
    members : ndarray of int
        The rows to find, ascending.
    asking : ndarray of int
        The rows that ask.
    n_neighbors : int
        How many to find.
    n_jobs : int or None
        Threads. The result does not depend on it.

    Returns
    -------
    found, distances : ndarray of int, shape (len(asking), n_neighbors)
        Ascending by (distance, row); where fewer can be found, -1.
    """
    found = np.full((len(asking), n_neighbors), -1, dtype=np.int64)
    distances = found.copy()
    held = np.bincount(groups[members], minlength=int(groups.max()) + 1)[groups[asking]]
    few = np.flatnonzero(held <= LONGER_LISTS)
    many = np.unique(groups[asking[held > LONGER_LISTS]])
    jobs = [(few, members)]
    jobs += [(np.flatnonzero(groups[asking] == one), members[groups[members] != one]) for one in many]
    for places, others in jobs:
        if not len(places) or not len(others):
            continue
        longest = n_neighbors + (int(held[places].max()) if others is members else 0)
        near, far = nearest_rows(
            rows.space, rows.take(others), min(longest, len(others)), rows.take(asking[places]), n_jobs=n_jobs
        )
        near = others[near]
        own = groups[near] == groups[asking[places], np.newaxis]
        order = np.argsort(own, axis=1, kind="stable")[:, :n_neighbors]  # those of other groups first
        free = ~np.take_along_axis(own, order, axis=1)
        width = order.shape[1]
        found[places, :width] = np.where(free, np.take_along_axis(near, order, axis=1), -1)
        distances[places, :width] = np.where(free, np.take_along_axis(far, order, axis=1), -1)
    return found, distances
