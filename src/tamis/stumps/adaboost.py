"""AdaBoost over decision stumps, as a classifier."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from tamis._parameters import JOBS, number, whole
from tamis._probabilities import class_probabilities, winners
from tamis.pairs.columns import NO_PAIRS, pair_columns
from tamis.stumps.engine import boost, class_problems, stump_table
from tamis.stumps.explained import ExplainedRows, alpha_sum, refuse_two_caps
from tamis.stumps.model import Stumps
from tamis.stumps.run import Boosted
from tamis.table._distinct import Distinct
from tamis.table._encode import encode, encode_like, encode_target
from tamis.table.parts.parted import OnCluster, in_parts
from tamis.table.weights import class_shares, counted_rows, row_weights, scale_of, weighed_rows

Float = NDArray[np.float64]


class StumpAdaBoost(OnCluster, ExplainedRows, ClassifierMixin, BaseEstimator):
    """AdaBoost over decision stumps, exact to the bit.

    In every round the stump of largest weighted edge is taken, over all columns and all cuts; rows that it gets wrong
    become heavier. Weights are integers, so every edge is an exact sum: the model does not depend on the order of
    summation, the number of threads or the float type of the table.

    Parameters
    ----------
    n_rounds : int, default=100
        Maximum number of stumps (per class, if there are more than two).
    max_leaves : int, default=2
        The largest number of leaves of a tree, up to 64. 2: stumps. Trees of more leaves see what columns tell only together; they
        are grown leaf by leaf, the best first, and cut between bins: a numeric column of more than 255 values has about
        240 cuts.
    weight_cap : float or None, default=None
        Limit every row's weight to this many times the mean: a soft margin, against mislabelled rows that would
        otherwise gather all the weight.
    soft_margin : float, default=0.0
        nu, the share of the rows (by weight) that boosting may give up, below 1: rows whose margin is smaller than that of
        the row at this quantile weigh no more than it does. Another soft margin, which no number of rounds outgrows.
        Above 0 columns are cut between bins, as with `max_leaves`.
    learning_rate : float, default=1.0
        The part of every edge that boosting acts on. A value below 1 makes smaller steps, another remedy for
        mislabelled rows; use more rounds then (0.1 with 200).
    interactions : int, default=0
        Stumps may also use so many pairs of columns, the best of `PairScan`: the product of the ranks of two numeric
        columns (or of their squares, whichever follows the classes best), and the joint values of others.
    class_weight : "balanced", dict or None, default=None
        Initial weights of the rows. "balanced": both sides of every two-class problem have weight one half, whatever
        their size. A dict: weights of the classes by label. None: all rows have the same weight.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which columns are categorical: by dtype, none, or exactly these (mask, positions or names).
    n_jobs : int or None, default=None
        Number of threads for large tables; -1 for all processors. The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    stumps_ : list of Stumps, or of Trees with `max_leaves` above 2
        The model: one entry for two classes, otherwise one per class (against the rest). A class without weight has
        none and is never predicted. Column d + k of a stump is pair k.
    interactions_ : ndarray of int, shape (pairs, 2)
        The columns of each pair that stumps may use; none without `interactions`.
    margins_ : ndarray, shape (n,)
        The margin of each training row, between -1 and 1: how far the vote for its own class is ahead of the next.
        Two classes: y H(x) / sum of alpha, eq. (3) of the reference. NaN for rows of a class without weight. Not set
        for a table in parts.
    margin_fractions_ : ndarray, shape (d,)
        Each column's part in the mean margin of the training rows: eq. (10). What a pair earns is shared by its two columns.
    contribution_ratios_ : ndarray, shape (d,)
        Each column's part in the sum of alpha: eq. (7), shared likewise.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    A stump cuts a numeric column halfway between two neighbouring values, or sets one value of a categorical column
    against the rest. Missing values go to the side on which the stump does better, or stand alone against all known
    values. Ties go to the lower column, then to the lower cut. Boosting stops early when no stump is better than chance,
    or when one separates the classes. More than two classes are boosted one against the rest.

    The rank of a new value lies on the straight line between those of its neighbours in training, and two categories that were
    never seen together count as missing.

    A row of weight w counts as w rows up to the rounding of the integers (one part in 10^15); weight 0 leaves it out.

    References
    ----------
    M. Alshawabkeh, J. A. Aslam, J. G. Dy and D. Kaeli, "Feature weighting and selection using hypothesis margin of
    boosting", ICDM 2012. Y. Freund and R. E. Schapire, "A decision-theoretic generalization of on-line learning",
    Journal of Computer and System Sciences 55, 1997.

    Examples
    --------
    >>> from tamis import StumpAdaBoost
    >>> X = [[1, 0], [2, 1], [3, 0], [4, 1], [5, 0], [6, 1]]
    >>> y = [0, 0, 1, 1, 0, 0]
    >>> model = StumpAdaBoost(n_rounds=10).fit(X, y)
    >>> model.predict([[3.5, 0], [9, 1]])
    array([1, 0])
    >>> model.stumps_[0].column[:3].tolist()
    [0, 0, 0]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_rounds": [whole(1)],
        "max_leaves": [whole(2, 64)],
        "weight_cap": [None, number(1, None, closed="left")],
        "soft_margin": [number(0, 1, closed="left")],
        "learning_rate": [number(0, 1, closed="right")],
        "interactions": [whole(0)],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
        "n_jobs": JOBS,
    }

    def __init__(
        self,
        n_rounds: int = 100,
        *,
        max_leaves: int = 2,
        weight_cap: float | None = None,
        soft_margin: float = 0.0,
        learning_rate: float = 1.0,
        interactions: int = 0,
        class_weight: dict[Any, float] | str | None = None,
        categorical_features: ArrayLike | None = "from_dtype",
        n_jobs: int | None = None,
    ) -> None:
        self.n_rounds = n_rounds
        self.max_leaves = max_leaves
        self.weight_cap = weight_cap
        self.soft_margin = soft_margin
        self.learning_rate = learning_rate
        self.interactions = interactions
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Boost.

        Parameters
        ----------
        X : array-like, frame, Dask array or frame, or path, shape (n, d)
            The table; categorical columns and missing values are allowed. A path names a folder of Parquet files, a
            pattern of files, or one file: its rows are read in parts, one byte is kept per value, and a column of more
            than 255 distinct values is cut into 255 bins.
        y : array-like, shape (n,)
            The classes, two or more. With a path, the name of their column.
        sample_weight : array-like, shape (n,), optional
            Weight of each row, not negative; rows of weight 0 are left out. With a path, the name of their column.

        Returns
        -------
        self
            The fitted classifier.
        """
        if in_parts(X):
            return self._fit_parts(X, y, sample_weight)
        refuse_two_caps(self)
        given, labels = encode(self, X, self.categorical_features), encode_target(self, X, y)
        table, target, weights = given, labels, None
        balanced = isinstance(self.class_weight, str)
        if sample_weight is not None or isinstance(self.class_weight, dict):
            named = None if balanced else self.class_weight
            table, target, weights = weighed_rows(self, given, labels, sample_weight, named)
        self.classes_, self._weighed = labels.classes, np.isin(labels.classes, target.classes)
        self._schema = table.schema
        columns = Distinct.of(table).columns if self.interactions else np.empty(0, dtype=np.intp)
        self._pairs, seen = NO_PAIRS, table
        if len(columns) > 1:
            self._pairs = pair_columns(table, target, weights, columns, self.interactions, self.n_jobs)
            seen = self._pairs.table(table)
        self.interactions_ = self._pairs.pairs
        self.stumps_ = boost(
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
            weight_cap=self.weight_cap,
            learning_rate=self.learning_rate,
            n_jobs=self.n_jobs,
        )
        if sample_weight is not None:
            counted = row_weights(self, labels, sample_weight)[self._weighed[labels.codes]]
            n_rows = counted_rows(counted, scale_of(sample_weight))
            self.stumps_ = [_counting(stumps, n_rows) for stumps in self.stumps_]
        self._weigh_columns(table.n_columns, None if balanced else class_shares(target, weights))
        self.margins_ = _margins(self._class_votes(given.values, scaled=True), labels.codes)
        self.margins_[~self._weighed[labels.codes]] = np.nan
        return self

    def _fit_parts(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Self:
        """Boost a table in parts; there are no `margins_`, which would take a number per row."""
        from tamis.stumps import part_fit
        from tamis.stumps.part_table import between_values
        from tamis.table.parts.opened import opened_parts

        for name, meant in (("interactions", 0), ("max_leaves", 2), ("soft_margin", 0)):
            if getattr(self, name) != meant:
                raise ValueError(
                    f"StumpAdaBoost: {name}={getattr(self, name)}, which a table in parts cannot have. Leave it at {meant}."
                )
        self._pairs, self.interactions_ = NO_PAIRS, NO_PAIRS.pairs
        pieces = opened_parts(self, X, y, sample_weight, self.n_jobs)
        fitting = part_fit.prepared_parts(self, pieces)
        summary = fitting.summary
        self.classes_, self._weighed = fitting.classes, fitting.weighed
        self._schema = fitting.schema
        models = boost(
            fitting.table,
            fitting.problems,
            self.n_rounds,
            weight_cap=self.weight_cap,
            learning_rate=self.learning_rate,
            n_jobs=self.n_jobs,
        )
        self.stumps_ = [between_values(cast(Stumps, stumps), summary.bins) for stumps in models]
        if fitting.n_counted is not None:
            self.stumps_ = [_counting(stumps, fitting.n_counted) for stumps in self.stumps_]
        self._weigh_columns(summary.n_columns, summary.priors)
        if hasattr(self, "margins_"):
            del self.margins_
        return self

    def _weigh_columns(self, n_columns: int, shares: Float | None) -> None:
        """Margin fractions and contribution ratios, averaged over the models by the given shares."""
        if shares is None or len(self.stumps_) == 1:
            shares = np.full(len(self.stumps_), 1 / len(self.stumps_))
        self.margin_fractions_ = np.zeros(n_columns)
        self.contribution_ratios_ = np.zeros(n_columns)
        n_seen = n_columns + len(self.interactions_)
        for share, stumps in zip(shares, self.stumps_):
            fractions = self._pairs.shared(stumps.margin_numerators(n_seen))
            ratios = self._pairs.shared(stumps.ratio_numerators(n_seen))
            self.margin_fractions_ += share * fractions / _size(fractions.sum())
            self.contribution_ratios_ += share * ratios / _size(ratios.sum())

    def _class_votes(self, values: Float, *, scaled: bool = False) -> Float:
        """H of each class (n, classes); `scaled` divides by the sum of alpha. Two classes: -H and H."""
        values, columns = self._pairs.behind(values), []
        for stumps in self.stumps_:
            column = stumps.decision(values)
            columns.append(column / alpha_sum(stumps) if scaled else column)
        return self._by_class(np.column_stack(columns))

    def _by_class(self, decided: Float) -> Float:
        """One column per class, from one per model; -inf for a class that was left out."""
        if decided.shape[1] == 1:
            decided = np.column_stack([-decided, decided])
        voted = np.full((len(decided), len(self.classes_)), -np.inf)
        voted[:, self._weighed] = decided
        return voted

    def decision_function(self, X: ArrayLike) -> Float:
        """H(x), the weighted vote of the stumps.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            Rows with the columns of ``fit``.

        Returns
        -------
        ndarray, shape (n,) or (n, classes)
            For two classes one number, positive for the second class; otherwise one per class.
        """
        check_is_fitted(self)
        voted = self._class_votes(encode_like(self, X, self._schema).values)
        return voted[:, 1] if len(self.classes_) == 2 else voted

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Classes of new rows: the larger vote, the earlier class on ties."""
        decided = self.decision_function(X)
        labels: NDArray[Any] = self.classes_[winners(decided)]
        return labels

    def predict_proba(self, X: ArrayLike) -> Float:
        """Class probabilities: the logistic function of 2 H(x); of several classes exp H(x), scaled to sum 1."""
        return class_probabilities(self.decision_function(X))

    def staged_decision_function(self, X: ArrayLike) -> Iterator[Float]:
        """`decision_function` after 1, 2, ... rounds (a class that stopped early keeps its last value)."""
        check_is_fitted(self)
        values = self._pairs.behind(encode_like(self, X, self._schema).values)
        streams = [stumps.votes(values) for stumps in self.stumps_]
        total = np.zeros((len(values), len(streams)))
        for _ in range(max(len(stumps.column) for stumps in self.stumps_)):
            for k, stream in enumerate(streams):
                vote = next(stream, None)
                if vote is not None:
                    total[:, k] += vote
            yield total[:, 0].copy() if len(self.classes_) == 2 else self._by_class(total)

    def staged_predict(self, X: ArrayLike) -> Iterator[NDArray[Any]]:
        """`predict` after 1, 2, ... rounds."""
        for decided in self.staged_decision_function(X):
            yield self.classes_[winners(decided)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags


def _counting(stumps: Boosted, n_rows: float) -> Boosted:
    """A stump without an error has alpha from gamma = 1 - 1/n: a row of weight w counts as w of the n (2 at least)."""
    if len(stumps) != 1 or stumps.edge[0] < 1:
        return stumps
    n_rows = max(n_rows, 2.0)
    return replace(stumps, alpha=np.array([0.5 * np.log(2 * n_rows - 1)]))


def _size(total: float) -> float:
    """A divisor that is never 0."""
    return total if total != 0 else 1.0


def _margins(voted: Float, codes: NDArray[np.int64]) -> Float:
    """Half the lead of each row's own class over the best other one."""
    if voted.shape[1] == 2:  # the votes are -H and H: half the lead is the own class's vote
        return np.where(codes == 1, voted[:, 1], voted[:, 0])
    rows = np.arange(len(codes))
    own = voted[rows, codes]
    others = voted.copy()
    others[rows, codes] = -np.inf
    lead: Float = (own - others.max(axis=1)) / 2
    return lead
