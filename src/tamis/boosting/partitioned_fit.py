"""What estimators do with a table in parts: read it where it lies, and hand codes to an engine."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from tamis.boosting.layout import threads
from tamis.boosting.partition_bins import Bins, bins_of, sample_limit, write_codes
from tamis.boosting.partition_passes import (
    Coding,
    LabelFacts,
    Reading,
    code_part,
    coded_values,
    look_at_columns,
    look_at_labels,
    merged_labels,
    merged_schema,
    total_weight,
    weigh_part,
)
from tamis.boosting.partition_runs import Parts
from tamis.boosting.partitioned import Summary, Together
from tamis.boosting.weights import (
    LIGHTEST,
    checked_class_weight,
    class_factors,
    counted_rows,
    refuse_one_class,
    unit_of,
)
from tamis.table._encode import _columns, _nominal_mask, as_frame
from tamis.table._parted import PartedTable
from tamis.table._table import Labels, Schema

__all__ = ["Fitting", "opened_parts", "prepared_parts"]


class Pieces(Protocol):
    """The parts of a table before they are coded, wherever they are."""

    table: PartedTable

    def labels(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """``function(part, *arguments)`` of every part, of which the labels and weights alone are looked at."""

    def each(
        self, function: Callable[..., Any], own: Sequence[tuple[Any, ...]], *arguments: Any
    ) -> list[Any]:
        """``function(part, *own, *arguments)`` of every part, with its entry of `own`."""


@dataclass(frozen=True)
class Fitting:
    """A table in parts, ready for an engine.

    Attributes
    ----------
    parts : Parts or Together
        The codes.
    summary : Summary
        What an engine must know of them.
    classes : ndarray
        The labels, sorted.
    weighed : ndarray of bool, shape (classes,)
        Which of them have weight; the others are left out of `parts` and `summary`.
    schema : Schema
        The kinds of the columns.
    n_counted : float or None
        How many rows there are where one of weight w counts as w; None without weights.
    """

    parts: Parts | Together
    summary: Summary
    classes: Labels
    weighed: NDArray[np.bool_]
    schema: Schema
    n_counted: float | None


@dataclass
class LocalPieces:
    """Parts that this process reads, a few at a time."""

    table: PartedTable
    n_threads: int = 1

    def labels(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """As in `Pieces`."""
        return self.each(function, [()] * len(self.table.parts), *arguments)

    def each(
        self, function: Callable[..., Any], own: Sequence[tuple[Any, ...]], *arguments: Any
    ) -> list[Any]:
        """As in `Pieces`."""
        pairs = zip(self.table.parts, own)
        if self.n_threads == 1:
            return [function(part, *each, *arguments) for part, each in pairs]
        with ThreadPoolExecutor(self.n_threads) as pool:
            waiting = [pool.submit(function, part, *each, *arguments) for part, each in pairs]
            try:
                return [found.result() for found in waiting]
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise


def prepared_parts(estimator: Any, pieces: Pieces) -> Fitting:
    """Read a table in parts, in three passes, and code it.

    Parameters
    ----------
    estimator : estimator
        With the parameters `class_weight` and `categorical_features`; `n_features_in_` and, where columns have names,
        `feature_names_in_` are set.
    pieces : Pieces
        The table.

    Returns
    -------
    Fitting
        The codes: here, or where the parts are.
    """
    table = pieces.table
    who = type(estimator).__name__
    _remember_columns(estimator, table)
    frame = None if table.example is None else as_frame(table.example)
    example = None if frame is None else _columns(estimator, frame)
    nominal = _nominal_mask(estimator, estimator.categorical_features, table.n_columns, example)
    reading, looks = _looked(estimator, pieces, nominal)
    classes, counts, held = merged_labels(looks, who)
    weighs = counts.astype(np.float64) if held is None else held
    if not isinstance(estimator.class_weight, dict):
        refuse_one_class(who, "sample_weight", weighs)
    factors = class_factors(who, estimator.class_weight, classes, weighs)
    alive = counts > 0
    counts, weighs, factors = counts[alive], weighs[alive], None if factors is None else factors[alive]
    firsts = np.cumsum([0, *(int(look.counts.sum()) for look in looks)])

    limit = sample_limit(int(counts.sum()), table.n_columns)
    seen = pieces.each(look_at_columns, [(int(first),) for first in firsts[:-1]], limit, reading)
    schema = merged_schema(nominal, [categories for _, categories in seen], table.names, who)
    n_codes = np.array([-1 if known is None else len(known) for known in schema.categories])
    bins = bins_of([facts for facts, _ in seen], n_codes)
    del seen

    coding = Coding(schema, classes[alive], factors, held is not None or factors is not None)
    scale = 1.0 if reading.unit is None else math.ldexp(1.0, reading.unit)
    n_counted = None if held is None else counted_rows(weighs, scale)
    weight, shares = None, counts / counts.sum()
    if coding.weighted:
        weight, coding = _weight(pieces, reading, coding, counts, looks)
        weighs = weighs if factors is None else weighs * factors
        shares = weighs / weighs.sum()
    summary = Summary(bins, counts, shares, weight)
    if isinstance(pieces, LocalPieces):
        parts: Parts | Together = _together(pieces, reading, coding, bins, looks)
    else:
        parts = pieces.coded(code_part, reading, coding, bins)  # type: ignore[attr-defined]
    return Fitting(parts, summary, classes, alive, schema, n_counted)


def opened_parts(estimator: Any, X: Any, y: Any, sample_weight: Any, n_jobs: int | None = None) -> Pieces:
    """The parts of a table, not yet read: by this process, or by the workers of a Dask cluster where there is a client.

    Parameters
    ----------
    estimator : estimator
        On whose behalf; its class name stands in errors.
    X : str, path-like, PartedTable or Dask collection
        A folder of Parquet files, a pattern, a file; or a Dask array or frame.
    y : str or Dask collection
        The column of labels in the files (the last one if None); or the labels.
    sample_weight : str, Dask collection or None
        The column of weights in the files; or the weights.
    n_jobs : int, optional
        Threads that read.

    Returns
    -------
    Pieces
        What `prepared_parts` reads.
    """
    who = type(estimator).__name__
    if type(X).__module__.partition(".")[0] in ("dask", "dask_expr"):
        from tamis.distributed import dask_table

        table = dask_table(who, X, y, sample_weight)
    elif isinstance(X, PartedTable):
        table = X
    else:
        if not isinstance(y, str | None) or not isinstance(sample_weight, str | None):
            raise TypeError(
                f"{who}: X names files, so y and sample_weight must name columns of them, as texts, or be None."
            )
        from tamis.table._parquet import parquet_table

        table = parquet_table(X, y, weight=sample_weight)
    from tamis.distributed import cluster_pieces

    on_cluster: Pieces | None = cluster_pieces(table)
    return LocalPieces(table, threads(n_jobs)) if on_cluster is None else on_cluster


def _remember_columns(estimator: Any, table: PartedTable) -> None:
    estimator.n_features_in_ = table.n_columns
    if table.names is not None and all(isinstance(name, str) for name in table.names):
        estimator.feature_names_in_ = np.asarray(table.names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def _looked(estimator: Any, pieces: Pieces, nominal: NDArray[np.bool_]) -> tuple[Reading, list[LabelFacts]]:
    """How the parts are read, and their labels and weights; weights that no sum could hold are read in other units."""
    named = estimator.class_weight
    named = checked_class_weight(type(estimator).__name__, named) if isinstance(named, dict) else {}
    without = tuple(label for label, weight in named.items() if weight == 0)
    reading = Reading(clone(estimator), nominal, without)
    looks = pieces.labels(look_at_labels, reading)
    least, most = min(look.weighs[0] for look in looks), max(look.weighs[1] for look in looks)
    if most > 0 and (least < LIGHTEST or most > 1 / LIGHTEST):
        reading = replace(reading, unit=unit_of(most))
        looks = pieces.labels(look_at_labels, reading)
    return reading, looks


def _weight(
    pieces: Pieces, reading: Reading, coding: Coding, counts: NDArray[np.int64], looks: list[LabelFacts]
) -> tuple[float | None, Coding]:
    """The weight of all rows, None where they weigh the same, and the coding that keeps weights only where they differ."""
    if coding.factors is not None and all(not look.held for look in looks):
        weight = total_weight(counts, coding.factors)
        low, high = float(coding.factors.min()), float(coding.factors.max())
    else:
        found = pieces.labels(weigh_part, reading, coding)
        weight = math.fsum(amount for amounts, _ in found for amount in amounts)
        low, high = min(weighs[0] for _, weighs in found), max(weighs[1] for _, weighs in found)
    if low == high:
        return None, Coding(coding.schema, coding.classes, coding.factors, False)
    return weight, coding


def _together(
    pieces: LocalPieces, reading: Reading, coding: Coding, bins: Bins, looks: list[Any]
) -> Together:
    """Code all parts into one table, the rows of a class side by side."""
    held = np.zeros((len(looks), len(coding.classes)), dtype=np.int64)
    for counts, look in zip(held, looks):
        alive = look.counts > 0
        counts[np.searchsorted(coding.classes, look.classes[alive])] = look.counts[alive]
    starts = np.cumsum(held, axis=0) - held
    starts += np.cumsum(held.sum(axis=0)) - held.sum(axis=0)
    n_rows = int(held.sum())
    words = np.empty((-(-pieces.table.n_columns // 4), n_rows), dtype=np.uint32)
    weights = np.empty(n_rows) if coding.weighted else None

    def write(part: Any, start: NDArray[np.int64]) -> None:
        values, codes, weighed = coded_values(part, reading, coding)
        target = np.empty(len(codes), dtype=np.int64)
        for label, first in enumerate(start.tolist()):
            rows = np.flatnonzero(codes == label)
            target[rows] = first + np.arange(len(rows))
        write_codes(values, bins, target, words)
        if weights is not None:
            weights[target] = weighed

    pieces.each(write, [(start,) for start in starts])
    return Together(words, weights)
