"""Columns that carry no information of their own: constants, and exact copies of earlier columns."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.table._table import Float, Schema, Table

Ints = NDArray[np.intp]

CONSTANT = -1
"""Marks constant columns in the result of `first_equals`."""

_SAMPLES = (32, 4096)  # rows compared first: columns that differ in them need no further comparison
_BLOCK = 2**20  # values processed at a time


@dataclass(frozen=True)
class Distinct:
    """Which columns of a table are distinct; rankings are made of those alone, and extended to all columns here.

    Attributes
    ----------
    first : ndarray of int, shape (d,)
        For each column the lowest column with the same content: itself, or for a copy its original; `CONSTANT` for
        a constant. If all columns are constant, the first one counts as distinct.
    """

    first: Ints

    @classmethod
    def of(cls, table: Table, weights: Float | None = None, *, copies: bool = True) -> Distinct:
        """Find the distinct columns, by the rows of positive weight; without `copies` all that are not constant."""
        rows = None if weights is None or (weights > 0).all() else np.flatnonzero(weights > 0)
        first = first_equals(table.values, table.nominal, rows)
        if not copies:
            return cls.without(np.flatnonzero(first == CONSTANT), len(first))
        return cls(_one_at_least(first))

    @classmethod
    def without(cls, constants: Ints, n_columns: int) -> Distinct:
        """All of `n_columns` columns except the constants."""
        first = np.arange(n_columns)
        first[constants] = CONSTANT
        return cls(_one_at_least(first))

    @classmethod
    def of_firsts(cls, first: Ints) -> Distinct:
        """For each column the lowest column with the same content, or `CONSTANT`."""
        return cls(_one_at_least(first))

    @classmethod
    def of_prints(cls, prints: Iterable[bytes | None]) -> Distinct:
        """From what `prints` tells of every column."""
        seen: dict[bytes, int] = {}
        first = [
            CONSTANT if one is None else seen.setdefault(one, column) for column, one in enumerate(prints)
        ]
        return cls.of_firsts(np.array(first, dtype=np.intp))

    @property
    def columns(self) -> Ints:
        """The distinct columns, ascending."""
        return np.flatnonzero(self.first == np.arange(len(self.first)))

    def cut(self, table: Table) -> Table:
        """The distinct columns of the table."""
        columns = self.columns
        if len(columns) == table.n_columns:
            return table
        schema = Schema(table.nominal[columns], tuple(table.schema.categories[j] for j in columns))
        return Table(table.values[:, columns], schema)

    @property
    def constants(self) -> Ints:
        """The constant columns, ascending."""
        return np.flatnonzero(self.first == CONSTANT)

    @property
    def copies(self) -> Ints:
        """The copies, ascending."""
        return np.flatnonzero((self.first != CONSTANT) & (self.first != np.arange(len(self.first))))

    def spread(self, scores: Float) -> Float:
        """Scores of the distinct columns, (..., m), extended to all columns, (..., d).

        A copy has the score of its original, a constant 0.
        """
        all_scores = np.zeros((*scores.shape[:-1], len(self.first)))
        all_scores[..., self.columns] = scores
        all_scores[..., self.copies] = all_scores[..., self.first[self.copies]]
        return all_scores

    def completed(self, order: Ints) -> Ints:
        """An order of the distinct columns, followed by the copies in the order of their originals, then the constants."""
        rank = np.empty(len(self.first), dtype=np.intp)
        rank[order] = np.arange(len(order))
        copies = self.copies
        copies = copies[np.argsort(rank[self.first[copies]], kind="stable")]
        return np.concatenate([order, copies, self.constants])


def prints(table: Table) -> list[bytes | None]:
    """256 bits for each column, equal for equal content; None for a constant. For columns that are not all at hand at once."""
    found: list[bytes | None] = []
    for column in range(table.n_columns):
        told = _told(table.values, table.nominal, np.array([column]), slice(None))
        if (told == told[0]).all() or np.isnan(told).all():
            found.append(None)
            continue
        kind = b"category" if table.nominal[column] else b"number"
        found.append(hashlib.sha256(kind + told.tobytes()).digest())
    return found


def _one_at_least(first: Ints) -> Ints:
    if (first == CONSTANT).all():
        first[0] = 0
    return first


def first_equals(values: Float, nominal: NDArray[np.bool_], rows: Ints | None = None) -> Ints:
    """For each column the lowest column with the same content (itself if there is none); `CONSTANT` for a constant.

    A column is constant if all rows have the same value, or all are missing. Two numeric columns have the same content if
    they hold the same numbers and missing values row by row; two categorical columns if they group the same rows together
    and have their missing values in the same rows, whatever their values are called.

    Parameters
    ----------
    values : ndarray, shape (n, d)
        As in `Table`.
    nominal : ndarray of bool, shape (d,)
        Which columns are categorical.
    rows : ndarray of int, optional
        The rows that count; all if not given.

    Returns
    -------
    ndarray of int, shape (d,)
        Positions of columns, or `CONSTANT`.
    """
    first = np.arange(values.shape[1])
    left = first
    for sample in _samples(values.shape[0] if rows is None else len(rows)):
        seen = sample if rows is None else rows[sample]
        keys, single = _keys(values, nominal, left, seen)
        _, number, count = np.unique(keys, return_inverse=True, return_counts=True)
        open_ = single | (count[number] > 1)  # a column unlike all others is settled
        left, number, single = left[open_], number[open_], single[open_]
        if not len(left):
            return first
    first[left[single]] = CONSTANT
    left, number = left[~single], number[~single]
    ordered = left[np.argsort(number, kind="stable")]
    for alike in np.split(ordered, np.flatnonzero(np.diff(np.sort(number))) + 1):
        if len(alike) > 1:  # equal keys may be a coincidence: compare the values
            first[alike] = _originals(values, nominal, alike, slice(None) if rows is None else rows)
    return first


def _samples(n_rows: int) -> Iterator[Any]:
    """A few rows, more rows, all rows."""
    for size in _SAMPLES:
        if size < n_rows:
            yield np.linspace(0, n_rows - 1, size).astype(np.intp)
    yield slice(None)


def _keys(
    values: Float, nominal: NDArray[np.bool_], columns: Ints, rows: Any
) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    """A hash for each column, equal for equal content in the given rows; and which columns are constant there."""
    n_rows = values.shape[0] if isinstance(rows, slice) else len(rows)
    odd = np.arange(1, n_rows + 1, dtype=np.uint64)[:, None] * np.uint64(0x9E3779B97F4A7C15) | np.uint64(1)
    keys, single = np.empty(len(columns), dtype=np.uint64), np.empty(len(columns), dtype=np.bool_)
    width = max(1, _BLOCK // n_rows)
    for start in range(0, len(columns), width):
        part = slice(start, start + width)
        block = _told(values, nominal, columns[part], rows)
        single[part] = (block == block[0]).all(axis=0) | np.isnan(block).all(axis=0)
        bits = block.view(np.uint64)
        bits ^= bits >> np.uint64(32)  # the low bits of small numbers are all 0
        bits *= odd
        keys[part] = (bits ^ bits >> np.uint64(29)).sum(axis=0)
    return keys, single


def _originals(values: Float, nominal: NDArray[np.bool_], columns: Ints, rows: Any) -> list[int]:
    """For each of some columns the first of them with the same content, compared value by value."""
    known: list[tuple[int, bool, Float]] = []
    originals = []
    for column in columns.tolist():
        kind, told = bool(nominal[column]), _told(values, nominal, np.array([column]), rows)
        same = (
            one for one, its, other in known if its == kind and np.array_equal(told, other, equal_nan=True)
        )
        originals.append(next(same, column))
        if originals[-1] == column:
            known.append((column, kind, told))
    return originals


def _told(values: Float, nominal: NDArray[np.bool_], columns: Ints, rows: Any) -> Float:
    """Some columns with equal bits for equal content: a categorical value becomes the first row that has it."""
    if isinstance(rows, slice):
        block = values[:, columns]
    else:
        block = values[rows] if len(columns) == values.shape[1] else values[rows[:, None], columns]
    block = np.add(block, 0.0, order="C")  # no -0.0
    missing = np.isnan(block)
    if missing.any():
        block[missing] = np.nan  # one kind of missing value
    places = np.flatnonzero(nominal[columns])
    if len(places):
        codes = np.where(missing, -1.0, block)[:, places].astype(np.intp) + 1
        codes += np.arange(len(places)) * (codes.max() + 1)
        where = np.full(codes.max() + 1, np.inf)
        np.minimum.at(where, codes.ravel(), np.repeat(np.arange(float(len(codes))), len(places)))
        block[:, places] = np.where(missing[:, places], np.nan, where[codes])
    return block
