"""How good a ranking of columns is, if the relevant columns are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]


@dataclass(frozen=True)
class RocFS:
    """A ranking compared with the known relevant columns.

    Parameters
    ----------
    false_relevant, true_relevant : ndarray, shape (d + 1,)
        The share of the irrelevant, and of the relevant, columns among the first 0, 1, ..., d: the ROC-FS curve.
    auc : float
        Area under that curve: the probability that a relevant column is ranked before an irrelevant one. 1 is perfect,
        0.5 is chance.
    p_b : float
        Probability that the best column is relevant: 0 or 1 unless there are ties.
    p_w : float
        Rank of the worst relevant column divided by the number of columns; r / d is perfect.
    """

    false_relevant: Float
    true_relevant: Float
    auc: float
    p_b: float
    p_w: float


def roc_fs(relevant: Any, *, scores: Any = None, ranking: Any = None) -> RocFS:
    """Judge a ranking of columns by the known relevant ones.

    Parameters
    ----------
    relevant : array-like of bool, shape (d,)
        Which columns are relevant; there must be relevant and irrelevant ones.
    scores : array-like, shape (d,)
        One number per column, higher is better; give either this or `ranking`.
    ranking : array-like, shape (d,)
        One number per column, 1 is best.

    Returns
    -------
    RocFS
        The curve, the area under it, p_b and p_w.

    Notes
    -----
    With ties, all figures are exact means over all orders of the tied columns, so that a relevant column gains nothing by
    coming first in the table.

    References
    ----------
    K. Jong, E. Marchiori and M. Sebag, "Ensemble learning with evolutionary computation: application to feature
    ranking", PPSN 2004.

    Examples
    --------
    >>> from tamis.study.roc_fs import roc_fs
    >>> judged = roc_fs([True, False, True, False], scores=[0.9, 0.1, 0.4, 0.6])
    >>> judged.auc, judged.p_b, judged.p_w
    (0.75, 1.0, 0.75)
    """
    if (scores is None) == (ranking is None):
        raise ValueError("roc_fs: give either scores or ranking, and not both.")
    low_first = np.asarray(ranking if scores is None else scores, dtype=np.float64)
    low_first = low_first if scores is None else -low_first
    truth = np.asarray(relevant, dtype=bool)
    if truth.ndim != 1 or low_first.shape != truth.shape:
        raise ValueError(
            f"roc_fs: relevant has the shape {truth.shape}, the ranking {low_first.shape}. Give one entry per column."
        )
    if np.isnan(low_first).any():
        raise ValueError(
            f"roc_fs: {int(np.isnan(low_first).sum())} of {len(low_first)} columns have NaN for a score."
        )
    if truth.all() or not truth.any():
        raise ValueError(
            f"roc_fs: {int(truth.sum())} of {len(truth)} columns are relevant; there must be some of both kinds."
        )
    return _judged(low_first, truth)


def _judged(low_first: Float, truth: NDArray[np.bool_]) -> RocFS:
    """Go through the groups of tied columns, best first; within a group the curve is a straight line."""
    d, n_relevant = len(low_first), int(truth.sum())
    _, group = np.unique(low_first, return_inverse=True)
    sizes = np.bincount(group)
    hits = np.bincount(group, weights=truth)
    ends = np.concatenate([[0], np.cumsum(sizes)])
    first = np.arange(d + 1)
    true = np.interp(first, ends, np.concatenate([[0.0], np.cumsum(hits)])) / n_relevant
    false = (first - true * n_relevant) / (d - n_relevant)
    below = n_relevant - np.cumsum(hits)  # relevant columns ranked after the group
    wrong = (sizes - hits) * (below + hits / 2)
    last = int(np.flatnonzero(hits)[-1])
    worst = ends[last] + hits[last] * (sizes[last] + 1) / (hits[last] + 1)
    return RocFS(
        false_relevant=false,
        true_relevant=true,
        auc=float(1 - wrong.sum() / (n_relevant * (d - n_relevant))),
        p_b=float(hits[0] / sizes[0]),
        p_w=float(worst / d),
    )
