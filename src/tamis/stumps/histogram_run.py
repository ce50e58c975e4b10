"""One boosted model on a binned table, round by round."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tamis._threads import Team
from tamis.stumps._kernels import bounds, splitting
from tamis.stumps._kernels.histograms import Rows, full_histogram
from tamis.stumps._kernels.rounds import WAITING, Game, Rounds, play, search
from tamis.stumps.binned import Binned
from tamis.stumps.model import Stumps

__all__ = ["HistogramRun", "stumps_of"]

Float = NDArray[np.float64]
REBUILD = 1e-6
WITHOUT_BREAK = 50  # rounds; only between them an interrupt is heard


class Kept(NamedTuple):
    """What a round begins with."""

    weights: Float  # (n,)
    H: Float  # (units, 2, 256), in exact arithmetic the weight of either class in each cell
    account: Float  # see `rounds.Game`


class HistogramRun:
    """A boosted model of two classes that can go on, and go back, after columns have left.

    Parameters
    ----------
    binned : Binned
        The table.
    sign : ndarray of shape (n,)
        +1 or -1.
    weights : tuple
        Integer start weights, an ndarray of shape (n,), 0 for rows that are left out; whether all other rows weigh the
        same, u then counts rows; and over what a cap divides the weight of all, for either class.
    columns : ndarray of int
        The columns that stumps may use, ascending.
    weight_cap : float, default=0.0
        After every round no weight is larger than so many times the mean; 0 for no cap. With a cap the histograms are
        made anew in every round.
    learning_rate : float, default=1.0
        The part of every edge that is acted on.
    n_threads : int, default=1
        Threads.
    n_kept : int, default=0
        How many rounds are kept to go back to.
    rebuild : float, default=1e-6
        The histograms are made anew when an edge may be off by more than this part of the total weight; 0: always. No
        result depends on it.
    """

    def __init__(
        self,
        binned: Binned,
        sign: NDArray[Any],
        weights: tuple[Float, bool, Float],
        columns: NDArray[np.int64],
        *,
        weight_cap: float = 0.0,
        learning_rate: float = 1.0,
        n_threads: int = 1,
        n_kept: int = 0,
        rebuild: float = REBUILD,
    ) -> None:
        self.root = binned.arranged(sign > 0)
        self.binned = self.root.narrowed(columns)
        self.n_threads, self.n_kept = n_threads, n_kept
        row_of = self.root.table.row_of
        start, equal, self.sharers = weights
        at_start = start[row_of]
        positive = np.flatnonzero(sign[row_of] > 0)
        self.positive = (int(positive[0]), int(positive[-1]) + 1) if len(positive) else (0, 0)
        self.rows = _new_rows(at_start, self.positive, n_threads)
        self.in_use = at_start > 0
        if equal:
            averaging = None if self.in_use.all() else self.in_use * 1.0
        else:
            averaging = at_start.copy()
        n_rows = self._by_class(self.in_use)
        averages = n_rows if averaging is None else self._by_class(averaging)
        self.account = np.array([*self._by_class(at_start), 0.0, 0.0, *n_rows, *averages])
        self.averaging = np.empty(0) if averaging is None else averaging
        self.settings = np.array([weight_cap, learning_rate, rebuild])
        with Team(n_threads) as team:
            self.H = self._full_histogram(at_start, team)
            self.counts = self.H / at_start.max() if equal else self._full_histogram(self.in_use * 1.0, team)
        self.info = _info(self.binned)
        self.flags = self.root.mixed.astype(np.uint8)
        bin_of = self.root.table.bin_of
        self.columns = bounds.fit_columns(self.counts, columns, self.info, self.flags, bin_of)
        self.found = np.empty((self.root.n_columns * 255, 6))
        self.rounds = _new_rounds(0, self.root.n_columns)
        self.states: dict[int, Kept] = {}

    def __len__(self) -> int:
        """How many stumps there are."""
        return int(self.rounds.state[0])

    @property
    def finished(self) -> bool:
        """Whether there will be no more stumps."""
        return bool(self.rounds.state[1])

    def train(self, n_rounds: int, at_most: int | None = None) -> None:
        """Add stumps until there are `n_rounds` or so many more, or the best edge is 0, or a stump makes no error."""
        if n_rounds > len(self.rounds.place):
            self.rounds = _longer(self.rounds, n_rounds)
        end = n_rounds if at_most is None else min(n_rounds, len(self) + at_most)
        with self.root.lock, Team(self.n_threads) as team:
            game = self._game()
            while len(self) < end and not self.finished:
                goal = min(end, len(self) + WITHOUT_BREAK)
                if self._play(team, game, goal) == WAITING:
                    self._keep()

    def restart(self, n_rounds: int, columns: NDArray[np.int64]) -> None:
        """Go back to the model of `n_rounds` rounds, and go on from there with the given columns only."""
        known = max(t for t in self.states if t <= n_rounds)
        for t in [t for t in self.states if t > n_rounds]:
            del self.states[t]
        state = self.states[known]
        self.rows.weights[:] = state.weights
        self.H = state.H.copy()
        self.account[:] = state.account
        self._narrow(columns)
        self._repeat(known, n_rounds)

    def _repeat(self, known: int, n_rounds: int) -> None:
        """Go on from the model of `known` rounds to that of `n_rounds`, whose stumps are known."""
        self.rounds.state[:] = known, 0, n_rounds
        self.rounds.used[:] = False
        self.rounds.used[self.rounds.place[:known, 0]] = True
        with self.root.lock, Team(self.n_threads) as team:
            game = self._game()
            while len(self) < n_rounds:
                if self._play(team, game, n_rounds) == WAITING:
                    self._keep()
                    self.rounds.state[2] = n_rounds

    def kept(self) -> dict[str, NDArray[Any]]:
        """The stumps, and whether there will be more: all that `put_back` needs."""
        return {"place": self.rounds.place[: len(self)], "finished": self.rounds.state[1:2]}

    def put_back(self, kept: dict[str, NDArray[Any]], n_rounds: int, columns: NDArray[np.int64]) -> None:
        """Become the run that was kept, in which the given columns were left; for a run of no rounds."""
        self.rounds = _longer(self.rounds, n_rounds)
        self.rounds.place[: len(kept["place"])] = kept["place"]
        self._narrow(columns)
        self._repeat(0, len(kept["place"]))
        self.rounds.state[1] = kept["finished"][0]

    def first_edges(self) -> Float:
        """The largest edge of every column under the start weights, before the first round; 0 without a stump."""
        edges = np.zeros(self.root.n_columns)
        game = self._game()

        def own_columns(part: int, n_parts: int) -> None:
            own = game._replace(limits=np.empty((2, 1)), found=np.empty((255, 6)))
            for column in self.columns[part::n_parts].reshape(-1, 1):
                edges[column[0]] = search(own, self.H, column, self.info, 0.0, 0, 1)[1]

        with self.root.lock, Team(self.n_threads) as team:
            team.each(own_columns)
        edges /= self.account[0] + self.account[1]
        return edges

    def stumps(self) -> Stumps:
        """The model."""
        return stumps_of(self.rounds, len(self), self.root.nominal, self._threshold)

    def _threshold(self, column: int, k: int, last: int) -> float:
        """Halfway between the values on both sides; the code of a nominal stump; +inf for gaps against known values."""
        low, high = splitting.neighbours(
            self.binned.table, self.info, self.flags, self.root.order, self.in_use, column, k, last
        )
        if low == high:
            return float(low)
        middle = low + (high - low) / 2 if math.isfinite(high - low) else low / 2 + high / 2
        return float(middle if middle < high else low)

    def _game(self) -> Game:
        """Everything as the kernels read it."""
        return Game(
            table=self.binned.table,
            order=self.root.order,
            rows=self.rows,
            units=self.binned.unit,
            info=self.info,
            flags=self.flags,
            counts=self.counts,
            averaging=self.averaging,
            sharers=self.sharers,
            positive=np.array(self.positive, dtype=np.int64),
            H=self.H,
            parts=np.empty((self.n_threads, *self.H.shape)),
            limits=np.empty((2, self.root.n_columns)),
            found=self.found,
            account=self.account,
            settings=self.settings,
            meeting=np.zeros(3, dtype=np.int64),
        )

    def _play(self, team: Team, game: Game, n_rounds: int) -> int:
        """Let the threads play together; one that fails releases the others."""
        answers: list[int] = []

        def own_part(part: int, n_parts: int) -> None:
            try:
                keep = self.n_kept > 0
                answer = play(game, self.rounds, self.columns, n_rounds, keep, part, n_parts)
                if part == 0:
                    answers.append(int(answer))
            except BaseException:
                game.meeting[2] = 1
                raise

        team.each(own_part)
        return answers[0]

    def _full_histogram(self, weights: Float, team: Team) -> Float:
        """The histograms of all rows."""
        words = self.binned.table.words
        H = np.empty((self.n_threads, 4 * len(words), 2, 256))
        team.each(full_histogram, words, self.rows, weights, H)
        whole: Float = H[0] if self.n_threads == 1 else H.sum(axis=0)
        return whole

    def _by_class(self, amounts: NDArray[Any]) -> tuple[float, float]:
        """Sums over the positive and the negative rows; exact."""
        first, last = self.positive
        positive = float(amounts[first:last].sum())
        return positive, float(amounts[:first].sum()) + float(amounts[last:].sum())

    def _keep(self) -> None:
        """Keep what this round begins with; with too many rounds kept, every second one goes, but not the first."""
        self.rounds.used[self.rounds.place[len(self), 0]] = True
        if len(self) not in self.states:
            self.states[len(self)] = Kept(self.rows.weights.copy(), self.H.copy(), self.account.copy())
        if len(self.states) > self.n_kept:
            for t in sorted(self.states)[1::2]:
                del self.states[t]

    def _narrow(self, columns: NDArray[np.int64]) -> None:
        """Leave out columns, and the units that are no longer needed."""
        self.columns = np.intersect1d(self.columns, columns)
        narrow = self.root.narrowed(columns)
        if narrow is self.binned:
            return
        units = np.searchsorted(self.binned.whole, narrow.whole)
        n_units = 4 * len(narrow.table.words)
        self.binned = narrow
        self.info[:, :2] = _info(narrow)[:, :2]
        self.counts = _picked(self.counts, units, n_units)
        self.H = _picked(self.H, units, n_units)
        self.states = {
            t: state._replace(H=_picked(state.H, units, n_units)) for t, state in self.states.items()
        }


def stumps_of(
    rounds: Rounds,
    n_rounds: int,
    nominal: NDArray[np.bool_],
    threshold: Callable[[int, int, int], float],
) -> Stumps:
    """The first rounds as a model; `threshold` gives that of a column and its cut."""
    place, figures = rounds.place[:n_rounds], rounds.figures[:n_rounds]
    columns = place[:, 0].copy()
    return Stumps(
        column=columns,
        threshold=np.array([threshold(*each) for each in place[:, :3].tolist()], dtype=np.float64),
        nominal=nominal[columns],
        gap_right=place[:, 3] > 0,
        polarity=figures[:, 0].astype(np.int64),
        alpha=figures[:, 1].copy(),
        u=figures[:, 2].copy(),
        edge=figures[:, 3].copy(),
    )


def _new_rounds(n_rounds: int, n_columns: int) -> Rounds:
    """Room for so many rounds."""
    return Rounds(
        place=np.zeros((n_rounds, 4), dtype=np.int64),
        figures=np.zeros((n_rounds, 4)),
        state=np.zeros(3, dtype=np.int64),
        used=np.zeros(n_columns, dtype=np.bool_),
    )


def _longer(rounds: Rounds, n_rounds: int) -> Rounds:
    """The same rounds with room for more."""
    longer = _new_rounds(n_rounds, len(rounds.used))
    longer.place[: len(rounds.place)] = rounds.place
    longer.figures[: len(rounds.figures)] = rounds.figures
    longer.state[:] = rounds.state
    longer.used[:] = rounds.used
    return longer


def _info(binned: Binned) -> NDArray[np.int64]:
    """What kernels know of the columns, without the bins in use: see `bounds`."""
    info = np.zeros((binned.n_columns, 7), dtype=np.int64)
    info[:, bounds.UNIT] = binned.unit
    info[:, bounds.N_CELLS] = binned.n_cells[binned.unit]
    info[:, bounds.NOMINAL] = binned.nominal
    info[:, bounds.LAST] = -1
    return info


def _picked(H: Float, units: NDArray[np.int64], n_units: int) -> Float:
    """The histograms of some units, with empty ones behind them to make `n_units`."""
    picked = np.zeros((n_units, 2, 256))
    picked[: len(units)] = H[units]
    return picked


def _new_rows(weights: Float, positive: tuple[int, int], n_threads: int) -> Rows:
    """The rows, cut into chunks of one class and one owner."""
    n_rows = len(weights)
    owned = [part * n_rows // n_threads for part in range(n_threads)]
    cuts = np.unique([0, *positive, n_rows, *owned])
    label = np.where((positive[0] <= cuts[:-1]) & (cuts[:-1] < positive[1]), 0, 1)
    owner = np.searchsorted(owned, cuts[:-1], side="right") - 1
    return Rows(
        chunks=np.column_stack([cuts[:-1], cuts[1:], label, owner]).astype(np.int64),
        weights=weights.copy(),
        listed=np.empty(n_rows, dtype=np.uint32),
        taken=np.empty(n_rows),
        counts=np.zeros(len(label), dtype=np.int64),
        small_sums=np.zeros(len(label)),
        sums=np.zeros(len(label)),
    )
