"""Some rows of a Parquet file, read on request, and facts about their columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tamis.table._dataset import TableError
from tamis.table._target import holds_numbers
from tamis.table.parts.stores import here
from tamis.table.reading.binary import FAILURES, unreadable
from tamis.table.reading.checks import judged_columns
from tamis.table.reading.facts import TEXT, ColumnFacts, column_facts, merged_facts, plain_numbers
from tamis.table.reading.labels import check_labelled, has_label, judged_target, labelled_rows, target_facts
from tamis.table.reading.types import as_plain_numbers, as_wished, refuse_kind, refuse_words
from tamis.table.reading.wishes import Wishes, with_missing_values


@dataclass(frozen=True)
class Rules:
    """How the rows of all files of a table are read.

    Attributes
    ----------
    source : str
        The name of the files in messages.
    wishes : Wishes
        What the caller said about the kinds of columns.
    missing_values : tuple of str
        Values that mark a missing value.
    drop_unlabelled : bool
        Whether rows without a label are left out.
    dtypes : dict of str to polars.DataType
        The dtypes of columns that do not have the same in all files.
    """

    source: str = "the files"
    wishes: Wishes = field(default_factory=Wishes)
    missing_values: tuple[str, ...] = ()
    drop_unlabelled: bool = False
    dtypes: Mapping[str, pl.DataType] = field(default_factory=dict)

    def applied(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows with the rules applied."""
        frame = with_missing_values(frame, self.missing_values)
        texts = [series for series in frame.iter_columns() if self.makes_numbers(series)]
        frame = frame.with_columns(*(as_plain_numbers(series, self.wishes)[0] for series in texts))
        frame = as_wished(frame, self.wishes, self.source)
        others = {name: dtype for name, dtype in self.dtypes.items() if name in frame.columns}
        return frame.cast(others) if others else frame  # type: ignore[arg-type]

    def makes_numbers(self, series: pl.Series) -> bool:
        """Whether a column's texts are to become numbers."""
        return series.name in self.wishes.numeric and series.dtype in TEXT


class _Labels(NamedTuple):
    """A column of labels in as few bytes as possible, and the dtype in which it was read."""

    values: pl.Series
    dtype: pl.DataType

    @classmethod
    def of(cls, labels: pl.Series) -> _Labels:
        if labels.dtype == pl.String:
            return cls(labels.cast(pl.Enum(labels.drop_nulls().unique())), labels.dtype)
        return cls(labels.shrink_dtype() if labels.dtype.is_integer() else labels, labels.dtype)

    def as_read(self) -> pl.Series:
        return self.values.cast(self.dtype)


