"""The default classifiers that judge a selection; all take categorical columns and missing values."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline

from tamis.prototypes.chance import RandomPrototypes
from tamis.prototypes.classifiers import PrototypeClassifier
from tamis.table._encode import encode, encode_like

Float = NDArray[np.float64]
_N_BINS = 63  # a quarter of scikit-learn's default: as good a judge, and several times faster on wide tables


class Numbers(TransformerMixin, BaseEstimator):
    """A table as scaled numbers: what a linear model needs.

    Numeric columns are centred and divided by their standard deviation, with missing values at the mean. A categorical
    column becomes one column of 0 and 1 per category, all 0 for a missing or unknown value. Missing values of a column are
    marked in an additional column.
    """

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Learn the means, deviations and categories of the columns."""
        table = encode(self, X)
        self._schema = table.schema
        values = table.values[:, ~table.nominal]
        known = ~np.isnan(values)
        count = np.maximum(known.sum(axis=0), 1)
        filled = np.where(known, values, 0.0)
        self.mean_ = filled.sum(axis=0) / count
        self.scale_ = np.sqrt((np.where(known, values - self.mean_, 0.0) ** 2).sum(axis=0) / count)
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


class BoostedTrees(ClassifierMixin, BaseEstimator):
    """scikit-learn's HistGradientBoostingClassifier for any table: 60 trees of 8 leaves, smaller ones for few rows."""

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Boost."""
        table = encode(self, X)
        self._schema = table.schema
        few = np.array(
            [len(known) <= _N_BINS if known is not None else False for known in table.schema.categories]
        )
        self.model_ = HistGradientBoostingClassifier(
            categorical_features=table.nominal & few,
            min_samples_leaf=int(np.clip(table.n_rows // 20, 1, 20)),
            max_iter=60,
            max_leaf_nodes=8,
            max_bins=_N_BINS,
            early_stopping=False,
            random_state=0,
        ).fit(table.values, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: ArrayLike) -> Any:
        """Classes of new rows."""
        return self.model_.predict(encode_like(self, X, self._schema).values)

    def predict_proba(self, X: ArrayLike) -> Float:
        """Probabilities of the classes."""
        chances: Float = self.model_.predict_proba(encode_like(self, X, self._schema).values)
        return chances


def model(name: str) -> Any:
    """The classifier of that name: "1-nn", "linear" or "boosting"."""
    if name == "1-nn":  # by the distance that the row selectors use
        return PrototypeClassifier(RandomPrototypes(1.0, random_state=0))
    if name == "linear":
        return Pipeline([("numbers", Numbers()), ("linear", LogisticRegression(max_iter=300))])
    if name == "boosting":
        return BoostedTrees()
    raise ValueError(f"model: no classifier {name!r}. Use one of {', '.join(MODELS)}.")


MODELS = ("1-nn", "linear", "boosting")
