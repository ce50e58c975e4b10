"""From a file to a `Dataset`: first the format, by the file's ending, then target, missing values and kinds of columns."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from tamis._files import expanded
from tamis.table._dataset import Dataset, TableError
from tamis.table._kinds import TARGET_KINDS, kind_of
from tamis.table._names import an_option, check_names, listed, quoted
from tamis.table.reading.binary import BINARY_ENDINGS, binary_frame
from tamis.table.reading.checks import UnusableColumnsError, check_columns
from tamis.table.reading.csv import read_delimited
from tamis.table.reading.existing import existing_file
from tamis.table.reading.facts import TEXT
from tamis.table.reading.labels import (
    check_labelled,
    has_label,
    labelled_rows,
    labels_of,
    missing_labels,
    numbers_of,
)
from tamis.table.reading.limits import bytes_of
from tamis.table.reading.raw import RawTable
from tamis.table.reading.source import Source
from tamis.table.reading.types import Findings, as_wished, cleaned, columns_of, typed
from tamis.table.reading.wishes import MISSING, Wishes, checked_target, with_missing_values
from tamis.table.reading.written import with_written_numbers


def _read_arff(source: Source, wishes: Wishes) -> RawTable:
    from tamis.table.reading.arff import read_arff

    return read_arff(source, wishes)


def _read_keel(source: Source, wishes: Wishes) -> RawTable:
    from tamis.table.reading.keel import read_keel

    return read_keel(source, wishes)


def _read_json(source: Source, wishes: Wishes) -> RawTable:
    from tamis.table.reading.json_table import read_json

    return read_json(source, wishes)


_TEXT: dict[str, Callable[[Source, Wishes], RawTable]] = {
    ".csv": read_delimited,
    ".tsv": read_delimited,
    ".tab": read_delimited,
    ".txt": read_delimited,
    ".data": read_delimited,
    ".arff": _read_arff,
    ".dat": _read_keel,
    ".json": _read_json,
    ".jsonl": _read_json,
    ".ndjson": _read_json,
}
_SHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
_DATABASES = (".db", ".sqlite", ".sqlite3", ".duckdb")
_LEAST_TURNED = 10  # columns of a table whose rows may be columns
_NUMBERS_OF_TURNED = 0.9  # of its last column
_COMPRESSED = (".gz", ".zst")


def read(
    path: str | os.PathLike[str],
    target: str | None = None,
    *,
    target_kind: str | None = None,
    nominal: str | Iterable[str] = (),
    numeric: str | Iterable[str] = (),
    drop: str | Iterable[str] = (),
    missing_values: str | Iterable[str] = (),
    drop_unlabelled: bool = False,
    drop_unusable: bool | str = False,
    header: bool = True,
    transpose: bool = False,
    encoding: str | None = None,
    max_unpacked: int | str | None = None,
) -> Dataset:
    r"""Read a table from a file.

    The format follows from the file's ending: delimited text with a line of column names (.csv, .tsv, .tab, .txt, .data;
    the delimiter, detected, is a comma, semicolon, tab, bar or a run of spaces), Weka's .arff, KEEL's .dat, each also
    compressed (.gz, .zst); .json and .jsonl or .ndjson; .parquet; .feather, .arrow and .ipc; spreadsheets (.xlsx, .xls, .ods;
    the extra ``excel``), and tables of SQLite (.db, .sqlite) and DuckDB (.duckdb, the extra ``duckdb``).

    Parameters
    ----------
    path : str or path-like
        The file. ``book.xlsx::Sheet2`` names a sheet, ``shop.db::orders`` a table of a database.
    target : str or None, default=None
        The column of labels. None takes the one that the file itself names (KEEL's outputs), else the last column.
    target_kind : {"auto", "classes", "numbers"} or None, default=None
        What the target holds. "auto": numbers if it holds more than 20 different ones, else classes; a note says which.
        None: classes, and numbers that look like a quantity are an error.
    nominal : str or iterable of str, default=()
        Columns that are categorical, even if they look like numbers, dates or sentences.
    numeric : str or iterable of str, default=()
        Columns whose values must be numbers, even if they have leading zeros.
    drop : str or iterable of str, default=()
        Columns to leave out.
    missing_values : str or iterable of str, default=()
        Values that mark a missing value in any column, besides those below. A number (``"-9"``) is compared as a number in
        numeric columns.
    drop_unlabelled : bool, default=False
        Leave out rows without a label, instead of an error.
    drop_unusable : bool or "obvious", default=False
        Leave out columns that cannot be used as they are, with a note, instead of an error. "obvious": dates, free text,
        nested values and columns without values only, not numbers with texts or infinities among them, which can be repaired.
    header : bool, default=True
        Whether the first line of delimited text, or of a sheet, holds column names; if not, they are column_1, column_2, ...
    transpose : bool, default=False
        Whether rows and columns change places: the first column then holds the names of the columns, as in tables with genes
        in rows.
    encoding : str or None, default=None
        The encoding of a text file that is not UTF-8, such as ``"cp1252"`` or ``"utf-16"``.
    max_unpacked : int, str or None, default=None
        The most that a compressed file (text, Parquet or Arrow) may unpack to: bytes, or a text such as ``"8GB"``. None is
        2 GB, or 50 times the file's size if that is more: a small file that unpacks to much more may be an attack.

    Returns
    -------
    Dataset
        The features, the labels, and notes for the user.

    Raises
    ------
    TableError
        The file or a column cannot be used. The message says what was found and what to do.

    Notes
    -----
    Missing values in text files are ``""``, ``NA``, ``N/A``, ``n/a``, ``#N/A``, ``<NA>``, ``?``, ``NaN``, ``nan``, ``null``,
    ``NULL``, ``None`` and ``<null>``, unless an ARFF or KEEL file declares them as values; and, among numbers, ``-``, ``--``,
    ``.`` and ``none``, with a note. Parquet and Arrow files have nulls of their own, so there only nulls, NaN and
    `missing_values` are missing.

    Text that reads as numbers becomes numbers; with leading zeros (``01234``) it is a code and stays text. In delimited text,
    money, percentages, units (the same in every row), thousands grouped by spaces or apostrophes, and accounting negatives
    such as ``(12.50)`` become numbers too, with a note. ``True`` and ``False`` stay text, which is categorical either way. A
    text among numbers makes a column categorical: if there are few distinct numbers, a note names the text and its row
    (counted from 1 below the names); if there are many, it is an error. A large text file needs about twice its size in
    memory.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "coins.csv")
    ...     _ = path.write_text("weight;metal;coin\n2,5;silver;dime\n5,0;nickel;nickel\n")
    ...     coins = read(path)
    >>> coins.X["weight"].to_list(), coins.y.tolist(), coins.notes[0]
    ([2.5, 5.0], ['dime', 'nickel'], "'weight': numbers such as 2,5 are read with a decimal comma.")
    """
    nominal, numeric, drop = _texts(nominal), _texts(numeric), _texts(drop)
    missing_values = tuple(text for text in _texts(missing_values) if _can_stand_in_a_table(text))
    whole, part = file_and_part(path)
    file = existing_file(expanded(whole))
    wishes = Wishes(frozenset(nominal), frozenset(numeric), (*MISSING, *missing_values), header=header)
    raw = _raw_table(file, part, wishes, encoding, bytes_of(max_unpacked))
    if transpose:
        raw = transposed(raw, wishes, file.name)
    if not raw.frame.width or raw.frame.height == 0:
        raise TableError(f"{file.name} has column names but no rows. Rows of data are needed below them.")
    named = (*([] if target is None else [target]), *nominal, *numeric, *drop)
    if not transpose and target is not None and target not in raw.frame.columns:
        _refuse_rows_as_columns(raw.frame, file.name, target)
    guessed = target is None and not raw.targets
    target = checked_target(
        raw.frame.columns, file.name, target, named=named, wishes=wishes, drop=drop, outputs=raw.targets
    )
    if target_kind == "classes":
        wishes = replace(wishes, nominal=wishes.nominal | {target})
    others = [name for name in raw.targets if name != target and name not in drop and target in raw.targets]
    output_notes = [f"Other outputs are left out: {quoted(others)}."] if others else []
    left_out = {*drop, *others}
    frame = raw.frame
    if left_out:
        frame = columns_of(frame, [name for name in frame.columns if name not in left_out])
    frame = with_missing_values(frame, missing_values)
    written_notes: list[str] = []
    if raw.decimal_comma is not None:
        frame, written_notes = with_written_numbers(
            frame, wishes, target, target_kind, raw.decimal_comma, file.name
        )
    frame = as_wished(frame, wishes, file.name)
    turned = _may_be_turned(frame, target) if guessed and not transpose else ""
    with _said_of_guess(target, guessed, turned):
        notes = check_labelled(missing_labels(frame[target]), file.name, drop_unlabelled)
    rows = np.flatnonzero(has_label(frame[target]).to_numpy()) + 1 if notes else None
    frame = labelled_rows(frame, target) if notes else frame
    different = raw.different if frame is raw.frame else {}  # not valid for a changed frame
    with _said_of_guess(target, guessed, turned):
        y, label_notes, kind = _told_target(
            frame[target], file.name, target_kind, target in wishes.nominal, rows
        )
    features = frame.clone()
    features.drop_in_place(target)
    if features.width == 0:
        raise TableError(f"no columns are left in {file.name} besides the target {target!r}.")
    if turned and kind == "numbers" and all(kind_of(dtype) == "number" for dtype in features.dtypes[1:]):
        label_notes = [*label_notes, turned]
    X, column_notes = _usable(
        features, drop_unusable, (file.name, wishes.nominal, raw.dates, different, rows)
    )
    return Dataset(
        name=_stem(file),
        X=X,
        y=y,
        target=target,
        notes=(*raw.notes, *written_notes, *output_notes, *notes, *label_notes, *column_notes),
        description=raw.description,
        target_kind=kind,
    )


def _refuse_rows_as_columns(frame: pl.DataFrame, file: str, target: str) -> None:
    """Raise if the target is named in the first column, as in tables with genes in rows."""
    first = frame.to_series(0)
    if first.dtype == pl.String and (first == target).any():
        raise TableError(
            f"no column {target!r} in {file}, but a row of its first column, {first.name!r}, has that name. "
            f"{an_option('--transpose', True)} reads rows as columns."
        )


def _may_be_turned(frame: pl.DataFrame, target: str) -> str:
    """A sentence where rows seem to be columns: more rows than columns, each with a name of its own, and numbers in the last column."""
    first, last = frame.to_series(0), frame[target]
    many = frame.height > frame.width >= _LEAST_TURNED
    if not many or first.dtype not in TEXT or first.null_count() or first.n_unique() < len(first):
        return ""
    numbers = len(last) - last.cast(pl.String).cast(pl.Float64, strict=False).null_count()
    if numbers < _NUMBERS_OF_TURNED * len(last):
        return ""
    return (
        f"The first column, {first.name!r}, holds another name in every row. If these name the columns (genes in rows, samples in "
        f"columns), {an_option('--transpose', True)} reads rows as columns; the target is one of those rows."
    )


@contextmanager
def _said_of_guess(target: str, guessed: bool, turned: str) -> Iterator[None]:
    """Let an error about the target say that nobody named it, if it was guessed, and that rows may be columns."""
    try:
        yield
    except TableError as error:
        if not guessed:
            raise
        raise TableError(
            f"{error} (No target was named, so the last column, {target!r}, was taken.)"
            + f" {turned}".rstrip()
        ) from None


def _usable(
    features: pl.DataFrame, drop_unusable: bool | str, about: tuple[Any, ...]
) -> tuple[pl.DataFrame, list[str]]:
    """The columns that can be used, and sentences for the user; see `check_columns`."""
    try:
        return check_columns(features, *about)
    except UnusableColumnsError as error:
        problems = error.problems
        dropped = problems.obvious if drop_unusable == "obvious" else list(problems.found)
        if not drop_unusable or not dropped or len(dropped) == features.width:
            raise
    X, notes = check_columns(features.drop(dropped), *about)
    return X, [problems.note(dropped), *notes]


def _told_target(
    series: pl.Series, file: str, target_kind: str | None, nominal: bool, rows: npt.NDArray[np.intp] | None
) -> tuple[npt.NDArray[Any], list[str], str]:
    """Give the target, sentences for the user, and what it holds: "classes" or "numbers"."""
    if target_kind is not None and target_kind not in TARGET_KINDS:
        raise TableError(f"the kind of the target is {target_kind!r}. Use one of {listed(TARGET_KINDS)}.")
    notes: list[str] = []
    if target_kind == "numbers" or (target_kind == "auto" and not nominal):
        numbers, notes = numbers_of(series, file, target_kind)
        if numbers is not None:
            return numbers, notes, "numbers"
    labels, label_notes = labels_of(series, file, nominal, rows)
    return labels, [*notes, *label_notes], "classes"


def _texts(given: str | Iterable[str]) -> tuple[str, ...]:
    """Give a tuple of strings for one string or many."""
    return (given,) if isinstance(given, str) else tuple(str(item) for item in given)


def _can_stand_in_a_table(text: str) -> bool:
    """Whether a text has complete characters only; a shell makes surrogates of bytes that are not UTF-8."""
    return text == text.encode("utf-8", "ignore").decode("utf-8")


def _stem(file: Path) -> str:
    """Give a file's name without its ending and the ending of its compression."""
    inner = Path(file.stem) if file.suffix.lower() in _COMPRESSED else Path(file.name)
    return inner.stem


