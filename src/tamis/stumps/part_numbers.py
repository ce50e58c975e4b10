"""Tables in parts with a numeric target: the same bits as in memory, for any parts.

Boosting by least squares needs rows for two things: sums over cells at the start, and the weights that a new stump shares
with each cell. Both are sums of integers, so that parts can be added in any order. Parts on this machine are put together,
one byte per value; parts on others stay where they are, and are asked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from tamis.stumps._kernels.least_squares import Cells, joint_weights
from tamis.stumps.least_squares import CellTable, Rounding, Steps, cell_codes, cell_sums
from tamis.stumps.part_answers import Parts
from tamis.stumps.part_bins import Bins
from tamis.stumps.part_fit import binned_parts, kinds_of_columns
from tamis.table._ranks import mid_ranks
from tamis.table._table import Schema
from tamis.table._target import checked_numbers
from tamis.table.parts.opened import LocalPieces, Pieces
from tamis.table.parts.passes import Reading, look_at_numbers, numbered_values
from tamis.table.weights import WholeRule, in_units, unit_of

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

__all__ = ["NumberFitting", "prepared_numbers"]

Float = NDArray[np.float64]
Int = NDArray[np.int64]


@dataclass(frozen=True)
class RowRule:
    """How the target and the weight of a row become whole numbers.

    Attributes
    ----------
    rounding : Rounding
        The steps of the target.
    weights : WholeRule or None
        The weights; None where all weigh the same.
    values, ranks : ndarray or None
        The different numbers of the target, sorted, and what stands for each: its rank. None for the numbers themselves.
    """

    rounding: Rounding
    weights: WholeRule | None
    values: Float | None = None
    ranks: Float | None = None

    def steps(self, target: Float, weights: Float | None) -> tuple[Int, Int]:
        """The target and the weights of some rows in whole numbers."""
        if self.values is not None and self.ranks is not None:
            target = self.ranks[np.searchsorted(self.values, target)]
        ones = np.ones(len(target), dtype=np.int64)
        whole = ones if self.weights is None or weights is None else self.weights.applied(weights)
        return self.rounding.steps(target), whole


@dataclass
class CellPart:
    """One part in cells, where it lies: the codes, target and weights of its rows, as in `CellTable` and `Steps`.

    `sums` (2, cells) holds the weight of each cell, and the sum of weight times target.
    """

    codes: NDArray[Any]
    target: Int
    weights: Int
    sums: Int

    def column_codes(self, column: int) -> NDArray[Any]:
        """The codes of a column."""
        codes: NDArray[Any] = self.codes[column]
        return codes


@dataclass
class PartCells(CellTable):
    """A table in cells whose rows lie elsewhere: `codes` has no rows.

    Attributes
    ----------
    parts : Parts
        The rows.
    """

    parts: Parts

    def sums(self, problem: Steps) -> tuple[Int, Int]:
        """As in `CellTable`."""
        held, given = self.parts.total(part_sums)
        return held, given

    def joint(self, columns: Int, column: int, cell: int, gap_right: int) -> Int:
        """The weight of each cell's rows on the right of a stump, in some columns."""
        stump = (column, cell, gap_right)
        joint: Int = self.parts.total(part_joint, self.starts, self.nominal, columns, stump)
        return joint


@dataclass(frozen=True)
class NumberFitting:
    """A table in parts with a numeric target, ready for `boost` and `eliminate`.

    Attributes
    ----------
    table : CellTable
        The cells: here, or where the parts are.
    problem : Steps
        The target and the weights of all rows.
    schema : Schema
        The kinds of the columns.
    """

    table: CellTable
    problem: Steps
    schema: Schema

    def constant_columns(self) -> NDArray[np.intp]:
        """The columns in which all rows have one value, or all have none; ascending."""
        held, _ = self.table.sums(self.problem)
        filled = np.add.reduceat(held > 0, self.table.starts[:-1])
        constant: NDArray[np.intp] = np.flatnonzero(filled <= 1)
        return constant

    def contents(self) -> Iterator[NDArray[Any]]:
        """Arrays that tell this table from others."""
        bins = self.table.bins
        yield from (bins.nominal, bins.exact, bins.n_bins, bins.values, self.table.starts)
        yield from (
            self.problem.target,
            self.problem.weights,
            np.array([self.problem.mean, self.problem.unit]),
        )
        if isinstance(self.table, PartCells):
            yield np.frombuffer(
                self.table.parts.total(part_fingerprint).to_bytes(40, "little"), dtype=np.uint8
            )
        else:
            yield self.table.codes


