"""PSBoost's rows as a classifier: by the nearest of them, or by their weighted vote."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from tamis._probabilities import class_probabilities
from tamis.prototypes._boost import all_row_weights
from tamis.prototypes._nearest import NearestKept
from tamis.prototypes._weights import loss_weights
from tamis.prototypes.psboost import PSBoost
from tamis.table._encode import encode
from tamis.table._table import Table, Target
from tamis.table._target import encode_target

TIE = 1e-12
"""Sums of alphas tie if they differ by less."""


class PSBoostClassifier(ClassifierMixin, BaseEstimator):
    """Classify by the rows that PSBoost keeps.

    Parameters
    ----------
    n_prototypes : int, float or "condensed", default=0.2
        How many rows to keep, as in `PSBoost`.
    preset : {"paper"} or None, default=None
        "paper" chooses rows as the paper does, as in `PSBoost`.
    n_neighbors : int, default=5
        How many neighbours vote, both in choosing rows and with ``voting="weighted"``.
    remove_selected : bool, default=True
        Whether the weight of a kept row becomes 0, as in `PSBoost`.
    class_quota : None, "proportional" or dict, default="proportional"
        How many rows of each class, as in `PSBoost`.
    multiclass : {"turns", "union"}, default="turns"
        What becomes of the runs of more than two classes, as in `PSBoost`.
    voting : {"nearest", "weighted"}, default="nearest"
        "nearest" predicts the class of the nearest kept row. "weighted" sums the alphas of the `n_neighbors` nearest
        kept rows by class, 0 for a class without any, and predicts the class with the largest sum; of tied classes the
        one with the nearest row.
    all_rows : bool, default=False
        Whether all rows vote, not only the kept ones: boosting then goes on to the last row, through negative alphas.
        For ``voting="weighted"`` only; `n_prototypes` and `class_quota` are then ignored.
    graph : {"exact", "approximate"}, default="exact"
        How neighbours are found in `fit`.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which columns are categorical: by dtype, none, or exactly these (mask, positions or names).
    random_state : int, RandomState instance or None, default=None
        Seed of the approximate graph; nothing else is random.
    n_jobs : int or None, default=None
        Threads. The result does not depend on it.
    verbose : int, default=0
        Above 0, progress is shown on stderr while neighbours are sought: a bar in terminals and notebooks, lines elsewhere.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        The rows that vote, ascending.
    prototype_weights_ : ndarray of float
        The alpha of each.
    classes_ : ndarray
        The classes, sorted.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    For two classes the weighted rule is the sign of the sum of alpha y(e) over the nearest kept rows e. The paper
    expects the weights to help; on its fourteen data sets the weighted vote did not beat a plain vote of the same rows
    (``benchmarks/psboost_table.py``), which is why plain 1-NN is the default. With more than two classes and `all_rows`,
    a row has the alpha of the run that sets its own class against the rest.

    References
    ----------
    R. Nock and M. Sebban, "A boosting-based prototype weighting and selection scheme", FLAIRS 2000.

    Examples
    --------
    >>> from tamis import PSBoostClassifier
    >>> X = [[0], [1], [2], [10], [11], [12], [13]]
    >>> y = ["a", "a", "a", "b", "b", "b", "b"]
    >>> model = PSBoostClassifier(2, n_neighbors=1).fit(X, y)
    >>> model.predict([[3], [8]])
    array(['a', 'b'], dtype='<U1')
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **PSBoost._parameter_constraints,
        "voting": [StrOptions({"nearest", "weighted"})],
        "all_rows": ["boolean"],
    }

    def __init__(
        self,
        n_prototypes: int | float | str = 0.2,
        *,
        preset: str | None = None,
        n_neighbors: int = 5,
        remove_selected: bool = True,
        class_quota: Any = "proportional",
        multiclass: str = "turns",
        voting: str = "nearest",
        all_rows: bool = False,
        graph: str = "exact",
        categorical_features: ArrayLike | None = "from_dtype",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_prototypes = n_prototypes
        self.preset = preset
        self.n_neighbors = n_neighbors
        self.remove_selected = remove_selected
        self.class_quota = class_quota
        self.multiclass = multiclass
        self.voting = voting
        self.all_rows = all_rows
        self.graph = graph
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Choose the rows that vote, and their weights.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            The rows; categorical columns and missing values are allowed.
        y : array-like, shape (n,)
            Their classes.
        sample_weight : array-like, shape (n,), or None, default=None
            What each row counts in boosting, as in `PSBoost`: its first weight. A row of weight 0 may still be kept, and votes
            as others do.

        Returns
        -------
        self
            The fitted classifier.
        """
        if self.all_rows and self.voting != "weighted":
            raise ValueError(
                f"PSBoostClassifier: all_rows=True with voting={self.voting!r}. Use voting='weighted', or all_rows=False."
            )
        table = encode(self, X, self.categorical_features)
        target = encode_target(self, X, y)
        self.classes_ = target.classes
        self.sample_indices_, self.prototype_weights_ = self._voters(table, target, sample_weight)
        self._nearest = NearestKept.of(table, table.values[self.sample_indices_])
        self._kept_codes = target.codes[self.sample_indices_]
        return self

    def _voters(
        self, table: Table, target: Target, sample_weight: ArrayLike | None
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the rows that vote, ascending, and the alpha of each."""
        names = PSBoost().get_params().keys() & self.get_params().keys()
        selector = PSBoost(**{name: getattr(self, name) for name in names})
        selector._asking = self
        rule = selector._rule()
        self._n_voters = 1 if self.voting == "nearest" else rule["n_neighbors"]
        if self.all_rows:
            neighbors = selector._neighbors(table)
            weights, _ = loss_weights(self, target, None, sample_weight)
            return np.arange(table.n_rows), all_row_weights(
                neighbors, target, rule["remove_selected"], weights
            )
        chosen = selector._chosen(table, target, sample_weight)
        order = np.argsort(chosen.rows)
        return chosen.rows[order].astype(np.intp), chosen.alphas[order]

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the classes of new rows.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            The rows.

        Returns
        -------
        ndarray, shape (n,)
            Their classes.
        """
        check_is_fitted(self)
        labels: NDArray[Any] = self.classes_[self._votes(X)[1]]
        return labels

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return how much speaks for each class.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            The rows.

        Returns
        -------
        ndarray, shape (n,) or (n, classes)
            With ``voting="weighted"`` the sums of alphas by class, else the probabilities; for two classes the second less
            the first. Where classes tie, the predicted one is ahead by 1e-12.
        """
        check_is_fitted(self)
        told = self._decided(X)
        return told[:, 1] - told[:, 0] if len(self.classes_) == 2 else told

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return a probability for each class.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            The rows.

        Returns
        -------
        ndarray, shape (n, classes)
            With ``voting="weighted"``, F being the decision, the logistic function of 2 F, or exp F scaled to sum to 1, as for
            any boosted vote. Else in inverse proportion to the distance of the nearest kept row of each class. The
            predicted class has the largest. They are not calibrated.
        """
        check_is_fitted(self)
        told = self._decided(X)
        if self.voting == "nearest":
            return told
        return class_probabilities(told[:, 1] - told[:, 0] if len(self.classes_) == 2 else told)

    def _decided(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return what speaks for each class, (n, classes), the predicted class ahead of all others."""
        told, winners = self._votes(X)
        if self.voting == "nearest":
            told = self._closeness(X)
        rows = np.arange(len(told))
        others = told.copy()
        others[rows, winners] = -np.inf
        told[rows, winners] = np.maximum(told[rows, winners], others.max(axis=1) + TIE)
        return told / told.sum(axis=1, keepdims=True) if self.voting == "nearest" else told

    def _closeness(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the inverse distance of the nearest kept row of each class, scaled to sum to 1."""
        apart = self._nearest.class_distances(self, X, self._kept_codes, len(self.classes_), self.n_jobs)
        same = apart == 0
        near = np.where(same.any(axis=1, keepdims=True), same, 1 / np.where(same, 1.0, apart))
        shares: NDArray[np.float64] = near / near.sum(axis=1, keepdims=True)
        return shares

    def _votes(self, X: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the sum of alphas by class, and the class that wins: of tied ones that with the nearest row."""
        voters = self._nearest.positions(self, X, self._n_voters, self.n_jobs)
        codes = self._kept_codes[voters]  # (n, voters), nearest first
        all_rows = np.arange(len(codes))
        sums = np.zeros((len(codes), len(self.classes_)))
        for p in range(codes.shape[1]):
            sums[all_rows, codes[:, p]] += self.prototype_weights_[voters[:, p]]
        if self.voting == "nearest":
            return sums, codes[:, 0]
        tied = sums >= sums.max(axis=1, keepdims=True) - TIE
        votes_tie = np.take_along_axis(tied, codes, axis=1)
        nearest = codes[all_rows, votes_tie.argmax(axis=1)]
        winners: NDArray[np.int64] = np.where(votes_tie.any(axis=1), nearest, tied.argmax(axis=1))
        return sums, winners

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags
