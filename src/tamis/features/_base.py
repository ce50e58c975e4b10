"""What every column selector shares: reading the table, the number of columns to keep, scikit-learn's interface."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted

from tamis._parameters import n_wanted, whole
from tamis.features._column_units import Units, check_sizes, column_units
from tamis.features._search import columns_of
from tamis.table._arrays import unmasked
from tamis.table._distinct import Distinct
from tamis.table._encode import as_frame, encode, encode_any_target, encode_target, gives_a_frame
from tamis.table._header import check_new_frame
from tamis.table._kinds import TARGET_KINDS
from tamis.table._table import Numbers, Table, Target
from tamis.table.parts.parted import OnCluster, is_dask

SIZE = [None, Interval(RealNotInt, 0, 1, closed="right"), whole(1, None)]
TARGET_KIND = [StrOptions(set(TARGET_KINDS))]
CATEGORICAL = ["array-like", StrOptions({"from_dtype"}), None]


class FeatureSelector(OnCluster, SelectorMixin, BaseEstimator):
    """Base of the column selectors.

    A subclass writes ``fit``: it calls `_table` for the validated input, an engine for the answer, and `_store`
    for the fitted attributes, which mean the same in every class:

    - ``scores_``: one number per column, higher is better;
    - ``ranking_``: a permutation of 1..d, 1 is best, whatever is selected (scikit-learn's RFE gives 1 to every
      kept column instead);
    - ``support_`` and ``n_features_``: which columns are kept, and how many;
    - ``history_``: a dict of arrays of equal length, one entry per step, where the method has steps.

    An engine sees only the distinct columns (`tamis.table._distinct.Distinct`). Exact copies of earlier columns are
    ranked after all others, and constants after these; neither changes the ranking of the rest. To an engine an excluded
    column is a constant; fixed columns and groups find their places when the ranking is known.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_features_to_select": SIZE,
        "fixed_features": ["array-like", None],
        "excluded_features": ["array-like", None],
        "feature_groups": ["array-like", None],
        "categorical_features": CATEGORICAL,
    }

    _score_name: ClassVar[str] = "score"
    """What `scores_` are called in a ranking; another name where they need not fall with the rank."""

    n_features_to_select: int | float | None
    fixed_features: ArrayLike | None
    excluded_features: ArrayLike | None
    feature_groups: ArrayLike | None
    categorical_features: ArrayLike | None
    target_kind: str
    _units: Units | None

    def _table(
        self, X: ArrayLike, y: ArrayLike, *, min_rows: int = 1, blank: bool = True
    ) -> tuple[Table, Target]:
        """Return the validated columns and labels; a wrong size is refused before any work.

        With `blank` excluded columns are constant in the table that is returned.
        """
        table = encode(self, X, self.categorical_features)
        target = encode_target(self, X, y, min_rows=min_rows)
        return self._without_excluded(table, blank), target

    def _table_of_any(
        self, X: ArrayLike, y: ArrayLike, *, blank: bool = True
    ) -> tuple[Table, Target | Numbers]:
        """As `_table`, for a method with the parameter `target_kind`; `classes_` is set, or left out for numbers."""
        table = encode(self, X, self.categorical_features)
        target = encode_any_target(self, X, y, self.target_kind)
        table = self._without_excluded(table, blank)
        if isinstance(target, Target):
            self.classes_ = target.classes
        elif hasattr(self, "classes_"):
            del self.classes_
        return table, target

    def _without_excluded(self, table: Table, blank: bool = True) -> Table:
        """Check the rules of the columns, and return the table with excluded ones made constant if `blank`."""
        excluded = self._excluded(table.n_columns)
        if not blank or not len(excluded):
            return table
        values = table.values.copy()
        values[:, excluded] = 0.0
        return Table(values, table.schema)

    def _excluded(self, n_columns: int) -> NDArray[np.intp]:
        """Read the rules of the columns and return those that are excluded; what cannot be is refused."""
        size = self._size(n_columns)
        self._units = None
        if self.fixed_features is None and self.excluded_features is None and self.feature_groups is None:
            return np.array([], dtype=np.intp)
        self._units = Units(*column_units(self, n_columns))
        wanted = None if self.n_features_to_select is None else size
        check_sizes(self, wanted, None, self._units.eligible, self._units.n_fixed)
        return np.sort(np.array(columns_of(self._units.excluded), dtype=np.intp))

    def _distinct(self, table: Table, weights: NDArray[np.float64] | None = None) -> Distinct:
        """Return the columns that are neither constant nor copies in the rows of positive weight."""
        return Distinct.of(table, weights)

    def _size(self, n_columns: int, default: int | None = None) -> int:
        """Return how many columns to keep; if the caller gave no size, `default` (None: half of them)."""
        wanted = self.n_features_to_select
        if wanted is None:
            return default if default is not None else max(1, n_columns // 2)
        return n_wanted(type(self).__name__, "n_features_to_select", wanted, n_columns, "features")

    def _store(
        self,
        scores: NDArray[np.float64],
        order: NDArray[np.intp] | None = None,
        *,
        distinct: Distinct | None = None,
        n_kept: int | None = None,
        arranged: bool = False,
        history: dict[str, NDArray[Any]] | None = None,
    ) -> None:
        """Set the fitted attributes.

        Parameters
        ----------
        scores : ndarray, shape (d,)
            Higher is better.
        order : ndarray, shape (d,), optional
            The columns from best to worst; by default in order of decreasing score, the lower column first on ties.
        distinct : Distinct, optional
            The columns that took part. `order` then holds only these, as positions in the whole table; copies and
            constants are appended.
        n_kept : int, optional
            How many columns the method's own stopping rule keeps; used if the caller gave no size. By default half of
            those that took part.
        arranged : bool, default=False
            Whether `order` heeds fixed, excluded and grouped columns already.
        history : dict, optional
            One entry per step.
        """
        self._ranked_by_score = order is None and self._units is None
        taking_part = np.arange(len(scores)) if distinct is None else distinct.columns
        if order is None:
            order = taking_part[np.argsort(-scores[taking_part], kind="stable")]
        if distinct is not None:
            order = distinct.completed(order)
        half = max(1, len(taking_part) // 2)
        size = self._size(len(scores), half if n_kept is None else n_kept)
        if self._units is not None and not arranged:
            order, size = self._units.arranged(order, max(size, self._units.n_fixed))
        ranking = np.empty(len(scores), dtype=np.int64)
        ranking[order] = np.arange(1, len(scores) + 1)
        self.scores_ = scores
        self.ranking_ = ranking
        self.n_features_ = size
        self.support_ = ranking <= size
        if history is not None:
            self.history_ = history

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The scores, by the name that plots and other libraries look for; they need not fall with the rank where a search decides it."""
        check_is_fitted(self, "scores_")
        return self.scores_

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def transform(self, X: ArrayLike) -> Any:
        """Keep the selected columns.

        Parameters
        ----------
        X : array-like, frame, Dask array or frame, shape (n, d)
            Rows with the columns of ``fit``.

        Returns
        -------
        array or frame, shape (n, n_features_)
            For a frame a frame of the same library, with the same dtypes, unless ``set_output`` asks for something
            else; for an array an array. A Dask collection gives one that is not computed yet.
        """
        check_is_fitted(self)
        if is_dask(X):
            from tamis.table.parts.dask_collections import with_columns

            return with_columns(self, X, np.flatnonzero(self.support_))
        frame = as_frame(X)
        if frame is None or not gives_a_frame(self, frame):
            return super().transform(unmasked(X))
        check_new_frame(self, X, frame)
        selected = frame[:, np.flatnonzero(self.support_).tolist()]
        wanted = _get_output_config("transform", self)["dense"]
        if wanted == "pandas":
            return selected.to_pandas()
        return selected.to_polars() if wanted == "polars" else selected.to_native()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags
