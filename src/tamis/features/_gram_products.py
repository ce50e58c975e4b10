"""Scalar products of all views of all columns, summed exactly: the same bits for any order of the rows, in memory or in parts.

Every view is a sum of a few vectors: the known values of a numeric column, moved and scaled into [-1, 1]; which rows have
a category, or no value; a class; a constant. A vector, times the root of the rows' weights, is rounded to whole steps of 2^-42
and cut in two halves of 21 bits. Products of halves, over 1,024 rows, are whole numbers below 2^53, so that a matrix product of
floats adds them up without rounding.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tamis.features._double_doubles import Double, of_integers, plus, scaled

Float = NDArray[np.float64]
HALF = 21  # bits
_ROWS = 1 << 10
_LOW = 1 << 32
ROWS_PER_VIEW = 16  # with fewer rows for each vector, the vectors themselves are no more than their products
MOST_VECTORS = 4096
_ARRAYS = ("scale", "middle", "half", "gaps", "nominal")


@dataclass(frozen=True)
class Kinds:
    """What is known of every column before its values are read again; made by `kinds_of`.

    Attributes
    ----------
    scale, middle, half : ndarray, shape (d,)
        The largest absolute value of a numeric column, and the middle and half of the range of what is left without it.
    gaps : ndarray of bool, shape (d,)
        Whether values are missing.
    levels : list of ndarray
        The codes of a nominal column that occur; none for a numeric one.
    nominal : ndarray of bool, shape (d,)
        Which columns are nominal.
    """

    scale: Float
    middle: Float
    half: Float
    gaps: NDArray[np.bool_]
    levels: list[Float]
    nominal: NDArray[np.bool_]

    @property
    def n_vectors(self) -> int:
        """How many vectors the columns have."""
        return int((~self.nominal).sum() + self.gaps.sum()) + sum(map(len, self.levels))

    @classmethod
    def joined(cls, blocks: list[Kinds]) -> Kinds:
        """The columns of several blocks as one."""
        whole = {name: np.concatenate([getattr(block, name) for block in blocks]) for name in _ARRAYS}
        return cls(levels=[own for block in blocks for own in block.levels], **whole)

    def cut(self, columns: NDArray[np.intp]) -> Kinds:
        """Some of the columns."""
        some = {name: getattr(self, name)[columns] for name in _ARRAYS}
        return Kinds(levels=[self.levels[j] for j in columns], **some)


def products_do(n_rows: int, n_targets: int, kinds: Kinds) -> bool:
    """Whether scalar products stand for the vectors: there are many more rows than vectors."""
    n_vectors = 1 + n_targets + kinds.n_vectors
    return n_rows >= ROWS_PER_VIEW * n_vectors and n_vectors <= MOST_VECTORS


def kinds_of(values: Float, nominal: NDArray[np.bool_]) -> Kinds:
    """Look at some whole columns, (n, d)."""
    scale, middle, half = np.ones(len(nominal)), np.zeros(len(nominal)), np.zeros(len(nominal))
    gaps, levels = np.asarray(np.isnan(values).any(axis=0)), list[Float]()
    for column, is_nominal in enumerate(nominal):
        known = values[~np.isnan(values[:, column]), column]
        levels.append(np.unique(known) if is_nominal else np.empty(0))
        if is_nominal or not len(known):
            continue
        least, most = float(known.min()), float(known.max())
        scale[column] = max(abs(least), abs(most)) or 1.0
        least, most = least / scale[column], most / scale[column]
        middle[column], half[column] = least / 2 + most / 2, most / 2 - least / 2
    return Kinds(scale, middle, half, gaps, levels, np.array(nominal))


def vectors_of(values: Float, target: Float, roots: Float, kinds: Kinds) -> Float:
    """The vectors of some rows: the constant, the targets (t, n), then those of each column in turn, times the weights' roots."""
    vectors = [np.ones(len(values)), *target]
    for column, levels in enumerate(kinds.levels):
        own = values[:, column]
        missing = np.isnan(own)
        if kinds.nominal[column]:
            vectors += [(own == level).astype(np.float64) for level in levels]
        else:
            half = kinds.half[column] or 1.0
            moved = (own / kinds.scale[column] - kinds.middle[column]) / half
            vectors.append(np.where(missing, 0.0, moved))
        if kinds.gaps[column]:
            vectors.append(missing.astype(np.float64))
    return np.stack(vectors) * roots


def sums_of_products(values: Float, target: Float, roots: Float, kinds: Kinds) -> NDArray[np.int64]:
    """The sums over some rows of the products of all vectors, in whole numbers: (3, 2, m, m).

    The first axis: of the upper halves, of upper and lower ones both ways, of the lower halves. The second: how many times
    2^32 there is, and the rest. What other rows give may be added.
    """
    total = np.zeros(0, dtype=np.int64)
    for first in range(0, len(values), _ROWS):
        rows = slice(first, first + _ROWS)
        steps = np.rint(np.ldexp(vectors_of(values[rows], target[:, rows], roots[rows], kinds), 2 * HALF))
        upper = np.rint(np.ldexp(steps, -HALF))
        lower = steps - np.ldexp(upper, HALF)
        few = np.flatnonzero(lower.any(axis=1))  # indicators of rows that weigh 1 have none
        found = np.zeros((3, len(steps), len(steps)))
        found[0] = upper @ upper.T
        found[1][:, few] = upper @ lower[few].T
        found[1] += found[1].T.copy()
        found[2][np.ix_(few, few)] = lower[few] @ lower[few].T
        high = np.floor(found / _LOW)
        part = np.stack([high, found - high * _LOW], axis=1).astype(np.int64)
        total = part if not len(total) else total + part
    return total


def products(sums: NDArray[np.int64]) -> Double:
    """The scalar products of all vectors, from the sums over all rows."""
    found = None
    for own, power in zip(sums, (0, -HALF, -2 * HALF)):
        one = scaled(plus(scaled(of_integers(own[0]), 32), of_integers(own[1])), power - 2 * HALF)
        found = one if found is None else plus(found, one)
    assert found is not None  # noqa: S101
    return found
