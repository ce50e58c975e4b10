"""JSON: a list of objects, an object of columns, or an object a line."""

import json
from typing import Any

import polars as pl

from tamis.table._dataset import TableError
from tamis.table._names import as_named, check_names
from tamis.table.reading.raw import RawTable
from tamis.table.reading.source import Source
from tamis.table.reading.types import Findings, cleaned, typed
from tamis.table.reading.wishes import Wishes

_SHAPE = "It must hold a list of objects with the same keys, or one object a line."


def read_json(source: Source, wishes: Wishes) -> RawTable:
    """Read a table from JSON.

    Parameters
    ----------
    source : Source
        The text: a list of objects, one object with a list per column, or (JSON lines) one object a line.
    wishes : Wishes
        What the caller said about columns.

    Returns
    -------
    RawTable
        The columns. A key that an object lacks is a missing value; columns of text are read as in delimited text.
    """
    columns = _columns(source)
    check_names(list(columns), source.name)
    findings = Findings()
    series = [column_of_values(name, values, wishes, findings) for name, values in columns.items()]
    return RawTable(pl.DataFrame(series), notes=tuple(findings.notes()), decimal_comma=False)


def _columns(source: Source) -> dict[str, list[Any]]:
    text = source.text()
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        whole = _lines(source, text)
    if isinstance(whole, dict) and whole and all(isinstance(values, list) for values in whole.values()):
        lengths = sorted({len(values) for values in whole.values()})
        if len(lengths) > 1:
            raise TableError(f"the columns of {source.name} are not equally long: {lengths}.")
        return {as_named(str(name)): values for name, values in whole.items()}
    rows = [whole] if isinstance(whole, dict) else whole
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise TableError(f"{source.name} holds no table. {_SHAPE}")
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {as_named(str(name)): [row.get(name) for row in rows] for name in names}


def _lines(source: Source, text: str) -> list[Any]:
    rows = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                rows.append(json.loads(line))
            except (ValueError, RecursionError) as error:
                raise TableError(f"line {number} of {source.name} is no JSON: {error}. {_SHAPE}") from None
    return rows


def column_of_values(name: str, values: list[Any], wishes: Wishes, findings: Findings) -> pl.Series:
    """One column: numbers and booleans as they are, anything else as text."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {bool}:
        return pl.Series(name, values, dtype=pl.Boolean)
    if kinds <= {int} and all(value is None or abs(value) < 2**63 for value in values):
        return pl.Series(name, values, dtype=pl.Int64)
    if kinds <= {int, float}:
        return pl.Series(
            name, [None if value is None else float(value) for value in values], dtype=pl.Float64
        )
    texts = [value if value is None or isinstance(value, str) else json.dumps(value) for value in values]
    text = cleaned(pl.DataFrame(pl.Series(name, texts, dtype=pl.String)), wishes.missing)
    return typed(text, wishes, findings).to_series()
