"""What a method finds where nothing can be found: the same steps with the target shuffled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from tamis.study._fold import Data, Fold, Rows, judged_fold
from tamis.study._models import model
from tamis.study._scores import DEFAULT_SCORE, measured, sign_of
from tamis.study._splits import splits_of, strata
from tamis.table._rows import rows_of

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

MOST_ROWS = 2000
MOST_COLUMNS = 10  # judged where the caller asked for a ranking alone
_JUDGE = {"columns": "boosting", "rows": "1-nn"}
N_SHUFFLES = 3


@dataclass(frozen=True)
class Shuffled:
    """Scores with the target as it is, and in random order.

    Attributes
    ----------
    sifts : "columns" or "rows"
        What was kept.
    n_kept : float
        How many, in the mean of the splits.
    model, score : str
        The judge, and its score.
    own, null : tuple of float
        The score on the rows held out in each split, on which nothing was chosen or fitted.
    """

    sifts: str
    n_kept: float
    model: str
    score: str
    own: tuple[float, ...]
    null: tuple[float, ...]

    @property
    def better(self) -> bool:
        """Whether every split scores higher with the target as it is than any with a shuffled one."""
        sign = sign_of(self.score)
        return min(sign * one for one in self.own) > max(sign * one for one in self.null)


def against_shuffled(
    selector: BaseEstimator,
    sifts: str,
    size: Any,
    X: ArrayLike,
    y: NDArray[Any],
    *,
    target_kind: str = "classes",
    judge: str | None = None,
    score: str | None = None,
    random_state: int = 0,
    weights: NDArray[np.float64] | None = None,
) -> Shuffled | None:
    """Choose and fit on each half of the rows, judge on the other; then the same with the target shuffled.

    Parameters
    ----------
    selector : estimator
        The method, as it was set.
    sifts : "columns" or "rows"
        What it keeps.
    size : int, float or None
        How many columns, or rows (a share of them); None: as many as the method will.
    X, y : table, ndarray
        The rows, of which at most 2,000 are drawn, and their target.
    target_kind : {"classes", "numbers"}
        What y holds.
    judge, score : str or None
        A model of `tamis.study._models`, and its score; None: boosted trees for columns, the nearest neighbour for rows, and the
        default score.
    random_state : int
        Draws the rows, the halves and the order of the target.
    weights : ndarray, shape (n,), or None
        What each row counts; rows of weight 0 are left out.

    Returns
    -------
    Shuffled or None
        None where a half cannot be judged.
    """
    random = np.random.default_rng(random_state)
    if weights is not None:
        alive = np.flatnonzero(weights)
        X, y, weights = rows_of(X, alive), y[alive], weights[alive]
    rows = np.sort(random.permutation(len(y))[:MOST_ROWS])
    X, y = rows_of(X, rows), y[rows]
    name, measure = judge or _JUDGE[sifts], score or DEFAULT_SCORE[target_kind]
    counts = None if weights is None else weights[rows]
    data = Data(X, y, {name: model(name, target_kind)}, target_kind, measure, counts)
    try:
        splits, _ = splits_of(y if target_kind == "classes" else strata(y, 2), 2, 1, None, random_state)
    except ValueError:  # too few rows for two halves
        return None
    return both_ways(selector, sifts, size, data, splits, name, random_state)


def both_ways(
    selector: BaseEstimator | None,
    sifts: str,
    size: Any,
    data: Data,
    splits: Sequence[tuple[Rows, Rows]],
    judge: str,
    random_state: int,
) -> Shuffled | None:
    """The scores in these splits with the target as it is, and shuffled; None where a split cannot be judged."""
    score = str(data.score)
    place = measured(data.target_kind, score).index(score)
    rows, shuffled = data.counted, data.y.copy()
    order = rows[np.random.default_rng([random_state, 1]).permutation(len(rows))]
    shuffled[rows] = data.y[order]
    weights = None if data.weights is None else data.weights.copy()
    if weights is not None:
        weights[rows] = weights[order]  # a weight goes with its label, so that chance stays what it is
    told: list[list[float]] = [[], []]
    n_kept = []
    for values, labels, counts in zip(told, (data.y, shuffled), (data.weights, weights)):
        seen = replace(data, y=labels, weights=counts, models={judge: data.models[judge]})
        for number, (train, test) in enumerate(splits):
            fold = Fold("", selector, sifts, number, train, test, [] if size is None else [size])
            steps = judged_fold(fold, seen).get("steps")
            value = None if steps is None else steps[0]["scores"][judge][place]
            if steps is None or value is None:  # refused, or not to be judged
                return None
            values.append(float(value))
            n_kept.append(steps[0]["n_kept"])
    kept = float(np.mean(n_kept[: len(splits)]))
    return Shuffled(sifts, kept, judge, score, tuple(told[0]), tuple(told[1]))


def kept_when_shuffled(
    selector: BaseEstimator, X: ArrayLike, y: NDArray[Any], random_state: int = 0
) -> list[int]:
    """How many columns a selector with a number of its own keeps of the same table with the target shuffled, three times."""
    random = np.random.default_rng(random_state)
    rows = np.sort(random.permutation(len(y))[:MOST_ROWS])
    X, y = rows_of(X, rows), y[rows]
    return [int(clone(selector).fit(X, random.permutation(y)).n_features_) for _ in range(N_SHUFFLES)]
