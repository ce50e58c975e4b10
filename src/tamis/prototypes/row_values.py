"""RowValues: what every row is worth, and whose label looks wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, _fit_context

from tamis._parameters import JOBS, number, whole
from tamis.neighbors import MixedSpace, nearest_rows
from tamis.prototypes._base import CATEGORICAL
from tamis.prototypes._other_groups import nearest_of_other_groups
from tamis.prototypes._row_values import (
    class_votes,
    label_probabilities,
    margins,
    near_shapley_values,
    shapley_values,
    suspected,
)
from tamis.table._encode import encode, encode_target
from tamis.table.weights import group_codes

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


EXACT_ROWS = 10_000
"""Up to so many rows every row is ranked by its distance to every other."""

NEAR_ROWS = 100
"""Beyond, so many nearest rows are."""


class RowValues(BaseEstimator):
    """Score every row: its Shapley value for the nearest-neighbour vote, its margin, and whether its label looks wrong.

    The value of a row is what it adds, over all sets of rows, to the share of right votes that the `n_neighbors` nearest
    of a set give on each other row (k-NN Shapley). Rows below 0 do harm. A label looks wrong where the votes of the
    nearest others speak for another class so clearly that few such rows would be called wrong in error.

    Parameters
    ----------
    n_neighbors : int, default=10
        How many nearest rows vote; all others where there are fewer (with groups, as many as every row has others).
    error_rate : float, default=0.1
        The largest share of suspects whose label is right, by the estimate in the Notes, which is too low where classes
        overlap; above 0, below 1.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which columns are categorical: by dtype, none, or exactly these (mask, positions or names).
    n_jobs : int or None, default=None
        Threads. The result does not depend on it.

    Attributes
    ----------
    values_ : ndarray, shape (n,)
        The Shapley value of each row, the mean over the votes on all other rows; with groups, on those of other groups.
    margins_ : ndarray, shape (n,)
        (b - a) / (b + a), with a and b the distances to the nearest other row of the row's class and of another class.
    agreement_ : float
        The share of the votes that are right, over all rows: the lower, the more the classes overlap.
    label_probabilities_ : ndarray, shape (n,)
        How probable it is that each row's own label is right.
    suggested_labels_ : ndarray, shape (n,)
        The most probable class of each row, its own on ties.
    suspects_ : ndarray of int
        The rows whose label looks wrong, the least probable first, then the lower.
    ranking_ : ndarray of int, shape (n,)
        Rank of each row, 1 for the largest value; the lower row first on ties.
    classes_ : ndarray
        The classes, sorted.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    How often a class with so many of the votes is the label is counted over the table itself, no row voting on itself.
    Where a class has the fewest votes it is taken for impossible, and how often it is the label all the same is taken for
    the rate of wrong labels, all others being as likely. From that follows how probable it is that a label is right, and
    the mean of these probabilities over the suspects is `error_rate` at most. It holds as far as this does: a lone row of a
    class among others is called wrong although it may be rare, and wrong labels side by side look right. Where the votes tell
    no more than they might by chance (three standard errors), as in any table of fewer than some 20 rows, no label is.

    The distance is that of `CondensedNN`; the lower row is the nearer on ties. Up to 10,000 rows the values are exact,
    O(n**2 (d + log n)). Beyond, each vote knows its 100 nearest rows and takes the others for 0, which is wrong by
    1/100 of one vote at most.

    References
    ----------
    R. Jia et al., "Efficient task-specific data valuation for nearest neighbor algorithms", VLDB 2019.

    Examples
    --------
    >>> from tamis import RowValues
    >>> X = [[x] for x in [*range(15), *range(30, 45)]]
    >>> y = ["a"] * 15 + ["b"] * 15
    >>> y[2] = "b"
    >>> found = RowValues(n_neighbors=3).fit(X, y)
    >>> int(found.values_.argmin()), found.suspects_
    (2, array([2]))
    >>> str(found.suggested_labels_[2])
    'a'
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_neighbors": [whole(1)],
        "error_rate": [number(0, 1, closed="neither")],
        "categorical_features": CATEGORICAL,
        "n_jobs": JOBS,
    }

    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        error_rate: float = 0.1,
        categorical_features: ArrayLike | None = "from_dtype",
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.error_rate = error_rate
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, *, groups: ArrayLike | None = None) -> Self:
        """Score the rows.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            The rows; categorical columns and missing values are allowed.
        y : array-like, shape (n,)
            Their classes.
        groups : array-like, shape (n,), or None, default=None
            The group of each row, such as the person it was measured on: rows of one group are never each other's
            neighbours, and have no vote on each other.

        Returns
        -------
        self
            The fitted scores.
        """
        table = encode(self, X, self.categorical_features)
        target = encode_target(self, X, y)
        space = MixedSpace.fit(table.values, table.nominal, "l2")
        rows, codes, n_rows = space.scaled(table.values), target.codes, table.n_rows
        group = group_codes("RowValues", n_rows, groups)
        n_others = n_rows - int(np.bincount(group).max())
        if not n_others:
            raise ValueError(
                "RowValues: all rows are of one group, and rows of one group have no vote on each other. "
                "Give other groups, or none."
            )
        n_near = min(self.n_neighbors, n_others)
        exact = n_rows <= EXACT_ROWS
        n_listed = n_near if exact else min(max(n_near, NEAR_ROWS), n_others)
        if groups is None:
            neighbors, distances = nearest_rows(space, rows, n_listed, n_jobs=self.n_jobs)
        else:
            everyone = np.arange(n_rows)
            neighbors, distances = nearest_of_other_groups(
                rows, group, everyone, everyone, n_listed, self.n_jobs
            )
        if exact:
            self.values_ = shapley_values(rows, codes, self.n_neighbors, group)
        else:
            self.values_ = near_shapley_values(neighbors, codes, self.n_neighbors, group)
        self.margins_ = margins(rows, codes, neighbors, np.asarray(distances), group, self.n_jobs)
        votes = class_votes(neighbors[:, :n_near], codes, target.n_classes)
        probable, right = label_probabilities(votes, codes, int(group.max()) + 1)
        own, best = probable[np.arange(n_rows), codes], probable.argmax(axis=1)
        best = np.where(own >= probable.max(axis=1), codes, best)
        flagged = np.flatnonzero(suspected(right, best != codes, self.error_rate))
        self.classes_ = target.classes
        self.agreement_ = float(votes[np.arange(n_rows), codes].mean() / n_near)
        self.label_probabilities_ = right
        self.suggested_labels_ = target.classes[best]
        self.suspects_ = flagged[np.argsort(right[flagged], kind="stable")]
        self.ranking_ = np.empty(n_rows, dtype=np.int64)
        self.ranking_[np.argsort(-self.values_, kind="stable")] = np.arange(1, n_rows + 1)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags
