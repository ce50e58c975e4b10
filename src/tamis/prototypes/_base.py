"""What every row selector shares: reading the table, the number of rows, and imbalanced-learn's interface."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from tamis._parameters import n_wanted, whole
from tamis.prototypes._whole_groups import whole_groups
from tamis.table._encode import encode, encode_target
from tamis.table._rows import rows_of
from tamis.table._table import Table, Target
from tamis.table.weights import group_codes

COUNT = [Interval(RealNotInt, 0, 1, closed="right"), whole(1, None)]
CATEGORICAL = ["array-like", StrOptions({"from_dtype"}), None]


class PrototypeSelector(BaseEstimator):
    """Base of the row selectors.

    A subclass writes `_rows`, which returns the kept rows in the order in which it chose them (or ascending).
    ``sample_indices_`` is always ascending, so that ``X[sample_indices_]`` is what ``fit_resample`` returned and
    a frame keeps its order and its index.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"categorical_features": CATEGORICAL}
    _min_rows: ClassVar[int] = 1

    categorical_features: ArrayLike | None
    prototype_weights_: NDArray[np.float64]

    def _rows(self, table: Table, target: Target) -> NDArray[np.intp]:
        raise TypeError(f"{type(self).__name__} does not say which rows it keeps.")

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, *, groups: ArrayLike | None = None) -> Self:
        """Choose the rows.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            The rows; categorical columns and missing values are allowed.
        y : array-like, shape (n,)
            Their classes.
        groups : array-like, shape (n,), or None, default=None
            The group of each row, such as the person it was measured on: rows of a group are kept together or not at
            all. The rows are chosen as without groups; then the groups of which the largest shares were chosen are kept,
            with as many rows as were chosen at most (the smallest group where none is so small).

        Returns
        -------
        self
            The fitted selector.
        """
        return self._fitted(X, y, self._rows, groups)

    def _fitted(
        self,
        X: ArrayLike,
        y: ArrayLike,
        rows: Callable[[Table, Target], NDArray[np.intp]],
        groups: ArrayLike | None,
    ) -> Self:
        """Read the table and its classes, and keep what `rows` says of them, or whole groups."""
        table = encode(self, X, self.categorical_features)
        target = encode_target(self, X, y, min_rows=self._min_rows)
        group = group_codes(type(self).__name__, table.n_rows, groups)
        self.classes_ = target.classes
        kept = np.sort(rows(table, target))
        self.sample_indices_ = kept
        if groups is not None:
            self.sample_indices_ = whole_groups(kept, group)
            if "prototype_weights_" in vars(self):  # rows that came with their group have none
                alphas = np.zeros(table.n_rows)
                alphas[kept] = self.prototype_weights_
                self.prototype_weights_ = alphas[self.sample_indices_]
        self._n_rows = table.n_rows
        return self

    def fit_resample(self, X: ArrayLike, y: ArrayLike, *, groups: ArrayLike | None = None) -> tuple[Any, Any]:
        """Choose the rows and return them.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            The rows.
        y : array-like, shape (n,)
            Their classes.
        groups : array-like, shape (n,), or None, default=None
            As in `fit`.

        Returns
        -------
        X_kept, y_kept
            The kept rows in their given order, of the same types as X and y.
        """
        self.fit(X, y, groups=groups)
        X_and_y: tuple[Any, Any] = self.resample(X, y)
        return X_and_y

    def resample(self, *arrays: Any) -> Any:
        """Return the kept rows of further arrays that are aligned with the fitted rows.

        Parameters
        ----------
        *arrays : array-like or frame, each of n rows
            The arrays, row for row as in `fit`.

        Returns
        -------
        array, or tuple of arrays
            The kept rows of each; of a single array, not in a tuple.
        """
        check_is_fitted(self)
        if not arrays:
            raise ValueError(f"{type(self).__name__}: resample was given nothing to cut.")
        check_consistent_length(*arrays)
        length = arrays[0].shape[0] if hasattr(arrays[0], "shape") else len(arrays[0])
        if length != self._n_rows:
            raise ValueError(
                f"{type(self).__name__}: resample was given {length} rows, but was fitted on {self._n_rows}. "
                "Give arrays aligned with the fitted rows."
            )
        cut = tuple(rows_of(array, self.sample_indices_) for array in arrays)
        return cut if len(cut) > 1 else cut[0]

    def _count(self, wanted: float, n_rows: int) -> int:
        """Return how many rows an int or a fraction means."""
        return n_wanted(type(self).__name__, "n_prototypes", wanted, n_rows, "rows")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags


class WeighedSelector(PrototypeSelector):
    """Base of the row selectors in whose loss rows can count more or less; their `_rows` takes `sample_weight`."""

    def _rows(self, table: Table, target: Target, sample_weight: ArrayLike | None = None) -> NDArray[np.intp]:
        raise TypeError(f"{type(self).__name__} does not say which rows it keeps.")

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Choose the rows.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            The rows; categorical columns and missing values are allowed.
        y : array-like, shape (n,)
            Their classes.
        sample_weight : array-like, shape (n,), or None, default=None
            What each row counts in what the search makes small or large. A row of weight 0 may still be kept, and is a
            neighbour as others are.
        groups : array-like, shape (n,), or None, default=None
            The group of each row, such as the person it was measured on: rows of a group are kept together or not at
            all. The rows are chosen as without groups; then the groups of which the largest shares were chosen are kept,
            with as many rows as were chosen at most (the smallest group where none is so small).

        Returns
        -------
        self
            The fitted selector.
        """
        return self._fitted(X, y, partial(self._rows, sample_weight=sample_weight), groups)

    def fit_resample(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> tuple[Any, Any]:
        """Choose the rows, with weights and groups as in `fit`, and return them.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            The rows.
        y : array-like, shape (n,)
            Their classes.
        sample_weight, groups : array-like, shape (n,), or None, default=None
            As in `fit`.

        Returns
        -------
        X_kept, y_kept
            The kept rows in their given order, of the same types as X and y.
        """
        self.fit(X, y, sample_weight, groups=groups)
        X_and_y: tuple[Any, Any] = self.resample(X, y)
        return X_and_y
