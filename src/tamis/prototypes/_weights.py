"""What the loss of each row counts, for the row selectors that make a loss small."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tamis.table._table import Target
from tamis.table.weights import named_factors, refuse_one_class, row_weights, scale_of

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


Float = NDArray[np.float64]


def loss_weights(
    estimator: BaseEstimator,
    target: Target,
    class_weight: dict[Any, float] | str | None,
    sample_weight: ArrayLike | None = None,
) -> tuple[Float, float]:
    """Return what the loss of each row counts, the heaviest between 1 and 2, and the factor to the given weights.

    Parameters
    ----------
    estimator : estimator
        On whose behalf; its class name stands in errors.
    target : Target
        The classes.
    class_weight : None, "balanced" or dict
        1; (W / (n_classes W_class))**(1/2), W being the weight of all rows and W_class of the class's; or what the dict
        says of a class, 1 for classes it does not name.
    sample_weight : array-like, shape (n,), or None
        What each row counts besides.
    """
    who = type(estimator).__name__
    rows, scale = np.ones(len(target.codes)), 1.0
    if sample_weight is not None:
        rows, scale = row_weights(estimator, target, sample_weight), scale_of(sample_weight)
    held: Float = np.bincount(target.codes, weights=rows, minlength=target.n_classes).astype(np.float64)
    if class_weight is None:
        return rows, scale
    if isinstance(class_weight, dict):
        factors = named_factors(who, class_weight, target.classes, held)
        heaviest = max(float(class_weight.get(label, 1.0)) for label in target.classes.tolist())
        scale *= heaviest / float(factors.max())
    else:
        present = np.where(held > 0, held, np.inf)
        factors = np.sqrt(held.sum() / (np.count_nonzero(held) * present))
    refuse_one_class(who, "class_weight", factors * held)
    weights = rows * factors[target.codes]
    if sample_weight is None:
        return weights, scale
    unit = 2.0 ** (math.frexp(float(weights.max()))[1] - 1)
    return weights / unit, scale * unit
