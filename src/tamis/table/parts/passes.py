"""From the parts of a table to numbers, in three passes: labels and weights; columns; numbers, with codes for categories.

Every function of a part can run in another process, and again if that process is lost. The results are merged here. Sums
of weights are exact, so that nothing depends on where one part ends and the next begins.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import column_or_1d

from tamis.table._arrays import plain_numbers, unmasked
from tamis.table._encode import _categories, _column_values, _columns, _number_codes, _numeric, as_frame
from tamis.table._table import Labels, Schema
from tamis.table._target import (
    MOST_CLASSES_OF_FLOATS,
    _of_one_type,
    _refuse_numbers,
    _refuse_unlabelled,
    as_floats,
    holds_numbers,
)
from tamis.table.parts.parted import Part
from tamis.table.weights import LIGHTEST, in_units

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


__all__ = [
    "ClassFacts",
    "Coding",
    "LabelFacts",
    "Reading",
    "coded_values",
    "finite_values",
    "labelled_part",
    "look_at_columns",
    "look_at_kind",
    "look_at_labels",
    "look_at_numbers",
    "merged_kind",
    "merged_labels",
    "merged_schema",
    "numbered_values",
    "weigh_part",
]

Float = NDArray[np.float64]


@dataclass(frozen=True)
class Reading:
    """How the parts of a table are read; sent along with every request.

    Attributes
    ----------
    estimator : estimator
        The estimator that asks; its class name appears in error messages.
    nominal : ndarray of bool, shape (d,)
        Which columns are categorical.
    without : tuple
        Labels whose rows are left out, since their class has the weight 0.
    unit : int or None
        Weights are divided by 2 ** unit; None leaves them unchanged.
    """

    estimator: BaseEstimator
    nominal: NDArray[np.bool_]
    without: tuple[Any, ...] = ()
    unit: int | None = None

    @property
    def who(self) -> str:
        """The estimator's class."""
        return type(self.estimator).__name__


@dataclass(frozen=True)
class ClassFacts:
    """Facts about the rows of one class, without those of weight 0.

    Attributes
    ----------
    n_rows : int
        How many there are.
    weight : Fraction
        Their total weight, exactly.
    least, largest : float
        The smallest and the largest of their weights.
    """

    n_rows: int
    weight: Fraction
    least: float = 1.0
    largest: float = 1.0


@dataclass(frozen=True)
class LabelFacts:
    """Facts about the labels of one part, without rows of weight 0.

    Attributes
    ----------
    classes, counts : ndarray
        The labels that occur, and how many rows have them; 0 for those that are left out.
    held : list of list of float
        The total weight of each label, as numbers whose sum is exact; empty if no weights are given.
    weighs : list of tuple of float
        The smallest and the largest weight of each label; empty if no weights are given.
    """

    classes: Labels
    counts: NDArray[np.int64]
    held: list[list[float]] = field(default_factory=list)
    weighs: list[tuple[float, float]] = field(default_factory=list)


def exact_sum(amounts: Float | list[float]) -> list[float]:
    """A few numbers with exactly the same sum, so that sums of several parts can be added without rounding."""
    parts: list[float] = []
    while (rest := math.fsum([*amounts, *(-part for part in parts)])) != 0.0:
        parts.append(rest)
    return parts


def look_at_labels(part: Part, reading: Reading) -> LabelFacts:
    """The first pass over a part: its labels and weights."""
    labels, weights, weighs_something = labelled_part(part, reading)
    classes, codes = np.unique(labels, return_inverse=True)
    codes = codes[weighs_something]
    counts = np.bincount(codes, minlength=len(classes))
    if weights is None:
        return LabelFacts(classes, counts)
    return _weighed_facts(classes, counts, codes, weights[weighs_something])


def _weighed_facts(
    classes: Labels, counts: NDArray[np.int64], codes: NDArray[np.int64], weights: Float
) -> LabelFacts:
    """The weights of each class in a part."""
    groups = [weights[codes == label] for label in range(len(classes))]
    weighs = [(float(group.min(initial=math.inf)), float(group.max(initial=-math.inf))) for group in groups]
    if weights.max(initial=0.0) > 1 / LIGHTEST:  # a sum might overflow: the part will be read again, scaled
        return LabelFacts(classes, counts, [[] for _ in classes], weighs)
    return LabelFacts(classes, counts, [exact_sum(group) for group in groups], weighs)


