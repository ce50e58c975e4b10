"""What columns hold, and which of them cannot be used as they are.

Numbers, booleans and recurring texts are used. Dates, free text, numbers mixed with a few texts, infinities, columns
without values and nested values are an error that names all such columns and the options that help: nothing is encoded
silently. The caller may ask to leave them out, with a note (`UnusableColumnsError` knows them). Constants and identifiers are used, with a note. So are columns of few distinct numbers with a text among them,
which may be a typing error.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tamis.table._dataset import TableError
from tamis.table._kinds import kind_of, plain_number
from tamis.table._names import an_option, as_option, listed, quoted, speech
from tamis.table.reading.facts import (
    MOSTLY_NUMBERS,
    N_WORDS,
    ColumnFacts,
    are_numbers,
    column_facts,
    mostly_numbers,
    plain_numbers,
    told_words,
)
from tamis.table.reading.types import CODE

#: A text column that is mostly numbers, with more distinct ones than this, holds numbers with errors among them.
MANY_NUMBERS = 20
#: The beginning of the note about identifiers.
IDENTIFIERS = "Every value differs, as in an identifier"
#: In tables with fewer rows, values that all differ are not taken for an identifier.
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


class UnusableColumnsError(TableError):
    """Columns that cannot be used as they are.

    Parameters
    ----------
    message : str
        What each holds, and which options would let it pass.
    problems : Problems
        The columns.
    """

    def __init__(self, message: str, problems: "Problems") -> None:
        super().__init__(message)
        self.problems = problems


@dataclass
class Problems:
    """Columns that cannot be used as they are: what is wrong with each, and which options help.

    Dates, free text, nested values and columns without values are `obvious`: no repair of the file would make them usable.
    """

    found: dict[str, str] = field(default_factory=dict)
    obvious: list[str] = field(default_factory=list)
    as_nominal: list[str] = field(default_factory=list)
    as_numeric: list[str] = field(default_factory=list)
    as_missing: list[str] = field(default_factory=list)

    def refuse(self, file: str, *, in_parts: bool) -> None:
        """Raise one error for all these columns, if there are any; of a table in parts they are not left out all at once."""
        if not self.found:
            return
        what = listed([f"{name!r} {reason}" for name, reason in self.found.items()])
        ways = [f"{as_option('--drop', self.found)} to leave out what cannot be used"]
        if self.as_nominal:
            ways.append(f"{as_option('--nominal', self.as_nominal)} for categories")
        if self.as_numeric:
            ways.append(f"{as_option('--numeric', self.as_numeric)} for numbers")
        if self.as_missing:
            ways.append(f"{as_option('--missing-values', dict.fromkeys(self.as_missing))} for missing values")
        choices = ", or ".join(ways)
        sentence = f"{file} cannot be used as it is: {what}. Use {choices}."
        if not in_parts:
            sentence += f" {an_option('--drop-unusable', True)} leaves out all such columns."
        elif not speech.shell:
            sentence += " These are parameters of tamis.table.parts.parquet.parquet_table, whose table is given to fit."
        raise UnusableColumnsError(sentence, self)

    def note(self, names: Collection[str]) -> str:
        """What to say if these columns are left out."""
        what = listed([f"{name!r} {self.found[name]}" for name in names])
        return f"Left out: {what}."

    def add_obvious(self, name: str, reason: str) -> None:
        """Add a column that no repair would make usable."""
        self.found[name] = reason
        self.obvious.append(name)


def check_columns(
    frame: pl.DataFrame,
    file: str,
    nominal: Collection[str],
    dates: Collection[str],
    different: Mapping[str, list[str]] = MappingProxyType({}),
    rows: NDArray[np.intp] | None = None,
) -> tuple[pl.DataFrame, list[str]]:
    """Refuse columns that cannot be used, and note the unusual ones.

    Parameters
    ----------
    frame : polars.DataFrame
        The features.
    file : str
        The file's name, for the error.
    nominal : collection of str
        Columns that the caller declared categorical: any texts are allowed.
    dates : collection of str
        Columns that the file declares as dates.
    different : mapping of str to list of str, default={}
        The distinct texts of categorical columns, where they are known.
    rows : ndarray of int, optional
        The numbers of the rows in the file, counted from 1, where some were left out.

    Returns
    -------
    tuple of (polars.DataFrame, list of str)
        The features, with decimals turned into floats and NaN into nulls, and sentences for the user.
    """
    frame, endless = plain_numbers(frame)
    facts = []
    for series in frame.get_columns():
        texts = different.get(series.name)
        plain = texts is not None and len(texts) > 1 and _are_plain_names(texts, series)
        if plain and (series.name not in dates or series.name in nominal):
            continue  # nothing to report
        facts.append(column_facts(series, endless.get(series.name, ()), rows))
    return frame, judged_columns(facts, file, nominal, dates)


def judged_columns(
    columns: Sequence[ColumnFacts],
    file: str,
    nominal: Collection[str],
    dates: Collection[str] = (),
    *,
    in_parts: bool = False,
) -> list[str]:
    """Refuse columns that cannot be used, by the facts about them; give sentences about the unusual ones.

    Parameters
    ----------
    columns : sequence of ColumnFacts
        The features.
    file, nominal, dates
        As in `check_columns`.
    in_parts : bool, default=False
        Whether it is a table in parts.

    Returns
    -------
    list of str
        Sentences for the user.
    """
    problems, constant, identifiers = Problems(), _Named(), _Named()
    slips: list[str] = []
    for facts in columns:
        name, dtype, kind = facts.name, facts.dtype, kind_of(facts.dtype)
        if facts.n_null == facts.n_rows:
            problems.add_obvious(name, "has no values")
        elif kind == "time" or (name in dates and name not in nominal):
            problems.add_obvious(name, "holds dates or times")
            problems.as_nominal.append(name)
        elif facts.endless:
            problems.found[name] = "holds infinite values"
            problems.as_missing += facts.endless
        elif kind == "number":
            constant.numbers += [name] * (facts.least == facts.most and facts.n_null == 0)
            identifiers.numbers += [name] * is_identifier(facts)
        elif kind == "categorical":
            settled = name in nominal or dtype in (pl.Enum, pl.Boolean)
            if settled or not _question_text(facts, problems):
                slips += [] if settled else _slip(facts)
                alone = facts.n_null == 0 and facts.counts is not None and len(facts.counts)
                constant.others += [name] * (alone == 1)
                identifiers.others += [name] * (alone == facts.n_counted >= IDENTIFIER_ROWS)
        else:
            problems.add_obvious(name, f"holds values of type {dtype}")
    problems.refuse(file, in_parts=in_parts)
    return [*slips, *_notes(constant.names, identifiers.names)]


@dataclass
class _Named:
    """Columns that a note names, numeric ones first."""

    numbers: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        return self.numbers + self.others


def _notes(constant: list[str], identifiers: list[str]) -> Iterator[str]:
    if constant:
        yield f"Constant, so of no use to any method: {quoted(constant)}."
    if identifiers:
        leaves = f"{as_option('--drop', identifiers)} leaves {'them' if len(identifiers) > 1 else 'it'} out."
        yield f"{IDENTIFIERS}: {quoted(identifiers)}. {leaves}"


def is_identifier(facts: ColumnFacts) -> bool:
    """Tell whether integers number the rows, or all differ in a column named like an identifier."""
    return facts.n_rows >= IDENTIFIER_ROWS and (facts.rising or facts.different is not None)


def _question_text(facts: ColumnFacts, problems: Problems) -> bool:
    """Tell whether a text column not declared categorical holds something else; if so, add it to the problems."""
    name, counts = facts.name, facts.counts
    if counts is None:
        return False
    values = counts["value"].cast(pl.String)
    number = are_numbers(counts)
    share = counts.filter(number)["count"].sum() / facts.n_counted
    if values.str.contains(_DATE).sum() >= 0.95 * len(values):
        problems.add_obvious(name, "holds dates or times")
    elif number.sum() > MANY_NUMBERS and share >= MOSTLY_NUMBERS and not values.str.contains(CODE).any():
        others = values.filter(~number).sort().to_list()
        problems.found[name] = (
            f"holds numbers but for {told_words(facts, others)}" if others else "holds numbers as text"
        )
        problems.as_numeric += [name] * (not others)
        problems.as_missing += others[:N_WORDS]
    elif len(values) > facts.n_counted / 2 and _wordy(values):
        problems.add_obvious(name, "holds free text")
    else:
        return False
    problems.as_nominal.append(name)
    return True


def _slip(facts: ColumnFacts) -> list[str]:
    """The note about a column of few distinct numbers and a text that may be a typing error; empty for other columns."""
    counts = facts.counts
    if not facts.words or counts is None or not mostly_numbers(counts):
        return []
    if counts["value"].cast(pl.String).str.contains(CODE).any():
        return []
    others = counts.filter(~are_numbers(counts))["value"].cast(pl.String).sort().to_list()
    what = f"{facts.name!r} holds numbers but for {told_words(facts, others)}, and is read as categories."
    missing, meant = as_option("--missing-values", others[:N_WORDS]), as_option("--nominal", [facts.name])
    ways = f"If that is a mistake, correct the file, or use {missing}; {meant} says that it is meant."
    return [f"{what} {ways}"]


def _are_plain_names(values: Sequence[str], series: pl.Series) -> bool:
    """Tell quickly that the distinct texts of a column are certainly not dates, numbers, sentences or identifiers."""
    if len(values) > MANY_NUMBERS or 2 * len(values) > len(series) - series.null_count():
        return False
    if any(map(plain_number, values)):
        return False
    like_dates = sum(1 for value in values if _DIGIT(value) and _PART_OF_DATE(value))
    return like_dates < 0.95 * len(values)


def _wordy(values: pl.Series) -> bool:
    """Tell whether texts are mostly sentences: four words and twenty characters on average."""
    few = values.head(10_000)
    words = few.str.count_matches(r"\S+").mean()
    characters = few.str.len_chars().mean()
    return bool(len(few) > 1 and float(words or 0) >= 4 and float(characters or 0) >= 20)  # type: ignore[arg-type]
