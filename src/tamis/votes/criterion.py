"""The criterion of sets of columns: Z of AdaBoost over nearest-neighbour votes, or their leave-one-out error.

For a numeric target it is the leave-one-out squared error of the neighbours' mean, as a share of the target's variance.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tamis._parameters import n_workers
from tamis.table._table import Target
from tamis.table.weights import class_factors
from tamis.votes._kernels.cells import Cells, Lists, cells_of, leave_one_out_error, leave_one_out_squares
from tamis.votes._kernels.distances import Units
from tamis.votes._kernels.voting import LANES, boost
from tamis.votes.bounds import least_z
from tamis.votes.neighborhoods import Neighborhoods

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Paths = tuple[FloatArray, FloatArray]

STEP_BITS = 40
"""Bits of the whole steps in which a numeric target is counted; fewer for millions of rows, so that sums fit 62 bits."""

CRITERIA = ("accuracy", "z", "z_prime", "z_prime_literal", "z_prime_minimised")


@dataclass(frozen=True, eq=False)
class TwoClassProblems:
    """The two-class problems into which the classes are split for boosting.

    Rows of one class and one weight are alike: they have one label, which is the class itself where rows have no weights.

    Attributes
    ----------
    worth : ndarray, shape (labels,)
        The weight of a row of each label, before the two sides of a problem are balanced.
    signs : ndarray, shape (problems, labels)
        Whether a label is on the positive side (1) or not (-1). Two classes are one problem, whose positive class is
        the second; with more, there is one problem per class, which is set against the rest.
    start : ndarray, shape (problems, labels)
        D_1 of one row of each label. If one class is set against the rest, both sides have the same weight, times
        `worth` if the caller gave weights by class.
    classes : ndarray of int, shape (labels,)
        The class of each label.
    """

    worth: FloatArray
    signs: FloatArray
    start: FloatArray
    classes: IntArray

    @classmethod
    def of(
        cls,
        counts: IntArray,
        worth: FloatArray,
        *,
        even: bool = False,
        classes: IntArray | None = None,
        weights: FloatArray | None = None,
    ) -> TwoClassProblems:
        """Make the problems for labels with `counts` rows, of these classes and with these weights (without: classes of weight 1).

        `even`: the sides stay balanced whatever `worth` is; otherwise they are balanced by `weights`.
        """
        classes = np.arange(len(counts)) if classes is None else classes
        n_classes = int(classes.max()) + 1
        if n_classes == 2:
            signs = np.where(classes == 1, 1.0, -1.0)[np.newaxis]
            return cls(worth, signs, worth[np.newaxis] / (worth * counts).sum(), classes)
        inside = classes == np.arange(n_classes)[:, np.newaxis]
        balanced = worth if even else np.ones(len(counts)) if weights is None else weights
        held = np.bincount(classes, weights=balanced * counts)
        rest = np.array([held[~own].sum() for own in np.eye(n_classes, dtype=bool)])
        start = worth / np.where(inside, held[:, np.newaxis], rest[:, np.newaxis])
        scaled = start / (start * counts).sum(axis=1, keepdims=True)
        return cls(worth, np.where(inside, 1.0, -1.0), scaled, classes)

    @classmethod
    def by_class_weight(
        cls,
        estimator: BaseEstimator,
        target: Target,
        class_weight: dict[Any, float] | str | None,
        rows: Any = slice(None),
        weights: FloatArray | None = None,
    ) -> tuple[TwoClassProblems, IntArray]:
        """Make the problems for the classes of a table, and the label of each row that is boosted.

        Parameters
        ----------
        estimator : estimator
            The estimator that asks, for messages.
        target : Target
            The classes of all rows.
        class_weight : "balanced", dict or None
            The weights of the classes, which come from all rows.
        rows : ndarray of int, optional
            The rows that are boosted, for which the sides are balanced. All by default.
        weights : ndarray, shape (n,), optional
            The weights of all rows, positive.
        """
        who, class_sizes = type(estimator).__name__, target.counts().astype(np.float64)
        if weights is not None:
            class_sizes = np.bincount(target.codes, weights=weights, minlength=target.n_classes).astype(
                np.float64
            )
        factors = class_factors(who, class_weight, target.classes, class_sizes)
        worth = np.ones(target.n_classes) if factors is None else factors
        if not worth.all():
            label = target.classes.tolist()[int(np.argmin(worth))]
            raise ValueError(
                f"{who}: class_weight gives the class {label!r} no weight. "
                "Use positive weights, or leave the rows of that class out."
            )
        even, codes = not isinstance(class_weight, dict), target.codes[rows]
        if weights is None:
            return cls.of(np.bincount(codes, minlength=target.n_classes), worth, even=even), codes
        pairs = np.column_stack([codes, weights[rows]])
        found, labels, counts = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
        classes, of_rows = found[:, 0].astype(np.int64), np.ascontiguousarray(found[:, 1])
        made = cls.of(counts, worth[classes] * of_rows, even=even, classes=classes, weights=of_rows)
        return made, labels.ravel().astype(np.int64)


def descriptions(units: Units) -> IntArray:
    """Return the number of each unit's description; if every row is a unit, several units share one."""
    opens = np.zeros(len(units.coordinate), dtype=bool)
    opens[units.start[:-1]] = True
    opens[1:] |= units.coordinate[1:] != units.coordinate[:-1]
    return np.cumsum(opens) - 1


