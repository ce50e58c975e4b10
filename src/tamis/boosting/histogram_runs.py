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
    threshold: float
    polarity: int
    alpha: float
    u: float
    edge: float


class State(NamedTuple):
    """What a round begins with."""

    weights: Float  # (n,)
    H: Float  # (units, 2, 256), in exact arithmetic the weight of either class in each cell
    totals: Float  # (2,) the weight of either class, exact
    errors: Float  # (2,) how far the cells of a unit may be off, in sum


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
        self.learning_rate = learning_rate
        self.weight_cap, self.n_threads, self.n_kept, self.rebuild = weight_cap, n_threads, n_kept, rebuild
        row_of = self.root.table.row_of
        weights = start[row_of]
        positive = np.flatnonzero(sign[row_of] > 0)
        first, last = (int(positive[0]), int(positive[-1]) + 1) if len(positive) else (0, 0)
        self.rows = _new_rows(weights, first, last, n_threads)
        in_use = (weights > 0) * 1.0
        self.averaging = None if equal and in_use.all() else in_use if equal else weights.copy()
        self.n_class = self._by_class(in_use)
        self.averages = self.n_class if self.averaging is None else self._by_class(self.averaging)
        with Team(n_threads) as self.team:
            H = self._full_histogram(weights)
            self.counts = H / weights.max() if equal else self._full_histogram(in_use)
        self.state = State(self.rows.weights, H, self._by_class(weights), np.zeros(2))
        self.fit = _contender_kernels.fit_columns(self.counts, self.binned.table, columns, first, last)
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
        self.state = self._copied(self.kept[known])
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
            for i, column in enumerate(self.fit.columns):
                edges[column] = self._search(
                    self.binned.table, self.state.H, self.fit.columns[i : i + 1], 0.0
                )[1]
        return edges / float(self.state.totals.sum())

    def stumps(self) -> Stumps:
        """The model."""
        columns = np.array([step.place.column for step in self.rounds], dtype=np.int64)
        return Stumps(
            column=columns,
            threshold=np.array([step.threshold for step in self.rounds], dtype=np.float64),
            nominal=self.root.table.nominal[columns],
            gap_right=np.array([step.place.right for step in self.rounds], dtype=np.bool_),
            polarity=np.array([step.polarity for step in self.rounds], dtype=np.int64),
            alpha=np.array([step.alpha for step in self.rounds], dtype=np.float64),
            u=np.array([step.u for step in self.rounds], dtype=np.float64),
            edge=np.array([step.edge for step in self.rounds], dtype=np.float64),
        )

    def _best_place(self) -> Place | None:
        """The best stump; None if the columns have none."""
        table = self.binned.table
        place, _, rivals = self._search(table, self.state.H, self.fit.columns, self._eps())
        if len(rivals):
            H = _split_kernels.exact_histograms(rivals, table, self.fit, self.rows.weights)
            unit = np.full(len(table.unit), -1)
            unit[rivals] = np.arange(len(rivals))
            table = table._replace(unit=unit, n_cells=np.zeros(len(rivals), dtype=np.int64))
            place, _, _ = self._search(table, H, rivals, 0.0)
        return place if place.column >= 0 else None

    def _eps(self) -> float:
        """How far an edge read from the histograms may be off."""
        if not self.state.errors.any():
            return 0.0
        return 1.0001 * float(2.0 * self.state.errors.sum() + 1200.0 * ULP * self.state.totals.sum())

    def _search(
        self, table: Any, H: Float, columns: NDArray[np.int64], eps: float
    ) -> tuple[Place, float, NDArray[np.int64]]:
        """The best stump in some columns and its |edge|; and the columns among which histograms cannot decide."""
        order, weights = self.root.order, self.rows.weights
        S = float(self.state.totals[0] - self.state.totals[1])
        limits = np.empty((2, len(columns)))
        self.team.each(_contender_kernels.bounds, H, columns, S, table, self.fit, limits)
        tasks = _contender_kernels.contenders(H, columns, limits, S, eps, table, self.fit, order.ready)
        if len(tasks.waiting):
            self._open(tasks.columns[tasks.owners[tasks.waiting]], tasks.bins[tasks.waiting])
        found = np.full((len(tasks.bins), 6), -1.0)
        self.team.each(_search_kernels.scan, tasks, S, eps, table, self.fit, order, weights, found)
        column, k, last, right, size, rivals = _search_kernels.best_stump(tasks, found, eps)
        return Place(int(column), int(k), int(last), bool(right)), float(size), rivals

    def _open(self, columns: NDArray[np.int64], bins: NDArray[np.int64]) -> None:
        """Sort the rows of some bins."""
        table, order = self.binned.table, self.root.order
        new = np.unique(columns)
        new = new[order.starts[new, 256] < 0]
        if len(new):
            self.team.each(_order_kernels.distribute, table, order, new)
        self.team.each(_order_kernels.open_bins, table, order, columns, bins)

    def _add(self, place: Place | None) -> None:
        """Add a stump, and bring weights and histograms to the next round."""
        if place is None:
            self.finished = True
            return
        table, order, rows = self.binned.table, self.root.order, self.rows
        if self.n_kept and all(place.column != step.place.column for step in self.rounds):
            self._keep()
        low, high = _split_kernels.neighbours(table, self.fit, order, rows.weights, *place[:3])
        small, parted, small_right = _split_kernels.sides(self.counts, table, self.fit, order, *place)
        unit = int(table.unit[place.column])
        self.team.each(
            _histogram_kernels.take_small,
            table.words[unit // 4],
            np.uint32(8 * (unit % 4)),
            small,
            parted,
            rows,
        )
        totals = self.state.totals
        taken = self._small_sums(rows.sums)
        edge = _edge(taken, totals, small_right)
        total = float(totals.sum())
        if edge == 0.0:
            self.finished = True
            return
        if self.averaging is None:
            counted = self._small_sums(rows.counts)
        else:
            counted = _histogram_kernels.listed_sums(rows, self.averaging)
        gamma = abs(edge) / total
        polarity = 1 if edge > 0 else -1
        self.finished = abs(edge) == total
        used = 1.0 - 1.0 / float(self.n_class.sum()) if self.finished else self.learning_rate * gamma
        self.rounds.append(
            Round(
                place=place,
                threshold=low if low == high else halfway(low, high),
                polarity=polarity,
                alpha=0.5 * math.log((1.0 + used) / (1.0 - used)),
                u=polarity * _edge(counted, self.averages, small_right),
                edge=gamma,
            )
        )
        if not self.finished:
            self._advance(used, (small_right[0] == (polarity > 0), small_right[1] == (polarity < 0)), taken)

    def _advance(self, gamma: float, small_is_correct: tuple[bool, bool], taken: Float) -> None:
        """W <- max(1, rint(W / (1 +- gamma))), the histograms with them, and what these may be off."""
        rows, state = self.rows, self.state
        correct, wrong = 1.0 / (1.0 + gamma), 1.0 / (1.0 - gamma)
        small = np.where(small_is_correct, correct, wrong)
        big = np.where(small_is_correct, wrong, correct)
        keep_up = self.weight_cap == 0.0 and self.rebuild > 0.0
        words = self.binned.table.words
        if keep_up and len(words) < 4 * self.n_threads and self.n_threads > 1:
            h = np.empty((self.n_threads, *state.H.shape))
            self.team.each(_histogram_kernels.advance_rows, words, rows, h, big, small)
            _histogram_kernels.mix(state.H, h.sum(axis=0), big, small)
        else:
            self.team.each(
                _histogram_kernels.advance, words, rows, state.H if keep_up else state.H[:0], big, small
            )
        if self.weight_cap > 0.0:
            cap = math.floor(self.weight_cap * float(rows.sums.sum()) / float(self.n_class.sum()))
            _histogram_kernels.cap_weights(rows, max(1.0, float(cap)))
        moved = big * (state.totals + state.errors) + small * taken
        errors = big * state.errors + self.n_class + 8.0 * ULP * moved
        self.state = state._replace(totals=self._small_sums(rows.sums), errors=errors)
        if not keep_up or self._eps() > self.rebuild * float(self.state.totals.sum()):
            self.state = self.state._replace(H=self._full_histogram(rows.weights), errors=np.zeros(2))

    def _full_histogram(self, weights: Float) -> Float:
        """The histograms of all rows."""
        words = self.binned.table.words
        H = np.empty((self.n_threads, 4 * len(words), 2, 256))
        self.team.each(_histogram_kernels.full_histogram, words, self.rows, weights, H)
        whole: Float = H[0] if self.n_threads == 1 else H.sum(axis=0)
        return whole

    def _by_class(self, amounts: Float) -> Float:
        """Sums over the positive and the negative rows."""
        first, last = self.rows.chunks[:, 0], self.rows.chunks[:, 1]
        return self._small_sums(np.array([amounts[i:j].sum() for i, j in zip(first, last)]))

    def _small_sums(self, by_chunk: NDArray[Any]) -> Float:
        """Sums of the chunks' entries over the positive and the negative rows."""
        return np.asarray(np.bincount(self.rows.chunks[:, 2], by_chunk, 2), dtype=np.float64)

    def _copied(self, state: State) -> State:
        """A state in arrays of its own, its weights in those of the rows."""
        self.rows.weights[:] = state.weights
        return State(self.rows.weights, state.H.copy(), state.totals, state.errors)

    def _keep(self) -> None:
        """Keep what this round begins with; with too many rounds kept, every second one goes, but not the first."""
        state = self.state
        self.kept[len(self.rounds)] = State(state.weights.copy(), state.H.copy(), state.totals, state.errors)
        if len(self.kept) > self.n_kept:
            for t in sorted(self.kept)[1::2]:
                del self.kept[t]

    def _narrow(self, columns: NDArray[np.int64]) -> None:
        """Leave out columns, and the units that are no longer needed."""
        self.fit = self.fit._replace(columns=np.intersect1d(self.fit.columns, columns))
        narrow = self.root.narrowed(columns)
        if narrow is self.binned:
            return
        units = np.searchsorted(self.binned.units, narrow.units)
        n_units = 4 * len(narrow.table.words)
        self.binned = narrow
        self.counts = _picked(self.counts, units, n_units)
        self.state = self.state._replace(H=_picked(self.state.H, units, n_units))
        self.kept = {t: state._replace(H=_picked(state.H, units, n_units)) for t, state in self.kept.items()}


def halfway(low: float, high: float) -> float:
    """The threshold between two neighbouring values: low <= threshold < high, whatever they are."""
    width = high - low
    middle = low + width / 2 if math.isfinite(width) else low / 2 + high / 2
    return middle if middle < high else low


def _picked(H: Float, units: NDArray[np.int64], n_units: int) -> Float:
    """The histograms of some units, with empty ones behind them to make `n_units`."""
    picked = np.zeros((n_units, 2, 256))
    picked[: len(units)] = H[units]
    return picked


def _edge(small: Float, totals: Float, small_right: NDArray[np.bool_]) -> float:
    """Right less left, positive less negative rows, from what the small sides hold: exact integers."""
    right = np.where(small_right, small, totals - small)
    left = totals - right
    return float((right[0] - right[1]) - (left[0] - left[1]))


def _new_rows(weights: Float, first: int, last: int, n_threads: int) -> _histogram_kernels.Rows:
    """The rows, cut into chunks of one class and one owner; the positive ones are first..last - 1."""
    n_rows = len(weights)
    owned = [part * n_rows // n_threads for part in range(n_threads)]
    cuts = np.unique([0, first, last, n_rows, *owned])
    label = np.where((first <= cuts[:-1]) & (cuts[:-1] < last), 0, 1)
    owner = np.searchsorted(owned, cuts[:-1], side="right") - 1
    return _histogram_kernels.Rows(
        chunks=np.column_stack([cuts[:-1], cuts[1:], label, owner]).astype(np.int64),
        weights=weights.copy(),
        listed=np.empty(n_rows, dtype=np.uint32),
        taken=np.empty(n_rows),
        counts=np.zeros(len(label), dtype=np.int64),
        sums=np.zeros(len(label)),
    )
