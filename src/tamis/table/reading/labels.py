"""From a target column to labels, or to an error that says why its values are not classes."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from tamis.table._dataset import TableError
from tamis.table._kinds import kind_of
from tamis.table._names import an_option, as_option
from tamis.table.reading.facts import (
    TEXT,
    ColumnFacts,
    are_numbers,
    mostly_numbers,
    told_words,
    value_counts,
    words_among_numbers,
)

#: More distinct fractional numbers than this are a quantity, not classes.
MOST_FRACTIONS = 20
#: More distinct integers than this get a note.
MANY_WHOLE_NUMBERS = 100
#: A text target whose values mostly differ is refused from this many rows on.
DIFFERENT_TEXT_ROWS = 20
#: Up to this many rows, labels are converted one by one.
FEW_ROWS = 5000


def labels_of(
    series: pl.Series, file: str, forced: bool, rows: npt.NDArray[np.intp] | None = None
) -> tuple[npt.NDArray[Any], list[str]]:
    """Give the labels of a target column without missing values.

    Parameters
    ----------
    series : polars.Series
        The target column.
    file : str
        The file's name, for errors.
    forced : bool
        Whether the caller declared the target categorical: then its values are labels, whatever they look like.
    rows : ndarray of int, optional
        The numbers of the rows in the file, counted from 1, where some were left out.

    Returns
    -------
    tuple of (numpy.ndarray, list of str)
        Strings for text, numbers and booleans as they are; and sentences for the user.
    """
    if series.dtype not in TEXT:
        return series.to_numpy(), judged_target(target_facts(series), file, forced)
    labels, classes = _text_labels(series)
    counts = pl.DataFrame({"value": classes, "count": np.ones(len(classes), dtype=np.int64)})
    facts = ColumnFacts(series.name, series.dtype, len(series), 0, counts=counts)
    if not forced and are_numbers(counts).any():
        counts = value_counts(series)
        facts = replace(facts, counts=counts, words=words_among_numbers(series, counts, rows))
    return labels, judged_target(facts, file, forced)


def numbers_of(series: pl.Series, file: str, kind: str) -> tuple[npt.NDArray[np.float64] | None, list[str]]:
    """Give a numeric target as floats, or None where its values are classes; and sentences for the user.

    Parameters
    ----------
    series : polars.Series
        The target column, without missing values.
    file : str
        The file's name, for errors.
    kind : {"auto", "numbers"}
        "auto": more than 20 different numbers are a numeric target, fewer are classes.

    Returns
    -------
    tuple of (numpy.ndarray or None, list of str)
        The numbers, or None.
    """
    target = series.name
    if kind_of(series.dtype) != "number":
        if kind == "numbers":
            raise TableError(
                f"the target {target!r} of {file} holds values of type {series.dtype}, which are no numbers. "
                f"Leave {an_option('--target-kind', 'numbers')} out, or name another column with {an_option('--target')}."
            )
        return None, []
    values = series.cast(pl.Float64).to_numpy()
    n_different = len(np.unique(values))
    if kind == "auto" and n_different <= MOST_FRACTIONS:
        told = f"The target {target!r} holds {n_different} different numbers, taken as classes"
        return None, [
            f"{told}; {an_option('--target-kind', 'numbers')} takes them as numbers."
        ] if n_different > 2 else []
    if not np.isfinite(values).all():
        raise TableError(
            f"the target {target!r} of {file} holds infinite values. Leave those rows out, or name another column with "
            f"{an_option('--target')}."
        )
    if n_different < 2:
        raise TableError(
            f"the target {target!r} of {file} has one number only: {values[0]:g}. "
            "At least two are needed; is it the right column?"
        )
    told = f"The target {target!r} holds {n_different} different numbers, taken as a numeric target"
    return values, [
        f"{told}; {an_option('--target-kind', 'classes')} takes each as a class of its own."
    ] if kind == "auto" else []


def missing_labels(series: pl.Series) -> ColumnFacts:
    """Count the rows without a label."""
    missing = series.null_count()
    if series.dtype.is_float():
        missing += int(series.is_nan().sum())
    return ColumnFacts(series.name, series.dtype, len(series), missing)


def labelled_rows(frame: pl.DataFrame, target: str) -> pl.DataFrame:
    """The rows that have a label."""
    return frame.filter(has_label(frame[target]))


def has_label(labels: pl.Series) -> pl.Series:
    """Which of the labels are not missing."""
    return (labels.fill_nan(None) if labels.dtype.is_float() else labels).is_not_null()


def target_facts(series: pl.Series) -> ColumnFacts:
    """Look at a column of labels."""
    facts = missing_labels(series)
    if kind_of(series.dtype) not in ("number", "categorical"):
        return facts
    counts = value_counts(series.fill_nan(None) if series.dtype.is_float() else series)
    return replace(facts, counts=counts, words=words_among_numbers(series, counts))


def check_labelled(facts: ColumnFacts, file: str, drop_unlabelled: bool) -> list[str]:
    """Refuse rows without a label, unless they are to be left out; say how many were."""
    if facts.n_null == 0:
        return []
    if facts.n_null == facts.n_rows:
        raise TableError(f"the target {facts.name!r} of {file} has no labels at all. Is it the right column?")
    rows = f"{facts.n_null} of {facts.n_rows} rows"
    if not drop_unlabelled:
        raise TableError(
            f"{rows} of {file} have no label in {facts.name!r}. Use {an_option('--drop-unlabelled', True)} to leave them out."
        )
    return [f"{rows} had no label in {facts.name!r} and were left out."]


def judged_target(facts: ColumnFacts, file: str, forced: bool) -> list[str]:
    """Refuse a target whose values are not classes, by the facts about it; note one that may be a quantity.

    Parameters
    ----------
    facts : ColumnFacts
        The target, without the rows that have no label.
    file, forced
        As in `labels_of`.

    Returns
    -------
    list of str
        Sentences for the user.
    """
    target, dtype = facts.name, facts.dtype
    if facts.counts is None:
        raise TableError(
            f"the target {target!r} of {file} holds values of type {dtype}, which are not classes. "
            f"Name another column with {an_option('--target')}, or use {as_option('--nominal', [target])}."
        )
    values, n_rows = facts.counts["value"], facts.n_rows - facts.n_null
    if len(values) < 2:
        raise TableError(
            f"the target {target!r} of {file} has one class only: {values[0]!r}. "
            "At least two are needed; is it the right column?"
        )
    return [] if forced else [*_slip(facts), *_questioned(target, file, dtype, values, n_rows)]


def _slip(facts: ColumnFacts) -> list[str]:
    """The note about a text among classes that are numbers, which may be a typing error."""
    if not facts.words or facts.counts is None or not mostly_numbers(facts.counts):
        return []
    words = told_words(facts, list(facts.words))
    what = f"The target {facts.name!r} holds numbers but for {words}, taken as a class of its own."
    return [
        f"{what} If that is a mistake, correct the file; {as_option('--nominal', [facts.name])} says that it is meant."
    ]


def _text_labels(series: pl.Series) -> tuple[npt.NDArray[np.str_], Sequence[str]]:
    """Give the texts of a column without missing values, and the distinct ones."""
    if len(series) <= FEW_ROWS or series.dtype == pl.String:
        texts = series.cast(pl.String).to_list()
        return np.array(texts, dtype=np.str_), list(dict.fromkeys(texts))
    codes = series.to_physical().to_numpy()
    last = np.full(int(codes.max()) + 1, -1)
    last[codes] = np.arange(len(codes))  # some row with each code
    used = np.flatnonzero(last >= 0)
    classes = np.array(series[last[used]].cast(pl.String).to_list(), dtype=np.str_)
    places = np.zeros(len(last), dtype=np.intp)
    places[used] = np.arange(len(used))
    return classes[places[codes]], classes.tolist()


def _questioned(target: str, file: str, dtype: pl.DataType, values: pl.Series, n_rows: int) -> list[str]:
    """Refuse a target that is a quantity, or texts that all differ; note one that may be a quantity."""
    way = f"If its values are classes, use {as_option('--nominal', [target])}; else name another column with {an_option('--target')}."
    if dtype in TEXT:
        if n_rows >= DIFFERENT_TEXT_ROWS and 2 * len(values) > n_rows:
            raise TableError(
                f"the target {target!r} of {file} has {len(values)} different texts in {n_rows} rows. {way}"
            )
        return []
    if kind_of(dtype) != "number":
        return []
    if dtype.is_float():
        if values.is_infinite().any():
            raise TableError(f"the target {target!r} of {file} holds infinite values. {way}")
        if len(values) > MOST_FRACTIONS and (values != values.round()).any():
            raise TableError(
                f"the target {target!r} of {file} looks like regression: {len(values)} different numbers with "
                f"fractions. `tamis rank` and `tamis select` take it as it is. {way}"
            )
    if len(values) > MANY_WHOLE_NUMBERS:
        what = f"The target {target!r} has {len(values)} different numbers and looks like regression"
        return [f"{what}; each number is taken as a class of its own."]
    return []
