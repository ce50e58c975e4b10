"""The facts that decide how a column is used: collected from a whole column, or from its parts and merged.

`checks` and `labels` decide by these facts alone. So a column in one file and the same column in a folder of files get
the same kind, the same notes and the same errors.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tamis.table._kinds import kind_of
from tamis.table._names import quoted

TEXT = (pl.String, pl.Categorical, pl.Enum)
_FREE = (pl.String, pl.Categorical)  # dtypes that do not declare their values

#: Text columns with at least this share of numbers may be numbers with errors in them.
MOSTLY_NUMBERS = 0.9
#: How many of these errors a message names.
N_WORDS = 3
_SHARE_OF_PART = 0.5  # the same for a part of a column, where the share of errors may be larger

#: For a column in parts, at most this many distinct texts are counted; rows with other texts are not.
MOST_TEXTS = 1 << 17

#: Integers that all differ in a column of such a name are an identifier.
IDENTIFIER_NAME = re.compile(
    r"(?i:(^|[^a-z])(id|ids|idx|index|uuid|guid|key|nr|row|serial)([^a-z]|$))|[a-z]I[dD]$"
    r"|(?i:^(account|client|customer|invoice|order|phone|ticket|user)([^a-z]*(no|num|number))?$)"
)
#: Integers in a column of such a name are codes, not quantities: a postal code is neither small nor large.
CODE_NAME = re.compile(
    r"(?i:(^|[^a-z])(zip|zips|zipcode|postal|postalcode|postcode|plz|code|codes|phone|telephone|fips|sku|ean|isbn)([^a-z]|$))"
    r"|[a-z](Zip|Code|PostCode|Phone)$"
)


@dataclass(frozen=True)
class ColumnFacts:
    """The facts about a column.

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
        The smallest and the largest of its numbers.
    counts : polars.DataFrame or None
        Its distinct values without nulls, and how often each occurs (``value``, ``count``); for numbers only on request.
    rising : bool
        Whether its integers rise by one from row to row.
    different : ndarray or None
        Its integers, if the column is named like an identifier and all of them differ.
    words : mapping of str to int
        For a text column of mostly numbers: the first texts, in alphabetical order, that are not numbers, and the row of
        each, counted from 1.
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
    words: Mapping[str, int] = field(default_factory=dict)

    @property
    def n_counted(self) -> int:
        """The number of rows in `counts`."""
        return 0 if self.counts is None else int(self.counts["count"].sum())


def plain_numbers(frame: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, tuple[str, ...]]]:
    """Turn decimals into floats and NaN into nulls; give also the infinities in columns that hold any."""
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


def column_facts(
    series: pl.Series, endless: tuple[str, ...] = (), rows: NDArray[np.intp] | None = None
) -> ColumnFacts:
    """Collect the facts about a column of a frame from `plain_numbers`, whose infinities are given.

    `rows` are the numbers of its rows in the file, counted from 1, if some were left out.
    """
    facts = ColumnFacts(series.name, series.dtype, len(series), series.null_count(), endless)
    kind = kind_of(series.dtype)
    if kind == "categorical":
        counts = value_counts(series)
        return replace(facts, counts=counts, words=words_among_numbers(series, counts, rows))
    if kind != "number":
        return facts
    least, most = series.min(), series.max()
    facts = replace(facts, least=least, most=most)
    if not series.dtype.is_integer() or facts.n_null or not len(series) or least == most:
        return replace(facts, rising=len(series) == 1 and series.dtype.is_integer() and not facts.n_null)
    if most - least + 1 == len(series) and series.is_sorted():  # type: ignore[operator]
        return replace(facts, rising=series.n_unique() == len(series))
    if IDENTIFIER_NAME.search(series.name) and series.n_unique() == len(series):
        return replace(facts, different=series.to_numpy())
    return facts


def are_numbers(counts: pl.DataFrame) -> pl.Series:
    """Which of the distinct texts of a column are numbers."""
    return counts["value"].cast(pl.String).cast(pl.Float64, strict=False).is_not_null()


def mostly_numbers(counts: pl.DataFrame, share: float = MOSTLY_NUMBERS) -> bool:
    """Whether at least this share of the rows hold numbers."""
    number = are_numbers(counts)
    if number.all() or not number.any():
        return False
    return int(counts.filter(number)["count"].sum()) >= share * int(counts["count"].sum())


