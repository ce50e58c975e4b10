"""Spreadsheets: Excel's .xlsx, .xls and .xlsb, and OpenDocument's .ods."""

import zipfile
from pathlib import Path
from typing import Any

import polars as pl

from tamis.table._dataset import TableError
from tamis.table._names import as_named, as_word, check_names, listed
from tamis.table.reading.limits import check_unpacked
from tamis.table.reading.raw import RawTable
from tamis.table.reading.types import Findings, cleaned, typed
from tamis.table.reading.wishes import Wishes


def read_sheet(file: Path, wishes: Wishes, sheet: str | None, max_unpacked: int | None) -> RawTable:
    """Read one sheet of a spreadsheet.

    Parameters
    ----------
    file : pathlib.Path
        The file.
    wishes : Wishes
        What the caller said about columns.
    sheet : str or None
        The sheet's name; None for the first.
    max_unpacked : int or None
        The most bytes that the file may unpack to.

    Returns
    -------
    RawTable
        The columns; texts become numbers by the rules of delimited text.
    """
    _check_size(file, max_unpacked)
    try:
        import fastexcel
    except ImportError:
        raise TableError(
            f"{file.name} is a spreadsheet. Install what reads it with pip install 'tamis[excel]', or save it as CSV."
        ) from None
    try:
        book = fastexcel.read_excel(file)
        names = book.sheet_names
        if sheet is not None and sheet not in names:
            raise TableError(f"no sheet {sheet!r} in {file.name}. Sheets: {listed(names)}.")
        raw = book.load_sheet(0 if sheet is None else sheet, header_row=None, dtypes="string").to_polars()
    except TableError:
        raise
    except Exception as error:  # what a damaged file brings about depends on the reader
        raise TableError(
            f"{file.name} cannot be read as a spreadsheet: {_first_line(error)}. Save it as CSV."
        ) from None
    guessed = [] if sheet is not None or len(names) == 1 else [_sheet_note(file, names)]
    notes = list(guessed)
    frame = cleaned(raw, wishes.missing)
    frame = frame.filter(~pl.all_horizontal(pl.all().is_null())) if frame.width else frame
    frame = frame[[series.name for series in frame if series.null_count() < len(series)]]
    if not frame.width or frame.height < 1 + wishes.header:
        raise TableError(
            " ".join(
                [
                    f"{file.name} has no rows in its sheet. Rows of data are needed below the column names.",
                    *guessed,
                ]
            )
        )
    frame, unnamed = _named(frame, file.name) if wishes.header else (frame, [])
    if not wishes.header:
        frame.columns = [f"column_{place}" for place in range(1, frame.width + 1)]
    if unnamed:
        notes.append(f"Columns without a name are called by their place: {listed(unnamed)}.")
    findings = Findings()
    frame = typed(frame, wishes, findings)
    return RawTable(frame, notes=(*notes, *findings.notes()), decimal_comma=False)


def _named(frame: pl.DataFrame, file: str) -> tuple[pl.DataFrame, list[str]]:
    """Take the first row as the names of the columns; give also the names made up."""
    first = frame.row(0)
    names = [as_named(name) if name else f"column_{place}" for place, name in enumerate(first, start=1)]
    check_names(names, file)
    rest = frame[1:]
    rest.columns = names
    return rest, [name for name, given in zip(names, first) if not given]


def _check_size(file: Path, max_unpacked: int | None) -> None:
    """Refuse a file that unpacks to too much: all of these forms but .xls are zip archives."""
    if not zipfile.is_zipfile(file):
        return
    with zipfile.ZipFile(file) as archive:
        unpacked = sum(entry.file_size for entry in archive.infolist())
    check_unpacked(file.name, unpacked, file.stat().st_size, max_unpacked)


def _sheet_note(file: Path, names: list[str]) -> str:
    other = as_word(f"{file.name}::{names[1]}")
    return f"Of {len(names)} sheets the first, {names[0]!r}, is read; {other} names another."


def _first_line(error: Any) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
