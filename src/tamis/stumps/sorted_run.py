"""Rounds of boosting on a table of sorted columns: in one kernel, or, where threads are worth it, round by round."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis._threads import Team, threads
from tamis.stumps._kernels import scanning
from tamis.stumps._kernels.scanning import Runs
from tamis.stumps._kernels.sorting import Layout

__all__ = ["Trainer"]

Float = NDArray[np.float64]
THREADED_FROM = 1 << 18  # how many values a round scans before several threads are worth their barrier
COLUMNS_TOGETHER = 64  # looked at in one call of `choose_stump`, whose cost grows with their square


class Trainer:
    """Trains runs on one table; threads work for the length of a ``with`` block.

    Parameters
    ----------
    layout : Layout
        The table.
    runs : Runs
        The models, which are written to.
    weight_cap : float
        After every round no weight is larger than so many times the mean; 0 for no cap.
    learning_rate : float
        The part of every edge that is acted on.
    n_jobs : int or None
        Threads for large tables. The result does not depend on it.
    """

    def __init__(
        self, layout: Layout, runs: Runs, weight_cap: float, learning_rate: float, n_jobs: int | None
    ) -> None:
        self.layout, self.runs = layout, runs
        self.shape = (weight_cap, learning_rate)
        n_columns, n_rows = layout.codes.shape
        self.team = Team(threads(n_jobs) if n_rows * n_columns >= THREADED_FROM else 1)

    def __enter__(self) -> Trainer:
        self.team.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self.team.__exit__(*error)

    def train(self, problem: int, active: NDArray[np.int64], first: int) -> None:
        """Train a problem from round `first` on, on the active columns, which stand in ascending order.

        If the run has gone through that round before, on at least these columns, its bounds are still good.
        """
        layout, runs = self.layout, self.runs
        self._load(problem, first)
        known = bool(runs.n_rounds[problem] > first)
        runs.n_rounds[problem] = first
        last = runs.stumps.shape[1]
        if self.team.n_parts == 1 or layout.codes.shape[1] * len(active) < THREADED_FROM:
            scanning.train(layout, runs, problem, active, first, last, known, self.shape)
            return
        parts = [active[part :: self.team.n_parts].copy() for part in range(self.team.n_parts)]
        for t in range(first, last):
            if not known:
                bounds = runs.bounds[problem, t % runs.bounds.shape[1]]
                self.team.each(self._bounds, parts, float(runs.totals[0]), bounds)
            known = False
            if scanning.train(layout, runs, problem, active, t, t + 1, True, self.shape):
                return

    def first_edges(self, problem: int, active: NDArray[np.int64]) -> Float:
        """The largest |edge| of each active column under the start weights, as a share of the total weight."""
        layout, runs = self.layout, self.runs
        self._load(problem, 0)
        edges = np.zeros(layout.codes.shape[0])
        edges[active] = math.inf  # no column can be spared a close look
        for first in range(0, len(active), COLUMNS_TOGETHER):
            some = active[first : first + COLUMNS_TOGETHER]
            scanning.choose_stump(layout, some, runs.extended, runs.whole, float(runs.totals[0]), edges)
        edges /= runs.totals[1]
        return edges

    def _load(self, problem: int, first: int) -> None:
        """Make the signed weights at the start of a round those of the run at work."""
        runs = self.runs
        signed = runs.snapshots[problem, first]
        scanning.load_weights(signed, (math.inf, math.inf), runs.extended, runs.whole, runs.totals)

    def _bounds(
        self, parts: list[NDArray[np.int64]], signed_total: float, bounds: Float, part: int, n_parts: int
    ) -> None:
        """The bounds of one thread's columns; slots are its own."""
        extended, whole = self.runs.extended, self.runs.whole
        if part:
            extended, whole = extended.copy(), whole.copy()
        scanning.edge_bounds(self.layout, parts[part], extended, whole, signed_total, bounds)
