"""How many columns a sieve keeps: every fold repeats the whole ranking; the fewest columns that do as well are kept."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.metrics import check_scoring
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from tamis._parameters import n_workers
from tamis._processes import in_parallel
from tamis._shared import Shared
from tamis.features._curves import behind_best, chosen_size, order_and_curve, size_results
from tamis.features._sieve_part import Part, Rows
from tamis.features._splits import Split, splits_by
from tamis.table._table import Numbers, Table

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


Float = NDArray[np.float64]
Ints = NDArray[np.intp]

Fold = tuple[
    Any, list[Any]
]  # the order of the columns, and of each size a score, or the one told and the one that chooses
_EVERY_SIZE_UP_TO, _FURTHER = 6, 1.3  # then each size is 1.3 times the one before
LEAST_FOLDS, _STRATA = 2, 10
_REPEATED_ROWS, _REPEATED_CELLS = 500, 20_000  # folds of larger tables are drawn once
_TREE_ROWS = 1000  # the most rows that a tree of the forest draws
WORTH_WORKERS = 4.0  # seconds that all folds take in one process, from which on others are started
SHORT = 20.0  # seconds: where folds may take no longer, no others are started, which on a busy machine takes as long
_NEAR = 1e-7  # the step that a cut of scikit-learn's trees needs
_TOLD_APART = 0.99  # the share of a column's different values that these must tell apart
_LEAF = 5  # smaller leaves learn a single noisy column by heart, which columns of noise then seem to mend


@dataclass(frozen=True)
class Folds:
    """Splits of rows.

    Attributes
    ----------
    splits : list of (ndarray, ndarray)
        Training rows and rows held out.
    n_each : int
        How many of them make one repetition, in which no row is held out twice; all of them where folds are not repeated.
    """

    splits: list[Split]
    n_each: int

    def whole(self, n_done: int) -> int:
        """How many of the first `n_done` splits to use: no repetition that was cut short, but for the first."""
        return n_done if n_done < self.n_each else n_done // self.n_each * self.n_each


@dataclass(frozen=True)
class Resampled:
    """The results of all folds.

    Attributes
    ----------
    results : dict of arrays
        As in ``SelectorCV.cv_results_``, with how far each size is behind the best.
    size : int
        The fewest columns that are level with the best, by `chosen_size`.
    orders : list of ndarray of int
        The columns from best to worst in each fold.
    scores : ndarray, shape (folds,)
        The score of each fold at the size that the other folds of its repetition choose.
    """

    results: dict[str, NDArray[Any]]
    size: int
    orders: list[Ints]
    scores: Float


def resampled(
    selector: BaseEstimator,
    model: BaseEstimator,
    score: Any,
    X: ArrayLike,
    y: ArrayLike,
    splits: Sequence[Split],
    sizes: list[int],
    *,
    weights: Float | None = None,
    groups: Ints | None = None,
    n_jobs: int | None = None,
    seconds: float | None = None,
    a_fold: float = np.inf,
    best_first: bool = False,
) -> Iterator[Fold]:
    """Rank in every fold, and score the model at every size.

    Parameters
    ----------
    selector, model : estimator
        Cloned in every fold.
    score : callable
        A scorer.
    X, y : array-like or frame, array
        The rows.
    splits : sequence of (ndarray, ndarray)
        Training rows and rows held out.
    sizes : list of int
        The numbers of columns to score, ascending.
    weights : ndarray, shape (n,), optional
        The weights of the rows.
    groups : ndarray of int, shape (n,), optional
        The groups of the rows, for the selector.
    n_jobs : int or None
        How many folds run at the same time; one where they end, or the time is over, before other processes had begun. The result does not depend on it.
    seconds : float or None
        The time limit: apart from the first two, no fold is started that is not expected to end within it.
    a_fold : float, default=inf
        Seconds that a fold takes at least, as far as is known.
    best_first : bool, default=False
        Whether the model sees the columns from best to worst, not in the order of the table.

    Yields
    ------
    tuple
        For each fold the columns from best to worst, and the score at every size.
    """
    told = Shared((X, y, weights, groups))
    worth = a_fold * len(splits) > WORTH_WORKERS and (seconds is None or seconds > SHORT)
    at_once = n_workers(n_jobs) if worth else 1
    started, n_done = time.monotonic(), 0
    while n_done < len(splits):
        now = splits[n_done : n_done + max(at_once, LEAST_FOLDS - n_done)]
        calls = (
            delayed(_fold)(clone(selector), clone(model), score, told, split, sizes, best_first)
            for split in now
        )
        yield from in_parallel(calls, at_once, ordered=True)
        n_done += len(now)
        spent = time.monotonic() - started
        if seconds is not None and spent * (1 + at_once / n_done) > seconds and n_done >= LEAST_FOLDS:
            break


def judged(sizes: list[int], found: Sequence[Fold], n_each: int) -> Resampled:
    """What the folds say together; `n_each` of them make one repetition.

    Of several scores a size, the first is told, and the last chooses.
    """
    orders = [order for order, _ in found]
    curves = np.array([curve for _, curve in found], dtype=np.float64).reshape(len(found), len(sizes), -1)
    told, choosing = curves[:, :, 0], curves[:, :, -1]
    size = chosen_size(sizes, choosing, "level")
    behind, error = behind_best(choosing)
    results = size_results(sizes, told, n_each) | {"behind_best": behind, "behind_best_error": error}
    if curves.shape[2] > 1:
        results["mean_brier_score"] = -choosing.mean(axis=0)
    return Resampled(results, size, orders, _honest(sizes, told, choosing, n_each))


def _fold(
    selector: BaseEstimator,
    model: BaseEstimator,
    score: Any,
    told: Shared[Any],
    split: Split,
    sizes: list[int],
    best_first: bool,
) -> Any:
    X, y, weights, groups = told.data
    return order_and_curve(
        selector, model, score, X, y, *split, sizes, weights, groups, best_first=best_first
    )


def _honest(sizes: list[int], told: Float, choosing: Float, n_each: int) -> Float:
    """The score of each fold at the size that the other folds of its repetition choose: no size is judged by rows that chose it."""
    honest = np.empty(len(told))
    for fold in range(len(told)):
        first = fold // n_each * n_each
        others = [other for other in range(first, min(first + n_each, len(told))) if other != fold]
        if len(others) < LEAST_FOLDS:
            others.append(fold)
        honest[fold] = told[fold, sizes.index(chosen_size(sizes, choosing[others], "level"))]
    return honest


def few_sizes(n_columns: int, least: int = 1) -> list[int]:
    """Every number of columns up to 6, then each 1.3 times the one before, up to all columns; from `least` on."""
    sizes = list(range(1, min(n_columns, _EVERY_SIZE_UP_TO) + 1))
    while sizes[-1] < n_columns:
        sizes.append(min(n_columns, int(sizes[-1] * _FURTHER)))
    return [size for size in sizes if size >= least]


def folds(cv: Any, part: Part, labels: NDArray[Any], groups: ArrayLike | None, seed: int) -> Folds:
    """The splits of a part's rows, as positions within the part; none where too few rows are left for two.

    Parameters
    ----------
    cv : int, splitter or iterable
        A number means shuffled folds, stratified by class or by tenths of the numbers, fewer where all classes are small; repeated on
        small tables, see `n_repeats`; rows of a group in one fold. Anything else splits all rows of the table, of which those
        in the part are taken.
    part : Part
        The rows.
    labels : ndarray, shape (n,)
        The codes of the classes of all rows of the table, or their numbers.
    groups : array-like or None
        The groups of all rows of the table.
    seed : int
        The seed of the shuffle.
    """
    own, numeric = part.labels, isinstance(part.target, Numbers)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        if isinstance(cv, int | np.integer):
            n_folds = min(int(cv), len(own) // 2 if numeric else int(np.bincount(own).max()))
            if part.groups is not None:
                n_folds = min(n_folds, len(np.unique(part.groups)))
            if n_folds < LEAST_FOLDS:
                return Folds([], 1)
            strata = _tenths(own, n_folds) if numeric else own
            kind = StratifiedKFold if part.groups is None else StratifiedGroupKFold
            made = [kind(n_folds, shuffle=True, random_state=seed + k) for k in range(n_repeats(part))]
            splits = [split for one in made for split in one.split(own, strata, part.groups)]
        else:
            n_folds = 0
            position = np.full(len(labels), -1)
            position[part.rows] = np.arange(len(part.rows))
            whole = splits_by("Sieve", cv, labels, labels, groups, classifier=not numeric)
            splits = [(_inside(position[train]), _inside(position[test])) for train, test in whole]
    least = 2 if numeric else 1  # r2 needs two rows
    fit = [len(test) >= least and len(np.unique(own[train])) > 1 for train, test in splits]
    if n_folds and not all(fit):  # repetitions of another length cannot be told apart
        splits, fit = splits[:n_folds], fit[:n_folds]
    left = [split for split, fits in zip(splits, fit) if fits]
    if n_folds and len(left) < LEAST_FOLDS:
        return Folds([], 1)
    return Folds(left, n_folds if n_folds and all(fit) else max(1, len(left)))


def n_repeats(part: Part) -> int:
    """How often folds are drawn: twice on small tables, where one draw of the folds decides much and a ranking costs little."""
    rows, columns = part.table.n_rows, part.table.n_columns
    return 2 if rows <= _REPEATED_ROWS and rows * columns <= _REPEATED_CELLS else 1


def _tenths(numbers: Float, n_folds: int) -> Ints:
    """The tenth of the rows in which each number lies; fewer and larger parts where a tenth would be less than a row a fold."""
    n_parts = max(1, min(_STRATA, len(numbers) // n_folds))
    return np.argsort(np.argsort(numbers, kind="stable")) * n_parts // len(numbers)


def _inside(positions: Ints) -> Ints:
    return positions[positions >= 0]


def judge_of(sieve: Any, every: Rows, table: Table, part: Part) -> tuple[Any, Any, Any, NDArray[Any]]:
    """The model that judges a size, its score, the part's rows and their target as it takes them; `table` holds the rows."""
    numeric = isinstance(part.target, Numbers)
    labels = part.target.values if isinstance(part.target, Numbers) else part.target.classes[part.labels]
    if sieve.estimator is None:
        forest = quick_model(len(part.rows), numeric=numeric)
        own = sieve.scoring is None and not numeric
        score = class_scores if own else check_scoring(forest, sieve.scoring)
        if numeric and sieve.scoring is None:
            labels = of_spread_one(labels)
        return forest, score, told_apart(table.values), labels
    return (
        *(sieve.estimator, check_scoring(sieve.estimator, scoring=sieve.scoring)),
        *(every.frame(part.rows), labels),
    )


