"""AdaBoost over decision stumps, exact to the bit, and the backward elimination of columns that rests on it.

Plain functions over a table that is prepared once::

    prepared = prepare(values, nominal)
    stumps = boost(prepared, sign, n_rounds)           # one model of two classes
    H = decision(stumps, values)                       # eq. (1)
    gone = eliminate(prepared, one_against_rest(codes, n_classes), n_rounds)

Weights are integers held in float64 that add up to about 2^52, so that every edge is an exact sum: no result depends on
the order of summation, on the number of threads or on the float type of the table.

The stumps of a column, in the order in which ties are settled: for each threshold halfway between two neighbouring
values, ascending (nominal: for each value present, ascending), gaps first on the left, then on the right; last, known
values on the left and gaps on the right. "Left" is ``x <= threshold``; of a nominal column ``x != threshold``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tamis.stumps._kernels import predicting
from tamis.stumps._kernels.scanning import ALPHA, COLUMN, CUT, EDGE, GAP_RIGHT, POLARITY, Runs, U
from tamis.stumps.elimination import Elimination, eliminate
from tamis.stumps.problems import (
    active_columns,
    checked_cap,
    checked_rate,
    checked_rounds,
    new_runs,
    one_against_rest,
    problems,
    start_weights,
)
from tamis.stumps.sorted_columns import Prepared, prepare
from tamis.stumps.sorted_run import Trainer

__all__ = [
    "Elimination",
    "Prepared",
    "Stumps",
    "boost",
    "contribution_ratios",
    "decision",
    "eliminate",
    "margin_fractions",
    "one_against_rest",
    "prepare",
    "start_weights",
    "votes",
]

Float = NDArray[np.float64]


@dataclass(frozen=True)
class Stumps:
    """A boosted model: arrays with one entry a round.

    Attributes
    ----------
    column : ndarray of int
        The column that the stump looks at.
    threshold : ndarray of float
        The right side is ``x > threshold``, or ``x == threshold`` for a nominal column; +inf: no known value.
    nominal : ndarray of bool
        Whether the column is nominal.
    gap_right : ndarray of bool
        Whether gaps are on the right side. A column without gaps has them on the left.
    polarity : ndarray of int
        What the stump says on the right side, +1 or -1; the other on the left.
    alpha : ndarray of float
        The stump's weight, eq. (2), always positive.
    u : ndarray of float
        The sum of y_i h(x_i) over the rows: counted, or, with weights that are not all equal, over the integer
        start weights.
    edge : ndarray of float
        gamma, the stump's edge under the weights of its round; 1 for a stump without an error. The learning rate is
        not in it.
    """

    column: NDArray[np.int64]
    threshold: Float
    nominal: NDArray[np.bool_]
    gap_right: NDArray[np.bool_]
    polarity: NDArray[np.int64]
    alpha: Float
    u: Float
    edge: Float

    def __len__(self) -> int:
        return len(self.column)


def boost(
    prepared: Prepared,
    sign: ArrayLike,
    n_rounds: int,
    weights: ArrayLike | None = None,
    *,
    balanced: bool = False,
    columns: ArrayLike | None = None,
    weight_cap: float | None = None,
    learning_rate: float = 1.0,
    n_jobs: int | None = None,
) -> Stumps:
    """AdaBoost over decision stumps for two classes.

    In every round the stump of largest absolute edge is taken; ties go to the smaller column, then to the earlier of
    its stumps. Boosting stops early when the largest edge is 0, or after a stump without an error.

    Parameters
    ----------
    prepared : Prepared
        The table.
    sign : array-like of shape (n,)
        The class of each row, +1 or -1.
    n_rounds : int
        The most stumps.
    weights : array-like of shape (n,), optional
        Weights of the rows, not negative; rows of weight 0 are left out.
    balanced : bool, default=False
        Whether both classes weigh half at the start, whatever their size.
    columns : array-like of int, optional
        The columns that stumps may use; all if not given.
    weight_cap : float, optional
        After every round no weight is larger than so many times the mean; at least 1.
    learning_rate : float, default=1.0
        The part of every edge that is acted on: below 1, gamma is so much smaller in alpha and in the new weights.
    n_jobs : int, optional
        Threads for large tables; 1 if None, all processors if -1. The result does not depend on it.

    Returns
    -------
    Stumps
        The model.
    """
    prepared, signs, given = problems("boost", prepared, np.asarray(sign)[np.newaxis], weights, balanced)
    active = active_columns("boost", prepared, columns)
    runs = new_runs(prepared, signs, given, checked_rounds("boost", n_rounds), keep=False)
    cap, rate = checked_cap("boost", weight_cap), checked_rate("boost", learning_rate)
    with Trainer(prepared.layout, runs, cap, rate, n_jobs) as trainer:
        trainer.train(0, active, 0)
    return _stumps(prepared, runs, 0)


def votes(stumps: Stumps, values: ArrayLike) -> Iterator[Float]:
    """alpha_t h_t(x) of each row, round by round.

    Parameters
    ----------
    stumps : Stumps
        A model.
    values : array-like of shape (n, d)
        The columns of the table that the model was trained on. A value that a nominal column did not have goes left.

    Yields
    ------
    ndarray of shape (n,)
        What the stump of this round adds to H(x).
    """
    table = np.asarray(values, dtype=np.float64)
    for t in range(len(stumps)):
        column = table[:, stumps.column[t]]
        right = column == stumps.threshold[t] if stumps.nominal[t] else column > stumps.threshold[t]
        if stumps.gap_right[t]:
            right |= np.isnan(column)
        weight = stumps.alpha[t] * stumps.polarity[t]
        yield np.where(right, weight, -weight)


def decision(stumps: Stumps, values: ArrayLike) -> Float:
    """H(x) of eq. (1) for each row.

    Parameters
    ----------
    stumps : Stumps
        A model.
    values : array-like of shape (n, d)
        The columns of the table that the model was trained on.

    Returns
    -------
    ndarray of shape (n,)
        The sum of `votes`, added in order of the rounds.
    """
    weight = stumps.alpha * stumps.polarity
    decided: Float = predicting.summed_votes(
        np.asarray(values, dtype=np.float64),
        stumps.column,
        stumps.threshold,
        stumps.nominal,
        stumps.gap_right,
        weight,
    )
    return decided


def margin_fractions(stumps: Stumps, n_columns: int) -> Float:
    """N_f, the numerators of eq. (10): each column's sum of alpha_t u_t. MF_f is N_f over the sum of N."""
    return np.asarray(np.bincount(stumps.column, stumps.alpha * stumps.u, n_columns), dtype=np.float64)


