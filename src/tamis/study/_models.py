"""The default models that judge a selection, for classes and for numbers; all take categorical columns and missing values."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.pipeline import Pipeline

from tamis.prototypes._nearest import NearestKept
from tamis.prototypes.chance import RandomPrototypes
from tamis.prototypes.classifiers import PrototypeClassifier
from tamis.table._encode import encode, encode_like

Float = NDArray[np.float64]
_N_BINS = 63  # a quarter of scikit-learn's default: as good a judge, and several times faster on wide tables
_PENALTIES = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)  # of ridge regression, on columns of standard deviation 1


class Numbers(TransformerMixin, BaseEstimator):
    """A table as scaled numbers: what a linear model needs.

    Numeric columns are centred and divided by their standard deviation, with missing values at the mean. A categorical
    column becomes one column of 0 and 1 per category, all 0 for a missing or unknown value. Missing values of a column are
    marked in an additional column.
    """

    def fit(self, X: ArrayLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the means, deviations and categories of the columns, of rows that count by their weights."""
        table = encode(self, X)
        self._schema = table.schema
        values = table.values[:, ~table.nominal]
        known = ~np.isnan(values)
        weights = 1.0 if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)[:, None]
        count = (known * weights).sum(axis=0)
        count[count == 0] = 1.0
        filled = np.where(known, values, 0.0)
        self.mean_ = (filled * weights).sum(axis=0) / count
        squares = np.where(known, values - self.mean_, 0.0) ** 2
        self.scale_ = np.sqrt((squares * weights).sum(axis=0) / count)
        self.scale_[~(self.scale_ > 0)] = 1.0
        self.gapped_ = np.flatnonzero(np.isnan(table.values).any(axis=0))
        return self

    def transform(self, X: ArrayLike) -> Float:
        """The numbers."""
        values = encode_like(self, X, self._schema).values
        nominal = self._schema.nominal
        scaled = (values[:, ~nominal] - self.mean_) / self.scale_
        parts = [np.nan_to_num(scaled, nan=0.0)]
        for j in np.flatnonzero(nominal):
            known = self._schema.categories[j]
            codes = np.arange(0 if known is None else len(known))
            parts.append((values[:, j, None] == codes).astype(float))
        parts.append(np.isnan(values[:, self.gapped_]).astype(float))
        return np.hstack(parts)


class NeighborsMean(RegressorMixin, BaseEstimator):
    """The mean of the nearest rows, by the distance that the row selectors use; on ties the lower row is nearer.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many rows; all if there are fewer.
    """

    def __init__(self, n_neighbors: int = 5) -> None:
        self.n_neighbors = n_neighbors

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Keep the rows."""
        table = encode(self, X)
        self._nearest = NearestKept.of(table, table.values)
        self._answers = np.asarray(y, dtype=np.float64)
        return self

    def predict(self, X: ArrayLike) -> Float:
        """Numbers for new rows."""
        near = self._nearest.positions(self, X, self.n_neighbors)
        answers: Float = self._answers[near].mean(axis=1)
        return answers


class _Boosted(BaseEstimator):
    """scikit-learn's histogram boosting for any table: 60 trees of 8 leaves, smaller ones for few rows."""

    _kind: Any

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Boost; rows count by their weights."""
        table = encode(self, X)
        self._schema = table.schema
        few = np.array(
            [len(known) <= _N_BINS if known is not None else False for known in table.schema.categories]
        )
        self.model_ = self._kind(
            categorical_features=table.nominal & few,
            min_samples_leaf=int(np.clip(table.n_rows // 20, 1, 20)),
            max_iter=60,
            max_leaf_nodes=8,
            max_bins=_N_BINS,
            early_stopping=False,
            random_state=0,
        ).fit(table.values, y, sample_weight=sample_weight)
        return self

    def predict(self, X: ArrayLike) -> Any:
        """Classes or numbers of new rows."""
        return self.model_.predict(encode_like(self, X, self._schema).values)


class BoostedTrees(ClassifierMixin, _Boosted):
    """scikit-learn's HistGradientBoostingClassifier for any table."""

    _kind = HistGradientBoostingClassifier

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes, sorted."""
        classes: NDArray[Any] = self.model_.classes_
        return classes

    def predict_proba(self, X: ArrayLike) -> Float:
        """Probabilities of the classes."""
        chances: Float = self.model_.predict_proba(encode_like(self, X, self._schema).values)
        return chances


class BoostedTreesRegressor(RegressorMixin, _Boosted):
    """scikit-learn's HistGradientBoostingRegressor for any table."""

    _kind = HistGradientBoostingRegressor


def model(name: str, target_kind: str = "classes") -> Any:
    """The model of that name in `MODELS`, for classes or for numbers."""
    if name not in MODELS[target_kind]:
        what = "classifier" if target_kind == "classes" else "model for a numeric target"
        raise ValueError(f"model: no {what} {name!r}. Use one of {', '.join(MODELS[target_kind])}.")
    classes = target_kind == "classes"
    if name == "boosting":
        return BoostedTrees() if classes else BoostedTreesRegressor()
    if name == "linear":
        return Pipeline([("numbers", Numbers()), ("linear", LogisticRegression(max_iter=300))])
    if name == "ridge":
        return Pipeline([("numbers", Numbers()), ("ridge", RidgeCV(alphas=_PENALTIES))])
    # by the distance that the row selectors use
    return PrototypeClassifier(RandomPrototypes(1.0, random_state=0)) if classes else NeighborsMean()


MODELS = {"classes": ("1-nn", "linear", "boosting"), "numbers": ("5-nn", "ridge", "boosting")}
