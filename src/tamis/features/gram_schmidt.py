"""The cosine criterion with orthogonal projection."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincc
from sklearn.base import _fit_context
from sklearn.utils._param_validation import StrOptions

from tamis._parameters import number
from tamis.features._base import TARGET_KIND, FeatureSelector
from tamis.table._table import Numbers
from tamis.table.weights import counted_rows, scale_of, weighed_numbers, weighed_rows

Float = NDArray[np.float64]
_SPENT = 1e-8  # a vector shorter than this fraction of its first length counts as 0
_TIE = 1e-9  # scores that differ by less than this fraction of the length of y tie


class GramSchmidt(FeatureSelector):
    """Rank columns by their cosine with the target, after removing what the columns before them explain.

    The column with the largest ``x . y / |x|`` comes first. All other columns and the class are then projected onto the
    space orthogonal to it, and the next column is chosen there. A column that repeats chosen columns is therefore
    ranked low.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many columns to keep: a number, a fraction, or None to let `stop` decide.
    centered : bool, default=True
        Whether columns and class are centred first, so that the cosine is a correlation.
    signed : bool, default=False
        Whether only a positive cosine counts: for columns whose large values are known to indicate the second class.
        The criterion of the paper on ensemble feature ranking is ``centered=False, signed=True``.
    preset : {"paper"} or None, default=None
        "paper" is that criterion, in the place of `centered` and `signed`, which must have their defaults. It is made for two classes of
        about equal size: without centring, the means of columns and class outweigh what they share where classes are unequal or several.
    stop : {"probe"} or None, default=None
        "probe" keeps the columns chosen before a random column would be, at least one; None keeps half of those that
        are neither copies nor constants.
    risk : float, default=0.05
        For "probe": the accepted probability that a random column is chosen as early.
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
        The score of each column before any projection. The ranking comes from the search and may differ from the order
        of the scores.
    ranking_ : ndarray of int, shape (d,)
        Order of choice; 1 is best, a permutation of 1..d, whatever is selected. Exact copies of earlier columns
        come after all others, and constants last.
    support_ : ndarray of bool, shape (d,)
        Which columns are kept.
    n_features_ : int
        How many columns are kept.
    history_ : dict of arrays
        One entry per chosen column: ``feature``, its ``score`` at that step, and ``probe_risk``, the probability that a
        random column would have been chosen by then. It ends when nothing is left to explain; the remaining columns
        are ranked by their score before projection.
    classes_ : ndarray
        The classes, sorted; not set for a numeric target.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    A numeric target is taken as it is, scaled to variance 1. A class is +1 or -1: the second of two classes against the first. With more than two (multiclass) each is set
    against the rest, and the largest score counts. A categorical column has one view, 0 or 1, per category: the best
    view counts, and all of them are projected out. A missing value is replaced by the mean of its column, and "missing"
    is one more view. Of scores within 1e-9 of the length of y, the lower column comes first. A row of weight 2 counts
    as the same row given twice.

    The probe is a column of normal noise: in a space of v dimensions its squared cosine with any direction has a
    Beta(1/2, (v - 1)/2) distribution, and v falls by one with every direction projected out. A probe is given as many
    chances as the column that it is compared with has views and classes. The probabilities of the steps are multiplied
    as if they were independent, as in the paper, which overstates the risk. The distribution is exact for centred
    columns and two classes.

    n rows span at most n dimensions, so that the search chooses at most n columns (n - 1 if centred). The cost is
    O(n d) per choice.

    References
    ----------
    H. Stoppiglia, G. Dreyfus, R. Dubois and Y. Oussar, "Ranking a random feature for variable and feature selection",
    Journal of Machine Learning Research 3, 2003.

    Examples
    --------
    >>> from tamis import GramSchmidt
    >>> X = [[0, 0, 0], [0, 0, 1], [1, 1, 0], [0, 0, 0], [1, 1, 1], [1, 1, 1]]
    >>> y = [0, 0, 0, 1, 1, 1]
    >>> GramSchmidt().fit(X, y).ranking_
    array([1, 3, 2])
    """

    _score_name: ClassVar[str] = "score_alone"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FeatureSelector._parameter_constraints,
        "target_kind": TARGET_KIND,
        "centered": ["boolean"],
        "signed": ["boolean"],
        "preset": [StrOptions({"paper"}), None],
        "stop": [StrOptions({"probe"}), None],
        "risk": [number(0, 1, closed="both")],
    }

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        centered: bool = True,
        signed: bool = False,
        preset: str | None = None,
        stop: str | None = None,
        risk: float = 0.05,
        target_kind: str = "auto",
        fixed_features: ArrayLike | None = None,
        excluded_features: ArrayLike | None = None,
        feature_groups: ArrayLike | None = None,
        categorical_features: ArrayLike | None = "from_dtype",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.centered = centered
        self.signed = signed
        self.preset = preset
        self.stop = stop
        self.risk = risk
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
        X : array-like or frame, shape (n, d)
            The table; categorical columns and missing values are allowed.
        y : array-like, shape (n,)
            The classes, two or more, or numbers.
        sample_weight : array-like, shape (n,), optional
            Weight of each row, not negative; rows of weight 0 are left out.

        Returns
        -------
        self
            The fitted selector.
        """
        if self.preset is not None and (not self.centered or self.signed):
            raise ValueError(
                f"GramSchmidt: preset={self.preset!r} brings its own criterion, but centered={self.centered} and "
                f"signed={self.signed} were given too. Leave them out."
            )
        centered, signed = (self.centered, self.signed) if self.preset is None else (False, True)
        table, target = self._table_of_any(X, y)
        if isinstance(target, Numbers):
            table, target, weights = weighed_numbers(self, table, target, sample_weight)
            sought = _of_unit_variance(target.values, weights)[None]
        else:
            table, target, weights = weighed_rows(self, table, target, sample_weight)
            positive = np.arange(target.n_classes)[int(target.n_classes == 2) :]
            sought = np.where(target.codes == positive[:, None], 1.0, -1.0)
        distinct = self._distinct(table)
        table = distinct.cut(table)
        scale = scale_of(sample_weight)
        vectors, owners = _views(table.values, table.nominal, weights)
        search = _Search(
            _ready(vectors, weights, centered),
            _ready(sought, weights, centered),
            owners,
            signed,
            counted_rows(weights, scale) - centered,
        )
        plain = search.scores(table.n_columns, 0.0)
        order, chosen, risks = _choices(search, table.n_columns)
        rest = np.setdiff1d(np.arange(table.n_columns), order)
        rest = rest[np.argsort(-plain[rest], kind="stable")]
        n_kept = max(1, int((risks <= self.risk).sum())) if self.stop == "probe" else None
        history = {
            "feature": distinct.columns[order],
            "score": chosen * np.sqrt(scale),
            "probe_risk": risks,
        }
        order = distinct.columns[np.concatenate([order, rest])]
        scores = distinct.spread(plain * np.sqrt(scale))
        self._store(scores, order, distinct=distinct, n_kept=n_kept, history=history)
        return self