def imbalance(described: IntArray, cells: Cells, class_signs: FloatArray) -> FloatArray:
    """Return abs(n+ - n-) / (n+ + n-) of each cell's description (problems, cells); `described` is by unit."""
    description = described[cells.unit]
    size = np.bincount(description, weights=cells.size)
    leads = [np.bincount(description, weights=signs[cells.label] * cells.size) for signs in class_signs]
    return np.stack([(np.abs(lead) / size)[description] for lead in leads])


class NeighborVotes:
    """The criterion of sets of columns.

    Parameters
    ----------
    coordinates : ndarray, shape (n, d)
        Scaled rows (`tamis.neighbors.ScaledRows`).
    codes : ndarray of int, shape (n,)
        The label of each row, see `TwoClassProblems`.
    problems : TwoClassProblems
        What is boosted, and the weights of the labels.
    criterion : str
        One of `CRITERIA`.
    n_neighbors, n_rounds : int
        k, at most n - 1, and T.
    squared : bool
        Whether a column's term is the square of the difference.
    lowest : bool
        Exactly k neighbours, the lower row first on ties, instead of all ties.
    by_sign : bool
        Whether a vote is its sign instead of its confidence.
    n_jobs : int or None
        Number of threads. A set is measured by one thread: the values do not depend on it, to the last bit.
    together : ndarray of int, shape (n,), or None
        Rows with the same number are never each other's neighbours.
    """

    def __init__(
        self,
        coordinates: FloatArray,
        codes: IntArray,
        problems: TwoClassProblems,
        *,
        criterion: str = "z",
        n_neighbors: int = 9,
        n_rounds: int = 50,
        squared: bool = False,
        lowest: bool = False,
        by_sign: bool = False,
        n_jobs: int | None = None,
        together: IntArray | None = None,
    ) -> None:
        self.codes = np.ascontiguousarray(codes, dtype=np.int64)
        self.problems = problems
        self.class_sizes = np.bincount(problems.classes[codes])
        self.criterion, self.n_rounds, self.by_sign = criterion, n_rounds, by_sign
        self._no_prime = np.full(n_rounds, np.nan)
        self.neighborhoods = Neighborhoods(
            coordinates,
            n_neighbors,
            squared=squared,
            lowest=lowest,
            n_threads=n_workers(n_jobs),
            together=together,
        )

    def extensions(self, columns: Iterable[int], candidates: Sequence[int]) -> Paths:
        """Return the criterion of a set of columns plus one more, for each candidate.

        Returns
        -------
        path, path_prime : ndarrays, shape (candidates, T)
            The criterion after 1..T rounds, and Z' (NaN for a criterion without it).
        """
        return stacked(self.neighborhoods.extensions(columns, candidates, self._paths))

    def subsets(self, columns: Iterable[int], sets: Sequence[Iterable[int]]) -> Paths:
        """Return the criterion of several sets of columns that each differ little from the set `columns`.

        Returns
        -------
        path, path_prime : ndarrays, shape (sets, T)
            As from `extensions`.
        """
        return stacked(self.neighborhoods.subsets(columns, sets, self._paths))

    def _paths(self, units: Units, lists: Lists) -> Paths:
        """Return the criterion after 1..T rounds, and Z', from the neighbours of all rows."""
        cells: Cells = cells_of(lists, units.begins, units.rows, self.codes, len(self.problems.worth))
        if self.criterion == "accuracy":
            error = leave_one_out_error(cells, self.problems.worth, self.problems.classes, self.class_sizes)
            return np.full(self.n_rounds, error), self._no_prime
        purity = None
        if self.criterion != "z":
            purity = imbalance(descriptions(units), cells, self.problems.signs)
        literal = self.criterion == "z_prime_literal"
        path, path_prime, *_ = boosted(
            cells, self.problems, purity, self.n_rounds, literal=literal, by_sign=self.by_sign
        )
        if purity is None:
            return mean_path(path), self._no_prime
        prime = mean_path(path_prime)
        return prime if self.criterion == "z_prime_minimised" else mean_path(path), prime

    def least(self, columns: Iterable[int], sets: Sequence[Iterable[int]]) -> list[float]:
        """Return bounds, from below, of the criterion of sets that hold the set `columns`; 0 where none is known."""
        if self.criterion == "accuracy" or self.neighborhoods.apart:
            return [0.0] * len(sets)
        primed = self.criterion in ("z_prime_minimised", "z_prime_literal")
        held = tuple(columns)
        return [
            least_z(self.neighborhoods.descriptions(held, chosen), self.codes, self.problems, primed=primed)
            for chosen in sets
        ]