def prepared_numbers(estimator: BaseEstimator, pieces: Pieces, *, ranks: bool = False) -> NumberFitting:
    """Read a table in parts, in three passes, and put it in cells.

    Parameters
    ----------
    estimator : estimator
        With the parameter `categorical_features`; `n_features_in_` and, where columns have names, `feature_names_in_` are
        set.
    pieces : Pieces
        The table. Its target and weights come to this process, 16 bytes per row.
    ranks : bool, default=False
        Whether the ranks of the target stand for it.

    Returns
    -------
    NumberFitting
        The cells: here, or where the parts are.
    """
    table, who = pieces.table, type(estimator).__name__
    nominal = kinds_of_columns(estimator, table)
    reading = Reading(clone(estimator), nominal)
    looks = pieces.labels(look_at_numbers, reading)
    lengths = [len(target) for target, _ in looks]
    target = checked_numbers(who, np.concatenate([target for target, _ in looks]))
    weights = None if looks[0][1] is None else np.concatenate([held for _, held in looks])
    if weights is not None and len(weights):
        reading = Reading(reading.estimator, nominal, unit=unit_of(float(weights.max())))
        weights = in_units(weights, reading.unit or 0)
    firsts = np.cumsum([0, *lengths])
    if not len(target):
        raise ValueError(f"{who}: no row has weight. Give weight to some rows.")
    schema, bins = binned_parts(who, pieces, reading, lengths)
    starts = np.concatenate([[0], np.cumsum(bins.n_bins + 1)])
    rule, problem = _rules(target, weights, ranks)
    if isinstance(pieces, LocalPieces):
        codes = np.empty((table.n_columns, int(firsts[-1])), dtype=np.uint8)

        def write(part: Any, first: int, n_rows: int) -> None:
            values, _, _ = numbered_values(part, reading, schema)
            codes[:, first : first + n_rows] = cell_codes(values, starts, nominal, bins)

        pieces.each(write, list(zip(firsts[:-1].tolist(), lengths)))
        return NumberFitting(CellTable(codes, starts, nominal, bins), problem, schema)
    none = np.empty((table.n_columns, 0), dtype=np.uint8)
    parts = pieces.coded(cell_part, reading, schema, bins, starts, rule)  # type: ignore[attr-defined]
    return NumberFitting(PartCells(none, starts, nominal, bins, parts), problem, schema)


def _rules(target: Float, weights: Float | None, ranks: bool) -> tuple[RowRule, Steps]:
    """How rows become whole numbers, and all of them done."""
    whole_rule = None if weights is None else WholeRule.of(weights)
    whole = np.ones(len(target), dtype=np.int64)
    if whole_rule is not None and weights is not None:
        whole = whole_rule.applied(weights)
    values = of_values = None
    given = target
    if ranks:
        given = mid_ranks(target[:, None], whole.astype(np.float64))[:, 0]
        values, places = np.unique(target, return_index=True)
        of_values = given[places]
    rounding = Rounding.of(given, whole)
    problem = Steps(rounding.steps(given), whole, rounding.mean * rounding.scale, rounding.unit)
    return RowRule(rounding, whole_rule, values, of_values), problem


def cell_part(
    part: Any, reading: Reading, schema: Schema, bins: Bins, starts: Int, rule: RowRule
) -> CellPart:
    """A part in cells."""
    values, target, weights = numbered_values(part, reading, schema)
    codes = cell_codes(values, starts, reading.nominal, bins)
    steps, whole = rule.steps(target, weights)
    return CellPart(codes, steps, whole, np.stack(cell_sums(codes, starts, whole, steps)))


def part_sums(part: CellPart) -> Int:
    """The weight of each cell, and the sum of weight times target, (2, cells)."""
    return part.sums


def part_joint(part: CellPart, starts: Int, nominal: NDArray[np.bool_], columns: Int, stump: Any) -> Int:
    """The weight of each cell's rows on the right of a stump, in some columns; 0 in others."""
    joint = np.zeros(int(starts[-1]), dtype=np.int64)
    cells = Cells(part.codes, np.array(starts), np.array(nominal), part.weights, *part.sums)
    joint_weights(cells, np.array(columns), *stump, joint)
    return joint


def part_fingerprint(part: CellPart) -> int:
    """A number of 256 bits that another part has by no chance; their sum tells all parts, in any order."""
    digest = hashlib.sha256(np.ascontiguousarray(part.codes).data)
    for array in (part.target, part.weights):
        digest.update(array.data)
    return int.from_bytes(digest.digest(), "little")