def contribution_ratios(stumps: Stumps, n_columns: int) -> Float:
    """The numerators of eq. (7): each column's sum of alpha_t, all of which are positive."""
    return np.asarray(np.bincount(stumps.column, stumps.alpha, n_columns), dtype=np.float64)


def _stumps(prepared: Prepared, runs: Runs, problem: int) -> Stumps:
    """The model of one problem."""
    n_rounds = int(runs.n_rounds[problem])
    stumps, figures = runs.stumps[problem, :n_rounds].T.copy(), runs.figures[problem, :n_rounds].T.copy()
    column, cut = stumps[COLUMN], stumps[CUT]
    threshold = np.full(n_rounds, np.inf)
    nominal = prepared.nominal[column]
    for t in np.flatnonzero(cut >= 0):
        value = prepared.distinct_start[column[t]] + cut[t]
        threshold[t] = prepared.distinct[value]
        if not nominal[t]:
            threshold[t] = _halfway(float(prepared.distinct[value]), float(prepared.distinct[value + 1]))
    return Stumps(
        column=column,
        threshold=threshold,
        nominal=nominal,
        gap_right=stumps[GAP_RIGHT] == 1,
        polarity=stumps[POLARITY],
        alpha=figures[ALPHA],
        u=figures[U],
        edge=figures[EDGE],
    )


def _halfway(low: float, high: float) -> float:
    """The threshold between two neighbouring values: low <= threshold < high, whatever they are."""
    width = high - low
    middle = low + width / 2 if math.isfinite(width) else low / 2 + high / 2
    return middle if middle < high else low
