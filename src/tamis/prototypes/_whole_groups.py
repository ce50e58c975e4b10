"""Rows that must stay together: from the rows that a selector keeps to whole groups."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import column_or_1d


def whole_groups(who: str, kept: NDArray[np.intp], groups: ArrayLike, n_rows: int) -> NDArray[np.intp]:
    """Return the rows of the groups of which the largest shares were kept, as many rows as were kept at most.

    Parameters
    ----------
    who : str
        The selector, for errors.
    kept : ndarray of int
        The rows that it keeps, at least one.
    groups : array-like, shape (n,)
        The group of each row.
    n_rows : int
        n.

    Returns
    -------
    ndarray of int
        Rows, ascending. On equal shares the group whose first row is lower comes first; a group that has too many rows is
        passed over, unless nothing has been taken and none has fewer.
    """
    given = column_or_1d(np.asarray(groups))
    if len(given) != n_rows:
        raise ValueError(
            f"{who}: groups has {len(given)} entries, but X has {n_rows} rows. Give one for each row."
        )
    if given.dtype.kind in "OfM" and any(value is None or value != value for value in given.tolist()):
        raise ValueError(
            f"{who}: groups has missing values. Give every row a group; a row alone is one of its own."
        )
    _, first, group_of_row = np.unique(
        given.astype(str) if given.dtype.kind == "O" else given, return_index=True, return_inverse=True
    )
    sizes = np.bincount(group_of_row)
    n_kept = np.bincount(group_of_row[kept], minlength=len(sizes))
    order = np.lexsort([first, -n_kept / sizes])
    order = order[n_kept[order] > 0]
    taken, room = np.zeros(len(sizes), dtype=bool), len(kept)
    for group in order.tolist():
        if sizes[group] <= room:
            taken[group] = True
            room -= int(sizes[group])
    if not taken.any():
        taken[order[np.argmin(sizes[order])]] = True
    return np.flatnonzero(taken[group_of_row])
