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
from tamis.prototypes._kernels.moving import Made, adam, pulls
from tamis.prototypes._points import BATCH, Float, Points, PointSpace
from tamis.prototypes._quota import class_quotas
from tamis.table._table import Table, Target

BLOCK = 1024
"""Rows whose pulls are summed together; the sums of blocks are added up in their order, whatever thread made them."""

PART = 2048
"""Rows that take part in a step where there are more than `BATCH`."""

NEVER = 2.0
"""A share of the way that is never reached."""

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
    real_from : float
        The share of the way from which categorical columns have real values; above 1 for never.
    """

    n_steps: int
    betas: tuple[float, float]
    step_size: float
    resting: float
    weight_step: float
    real_from: float = NEVER

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
        self.prototypes, self.means, self.squares = adam(
            self.prototypes, self.means, self.squares, gradient, number, length
        )
        if count_length > 0.0:
            of_counts = (self.counts, self.count_means, self.count_squares, by_counts)
            stepped = adam(*(array[np.newaxis] for array in of_counts), number, count_length)
            counts, self.count_means, self.count_squares = (array[0] for array in stepped)
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
    judged = space.scaled(table.values[judges])
    order = random.permutation(n_rows)
    open_quotas, liked, first = np.array(quotas), np.zeros(n_rows, dtype=bool), 0
    while first < n_rows and (open_quotas > 0).any():  # as many as are needed
        some = order[first : first + max(2 * size, BLOCK)]
        near, _ = nearest_rows(space, judged, min(6, len(judges)), table.values[some], n_jobs=n_jobs)
        near = judges[near]
        itself = near == some[:, np.newaxis]
        itself[~itself.any(axis=1), -1] = True  # the sixth, where the row is none of the judges
        votes = np.zeros((len(some), target.n_classes), dtype=np.int64)
        for place in range(near.shape[1]):
            np.add.at(votes, (np.arange(len(some)), target.codes[near[:, place]]), ~itself[:, place])
        own = target.codes[some]
        liked[some] = votes[np.arange(len(some)), own] >= votes.max(axis=1)
        open_quotas -= np.bincount(own[liked[some]], minlength=target.n_classes)
        first += len(some)
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
    space : PointSpace
        How rows became points.
    points : Points
        The rows.
    codes : ndarray of int, shape (n,)
        Their classes.
    weights : ndarray, shape (n,)
        What the loss of each counts.
    labels : ndarray of int, shape (m,)
        The classes of the prototypes, which never change; ascending.
    """

    space: PointSpace
    points: Points
    codes: NDArray[np.int64]
    weights: Float
    labels: NDArray[np.int64]

    def unit_of_step(self, prototypes: Float) -> float:
        """Return max(sqrt(mean a / D), sqrt(median d / D) / 10, 1e-4), on at most `BATCH` rows."""
        values, known = self.points.values[:BATCH], self.points.known[:BATCH]
        known = known if len(known) else np.ones(values.shape)
        distances = (values**2).sum(axis=1)[:, np.newaxis] - 2.0 * values @ prototypes.T
        distances = np.maximum(distances + known @ (prototypes**2).T, 0.0)
        own = np.where(self.labels == self.codes[:BATCH, np.newaxis], distances, np.inf).min(axis=1)
        own = own[np.isfinite(own)]
        width = max(1, prototypes.shape[1])
        near = np.sqrt(own.mean() / width) if len(own) else 0.0
        return float(max(near, 0.1 * np.sqrt(np.median(distances) / width), 1e-4))

    def slopes(
        self, prototypes: Float, counts: Float, beta: float, learns: bool, drawn: Drawn, team: Team
    ) -> tuple[Float, Float, float]:
        """The slopes of the mean loss by the prototypes and, if it `learns`, by what the columns count, and the loss."""
        rows, awake = drawn
        parts = [rows[first : first + BLOCK] for first in range(0, len(rows), BLOCK)]
        found: list[tuple[Float, Float, float]] = [(prototypes, counts, 0.0)] * len(parts)
        starts = np.searchsorted(self.labels[awake], np.arange(int(self.codes.max()) + 2))
        made = Made(np.ascontiguousarray(prototypes[awake]), counts, starts)

        def work(part: int, n_parts: int) -> None:
            for block in range(part, len(parts), n_parts):
                bounds = self.points.bounds(parts[block], made.places, counts)
                found[block] = pulls(*bounds, made, self.codes, self.weights, beta, learns)

        team.each(work)
        gradient = np.zeros_like(prototypes)
        gradient[awake] = _sum([some for some, _, _ in found])
        by_counts, loss = _sum([some for _, some, _ in found]), sum(some for _, _, some in found)
        return gradient / len(rows), by_counts / len(rows), loss / len(rows)


