"""One boosted model on a table in parts, round by round: the rows stay where they are, the histograms are here.

A round is one message. It tells the parts what the last stump did to the weights, and which stump comes next; they answer
with the exact weight of either class, and with the histograms of the rows on the small sides of the stump. From these
follow its exact edge, and the histograms of the next round: up to rounding, as in `HistogramRun`. The stump after it is chosen
from them. Where they cannot decide, a second message asks for exact histograms of the columns in question. ``docs/engine.md``
proves that nothing is missed.

A model in the making is a generator that yields requests, so that several models go on by one message.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tamis._memory import Arrays
from tamis.stumps._kernels import bounds, searching
from tamis.stumps._kernels.fields import CAP, GAP, IN_USE, INFO, MOVE, NEGATIVE, POSITIVE, STATE, Stump
from tamis.stumps._kernels.histograms import mix
from tamis.stumps._kernels.parts import WEIGHT_CAP, right_cells, stump_edge
from tamis.stumps._kernels.rounds import after_stump, edge_error, edge_of_sides
from tamis.stumps._kernels.weights import Settings, factors, largest_weight, stump_figures
from tamis.stumps.part_answers import NO_MOVES, Answer, Parts, Past, Request, Start, asked
from tamis.stumps.problems import cap_sharers
from tamis.stumps.run import Run

__all__ = ["PartRun"]

Float = NDArray[np.float64]
Columns = NDArray[np.int64]
Talk = Generator[Request, Answer, bool]
HISTOGRAM_BYTES = 1 << 29  # histograms that are kept to go back to
REBUILD = 1e-5  # they are asked for anew when an edge may be off by more than this part of the weight: seldom at 10^9 rows


@dataclass(frozen=True)
class Sums:
    """What a round begins with, the positive class first.

    Attributes
    ----------
    columns : ndarray of int
        The columns of the histograms.
    H : ndarray of shape (columns, 2, 256)
        In exact arithmetic the weight of either class in each bin.
    weight : ndarray of shape (2,)
        In exact arithmetic the weight of either class.
    error : ndarray of shape (2,)
        How far H may be off, in sum over the bins of a column.
    doubt : float
        How far the two weights may be off together.
    """

    columns: Columns
    H: Float
    weight: Float
    error: Float
    doubt: float

    @classmethod
    def exact(cls, columns: Columns, H: Float, weight: Float) -> Sums:
        """Sums of integers."""
        return cls(columns, H, weight, np.zeros(2), 0.0)

    @property
    def eps(self) -> float:
        """How far an edge read from them may be off."""
        off = float(self.error.sum())
        return 0.0 if off == 0.0 else edge_error(self.error, self.weight) + 1.0001 * self.doubt

    def of(self, columns: Columns) -> Sums:
        """The same of some of the columns."""
        if len(columns) == len(self.columns):
            return self
        return replace(self, columns=columns, H=self.H[np.searchsorted(self.columns, columns)])


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
        How many rounds the parts keep to go back to.
    rebuild : float, default=1e-5
        Histograms are asked for anew when an edge may be off by more than this part of the weight; 0: always. No result
        depends on it.
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
        rebuild: float = REBUILD,
    ) -> None:
        super().__init__(settings, columns, nominal)
        n_columns = len(nominal)
        self.parts, self.n_kept, self.rebuild = parts, n_kept, rebuild
        self.past = Past(start, NO_MOVES, columns)
        self.ends = [0]  # after how many moves each round begins
        (counted,) = asked(parts, [Request(self.past, columns, counted=True)])
        self.n_rows = counted.whole
        n_positive, n_negative = counted.whole.tolist()
        self.sharers = cap_sharers(n_positive, n_negative, start.balanced)
        self.flags = np.zeros((n_columns, 256), dtype=np.uint8)
        self.bin_of = np.tile(np.arange(256, dtype=np.uint8), (n_columns, 1))
        self.info = np.zeros((n_columns, len(INFO)), dtype=np.int64)
        self.info[:, INFO.nominal] = nominal
        self.info[:, INFO.last] = -1
        self.info[columns, INFO.unit] = np.arange(len(columns))
        self.columns = bounds.fit_columns(counted.H, columns, self.info, self.flags, self.bin_of)
        self.usable = self.columns
        self.counts = counted.H[np.searchsorted(columns, self.columns)]
        self.past = replace(self.past, columns=self.columns)
        if start.weighted and len(self.columns):
            (weighed,) = asked(parts, [Request(self.past, self.columns)])
        else:
            amounts = np.array(start.amounts)
            weighed = Answer(counted.whole * amounts, self.counts * amounts[:, None])
        self.averages = self.counts if start.equal else weighed.H
        self.sums = {0: Sums.exact(self.columns, weighed.H, weighed.whole)}

    def restart(self, n_rounds: int, columns: Columns) -> None:
        """Go back to the model of `n_rounds` rounds, and go on from there with the given columns only."""
        self._use_only(columns)
        self.rounds.state[:] = n_rounds, 0, 0
        n_moves = self.ends[n_rounds]
        keep = frozenset(t for t in self.past.keep if t <= n_moves)
        self.past = replace(self.past, moves=self.past.moves[:n_moves], keep=keep)
        del self.ends[n_rounds + 1 :]
        self.sums = {t: sums for t, sums in self.sums.items() if t <= n_rounds}

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

    def _use_only(self, columns: Columns) -> None:
        super()._use_only(columns)
        self.past = replace(self.past, columns=self.columns)

    def first_edges(self) -> Float:
        """The largest |edge| of each column under the start weights, as a share of all weight; 0 without a stump."""
        edges = np.zeros(len(self.nominal))
        if len(self.usable):
            edges[self.usable] = self._limits(self.sums[0])[0][bounds.BETWEEN] / self.sums[0].weight.sum()
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
        self.train_several([self], end - len(self))

    @classmethod
    def train_several(cls, runs: Sequence[Run], at_most: int | None = None) -> None:
        """As in `Run`; one message goes to the parts for all models that wait."""
        talks = [run._talk(at_most) for run in runs if isinstance(run, PartRun)]
        waiting = [(talk, request) for talk in talks if (request := next(talk, None)) is not None]
        while waiting:
            replies = asked(runs[0].parts, [request for _, request in waiting])  # type: ignore[attr-defined]
            waiting = [
                (talk, request)
                for (talk, _), answer in zip(waiting, replies)
                if (request := _sent(talk, answer)) is not None
            ]

    def _talk(self, at_most: int | None) -> Talk:
        """Add stumps until there are so many more, or there will be no more."""
        n_rounds = self.settings.n_rounds
        end = n_rounds if at_most is None else min(n_rounds, len(self) + at_most)
        while len(self) < end and not self.finished:
            self.rounds.state[STATE.finished] = yield from self._add()
        return self.finished

    def _add(self) -> Talk:
        """Add the best stump; returns whether there will be no more."""
        if not len(self.columns):
            return True
        sums = yield from self._present()
        stump, rivals = self._best(sums)
        if len(rivals):
            answer = yield Request(self.past, rivals)
            stump, _ = self._best(Sums.exact(rivals, answer.H, answer.whole))
        if stump.column < 0:
            return True
        move = np.zeros(len(MOVE))
        move[MOVE.kind], move[MOVE.column] = self.nominal[stump.column], stump.column
        move[MOVE.cut], move[MOVE.gap_right] = stump.cut, stump.gap_right
        small_right = self._small_right(move)
        capped = self.settings.weight_cap > 0.0
        if capped:  # the histograms are exact
            edge, weight = stump_edge(sums.H[np.searchsorted(sums.columns, stump.column)], move), sums.weight
        else:
            answer = yield Request(self.past, self.columns, move, tuple(small_right.tolist()))
            edge, weight = edge_of_sides(answer.H[0].sum(axis=1), answer.whole, small_right), answer.whole
        if edge == 0.0:
            return True
        g, perfect = self._enter(stump, move, edge, float(weight.sum()))
        correct, wrong = factors(g)
        move[MOVE.positive_left] = move[MOVE.negative_right] = wrong if edge > 0 else correct
        move[MOVE.positive_right] = move[MOVE.negative_left] = correct if edge > 0 else wrong
        self._move(move)
        if capped and not perfect:
            yield from self._cap()
        elif not perfect:
            self._advance(sums, answer, g, small_right == (edge > 0))
        self.ends.append(len(self.past.moves))
        return perfect

    def _present(self) -> Generator[Request, Answer, Sums]:
        """What the present round begins with."""
        t = len(self)
        if t not in self.sums:
            answer = yield Request(self.past, self.columns)
            self._remember(t, Sums.exact(self.columns, answer.H, answer.whole))
        return self.sums[t].of(self.columns)

    def _remember(self, t: int, sums: Sums) -> None:
        """Keep what a round begins with; of too many the earliest go, but not the first."""
        self.sums[t] = sums
        others = [s for s in self.sums if 0 < s < t]
        size = max(1, HISTOGRAM_BYTES // (4096 * len(self.columns)))
        for s in others[: max(0, len(others) - size)]:
            del self.sums[s]

    def _small_right(self, move: Float) -> NDArray[np.bool_]:
        """Of either class, whether it has fewer rows on the right side of a stump."""
        right = right_cells(move) > 0
        counts = self.counts[np.searchsorted(self.usable, int(move[MOVE.column]))]
        fewer: NDArray[np.bool_] = counts[:, right].sum(axis=1) < counts[:, ~right].sum(axis=1)
        return fewer

    def _enter(self, stump: Stump, move: Float, edge: float, total: float) -> tuple[float, bool]:
        """Write a stump down; returns the gamma that is acted on, and whether the stump makes no error."""
        gamma, g, alpha, perfect = stump_figures(
            edge, total, float(self.n_rows.sum()), self.settings.learning_rate
        )
        t, rounds = len(self), self.rounds
        if self.n_kept and stump.column not in rounds.column[:t]:
            self._keep_beginning(t)
        polarity = 1 if edge > 0 else -1
        u = stump_edge(self.averages[np.searchsorted(self.usable, stump.column)], move)
        rounds.column[t], rounds.cut[t] = stump.column, stump.cut
        rounds.last[t], rounds.gap_right[t] = -1, stump.gap_right
        rounds.polarity[t], rounds.alpha[t] = polarity, alpha
        rounds.u[t], rounds.edge[t] = polarity * u, gamma
        rounds.state[STATE.n_rounds] = t + 1
        return g, bool(perfect)

    def _cap(self) -> Generator[Request, Answer, None]:
        """Cut large weights down."""
        answer = yield Request(self.past, self.columns[:0])
        move = np.zeros(len(MOVE))
        move[CAP.kind] = WEIGHT_CAP
        for field, sharers in zip((CAP.positive, CAP.negative), self.sharers):
            move[field] = largest_weight(self.settings.weight_cap, float(answer.whole.sum()), sharers)
        self._move(move)

    def _move(self, move: Float) -> None:
        self.past = replace(self.past, moves=np.concatenate([self.past.moves, move[np.newaxis]]))

    def _advance(self, sums: Sums, answer: Answer, g: float, on_plus: NDArray[np.bool_]) -> None:
        """Bring the histograms on to the next round, unless they would be off by too much.

        `on_plus` tells of either class whether the stump says +1 on its small side.
        """
        taken = answer.H[0].sum(axis=1)
        big, small, error = after_stump(g, on_plus, answer.whole, sums.error, taken, self.n_rows)
        doubt = float(after_stump(g, on_plus, answer.whole, np.zeros(2), taken, self.n_rows)[2].sum())
        weight = big * (answer.whole - taken) + small * taken
        H = sums.H.copy()
        mix(H, answer.H, big, small)
        after = Sums(self.columns, H, weight, error, doubt)
        if after.eps <= self.rebuild * float(weight.sum()):
            self._remember(len(self), after)

    def _keep_beginning(self, t: int) -> None:
        """Ask the parts to keep what this round begins with; of too many every second one goes."""
        keep = sorted(self.past.keep | {self.ends[t]} - {0})
        if len(keep) > self.n_kept:
            keep = keep[::2]
        self.past = replace(self.past, keep=frozenset(keep))

    def _limits(self, sums: Sums) -> tuple[Float, float]:
        """The largest edge of each column, and the positive weight less the negative one."""
        S = float(sums.weight[POSITIVE] - sums.weight[NEGATIVE])
        limits = np.empty((2, len(sums.columns)))
        self.info[sums.columns, INFO.unit] = np.arange(len(sums.columns))
        bounds.bounds(sums.H, sums.columns, S, self.info, self.flags, self.bin_of, limits, 0, 1)
        return limits, S

    def _best(self, sums: Sums) -> tuple[Stump, Columns]:
        """The best stump, column -1 if there is none; and the columns among which the histograms cannot decide."""
        limits, S = self._limits(sums)
        between, tasks = bounds.contenders(
            sums.H, sums.columns, limits, S, sums.eps, self.info, self.flags, self.bin_of
        )
        stump, _, rivals = searching.best_stump(between, tasks, np.empty((0, 6)), sums.eps)
        return stump, rivals


def _sent(talk: Talk, answer: Answer) -> Request | None:
    """The next request of a model that is told an answer; None when it is done."""
    try:
        return talk.send(answer)
    except StopIteration:
        return None
