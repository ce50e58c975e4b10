"""Columns by the share of sampled sparse hypotheses that need them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed

from tamis._memory import Memory
from tamis._parameters import JOBS, SEED, capped, whole
from tamis._shared import Shared
from tamis.chains.engine import Sampled, Views, packed, sampled
from tamis.features._agreement import chain_error, effective_size, reliability
from tamis.features._base import FeatureSelector
from tamis.table._distinct import Distinct

Float = NDArray[np.float64]
_SEEDS = 2**63 - 1


class SampledEFR(FeatureSelector):
    """Rank columns by how often they are needed in sampled hypotheses that explain the classes.

    A Markov chain walks over thousands of sparse hypotheses, each visited as often as it is probable given the labels:
    which columns are in it, each in which shape (rising, falling, in the middle, at the ends, or as one side of two
    mirrored halves), with which weight, and which pairs of columns act by their product. The columns are ranked by the
    share of the hypotheses that need them. Where `EFR` optimises a few hypotheses, all of them perfect on few rows and
    each different, this averages over all that fit, and learns on the way how many columns matter and which shapes and
    signs are common.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many columns to keep: a number, a fraction of them, or half of them, copies and constants not counted (None).
    n_chains : int, default=4
        Chains over all hypotheses.
    n_additive_chains : int, default=2
        Chains over sums of single columns only, without mirrored halves and pairs: less to choose from, and so surer
        where this is enough.
    n_sweeps : int, default=400
        Sweeps of a chain; each draws every column, pair and weight anew.
    n_burn_in : int, default=100
        Sweeps at the start that are not counted, in which the data come to bear step by step.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which columns are nominal: by dtype, none, or exactly these (mask, positions or names).
    n_jobs : int or None, default=None
        Chains at the same time, through joblib; the result is the same for any number.
    random_state : int, RandomState or None, default=None
        Decides everything random: the same seed gives the same bits on every machine.

    Attributes
    ----------
    scores_ : ndarray, shape (d,)
        Mean over the chains of the probability that the column is in the hypothesis, with its probabilities to be in
        the pairs added; the additive chains' mean is added to that. With more than two classes the mean over them.
        Copies and constants take no part; a copy has the score and the shares of the column that it repeats.
    ranking_ : ndarray of int, shape (d,)
        1 is best; a permutation of 1..d, whatever is selected. Exact copies of columns before them come after all
        others, and constants last, whatever their scores.
    support_ : ndarray of bool, shape (d,)
        Which columns are kept.
    n_features_ : int
        How many columns are kept.
    inclusion_ : ndarray, shape (d,)
        Share of the sampled hypotheses that use the column, alone or in a pair: how sure it is that the column
        matters, from 0 to 1. Of the chains over all hypotheses; the additive ones, which cannot see all that there may
        be, stand in where there are no others. With more than two classes the mean over them.
    inclusion_error_ : ndarray, shape (d,)
        Standard error of `inclusion_`, from the differences between its chains; NaN if there is but one.
    chain_inclusion_ : ndarray, shape (h, c, d)
        The same share of each chain, the additive ones last, for each class set against the rest (one for two classes).
    agreement_ : ndarray, shape (h,)
        Share of the variance of the inclusion over the columns that is not chance between chains, from 0 to 1; NaN
        without two chains of a kind. Below about 0.8 more sweeps or chains would still change the ranking. Where
        nothing is to be found there is nothing to agree on either, and it is low.
    effective_sample_size_ : ndarray, shape (h,)
        How many independent draws the chains' log-likelihoods are worth.
    history_ : dict of arrays
        ``hypothesis``, ``chain``, ``sweep``, ``log_likelihood`` and ``n_columns`` (used) after each counted sweep.
    classes_ : ndarray
        The classes, sorted.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    A numeric column counts by its ranks alone: u from -1 to 1, and u^2, both standardised. A row of class y = 1 or -1
    has the log odds ``y (tau (A(x) + omega |L(x)|) + b)``. A column is off, or its weight times +-u or +-u^2 is in A,
    or +-u is in L, alone or with +-u^2 in A (|L| is the larger of two mirrored hypotheses: a disjunction). Eight slots
    hold pairs of columns, whose product of u is in A. A column is on with probability rho ~ Beta(2, 18); shapes have a
    Dirichlet prior; the sign within a shape is fair, or common, at even odds; weights are Gamma with shape 4 and mean 1:
    the relevant columns are expected to matter about equally. One sweep draws all columns and slots by Gibbs, lets
    columns in use hand their place to others, and moves weights and numbers by Metropolis. All priors are fixed: there
    is nothing to tune but the length.

    A nominal column is in the hypothesis by one of its levels at a time (the 32 most frequent have their turn), which
    all have the same share of the column's prior, so that the probability of a column does not grow with their number.
    Rare levels tell little, for or against: a nominal column of noise keeps about the prior's inclusion, where numeric
    noise falls below it. "Missing" is one more level, in numeric columns with gaps too, where a gap otherwise says
    nothing. A column with a single value scores 0.

    The cost is O(n d) a sweep, in all about a tenth of a second for every 1,000 cells of the table with the defaults on
    one processor (times the number of classes beyond two). Tables with many thousands of rows and hundreds of columns are better
    served by a sample of their rows. Rows have no weights.

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
        "n_chains": [whole(0)],
        "n_additive_chains": [whole(0)],
        "n_sweeps": [whole(1)],
        "n_burn_in": [whole(0)],
        "n_jobs": JOBS,
        "random_state": SEED,
    }

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        n_chains: int = 4,
        n_additive_chains: int = 2,
        n_sweeps: int = 400,
        n_burn_in: int = 100,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_chains = n_chains
        self.n_additive_chains = n_additive_chains
        self.n_sweeps = n_sweeps
        self.n_burn_in = n_burn_in
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        """Run the chains and rank the columns.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            The table; nominal columns and gaps are allowed.
        y : array-like, shape (n,)
            The classes, two or more.

        Returns
        -------
        self
            The fitted selector.
        """
        self._check_chains()
        table, target = self._table(X, y)
        distinct = self._distinct(table)
        seen = distinct.cut(table)
        views = Views.of(seen.values, seen.nominal)
        present = np.arange(len(target.classes))
        positives = present[1:] if len(present) == 2 else present
        kinds = np.repeat([False, True], [self.n_chains, self.n_additive_chains])
        seeds = check_random_state(self.random_state).randint(
            _SEEDS, size=(len(positives), len(kinds)), dtype=np.int64
        )
        tables = [Shared(table) for table in packed(views, target.codes, positives)]

        def run(numbers: Sequence[int]) -> Any:
            places = [divmod(number, len(kinds)) for number in numbers]
            return Parallel(
                n_jobs=capped(self.n_jobs), prefer="threads", return_as="generator"
            )(  # kernels without the lock
                delayed(_chain)(
                    tables[hypothesis],
                    additive=bool(kinds[chain]),
                    n_sweeps=int(self.n_sweeps),
                    n_burn_in=int(self.n_burn_in),
                    seed=int(seeds[hypothesis, chain]),
                )
                for hypothesis, chain in places
            )

        memory = Memory.of(self, table, target)
        found = memory.each("chain", seeds.size, run, asdict, lambda kept: Sampled(**kept))
        self.classes_ = target.classes
        chains = [found[start : start + len(kinds)] for start in range(0, len(found), len(kinds))]
        self._describe(chains, kinds, views.used, distinct)
        return self

    def _check_chains(self) -> None:
        """Refuse numbers that leave nothing to count."""
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
        weights = np.zeros(shape)  # on, and in pairs, of each chain
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
        self._store(distinct.spread(scores), distinct=distinct, history=history)


def _chain(table: Shared[Any], **options: Any) -> Any:
    """One chain on a table that all chains read."""
    return sampled(table.data, **options)
