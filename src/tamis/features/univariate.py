"""UnivariateAUC: each column alone, by the area under its ROC curve."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context

from tamis.features._base import TARGET_KIND, FeatureSelector
from tamis.table._distinct import Distinct, prints
from tamis.table._ranks import mid_ranks, totals_down
from tamis.table._table import Numbers, Table, Target
from tamis.table.parts.parted import in_parts
from tamis.table.weights import weighed_numbers, weighed_rows

_BLOCK = 2_000_000  # values handled at a time: keeps the working memory to some 100 MB


class UnivariateAUC(FeatureSelector):
    """Rank columns by how well each one alone separates the classes, or orders the rows by a numeric target.

    The score of a column is ``max(AUC, 1 - AUC)``: the Mann-Whitney probability that a row of one class has a larger
    value than a row of the other, in the better of the two directions, with ties counted half. It is 0.5 for a column
    without information and 1 for a column that separates the classes. Any cleverer ranking must beat it.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many columns to keep: a number, a fraction, or (None) half of those that are neither copies nor constants.
    folded : bool, default=False
        Whether a numeric column is also tried as its distance from its median, ``|x - median|``, which finds classes
        in the middle or at both ends. The better of the two counts.
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
        The area, between 0.5 and 1; 0.5 for a constant.
    ranking_ : ndarray of int, shape (d,)
        1 is best; a permutation of 1..d, whatever is selected. Exact copies of earlier columns come after all
        others, and constants last, whatever their scores.
    support_ : ndarray of bool, shape (d,)
        Which columns are kept.
    n_features_ : int
        How many columns are kept.
    classes_ : ndarray
        The classes, sorted; not set for a numeric target.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    A categorical column is read as one yes-or-no column per category, of which the best counts. A missing value ties
    with every other value. That a value is missing may itself separate the classes, so "missing" is one more yes-or-no
    column. With more than two classes (multiclass) each is set against the rest, and the areas are averaged, weighted
    by the sizes of the classes. A row of weight 2 counts as the same row given twice.

    For a numeric target the area becomes the share of concordant pairs, Harrell's C: of two rows with different targets, how
    often the column puts them in the same order, ties counted half. Somers' D is 2 C - 1. Nothing depends on the scale of the
    target, only on the order of its values.

    The cost is one sort per column: O(d n log n) time and, whatever the size of the table, about 100 MB of working
    memory.

    References
    ----------
    H. B. Mann and D. R. Whitney, "On a test of whether one of two random variables is stochastically larger than
    the other", Annals of Mathematical Statistics 18, 1947.

    Examples
    --------
    >>> from tamis import UnivariateAUC
    >>> X = [[1, 5], [2, 3], [3, 4], [4, 6]]
    >>> y = [0, 0, 1, 1]
    >>> selector = UnivariateAUC(n_features_to_select=1).fit(X, y)
    >>> selector.scores_
    array([1.  , 0.75])
    >>> selector.transform(X)
    array([[1],
           [2],
           [3],
           [4]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FeatureSelector._parameter_constraints,
        "target_kind": TARGET_KIND,
        "folded": ["boolean"],
    }

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        folded: bool = False,
        target_kind: str = "auto",
        fixed_features: ArrayLike | None = None,
        excluded_features: ArrayLike | None = None,
        feature_groups: ArrayLike | None = None,
        categorical_features: ArrayLike | None = "from_dtype",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.folded = folded
        self.target_kind = target_kind
        self.fixed_features = fixed_features
        self.excluded_features = excluded_features
        self.feature_groups = feature_groups
        self.categorical_features = categorical_features

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Score the columns.

        Parameters
        ----------
        X : array-like, frame, Dask array or frame, or path, shape (n, d)
            The table; categorical columns and missing values are allowed. A path names a folder of Parquet files, a pattern
            of files, or one file: some columns are read at a time, and the scores are those of the table in memory.
        y : array-like, shape (n,)
            The classes, two or more, or numbers. With a path, the name of their column.
        sample_weight : array-like, shape (n,), optional
            Weight of each row, not negative. With a path, the name of their column.

        Returns
        -------
        self
            The fitted selector.
        """
        if in_parts(X):
            return self._fit_parts(X, y, sample_weight)
        table, target = self._table_of_any(X, y)
        if isinstance(target, Numbers):
            table, target, weights = weighed_numbers(self, table, target, sample_weight)
        else:
            table, target, weights = weighed_rows(self, table, target, sample_weight)
        self._store(self._scores_of(table, target, weights), distinct=self._distinct(table))
        return self

    def _fit_parts(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Self:
        """Score the columns of a table in parts: some whole columns at a time."""
        from tamis.features._part_rows import rows_of_parts, rows_of_weight

        rows = rows_of_parts(self, X, y, sample_weight)
        excluded = self._excluded(self.n_features_in_)
        alive, target, weights = rows_of_weight(self, rows)
        scores, contents = np.empty(self.n_features_in_), list[bytes | None]()
        for columns, block in rows.blocks(alive):
            block.values[:, np.isin(columns, excluded)] = 0.0
            scores[columns] = self._scores_of(block, target, weights)
            contents += prints(block)
        self._store(scores, distinct=Distinct.of_prints(contents))
        return self

    def _scores_of(
        self, table: Table, target: Target | Numbers, weights: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The score of each column."""
        if isinstance(target, Numbers):
            from tamis.features._concordance import (
                concordance_scores,  # compiled code: loaded where it is needed
            )

            return concordance_scores(table, target, weights, self.folded)
        return column_scores(table, class_weights(weights, target), self.folded)


def class_weights(weights: NDArray[np.float64], target: Target) -> NDArray[np.float64]:
    """Return the weights of the rows, one column per class: a row's weight in its own class, 0 elsewhere."""
    shares = np.zeros((len(weights), target.n_classes))
    shares[np.arange(len(weights)), target.codes] = weights
    return shares


def column_scores(table: Table, shares: NDArray[np.float64], folded: bool) -> NDArray[np.float64]:
    """Return the score of each column: the best of its views."""
    scores = np.full(table.n_columns, 0.5)
    width = max(1, _BLOCK // table.n_rows)
    numeric = np.flatnonzero(~table.nominal)
    for start in range(0, len(numeric), width):
        columns = numeric[start : start + width]
        block = table.values[:, columns]
        scores[columns] = _areas(block, shares)
        if folded:
            away = distances_from(block, medians(block, shares.sum(axis=1)))
            scores[columns] = np.maximum(scores[columns], _areas(away, shares))
        missing = np.isnan(block)
        gapped = np.flatnonzero(missing.any(axis=0))
        if len(gapped):
            areas = _areas(missing[:, gapped].astype(np.float64), shares)
            scores[columns[gapped]] = np.maximum(scores[columns[gapped]], areas)
    for column in np.flatnonzero(table.nominal):
        scores[column] = _nominal_area(table.values[:, column], shares)
    return scores


def _areas(block: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return max(AUC, 1 - AUC) of every column of a numeric block, averaged over the classes.

    With m_i the weight below row i plus half of the weight tied with it, the weight of the ordered pairs won by the
    rows of class c is U_c = sum over its rows of w_i m_i, minus the pairs within the class, W_c^2/2.
    """
    in_row_order = mid_ranks(block, shares.sum(axis=1))
    won = np.stack([totals_down(share[:, None] * in_row_order) for share in shares.T])
    return _averaged(won, shares.sum(axis=0))


def _nominal_area(codes: NDArray[np.float64], shares: NDArray[np.float64]) -> float:
    """Return the best area of one category against the rest, "missing" being one more category."""
    levels = int(np.nanmax(codes, initial=-1.0)) + 1
    cell = np.where(np.isnan(codes), levels, codes).astype(np.intp)
    inside = np.stack([np.bincount(cell, weights=share, minlength=levels + 1) for share in shares.T])
    totals = shares.sum(axis=0)
    level = np.sort(inside, axis=0).sum(axis=0)
    outside = totals[:, None] - inside
    rest = np.sort(totals).sum() - level
    won = inside * (rest + level / 2) + outside * (rest / 2)
    return float(_averaged(won, totals).max())


def _averaged(won: NDArray[np.float64], totals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean area of each view from the weight of won pairs (classes, views), own class included."""
    total = np.sort(totals).sum()  # sorted, as below, so that the order of the classes changes no bit
    others = total - totals
    pairs = (totals * others)[:, None]
    ahead = won - (totals**2 / 2)[:, None]
    if len(totals) == 2:  # the areas of both classes are equal, up to the last bit
        area: NDArray[np.float64] = (np.maximum(ahead, pairs - ahead) / pairs).max(axis=0)
    else:
        leads = np.abs(ahead - pairs / 2) / others[:, None]
        area = 0.5 + np.sort(leads, axis=0).cumsum(axis=0)[-1] / total
    return np.minimum(area, 1.0)


def medians(block: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weighted median of the known values of every column (0 where there are none)."""
    order = np.argsort(block, axis=0, kind="stable")
    ranked = np.take_along_axis(block, order, axis=0)
    held = np.where(np.isnan(ranked), 0.0, weights[order])
    upto = np.cumsum(held, axis=0)
    half = upto[-1] / 2
    last = np.maximum((~np.isnan(ranked)).sum(axis=0) - 1, 0)
    lower = np.minimum((upto < half).sum(axis=0), last)
    upper = np.minimum((upto <= half).sum(axis=0), last)
    columns = np.arange(block.shape[1])
    low, high = ranked[lower, columns], ranked[upper, columns]
    with np.errstate(over="ignore"):
        both = low + high
    middle = np.where(np.isinf(both), low / 2 + high / 2, both / 2)
    known: NDArray[np.float64] = np.nan_to_num(middle)
    return known


def distances_from(block: NDArray[np.float64], centres: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distance of every value from its column's centre; in a column where it overflows, half of it."""
    with np.errstate(over="ignore"):
        away: NDArray[np.float64] = np.abs(block - centres)
    wide = np.isinf(away).any(axis=0)
    away[:, wide] = np.abs(block[:, wide] / 2 - centres[wide] / 2)
    return away
