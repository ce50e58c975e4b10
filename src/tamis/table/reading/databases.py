"""Tables of SQLite and DuckDB files: ``file.db::table``."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import polars as pl

from tamis.table._dataset import TableError
from tamis.table._names import as_word, check_names, did_you_mean, listed
from tamis.table.reading.json_table import column_of_values
from tamis.table.reading.raw import RawTable
from tamis.table.reading.types import Findings
from tamis.table.reading.wishes import Wishes

_SQLITE_START = b"SQLite format 3\0"


def read_database(file: Path, wishes: Wishes, table: str | None) -> RawTable:
    """Read one table, or view, of a database file. The file is opened for reading only.

    Parameters
    ----------
    file : pathlib.Path
        The file.
    wishes : Wishes
        What the caller said about columns.
    table : str or None
        The table; None where there is one only.

    Returns
    -------
    RawTable
        The columns; texts are read as in delimited text.
    """
    with file.open("rb") as stream:
        start = stream.read(len(_SQLITE_START))
    opened = _sqlite(file) if start == _SQLITE_START else _duckdb(file)
    try:
        with closing(opened) as connection:
            names = _tables(connection, sqlite=start == _SQLITE_START)
            chosen = _chosen(file.name, names, table)
            cursor = connection.execute(f'SELECT * FROM "{chosen.replace(chr(34), chr(34) * 2)}"')  # noqa: S608 - quoted, and one of those that are there
            columns = [str(column[0]) for column in cursor.description]
            rows = cursor.fetchall()
    except TableError:
        raise
    except Exception as error:  # sqlite3.Error, duckdb.Error: a damaged or encrypted file
        raise TableError(f"{file.name} cannot be read: {error}.") from None
    check_names(columns, file.name)
    findings = Findings()
    values = list(zip(*rows)) if rows else [()] * len(columns)
    series = [
        column_of_values(name, [_plain(value) for value in column], wishes, findings)
        for name, column in zip(columns, values)
    ]
    return RawTable(pl.DataFrame(series), notes=tuple(findings.notes()), decimal_comma=False)


def _sqlite(file: Path) -> Any:
    return sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)


def _duckdb(file: Path) -> Any:
    try:
        import duckdb
    except ImportError:
        raise TableError(
            f"{file.name} is no SQLite file. For DuckDB, install its reader with pip install 'tamis[duckdb]'."
        ) from None
    try:
        return duckdb.connect(str(file), read_only=True)
    except duckdb.Error as error:
        raise TableError(f"{file.name} cannot be opened: {str(error).partition(chr(10))[0]}.") from None


def _tables(connection: Any, *, sqlite: bool) -> list[str]:
    query = (
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name"
        if sqlite
        else "SELECT table_name FROM information_schema.tables ORDER BY table_name"
    )
    return [str(row[0]) for row in connection.execute(query).fetchall()]


def _chosen(file: str, names: list[str], table: str | None) -> str:
    if not names:
        raise TableError(f"{file} holds no tables.")
    if table is None and len(names) > 1:
        raise TableError(
            f"{file} holds several tables: {listed(names)}. Name one, as {as_word(f'{file}::{names[0]}')}."
        )
    if table is not None and table not in names:
        raise TableError(
            f"no table {table!r} in {file}.{did_you_mean(table, names)} Tables: {listed(names)}."
        )
    return names[0] if table is None else table


def _plain(value: Any) -> Any:
    """A value as JSON has them: dates and decimals as text and numbers."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, bytes):
        return value.hex()
    try:
        return float(value)
    except (TypeError, ValueError):
        return str(value)
