"""How many columns a sieve keeps: every fold repeats the whole ranking; the fewest columns that do as well are kept."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.model_selection import StratifiedKFold

from tamis._parameters import n_workers
from tamis._shared import Shared
from tamis.features._curves import chosen_size, order_and_curve, size_results
from tamis.features._sieve_part import Part
from tamis.features._splits import Split, splits_by
from tamis.table._table import Numbers

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


Float = NDArray[np.float64]
Ints = NDArray[np.intp]

Fold = tuple[Any, list[float]]  # the order of the columns, and the scores of the sizes
_EVERY_SIZE_UP_TO, _FURTHER = 6, 1.3  # then each size is 1.3 times the one before
LEAST_FOLDS, _STRATA = 2, 10
_TREE_ROWS = 1000  # the most rows that a tree of the forest draws


@dataclass(frozen=True)
class Resampled:
    """The results of all folds.

    Attributes
    ----------
    results : dict of arrays
        As in ``SelectorCV.cv_results_``.
    size : int
        The fewest columns whose mean score is within a standard error of the best.
    orders : list of ndarray of int
        The columns from best to worst in each fold.
    scores : ndarray, shape (folds,)
        The score of each fold at the size that the other folds choose.
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
    n_jobs: int | None = None,
    seconds: float | None = None,
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
    n_jobs : int or None
        How many folds run at the same time. The result does not depend on it.
    seconds : float or None
        The time limit: apart from the first two, no fold is started that is not expected to end within it.

    Yields
    ------
    tuple
        For each fold the columns from best to worst, and the score at every size.
    """
    told = Shared((X, y, weights))
    at_once, started, n_done = n_workers(n_jobs), time.monotonic(), 0
    while n_done < len(splits):
        now = splits[n_done : n_done + max(at_once, LEAST_FOLDS - n_done)]
        yield from Parallel(n_jobs=at_once, return_as="generator")(
            delayed(_fold)(clone(selector), clone(model), score, told, split, sizes) for split in now
        )
        n_done += len(now)
        spent = time.monotonic() - started
        if seconds is not None and spent * (1 + at_once / n_done) > seconds and n_done >= LEAST_FOLDS:
            break


def judged(sizes: list[int], found: Sequence[Fold]) -> Resampled:
    """What the folds say together."""
    orders = [order for order, _ in found]
    scores = np.array([curve for _, curve in found])
    results = size_results(sizes, scores)
    size = chosen_size(results, "one_standard_error")
    return Resampled(results, size, orders, _honest(sizes, scores))


def _fold(
    selector: BaseEstimator,
    model: BaseEstimator,
    score: Any,
    told: Shared[Any],
    split: Split,
    sizes: list[int],
) -> Any:
    X, y, weights = told.data
    return order_and_curve(selector, model, score, X, y, *split, sizes, weights)


def _honest(sizes: list[int], scores: Float) -> Float:
    """The score of each fold at the size that the other folds choose: no size is judged by the rows that chose it."""
    if len(scores) < 3:
        return scores[:, sizes.index(chosen_size(size_results(sizes, scores), "one_standard_error"))]
    honest = np.empty(len(scores))
    for fold in range(len(scores)):
        others = size_results(sizes, np.delete(scores, fold, axis=0))
        honest[fold] = scores[fold, sizes.index(chosen_size(others, "one_standard_error"))]
    return honest


def few_sizes(n_columns: int, least: int = 1) -> list[int]:
    """Every number of columns up to 6, then each 1.3 times the one before, up to all columns; from `least` on."""
    sizes = list(range(1, min(n_columns, _EVERY_SIZE_UP_TO) + 1))
    while sizes[-1] < n_columns:
        sizes.append(min(n_columns, int(sizes[-1] * _FURTHER)))
    return [size for size in sizes if size >= least]


def folds(cv: Any, part: Part, labels: NDArray[Any], groups: ArrayLike | None, seed: int) -> list[Split]:
    """The splits of a part's rows, as positions within the part; none where no class has two rows, or of fewer than four numbers.

    Parameters
    ----------
    cv : int, splitter or iterable
        A number means shuffled folds, stratified by class or by tenths of the numbers, fewer where all classes are small. Anything else splits all rows of
        the table, of which those in the part are taken.
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
            if n_folds < LEAST_FOLDS:
                return []
            strata = _tenths(own, n_folds) if numeric else own
            splits = list(StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(own, strata))
        else:
            position = np.full(len(labels), -1)
            position[part.rows] = np.arange(len(part.rows))
            whole = splits_by("Sieve", cv, labels, labels, groups, classifier=not numeric)
            splits = [(_inside(position[train]), _inside(position[test])) for train, test in whole]
    least = 2 if numeric else 1  # r2 needs two rows
    return [(train, test) for train, test in splits if len(test) >= least and len(np.unique(own[train])) > 1]


def _tenths(numbers: Float, n_folds: int) -> Ints:
    """The tenth of the rows in which each number lies; fewer and larger parts where a tenth would be less than a row a fold."""
    n_parts = max(1, min(_STRATA, len(numbers) // n_folds))
    return np.argsort(np.argsort(numbers, kind="stable")) * n_parts // len(numbers)


def _inside(positions: Ints) -> Ints:
    return positions[positions >= 0]


def quick_model(n_rows: int, *, numeric: bool = False) -> Any:
    """A forest that takes missing values and gives all classes the same weight: quick, and good on most tables.

    Where there are more than a thousand rows, each tree draws a thousand of them.
    """
    drawn = None if n_rows <= _TREE_ROWS else _TREE_ROWS / n_rows
    if numeric:
        return RandomForestRegressor(40, min_samples_leaf=2, max_samples=drawn, random_state=0)
    return RandomForestClassifier(
        40, min_samples_leaf=2, class_weight="balanced", max_samples=drawn, random_state=0
    )


def class_mean_accuracy(
    model: BaseEstimator, X: ArrayLike, y: NDArray[Any], sample_weight: NDArray[Any] | None = None
) -> float:
    """The score `class_mean` of a model's predictions."""
    return class_mean(y, np.asarray(model.predict(X)), sample_weight)


def class_mean(y: NDArray[Any], predicted: NDArray[Any], weights: NDArray[Any] | None = None) -> float:
    """The share of right answers in each class, averaged over the classes that occur in y."""
    right = predicted == y
    weights = np.ones(len(y)) if weights is None else weights
    return float(np.mean([np.average(right[y == one], weights=weights[y == one]) for one in np.unique(y)]))