def words_among_numbers(
    series: pl.Series, counts: pl.DataFrame, rows: NDArray[np.intp] | None = None
) -> dict[str, int]:
    """`ColumnFacts.words` of a column."""
    if series.dtype not in _FREE or not mostly_numbers(counts, _SHARE_OF_PART):
        return {}
    words, number = {}, are_numbers(counts)
    for text in counts.filter(~number)["value"].cast(pl.String).sort().head(N_WORDS).to_list():
        row = int((series == text).arg_true()[0])
        words[text] = row + 1 if rows is None else int(rows[row])
    return words


def told_words(facts: ColumnFacts, words: Sequence[str]) -> str:
    """Some texts among the numbers of a column, with the rows of the first ones, for a message."""
    rows = [str(facts.words[text]) for text in words[:N_WORDS] if text in facts.words]
    where = f" (row{'s' * (len(rows) > 1)} {', '.join(rows)})" if rows else ""
    return f"{quoted(words, N_WORDS)}{where}"


def value_counts(series: pl.Series) -> pl.DataFrame:
    """The distinct values of a column without nulls, and how often each occurs."""
    return series.drop_nulls().alias("value").value_counts(name="count")


def merged_facts(parts: Sequence[ColumnFacts]) -> ColumnFacts:
    """Merge the facts about the parts of a column, given in their order."""
    parts = [part for part in parts if part.n_rows] or list(parts[:1])
    if len(parts) == 1:
        return parts[0]
    known = [part for part in parts if part.n_null < part.n_rows] or parts[:1]
    numbers = [part for part in known if part.least is not None]
    whole = numbers and len(numbers) == len(parts)
    return ColumnFacts(
        name=parts[0].name,
        dtype=next((part.dtype for part in known if kind_of(part.dtype) == "time"), known[0].dtype),
        n_rows=sum(part.n_rows for part in parts),
        n_null=sum(part.n_null for part in parts),
        endless=tuple(text for text in ("inf", "-inf") if any(text in part.endless for part in parts)),
        least=min((part.least for part in numbers), default=None),
        most=max((part.most for part in numbers), default=None),
        counts=_merged_counts([part.counts for part in known]),
        rising=bool(whole) and _rise(numbers),
        different=_all_different(numbers) if whole else None,
        words=_merged_words(parts),
    )


def _merged_words(parts: Sequence[ColumnFacts]) -> dict[str, int]:
    """The first texts in alphabetical order, each with its first row."""
    first: dict[str, int] = {}
    for part in parts:
        for text, row in part.words.items():
            first.setdefault(text, row)
    return {text: first[text] for text in sorted(first)[:N_WORDS]}


def _rise(parts: Sequence[ColumnFacts]) -> bool:
    follows = all(after.least == before.most + 1 for before, after in pairwise(parts))
    return follows and all(part.rising for part in parts)


def _all_different(parts: Sequence[ColumnFacts]) -> NDArray[Any] | None:
    """The integers of all parts, if all of them differ."""
    if not IDENTIFIER_NAME.search(parts[0].name):
        return None
    pieces = []
    for part in parts:
        if part.rising:
            pieces.append(np.arange(part.least, part.most + 1))
        elif part.different is not None:
            pieces.append(part.different)
        else:
            return None
    numbers = np.concatenate(pieces)
    return numbers if len(np.unique(numbers)) == len(numbers) else None


def _merged_counts(parts: list[pl.DataFrame | None]) -> pl.DataFrame | None:
    known = [frame for frame in parts if frame is not None]
    if not known or len(known) < len(parts):
        return None
    if len({frame["value"].dtype for frame in known}) > 1 or known[0]["value"].dtype in TEXT:
        numeric = all(kind_of(frame["value"].dtype) == "number" for frame in known)
        known = [
            frame.with_columns(pl.col("value").cast(pl.Float64 if numeric else pl.String)) for frame in known
        ]
    every = pl.concat([frame.with_columns(pl.col("count").cast(pl.Int64)) for frame in known])
    return every.group_by("value", maintain_order=True).agg(pl.col("count").sum()).head(MOST_TEXTS)
