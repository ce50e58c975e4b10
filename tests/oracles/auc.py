"""UnivariateAUC by plain loops over pairs of rows, in exact fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np


def column_scores(
    X: Any, y: Any, weights: Any = None, *, folded: bool = False, nominal: Any = ()
) -> np.ndarray:
    """The score of every column.

    Parameters
    ----------
    X : array, shape (n, d)
        Numbers; NaN is a gap. A nominal column holds any numbers as names.
    y : array, shape (n,)
        The classes.
    weights : array, shape (n,), optional
        Weights of the rows, 1 each by default.
    folded : bool
        Whether a numeric column is also seen as the distance from its median.
    nominal : collection of int
        Positions of the nominal columns.

    Returns
    -------
    array, shape (d,)
        Scores, each the nearest float to the exact fraction.
    """
    X = np.asarray(X, dtype=np.float64)
    weights = [Fraction(1)] * len(X) if weights is None else [Fraction(float(w)) for w in weights]
    scores = []
    for j in range(X.shape[1]):
        column = [None if np.isnan(value) else float(value) for value in X[:, j]]
        views = nominal_views(column) if j in nominal else numeric_views(column, weights, folded)
        scores.append(float(max(mean_area(view, list(y), weights) for view in views)))
    return np.array(scores)


def numeric_views(column: list[Any], weights: list[Fraction], folded: bool) -> list[list[Any]]:
    """The column itself, whether it is missing, and its distance from the median."""
    views = [column, [float(value is None) for value in column]]
    if folded:
        middle = median(column, weights)
        views.append([None if value is None else abs(value - middle) for value in column])
    return views


def nominal_views(column: list[Any]) -> list[list[Any]]:
    """One yes-or-no column a value, a gap being one more value."""
    return [[float(value == level) for value in column] for level in set(column)]


def median(column: list[Any], weights: list[Fraction]) -> float:
    """The mean of the two middle known values, a row of weight 2 counting as two rows.

    Lower middle: the first value at which half of the weight is reached. Upper: the first at which it is passed.
    """
    known = sorted(
        (value, weight) for value, weight in zip(column, weights) if value is not None and weight > 0
    )
    if not known:
        return 0.0
    half = sum(weight for _, weight in known) / 2
    below = Fraction(0)
    lower = upper = None
    for value, weight in known:
        below += weight
        if lower is None and below >= half:
            lower = value
        if upper is None and below > half:
            upper = value
    return (lower + upper) / 2


def mean_area(view: list[Any], y: list[Any], weights: list[Fraction]) -> Fraction:
    """max(AUC, 1 - AUC) of each class against the rest, averaged with the classes' shares of the weight."""
    total = sum(weights)
    mean = Fraction(0)
    for label in set(y):
        own = sum(weight for weight, other in zip(weights, y) if other == label)
        if own == total:
            raise ValueError("one class has all the weight")
        if own > 0:
            won = area(view, [other == label for other in y], weights) / (own * (total - own))
            mean += own / total * max(won, 1 - won)
    return mean


def area(view: list[Any], inside: list[bool], weights: list[Fraction]) -> Fraction:
    """Weight of the pairs (inside, outside) in which the row inside has the larger value; ties and gaps half."""
    won = Fraction(0)
    for i in range(len(view)):
        for k in range(len(view)):
            if inside[i] and not inside[k]:
                pair = weights[i] * weights[k]
                if view[i] is None or view[k] is None or view[i] == view[k]:
                    won += pair / 2
                elif view[i] > view[k]:
                    won += pair
    return won
