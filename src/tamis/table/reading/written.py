"""Numbers as people write them: money, percentages, units, blanks and apostrophes in thousands, accounting negatives.

A column of text becomes numeric if every value is a number with the same symbols around it, as in ``$481.20``, ``12 €``,
``37%``, ``12.5 kg``, ``1 234``, ``1'234`` or ``(12.50)``, which is -12.50; numbers of two currencies or units stay text.
Among numbers, ``-``, ``--``, ``.`` and ``none`` are missing values; among categories they stay categories. The target is changed
only if it may be numeric and holds too many different numbers for classes. A note says what was done.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from tamis.table._dataset import TableError
from tamis.table._names import an_option, as_option, listed, quoted
from tamis.table.reading.labels import MOST_FRACTIONS
from tamis.table.reading.types import CODE, cleaned, numbers_of_text, refuse_words
from tamis.table.reading.wishes import Wishes

#: What marks a missing value among numbers.
MARKS = ("-", "--", ".", "none", "\N{EN DASH}", "\N{EM DASH}")

#: Columns of up to this many distinct texts may as well be categorical: no note is needed.
FEW_NUMBERS = 20

_BLANKS = " \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}"
_GROUPING = f"[{_BLANKS}'\N{RIGHT SINGLE QUOTATION MARK}]"
_MINUS = "[+\\-\N{MINUS SIGN}\N{EN DASH}]?"
_CODES = "USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|ZAR|SGD|HKD|KRW|TRY|RUB|ILS"
_CURRENCY = rf"[A-Z]{{0,2}}\p{{Sc}}|{_CODES}|Rs\.?|kr\.?"
_UNIT = r"[\p{L}°µ][\p{L}°µ/·.²³]{0,9}[23]?"
_WRITTEN = (
    rf"^(?<open>\(?)\s*(?<sign>{_MINUS})\s*(?<before>{_CURRENCY})?\s*(?<inner>{_MINUS})\s*"
    rf"(?<body>[0-9](?:[0-9.,{_GROUPING[1:-1]}]*[0-9])?|[.,][0-9]+)\s*"
    rf"(?<after>%|‰|\p{{Sc}}(?:/{_UNIT})?|{_UNIT})?\s*(?<close>\)?)$"
)
_GROUPED = rf"^[0-9]{{1,3}}(?:{_GROUPING}[0-9]{{3}})*(?:[.,][0-9]+)?$|^[0-9]+(?:[.,][0-9]+)?$"

#: A quick test whether a text may be a written number; true for others too.
may_be_written = re.compile(r"[^0-9]{0,8}[0-9][0-9.,'\u2019\s]*[^0-9]{0,12}[23]?\s*\)?").fullmatch


@dataclass(frozen=True)
class Written:
    """A column of text, read as numbers.

    Attributes
    ----------
    numbers : polars.Series
        The numbers; null if a value is missing or not a number.
    example : tuple of str or None
        A text that is not a plain number, and its number.
    marks : mapping of str to int
        The marks of missing values among them, and how often each occurs.
    """

    numbers: pl.Series
    example: tuple[str, str] | None
    marks: Mapping[str, int]


def with_written_numbers(
    frame: pl.DataFrame, wishes: Wishes, target: str, target_kind: str | None, decimal_comma: bool, file: str
) -> tuple[pl.DataFrame, list[str]]:
    """Convert the text columns that hold written numbers; give also notes about them.

    Parameters
    ----------
    frame : polars.DataFrame
        The columns.
    wishes : Wishes
        What the caller said: columns named nominal stay as they are, those named numeric must become numbers.
    target : str
        The target, which stays as it is unless it is named numeric or its kind allows numbers.
    target_kind : str or None
        "numbers"; "auto", numbers if there are more different ones than classes may be; or classes.
    decimal_comma : bool
        Whether ``1,234`` means 1.234 rather than 1234.
    file : str
        The file's name, for errors.
    """
    changed: list[pl.Series] = []
    signs: dict[str, tuple[str, str]] = {}
    marks: dict[str, Mapping[str, int]] = {}
    mixed: list[str] = []
    categories: dict[str, list[str]] = {}
    for series in frame.iter_columns():
        name, asked = series.name, series.name in wishes.numeric
        if series.dtype not in (pl.String, pl.Categorical) or name in wishes.nominal:
            continue
        if name == target and not asked and not _may_be_quantity(series, target_kind):
            continue
        if asked:
            series = cleaned(pl.DataFrame(series.cast(pl.String)), wishes.missing).to_series()
        may_hold = asked or _may_hold(series)
        written = written_numbers(series, decimal_comma) if may_hold else None
        if written is None and asked:
            _refuse_other_words(series, file)
        if written is None:
            categories |= _marks_among_categories(series)
            mixed += _several_units(series) if may_hold and not asked else []
            continue
        changed.append(written.numbers)
        if written.example is not None:
            signs[series.name] = written.example
        if written.marks:
            marks[series.name] = written.marks
    return frame.with_columns(changed) if changed else frame, [
        *_notes(signs, marks),
        *_category_notes(categories),
        *mixed,
    ]


def written_numbers(series: pl.Series, decimal_comma: bool) -> Written | None:
    """Read a text column as numbers; None if it holds only plain numbers, or something other than numbers and `MARKS`."""
    texts = series.cast(pl.String)
    different = texts.drop_nulls().unique(maintain_order=True)
    is_mark = different.is_in(MARKS)
    words = different.filter(~is_mark)
    if len(words) < 2 or words.str.contains(CODE).any():
        return None
    plain = numbers_of_text(words, decimal_comma)
    if plain is not None and not is_mark.any():
        return None
    numbers = _undecorated(words, decimal_comma) if plain is None else plain
    if numbers is None:
        return None
    example = None if plain is not None else (words[0], f"{numbers[0]:.15g}")
    marks = {mark: int((texts == mark).sum()) for mark in different.filter(is_mark).sort().to_list()}
    values = texts.replace_strict(words, numbers, default=None, return_dtype=numbers.dtype)
    return Written(values.alias(series.name), example, marks)


def _may_be_quantity(labels: pl.Series, target_kind: str | None) -> bool:
    """Tell whether a target, if all its texts are numbers, is to be a numeric one."""
    return target_kind == "numbers" or (target_kind == "auto" and labels.n_unique() > MOST_FRACTIONS)


def _refuse_other_words(texts: pl.Series, file: str) -> None:
    """Refuse a column named numeric that holds words, or written numbers of several currencies or units."""
    known = texts.drop_nulls()
    written = known.str.contains(_WRITTEN) & ~known.str.contains(CODE)
    number = known.cast(pl.Float64, strict=False).is_not_null() | known.is_in(MARKS)
    refuse_words(texts.name, file, known.filter(~(number | written)))
    few = _differently_signed(known.filter(written))
    if len(few) > 1:
        raise TableError(
            f"{an_option('--numeric')} names {texts.name!r} of {file}, but its numbers have different symbols around them: {quoted(few)}. "
            f"Give all rows one currency or unit, or use {as_option('--nominal', [texts.name])}."
        )


def _differently_signed(texts: pl.Series) -> list[str]:
    """The first written number with each kind of symbols around it, at most three."""
    parts = pl.DataFrame(texts.str.extract_groups(_WRITTEN).alias("parts")).unnest("parts")
    first = parts.with_columns(text=texts).unique(["before", "after"], maintain_order=True)
    return first["text"].head(3).to_list()


def _may_hold(series: pl.Series) -> bool:
    """Tell from the first values whether a column may hold written numbers, or numbers and marks."""
    first = series.drop_nulls().head(20).cast(pl.String).to_list()
    return any(text not in MARKS for text in first) and all(
        text in MARKS or may_be_written(text) for text in first
    )


def _undecorated(texts: pl.Series, decimal_comma: bool) -> pl.Series | None:
    """Distinct texts as numbers without the symbols around them; None if those differ, or some text is not a number."""
    if not texts.str.contains(_WRITTEN).all():
        return None
    parts = pl.DataFrame(texts.str.extract_groups(_WRITTEN).alias("parts")).unnest("parts").fill_null("")
    opened, closed = parts["open"] != "", parts["close"] != ""
    if parts["before"].n_unique() > 1 or parts["after"].n_unique() > 1 or (opened != closed).any():
        return None
    bodies = parts["body"]
    listed_numbers = opened.all() and not bodies.str.contains("[.,]").any()  # (1), (2), (3)
    if listed_numbers or bodies.str.contains(CODE).any():
        return None
    if bodies.str.contains(_GROUPING).any():
        if not bodies.str.contains(_GROUPED).all():
            return None
        bodies = bodies.str.replace_all(_GROUPING, "")
    numbers = numbers_of_text(bodies, decimal_comma)
    if numbers is None:
        return None
    less = pl.Series(["-", "\N{MINUS SIGN}", "\N{EN DASH}"])
    negative = opened | parts["sign"].is_in(less.implode()) | parts["inner"].is_in(less.implode())
    return pl.select(pl.when(negative).then(-numbers).otherwise(numbers)).to_series().alias(texts.name)


def _several_units(series: pl.Series) -> list[str]:
    """The note about a column of many written numbers with different symbols around them; empty for other columns."""
    different = series.cast(pl.String).drop_nulls().unique(maintain_order=True)
    if len(different) <= FEW_NUMBERS or not different.str.contains(_WRITTEN).all():
        return []
    few = _differently_signed(different)
    if len(few) < 2:
        return []
    what = f"{series.name!r} holds numbers with different symbols around them, {quoted(few)}"
    return [f"{what}, and is read as categories. Use one currency or unit in all rows to get numbers."]


def _notes(signs: Mapping[str, tuple[str, str]], marks: Mapping[str, Mapping[str, int]]) -> list[str]:
    notes = []
    if signs:
        read_as = listed([f"{name!r} ({text} as {number})" for name, (text, number) in signs.items()])
        option = as_option("--nominal", signs)
        notes.append(f"Read as numbers: {read_as}. {option} reads them as categories instead.")
    if marks:
        every = quoted(sorted({mark for counts in marks.values() for mark in counts}))
        columns = [f"{name!r} ({_rows(sum(counts.values()))})" for name, counts in marks.items()]
        option = as_option("--nominal", marks)
        notes.append(
            f"Read as missing among numbers: {every} in {listed(columns)}. {option} reads all as categories instead."
        )
    return notes


def _marks_among_categories(series: pl.Series) -> dict[str, list[str]]:
    """The dashes, dots and so on that a text column holds beside words, by its name; "none" alone is a category like any other."""
    different = series.cast(pl.String).drop_nulls().unique()
    is_mark = different.is_in(MARKS)
    marks, words = different.filter(is_mark).sort().to_list(), different.filter(~is_mark)
    if not set(marks) - {"none"} or words.str.contains(r"[\p{L}\p{N}]").sum() < 2:
        return {}
    return {series.name: marks}


def _category_notes(categories: Mapping[str, list[str]]) -> list[str]:
    """A note about marks that count as categories."""
    if not categories:
        return []
    every = sorted({mark for marks in categories.values() for mark in marks})
    option = as_option("--missing-values", every)
    columns = listed([repr(name) for name in categories])
    return [f"Read as categories: {quoted(every)} in {columns}. {option} reads them as missing."]


def _rows(count: int) -> str:
    return f"{count} row{'s' * (count != 1)}"
