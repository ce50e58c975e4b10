"""LinearWeights: columns by their weights in linear support vector machines, once, eliminated, or over many samples."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, RealNotInt

from tamis._parameters import SEED, number, whole
from tamis.features._base import FeatureSelector
from tamis.features.gram_schmidt import _views
from tamis.table._target import codes_by_appearance

Float = NDArray[np.float64]
Ints = NDArray[np.intp]
_N_STEPS = 10_000  # of the solver


class LinearWeights(FeatureSelector):
    """Rank columns by their weights in a linear support vector machine: SVM-RFE, or weights averaged over samples of rows.

    The model is scikit-learn's ``LinearSVC`` on columns of deviation 1. With `step` the columns of the smallest weights
    leave, and the model is fitted anew on those left, which is SVM-RFE (Guyon et al.); without, one model on all columns
    ranks them. With `n_bags` the weights are the mean over models of as many samples of the rows (Bi et al.).

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many columns to keep: a number, a fraction, or (None) half of those that are neither copies nor constants.
    step : int, float or None, default=1
        How many columns leave at a time: a number, or a fraction of those left, at least one. None: no elimination.
    n_bags : int or None, default=None
        How many samples of the rows, drawn with replacement, as many from each class as it has. None: all rows, once.
    C : float, default=1.0
        The cost of a row on the wrong side, as in ``LinearSVC``.
    fixed_features : array-like or None, default=None
        Columns (names or positions) that are always kept; they stand first.
    excluded_features : array-like or None, default=None
        Columns that take no part and are never kept; they stand last.
    feature_groups : sequence of array-likes or None, default=None
        Columns that are kept or left together, ranked by the best of them. A size is then reached as nearly as groups
        allow, never exceeded.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which columns are categorical: by dtype, none, or exactly these (mask, positions or names).
    random_state : int, RandomState or None, default=None
        Seed of the samples of rows; without `n_bags` nothing is random.

    Attributes
    ----------
    scores_ : ndarray, shape (d,)
        The columns' weights in the models of all columns, scaled to sum to 1. The ranking comes from the elimination, if
        there is one, and may differ from the order of the scores.
    ranking_ : ndarray of int, shape (d,)
        1 is best; a permutation of 1..d, whatever is selected. Exact copies of earlier columns come after all
        others, and constants last, whatever their scores.
    support_ : ndarray of bool, shape (d,)
        Which columns are kept.
    n_features_ : int
        How many columns are kept.
    classes_ : ndarray
        The classes, sorted.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    A categorical column is one yes-or-no view per category; a missing value is replaced by the mean of its column, and
    "missing" is one more view. With more than two classes (multiclass) there is one model per class, against the rest.
    The weight of a column is the length of the vector of all its weights; with two classes and one view it is ``|w|``, whose
    order is that of the squares of SVM-RFE. Weights of each model are scaled to sum to 1 before the mean over samples.

    The solver is the primal one, whose answer does not depend on random numbers, to a tolerance of 1e-8. The cost is that of
    one model per step and sample.

    References
    ----------
    I. Guyon, J. Weston, S. Barnhill and V. Vapnik, "Gene selection for cancer classification using support vector
    machines", Machine Learning 46, 2002. J. Bi et al., "Dimensionality reduction via sparse support vector machines",
    Journal of Machine Learning Research 3, 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import LinearWeights
    >>> X = np.random.default_rng(0).normal(size=(100, 6))
    >>> y = X[:, 2] + X[:, 4] > 0
    >>> LinearWeights(n_features_to_select=2).fit(X, y).get_support(indices=True)
    array([2, 4])
    """

    _score_name: ClassVar[str] = "score_at_start"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FeatureSelector._parameter_constraints,
        "step": [whole(1), Interval(RealNotInt, 0, 1, closed="neither"), None],
        "n_bags": [whole(1), None],
        "C": [number(0, None, closed="neither")],
        "random_state": SEED,
    }

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        step: int | float | None = 1,
        n_bags: int | None = None,
        C: float = 1.0,
        fixed_features: ArrayLike | None = None,
        excluded_features: ArrayLike | None = None,
        feature_groups: ArrayLike | None = None,
        categorical_features: ArrayLike | None = "from_dtype",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.step = step
        self.n_bags = n_bags
        self.C = C
        self.fixed_features = fixed_features
        self.excluded_features = excluded_features
        self.feature_groups = feature_groups
        self.categorical_features = categorical_features
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Rank the columns.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            The table; categorical columns and missing values are allowed.
        y : array-like, shape (n,)
            The classes, two or more.

        Returns
        -------
        self
            The fitted selector.
        """
        table, target = self._table(X, y)
        self.classes_ = target.classes
        codes = codes_by_appearance(target.codes)
        distinct = self._distinct(table)
        table = distinct.cut(table)
        vectors, owners = _views(table.values, table.nominal, np.ones(table.n_rows))
        vectors = vectors - vectors.mean(axis=1, keepdims=True)
        vectors /= np.sqrt(np.square(vectors).mean(axis=1, keepdims=True))
        samples = self._samples(codes)
        left = np.arange(table.n_columns)
        scores = weights = self._weights(vectors, owners, left, table.n_columns, codes, samples)
        gone: list[Ints] = []
        while self.step is not None and len(left) > 1:
            if gone:
                weights = self._weights(vectors, owners, left, table.n_columns, codes, samples)
            n_out = self.step if isinstance(self.step, int | np.integer) else int(self.step * len(left))
            by_weight = left[
                np.lexsort((-left, weights[left]))
            ]  # of equal weights the last column leaves first
            out = by_weight[: min(max(1, n_out), len(left) - 1)]
            gone.append(out[::-1])
            left = np.setdiff1d(left, out)
        best = left[np.argsort(-scores[left], kind="stable")]
        order = distinct.columns[np.concatenate([best, *reversed(gone)])]
        self._store(distinct.spread(scores), order, distinct=distinct)
        return self

    def _samples(self, codes: NDArray[np.int64]) -> list[Ints]:
        """Return the rows of each sample, ascending."""
        if self.n_bags is None:
            return [np.arange(len(codes))]
        random = check_random_state(self.random_state)
        groups = [np.flatnonzero(codes == code) for code in range(codes.max() + 1)]
        return [
            np.sort(np.concatenate([rows[random.randint(len(rows), size=len(rows))] for rows in groups]))
            for _ in range(self.n_bags)
        ]

    def _weights(
        self,
        vectors: Float,
        owners: Ints,
        left: Ints,
        n_columns: int,
        codes: NDArray[np.int64],
        samples: list[Ints],
    ) -> Float:
        """Return the weight of each column that is left, the mean over the samples; 0 for the others."""
        used = np.isin(owners, left)
        total = np.zeros(n_columns)
        if not used.any():
            return total
        for rows in samples:
            model = LinearSVC(C=self.C, dual=False, tol=1e-8, max_iter=_N_STEPS)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                model.fit(np.ascontiguousarray(vectors[used][:, rows].T), codes[rows])
            squares = np.bincount(
                owners[used], weights=np.square(model.coef_).sum(axis=0), minlength=n_columns
            )
            lengths = np.sqrt(squares)
            total += lengths / (lengths.sum() or 1.0) / len(samples)
        return total
