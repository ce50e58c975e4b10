"""What decides how a column is used: found in the whole column, or in its parts and put together.

`_kinds` and `_labels` decide by these facts alone. So a column of one file and the same column in a folder of files come
to the same kind, the same note or the same sentence.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

TEXT = (pl.String, pl.Categorical, pl.Enum)

#: Of a column in parts no more different texts are kept than these, and the rows that hold others are not counted.
MOST_TEXTS = 1 << 17

_IDENTIFIER_NAME = re.compile(
    r"(?i:(^|[^a-z])(id|ids|idx|index|uuid|guid|key|nr|row|serial)([^a-z]|$))|[a-z]I[dD]$"
)


@dataclass(frozen=True)
class ColumnFacts:
    """What is known of a column.

    Attributes
    ----------
    name : str
        Its name.
    dtype : polars.DataType
        Its dtype.
    n_rows, n_null : int
        Its rows, and those without a value.
    endless : tuple of str
        Which of ``inf`` and ``-inf`` it holds.
    least, most : number or None
        The least and the largest of its numbers.
    counts : polars.DataFrame or None
        Its different values and how often each occurs (``value``, ``count``), nulls aside; of numbers only where they were
        asked for.
    rising : bool
        Whether its whole numbers rise by one from row to row.
    different : ndarray or None
        Its whole numbers, where they are named like an identifier and all differ.
    """

    name: str
    dtype: pl.DataType
    n_rows: int
    n_null: int
    endless: tuple[str, ...] = ()
    least: Any = None
    most: Any = None
    counts: pl.DataFrame | None = None
    rising: bool = False
    different: NDArray[Any] | None = None

    @property
    def n_counted(self) -> int:
        """The rows in `counts`."""
        return 0 if self.counts is None else int(self.counts["count"].sum())


def plain_numbers(frame: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, tuple[str, ...]]]:
    """Turn decimals into floats and NaN into nulls; give also the infinities of the columns that hold some."""
    changed, endless = [], {}
    for series, dtype in zip(frame.get_columns(), frame.dtypes):
        if dtype.is_decimal():
            changed.append(series.cast(pl.Float64))
        elif dtype.is_float() and not math.isfinite(series.sum()):  # NaN, infinite, or very large numbers
            series = series.fill_nan(None)
            changed.append(series)
            if series.is_infinite().any():
                endless[series.name] = tuple(t for t in ("inf", "-inf") if (series == float(t)).any())
    return frame.with_columns(changed) if changed else frame, endless


def column_facts(series: pl.Series, endless: tuple[str, ...] = ()) -> ColumnFacts:
    """Look at a column of a frame from `plain_numbers`, whose infinities are given."""
    facts = ColumnFacts(series.name, series.dtype, len(series), series.null_count(), endless)
    if series.dtype in TEXT or series.dtype == pl.Boolean:
        return replace(facts, counts=value_counts(series))
    if not series.dtype.is_numeric():
        return facts
    least, most = series.min(), series.max()
    facts = replace(facts, least=least, most=most)
    if not series.dtype.is_integer() or facts.n_null or not len(series) or least == most:
        return replace(facts, rising=len(series) == 1 and series.dtype.is_integer() and not facts.n_null)
    if most - least + 1 == len(series) and series.is_sorted():  # type: ignore[operator]
        return replace(facts, rising=series.n_unique() == len(series))
    if _IDENTIFIER_NAME.search(series.name) and series.n_unique() == len(series):
        return replace(facts, different=series.to_numpy())
    return facts


def value_counts(series: pl.Series) -> pl.DataFrame:
    """The different values of a column, nulls aside, and how often each occurs."""
    return series.drop_nulls().alias("value").value_counts(name="count")


def merged_facts(parts: Sequence[ColumnFacts]) -> ColumnFacts:
    """Put together what parts of a column, in their order, have shown."""
    parts = [part for part in parts if part.n_rows] or list(parts[:1])
    if len(parts) == 1:
        return parts[0]
    known = [part for part in parts if part.n_null < part.n_rows] or parts[:1]
    numbers = [part for part in known if part.least is not None]
    whole = numbers and len(numbers) == len(parts)
    return ColumnFacts(
        name=parts[0].name,
        dtype=next((part.dtype for part in known if part.dtype.is_temporal()), known[0].dtype),
        n_rows=sum(part.n_rows for part in parts),
        n_null=sum(part.n_null for part in parts),
        endless=tuple(text for text in ("inf", "-inf") if any(text in part.endless for part in parts)),
        least=min((part.least for part in numbers), default=None),
        most=max((part.most for part in numbers), default=None),
        counts=_merged_counts([part.counts for part in known]),
        rising=bool(whole) and _rise(numbers),
        different=_all_different(numbers) if whole else None,
    )


def _rise(parts: Sequence[ColumnFacts]) -> bool:
    follows = all(after.least == before.most + 1 for before, after in pairwise(parts))
    return follows and all(part.rising for part in parts)


def _all_different(parts: Sequence[ColumnFacts]) -> NDArray[Any] | None:
    """The whole numbers of all parts, where all of them differ."""
    if not _IDENTIFIER_NAME.search(parts[0].name):
        return None
    found = []
    for part in parts:
        if part.rising:
            found.append(np.arange(part.least, part.most + 1))
        elif part.different is not None:
            found.append(part.different)
        else:
            return None
    numbers = np.concatenate(found)
    return numbers if len(np.unique(numbers)) == len(numbers) else None


def _merged_counts(parts: list[pl.DataFrame | None]) -> pl.DataFrame | None:
    found = [frame for frame in parts if frame is not None]
    if not found or len(found) < len(parts):
        return None
    if len({frame["value"].dtype for frame in found}) > 1 or found[0]["value"].dtype in TEXT:
        numeric = all(frame["value"].dtype.is_numeric() for frame in found)
        found = [
            frame.with_columns(pl.col("value").cast(pl.Float64 if numeric else pl.String)) for frame in found
        ]
    every = pl.concat([frame.with_columns(pl.col("count").cast(pl.Int64)) for frame in found])
    return every.group_by("value", maintain_order=True).agg(pl.col("count").sum()).head(MOST_TEXTS)
