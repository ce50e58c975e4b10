"""One boosted model on a binned table, round by round."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tamis.boosting import (
    _contender_kernels,
    _histogram_kernels,
    _order_kernels,
    _search_kernels,
    _split_kernels,
)
from tamis.boosting._team import Team
from tamis.boosting.binning import Binned
from tamis.boosting.stumps import Stumps

__all__ = ["HistogramRun"]

Float = NDArray[np.float64]
Pair = tuple[float, float]  # of the positive and the negative rows
ULP = 2.0**-53
REBUILD = 1e-6


class Place(NamedTuple):
    """Where a stump is: see `_contender_kernels`."""

    column: int
    bin: int
    last: int
    right: bool


class Round(NamedTuple):
    """One round of a model."""

    place: Place
    polarity: int
    alpha: float
    u: float
    edge: float


class State(NamedTuple):
    """What a round begins with."""

    weights: Float  # (n,)
    H: Float  # (units, 2, 256), in exact arithmetic the weight of either class in each cell
    totals: Pair  # the weight of either class, exact
    errors: Pair  # how far the cells of a unit may be off, in sum


class HistogramRun:
    """A boosted model of two classes that can go on, and go back, after columns have left.

    Parameters
    ----------
    binned : Binned
        The table.
    sign : ndarray of shape (n,)
        +1 or -1.
    start : ndarray of shape (n,)
        Integer start weights; rows of weight 0 are left out.
    equal : bool
        Whether all other rows weigh the same: u then counts rows.
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
        start: Float,
        equal: bool,
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
        self.weight_cap, self.learning_rate = weight_cap, learning_rate
        self.n_threads, self.n_kept, self.rebuild = n_threads, n_kept, rebuild
        row_of = self.root.table.row_of
        weights = start[row_of]
        positive = np.flatnonzero(sign[row_of] > 0)
        self.positive = (int(positive[0]), int(positive[-1]) + 1) if len(positive) else (0, 0)
        self.rows = _new_rows(weights, self.positive, n_threads)
        self.labels = self.rows.chunks[:, 2].tolist()
        self.in_use = weights > 0
        self.n_rows = self._by_class(self.in_use)
        self.averaging = (
            None if equal and self.in_use.all() else self.in_use * 1.0 if equal else weights.copy()
        )
        self.averages = self.n_rows if self.averaging is None else self._by_class(self.averaging)
        with Team(n_threads) as self.team:
            H = self._full_histogram(weights)
            self.counts = H / weights.max() if equal else self._full_histogram(self.in_use * 1.0)
        self.state = State(self.rows.weights, H, self._by_class(weights), (0.0, 0.0))
        self.info = _info(self.binned)
        self.flags = self.root.mixed.astype(np.uint8)
        bin_of = self.root.table.bin_of
        self.columns = _contender_kernels.fit_columns(self.counts, columns, self.info, self.flags, bin_of)
        self.small = np.empty((2, 256), dtype=np.uint8), np.empty(2, dtype=np.bool_)
        self.rounds: list[Round] = []
        self.kept: dict[int, State] = {}
        self.finished = False

    def train(self, n_rounds: int) -> None:
        """Add stumps until there are `n_rounds`, or the best edge is 0, or a stump makes no error."""
        with self.root.lock, Team(self.n_threads) as self.team:
            while len(self.rounds) < n_rounds and not self.finished:
                self._add(self._best_place())

    def restart(self, n_rounds: int, columns: NDArray[np.int64]) -> None:
        """Go back to the model of `n_rounds` rounds, and go on from there with the given columns only."""
        done = self.rounds[:n_rounds]
        known = max(t for t in self.kept if t <= n_rounds)
        for t in [t for t in self.kept if t > n_rounds]:
            del self.kept[t]
        state = self.kept[known]
        self.rows.weights[:] = state.weights
        self.state = state._replace(weights=self.rows.weights, H=state.H.copy())
        self._narrow(columns)
        self.rounds = done[:known]
        self.finished = False
        with self.root.lock, Team(self.n_threads) as self.team:
            for step in done[known:]:
                self._add(step.place)

    def first_edges(self) -> Float:
        """The largest edge of every column under the start weights, before the first round; 0 without a stump."""
        edges = np.zeros(self.root.n_columns)
        with self.root.lock, Team(self.n_threads) as self.team:
            for i in range(len(self.columns)):
                edges[self.columns[i]] = self._search(self.state.H, self.columns[i : i + 1], self.info, 0.0)[
                    1
                ]
        return edges / sum(self.state.totals)

    def stumps(self) -> Stumps:
        """The model."""
        columns = np.array([step.place.column for step in self.rounds], dtype=np.int64)
        return Stumps(
            column=columns,
            threshold=np.array([self._threshold(step.place) for step in self.rounds], dtype=np.float64),
            nominal=self.root.nominal[columns],
            gap_right=np.array([step.place.right for step in self.rounds], dtype=np.bool_),
            polarity=np.array([step.polarity for step in self.rounds], dtype=np.int64),
            alpha=np.array([step.alpha for step in self.rounds], dtype=np.float64),
            u=np.array([step.u for step in self.rounds], dtype=np.float64),
            edge=np.array([step.edge for step in self.rounds], dtype=np.float64),
        )

    def _threshold(self, place: Place) -> float:
        """Halfway between the values on both sides; the code of a nominal stump; +inf for gaps against known values."""
        low, high = _split_kernels.neighbours(
            self.binned.table, self.info, self.flags, self.root.order, self.in_use, *place[:3]
        )
        if low == high:
            return float(low)
        middle = low + (high - low) / 2 if math.isfinite(high - low) else low / 2 + high / 2
        return float(middle if middle < high else low)

    def _best_place(self) -> Place | None:
        """The best stump; None if the columns have none."""
        place, _, rivals = self._search(self.state.H, self.columns, self.info, self._eps())
        if len(rivals):
            table = self.binned.table
            H = _split_kernels.exact_histograms(
                rivals, table.words, self.info, table.bin_of, self.positive, self.rows.weights
            )
            info = self.info.copy()
            info[rivals, _contender_kernels.UNIT] = np.arange(len(rivals))
            info[rivals, _contender_kernels.N_CELLS] = 0
            place = self._search(H, rivals, info, 0.0)[0]
        return place if place.column >= 0 else None

    def _eps(self) -> float:
        """How far an edge read from the histograms may be off."""
        off = sum(self.state.errors)
        return 1.0001 * (2.0 * off + 1200.0 * ULP * sum(self.state.totals)) if off > 0.0 else 0.0

    def _search(
        self, H: Float, columns: NDArray[np.int64], info: NDArray[np.int64], eps: float
    ) -> tuple[Place, float, NDArray[np.int64]]:
        """The best stump in some columns and its |edge|; and the columns among which histograms cannot decide."""
        order, flags, bin_of = self.root.order, self.flags, self.root.table.bin_of
        S = self.state.totals[0] - self.state.totals[1]
        limits = np.empty((2, len(columns)))
        self.team.each(_contender_kernels.bounds, H, columns, S, info, flags, bin_of, limits)
        between, tasks = _contender_kernels.contenders(H, columns, limits, S, eps, info, flags, bin_of)
        found = np.empty((len(tasks), 6))
        if len(tasks):
            self.team.each(_order_kernels.distribute, self.binned.table, self.binned.unit, order, tasks)
            self.team.each(_order_kernels.open_bins, self.binned.table, order, tasks)
            weights, positive = self.rows.weights, self.positive
            self.team.each(
                _search_kernels.scan, between, tasks, S, eps, info, order, weights, positive, found
            )
        column, k, last, right, size, rivals = _search_kernels.best_stump(between, tasks, found, eps)
        return Place(column, k, last, right), size, rivals

    def _add(self, place: Place | None) -> None:
        """Add a stump, and bring weights and histograms to the next round."""
        if place is None:
            self.finished = True
            return
        if self.n_kept and all(place.column != step.place.column for step in self.rounds):
            self._keep()
        table, rows, totals = self.binned.table, self.rows, self.state.totals
        small, small_right = self.small
        parted = _split_kernels.sides(
            self.counts, self.info, table.bin_of, self.root.order, self.positive, *place, small, small_right
        )
        unit = int(self.binned.unit[place.column])
        word, shift = table.words[unit // 4], np.uint32(8 * (unit % 4))
        self.team.each(_histogram_kernels.take_small, word, shift, small, parted, rows)
        on_right = (bool(small_right[0]), bool(small_right[1]))
        taken = self._class_sums(rows.sums)
        edge = _edge(taken, totals, on_right)
        if edge == 0.0:
            self.finished = True
            return
        if self.averaging is None:
            counted = self._class_sums(rows.counts)
        else:
            counted = _histogram_kernels.listed_sums(rows, self.averaging)
        gamma = abs(edge) / sum(totals)
        polarity = 1 if edge > 0 else -1
        self.finished = abs(edge) == sum(totals)
        used = 1.0 - 1.0 / sum(self.n_rows) if self.finished else self.learning_rate * gamma
        alpha = 0.5 * math.log((1.0 + used) / (1.0 - used))
        self.rounds.append(
            Round(place, polarity, alpha, polarity * _edge(counted, self.averages, on_right), gamma)
        )
        if not self.finished:
            self._advance(used, on_right if polarity > 0 else (not on_right[0], not on_right[1]), taken)

    def _advance(self, gamma: float, on_plus: tuple[bool, bool], taken: Pair) -> None:
        """W <- max(1, rint(W / (1 +- gamma))), the histograms with them, and what these may be off.

        `on_plus` tells of either class whether the stump says +1 on its small side, which weighs `taken`.
        """
        rows, state = self.rows, self.state
        correct, wrong = 1.0 / (1.0 + gamma), 1.0 / (1.0 - gamma)
        small = np.array([correct if on_plus[0] else wrong, wrong if on_plus[1] else correct])
        big = np.array([wrong if on_plus[0] else correct, correct if on_plus[1] else wrong])
        keep_up = self.weight_cap == 0.0 and self.rebuild > 0.0
        words = self.binned.table.words
        if keep_up and len(words) < 4 * self.n_threads and self.n_threads > 1:
            h = np.empty((self.n_threads, *state.H.shape))
            self.team.each(_histogram_kernels.advance_rows, words, rows, h, big, small)
            _histogram_kernels.mix(state.H, h.sum(axis=0), big, small)
        else:
            H = state.H if keep_up else state.H[:0]
            self.team.each(_histogram_kernels.advance, words, rows, H, big, small)
        if self.weight_cap > 0.0:
            cap = math.floor(self.weight_cap * float(rows.sums.sum()) / sum(self.n_rows))
            _histogram_kernels.cap_weights(rows, max(1.0, float(cap)))
        errors = []
        for label in range(2):
            moved = big[label] * (state.totals[label] + state.errors[label]) + small[label] * taken[label]
            errors.append(float(big[label] * state.errors[label] + self.n_rows[label] + 8.0 * ULP * moved))
        self.state = State(state.weights, state.H, self._class_sums(rows.sums), (errors[0], errors[1]))
        if not keep_up or self._eps() > self.rebuild * sum(self.state.totals):
            self.state = self.state._replace(H=self._full_histogram(rows.weights), errors=(0.0, 0.0))

    def _full_histogram(self, weights: Float) -> Float:
        """The histograms of all rows."""
        words = self.binned.table.words
        H = np.empty((self.n_threads, 4 * len(words), 2, 256))
        self.team.each(_histogram_kernels.full_histogram, words, self.rows, weights, H)
        whole: Float = H[0] if self.n_threads == 1 else H.sum(axis=0)
        return whole

    def _by_class(self, amounts: NDArray[Any]) -> Pair:
        """Sums over the positive and the negative rows; exact."""
        first, last = self.positive
        positive = float(amounts[first:last].sum())
        return positive, float(amounts[:first].sum()) + float(amounts[last:].sum())

    def _class_sums(self, by_chunk: NDArray[Any]) -> Pair:
        """Sums of the chunks' entries over the positive and the negative rows."""
        sums = [0.0, 0.0]
        for label, amount in zip(self.labels, by_chunk.tolist()):
            sums[label] += amount
        return sums[0], sums[1]

    def _keep(self) -> None:
        """Keep what this round begins with; with too many rounds kept, every second one goes, but not the first."""
        state = self.state
        self.kept[len(self.rounds)] = state._replace(weights=state.weights.copy(), H=state.H.copy())
        if len(self.kept) > self.n_kept:
            for t in sorted(self.kept)[1::2]:
                del self.kept[t]

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
        self.state = self.state._replace(H=_picked(self.state.H, units, n_units))
        self.kept = {t: state._replace(H=_picked(state.H, units, n_units)) for t, state in self.kept.items()}


def _info(binned: Binned) -> NDArray[np.int64]:
    """What kernels know of the columns, without the bins in use: see `_contender_kernels`."""
    info = np.zeros((binned.n_columns, 7), dtype=np.int64)
    info[:, _contender_kernels.UNIT] = binned.unit
    info[:, _contender_kernels.N_CELLS] = binned.n_cells[binned.unit]
    info[:, _contender_kernels.NOMINAL] = binned.nominal
    info[:, _contender_kernels.LAST] = -1
    return info


def _picked(H: Float, units: NDArray[np.int64], n_units: int) -> Float:
    """The histograms of some units, with empty ones behind them to make `n_units`."""
    picked = np.zeros((n_units, 2, 256))
    picked[: len(units)] = H[units]
    return picked


def _edge(small: Pair, totals: Pair, small_right: tuple[bool, bool]) -> float:
    """Right less left, positive less negative rows, from what the small sides hold: exact integers."""
    positive = 2.0 * small[0] - totals[0] if small_right[0] else totals[0] - 2.0 * small[0]
    negative = 2.0 * small[1] - totals[1] if small_right[1] else totals[1] - 2.0 * small[1]
    return positive - negative


def _new_rows(weights: Float, positive: tuple[int, int], n_threads: int) -> _histogram_kernels.Rows:
    """The rows, cut into chunks of one class and one owner."""
    n_rows = len(weights)
    owned = [part * n_rows // n_threads for part in range(n_threads)]
    cuts = np.unique([0, *positive, n_rows, *owned])
    label = np.where((positive[0] <= cuts[:-1]) & (cuts[:-1] < positive[1]), 0, 1)
    owner = np.searchsorted(owned, cuts[:-1], side="right") - 1
    return _histogram_kernels.Rows(
        chunks=np.column_stack([cuts[:-1], cuts[1:], label, owner]).astype(np.int64),
        weights=weights.copy(),
        listed=np.empty(n_rows, dtype=np.uint32),
        taken=np.empty(n_rows),
        counts=np.zeros(len(label), dtype=np.int64),
        sums=np.zeros(len(label)),
    )