def _ready(vectors: Float, weights: Float, centered: bool) -> Float:
    """Return vectors whose dot products are the weighted ones, centred if `centered`."""
    if centered:
        vectors = vectors - np.einsum("kn,n->k", vectors, weights)[:, None] / weights.sum()
    return vectors * np.sqrt(weights)


def _of_unit_variance(numbers: Float, weights: Float) -> Float:
    """Return a numeric target of mean 0 and variance 1, so that scores mean what they mean for classes of equal size."""
    small = numbers / np.abs(numbers).max()  # whose squares are floats
    centred = small - np.average(small, weights=weights)
    scaled: Float = centred / np.sqrt(np.average(centred**2, weights=weights))
    return scaled


def _views(values: Float, nominal: NDArray[np.bool_], weights: Float) -> tuple[Float, NDArray[np.intp]]:
    """Return the views of the columns, scaled to at most 1, (m, n), and their columns; constant views are left out."""
    vectors, owners = [], []
    for k in range(values.shape[1]):
        column = values[:, k]
        missing = np.isnan(column)
        known = column[~missing]
        if nominal[k]:
            views = [(column == level).astype(np.float64) for level in np.unique(known)]
        else:
            scale = np.abs(known).max(initial=0.0)
            numbers = column / (scale if scale > 0 else 1.0)
            mean = np.average(numbers[~missing], weights=weights[~missing]) if len(known) else 0.0
            views = [np.where(missing, mean, numbers)]
        views += [missing.astype(np.float64)] if missing.any() else []
        for view in views:
            if view.min() < view.max():
                vectors.append(view)
                owners.append(k)
    stacked = np.stack(vectors) if vectors else np.zeros((0, len(values)))
    return stacked, np.asarray(owners, dtype=np.intp)


