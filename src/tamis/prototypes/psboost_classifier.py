"""PSBoost's rows as a classifier: by the nearest of them, or by their weighted vote."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from tamis.prototypes._boost import all_row_weights
from tamis.prototypes._nearest import NearestKept
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
    n_neighbors : int, default=5
        How many neighbours vote, both in choosing rows and with ``voting="weighted"``.
    remove_selected : bool, default=True
        Whether the weight of a kept row becomes 0, as in `PSBoost`.
    class_quota : None, "proportional" or dict, default="proportional"
        How many rows of each class, as in `PSBoost`.
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
        n_neighbors: int = 5,
        remove_selected: bool = True,
        class_quota: Any = "proportional",
        voting: str = "nearest",
        all_rows: bool = False,
        graph: str = "exact",
        categorical_features: ArrayLike | None = "from_dtype",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_prototypes = n_prototypes
        self.n_neighbors = n_neighbors
        self.remove_selected = remove_selected
        self.class_quota = class_quota
        self.voting = voting
        self.all_rows = all_rows
        self.graph = graph
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Choose the rows that vote, and their weights.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            The rows; categorical columns and missing values are allowed.
        y : array-like, shape (n,)
            Their classes.

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
        self.sample_indices_, self.prototype_weights_ = self._voters(table, target)
        self._nearest = NearestKept.of(table, table.values[self.sample_indices_])
        self._kept_codes = target.codes[self.sample_indices_]
        return self

    def _voters(self, table: Table, target: Target) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the rows that vote, ascending, and the alpha of each."""
        names = PSBoost().get_params().keys() & self.get_params().keys()
        selector = PSBoost(**{name: getattr(self, name) for name in names})
        if self.all_rows:
            neighbors = selector._neighbors(table)
            return np.arange(table.n_rows), all_row_weights(neighbors, target, self.remove_selected)
        chosen = selector._chosen(type(self).__name__, table, target)
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
        n_voters = 1 if self.voting == "nearest" else self.n_neighbors
        voters = self._nearest.positions(self, X, n_voters, self.n_jobs)
        codes = self._kept_codes[voters]  # (n, voters), nearest first
        winners = codes[:, 0] if self.voting == "nearest" else self._vote_winners(voters, codes)
        labels: NDArray[Any] = self.classes_[winners]
        return labels

    def _vote_winners(self, voters: NDArray[np.int64], codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the class with the largest sum of alphas; of tied classes the one with the nearest row."""
        all_rows = np.arange(len(codes))
        sums = np.zeros((len(codes), len(self.classes_)))
        for p in range(codes.shape[1]):
            sums[all_rows, codes[:, p]] += self.prototype_weights_[voters[:, p]]
        tied = sums >= sums.max(axis=1, keepdims=True) - TIE
        votes_tie = np.take_along_axis(tied, codes, axis=1)
        nearest = codes[all_rows, votes_tie.argmax(axis=1)]
        winners: NDArray[np.int64] = np.where(votes_tie.any(axis=1), nearest, tied.argmax(axis=1))
        return winners

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags
