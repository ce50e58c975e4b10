"""The answer in one call: several rankers fused, the head searched, the size chosen by resampling, and a reason a column."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context, clone
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods
from sklearn.utils.validation import has_fit_parameter

from tamis._callbacks import CallbackSupportMixin, unheard
from tamis._parameters import JOBS, SEED, number, whole
from tamis._progress import Progress
from tamis.features._base import TARGET_KIND, FeatureSelector
from tamis.features._column_units import Units, column_units
from tamis.features._search import columns_of
from tamis.features._sieve_fusion import Fusion, default_members, fusion, ranks_of
from tamis.features._sieve_part import Part, Rows, every_row, few_rows, of_rows
from tamis.features._sieve_rate import check_rate, kept_first
from tamis.features._sieve_reasons import column_reasons
from tamis.features._sieve_size import (
    LEAST_FOLDS,
    Fold,
    Folds,
    few_sizes,
    folds,
    judge_of,
    judged,
    resampled,
)
from tamis.table._encode import column_names
from tamis.table._table import Numbers, Table, Target
from tamis.table.weights import any_weights, group_codes

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


Ints = NDArray[np.intp]
_REASON_ROWS = 2000
_RESTS = "the ranking is whole, the size is by the folds that are done (half of the columns where they are fewer than two)"


class Sieve(CallbackSupportMixin, FeatureSelector):
    """Say which columns to keep, how many, how sure that is, and why.

    Several rankers of different kinds order the columns; their ranks are fused, first places counting most; and the head of
    that order is searched for the few columns that serve neighbours, a linear rule and trees best together. How many to keep is
    chosen by resampling: the fewest that do as well as any number, as far as the folds can tell.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many columns to keep: a number, a fraction of them, or as many as resampling says (None).
    fdr : float or None, default=None
        Keep instead the columns that beat decoys of themselves, so that at most this share of the kept is expected to be there by
        chance: perhaps none. `Decoys` says how, and where it is promised. Nothing is resampled then.
    members : list of (str, estimator) or None, default=None
        The rankers: selectors of columns with a ranking, or models with ``feature_importances_`` or ``coef_``, which see
        codes for nominal values. None: SBSMF, SBSMF with small steps, BDSFS, Simba, GramSchmidt and PairScan; for a
        numeric target SBSMF, SBSMF on ranks, BDSFS, GramSchmidt and PairScan.
    search : bool, default=True
        Whether the head of the fused order is searched.
    estimator : estimator or None, default=None
        The model that judges a size; it is given the columns as they came. None: a small forest on the encoded table.
    scoring : str, callable or None, default=None
        As in scikit-learn; None is the estimator's own score, and without an estimator the accuracy averaged over the
        classes, or r2 of numbers.
    cv : int, splitter or iterable, default=5
        The folds. A number: as many shuffled ones, stratified by class, or by tenths of the numbers; drawn twice on
        small tables.
    target_kind : {"auto", "classes", "numbers"}, default="auto"
        What y holds. "auto": numbers if it holds floats with fractions or more than 20 different floats, else classes.
    fixed_features : array-like or None, default=None
        Columns (names or positions) that are kept whatever is found; they stand first.
    excluded_features : array-like or None, default=None
        Columns that take no part and are never kept; they stand last.
    feature_groups : sequence of array-likes or None, default=None
        Columns that come and go together, ranked by the best of them. A size is then reached as nearly as groups allow,
        never exceeded.
    explain : bool, default=True
        Whether `reasons_` are sought.
    max_rows : int or None, default=2000
        Rank, resample and explain on so many rows at most, drawn by class. None: on all rows.
    random_state : int, RandomState or None, default=None
        Seeds the members that draw, and decides the folds and which rows are drawn.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which columns are nominal: by dtype, none, or exactly these (mask, positions or names).
    n_jobs : int or None, default=None
        Folds, or members, worked on at once; folds of some seconds only. The result does not depend on it.
    verbose : int, default=0
        Above 0, progress is shown on stderr: a bar in terminals and notebooks, lines elsewhere.

    Attributes
    ----------
    ranking_ : ndarray of int, shape (d,)
        1 is best, a permutation of 1..d, whatever is selected. Exact copies of columns before them come after all others,
        then constants, then excluded columns.
    scores_ : ndarray, shape (d,)
        The mean over the members of 1 / (10 + rank), and what the search adds to it; falling with the rank, but for fixed
        and grouped columns. 0 for copies, constants and excluded columns.
    support_ : ndarray of bool, shape (d,)
        Which columns are kept.
    n_features_ : int
        How many columns are kept.
    member_names_ : list of str
        The rankers.
    member_ranks_ : ndarray of int, shape (m, d)
        The rank that each gives to each column.
    agreement_ : ndarray, shape (d,)
        The share of the members that have the column among their first `n_features_`.
    reasons_ : list of str, length d
        Why each column stands where it stands: "alone: AUC .81" (of numbers "alone: concordance .81"), "only with income", "with many others only", "says what age says (rank correlation
        .97)", "the same as age", "constant" (both "in the rows looked at" where these are not all), "excluded", "chance". With `fdr` also
        "no better than its decoy", alone or after another reason, and "beats its decoy". Absent without `explain`, and where Ctrl-C came before.
    cv_results_ : dict of arrays
        The score of every size in every fold, as in `SelectorCV`; ``behind_best`` and ``behind_best_error``, by how much a
        size is behind the best, and the standard error of that; ``mean_brier_score``, by which that is judged without an
        `estimator` and `scoring`. This and what follows: only where resampling chose the size.
    fold_scores_ : ndarray, shape (folds,)
        The score of each fold at the size that the other folds (of its repetition) choose: an estimate of what the choice is
        worth that is not picked from many.
    kept_share_ : ndarray, shape (d,)
        The share of the folds that have the column among their first `n_features_`.
    q_values_, verdicts_, decoys_
        With `fdr`: the smallest rate at which each column would be kept; "kept", "undecided", "chance" or "excluded"; the fitted
        `Decoys`. Kept columns come first in `ranking_`, otherwise in the order of the members.
    classes_ : ndarray
        The classes, sorted; not set for a numeric target.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    Reciprocal rank fusion is Cormack's, for search engines; the members, the search and their number were chosen on one
    half of the tables of ``benchmarks/columns.py`` and confirmed on the other (docs/choose.md has the figures, and where
    it loses). The search takes 12 columns of the first 24, each time the one that brings the squared error of
    leave-one-out class probabilities lowest (plus half the share of wrong answers), of 5 neighbours, of least squares and of
    trees of random cuts alike; of columns within half a standard error of the lowest, the first of the fused order. Two columns of
    which PairScan is sure may come together. The search votes twice as much as all members together. So does a search backwards by
    least squares, where columns so found predict rows held out better by two standard errors. Beyond 500 columns BDSFS,
    GramSchmidt and PairScan are given the first 500 of what the other members say.

    For numbers the search is judged by the squared error of the same three; "alone" is the share of concordant pairs.
    "alone" is a test: the area under the ROC curve must be above the largest of any column in 20 shuffles of the classes. So on
    noise, nineteen tables of twenty have no such column. "only with" is one as well: `PairScan`'s, corrected for all pairs of
    the kept columns and the first hundred.

    The number kept is the smallest that is behind the best by at most half the standard error of that difference over the folds,
    judged, without an `estimator` and `scoring`, by the squared error of the class probabilities (Brier's score), averaged over the
    classes, or by r2 of numbers. The rule was chosen on the first half of the tables of ``benchmarks/column_tables.py``. Folds are drawn
    twice on up to 500 rows and 20,000 cells.

    With sample weights, members that take none are left out and the head is not searched, so that a row of weight two is
    the row given twice; but to members that look for neighbours (Simba, and ReliefF or FS2Boost where you name them) it is a row
    that counts twice, and not its own neighbour. The model that judges sizes gets them where it takes them. With groups the head is not
    searched either, since it is judged by rows left out one by one.

    Resampling costs one ranking a fold and one fit of the model a size and fold. The ranking costs up to twice a
    forest of 500 trees.

    References
    ----------
    G. V. Cormack, C. L. A. Clarke and S. Buettcher, "Reciprocal rank fusion outperforms Condorcet and individual rank
    learning methods", SIGIR 2009. P. Geurts, D. Ernst and L. Wehenkel, "Extremely randomized trees", Machine Learning
    63, 2006. P. H. Westfall and S. S. Young, "Resampling-based multiple testing", Wiley, 1993.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import Sieve
    >>> X = np.random.default_rng(0).normal(size=(300, 6))
    >>> y = X[:, 2] + X[:, 4] > 0
    >>> sieve = Sieve(random_state=0).fit(X, y)
    >>> sieve.get_support(indices=True)
    array([2, 4])
    >>> sieve.reasons_[0]
    'chance'
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FeatureSelector._parameter_constraints,
        "fdr": [number(0, 1, closed="neither"), None],
        "members": [list, None],
        "search": ["boolean"],
        "estimator": [HasMethods(["fit"]), None],
        "scoring": [None, str, callable],
        "cv": ["cv_object"],
        "target_kind": TARGET_KIND,
        "explain": ["boolean"],
        "max_rows": [whole(2), None],
        "random_state": SEED,
        "n_jobs": JOBS,
        "verbose": ["verbose"],
    }
    _rank_only = False  # whether a caller wants the ranking alone: no size is sought, and no reason
    _seconds: float | None = None  # that resampling may take
    _tell: Any = None  # told of every step: how many are done, of how many, and what is done now

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        fdr: float | None = None,
        members: Any = None,
        search: bool = True,
        estimator: BaseEstimator | None = None,
        scoring: Any = None,
        cv: Any = 5,
        target_kind: str = "auto",
        fixed_features: ArrayLike | None = None,
        excluded_features: ArrayLike | None = None,
        feature_groups: ArrayLike | None = None,
        explain: bool = True,
        max_rows: int | None = 2000,
        random_state: int | np.random.RandomState | None = None,
        categorical_features: ArrayLike | None = "from_dtype",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.fdr = fdr
        self.members = members
        self.search = search
        self.estimator = estimator
        self.scoring = scoring
        self.cv = cv
        self.target_kind = target_kind
        self.fixed_features = fixed_features
        self.excluded_features = excluded_features
        self.feature_groups = feature_groups
        self.explain = explain
        self.max_rows = max_rows
        self.random_state = random_state
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Rank the columns, choose how many to keep, and say why.

        Parameters
        ----------
        X : array-like, frame, Dask array or frame, or path, shape (n, d)
            The table; nominal columns and missing values are allowed. A path names a folder of Parquet files, a pattern
            of files, or one file: of its parts the rows are drawn that would be drawn in memory, for the same answer.
        y : array-like, shape (n,)
            The classes, two or more, or numbers. With a path, the name of their column.
        sample_weight : array-like, shape (n,), optional
            Weight of each row, not negative; rows of weight 0 are left out. With a path, the name of their column.
        groups : array-like, shape (n,), optional
            Rows that belong together, such as measurements of one patient: in one fold, where `cv` is a number or a splitter that
            asks for groups, and never each other's neighbours for members that take them (`Simba`, `ReliefF`, `FS2Boost`).

        Returns
        -------
        self
            The fitted selector.
        """
        check_rate(self, weighed=sample_weight is not None)
        every = every_row(self, X, y, sample_weight)
        target, sample_weight = every.target, every.weights
        units = self._units or Units(*column_units(self, self.n_features_in_))
        numeric = isinstance(target, Numbers)
        names, members = self._named_members(weighed=sample_weight is not None, numeric=numeric)
        weights = any_weights(self, target, sample_weight)
        seeds = check_random_state(self.random_state).randint(np.iinfo(np.int32).max, size=4)
        draws = [np.random.RandomState(seed) for seed in seeds]
        alive = np.flatnonzero(weights > 0)
        few = alive[few_rows(of_rows(target, alive), self.max_rows, draws[0])]
        held, table = None if sample_weight is None else weights, every.some_rows(few)
        together = None if groups is None else group_codes("Sieve", len(weights), groups)[few]
        eligible = np.sort(np.array(columns_of(units.eligible), dtype=np.intp))
        part = Part.of(
            table, of_rows(target, few), None if held is None else held[few], eligible, few, together
        )
        splits = self._wanted_splits(target, part, groups, int(seeds[2]))
        explained = self.explain and not self._rank_only
        rated = self.fdr is not None and not self._rank_only
        n_steps = 1 + len(splits.splits) + rated + explained
        searched = self.search and held is None and groups is None
        self.member_names_, done = names, list[Fold]()
        self.__dict__.pop("reasons_", None)
        least = 1 + rated  # without the decoys nothing would be kept at the rate
        with Progress(self, "steps", n_steps, least=least, rests=_RESTS, listener=self._tell) as progress:
            progress.now("ranking the columns")
            found = fusion(members, part, draws[1], search=searched, n_jobs=self.n_jobs)
            order = part.completed(found.order)
            n_kept = self._n_asked(part, units)
            progress()
            if rated:
                progress.now("drawing decoys")
                order, n_kept = kept_first(self, part, units, order, int(seeds[2]))
                progress()
            elif splits.splits:
                progress.now("resampling")
                for one in self._folds_of(every, table, part, units, splits, found.seconds):
                    done.append(one)
                    progress(what="resampling")
            self._keep(part, units, found, order, self._n_kept(n_kept, part, units, splits, done))
            if explained:
                progress.now("looking for reasons")
                few_more = part.fewer_rows(_REASON_ROWS, draws[3])
                told = few_more, order, self.support_, column_names(self), draws[3]
                drawn = len(few_more.rows) < len(alive)
                verdicts = getattr(self, "verdicts_", None)
                self.reasons_ = column_reasons(*told, joint=found.joint, drawn=drawn, verdicts=verdicts)
                progress()
        if progress.cut_short:
            self._keep(part, units, found, order, self._n_kept(n_kept, part, units, splits, done))
        return self

    def _named_members(self, *, weighed: bool, numeric: bool) -> tuple[list[str], list[Any]]:
        """The names of the members and the members; with weights, of those that take them."""
        pairs = default_members(numeric=numeric) if self.members is None else self.members
        for pair in pairs:
            if not (isinstance(pair, tuple | list) and len(pair) == 2 and isinstance(pair[0], str)
                    and hasattr(pair[1], "fit")):  # fmt: skip
                raise ValueError(f"Sieve: members holds {pair!r}. Give pairs of a name and an estimator.")
        if not pairs:
            raise ValueError("Sieve: members is empty. Name at least one, or leave it at None.")
        able = [pair for pair in pairs if not weighed or has_fit_parameter(pair[1], "sample_weight")]
        if not able:
            raise ValueError("Sieve: sample_weight is given, but none of the members takes it. Leave it out.")
        return [name for name, _ in able], [member for _, member in able]

    def _n_asked(self, part: Part, units: Units) -> int:
        """How many columns were asked for; where it is not said, half of them."""
        if self.n_features_to_select is not None:
            return self._size(part.n_columns)
        return max(len(part.distinct.columns) // 2, units.least)

    def _wanted_splits(
        self, target: Target | Numbers, part: Part, groups: ArrayLike | None, seed: int
    ) -> Folds:
        """The folds that decide how many columns are kept; none where that is said, or cannot be resampled."""
        if self.n_features_to_select is not None or self.fdr is not None or self._rank_only:
            return Folds([], 1)
        every = target.values if isinstance(target, Numbers) else target.codes
        return folds(self.cv, part, every, groups, seed)

    @staticmethod
    def _sizes(part: Part, units: Units) -> list[int]:
        return few_sizes(max(len(part.distinct.columns), units.least), units.least)

    def _folds_of(
        self, every: Rows, table: Table, part: Part, units: Units, splits: Folds, took: float
    ) -> Iterator[Fold]:
        """The ranking, which `took` so many seconds, in each fold, and the scores of all sizes; `table` holds the part's rows."""
        numeric = isinstance(part.target, Numbers)
        judge, score, seen, labels = judge_of(self, every, table, part)
        ranker = units.named(unheard(clone(self))).set_params(
            categorical_features=self.categorical_features,
            target_kind="numbers" if numeric else "classes",
            n_features_to_select=len(part.columns),  # so that units stand where their best column stands
            n_jobs=None,
        )
        if self.estimator is None:
            ranker.set_params(categorical_features=table.nominal)
        return resampled(
            ranker, judge, score, seen, labels, splits.splits, self._sizes(part, units),
            weights=part.weights, groups=part.groups, n_jobs=self.n_jobs, seconds=self._seconds, a_fold=took,
            best_first=self.estimator is None,
        )  # fmt: skip

    def _n_kept(self, n_asked: int, part: Part, units: Units, splits: Folds, done: list[Fold]) -> int:
        """How many columns to keep: as many as resampling says, `n_asked` where it says nothing."""
        if len(done) < min(LEAST_FOLDS, len(splits.splits)) or not done:
            return n_asked
        used = splits.whole(len(done))
        told = judged(self._sizes(part, units), done[:used], splits.n_each)
        self.cv_results_, self.fold_scores_, self._folds = told.results, told.scores, told
        self._splits = [(part.rows[train], part.rows[test]) for train, test in splits.splits[:used]]
        self._n_each = splits.n_each
        return told.size

    def _keep(self, part: Part, units: Units, found: Fusion, order: Ints, n_kept: int) -> None:
        """Set the fitted attributes."""
        self._store(part.spread(found.scores), order, n_kept=n_kept)
        n_kept = self.n_features_  # groups may not reach the size that was asked for
        self.member_ranks_ = np.stack([ranks_of(part.completed(np.argsort(one))) for one in found.ranks])
        self.agreement_ = (self.member_ranks_ <= n_kept).mean(axis=0)
        told = self.__dict__.pop("_folds", None)
        if told is not None:
            firsts = [units.arranged(one, n_kept) for one in told.orders]
            self.kept_share_ = np.mean([ranks_of(one) <= n for one, n in firsts], axis=0)
