"""AdaBoost over decision stumps for tables of many rows, and backward elimination: exact, from histograms.

The same functions as in `tamis.stumps.model`, with the same results, bit for bit, on another preparation of the table.
Above some thousands of rows this one is faster, by far on hundreds of thousands. ``docs/engine.md`` says how the
histograms are kept up from round to round and proves that no stump can be missed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tamis._memory import Memory
from tamis._threads import threads
from tamis.stumps.binned import Binned, prepare
from tamis.stumps.elimination import Elimination
from tamis.stumps.elimination_runs import eliminated
from tamis.stumps.histogram_run import HistogramRun
from tamis.stumps.leaving import elimination_plan
from tamis.stumps.model import Stumps
from tamis.stumps.problems import ProblemWeights, checked_cap, checked_rate, checked_rounds, problem_weights

__all__ = ["Binned", "boost", "eliminate", "prepare"]

Float = NDArray[np.float64]


def boost(
    binned: Binned,
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
    """AdaBoost over decision stumps for two classes: `tamis.stumps.model.boost` on a binned table.

    Parameters
    ----------
    binned : Binned
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
        The part of every edge that is acted on.
    n_jobs : int, optional
        Threads; 1 if None, all processors if -1. The result does not depend on it.

    Returns
    -------
    Stumps
        The model.
    """
    signs, given = _problems("boost", binned, np.asarray(sign)[np.newaxis], weights, balanced)
    run = HistogramRun(
        binned,
        signs[0],
        given.of(0),
        _columns("boost", binned, columns),
        weight_cap=checked_cap("boost", weight_cap),
        learning_rate=checked_rate("boost", learning_rate),
        n_threads=threads(n_jobs),
    )
    run.train(checked_rounds("boost", n_rounds))
    return run.stumps()


def eliminate(
    binned: Binned,
    signs: ArrayLike,
    n_rounds: int,
    weights: ArrayLike | None = None,
    *,
    balanced: bool = False,
    priors: ArrayLike | None = None,
    criterion: str = "margin_fraction",
    step: int | float = 1,
    step_until: int = 1,
    columns: ArrayLike | None = None,
    weight_cap: float | None = None,
    learning_rate: float = 1.0,
    n_jobs: int | None = None,
    n_kept: int | None = None,
    memory: Memory | None = None,
) -> Elimination:
    """Backward elimination: `tamis.stumps.model.eliminate`, where the parameters are described, on a binned table.

    Parameters
    ----------
    binned : Binned
        The table, best prepared with the classes of its rows.
    signs, n_rounds, weights, balanced, priors, criterion, step, step_until, columns, weight_cap, n_jobs
        As there.
    n_kept : int, optional
        How many rounds are kept to go back to; if not given, half as many as there are columns. No result depends on it.
    memory : Memory, optional
        What an interrupted elimination of this table has left, and where this one leaves the same.

    Returns
    -------
    Elimination
        The columns in the order in which they left.

    Notes
    -----
    Rounds in which a column is first used are kept, to go back to: weights and histograms. If `n_kept` is not given,
    these take at most half the memory of the table for each problem; where that is not enough for all, some rounds are
    repeated.
    """
    signs, given = _problems("eliminate", binned, np.atleast_2d(signs), weights, balanced)
    active = _columns("eliminate", binned, columns)
    plan = elimination_plan(len(signs), priors, criterion, step, step_until)
    n_rounds = checked_rounds("eliminate", n_rounds)
    cap, n_threads = checked_cap("eliminate", weight_cap), threads(n_jobs)
    rate = checked_rate("eliminate", learning_rate)
    n_kept = n_kept or max(4, binned.n_columns // 2)
    runs = [
        HistogramRun(
            binned,
            sign,
            given.of(problem),
            active,
            weight_cap=cap,
            learning_rate=rate,
            n_threads=n_threads,
            n_kept=n_kept,
        )
        for problem, sign in enumerate(signs)
    ]
    return eliminated(runs, active, binned.n_columns, plan, n_rounds, memory)


def _problems(
    who: str, binned: Binned, signs: NDArray[Any], weights: ArrayLike | None, balanced: bool
) -> tuple[NDArray[Any], ProblemWeights]:
    """The signs and the integer start weights, 0 for rows that are left out."""
    if signs.ndim != 2 or signs.shape[1] != binned.n_rows:
        raise ValueError(f"{who}: signs have shape {signs.shape}, but the table has {binned.n_rows} rows.")
    if not (np.abs(signs) == 1).all():
        raise ValueError(f"{who}: signs must be +1 or -1.")
    if weights is None:
        return signs, problem_weights(signs, None, balanced)
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != (binned.n_rows,):
        raise ValueError(f"{who}: weights have shape {given.shape}, but the table has {binned.n_rows} rows.")
    if not (np.isfinite(given) & (given >= 0)).all() or not (given > 0).any():
        raise ValueError(f"{who}: weights must be finite and not negative, and one at least positive.")
    start = np.zeros(signs.shape)
    kept = given > 0
    found = problem_weights(signs[:, kept], given[kept], balanced)
    start[:, kept] = found.start
    return signs, found._replace(start=start)


def _columns(who: str, binned: Binned, columns: ArrayLike | None) -> NDArray[np.int64]:
    """The columns that stumps may use, ascending."""
    if columns is None:
        return np.arange(binned.n_columns)
    active = np.unique(np.asarray(columns, dtype=np.int64))
    if len(active) == 0 or active[0] < 0 or active[-1] >= binned.n_columns:
        raise ValueError(
            f"{who}: columns={np.asarray(columns).tolist()}, but the table has columns 0 to {binned.n_columns - 1}."
        )
    return active
