"""The score of each column alone for a numeric target: the share of pairs of rows that both put in the same order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
    """Return max(C, 1 - C) of each column, the best over its views, shape (d,); see `concordance_of_targets`."""
    found: Float = concordance_of_targets(table, [target.values], weights, folded)[0]
    return found


def concordance_of_targets(
    table: Table, targets: Sequence[Float], weights: Float | None, folded: bool
) -> Float:
    """Return max(C, 1 - C) of each column for each target, the best over its views.

    C is Harrell's concordance index, in which ties of the column count one half. The views of a numeric column are its
    values, the distance from the median if `folded`, and whether a value is missing; those of a categorical column are
    each of its values against the rest.

    Parameters
    ----------
    table : Table
        The columns.
    targets : sequence of ndarray, shape (n,)
        The targets; pairs of rows with equal targets do not count.
    weights : ndarray, shape (n,), or None
        Weights of the rows, positive; a pair counts by the product of its two.
    folded : bool
        Whether a numeric column is also seen by its distance from the median.

    Returns
    -------
    ndarray, shape (t, d)
        Scores between 0.5 and 1.
    """
    whole = whole_weights(table.n_rows, weights)
    ordered = [_Ordered.of(values, whole) for values in targets]
    leads = np.zeros((len(targets), table.n_columns))
    for column in range(table.n_columns):
        values = table.values[:, column]
        missing = np.isnan(values)
        if table.nominal[column]:
            cells = np.where(missing, np.nanmax(values, initial=-1.0) + 1, values).astype(np.intp)
            for t, target in enumerate(ordered):
                sums = np.zeros(cells.max() + 1, dtype=np.int64)
                np.add.at(sums, cells, whole * target.ahead)
                leads[t, column] = np.abs(sums).max()
            continue
        views = [values]
        if folded and not missing.all():
            block = values[:, None]
            views.append(distances_from(block, medians(block, whole.astype(np.float64)))[:, 0])
        ranks = [_ranks(view) for view in views]
        for t, target in enumerate(ordered):
            found = [abs(int(concordance(view, target.order, target.groups, whole))) for view in ranks]
            if missing.any():
                found.append(abs(int((whole * target.ahead)[missing].sum())))
            leads[t, column] = max(found)
    pairs = np.array([float(target.pairs) for target in ordered])
    scores: Float = 0.5 + leads / (2 * pairs[:, None])
    return scores


@dataclass(frozen=True)
class _Ordered:
    """A target by its order: the rows by it, where each value begins, what is below less what is above, and the pairs."""

    order: Int
    groups: Int
    ahead: Int
    pairs: int

    @classmethod
    def of(cls, values: Float, whole: Int) -> _Ordered:
        order = np.argsort(values, kind="stable")
        ranked = values[order]
        groups = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1], [True]]))
        held = np.add.reduceat(whole[order], groups[:-1])
        upto = np.cumsum(held)
        ahead = np.empty(len(order), dtype=np.int64)
        ahead[order] = np.repeat((upto - held) - (upto[-1] - upto), np.diff(groups))
        pairs = (int(whole.sum()) ** 2 - int((held.astype(object) ** 2).sum())) // 2
        return cls(order, groups, ahead, pairs)


def _ranks(values: Float) -> Int:
    """Return the rank of each value among the distinct values, from 0; -1 for a missing value."""
    ranks = np.full(len(values), -1, dtype=np.int64)
    known = ~np.isnan(values)
    ranks[known] = rankdata(values[known], method="dense") - 1
    return ranks
