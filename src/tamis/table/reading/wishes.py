"""What the caller said about columns: which are categorical, numeric or dropped, and what marks a missing value."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import polars as pl
from polars import selectors as cs

from tamis.table._dataset import TableError
from tamis.table._names import an_option, as_cell, did_you_mean, listed, quoted

#: What marks a missing value in a text file, once the spaces around it are removed.
MISSING = (
    "", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "?", "NaN", "nan", "-NaN", "-nan", "null", "NULL", "None", "<null>",
)  # fmt: skip


@dataclass(frozen=True)
class Wishes:
    """What the caller said about columns before reading.

    Attributes
    ----------
    nominal, numeric : frozenset of str
        Names of columns that must stay text, and of columns that must become numbers.
    missing : tuple of str
        All texts that mark a missing value.
    decimal_comma : bool
        Whether ``1,234`` is rather 1.234 than 1234: so in files not delimited by commas.
    header : bool
        Whether the first line of a delimited text, or of a sheet, holds column names.
    """

    nominal: frozenset[str] = frozenset()
    numeric: frozenset[str] = frozenset()
    missing: tuple[str, ...] = MISSING
    decimal_comma: bool = False
    header: bool = True


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
    """Check every column name that was given, and return the target's name.

    Parameters
    ----------
    columns : sequence of str
        The columns of the file.
    file : str
        Its name, for errors.
    target : str or None
        The target that the caller named; None takes what the file names, else the last column.
    named : collection of str
        All names that the caller gave, the target's included.
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
                f"no column {name!r} in {file}.{did_you_mean(name, columns)} Columns: {listed([as_cell(column) for column in columns])}"
            )
    both = sorted(wishes.nominal & wishes.numeric)
    if both:
        raise TableError(f"{quoted(both)} of {file} cannot be both nominal and numeric. Name it once.")
    if target is not None:
        if target in drop:
            raise TableError(
                f"the target {target!r} of {file} cannot be dropped. Take it out of {an_option('--drop')}."
            )
        return target
    outputs = [name for name in outputs if name not in drop]
    if len(outputs) > 1:
        raise TableError(
            f"{file} names several outputs: {quoted(outputs)}. Choose one with {an_option('--target')}."
        )
    if outputs:
        return outputs[0]
    left = [name for name in columns if name not in drop]
    if not left:
        raise TableError(f"no columns are left in {file}: {an_option('--drop')} names all {len(columns)}.")
    return left[-1]


def with_missing_values(frame: pl.DataFrame, missing_values: tuple[str, ...]) -> pl.DataFrame:
    """Replace the caller's missing values by nulls; in numeric columns numbers are compared as numbers."""
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
