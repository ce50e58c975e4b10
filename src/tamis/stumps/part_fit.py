"""What estimators do with a table in parts: read it where it lies, and hand its codes to an engine."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from tamis.stumps.part_bins import (
    MAX_BINS,
    Bins,
    Coded,
    Facts,
    bins_of,
    coded,
    facts_of,
    sample_limit,
    write_codes,
)
from tamis.stumps.part_table import CodedTable, PartTable, Summary, coded_problems, contents, part_starts
from tamis.table._encode import _columns, _nominal_mask, as_frame
from tamis.table._table import Labels, Schema
from tamis.table.parts.opened import LocalPieces, Pieces
from tamis.table.parts.parted import PartedTable
from tamis.table.parts.passes import (
    ClassFacts,
    Coding,
    LabelFacts,
    Reading,
    coded_values,
    look_at_columns,
    look_at_labels,
    merged_labels,
    merged_schema,
    weigh_part,
)
from tamis.table.weights import (
    LIGHTEST,
    checked_class_weight,
    class_factors,
    counted_rows,
    refuse_one_class,
    unit_of,
)

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


__all__ = [
    "Fitting",
    "binned_parts",
    "kinds_of_columns",
    "looked_at_labels",
    "prepared_parts",
    "remember_columns",
]


@dataclass(frozen=True)
class Fitting:
    """A table in parts, ready for an engine.

    Attributes
    ----------
    table : CodedTable or PartTable
        The codes: here, or where the parts are.
    problems : list
        The two-class problems, as the table's engine knows them.
    summary : Summary
        What is known of the whole table.
    weights : ndarray or None
        Weights of the rows of a `CodedTable`; None where all weigh the same.
    classes : ndarray
        The labels, sorted.
    weighed : ndarray of bool, shape (classes,)
        Which of them have weight; the others are left out of `table` and `summary`.
    schema : Schema
        The kinds of the columns.
    n_counted : float or None
        How many rows there are where one of weight w counts as w; None without weights.
    """

    table: CodedTable | PartTable
    problems: list[Any]
    summary: Summary
    weights: NDArray[np.float64] | None
    classes: Labels
    weighed: NDArray[np.bool_]
    schema: Schema
    n_counted: float | None

    def contents(self) -> Iterator[NDArray[Any]]:
        """Arrays that tell this table from others."""
        return contents(self.table, self.summary, self.weights)


def prepared_parts(estimator: BaseEstimator, pieces: Pieces) -> Fitting:
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
    nominal = kinds_of_columns(estimator, table)
    reading, looks = looked_at_labels(estimator, pieces, nominal)
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
    schema, bins = binned_parts(who, pieces, reading, [int(look.counts.sum()) for look in looks])
    weighted = any(look.weighs for look in looks)
    scale = 1.0 if reading.unit is None else math.ldexp(1.0, reading.unit)
    n_counted = counted_rows(held[alive], scale) if weighted else None
    coding = Coding(schema, classes[alive], factors, weighted or factors is not None)
    if factors is not None:
        known = _with_factors(pieces, reading, coding, known, weighted)
    summary = Summary(bins, known, balanced)
    coding = replace(coding, weighted=summary.weighted)
    told = (classes, alive, schema, n_counted)
    if not isinstance(pieces, LocalPieces):
        parts = pieces.coded(code_part, reading, coding, bins)  # type: ignore[attr-defined]
        return Fitting(PartTable(parts, bins.nominal), part_starts(summary), summary, None, *told)
    words, weights = _together(pieces, reading, coding, bins, looks)
    table_of_codes = CodedTable.of(words, bins.nominal)
    return Fitting(table_of_codes, coded_problems(summary, weights), summary, weights, *told)


def binned_parts(who: str, pieces: Pieces, reading: Reading, lengths: list[int]) -> tuple[Schema, Bins]:
    """The kinds of the columns and their bins; `lengths` are how many rows of weight the parts have."""
    table = pieces.table
    firsts = np.cumsum([0, *lengths])
    limit = sample_limit(int(firsts[-1]), table.n_columns)
    seen = pieces.each(look_at_part, [(int(first),) for first in firsts[:-1]], limit, reading)
    categories = [known for _, known in seen]
    schema = merged_schema(reading.nominal, categories, table.names, MAX_BINS, who)
    n_codes = np.array([-1 if values is None else len(values) for values in schema.categories])
    return schema, bins_of([facts for facts, _ in seen], n_codes)


def look_at_part(part: Any, first: int, limit: int, reading: Reading) -> tuple[Facts, dict[int, Labels]]:
    """What a part tells of its columns' values, and the values of nominal columns that occur.

    `first` is the number of its first row in the whole table, `limit` as `sample_limit` gives it.
    """
    values, categories = look_at_columns(part, reading)
    return facts_of(values, first, limit), categories


def code_part(part: Any, reading: Reading, coding: Coding, bins: Bins) -> Coded:
    """A part as codes, one byte per value."""
    values, codes, weights = coded_values(part, reading, coding)
    return coded(values, codes, len(coding.classes), bins, weights)


def kinds_of_columns(estimator: BaseEstimator, table: PartedTable) -> NDArray[np.bool_]:
    """Which columns of a table in parts are nominal; the estimator remembers their number and names."""
    remember_columns(estimator, table)
    frame = None if table.example is None else as_frame(table.example)
    example = None if frame is None else _columns(estimator, frame)
    return _nominal_mask(estimator, estimator.categorical_features, table.n_columns, example)


def remember_columns(estimator: BaseEstimator, table: PartedTable) -> None:
    """Tell the estimator how many columns there are, and their names if they have some."""
    estimator.n_features_in_ = table.n_columns
    if table.names is not None and all(isinstance(name, str) for name in table.names):
        estimator.feature_names_in_ = np.asarray(table.names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def looked_at_labels(
    estimator: BaseEstimator, pieces: Pieces, nominal: NDArray[np.bool_]
) -> tuple[Reading, list[LabelFacts]]:
    """How the parts are read, and their labels and weights; weights that no sum could hold are read in other units."""
    named = getattr(estimator, "class_weight", None)
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
    pieces: LocalPieces, reading: Reading, coding: Coding, bins: Bins, looks: list[LabelFacts]
) -> tuple[NDArray[np.uint32], NDArray[np.float64] | None]:
    """The codes and weights of all parts in one, the rows of a class side by side."""
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
    return words, weights
