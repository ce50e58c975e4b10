"""The search of MovedPrototypes on points: where to start, and steps down the loss."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
import threadpoolctl  # comes with scikit-learn, without types
from numpy.typing import NDArray

from tamis._memory import Memory
from tamis._threads import Team
from tamis.neighbors import MixedSpace, nearest_rows
from tamis.prototypes._kernels.moving import nearest_two, slope
from tamis.prototypes._points import BATCH, Float, Points
from tamis.prototypes._quota import class_quotas
from tamis.table._table import Table, Target

BLOCK = 1024
"""Rows whose pulls are summed together; the sums of blocks are added up in their order, whatever thread made them."""

RUN = 25
"""Steps that are remembered together."""

JUDGES = 5000
"""Rows among which `voted_start` looks for neighbours at most."""

Drawn = tuple[NDArray[np.intp], NDArray[np.intp]]
"""The rows that take part in a step, and the prototypes."""


@dataclass(frozen=True)
class Steps:
    """How the prototypes move.

    Attributes
    ----------
    n_steps : int
        How many steps.
    betas : tuple of two floats
        How steep the loss is in the first step, and in the last.
    step_size : float
        The length of a first step, in units of `unit_of_step`.
    resting : float
        The share of the prototypes that rest in a step, drawn anew for each.
    weight_step : float
        The length of a first step of what the columns count; 0 for columns that all count the same.
    """

    n_steps: int
    betas: tuple[float, float]
    step_size: float
    resting: float
    weight_step: float

    def done(self, number: int) -> float:
        """How much of the way lies behind step `number`: from 0, in the first, to 1."""
        return number / max(1, self.n_steps - 1)

    def beta(self, number: int) -> float:
        """How steep the loss is in step `number`."""
        return float(self.betas[0] * (self.betas[1] / self.betas[0]) ** self.done(number))

    def cooling(self, number: int) -> float:
        """What is left of the length of a first step in step `number`: a cosine from 1 to 0."""
        return float((1.0 + np.cos(np.pi * self.done(number))) / 2)


@dataclass(eq=False)
class State:
    """Prototypes on their way, and Adam's running means of their slopes and of the squares of these."""

    prototypes: Float
    counts: Float
    means: Float
    squares: Float
    count_means: Float
    count_squares: Float

    @classmethod
    def at(cls, prototypes: Float) -> State:
        """Before the first step: every column counts 1."""
        width = prototypes.shape[1]
        zeros = (np.zeros_like(prototypes), np.zeros_like(prototypes), np.zeros(width), np.zeros(width))
        return cls(prototypes.copy(), np.ones(width), *zeros)

    def step(
        self, gradient: Float, by_counts: Float, number: int, length: float, count_length: float
    ) -> None:
        """Take step `number` (from 0) down these slopes, by Adam (0.9, 0.99)."""
        fade, fade_squares = 1.0 - 0.9 ** (number + 1), 1.0 - 0.99 ** (number + 1)
        self.means = 0.9 * self.means + 0.1 * gradient
        self.squares = 0.99 * self.squares + 0.01 * gradient**2
        self.prototypes = self.prototypes - length * (self.means / fade) / (
            np.sqrt(self.squares / fade_squares) + 1e-8
        )
        if count_length > 0.0:
            self.count_means = 0.9 * self.count_means + 0.1 * by_counts
            self.count_squares = 0.99 * self.count_squares + 0.01 * by_counts**2
            counts = self.counts - count_length * (self.count_means / fade) / (
                np.sqrt(self.count_squares / fade_squares) + 1e-8
            )
            counts = np.maximum(counts, 0.0)
            total = counts.sum()
            self.counts = counts * (len(counts) / total) if total > 0.0 else self.counts


def voted_start(
    table: Table, target: Target, size: int, random: np.random.RandomState, n_jobs: int | None
) -> NDArray[np.intp]:
    """Random rows, each class having its share, from those that their neighbours vote for where there are enough.

    A row is voted for if its class is among the most frequent of its 5 nearest of at most `JUDGES` random rows, never
    itself.
    """
    n_rows = table.n_rows
    quotas = class_quotas("MovedPrototypes", target, size, "proportional")
    judges = np.sort(random.permutation(n_rows)[:JUDGES])
    space = MixedSpace.fit(table.values, table.nominal, "l2")
    rows = space.scaled(table.values)
    n_near = min(6, len(judges))
    near, _ = nearest_rows(space, rows.take(judges), n_near, rows, n_jobs=n_jobs)
    near = judges[near]
    itself = near == np.arange(n_rows)[:, np.newaxis]
    itself[~itself.any(axis=1), -1] = True  # the sixth, where the row is none of the judges
    votes = np.zeros((n_rows, target.n_classes), dtype=np.int64)
    for place in range(n_near):
        np.add.at(votes, (np.arange(n_rows), target.codes[near[:, place]]), ~itself[:, place])
    liked = votes[np.arange(n_rows), target.codes] >= votes.max(axis=1)
    order = random.permutation(n_rows)
    order = np.concatenate([order[liked[order]], order[~liked[order]]])
    codes = target.codes[order]
    chosen = [order[codes == code][:quota] for code, quota in enumerate(quotas)]
    start: NDArray[np.intp] = np.sort(np.concatenate(chosen))
    return start


