"""A search in the head of a ranking: which few columns together serve neighbours, a linear rule and trees best.

At each step the column is taken that makes the error of the class probabilities, or of a numeric target, lowest; of columns whose
errors differ by less than chance explains, the one that stands first in the ranking. Each row is predicted
without itself: by the votes of its nearest rows, by least squares on the classes, and by trees of random cuts that have not
seen it. The first two are exact and cheap to update when a column is added. The error is half the sum of the squared
error of the probabilities and the share of wrong answers: the first tells small differences, the second is what
counts in the end. The error of a numeric target is the squared error as a share of the variance.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np
from numpy.typing import NDArray

from tamis.features._kernels.near_votes import near_votes, nearer_by
from tamis.features._kernels.random_trees import unseen_shares
from tamis.table._table import Numbers, Table, Target

Float = NDArray[np.float64]
Ints = NDArray[np.intp]
N_NEIGHBORS = 5
_MOST_LEVELS = 30  # values of a nominal column that the linear rule tells apart
_NOTHING = 1e-8  # a smaller remaining share of a column's variance is rounding
_ALONE = 1e-6  # a row whose leverage is this near to 1 cannot be predicted from the others
_TIE = 1e-9
_DIGITS = 10  # decimals of the error; errors that agree in all of them tie
_LEVEL = (
    0.5  # standard errors of the difference from the lowest error within which columns count as equally good
)


class HeadSearch:
    """A greedy forward search over some columns of a table.

    Parameters
    ----------
    table : Table
        The rows to search on.
    target : Target or Numbers
        The classes, numbered from 0 without a gap, or the numbers.
    columns : ndarray of int, shape (m,)
        The candidates, in the order of the ranking; of several that are equally good the earliest is taken.
    n_trees : int, default=0
        How many trees predict the rows as well; 0 for none.
    seed : int, default=0
        The seed of the trees.
    """

    def __init__(
        self, table: Table, target: Target | Numbers, columns: Ints, *, n_trees: int = 0, seed: int = 0
    ) -> None:
        n = table.n_rows
        self.numeric = isinstance(target, Numbers)
        self.truth, self.codes = truth_of(target)
        self.amounts = self.truth[:, 0] if self.numeric else np.ones(n)  # what a vote of the row counts
        self.columns = columns
        self.k = min(N_NEIGHBORS, n - 1)
        self.near = [_scaled(table.values[:, j], bool(table.nominal[j])) for j in columns]
        self.linear = [indicators(table.values[:, j], bool(table.nominal[j])) for j in columns]
        self.distances = np.zeros((n, n))
        self.fitted = np.repeat(self.truth.mean(axis=0)[None, :], n, axis=0)
        self.leverage = np.full(n, 1.0 / n)
        self.n_trees, self.seed = n_trees, seed
        self.nominal = table.nominal[columns]
        self.filled = [_filled(table.values[:, j], bool(table.nominal[j])) for j in columns]
        self.taken: list[int] = []

    def run(self, n_steps: int, pairs: Sequence[tuple[int, int]] = ()) -> tuple[Ints, Float]:
        """The columns in the order in which they are taken, and the error after each.

        The two columns of one of the `pairs` (positions among the candidates) are taken together where they lower the
        error by more per column than the best single column does.
        """
        left = list(range(len(self.columns)))
        errors: list[float] = []
        now = self._errors(np.repeat(self.truth.mean(axis=0)[None, :], len(self.codes), axis=0)).mean()
        while left and len(self.taken) < n_steps:
            found = np.stack([self.row_errors(place) for place in left])
            first = first_level(found)
            best, error = [left[first]], round(float(found[first].mean()), _DIGITS)
            for pair in pairs:
                if pair[0] in left and pair[1] in left and len(self.taken) + 2 <= n_steps:
                    together = round(self._error_with_both(*pair), _DIGITS)
                    if (now - together) / 2 > (now - error) / len(best) + _TIE:
                        best, error = list(pair), together
            now = error
            for place in best:
                left.remove(place)
                self.take(place, left)
                errors.append(error)
        return self.columns[self.taken], np.array(errors)

    def _error_with_both(self, first: int, second: int) -> float:
        """The error with two more candidates."""
        tried = copy(self)
        tried.linear, tried.taken = list(self.linear), list(self.taken)
        tried.take(first, [second])
        return float(tried.row_errors(second).mean())

    def row_errors(self, place: int) -> Float:
        """The error of each row with one more candidate, averaged over neighbours, least squares and trees."""
        said = [self._said_by_neighbours(place), self._said_by_least_squares(place)]
        if self.n_trees:
            said.append(self._said_by_trees(place))
        errors: Float = sum(map(self._errors, said[1:]), self._errors(said[0])) / len(said)
        return errors

    def _said_by_neighbours(self, place: int) -> Float:
        """Class probabilities: the votes of the nearest other rows, and one vote shared equally by all classes.

        Of numbers the mean of the nearest rows' and, once, that of all rows, which is 0.
        """
        values, far = self.near[place]
        votes = near_votes(self.distances, values, far, self.codes, self.amounts, self.truth.shape[1], self.k)
        shares: Float = (votes + (0.0 if self.numeric else 1 / votes.shape[1])) / (self.k + 1)
        return shares

    def _said_by_least_squares(self, place: int) -> Float:
        """The prediction for each row by a fit without it; the class shares where the leverage is 1."""
        fitted, leverage = self._fitted_with(place)
        alone = leverage > 1 - _ALONE
        rest = np.where(alone, 1.0, 1 - leverage)[:, None]
        return np.where(alone[:, None], self.truth.mean(axis=0), self.truth - (self.truth - fitted) / rest)

    def _said_by_trees(self, place: int) -> Float:
        """Class probabilities from the trees that have not seen the row."""
        seen = [*self.taken, place]
        columns = np.stack([self.filled[k] for k in seen])
        labels = (self.codes, self.amounts, self.truth.shape[1])
        said: Float = unseen_shares(columns, self.nominal[seen], *labels, self.n_trees, self.seed)
        return said

    def _errors(self, said: Float) -> Float:
        return prediction_errors(said, self.truth, self.codes, self.numeric)

    def take(self, place: int, left: list[int]) -> None:
        """Take one more column, and update distances, fit and remaining candidates."""
        self.taken.append(place)
        values, far = self.near[place]
        self.distances = nearer_by(self.distances, values, far)
        self.fitted, self.leverage = self._fitted_with(place)
        basis = _orthonormal(self.linear[place])
        for other in left:
            part = self.linear[other]
            for _ in range(2):  # twice, since once leaves rounding errors
                part = part - basis @ (basis.T @ part)
            self.linear[other] = part

    def _fitted_with(self, place: int) -> tuple[Float, Float]:
        """Fitted values and leverages of least squares with one more column, already orthogonal to those before."""
        basis = _orthonormal(self.linear[place])
        return self.fitted + basis @ (basis.T @ self.truth), self.leverage + (basis**2).sum(axis=1)


def truth_of(target: Target | Numbers) -> tuple[Float, Ints]:
    """What is predicted for each row, (n, c), and the rows' classes as codes: numbers are scaled to variance 1, and of one class."""
    if isinstance(target, Numbers):
        return _scaled(target.values, False)[0][:, None], np.zeros(len(target.values), dtype=np.int64)
    return np.eye(int(target.codes.max()) + 1)[target.codes], target.codes


