"""Read FILE, with the options about its columns, as a `Dataset`."""

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
from tamis.table._names import as_cell, did_you_mean, listed

if TYPE_CHECKING:
    from tamis.table._dataset import Dataset

STDIN = "-"
# The first bytes of a file, and the ending of its format.
_ENDINGS = {
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
        A path, the name of a data set, or ``-`` for stdin.
    target : str or None
        The column to predict; None for the last one.
    nominal, numeric, drop, missing_values : iterable of str
        Names, each text holding one or more with commas between them; see `split_names`.
    drop_unusable : bool
        Whether all columns that cannot be used are left out, not only dates, free text and columns without values.
    drop_unlabelled : bool
        Whether rows whose class is missing are left out.
    no_header, transpose : bool
        Whether the file has no line of column names; whether its rows and columns are exchanged.
    encoding : str or None
        The encoding of a text file that is not UTF-8.
    max_unpacked : str or None
        The largest size that a compressed file may unpack to.
    target_kind : {"auto", "classes", "numbers"} or None
        What the target holds; None for a command that takes classes only.
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


def read_dataset(
    request: Request, *, without_codes: bool = False, keep: Iterable[str | None] = ()
) -> Dataset:
    """The table that the user asked for; remarks about its content are printed as notes.

    With `without_codes`, identifiers and the like are left out, except for the columns `keep` and those that the user
    names with ``--nominal`` or ``--numeric``.
    """
    from tamis.table._dataset import TableError
    from tamis.table.reading.checks import IDENTIFIERS

    try:
        with _quiet() if _is_binary(request.file) else working(f"Reading {request.file}"):
            if is_data_set(request.file):
                dataset = _named_dataset(request)
            else:
                dataset = _file_dataset(request)
    except TableError as error:
        raise UserError(said(error)) from error
    except OSError as error:
        raise UserError(f"cannot read {request.file!r}: {error.strerror or said(error)}.") from error
    for sentence in dataset.notes:
        if not sentence.startswith(IDENTIFIERS):  # every command says what it does with them
            note(sentence)
    if not without_codes or is_data_set(request.file):
        return dataset
    from tamis.cli import _remarks

    return _remarks.without_codes(dataset, {*named(request), *filter(None, keep)})


def dataset_to_compare(dataset: Dataset, request: Request) -> Dataset:
    """The table by which rows are compared: without identifiers and codes that the user did not name."""
    from tamis.cli import _remarks

    if is_data_set(request.file):
        return dataset
    return _remarks.without_codes_to_compare(dataset, named(request))


def named(request: Request) -> set[str]:
    """The columns that the user named with ``--nominal`` or ``--numeric``."""
    return {*split_names(request.nominal), *split_names(request.numeric)}


def _is_binary(file: str) -> bool:
    from tamis.table.reading.binary import BINARY_ENDINGS

    return Path(file).suffix.lower() in BINARY_ENDINGS


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Hide what polars' threads print on stderr when they panic over a damaged file; the error itself is reported."""
    sys.stderr.flush()
    screen = os.dup(2)
    with tempfile.TemporaryFile() as buffer:
        os.dup2(buffer.fileno(), 2)
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(screen, 2)
            os.close(screen)
            buffer.seek(0)
            printed = buffer.read()
            if b"panicked at" not in printed:
                sys.stderr.write(printed.decode("utf-8", "replace"))


def split_names(texts: Iterable[str] | None) -> list[str]:
    """The names in texts such as ``a,b``, each once; a name that has a comma itself stands in double quotes."""
    try:
        names = [name.strip() for line in csv.reader(texts or (), skipinitialspace=True) for name in line]
    except csv.Error as error:
        raise UserError(
            f"a list of names cannot be read ({error}). Put names that hold commas or line breaks in double quotes."
        ) from error
    return list(dict.fromkeys(names))


def check_exists(file: str) -> None:
    """Exit with an error if FILE is neither a file nor a data set; this loads no heavy library."""
    from tamis._files import expanded
    from tamis.table._dataset import TableError
    from tamis.table.reading.existing import existing_file

    if file == "-" or "::" in file or glob.has_magic(file):
        return  # stdin, a table inside a file, or a pattern: checked when it is read
    try:
        _refuse_absent(file)
        path = expanded(file)
        if not os.path.lexists(path) and not is_data_set(file):
            existing_file(path)
    except (UserError, TableError) as error:
        leave(said(error), 2)


def is_data_set(file: str) -> bool:
    """Whether `file` names a data set of tamis; a file of the same name takes precedence."""
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
        drop_unusable=request.drop_unusable or "obvious",
        header=not request.no_header,
        transpose=request.transpose,
        encoding=request.encoding,
        max_unpacked=request.max_unpacked,
    )
    if request.target is None:
        note(f"took the last column, {dataset.target!r}, as the target; --target names another.")
    return dataset


@contextlib.contextmanager
def _standard_input() -> Iterator[str]:
    """What arrives on stdin, as a temporary file whose ending tells its format."""
    data = sys.stdin.buffer.read()
    ending = next((ending for start, ending in _ENDINGS.items() if data.lstrip().startswith(start)), ".csv")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, f"stdin{ending}")
        file.write_bytes(data)
        yield str(file)


def _refuse_absent(file: str) -> None:
    """Refuse a bare word that is neither a file nor a data set, and suggest names of both kinds."""
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
    if request.target_kind not in (None, "auto", dataset.target_kind):
        raise UserError(
            f"the target of the data set {request.file} holds {dataset.target_kind}, not {request.target_kind!r}. "
            "Leave --target-kind out."
        )
    drop = split_names(request.drop)
    for name in drop:
        if name not in dataset.X.columns:
            raise UserError(
                f"no column {name!r} in {request.file}.{did_you_mean(name, dataset.X.columns)} "
                f"Columns: {listed([as_cell(column) for column in dataset.X.columns])}."
            )
    if len(drop) == dataset.X.width:
        raise UserError(f"no columns are left in {request.file}: --drop names all {len(drop)}.")
    return replace(dataset, X=columns_of(dataset.X, [name for name in dataset.X.columns if name not in drop]))
