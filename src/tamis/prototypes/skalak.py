"""Skalak's two random searches: Monte Carlo sampling and random mutation hill climbing."""

from __future__ import annotations

from typing import Any, ClassVar

import joblib
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions

from tamis._parameters import JOBS, SEED, capped, whole
from tamis.neighbors import MixedSpace
from tamis.prototypes._base import COUNT, WeighedSelector
from tamis.prototypes._condense import hart_store, in_blocks, plain_first
from tamis.prototypes._kernels.sampling import LaidOut, climbed, n_right, nearest_of_set
from tamis.prototypes._weights import loss_weights
from tamis.table._table import Table, Target

_SEARCHED_SIZE: list[Any] = [*COUNT, StrOptions({"condensed"})]


WEIGHT_STEPS = 2.0**30
"""Weights of rows are whole multiples of its inverse, so that sums are exact."""


class _SampledPrototypes(WeighedSelector):
    """What the two searches share: the size, and the table as their kernels need it."""

    n_prototypes: int | float | str
    n_jobs: int | None

    def _size(self, table: Table, target: Target) -> int:
        """Return how many rows an int, a fraction or "condensed" means."""
        if isinstance(self.n_prototypes, str):
            return len(hart_store(table, target, None, self.n_jobs).store)
        return self._count(self.n_prototypes, table.n_rows)

    def _laid_out(self, table: Table, target: Target, sample_weight: ArrayLike | None) -> LaidOut:
        space = MixedSpace.fit(table.values, table.nominal, "l2")
        coordinates, n_plain = plain_first(space.scaled(table.values), np.arange(table.n_rows))
        return LaidOut(
            in_blocks(coordinates), coordinates, n_plain, target.codes, self._counts(target, sample_weight)
        )

    def _counts(self, target: Target, sample_weight: ArrayLike | None) -> NDArray[np.int64]:
        """Return what each row counts where it is right: 1, or its weight as a whole number."""
        if sample_weight is None:
            return np.ones(len(target.codes), dtype=np.int64)
        weights, _ = loss_weights(self, target, None, sample_weight)
        return np.rint(weights * WEIGHT_STEPS).astype(np.int64)


