"""Rows that must stay together: from the rows that a selector keeps to whole groups."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def whole_groups(kept: NDArray[np.intp], groups: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the rows of the groups of which the largest shares were kept, as many rows as were kept at most.

    Parameters
    ----------
    kept : ndarray of int
        The rows that a selector keeps, at least one.
    groups : ndarray of int, shape (n,)
        The group of each row: all numbers from 0 on.

    Returns
    -------
    ndarray of int
        Rows, ascending. On equal shares the group whose first row is lower comes first; a group that has too many rows is
        passed over, unless nothing has been taken and none has fewer.
    """
    _, first, sizes = np.unique(groups, return_index=True, return_counts=True)
    n_kept = np.bincount(groups[kept], minlength=len(sizes))
    order = np.lexsort([first, -n_kept / sizes])
    order = order[n_kept[order] > 0]
    taken, room = np.zeros(len(sizes), dtype=bool), len(kept)
    for group in order.tolist():
        if sizes[group] <= room:
            taken[group] = True
            room -= int(sizes[group])
    if not taken.any():
        taken[order[np.argmin(sizes[order])]] = True
    return np.flatnonzero(taken[groups])
