"""From FILE and the options about its columns to a `Dataset`."""

from __future__ import annotations

import contextlib
import csv
import glob
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tamis.cli._screen import note, working
from tamis.cli._sentences import UserError, leave, said
from tamis.table._names import did_you_mean, listed

if TYPE_CHECKING:
    from tamis.table._dataset import Dataset

STDIN = "-"
_STARTS = {
    b"PAR1": ".parquet",
    b"ARROW1": ".feather",
    b"PK": ".xlsx",
    b"SQLite format 3": ".db",
    b"[{": ".json",
    b"{": ".json",
}


@dataclass(frozen=True)
class Request:
    """Which table, and what its columns are, as the user typed it.

    Parameters
    ----------
    file : str
        A path, or the name of a data set.
    target : str or None
        The column of classes.
    nominal, numeric, drop, missing_values : iterable of str
        Lists of names with commas between them.
    drop_unusable : bool
        Whether dates, free text and columns without values are left out.
    drop_unlabelled : bool
        Whether rows without a class are left out.
    no_header, transpose : bool
        Whether the file has no line of names; whether its rows are columns.
    encoding : str or None
        The encoding of a text file that is not UTF-8.
    max_unpacked : str or None
        The most that a compressed file may unpack to.
    target_kind : {"auto", "classes", "numbers"} or None
        What the target holds; None for a command that knows classes only.
    """

    file: str
    target: str | None = None
    nominal: Iterable[str] | None = None
    numeric: Iterable[str] | None = None
    drop: Iterable[str] | None = None
    missing_values: Iterable[str] | None = None
    drop_unlabelled: bool = False
    drop_unusable: bool = False
    no_header: bool = False
    transpose: bool = False
    encoding: str | None = None
    max_unpacked: str | None = None
    target_kind: str | None = None


def read_dataset(request: Request, *, without_codes: bool = False, keep: str | None = None) -> Dataset:
    """The table that the user asked for; what reading it found is printed as notes.

    `without_codes` leaves out identifiers and the like, but for the column `keep` and those that the user named.
    """
    from tamis.table._dataset import TableError
    from tamis.table.reading.checks import IDENTIFIERS

    try:
        with _quiet() if _is_binary(request.file) else working(f"Reading {request.file}"):
            if _is_data_set(request.file):
                dataset = _named_dataset(request)
            else:
                dataset = _file_dataset(request)
    except TableError as error:
        raise UserError(said(error)) from error
    except OSError as error:
        raise UserError(f"cannot read {request.file!r}: {error.strerror or said(error)}.") from error
    for sentence in dataset.notes:
        if not (without_codes and sentence.startswith(IDENTIFIERS)):
            note(sentence)
    if not without_codes or _is_data_set(request.file):
        return dataset
    from tamis.cli import _remarks

    return _remarks.without_codes(
        dataset, {*split_names(request.nominal), *split_names(request.numeric), *([keep] if keep else [])}
    )


def _is_binary(file: str) -> bool:
    from tamis.table.reading.binary import BINARY_ENDINGS

    return Path(file).suffix.lower() in BINARY_ENDINGS


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep off the screen what polars' threads print about a damaged file; its error becomes our sentence."""
    sys.stderr.flush()
    screen = os.dup(2)
    with tempfile.TemporaryFile() as kept:
        os.dup2(kept.fileno(), 2)
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(screen, 2)
            os.close(screen)
            kept.seek(0)
            said = kept.read()
            if b"panicked at" not in said:
                sys.stderr.write(said.decode("utf-8", "replace"))


def split_names(texts: Iterable[str] | None) -> list[str]:
    """Names from texts with commas between them; a name that has a comma itself stands in double quotes."""
    try:
        names = [name.strip() for line in csv.reader(texts or (), skipinitialspace=True) for name in line]
    except csv.Error as error:
        raise UserError(
            f"a list of names cannot be read ({error}). Put names that hold commas or line breaks in double quotes."
        ) from error
    return list(dict.fromkeys(names))


