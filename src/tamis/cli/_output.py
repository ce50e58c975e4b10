"""Where results are written; the path is checked before any work starts."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from tamis._files import expanded
from tamis.cli._screen import note, say, settings, show_frame
from tamis.cli._sentences import UserError, said

if TYPE_CHECKING:
    import polars as pl

ENDINGS = (
    ".csv",
    ".parquet",
    ".json",
    ".tsv",
    ".feather",
    ".csv.gz",
    ".csv.zst",
    ".tsv.gz",
    ".tsv.zst",
)
STDOUT = Path("-")
"""The output ``-``: CSV on stdout."""

_HEAD_ROWS, _HEAD_COLUMNS = 5, 8


def checked_output(text: str | None, *, force: bool) -> Path | None:
    """The path of the file to write, checked as far as is possible without writing.

    Parameters
    ----------
    text : str or None
        The value of ``--output``.
    force : bool
        Whether an existing file may be overwritten.

    Returns
    -------
    Path or None
        None if the result goes to the screen; `STDOUT` if it goes to stdout as CSV.
    """
    if text is None:
        return None
    if text == str(STDOUT):
        settings.piped = True
        return STDOUT
    from tamis.table._dataset import TableError
    from tamis.table._write import check_writable

    if not text.lower().endswith(ENDINGS):
        raise UserError(f"the ending of {text!r} names no format. Use one of {', '.join(ENDINGS)}.")
    path = _possible_path(text)
    try:
        check_writable(path, force)
    except TableError as error:
        raise UserError(said(error)) from error
    except OSError as error:  # for example, a name that is too long
        raise UserError(f"cannot write to {text!r}: {error.strerror}.") from error
    return path


def checked_folder(text: str, *, force: bool) -> Path:
    """The folder to write several files to; its parent must exist, and `make_folder` makes it later."""
    from tamis.table._dataset import TableError
    from tamis.table._write import check_writable

    folder = _possible_path(text)
    try:
        if folder.is_dir():
            if not force:
                raise UserError(
                    f"the folder {text!r} is already there. Use --force to write into it, or another name."
                )
            check_writable(folder / "any", force)
        else:
            check_writable(folder, force=False)
    except TableError as error:
        raise UserError(said(error)) from error
    except OSError as error:
        raise UserError(f"cannot write to {text!r}: {error.strerror}.") from error
    return folder


def make_folder(folder: Path) -> None:
    """Make a folder that passed `checked_folder`, unless it exists."""
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise UserError(
            f"cannot make the folder {str(folder)!r}: {error.strerror}. Write elsewhere."
        ) from error


def write_answer(
    frame: pl.DataFrame, path: Path, *, force: bool, raw_names: bool = False, names: str | None = None
) -> None:
    """Write a table under a temporary name, then rename it; overwrite an existing file only with `force`.

    Parameters
    ----------
    frame : polars.DataFrame
        The table.
    path : Path
        The file to write; `STDOUT` for CSV on stdout.
    force : bool
        Whether an existing file may be overwritten.
    raw_names : bool, default=False
        Whether CSV keeps names that a spreadsheet would take for formulas as they are, without a quote before them.
    names : str, optional
        The column of the table whose values are names of columns.
    """
    from tamis.table._dataset import TableError
    from tamis.table._write import with_names_as_text, write

    named = () if names is None else (names,)
    if path == STDOUT:
        settings.answer = None  # no JSON: the table itself goes to stdout
        text = (frame if raw_names else with_names_as_text(frame, named)).write_csv()
        typer.echo(text, nl=False)
        return
    try:
        write(frame, path, force, raw_names=raw_names, names=named)
    except TableError as error:
        raise UserError(said(error)) from error
    if not raw_names:
        note_formulas([*frame.columns, *(() if names is None else frame[names].to_list())], path)


def note_formulas(names: Iterable[str], path: Path) -> None:
    """Note which names were written with a quote before them, since a spreadsheet would take them for formulas."""
    from tamis.table._names import as_text, quoted
    from tamis.table._write import writes_text

    formulas = [name for name in names if as_text(name) != name] if writes_text(path) else []
    if formulas:
        note(
            f"a quote was written before names that a spreadsheet would take for formulas: {quoted(formulas, 3)}. tamis "
            "reads them without it; --raw-names leaves them as they are."
        )


def give_table(frame: pl.DataFrame, path: Path | None, *, force: bool, raw_names: bool) -> None:
    """Write a table. Without a path, show its first rows and columns and its last column, and say how to write it."""
    size = f"{frame.height} rows x {frame.width} columns"
    if path is not None:
        write_answer(frame, path, force=force, raw_names=raw_names)
        if path != STDOUT:
            say(f"Written to {path}: {size}")
        return
    rows, columns = min(_HEAD_ROWS, frame.height), min(_HEAD_COLUMNS, frame.width)
    last = frame.width - 1
    show_frame(frame[:rows, [*range(columns - 1), last]])
    say(
        f"Shown: {rows} of {frame.height} rows, {columns} of {frame.width} columns. Add -o FILE to write the whole table."
    )


def _possible_path(text: str) -> Path:
    if "\0" in text:
        raise UserError(f"{text!r} cannot be the name of a file.")
    return expanded(text)
