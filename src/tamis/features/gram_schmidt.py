"""The cosine criterion with orthogonal projection."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincc
from sklearn.base import _fit_context
from sklearn.utils._param_validation import StrOptions

from tamis._parameters import number
from tamis.features._base import FeatureSelector
from tamis.table.weights import counted_rows, scale_of, weighed_rows

Float = NDArray[np.float64]
_SPENT = 1e-8  # a vector shorter than this share of its first length has nothing left of its own
_TIE = 1e-9  # scores closer than this share of the length of y are the same


class GramSchmidt(FeatureSelector):
    """Rank columns by their cosine with the class, each with what the columns before it have explained taken away.

    The column with the largest ``x . y / |x|`` comes first. All other columns and the class are then projected on the
    space perpendicular to it, and the next is sought there. A column that repeats columns already chosen therefore
    comes late.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many columns to keep: a number, a fraction of them, or (None) what `stop` says.
    centered : bool, default=True
        Whether columns and class are centred first, so that the cosine is a correlation.
    signed : bool, default=False
        Whether only a positive cosine counts: right where large values are known to go with the second class. The
        paper's criterion is ``centered=False, signed=True``.
    stop : {"probe"} or None, default=None
        "probe" keeps the columns chosen before a column of noise would have been, at least one; None keeps half, copies
        and constants not counted.
    risk : float, default=0.05
        For "probe": the chance that is tolerated that a column of noise is chosen as early.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which columns are nominal: by dtype, none, or exactly these (mask, positions or names).

    Attributes
    ----------
    scores_ : ndarray, shape (d,)
        The plain score of each column, before any projection. The ranking comes from the search, and may disagree.
    ranking_ : ndarray of int, shape (d,)
        Order of choice; 1 is best, a permutation of 1..d, whatever is selected. Exact copies of columns before them
        come after all others, and constants last.
    support_ : ndarray of bool, shape (d,)
        Which columns are kept.
    n_features_ : int
        How many columns are kept.
    history_ : dict of arrays
        One entry a column chosen: ``feature``, its ``score`` at that step, and ``probe_risk``, the chance that a
        column of noise would have been chosen by then. It ends when nothing is left to explain: the remaining
        columns follow by their plain score.
    classes_ : ndarray
        The classes, sorted.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    The class is +1 or -1: the second of two against the first; of more classes each against the rest, the largest
    score counting. A nominal column is read as one 0-or-1 view a level, of which the best counts, and is projected
    away with all of them. A gap stands at the mean of its column, and "missing" is one more view of it. Of scores
    within 1e-9 of the length of y the lower column has the first. A row of weight 2 counts as the row given twice.

    The probe is a column of normal noise: in a space of v dimensions its squared cosine with any direction is a
    Beta(1/2, (v - 1)/2) variable, and v falls by one with every direction taken. Against a column with m views or
    classes to choose from, it is given m chances. The chances of the steps are multiplied as if they were independent,
    as the paper does, which overstates the risk. The law is exact for centred columns and two classes.

    n rows have room for n directions, so that at most n columns (n - 1 centred) are chosen by the search. The cost is
    O(n d) a choice.

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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FeatureSelector._parameter_constraints,
        "centered": ["boolean"],
        "signed": ["boolean"],
        "stop": [StrOptions({"probe"}), None],
        "risk": [number(0, 1, closed="both")],
    }

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        centered: bool = True,
        signed: bool = False,
        stop: str | None = None,
        risk: float = 0.05,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.centered = centered
        self.signed = signed
        self.stop = stop
        self.risk = risk
        self.categorical_features = categorical_features

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Rank the columns.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            The table; nominal columns and gaps are allowed.
        y : array-like, shape (n,)
            The classes, two or more.
        sample_weight : array-like, shape (n,), optional
            Weight of each row, not negative; rows of weight 0 are left out.

        Returns
        -------
        self
            The fitted selector.
        """
        table, target = self._table(X, y)
        self.classes_ = target.classes
        table, target, weights = weighed_rows(self, table, target, sample_weight)
        distinct = self._distinct(table)
        table = distinct.cut(table)
        scale = scale_of(sample_weight)
        sought = np.arange(target.n_classes)[int(target.n_classes == 2) :]
        vectors, owners = _views(table.values, table.nominal, weights)
        search = _Search(
            self._ready(vectors, weights),
            self._ready(np.where(target.codes == sought[:, None], 1.0, -1.0), weights),
            owners,
            self.signed,
            counted_rows(weights, scale) - self.centered,
        )
        plain = search.scores(table.n_columns, 0.0)
        order, chosen, risks = _choices(search, table.n_columns)
        rest = np.setdiff1d(np.arange(table.n_columns), order)
        rest = rest[np.argsort(-plain[rest], kind="stable")]
        kept = max(1, int((risks <= self.risk).sum())) if self.stop == "probe" else None
        history = {
            "feature": distinct.columns[order],
            "score": chosen * np.sqrt(scale),
            "probe_risk": risks,
        }
        order = distinct.columns[np.concatenate([order, rest])]
        scores = distinct.spread(plain * np.sqrt(scale))
        self._store(scores, order, distinct=distinct, n_kept=kept, history=history)
        return self

    def _ready(self, vectors: Float, weights: Float) -> Float:
        """Vectors whose plain products are the weighted ones, centred if so asked."""
        if self.centered:
            vectors = vectors - np.einsum("kn,n->k", vectors, weights)[:, None] / weights.sum()
        return vectors * np.sqrt(weights)


def _views(values: Float, nominal: NDArray[np.bool_], weights: Float) -> tuple[Float, NDArray[np.intp]]:
    """The views of the columns, scaled to at most 1, (m, n), and their columns; one-valued views are left out."""
    vectors, owners = [], []
    for k in range(values.shape[1]):
        column = values[:, k]
        gaps = np.isnan(column)
        known = column[~gaps]
        if nominal[k]:
            found = [(column == level).astype(np.float64) for level in np.unique(known)]
        else:
            scale = np.abs(known).max(initial=0.0)
            numbers = column / (scale if scale > 0 else 1.0)
            mean = np.average(numbers[~gaps], weights=weights[~gaps]) if len(known) else 0.0
            found = [np.where(gaps, mean, numbers)]
        found += [gaps.astype(np.float64)] if gaps.any() else []
        for view in found:
            if view.min() < view.max():
                vectors.append(view)
                owners.append(k)
    stacked = np.stack(vectors) if vectors else np.zeros((0, len(values)))
    return stacked, np.asarray(owners, dtype=np.intp)


class _Search:
    """Views (m, n) and targets (t, n) that lose, step by step, the directions of the columns chosen."""

    def __init__(
        self, vectors: Float, targets: Float, owners: NDArray[np.intp], signed: bool, dimension: float
    ) -> None:
        self.vectors, self.targets, self.owners = vectors, targets, owners
        self.signed, self.dimension = signed, dimension
        self.first, self.first_targets = _lengths(vectors), _lengths(targets)

    def scores(self, n_columns: int, nothing: float) -> Float:
        """Score of each column, the best of its views and targets; `nothing` where none of its own is left."""
        lengths = _lengths(self.vectors)
        alive = lengths > _SPENT * self.first
        products = np.stack([np.einsum("kn,n->k", self.vectors, target) for target in self.targets])
        best = (products if self.signed else np.abs(products)).max(axis=0)
        scores = np.full(n_columns, -np.inf)
        np.maximum.at(scores, self.owners[alive], best[alive] / lengths[alive])
        return np.where(scores == -np.inf, nothing, scores)

    def explained(self) -> bool:
        """Whether nothing is left of the targets."""
        return bool((_lengths(self.targets) <= _SPENT * self.first_targets).all())

    def chance(self, column: int, score: float) -> float:
        """The chance that a column of noise, with as many views as this one, has a larger score."""
        cosine = min(1.0, abs(score) / _lengths(self.targets).max())
        if self.dimension <= 1:
            return 1.0
        beyond = float(betaincc(0.5, (self.dimension - 1) / 2, cosine**2))
        if self.signed:
            beyond = beyond / 2 if score > 0 else 1 - beyond / 2
        tries = np.count_nonzero(self.owners == column) * len(self.targets)
        return float(1 - (1 - beyond) ** tries)

    def remove(self, column: int) -> None:
        """Project everything on the space perpendicular to the views of a column."""
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
    """The columns in the order of choice, their scores, and the chance that noise was chosen by each step."""
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
