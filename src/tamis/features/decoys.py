"""Which columns to keep so that only a stated share of them is expected to be there by chance: columns against decoys."""

from __future__ import annotations

import math
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
from tamis.decoys.bonds import Bonds, bonds
from tamis.decoys.making import Maker
from tamis.decoys.rates import adjusted, contests, e_values
from tamis.features._base import TARGET_KIND, FeatureSelector
from tamis.features._decoy_doubts import doubts
from tamis.features._decoy_units import Units, verdict_units
from tamis.features._judges import is_ours, ready_judge, told_scores
from tamis.table._table import Numbers, Table

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

Float = NDArray[np.float64]

_MOST_JOINED = 6  # columns that may come together by `join_bonds`
_FEW = 40  # columns up to which more decoys stand beside each


class Decoys(CallbackSupportMixin, FeatureSelector):
    """Keep columns of which at most a stated share is expected to be there by chance.

    For each column some decoys are drawn: columns that relate to the other columns, and to each other, as the original does, but were
    drawn without looking at the target (model-X knockoffs). A selector scores columns and decoys together, in random order. A column that
    says nothing of the target beyond what the others say is as likely as each of its decoys to have the best score of them; so the
    columns that lose tell how many of those that win do so by chance.

    Parameters
    ----------
    selector : estimator or None, default=None
        What scores columns: any column selector of this library, or a model with ``feature_importances_`` or ``coef_``, which
        sees codes for nominal values. None: SBSMF with small steps (``learning_rate=0.3, n_rounds=300``), of which the model of all
        columns counts.
    fdr : float, default=0.1
        The false discovery rate: the expected share of the kept columns that are there by chance.
    n_features_to_select : int, float or None, default=None
        None: as many columns as the rate allows, perhaps none. A number or a fraction keeps so many, whatever the rate.
    n_decoys : int or None, default=None
        How many decoys stand beside each column. With more, fewer columns suffice for a verdict: see `least_kept_`. None: 10, and 5
        in tables of more than 40 columns.
    n_sets : int, default=10
        How often decoys are drawn and scored anew; the verdicts of all draws are combined. With 1 the answer hangs on one draw.
    distance : {"minimum_variance", "equicorrelated"}, default="minimum_variance"
        How decoys differ from originals: so that each is as hard to rebuild from all others as can be, or all equally far.
    share_above : float, default=0.95
        Numeric columns whose absolute rank correlation is at least this, and categorical columns that split the rows in the same way,
        share one verdict: the first of them is tried.
    group_above : float or None, default=None
        Numeric columns with the same missing values whose absolute rank correlation is at least this, linked through others too, share
        one verdict as well, by the sum of their scores; all of them are tried, with decoys that are drawn for the whole family.
        Of families, not of columns, the rate then speaks. For tables in which single columns cannot be told apart.
    join_bonds : bool, default=True
        Whether columns that hang together in a way that decoys do not, a column and its square for instance, share one verdict too, by
        the sum of their scores. Not done where more than six columns would come together: `doubts_` says so then.
    target_kind : {"auto", "classes", "numbers"}, default="auto"
        What y holds. "auto": numbers if it holds floats with fractions or more than 20 different floats, else classes.
    fixed_features : array-like or None, default=None
        Columns (names or positions) that are always kept; they stand first.
    excluded_features : array-like or None, default=None
        Columns that take no part and are never kept; they stand last.
    feature_groups : sequence of array-likes or None, default=None
        Columns that share one verdict, by the sum of their scores.
    random_state : int, RandomState or None, default=None
        Draws the decoys and the order of the columns, and seeds a selector that draws.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which columns are categorical: by dtype, none, or exactly these (mask, positions or names).
    n_jobs : int or None, default=None
        Sets that are drawn and scored at once. The result does not depend on it.
    verbose : int, default=0
        Above 0, progress is shown on stderr: a bar in terminals and notebooks, lines elsewhere.

    Attributes
    ----------
    support_ : ndarray of bool, shape (d,)
        Which columns are kept.
    q_values_ : ndarray, shape (d,)
        The smallest rate at which the column would be kept, by the e-values of this fit; 1 where there is none.
    won_ : ndarray, shape (d,)
        The share of the sets in which the column scored higher than all of its decoys. 1 / (n_decoys_ + 1) is chance.
    verdicts_ : list of str
        "kept"; "undecided": not kept, but the column won in most sets; "chance".
    statistics_ : ndarray, shape (n_sets, d)
        By how much the best of a column and its decoys leads the median of the others; negative where a decoy is the best.
    column_scores_ : ndarray, shape (n_sets, d)
        What the selector gave to the columns.
    decoy_scores_ : ndarray, shape (n_sets, n_decoys_, d)
        What it gave to their decoys.
    e_values_ : ndarray, shape (d,)
        The evidence of all sets together.
    n_decoys_ : int
        How many decoys stood beside each column.
    least_kept_ : int
        The fewest columns that can be kept at this rate. Where fewer say something, nothing is kept: use more decoys.
    doubts_ : list of str
        Why the rate is not promised for this table, or a verdict can hardly be had; empty where nothing speaks against it.
    joined_ : list of list of int
        The columns that `join_bonds` brought together.
    degrees_of_freedom_ : float
        Of the copula behind the decoys; infinite where a Gaussian one serves.
    units_ : ndarray of int, shape (d,)
        Columns of the same number share a verdict; -1 for those that took no part: constants and excluded ones.
    scores_ : ndarray, shape (d,)
        The mean of `statistics_` over the sets.
    ranking_ : ndarray of int, shape (d,)
        1 is best: by `q_values_`, then by `scores_`; a permutation of 1..d. Columns that took no part come last.
    n_features_ : int
        How many columns are kept.
    classes_ : ndarray
        The classes, sorted; not set for a numeric target.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    Decoys are exact if a Gaussian copula, or Student's, stands behind the table: numeric columns are seen by their ranks; tied values and
    categories leave open where in an interval their normal score lies, missing values anywhere, and these are drawn by Gibbs
    sampling; a nominal column of more than two values has one score per value (the seven most frequent, and all others together), of which
    the largest decides. Where rows far out in one column are so in others, a copula of Student's t takes its place if that makes the
    table likelier (log-likelihood 5 higher). Correlations are shrunk as Ledoit and Wolf say. A decoy of a numeric column holds the very values of its original in
    another order, and every decoy has the missing values of its original: that a value is missing is therefore never found to say
    something. Decoys are looked at: columns that hang together in a way that decoys do not share a verdict, or `doubts_` says so. How well the rate is kept where the copula is not true was measured: docs/methods/decoys.md.

    A column that loses to a decoy with a lead of t tells as much of chance as 1 / m of a column that wins by chance, with m decoys for each
    (knockoffs+, for several decoys). Each set gives e-values at half of the rate (with one set, at the rate itself), whose mean is
    given to the e-BH procedure.

    The cost is `n_sets` fits of the selector on m + 1 times as many columns, and O(n d^2 + d^3) for the decoys.

    References
    ----------
    E. Candes, Y. Fan, L. Janson and J. Lv, "Panning for gold: model-X knockoffs for high dimensional controlled variable selection",
    Journal of the Royal Statistical Society B 80, 2018. J. R. Gimenez and J. Zou, "Improving the stability of the knockoff
    procedure: multiple simultaneous knockoffs and entropy maximization", AISTATS 2019. A. Spector and L. Janson, "Powerful
    knockoffs via minimizing reconstructability", Annals of Statistics 50, 2022. Z. Ren and R. F. Barber, "Derandomised knockoffs:
    leveraging e-values for false discovery rate control", Journal of the Royal Statistical Society B 86, 2024. R. Wang and A. Ramdas,
    "False discovery rate control with e-values", same journal 84, 2022. M. B. Kursa and W. R. Rudnicki, "Feature selection with
    the Boruta package", Journal of Statistical Software 36, 2010 (permuted columns as decoys).

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import Decoys
    >>> X = np.random.default_rng(0).normal(size=(400, 12))
    >>> y = X[:, 2] + X[:, 4] - X[:, 6] + X[:, 8] > 0
    >>> decoys = Decoys(random_state=0).fit(X, y)
    >>> decoys.get_support(indices=True)
    array([2, 4, 6, 8])
    >>> decoys.verdicts_[0]
    'chance'
    """

    _score_name: ClassVar[str] = "lead"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FeatureSelector._parameter_constraints,
        "selector": [HasMethods(["fit"]), None],
        "fdr": [number(0, 1, closed="neither")],
        "n_decoys": [whole(1, 1000), None],
        "n_sets": [whole(1)],
        "distance": [StrOptions({"minimum_variance", "equicorrelated"})],
        "share_above": [number(0, 1, closed="right")],
        "group_above": [number(0, 1, closed="right"), None],
        "join_bonds": ["boolean"],
        "target_kind": TARGET_KIND,
        "random_state": SEED,
        "n_jobs": JOBS,
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        selector: BaseEstimator | None = None,
        *,
        fdr: float = 0.1,
        n_features_to_select: int | float | None = None,
        n_decoys: int | None = None,
        n_sets: int = 10,
        distance: str = "minimum_variance",
        share_above: float = 0.95,
        group_above: float | None = None,
        join_bonds: bool = True,
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
        self.fdr = fdr
        self.n_features_to_select = n_features_to_select
        self.n_decoys = n_decoys
        self.n_sets = n_sets
        self.distance = distance
        self.share_above = share_above
        self.group_above = group_above
        self.join_bonds = join_bonds
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
        """Draw decoys, score them with the columns, and keep what the rate allows.

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
        ranker = ready_judge("Decoys", self.selector, target)
        units = verdict_units(self, table, self.share_above, self.group_above)
        random = check_random_state(self.random_state)
        seeds = random.randint(np.iinfo(np.int32).max, size=self.n_sets + 1)
        self.n_decoys_ = self.n_decoys or (10 if len(units.tried) <= _FEW else 5)
        scores = np.zeros((self.n_sets, self.n_decoys_ + 1, len(units.tried)))
        found, self.degrees_of_freedom_, self.joined_ = None, np.inf, []
        if len(units.tried):
            labels = target.values if isinstance(target, Numbers) else target.classes[target.codes]
            with one_blas_thread():
                maker, found = self._maker(units, table, int(seeds[-1]))
                joined = None
                if self.join_bonds and found is not None and found.single and not found.everywhere:
                    joined = units.joined(found.pairs, _MOST_JOINED)
                if joined is not None:
                    self.joined_ = joined.larger_than(units)
                    units = joined
                    maker, found = self._maker(units, table, int(seeds[-1]))
                self.degrees_of_freedom_ = maker.latents.degrees
                shared = Shared((maker, labels))
                work = (delayed(set_scores)(ranker, shared, int(seed)) for seed in seeds[:-1])
                by_set: list[Float] = []
                with Progress(self, "sets", self.n_sets) as progress:
                    parallel = Parallel(n_jobs=capped(self.n_jobs), prefer="threads", return_as="generator")
                    for one in parallel(work):
                        by_set.append(one)
                        progress()
                scores = np.stack(by_set)
        self._judge(units, scores)
        self.doubts_ = doubts(self, table, target, units, found)
        return self

    def _maker(self, units: Units, table: Table, seed: int) -> tuple[Maker, Bonds | None]:
        """What draws decoys of the tried columns, and how far the bonds of decoys are from those of the columns."""
        seen, group, drawing = units.cut(table), units.of_column[units.tried], np.random.RandomState(seed)
        maker = Maker.of(seen, self.n_decoys_, self.distance, drawing, group)
        return maker, bonds(seen.values, maker.decoys(drawing), seen.nominal, group)

    def _judge(self, units: Units, scores: Float) -> None:
        """Set the fitted attributes, from the scores of columns and decoys; shape (sets, 1 + decoys, tried columns)."""
        rate = self.fdr if self.n_sets == 1 else self.fdr / 2
        self.least_kept_ = math.ceil(1 / (rate * self.n_decoys_) * (1 - 1e-12))
        summed = units.summed(scores)
        verdicts = [contests(one) for one in summed]
        won = np.array([wins for wins, _ in verdicts])
        leads = np.array([lead for _, lead in verdicts])
        evidence = np.array([e_values(*one, rate, self.n_decoys_) for one in verdicts]).mean(axis=0)
        self.column_scores_ = units.spread(summed[:, 0])
        self.decoy_scores_ = units.spread(summed[:, 1:])
        self.statistics_ = units.spread(np.where(won, leads, -leads))
        self.won_ = units.spread(won.mean(axis=0))
        self.e_values_ = units.spread(evidence)
        self.q_values_ = units.spread(adjusted(evidence), absent=1.0)
        self.units_ = units.of_column
        means = self.statistics_.mean(axis=0)
        kept = self.q_values_ <= self.fdr * (1 + 1e-12)
        if self._units is not None:
            kept[[j for unit in self._units.fixed for j in unit]] = True
        took_part = self.units_ >= 0
        order = np.lexsort((np.arange(len(means)), -means, self.q_values_, ~took_part, ~kept))
        self._store(means, order, n_kept=int(kept.sum()))
        undecided = np.where(self.won_ > 0.5, "undecided", "chance")
        self.verdicts_ = np.where(self.support_, "kept", undecided).tolist()


def set_scores(ranker: Any, shared: Shared[tuple[Maker, NDArray[Any]]], seed: int) -> Float:
    """The scores of the columns and of one set of decoys, from a selector that cannot tell which are which; shape (1 + m, d)."""
    maker, labels = shared.data
    random = np.random.RandomState(seed)
    with one_blas_thread():
        decoys = maker.decoys(random)
    table = maker.table
    n_kinds, n_columns = 1 + len(decoys), table.n_columns
    every = np.concatenate([table.values, *decoys], axis=1)
    order = random.permutation(n_kinds * n_columns)
    ranker = clone(ranker)
    known = ranker.get_params(deep=False)
    if is_ours(ranker):
        ranker.set_params(categorical_features=np.tile(table.nominal, n_kinds)[order])
    if "random_state" in known:
        ranker.set_params(random_state=int(random.randint(np.iinfo(np.int32).max)))
    with not_remembering():
        ranker.fit(np.ascontiguousarray(every[:, order]), labels)
    scores = np.empty(len(order))
    scores[order] = told_scores("Decoys", ranker, len(order))
    return scores.reshape(n_kinds, n_columns)
