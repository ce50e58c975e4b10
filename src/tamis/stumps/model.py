"""A boosted model: what its stumps say of rows, and what its columns are worth.

The stumps of a column, in the order in which ties are settled: for each threshold halfway between two neighbouring
values, ascending (nominal, that is categorical: for each value present, ascending), gaps (missing values) first on the
left, then on the right; last, known values on the left and gaps on the right. "Left" is ``x <= threshold``; of a nominal
column ``x != threshold``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tamis.stumps._kernels import predicting

__all__ = ["Stumps", "halfway"]

Float = NDArray[np.float64]


@dataclass(frozen=True)
class Stumps:
    """A boosted model: arrays with one entry per round.

    Attributes
    ----------
    column : ndarray of int
        The column that the stump looks at.
    threshold : ndarray of float
        The right side is ``x > threshold``, or ``x == threshold`` for a nominal column; +inf: no known value.
    nominal : ndarray of bool
        Whether the column is nominal.
    gap_right : ndarray of bool
        Whether gaps are on the right side. A column without gaps has them on the left.
    polarity : ndarray of int
        What the stump says on the right side, +1 or -1; the other on the left.
    alpha : ndarray of float
        The stump's weight, eq. (2), always positive.
    u : ndarray of float
        The sum of y_i h(x_i) over the rows: counted, or, with weights that are not all equal, over the integer
        start weights.
    edge : ndarray of float
        gamma, the stump's edge under the weights of its round; 1 for a stump without an error. The learning rate is
        not in it.
    """

    column: NDArray[np.int64]
    threshold: Float
    nominal: NDArray[np.bool_]
    gap_right: NDArray[np.bool_]
    polarity: NDArray[np.int64]
    alpha: Float
    u: Float
    edge: Float

    def __len__(self) -> int:
        return len(self.column)

    def votes(self, values: ArrayLike) -> Iterator[Float]:
        """alpha_t h_t(x) of each row, round by round.

        Parameters
        ----------
        values : array-like of shape (n, d)
            The columns of the table that the model was trained on. A value that a nominal column did not have goes left.

        Yields
        ------
        ndarray of shape (n,)
            What the stump of this round adds to H(x).
        """
        table = np.asarray(values, dtype=np.float64)
        for t in range(len(self)):
            column = table[:, self.column[t]]
            right = column == self.threshold[t] if self.nominal[t] else column > self.threshold[t]
            if self.gap_right[t]:
                right |= np.isnan(column)
            weight = self.alpha[t] * self.polarity[t]
            yield np.where(right, weight, -weight)

    def decision(self, values: ArrayLike) -> Float:
        """H(x) of eq. (1) for each row: the votes, added in order of the rounds."""
        table = np.asarray(values, dtype=np.float64)
        decided: Float = predicting.summed_votes(table, *self._splits())
        return decided

    def column_votes(self, values: ArrayLike, n_columns: int) -> tuple[Float, Float]:
        """H_f(x) of eq. (5), and the confidence behind it, which eq. (6) divides by.

        Parameters
        ----------
        values : array-like of shape (n, n_columns)
            The columns of the table that the model was trained on.
        n_columns : int
            How many columns there are.

        Returns
        -------
        told : ndarray of shape (n, n_columns)
            The votes of each column's stumps, added in order of the rounds.
        confidence : ndarray of shape (1, n_columns)
            Each column's sum of alpha, the same for all rows.
        """
        table = np.asarray(values, dtype=np.float64)
        told = np.zeros((len(table), n_columns))
        predicting.column_votes(table, *self._splits(), told)
        return told, self.ratio_numerators(n_columns)[None]

    def margin_numerators(self, n_columns: int) -> Float:
        """N_f, the numerators of eq. (10): each column's sum of alpha_t u_t. MF_f is N_f over the sum of N."""
        return np.asarray(np.bincount(self.column, self.alpha * self.u, n_columns), dtype=np.float64)

    def ratio_numerators(self, n_columns: int) -> Float:
        """The numerators of eq. (7): each column's sum of alpha_t, all of which are positive."""
        return np.asarray(np.bincount(self.column, self.alpha, n_columns), dtype=np.float64)

    def _splits(self) -> tuple[NDArray[Any], ...]:
        """The stumps as the kernels read them."""
        return self.column, self.threshold, self.nominal, self.gap_right, self.alpha * self.polarity


def halfway(low: float, high: float) -> float:
    """The threshold between two neighbouring values: low <= threshold < high, whatever they are."""
    width = high - low
    middle = low + width / 2 if math.isfinite(width) else low / 2 + high / 2
    return middle if middle < high else low
