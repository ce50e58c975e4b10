"""Folders of Parquet files as tables in parts."""

from __future__ import annotations

import glob
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tamis.table._binary import FAILURES, unreadable
from tamis.table._dataset import TableError
from tamis.table._guard import check_claims
from tamis.table._names import check_names, did_you_mean, listed
from tamis.table._parted import PartedTable
from tamis.table._room import bytes_of

CELLS_A_PART = 1 << 23  # values that are in memory as numbers at a time
_TEXT = (pl.String, pl.Categorical, pl.Enum)


@dataclass(frozen=True)
class ParquetPart:
    """Some rows of a Parquet file, read when they are asked for.

    Attributes
    ----------
    file : str
        The file.
    first, n_rows : int
        Which rows.
    columns : tuple of str
        The features.
    target : str
        The column of labels.
    weight : str or None
        The column of weights.
    """

    file: str
    first: int
    n_rows: int
    columns: tuple[str, ...]
    target: str
    weight: str | None = None

    def table(self) -> pl.DataFrame:
        """The features."""
        return self._read(list(self.columns))

    def labels(self) -> NDArray[Any]:
        """The labels: texts, or numbers and truth values as they are."""
        series = self._read([self.target]).to_series()
        missing = series.null_count() + (int(series.is_nan().sum()) if series.dtype.is_float() else 0)
        if missing:
            raise TableError(
                f"{missing} of {len(series)} rows of {Path(self.file).name}, from row {self.first} on, have no label "
                f"in {self.target!r}. Leave them out of the files."
            )
        if series.dtype not in _TEXT:
            return series.to_numpy()
        classes = series.unique().cast(pl.String).sort()
        codes = series.cast(pl.Enum(classes)).to_physical().to_numpy()
        labels: NDArray[Any] = np.array(classes.to_list(), dtype=np.str_)[codes]
        return labels

    def weights(self) -> NDArray[Any] | None:
        """The weights, None if there are none."""
        return None if self.weight is None else self._read([self.weight]).to_series().to_numpy()

    def _read(self, columns: list[str]) -> pl.DataFrame:
        try:
            frame = _scan(self.file).slice(self.first, self.n_rows).select(columns).collect()
        except FAILURES as error:
            raise unreadable(Path(self.file).name, "Parquet", error) from None
        if frame.height != self.n_rows:
            raise TableError(f"{Path(self.file).name} has changed while it was read. Run again.")
        return frame


def parquet_files(path: str | os.PathLike[str]) -> list[str]:
    """The Parquet files of a folder, or those that a pattern names, by name; a file alone names itself."""
    text = os.path.expanduser(os.fspath(path))
    if os.path.isdir(text):
        found = sorted(glob.glob(os.path.join(glob.escape(text), "*.parquet")))
        if not found:
            raise TableError(f"no file that ends in .parquet in the folder {text}.")
        return found
    if os.path.lexists(text):
        return [text]
    if glob.has_magic(text):
        found = sorted(glob.glob(text))
        if not found:
            raise TableError(f"no file fits the pattern {text!r}.")
        return found
    raise TableError(f"no file or folder {text}.")


def parquet_table(
    path: str | os.PathLike[str] | list[str],
    target: str | None = None,
    *,
    drop: tuple[str, ...] = (),
    weight: str | None = None,
    max_unpacked: int | str | None = None,
) -> PartedTable:
    """Look at the Parquet files of a folder without reading their rows.

    Parameters
    ----------
    path : str, path-like or list of str
        A folder, a pattern such as ``"folder/*.parquet"``, a file, or several files. Rows count in the order of the
        files' names.
    target : str, optional
        The column of labels; the last one if not given.
    drop : tuple of str, default=()
        Columns to leave out.
    weight : str, optional
        A column of weights.
    max_unpacked : int, str or None, default=None
        The most that one file may unpack to, at one byte a value; as in `tamis.table.read`.

    Returns
    -------
    PartedTable
        Parts of some tens of thousands of rows.
    """
    named = path if isinstance(path, list) else parquet_files(path)
    files = [
        os.path.abspath(os.path.expanduser(file)) for file in named
    ]  # workers may stand in other folders
    schemas = [_schema(file, bytes_of(max_unpacked)) for file in files]
    columns = list(schemas[0])
    for file, schema in zip(files, schemas):
        _refuse_other_columns(file, schema, files[0], schemas[0])
    where = Path(files[0]).name if len(files) == 1 else f"the {len(files)} files"
    target = _last_of(columns, drop, weight) if target is None else target
    for name in (target, *drop, *([] if weight is None else [weight])):
        if name not in columns:
            raise TableError(
                f"no column {name!r} in {where}.{did_you_mean(name, columns)} Columns: {listed(columns)}"
            )
    features = tuple(name for name in columns if name not in {target, weight, *drop})
    if not features:
        raise TableError(f"no columns are left in {where} besides the target {target!r}.")
    check_names(columns, Path(files[0]).name)
    step = max(1024, CELLS_A_PART // len(features))
    parts: list[ParquetPart] = []
    for file in files:
        n_rows = int(_collected(file, _scan(file).select(pl.len())).item())
        parts += [
            ParquetPart(file, first, min(step, n_rows - first), features, target, weight)
            for first in range(0, n_rows, step)
        ]
    if not parts:
        raise TableError(f"{where} have column names but no rows. Rows of data are needed.")
    example = pl.DataFrame(schema={name: schemas[0][name] for name in features})
    return PartedTable(parts, list(features), example, len(features), target)


def _scan(file: str) -> pl.LazyFrame:
    return pl.scan_parquet(file, glob=False, hive_partitioning=False)


def _collected(file: str, frame: pl.LazyFrame) -> pl.DataFrame:
    try:
        return frame.collect()
    except FAILURES as error:
        raise unreadable(Path(file).name, "Parquet", error) from None


def _schema(file: str, max_unpacked: int | None) -> dict[str, Any]:
    """The columns of a file that is fit to be read."""
    try:
        check_claims(Path(file), "Parquet", max_unpacked, in_parts=True)
        return dict(_scan(file).collect_schema())
    except FAILURES as error:
        raise unreadable(Path(file).name, "Parquet", error) from None


def _refuse_other_columns(file: str, schema: dict[str, Any], first: str, wanted: dict[str, Any]) -> None:
    """All files must have the same columns, each numeric in all of them or in none."""
    if set(schema) != set(wanted):
        other = sorted(set(schema) ^ set(wanted))
        raise TableError(
            f"{Path(file).name} and {Path(first).name} do not have the same columns: {listed(other, 5)} "
            "stand in one of them only."
        )
    for name, dtype in schema.items():
        if dtype.is_numeric() != wanted[name].is_numeric():
            raise TableError(
                f"the column {name!r} is of type {wanted[name]} in {Path(first).name} and of type {dtype} in "
                f"{Path(file).name}. Give it one type in all files."
            )


def _last_of(columns: list[str], drop: tuple[str, ...], weight: str | None) -> str:
    left = [name for name in columns if name not in drop and name != weight]
    if not left:
        raise TableError(f"no columns are left: all {len(columns)} are dropped.")
    return left[-1]
