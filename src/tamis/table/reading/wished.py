"""What the caller said about columns (their names, gaps and kinds), put into effect for a frame of any rows."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence

import polars as pl
from polars import selectors as cs

from tamis.table._dataset import TableError
from tamis.table._names import did_you_mean, listed, quoted
from tamis.table.reading.facts import TEXT
from tamis.table.reading.types import Findings, Wishes, cleaned, typed


def checked_target(
    columns: Sequence[str],
    file: str,
    target: str | None,
    *,
    named: Collection[str],
    wishes: Wishes,
    drop: Collection[str],
    outputs: Sequence[str] = (),
) -> str:
    """Check every column name that was given, and give the target's name.

    Parameters
    ----------
    columns : sequence of str
        The columns of the file.
    file : str
        Its name, for errors.
    target : str or None
        The target that the caller named; None takes what the file names, else the last column.
    named : collection of str
        Names that the caller gave, the target's among them.
    wishes : Wishes
        What the caller said about kinds.
    drop : collection of str
        Columns to leave out.
    outputs : sequence of str, default=()
        Columns that the file itself names as outputs.
    """
    known = set(columns)
    for name in named:
        if name not in known:
            raise TableError(
                f"no column {name!r} in {file}.{did_you_mean(name, columns)} Columns: {listed(columns)}"
            )
    both = sorted(wishes.nominal & wishes.numeric)
    if both:
        raise TableError(f"{quoted(both)} of {file} cannot be both nominal and numeric. Name it once.")
    if target is not None:
        if target in drop:
            raise TableError(f"the target {target!r} of {file} cannot be dropped. Take it out of --drop.")
        return target
    outputs = [name for name in outputs if name not in drop]
    if len(outputs) > 1:
        raise TableError(f"{file} names several outputs: {quoted(outputs)}. Choose one with --target.")
    if outputs:
        return outputs[0]
    left = [name for name in columns if name not in drop]
    if not left:
        raise TableError(f"no columns are left in {file}: --drop names all {len(columns)}.")
    return left[-1]


def with_gaps(frame: pl.DataFrame, missing_values: tuple[str, ...]) -> pl.DataFrame:
    """Make nulls of the caller's missing values; a number is compared as a number in numeric columns."""
    numbers = []
    for text in missing_values:
        try:
            numbers.append(float(text))
        except ValueError:
            continue
    if numbers:
        values = cs.numeric() - cs.decimal()
        marks = pl.lit(pl.Series(numbers, dtype=pl.Float64)).implode()
        frame = frame.with_columns(pl.when(~values.cast(pl.Float64).is_in(marks)).then(values))
    if missing_values:
        texts = cs.string() | cs.categorical() | cs.enum()
        marks = pl.lit(pl.Series(missing_values, dtype=pl.String)).implode()
        frame = frame.with_columns(pl.when(~texts.cast(pl.String).is_in(marks)).then(texts))
    return frame


def as_wished(frame: pl.DataFrame, wishes: Wishes, file: str) -> pl.DataFrame:
    """Make text of the columns named nominal, and numbers of the columns named numeric."""
    if not (wishes.nominal or wishes.numeric):
        return frame
    columns = []
    for series in frame.iter_columns():
        if series.name in wishes.nominal and not is_nominal(series.dtype):
            series = _forced_text(series, file)
        elif series.name in wishes.numeric and not series.dtype.is_numeric():
            series = _forced_numbers(series, wishes, file)
        columns.append(series)
    return pl.DataFrame(columns)


def is_nominal(dtype: pl.DataType) -> bool:
    """Tell whether values of a dtype are names as they are."""
    return dtype in TEXT or dtype == pl.Boolean


def as_plain_numbers(series: pl.Series, wishes: Wishes) -> tuple[pl.Series, pl.Series]:
    """Read texts as numbers one by one; give also those that are neither numbers nor gaps.

    Decimal commas and grouped thousands are no numbers here: which of them a comma is, only the whole column tells.
    """
    texts = cleaned(pl.DataFrame(series.cast(pl.String)), wishes.gaps).to_series()
    numbers = texts.cast(pl.Float64, strict=False)
    return numbers.fill_nan(None), texts.filter(texts.is_not_null() & numbers.is_null())


def refuse_words(name: str, file: str, words: pl.Series) -> None:
    """Refuse a column named numeric that holds words, if it does."""
    if len(words) == 0:
        return
    few = words.unique(maintain_order=True).head(4).to_list()
    raise TableError(
        f"--numeric names {name!r} of {file}, but {len(words)} of its values are no numbers: "
        f'{quoted(few, 3)}. If they stand for gaps, use --missing-values "{",".join(few[:3])}".'
    )


def refuse_kind(name: str, file: str, dtype: pl.DataType) -> None:
    """Refuse to make numbers of a column that holds neither texts nor numbers."""
    if not (dtype.is_numeric() or is_nominal(dtype) or dtype == pl.Null):
        raise TableError(
            f"--numeric names {name!r} of {file}, but it holds values of type {dtype}. "
            f"Convert it before, or use --drop {shlex.quote(name)}."
        )


def _forced_text(series: pl.Series, file: str) -> pl.Series:
    try:
        plain = series.to_physical() if series.dtype == pl.Duration else series
        return plain.cast(pl.String)
    except pl.exceptions.PolarsError:
        raise TableError(
            f"--nominal names {series.name!r} of {file}, but its values of type {series.dtype} are no names. "
            f"Use --drop {shlex.quote(series.name)}."
        ) from None


def _forced_numbers(series: pl.Series, wishes: Wishes, file: str) -> pl.Series:
    if series.dtype == pl.Boolean:
        return series.cast(pl.Int64)
    refuse_kind(series.name, file, series.dtype)
    text = cleaned(pl.DataFrame(series.cast(pl.String)), wishes.gaps)
    numbers = typed(text, wishes, Findings()).to_series()
    if numbers.dtype.is_numeric():
        return numbers
    plain, words = as_plain_numbers(series, wishes)
    refuse_words(series.name, file, words)
    return plain  # nothing but gaps
