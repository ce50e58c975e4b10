"""The rows of a table in parts as they are: target and weights of all, some rows, or all rows of some columns.

For methods whose answer is to be that of the table in memory, bit for bit: what is read here is what memory would hold, in
the order of the rows, wherever one part ends and the next begins.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from tamis.table._encode import _categories, _coded, _column_values, _columns, as_frame
from tamis.table._rows import rows_of
from tamis.table._table import Labels, Numbers, Schema, Table, Target
from tamis.table._target import as_floats, checked_numbers
from tamis.table.parts.opened import Pieces, kind_of_parts
from tamis.table.parts.parted import Part
from tamis.table.parts.passes import (
    LabelFacts,
    Reading,
    finite_values,
    labelled_part,
    merged_labels,
    merged_schema,
)

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

__all__ = ["PartRows", "joined", "told_rows"]

Float = NDArray[np.float64]
Ints = NDArray[np.intp]
BLOCK_BYTES = 1 << 28  # of the columns that are read at a time


@dataclass(frozen=True)
class PartRows:
    """What is known of all rows of a table in parts; made by `told_rows`.

    Attributes
    ----------
    pieces : Pieces
        The parts.
    reading : Reading
        How they are read.
    lengths : list of int
        How many rows they have.
    target : Target or Numbers
        The target of all rows.
    weights : ndarray, shape (n,), or None
        The weights of all rows as given.
    schema : Schema
        The kinds of the columns, and the values of categorical ones in all rows.
    """

    pieces: Pieces
    reading: Reading
    lengths: list[int]
    target: Target | Numbers
    weights: Float | None
    schema: Schema

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return sum(self.lengths)

    @property
    def positions(self) -> Table:
        """A table whose one column is the position of each row: what leaves out rows tells which with it."""
        return Table(np.arange(float(self.n_rows))[:, None], Schema(np.zeros(1, dtype=np.bool_), (None,)))

    def some_rows(self, rows: Ints) -> Table:
        """Some rows, ascending, of all columns."""
        return self._read(self._in_parts(rows), np.arange(self.pieces.table.n_columns))

    def blocks(self, rows: Ints) -> Iterator[tuple[Ints, Table]]:
        """Some rows, ascending, of all columns: some columns at a time, and which."""
        every = np.arange(self.pieces.table.n_columns)
        width = max(1, BLOCK_BYTES // (8 * self.n_rows))
        own = [(None,)] * len(self.lengths) if len(rows) == self.n_rows else self._in_parts(rows)
        for first in range(0, len(every), width):
            columns = every[first : first + width]
            yield columns, self._read(own, columns)

    def each(
        self,
        function: Callable[..., Any],
        rows: Ints,
        columns: Ints,
        along: Sequence[NDArray[Any]],
        *more: Any,
    ) -> list[Any]:
        """``function(values, *along, *more)`` of some rows and columns of every part; `along` runs along the rows, (..., n)."""
        firsts = np.cumsum([0, *self.lengths])
        cuts = np.searchsorted(rows, firsts)
        own = [
            (length, *one, [array[..., a:b] for array in along])
            for length, one, a, b in zip(self.lengths, self._in_parts(rows), cuts[:-1], cuts[1:])
        ]
        arguments = (columns, self.reading, self._cut(columns), function, *more)
        return self.pieces.each(called_on_part, own, *arguments)

    def frame(self, rows: Ints) -> Any:
        """Some rows, ascending, as they came: an array or a frame."""
        tables = self.pieces.each(rows_as_they_came, self._in_parts(rows))
        return joined([table for table in tables if table is not None])

    def _in_parts(self, rows: Ints) -> list[tuple[Any, ...]]:
        """The positions of some rows within each part."""
        firsts = np.cumsum([0, *self.lengths])
        cuts = np.searchsorted(rows, firsts)
        return [(rows[a:b] - first,) for a, b, first in zip(cuts[:-1], cuts[1:], firsts)]

    def _read(self, own: Sequence[tuple[Any, ...]], columns: Ints) -> Table:
        schema = self._cut(columns)
        asked = [(length, *one) for length, one in zip(self.lengths, own)]
        read = self.pieces.each(values_of_part, asked, columns, self.reading, schema)
        values = np.empty((sum(map(len, read)), len(columns)), order="F")
        np.concatenate(read, out=values)
        return Table(values, schema)

    def _cut(self, columns: Ints) -> Schema:
        return Schema(self.schema.nominal[columns], tuple(self.schema.categories[j] for j in columns))


def told_rows(
    estimator: BaseEstimator, pieces: Pieces, nominal: NDArray[np.bool_], kind: str | None = None
) -> PartRows:
    """Read the target and the weights of all rows, and the values of categorical columns.

    Parameters
    ----------
    estimator : estimator
        The estimator that asks, with the parameter `target_kind` unless `kind` is given.
    pieces : Pieces
        The table.
    nominal : ndarray of bool, shape (d,)
        Which columns are categorical.
    kind : {"classes", "numbers"}, optional
        What the target holds.

    Returns
    -------
    PartRows
        All rows, those without weight too.
    """
    who = type(estimator).__name__
    reading = Reading(clone(estimator), nominal)
    numeric = (kind or kind_of_parts(estimator, pieces)) == "numbers"
    found = pieces.labels(target_of_part, reading, numeric)
    target: Target | Numbers
    if numeric:
        target = Numbers(checked_numbers(who, np.concatenate([numbers for _, numbers, _ in found])))
    else:
        looks = [LabelFacts(classes, np.bincount(codes)) for classes, codes, _ in found]
        classes, _ = merged_labels(looks, who)
        codes = [np.searchsorted(classes, own)[codes] for own, codes, _ in found if len(own)]
        target = Target(np.concatenate(codes), classes)
    weights = None if found[0][2] is None else np.concatenate([held for _, _, held in found])
    seen = (
        pieces.each(categories_of_part, [()] * len(found), reading)
        if nominal.any()
        else list[dict[int, Labels]]()
    )
    schema = merged_schema(nominal, seen, pieces.table.names, sys.maxsize, who)
    return PartRows(pieces, reading, [len(labels) for _, labels, _ in found], target, weights, schema)


def target_of_part(part: Part, reading: Reading, numeric: bool) -> tuple[Labels, NDArray[Any], Float | None]:
    """The classes of a part and the code of each row in few bytes, or its numbers; and its weights."""
    labels, weights, _ = labelled_part(part, reading)
    if numeric:
        return np.empty(0), as_floats(reading.who, labels), weights
    classes, codes = np.unique(labels, return_inverse=True)
    return classes, codes.astype(np.min_scalar_type(len(classes))), weights


def categories_of_part(part: Part, reading: Reading) -> dict[int, Labels]:
    """The values of the categorical columns of a part, in order."""
    columns = np.flatnonzero(reading.nominal).tolist()
    X = part.table(columns)
    frame = as_frame(X)
    if frame is not None:
        series = _columns(reading.estimator, frame)
        return {column: _categories(reading.estimator, one) for column, one in zip(columns, series)}
    values = finite_values(reading.who, X)
    return {column: np.unique(own[~np.isnan(own)]) for column, own in zip(columns, values.T)}


def values_of_part(
    part: Part, n_rows: int, rows: Ints | None, columns: Ints, reading: Reading, schema: Schema
) -> Float:
    """Some columns of a part of so many rows as numbers, categories as codes: all rows, or some."""
    if rows is not None and not len(rows):
        return np.empty((0, len(columns)))
    X = part.table(columns.tolist())
    frame = as_frame(X)
    found = X.shape[0] if frame is None else frame.shape[0]
    if found != n_rows:
        raise ValueError(f"{reading.who}: a part of X has {found} rows, but that of y has {n_rows}.")
    if frame is not None:
        frame = frame if rows is None else frame[rows.tolist(), :]
        return _column_values(reading.estimator, _columns(reading.estimator, frame), schema)
    values = finite_values(reading.who, X if rows is None else np.asarray(X)[rows])
    return _coded(values, schema)


def called_on_part(
    part: Part,
    n_rows: int,
    rows: Ints,
    along: list[NDArray[Any]],
    columns: Ints,
    reading: Reading,
    schema: Schema,
    function: Callable[..., Any],
    *more: Any,
) -> Any:
    """What a function makes of some rows and columns of a part."""
    return function(values_of_part(part, n_rows, rows, columns, reading, schema), *along, *more)


def rows_as_they_came(part: Part, rows: Ints) -> Any:
    """Some rows of a part, as a frame or an array; None for none."""
    if not len(rows):
        return None
    X = part.table()
    return rows_of(np.asarray(X) if as_frame(X) is None else X, rows)


def joined(tables: list[Any]) -> Any:
    """The rows of several arrays or frames as one."""
    frames = [as_frame(table) for table in tables]
    if frames[0] is None:
        return np.concatenate([np.asarray(table) for table in tables])
    return nw.concat([frame for frame in frames if frame is not None], how="vertical").to_native()