def _sum(arrays: list[Float]) -> Float:
    """The sum of arrays, from the first to the last; the first is written to."""
    total = arrays[0]
    for array in arrays[1:]:
        total += array
    return total


def folded(prototypes: Float, counts: Float) -> Float:
    """Return prototypes whose plain distances do what the weighted ones did, as nearly as a move around the centre can.

    With p the way from the centre to a prototype and L the weights, rows go by x.Lp - p.Lp / 2 there, and by x.q - q.q / 2 for
    ways q without weights. So q = s L p, with s by least squares such that s |Lp|**2 is p.Lp for all prototypes.
    """
    centre = prototypes.mean(axis=0)
    apart = prototypes - centre
    weighed = apart * counts
    wanted, squares = (apart * weighed).sum(axis=1), (weighed * weighed).sum(axis=1)
    total = float((squares * squares).sum())
    if total == 0.0:
        return prototypes
    found: Float = centre + float((wanted * squares).sum()) / total * weighed
    return found


def moved(
    task: Task,
    start: Float,
    plan: list[Steps],
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
    plan : list of Steps
        How they move: one after the other, what the columns count being `folded` between them.
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
    draws = _draws(random, task.labels, len(task.points), plan[0].resting)
    team = Team(1 if len(task.points) <= BLOCK else n_threads)
    with team, threadpoolctl.threadpool_limits(1):  # the team's threads share the work
        unit, before = task.unit_of_step(start), 0
        for place, steps in enumerate(plan):
            if place:
                state = State.at(folded(state.prototypes, state.counts))
            for first in range(0, steps.n_steps, RUN):
                numbers = range(first, min(first + RUN, steps.n_steps))
                # also where the run is known: what follows is drawn after it
                drawn = list(islice(draws, len(numbers)))
                part = f"step {before + numbers.stop}"
                kept = memory.recall(part)
                if kept is None:
                    for number, one in zip(numbers, drawn):
                        losses.append(_one_step(task, state, steps, number, unit, one, team))
                    memory.keep(part, {**vars(state), "losses": np.array(losses[before + first :])})
                else:
                    losses += kept.pop("losses").tolist()
                    state = State(**kept)
                yield replace(state), list(losses)
            before += steps.n_steps


def _draws(
    random: np.random.RandomState, labels: NDArray[np.int64], n_rows: int, resting: float
) -> Iterator[Drawn]:
    """The rows of one step after the other, and the prototypes that are awake: one of every class at least."""
    own_places = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    rows, everyone = np.arange(n_rows), np.arange(len(labels))
    n_taken = n_rows if n_rows <= BATCH else PART
    while True:
        order = rows if n_rows <= BATCH else random.permutation(n_rows)
        for first in range(0, n_rows - n_taken + 1, n_taken):
            awake = everyone
            if resting > 0.0:
                draws = random.random_sample(len(labels))
                stays = draws >= resting
                stays[[own[np.argmax(draws[own])] for own in own_places]] = True
                awake = np.flatnonzero(stays)
            yield order[first : first + n_taken], awake


def _one_step(
    task: Task, state: State, steps: Steps, number: int, unit: float, drawn: Drawn, team: Team
) -> float:
    """Take one step; the mean loss before it."""
    cooling, learns = steps.cooling(number), steps.weight_step > 0.0
    places = state.prototypes
    if steps.done(number) >= steps.real_from:
        places = task.space.with_real_values(places)  # its slopes move the places behind the values
    gradient, by_counts, loss = task.slopes(places, state.counts, steps.beta(number), learns, drawn, team)
    state.step(gradient, by_counts, number, steps.step_size * unit * cooling, steps.weight_step * cooling)
    return loss