def look_at_columns(part: Part, reading: Reading) -> tuple[Float, dict[int, Labels]]:
    """The second pass over a part: numeric columns as numbers (categorical ones NaN), and the sorted categories of the others."""
    columns, values, _, _ = _rows(part, reading)
    categories: dict[int, Labels] = {}
    if columns is None:
        for column in np.flatnonzero(reading.nominal).tolist():
            known = values[~np.isnan(values[:, column]), column]
            categories[column] = np.unique(known)
        if reading.nominal.any():
            values = np.where(reading.nominal, np.nan, values)
    else:
        values = np.full((len(columns[0]), len(columns)), np.nan, order="F")
        for column, series in enumerate(columns):
            if reading.nominal[column]:
                categories[column] = _categories(reading.estimator, series)
            else:
                _numeric(reading.estimator, series, values[:, column])
    return values, categories


@dataclass(frozen=True)
class Coding:
    """What the third pass needs to know from the first two.

    Attributes
    ----------
    schema : Schema
        The kinds of the columns, and the values of categorical ones.
    classes : ndarray
        All labels, sorted.
    factors : ndarray of shape (classes,) or None
        The factors of the weights of each class.
    weighted : bool
        Whether the weights of rows differ.
    """

    schema: Schema
    classes: Labels
    factors: Float | None
    weighted: bool


def coded_values(
    part: Part, reading: Reading, coding: Coding
) -> tuple[Float, NDArray[np.int64], Float | None]:
    """The rows of a part as numbers (categories as codes), their classes, and their weights if these differ."""
    columns, values, labels, weights = _rows(part, reading)
    codes = np.searchsorted(coding.classes, labels)
    return _values(columns, values, reading, coding.schema), codes, _weighed(codes, weights, coding)


def _values(columns: list[Any] | None, values: Any, reading: Reading, schema: Schema) -> Float:
    """The rows of a part as numbers, categories as codes."""
    if columns is not None:
        return _column_values(reading.estimator, columns, schema)
    if reading.nominal.any():
        values = values.copy()
        for column in np.flatnonzero(reading.nominal):
            known = np.asarray(schema.categories[column], dtype=np.float64)
            values[:, column] = _number_codes(values[:, column], known)
    numbers: Float = values
    return numbers


def look_at_numbers(part: Part, reading: Reading) -> tuple[Float, Float | None]:
    """The numeric target of a part, and its weights; rows of weight 0 are left out."""
    target, weights, weighs_something = labelled_part(part, reading)
    numbers = as_floats(reading.who, target)[weighs_something]
    return numbers, None if weights is None else weights[weighs_something]


def numbered_values(part: Part, reading: Reading, schema: Schema) -> tuple[Float, Float, Float | None]:
    """The rows of a part as numbers (categories as codes), their numeric target, and their weights if there are any."""
    columns, values, target, weights = _rows(part, reading)
    return _values(columns, values, reading, schema), as_floats(reading.who, target), weights


def look_at_kind(part: Part, reading: Reading) -> NDArray[Any]:
    """Up to 21 different labels of a part, one with a fraction among them if there is one: they tell numbers from classes."""
    labels, _, _ = labelled_part(part, reading)
    different = np.unique(labels)
    if different.dtype.kind != "f":
        return different[: MOST_CLASSES_OF_FLOATS + 1]
    fractions = different[different != np.rint(different)]
    return np.concatenate([fractions[:1], different[: MOST_CLASSES_OF_FLOATS + 1]])


def weigh_part(part: Part, reading: Reading, coding: Coding) -> LabelFacts:
    """The weights of a part, multiplied by the factors of its classes."""
    labels, weights, weighs_something = labelled_part(part, reading)
    codes = np.searchsorted(coding.classes, labels[weighs_something])
    weighed = _weighed(codes, None if weights is None else weights[weighs_something], coding)
    counts = np.bincount(codes, minlength=len(coding.classes))
    return (
        LabelFacts(coding.classes, counts)
        if weighed is None
        else _weighed_facts(coding.classes, counts, codes, weighed)
    )


def _weighed(codes: NDArray[np.int64], weights: Float | None, coding: Coding) -> Float | None:
    if not coding.weighted:
        return None
    weights = np.ones(len(codes)) if weights is None else weights
    return weights if coding.factors is None else weights * coding.factors[codes]


def labelled_part(part: Part, reading: Reading) -> tuple[NDArray[Any], Float | None, NDArray[np.bool_]]:
    """The labels and weights of a part, and which of its rows have weight."""
    labels = _of_one_type(reading.who, _checked_labels(part.labels(), reading.who))
    if labels.dtype == object:
        labels = labels.astype(np.str_)
    weighs_something = np.ones(len(labels), dtype=np.bool_)
    for label in reading.without:
        weighs_something &= labels != label
    given = part.weights()
    if given is None:
        return labels, None, weighs_something
    given = plain_numbers(reading.who, "sample_weight", given)
    weights: Float = np.asarray(column_or_1d(given), dtype=np.float64)
    if len(weights) != len(labels):
        raise ValueError(
            f"{reading.who}: a part of y has {len(labels)} rows, but that of sample_weight {len(weights)}."
        )
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise ValueError(f"{reading.who}: sample_weight must be finite and not negative.")
    weighs_something &= weights > 0
    return labels, weights if reading.unit is None else in_units(weights, reading.unit), weighs_something


