"""AdaBoost over decision stumps on a table in parts, and backward elimination.

The same functions as in `tamis.stumps.model`, with the same results, bit for bit, as on a table in which every value is
replaced by its bin, and for any parts. Parts on this machine are put together in codes, one byte a value, and go to the
histogram engine. Parts on others stay where they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis._memory import Memory
from tamis.stumps import histograms
from tamis.stumps._kernels.ordering import Order, Table
from tamis.stumps.binned import Binned
from tamis.stumps.elimination import Elimination
from tamis.stumps.elimination_runs import eliminated
from tamis.stumps.leaving import elimination_plan
from tamis.stumps.model import Stumps
from tamis.stumps.part_bins import Bins, Coded, n_missing
from tamis.stumps.part_run import PartitionedRun, Parts, Start
from tamis.stumps.problems import WHOLE, checked_cap, checked_rate, checked_rounds, integer_weights
from tamis.table.parts.passes import ClassFacts

__all__ = [
    "LocalParts",
    "Summary",
    "Together",
    "boost",
    "constant_columns",
    "contents",
    "eliminate",
]

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
        """How the problems of several classes weigh in a joint score: all the same where each is balanced."""
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
        found = {
            float(integer_weights(np.array(weight), total, whole))
            for total, side in zip(totals, (own, others))
            for facts in side
            for weight in self._weighs(facts)[1:]
        }
        return Start((totals[0], totals[1]), whole, len(found) == 1, self.balanced)

    def _weighs(self, facts: ClassFacts) -> tuple[Fraction, float, float]:
        """What the rows of a class weigh, and the least and largest weight; all 1 where the parts have no weights."""
        if self.weighted:
            return facts.weight, facts.least, facts.largest
        return Fraction(facts.n_rows), 1.0, 1.0


@dataclass(frozen=True)
class LocalParts:
    """Coded parts in this process, asked one after the other."""

    parts: Sequence[Coded]

    def total(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The sum of ``function(part, *arguments)`` over all parts."""
        return sum(
            (function(part, *arguments) for part in self.parts[1:]), function(self.parts[0], *arguments)
        )


class _Shrinking(Binned):
    """A table that lets go of the codes of columns that have left: its columns only ever become fewer."""

    def narrowed(self, columns: NDArray[np.int64]) -> Binned:
        found = super().narrowed(columns)
        self.table = self.table._replace(words=found.table.words)
        return found


@dataclass(frozen=True)
class Together:
    """All parts in one: the codes of the whole table, the rows of a class side by side.

    Attributes
    ----------
    words : ndarray of uint32, shape (w, n)
        As in `Coded`.
    weights : ndarray of shape (n,) or None
        Weights of the rows; None where all rows weigh the same.
    """

    words: NDArray[np.uint32]
    weights: Float | None

    def binned(self, summary: Summary) -> Binned:
        """The table as the histogram engine reads it: every bin is one value, its code."""
        n_columns, n_rows = summary.n_columns, self.words.shape[1]
        codes = np.tile(np.arange(256), (n_columns, 1))
        table = Table(
            np.empty(0), np.array([1, 1]), np.arange(n_rows), self.words, codes.astype(np.uint8), codes * 1.0
        )
        order = Order(
            np.empty((n_columns, 0), dtype=np.uint32),
            np.full((n_columns, 257), -1),
            np.zeros((n_columns, 256), dtype=np.bool_),
        )
        units = np.arange(4 * len(self.words))
        return _Shrinking(
            table=table,
            order=order,
            nominal=summary.bins.nominal,
            mixed=np.zeros((n_columns, 256), dtype=np.bool_),
            unit=units[:n_columns],
            n_cells=np.zeros(len(units), dtype=np.int64),
            whole=units,
        )

    def signs(self, summary: Summary) -> NDArray[np.int8]:
        """The problems, (problems, n): +1 and -1."""
        ends = np.cumsum(summary.counts)
        signs = np.full((len(summary.positives), int(ends[-1])), -1, dtype=np.int8)
        for sign, label in zip(signs, summary.positives):
            sign[ends[label] - summary.counts[label] : ends[label]] = 1
        return signs


def boost(
    parts: Parts | Together,
    summary: Summary,
    n_rounds: int,
    *,
    weight_cap: float | None = None,
    learning_rate: float = 1.0,
    n_jobs: int | None = None,
) -> list[Stumps]:
    """AdaBoost over decision stumps, one model for two classes, one a class for more.

    Parameters
    ----------
    parts : Parts or Together
        The table.
    summary : Summary
        What is known of it.
    n_rounds, weight_cap, learning_rate, n_jobs
        As in `tamis.stumps.model.boost`. Threads are for `Together`.

    Returns
    -------
    list of Stumps
        The models.
    """
    if isinstance(parts, Together):
        binned, weights = parts.binned(summary), parts.weights
        models = [
            histograms.boost(
                binned,
                sign,
                n_rounds,
                weights,
                balanced=summary.balanced,
                weight_cap=weight_cap,
                learning_rate=learning_rate,
                n_jobs=n_jobs,
            )
            for sign in parts.signs(summary)
        ]
    else:
        models = []
        for label in summary.positives:
            run = _run(parts, summary, label, "boost", weight_cap, learning_rate)
            run.train(checked_rounds("boost", n_rounds))
            models.append(run.stumps())
    return [_between_values(stumps, summary.bins) for stumps in models]


