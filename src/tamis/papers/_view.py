"""The measurements of a run, looked up by name."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tamis.papers._paper import Estimate, Paper, Printed, Size
from tamis.papers._printed import known_mismatches, printed

if TYPE_CHECKING:
    import polars as pl

Float = NDArray[np.float64]


class Compared(NamedTuple):
    """A printed cell and our estimate; None if it was not run."""

    cell: Printed
    estimate: Estimate | None
    differs: bool
    reason: str

    @property
    def difference(self) -> float:
        """Ours less the paper's."""
        return float("nan") if self.estimate is None else self.estimate.mean - self.cell.value


class View:
    """The measurements of a run, looked up by name.

    Parameters
    ----------
    paper : Paper
        The paper.
    frame : polars.DataFrame
        The measurements.
    size : Size
        How much was run.
    left_out : tuple of str
        Our names of the data sets that were not available.
    table : str or None
        The one table that was asked for, or None for all.
    """

    def __init__(
        self,
        paper: Paper,
        frame: pl.DataFrame,
        size: Size,
        left_out: tuple[str, ...] = (),
        table: str | None = None,
    ) -> None:
        self.paper, self.size, self.left_out, self.table = paper, size, left_out, table
        names = ("table", "protocol", "data_set", "method", "setting", "figure")
        by_key: dict[tuple[str, ...], list[tuple[int, int, float]]] = defaultdict(list)
        self.methods: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
        for row in frame.iter_rows(named=True):
            if table is None or row["table"] == table:
                by_key[tuple(row[name] for name in names)].append((row["repeat"], row["fold"], row["value"]))
                self.methods[row["table"], row["protocol"]][row["method"]] = None
        self._values: dict[tuple[str, ...], Float] = {
            key: np.array([value for _, _, value in sorted(rows)]) for key, rows in by_key.items()
        }

    def shows(self, table: str) -> bool:
        """Whether a table was asked for and has been measured."""
        return any(key[0] == table for key in self._values)

    def values(
        self,
        table: str,
        protocol: str,
        data_set: str,
        method: str,
        setting: str = "",
        figure: str = "accuracy",
    ) -> Float:
        """Return the measurements of one cell by repeat and fold; empty if there are none."""
        return self._values.get((table, protocol, data_set, method, setting, figure), np.empty(0))

    def mean(self, *key: str) -> float:
        """Return the mean of a cell, NaN if it is empty."""
        values = self.values(*key)
        return float(values.mean()) if len(values) else float("nan")

    def sets(self, table: str, protocol: str) -> list[str]:
        """Return the data sets measured for a table, in the paper's order."""
        there = {key[2] for key in self._values if key[:2] == (table, protocol)}
        return [name for name in self.paper.data_sets if name in there]

    @cached_property
    def compared(self) -> list[Compared]:
        """Every printed cell beside ours."""
        reasons = known_mismatches(self.paper.name)
        rows = []
        for cell in printed(self.paper.name):
            if self.table is not None and cell.table != self.table:
                continue
            estimate = self.paper.estimate(self, cell)
            differs = estimate is not None and mismatch(self.paper, cell, estimate)
            rows.append(Compared(cell, estimate, differs, reasons.get(cell[:4], "") if estimate else ""))
        return rows

    def cell(self, table: str, row: str, column: str, figure: str = "accuracy") -> Compared | None:
        """Return one printed cell beside ours."""
        return self._by_name.get((table, row, column, figure))

    @cached_property
    def _by_name(self) -> dict[tuple[str, ...], Compared]:
        return {one.cell[:4]: one for one in self.compared}


def mismatch(paper: Paper, cell: Printed, estimate: Estimate) -> bool:
    """Whether a difference is beyond the tolerance and beyond twice its standard error."""
    tolerance = paper.tolerance.get(cell.figure, paper.tolerance.get("", 2.0))
    error = float(np.hypot(*np.nan_to_num([estimate.error, estimate.paper_error])))
    return abs(estimate.mean - cell.value) > max(tolerance, 2 * error) + 1e-9


def standard_error(values: Any) -> float:
    """Standard error of a mean of independent values; NaN for fewer than two."""
    values = np.asarray(values, dtype=np.float64)
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def fold_error(values: Any, test_share: float = 0.1) -> float:
    """Standard error of a mean over repeated folds, which share training rows (Nadeau and Bengio's correction)."""
    values = np.asarray(values, dtype=np.float64)
    if len(values) < 2:
        return float("nan")
    return float(np.sqrt(values.var(ddof=1) * (1 / len(values) + test_share / (1 - test_share))))
