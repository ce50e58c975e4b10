"""Boosting of stumps for a numeric target, by least squares: a table in cells, and a `Run` on it.

On each of its sides, a stump predicts the mean of the residuals times the learning rate. With the target centred,
y H(x) is the margin of a row as it is for two classes: the constant part of a stump adds nothing to the sum of
y h(x). A stump therefore counts by half the difference of its two predictions (`alpha`) and by the sum of y over its
sides (`u`), as in AdaBoost.

All sums are sums of integers. The target is rounded to whole steps, each 2^-40 of its largest distance from the mean
or coarser, so that all sums stay below 2^61; weights are whole numbers as well. No result depends on the order of the
rows, on threads or on the float type of the table.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tamis._memory import Arrays
from tamis._threads import Team
from tamis.stumps._kernels import least_squares as kernels
from tamis.stumps._kernels.fields import STATE
from tamis.stumps._kernels.least_squares import Cells, Work
from tamis.stumps._kernels.weights import Settings
from tamis.stumps.part_bins import Bins, bins_of, facts_of, sample_limit
from tamis.stumps.run import Run
from tamis.table.weights import whole_weights

__all__ = ["CellTable", "LeastSquaresRun", "Steps", "cell_table"]

Float = NDArray[np.float64]
Int = NDArray[np.int64]
BITS = 60  # bits of the largest sum of weight times target
FINEST = 40  # the most bits of the target
MOST_CODES = (1 << 16) - 1  # cells of a categorical column; values beyond share the last one
KEPT_BYTES = 1 << 26  # for sums of earlier rounds that are kept to go back to
JOINT_BYTES = 1 << 28  # for the weights that stumps share with cells, kept for when a stump is chosen again


@dataclass(frozen=True)
class Steps:
    """A target in whole numbers.

    Attributes
    ----------
    target : ndarray of int, shape (n,)
        The target less its mean, counted in steps.
    weights : ndarray of int, shape (n,)
        The weights of the rows.
    mean : float
        The weighted mean of the target.
    unit : float
        The size of a step in the unit of the target.
    """

    target: Int
    weights: Int
    mean: float
    unit: float

    @classmethod
    def of(cls, target: Float, weights: Float | None = None) -> Steps:
        """Round a target that is not constant; `weights` are positive."""
        whole = whole_weights(len(target), weights)
        total = int(whole.sum())
        scale = np.abs(target).max()  # without it, sums of large numbers may overflow
        mean = math.fsum(whole * (target / scale)) / total
        centred = target / scale - mean
        largest = np.abs(centred).max()
        bits = min(FINEST, BITS - total.bit_length())
        steps = np.rint(np.ldexp(centred / largest, bits)).astype(np.int64)
        return cls(steps, whole, mean * scale, float(np.ldexp(largest, -bits) * scale))


@dataclass
class CellTable:
    """A table in cells; made by `cell_table`.

    Attributes
    ----------
    codes : ndarray of uint16, shape (d, n)
        The cell of each value, counted from the first cell of its column.
    starts : ndarray of int, shape (d + 1,)
        Where the cells of each column begin; the last cell of a column holds its missing values.
    nominal : ndarray of bool, shape (d,)
        Which columns are nominal (categorical).
    bins : Bins
        The values of the cells of numeric columns.
    """

    codes: NDArray[np.uint16]
    starts: Int
    nominal: NDArray[np.bool_]
    bins: Bins

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return len(self.nominal)

    def n_threads(self, n_jobs: int | None) -> int:
        """Always one: a round takes microseconds once its stump is known."""
        return 1

    def n_kept(self, n_problems: int) -> int:
        """How many rounds of a model are kept to go back to: as many as fit in memory."""
        return max(1, KEPT_BYTES // (8 * int(self.starts[-1])))

    def new_run(
        self, problem: Steps, columns: Int, settings: Settings, n_kept: int, team: Team
    ) -> LeastSquaresRun:
        """A model with no rounds yet."""
        return LeastSquaresRun(self, problem, columns, settings, n_kept)

    def threshold(self, column: int, cell: int) -> float:
        """The threshold of a cut after this cell (nominal columns: at it); +inf for missing values against the rest."""
        code = cell - int(self.starts[column])
        if cell == self.starts[column + 1] - 1:
            return math.inf
        if self.nominal[column]:
            return float(code)
        return self.bins.threshold(column, code)


def cell_table(values: Float, nominal: NDArray[np.bool_]) -> CellTable:
    """Put a table in cells: a numeric column of more than 255 values is cut into 255 bins of about equal size.

    Parameters
    ----------
    values : ndarray, shape (n, d)
        The table, NaN for missing values and codes in nominal columns.
    nominal : ndarray of bool, shape (d,)
        Which columns are nominal.

    Returns
    -------
    CellTable
        What `boost` and `eliminate` read.
    """
    n_rows, n_columns = values.shape
    numeric = np.where(nominal, 0.0, values)
    bins = bins_of([facts_of(numeric, 0, sample_limit(n_rows, n_columns))], np.full(n_columns, -1))
    codes = np.empty((n_columns, n_rows), dtype=np.uint16)
    n_cells = np.empty(n_columns, dtype=np.int64)
    for column in range(n_columns):
        own = values[:, column]
        missing = np.isnan(own)
        if nominal[column]:
            n_cells[column] = min(MOST_CODES, int(np.nanmax(own, initial=0.0)) + 1)
            cell = np.minimum(np.where(missing, 0.0, own), n_cells[column] - 1)
        else:
            n_cells[column] = bins.n_bins[column]
            cell = np.searchsorted(bins.values[column, : n_cells[column] - 1], own)
        codes[column] = np.where(missing, n_cells[column], cell)
    starts = np.concatenate([[0], np.cumsum(n_cells + 1)])
    return CellTable(codes, starts, nominal, bins)


class LeastSquaresRun(Run):
    """A `Run` on a table in cells.

    Parameters
    ----------
    table : CellTable
        The table.
    problem : Steps
        The target and the weights of its rows.
    columns, settings
        As in `Run`; weights are not capped.
    n_kept : int
        How many rounds are kept to go back to.
    """

    def __init__(
        self, table: CellTable, problem: Steps, columns: Int, settings: Settings, n_kept: int
    ) -> None:
        super().__init__(settings, columns, table.nominal)
        self.table, self.problem = table, problem
        n_cells = int(table.starts[-1])
        held, given = np.zeros((2, n_cells), dtype=np.int64)
        for start, codes in zip(table.starts, table.codes):
            np.add.at(held, start + codes.astype(np.int64), problem.weights)
            np.add.at(given, start + codes.astype(np.int64), problem.weights * problem.target)
        self.cells = Cells(table.codes, table.starts, table.nominal, problem.weights, held, given)
        self.every = -(-settings.n_rounds // max(1, n_kept))
        self.work = Work(
            rounds=self.rounds,
            left=given.copy(),
            snapshots=np.empty((-(-settings.n_rounds // self.every), n_cells), dtype=np.int64),
            slots=np.full(2 * n_cells, -1, dtype=np.int64),
            joint=np.empty((max(1, min(2 * n_cells, JOINT_BYTES // (8 * n_cells))), n_cells), dtype=np.int64),
            used=np.zeros(1, dtype=np.int64),
        )

    @property
    def intercept(self) -> float:
        """The constant of the model: the mean of the target plus the middle of each stump's two predictions."""
        return self.problem.mean + self.problem.unit * math.fsum(self.rounds.edge[: len(self)])

    def restart(self, n_rounds: int, columns: Int) -> None:
        """Go back to the model of `n_rounds` rounds, and go on from there with the given columns only."""
        self.columns = columns
        self.work.left[:] = self.work.snapshots[n_rounds // self.every]
        self.rounds.state[:] = n_rounds // self.every * self.every, 0, n_rounds
        self._train(n_rounds)

    def first_edges(self) -> Float:
        """The root of the share of the sum of squares that each column's best stump explains; 0 without a stump."""
        gains = np.zeros(self.table.n_columns)
        gains[self.columns] = kernels.column_gains(self.cells, self.work.left, self.columns)
        squares = math.fsum(self.problem.weights * self.problem.target.astype(np.float64) ** 2)
        return np.sqrt(gains / squares)

    def _train(self, end: int) -> None:
        kernels.train(self.cells, self.work, self.columns, end, self.settings.learning_rate, self.every)

    def _repeat(self, n_rounds: int, kept: Arrays) -> None:
        self.rounds.state[:] = 0, 0, n_rounds
        self._train(n_rounds)
        self.rounds.state[STATE.finished] = 0

    def _threshold(self, t: int) -> float:
        return self.table.threshold(int(self.rounds.column[t]), int(self.rounds.cut[t]))


def columns_once(table: CellTable, problem: Steps) -> tuple[Int, Float, Float]:
    """Take each column once, in the order in which boosting by least squares chooses them.

    Parameters
    ----------
    table : CellTable
        The table.
    problem : Steps
        The target and the weights.

    Returns
    -------
    tuple of ndarray
        The columns in this order, the gain of each when it was taken, and the gain (d,) of each at the start, as shares
        of the sum of squares. Columns that change nothing come last, those with the largest gain at the start first.
    """
    n_columns = table.n_columns
    run = LeastSquaresRun(table, problem, np.arange(n_columns), Settings(n_columns, 0.0, 1.0), 1)
    first = run.first_edges() ** 2
    gains = np.zeros(n_columns)
    for step in range(n_columns):
        parts = run.first_edges()
        run.train(1)
        if len(run) == step:
            break
        column = run.rounds.column[step]
        gains[step] = parts[column] ** 2
        run.columns = run.columns[run.columns != column]
    taken = run.rounds.column[: len(run)]
    rest = np.setdiff1d(np.arange(n_columns), taken)
    return np.concatenate([taken, rest[np.argsort(-first[rest], kind="stable")]]), gains, first
