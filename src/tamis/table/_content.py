"""Digests that identify a table: of its names, dtypes and values, or of the files that hold it."""

from __future__ import annotations

import os

import numpy as np
import polars as pl

from tamis._identity import description, digest
from tamis.table._dataset import Dataset
from tamis.table.parts.parted import PartedTable

_WHOLE_BYTES = 1 << 28  # files of up to this total size are read whole
_END_BYTES = 1 << 16  # the end of a Parquet file: its metadata, with the ranges of its columns


def content_digest(dataset: Dataset) -> str:
    """A text that identifies a table: its names, dtypes, values, labels and the target's name."""
    told = [(series.name, *_column(series)) for series in dataset.X.iter_columns()]
    return digest(np.array([description((told, dataset.target, dataset.y))]))


def files_digest(table: PartedTable) -> str:
    """The same for Parquet files; of large files only the end is read, which holds counts, dtypes and ranges."""
    told = []
    files = list(dict.fromkeys(part.file for part in table.parts))
    whole = sum(map(os.path.getsize, files)) <= _WHOLE_BYTES
    for file in files:
        with open(file, "rb") as stream:
            size = stream.seek(0, os.SEEK_END)
            stream.seek(0 if whole else max(0, size - _END_BYTES))
            told.append((os.path.basename(file), size, digest(np.frombuffer(stream.read(), dtype=np.uint8))))
    return digest(np.array([description((told, table.names, table.target, _rules(table)))]))


def _rules(table: PartedTable) -> tuple[str, ...]:
    """How the caller asked for the files to be read."""
    rules = table.parts[0].rules
    kinds = (sorted(rules.wishes.nominal), sorted(rules.wishes.numeric))
    return tuple(map(repr, (*kinds, rules.missing_values, rules.drop_unlabelled)))


def _column(series: pl.Series) -> tuple[str, str]:
    """The dtype of a column and a digest of its values; texts as their distinct values and codes."""
    missing, dtype = series.is_null().to_numpy(), series.dtype
    if dtype not in (pl.String, pl.Categorical, pl.Enum):
        plain = series.to_physical()
        filled = plain.fill_null(False if plain.dtype == pl.Boolean else 0)
        return str(dtype), digest(missing, filled.to_numpy())
    texts = series.cast(pl.String)
    different = texts.drop_nulls().unique().sort()
    codes = texts.cast(pl.Enum(different)).to_physical().fill_null(0)
    declared = dtype.categories.to_list() if isinstance(dtype, pl.Enum) else type(dtype).__name__
    return description(declared), digest(
        missing, codes.to_numpy(), np.array(different.to_list(), dtype=np.str_)
    )
