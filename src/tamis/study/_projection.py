"""The rows of a table in two dimensions, for a picture."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.decomposition import PCA

from tamis.study._models import Numbers


def projection(X: ArrayLike, random_state: int = 0) -> tuple[NDArray[np.float64], float]:
    """Two principal components of the rows, and the share of the variance that they show.

    Parameters
    ----------
    X : array-like or frame, shape (n, d)
        The rows; categorical columns as 0 and 1, missing values as means, every column scaled.
    random_state : int, default=0
        For the randomised decomposition of a wide table.

    Returns
    -------
    ndarray, shape (n, 2)
        The coordinates of each row.
    float
        Between 0 and 1.
    """
    numbers = Numbers().fit(X).transform(X)
    if numbers.shape[1] < 2:
        return np.column_stack([numbers, np.zeros((len(numbers), 2 - numbers.shape[1]))]), 1.0
    if not numbers.var(axis=0).any():
        return np.zeros((len(numbers), 2)), 1.0
    model = PCA(2, random_state=random_state)
    places: NDArray[np.float64] = model.fit_transform(numbers)
    return places, float(model.explained_variance_ratio_.sum())
