"""Which columns are chosen again and again on halves of the rows: stability selection by complementary pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context, clone
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, StrOptions

from tamis._callbacks import CallbackSupportMixin
from tamis._memory import not_remembering
from tamis._parameters import JOBS, SEED, capped, number, whole
from tamis._progress import Progress
from tamis._shared import Shared
from tamis._threads import one_blas_thread
from tamis.decoys.stability import false_bound, halves, least_share, plan
from tamis.features._base import TARGET_KIND, FeatureSelector
from tamis.features._judges import is_ours, ready_judge, told_scores
from tamis.table._table import Numbers, Table

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

Float = NDArray[np.float64]
Ints = NDArray[np.intp]
_STRATA = 10  # of a numeric target


class StabilitySelection(CallbackSupportMixin, FeatureSelector):
    """Keep the columns that a selector chooses again and again on halves of the rows.

    The rows are cut into two halves, many times. On each half a selector ranks the columns, and its first q are chosen. A column is kept
    that is chosen on a large share of the halves; q is such that no more than `expected_false` columns are expected to be kept by
    chance. Nothing is assumed of how the columns relate to each other.

    Parameters
    ----------
    selector : estimator or None, default=None
        What ranks columns: any column selector of this library, or a model with ``feature_importances_`` or ``coef_``, which
        sees codes for nominal values. None: SBSMF with small steps (``learning_rate=0.3, n_rounds=300``).
    expected_false : float, default=1.0
        The largest expected number of falsely kept columns.
    threshold : float, default=0.75
        The share of the halves on which a kept column is chosen; above 0.5.
    n_pairs : int, default=50
        How often the rows are cut into two halves.
    bound : {"unimodal", "worst_case"}, default="unimodal"
        What bounds the expected number: see Notes.
    n_features_to_select : int, float or None, default=None
        None: the columns that reach the threshold, perhaps none. A number or a fraction keeps so many, whatever the bound.
    target_kind : {"auto", "classes", "numbers"}, default="auto"
        What y holds. "auto": numbers if it holds floats with fractions or more than 20 different floats, else classes.
    fixed_features : array-like or None, default=None
        Columns (names or positions) that are always kept; they stand first.
    excluded_features : array-like or None, default=None
        Columns that take no part and are never kept; they stand last.
    feature_groups : sequence of array-likes or None, default=None
        Columns that are kept or left together, ranked by the best of them. A size is then reached as nearly as groups
        allow, never exceeded.
    random_state : int, RandomState or None, default=None
        Draws the halves and the order of the columns, and seeds a selector that draws.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which columns are categorical: by dtype, none, or exactly these (mask, positions or names).
    n_jobs : int or None, default=None
        Pairs of halves worked on at once. The result does not depend on it.
    verbose : int, default=0
        Above 0, progress is shown on stderr: a bar in terminals and notebooks, lines elsewhere.

    Attributes
    ----------
    support_ : ndarray of bool, shape (d,)
        Which columns are kept.
    scores_ : ndarray, shape (d,)
        The share of the halves on which the column is chosen. A copy has that of the column it repeats, a constant 0.
    ranking_ : ndarray of int, shape (d,)
        1 is best; a permutation of 1..d. Of equal shares the lower column comes first; copies come after all others, then constants.
    n_features_ : int
        How many columns are kept.
    n_chosen_ : int
        How many columns are chosen on each half: q.
    threshold_ : float
        The share that a kept column has. Above `threshold` where even one column on each half is too many for the bound; infinite
        where no share is enough, and nothing is kept.
    expected_false_ : float
        The bound on the expected number of falsely kept columns, at most `expected_false`; infinite where nothing is kept for want of it.
    classes_ : ndarray
        The classes, sorted; not set for a numeric target.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    A column counts as false if the selector would choose it on half of the rows with a chance of q / p at most, p being the number of
    columns that are neither constant nor copies: a column no better for this selector than a random one. So a column
    that only repeats what a relevant one says is not false here, as it would be for `Decoys`. Without an assumption the expected number is
    at most ``q^2 / ((2 threshold - 1) p)`` ("worst_case": Meinshausen and Buehlmann; for pairs of halves without their exchangeability Shah
    and Samworth). "unimodal" is Shah and Samworth's second theorem, which assumes that the share of the pairs in which a false column is
    chosen on both halves has one peak; it is about half as large. Their third bound, for r-concave laws, is not there.

    Each half has half of the rows of every class, or of every tenth of the numbers. Columns come in a random order on each half, so that ties
    fall by chance. On a half on which only one class is left nothing is chosen.

    The cost is 2 `n_pairs` fits of the selector on half of the rows.

    References
    ----------
    N. Meinshausen and P. Buehlmann, "Stability selection", Journal of the Royal Statistical Society B 72, 2010. R. D. Shah and R. J.
    Samworth, "Variable selection with error control: another look at stability selection", same journal 75, 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import StabilitySelection, UnivariateAUC
    >>> X = np.random.default_rng(0).normal(size=(200, 20))
    >>> y = X[:, 2] + X[:, 4] > 0
    >>> stable = StabilitySelection(UnivariateAUC(), random_state=0).fit(X, y)
    >>> stable.get_support(indices=True)
    array([2, 4])
    >>> stable.n_chosen_
    4
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FeatureSelector._parameter_constraints,
        "selector": [HasMethods(["fit"]), None],
        "expected_false": [number(0, None, closed="neither")],
        "threshold": [number(0.5, 1, closed="right")],
        "n_pairs": [whole(1)],
        "bound": [StrOptions({"unimodal", "worst_case"})],
        "target_kind": TARGET_KIND,
        "random_state": SEED,
        "n_jobs": JOBS,
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        selector: BaseEstimator | None = None,
        *,
        expected_false: float = 1.0,
        threshold: float = 0.75,
        n_pairs: int = 50,
        bound: str = "unimodal",
        n_features_to_select: int | float | None = None,
        target_kind: str = "auto",
        fixed_features: ArrayLike | None = None,
        excluded_features: ArrayLike | None = None,
        feature_groups: ArrayLike | None = None,
        random_state: int | np.random.RandomState | None = None,
        categorical_features: ArrayLike | None = "from_dtype",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.selector = selector
        self.expected_false = expected_false
        self.threshold = threshold
        self.n_pairs = n_pairs
        self.bound = bound
        self.n_features_to_select = n_features_to_select
        self.target_kind = target_kind
        self.fixed_features = fixed_features
        self.excluded_features = excluded_features
        self.feature_groups = feature_groups
        self.random_state = random_state
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Choose columns on many halves of the rows, and keep those chosen often.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            The table; categorical columns and missing values are allowed.
        y : array-like, shape (n,)
            The classes, two or more, or numbers.

        Returns
        -------
        self
            The fitted selector.
        """
        table, target = self._table_of_any(X, y)
        judge = ready_judge("StabilitySelection", self.selector, target)
        distinct = self._distinct(table)
        n_columns = len(distinct.columns)
        seeds = check_random_state(self.random_state).randint(np.iinfo(np.int32).max, size=self.n_pairs)
        self.n_chosen_, self.threshold_, self.expected_false_ = 0, np.inf, np.inf
        shares = np.zeros(n_columns)
        if n_columns:
            self.n_chosen_, _ = plan(n_columns, self.threshold, self.n_pairs, self.expected_false, self.bound)
            numeric = isinstance(target, Numbers)
            labels = target.values if isinstance(target, Numbers) else target.classes[target.codes]
            strata = _tenths(labels) if numeric else _as_they_come(labels)
            shared = Shared((distinct.cut(table), labels, strata))
            work = (delayed(pair_counts)(judge, shared, self.n_chosen_, int(seed)) for seed in seeds)
            counts: list[Ints] = []
            with one_blas_thread(), Progress(self, "pairs", self.n_pairs) as progress:
                parallel = Parallel(n_jobs=capped(self.n_jobs), prefer="threads", return_as="generator")
                for one in parallel(work):
                    counts.append(one)
                    progress()
            shares = np.sum(counts, axis=0) / (2 * len(counts))
            n_pairs = len(counts)  # fewer than asked for where the fit was interrupted
            self.threshold_ = least_share(
                self.n_chosen_, n_columns, self.threshold, n_pairs, self.expected_false, self.bound
            )
            if np.isfinite(self.threshold_):
                self.expected_false_ = false_bound(
                    self.n_chosen_, n_columns, self.threshold_, n_pairs, self.bound
                )
        n_kept = int((shares >= self.threshold_ - 1e-12).sum())
        order = distinct.columns[np.argsort(-shares, kind="stable")]
        self._store(distinct.spread(shares), order, distinct=distinct, n_kept=n_kept)
        return self


def pair_counts(
    judge: Any, shared: Shared[tuple[Table, NDArray[Any], Ints]], n_chosen: int, seed: int
) -> Ints:
    """On how many of two halves each column is among the first `n_chosen`; shape (d,)."""
    table, labels, strata = shared.data
    random = np.random.RandomState(seed)
    counts = np.zeros(table.n_columns, dtype=np.intp)
    for rows in halves(strata, random):
        order = random.permutation(table.n_columns)
        seed_of_judge = int(random.randint(np.iinfo(np.int32).max))
        if len(np.unique(labels[rows])) < 2:
            continue
        one = clone(judge)
        if is_ours(one):
            one.set_params(categorical_features=table.nominal[order])
        if "random_state" in one.get_params(deep=False):
            one.set_params(random_state=seed_of_judge)
        with not_remembering():
            one.fit(np.ascontiguousarray(table.values[np.ix_(rows, order)]), labels[rows])
        told = -one.ranking_ if is_ours(one) else told_scores("StabilitySelection", one, len(order))
        counts[order[np.argsort(-told, kind="stable")[:n_chosen]]] += 1
    return counts


def _tenths(numbers: Float) -> Ints:
    """The tenth of the rows in which each number lies, ascending; equal numbers may lie in two."""
    tenths: Ints = np.argsort(np.argsort(numbers, kind="stable")) * _STRATA // len(numbers)
    return tenths


def _as_they_come(labels: NDArray[Any]) -> Ints:
    """The classes numbered by the first row of each, so that their names do not matter."""
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    numbers: Ints = np.argsort(np.argsort(first))[codes]
    return numbers