def prediction_errors(said: Float, truth: Float, codes: Ints, numeric: bool) -> Float:
    """Of each row: half the squared error of its class probabilities plus half a wrong answer.

    Where classes tie for the largest probability, each counts as an equal share of the answer. Of numbers, which have the
    variance 1, the squared error.
    """
    squares: Float = ((said - truth) ** 2).sum(axis=1)
    if numeric:
        return squares
    first = said >= said.max(axis=1, keepdims=True) - _TIE
    right = first[np.arange(len(said)), codes] / first.sum(axis=1)
    errors: Float = (squares + 1 - right) / 2
    return errors


def first_level(errors: Float) -> int:
    """The first candidate whose mean error is no more than half a standard error of the difference above the lowest.

    Parameters
    ----------
    errors : ndarray, shape (m, n)
        The error of each row by each candidate. The standard error is that of the mean difference of the rows' errors.
    """
    means = errors.mean(axis=1)
    above = errors - errors[np.argmin(np.round(means, _DIGITS))]
    spread = above.std(axis=1) / np.sqrt(errors.shape[1])
    level = np.round(above.mean(axis=1) - _LEVEL * spread, _DIGITS) <= 0
    return int(np.argmax(level))


def _scaled(column: Float, nominal: bool) -> tuple[Float, Float]:
    """Values for the distance, and the distance of a nominal value from any other; both scaled to deviation 1."""
    known = ~np.isnan(column)
    if nominal:
        codes = np.where(known, column, -1.0)
        _, number, counts = np.unique(codes, return_inverse=True, return_counts=True)
        shares = counts / len(codes)
        return codes, (1 / np.maximum(shares * (1 - shares), _NOTHING))[number]
    near = np.zeros(len(column))
    if not known.any():
        return near, near
    largest = float(np.abs(column[known]).max())
    column = column / largest if largest > 0 else column
    mean = column[known].mean()
    centred = np.where(known, column - mean, 0.0)
    spread = float(np.sqrt((centred**2).mean()))
    return centred / spread if spread > 0 else centred, near


def _filled(column: Float, nominal: bool) -> Float:
    """A column without missing values: they become a category of their own, or the mean."""
    return np.where(np.isnan(column), -1.0, column) if nominal else _scaled(column, False)[0]


def indicators(column: Float, nominal: bool) -> Float:
    """A column as centred numbers for least squares, (n, p), each scaled to length 1."""
    known = ~np.isnan(column)
    if nominal:
        codes = np.where(known, column, -1.0)
        levels, counts = np.unique(codes, return_counts=True)
        often = levels[np.argsort(-counts, kind="stable")][:_MOST_LEVELS]
        parts = (codes[:, None] == often[None, :]).astype(np.float64)
    else:
        parts = _scaled(column, False)[0][:, None]
        if not known.all():
            parts = np.hstack([parts, (~known).astype(np.float64)[:, None]])
    parts = parts - parts.mean(axis=0)
    lengths = np.linalg.norm(parts, axis=0)
    return np.ascontiguousarray(parts[:, lengths > 0] / lengths[lengths > 0])


def _orthonormal(parts: Float) -> Float:
    """An orthonormal basis of the space of the columns (each of length 1 at first), without rounding errors."""
    basis: list[Float] = []
    for part in parts.T:
        for _ in range(2):
            for other in basis:
                part = part - (other @ part) * other
        square = float(part @ part)
        if square > _NOTHING:
            basis.append(part / np.sqrt(square))
    return np.stack(basis, axis=1) if basis else np.zeros((len(parts), 0))
