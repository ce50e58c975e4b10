"""What columns hold, and which of them cannot be used as they are.

Numbers, booleans and recurring texts are used. Dates, free text, numbers spoilt by a few texts, infinities, columns
without values and nested values are an error that names them all and the options that go on: nothing is coded
silently. Constants and identifiers are used, with a note.
"""

import math
import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import polars as pl

from tamis.table._convert import CODE
from tamis.table._dataset import TableError
from tamis.table._names import listed, quoted

#: Text columns with at least this share of numbers, and this many different ones, are numbers with errors in them.
MOSTLY_NUMBERS, MANY_NUMBERS = 0.9, 20
#: All-different values are no identifier in tables with fewer rows.
IDENTIFIER_ROWS = 10

_TIME = (
    r"([T ][0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?( ?[AaPp][Mm])?( ?(Z|UTC|[+-][0-9]{2}:?[0-9]{2}))?)?"
)
_DAY, _MONTH, _YEAR = "(0?[1-9]|[12][0-9]|3[01])", "(0?[1-9]|1[0-2])", "((1[5-9]|20|21)?[0-9]{2})"
_MONTH_NAME = "(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-zA-Z]*\\.?"
_DATE = "|".join(
    f"^{form}$"
    for form in (
        rf"(1[5-9]|20|21)[0-9]{{2}}[-/.]{_MONTH}[-/.]{_DAY}{_TIME}",
        rf"{_DAY}/{_MONTH}/{_YEAR}{_TIME}",
        rf"{_MONTH}/{_DAY}/{_YEAR}{_TIME}",
        rf"{_DAY}\.{_MONTH}\.{_YEAR}{_TIME}",
        rf"{_DAY}-{_MONTH}-(1[5-9]|20|21)[0-9]{{2}}{_TIME}",
        rf"{_DAY}[- .]+{_MONTH_NAME}[- ,]+{_YEAR}{_TIME}",
        rf"{_MONTH_NAME} {_DAY},? {_YEAR}{_TIME}",
        r"[0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?",
    )
)
#: Every date or time has a digit in it, and one of these signs.
_DIGIT, _PART_OF_DATE = re.compile("[0-9]").search, re.compile(r"[-/.: ,]").search
_IDENTIFIER_NAME = re.compile(
    r"(?i:(^|[^a-z])(id|ids|idx|index|uuid|guid|key|nr|row|serial)([^a-z]|$))|[a-z]I[dD]$"
)


@dataclass
class Problems:
    """Columns that cannot be used as they are: what each holds, and which options would let it pass."""

    found: dict[str, str] = field(default_factory=dict)
    as_nominal: list[str] = field(default_factory=list)
    as_numeric: list[str] = field(default_factory=list)
    as_gaps: list[str] = field(default_factory=list)

    def refuse(self, file: str) -> None:
        """Raise one error for all columns found, if there are any."""
        if not self.found:
            return
        what = listed([f"{name!r} {reason}" for name, reason in self.found.items()])
        ways = [f"--drop {_option(self.found)} to leave out what cannot be used"]
        if self.as_nominal:
            ways.append(f"--nominal {_option(self.as_nominal)} for categories")
        if self.as_numeric:
            ways.append(f"--numeric {_option(self.as_numeric)} for numbers")
        if self.as_gaps:
            ways.append(f'--missing-values "{_option(dict.fromkeys(self.as_gaps))}" for gaps')
        choices = ", or ".join(ways)
        raise TableError(f"{file} cannot be used as it is: {what}. Use {choices}.")


def _option(names: Collection[str]) -> str:
    """The names as a shell takes them."""
    return shlex.quote(",".join(list(names)[:20])) + ",..." * (len(names) > 20)


def check_columns(
    frame: pl.DataFrame,
    file: str,
    nominal: Collection[str],
    dates: Collection[str],
    different: Mapping[str, list[str]] = MappingProxyType({}),
) -> tuple[pl.DataFrame, list[str]]:
    """Refuse columns that cannot be used, and note the odd ones.

    Parameters
    ----------
    frame : polars.DataFrame
        The features.
    file : str
        The file's name, for the error.
    nominal : collection of str
        Columns that the caller named as nominal: their texts are not questioned.
    dates : collection of str
        Columns that the file declares as dates.
    different : mapping of str to list of str, default={}
        The different texts of columns of categories, where they are known.

    Returns
    -------
    tuple of (polars.DataFrame, list of str)
        The features, with decimals turned into floats and NaN into nulls, and sentences for the user.
    """
    frame, endless = _plain_numbers(frame)
    columns = frame.get_columns()
    problems, notes = Problems(), []
    constant, identifiers = _odd_numbers(columns)
    for series in columns:
        name, dtype = series.name, series.dtype
        if series.null_count() == len(series):
            problems.found[name] = "has no values"
        elif dtype.is_temporal() or (name in dates and name not in nominal):
            problems.found[name] = "holds dates or times"
            problems.as_nominal.append(name)
        elif name in endless:
            problems.found[name] = "holds infinite values"
            problems.as_gaps += [text for text in ("inf", "-inf") if (series == float(text)).any()]
        elif dtype.is_numeric():
            continue
        elif name in different and _are_plain_names(different[name], series):
            constant += [name] * (len(different[name]) == 1 and series.null_count() == 0)
        elif dtype in (pl.String, pl.Categorical, pl.Enum):
            _question_text(series, problems, name in nominal or dtype == pl.Enum, constant, identifiers)
        elif dtype == pl.Boolean:
            constant += [name] * (series.n_unique() == 1)
        else:
            problems.found[name] = f"holds values of type {dtype}"
    problems.refuse(file)
    if constant:
        notes.append(f"Constant, so of no use to any method: {quoted(constant)}.")
    if identifiers:
        notes.append(
            f"Every value differs, as in an identifier: {quoted(identifiers)}. "
            f"--drop {_option(identifiers)} leaves {'them' if len(identifiers) > 1 else 'it'} out."
        )
    return frame, notes


