"""Boosted trees of three and more leaves: a binned table, and one model on it in the making.

Trees are cut between bins, as many as a byte can tell apart: a numeric column of more than 255 values is cut at about 240 of
them, which a sample of its values suggests. All sums are sums of integers, as with stumps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tamis._memory import Arrays
from tamis._threads import Team
from tamis.stumps._kernels import trees as kernels
from tamis.stumps._kernels.bounds import fit_columns
from tamis.stumps._kernels.fields import GAP, IN_USE, MIXED, STATE
from tamis.stumps._kernels.tree_splits import View, column_edges
from tamis.stumps._kernels.trees import Forest, Growth, Work
from tamis.stumps._kernels.weights import Settings
from tamis.stumps.binned import BinnedTable, binned_table
from tamis.stumps.histogram_run import column_info
from tamis.stumps.leaving import Model
from tamis.stumps.model import halfway
from tamis.stumps.problems import Problem, refuse_other_rows
from tamis.stumps.run import Run
from tamis.stumps.trees import Trees

__all__ = ["TreeRun", "TreeTable", "tree_table"]

Float = NDArray[np.float64]
Int = NDArray[np.int64]
KEPT_BYTES = 1 << 27  # for the weights of earlier rounds that are kept to go back to


@dataclass
class TreeTable:
    """A binned table on which trees are grown; made by `tree_table`."""

    binned: BinnedTable
    max_leaves: int
    soft_margin: float

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return self.binned.n_columns

    def n_threads(self, n_jobs: int | None) -> int:
        """Always one."""
        return 1

    def n_kept(self, n_problems: int) -> int:
        """Rounds of each model that are kept to go back to: as many as fit in memory."""
        return max(4, KEPT_BYTES // (8 * self.binned.n_rows * n_problems))

    def new_run(self, problem: Problem, columns: Int, settings: Settings, n_kept: int, team: Team) -> TreeRun:
        """A model of no rounds."""
        refuse_other_rows(problem, self.binned.n_rows)
        return TreeRun(self.binned, problem, columns, settings, self, n_kept)


def tree_table(
    values: Float,
    nominal: NDArray[np.bool_],
    classes: NDArray[np.int64],
    max_leaves: int,
    soft_margin: float = 0.0,
) -> TreeTable:
    """Cut every column of a table into bins, for trees of at most so many leaves.

    Parameters
    ----------
    values : ndarray, shape (n, d)
        The table, NaN for missing values and codes in nominal columns.
    nominal : ndarray of bool, shape (d,)
        Which columns are nominal.
    classes : ndarray of int, shape (n,)
        The class of each row.
    max_leaves : int
        The most leaves of a tree, 2 at least.
    soft_margin : float, default=0.0
        The share of the rows that may be given up: none weighs more than the one at this quantile of the margins.

    Returns
    -------
    TreeTable
        What `boost` and `eliminate` read.
    """
    return TreeTable(binned_table(values, nominal, classes=classes), max_leaves, soft_margin)


class TreeRun(Run):
    """A `Run` whose rounds are trees.

    Parameters
    ----------
    table : BinnedTable
        The table.
    problem : Problem
        Sides and start weights of the rows.
    columns, settings
        As in `Run`.
    trees : TreeTable
        How trees are grown.
    n_kept : int
        How many rounds are kept to go back to.
    """

    def __init__(
        self,
        table: BinnedTable,
        problem: Problem,
        columns: Int,
        settings: Settings,
        trees: TreeTable,
        n_kept: int,
    ) -> None:
        super().__init__(settings, columns, table.nominal)
        self.root, self.narrow, self.max_leaves = table, table.narrowed(columns), trees.max_leaves
        row_of, n_rows = table.table.row_of, table.n_rows
        sign = problem.sign[row_of].astype(np.float64)
        self.start = problem.start[row_of] * sign
        in_use = self.start != 0
        self.flags = table.mixed.astype(np.uint8)
        self.info = column_info(self.narrow)
        counts = np.zeros((4 * len(self.narrow.table.words), 2, 256))
        counts[:, :1] = self._histogram(in_use.astype(np.float64))
        self.columns = fit_columns(counts, columns, self.info, self.flags, table.table.bin_of)
        n_kept = min(n_kept, settings.n_rounds)
        self.work = Work(
            weights=self.start.copy(),
            soft=float(trees.soft_margin),
            start=self.start,
            raw=np.ones(n_rows if trees.soft_margin > 0 else 0),
            averaging=in_use * sign if problem.equal else self.start,
            sharers=problem.sharers,
            n_rows=float(in_use.sum()),
            snapshots=np.empty((n_kept, n_rows)),
            kept=np.full(n_kept, -1),
            used=np.zeros(table.n_columns, dtype=np.bool_),
        )
        if self.work.soft > 0:
            kernels.soften(self.work)
        max_leaves = self.max_leaves
        n_splits, n_nodes = max_leaves - 1, 2 * max_leaves - 1
        whole = [np.zeros((settings.n_rounds, n_splits), dtype=np.int64) for _ in range(4)]
        self.forest = Forest(
            n_nodes=np.zeros(settings.n_rounds, dtype=np.int64),
            split=whole[0],
            column=whole[1],
            cut=whole[2],
            gap_right=whole[3],
            label=np.zeros((settings.n_rounds, n_nodes), dtype=np.int64),
            part_column=np.full((settings.n_rounds, max_leaves), -1),
            part_u=np.zeros((settings.n_rounds, max_leaves)),
            part_weight=np.zeros((settings.n_rounds, max_leaves)),
        )
        self.growth: Growth | None = None

    def first_edges(self) -> Float:
        """The largest |edge| of each column under the start weights, as a share of all weight; 0 without a split."""
        edges, H = np.zeros(self.root.n_columns), self._histogram(self.start)
        edges[self.columns] = column_edges(self._view(), H, self.columns, float(self.start.sum()))
        edges /= np.abs(self.start).sum()
        return edges

    def restart(self, n_rounds: int, columns: Int) -> None:
        """Go back to the model of `n_rounds` rounds, and go on from there with the given columns only."""
        kept = self.work.kept
        kept[kept > n_rounds] = -1
        place = int(np.argmax(kept))  # the first round is always kept
        if self.work.soft > 0:
            self.work.raw[:] = self.work.snapshots[place]
            kernels.soften(self.work)
        else:
            self.work.weights[:] = self.work.snapshots[place]
        self._use_only(columns)
        self._again(int(kept[place]), n_rounds)

    def worth(self) -> Model:
        """What the trees tell of their columns."""
        n = len(self)
        in_use = self.forest.part_column[:n] >= 0
        number = np.nonzero(in_use)[0]
        alpha = self.rounds.alpha[number]
        return Model(
            self.forest.part_column[:n][in_use],
            number,
            alpha * self.forest.part_u[:n][in_use],
            alpha * self.forest.part_weight[:n][in_use],
        )

    def model(self) -> Trees:
        """The model."""
        n, forest = len(self), self.forest
        worth = self.worth()
        return Trees(
            split=forest.split[:n].copy(),
            column=forest.column[:n].copy(),
            threshold=self._thresholds(n),
            nominal=self.nominal[forest.column[:n]],
            gap_right=forest.gap_right[:n] > 0,
            label=forest.label[:n].copy(),
            n_splits=forest.n_nodes[:n] // 2,
            alpha=self.rounds.alpha[:n].copy(),
            edge=self.rounds.edge[:n].copy(),
            part_column=worth.column,
            part_margin=worth.margin,
            part_ratio=worth.ratio,
        )

    def keep(self) -> Arrays:
        """The trees, and whether there will be more."""
        names = ("n_nodes", "split", "column", "cut", "gap_right")
        kept = {name: getattr(self.forest, name)[: len(self)] for name in names}
        return {**kept, "finished": np.array([self.finished])}

    def put_back(self, kept: Arrays, columns: Int) -> None:
        """Become the run that gave `kept`, when the given columns were left; for a run of no rounds."""
        n_rounds = len(kept["n_nodes"])
        for name in ("n_nodes", "split", "column", "cut", "gap_right"):
            getattr(self.forest, name)[:n_rounds] = kept[name]
        self._use_only(columns)
        self._repeat(n_rounds, kept)
        self.rounds.state[STATE.finished] = kept["finished"][0]

    def _train(self, end: int) -> None:
        growth = self.growth or self._new_growth()
        self.growth = growth
        kernels.train(
            self._view(), growth, self.forest, self.work, self.rounds, self.columns, end, self.settings
        )

    def _repeat(self, n_rounds: int, kept: Arrays) -> None:
        self._again(0, n_rounds)

    def _again(self, known: int, n_rounds: int) -> None:
        """Go on from the model of `known` rounds to that of `n_rounds`, whose trees are entered."""
        self.rounds.state[:] = known, 0, n_rounds
        self.work.used[:] = False
        for t in range(known):
            self.work.used[self.forest.column[t, : self.forest.n_nodes[t] // 2]] = True
        self._train(n_rounds)
        self.rounds.state[STATE.finished] = 0

    def _use_only(self, columns: Int) -> None:
        super()._use_only(columns)
        table = self.root.narrowed(columns)
        if table is not self.narrow:
            self.narrow, self.growth = table, None
            self.info[:, :2] = column_info(table)[:, :2]  # unit and cells

    def _view(self) -> View:
        """The table as the kernels read it."""
        table = self.narrow.table
        return View(table.words, table.bin_of, self.info, self.flags)

    def _histogram(self, weights: Float) -> Float:
        """The histograms of all rows."""
        words = self.narrow.table.words
        H = np.empty((4 * len(words), 1, 256))
        kernels.root_histogram(words, weights, H)
        return H

    def _new_growth(self) -> Growth:
        """Room for a tree."""
        n_rows, n_nodes = self.root.n_rows, 2 * self.max_leaves - 1
        return Growth(
            nodes=np.zeros((n_nodes, len(kernels.NODE)), dtype=np.int64),
            sums=np.zeros((n_nodes, len(kernels.SUM))),
            H=np.empty((self.max_leaves, 4 * len(self.narrow.table.words), 1, 256)),
            listed=np.empty(n_rows, dtype=np.uint32),
            taken=np.empty(n_rows),
            other_listed=np.empty(n_rows, dtype=np.uint32),
            other_taken=np.empty(n_rows),
            scratch=np.zeros(256),
        )

    def _thresholds(self, n_rounds: int) -> Float:
        """The thresholds of all splits."""
        column, cut = self.forest.column[:n_rounds], self.forest.cut[:n_rounds]
        thresholds = np.full(column.shape, math.inf)
        for t, s in zip(*np.nonzero(cut < GAP)):
            if s < self.forest.n_nodes[t] // 2:
                thresholds[t, s] = self._border(int(column[t, s]), int(cut[t, s]))
        return thresholds

    def _border(self, column: int, cut: int) -> float:
        """The threshold above a bin, or the value of a bin in a nominal column."""
        values, flags = self.root.table.bin_values[column], self.flags[column]
        if self.nominal[column]:
            return float(values[cut])
        above = cut + 1 + int(np.argmax(flags[cut + 1 : GAP] & IN_USE > 0))
        return (
            float(values[cut]) if flags[above] & MIXED else halfway(float(values[cut]), float(values[above]))
        )

    def _threshold(self, t: int) -> float:
        raise TypeError("TreeRun has trees, which have several thresholds.")
