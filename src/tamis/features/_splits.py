"""The splits that a `cv` makes of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import check_cv

Split = tuple[NDArray[np.intp], NDArray[np.intp]]


def splits_by(
    who: str, cv: Any, X: Any, labels: Any, groups: ArrayLike | None, *, classifier: bool
) -> list[Split]:
    """Training rows and rows held out of every split; what is no pair of rows is refused.

    Parameters
    ----------
    who : str
        The estimator that asks, for messages.
    cv : int, splitter or iterable
        As in scikit-learn.
    X : array-like or frame
        The rows.
    labels : ndarray, shape (n,)
        Their classes or numbers.
    groups : array-like or None
        Rows that must stay together, for a splitter that asks for them.
    classifier : bool
        Whether a number means folds stratified by class.
    """
    if np.iterable(cv) and not hasattr(cv, "split"):
        cv = list(cv)
        for split in cv:
            if not (isinstance(split, tuple | list) and len(split) == 2 and all(map(np.iterable, split))):
                raise ValueError(
                    f"{who}: cv holds {split!r}, which is no pair of training rows and rows held out. "
                    "Give such pairs, a number of folds, or a splitter."
                )
    return list(check_cv(cv, labels, classifier=classifier).split(X, labels, groups))
