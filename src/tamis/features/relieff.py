"""ReliefF: how much a column differs between a row and its nearest rows of other classes, and of its own class."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from tamis._parameters import JOBS, SEED, n_wanted, whole
from tamis.features._base import TARGET_KIND, FeatureSelector
from tamis.features._counted_relief import Asked, between_0_and_1
from tamis.features._kernels.regression_relief import regression_sums
from tamis.features._kernels.relief import FINE, ONE, summed_differences
from tamis.neighbors import STEPS, MixedSpace, ScaledRows, nearest_rows
from tamis.table._table import Numbers, Table, Target
from tamis.table._target import codes_by_appearance
from tamis.table.weights import group_codes, number_weights, row_weights, weighed_numbers, weighed_rows


class ReliefF(FeatureSelector):
    """Rank columns by how much they differ between near rows of different classes, and how little within a class.

    For every row, its nearest rows of its own class (hits) and of each other class (misses) are found over all columns.
    The weight of a column grows by its mean difference to the misses, each class weighted by its share of the rows, and
    falls by its mean difference to the hits. This finds columns that separate the classes only together with others,
    which no score of a single column can do.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many columns to keep: a number, a fraction, or (None) half of those that are neither copies nor constants.
    n_neighbors : int, default=10
        How many hits, and how many misses of each other class; all of them where a class has fewer.
    metric : {"l1", "l2"}, default="l1"
        Which rows are near: by the sum of the columns' differences, or of their squares.
    n_samples : int, float or None, default=None
        For how many rows, drawn without replacement, neighbours are searched: a number, a fraction, or all rows
        (None). The neighbours themselves are always found among all rows.
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
    random_state : int, RandomState or None, default=None
        Seed of the draw of rows; has no effect without `n_samples`.
    n_jobs : int or None, default=None
        Threads of the neighbour search, as in joblib. The result does not depend on it.

    Attributes
    ----------
    scores_ : ndarray, shape (d,)
        The weights, between -1 and 1; about 0 for a column without information, 0 for a constant. Copies are left out
        of the search for neighbours; a copy has the weight of the column that it repeats.
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
    Let m be the number of rows x that are looked at (see `n_samples`), H(x) the hits of a row x of class a, M(x, c) its
    misses of class c, and P(c) the share of class c among all rows. The weight of a column is

        1/m  sum over x of  ( sum over c != a of P(c) / (1 - P(a)) mean diff(x, M(x, c))  -  mean diff(x, H(x)) ).

    The difference of two values, `diff`, is the difference of the numbers divided by the column's range, or 0 or 1 for
    categories; a known value differs from a missing one by 1, two missing values do not differ. The paper estimates the
    difference to a missing value from the frequencies in the classes; here "missing" is a value like any other. A row
    that is alone in its class (or among other groups) has no hits: only its misses count. Neighbours are exact, ties go to the lower row, and a
    row is never its own neighbour. Differences are counted in whole steps of 2**-30, so that their sums are exact and
    two columns that differ only in their units tie.

    For a numeric target this is RReliefF: with d_y and d_f the differences of the target and of column f, over the range, and
    sums over every row x and its `n_neighbors` nearest rows, all counted alike,

        sum d_y d_f / sum d_y  -  sum (1 - d_y) d_f / sum (1 - d_y).

    The cost is O(m n d) time. Neighbours are searched block by block; memory is the table, two copies of it and the
    neighbours in one class, O(n d + m k), never all pairs.

    References
    ----------
    I. Kononenko, "Estimating attributes: analysis and extensions of RELIEF", ECML 1994.
    M. Robnik-Šikonja and I. Kononenko, "Theoretical and empirical analysis of ReliefF and RReliefF", Machine
    Learning 53, 2003.

    Examples
    --------
    The first two columns separate the classes together, but neither does alone.

    >>> from tamis import ReliefF
    >>> X = [[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1], [0, 1, 0], [0, 1, 1], [1, 0, 0], [1, 0, 1]]
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> ReliefF(n_neighbors=1).fit(X, y).scores_
    array([ 0.5,  0.5, -1. ])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FeatureSelector._parameter_constraints,
        "target_kind": TARGET_KIND,
        "n_neighbors": [whole(1)],
        "metric": [StrOptions({"l1", "l2"})],
        "n_samples": [
            None,
            Interval(RealNotInt, 0, 1, closed="right"),
            whole(1),
        ],
        "random_state": SEED,
        "n_jobs": JOBS,
    }

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        n_neighbors: int = 10,
        metric: str = "l1",
        n_samples: int | float | None = None,
        target_kind: str = "auto",
        fixed_features: ArrayLike | None = None,
        excluded_features: ArrayLike | None = None,
        feature_groups: ArrayLike | None = None,
        categorical_features: ArrayLike | None = "from_dtype",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.n_samples = n_samples
        self.target_kind = target_kind
        self.fixed_features = fixed_features
        self.excluded_features = excluded_features
        self.feature_groups = feature_groups
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Compute the weights of the columns.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            The table; categorical columns and missing values are allowed.
        y : array-like, shape (n,)
            The classes, two or more, or numbers.
        sample_weight : array-like, shape (n,), optional
            What each row counts in the sum over rows and in the shares of the classes, not negative; not as a neighbour. Rows of
            weight 0 are left out.
        groups : array-like, shape (n,), optional
            Rows that belong together, such as measurements of one patient: they are never each other's neighbours.

        Returns
        -------
        self
            The fitted selector.
        """
        table, target = self._table_of_any(X, y)
        if sample_weight is not None or groups is not None:
            return self._fit_counted(table, target, sample_weight, groups)
        asking = self._asking(table.n_rows)
        distinct = self._distinct(table)
        table = distinct.cut(table)
        space = MixedSpace.fit(table.values, table.nominal, self.metric)
        rows = space.scaled(table.values)
        if isinstance(target, Numbers):
            weights = _regression_weights(rows, target.values, asking, self.n_neighbors, self.n_jobs)
        else:
            codes = codes_by_appearance(target.codes)
            weights = _weights(rows, codes, asking, self.n_neighbors, self.n_jobs)
        self._store(distinct.spread(weights), distinct=distinct)
        return self

    def _fit_counted(
        self,
        table: Table,
        target: Target | Numbers,
        sample_weight: ArrayLike | None,
        groups: ArrayLike | None,
    ) -> Self:
        """Do the work of `fit` for rows with weights or groups."""
        group = group_codes("ReliefF", table.n_rows, groups)
        if isinstance(target, Numbers):
            weights = number_weights(self, target, sample_weight)
            table, target, weights_left = weighed_numbers(self, table, target, sample_weight)
        else:
            weights = row_weights(self, target, sample_weight)
            table, target, weights_left = weighed_rows(self, table, target, sample_weight)
        group = group[weights > 0]
        asking = self._asking(table.n_rows)
        distinct = self._distinct(table)
        table = distinct.cut(table)
        rows = MixedSpace.fit(table.values, table.nominal, self.metric).scaled(table.values)
        ask = Asked(rows, asking, group, weights_left, self.n_neighbors, self.n_jobs)
        if isinstance(target, Numbers):
            found = ask.regression_weights(target.values)
        else:
            found = ask.class_weights(codes_by_appearance(target.codes))
        self._store(distinct.spread(found), distinct=distinct)
        return self

    def _asking(self, n_rows: int) -> NDArray[np.int64]:
        """Return the rows whose neighbours are searched, ascending."""
        wanted = self.n_samples
        if wanted is None:
            return np.arange(n_rows)
        n_asking = n_wanted(type(self).__name__, "n_samples", wanted, n_rows, "rows", ", or None for all")
        drawn: NDArray[np.int64] = check_random_state(self.random_state).permutation(n_rows)[:n_asking]
        return np.sort(drawn)


def _weights(
    rows: ScaledRows,
    codes: NDArray[np.int64],
    asking: NDArray[np.int64],
    n_neighbors: int,
    n_jobs: int | None,
) -> NDArray[np.float64]:
    """Return the weight of each column, from the sums of differences between the classes."""
    sizes = np.bincount(codes)
    queries = rows if len(asking) == len(rows) else rows.take(asking)
    scale = FINE / (STEPS**0.5 if rows.space.squared else STEPS)
    weights = np.zeros(rows.coordinates.shape[1])
    for code, size in enumerate(sizes):
        listed = _listed(rows, queries, np.flatnonzero(codes == code), n_neighbors, n_jobs)
        limits = np.minimum(n_neighbors, size - (np.arange(len(sizes)) == code))
        sums = summed_differences(rows.coordinates, listed, asking, codes, limits, scale)
        for other, total in enumerate(sums):
            share = -1.0 if other == code else size / (len(rows) - sizes[other])
            weights += total * (share / max(1, limits[other]))
    result: NDArray[np.float64] = weights / (FINE * len(asking))
    return result


def _regression_weights(
    rows: ScaledRows,
    target: NDArray[np.float64],
    asking: NDArray[np.int64],
    n_neighbors: int,
    n_jobs: int | None,
) -> NDArray[np.float64]:
    """Return the weight of each column for a numeric target."""
    steps = np.rint(between_0_and_1(target) * ONE).astype(np.int64)
    queries = rows if len(asking) == len(rows) else rows.take(asking)
    limit = min(n_neighbors, len(rows) - 1)
    listed = _listed(rows, queries, np.arange(len(rows)), n_neighbors, n_jobs)
    scale = ONE / (STEPS**0.5 if rows.space.squared else STEPS)
    of_target, of_columns, of_both = regression_sums(rows.coordinates, listed, asking, steps, limit, scale)
    pairs = len(asking) * limit
    apart = of_target / ONE  # N_dC; of_columns / ONE is N_dA, of_both / FINE is N_dC&dA
    differ = of_both / FINE / apart if apart > 0 else np.zeros(len(of_both))
    alike = (of_columns / ONE - of_both / FINE) / (pairs - apart) if pairs > apart else np.zeros(len(of_both))
    weights: NDArray[np.float64] = differ - alike
    return weights


def _listed(
    rows: ScaledRows,
    queries: ScaledRows,
    members: NDArray[np.intp],
    n_neighbors: int,
    n_jobs: int | None,
) -> NDArray[np.intp]:
    """Return the rows of a class nearest to each query, one more than needed: a query of that class finds itself."""
    n_listed = min(n_neighbors + 1, len(members))
    nearest, _ = nearest_rows(rows.space, rows.take(members), n_listed, queries, n_jobs=n_jobs)
    return members[nearest]