def _checked_labels(y: ArrayLike, who: str) -> NDArray[Any]:
    labels: NDArray[Any] = column_or_1d(unmasked(y))
    _refuse_unlabelled(who, labels)
    return labels


def _rows(part: Part, reading: Reading) -> tuple[list[Any] | None, Any, NDArray[Any], Float | None]:
    """The rows of positive weight of a part: columns of a frame or an array, labels, weights."""
    labels, weights, weighs_something = labelled_part(part, reading)
    X = part.table()
    frame = as_frame(X)
    n_rows = X.shape[0] if frame is None else frame.shape[0]
    if n_rows != len(labels):
        raise ValueError(f"{reading.who}: a part of X has {n_rows} rows, but that of y has {len(labels)}.")
    if not weighs_something.all():
        labels = labels[weighs_something]
        weights = None if weights is None else weights[weighs_something]
    if frame is not None:
        frame = frame if weighs_something.all() else frame.filter(weighs_something.tolist())
        return _columns(reading.estimator, frame), None, labels, weights
    values = finite_values(reading.who, X)
    return None, values if weighs_something.all() else values[weighs_something], labels, weights


def finite_values(who: str, X: Any) -> Float:
    """An array of numbers and missing values as floats; infinities are refused."""
    values: Float = np.asarray(plain_numbers(who, "X", X), dtype=np.float64)
    if np.isinf(values).any():
        raise ValueError(
            f"{who}: Input X contains infinity or a value too large for dtype('float64'). Use missing "
            "values (NaN) or large finite numbers instead."
        )
    return values


def merged_labels(looks: Sequence[LabelFacts], who: str) -> tuple[Labels, tuple[ClassFacts, ...]]:
    """All labels, sorted, and the facts about the rows of each; independent of the division into parts."""
    classes = np.unique(
        np.concatenate([facts.classes for facts in looks if len(facts.classes)] or [np.empty(0)])
    )
    if len(classes) < 2:
        what = f"one class only ({classes.tolist()[0]!r})" if len(classes) else "no labels"
        raise ValueError(f"{who}: y holds {what}; at least 2 classes are needed.")
    _refuse_numbers(who, classes)
    counts = np.zeros(len(classes), dtype=np.int64)
    amounts = [Fraction(0) for _ in classes]
    least, largest = [math.inf] * len(classes), [-math.inf] * len(classes)
    for facts in looks:
        labels = np.searchsorted(classes, facts.classes)
        counts[labels] += facts.counts
        for label, held, (low, high) in zip(labels.tolist(), facts.held, facts.weighs):
            amounts[label] += sum(map(Fraction, held))
            least[label], largest[label] = min(low, least[label]), max(high, largest[label])
    if all(not facts.weighs for facts in looks):
        return classes, tuple(ClassFacts(count, Fraction(count)) for count in counts.tolist())
    return classes, tuple(map(ClassFacts, counts.tolist(), amounts, least, largest))


def merged_kind(looks: Sequence[NDArray[Any]]) -> str:
    """What the target holds, "classes" or "numbers", from what `look_at_kind` tells of its parts."""
    known = [labels for labels in looks if len(labels)]
    if not known or any(labels.dtype.kind not in "fiu" for labels in known):
        return "classes"
    if all(labels.dtype.kind != "f" for labels in known):
        return "classes"
    return "numbers" if holds_numbers(np.concatenate(known).astype(np.float64)) else "classes"


def merged_schema(
    nominal: NDArray[np.bool_],
    seen_by_part: Sequence[dict[int, Labels]],
    names: list[str] | None,
    most: int,
    who: str,
) -> Schema:
    """The categories of all columns, merged from those of the parts; more than `most` in a column are an error."""
    categories: list[Labels | None] = [None] * len(nominal)
    for column in np.flatnonzero(nominal).tolist():
        lists = [seen[column] for seen in seen_by_part]
        if all(known.dtype == np.float64 for known in lists):
            categories[column] = np.unique(np.concatenate(lists))
        else:
            texts = sorted(set().union(*(known.tolist() for known in lists)))
            categories[column] = np.asarray(texts, dtype=object)
        if len(categories[column]) > most:  # type: ignore[arg-type]
            name = repr(names[column]) if names is not None else f"number {column}"
            raise ValueError(
                f"{who}: the categorical column {name} has {len(categories[column])} values, but a table in parts "  # type: ignore[arg-type]
                f"allows at most {most} (one byte per value). Group its rare values, or leave it out."
            )
    return Schema(np.asarray(nominal, dtype=np.bool_), tuple(categories))
