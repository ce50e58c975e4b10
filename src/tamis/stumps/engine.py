"""Boost, and eliminate: once for every form of a table. All forms give the same bits; only their speed differs.

::

    table = stump_table(values, nominal, codes)
    problems = class_problems(codes, n_classes)
    models = boost(table, problems, n_rounds)          # one per problem
    gone = eliminate(table, problems, n_rounds)        # the columns in the order in which they leave

Weights are integers held in float64 that add up to about 2^52, so that every edge is an exact sum: no result depends on
the order of summation, on the number of threads or on the float type of the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tamis._memory import Memory
from tamis._threads import Team
from tamis.stumps._kernels.weights import Settings
from tamis.stumps.elimination import Elimination, eliminated
from tamis.stumps.leaving import elimination_plan
from tamis.stumps.problems import Problem, class_problems, one_against_rest, two_class_problems
from tamis.stumps.run import Boosted, StumpTable

__all__ = [
    "boost",
    "class_problems",
    "eliminate",
    "one_against_rest",
    "stump_table",
    "two_class_problems",
]

MANY_ROWS = 8_000
P = TypeVar("P")


def stump_table(
    values: NDArray[np.float64],
    nominal: NDArray[np.bool_],
    classes: NDArray[np.int64],
    n_jobs: int | None = None,
    many_rows: int = MANY_ROWS,
    max_leaves: int = 2,
    soft_margin: float = 0.0,
) -> StumpTable[Problem]:
    """A table in the form that suits its size.

    Sorted columns are several times faster on a few thousand rows, histograms on tens of thousands and more. Where they
    cross depends on the number of columns and on the work: between 3,000 rows (one model, many columns) and 10,000.

    Parameters
    ----------
    values : ndarray, shape (n, d)
        The table, NaN for missing values and codes in nominal columns.
    nominal : ndarray of bool, shape (d,)
        Which columns are nominal.
    classes : ndarray of int, shape (n,)
        The class of each row.
    n_jobs : int, optional
        Threads; 1 if None, all processors if -1.
    many_rows : int, default=8000
        From how many rows on histograms are used.
    max_leaves : int, default=2
        The most leaves of a tree; with 2 trees are stumps.
    soft_margin : float, default=0.0
        The share of the rows that boosting may give up.

    Returns
    -------
    StumpTable
        What `boost` and `eliminate` read.
    """
    if max_leaves > 2 or soft_margin > 0:
        from tamis.stumps.tree_run import tree_table

        return tree_table(values, nominal, classes, max_leaves, soft_margin)
    if len(values) < many_rows:
        from tamis.stumps.sorted_columns import sorted_table

        return sorted_table(values, nominal, n_jobs=n_jobs)
    from tamis.stumps.binned import binned_table  # twice the kernels of all the rest; few tables need them

    return binned_table(values, nominal, classes=classes, n_jobs=n_jobs)


def boost(
    table: StumpTable[P],
    problems: Sequence[P],
    n_rounds: int,
    *,
    columns: ArrayLike | None = None,
    weight_cap: float | None = None,
    learning_rate: float = 1.0,
    n_jobs: int | None = None,
) -> list[Boosted]:
    """AdaBoost over decision stumps, or over trees where the table is made for them.

    In every round the stump of largest absolute edge is taken; ties go to the smaller column, then to the earlier of
    its stumps. Boosting stops early when the largest edge is 0, or after a stump without an error.

    Parameters
    ----------
    table : StumpTable
        The table.
    problems : sequence
        The two-class problems; see `class_problems`.
    n_rounds : int
        The most stumps in a model.
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
    list of Stumps or of Trees
        One model per problem.
    """
    settings = _settings("boost", n_rounds, weight_cap, learning_rate)
    active = _active("boost", table.n_columns, columns)
    models = []
    with Team(table.n_threads(n_jobs)) as team:
        for problem in problems:
            run = table.new_run(problem, active, settings, 0, team)
            run.train()
            models.append(run.model())
    return models


def eliminate(
    table: StumpTable[P],
    problems: Sequence[P],
    n_rounds: int,
    *,
    priors: ArrayLike | None = None,
    criterion: str = "margin_fraction",
    step: int | float = 1,
    step_until: int = 1,
    columns: ArrayLike | None = None,
    weight_cap: float | None = None,
    learning_rate: float = 1.0,
    n_jobs: int | None = None,
    n_kept: int | None = None,
    parents: NDArray[np.int64] | None = None,
    memory: Memory | None = None,
) -> Elimination:
    """Backward elimination: boost on the surviving columns, drop those that are worth least, and again.

    Parameters
    ----------
    table, problems, n_rounds, columns, weight_cap, learning_rate, n_jobs
        As in `boost`; `columns` are those to start from.
    priors : array-like of shape (problems,), optional
        The weights of several problems in the joint score; all the same if not given.
    criterion : {"margin_fraction", "contribution_ratio"}, default="margin_fraction"
        What a column is worth: the numerator of eq. (10), or that of eq. (7) with absolute values. Several problems:
        the mean of its shares in each problem's sum, weighted by `priors`.
    step : int or float, default=1
        How many columns leave together, or (below 1) which share of the surviving ones.
    step_until : int, default=1
        From this many columns down they leave one by one.
    n_kept : int, optional
        How many rounds of each model are kept to go back to; the table decides if not given. No result depends on it.
    parents : ndarray of int, shape (pairs, 2), optional
        The last columns of the table are made of two others each, which are named here. A pair is not ranked: each of its
        two columns has half of what it is worth, and it leaves with the first of them.
    memory : Memory, optional
        What an interrupted elimination of this table has left, and where this one leaves the same.

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
    settings = _settings("eliminate", n_rounds, weight_cap, learning_rate)
    pairs = np.empty((0, 2), dtype=np.int64) if parents is None else parents
    n_columns = table.n_columns - len(pairs)
    active = _active("eliminate", n_columns, columns)
    usable = np.concatenate([active, n_columns + np.flatnonzero(np.isin(pairs, active).all(axis=1))])
    plan = elimination_plan(len(problems), priors, criterion, step, step_until)._replace(parents=pairs)
    n_kept = n_kept or table.n_kept(len(problems))
    with Team(table.n_threads(n_jobs)) as team:
        runs = [table.new_run(problem, usable, settings, n_kept, team) for problem in problems]
        return eliminated(runs, active, table.n_columns, plan, memory)


def _active(who: str, n_columns: int, columns: ArrayLike | None) -> NDArray[np.int64]:
    """The columns that stumps may use, ascending."""
    if columns is None:
        return np.arange(n_columns)
    active = np.unique(np.asarray(columns, dtype=np.int64))
    if len(active) == 0 or active[0] < 0 or active[-1] >= n_columns:
        raise ValueError(
            f"{who}: columns={np.asarray(columns).tolist()}, but the table has columns 0 to {n_columns - 1}."
        )
    return active


def _settings(who: str, n_rounds: int, weight_cap: float | None, learning_rate: float) -> Settings:
    """The settings of boosting as the kernels read them: a cap of 0 is none."""
    if n_rounds < 1:
        raise ValueError(f"{who}: n_rounds={n_rounds}. Use at least 1.")
    if weight_cap is not None and not weight_cap >= 1:
        raise ValueError(f"{who}: weight_cap={weight_cap}. Use at least 1, or None.")
    if not 0 < learning_rate <= 1:
        raise ValueError(f"{who}: learning_rate={learning_rate}. Use a number above 0, 1 at most.")
    return Settings(int(n_rounds), 0.0 if weight_cap is None else float(weight_cap), float(learning_rate))
