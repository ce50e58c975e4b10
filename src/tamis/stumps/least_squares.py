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
from typing import Any

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
        rule = Rounding.of(target, whole)
        return cls(rule.steps(target), whole, rule.mean * rule.scale, rule.unit)


@dataclass(frozen=True)
class Rounding:
    """How a target is rounded to steps: known from all rows, and done row by row.

    Attributes
    ----------
    scale : float
        The largest absolute value; without it, sums of large numbers may overflow.
    mean : float
        The weighted mean of the target divided by `scale`.
    largest : float
        The largest distance from that mean.
    bits : int
        How many bits this distance has in steps.
    """

    scale: float
    mean: float
    largest: float
    bits: int

    @classmethod
    def of(cls, target: Float, whole: Int) -> Rounding:
        """The rule for a target that is not constant, with weights in whole numbers."""
        total = int(whole.sum())
        scale = float(np.abs(target).max())
        mean = math.fsum(whole * (target / scale)) / total
        largest = float(np.abs(target / scale - mean).max())
        return cls(scale, mean, largest, min(FINEST, BITS - total.bit_length()))

    @property
    def unit(self) -> float:
        """The size of a step in the unit of the target."""
        return float(np.ldexp(self.largest, -self.bits) * self.scale)

    def steps(self, target: Float) -> Int:
        """The target of some rows in steps."""
        centred = (target / self.scale - self.mean) / self.largest
        steps: Int = np.rint(np.ldexp(centred, self.bits)).astype(np.int64)
        return steps


@dataclass
class CellTable:
    """A table in cells; made by `cell_table`.

    Attributes
    ----------
    codes : ndarray of uint8 or uint16, shape (d, n)
        The cell of each value, counted from the first cell of its column.
    starts : ndarray of int, shape (d + 1,)
        Where the cells of each column begin; the last cell of a column holds its missing values.
    nominal : ndarray of bool, shape (d,)
        Which columns are nominal (categorical).
    bins : Bins
        The values of the cells of numeric columns.
    """

    codes: NDArray[np.uint8] | NDArray[np.uint16]
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

    def column_codes(self, column: int) -> NDArray[Any]:
        """The codes of a column."""
        codes: NDArray[Any] = self.codes[column]
        return codes

    def sums(self, problem: Steps) -> tuple[Int, Int]:
        """The weight of each cell, and the sum of weight times target."""
        return cell_sums(self.codes, self.starts, problem.weights, problem.target)

    def joint(self, columns: Int, column: int, cell: int, gap_right: int) -> Int:
        """The weight of each cell's rows on the right of a stump, for a table whose rows lie elsewhere."""
        raise TypeError("CellTable holds its rows.")

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
    highest = np.array(
        [np.nanmax(values[:, j], initial=0.0) if nominal[j] else 0.0 for j in range(n_columns)]
    )
    n_cells = np.where(nominal, np.minimum(MOST_CODES, highest + 1), bins.n_bins).astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(n_cells + 1)])
    return CellTable(cell_codes(values, starts, nominal, bins), starts, nominal, bins)


def cell_codes(
    values: Float, starts: Int, nominal: NDArray[np.bool_], bins: Bins
) -> NDArray[np.uint8] | NDArray[np.uint16]:
    """The cells of some rows, (d, n), as in `CellTable`; one byte each if no column has more than 256 cells."""
    n_cells = np.diff(starts) - 1
    small = n_cells.max(initial=0) < 1 << 8
    codes = np.empty(values.shape[::-1], dtype=np.uint8 if small else np.uint16)
    edges = np.array(
        bins.values
    )  # arrays from another process are read-only, for which kernels would be compiled anew
    for column, n_own in enumerate(n_cells.tolist()):
        own = values[:, column].copy()
        kernels.write_cells(own, edges[column], n_own, bool(nominal[column]), codes[column])
    return codes


def cell_sums(codes: NDArray[Any], starts: Int, weights: Int, target: Int) -> tuple[Int, Int]:
    """The weight of each cell, and the sum of weight times target."""
    held, given = np.zeros((2, int(starts[-1])), dtype=np.int64)
    kernels.add_cells(codes, np.array(starts), weights, target, held, given)
    return held, given


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
        held, given = table.sums(problem)
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
        rate = self.settings.learning_rate
        while (asked := kernels.train(self.cells, self.work, self.columns, end, rate, self.every)) >= 0:
            self._take_joint(int(asked))

    def _take_joint(self, number: int) -> None:
        """Fetch the joint weights of a stump, given by its number, for a table whose rows lie elsewhere."""
        cell, gap_right = divmod(number, 2)
        column = int(np.searchsorted(self.table.starts, cell, side="right")) - 1
        last = len(self.work.joint) - 1
        slot = min(int(self.work.used[0]), last)
        self.work.slots[self.work.slots == last] = -1  # the last slot is overwritten
        self.work.joint[slot] = self.table.joint(self.columns, column, cell, gap_right)
        self.work.slots[number] = slot
        self.work.used[0] = min(slot + 1, last)

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
