"""Boosted decision stumps for a numeric target, as a regressor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin, _fit_context
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from tamis._parameters import number, whole
from tamis.stumps._kernels.weights import Settings
from tamis.stumps.least_squares import LeastSquaresRun, Steps, cell_table
from tamis.table._encode import encode, encode_like, encode_numbers
from tamis.table.parts.parted import OnCluster, in_parts
from tamis.table.weights import weighed_numbers

Float = NDArray[np.float64]


class StumpBoostRegressor(OnCluster, RegressorMixin, BaseEstimator):
    """Boosting of decision stumps by least squares, exact to the bit.

    In every round the stump is taken that lowers the sum of squares most, over all columns and all cuts. On each of its
    sides it predicts the mean of the residuals times the learning rate. The target is rounded to whole steps, so that
    every sum is exact: the model does not depend on the order of summation or on the float type of the table.

    Parameters
    ----------
    n_rounds : int, default=100
        Maximum number of stumps.
    learning_rate : float, default=0.1
        The share of every stump's prediction that is added to the model.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which columns are categorical: by dtype, none, or exactly these (mask, positions or names).

    Attributes
    ----------
    stumps_ : Stumps
        The model: a stump adds `alpha` times `polarity` on its right side, and subtracts it on its left.
    intercept_ : float
        The constant of the model: the mean of y plus the middle of each stump's two predictions.
    margin_fractions_ : ndarray, shape (d,)
        Each column's share of the mean of y H(x), with y and H centred: what its stumps explain.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    A numeric column of more than 255 values is cut into 255 bins of about equal size. A stump cuts a numeric column
    between two bins, or sets one value of a categorical column against the rest. Missing values go to the side on which
    the stump does better, or stand alone against all known values. Ties go to the lower column, then to the lower cut.
    Boosting stops early when no stump changes anything. A row of weight w counts as w rows up to the rounding of the
    integers (one part in 10^9).

    Boosting needs only sums over the bins. The weights that a stump shares with each bin are summed once and kept, so
    that a round costs as many steps as there are bins in all columns, whatever the number of rows.

    References
    ----------
    J. H. Friedman, "Greedy function approximation: a gradient boosting machine", Annals of Statistics 29, 2001.
    P. Bühlmann and B. Yu, "Boosting with the L2 loss: regression and classification", Journal of the American
    Statistical Association 98, 2003.

    Examples
    --------
    >>> from tamis import StumpBoostRegressor
    >>> X = [[1, 0], [2, 1], [3, 0], [4, 1], [5, 0], [6, 1]]
    >>> y = [1.0, 1.5, 3.0, 3.5, 1.0, 1.5]
    >>> model = StumpBoostRegressor(learning_rate=1.0).fit(X, y)
    >>> model.predict([[3, 0], [6, 1]]).round(2)
    array([3. , 1.5])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_rounds": [whole(1)],
        "learning_rate": [number(0, 1, closed="right")],
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
    }

    def __init__(
        self,
        n_rounds: int = 100,
        *,
        learning_rate: float = 0.1,
        categorical_features: ArrayLike | None = "from_dtype",
    ) -> None:
        self.n_rounds = n_rounds
        self.learning_rate = learning_rate
        self.categorical_features = categorical_features

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like, frame, Dask array or frame, or path, shape (n, d)
            The table; categorical columns and missing values are allowed. A path names a folder of Parquet files, a
            pattern of files, or one file: its rows are read in parts, and one byte is kept per value.
        y : array-like, shape (n,)
            The numeric target. With a path, the name of its column.
        sample_weight : array-like, shape (n,), optional
            Weight of each row, not negative; rows of weight 0 are left out. With a path, the name of their column.

        Returns
        -------
        self
            The fitted regressor.
        """
        if in_parts(X):
            from tamis.stumps.part_numbers import prepared_numbers
            from tamis.table.parts.opened import opened_parts

            fitting = prepared_numbers(self, opened_parts(self, X, y, sample_weight))
            self._schema, cells, problem = fitting.schema, fitting.table, fitting.problem
        else:
            table, target = encode(self, X, self.categorical_features), encode_numbers(self, X, y)
            self._schema = table.schema
            table, target, weights = weighed_numbers(self, table, target, sample_weight)
            cells, problem = cell_table(table.values, table.nominal), Steps.of(target.values, weights)
        settings = Settings(self.n_rounds, 0.0, self.learning_rate)
        run = LeastSquaresRun(cells, problem, np.arange(cells.n_columns), settings, 1)
        run.train()
        stumps = run.model()
        self.stumps_ = replace(stumps, alpha=stumps.alpha * problem.unit)
        self._offsets = problem.unit * stumps.edge  # the middle of each stump's two predictions
        self._mean = problem.mean
        self.intercept_ = run.intercept
        parts = stumps.margin_numerators(cells.n_columns)
        total = parts.sum()
        self.margin_fractions_ = parts / total if total > 0 else parts
        return self

    def predict(self, X: ArrayLike) -> Float:
        """Predict the target of new rows."""
        check_is_fitted(self)
        return self.intercept_ + self.stumps_.decision(encode_like(self, X, self._schema).values)

    def staged_predict(self, X: ArrayLike) -> Iterator[Float]:
        """`predict` after 1, 2, ... rounds."""
        check_is_fitted(self)
        values = encode_like(self, X, self._schema).values
        told = np.full(len(values), self._mean)
        for vote, offset in zip(self.stumps_.votes(values), self._offsets):
            told = told + vote + offset
            yield told

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags
