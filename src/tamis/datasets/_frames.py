"""Columns with the right dtypes: categorical as Enum, numbers as Int64 or Float64, missing values as nulls."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from numpy.typing import NDArray

    from tamis.table._dataset import Dataset

_INTEGER = re.compile(r"-?(0|[1-9]\d{0,17})")


def nominal_column(column: pl.Series) -> pl.Series:
    """Return the column as an Enum whose categories are its values in sorted order."""
    import polars as pl

    texts = column.cast(pl.String)
    return texts.cast(pl.Enum(texts.drop_nulls().unique().sort()))


def numeric_column(column: pl.Series) -> pl.Series:
    """Return a column of numbers as Int64 or Float64, with NaN as missing; a column of only missing values is Float64."""
    import polars as pl

    if column.dtype.is_integer():
        return column.cast(pl.Int64)
    return column.cast(pl.Float64).fill_nan(None)


def typed_frame(frame: pl.DataFrame, nominal: Iterable[str]) -> tuple[pl.DataFrame, list[str]]:
    """Return the frame with proper dtypes, and the columns of text that `nominal` does not name.

    Those become categorical too: text has no other use here.
    """
    import polars as pl

    named, unnamed, columns = set(nominal), [], []
    for column in frame.iter_columns():
        is_number = column.dtype.is_numeric() or column.null_count() == frame.height
        if not is_number and column.name not in named:
            unnamed.append(column.name)
        columns.append(
            nominal_column(column) if column.name in named or not is_number else numeric_column(column)
        )
    return pl.DataFrame(columns), unnamed


def labels(values: Iterable[Any], target_kind: str = "classes") -> NDArray[Any]:
    """Return a numeric target as floats; labels as integers if all are written as integers, and as strings otherwise."""
    texts = [str(value) for value in values]
    if target_kind == "numbers":
        return np.array([float(text) for text in texts], dtype=np.float64)
    if all(_INTEGER.fullmatch(text) for text in set(texts)):
        return np.array([int(text) for text in texts], dtype=np.int64)
    return np.array(texts, dtype=np.str_)


def pandas_frame(frame: pl.DataFrame) -> pd.DataFrame:
    """Return the frame as a pandas frame, converted column by column, so that pyarrow is not needed.

    Enum becomes category. Integers with missing values become floats with NaN, as pandas itself would read them.
    """
    import pandas as pd
    import polars as pl

    columns: dict[str, Any] = {}
    for column in frame.iter_columns():
        if isinstance(column.dtype, pl.Enum):
            codes = column.to_physical().cast(pl.Int64).fill_null(-1).to_list()
            categories = pd.Index(column.dtype.categories.to_list(), dtype=object)
            columns[column.name] = pd.Categorical.from_codes(codes, categories=categories)
        elif column.null_count():
            columns[column.name] = np.array(
                column.cast(pl.Float64).fill_null(np.nan).to_list(), dtype=np.float64
            )
        else:
            columns[column.name] = column.to_numpy()
    return pd.DataFrame(columns)


def generated_dataset(
    name: str,
    X: pl.DataFrame,
    y: NDArray[Any],
    about: str,
    informative: tuple[str, ...],
    target_kind: str = "classes",
) -> Dataset:
    """Return a generated table as a data set."""
    from tamis.table._dataset import Dataset

    return Dataset(
        name=name,
        X=X,
        y=y,
        target="target",
        notes=(),
        description=about + " Generated.",
        informative=informative,
        target_kind=target_kind,
    )