def told_apart(values: Float) -> Float:
    """Columns of which scikit-learn's trees, which hold values in 32 bits and never cut between near ones, tell most values apart.

    A column that would lose more than one in a hundred of its different values (times in seconds, lengths in nanometres) begins at 0
    instead and is scaled by a power of two to end between .5 and 1, if fewer are lost then. Others are as they were.
    """
    held = values
    for j, column in enumerate(values.T):
        different = np.unique(column[~np.isnan(column)])
        n_told = _n_told_apart(different)
        if n_told >= _TOLD_APART * len(different):
            continue
        begin, end = np.ldexp(different[[0, -1]], -1)  # halves, so that no difference is infinite
        up = -int(np.frexp(end - begin)[1])
        if _n_told_apart(np.ldexp(np.ldexp(different, -1) - begin, up)) > n_told:
            held = values.copy() if held is values else held
            held[:, j] = np.ldexp(np.ldexp(column, -1) - begin, up)
    return held


def _n_told_apart(ascending: Float) -> int:
    """How many of these numbers trees tell apart; none where one is infinite in 32 bits."""
    with np.errstate(over="ignore"):
        narrow = ascending.astype(np.float32)
    return 1 + int((np.diff(narrow) > _NEAR).sum()) if np.isfinite(narrow).all() else 0