@dataclass(frozen=True, eq=False)
class Task:
    """The rows, what each counts, and the classes of the prototypes.

    Attributes
    ----------
    points : Points
        The rows.
    codes : ndarray of int, shape (n,)
        Their classes.
    weights : ndarray, shape (n,)
        What the loss of each counts.
    labels : ndarray of int, shape (m,)
        The classes of the prototypes, which never change.
    """

    points: Points
    codes: NDArray[np.int64]
    weights: Float
    labels: NDArray[np.int64]

    def unit_of_step(self, prototypes: Float) -> float:
        """Return max(sqrt(mean a / D), sqrt(median d / D) / 10, 1e-4), on at most `BATCH` rows."""
        part = self.points.take(slice(0, BATCH))
        known = part.known if len(part.known) else np.ones(part.values.shape)
        distances = (part.values**2).sum(axis=1)[:, np.newaxis] - 2.0 * part.values @ prototypes.T
        distances = np.maximum(distances + known @ (prototypes**2).T, 0.0)
        own = np.where(self.labels == self.codes[:BATCH, np.newaxis], distances, np.inf).min(axis=1)
        own = own[np.isfinite(own)]
        width = max(1, prototypes.shape[1])
        near = np.sqrt(own.mean() / width) if len(own) else 0.0
        return float(max(near, 0.1 * np.sqrt(np.median(distances) / width), 1e-4))

    def slopes(
        self, prototypes: Float, counts: Float, beta: float, drawn: Drawn, team: Team
    ) -> tuple[Float, Float, float]:
        """The slopes of the mean loss by the prototypes and by what the columns count, and the loss."""
        rows, awake = drawn
        parts = [rows[first : first + BLOCK] for first in range(0, len(rows), BLOCK)]
        found: list[tuple[Float, Float, float]] = [(prototypes, counts, 0.0)] * len(parts)
        moving = np.ascontiguousarray(prototypes[awake])
        labels = self.labels[awake]

        def pulls(part: int, n_parts: int) -> None:
            for block in range(part, len(parts), n_parts):
                some, weights = self.points.take(parts[block]), self.weights[parts[block]]
                bounds = some.bounds(moving, counts)
                near = nearest_two(
                    bounds, some.values, some.known, moving, counts, labels, self.codes[parts[block]]
                )
                found[block] = slope(*near, some.values, some.known, moving, counts, weights, beta)

        team.each(pulls)
        gradient, by_counts, loss = np.zeros_like(prototypes), np.zeros(len(counts)), 0.0
        for some_gradient, some_counts, some_loss in found:
            gradient[awake] += some_gradient
            by_counts += some_counts
            loss += some_loss
        return gradient / len(rows), by_counts / len(rows), loss / len(rows)


def moved(
    task: Task,
    start: Float,
    steps: Steps,
    random: np.random.RandomState,
    n_threads: int,
    memory: Memory,
) -> Iterator[tuple[State, list[float]]]:
    """Move prototypes down the loss.

    Parameters
    ----------
    task : Task
        The rows and the classes.
    start : ndarray, shape (m, D)
        Where the prototypes start.
    steps : Steps
        How they move.
    random : RandomState
        Draws the prototypes that rest, and the rows of a step where there are more than `BATCH`.
    n_threads : int
        How many threads share the rows of a step; they change nothing but the time.
    memory : Memory
        Of runs of steps.

    Yields
    ------
    State
        Where they are: before the first step, and after every run of them.
    list of float
        The mean loss before every step, over the rows and the prototypes that took part in it.
    """
    state, losses = State.at(start), list[float]()
    yield replace(state), list(losses)
    draws = _draws(random, task.labels, len(task.points), steps.resting)
    team = Team(1 if len(task.points) <= BLOCK else n_threads)
    with team, threadpoolctl.threadpool_limits(1):  # the team's threads share the work
        unit = task.unit_of_step(start)
        for first in range(0, steps.n_steps, RUN):
            numbers = range(first, min(first + RUN, steps.n_steps))
            drawn = list(
                islice(draws, len(numbers))
            )  # also where the run is known: what follows is drawn after it
            part = f"step {numbers.stop}"
            kept = memory.recall(part)
            if kept is None:
                for number, one in zip(numbers, drawn):
                    losses.append(_one_step(task, state, steps, number, unit, one, team))
                memory.keep(part, {**vars(state), "losses": np.array(losses[first:])})
            else:
                losses += kept.pop("losses").tolist()
                state = State(**kept)
            yield replace(state), list(losses)


def _draws(
    random: np.random.RandomState, labels: NDArray[np.int64], n_rows: int, resting: float
) -> Iterator[Drawn]:
    """The rows of one step after the other, and the prototypes that are awake: one of every class at least."""
    own_places = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    rows, everyone = np.arange(n_rows), np.arange(len(labels))
    while True:
        order = rows if n_rows <= BATCH else random.permutation(n_rows)
        for first in range(0, max(1, n_rows // BATCH) * BATCH, BATCH):
            awake = everyone
            if resting > 0.0:
                draws = random.random_sample(len(labels))
                stays = draws >= resting
                stays[[own[np.argmax(draws[own])] for own in own_places]] = True
                awake = np.flatnonzero(stays)
            yield order[first : first + BATCH], awake


def _one_step(
    task: Task, state: State, steps: Steps, number: int, unit: float, drawn: Drawn, team: Team
) -> float:
    """Take one step; the mean loss before it."""
    cooling = steps.cooling(number)
    gradient, by_counts, loss = task.slopes(state.prototypes, state.counts, steps.beta(number), drawn, team)
    state.step(gradient, by_counts, number, steps.step_size * unit * cooling, steps.weight_step * cooling)
    return loss
