"""Backward elimination of columns: the loop over models in the making, and what is kept of it on the way.

All that was done follows from the stumps: weights and histograms are made again from them, to the last bit. So what is
kept is small: the stumps of the present models, and the columns that have left.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from tamis._memory import Memory
from tamis.stumps.leaving import Model, Plan, Record, column_scores, drop_columns
from tamis.stumps.run import Run

__all__ = ["Elimination", "eliminated"]

Float = NDArray[np.float64]
Int = NDArray[np.int64]
PART = "elimination"
SECONDS = 2.0  # between two times that it is kept
ROUNDS = 5  # are trained before the clock is looked at


@dataclass(frozen=True)
class Elimination:
    """The columns in the order in which they left; made by `tamis.stumps.engine.eliminate`.

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

    column: Int
    score: Float
    n_columns: Int
    n_fits: Int
    first_scores: Float


@dataclass
class _State:
    """How far an elimination has come; one entry per column, in the order in which they left."""

    column: Int
    score: Float
    n_columns: Int
    n_fits: Int
    surviving: NDArray[np.bool_]  # (d,)
    first_scores: Float  # (d,)
    n_gone: Int  # (1,) columns that have left
    n_trained: Int  # (1,) models trained

    @classmethod
    def new(cls, active: Int, n_columns: int, n_runs: int) -> _State:
        """Nothing has left yet."""
        return cls(
            column=np.zeros_like(active),
            score=np.zeros(len(active)),
            n_columns=np.zeros_like(active),
            n_fits=np.zeros_like(active),
            surviving=np.isin(np.arange(n_columns), active),
            first_scores=np.zeros(n_columns),
            n_gone=np.array([0]),
            n_trained=np.array([n_runs]),
        )


class _Journal:
    """Keeps an elimination every few seconds, and puts back what was kept."""

    def __init__(self, memory: Memory, runs: Sequence[Run], state: _State) -> None:
        self.memory, self.runs, self.state = memory, runs, state
        self.written = time.monotonic()

    @property
    def writes(self) -> bool:
        """Whether anything is kept at all."""
        return self.memory.folder is not None

    def recall(self) -> None:
        """Put back what was kept, if anything was."""
        arrays = self.memory.recall(PART)
        if arrays is None:
            return
        for field in fields(self.state):
            setattr(self.state, field.name, arrays[field.name])
        left = np.flatnonzero(self.state.surviving)
        for number, run in enumerate(self.runs):
            own = f"run {number} "
            of_run = {name.removeprefix(own): array for name, array in arrays.items() if name.startswith(own)}
            run.put_back(of_run, left)

    def keep(self) -> None:
        """Keep the present state, unless that was done a moment ago."""
        if not self.writes or time.monotonic() - self.written < SECONDS:
            return
        arrays = {field.name: getattr(self.state, field.name) for field in fields(self.state)}
        for number, run in enumerate(self.runs):
            arrays |= {f"run {number} {name}": array for name, array in run.keep().items()}
        self.memory.keep(PART, arrays)
        self.written = time.monotonic()


def eliminated(
    runs: Sequence[Run], active: Int, n_columns: int, plan: Plan, memory: Memory | None = None
) -> Elimination:
    """Let the columns leave one after the other.

    Parameters
    ----------
    runs : sequence of Run
        A model of no rounds for each problem.
    active : ndarray of int
        The columns to start from, ascending, pairs of columns left out.
    n_columns : int
        How many columns the table has, pairs among them.
    plan : Plan
        As `tamis.stumps.leaving.elimination_plan` gives it.
    memory : Memory, optional
        What an interrupted elimination of this table has left, and where this one leaves the same.

    Returns
    -------
    Elimination
        The columns in the order in which they left.
    """
    ties = np.zeros(n_columns)
    for prior, run in zip(plan.priors, runs):
        ties += prior * run.first_edges()
    plan = plan._replace(tie_order=active[np.lexsort((-active, ties[active]))])
    state = _State.new(active, n_columns, len(runs))
    state.surviving[n_columns - len(plan.parents) :] = state.surviving[plan.parents].all(axis=1)
    journal = _Journal(memory or Memory.none(), runs, state)
    journal.recall()
    _train(runs, journal)
    if state.n_gone[0] == 0:
        state.first_scores[:] = column_scores(_models(runs), plan, n_columns)[0]
    record = Record(state.column, state.score, state.n_columns)
    restart = np.zeros(len(runs), dtype=np.int64)
    while (n_gone := int(state.n_gone[0])) < len(active):
        state.n_gone[0] = drop_columns(_models(runs), plan, state.surviving, record, restart)
        state.n_fits[n_gone : state.n_gone[0]] = state.n_trained[0]
        if state.n_gone[0] == len(active):
            break
        left = np.flatnonzero(state.surviving)
        for run, n_rounds in zip(runs, restart.tolist()):
            if n_rounds < len(run):
                run.restart(n_rounds, left)
                state.n_trained[0] += 1
        _train(runs, journal)
    return Elimination(
        state.column,
        state.score,
        state.n_columns,
        state.n_fits,
        state.first_scores[: n_columns - len(plan.parents)],
    )


def _train(runs: Sequence[Run], journal: _Journal) -> None:
    """Train the models to their end."""
    while left := [run for run in runs if not run.complete]:
        type(left[0]).train_several(left, ROUNDS if journal.writes else None)
        journal.keep()


def _models(runs: Sequence[Run]) -> list[Model]:
    """What the runs tell of their columns."""
    return [run.worth() for run in runs]
