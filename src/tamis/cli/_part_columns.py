"""Columns of a table in several Parquet files that are left out unasked: dates, nested values, identifiers and codes."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tamis.cli._remarks import FEW_ROWS_EACH, MANY_CATEGORIES, note_codes
from tamis.cli._screen import note
from tamis.table._names import listed

if TYPE_CHECKING:
    import polars as pl

_NEARLY_ALL = (
    0.95  # distinct values are estimated, within a few percent: counting them would hold them all in memory
)
_LEAST_ROWS = 10


@dataclass(frozen=True)
class _Counts:
    """What is known of a column of integers or texts."""

    name: str
    text: bool
    n_rows: int
    n_known: int
    n_different: int
    least: Any
    most: Any


def left_out_of_files(
    schema: dict[str, pl.DataType], columns: Any, asked: Collection[str], *, codes: bool
) -> list[str]:
    """The columns to leave out, except those that the user `asked` for; notes say which, and why.

    Parameters
    ----------
    schema : dict of str to polars.DataType
        The features.
    columns : callable
        Gives a lazy frame of the columns named in a list.
    asked : collection of str
        The columns that the user named with ``--nominal`` or ``--numeric``.
    codes : bool
        Whether identifiers and codes are left out too: integers and texts are then read once.

    Returns
    -------
    list of str
        Empty if no column would be left: the error that reading raises then says why.
    """
    import polars as pl

    from tamis.table._kinds import kind_of

    unusable = {}
    for name, dtype in schema.items():
        if name in asked or kind_of(dtype) in ("number", "categorical"):
            continue
        kinds = {"time": "holds dates or times"}
        unusable[name] = (
            "has no values"
            if dtype == pl.Null
            else kinds.get(kind_of(dtype), f"holds values of type {dtype}")
        )
    counted = [
        name for name, dtype in schema.items()
        if name not in asked and (dtype.is_integer() or dtype in (pl.String, pl.Categorical))
    ]  # fmt: skip
    found = {}
    if codes and counted:
        found = {
            one.name: why for one in _counts(columns(counted), counted, schema) if (why := _why_code(one))
        }
    if len(unusable) == len(schema):
        return []
    if unusable:
        note(f"Left out: {listed([f'{name!r} {why}' for name, why in unusable.items()])}.")
    if not found or len(unusable) + len(found) == len(schema):
        return list(unusable)
    note_codes(found, [name for name in found if not schema[name].is_numeric()])
    return [*unusable, *found]


def _counts(whole: pl.LazyFrame, names: list[str], schema: dict[str, pl.DataType]) -> Iterator[_Counts]:
    """Count the values of columns, in one reading."""
    import polars as pl
    from polars import selectors as cs

    asked = [pl.len().alias("rows")]
    for number, name in enumerate(names):
        column = cs.by_name(name)
        values = column.cast(pl.String) if not schema[name].is_numeric() else column
        asked += [
            column.count().alias(f"known {number}"),
            values.approx_n_unique().alias(f"different {number}"),
            values.min().alias(f"least {number}"),
            values.max().alias(f"most {number}"),
        ]
    found = whole.select(asked).collect().row(0)
    for number, name in enumerate(names):
        yield _Counts(name, not schema[name].is_numeric(), found[0], *found[1 + 4 * number : 5 + 4 * number])


def _why_code(column: _Counts) -> str:
    """Why a column holds codes, by the rules for a table in one file; empty if it does not."""
    from tamis.table.reading.facts import CODE_NAME, IDENTIFIER_NAME

    complete = column.n_known == column.n_rows
    differ = column.n_known >= _LEAST_ROWS and column.n_different >= _NEARLY_ALL * column.n_known
    if column.text:
        if differ:
            return "every value differs"
        few = column.n_known < FEW_ROWS_EACH * column.n_different
        many = column.n_different > MANY_CATEGORIES and few
        return f"about {column.n_different} categories in {column.n_known} rows" if many else ""
    numbers_rows = complete and column.n_rows > 0 and column.most - column.least + 1 == column.n_rows
    if differ and complete and (numbers_rows or IDENTIFIER_NAME.search(column.name)):
        return "every value differs"
    coded = column.n_different > MANY_CATEGORIES and CODE_NAME.search(column.name)
    return f"about {column.n_different} numbers, by its name not quantities" if coded else ""
