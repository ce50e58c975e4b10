"""The score of each column alone for a numeric target: the share of pairs of rows that both put in the same order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from tamis.features._kernels.concordance import concordance
from tamis.features.univariate import distances_from, medians
from tamis.table._table import Numbers, Table
from tamis.table.weights import whole_weights

Float = NDArray[np.float64]
Int = NDArray[np.int64]


def concordance_scores(table: Table, target: Numbers, weights: Float | None, folded: bool) -> Float:
    """Return max(C, 1 - C) of each column, the best over its views.

    C is Harrell's concordance index, in which ties of the column count one half. The views of a numeric column are its
    values, the distance from the median if `folded`, and whether a value is missing; those of a categorical column are
    each of its values against the rest.

    Parameters
    ----------
    table : Table
        The columns.
    target : Numbers
        The target; pairs of rows with equal targets do not count.
    weights : ndarray, shape (n,), or None
        Weights of the rows, positive; a pair counts by the product of its two.
    folded : bool
        Whether a numeric column is also seen by its distance from the median.

    Returns
    -------
    ndarray, shape (d,)
        Scores between 0.5 and 1.
    """
    whole = whole_weights(table.n_rows, weights)
    order = np.argsort(target.values, kind="stable")
    ranked = target.values[order]
    groups = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1], [True]]))
    ahead = _ahead(order, groups, whole)
    held = np.add.reduceat(whole[order], groups[:-1])
    pairs = (int(whole.sum()) ** 2 - int((held.astype(object) ** 2).sum())) // 2
    leads = np.zeros(table.n_columns)
    for column in range(table.n_columns):
        values = table.values[:, column]
        missing = np.isnan(values)
        if table.nominal[column]:
            cells = np.where(missing, np.nanmax(values, initial=-1.0) + 1, values).astype(np.intp)
            sums = np.zeros(cells.max() + 1, dtype=np.int64)
            np.add.at(sums, cells, whole * ahead)
            leads[column] = np.abs(sums).max()
            continue
        views = [values]
        if folded and not missing.all():
            block = values[:, None]
            views.append(distances_from(block, medians(block, whole.astype(np.float64)))[:, 0])
        found = [abs(int(concordance(_ranks(view), order, groups, whole))) for view in views]
        if missing.any():
            found.append(abs(int((whole * ahead)[missing].sum())))
        leads[column] = max(found)
    return 0.5 + leads / (2 * float(pairs))


def _ahead(order: Int, groups: Int, whole: Int) -> Int:
    """Return for each row the weight of the rows with a smaller target less that of the rows with a larger one."""
    held = np.add.reduceat(whole[order], groups[:-1])
    upto = np.cumsum(held)
    lead = (upto - held) - (upto[-1] - upto)
    ahead = np.empty(len(order), dtype=np.int64)
    ahead[order] = np.repeat(lead, np.diff(groups))
    return ahead


def _ranks(values: Float) -> Int:
    """Return the rank of each value among the distinct values, from 0; -1 for a missing value."""
    ranks = np.full(len(values), -1, dtype=np.int64)
    known = ~np.isnan(values)
    ranks[known] = rankdata(values[known], method="dense") - 1
    return ranks
