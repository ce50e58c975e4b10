"""Selectors of scikit-learn, LightGBM and Boruta, for any table, to compare the methods of this library with."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.feature_selection import (
    RFE,
    SelectFromModel,
    SelectKBest,
    f_classif,
    f_regression,
    mutual_info_classif,
    mutual_info_regression,
)
from sklearn.linear_model import LogisticRegression, Ridge, lasso_path
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

    @property
    def _weighed_part(self) -> BaseEstimator:
        """What weights of rows are handed on to."""
        return self.selector

    def fit(self, X: ArrayLike, y: ArrayLike, **weights: Any) -> Self:
        """Rank the columns; the weights of rows, if any, go to the selector."""
        values = encode(self, X).values
        centred = values - np.nanmean(np.where(np.isnan(values).all(axis=0), 0.0, values), axis=0)
        filled: NDArray[np.float64] = np.nan_to_num(centred, nan=0.0)
        deviation = filled.std(axis=0)
        filled /= np.where(deviation > 0, deviation, 1.0)
        self.selector_ = clone(self.selector)
        order = column_order(self.selector_, filled, np.asarray(y), **weights)
        if order is None:
            raise ValueError(f"Coded: {type(self.selector_).__name__} gives no ranking.")
        self.ranking_ = np.empty(len(order), dtype=np.int64)
        self.ranking_[order] = np.arange(1, len(order) + 1)
        return self


class MutualInformation:
    """mutual_info_classif or mutual_info_regression with a seed, as a function that can be sent to another process."""

    def __init__(self, random_state: int, target_kind: str = "classes") -> None:
        self.random_state = random_state
        self.target_kind = target_kind

    def __call__(self, X: ArrayLike, y: ArrayLike) -> Any:
        """One number per column."""
        information = mutual_info_classif if self.target_kind == "classes" else mutual_info_regression
        return information(X, y, random_state=check_random_state(self.random_state))

    def __repr__(self) -> str:
        kind = "" if self.target_kind == "classes" else f", {self.target_kind!r}"
        return f"MutualInformation({self.random_state}{kind})"


class LassoPath(BaseEstimator):
    """Columns in the order in which they enter the path of the lasso.

    Attributes
    ----------
    ranking_ : ndarray, shape (d,)
        1 is the first to enter; of those that enter together, or never, the one with the larger coefficient at the end.
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Follow the path on centred numbers."""
        scale = np.abs(y - y.mean()).max()
        _, path, _ = lasso_path(np.asarray(X), (y - y.mean()) / scale)
        enters = path != 0
        first = np.where(enters.any(axis=1), enters.argmax(axis=1), path.shape[1])
        order = np.lexsort((-np.abs(path[:, -1]), first))
        self.ranking_ = np.empty(len(order), dtype=np.int64)
        self.ranking_[order] = np.arange(1, len(order) + 1)
        return self


def peers(target_kind: str = "classes") -> tuple[str, ...]:
    """The names of the available selectors; Boruta and LightGBM if they are installed."""
    boruta = ("boruta",) if find_spec("boruta") else ()
    if target_kind == "classes":
        return ("f-test", "mutual-information", "forest", "rfe", *boruta)
    lightgbm = ("lightgbm",) if find_spec("lightgbm") else ()
    return ("f-test", "mutual-information", "lasso-path", "forest", "rfe", *lightgbm, *boruta)


def peer(name: str, random_state: int = 0, target_kind: str = "classes") -> Any:
    """The selector of that name, not yet fitted."""
    classes = target_kind == "classes"
    forest = RandomForestClassifier if classes else RandomForestRegressor
    if name not in peers(target_kind):
        raise ValueError(f"peer: no selector {name!r}. Use one of {', '.join(peers(target_kind))}.")
    if name == "f-test":
        return Coded(SelectKBest(f_classif if classes else f_regression))
    if name == "mutual-information":
        return Coded(SelectKBest(MutualInformation(random_state, target_kind)))
    if name == "forest":
        return Coded(SelectFromModel(forest(200, random_state=random_state)))
    if name == "rfe":
        return Coded(RFE(LogisticRegression(max_iter=300) if classes else Ridge(), step=0.1))
    if name == "lasso-path":
        return Coded(LassoPath())
    if name == "lightgbm":
        from lightgbm import LGBMRegressor

        return Coded(LGBMRegressor(importance_type="gain", random_state=random_state, n_jobs=1, verbose=-1))
    from boruta import BorutaPy

    shallow = forest(max_depth=5, random_state=random_state)
    return Coded(BorutaPy(shallow, n_estimators="auto", random_state=random_state))