class NeighborMeans(NeighborVotes):
    """The criterion of sets of columns for a numeric target: the leave-one-out squared error of the neighbours' mean.

    It is divided by the variance, so that 1 is about what the mean of all rows has, and 1 - criterion is r2.

    Parameters
    ----------
    coordinates : ndarray, shape (n, d)
        Scaled rows (`tamis.neighbors.ScaledRows`).
    numbers : ndarray, shape (n,)
        The target, not all of it the same.
    n_neighbors, n_rounds, squared, lowest, n_jobs, together
        As in `NeighborVotes`; the criterion is the same after each round.
    weights : ndarray, shape (n,), or None
        The weights of the rows, positive: in the mean of neighbours, in the error and in the variance.
    """

    def __init__(
        self,
        coordinates: FloatArray,
        numbers: FloatArray,
        *,
        n_neighbors: int = 9,
        n_rounds: int = 1,
        squared: bool = False,
        lowest: bool = False,
        n_jobs: int | None = None,
        together: IntArray | None = None,
        weights: FloatArray | None = None,
    ) -> None:
        self.criterion, self.n_rounds = "accuracy", n_rounds
        self._no_prime = np.full(n_rounds, np.nan)
        self.steps = whole_steps(numbers)
        self.weights: NDArray[Any] = np.ones(len(numbers), dtype=np.int64) if weights is None else weights
        held = self.weights.sum()
        away = (held * self.steps - (self.weights * self.steps).sum()) / held
        self.spread = float((self.weights * away**2).sum())
        self.neighborhoods = Neighborhoods(
            coordinates,
            n_neighbors,
            squared=squared,
            lowest=lowest,
            n_threads=n_workers(n_jobs),
            together=together,
            apart=weights is not None,
        )

    def _paths(self, units: Units, lists: Lists) -> Paths:
        """Return the criterion, and NaN for Z', from the neighbours of all rows."""
        squares = leave_one_out_squares(lists, units.begins, units.rows, self.steps, self.weights)
        return np.full(self.n_rounds, squares / self.spread), self._no_prime


def whole_steps(numbers: FloatArray) -> IntArray:
    """Return numbers as whole steps from the smallest (0) to the largest (2**40): their sums are exact."""
    low, high = float(numbers.min()) / 2, float(numbers.max()) / 2  # halves: the range may overflow
    bits = min(STEP_BITS, 62 - len(numbers).bit_length())
    steps: IntArray = np.rint((numbers / 2 - low) / (high - low) * 2.0**bits).astype(np.int64)
    return steps


def boosted(
    cells: Cells,
    problems: TwoClassProblems,
    purity: FloatArray | None,
    n_rounds: int,
    *,
    literal: bool = False,
    by_sign: bool = False,
    keep_weights: bool = False,
) -> tuple[FloatArray, ...]:
    """Return what the kernel `boost` returns, for any number of two-class problems."""
    n_problems = len(problems.signs)
    size = 1 if n_problems == 1 else LANES
    batches = []
    for first in range(0, n_problems, size):
        some = np.arange(first, first + size) % n_problems  # the last batch is padded with the first problems
        purity_of_some = np.zeros((size, 0)) if purity is None else purity[some]
        given = (problems.signs[some], problems.start[some], purity_of_some)
        batches.append(boost(cells, *given, literal, n_rounds, by_sign, keep_weights))
    if len(batches) == 1:
        return tuple(result[:n_problems] for result in batches[0])
    return tuple(np.concatenate(results)[:n_problems] for results in zip(*batches))


def mean_path(paths: FloatArray) -> FloatArray:
    """Return the mean over problems, summed in their order."""
    if len(paths) == 1:
        only: FloatArray = paths[0]
        return only
    mean: FloatArray = np.cumsum(paths, axis=0)[-1] / len(paths)
    return mean


def stacked(results: list[Paths]) -> Paths:
    """Return the paths of several sets, (sets, T) each."""
    return np.stack([path for path, _ in results]), np.stack([prime for _, prime in results])
