"""From the votes of a boosted model to class probabilities and to the predicted class: one rule, so that they agree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]


def class_probabilities(decided: Float) -> Float:
    """Exp H of each class, scaled to sum to 1; for two classes, which share one H, the logistic function of 2 H.

    Parameters
    ----------
    decided : ndarray, shape (n,) or (n, classes)
        H: one number per row, positive for the second of two classes, or one per class; -inf for an excluded class.

    Returns
    -------
    ndarray, shape (n, classes)
        A larger H always has a larger probability. (The logistic function of each H, scaled, would not do: it rounds to 1
        for every H above 18.)
    """
    if decided.ndim == 1:
        decided = np.column_stack([-decided, decided])
    chances = np.exp(decided - decided.max(axis=1, keepdims=True))
    shared: Float = chances / chances.sum(axis=1, keepdims=True)
    return shared


def winners(decided: Float) -> NDArray[np.intp]:
    """The class with the largest probability, the earlier one on ties."""
    chosen: NDArray[np.intp] = class_probabilities(decided).argmax(axis=1)
    return chosen
