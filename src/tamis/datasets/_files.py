"""Data sets from files: those in the package, and those in the folder TAMIS_DATA."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import sys
import zlib
from collections import Counter
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.datasets._frames import labels, typed_frame

if TYPE_CHECKING:
    import polars as pl

    from tamis.datasets._entry import Entry
    from tamis.table._dataset import Dataset

#: The folder of the shipped sets.
FOLDER = files("tamis.datasets") / "data"

#: The environment variable that names the user's folder of data sets, and the endings looked for in it, in order.
VARIABLE = "TAMIS_DATA"
ENDINGS = (".csv", ".csv.gz", ".parquet")

_TARGET = "target"
_MISSING = ["", "?", "NA", "NaN", "nan"]
_ROWS_TO_INFER_FROM = 1000
_BROKEN = (OSError, EOFError, zlib.error)


def shipped_dataset(entry: Entry) -> Dataset:
    """Return a data set that ships with the package, after checking its text against the index."""
    from tamis.table._dataset import TableError

    filename = f"{entry.name}.csv.gz"
    again = "Install tamis again."
    try:
        content = gzip.decompress((FOLDER / filename).read_bytes())
    except _BROKEN as error:
        raise TableError(f"the shipped file {filename} cannot be read ({error}). {again}") from None
    digest = hashlib.sha256(content).hexdigest()
    if digest != entry.sha256:
        raise TableError(
            f"the shipped file {filename} is damaged: its sha256 is {digest}, the index says {entry.sha256}. {again}"
        )
    return dataset_of(entry, _read_csv(content, entry), [])


def local_file(entry: Entry) -> Path | None:
    """Return the file of a data set in the folder TAMIS_DATA, or None."""
    folder = os.environ.get(VARIABLE)
    candidates = [Path(folder) / (entry.name + ending) for ending in ENDINGS] if folder else []
    return next((path for path in candidates if path.is_file()), None)


def local_dataset(entry: Entry, path: Path) -> Dataset:
    """Return a data set from the user's folder, with a note if the file is not the one that the index describes."""
    import polars as pl

    from tamis.table._dataset import TableError
    from tamis.table.reading.binary import binary_frame
    from tamis.table.reading.unpack import unpacked_gzip

    same = False
    try:
        if path.suffix == ".parquet":
            frame = binary_frame(path, "Parquet")
        else:
            packed = path.suffix == ".gz"
            content = unpacked_gzip(path, None, sys.maxsize).text or b"" if packed else path.read_bytes()
            same = hashlib.sha256(content).hexdigest() == entry.sha256
            frame = _read_csv(content, entry)
    except (*_BROKEN, pl.exceptions.PolarsError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".:")
        raise TableError(
            f"{path.name} in the folder {VARIABLE} cannot be read: {reason}. Replace it."
        ) from None
    if frame.width < 2 or not frame.height:
        raise TableError(
            f"{path.name} in the folder {VARIABLE} has {frame.height} rows and {frame.width} columns. Replace it."
        )
    dataset = dataset_of(entry, frame, [f"Read from {path.name} in the folder {VARIABLE}."])
    if same:
        return dataset
    other = (
        "A Parquet file has no text to compare"
        if path.suffix == ".parquet"
        else "The text is not the one known"
    )
    notes = [f"{other} (sha256 {entry.sha256[:12]}...).", *differences(entry, dataset)]
    return replace(dataset, notes=(*dataset.notes, *notes))


def dataset_of(entry: Entry, frame: pl.DataFrame, notes: list[str]) -> Dataset:
    """Return the frame as a data set: the labels separated, the dtypes as the index says."""
    from tamis.table._dataset import Dataset, TableError

    target = _TARGET if _TARGET in frame.columns else frame.columns[-1]
    if target != _TARGET:
        notes.append(f"No column {_TARGET!r}: the last one, {target!r}, is the class.")
    unlabelled = frame[target].null_count()
    if unlabelled:
        raise TableError(
            f"{entry.name} has {unlabelled} rows without a label in column {target!r}. Remove them."
        )
    X, unnamed = typed_frame(frame.drop(target), entry.nominal)
    if unnamed:
        notes.append(f"Columns of text that the index does not list as categorical: {', '.join(unnamed)}.")
    return Dataset(
        name=entry.name,
        X=X,
        y=labels(frame[target].to_list(), entry.target_kind),
        target=target,
        notes=(*entry.notes, *notes),
        description=entry.description,
        informative=tuple(name for name in entry.informative if name in X.columns),
        target_kind=entry.target_kind,
    )


def differences(entry: Entry, dataset: Dataset) -> list[str]:
    """Return sentences about how a data set from outside differs from what the index says."""
    notes = []
    numbers: dict[str, Any] = {
        "rows": dataset.X.height,
        "columns": dataset.X.width,
        "missing values": sum(dataset.X.null_count().row(0)),
    }
    for what, number in (("rows", entry.rows), ("columns", entry.columns), ("missing values", entry.missing)):
        if numbers[what] != number:
            notes.append(f"It has {numbers[what]} {what}; the data set known by this name has {number}.")
    counts = Counter(map(str, dataset.y.tolist()))
    if counts != Counter(dict(zip(entry.classes, entry.class_counts))):
        here = ", ".join(f"{label}: {count}" for label, count in sorted(counts.items())[:10])
        known = ", ".join(f"{label}: {count}" for label, count in zip(entry.classes, entry.class_counts))
        notes.append(f"Its classes are {here}; those of the data set known by this name are {known}.")
    absent = np.setdiff1d([*entry.nominal, *entry.informative], dataset.X.columns).tolist()
    if absent:
        notes.append(f"Columns that the index names but the table lacks: {', '.join(absent)}.")
    return notes


def _read_csv(content: bytes, entry: Entry) -> pl.DataFrame:
    """Return the CSV text as a frame; categorical columns and the class as text, others by their values."""
    import polars as pl

    header = pl.read_csv(io.BytesIO(content), n_rows=0, infer_schema_length=0).columns
    texts = {*entry.nominal, _TARGET} & set(header) or {header[-1]}

    def read(rows_to_infer_from: int | None) -> pl.DataFrame:
        return pl.read_csv(
            io.BytesIO(content),
            schema_overrides=dict.fromkeys(texts, pl.String),
            infer_schema_length=rows_to_infer_from,
            null_values=_MISSING,
        )

    # Inferring dtypes from every row is slow on large files, and rarely needed: polars fails if later rows do not fit,
    # and a column without values in the first rows looks like text.
    try:
        frame = read(_ROWS_TO_INFER_FROM)
        if all(name in texts or dtype != pl.String for name, dtype in frame.schema.items()):
            return frame
    except pl.exceptions.ComputeError:
        pass
    return read(None)
