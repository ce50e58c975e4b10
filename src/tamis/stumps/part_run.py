"""One boosted model on a table in parts, round by round: histograms are made where the rows are, and added.

A part is asked for the histograms that follow from a list of moves: what the rounds so far did to the weights. It
keeps its last weights beside its codes, so that one move is left to make. But the list alone tells all: where the weights
are gone, with the machine that held them, they are made again from the first move on, bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tamis._memory import Arrays
from tamis.stumps._kernels import binning, bounds, searching
from tamis.stumps._kernels.fields import CAP, GAP, IN_USE, INFO, MOVE, NEGATIVE, POSITIVE, STATE, Stump
from tamis.stumps._kernels.parts import WEIGHT_CAP, add_rows, advance, stump_edge
from tamis.stumps._kernels.weights import Settings, factors, largest_weight, stump_figures
from tamis.stumps.part_bins import Coded
from tamis.stumps.problems import cap_sharers, integer_weights
from tamis.stumps.run import Run

__all__ = ["PartRun", "Parts", "Start", "part_histograms"]

Float = NDArray[np.float64]
Columns = NDArray[np.int64]
HISTOGRAM_BYTES = 1 << 29  # histograms that are kept to go back to


class Parts(Protocol):
    """Coded parts, wherever they are."""

    def total(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The sum of ``function(part, *arguments)`` over all parts."""


@dataclass(frozen=True)
class Start:
    """A two-class problem on a table in parts: one class against the rest, and what the rows weigh at the start.

    Attributes
    ----------
    label : int
        The positive class.
    totals : tuple of float
        What the rows of the positive class, and those of the others, are weighed against.
    whole : float
        What the start weights of either add up to, about, if they weigh that total.
    equal : bool
        Whether all rows start with the same weight.
    balanced : bool
        Whether either side has half of the weight.
    weighted : bool
        Whether the parts have weights.
    """

    label: int
    totals: tuple[float, float]
    whole: float
    equal: bool
    balanced: bool
    weighted: bool

    @property
    def amounts(self) -> tuple[float, float]:
        """The start weight of a row of weight 1 on either side."""
        return tuple(float(integer_weights(np.ones(1), total, self.whole)[0]) for total in self.totals)  # type: ignore[return-value]

    def weights(self, part: Coded) -> Float:
        """The start weights of a part's rows: integers."""
        first, last = part.positive(self.label)
        totals = np.full(part.n_rows, self.totals[1])
        totals[first:last] = self.totals[0]
        given = np.ones(part.n_rows) if part.weights is None else part.weights
        return integer_weights(given, totals, self.whole)


@dataclass(frozen=True)
class Past:
    """What has been done to the weights of one model.

    Attributes
    ----------
    start : Start
        The problem, and the weights before the first move.
    moves : ndarray of shape (m, 8)
        The moves since, as in `parts`.
    keep : frozenset of int
        After how many moves the weights are worth keeping, to go back to.
    """

    start: Start
    moves: Float
    keep: frozenset[int] = frozenset()


@dataclass(frozen=True)
class _State:
    """The weights of a part after some moves."""

    moves: Float
    weights: Float


def part_histograms(part: Coded, past: Past, columns: Columns) -> Float:
    """The weights in the bins of some columns of a part: (columns, 2, 256), the positive class first."""
    with part.lock:
        return _histograms(part, past, columns, _weights_after(part, past))


def part_counts(part: Coded, past: Past, columns: Columns) -> Float:
    """The number of rows in the bins of some columns of a part: (columns, 2, 256), the positive class first."""
    with part.lock:
        return _histograms(part, past, columns, np.ones(part.n_rows))


def part_weight(part: Coded, past: Past) -> float:
    """What a part weighs."""
    with part.lock:
        return float(_weights_after(part, past).sum())


def _histograms(part: Coded, past: Past, columns: Columns, weights: Float) -> Float:
    words, units = _packed(part, columns)
    H = np.zeros((4 * len(words), 2, 256))
    add_rows(words, weights, part.positive(past.start.label), H)
    return np.ascontiguousarray(H[units])


def _packed(part: Coded, columns: Columns) -> tuple[NDArray[np.uint32], Columns]:
    """Words that hold the columns, and which of their bytes these are; packed anew where a quarter would be idle."""
    held, words = part.packed or (np.arange(4 * len(part.words)), part.words)
    if not np.isin(columns, held).all():
        held, words = np.arange(4 * len(part.words)), part.words
    if 4 * len(columns) <= 3 * len(held):
        words = binning.pick_units(words, np.searchsorted(held, columns))
        held = columns
        part.packed = held, words
    return words, np.searchsorted(held, columns)