class MonteCarloPrototypes(_SampledPrototypes):
    """Keep the best of many random sets of rows (Skalak's Monte Carlo sampling).

    Sets of `n_prototypes` rows are drawn; the set whose 1-NN rule classifies the most rows correctly is kept.

    Parameters
    ----------
    n_prototypes : int, float or "condensed", default=0.2
        How many rows to keep: a number, a fraction of the rows, or as many as `CondensedNN` keeps. Skalak's own size
        is the number of classes.
    n_samples : int, default=100
        How many sets are drawn.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which columns are categorical: by dtype, none, or exactly these (mask, positions or names).
    random_state : int, RandomState instance or None, default=None
        Seed of the draws.
    n_jobs : int or None, default=None
        Threads. The result does not depend on it.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        The kept rows, ascending.
    history_ : dict of arrays, one entry per set
        ``accuracy``: the fraction of the rows (of their weight) that the set classifies correctly.
    classes_ : ndarray
        The classes, sorted.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    Accuracy is measured on all rows, including the kept ones. The distance is that of `CondensedNN`. On ties the lower
    kept row counts as nearer, and the earlier set as better. A set is the first `n_prototypes` rows of a permutation.
    Cost: O(n m d) per set of m rows.

    References
    ----------
    D. B. Skalak, "Prototype and feature selection by sampling and random mutation hill climbing algorithms", ICML
    1994.

    Examples
    --------
    >>> from tamis import MonteCarloPrototypes
    >>> X = [[0], [1], [2], [10], [11], [12]]
    >>> y = ["a", "a", "a", "b", "b", "b"]
    >>> selector = MonteCarloPrototypes(2, random_state=0)
    >>> selector.fit_resample(X, y)[1]
    ['a', 'b']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_prototypes": _SEARCHED_SIZE,
        "n_samples": [whole(1)],
        **WeighedSelector._parameter_constraints,
        "random_state": SEED,
        "n_jobs": JOBS,
    }

    def __init__(
        self,
        n_prototypes: int | float | str = 0.2,
        *,
        n_samples: int = 100,
        categorical_features: ArrayLike | None = "from_dtype",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_prototypes = n_prototypes
        self.n_samples = n_samples
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _rows(self, table: Table, target: Target, sample_weight: ArrayLike | None = None) -> NDArray[np.intp]:
        size = self._size(table, target)
        random = check_random_state(self.random_state)
        draws = [np.sort(random.permutation(table.n_rows)[:size]) for _ in range(self.n_samples)]
        laid_out = self._laid_out(table, target, sample_weight)

        def right(rows: NDArray[np.intp]) -> int:
            return int(n_right(laid_out, nearest_of_set(laid_out, rows)[0]))

        parallel = joblib.Parallel(n_jobs=capped(self.n_jobs), require="sharedmem")
        counts = np.asarray(parallel(joblib.delayed(right)(rows) for rows in draws))
        self.history_ = {"accuracy": counts / laid_out.counts.sum()}
        best: NDArray[np.intp] = draws[int(np.argmax(counts))]
        return best


class HillClimbingPrototypes(_SampledPrototypes):
    """Improve a random set of rows by random replacements (Skalak's random mutation hill climbing).

    A kept row, drawn at random, is replaced by another row, drawn at random; the replacement stays if the 1-NN rule
    of the kept rows then classifies more rows correctly.

    Parameters
    ----------
    n_prototypes : int, float or "condensed", default=0.2
        How many rows to keep: a number, a fraction of the rows, or as many as `CondensedNN` keeps. Skalak's own size
        is the number of classes.
    n_mutations : int, default=500
        How many replacements are tried.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which columns are categorical: by dtype, none, or exactly these (mask, positions or names).
    random_state : int, RandomState instance or None, default=None
        Seed of the draws.
    n_jobs : int or None, default=None
        Threads for ``n_prototypes="condensed"``; the climb itself uses one. The result does not depend on it.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        The kept rows, ascending.
    history_ : dict of arrays, one entry per replacement
        The rows ``removed`` and ``added``, ``accuracy`` with the replacement, and ``kept``: whether it stayed.
    classes_ : ndarray
        The classes, sorted.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    Accuracy is measured on all rows, including the kept ones. The distance is that of `CondensedNN`; on ties the lower
    kept row counts as nearer. The search starts from the first `n_prototypes` rows of a permutation, ascending. Then
    all positions to replace are drawn, and then all positions of the replacements among the other rows. Every row's
    nearest kept row is remembered, so that a replacement costs about O(n d), whatever the number of kept rows.

    References
    ----------
    D. B. Skalak, "Prototype and feature selection by sampling and random mutation hill climbing algorithms", ICML
    1994.

    Examples
    --------
    >>> from tamis import HillClimbingPrototypes
    >>> X = [[0], [1], [2], [10], [11], [12]]
    >>> y = ["a", "a", "a", "b", "b", "b"]
    >>> selector = HillClimbingPrototypes(2, random_state=0)
    >>> selector.fit_resample(X, y)[1]
    ['a', 'b']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_prototypes": _SEARCHED_SIZE,
        "n_mutations": [whole(0)],
        **WeighedSelector._parameter_constraints,
        "random_state": SEED,
        "n_jobs": JOBS,
    }

    def __init__(
        self,
        n_prototypes: int | float | str = 0.2,
        *,
        n_mutations: int = 500,
        categorical_features: ArrayLike | None = "from_dtype",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_prototypes = n_prototypes
        self.n_mutations = n_mutations
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _rows(self, table: Table, target: Target, sample_weight: ArrayLike | None = None) -> NDArray[np.intp]:
        size = self._size(table, target)
        random = check_random_state(self.random_state)
        order = random.permutation(table.n_rows)
        start, spare = np.sort(order[:size]), order[size:]
        n_mutations = self.n_mutations if len(spare) else 0
        slots = random.randint(size, size=n_mutations)
        fresh = random.randint(max(1, len(spare)), size=n_mutations)
        laid_out = self._laid_out(table, target, sample_weight)
        rows, (removed, added, right, stays) = climbed(laid_out, start, spare, slots, fresh)
        self.history_ = {
            "removed": removed,
            "added": added,
            "accuracy": right / laid_out.counts.sum(),
            "kept": stays.astype(bool),
        }
        return np.asarray(rows)
