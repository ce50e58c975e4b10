"""Boosted decision stump feature selection."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context
from sklearn.utils._param_validation import StrOptions

from tamis.features._base import TARGET_KIND, FeatureSelector
from tamis.features._kernels.gain import TIE, best_parts, leaf_part, reweighted
from tamis.stumps.least_squares import CellTable, Steps, cell_table, columns_once
from tamis.stumps.problems import start_weights
from tamis.table._distinct import Distinct
from tamis.table._table import Numbers, Table, Target
from tamis.table.parts.parted import in_parts
from tamis.table.weights import number_weights, row_weights, weighed_numbers, weighed_rows


class BDSFS(FeatureSelector):
    """Rank columns in the order in which boosting chooses them, each once.

    All rows have weights. The column whose best stump has the largest weighted information gain is chosen; the rows
    that this stump misclassifies gain weight, as in AdaBoost; then the next column is chosen under the new weights. A
    column with the same information as a chosen one is therefore ranked low.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many columns to keep: a number, a fraction, or (None) half of those that are neither copies nor constants.
    class_weight : "balanced", dict or None, default=None
        Initial weights of the classes: inversely proportional to their sizes, given by label, or all equal.
    target_kind : {"auto", "classes", "numbers"}, default="auto"
        What y holds. "auto": numbers if it holds floats with fractions or more than 20 different floats, else classes.
    fixed_features : array-like or None, default=None
        Columns (names or positions) that are always kept; they stand first.
    excluded_features : array-like or None, default=None
        Columns that take no part and are never kept; they stand last.
    feature_groups : sequence of array-likes or None, default=None
        Columns that are kept or left together, ranked by the best of them. A size is then reached as nearly as groups
        allow, never exceeded.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which columns are categorical: by dtype, none, or exactly these (mask, positions or names).

    Attributes
    ----------
    scores_ : ndarray, shape (d,)
        Information gain (in nats) of each column's best stump under the initial weights. The ranking comes from the
        search and may differ from the order of the scores.
    ranking_ : ndarray of int, shape (d,)
        Order of choice; 1 is best, a permutation of 1..d, whatever is selected. Exact copies of earlier columns
        come after all others, and constants last.
    support_ : ndarray of bool, shape (d,)
        Which columns are kept.
    n_features_ : int
        How many columns are kept.
    history_ : dict of arrays
        One entry per chosen column, without copies and constants: ``feature`` (the column chosen at each step), and
        ``gain`` and ``error`` of its stump under the weights of that step.
    classes_ : ndarray
        The classes, sorted; not set for a numeric target.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    A stump splits a numeric column between two neighbouring values, or separates one value of a categorical column from
    the rest; missing values go to the better side, or form a leaf of their own. Leaves are labelled by weighted
    majority. A stump that makes no error, or is no better than chance, leaves the weights unchanged. Gains within 1e-12
    tie; the lower column comes first. The paper treats two classes; with more (multiclass), gain and majority stay the
    same, and the update is that of SAMME, which for two classes is AdaBoost's. Weights are integers, as in
    `StumpAdaBoost`.

    For a numeric target a stump answers the mean of each of its sides, and the column whose stump takes most off the sum of
    squares is chosen; the rest of the target is what the next column is chosen for. The gain is that part of the sum of
    squares of the centred target, ``history_`` has no errors, and a numeric column of more than 255 values is cut into 255
    bins.

    Every step looks at all remaining columns: O(n d^2) in all. With two classes no logarithms are computed for columns
    that, by a bound on the gain, cannot win.

    References
    ----------
    S. Das, "Filters, wrappers and a boosting-based hybrid for feature selection", ICML 2001.

    Examples
    --------
    >>> from tamis import BDSFS
    >>> X = [[0, 0, 1], [0, 0, 0], [0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1], [1, 1, 1], [1, 1, 0]]
    >>> y = [0, 0, 0, 1, 1, 1, 1, 0]
    >>> BDSFS().fit(X, y).ranking_
    array([1, 3, 2])
    """

    _score_name: ClassVar[str] = "score_alone"
    _n_choices: ClassVar[int | None] = None  # the search ends after so many; None: it chooses all
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FeatureSelector._parameter_constraints,
        "target_kind": TARGET_KIND,
        "class_weight": [StrOptions({"balanced"}), dict, None],
    }

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        class_weight: dict[Any, float] | str | None = None,
        target_kind: str = "auto",
        fixed_features: ArrayLike | None = None,
        excluded_features: ArrayLike | None = None,
        feature_groups: ArrayLike | None = None,
        categorical_features: ArrayLike | None = "from_dtype",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.class_weight = class_weight
        self.target_kind = target_kind
        self.fixed_features = fixed_features
        self.excluded_features = excluded_features
        self.feature_groups = feature_groups
        self.categorical_features = categorical_features

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Rank the columns.

        Parameters
        ----------
        X : array-like, frame, Dask array or frame, or path, shape (n, d)
            The table; categorical columns and missing values are allowed. A path names a folder of Parquet files, a pattern
            of files, or one file: its rows are read in parts, and a column of more than 255 distinct values is cut into
            255 bins.
        y : array-like, shape (n,)
            The classes, two or more, or numbers. With a path, the name of their column.
        sample_weight : array-like, shape (n,), optional
            Weight of each row, not negative; rows of weight 0 are left out. With a path, the name of their column.

        Returns
        -------
        self
            The fitted selector.
        """
        if in_parts(X):
            return self._fit_parts(X, y, sample_weight)
        table, target = self._table_of_any(X, y)
        if isinstance(target, Numbers):
            self._refuse_class_weight()
            table, target, weights = weighed_numbers(self, table, target, sample_weight)
            distinct = self._distinct(table)
            table = distinct.cut(table)
            return self._choose_by_squares(
                cell_table(table.values, table.nominal), Steps.of(target.values, weights), distinct
            )
        table, target, weights = weighed_rows(self, table, target, sample_weight, self.class_weight)
        distinct = self._distinct(table)
        table = distinct.cut(table)
        return self._choose(*_value_codes(table), table.nominal, target, weights, distinct)

    def _fit_parts(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Self:
        """Rank the columns of a table in parts, whose codes are brought together."""
        from tamis.features._coded_parts import coded_rows
        from tamis.table.parts.opened import opened_parts

        rows = coded_rows(self, opened_parts(self, X, y, sample_weight))
        distinct = rows.distinct(self._excluded(len(rows.codes)))
        columns = distinct.columns
        if isinstance(rows.target, Numbers):
            self._refuse_class_weight()
            self.__dict__.pop("classes_", None)
            weights = number_weights(self, rows.target, rows.weights)
            steps = Steps.of(rows.target.values, weights)
            return self._choose_by_squares(rows.cells(columns), steps, distinct)
        self.classes_ = classes = np.asarray(rows.classes)
        every = Target(np.searchsorted(classes, rows.target.classes)[rows.target.codes], classes)
        weights = row_weights(self, every, rows.weights, self.class_weight)
        codes, levels = rows.levels(columns)
        return self._choose(codes, levels, rows.bins.nominal[columns], rows.target, weights, distinct)

    def _choose(
        self,
        codes: NDArray[np.int32],
        levels: NDArray[np.int64],
        nominal: NDArray[np.bool_],
        target: Target,
        given: NDArray[np.float64],
        distinct: Distinct,
    ) -> Self:
        """Rank the distinct columns by the codes of their values, for classes."""
        weights, _ = start_weights(len(target.codes), given)
        order, gains, errors, first = _choices(
            codes, levels, nominal, target.codes, weights, target.n_classes, self._n_choices
        )
        order = distinct.columns[order]
        history = {"feature": order, "gain": gains, "error": errors}
        self._store(distinct.spread(first), order, distinct=distinct, history=history)
        return self

    def _choose_by_squares(self, cells: CellTable, steps: Steps, distinct: Distinct) -> Self:
        """Rank the distinct columns for a numeric target: by least squares, each column once."""
        order, gains, first = columns_once(cells, steps)
        history = {"feature": distinct.columns[order], "gain": gains}
        self._store(distinct.spread(first), distinct.columns[order], distinct=distinct, history=history)
        return self

    def _refuse_class_weight(self) -> None:
        if self.class_weight is not None:
            raise ValueError("BDSFS: class_weight is for classes, but y holds numbers. Leave it at None.")


def _value_codes(table: Table) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return each value's position among the distinct values of its column (d, n), and how many these are (d,)."""
    codes = np.empty((table.n_columns, table.n_rows), dtype=np.int32)
    levels = np.empty(table.n_columns, dtype=np.int64)
    for j in range(table.n_columns):
        distinct, inverse = np.unique(table.values[:, j], return_inverse=True)  # NaN last, as one value
        levels[j] = np.count_nonzero(~np.isnan(distinct))
        codes[j] = inverse
    return codes, levels


def _choices(
    codes: NDArray[np.int32],
    levels: NDArray[np.int64],
    nominal: NDArray[np.bool_],
    labels: NDArray[np.int64],
    weights: NDArray[np.float64],
    n_classes: int,
    n_choices: int | None = None,
) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the columns in order of choice, their gains and errors, and every column's initial gain.

    After ``n_choices`` the rest follow as they stand, with gains and errors of 0.
    """
    left = np.arange(len(levels), dtype=np.intp)
    order = np.empty(len(levels), dtype=np.intp)
    gains, errors = np.zeros(len(levels)), np.zeros(len(levels))
    first = np.zeros(len(levels))
    rows = np.empty((len(levels), 0), dtype=np.int32)  # used for columns without equal values only
    if n_classes == 2 and (levels == len(labels)).any():
        rows = np.argsort(codes, axis=1, kind="stable").astype(np.int32)
    n_steps = len(levels) if n_choices is None else min(n_choices, len(levels))
    for step in range(n_steps):
        whole = np.bincount(labels, weights=weights, minlength=n_classes)
        total = whole.sum()
        leading = step > 0 and n_classes == 2 and bool((whole > 0).all())
        parts = best_parts(codes, rows, levels, nominal, left, labels, weights, whole, leading)
        gain = np.maximum((parts - leaf_part(whole)) / total, 0.0)
        if step == 0:
            first = gain
        chosen = int(np.flatnonzero(gain >= gain.max() - TIE)[0])
        column = int(left[chosen])
        order[step], gains[step] = column, gain[chosen]
        weights, errors[step] = reweighted(
            codes[column], levels[column], nominal[column], labels, weights, whole
        )
        left = np.delete(left, chosen)
    order[n_steps:] = left
    return order, gains, errors, first
