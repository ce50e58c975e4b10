"""A boosted model of trees: what its trees say of rows, and what its columns are worth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tamis.stumps._kernels import predicting

__all__ = ["Trees"]

Float = NDArray[np.float64]
Int = NDArray[np.int64]


@dataclass(frozen=True)
class Trees:
    """A boosted model of trees: one row per round, one entry per split or per node.

    The nodes of a tree are numbered as they were made: 0 is the root, and split s makes the nodes 1 + 2 s (left) and
    2 + 2 s (right).

    Attributes
    ----------
    split : ndarray of int, shape (rounds, splits)
        The node that is split.
    column : ndarray of int, shape (rounds, splits)
        The column that the split looks at.
    threshold : ndarray of float, shape (rounds, splits)
        The right side is ``x > threshold``, or ``x == threshold`` for a nominal column; +inf: no known value.
    nominal : ndarray of bool, shape (rounds, splits)
        Whether the column is nominal (categorical).
    gap_right : ndarray of bool, shape (rounds, splits)
        Whether gaps (missing values) are on the right side.
    label : ndarray of int, shape (rounds, nodes)
        What each leaf says, +1 or -1.
    n_splits : ndarray of int, shape (rounds,)
        How many splits a tree has.
    alpha : ndarray of float, shape (rounds,)
        The weight of each tree, eq. (2), always positive.
    edge : ndarray of float, shape (rounds,)
        gamma, the edge of each tree under the weights of its round; the learning rate is not in it.
    part_column : ndarray of int
        A column of a tree, one entry for each column of each tree.
    part_margin : ndarray of float
        Its part in alpha times the sum of y h(x) over the rows.
    part_ratio : ndarray of float
        Its part in alpha.
    """

    split: Int
    column: Int
    threshold: Float
    nominal: NDArray[np.bool_]
    gap_right: NDArray[np.bool_]
    label: Int
    n_splits: Int
    alpha: Float
    edge: Float
    part_column: Int
    part_margin: Float
    part_ratio: Float

    def __len__(self) -> int:
        return len(self.alpha)

    def votes(self, values: ArrayLike) -> Iterator[Float]:
        """alpha_t h_t(x) of each row, round by round."""
        table = np.asarray(values, dtype=np.float64)
        for t in range(len(self)):
            yield self._voted(table, t, 1)

    def decision(self, values: ArrayLike) -> Float:
        """H(x) of eq. (1) for each row: the votes, added in order of the rounds."""
        return self._voted(np.asarray(values, dtype=np.float64), 0, len(self))

    def column_votes(self, values: ArrayLike, n_columns: int) -> tuple[Float, Float]:
        """H_f(x) of eq. (5), and the confidence behind it, both (n, n_columns).

        The vote of a tree is shared in equal parts among the columns on the row's path, and so is its alpha.
        """
        table = np.asarray(values, dtype=np.float64)
        told, confidence = np.zeros((2, len(table), n_columns))
        predicting.shared_votes(table, self._splits(), told, confidence)
        return told, confidence

    def margin_numerators(self, n_columns: int) -> Float:
        """The numerators of eq. (10): each column's part in the sum of y H(x) over the rows."""
        return np.asarray(np.bincount(self.part_column, self.part_margin, n_columns), dtype=np.float64)

    def ratio_numerators(self, n_columns: int) -> Float:
        """The numerators of eq. (7): each column's part in the sum of alpha."""
        return np.asarray(np.bincount(self.part_column, self.part_ratio, n_columns), dtype=np.float64)

    def _voted(self, table: Float, first: int, n_rounds: int) -> Float:
        """The votes of some rounds, added up."""
        total = np.zeros(len(table))
        there = np.arange(self.split.shape[1]) < self.n_splits[:, None]
        nodes = np.where(there, self.split, -1)
        predicting.tree_votes(table, self._splits(), nodes, first, n_rounds, total)
        return total

    def _splits(self) -> predicting.Splits:
        """The trees as the kernels read them."""
        children = np.zeros(self.label.shape, dtype=np.int64)
        for t in range(len(self)):
            children[t, self.split[t, : self.n_splits[t]]] = 1 + np.arange(self.n_splits[t])
        return predicting.Splits(
            children, self.column, self.threshold, self.nominal, self.gap_right, self.label, self.alpha
        )
