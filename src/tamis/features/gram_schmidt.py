"""The cosine criterion with orthogonal projection."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context
from sklearn.utils._param_validation import StrOptions

from tamis._parameters import number
from tamis.features._base import TARGET_KIND, FeatureSelector
from tamis.features._double_doubles import scaled
from tamis.features._gram_products import Kinds, kinds_of, products, products_do, sums_of_products
from tamis.features._gram_search import ProductSearch, Search, VectorSearch, inner_products
from tamis.table._distinct import Distinct, prints
from tamis.table._table import Numbers, Table, Target
from tamis.table.parts.parted import in_parts
from tamis.table.weights import counted_rows, scale_of, weighed_numbers, weighed_rows

Float = NDArray[np.float64]
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
    O(n d) per choice, and O(n d^2) once where there are at least 16 rows for each view: then scalar products of all views are
    summed first, exactly, of values rounded to 2^-42 of half of a column's range, and the rows are not read again.

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
        X : array-like, frame, Dask array or frame, or path, shape (n, d)
            The table; categorical columns and missing values are allowed. A path names a folder of Parquet files, a pattern
            of files, or one file: its rows are read in parts, for the same answer as in memory.
        y : array-like, shape (n,)
            The classes, two or more, or numbers. With a path, the name of their column.
        sample_weight : array-like, shape (n,), optional
            Weight of each row, not negative; rows of weight 0 are left out. With a path, the name of their column.

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
        if in_parts(X):
            return self._fit_parts(X, y, sample_weight)
        table, target = self._table_of_any(X, y)
        if isinstance(target, Numbers):
            table, target, weights = weighed_numbers(self, table, target, sample_weight)
        else:
            table, target, weights = weighed_rows(self, table, target, sample_weight)
        distinct = self._distinct(table)
        table = distinct.cut(table)
        kinds, sought = kinds_of(table.values, table.nominal), _sought(target)
        if products_do(table.n_rows, len(sought), kinds):
            sums = sums_of_products(table.values, sought, _roots(weights), kinds)
            search = self._by_products(sums, kinds, sought, target, weights, scale_of(sample_weight))
        else:
            search = self._by_vectors(table, target, weights, scale_of(sample_weight))
        return self._found(search, distinct, scale_of(sample_weight))

    def _fit_parts(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Self:
        """Rank the columns of a table in parts: by scalar products, to which every part adds its own."""
        from tamis.features._part_rows import rows_of_parts, rows_of_weight

        rows = rows_of_parts(self, X, y, sample_weight)
        excluded = self._excluded(self.n_features_in_)
        alive, target, weights = rows_of_weight(self, rows)
        contents, blocks = list[bytes | None](), list[Kinds]()
        for columns, block in rows.blocks(alive):
            block.values[:, np.isin(columns, excluded)] = 0.0
            contents += prints(block)
            blocks.append(kinds_of(block.values, block.nominal))
        distinct, scale = Distinct.of_prints(contents), scale_of(rows.weights)
        kinds, sought = Kinds.joined(blocks).cut(distinct.columns), _sought(target)
        if products_do(len(alive), len(sought), kinds):
            along = [sought, _roots(weights)]
            found = rows.each(sums_of_products, alive, distinct.columns, along, kinds)
            sums = sum(one for one in found if len(one))
            search = self._by_products(sums, kinds, sought, target, weights, scale)
        else:
            search = self._by_vectors(distinct.cut(rows.some_rows(alive)), target, weights, scale)
        return self._found(search, distinct, scale)

    @property
    def _criterion(self) -> tuple[bool, bool]:
        """Whether all is centred, and whether only a positive cosine counts."""
        return (self.centered, self.signed) if self.preset is None else (False, True)

    def _by_products(
        self, sums: Any, kinds: Kinds, sought: Float, target: Target | Numbers, weights: Float, scale: float
    ) -> Search:
        centered, signed = self._criterion
        numeric = isinstance(target, Numbers)
        inner = scaled(products(sums), _unit(weights))
        views, owners = inner_products(inner, kinds, len(sought), numeric=numeric, centered=centered)
        return ProductSearch(views, len(sought), owners, signed, counted_rows(weights, scale) - centered)

    def _by_vectors(self, table: Table, target: Target | Numbers, weights: Float, scale: float) -> Search:
        centered, signed = self._criterion
        if isinstance(target, Numbers):
            sought = _of_unit_variance(target.values, weights)[None]
        else:
            sought = 2 * _sought(target) - 1
        vectors, owners = _views(table.values, table.nominal, weights)
        return VectorSearch(
            _ready(vectors, weights, centered),
            _ready(sought, weights, centered),
            owners,
            signed,
            counted_rows(weights, scale) - centered,
        )

    def _found(self, search: Search, distinct: Distinct, scale: float) -> Self:
        """Search, and set the fitted attributes."""
        n_columns = len(distinct.columns)
        plain = search.scores(n_columns, 0.0)
        order, chosen, risks = _choices(search, n_columns)
        rest = np.setdiff1d(np.arange(n_columns), order)
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


def _sought(target: Target | Numbers) -> Float:
    """The targets, (t, n): 1 for the rows of a class; or numbers, moved and scaled into [-1, 1]."""
    if isinstance(target, Numbers):
        small = target.values / np.abs(target.values).max()
        least, most = small.min(), small.max()
        moved: Float = (small - (least / 2 + most / 2)) / (most / 2 - least / 2)
        numbers: Float = moved[None]
        return numbers
    positive = np.arange(target.n_classes)[int(target.n_classes == 2) :]
    members: Float = (target.codes == positive[:, None]).astype(np.float64)
    return members


def _unit(weights: Float) -> int:
    """The power of two that leaves no weight above 1; weights are at most 2."""
    return int(weights.max() > 1)


def _roots(weights: Float) -> Float:
    """The square roots of the weights, at most 1."""
    roots: Float = np.sqrt(np.ldexp(weights, -_unit(weights)))
    return roots


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


def _choices(search: Search, n_columns: int) -> tuple[NDArray[np.intp], Float, Float]:
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
