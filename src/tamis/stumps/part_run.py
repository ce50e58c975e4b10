"""One boosted model on a table in parts, round by round: histograms are made where the rows are, and added.

A part is asked for the histograms that follow from a list of moves, which is what the rounds so far did to the weights. It
keeps its last weights beside its codes, so that one move is left to make. But the list alone tells all: where the weights
are gone, with the machine that held them, they are made again from the first move on, to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tamis.stumps._kernels import binning, bounds, searching
from tamis.stumps._kernels.parts import CAP, add_rows, advance, stump_edge, stump_figures
from tamis.stumps._kernels.rounds import Rounds
from tamis.stumps.histogram_run import stumps_of
from tamis.stumps.model import Stumps
from tamis.stumps.part_bins import Coded
from tamis.stumps.problems import cap_sharers, integer_weights

__all__ = ["PartitionedRun", "Parts", "Start", "part_histograms"]

Float = NDArray[np.float64]
Columns = NDArray[np.int64]
HISTOGRAM_BYTES = 1 << 29  # histograms that are kept to go back to


class Parts(Protocol):
    """Coded parts, wherever they are."""

    def total(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The sum of ``function(part, *arguments)`` over all parts."""


@dataclass(frozen=True)
class Start:
    """What the rows of a problem weigh at the start: see `tamis.stumps.problems.start_weights`.

    Attributes
    ----------
    totals : tuple of float
        What the rows of the positive class, and those of the others, are weighed against.
    whole : float
        What the start weights of either add up to, about, if they weigh that total.
    equal : bool
        Whether all rows start with the same weight.
    balanced : bool
        Whether either side has half of the weight.
    """

    totals: tuple[float, float]
    whole: float
    equal: bool
    balanced: bool

    @property
    def amounts(self) -> tuple[float, float]:
        """The start weight of a row of weight 1 on either side."""
        return tuple(float(integer_weights(np.ones(1), total, self.whole)[0]) for total in self.totals)  # type: ignore[return-value]

    def weights(self, part: Coded, label: int) -> Float:
        """The start weights of a part's rows: integers."""
        first, last = part.positive(label)
        totals = np.full(part.n_rows, self.totals[1])
        totals[first:last] = self.totals[0]
        given = np.ones(part.n_rows) if part.weights is None else part.weights
        return integer_weights(given, totals, self.whole)


@dataclass(frozen=True)
class Past:
    """What has been done to the weights of one model.

    Attributes
    ----------
    label : int
        The positive class.
    start : Start
        The weights before the first move.
    moves : ndarray of shape (m, 8)
        The moves since, as in `parts`.
    keep : frozenset of int
        After how many moves the weights are worth keeping, to go back to.
    """

    label: int
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
    add_rows(words, weights, part.positive(past.label), H)
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
    held: list[_State] = part.states.get(past.label, [])
    states = [state for state in held if _leads_to(state.moves, moves)]
    if states and len(states[-1].moves) == len(moves):
        part.states[past.label] = states
        return states[-1].weights
    if not states:
        weights, done = past.start.weights(part, past.label), 0
    elif len(states[-1].moves) in past.keep:
        weights, done = states[-1].weights.copy(), len(states[-1].moves)
    else:
        last = states.pop()
        weights, done = last.weights, len(last.moves)
    states = [state for state in states if len(state.moves) in past.keep]
    for t in range(done, len(moves)):
        if t > done and t in past.keep:
            states.append(_State(moves[:t], weights.copy()))
        advance(part.words, weights, part.positive(past.label), moves[t])
    part.states[past.label] = [*states, _State(moves, weights)]
    return weights


def _leads_to(earlier: Float, moves: Float) -> bool:
    """Whether the moves begin with the earlier ones."""
    return len(earlier) <= len(moves) and bool((earlier == moves[: len(earlier)]).all())


