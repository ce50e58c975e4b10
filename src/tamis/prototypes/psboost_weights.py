"""PSBoostWeights: the confidence of every row as a voter, without choosing any."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, _fit_context

from tamis._parameters import JOBS, whole
from tamis.neighbors import MixedSpace
from tamis.prototypes._base import CATEGORICAL
from tamis.prototypes._boost import all_row_weights, first_weights, neighbor_graph
from tamis.prototypes._kernels.boosting import MOST
from tamis.table._encode import encode, encode_target


class PSBoostWeights(BaseEstimator):
    """Weigh every row by its confidence as a voter: the weighting scheme of PSBoost, without its selection.

    A row votes, with its class, for the rows that have it among their `n_neighbors` nearest. Its weight is alpha = 1/2
    log((W+ + W0/2) / (W- + W0/2)), W+, W- and W0 being the shares of the rows that it classifies correctly, that it
    misclassifies, and that it does not vote for. It is large for rows that are right for many others, and below 0 for
    rows that are more often wrong than right: noise or exceptions.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many nearest other rows vote for a row; all others where there are fewer. The paper has 1.
    adaptive : bool, default=False
        Whether boosting goes through all rows from the largest alpha to the smallest, each weighed by what the rows before
        it have left to explain. Else all rows count the same.
    remove_selected : bool, default=False
        If `adaptive`, whether a row that has had its turn no longer counts, as in `PSBoost`.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which columns are categorical: by dtype, none, or exactly these (mask, positions or names).
    n_jobs : int or None, default=None
        Threads for the graph. The result does not depend on it.

    Attributes
    ----------
    weights_ : ndarray, shape (n,)
        The alpha of each row.
    criteria_ : ndarray, shape (n,)
        The paper's Z of each row at the start, 2 sqrt((W+ + W0/2) (W- + W0/2)), at most 1: small for rows that are right for
        many others, and for rows that are wrong for many.
    right_, wrong_, silent_ : ndarray, shape (n,)
        W+, W- and W0 of each row at the start.
    ranking_ : ndarray of int, shape (n,)
        Rank of each row, 1 for the largest weight; the lower row first on ties (within 1e-12).
    classes_ : ndarray
        The classes, sorted.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    With more than two classes a row has the alpha of the problem that sets its own class against the rest, so that W+ are
    always rows of its own class. For a row that votes for all rows, and correctly, alpha is capped at 7.25.

    The weights are confidences of voters, some below 0: they are not sample weights for another model.

    References
    ----------
    R. Nock and M. Sebban, "A boosting-based prototype weighting and selection scheme", FLAIRS 2000.

    Examples
    --------
    The row at 11 is the nearest of two others, and wrong for both; nobody has the rows at 2 and 13 as the nearest.

    >>> from tamis import PSBoostWeights
    >>> X = [[0], [1], [2], [10], [11], [12], [13]]
    >>> y = ["a", "a", "a", "b", "a", "b", "b"]
    >>> PSBoostWeights(n_neighbors=1).fit(X, y).weights_.round(3)
    array([ 0.144,  0.294,  0.   , -0.144, -0.294,  0.144,  0.   ])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_neighbors": [whole(1)],
        "adaptive": ["boolean"],
        "remove_selected": ["boolean"],
        "categorical_features": CATEGORICAL,
        "n_jobs": JOBS,
    }

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        adaptive: bool = False,
        remove_selected: bool = False,
        categorical_features: ArrayLike | None = "from_dtype",
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.adaptive = adaptive
        self.remove_selected = remove_selected
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Weigh the rows.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            The rows; categorical columns and missing values are allowed.
        y : array-like, shape (n,)
            Their classes.

        Returns
        -------
        self
            The fitted estimator.
        """
        table = encode(self, X, self.categorical_features)
        target = encode_target(self, X, y)
        self.classes_ = target.classes
        space = MixedSpace.fit(table.values, table.nominal, "l2")
        rows = space.scaled(table.values)
        neighbors = neighbor_graph(space, rows, self.n_neighbors, n_jobs=self.n_jobs)
        self.right_, self.wrong_, self.silent_ = first_weights(neighbors, target)
        half = self.silent_ / 2
        self.criteria_ = 2 * np.sqrt((self.right_ + half) * (self.wrong_ + half))
        if self.adaptive:
            self.weights_ = all_row_weights(neighbors, target, self.remove_selected)
        else:
            self.weights_ = np.arctanh(np.clip(self.right_ - self.wrong_, -MOST, MOST))
        order = np.argsort(-np.round(self.weights_, 12), kind="stable")
        self.ranking_ = np.empty(table.n_rows, dtype=np.int64)
        self.ranking_[order] = np.arange(1, table.n_rows + 1)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.target_tags.required = True
        return tags
