"""SBSMF: backward elimination by each column's part in the margins of boosted stumps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from tamis._memory import Memory
from tamis._parameters import JOBS, number, whole
from tamis.features._base import TARGET_KIND, FeatureSelector
from tamis.features._sbsmf_other import OtherTables, history_of
from tamis.features._twins import best_of_groups, shared_order, twin_groups
from tamis.features.univariate import class_weights, column_scores
from tamis.stumps.engine import class_problems, eliminate, stump_table
from tamis.stumps.explained import refuse_two_caps
from tamis.table._distinct import Distinct
from tamis.table._table import Numbers, Table, Target
from tamis.table.parts.parted import in_parts
from tamis.table.weights import class_shares, weighed_rows

if TYPE_CHECKING:
    from tamis.stumps.adaboost import StumpAdaBoost


class SBSMF(OtherTables):
    """Rank columns by backward elimination on boosted decision stumps.

    AdaBoost over stumps is trained on all columns, and the column with the smallest part in the mean margin of the rows
    is dropped. This is repeated with the remaining columns until one is left. The ranking is the reverse order of
    elimination.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many columns to keep: a number, a fraction, or (None) half of those that are neither copies nor constants.
    criterion : {"margin_fraction", "contribution_ratio"}, default="margin_fraction"
        What a column is worth: its part in the mean margin (SBS-MF), or its part in the sum of the stumps' weights
        (AdaBoost-CR).
    n_rounds : int, default=100
        The largest number of stumps in a model.
    max_leaves : int, default=2
        The largest number of leaves of a tree, up to 64. 2: stumps. Trees of more leaves see what columns tell only together. What a tree
        adds to the margin of a row is shared in equal parts by the columns on the row's path. They are cut between
        bins: a numeric column of more than 255 values has about 240 cuts.
    step : int or float, default=1
        How many columns are dropped at a time: a number, or a fraction of those left.
    step_until : int, default=1
        With a larger `step`: once this many columns are left, they are dropped one by one.
    weight_cap : float or None, default=None
        Keep every row's weight below this many times the mean: a soft margin, against mislabelled rows.
    soft_margin : float, default=0.0
        nu, the share of the rows (by weight) that boosting may give up, below 1: rows whose margin is smaller than that of
        the row at this quantile weigh no more than it does. Above 0 columns are cut between bins, as with `max_leaves`.
    learning_rate : float or None, default=None
        The fraction of every stump's edge that boosting uses. Below 1 it takes smaller steps, another remedy for
        mislabelled rows; use more rounds then (0.1 with 200). None: 1 for classes, 0.1 for a numeric target.
    loss : {"squared_error", "ranks"}, default="squared_error"
        For a numeric target: least squares on the target itself, or on the ranks of its values. Ranks are for heavy tails
        and outliers; with them nothing but the order of the target counts.
    share_above : float or None, default=None
        Let columns with the same information share their score: numeric columns whose absolute rank correlation is at
        least this, and categorical columns that split the rows in the same way. Each such group is represented by its
        best single column; the others are ranked directly behind it, and all get equal parts of its score. With None
        the lower of two equal columns gets the whole score, and exact copies come after all other columns.
    interactions : int, default=0
        Stumps may also use so many pairs of columns, the best of `PairScan`: the product of the ranks of two numeric
        columns (or of their squares, whichever follows the classes best), and the joint values of others. What a pair
        earns is shared by its two columns, and it leaves with the first of them.
    class_weight : "balanced", dict or None, default="balanced"
        Initial weights of the rows, also used for the mean margin. "balanced": both sides of every two-class problem
        have weight one half, whatever their size. A dict: weights of the classes by label. None: all rows have the same
        weight, as in the paper; with classes of unequal size this ranks noise above signal, see the notes.
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
    n_jobs : int or None, default=None
        Number of threads for large tables; -1 for all processors. The result does not depend on it.

    Attributes
    ----------
    scores_ : ndarray, shape (d,)
        The criterion in the model of all columns; 0 for copies and constants. The ranking comes from the elimination
        and may differ from the order of the scores.
    ranking_ : ndarray of int, shape (d,)
        Reverse order of elimination; 1 is best, a permutation of 1..d, whatever is selected. Exact copies of columns
        before them come after all others (beside them with `share_above`), and constants last.
    support_ : ndarray of bool, shape (d,)
        Which columns are kept.
    n_features_ : int
        How many columns are kept.
    history_ : dict of arrays
        One entry per column (with `share_above` per group), without copies and constants. ``feature``: the columns in
        order of elimination, the best column last; ``score``: the criterion of the column in the model from which it
        was dropped; ``n_features``: the number of columns of that model; ``n_fits``: the number of models trained by
        then.
    classes_ : ndarray
        The classes, sorted; not set for a numeric target.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    The part of a column in the margin can be negative: such a column is dropped before the columns that no stump uses.
    Of tied columns the one with the smaller best edge in the first round is dropped first, then the one with the larger
    position. With more than two classes (multiclass) one model per class is trained, against the rest, and the parts
    are averaged over the models: with equal weights if the problems are balanced, otherwise weighted by the classes.

    Without balanced weights, a stump that answers "the rest" nearly everywhere has a large mean margin whatever its
    column: with ten classes of equal size it is right on 90 % of the rows. Random columns that such stumps happen to
    use are then ranked above columns that separate the classes.

    For a numeric target the stumps are boosted by least squares: a stump answers the mean of what is left of the target on each
    of its sides, times `learning_rate`. With the target centred, y H(x) is the margin, and a column's part in it is what its
    stumps explain. A numeric column of more than 255 values is cut into 255 bins. `class_weight` has no meaning then.

    Three savings make the method fast without changing a bit of the ranking: columns that no stump uses are dropped
    together, since the model stays the same; after a column is dropped, boosting restarts at the first round that used
    it; and columns with few values are summed value by value. The cost is at most d fits of O(n d T), usually a small
    part of that.

    References
    ----------
    M. Alshawabkeh, J. A. Aslam, J. G. Dy and D. Kaeli, "Feature weighting and selection using hypothesis margin of
    boosting", ICDM 2012. M. Tsuchiya and H. Fujiyoshi, "A method of feature selection using contribution ratio based
    on boosting", ICPR 2008.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import SBSMF
    >>> X = np.random.default_rng(0).normal(size=(100, 6))
    >>> y = X[:, 2] + X[:, 4] > 0
    >>> SBSMF(n_features_to_select=2).fit(X, y).get_support(indices=True)
    array([2, 4])
    """

    _score_name: ClassVar[str] = "score_at_start"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FeatureSelector._parameter_constraints,
        "target_kind": TARGET_KIND,
        "criterion": [StrOptions({"margin_fraction", "contribution_ratio"})],
        "n_rounds": [whole(1)],
        "max_leaves": [whole(2, 64)],
        "step": [
            whole(1),
            Interval(RealNotInt, 0, 1, closed="neither"),
        ],
        "step_until": [whole(1)],
        "weight_cap": [None, number(1, None, closed="left")],
        "soft_margin": [number(0, 1, closed="left")],
        "learning_rate": [None, number(0, 1, closed="right")],
        "loss": [StrOptions({"squared_error", "ranks"})],
        "share_above": [None, number(0, 1, closed="right")],
        "interactions": [whole(0)],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "n_jobs": JOBS,
    }

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        criterion: str = "margin_fraction",
        n_rounds: int = 100,
        max_leaves: int = 2,
        step: int | float = 1,
        step_until: int = 1,
        weight_cap: float | None = None,
        soft_margin: float = 0.0,
        learning_rate: float | None = None,
        loss: str = "squared_error",
        share_above: float | None = None,
        interactions: int = 0,
        class_weight: dict[Any, float] | str | None = "balanced",
        target_kind: str = "auto",
        fixed_features: ArrayLike | None = None,
        excluded_features: ArrayLike | None = None,
        feature_groups: ArrayLike | None = None,
        categorical_features: ArrayLike | None = "from_dtype",
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.criterion = criterion
        self.n_rounds = n_rounds
        self.max_leaves = max_leaves
        self.step = step
        self.step_until = step_until
        self.weight_cap = weight_cap
        self.soft_margin = soft_margin
        self.learning_rate = learning_rate
        self.loss = loss
        self.share_above = share_above
        self.interactions = interactions
        self.class_weight = class_weight
        self.target_kind = target_kind
        self.fixed_features = fixed_features
        self.excluded_features = excluded_features
        self.feature_groups = feature_groups
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Rank the columns.

        Parameters
        ----------
        X : array-like, frame, Dask array or frame, or path, shape (n, d)
            The table; categorical columns and missing values are allowed. A path names a folder of
            Parquet files, a pattern of files, or one file: its rows are read in parts, one byte is kept per value, and a
            column of more than 255 distinct values is cut into 255 bins.
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
            return self._fit_numbers(table, target, sample_weight)
        refuse_two_caps(self)
        weights = None
        balanced = isinstance(self.class_weight, str)
        if sample_weight is not None or isinstance(self.class_weight, dict):
            named = None if balanced else self.class_weight
            table, target, weights = weighed_rows(self, table, target, sample_weight, named)
        distinct = self._distinct(table)
        columns = distinct.columns
        groups = None if self.share_above is None else twin_groups(table, self.share_above)
        worth = np.zeros(table.n_columns)
        if groups is not None and groups.max() + 1 < table.n_columns:
            rows = np.ones(table.n_rows) if weights is None else weights
            worth = column_scores(table, class_weights(rows, target), False)
        if groups is not None:
            columns = np.intersect1d(columns, best_of_groups(groups, worth))
        seen, parents = table, None
        if self.interactions and len(columns) > 1:
            from tamis.pairs.columns import pair_columns  # a room of its own: loaded on request only

            pairs = pair_columns(table, target, weights, columns, self.interactions, self.n_jobs)
            seen, parents = pairs.table(table), pairs.pairs
        gone = eliminate(
            stump_table(
                seen.values,
                seen.nominal,
                target.codes,
                self.n_jobs,
                max_leaves=self.max_leaves,
                soft_margin=self.soft_margin,
            ),
            class_problems(target.codes, target.n_classes, weights, balanced=balanced),
            self.n_rounds,
            priors=None if balanced else class_shares(target, weights),
            criterion=self.criterion,
            step=self.step,
            step_until=self.step_until,
            columns=columns,
            weight_cap=self.weight_cap,
            learning_rate=1.0 if self.learning_rate is None else self.learning_rate,
            n_jobs=self.n_jobs,
            parents=parents,
            memory=Memory.of_arrays(
                self, lambda: _contents(table, target, weights), table.schema, target.classes
            ),
        )
        history = history_of(gone)
        order, scores = gone.column[::-1], gone.first_scores
        if groups is not None:
            scores = (scores[best_of_groups(groups, worth)] / np.bincount(groups))[groups]
            order = shared_order(groups, order, worth)[: len(distinct.columns)]
        self._store(scores, order, distinct=distinct, history=history)
        return self

    def classifier(self) -> StumpAdaBoost:
        """The boosted model behind the ranking, with the settings of this selector and not fitted.

        Returns
        -------
        StumpAdaBoost
            For classes. Fitted on the kept columns (``selector.transform(X)``), its `row_margins` say why a row is
            classified as it is, and by which of them. It takes categorical columns by their dtype.
        """
        from tamis.stumps.adaboost import StumpAdaBoost

        rate = 1.0 if self.learning_rate is None else self.learning_rate
        return StumpAdaBoost(
            self.n_rounds,
            max_leaves=self.max_leaves,
            weight_cap=self.weight_cap,
            soft_margin=self.soft_margin,
            learning_rate=rate,
            interactions=self.interactions,
            class_weight=self.class_weight,
            n_jobs=self.n_jobs,
        )

    def _distinct(self, table: Table, weights: NDArray[np.float64] | None = None) -> Distinct:
        """Return the columns that are not constant, and not copies unless these share their score."""
        return Distinct.of(table, weights, copies=self.share_above is None)


def _contents(table: Table, target: Target, weights: NDArray[np.float64] | None) -> list[NDArray[Any]]:
    """Arrays that tell a table from others."""
    return [table.values, target.codes] + ([] if weights is None else [weights])