class _Search:
    """Views (m, n) and targets (t, n), from which the directions of the chosen columns are projected out."""

    def __init__(
        self, vectors: Float, targets: Float, owners: NDArray[np.intp], signed: bool, dimension: float
    ) -> None:
        self.vectors, self.targets, self.owners = vectors, targets, owners
        self.signed, self.dimension = signed, dimension
        self.first, self.first_targets = _lengths(vectors), _lengths(targets)

    def scores(self, n_columns: int, nothing: float) -> Float:
        """Return the score of each column, the best over views and targets; `nothing` where all its views are 0."""
        lengths = _lengths(self.vectors)
        alive = lengths > _SPENT * self.first
        products = np.stack([np.einsum("kn,n->k", self.vectors, target) for target in self.targets])
        best = (products if self.signed else np.abs(products)).max(axis=0)
        scores = np.full(n_columns, -np.inf)
        np.maximum.at(scores, self.owners[alive], best[alive] / lengths[alive])
        return np.where(scores == -np.inf, nothing, scores)

    def explained(self) -> bool:
        """Return whether the targets are 0: nothing is left to explain."""
        return bool((_lengths(self.targets) <= _SPENT * self.first_targets).all())

    def chance(self, column: int, score: float) -> float:
        """Return the probability that a random column, with as many views as this one, has a larger score."""
        cosine = min(1.0, abs(score) / _lengths(self.targets).max())
        if self.dimension <= 1:
            return 1.0
        beyond = float(betaincc(0.5, (self.dimension - 1) / 2, cosine**2))
        if self.signed:
            beyond = beyond / 2 if score > 0 else 1 - beyond / 2
        tries = np.count_nonzero(self.owners == column) * len(self.targets)
        return float(1 - (1 - beyond) ** tries)

    def remove(self, column: int) -> None:
        """Project everything onto the space orthogonal to the views of a column."""
        for view in np.flatnonzero(self.owners == column):
            left = _lengths(self.vectors[view : view + 1])[0]
            if left > _SPENT * self.first[view]:
                direction = self.vectors[view] / left
                for vectors in (self.vectors, self.targets):
                    vectors -= np.einsum("kn,n->k", vectors, direction)[:, None] * direction
                self.dimension -= 1


def _lengths(vectors: Float) -> Float:
    lengths: Float = np.sqrt(np.einsum("kn,kn->k", vectors, vectors))
    return lengths


def _choices(search: _Search, n_columns: int) -> tuple[NDArray[np.intp], Float, Float]:
    """Return the columns in the order of choice, their scores, and the risk of noise by each step."""
    order: list[int] = []
    chosen, risks = [], []
    unseen = 1.0
    while len(order) < n_columns and not search.explained():
        scores = search.scores(n_columns, -np.inf)
        scores[order] = -np.inf
        if scores.max() == -np.inf:
            break
        best = int(np.argmax(scores >= scores.max() - _TIE * search.first_targets.max()))
        unseen *= 1 - search.chance(best, scores[best])
        order.append(best)
        chosen.append(float(scores[best]))
        risks.append(1 - unseen)
        search.remove(best)
    return np.asarray(order, dtype=np.intp), np.asarray(chosen), np.asarray(risks)
