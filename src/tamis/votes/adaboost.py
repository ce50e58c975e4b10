"""AdaBoost over the votes of nearest neighbours, as a classifier."""

from __future__ import annotations

import math
import os
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from tamis._parameters import JOBS, whole
from tamis._probabilities import class_probabilities, winners
from tamis.neighbors import NAMED_METRICS, MixedSpace, ScaledRows, nearest_groups, nearest_rows
from tamis.table._encode import encode, encode_like, encode_target
from tamis.votes._kernels.cells import Cells, Lists, cells_of
from tamis.votes._kernels.voting import vote_totals
from tamis.votes.criterion import TwoClassProblems, boosted

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def memory_bytes() -> float:
    """Return the memory of this machine; infinity where it is not known."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return math.inf


class NeighborAdaBoost(ClassifierMixin, BaseEstimator):
    """AdaBoost whose weak hypothesis is the weighted vote of a row's nearest neighbours.

    In every round each training row receives the votes of its neighbours, never its own, under the present weights of
    the rows. Misclassified rows gain weight, and so do their votes in the next round. A new row receives the votes of
    its neighbours among the training rows, with the weights of every round.

    Parameters
    ----------
    n_rounds : int, default=50
        Number of boosting rounds, T (per class, if there are more than two).
    n_neighbors : int, default=9
        Number of neighbours, k; at most the number of training rows minus one.
    ties : {"all", "lowest"}, default="all"
        Whether all rows at the distance of the k-th neighbour are neighbours ("all"), or exactly k rows, the lower row
        first.
    vote : {"confidence", "sign"}, default="confidence"
        Whether a vote is the weighted mean of the neighbours' classes or its sign.
    metric : str, default="l1"
        Distance of two rows: "l1", the sum over the columns of scaled differences, or "l2", of their squares. Two
        categories differ by 0 or 1, a missing value differs by 1 from any other value. With ``ties="lowest"`` also
        scikit-learn's "cosine", "chebyshev" and others, for numeric columns without missing values.
    class_weight : "balanced", dict or None, default=None
        Initial weights of the classes: inversely proportional to their sizes, given by label, or all equal.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which columns are categorical: by dtype, none, or exactly these (mask, positions or names).
    n_jobs : int or None, default=None
        Number of threads for the neighbour search. The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    alphas_ : ndarray, shape (problems, n_rounds)
        The weight of each round; 0 after boosting stopped. One problem for two classes, otherwise one per class.
    z_path_ : ndarray, shape (n_rounds,)
        Z after 1, 2, ... rounds: the mean of exp(-y F) over the training rows, F without the row's own vote.
    z_ : float
        Z after all rounds.
    leave_one_out_decision_ : ndarray, shape (n,) or (n, classes)
        F of the training rows, as `decision_function` returns it, without their own votes.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    Boosting stops when the vote of a round is no better than chance. If every vote is right, Z is 0, and the round gets
    the weight for an error of half a row in n. With more than two classes (multiclass), each is set against the rest,
    and both sides of each problem have the same initial weight. A row is never its own neighbour in training, so that a
    repeated row is not the same as a row of weight two; `fit` therefore takes no sample weights.

    The cost is one search for neighbours, O(n^2 d), and O(n k T) for boosting; a prediction is a search in the training
    rows and O(k T). The weights of all rounds are stored: n T numbers per problem.

    References
    ----------
    M. Sebban and R. Nock, "Contribution of boosting in wrapper models", PKDD 1999. R. E. Schapire and Y. Singer,
    "Improved boosting algorithms using confidence-rated predictions", Machine Learning 37, 1999.

    Examples
    --------
    >>> from tamis import NeighborAdaBoost
    >>> X = [[0.0], [0.1], [0.2], [0.8], [0.9], [1.0]]
    >>> y = ["low", "low", "low", "top", "top", "top"]
    >>> model = NeighborAdaBoost(n_neighbors=2).fit(X, y)
    >>> model.predict([[0.15], [0.95]])
    array(['low', 'top'], dtype='<U3')
    >>> model.z_
    0.0
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_rounds": [whole(1)],
        "n_neighbors": [whole(1)],
        "ties": [StrOptions({"all", "lowest"})],
        "vote": [StrOptions({"confidence", "sign"})],
        "metric": [StrOptions({"l1", "l2", *NAMED_METRICS})],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
        "n_jobs": JOBS,
    }

    def __init__(
        self,
        n_rounds: int = 50,
        *,
        n_neighbors: int = 9,
        ties: str = "all",
        vote: str = "confidence",
        metric: str = "l1",
        class_weight: dict[Any, float] | str | None = None,
        categorical_features: ArrayLike | None = "from_dtype",
        n_jobs: int | None = None,
    ) -> None:
        self.n_rounds = n_rounds
        self.n_neighbors = n_neighbors
        self.ties = ties
        self.vote = vote
        self.metric = metric
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit the boosted votes.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            The table; categorical columns and missing values are allowed.
        y : array-like, shape (n,)
            The classes, two or more.

        Returns
        -------
        self
            The fitted classifier.
        """
        if self.ties == "all" and self.metric in NAMED_METRICS:
            raise ValueError(
                f"NeighborAdaBoost: metric={self.metric!r} with ties='all', but only l1 and l2 have exact ties. "
                "Use ties='lowest'."
            )
        table = encode(self, X, self.categorical_features)
        target = encode_target(self, X, y)
        problems, _ = TwoClassProblems.by_class_weight(self, target, self.class_weight)
        self._schema, self.classes_ = table.schema, target.classes
        space = MixedSpace.fit(table.values, table.nominal, self.metric)
        self._rows = space.scaled(table.values)
        self._k = min(self.n_neighbors, table.n_rows - 1)
        lists, unit_of_row = self._neighbors(None)
        by_unit = np.argsort(unit_of_row, kind="stable")
        begins = np.concatenate([[0], np.cumsum(np.bincount(unit_of_row))])
        cells: Cells = cells_of(lists, begins, by_unit, target.codes, target.n_classes)
        self._refuse_beyond_memory(len(problems.signs), len(cells.unit))
        path, _, self.alphas_, self._weights, leads = boosted(
            cells, problems, None, self.n_rounds, by_sign=self.vote == "sign", keep_weights=True
        )
        self._unit, self._size = cells.unit, cells.size
        self._signs = problems.signs[:, cells.label]
        self.z_path_ = path.mean(axis=0)
        self.z_ = float(self.z_path_[-1])
        cell_of = {(unit, label): cell for cell, (unit, label) in enumerate(zip(cells.unit, cells.label))}
        row_cells = [cell_of[unit, label] for unit, label in zip(unit_of_row, target.codes)]
        scores = (self._signs * leads)[:, row_cells]
        self.leave_one_out_decision_ = scores[0] if len(scores) == 1 else scores.T
        return self

    def _refuse_beyond_memory(self, n_problems: int, n_cells: int) -> None:
        """Refuse, before the first round, to store more weights than memory can hold."""
        needed = 16 * n_problems * int(self.n_rounds) * n_cells  # once in batches, once joined
        if needed > (available := memory_bytes()):
            raise MemoryError(
                f"NeighborAdaBoost: {n_problems} classes, {n_cells} rows and n_rounds={self.n_rounds} need "
                f"{needed / 1e9:.0f} GB, but this machine has {available / 1e9:.0f}. Use fewer rounds, or group the classes."
            )

    def _neighbors(self, queries: ScaledRows | None) -> tuple[Lists, IntArray]:
        """Return lists of neighbouring units of training rows, and the list of each query.

        Without queries they are for the training rows: lists are numbered by unit, and leave out their own unit.
        """
        space, rows, n_jobs = self._rows.space, self._rows, self.n_jobs
        if self.ties == "lowest":
            near, _ = nearest_rows(space, rows, self._k, queries, n_jobs=n_jobs)
            indptr = np.arange(len(near) + 1) * self._k
            return Lists(indptr, near.ravel().astype(np.int32)), np.arange(len(near))
        groups = nearest_groups(space, rows, self._k, queries, n_jobs=n_jobs)
        n_groups = int(groups.group_of_row.max()) + 1
        parts = []
        for i, complement in enumerate(groups.complement):
            part = groups.groups[groups.indptr[i] : groups.indptr[i + 1]]
            if complement:
                part = np.setdiff1d(np.arange(n_groups, dtype=np.int32), part, assume_unique=True)
            parts.append(part if queries is not None else part[part != i])
        indptr = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
        return Lists(indptr, np.concatenate(parts)), groups.list_of_query

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return F(x), the weighted vote of the rounds.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            Rows with the columns of ``fit``.

        Returns
        -------
        ndarray, shape (n,) or (n, classes)
            For two classes one number per row, positive for the second class; otherwise one per class.
        """
        check_is_fitted(self)
        queries = self._rows.space.scaled(encode_like(self, X, self._schema).values)
        lists, list_of_query = self._neighbors(queries)
        n_units = int(self._unit.max()) + 1
        scores = []
        for alphas, used, signs in zip(self.alphas_, self._weights, self._signs):
            run = alphas != 0
            weights = np.zeros((n_units, int(run.sum())))
            leads = np.zeros_like(weights)
            held = (used[run] * self._size).T
            np.add.at(weights, self._unit, held)
            np.add.at(leads, self._unit, held * signs[:, np.newaxis])
            scores.append(vote_totals(*lists, leads, weights, alphas[run], self.vote == "sign"))
        columns: FloatArray = np.stack(scores, axis=1)[list_of_query]
        return columns[:, 0] if len(scores) == 1 else columns

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the classes of new rows: by the sign of F, or the largest F; the earlier class on ties."""
        decisions = self.decision_function(X)
        labels: NDArray[Any] = self.classes_[winners(decisions)]
        return labels

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return class probabilities: the logistic function of 2 F(x); with more classes exp F(x), scaled to sum to 1."""
        return class_probabilities(self.decision_function(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags
