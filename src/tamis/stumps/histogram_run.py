"""One boosted model on a binned table, round by round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tamis._memory import Arrays
from tamis._threads import Team
from tamis.stumps._kernels import bounds, splitting
from tamis.stumps._kernels.barrier import GIVEN_UP
from tamis.stumps._kernels.fields import INFO, NEGATIVE, POSITIVE, STATE
from tamis.stumps._kernels.histograms import Rows, full_histogram
from tamis.stumps._kernels.rounds import WAITING, Account, Game, play, search
from tamis.stumps._kernels.weights import Settings
from tamis.stumps.model import halfway
from tamis.stumps.problems import Problem
from tamis.stumps.run import Run

if TYPE_CHECKING:
    from tamis.stumps.binned import BinnedTable

__all__ = ["HistogramRun", "column_info"]

Float = NDArray[np.float64]
Int = NDArray[np.int64]
REBUILD = 1e-6
WITHOUT_BREAK = 50  # rounds; only between them an interrupt is heard


class Beginning(NamedTuple):
    """What a round begins with."""

    weights: Float  # (n,)
    H: Float  # (units, 2, 256), in exact arithmetic the weight of either class in each cell
    class_weight: Float  # (2,), and so is `error`: see `rounds.Account`
    error: Float


class HistogramRun(Run):
    """A `Run` on a binned table.

    Parameters
    ----------
    table : BinnedTable
        The table.
    problem : Problem
        Sides and start weights of the rows.
    columns, settings
        As in `Run`. With a weight cap the histograms are made anew in every round.
    n_kept : int, default=0
        How many rounds are kept to go back to.
    team : Team, optional
        Threads; the result does not depend on them.
    rebuild : float, default=1e-6
        The histograms are made anew when an edge may be off by more than this part of the total weight; 0: always. No
        result depends on it.
    """

    def __init__(
        self,
        table: BinnedTable,
        problem: Problem,
        columns: Int,
        settings: Settings,
        *,
        n_kept: int = 0,
        team: Team | None = None,
        rebuild: float = REBUILD,
    ) -> None:
        super().__init__(settings, columns, table.nominal)
        self.root = table.arranged(problem.sign > 0)
        self.table = self.root.narrowed(columns)
        self.team, self.n_kept, self.rebuild = team or Team(1), n_kept, rebuild
        row_of = self.root.table.row_of
        start, self.sharers = problem.start[row_of], problem.sharers
        positive = np.flatnonzero(problem.sign[row_of] > 0)
        self.positive = (int(positive[0]), int(positive[-1]) + 1) if len(positive) else (0, 0)
        self.rows = _new_rows(start, self.positive, self.team.n_parts)
        self.in_use = start > 0
        self.averaging: Float = self.in_use.astype(np.float64) if problem.equal else start.copy()
        n_rows, averages = self._by_class(self.in_use), self._by_class(self.averaging)
        each = averages / np.maximum(n_rows, 1.0)
        if self._all_count(each):
            self.averaging = np.empty(0)
        self.account = Account(self._by_class(start), np.zeros(2), n_rows, averages, each)
        self.H = self._full_histogram(start)
        self.counts = (
            self.H / start.max() if problem.equal else self._full_histogram(self.in_use.astype(np.float64))
        )
        self.info = column_info(self.table)
        self.flags = self.root.mixed.astype(np.uint8)
        bin_of = self.root.table.bin_of
        self.columns = bounds.fit_columns(self.counts, columns, self.info, self.flags, bin_of)
        self.inside = np.empty((self.root.n_columns * 255, 6))
        self.used = np.zeros(self.root.n_columns, dtype=np.bool_)
        self.beginnings: dict[int, Beginning] = {}

    def _train(self, end: int) -> None:
        with self.root.lock:
            game = self._game()
            while len(self) < end and not self.finished:
                if self._play(game, min(end, len(self) + WITHOUT_BREAK)) == WAITING:
                    self._keep_beginning()

    def restart(self, n_rounds: int, columns: Int) -> None:
        """Go back to the model of `n_rounds` rounds, and go on from there with the given columns only."""
        known = max(t for t in self.beginnings if t <= n_rounds)
        self.beginnings = {t: each for t, each in self.beginnings.items() if t <= n_rounds}
        beginning = self.beginnings[known]
        self.rows.weights[:] = beginning.weights
        self.H = beginning.H.copy()
        self.account.weight[:], self.account.error[:] = beginning.class_weight, beginning.error
        self._use_only(columns)
        self._play_again(known, n_rounds)

    def _repeat(self, n_rounds: int, kept: Arrays) -> None:
        self._play_again(0, n_rounds)

    def _play_again(self, known: int, n_rounds: int) -> None:
        """Go on from the model of `known` rounds to that of `n_rounds`, whose stumps are entered."""
        self.rounds.state[:] = known, 0, n_rounds
        self.used[:] = False
        self.used[self.rounds.column[:known]] = True
        with self.root.lock:
            game = self._game()
            while len(self) < n_rounds:
                if self._play(game, n_rounds) == WAITING:
                    self._keep_beginning()
                    self.rounds.state[STATE.n_given] = n_rounds

    def first_edges(self) -> Float:
        """The largest |edge| of each column under the start weights, as a share of all weight; 0 without a stump."""
        edges = np.zeros(self.root.n_columns)
        game = self._game()

        def own_columns(part: int, n_parts: int) -> None:
            own = game._replace(limits=np.empty((2, 1)), inside=np.empty((255, 6)))
            for column in self.columns[part::n_parts].reshape(-1, 1):
                edges[column[0]] = search(own, self.H, column, self.info, 0.0, 0, 1)[1]

        with self.root.lock:
            self.team.each(own_columns)
        edges /= self.account.weight[POSITIVE] + self.account.weight[NEGATIVE]
        return edges

    def _threshold(self, t: int) -> float:
        rounds = self.rounds
        low, high = splitting.neighbours(
            self.table.table,
            self.info,
            self.flags,
            self.root.order,
            self.in_use,
            rounds.column[t],
            rounds.cut[t],
            rounds.last[t],
        )
        return float(low) if low == high else halfway(float(low), float(high))

    def _game(self) -> Game:
        """Everything as the kernels read it."""
        return Game(
            table=self.table.table,
            order=self.root.order,
            rows=self.rows,
            units=self.table.unit,
            info=self.info,
            flags=self.flags,
            counts=self.counts,
            averaging=self.averaging,
            sharers=self.sharers,
            positive=np.array(self.positive, dtype=np.int64),
            H=self.H,
            parts=np.empty((self.team.n_parts, *self.H.shape)),
            limits=np.empty((2, self.root.n_columns)),
            inside=self.inside,
            account=self.account,
            settings=self.settings,
            rebuild=self.rebuild,
            used=self.used,
            meeting=np.zeros(3, dtype=np.int64),
        )

    def _play(self, game: Game, n_rounds: int) -> int:
        """Let the threads play together; one that fails releases the others."""
        answers: list[int] = []

        def own_part(part: int, n_parts: int) -> None:
            try:
                keep = self.n_kept > 0
                answer = play(game, self.rounds, self.columns, n_rounds, keep, part, n_parts)
                if part == 0:
                    answers.append(int(answer))
            except BaseException:
                game.meeting[GIVEN_UP] = 1
                raise

        self.team.each(own_part)
        return answers[0]

    def _full_histogram(self, weights: Float) -> Float:
        """The histograms of all rows."""
        words, n_parts = self.table.table.words, self.team.n_parts
        H = np.empty((n_parts, 4 * len(words), 2, 256))
        self.team.each(full_histogram, words, self.rows, weights, H)
        whole: Float = H[0] if n_parts == 1 else H.sum(axis=0)
        return whole

    def _all_count(self, each: Float) -> bool:
        """Whether in u every row of a class counts the same, `each`, as without weights of rows."""
        first, last = self.positive
        inside, outside = self.averaging[first:last], (self.averaging[:first], self.averaging[last:])
        return bool(
            (inside == each[POSITIVE]).all() and all((one == each[NEGATIVE]).all() for one in outside)
        )

    def _by_class(self, amounts: NDArray[Any]) -> Float:
        """Sums over the positive and the negative rows; exact."""
        first, last = self.positive
        negative = float(amounts[:first].sum()) + float(amounts[last:].sum())
        return np.array([float(amounts[first:last].sum()), negative])

    def _keep_beginning(self) -> None:
        """Keep what this round begins with; of too many every second one goes, but not the first."""
        t = len(self)
        self.used[self.rounds.column[t]] = True
        if t not in self.beginnings:
            self.beginnings[t] = Beginning(
                self.rows.weights.copy(), self.H.copy(), self.account.weight.copy(), self.account.error.copy()
            )
        if len(self.beginnings) > self.n_kept:
            for other in sorted(self.beginnings)[1::2]:
                del self.beginnings[other]

    def _use_only(self, columns: Int) -> None:
        super()._use_only(columns)
        narrow = self.root.narrowed(columns)
        if narrow is self.table:
            return
        units = np.searchsorted(self.table.whole, narrow.whole)
        n_units = 4 * len(narrow.table.words)
        self.table = narrow
        for field in (INFO.unit, INFO.n_cells):
            self.info[:, field] = column_info(narrow)[:, field]
        self.counts = _picked(self.counts, units, n_units)
        self.H = _picked(self.H, units, n_units)
        self.beginnings = {
            t: each._replace(H=_picked(each.H, units, n_units)) for t, each in self.beginnings.items()
        }


def column_info(table: BinnedTable) -> Int:
    """What kernels know of the columns, without the bins in use: see `bounds`."""
    info = np.zeros((table.n_columns, len(INFO)), dtype=np.int64)
    info[:, INFO.unit] = table.unit
    info[:, INFO.n_cells] = table.n_cells[table.unit]
    info[:, INFO.nominal] = table.nominal
    info[:, INFO.last] = -1
    return info


def _picked(H: Float, units: Int, n_units: int) -> Float:
    """The histograms of some units, with empty ones behind them to make `n_units`."""
    picked = np.zeros((n_units, 2, 256))
    picked[: len(units)] = H[units]
    return picked


def _new_rows(weights: Float, positive: tuple[int, int], n_threads: int) -> Rows:
    """The rows, cut into chunks of one class and one owner."""
    n_rows = len(weights)
    owned = [part * n_rows // n_threads for part in range(n_threads)]
    cuts = np.unique([0, *positive, n_rows, *owned])
    is_positive = (positive[0] <= cuts[:-1]) & (cuts[:-1] < positive[1])
    label = np.where(is_positive, POSITIVE, NEGATIVE)
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
