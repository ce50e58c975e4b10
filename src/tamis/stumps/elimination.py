"""Backward elimination of columns by what they are worth in boosted stumps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tamis.stumps._kernels.scanning import ALPHA, COLUMN, U
from tamis.stumps.leaving import Models, Plan, Record, column_scores, drop_columns, elimination_plan
from tamis.stumps.problems import (
    active_columns,
    checked_cap,
    checked_rate,
    checked_rounds,
    new_runs,
    problems,
)
from tamis.stumps.sorted_columns import Prepared
from tamis.stumps.sorted_run import Trainer

__all__ = ["Elimination", "eliminate"]

Float = NDArray[np.float64]


@dataclass(frozen=True)
class Elimination:
    """The columns in the order in which they left; made by `eliminate`.

    Attributes
    ----------
    column : ndarray of int
        The columns, the first to leave first: the last one is the best.
    score : ndarray of float
        The criterion of each of them, as a share of its sum over all columns, in the model in which it left.
    n_columns : ndarray of int
        How many columns that model could use.
    n_fits : ndarray of int
        How many models had been trained by then, restarts included.
    first_scores : ndarray of float, shape (d,)
        The criterion, as a share of its sum, in the model of all columns.
    """

    column: NDArray[np.int64]
    score: Float
    n_columns: NDArray[np.int64]
    n_fits: NDArray[np.int64]
    first_scores: Float


def eliminate(
    prepared: Prepared,
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
) -> Elimination:
    """Backward elimination: boost on the surviving columns, drop those that are worth least, and again.

    Parameters
    ----------
    prepared : Prepared
        The table.
    signs : array-like of shape (problems, n)
        +1 or -1: one row for two classes, one a class for more; see `one_against_rest`.
    n_rounds : int
        The most stumps in a model.
    weights : array-like of shape (n,), optional
        Weights of the rows, not negative; rows of weight 0 are left out.
    balanced : bool, default=False
        Whether both sides of every problem weigh half at the start, whatever their size.
    priors : array-like of shape (problems,), optional
        The weights of several problems in the joint score; all the same if not given.
    criterion : {"margin_fraction", "contribution_ratio"}, default="margin_fraction"
        What a column is worth: the numerator of eq. (10), or that of eq. (7) with absolute values. Several problems:
        the mean of its shares in each problem's sum, weighted by `priors`.
    step : int or float, default=1
        How many columns leave together, or (below 1) which share of the surviving ones.
    step_until : int, default=1
        From this many columns down they leave one by one.
    columns : array-like of int, optional
        The columns to start from; all if not given.
    weight_cap : float, optional
        As in `boost`.
    learning_rate : float, default=1.0
        As in `boost`.
    n_jobs : int, optional
        As in `boost`.

    Returns
    -------
    Elimination
        The columns in the order in which they left.

    Notes
    -----
    Ties: the smaller edge in the first round leaves first, then the larger column. Nothing is trained that is known
    already: a column that no stump uses leaves without a new model, and the models are trained anew only from the
    round in which they first used a column that has left.
    """
    prepared, signs, given = problems("eliminate", prepared, np.atleast_2d(signs), weights, balanced)
    active = active_columns("eliminate", prepared, columns)
    plan = elimination_plan(len(signs), priors, criterion, step, step_until)._replace(tie_order=active)
    runs = new_runs(prepared, signs, given, checked_rounds("eliminate", n_rounds), keep=True)
    cap, rate = checked_cap("eliminate", weight_cap), checked_rate("eliminate", learning_rate)
    with Trainer(prepared.layout, runs, cap, rate, n_jobs) as trainer:
        return _eliminated(trainer, plan)


def _eliminated(trainer: Trainer, plan: Plan) -> Elimination:
    """Let all columns of the plan leave; they stand in it in ascending order."""
    runs, active = trainer.runs, plan.tie_order
    n_columns, n_problems = len(trainer.layout.codes), len(plan.priors)
    ties = np.zeros(n_columns)
    for problem in range(n_problems):
        ties += plan.priors[problem] * trainer.first_edges(problem, active)
        trainer.train(problem, active, 0)
    plan = plan._replace(tie_order=active[np.lexsort((-active, ties[active]))])
    models = Models(runs.n_rounds, runs.stumps[..., COLUMN], runs.figures[..., ALPHA], runs.figures[..., U])
    first_scores = column_scores(models, plan, n_columns)[0]
    record = Record(np.zeros_like(active), np.zeros(len(active)), np.zeros_like(active))
    trained = np.zeros_like(active)
    surviving = np.zeros(n_columns, dtype=np.bool_)
    surviving[active] = True
    restart = np.zeros(n_problems, dtype=np.int64)
    n_gone, n_fits = 0, n_problems
    while n_gone < len(trained):
        first, n_gone = n_gone, drop_columns(models, plan, surviving, record, restart)
        trained[first:n_gone] = n_fits
        active = np.flatnonzero(surviving)
        for problem in range(n_problems):
            if n_gone == len(trained) or restart[problem] == runs.n_rounds[problem]:
                continue
            trainer.train(problem, active, int(restart[problem]))
            n_fits += 1
    return Elimination(record.column, record.score, record.n_columns, trained, first_scores)
