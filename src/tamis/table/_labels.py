"""From a target column to labels, or to the sentence why it names no classes."""

from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from tamis.table._dataset import TableError

#: More different fractional numbers than this are a quantity, not classes.
MOST_FRACTIONS = 20
#: More different whole numbers than this are worth a note.
MANY_WHOLE_NUMBERS = 100
#: A text target whose values mostly differ is refused from this many rows on.
DIFFERENT_TEXT_ROWS = 20
#: The labels of so few rows are taken one by one.
FEW_ROWS = 5000


def labels_of(series: pl.Series, file: str, forced: bool) -> tuple[npt.NDArray[Any], list[str]]:
    """Give the labels of a target column without gaps.

    Parameters
    ----------
    series : polars.Series
        The target column.
    file : str
        The file's name, for errors.
    forced : bool
        Whether the caller named the target as nominal: then its values are labels, whatever they look like.

    Returns
    -------
    tuple of (numpy.ndarray, list of str)
        Strings for text, numbers and booleans as they are; and sentences for the user.
    """
    target, dtype = series.name, series.dtype
    text = dtype in (pl.String, pl.Categorical, pl.Enum)
    if not (text or dtype.is_numeric() or dtype == pl.Boolean):
        raise TableError(
            f"the target {target!r} of {file} holds values of type {dtype}, which name no classes. "
            f"Name another column with --target, or use --nominal {target}."
        )
    labels, n_classes = _text_labels(series) if text else (series.to_numpy(), series.n_unique())
    if n_classes < 2:
        raise TableError(
            f"the target {target!r} of {file} has one class only: {series[0]!r}. "
            "At least two are needed; is it the right column?"
        )
    notes = [] if forced else _questioned(series, file, text, n_classes)
    return labels, notes


def _text_labels(series: pl.Series) -> tuple[npt.NDArray[np.str_], int]:
    """Give the texts of a column without gaps, and how many are different."""
    if len(series) <= FEW_ROWS or series.dtype == pl.String:
        texts = series.cast(pl.String).to_list()
        return np.array(texts, dtype=np.str_), len(set(texts))
    codes = series.to_physical().to_numpy()
    last = np.full(int(codes.max()) + 1, -1)
    last[codes] = np.arange(len(codes))  # some row with each code
    used = np.flatnonzero(last >= 0)
    classes = np.array(series[last[used]].cast(pl.String).to_list(), dtype=np.str_)
    places = np.zeros(len(last), dtype=np.intp)
    places[used] = np.arange(len(used))
    return classes[places[codes]], len(used)


def _questioned(series: pl.Series, file: str, text: bool, n_classes: int) -> list[str]:
    """Refuse a target that is a quantity or all different texts; note one that may be a quantity."""
    target, n_rows = series.name, len(series)
    way = f"If its values do name classes, use --nominal {target}; else name another column with --target."
    if text:
        if n_rows >= DIFFERENT_TEXT_ROWS and 2 * n_classes > n_rows:
            raise TableError(
                f"the target {target!r} of {file} has {n_classes} different texts in {n_rows} rows. {way}"
            )
        return []
    if not series.dtype.is_numeric():
        return []
    if series.dtype.is_float():
        if series.is_infinite().any():
            raise TableError(f"the target {target!r} of {file} holds infinite values. {way}")
        if n_classes > MOST_FRACTIONS and (series != series.round()).any():
            raise TableError(
                f"the target {target!r} of {file} looks like regression: {n_classes} different numbers with "
                f"fractions. {way}"
            )
    if n_classes > MANY_WHOLE_NUMBERS:
        what = f"The target {target!r} has {n_classes} different numbers and looks like regression"
        return [f"{what}; each number is taken as a class of its own."]
    return []