def _plain_numbers(frame: pl.DataFrame) -> tuple[pl.DataFrame, set[str]]:
    """Turn decimals into floats and NaN into nulls, and give the names of the columns with infinities."""
    changed, endless = [], set()
    for series, dtype in zip(frame.get_columns(), frame.dtypes):
        if dtype.is_decimal():
            series = series.cast(pl.Float64)
            changed.append(series)
        elif dtype.is_float() and not math.isfinite(
            series.sum()
        ):  # a NaN or an infinity, or very large numbers
            series = series.fill_nan(None)
            changed.append(series)
            if series.is_infinite().any():
                endless.add(series.name)
    return frame.with_columns(changed) if changed else frame, endless


def _odd_numbers(columns: Sequence[pl.Series]) -> tuple[list[str], list[str]]:
    """Give the numeric columns that are constant, and the whole numbers that look like identifiers."""
    constant, identifiers = [], []
    for series in columns:
        if not series.dtype.is_numeric() or len(series) == 0:
            continue
        least, most = series.min(), series.max()
        if least is not None and least == most and series.null_count() == 0:
            constant.append(series.name)
        elif series.dtype.is_integer() and _counts_rows(series, least, most):  # type: ignore[arg-type]
            identifiers.append(series.name)
    return constant, identifiers


def _counts_rows(series: pl.Series, least: int | None, most: int | None) -> bool:
    """Tell whether whole numbers count the rows, or all differ under a name like an identifier's."""
    n_rows = len(series)
    if least is None or most is None or most - least + 1 < n_rows or n_rows < IDENTIFIER_ROWS:
        return False
    if most - least + 1 == n_rows and series.is_sorted():
        return series.n_unique() == n_rows
    return _IDENTIFIER_NAME.search(series.name) is not None and series.n_unique() == n_rows


def _question_text(
    series: pl.Series, problems: Problems, settled: bool, constant: list[str], identifiers: list[str]
) -> None:
    """Sort a text column into the problems, the constants or the identifiers; `settled`: nominal by declaration."""
    name, filled = series.name, len(series) - series.null_count()
    counts = series.drop_nulls().alias("value").value_counts(name="count")
    values = counts["value"].cast(pl.String)
    if not settled:
        number = values.cast(pl.Float64, strict=False).is_not_null()
        share = counts.filter(number)["count"].sum() / filled
        codes = values.str.contains(CODE).any()
        if values.str.contains(_DATE).sum() >= 0.95 * len(values):
            problems.found[name] = "holds dates or times"
            problems.as_nominal.append(name)
            return
        if number.sum() > MANY_NUMBERS and share >= MOSTLY_NUMBERS and not codes:
            others = values.filter(~number).sort().to_list()
            problems.found[name] = (
                f"holds numbers but for {quoted(others, 3)}" if others else "holds numbers as text"
            )
            problems.as_nominal.append(name)
            problems.as_numeric += [name] * (not others)
            problems.as_gaps += others[:3]
            return
        if len(values) > filled / 2 and _wordy(values):
            problems.found[name] = "holds free text"
            problems.as_nominal.append(name)
            return
    if len(values) == 1 and filled == len(series):
        constant.append(name)
    elif len(values) == filled == len(series) >= IDENTIFIER_ROWS:
        identifiers.append(name)


def _are_plain_names(values: Sequence[str], series: pl.Series) -> bool:
    """Tell that the different texts of a column are no dates, numbers, sentences or identifiers, without a closer look."""
    if len(values) > MANY_NUMBERS or 2 * len(values) > len(series) - series.null_count():
        return False
    like_dates = sum(1 for value in values if _DIGIT(value) and _PART_OF_DATE(value))
    return like_dates < 0.95 * len(values)


def _wordy(values: pl.Series) -> bool:
    """Tell whether texts are mostly sentences: four words and twenty characters on average."""
    few = values.head(10_000)
    words = few.str.count_matches(r"\S+").mean()
    characters = few.str.len_chars().mean()
    return bool(len(few) > 1 and float(words or 0) >= 4 and float(characters or 0) >= 20)  # type: ignore[arg-type]
