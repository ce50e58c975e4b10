"""Folders of Parquet files as tables in parts."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import polars as pl

from tamis.table._dataset import TableError
from tamis.table._kinds import kind_of
from tamis.table._names import check_names, listed
from tamis.table.parts.parquet_part import ParquetPart, Rules
from tamis.table.parts.parted import PartedTable
from tamis.table.parts.stores import here, is_in_store, store_files
from tamis.table.reading.binary import FAILURES, unreadable
from tamis.table.reading.guard import check_claims
from tamis.table.reading.limits import bytes_of
from tamis.table.reading.wishes import MISSING, Wishes, checked_target

CELLS_A_PART = 1 << 23  # values in memory at a time
_LONG = (pl.UInt64, pl.Int128, pl.UInt128)  # integers that may not fit into Int64

Schema = dict[str, pl.DataType]


def parquet_files(path: str | os.PathLike[str]) -> list[str]:
    """The Parquet files of a folder or of a pattern, sorted by name; a single file gives itself."""
    text = os.path.expanduser(os.fspath(path))
    if is_in_store(text):
        return store_files(text)
    if os.path.isdir(text):
        files = sorted(glob.glob(os.path.join(glob.escape(text), "*.parquet")))
        if not files:
            raise TableError(f"no file that ends in .parquet in the folder {text}.")
        return files
    if os.path.lexists(text):
        return [text]
    if glob.has_magic(text):
        files = sorted(glob.glob(text))
        if not files:
            raise TableError(f"no file fits the pattern {text!r}.")
        return files
    raise TableError(f"no file or folder {text}.")


def parquet_table(
    path: str | os.PathLike[str] | list[str],
    target: str | None = None,
    *,
    nominal: Iterable[str] = (),
    numeric: Iterable[str] = (),
    drop: Iterable[str] = (),
    missing_values: Iterable[str] = (),
    drop_unlabelled: bool = False,
    weight: str | None = None,
    max_unpacked: int | str | None = None,
) -> PartedTable:
    """Open the Parquet files of a folder as a table, without reading their rows.

    Parameters
    ----------
    path : str, path-like or list of str
        A folder, a pattern such as ``"folder/*.parquet"``, a file, or several files, here or in an object store. Rows are numbered in the order of
        the files' names.
    target : str, optional
        The column of labels; the last one if not given.
    nominal, numeric, drop, missing_values, drop_unlabelled
        As in `tamis.table.read`. Texts that are to become numbers must be plain ones, without decimal commas.
    weight : str, optional
        A column of weights.
    max_unpacked : int, str or None, default=None
        The most bytes that one file may unpack to, at one byte per value; as in `tamis.table.read`.

    Returns
    -------
    PartedTable
        In parts of at most some millions of values.
    """
    named = path if isinstance(path, list) else parquet_files(path)
    # absolute, since workers may run in other folders
    files = [file if is_in_store(file) else os.path.abspath(os.path.expanduser(file)) for file in named]
    schemas = [_schema(file, bytes_of(max_unpacked)) for file in files]
    source, columns = _source(files), list(schemas[0])
    for file, schema in zip(files, schemas):
        _refuse_other_columns(file, schema, files[0], schemas[0])
    check_names(columns, Path(files[0]).name)
    wishes = Wishes(frozenset(nominal), frozenset(numeric), (*MISSING, *missing_values))
    drop = tuple(drop)
    asked = [name for name in (target, *wishes.nominal, *wishes.numeric, *drop, weight) if name is not None]
    left_out = drop if weight is None else (*drop, weight)
    target = checked_target(columns, source, target, named=asked, wishes=wishes, drop=left_out)
    features = tuple(name for name in columns if name not in {target, *left_out})
    if not features:
        raise TableError(f"no columns are left in {source} besides the target {target!r}.")
    dtypes = {name: _common_dtype(name, files, schemas, wishes) for name in (*features, target)}
    other = {
        name: dtype
        for name, dtype in dtypes.items()
        if any(schema[name] != dtype for schema in schemas) and kind_of(dtype) in ("number", "categorical")
    }
    rules = Rules(source, wishes, tuple(missing_values), drop_unlabelled, other)
    step = max(1024, CELLS_A_PART // len(features))
    parts: list[ParquetPart] = []
    for file in files:
        n_rows = int(_collected(file, _scan(file).select(pl.len())).item())
        parts += [
            ParquetPart(file, first, min(step, n_rows - first), features, target, weight, rules)
            for first in range(0, n_rows, step)
        ]
    if not parts:
        raise TableError(f"{source} has column names but no rows. Rows of data are needed below them.")
    try:
        example = pl.DataFrame(schema={name: dtypes[name] for name in features})
    except FAILURES as error:  # a type that polars cannot hold, such as decimals of 60 digits
        raise unreadable(Path(files[0]).name, "Parquet", error) from None
    return PartedTable(parts, list(features), example, len(features), target, source)


def _source(files: Sequence[str]) -> str:
    """The name of the files in messages."""
    first = Path(files[0])
    return first.name if len(files) == 1 else f"{first.parent.name or first.parent} ({len(files)} files)"


def _scan(file: str) -> pl.LazyFrame:
    return pl.scan_parquet(here(file), glob=False, hive_partitioning=False)


def _collected(file: str, frame: pl.LazyFrame) -> pl.DataFrame:
    try:
        return frame.collect()
    except FAILURES as error:
        raise unreadable(Path(file).name, "Parquet", error) from None


def _schema(file: str, max_unpacked: int | None) -> Schema:
    """The columns of a file, after its metadata were checked."""
    try:
        check_claims(Path(here(file)), "Parquet", max_unpacked, in_parts=True)
        return dict(_scan(file).collect_schema())
    except FAILURES as error:
        raise unreadable(Path(file).name, "Parquet", error) from None


def _refuse_other_columns(file: str, schema: Schema, first: str, wanted: Schema) -> None:
    """All files must have the same columns."""
    if set(schema) != set(wanted):
        other = sorted(set(schema) ^ set(wanted))
        raise TableError(
            f"{Path(file).name} and {Path(first).name} do not have the same columns: {listed(other, 5)} "
            "are in one of them only."
        )


def _common_dtype(name: str, files: Sequence[str], schemas: Sequence[Schema], wishes: Wishes) -> pl.DataType:
    """The dtype in which a column is read from all files.

    A column without any value has no dtype and fits any other. Numbers and other values do not fit together, unless the
    caller says what the column holds.
    """
    known = [(file, schema[name]) for file, schema in zip(files, schemas) if schema[name] != pl.Null]
    dtypes = [dtype for _, dtype in known]
    kinds = {kind_of(dtype) for dtype in dtypes}
    numbers = kinds <= {"number"}
    if name in wishes.numeric and not numbers:
        return pl.Float64()
    if name in wishes.nominal and not kinds <= {"categorical"}:
        return pl.String()
    if len(set(dtypes)) < 2:
        return dtypes[0] if dtypes else pl.Null()
    if numbers:
        small = all(dtype.is_integer() and dtype not in _LONG for dtype in dtypes)
        return pl.Int64() if small else pl.Float64()
    for file, dtype in known:
        if (kind_of(dtype) == "number") != (kind_of(dtypes[0]) == "number"):
            raise TableError(
                f"the column {name!r} is of type {dtypes[0]} in {Path(known[0][0]).name} and of type {dtype} in "
                f"{Path(file).name}. Give it one type in all files."
            )
    return pl.String() if kinds <= {"categorical"} else dtypes[0]
