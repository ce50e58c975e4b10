"""Selectors of scikit-learn, and Boruta, for any table, to compare the methods of this library with."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE, SelectFromModel, SelectKBest, f_classif, mutual_info_classif
from sklearn.linear_model import LogisticRegression
from sklearn.utils import check_random_state

from tamis.features._curves import column_order
from tamis.table._encode import encode


class Coded(MetaEstimatorMixin, BaseEstimator):
    """A selector that takes only numbers, on a table with categorical columns and missing values.

    Categorical columns are given to it as codes in sorted order, missing values as the column's mean, and every column is
    scaled to a standard deviation of 1. That is possible without splitting a column into several.

    Parameters
    ----------
    selector : estimator
        A column selector with scikit-learn's API.

    Attributes
    ----------
    ranking_ : ndarray, shape (d,)
        1 is best, a permutation of 1..d.
    """

    def __init__(self, selector: BaseEstimator) -> None:
        self.selector = selector

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Rank the columns."""
        values = encode(self, X).values
        centred = values - np.nanmean(np.where(np.isnan(values).all(axis=0), 0.0, values), axis=0)
        filled: NDArray[np.float64] = np.nan_to_num(centred, nan=0.0)
        deviation = filled.std(axis=0)
        filled /= np.where(deviation > 0, deviation, 1.0)
        self.selector_ = clone(self.selector)
        order = column_order(self.selector_, filled, np.asarray(y))
        if order is None:
            raise ValueError(f"Coded: {type(self.selector_).__name__} gives no ranking.")
        self.ranking_ = np.empty(len(order), dtype=np.int64)
        self.ranking_[order] = np.arange(1, len(order) + 1)
        return self


class MutualInformation:
    """mutual_info_classif with a seed, as a function that can be sent to another process."""

    def __init__(self, random_state: int) -> None:
        self.random_state = random_state

    def __call__(self, X: ArrayLike, y: ArrayLike) -> Any:
        """One number per column."""
        return mutual_info_classif(X, y, random_state=check_random_state(self.random_state))

    def __repr__(self) -> str:
        return f"MutualInformation({self.random_state})"


def peers() -> tuple[str, ...]:
    """The names of the available selectors; Boruta if it is installed."""
    boruta = ("boruta",) if find_spec("boruta") else ()
    return ("f-test", "mutual-information", "forest", "rfe", *boruta)


def peer(name: str, random_state: int = 0) -> Any:
    """The selector of that name, not yet fitted."""
    forest = RandomForestClassifier(200, random_state=random_state)
    if name == "f-test":
        return Coded(SelectKBest(f_classif))
    if name == "mutual-information":
        return Coded(SelectKBest(MutualInformation(random_state)))
    if name == "forest":
        return Coded(SelectFromModel(forest))
    if name == "rfe":
        return Coded(RFE(LogisticRegression(max_iter=300), step=0.1))
    if name == "boruta":
        from boruta import BorutaPy

        shallow = RandomForestClassifier(max_depth=5, random_state=random_state)
        return Coded(BorutaPy(shallow, n_estimators="auto", random_state=random_state))
    raise ValueError(f"peer: no selector {name!r}. Use one of {', '.join(peers())}.")