class PartitionedRun:
    """A boosted model of two classes that can go on, and go back, after columns have left.

    Parameters
    ----------
    parts : Parts
        The table.
    label : int
        The positive class.
    start : Start
        The start weights; where they are equal u counts rows.
    weighted : bool
        Whether the parts have weights.
    nominal : ndarray of bool, shape (d,)
        Which columns are nominal.
    columns : ndarray of int
        The columns that stumps may use, ascending.
    weight_cap : float, default=0.0
        After every round no weight is larger than so many times the mean; 0 for no cap.
    learning_rate : float, default=1.0
        The part of every edge that is acted on.
    n_kept : int, default=0
        How many rounds are kept to go back to.
    """

    def __init__(
        self,
        parts: Parts,
        label: int,
        start: Start,
        weighted: bool,
        nominal: NDArray[np.bool_],
        columns: Columns,
        *,
        weight_cap: float = 0.0,
        learning_rate: float = 1.0,
        n_kept: int = 0,
    ) -> None:
        n_columns = len(nominal)
        self.parts, self.nominal, self.n_kept = parts, nominal, n_kept
        self.weight_cap, self.learning_rate = weight_cap, learning_rate
        self.past = Past(label, start, np.empty((0, 8)))
        self.ends = [0]  # after how many moves each round begins
        counts = parts.total(part_counts, self.past, columns)
        self.n_rows = float(counts[0].sum())
        n_positive, n_negative = counts[0].sum(axis=1).tolist()
        self.sharers = cap_sharers(n_positive, n_negative, start.balanced)
        self.flags = np.zeros((n_columns, 256), dtype=np.uint8)
        self.bin_of = np.tile(np.arange(256, dtype=np.uint8), (n_columns, 1))
        self.info = np.zeros((n_columns, 7), dtype=np.int64)
        self.info[:, bounds.NOMINAL] = nominal
        self.info[:, bounds.LAST] = -1
        self.info[columns, bounds.UNIT] = np.arange(len(columns))
        self.columns = bounds.fit_columns(counts, columns, self.info, self.flags, self.bin_of)
        counts = counts[np.searchsorted(columns, self.columns)]
        self.usable = self.columns
        if weighted and len(self.columns):
            first = parts.total(part_histograms, self.past, self.columns)
        else:
            first = counts * np.reshape(start.amounts, (2, 1))
        self.averages = counts if start.equal else first
        self.H: dict[int, tuple[Columns, Float]] = {0: (self.columns, first)}
        self.rounds = Rounds(
            np.zeros((0, 4), dtype=np.int64), np.zeros((0, 4)), np.zeros(3, dtype=np.int64), np.zeros(0)
        )

    def __len__(self) -> int:
        """How many stumps there are."""
        return int(self.rounds.state[0])

    @property
    def finished(self) -> bool:
        """Whether there will be no more stumps."""
        return bool(self.rounds.state[1])

    def train(self, n_rounds: int, at_most: int | None = None) -> None:
        """Add stumps until there are `n_rounds` or so many more, or the best edge is 0, or a stump makes no error."""
        self._reserve(n_rounds)
        end = n_rounds if at_most is None else min(n_rounds, len(self) + at_most)
        while len(self) < end and not self.finished:
            self.rounds.state[1] = self._add()

    def _reserve(self, n_rounds: int) -> None:
        """Make room for so many rounds."""
        rounds = self.rounds
        if n_rounds > len(rounds.place):
            more = n_rounds - len(rounds.place)
            self.rounds = rounds._replace(
                place=np.concatenate([rounds.place, np.zeros((more, 4), dtype=np.int64)]),
                figures=np.concatenate([rounds.figures, np.zeros((more, 4))]),
            )

    def restart(self, n_rounds: int, columns: Columns) -> None:
        """Go back to the model of `n_rounds` rounds, and go on from there with the given columns only."""
        self.columns = np.intersect1d(self.columns, columns)
        self.rounds.state[:2] = n_rounds, 0
        self.past = Past(
            self.past.label,
            self.past.start,
            self.past.moves[: self.ends[n_rounds]],
            frozenset(t for t in self.past.keep if t <= self.ends[n_rounds]),
        )
        del self.ends[n_rounds + 1 :]
        self.H = {t: kept for t, kept in self.H.items() if t <= n_rounds}

    def kept(self) -> dict[str, NDArray[Any]]:
        """The stumps, what they did to the weights, and whether there will be more: all that `put_back` needs."""
        return {
            "place": self.rounds.place[: len(self)],
            "figures": self.rounds.figures[: len(self)],
            "moves": self.past.moves,
            "ends": np.array(self.ends),
            "finished": self.rounds.state[1:2],
        }

    def put_back(self, kept: dict[str, NDArray[Any]], n_rounds: int, columns: Columns) -> None:
        """Become the run that was kept, in which the given columns were left; parts replay its moves when asked."""
        self._reserve(n_rounds)
        n_known = len(kept["place"])
        self.rounds.place[:n_known], self.rounds.figures[:n_known] = kept["place"], kept["figures"]
        self.rounds.state[:2] = n_known, kept["finished"][0]
        self.columns = np.intersect1d(self.columns, columns)
        self.past = Past(self.past.label, self.past.start, kept["moves"])
        self.ends = kept["ends"].tolist()
        _, firsts = np.unique(kept["place"][:, 0], return_index=True)
        for t in np.sort(firsts).tolist():
            self._keep(t)

    def first_edges(self) -> Float:
        """The largest edge of every column under the start weights, before the first round; 0 without a stump."""
        edges = np.zeros(len(self.nominal))
        if len(self.usable):
            H = self.H[0][1]
            limits, _ = self._limits(H, self.usable)
            edges[self.usable] = limits[0] / H[0].sum()
        return edges

    def stumps(self) -> Stumps:
        """The model, its thresholds between codes; `Bins.threshold` leads to values."""
        return stumps_of(
            self.rounds, len(self), self.nominal, lambda column, k, last: self._threshold(column, k)
        )

    def _threshold(self, column: int, k: int) -> float:
        if k == bounds.GAP:
            return math.inf
        if self.nominal[column]:
            return float(k)
        above = k + 1
        while not self.flags[column, above] & bounds.IN_USE:
            above += 1
        return (k + above) / 2

    def _add(self) -> bool:
        """Add the best stump; returns whether there will be no more."""
        if not len(self.columns):
            return True
        H = self._histograms()
        total = float(H[0].sum())
        column, k, right = self._best(H)
        if column < 0:
            return True
        kind = float(self.nominal[column])
        move = np.array([kind, column, k, right, 0.0, 0.0, 0.0, 0.0])
        edge = stump_edge(H[np.searchsorted(self.columns, column)], move)
        if edge == 0.0:
            return True
        gamma, used, alpha, last = stump_figures(edge, total, self.n_rows, self.learning_rate)
        polarity = 1.0 if edge > 0 else -1.0
        u = stump_edge(self.averages[np.searchsorted(self.usable, column)], move)
        t = len(self)
        if self.n_kept and column not in self.rounds.place[:t, 0]:
            self._keep(t)
        self.rounds.place[t] = column, k, -1, right
        self.rounds.figures[t] = polarity, alpha, polarity * u, gamma
        self.rounds.state[0] = t + 1
        correct, wrong = 1.0 / (1.0 + used), 1.0 / (1.0 - used)
        move[4:] = (wrong, correct, correct, wrong) if edge > 0 else (correct, wrong, wrong, correct)
        self._move(move)
        if self.weight_cap > 0.0 and not last:
            weight = self.parts.total(part_weight, self.past)
            most = [max(1.0, math.floor(self.weight_cap * weight / sharer)) for sharer in self.sharers]
            self._move(np.array([CAP, *most, 0.0, 0.0, 0.0, 0.0, 0.0]))
        self.ends.append(len(self.past.moves))
        return bool(last)

    def _move(self, move: Float) -> None:
        past = self.past
        self.past = Past(past.label, past.start, np.concatenate([past.moves, move[np.newaxis]]), past.keep)

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

    def _keep(self, t: int) -> None:
        """Ask the parts to keep what this round begins with; of too many every second goes."""
        keep = sorted(self.past.keep | {self.ends[t]} - {0})
        if len(keep) > self.n_kept:
            keep = keep[::2]
        self.past = Past(self.past.label, self.past.start, self.past.moves, frozenset(keep))

    def _limits(self, H: Float, columns: Columns) -> tuple[Float, float]:
        """The largest edge of each column, and the positive weight less the negative one."""
        S = float(H[0, 0].sum() - H[0, 1].sum())
        limits = np.empty((2, len(columns)))
        self.info[columns, bounds.UNIT] = np.arange(len(columns))
        bounds.bounds(H, columns, S, self.info, self.flags, self.bin_of, limits, 0, 1)
        return limits, S

    def _best(self, H: Float) -> tuple[int, int, bool]:
        """The best stump: column, bin, whether gaps go right; column -1 if there is none."""
        limits, S = self._limits(H, self.columns)
        between, tasks = bounds.contenders(
            H, self.columns, limits, S, 0.0, self.info, self.flags, self.bin_of
        )
        column, k, _, right, _, _ = searching.best_stump(between, tasks, np.empty((0, 6)), 0.0)
        return int(column), int(k), bool(right)
