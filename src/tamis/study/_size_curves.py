"""The held-out score of a model at every size of a selection, in one fold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from tamis._shared import Shared
from tamis.features._curves import order_and_curve, weights_for
from tamis.table._rows import rows_of

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

Ints = NDArray[np.intp]


def fold_curve(
    selector: BaseEstimator,
    model: BaseEstimator,
    score: Any,
    shared: Shared[Any],
    train: Ints,
    test: Ints,
    sizes: list[Any],
) -> list[float]:
    """The score of each size: of columns, or of rows where the selector chooses these. It sees the training rows only.

    What is shared is X, y, the weights of the rows or None, and their groups or None.
    """
    X, y, weights, groups = shared.data
    if hasattr(selector, "fit_resample"):
        return row_curve(selector, model, score, X, y, train, test, sizes, weights)
    scores = order_and_curve(selector, model, score, X, y, train, test, sizes, weights, groups)[1]
    return [float(one) for one in scores]


def row_curve(
    selector: BaseEstimator,
    model: BaseEstimator,
    score: Any,
    X: ArrayLike,
    y: ArrayLike,
    train: Ints,
    test: Ints,
    sizes: list[float],
    weights: NDArray[np.float64] | None = None,
) -> list[float]:
    """Held-out score of each number of kept rows in one fold; the weights go to the selector, the model and the score."""
    X_train, y_train = rows_of(X, train), rows_of(y, train)
    X_test, y_test = rows_of(X, test), rows_of(y, test)
    held = {} if weights is None else {"sample_weight": weights[test]}
    scores = []
    for size in sizes:
        sized = clone(selector).set_params(n_prototypes=size)
        kept = sized.fit_resample(X_train, y_train, **weights_for(sized, weights, train))
        counted = kept_weights(sized, None if weights is None else weights[train])
        fitted = clone(model).fit(*kept, **weights_for(model, counted))
        scores.append(float(score(fitted, X_test, y_test, **held)))
    return scores


def kept_weights(sampler: BaseEstimator, weights: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
    """The weights of the rows that a fitted selector of rows keeps; none where it makes rows."""
    kept = getattr(sampler, "sample_indices_", None)
    return None if weights is None or kept is None else weights[kept]
