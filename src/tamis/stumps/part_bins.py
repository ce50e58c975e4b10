"""Tables that lie in parts: what each part tells of its columns, one set of bins for all of them, and their codes.

A column of at most 255 distinct values has a bin for each: stumps on it are exact. A column of more is cut at quantiles of
a sample of the rows. Which rows are sampled depends on their number in the whole table alone, so that the bins, and all that
follows from them, are the same for any parts.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.stumps._kernels import binning, cutting
from tamis.stumps._kernels.fields import GAP
from tamis.stumps._kernels.parts import distinct_values
from tamis.stumps.model import halfway

__all__ = ["Bins", "Coded", "Facts", "bins_of", "coded", "facts_of", "n_missing", "sample_limit"]

Float = NDArray[np.float64]
MAX_BINS = 255
SAMPLE_ROWS = 1 << 16
SAMPLE_CELLS = 1 << 25  # a sample holds no more values than this, where 4,096 rows allow it
LARGEST = (1 << 64) - 1


def sample_limit(n_rows: int, n_columns: int) -> int:
    """The largest scattered number of a row in the sample: of all rows, or of about `SAMPLE_ROWS` of them."""
    wanted = min(SAMPLE_ROWS, max(4096, SAMPLE_CELLS // n_columns))
    return LARGEST if n_rows <= wanted else LARGEST * wanted // n_rows


@dataclass(frozen=True)
class Facts:
    """What one part tells of its columns.

    Attributes
    ----------
    distinct : list of ndarray or None
        The distinct values of each column, missing ones aside; None for more than 255.
    sample : ndarray of shape (s, d)
        The sampled rows.
    """

    distinct: list[Float | None]
    sample: Float


def sampled_rows(first: int, n_rows: int, limit: int) -> NDArray[np.intp]:
    """The positions 0, ..., n_rows - 1 whose row first + position has a scattered number up to `limit`.

    The number is a fixed one-to-one scattering of the 64-bit integers (multiply, shift and add, all of them overflowing),
    so that whether a row is in the sample depends on its number in the whole table alone.
    """
    z = np.arange(first + 1, first + n_rows + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.flatnonzero((z ^ (z >> np.uint64(31))) <= np.uint64(limit))


def facts_of(values: Float, first: int, limit: int) -> Facts:
    """Look at one part.

    Parameters
    ----------
    values : ndarray of shape (n, d)
        Its rows: numbers, NaN for missing values, codes in nominal (categorical) columns. No infinity.
    first : int
        The number of its first row in the whole table.
    limit : int
        As `sample_limit` gives it.

    Returns
    -------
    Facts
        Distinct values and sampled rows.
    """
    rows = sampled_rows(first, len(values), limit)
    room = np.empty(MAX_BINS)
    distinct: list[Float | None] = []
    x = np.empty(len(values))
    for column in range(values.shape[1]):
        np.add(values[:, column], 0.0, out=x)  # no -0.0, and the values side by side
        n_found = distinct_values(x, x.view(np.int64), MAX_BINS, room)
        distinct.append(np.sort(room[:n_found]) if n_found <= MAX_BINS else None)
    return Facts(distinct, values[rows])


@dataclass(frozen=True)
class Bins:
    """The bins of all columns, the same for every part.

    Attributes
    ----------
    nominal : ndarray of bool, shape (d,)
        Which columns are nominal.
    exact : ndarray of bool, shape (d,)
        Which columns have a bin for each value.
    n_bins : ndarray of int, shape (d,)
        How many bins they have; a gap has code 255 besides.
    values : ndarray of shape (d, 256)
        The highest value of each bin but the last, +inf beyond; of exact columns all values.
    """

    nominal: NDArray[np.bool_]
    exact: NDArray[np.bool_]
    n_bins: NDArray[np.int64]
    values: Float

    def threshold(self, column: int, code: float) -> float:
        """The threshold between values for one between codes: a nominal column's value; +inf for gaps against the rest."""
        if math.isinf(code):
            return code
        low = int(code)
        if self.nominal[column] or not self.exact[column]:
            return float(self.values[column, low])
        return halfway(float(self.values[column, low]), float(self.values[column, low + 1]))


def bins_of(parts: list[Facts], n_codes: NDArray[np.int64]) -> Bins:
    """Cut every column into bins, from what all parts tell.

    Parameters
    ----------
    parts : list of Facts
        In the order of the rows.
    n_codes : ndarray of int, shape (d,)
        How many codes a nominal column has, at most 255; -1 for a numeric column.

    Returns
    -------
    Bins
        With the highest value of each bin from the sample, where a column has more than 255 values.
    """
    n_columns = len(n_codes)
    exact = np.ones(n_columns, dtype=np.bool_)
    n_bins = np.ones(n_columns, dtype=np.int64)
    values = np.full((n_columns, 256), np.inf)
    for column in range(n_columns):
        distinct = _merged([part.distinct[column] for part in parts])
        if n_codes[column] >= 0:
            distinct = np.arange(float(n_codes[column]))
        exact[column] = distinct is not None
        if distinct is not None:
            n_bins[column] = max(1, len(distinct))
            values[column, : len(distinct)] = distinct
    others = np.flatnonzero(~exact)
    if len(others):
        sample = np.concatenate([part.sample[:, others] for part in parts])
        ordered = np.sort(np.ascontiguousarray(sample.T), axis=1)
        cuts, counts, _, _ = cutting.cut_points(ordered, MAX_BINS)
        values[others], n_bins[others] = cuts, counts
    return Bins(n_codes >= 0, exact, n_bins, values)