def eliminate(
    parts: Parts | Together,
    summary: Summary,
    n_rounds: int,
    *,
    criterion: str = "margin_fraction",
    step: int | float = 1,
    step_until: int = 1,
    weight_cap: float | None = None,
    learning_rate: float = 1.0,
    columns: NDArray[np.intp] | None = None,
    n_jobs: int | None = None,
    memory: Memory | None = None,
) -> Elimination:
    """Backward elimination: `tamis.stumps.model.eliminate`, where the parameters are described, on a table in parts.

    Parameters
    ----------
    parts : Parts or Together
        The table.
    summary : Summary
        What is known of it.
    n_rounds, criterion, step, step_until, weight_cap, learning_rate, columns, n_jobs
        As there. Threads are for `Together`.
    memory : Memory, optional
        What an interrupted elimination of this table has left, and where this one leaves the same.

    Returns
    -------
    Elimination
        The columns in the order in which they left.

    Notes
    -----
    Weights are kept at some rounds, to go back to: half a byte a value, or four numbers a row and problem.
    """
    n_kept = max(4, summary.n_columns // (16 * len(summary.positives)))
    if isinstance(parts, Together):
        return histograms.eliminate(
            parts.binned(summary),
            parts.signs(summary),
            n_rounds,
            parts.weights,
            balanced=summary.balanced,
            priors=summary.priors,
            criterion=criterion,
            step=step,
            step_until=step_until,
            weight_cap=weight_cap,
            learning_rate=learning_rate,
            columns=columns,
            n_jobs=n_jobs,
            n_kept=n_kept,
            memory=memory,
        )
    active = np.arange(summary.n_columns) if columns is None else columns
    plan = elimination_plan(len(summary.positives), summary.priors, criterion, step, step_until)
    n_rounds = checked_rounds("eliminate", n_rounds)
    runs = [
        _run(parts, summary, label, "eliminate", weight_cap, learning_rate, n_kept)
        for label in summary.positives
    ]
    return eliminated(runs, active, summary.n_columns, plan, n_rounds, memory)


def constant_columns(parts: Parts | Together, summary: Summary) -> NDArray[np.intp]:
    """The columns in which all rows have one value, or all have none; ascending."""
    few = np.flatnonzero(summary.bins.n_bins <= 1)
    if not len(few):
        return few
    missing = n_missing(parts, few) if isinstance(parts, Together) else parts.total(n_missing, few)
    constant: NDArray[np.intp] = few[(missing == 0) | (missing == summary.counts.sum())]
    return constant


def contents(parts: Parts | Together, summary: Summary) -> Iterator[NDArray[Any]]:
    """Arrays that tell this table from others: what its figures and its codes are."""
    bins = summary.bins
    yield from (bins.nominal, bins.exact, bins.n_bins, bins.values, summary.counts, summary.shares)
    starts = [summary.start(label) for label in summary.positives]
    yield np.array([[*start.totals, start.whole, start.equal] for start in starts])
    if isinstance(parts, Together):
        yield parts.words
        if parts.weights is not None:
            yield parts.weights
    else:
        yield np.frombuffer(parts.total(_fingerprint).to_bytes(40, "little"), dtype=np.uint8)


def _fingerprint(part: Coded) -> int:
    """A number of 256 bits that another part has by no chance; their sum tells all parts, in any order."""
    digest = hashlib.sha256(part.starts.tobytes())
    for array in (part.words, part.weights):
        if array is not None:
            digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return int.from_bytes(digest.digest(), "little")


def _run(
    parts: Parts,
    summary: Summary,
    label: int,
    who: str,
    weight_cap: float | None,
    learning_rate: float,
    n_kept: int = 0,
) -> PartitionedRun:
    return PartitionedRun(
        parts,
        label,
        summary.start(label),
        summary.weighted,
        summary.bins.nominal,
        np.arange(summary.n_columns),
        weight_cap=checked_cap(who, weight_cap),
        learning_rate=checked_rate(who, learning_rate),
        n_kept=n_kept,
    )


def _between_values(stumps: Stumps, bins: Bins) -> Stumps:
    """The same stumps with thresholds between values in place of codes."""
    places = zip(stumps.column.tolist(), stumps.threshold.tolist())
    threshold = np.array([bins.threshold(column, code) for column, code in places], dtype=np.float64)
    return replace(stumps, threshold=threshold)