def check_exists(file: str) -> None:
    """Leave with a sentence if FILE names neither a file nor a data set; no library is loaded for that."""
    from tamis._files import expanded
    from tamis.table._dataset import TableError
    from tamis.table.reading.existing import existing_file

    if file == "-" or "::" in file or glob.has_magic(file):
        return  # standard input, a part of a file, or a pattern: whoever reads them looks
    try:
        _refuse_absent(file)
        path = expanded(file)
        if not os.path.lexists(path) and not _is_data_set(file):
            existing_file(path)
    except (UserError, TableError) as error:
        leave(said(error), 2)


def _is_data_set(file: str) -> bool:
    """Whether `file` names a data set; a file of that name comes first."""
    from tamis import datasets

    return not os.path.lexists(file) and file in datasets.names()


def _file_dataset(request: Request) -> Dataset:
    from tamis.table.reading.read import read

    if request.file == STDIN:
        with _standard_input() as file:
            return replace(_file_dataset(replace(request, file=file)), name="stdin")
    _refuse_absent(request.file)
    dataset = read(
        request.file,
        request.target,
        target_kind=request.target_kind,
        nominal=split_names(request.nominal),
        numeric=split_names(request.numeric),
        drop=split_names(request.drop),
        missing_values=split_names(request.missing_values),
        drop_unlabelled=request.drop_unlabelled,
        drop_unusable=request.drop_unusable,
        header=not request.no_header,
        transpose=request.transpose,
        encoding=request.encoding,
        max_unpacked=request.max_unpacked,
    )
    if request.target is None:
        note(f"the target is {dataset.target!r}; --target names another column.")
    return dataset


@contextlib.contextmanager
def _standard_input() -> Iterator[str]:
    """What comes on stdin, as a file whose ending tells what it is."""
    data = sys.stdin.buffer.read()
    ending = next((ending for start, ending in _STARTS.items() if data.lstrip().startswith(start)), ".csv")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, f"stdin{ending}")
        file.write_bytes(data)
        yield str(file)


def _refuse_absent(file: str) -> None:
    """A bare word that is neither a file nor a data set may be meant as either."""
    from tamis import datasets

    if "\0" in file:
        raise UserError(f"{file!r} cannot be the name of a file.")
    if os.path.lexists(file) or file in datasets.names():
        return
    if not Path(file).suffix and os.sep not in file and "::" not in file:
        near = did_you_mean(file, [*datasets.names(), *os.listdir()])
        raise UserError(f"no file and no data set {file!r}.{near} `tamis datasets` lists the data sets.")


def _named_dataset(request: Request) -> Dataset:
    from tamis import datasets
    from tamis.table.reading.types import columns_of

    given = {
        "--nominal": request.nominal,
        "--numeric": request.numeric,
        "--missing-values": request.missing_values,
        "--encoding": request.encoding,
        "--max-unpacked": request.max_unpacked,
        "--no-header": request.no_header,
        "--transpose": request.transpose,
    }
    useless = [option for option, value in given.items() if value]
    if useless:
        raise UserError(
            f"{request.file} is a data set of tamis, whose columns are known, so {', '.join(useless)} has no use. "
            "Leave it out."
        )
    dataset = datasets.load(request.file)
    if request.target not in (None, dataset.target):
        raise UserError(
            f"the target of the data set {request.file} is {dataset.target!r}, not {request.target!r}. "
            "Leave --target out."
        )
    drop = split_names(request.drop)
    for name in drop:
        if name not in dataset.X.columns:
            raise UserError(
                f"no column {name!r} in {request.file}.{did_you_mean(name, dataset.X.columns)} "
                f"Columns: {listed(dataset.X.columns)}."
            )
    if len(drop) == dataset.X.width:
        raise UserError(f"no columns are left in {request.file}: --drop names all {len(drop)}.")
    return replace(dataset, X=columns_of(dataset.X, [name for name in dataset.X.columns if name not in drop]))