def _merged(by_part: list[Float | None]) -> Float | None:
    """The distinct values of several parts; None for more than 255."""
    merged = np.empty(0)
    for values in by_part:
        if values is None:
            return None
        merged = np.union1d(merged, values)
        if len(merged) > MAX_BINS:
            return None
    return merged


@dataclass
class Coded:
    """One part in codes, one byte per value, the rows of a class side by side.

    Attributes
    ----------
    words : ndarray of uint32, shape (w, n)
        Column c is byte c % 4 of word c // 4.
    starts : ndarray of int, shape (classes + 1,)
        Where each class begins.
    weights : ndarray of shape (n,) or None
        Weights of the rows as given; None if all weigh 1.
    """

    words: NDArray[np.uint32]
    starts: NDArray[np.int64]
    weights: Float | None
    states: dict[int, Any] = field(default_factory=dict, repr=False)
    packed: tuple[Any, ...] | None = field(default=None, repr=False)
    lock: Any = field(default_factory=threading.Lock, repr=False)

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return int(self.words.shape[1])

    def column_codes(self, column: int) -> NDArray[np.uint8]:
        """The codes of a column."""
        return unpacked(self.words, column)

    def positive(self, label: int) -> tuple[int, int]:
        """Where the rows of a class lie."""
        return int(self.starts[label]), int(self.starts[label + 1])

    def __getstate__(self) -> dict[str, Any]:
        """What goes to another process: what rounds have left behind can be made again, and stays."""
        return {"words": self.words, "starts": self.starts, "weights": self.weights}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def __sizeof__(self) -> int:
        held = [*self.states.values()]
        return int(self.words.nbytes * 2 + 16 * self.n_rows * (1 + len(held)))


def coded(
    values: Float, labels: NDArray[np.int64], n_classes: int, bins: Bins, weights: Float | None = None
) -> Coded:
    """Code the values of one part; rows of weight 0 are left out.

    Parameters
    ----------
    values : ndarray of shape (n, d)
        The rows, as for `facts_of`.
    labels : ndarray of int, shape (n,)
        The class of each row, from 0.
    n_classes : int
        How many classes the whole table has.
    bins : Bins
        The bins of the whole table.
    weights : ndarray of shape (n,), optional
        Weights of the rows.

    Returns
    -------
    Coded
        The part as rounds of boosting read it.
    """
    if weights is not None and not (weights > 0).all():
        in_use = weights > 0
        values, labels, weights = values[in_use], labels[in_use], weights[in_use]
    n_rows, n_columns = values.shape
    order = np.argsort(labels.astype(np.int16 if n_classes < 1 << 15 else np.int64), kind="stable")
    words = np.empty((-(-n_columns // 4), n_rows), dtype=np.uint32)
    target = np.empty(n_rows, dtype=np.int64)
    target[order] = np.arange(n_rows)
    write_codes(values, bins, target, words)
    starts = np.zeros(n_classes + 1, dtype=np.int64)
    np.cumsum(np.bincount(labels, minlength=n_classes), out=starts[1:])
    return Coded(words, starts, None if weights is None else weights[order])


def n_missing(part: Any, columns: NDArray[np.intp]) -> NDArray[np.int64]:
    """How many rows of a part, or of all of them together, have no value in each of some columns."""
    return np.array(
        [np.count_nonzero(unpacked(part.words, column) == GAP) for column in columns.tolist()], dtype=np.int64
    )


def unpacked(words: NDArray[np.uint32], column: int) -> NDArray[np.uint8]:
    """The codes of a column, byte column % 4 of word column // 4."""
    codes: NDArray[np.uint8] = (words[column // 4] >> np.uint32(8 * (column % 4))).astype(np.uint8)
    return codes


def write_codes(values: Float, bins: Bins, target: NDArray[np.int64], words: NDArray[np.uint32]) -> None:
    """Write the codes of some rows into `words` (w, n): row i goes to position target[i]."""
    n_columns = values.shape[1]
    # Arrays from another process are read-only, for which kernels would be compiled once more.
    edges, n_bins = np.array(bins.values), np.array(bins.n_bins)
    if not values.flags.writeable:
        values = values.copy(order="K")
    low, scale, n_steps, grid = binning.grids(edges, n_bins)
    none = np.zeros(n_columns, dtype=np.bool_)
    cuts = binning.Cuts(edges, n_bins, none, low, scale, n_steps, grid)
    columns = np.arange(n_columns)
    layout = binning.Layout(
        columns, np.full(n_columns, -1), np.zeros_like(columns), np.full(n_columns, -1), n_columns, 0
    )
    chunk = binning.Chunk(
        np.zeros((1, n_columns, 256), dtype=np.uint8),
        np.zeros((1, 0, 256), dtype=np.int64),
        np.zeros((1, 0), dtype=np.int64),
    )
    binning.code_rows(*binning.flat(values), cuts, layout, target, words, chunk, 0, 1)