def of_spread_one(numbers: Float) -> Float:
    """Numbers divided by a power of two, so that their spread is about 1.

    r2 is the same, squares stay within range, and trees, to which a variance of 1e-16 is none, are cut.
    """
    halves = np.ldexp([numbers.min(), numbers.max()], -1)  # so that their difference is not infinite
    scaled: Float = np.ldexp(numbers, -1 - int(np.frexp(halves[1] - halves[0])[1]))
    return scaled


def quick_model(n_rows: int, *, numeric: bool = False) -> Any:
    """A forest that takes missing values and gives all classes the same weight: quick, and good on most tables.

    Where there are more than a thousand rows, each tree draws a thousand of them.
    """
    drawn = None if n_rows <= _TREE_ROWS else _TREE_ROWS / n_rows
    if numeric:
        return RandomForestRegressor(40, min_samples_leaf=_LEAF, max_samples=drawn, random_state=0)
    return RandomForestClassifier(
        40, min_samples_leaf=_LEAF, class_weight="balanced", max_samples=drawn, random_state=0
    )


def class_scores(
    model: BaseEstimator, X: ArrayLike, y: NDArray[Any], sample_weight: NDArray[Any] | None = None
) -> tuple[float, float]:
    """The share of right answers, and minus the squared error of the class probabilities, averaged over the classes in y.

    The second chooses: it also tells how nearly right an answer was, and so jumps less from size to size.
    """
    told = model.predict_proba(X)
    truth = y[:, np.newaxis] == model.classes_
    right = model.classes_[np.argmax(told, axis=1)] == y
    unseen = ~truth.any(axis=1)  # the whole of a class that no training row has is missed
    squares = ((told - truth) ** 2).sum(axis=1) + unseen
    return mean_of_classes(y, right, sample_weight), -mean_of_classes(y, squares, sample_weight)


def class_mean(y: NDArray[Any], predicted: NDArray[Any], weights: NDArray[Any] | None = None) -> float:
    """The share of right answers in each class, averaged over the classes that occur in y."""
    return mean_of_classes(y, predicted == y, weights)


def mean_of_classes(y: NDArray[Any], values: NDArray[Any], weights: NDArray[Any] | None = None) -> float:
    """The mean of the rows' values in each class, averaged over the classes that occur in y."""
    weights = np.ones(len(y)) if weights is None else weights
    return float(np.mean([np.average(values[y == one], weights=weights[y == one]) for one in np.unique(y)]))
