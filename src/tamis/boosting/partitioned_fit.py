"""What estimators do with a table in parts: read it where it lies, and hand codes to an engine."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction
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
    weigh_part,
)
from tamis.boosting.partition_runs import Parts
from tamis.boosting.partitioned import ClassFacts, Summary, Together
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
    classes, known = merged_labels(looks, who)
    held = np.array([float(facts.weight) for facts in known])
    class_weight = estimator.class_weight
    if not isinstance(class_weight, dict):
        refuse_one_class(who, "sample_weight", held)
    balanced = isinstance(class_weight, str)
    factors = class_factors(who, None if balanced else class_weight, classes, held)
    alive = np.array([facts.n_rows > 0 for facts in known])
    factors = None if factors is None else factors[alive]
    known = tuple(facts for facts in known if facts.n_rows > 0)
    firsts = np.cumsum([0, *(int(look.counts.sum()) for look in looks)])

    limit = sample_limit(sum(facts.n_rows for facts in known), table.n_columns)
    seen = pieces.each(look_at_columns, [(int(first),) for first in firsts[:-1]], limit, reading)
    schema = merged_schema(nominal, [categories for _, categories in seen], table.names, who)
    n_codes = np.array([-1 if values is None else len(values) for values in schema.categories])
    bins = bins_of([facts for facts, _ in seen], n_codes)
    del seen

    weighted = any(look.weighs for look in looks)
    scale = 1.0 if reading.unit is None else math.ldexp(1.0, reading.unit)
    n_counted = counted_rows(held[alive], scale) if weighted else None
    coding = Coding(schema, classes[alive], factors, weighted or factors is not None)
    if factors is not None:
        known = _with_factors(pieces, reading, coding, known, weighted)
    summary = Summary(bins, known, balanced)
    coding = replace(coding, weighted=summary.weighted)
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
    pieces = LocalPieces(table, threads(n_jobs)) if on_cluster is None else on_cluster
    if table.source is not None:
        _judge_files(estimator, pieces)
    return pieces


def _judge_files(estimator: Any, pieces: Pieces) -> None:
    """Refuse what a table in one file would be refused for, and note what would be noted."""
    from tamis.table._parquet_part import judged_parts, part_facts

    table = pieces.table
    named = getattr(estimator, "categorical_features", None)
    nominal = (
        frozenset() if isinstance(named, str | None) else frozenset(map(str, np.asarray(named).tolist()))
    )
    found = pieces.each(part_facts, [()] * len(table.parts))
    table.notes[:] = judged_parts(found, table.parts[0].rules, nominal)


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
    weighs = [weight for look in looks for pair in look.weighs for weight in pair if math.isfinite(weight)]
    least, most = min(weighs, default=1.0), max(weighs, default=1.0)
    if most > 0 and (least < LIGHTEST or most > 1 / LIGHTEST):
        reading = replace(reading, unit=unit_of(most))
        looks = pieces.labels(look_at_labels, reading)
    return reading, looks


def _with_factors(
    pieces: Pieces, reading: Reading, coding: Coding, known: tuple[ClassFacts, ...], weighted: bool
) -> tuple[ClassFacts, ...]:
    """What is known of the classes, their weights times their factors."""
    if weighted:
        return merged_labels(pieces.labels(weigh_part, reading, coding), reading.who)[1]
    assert coding.factors is not None  # noqa: S101
    return tuple(
        ClassFacts(facts.n_rows, facts.n_rows * Fraction(factor), factor, factor)
        for facts, factor in zip(known, coding.factors.tolist())
    )


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
