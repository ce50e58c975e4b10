"""One boosted model on a table of sorted columns: all rounds in one kernel, or, where threads help, round by round."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tamis._memory import Arrays
from tamis._threads import Team
from tamis.stumps._kernels import scanning
from tamis.stumps._kernels.fields import STATE, TOTALS
from tamis.stumps._kernels.weights import Settings
from tamis.stumps.model import halfway
from tamis.stumps.problems import Problem
from tamis.stumps.run import Run

if TYPE_CHECKING:
    from tamis.stumps.sorted_columns import SortedTable

__all__ = ["SortedRun"]

Float = NDArray[np.float64]
Int = NDArray[np.int64]
THREADED_FROM = 1 << 18  # how many values a round scans before several threads are worth their barrier
COLUMNS_TOGETHER = 64  # looked at in one call of `choose_stump`, whose cost grows with their square


class SortedRun(Run):
    """A `Run` on sorted columns.

    Parameters
    ----------
    table : SortedTable
        The table, without the rows that the problem leaves out.
    problem : Problem
        Sides and start weights of the rows.
    columns, settings
        As in `Run`.
    keep : bool
        Whether the start of every round that first uses a column is kept, to go back to.
    team : Team
        Threads for large tables. The result does not depend on them.
    """

    def __init__(
        self,
        table: SortedTable,
        problem: Problem,
        columns: Int,
        settings: Settings,
        *,
        keep: bool,
        team: Team,
    ) -> None:
        super().__init__(settings, columns, table.nominal)
        self.table, self.team = table, team
        n_kept = settings.n_rounds if keep else 1
        n_extended = table.n_rows + table.n_slots
        averaging = np.ones(table.n_rows, dtype=np.int64) if problem.equal else problem.start.astype(np.int64)
        self.work = scanning.Work(
            rounds=self.rounds,
            averaging=averaging,
            sharers=problem.sharers,
            snapshots=np.empty((n_kept, table.n_rows)),
            bounds=np.empty((n_kept, table.n_columns)),
            extended=np.empty(n_extended),
            whole=np.empty(n_extended, dtype=np.int64),
            totals=np.array([0.0, 0.0, averaging.sum()]),
        )
        self.bounds_known = False  # whether the bounds of the next round are in `work`
        self.n_repeated = 0  # rounds from the first on whose bounds were never computed
        self._load(problem.start * problem.sign)

    def restart(self, n_rounds: int, columns: Int) -> None:
        """Go back to the model of `n_rounds` rounds, and go on from there with the given columns only.

        The bounds of that round are still good: it was trained on at least these columns, with the same weights.
        """
        self.columns = columns
        self.bounds_known = n_rounds >= self.n_repeated
        self.n_repeated = min(self.n_repeated, n_rounds)
        self.rounds.state[:] = n_rounds, 0, 0
        self._load(self.work.snapshots[n_rounds])

    def first_edges(self) -> Float:
        """The largest |edge| of each column under the start weights, as a share of all weight."""
        work, edges = self.work, np.zeros(self.table.n_columns)
        edges[self.columns] = math.inf  # no column can be spared a close look
        signed_total = float(work.totals[TOTALS.signed])
        for first in range(0, len(self.columns), COLUMNS_TOGETHER):
            some = self.columns[first : first + COLUMNS_TOGETHER]
            scanning.choose_stump(self.table.layout, some, work.extended, work.whole, signed_total, edges)
        edges /= work.totals[TOTALS.weight]
        return edges

    def _train(self, end: int) -> None:
        layout, work, team = self.table.layout, self.work, self.team
        if team.n_parts == 1 or self.table.n_rows * len(self.columns) < THREADED_FROM:
            scanning.train(layout, work, self.columns, end, self.bounds_known, self.settings)
            self.bounds_known = False
            return
        shares = [self.columns[part :: team.n_parts].copy() for part in range(team.n_parts)]
        while len(self) < end and not self.finished:
            if not self.bounds_known:
                team.each(self._bounds, shares, work.bounds[len(self) % len(work.bounds)])
            self.bounds_known = False
            scanning.train(layout, work, self.columns, len(self) + 1, True, self.settings)

    def _repeat(self, n_rounds: int, kept: Arrays) -> None:
        self.rounds.state[:] = 0, 0, n_rounds
        scanning.train(self.table.layout, self.work, self.columns, n_rounds, False, self.settings)
        self.rounds.state[STATE.finished] = 0
        self.n_repeated = n_rounds

    def _threshold(self, t: int) -> float:
        table, column, cut = self.table, self.rounds.column[t], self.rounds.cut[t]
        if cut < 0:
            return math.inf
        value = table.distinct_start[column] + cut
        if self.nominal[column]:
            return float(table.distinct[value])
        return halfway(float(table.distinct[value]), float(table.distinct[value + 1]))

    def _load(self, signed: Float) -> None:
        """Make these signed weights those of the present round."""
        work = self.work
        scanning.load_weights(signed, (math.inf, math.inf), work.extended, work.whole, work.totals)

    def _bounds(self, shares: list[Int], bounds: Float, part: int, n_parts: int) -> None:
        """The bounds of one thread's columns; slots are its own."""
        work = self.work
        extended, whole = work.extended, work.whole
        if part:
            extended, whole = extended.copy(), whole.copy()
        signed_total = float(work.totals[TOTALS.signed])
        scanning.edge_bounds(self.table.layout, shares[part], extended, whole, signed_total, bounds)