def file_and_part(path: str | os.PathLike[str]) -> tuple[str, str | None]:
    """The file, and the sheet or table that ``file::part`` names; None without one."""
    text = os.fspath(path)
    if "::" not in text or os.path.lexists(text):
        return text, None
    file, _, part = text.rpartition("::")
    return file, part or None


def transposed(raw: RawTable, wishes: Wishes, file: str) -> RawTable:
    """The table with rows and columns changed: the first column holds the names of the new columns."""
    frame = raw.frame
    names = frame.to_series(0).cast(pl.String)
    if names.null_count() or frame.width < 2:
        raise TableError(f"{file} cannot be transposed: its first column must hold a name in every row.")
    check_names(names.to_list(), file)
    cells = frame[:, 1:].cast(pl.String).transpose(column_names=names.to_list())
    findings = Findings()
    turned = typed(cleaned(cells, wishes.missing), wishes, findings)
    return RawTable(turned, notes=tuple(findings.notes()), decimal_comma=raw.decimal_comma)


def _raw_table(
    file: Path, part: str | None, wishes: Wishes, encoding: str | None, max_unpacked: int | None
) -> RawTable:
    inner = Path(file.stem) if file.suffix.lower() in _COMPRESSED else file
    ending = inner.suffix.lower()
    if ending in _SHEETS:
        from tamis.table.reading.sheets import read_sheet

        return read_sheet(file, wishes, part, max_unpacked)
    if ending in _DATABASES:
        from tamis.table.reading.databases import read_database

        return read_database(file, wishes, part)
    if part is not None:
        raise TableError(f"{file.name} holds one table, so ::{part} names nothing. Leave it out.")
    if ending in BINARY_ENDINGS:
        return RawTable(binary_frame(file, BINARY_ENDINGS[ending], max_unpacked))
    if ending not in _TEXT:
        raise TableError(
            f"{file.name} has an ending that tamis does not read. Use one of "
            f"{listed([*_TEXT, *BINARY_ENDINGS, *_SHEETS, *_DATABASES], 30)}, text also with .gz or .zst."
        )
    return _TEXT[ending](Source(file, encoding, max_unpacked), wishes)
