"""AdaBoost over decision stumps on a table in parts, and backward elimination.

The same functions as in `tamis.boosting.stumps`, with the same results, bit for bit, as on a table in which every value is
replaced by its bin, and for any parts. Parts on this machine are put together in codes, one byte a value, and go to the
histogram engine. Parts on others stay where they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis._memory import Memory
from tamis.boosting import histograms
from tamis.boosting._order_kernels import Order, Table
from tamis.boosting.binning import Binned
from tamis.boosting.elimination import Elimination
from tamis.boosting.elimination_runs import eliminated
from tamis.boosting.leaving import elimination_plan
from tamis.boosting.partition_bins import Bins, Coded
from tamis.boosting.partition_runs import PartitionedRun, Parts, Start
from tamis.boosting.runs import checked_cap, checked_rate, checked_rounds
from tamis.boosting.stumps import Stumps

__all__ = ["LocalParts", "Summary", "Together", "boost", "contents", "eliminate"]

Float = NDArray[np.float64]


@dataclass(frozen=True)
class Summary:
    """What is known of a whole table in parts.

    Attributes
    ----------
    bins : Bins
        The bins of its columns.
    counts : ndarray of int, shape (classes,)
        Rows of each class, without those of weight 0.
    shares : ndarray of shape (classes,)
        The part of each class in the weight of all rows.
    weight : float or None
        The sum of all weights; None where all rows weigh the same.
    """

    bins: Bins
    counts: NDArray[np.int64]
    shares: Float
    weight: float | None

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return int(self.counts.sum())

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        return len(self.bins.nominal)

    @property
    def positives(self) -> list[int]:
        """The positive class of each problem: the second of two, or one after the other."""
        return [1] if len(self.counts) == 2 else list(range(len(self.counts)))

    @property
    def start(self) -> Start:
        """The start weights."""
        return Start(float(2**52 // self.n_rows), self.weight)


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
        As in `tamis.boosting.stumps.boost`. Threads are for `Together`.

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
    n_jobs: int | None = None,
    memory: Memory | None = None,
) -> Elimination:
    """Backward elimination: `tamis.boosting.stumps.eliminate`, where the parameters are described, on a table in parts.

    Parameters
    ----------
    parts : Parts or Together
        The table.
    summary : Summary
        What is known of it.
    n_rounds, criterion, step, step_until, weight_cap, learning_rate, n_jobs
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
    shares = summary.shares
    if isinstance(parts, Together):
        return histograms.eliminate(
            parts.binned(summary),
            parts.signs(summary),
            n_rounds,
            parts.weights,
            priors=shares if len(summary.positives) > 1 else None,
            criterion=criterion,
            step=step,
            step_until=step_until,
            weight_cap=weight_cap,
            learning_rate=learning_rate,
            n_jobs=n_jobs,
            n_kept=n_kept,
            memory=memory,
        )
    plan = elimination_plan(len(summary.positives), shares, criterion, step, step_until)
    n_rounds = checked_rounds("eliminate", n_rounds)
    runs = [
        _run(parts, summary, label, "eliminate", weight_cap, learning_rate, n_kept)
        for label in summary.positives
    ]
    return eliminated(runs, np.arange(summary.n_columns), summary.n_columns, plan, n_rounds, memory)


def contents(parts: Parts | Together, summary: Summary) -> Iterator[NDArray[Any]]:
    """Arrays that tell this table from others: what its figures and its codes are."""
    bins = summary.bins
    yield from (bins.nominal, bins.exact, bins.n_bins, bins.values, summary.counts, summary.shares)
    yield np.array([np.nan if summary.weight is None else summary.weight])
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
        summary.start,
        summary.weight is None,
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
