"""Backward elimination by models that can go back and go on, and what is kept of it on the way.

All that was done follows from the stumps: weights and histograms are made again from them, to the last bit. So what is
kept is small: the stumps of the present models, and the columns that have left.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, fields
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tamis._memory import Arrays, Memory
from tamis.stumps.elimination import Elimination
from tamis.stumps.leaving import Models, Plan, Record, column_scores, drop_columns

__all__ = ["Run", "eliminated"]

Float = NDArray[np.float64]
Int = NDArray[np.int64]
PART = "elimination"
SECONDS = 2.0  # between two times that it is kept
ROUNDS = 5  # after so many, whether it is time is looked at


class Run(Protocol):
    """A boosted model of two classes: `HistogramRun` or `PartitionedRun`."""

    rounds: Any

    def __len__(self) -> int:
        """How many stumps there are."""

    @property
    def finished(self) -> bool:
        """Whether there will be no more stumps."""

    def train(self, n_rounds: int, at_most: int | None = None) -> None:
        """Add stumps until there are `n_rounds`, or so many more."""

    def restart(self, n_rounds: int, columns: Int) -> None:
        """Go back to the model of `n_rounds` rounds, and go on from there with the given columns only."""

    def first_edges(self) -> Float:
        """The largest edge of every column under the start weights."""

    def kept(self) -> Arrays:
        """What `put_back` needs."""

    def put_back(self, kept: Arrays, n_rounds: int, columns: Int) -> None:
        """Become the run that was kept, in which the given columns were left."""


@dataclass
class _State:
    """How far an elimination has come; one entry a column, in the order in which they left."""

    column: Int
    score: Float
    n_columns: Int
    n_fits: Int
    surviving: NDArray[np.bool_]  # (d,)
    first_scores: Float  # (d,)
    counts: Int  # (2,) columns that have left, models trained

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
            counts=np.array([0, n_runs]),
        )


class _Journal:
    """Keeps an elimination every few seconds, and finds what was kept."""

    def __init__(self, memory: Memory, runs: list[Any], state: _State) -> None:
        self.memory, self.runs, self.state = memory, runs, state
        self.at = time.monotonic()

    @property
    def writes(self) -> bool:
        """Whether anything is kept at all."""
        return self.memory.folder is not None

    def recall(self, n_rounds: int) -> None:
        """Put back what was kept, if anything was."""
        kept = self.memory.recall(PART)
        if kept is None:
            return
        for field in fields(self.state):
            setattr(self.state, field.name, kept[field.name])
        left = np.flatnonzero(self.state.surviving)
        for number, run in enumerate(self.runs):
            own = f"run {number} "
            arrays = {name.removeprefix(own): array for name, array in kept.items() if name.startswith(own)}
            run.put_back(arrays, n_rounds, left)

    def keep(self) -> None:
        """Keep the present state, unless that was done a moment ago."""
        if not self.writes or time.monotonic() - self.at < SECONDS:
            return
        arrays = {field.name: getattr(self.state, field.name) for field in fields(self.state)}
        for number, run in enumerate(self.runs):
            arrays |= {f"run {number} {name}": array for name, array in run.kept().items()}
        self.memory.keep(PART, arrays)
        self.at = time.monotonic()


def eliminated(
    runs: list[Any],
    active: Int,
    n_columns: int,
    plan: Plan,
    n_rounds: int,
    memory: Memory | None = None,
) -> Elimination:
    """Let the columns leave one after the other.

    Parameters
    ----------
    runs : list of Run
        A model of no rounds for each problem.
    active : ndarray of int
        The columns to start from, ascending.
    n_columns : int
        How many columns the table has.
    plan : Plan
        As `tamis.stumps.leaving.elimination_plan` gives it.
    n_rounds : int
        The most stumps in a model.
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
    journal = _Journal(memory or Memory.none(), runs, state)
    journal.recall(n_rounds)
    _train(runs, n_rounds, journal)
    if state.counts[0] == 0:
        state.first_scores[:] = column_scores(_models(runs, n_rounds), plan, n_columns)[0]
    record = Record(state.column, state.score, state.n_columns)
    restart = np.zeros(len(runs), dtype=np.int64)
    while (n_gone := int(state.counts[0])) < len(active):
        state.counts[0] = drop_columns(_models(runs, n_rounds), plan, state.surviving, record, restart)
        state.n_fits[n_gone : state.counts[0]] = state.counts[1]
        if state.counts[0] == len(active):
            break
        for run, t in zip(runs, restart):
            if t < len(run):
                run.restart(int(t), np.flatnonzero(state.surviving))
                state.counts[1] += 1
        _train(runs, n_rounds, journal)
    return Elimination(state.column, state.score, state.n_columns, state.n_fits, state.first_scores)


def _train(runs: list[Any], n_rounds: int, journal: _Journal) -> None:
    """Train the models to their end."""
    for run in runs:
        while len(run) < n_rounds and not run.finished:
            run.train(n_rounds, ROUNDS if journal.writes else None)
            journal.keep()


def _models(runs: list[Any], n_rounds: int) -> Models:
    """The runs as the kernels of the elimination read them."""
    return Models(
        n_rounds=np.array([len(run) for run in runs]),
        column=np.stack([run.rounds.place[:n_rounds, 0] for run in runs]),
        alpha=np.stack([run.rounds.figures[:n_rounds, 1] for run in runs]),
        u=np.stack([run.rounds.figures[:n_rounds, 2] for run in runs]),
    )
