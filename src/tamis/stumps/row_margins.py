"""Why a row is classified as it is: what each column adds to its margin, equations (5), (6) and (8)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["MarginBound", "RowMargins", "margin_bound", "n_stumps", "n_trees", "row_margins"]

Float = NDArray[np.float64]


@dataclass(frozen=True)
class RowMargins:
    """What each column adds to the margin of each row; made by ``StumpAdaBoost.row_margins``.

    Attributes
    ----------
    labels : ndarray, shape (n,)
        The class that each row is judged for.
    rivals : ndarray, shape (n,)
        The class that it is held against: of the others, the one of most votes.
    margins : ndarray, shape (n,)
        rho(x), between -1 and 1; positive if the class is ahead. Eq. (3).
    parts : ndarray, shape (n, d)
        What each column adds to the margin; a row of parts adds up to the margin (Theorem 3.1).
    conditional : ndarray, shape (n, d)
        The conditional margin of each column, eq. (6): how far its own votes agree on the class, between -1 and 1. 0 for a
        column that no vote uses.
    fractions : ndarray, shape (n, d)
        The margin fraction of each column, eq. (8): its part over the margin; a row of them adds up to 1. NaN where the
        margin is 0.
    """

    labels: NDArray[Any]
    rivals: NDArray[Any]
    margins: Float
    parts: Float
    conditional: Float
    fractions: Float


def row_margins(
    votes: Float, confidences: Float, totals: Float, classes: NDArray[Any], codes: NDArray[np.int64] | None
) -> RowMargins:
    """The margins of rows, column by column.

    Parameters
    ----------
    votes : ndarray, shape (n, classes, d)
        H_f(x) for each class; NaN for a class that has no model.
    confidences : ndarray, shape (n or 1, classes, d)
        The sums of alpha behind these votes.
    totals : ndarray, shape (classes,)
        The sum of alpha of each class; not 0.
    classes : ndarray, shape (classes,)
        The classes.
    codes : ndarray of int, shape (n,), optional
        The classes that the rows are judged for; those of most votes if not given.

    Returns
    -------
    RowMargins
        Of several classes, a margin is half the lead of a class over the best other one, each divided by its sum of alpha;
        of two classes this is y H(x) over the sum of alpha.
    """
    rows = np.arange(len(votes))
    scaled = votes / totals[:, None]
    leads = np.nan_to_num(scaled.sum(axis=2), nan=-2.0)  # a class without a model is behind all others
    own = leads.argmax(axis=1) if codes is None else codes
    leads[rows, own] = -np.inf
    rival = leads.argmax(axis=1)
    parts = (scaled[rows, own] - scaled[rows, rival]) / 2
    shares = np.broadcast_to(confidences, votes.shape) / totals[:, None]
    weight = (shares[rows, own] + shares[rows, rival]) / 2
    margins = parts.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        conditional = np.where(weight == 0, 0.0, parts / weight)
        fractions = np.where(margins[:, None] == 0, np.nan, parts / margins[:, None])
    return RowMargins(classes[own], classes[rival], margins, parts, conditional, fractions)


class MarginBound(NamedTuple):
    """Theorem 2.1 (Gao and Zhou): what the mean margin says of the error on new rows.

    Attributes
    ----------
    bound : float
        The error on new rows is at most this, with probability 1 - delta; above 1 it says nothing.
    holds : bool
        Whether the conditions of the theorem are met.
    edge : float
        gamma, the smallest edge of the rounds.
    mean_margin : float
        theta.
    least_margin : float
        The mean margin must be above this.
    least_rounds : float
        There must be at least so many rounds; infinite where the formula gives no number.
    n_hypotheses : float
        How many hypotheses there are to choose from.
    """

    bound: float
    holds: bool
    edge: float
    mean_margin: float
    least_margin: float
    least_rounds: float
    n_hypotheses: float


def margin_bound(
    edges: ArrayLike, mean_margin: float, n_rows: int, n_hypotheses: float, delta: float = 0.05
) -> MarginBound:
    """Evaluate Theorem 2.1.

    Parameters
    ----------
    edges : array-like
        The edge of each round.
    mean_margin : float
        The mean margin of the training rows.
    n_rows : int
        How many they are.
    n_hypotheses : float
        How many hypotheses the base learner can choose from; 3 at least.
    delta : float, default=0.05
        The probability that the bound fails.

    Returns
    -------
    MarginBound
        The bound and its conditions.

    Notes
    -----
    The number of rounds is printed with a factor that the paper does not explain; it is 2 here, with which both formulas
    hold the same term.
    """
    given = np.asarray(edges, dtype=np.float64)
    m, size = float(n_rows), max(3.0, float(n_hypotheses))
    gamma = min(float(given.min(initial=1.0)), 1 - 1 / m)  # as boosting takes an edge of 1
    least_margin = math.sqrt(8 / size)
    told = (gamma, mean_margin, least_margin)
    if not gamma > 0 or not mean_margin > 0:
        return MarginBound(math.inf, False, *told, math.inf, size)
    tau = -0.99 * math.log1p(-gamma * gamma) / (math.log1p(gamma) - math.log1p(-gamma))
    term = 8 * math.log(2 * size) / (tau * mean_margin) ** 2 * math.log(2 * m * m / math.log(size))
    term += math.log(size / delta)
    bound = math.log(size) / m + math.sqrt(8 / m * term)
    least_rounds = max(1.0, math.ceil(100 / math.log1p(-gamma * gamma) * math.log(2 * term / m)))
    holds = mean_margin > least_margin and len(given) >= least_rounds
    return MarginBound(bound, holds, *told, least_rounds, size)


def n_stumps(values: Float, nominal: NDArray[np.bool_]) -> int:
    """How many stumps a table allows, both polarities counted, and those with an empty side too."""
    count = 0
    for column, is_nominal in zip(values.T, nominal):
        known = column[~np.isnan(column)]
        n_values, has_gaps = len(np.unique(known)), len(known) < len(column)
        count += (n_values if is_nominal else max(0, n_values - 1)) * (1 + has_gaps) + has_gaps
    return 2 * count


def n_trees(n_splits: float, max_leaves: int) -> float:
    """At most how many trees of so many leaves there are, where a node can be split in `n_splits` ways.

    Each split chooses one of the leaves there are; each leaf says one of two things. No more than 1e300.
    """
    logarithm = max_leaves * math.log(2) + sum(math.log(s * n_splits) for s in range(1, max_leaves))
    return math.exp(min(logarithm, 300 * math.log(10)))
