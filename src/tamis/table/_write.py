"""Writing tables: an existing file is replaced only on request, and files are whole or absent (`tamis._files`)."""

import json
import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import IO, Any

import narwhals as nw
import numpy as np
import polars as pl

from tamis._files import expanded, outlet, written
from tamis.table._dataset import TableError
from tamis.table._names import an_option, as_text, listed
from tamis.table.reading.existing import reason

Writer = Callable[[pl.DataFrame, IO[bytes]], object]


def _csv(separator: str, compression: Any = "uncompressed") -> Writer:
    def writer(frame: pl.DataFrame, stream: IO[bytes]) -> None:
        with outlet(stream) as passed:
            frame.write_csv(passed, separator=separator, compression=compression)

    return writer


_WRITERS: dict[str, Writer] = {
    ".csv": _csv(","),
    ".csv.gz": _csv(",", "gzip"),
    ".csv.zst": _csv(",", "zstd"),
    ".tsv": _csv("\t"),
    ".tsv.gz": _csv("\t", "gzip"),
    ".tsv.zst": _csv("\t", "zstd"),
    ".parquet": lambda frame, stream: frame.write_parquet(stream),
    ".feather": lambda frame, stream: frame.write_ipc(stream),
    ".json": lambda frame, stream: stream.write(_json_bytes(frame.to_dicts())),
}


def write(
    frame: Any,
    path: str | os.PathLike[str],
    force: bool = False,
    *,
    raw_names: bool = False,
    names: Collection[str] = (),
) -> None:
    """Write a frame to a file, in the format of its ending.

    Parameters
    ----------
    frame : polars, pandas or pyarrow frame
        The table.
    path : str or path-like
        Where to: .csv or .tsv (also .gz, .zst), .parquet, .feather or .json (a list of rows).
    force : bool, default=False
        Whether a file that is already there may be replaced.
    raw_names : bool, default=False
        Whether names of columns are written as they are in CSV and TSV, though a spreadsheet takes them for formulas.
    names : collection of str, default=()
        Columns whose values are names of columns themselves.

    Raises
    ------
    TableError
        The ending is unknown, the folder does not exist or cannot be written to, or the file already exists.

    Notes
    -----
    In CSV and TSV a single quote is put before a column name that begins with ``=``, ``+``, ``-``, ``@``, a tab or a line
    end and is not a number, since a spreadsheet would run it as a formula (``=cmd|...``); `read` removes the quote. Values
    are data and are written unchanged: a text such as ``=1+1`` stays as it is. A missing value is an empty field in CSV and
    null in JSON.
    """
    path = Path(path)
    writer = _WRITERS.get(_ending(path))
    if writer is None:
        raise TableError(
            f"{path.name} has an ending that tamis does not write. Use one of {listed([*_WRITERS], 20)}."
        )
    table = frame if isinstance(frame, pl.DataFrame) else nw.from_native(frame, eager_only=True).to_polars()
    if not raw_names and writes_text(path):
        table = with_names_as_text(table, names)
    _write_safely(lambda stream: writer(table, stream), path, force)


def writes_text(path: Path) -> bool:
    """Whether a file of this name is delimited text, which spreadsheets open."""
    return _ending(path).startswith((".csv", ".tsv"))


def with_names_as_text(frame: pl.DataFrame, names: Collection[str] = ()) -> pl.DataFrame:
    """A frame in which column names, and the values of the columns `names`, are not formulas."""
    columns = [
        pl.Series([None if name is None else as_text(name) for name in series], dtype=pl.String)
        if series.name in names
        else series
        for series in frame.iter_columns()
    ]
    return pl.DataFrame([series.alias(as_text(name)) for series, name in zip(columns, frame.columns)])


def write_text(text: str, path: str | os.PathLike[str], force: bool = False) -> None:
    """Write a text as UTF-8, with the same care as `write`."""
    _write_safely(lambda stream: stream.write(text.encode("utf-8")), Path(path), force)


def write_json(content: Any, path: str | os.PathLike[str], force: bool = False) -> None:
    """Write lists, dicts, numbers, texts and arrays as JSON, with the same care as `write`.

    NaN and infinities, which JSON does not know, become null.
    """
    _write_safely(lambda stream: stream.write(_json_bytes(content)), Path(path), force)


def check_writable(path: str | os.PathLike[str], force: bool = False) -> None:
    """Raise the error that writing to `path` would raise, as far as it can be known beforehand.

    Parameters
    ----------
    path : str or path-like
        Where a file is to be written.
    force : bool, default=False
        Whether a file that is already there may be replaced.
    """
    path = Path(path)
    folder = path.parent
    if not folder.is_dir():
        raise TableError(f"no folder {folder} to write {path.name} in. Make it first.")
    if path.is_dir():
        raise TableError(f"{path} is a folder, not a file. Name a file inside it.")
    if path.exists() and not path.is_file():
        raise TableError(f"{path} is not a regular file. Name a file.")
    if os.path.lexists(path) and not force:
        raise TableError(_taken(path))
    if not os.access(folder, os.W_OK | os.X_OK):
        raise TableError(f"the folder {folder} cannot be written to. Name a file in another folder.")


def _ending(path: Path) -> str:
    compressed = path.suffix.lower() in (".gz", ".zst")
    return "".join(path.suffixes[-2:] if compressed else path.suffixes[-1:]).lower()


def _write_safely(put: Callable[[IO[bytes]], object], path: Path, force: bool) -> None:
    """Let `put` write the file; without `force`, a file that has appeared meanwhile is left alone."""
    path = expanded(path)
    check_writable(path, force)
    path = path.resolve()  # a link stays a link: what it points to is replaced
    try:
        with written(path, replace=force) as stream:
            put(stream)
    except FileExistsError:
        raise TableError(_taken(path)) from None
    except (OSError, pl.exceptions.PolarsError) as error:
        raise TableError(f"{path} cannot be written: {reason(error)}. Nothing was changed.") from error


def _taken(path: Path) -> str:
    return f"{path} is already there. Use {an_option('--force', True)} to replace it, or another name."


def _json_bytes(content: Any) -> bytes:
    return (json.dumps(_plain(content), ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode("utf-8")


def _plain(content: Any) -> Any:
    """Convert Python's and NumPy's types to those of JSON."""
    if isinstance(content, dict):
        return {str(key): _plain(value) for key, value in content.items()}
    if isinstance(content, np.ndarray | np.generic):
        return _plain(content.tolist())
    if isinstance(content, list | tuple | set | frozenset):
        return [_plain(value) for value in content]
    if isinstance(content, float) and not np.isfinite(content):
        return None
    if content is None or isinstance(content, bool | int | float | str):
        return content
    return str(content)
