"""Columns that say something of the classes or numbers only together: every pair is looked at."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context

from tamis._parameters import JOBS, whole
from tamis._threads import threads
from tamis.features._base import TARGET_KIND, FeatureSelector
from tamis.pairs.search import Evidence, searched
from tamis.pairs.views import column_views
from tamis.table._distinct import Distinct
from tamis.table._ranks import mid_ranks
from tamis.table._table import Numbers, Target
from tamis.table._target import codes_by_appearance
from tamis.table.parts.parted import in_parts
from tamis.table.weights import (
    counted_rows,
    scale_of,
    scaled_weights,
    unit_of,
    weighed_numbers,
    weighed_rows,
    whole_weights,
)

Float = NDArray[np.float64]


class PairScan(FeatureSelector):
    """Rank columns by what each says of the classes alone, or together with another column.

    Every column is tested alone and every pair of columns together, for what the two say beyond what each says alone. The
    score of a column is its best evidence: the logarithm of its smallest p value, corrected for all tests that were made.
    Two columns of which neither says anything alone, such as the two halves of an exclusive or, come first among thousands.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many columns to keep: a number, a fraction of them, or half of them, copies and constants not counted (None).
    n_partners : int, default=4
        How many pairs of each column, the best by a quick scan of all pairs, are tested.
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
        Which columns are nominal: by dtype, none, or exactly these (mask, positions or names).
    n_jobs : int or None, default=None
        Threads; -1 for all processors. The result does not depend on it.

    Attributes
    ----------
    scores_ : ndarray, shape (d,)
        ``-log10`` of the corrected p value of a column's best evidence. Above 1.3 stand columns of p < 0.05: in one of
        twenty tables of pure noise, at most, a column has such a score. Below 0 it is no more than what chance gives.
    p_values_ : ndarray, shape (d,)
        The corrected p values, at most 1.
    partners_ : ndarray of int, shape (d,)
        The column with which a column has its best evidence; -1 where that is its own alone.
    pairs_ : dict of arrays
        The tested pairs, the best first. ``first`` and ``second``: the columns, the lower first; ``score`` and
        ``p_value``: as above, of what they say together beyond what each says alone.
    ranking_ : ndarray of int, shape (d,)
        1 is best; a permutation of 1..d, whatever is selected. Exact copies of columns before them come after all
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
    A numeric column is seen by its ranks and by their squares (near the middle or at the ends), a nominal column by its
    seven most frequent values and all others together; that a value is missing is one more view, or one more value. All are
    kept as whole numbers from -63 to 63. The scan adds up the products of all views of all columns, class by class, which is
    exact, and adds up over parts of the rows. Each of the four products of two numeric columns is a test of its own;
    those of two nominal columns are one test of all cells.

    A product can follow the classes only because one of its columns does. So the best pairs of each column are tested
    against all that the two columns say one by one (up to the fourth power of ranks, all values), by a score test with
    the variance of the rows that carry it; evidence that rests on a few rows is reduced by Bennett's inequality. p values
    are corrected as if all pairs had been tested (Bonferroni): half of the error rate for columns alone, half for pairs.

    A numeric target is cut into quarters of the rows, which are the classes: only its order matters, and what two columns say within a
    quarter is missed.

    What two columns say only with a third is missed. A row of weight 2 counts as the row given twice: evidence grows with
    the sum of the weights. Weights that add up to less than the number of rows are scaled up to it.

    The cost is O(n d^2) sums of products, in blocks of some hundred columns, and O(n d) for the tests; memory is one
    byte a view and value, never all pairs. With more than 8,192 views (about 2,000 numeric columns) all pairs are first looked at by
    ranks, squares and missing values only, and the best 16 partners of each column by all views.

    References
    ----------
    J. N. K. Rao and A. J. Scott, "The analysis of categorical data from complex sample surveys", Journal of the American
    Statistical Association 76, 1981 (the variance). G. Bennett, "Probability inequalities for the sum of independent
    random variables", Journal of the American Statistical Association 57, 1962. For pairs of genes a search of all pairs
    is old: J. H. Moore et al., "A flexible computational framework for detecting, characterizing, and interpreting
    statistical patterns of epistasis", Journal of Theoretical Biology 241, 2006.

    Examples
    --------
    The classes are an exclusive or of the columns 1 and 3.

    >>> import numpy as np
    >>> from tamis import PairScan
    >>> X = np.random.default_rng(0).random((200, 50))
    >>> y = (X[:, 1] > 0.5) != (X[:, 3] > 0.5)
    >>> scan = PairScan(n_features_to_select=2).fit(X, y)
    >>> scan.get_support(indices=True)
    array([1, 3])
    >>> scan.partners_[[1, 3]]
    array([3, 1])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FeatureSelector._parameter_constraints,
        "n_partners": [whole(1)],
        "target_kind": TARGET_KIND,
        "n_jobs": JOBS,
    }

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        n_partners: int = 4,
        target_kind: str = "auto",
        fixed_features: ArrayLike | None = None,
        excluded_features: ArrayLike | None = None,
        feature_groups: ArrayLike | None = None,
        categorical_features: ArrayLike | None = "from_dtype",
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_partners = n_partners
        self.target_kind = target_kind
        self.fixed_features = fixed_features
        self.excluded_features = excluded_features
        self.feature_groups = feature_groups
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Score the columns.

        Parameters
        ----------
        X : array-like, frame, Dask array or frame, or path, shape (n, d)
            The table; categorical columns and missing values are allowed. A path names a folder of Parquet files, a pattern
            of files, or one file: its rows are read in parts, and a column of more than 255 distinct values is cut into
            255 bins.
        y : array-like, shape (n,)
            The classes, two or more, or numbers. With a path, the name of their column.
        sample_weight : array-like, shape (n,), optional
            How many rows each row counts as, not negative. With a path, the name of their column.

        Returns
        -------
        self
            The fitted selector.
        """
        if in_parts(X):
            return self._fit_parts(X, y, sample_weight)
        table, target = self._table_of_any(X, y)
        if isinstance(target, Numbers):
            table, target, weights = weighed_numbers(self, table, target, sample_weight)
        else:
            table, target, weights = weighed_rows(self, table, target, sample_weight)
        distinct = self._distinct(table)
        table = distinct.cut(table)
        counted = counted_rows(weights, scale_of(sample_weight))
        self._search(
            lambda columns, order: table.values[:, columns][order],
            table.nominal, target, weights, counted, distinct,
        )  # fmt: skip
        return self

    def _fit_parts(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Self:
        """Score the columns of a table in parts."""
        from tamis.features._coded_parts import coded_rows
        from tamis.table.parts.opened import opened_parts

        rows = coded_rows(self, opened_parts(self, X, y, sample_weight, self.n_jobs))
        if rows.classes is not None:
            self.classes_ = rows.classes
        elif hasattr(self, "classes_"):
            del self.classes_
        distinct = rows.distinct(self._excluded(len(rows.codes)))
        given = np.ones(rows.codes.shape[1]) if rows.weights is None else rows.weights
        weights = scaled_weights(given)
        counted = counted_rows(weights, math.ldexp(1.0, rows.unit + unit_of(float(given.max()))))
        self._search(
            lambda columns, order: rows.block(distinct.columns[columns], order),
            rows.bins.nominal[distinct.columns], rows.target, weights, counted, distinct,
        )  # fmt: skip
        return self

    def _search(
        self,
        block_of: Callable[[NDArray[np.intp], NDArray[np.intp]], Float],
        nominal: NDArray[np.bool_],
        target: Target | Numbers,
        weights: Float,
        counted: float,
        distinct: Distinct,
    ) -> None:
        """Look at all pairs of the distinct columns; `block_of` gives the values of some columns, the rows in some order."""
        codes = quarters(target, weights) if isinstance(target, Numbers) else target.codes
        codes = codes_by_appearance(codes)
        order = np.argsort(codes, kind="stable")  # the rows of each class side by side
        codes, weights = codes[order], weights[order]
        views = column_views(lambda columns: block_of(columns, order), nominal, weights)
        n_partners = max(1, min(self.n_partners, len(nominal) - 1))
        counted = max(counted, float(len(weights)))
        self._tell(searched(views, codes, weights, counted, n_partners, threads(self.n_jobs)), distinct)

    def _tell(self, found: Evidence, distinct: Distinct) -> None:
        """Set what is known of the columns and pairs."""
        alone, pairs, together = -found.alone / math.log(10), found.pairs, -found.together / math.log(10)
        best, partner = alone.copy(), np.full(len(alone), -1)
        order = np.lexsort((pairs[:, 1], pairs[:, 0], -together))
        for k in order[::-1]:  # the best last, which stays
            for column, other in (pairs[k], pairs[k][::-1]):
                if together[k] > alone[column]:
                    best[column], partner[column] = together[k], other
        scores = distinct.spread(best)
        scores[distinct.constants] = min(0.0, best.min())
        self.partners_ = np.full(len(distinct.first), -1)
        self.partners_[distinct.columns] = np.where(partner < 0, -1, distinct.columns[partner])
        self.partners_[distinct.copies] = self.partners_[distinct.first[distinct.copies]]
        self.p_values_ = np.minimum(1.0, 10.0**-scores)
        self.pairs_ = {
            "first": distinct.columns[pairs[order, 0]],
            "second": distinct.columns[pairs[order, 1]],
            "score": together[order],
            "p_value": np.minimum(1.0, 10.0 ** -together[order]),
        }
        self._store(scores, distinct=distinct)


def quarters(target: Numbers, weights: Float) -> NDArray[np.int64]:
    """The quarter of the rows, by weight, in which each number lies, from 0; equal numbers are never parted."""
    whole = whole_weights(len(weights), weights).astype(np.float64)
    shares = mid_ranks(target.values[:, None], whole)[:, 0] / whole.sum()
    found: NDArray[np.int64] = (4 * shares).astype(np.int64)
    return found