def _weights_after(part: Coded, past: Past) -> Float:
    """The weights after all moves: from the nearest weights at hand, or from the start."""
    moves = np.array(past.moves)  # one that can be written: kernels are compiled for that
    held: list[_State] = part.states.get(past.start.label, [])
    states = [state for state in held if _leads_to(state.moves, moves)]
    if states and len(states[-1].moves) == len(moves):
        part.states[past.start.label] = states
        return states[-1].weights
    if not states:
        weights, done = past.start.weights(part), 0
    elif len(states[-1].moves) in past.keep:
        weights, done = states[-1].weights.copy(), len(states[-1].moves)
    else:
        last = states.pop()
        weights, done = last.weights, len(last.moves)
    states = [state for state in states if len(state.moves) in past.keep]
    for t in range(done, len(moves)):
        if t > done and t in past.keep:
            states.append(_State(moves[:t], weights.copy()))
        advance(part.words, weights, part.positive(past.start.label), moves[t])
    part.states[past.start.label] = [*states, _State(moves, weights)]
    return weights


def _leads_to(earlier: Float, moves: Float) -> bool:
    """Whether the moves begin with the earlier ones."""
    return len(earlier) <= len(moves) and bool((earlier == moves[: len(earlier)]).all())


class PartRun(Run):
    """A `Run` on a table in parts.

    Parameters
    ----------
    parts : Parts
        The table.
    start : Start
        The problem; where all start weights are equal u counts rows.
    columns, settings, nominal
        As in `Run`.
    n_kept : int, default=0
        How many rounds are kept to go back to.
    """

    def __init__(
        self,
        parts: Parts,
        start: Start,
        columns: Columns,
        settings: Settings,
        nominal: NDArray[np.bool_],
        *,
        n_kept: int = 0,
    ) -> None:
        super().__init__(settings, columns, nominal)
        n_columns = len(nominal)
        self.parts, self.n_kept = parts, n_kept
        self.past = Past(start, np.empty((0, len(MOVE))))
        self.ends = [0]  # after how many moves each round begins
        counts = parts.total(part_counts, self.past, columns)
        n_positive, n_negative = counts[0].sum(axis=1).tolist()
        self.n_rows = n_positive + n_negative
        self.sharers = cap_sharers(n_positive, n_negative, start.balanced)
        self.flags = np.zeros((n_columns, 256), dtype=np.uint8)
        self.bin_of = np.tile(np.arange(256, dtype=np.uint8), (n_columns, 1))
        self.info = np.zeros((n_columns, len(INFO)), dtype=np.int64)
        self.info[:, INFO.nominal] = nominal
        self.info[:, INFO.last] = -1
        self.info[columns, INFO.unit] = np.arange(len(columns))
        self.columns = bounds.fit_columns(counts, columns, self.info, self.flags, self.bin_of)
        counts = counts[np.searchsorted(columns, self.columns)]
        self.usable = self.columns
        if start.weighted and len(self.columns):
            first = parts.total(part_histograms, self.past, self.columns)
        else:
            first = counts * np.reshape(start.amounts, (2, 1))
        self.averages = counts if start.equal else first
        self.H: dict[int, tuple[Columns, Float]] = {0: (self.columns, first)}

    def restart(self, n_rounds: int, columns: Columns) -> None:
        """Go back to the model of `n_rounds` rounds, and go on from there with the given columns only."""
        self._use_only(columns)
        self.rounds.state[:] = n_rounds, 0, 0
        n_moves = self.ends[n_rounds]
        keep = frozenset(t for t in self.past.keep if t <= n_moves)
        self.past = replace(self.past, moves=self.past.moves[:n_moves], keep=keep)
        del self.ends[n_rounds + 1 :]
        self.H = {t: H for t, H in self.H.items() if t <= n_rounds}

    def keep(self) -> Arrays:
        """The stumps, their figures, what they did to the weights, and whether there will be more."""
        names = ("polarity", "alpha", "u", "edge")
        figures = {name: getattr(self.rounds, name)[: len(self)] for name in names}
        return {**super().keep(), **figures, "moves": self.past.moves, "ends": np.array(self.ends)}

    def _repeat(self, n_rounds: int, kept: Arrays) -> None:
        """Take over figures and moves; parts make the moves when asked."""
        for name in ("polarity", "alpha", "u", "edge"):
            getattr(self.rounds, name)[:n_rounds] = kept[name]
        self.rounds.state[STATE.n_rounds] = n_rounds
        self.past = replace(self.past, moves=kept["moves"], keep=frozenset())
        self.ends = kept["ends"].tolist()
        _, firsts = np.unique(kept["column"], return_index=True)
        for t in np.sort(firsts).tolist():
            self._keep_beginning(t)

    def first_edges(self) -> Float:
        """The largest |edge| of each column under the start weights, as a share of all weight; 0 without a stump."""
        edges = np.zeros(len(self.nominal))
        if len(self.usable):
            H = self.H[0][1]
            limits, _ = self._limits(H, self.usable)
            edges[self.usable] = limits[bounds.BETWEEN] / H[0].sum()
        return edges

    def _threshold(self, t: int) -> float:
        """Between codes; `Bins.threshold` leads to values."""
        column, code = int(self.rounds.column[t]), int(self.rounds.cut[t])
        if code == GAP:
            return math.inf
        if self.nominal[column]:
            return float(code)
        above = code + 1
        while not self.flags[column, above] & IN_USE:
            above += 1
        return (code + above) / 2

    def _train(self, end: int) -> None:
        while len(self) < end and not self.finished:
            self.rounds.state[STATE.finished] = self._add()

    def _add(self) -> bool:
        """Add the best stump; returns whether there will be no more."""
        if not len(self.columns):
            return True
        H = self._histograms()
        stump = self._best(H)
        if stump.column < 0:
            return True
        move = np.zeros(len(MOVE))
        move[MOVE.kind], move[MOVE.column] = self.nominal[stump.column], stump.column
        move[MOVE.cut], move[MOVE.gap_right] = stump.cut, stump.gap_right
        edge = stump_edge(H[np.searchsorted(self.columns, stump.column)], move)
        if edge == 0.0:
            return True
        figures = stump_figures(edge, float(H[0].sum()), self.n_rows, self.settings.learning_rate)
        gamma, g, alpha, perfect = figures
        polarity = 1 if edge > 0 else -1
        u = stump_edge(self.averages[np.searchsorted(self.usable, stump.column)], move)
        t, rounds = len(self), self.rounds
        if self.n_kept and stump.column not in rounds.column[:t]:
            self._keep_beginning(t)
        rounds.column[t], rounds.cut[t] = stump.column, stump.cut
        rounds.last[t], rounds.gap_right[t] = -1, stump.gap_right
        rounds.polarity[t], rounds.alpha[t] = polarity, alpha
        rounds.u[t], rounds.edge[t] = polarity * u, gamma
        rounds.state[STATE.n_rounds] = t + 1
        correct, wrong = factors(g)
        move[MOVE.positive_left] = move[MOVE.negative_right] = wrong if edge > 0 else correct
        move[MOVE.positive_right] = move[MOVE.negative_left] = correct if edge > 0 else wrong
        self._move(move)
        if self.settings.weight_cap > 0.0 and not perfect:
            self._cap()
        self.ends.append(len(self.past.moves))
        return bool(perfect)

    def _cap(self) -> None:
        """Cut large weights down."""
        weight = self.parts.total(part_weight, self.past)
        move = np.zeros(len(MOVE))
        move[CAP.kind] = WEIGHT_CAP
        for field, sharers in zip((CAP.positive, CAP.negative), self.sharers):
            move[field] = largest_weight(self.settings.weight_cap, weight, sharers)
        self._move(move)

    def _move(self, move: Float) -> None:
        self.past = replace(self.past, moves=np.concatenate([self.past.moves, move[np.newaxis]]))

    def _histograms(self) -> Float:
        """The histograms of the columns left under the present weights."""
        t = len(self)
        if t not in self.H:
            self.H[t] = self.columns, self.parts.total(part_histograms, self.past, self.columns)
            others = [s for s in self.H if 0 < s < t]
            size = max(1, HISTOGRAM_BYTES // (4096 * len(self.columns)))
            for s in others[: max(0, len(others) - size)]:
                del self.H[s]
        columns, H = self.H[t]
        return H if len(columns) == len(self.columns) else H[np.searchsorted(columns, self.columns)]

    def _keep_beginning(self, t: int) -> None:
        """Ask the parts to keep what this round begins with; of too many every second one goes."""
        keep = sorted(self.past.keep | {self.ends[t]} - {0})
        if len(keep) > self.n_kept:
            keep = keep[::2]
        self.past = replace(self.past, keep=frozenset(keep))

    def _limits(self, H: Float, columns: Columns) -> tuple[Float, float]:
        """The largest edge of each column, and the positive weight less the negative one."""
        S = float(H[0, POSITIVE].sum() - H[0, NEGATIVE].sum())
        limits = np.empty((2, len(columns)))
        self.info[columns, INFO.unit] = np.arange(len(columns))
        bounds.bounds(H, columns, S, self.info, self.flags, self.bin_of, limits, 0, 1)
        return limits, S

    def _best(self, H: Float) -> Stump:
        """The best stump; column -1 if there is none."""
        limits, S = self._limits(H, self.columns)
        between, tasks = bounds.contenders(
            H, self.columns, limits, S, 0.0, self.info, self.flags, self.bin_of
        )
        stump: Stump = searching.best_stump(between, tasks, np.empty((0, 6)), 0.0)[0]
        return stump
