"""Tables in parts as the engines read them: put together in codes, or left where they are.

Both give the same bits, for any parts, as a table in memory in which every value is replaced by its bin. Parts on this
machine are put together, one byte per value, and go to the histogram engine. Parts on others stay where they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis._threads import Team
from tamis.stumps._kernels.ordering import Order, Table
from tamis.stumps._kernels.weights import Settings
from tamis.stumps.binned import BinnedTable
from tamis.stumps.model import Stumps
from tamis.stumps.part_answers import Parts, Start
from tamis.stumps.part_bins import Bins, Coded, n_missing, unpacked
from tamis.stumps.part_run import PartRun
from tamis.stumps.problems import WHOLE, Problem, integer_weights, two_class_problems
from tamis.table.parts.passes import ClassFacts

__all__ = ["CodedTable", "PartTable", "Summary", "between_values", "constant_columns", "contents"]

Float = NDArray[np.float64]


@dataclass(frozen=True)
class Summary:
    """What is known of a whole table in parts.

    Attributes
    ----------
    bins : Bins
        The bins of its columns.
    classes : tuple of ClassFacts
        What is known of its classes.
    balanced : bool
        Whether both sides of every problem weigh half at the start.
    """

    bins: Bins
    classes: tuple[ClassFacts, ...]
    balanced: bool = False

    @property
    def counts(self) -> NDArray[np.int64]:
        """Rows of each class."""
        return np.array([facts.n_rows for facts in self.classes])

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        return len(self.bins.nominal)

    @property
    def weighted(self) -> bool:
        """Whether rows weigh different amounts."""
        return len({weight for facts in self.classes for weight in (facts.least, facts.largest)}) > 1

    @property
    def weight(self) -> float:
        """What all rows weigh."""
        return float(sum(facts.weight for facts in self.classes))

    @property
    def shares(self) -> Float:
        """The part of each class in the weight of all rows."""
        held = np.array([float(facts.weight) for facts in self.classes])
        shares: Float = held / held.sum()
        return shares

    @property
    def priors(self) -> Float | None:
        """How the problems of several classes weigh in a joint score; None: all the same, as where each is balanced."""
        return None if self.balanced or len(self.positives) == 1 else self.shares

    @property
    def positives(self) -> list[int]:
        """The positive class of each problem: the second of two, or one after the other."""
        return [1] if len(self.classes) == 2 else list(range(len(self.classes)))

    def start(self, label: int) -> Start:
        """The start weights of the problem in which this class is the positive one."""
        own, others = [self.classes[label]], [*self.classes[:label], *self.classes[label + 1 :]]
        sides = (own, others) if self.balanced else ([*self.classes],) * 2
        totals = [float(sum(self._weighs(facts)[0] for facts in side)) for side in sides]
        whole = WHOLE / 2 if self.balanced else WHOLE
        amounts = {
            float(integer_weights(np.array(weight), total, whole))
            for total, side in zip(totals, (own, others))
            for facts in side
            for weight in self._weighs(facts)[1:]
        }
        return Start(label, (totals[0], totals[1]), whole, len(amounts) == 1, self.balanced, self.weighted)

    def _weighs(self, facts: ClassFacts) -> tuple[Fraction, float, float]:
        """What the rows of a class weigh, and the least and largest weight; all 1 where the parts have no weights."""
        if self.weighted:
            return facts.weight, facts.least, facts.largest
        return Fraction(facts.n_rows), 1.0, 1.0


class CodedTable(BinnedTable):
    """All parts in one: the codes of the whole table, the rows of a class side by side; every bin is one value.

    It lets go of the codes of columns that have left: its columns only ever become fewer.
    """

    @classmethod
    def of(cls, words: NDArray[np.uint32], nominal: NDArray[np.bool_]) -> CodedTable:
        """The table of these words, shaped as in `Coded`."""
        n_columns, n_rows = len(nominal), words.shape[1]
        codes = np.tile(np.arange(256), (n_columns, 1))
        units = np.arange(4 * len(words))
        return cls(
            table=Table(
                np.empty(0),
                np.array([1, 1]),
                np.arange(n_rows),
                words,
                codes.astype(np.uint8),
                codes.astype(np.float64),
            ),
            order=Order(
                np.empty((n_columns, 0), dtype=np.uint32),
                np.full((n_columns, 257), -1),
                np.zeros((n_columns, 256), dtype=np.bool_),
            ),
            nominal=nominal,
            mixed=np.zeros((n_columns, 256), dtype=np.bool_),
            unit=units[:n_columns],
            n_cells=np.zeros(len(units), dtype=np.int64),
            whole=units,
        )

    @property
    def words(self) -> NDArray[np.uint32]:
        """The codes, shaped as in `Coded`."""
        words: NDArray[np.uint32] = self.table.words
        return words

    def column_codes(self, column: int) -> NDArray[np.uint8]:
        """The codes of a column."""
        return unpacked(self.words, column)

    def n_kept(self, n_problems: int) -> int:
        """Rounds of a model that are kept to go back to: weights of all models take half a byte per value."""
        return _n_kept(self.n_columns, n_problems)

    def narrowed(self, columns: NDArray[np.int64]) -> BinnedTable:
        """As `BinnedTable.narrowed`; the other words are gone."""
        narrow = super().narrowed(columns)
        self.table = self.table._replace(words=narrow.table.words)
        return narrow


@dataclass(frozen=True)
class PartTable:
    """Parts that stay where they are.

    Attributes
    ----------
    parts : Parts
        The parts in codes.
    nominal : ndarray of bool, shape (d,)
        Which columns are nominal.
    """

    parts: Parts
    nominal: NDArray[np.bool_]

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return len(self.nominal)

    def n_threads(self, n_jobs: int | None) -> int:
        """No threads here: the work is done where the parts are."""
        return 1

    def n_kept(self, n_problems: int) -> int:
        """Rounds of a model that are kept to go back to: weights of all models take half a byte per value."""
        return _n_kept(self.n_columns, n_problems)

    def new_run(
        self, problem: Start, columns: NDArray[np.int64], settings: Settings, n_kept: int, team: Team
    ) -> PartRun:
        """A model of no rounds."""
        return PartRun(self.parts, problem, columns, settings, self.nominal, n_kept=n_kept)


def _n_kept(n_columns: int, n_problems: int) -> int:
    """Weights are 8 bytes per row and round; this many rounds of all models take half a byte per value."""
    return max(4, n_columns // (16 * n_problems))


def part_starts(summary: Summary) -> list[Start]:
    """The problems of parts that stay where they are."""
    return [summary.start(label) for label in summary.positives]


def coded_problems(summary: Summary, weights: Float | None) -> list[Problem]:
    """The problems of a `CodedTable`; `weights` (n,) of its rows, None where all weigh the same."""
    ends = np.cumsum(summary.counts)
    signs = np.full((len(summary.positives), int(ends[-1])), -1, dtype=np.int8)
    for sign, label in zip(signs, summary.positives):
        sign[ends[label] - summary.counts[label] : ends[label]] = 1
    return two_class_problems(signs, weights, balanced=summary.balanced)


def between_values(stumps: Stumps, bins: Bins) -> Stumps:
    """The same stumps with thresholds between values in place of codes."""
    codes = zip(stumps.column.tolist(), stumps.threshold.tolist())
    threshold = np.array([bins.threshold(column, code) for column, code in codes], dtype=np.float64)
    return replace(stumps, threshold=threshold)


def constant_columns(table: CodedTable | PartTable, summary: Summary) -> NDArray[np.intp]:
    """The columns in which all rows have one value, or all have none; ascending."""
    few = np.flatnonzero(summary.bins.n_bins <= 1)
    if not len(few):
        return few
    missing = n_missing(table, few) if isinstance(table, CodedTable) else table.parts.total(n_missing, few)
    constant: NDArray[np.intp] = few[(missing == 0) | (missing == summary.counts.sum())]
    return constant


def contents(
    table: CodedTable | PartTable, summary: Summary, weights: Float | None = None
) -> Iterator[NDArray[Any]]:
    """Arrays that tell this table from others: what its figures and its codes are."""
    bins = summary.bins
    yield from (bins.nominal, bins.exact, bins.n_bins, bins.values, summary.counts, summary.shares)
    yield np.array([[*start.totals, start.whole, start.equal] for start in part_starts(summary)])
    if isinstance(table, CodedTable):
        yield table.words
        if weights is not None:
            yield weights
    else:
        yield np.frombuffer(table.parts.total(_fingerprint).to_bytes(40, "little"), dtype=np.uint8)


def _fingerprint(part: Coded) -> int:
    """A number of 256 bits that another part has by no chance; their sum tells all parts, in any order."""
    digest = hashlib.sha256(part.starts.tobytes())
    for array in (part.words, part.weights):
        if array is not None:
            digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return int.from_bytes(digest.digest(), "little")
