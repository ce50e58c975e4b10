"""SampledEFR: columns ranked by the fraction of sampled sparse hypotheses that use them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed

from tamis._callbacks import CallbackSupportMixin
from tamis._memory import Memory
from tamis._parameters import JOBS, SEED, capped, number, whole
from tamis._progress import Progress
from tamis._shared import Shared
from tamis.chains.engine import Sampled, Views, packed, packed_numbers, sampled
from tamis.chains.engine import Table as ChainTable
from tamis.features._agreement import chain_error, effective_size, reliability
from tamis.features._base import TARGET_KIND, FeatureSelector
from tamis.features._bayesian_rate import n_at_rate
from tamis.table._distinct import Distinct
from tamis.table._table import Numbers, Target
from tamis.table.weights import repeated_rows

Float = NDArray[np.float64]
_SEEDS = 2**63 - 1


class SampledEFR(CallbackSupportMixin, FeatureSelector):
    """Rank columns by how often they are used in sampled hypotheses that explain the classes.

    Markov chains (MCMC) draw thousands of sparse hypotheses, each as often as it is probable given the labels. A
    hypothesis says which columns are in it, with which shape (rising, falling, in the middle, at the ends, or as one
    side of two mirrored halves) and weight, and which pairs of columns act by their product. The columns are ranked by
    the fraction of the hypotheses that use them. `EFR` optimises a few hypotheses, which on few rows are all perfect
    and all different; this method averages over all that fit, and learns from the data how many columns matter and
    which shapes and signs are common.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many columns to keep: a number, a fraction, or (None) half of those that are neither copies nor constants.
    fdr : float or None, default=None
        A Bayesian false discovery rate, in place of a size: columns are ranked by `inclusion_`, and as many are kept, perhaps none,
        as have a mean probability not to matter of at most this. It holds as far as the priors do; `Decoys` needs none.
    n_chains : int, default=4
        Number of chains over all hypotheses.
    n_additive_chains : int, default=2
        Number of chains over sums of single columns only, without mirrored halves and pairs: with fewer hypotheses to
        choose from, they are more certain where sums are enough.
    n_sweeps : int, default=400
        Sweeps per chain; each sweep draws every column, pair and weight again.
    n_burn_in : int, default=100
        Sweeps at the start that are not counted; during these the influence of the data is increased step by step.
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
    n_jobs : int or None, default=None
        Number of chains run at a time, by joblib. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of all random choices: the same seed gives the same bits on every machine.
    verbose : int, default=0
        Above 0, progress is shown on stderr: a bar in terminals and notebooks, lines elsewhere.

    Attributes
    ----------
    scores_ : ndarray, shape (d,)
        Mean over the chains of the probability that the column is in the hypothesis plus its probabilities of being in
        the pairs; the mean of the additive chains is added. With more than two classes the mean over the classes.
        Constants have 0; a copy has the score and the inclusion of the column that it repeats.
    ranking_ : ndarray of int, shape (d,)
        1 is best; a permutation of 1..d, whatever is selected. Exact copies of earlier columns come after all
        others, and constants last, whatever their scores.
    support_ : ndarray of bool, shape (d,)
        Which columns are kept.
    n_features_ : int
        How many columns are kept.
    inclusion_ : ndarray, shape (d,)
        Fraction of the sampled hypotheses that use the column, alone or in a pair: the probability, from 0 to 1, that
        the column matters. It comes from the chains over all hypotheses; the additive chains, which see less, are used
        only if there are no others. With more than two classes the mean over the classes.
    inclusion_error_ : ndarray, shape (d,)
        Standard error of `inclusion_`, from the differences between its chains; NaN for a single chain.
    chain_inclusion_ : ndarray, shape (h, c, d)
        The same fraction for each chain, the additive ones last, for each class set against the rest (for two classes
        once).
    agreement_ : ndarray, shape (h,)
        Fraction of the variance of the inclusion over the columns that is not random variation between chains, from 0
        to 1; NaN without two chains of a kind. Below about 0.8 more sweeps or chains would still change the ranking. It
        is also low if no column matters: then there is nothing to agree on.
    effective_sample_size_ : ndarray, shape (h,)
        How many independent draws the chains are worth, by their log-likelihoods.
    history_ : dict of arrays
        ``hypothesis``, ``chain``, ``sweep``, ``log_likelihood`` and ``n_columns`` (used) after each counted sweep.
    classes_ : ndarray
        The classes, sorted; not set for a numeric target.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    Of a numeric column only the ranks are used: u from -1 to 1, and u^2, both standardised. A row of class y = 1 or -1
    has the log odds ``y (tau (A(x) + omega |L(x)|) + b)``. A column is off; or it adds its weight times +-u or +-u^2 to
    A, or +-u to L, alone or with +-u^2 in A (|L| is the larger of two mirrored hypotheses: a disjunction). Eight slots
    hold pairs of columns, which add the product of their u to A. A column is on with probability rho ~ Beta(2, 18);
    shapes have a Dirichlet prior; with even odds, the sign within a shape is either random or the same for most
    columns; weights are Gamma with shape 4 and mean 1: the relevant columns are expected to matter about equally. One
    sweep draws all columns and slots by Gibbs sampling, lets used columns be replaced by others, and moves weights and
    the other numbers by Metropolis steps. All priors are fixed: there is nothing to tune but the length.

    Of a numeric target too only the ranks are used, standardised. They are normal with mean ``tau (A(x) + omega |L(x)|) + b`` and a
    variance that is sampled as well: its inverse has a Gamma prior of shape 1 and rate 1/2, and is drawn from its conditional law, a
    Gamma too. A monotone transform of the target changes no bit.

    A categorical column is in the hypothesis by one of its categories at a time (the 32 most frequent are tried). These
    share the prior of the column equally, so that its probability does not grow with their number. Rare categories
    carry little evidence either way: a random categorical column keeps about its prior inclusion, while random numeric
    columns fall below it. "Missing" is one more category, also in numeric columns, where a missing value otherwise has
    no effect. A constant column scores 0.

    The cost is O(n d) per sweep, with the defaults about a tenth of a second per 1,000 cells of the table on one
    processor (with more than two classes times their number). For tables with many thousands of rows and hundreds of
    columns, use a sample of the rows.

    References
    ----------
    K. Jong, E. Marchiori and M. Sebag, "Ensemble learning with evolutionary computation: application to feature
    ranking", PPSN 2004, is where the ensemble comes from; E. George and R. McCulloch, "Variable selection via Gibbs
    sampling", Journal of the American Statistical Association 88, 1993, the sampling of columns.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import SampledEFR
    >>> X = np.random.default_rng(0).random((80, 6))
    >>> y = abs(X[:, 2] - 0.5) < 0.25  # in the middle of one column
    >>> selector = SampledEFR(1, random_state=0).fit(X, y)
    >>> selector.get_support(indices=True)
    array([2])
    >>> bool(selector.inclusion_[2] > 0.99)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FeatureSelector._parameter_constraints,
        "fdr": [number(0, 1, closed="neither"), None],
        "n_chains": [whole(0)],
        "n_additive_chains": [whole(0)],
        "n_sweeps": [whole(1)],
        "n_burn_in": [whole(0)],
        "target_kind": TARGET_KIND,
        "n_jobs": JOBS,
        "random_state": SEED,
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        fdr: float | None = None,
        n_chains: int = 4,
        n_additive_chains: int = 2,
        n_sweeps: int = 400,
        n_burn_in: int = 100,
        target_kind: str = "auto",
        fixed_features: ArrayLike | None = None,
        excluded_features: ArrayLike | None = None,
        feature_groups: ArrayLike | None = None,
        categorical_features: ArrayLike | None = "from_dtype",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.fdr = fdr
        self.n_chains = n_chains
        self.n_additive_chains = n_additive_chains
        self.n_sweeps = n_sweeps
        self.n_burn_in = n_burn_in
        self.target_kind = target_kind
        self.fixed_features = fixed_features
        self.excluded_features = excluded_features
        self.feature_groups = feature_groups
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Run the chains and rank the columns.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            The table; categorical columns and missing values are allowed.
        y : array-like, shape (n,)
            The classes, two or more, or numbers.
        sample_weight : array-like, shape (n,), optional
            How often each row is there: whole numbers, since a hypothesis is the more certain the more rows speak for it.
            Bit for bit as if rows were repeated; rows of weight 0 are left out.

        Returns
        -------
        self
            The fitted selector.
        """
        self._check_chains()
        table, target = self._table_of_any(X, y)
        if sample_weight is not None:
            table, target = repeated_rows(self, table, target, sample_weight)
            if isinstance(target, Target):
                self.classes_ = target.classes
        distinct = self._distinct(table)
        seen = distinct.cut(table)
        views = Views.of(seen.values, seen.nominal)
        tables = [Shared(one) for one in _packed(views, target)]
        kinds = np.repeat([False, True], [self.n_chains, self.n_additive_chains])
        seeds = check_random_state(self.random_state).randint(
            _SEEDS, size=(len(tables), len(kinds)), dtype=np.int64
        )
        numeric = isinstance(target, Numbers)

        def run(numbers: Sequence[int]) -> Any:
            pairs = [divmod(number, len(tables)) for number in numbers]
            # threads are enough: the kernels release the interpreter's lock
            parallel = Parallel(n_jobs=capped(self.n_jobs), prefer="threads", return_as="generator")
            return parallel(
                delayed(_chain)(
                    tables[hypothesis],
                    additive=bool(kinds[chain]),
                    numeric=numeric,
                    n_sweeps=int(self.n_sweeps),
                    n_burn_in=int(self.n_burn_in),
                    seed=int(seeds[hypothesis, chain]),
                )
                for chain, hypothesis in pairs
            )

        if isinstance(target, Target):
            memory = Memory.of(self, table, target)
        else:
            known = [table.values, target.values]
            memory = Memory.of_arrays(self, lambda: known, table.schema, np.empty(0))
        samples = memory.each(
            *("chain", seeds.size, run, asdict, lambda stored: Sampled(**stored)),
            Progress(self, "chains", seeds.size, least=len(tables)),
        )
        n_whole = len(samples) // len(tables)  # chains that ran for every hypothesis
        chains = [samples[first :: len(tables)][:n_whole] for first in range(len(tables))]
        self._describe(chains, kinds[:n_whole], views.used, distinct)
        return self

    def _check_chains(self) -> None:
        """Refuse settings that leave no sweep or no chain to count, or say twice how many columns are kept."""
        if self.fdr is not None and self.n_features_to_select is not None:
            raise ValueError(
                f"SampledEFR: fdr={self.fdr:g} and n_features_to_select={self.n_features_to_select} both say how many columns are "
                "kept. Give one of them."
            )
        if self.n_burn_in >= self.n_sweeps:
            raise ValueError(
                f"SampledEFR: n_burn_in={self.n_burn_in}, but there are n_sweeps={self.n_sweeps} in all. "
                f"Use n_burn_in from 0 to {self.n_sweeps - 1}, or more sweeps."
            )
        if self.n_chains + self.n_additive_chains < 1:
            raise ValueError(
                "SampledEFR: n_chains=0 and n_additive_chains=0 leave no chain to run. Use at least one."
            )

    def _describe(
        self,
        chains: list[list[Sampled]],
        kinds: NDArray[np.bool_],
        used: NDArray[np.intp],
        distinct: Distinct,
    ) -> None:
        """Set the fitted attributes from the chains of each hypothesis."""
        shape = (len(chains), len(kinds), len(distinct.columns))
        inclusion = np.zeros(shape)
        inclusion[:, :, used] = [[one.used for one in row] for row in chains]
        self.chain_inclusion_ = distinct.spread(inclusion)
        weights = np.zeros(shape)  # of each chain: probability to be on, plus those to be in pairs
        weights[:, :, used] = [[one.on + one.pairs for one in row] for row in chains]
        parts = [kinds == kind for kind in (False, True) if (kinds == kind).any()]
        self.inclusion_ = self.chain_inclusion_[:, parts[0]].mean(axis=(0, 1))
        self.inclusion_error_ = chain_error(self.chain_inclusion_[:, parts[0]])
        self.agreement_ = reliability(weights[:, :, used], parts)
        self.effective_sample_size_ = np.asarray(
            [sum(effective_size(one.log_likelihood) for one in row) for row in chains]
        )
        n_counted = self.n_sweeps - self.n_burn_in
        flat = [one for row in chains for one in row]
        history = {
            "hypothesis": np.repeat(np.arange(len(chains)), len(kinds) * n_counted),
            "chain": np.tile(np.repeat(np.arange(len(kinds)), n_counted), len(chains)),
            "sweep": np.tile(np.arange(self.n_burn_in, self.n_sweeps), len(flat)),
            "log_likelihood": np.concatenate([one.log_likelihood for one in flat]),
            "n_columns": np.concatenate([one.n_used for one in flat]).astype(np.int64),
        }
        scores: Float = sum(
            (weights[:, part].mean(axis=1) for part in parts), np.zeros((len(chains), shape[2]))
        ).mean(axis=0)
        order, n_kept = None, None
        if self.fdr is not None:
            own = self.inclusion_[distinct.columns]
            order, n_kept = distinct.columns[np.lexsort((-scores, -own))], n_at_rate(own, self.fdr)
        self._store(distinct.spread(scores), order, distinct=distinct, n_kept=n_kept, history=history)


def _packed(views: Views, target: Target | Numbers) -> list[ChainTable]:
    """Return what the chains read: one table for numbers and for two classes, otherwise one per class."""
    if isinstance(target, Numbers):
        return [packed_numbers(views, target.values)]
    present = np.arange(len(target.classes))
    return packed(views, target.codes, present[1:] if len(present) == 2 else present)


def _chain(table: Shared[Any], **options: Any) -> Any:
    """Run one chain on the table that all chains share."""
    return sampled(table.data, **options)