@dataclass(frozen=True)
class ParquetPart:
    """Some rows of a Parquet file, read on request.

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
    rules : Rules
        How they are read.

    Notes
    -----
    The labels are read once and then held here, in as few bytes as possible. A part that is sent to another process is
    sent without them.
    """

    file: str
    first: int
    n_rows: int
    columns: tuple[str, ...]
    target: str
    weight: str | None = None
    rules: Rules = field(default_factory=Rules)
    _labels: list[_Labels] = field(default_factory=list, init=False, repr=False, compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        given = (self.file, self.first, self.n_rows, self.columns, self.target, self.weight, self.rules)
        return ParquetPart, given

    def table(self, columns: Sequence[int] | None = None) -> pl.DataFrame:
        """The features, or some of them by position; only these are read."""
        wanted = self.columns if columns is None else [self.columns[j] for j in columns]
        return self._read(list(wanted))

    def labels(self) -> NDArray[Any]:
        """The labels: texts, or numbers and booleans as they are."""
        series = self._read([self.target]).to_series()
        if series.dtype not in TEXT:
            return series.to_numpy()
        classes = series.unique().drop_nulls().cast(pl.String).sort()
        codes = series.cast(pl.Enum(classes)).to_physical().to_numpy()
        labels: NDArray[Any] = np.array(classes.to_list(), dtype=np.str_)[codes]
        return labels

    def weights(self) -> NDArray[Any] | None:
        """The weights, None if there are none."""
        return None if self.weight is None else self._read([self.weight]).to_series().to_numpy()

    def raw(self, columns: list[str]) -> pl.DataFrame:
        """Some columns as they are in the file."""
        if self.target not in columns:
            return self._from_file(columns)
        if not self._labels:
            frame = self._from_file(columns)
            self._labels.append(_Labels.of(frame[self.target]))
            return frame
        others = [name for name in columns if name != self.target]
        labels = self._labels[0].as_read()
        frame = self._from_file(others).with_columns(labels) if others else labels.to_frame()
        return frame.select(columns)

    def _from_file(self, columns: list[str]) -> pl.DataFrame:
        name = Path(self.file).name
        try:
            lazy = pl.scan_parquet(here(self.file), glob=False, hive_partitioning=False)
            frame = lazy.slice(self.first, self.n_rows).select(columns).collect()
        except FAILURES as error:
            raise unreadable(name, "Parquet", error) from None
        if frame.height != self.n_rows:
            raise TableError(f"{name} has changed while it was read. Run again.")
        return frame

    def _read(self, columns: list[str]) -> pl.DataFrame:
        if not self.rules.drop_unlabelled:
            return self.rules.applied(self.raw(columns))
        wanted = list(dict.fromkeys([*columns, self.target]))
        frame = self.rules.applied(self.raw(wanted))
        return labelled_rows(frame, self.target).select(columns)


@dataclass(frozen=True)
class PartFacts:
    """Facts about all columns, from the rows of one part.

    Attributes
    ----------
    columns : list of ColumnFacts
        The features.
    target : ColumnFacts
        The labels.
    words : mapping of str to polars.Series
        Values of columns named numeric that are not numbers.
    """

    columns: list[ColumnFacts]
    target: ColumnFacts
    words: Mapping[str, pl.Series] = field(default_factory=dict)


def part_facts(part: ParquetPart) -> PartFacts:
    """Collect the facts about all columns of a part."""
    raw, rules = part.raw([*part.columns, part.target]), part.rules
    words = {}
    for name in rules.wishes.numeric & set(raw.columns):
        refuse_kind(name, rules.source, raw[name].dtype)
        if rules.makes_numbers(raw[name]):
            words[name] = as_plain_numbers(
                with_missing_values(raw.select(name), rules.missing_values).to_series(), rules.wishes
            )[1]
    frame = rules.applied(raw)
    target = target_facts(frame[part.target])
    rows = np.arange(1, frame.height + 1)
    if rules.drop_unlabelled:
        rows = rows[has_label(frame[part.target]).to_numpy()]
        frame = labelled_rows(frame, part.target)
    frame, endless = plain_numbers(frame.drop(part.target))
    frame = frame.with_columns(_whole(frame[name]) for name in words if name != part.target)
    columns = [column_facts(series, endless.get(series.name, ()), rows) for series in frame.iter_columns()]
    return PartFacts(columns, target, words)


def _whole(numbers: pl.Series) -> pl.Series:
    """Floats as integers if all of them are whole."""
    whole = numbers.cast(pl.Int64, strict=False)
    return whole if whole.null_count() == numbers.null_count() and (whole == numbers).all() else numbers


def _shifted(facts: ColumnFacts, n_before: int) -> ColumnFacts:
    """The facts of a part, with rows numbered from the first row of the whole table."""
    if not facts.words or not n_before:
        return facts
    return replace(facts, words={text: row + n_before for text, row in facts.words.items()})


def _is_numeric(target: ColumnFacts, kind: str) -> bool:
    """Whether a target is taken as numbers."""
    if kind != "auto" or target.counts is None or not target.dtype.is_float():
        return kind == "numbers"
    return holds_numbers(target.counts["value"].cast(pl.Float64).to_numpy())


def judged_parts(
    parts: Sequence[PartFacts], rules: Rules, nominal: frozenset[str], target_kind: str = "classes"
) -> list[str]:
    """Raise the errors that the same table in one file would raise; give the notes for the user.

    Parameters
    ----------
    parts : sequence of PartFacts
        The facts of the parts, in their order.
    rules : Rules
        How they are read.
    nominal : frozenset of str
        Columns known to be categorical, besides those that the rules name.
    target_kind : {"auto", "classes", "numbers"}, default="classes"
        What the target holds. A numeric one is judged when it is read.
    """
    source = rules.source
    for name in {name for part in parts for name in part.words}:
        refuse_words(name, source, pl.concat([part.words[name] for part in parts if name in part.words]))
    nominal |= rules.wishes.nominal
    before = np.cumsum([0, *(part.target.n_rows for part in parts)]).tolist()
    target = merged_facts([_shifted(part.target, first) for part, first in zip(parts, before)])
    notes = check_labelled(target, source, rules.drop_unlabelled)
    if not _is_numeric(target, target_kind):
        notes += judged_target(target, source, target.name in nominal)
    columns = [
        merged_facts([_shifted(facts, first) for facts, first in zip(of_parts, before)])
        for of_parts in zip(*(part.columns for part in parts))
    ]
    return notes + judged_columns(columns, source, nominal, in_parts=True)
