"""Delimited text: CSV, TSV and their relatives.

polars reads the text, with dtypes guessed from some lines (`csv_guess`); columns that they leave open are settled one by
one (`csv_quick`). If a value contradicts the guess, the first rows are examined more closely, the columns are converted
while the file is streamed, and those that still do not fit are read a second time, as text (`types`).

polars fills short rows with nulls, lets a stray quote swallow rows, and gives up on unusual quotes without saying
where. So if the last column has missing values, the delimiters are counted; and if that does not settle it, if a value
spans several lines, or if polars fails, the file is read again row by row (`csv_rows`).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import polars as pl

from tamis.table._kinds import kind_of
from tamis.table._names import listed
from tamis.table.reading.csv_guess import Guess, guess_of
from tamis.table.reading.csv_header import BLANKS, Layout, layout_of
from tamis.table.reading.csv_quick import categories, dtypes_of, whole_numbers
from tamis.table.reading.csv_rows import text_by_row
from tamis.table.reading.raw import RawTable
from tamis.table.reading.source import Source
from tamis.table.reading.types import Findings, cleaned, has_long, kinds_of_text, may_be_code, typed
from tamis.table.reading.wishes import Wishes

#: In texts larger than this many bytes, recurring text becomes categories while it is read.
CATEGORIES_FROM = 1 << 26

_WRONG = " wrong"
_GROUP_CELLS = 1 << 22
_POLARS_FAILURES = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)


def read_delimited(source: Source, wishes: Wishes) -> RawTable:
    """Read a delimited text with a line of column names.

    Parameters
    ----------
    source : Source
        The text.
    wishes : Wishes
        What the caller said about columns and missing values.

    Returns
    -------
    RawTable
        The columns; the file names no target.
    """
    layout = layout_of(source, has_header=wishes.header)
    wishes = replace(wishes, decimal_comma=layout.delimiter != ",")
    findings = Findings()
    different: dict[str, list[str]] = {}
    try:
        if layout.padded_quotes or layout.delimiter == BLANKS:
            raise _IrregularError
        try:
            frame, different = _quick(source, layout, wishes, findings)
        except _POLARS_FAILURES:  # a wrong guess, or a real fault: the second attempt shows which
            findings = Findings()
            frame = _fast(source, layout, wishes, findings)
            if _holds_line_ends(frame):
                raise _IrregularError from None
        if frame[:, -1].null_count() and not _is_regular(source, layout, frame):
            frame = _without_blank_lines(source, layout, frame)  # this removes only rows of missing values
    except (_IrregularError, *_POLARS_FAILURES):
        findings, different = Findings(), {}
        frame = typed(cleaned(text_by_row(source, layout), wishes.missing), wishes, findings)
    return _with_named_columns(frame, layout, findings, different)


class _IrregularError(Exception):
    """polars cannot read the text exactly."""


def _with_named_columns(
    frame: pl.DataFrame, layout: Layout, findings: Findings, different: dict[str, list[str]]
) -> RawTable:
    """Leave out columns without name and values (from a delimiter at the end of every line); note other unnamed columns."""
    notes = findings.notes()
    empty = [name for name in layout.unnamed if frame[name].null_count() == frame.height]
    named = [name for name in layout.unnamed if name not in empty]
    if named:
        notes.append(f"Columns without a name are named by their position: {listed(named)}.")
    return RawTable(
        frame.drop(empty) if empty else frame,
        notes=tuple(notes),
        different=different,
        decimal_comma=layout.delimiter != ",",
    )


def _scan(
    source: Source,
    layout: Layout,
    dtypes: Sequence[pl.DataType] | None,
    missing: Sequence[str],
    n_inferred: int = 0,
) -> pl.LazyFrame:
    """Scan the rows; columns are named by their position, since polars might take a real name for a pattern.

    Without `dtypes`, polars infers them from the first `n_inferred` rows.
    """
    return pl.scan_csv(
        source.for_polars,
        has_header=False,
        skip_lines=layout.header_lines,
        separator=layout.delimiter,
        schema=None if dtypes is None else {str(position): dtype for position, dtype in enumerate(dtypes)},
        infer_schema_length=n_inferred,
        null_values=list(missing),
        glob=False,
    )


def _as_text(source: Source, layout: Layout, places: Sequence[int]) -> pl.LazyFrame:
    """Scan some columns as text, named by their position."""
    every = _scan(source, layout, [pl.String()] * len(layout.names), ())
    return every.select([str(position) for position in places])


def _quick(
    source: Source, layout: Layout, wishes: Wishes, findings: Findings
) -> tuple[pl.DataFrame, dict[str, list[str]]]:
    """Read once, with the dtypes guessed from some lines; columns that remain open are converted from text.

    Give also the distinct texts of categorical columns.
    """
    guess = guess_of(source, layout, wishes)
    large = source.n_bytes > CATEGORIES_FROM
    leading_zeros = bool(guess.whole) and source.has_leading_zeros(layout.delimiter)
    quotes = bool(guess.recurring) and source.has_quotes()
    lazy = _scan(source, layout, dtypes_of(guess, leading_zeros, quotes), guess.missing)
    if large and quotes:
        lazy = lazy.with_columns(pl.col([str(position) for position in guess.recurring]).cast(pl.Categorical))
    frame = lazy.collect(engine="streaming" if large else "in-memory")
    frame.columns = list(layout.names)
    columns = frame.get_columns()
    unsettled = list(guess.texts)
    if leading_zeros:
        numbers = whole_numbers(pl.DataFrame([columns[position] for position in guess.whole]))
        for position, series in zip(guess.whole, numbers):
            columns[position] = columns[position] if series is None else series
        unsettled += [position for position, series in zip(guess.whole, numbers) if series is None]
    elif misjudged := [position for position in guess.whole if has_long(columns[position])]:
        for position, series in zip(misjudged, _as_text(source, layout, misjudged).collect().iter_columns()):
            columns[position] = series.alias(layout.names[position])
        unsettled += misjudged
    different = {}
    for position in guess.recurring:
        read = categories(columns[position], wishes)
        if read is None:
            unsettled.append(position)
        else:
            columns[position], different[layout.names[position]] = read
    if any("\n" in text for texts in different.values() for text in texts):
        raise _IrregularError
    if unsettled:
        _settle(columns, sorted(unsettled), wishes, findings)
        if _holds_line_ends(pl.DataFrame([columns[position] for position in unsettled])):
            raise _IrregularError
    return pl.DataFrame(columns), different


def _settle(columns: list[pl.Series], places: Sequence[int], wishes: Wishes, findings: Findings) -> None:
    """Convert the columns at the positions `places` from text; `columns` is changed."""
    size = max(_GROUP_CELLS // (len(columns[0]) + 1), 1)  # in groups, since the text of a group is held twice
    for start in range(0, len(places), size):
        group = places[start : start + size]
        text = pl.DataFrame([columns[position].cast(pl.String) for position in group])
        tidy = typed(cleaned(text, wishes.missing), wishes, findings)
        for position, series in zip(group, tidy.iter_columns()):
            columns[position] = series


def _fast(source: Source, layout: Layout, wishes: Wishes, findings: Findings) -> pl.DataFrame:
    """Convert while streaming; columns that the first rows misjudged are read again as text."""
    guess = _guess(source, layout, wishes)
    leading_zeros = bool(guess.whole) and source.has_leading_zeros(layout.delimiter)
    parsed = set(guess.floats) if leading_zeros else {*guess.floats, *guess.whole}
    try:
        columns, misjudged = _converted(source, layout, guess, parsed)
    except (
        pl.exceptions.PolarsError
    ):  # not a number after all, or a real fault: the second attempt shows which
        columns, misjudged = _converted(source, layout, replace(guess, missing=wishes.missing), set())
    if misjudged:
        again = _as_text(source, layout, misjudged).collect(engine="streaming")
        for position, series in zip(misjudged, again.iter_columns()):
            columns[position] = series.alias(layout.names[position])
    untidy = [position for position, series in enumerate(columns) if _untidy(series, wishes)]
    _settle(columns, untidy, wishes, findings)
    return pl.DataFrame(columns)


def _guess(source: Source, layout: Layout, wishes: Wishes) -> Guess:
    """Guess from the first rows: polars infers all columns, `kinds_of_text` judges those that it calls text."""
    n_rows = min(max((1 << 22) // len(layout.names), 100), 2000)
    inferred = _scan(source, layout, None, (), n_rows).collect_schema().dtypes()
    if len(inferred) != len(layout.names):
        raise _IrregularError
    guess = Guess()
    unsure = []
    for position, (name, dtype) in enumerate(zip(layout.names, inferred)):
        if name not in wishes.nominal and dtype.is_float():
            guess.floats.append(position)
        elif name not in wishes.nominal and dtype.is_integer():
            guess.whole.append(position)
        else:
            unsure.append(position)
    raw = _as_text(source, layout, unsure).head(n_rows).collect()
    sample = cleaned(raw, wishes.missing)
    if sample.null_count().rows() != raw.null_count().rows():
        guess.missing = wishes.missing
    large = source.n_bytes > CATEGORIES_FROM
    for position, kind, series in zip(unsure, kinds_of_text(sample), sample.iter_columns()):
        if kind in ("whole", "float") and layout.names[position] not in wishes.nominal:
            (guess.whole if kind == "whole" else guess.floats).append(position)
        elif large and 2 * series.n_unique() <= len(series):
            guess.recurring.append(position)
        else:
            guess.texts.append(position)
    return guess


def _converted(
    source: Source, layout: Layout, guess: Guess, parsed: set[int]
) -> tuple[list[pl.Series], list[int]]:
    """Read every column as guessed; give also the positions of those that hold something else.

    The columns in `parsed` are parsed by polars itself, which is fastest, but drops leading zeros and fails at the
    first value that is not a number.
    """
    dtypes: list[pl.DataType] = [pl.String()] * len(layout.names)
    wanted = []
    for places, dtype in ((guess.whole, pl.Int64()), (guess.floats, pl.Float64())):
        column = pl.col([str(position) for position in places])
        if not parsed.isdisjoint(places):
            wanted.append(column)
            for position in places:
                dtypes[position] = dtype
        elif places:
            text = column.str.strip_chars()
            number = text.cast(dtype, strict=False)
            wrong = number.is_null() & text.is_not_null()
            wanted += [
                number,
                (wrong | may_be_code(text) if dtype == pl.Int64 else wrong).name.suffix(_WRONG),
            ]
    if guess.recurring:
        wanted.append(pl.col([str(position) for position in guess.recurring]).cast(pl.Categorical))
    if guess.texts:
        wanted.append(pl.col([str(position) for position in guess.texts]))
    frame = _scan(source, layout, dtypes, guess.missing).select(wanted).collect(engine="streaming")
    flags = frame.select(pl.selectors.ends_with(_WRONG))
    misjudged = {int(flag.name.removesuffix(_WRONG)) for flag in flags.iter_columns() if flag.any()}
    misjudged |= {position for position in guess.whole if has_long(frame[str(position)])}
    return [frame[str(position)].alias(name) for position, name in enumerate(layout.names)], sorted(misjudged)


def _untidy(series: pl.Series, wishes: Wishes) -> bool:
    """Tell whether a text column still needs cleaning, or may hold numbers after all."""
    if series.dtype != pl.Categorical:
        return bool(series.dtype == pl.String)
    values = pl.DataFrame(series.unique().drop_nulls().cast(pl.String))
    tidy = cleaned(values, wishes.missing)
    findings = Findings()
    numeric = kind_of(typed(tidy, wishes, findings).to_series().dtype) == "number"
    return numeric or bool(findings.notes()) or not values.equals(tidy)


def _holds_line_ends(frame: pl.DataFrame) -> bool:
    """Tell whether some value spans several lines: then a stray quote may have swallowed rows."""
    texts = frame.select(pl.selectors.string() | pl.selectors.categorical())
    answers = texts.select(pl.all().unique().cast(pl.String).str.contains("\n", literal=True).any())
    return any(answer[0] for answer in answers.iter_columns())


def _is_regular(source: Source, layout: Layout, frame: pl.DataFrame) -> bool:
    """Tell whether the text has as many delimiters as its rows need; more in a row would have made polars fail."""
    count = source.n_delimiters(layout.delimiter) if frame.width > 1 else None
    header = sum(line.count(layout.delimiter) for line in layout.sample[: layout.header_lines])
    return count is not None and count - header == (frame.width - 1) * frame.height


def _without_blank_lines(source: Source, layout: Layout, frame: pl.DataFrame) -> pl.DataFrame:
    """Remove the rows that polars made of blank lines; rows that are too short make the text irregular."""
    unquoted = pl.col("line").str.replace_all('"[^"]*"', "")
    odd = (
        pl.scan_lines(source.for_polars, glob=False)
        .slice(layout.header_lines)
        .select(
            blank=pl.col("line").str.strip_chars(" \r" if layout.delimiter == "\t" else " \t\r") == "",
            short=unquoted.str.count_matches(layout.delimiter, literal=True) < len(layout.names) - 1,
            quote=unquoted.str.contains('"', literal=True),
        )
        .collect(engine="streaming")
    )
    blank: npt.NDArray[np.bool_] = odd["blank"].to_numpy()
    if odd["quote"].any() or odd.filter(~pl.col("blank"))["short"].any() or odd.height != frame.height:
        raise _IrregularError
    return frame.filter(~blank) if blank.any() else frame
