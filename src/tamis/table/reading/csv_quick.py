"""Delimited text in a single pass, if some of its lines already show what its columns hold.

polars parses numbers while it reads, and fails at the first value that is not one: then the guess was wrong, and `csv`
takes the slower path. Values that polars accepts, `types` would read as the same numbers. It remains to check what polars
lets pass: leading zeros, many digits, and missing values, spaces and numbers among texts. Only such columns are read again.
Recurring texts are checked once per distinct value, not per row.
"""

import re

import polars as pl

from tamis.table.reading.csv_guess import Guess
from tamis.table.reading.types import may_be_code, recur
from tamis.table.reading.wishes import Wishes

#: A character that occurs in no number, however it is written.
_IN_NO_NUMBER = re.compile(r"[^0-9+\-.,eEiInNfFaAtTyY]").search
_DIGIT = re.compile(r"[0-9]").search
_NAMED_NUMBERS = ("inf", "infinity", "nan")


def dtypes_of(guess: Guess, leading_zeros: bool, quotes: bool) -> list[pl.DataType]:
    """The dtypes in which polars should read; integers as text if some may be codes.

    In categorical columns polars accepts stray quotes that it refuses in text columns, so with quotes in the file,
    categories are made later.
    """
    places = [*guess.whole, *guess.floats, *guess.recurring, *guess.texts]
    dtypes: list[pl.DataType] = [pl.String()] * len(places)
    for position in guess.floats:
        dtypes[position] = pl.Float64()
    for position in [] if leading_zeros else guess.whole:
        dtypes[position] = pl.Int64()
    for position in [] if quotes else guess.recurring:
        dtypes[position] = pl.Categorical()
    return dtypes


def whole_numbers(texts: pl.DataFrame) -> list[pl.Series | None]:
    """Texts as integers; None for a column with a value that is not an integer, or that may be a code."""
    doubtful = texts.select(may_be_code(pl.all()).any())
    columns: list[pl.Series | None] = []
    for series, doubt in zip(texts.iter_columns(), doubtful.iter_columns()):
        numbers = None if doubt[0] else series.cast(pl.Int64, strict=False)
        exact = numbers is not None and numbers.null_count() == series.null_count() < len(series)
        columns.append(numbers if exact else None)
    return columns


def categories(series: pl.Series, wishes: Wishes) -> tuple[pl.Series, list[str]] | None:
    """Recurring texts as categories, with the distinct texts; None if some need cleaning, or may be numbers."""
    coded = series if series.dtype == pl.Categorical else series.cast(pl.Categorical)
    counted = coded.value_counts().to_series()
    if not recur(len(counted), coded):
        return None
    values = [value for value in counted.cast(pl.String).to_list() if value is not None]
    if any(value in wishes.missing or value != value.strip() for value in values):
        return None
    if series.name not in wishes.nominal and not any(map(_is_no_number, values)):
        return None
    return coded, values


def _is_no_number(value: str) -> bool:
    """Tell whether a text is certainly not a number, in any notation."""
    if _DIGIT(value):
        return _IN_NO_NUMBER(value) is not None
    return value.lstrip("+-").lower() not in _NAMED_NUMBERS
