"""Delimited text row by row, with Python's csv module: slower than polars, but errors can name the line."""

import csv
from collections.abc import Iterator
from itertools import islice

import polars as pl

from tamis.table._dataset import TableError
from tamis.table.reading.csv_header import Layout, records
from tamis.table.reading.source import Source

_BATCH_CELLS = 1 << 18


def text_by_row(source: Source, layout: Layout) -> pl.DataFrame:
    """Read the text with Python's csv module; an error names the line."""
    n_columns = len(layout.names)
    rows = _checked_rows(source, layout)
    schema = dict.fromkeys(layout.names, pl.String)
    parts = [pl.DataFrame(schema=schema)]
    while batch := list(islice(rows, max(_BATCH_CELLS // n_columns, 1))):
        parts.append(pl.DataFrame(dict(zip(layout.names, map(list, zip(*batch)))), schema=schema))
    return pl.concat(parts, rechunk=True)


def _checked_rows(source: Source, layout: Layout) -> Iterator[list[str]]:
    n_columns, line = len(layout.names), 0
    try:
        for row, line, cut in records(source.lines(), layout.delimiter):
            if cut:
                raise TableError(f"{source.name} ends inside quotes: a quote is opened and never closed.")
            if line <= layout.header_lines or not row:
                continue
            if len(row) != n_columns:
                raise TableError(
                    f"line {line} of {source.name} has {len(row)} value{'s' * (len(row) != 1)}, "
                    f"but the header names {n_columns} columns. Correct that line, or the delimiter or quotes in it."
                )
            yield row
    except csv.Error as error:
        raise TableError(f"{source.name} cannot be read after line {line}: {error}.") from None
