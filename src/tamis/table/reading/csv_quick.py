"""Delimited text in one reading, where some of its lines already show what its columns are.

polars parses numbers while it reads, and fails at the first value that is none: then the guess was wrong, and `csv`
goes its careful way. A value that polars parses as a number of a kind, `types` reads as the same number; what is
left to check is what polars does not mind: leading zeros, many digits, and missing values, blanks and numbers among texts. Those
columns alone are read with care. Texts that recur are checked value by value, not row by row.
"""

import re

import polars as pl

from tamis.table.reading.csv_guess import Guess
from tamis.table.reading.types import may_be_code, recur
from tamis.table.reading.wishes import Wishes

#: A sign that is in no number, however it is written.
_IN_NO_NUMBER = re.compile(r"[^0-9+\-.,eEiInNfFaAtTyY]").search
_DIGIT = re.compile(r"[0-9]").search
_NAMED_NUMBERS = ("inf", "infinity", "nan")


def dtypes_of(guess: Guess, leading_zeros: bool, quotes: bool) -> list[pl.DataType]:
    """The dtypes in which polars should read; whole numbers as text where some may be codes.

    polars reads stray quotes into categories that it refuses in texts, so categories are made later if there are quotes.
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
    """Texts as whole numbers; None for a column with a value that is not a whole number, or that may be a code."""
    doubtful = texts.select(may_be_code(pl.all()).any())
    columns: list[pl.Series | None] = []
    for series, doubt in zip(texts.iter_columns(), doubtful.iter_columns()):
        numbers = None if doubt[0] else series.cast(pl.Int64, strict=False)
        exact = numbers is not None and numbers.null_count() == series.null_count() < len(series)
        columns.append(numbers if exact else None)
    return columns


def categories(series: pl.Series, wishes: Wishes) -> tuple[pl.Series, list[str]] | None:
    """Recurring texts as categories, with the different texts; None if some need care, or may be numbers."""
    coded = series if series.dtype == pl.Categorical else series.cast(pl.Categorical)
    counted = coded.value_counts().to_series()
    if not recur(len(counted), coded):
        return None
    values = [value for value in counted.cast(pl.String).to_list() if value is not None]
    if any(value in wishes.gaps or value != value.strip() for value in values):
        return None
    if series.name not in wishes.nominal and not any(map(_is_no_number, values)):
        return None
    return coded, values


def _is_no_number(value: str) -> bool:
    """Tell that a text is not a number, in whatever spelling; where that is not clear, it may be one."""
    if _DIGIT(value):
        return _IN_NO_NUMBER(value) is not None
    return value.lstrip("+-").lower() not in _NAMED_NUMBERS
