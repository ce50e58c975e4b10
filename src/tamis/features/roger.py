"""One hypothesis, evolved for its area under the ROC curve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from tamis._parameters import SEED, whole
from tamis.evolution.engine import Columns, Hypothesis, evolved, evolved_runs
from tamis.features._base import TARGET_KIND, FeatureSelector
from tamis.table._distinct import Distinct
from tamis.table._encode import encode_like
from tamis.table._table import Numbers, Target
from tamis.table.weights import weighed_numbers, weighed_rows

Float = NDArray[np.float64]
Int = NDArray[np.int64]
_SEEDS = 2**63 - 1


class ROGER(FeatureSelector):
    """Rank columns by their weights in a hypothesis evolved for its area under the ROC curve.

    The hypothesis is a weighted distance to a point c, ``h(x) = sum of w_k |x_k - c_k|``, or ``h(x) = w . x``, on
    columns scaled to [0, 1]. A (20 + 200) evolution strategy with a step size per coordinate searches for the w and c
    that best order the rows of two classes. A single run is a weak ranker, since many hypotheses separate the classes
    equally well; `EFR` aggregates many of them. For a numeric target the area is the share of concordant pairs.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many columns to keep: a number, a fraction, or (None) half of those that are neither copies nor constants.
    hypothesis : {"l1", "linear"}, default="l1"
        A weighted distance to an evolved point, or a weighted sum.
    orientation : {"near", "far", "both"}, default="near"
        Whether the rows of the second of two classes, ``classes_[1]``, or of large numbers, should be near the point or far
        from it; "both" evolves a hypothesis for each and keeps the better. Has no effect for "linear", whose weights have
        both signs.
    n_evaluations : int, default=50_000
        The largest number of hypotheses evaluated in an evolution, at least 20; it ends earlier at an area of 1.
    niching : bool, default=False
        Whether a child competes only with the parent most like it, so that several kinds of hypotheses live on, and all 20
        parents of the last population vote: the scores are the mean of theirs. Otherwise the best one is used alone.
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
        Seed of all random choices: the same seed gives the same bits on every machine.

    Attributes
    ----------
    scores_ : ndarray, shape (d,)
        ``|w|``, scaled to sum to 1; with more than two classes the mean over the hypotheses. 0 for copies and
        constants, which take no part.
    ranking_ : ndarray of int, shape (d,)
        1 is best; a permutation of 1..d, whatever is selected. Exact copies of earlier columns come after all
        others, and constants last, whatever their scores.
    support_ : ndarray of bool, shape (d,)
        Which columns are kept.
    n_features_ : int
        How many columns are kept.
    hypothesis_scores_ : ndarray, shape (h, d)
        The same for each hypothesis: one for two classes or for numbers, otherwise one per class, set against the rest. With
        `niching` there are 20 in place of each, the best first.
    weights_ : ndarray, shape (h, d)
        The weights w, in [0, 1] for "l1" and [-1, 1] for "linear"; 0 for copies and constants.
    centers_ : ndarray, shape (h, d)
        The point c in the columns' own units; NaN where there is none ("linear", categorical columns, weight 0).
    auc_ : ndarray, shape (h,)
        Area under the ROC curve on the training rows; for numbers the share of concordant pairs, ties counted half.
    history_ : dict of arrays
        ``hypothesis``, ``n_evaluations`` and ``auc``: the best area after each generation of each hypothesis.
    classes_ : ndarray
        The classes of the rows with positive weight, sorted; not set for a numeric target.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    A column has one weight, whatever its kind. In a categorical column every category has an evolved distance in
    [0, 1], which replaces ``|x - c|``; so has "missing" in a column with missing values. Missing values that separate
    the classes are therefore found, and a random column with twelve categories gets no more weight than one random
    number. In ``decision_function`` an unknown category, or a missing value in a column that had none, has the distance
    1/2. A constant column is not used and has the score 0.

    For a numeric target the hypothesis is evolved to put the rows in the order of the target: its fitness is the share of pairs of
    rows of different targets that it puts in that order, ties counted half (Harrell's C), in whole numbers, and depends on
    nothing but the order of the target. Two numbers are two classes. Counting the pairs takes O(n log n).

    Choices that the paper leaves open: parents are drawn uniformly with replacement; 60 % of the children are a uniform
    crossover of two parents, with step sizes following their coordinates; every coordinate mutates, its step size
    first, by exp(N(0, 1) / sqrt(2 D) + N_k(0, 1) / sqrt(2 sqrt D)) for D coordinates; step sizes start at 0.05 and stay
    between 1e-5 and 1; coordinates are reflected at the bounds; children win ties. Values, weights and centres are
    single-precision numbers. The cost is O(n d) per hypothesis.

    References
    ----------
    K. Jong, E. Marchiori and M. Sebag, "Ensemble learning with evolutionary computation: application to feature
    ranking", PPSN 2004. M. Sebag, J. Azé and N. Lucas, "ROC-based evolutionary learning: application to medical data
    mining", Artificial Evolution 2003.

    Examples
    --------
    >>> from tamis import ROGER
    >>> X = [[0.5, 0.1], [0.4, 0.9], [0.6, 0.5], [0.0, 0.2], [1.0, 0.8], [0.1, 0.4]]
    >>> y = [1, 1, 1, 0, 0, 0]
    >>> selector = ROGER(random_state=0).fit(X, y)
    >>> selector.auc_
    array([1.])
    >>> scores = selector.decision_function(X)
    >>> bool(scores[:3].min() > scores[3:].max())
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FeatureSelector._parameter_constraints,
        "target_kind": TARGET_KIND,
        "hypothesis": [StrOptions({"l1", "linear"})],
        "orientation": [StrOptions({"near", "far", "both"})],
        "niching": ["boolean"],
        "n_evaluations": [whole(20)],
        "random_state": SEED,
    }

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        hypothesis: str = "l1",
        orientation: str = "near",
        n_evaluations: int = 50_000,
        niching: bool = False,
        target_kind: str = "auto",
        fixed_features: ArrayLike | None = None,
        excluded_features: ArrayLike | None = None,
        feature_groups: ArrayLike | None = None,
        categorical_features: ArrayLike | None = "from_dtype",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.hypothesis = hypothesis
        self.orientation = orientation
        self.n_evaluations = n_evaluations
        self.niching = niching
        self.target_kind = target_kind
        self.fixed_features = fixed_features
        self.excluded_features = excluded_features
        self.feature_groups = feature_groups
        self.categorical_features = categorical_features
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Evolve the hypotheses and rank the columns.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            The table; categorical columns and missing values are allowed.
        y : array-like, shape (n,)
            The classes, two or more, or numbers.
        sample_weight : array-like, shape (n,), optional
            Weight of each row, not negative; a pair of rows has the product of their weights. Rows of weight 0 are
            left out.

        Returns
        -------
        self
            The fitted selector.
        """
        table, target = self._table_of_any(X, y)
        if isinstance(target, Numbers):
            table, target, weights = weighed_numbers(self, table, target, sample_weight)
        else:
            table, target, weights = weighed_rows(self, table, target, sample_weight)
            self.classes_ = target.classes
        self._near, self._hypotheses = self._evolve(
            table.values, table.nominal, goals_of(target), weights, self.random_state
        )
        self._schema = table.schema
        self._describe(self._distinct(table))
        return self

    def _evolve(
        self,
        values: Float,
        nominal: NDArray[np.bool_],
        goals: Int,
        weights: Float,
        random_state: int | np.random.RandomState | None,
    ) -> tuple[list[bool], list[Hypothesis]]:
        """Return the best hypothesis for each goal (all 20 with niches), and whether h is to be small where the goal is large.

        `weights` are positive; `goals` are those of the rows of `values`, see `goals_of`.
        """
        columns = Columns.of(values, nominal)
        ways = self._ways()
        seeds = _seeds(random_state, len(goals))
        near_ways, hypotheses = [], []
        for goal, pair in zip(goals, seeds):
            tries = [
                evolved(
                    columns,
                    values,
                    -goal if near else goal,
                    weights,
                    linear=self.hypothesis == "linear",
                    n_evaluations=int(self.n_evaluations),
                    seed=int(seed),
                    niching=self.niching,
                )
                for near, seed in zip(ways, pair)
            ]
            best = int(np.argmax([found[0].auc for found in tries]))
            near_ways.append(ways[best])
            hypotheses += tries[best]
        return near_ways, hypotheses

    def _evolve_runs(
        self,
        scaled: Float,
        goals: Int,
        weights: Float,
        columns: NDArray[np.int64],
        random_states: Sequence[int],
    ) -> NDArray[np.float64]:
        """Return the scores of `_evolve` for many runs on some columns each, shape (r, h, width), in few calls.

        `scaled` are numeric columns scaled to [0, 1], without missing values, none of them constant.
        """
        seeds = np.stack([_seeds(state, len(goals)) for state in random_states])
        scores = np.empty((len(columns), len(goals), columns.shape[1]))
        for h, goal in enumerate(goals):
            tries = [
                evolved_runs(
                    scaled,
                    -goal if near else goal,
                    weights,
                    columns,
                    linear=self.hypothesis == "linear",
                    n_evaluations=int(self.n_evaluations),
                    seeds=seeds[:, h, way].tolist(),
                )
                for way, near in enumerate(self._ways())
            ]
            best = np.argmax([areas for _, areas in tries], axis=0)
            weights_of_best = np.stack([weights for weights, _ in tries])[best, np.arange(len(columns))]
            scores[:, h] = _shares(weights_of_best)
        return scores

    def _ways(self) -> list[bool]:
        """Return, for each evolution, whether h is to be small for the positive class, or for large numbers."""
        if self.hypothesis == "linear":
            return [False]
        return {"near": [True], "far": [False], "both": [True, False]}[self.orientation]

    def _describe(self, distinct: Distinct) -> None:
        """Set the fitted attributes from the hypotheses."""
        hypotheses: list[Hypothesis] = self._hypotheses
        self.weights_, self.hypothesis_scores_ = weights_and_scores(hypotheses)
        self.centers_ = np.stack([one.points() for one in hypotheses])
        self.auc_ = np.asarray([one.auc for one in hypotheses])
        each = len(hypotheses) // len(self._near)
        lengths = [len(one.curve) for one in hypotheses[::each]]
        history = {
            "hypothesis": np.repeat(np.arange(0, len(hypotheses), each), lengths),
            "n_evaluations": np.concatenate([20 + 200 * np.arange(length) for length in lengths]),
            "auc": np.concatenate([one.curve for one in hypotheses[::each]]),
        }
        self._store(self.hypothesis_scores_.mean(axis=0), distinct=distinct, history=history)

    def decision_function(self, X: ArrayLike) -> Float:
        """Return how much each row looks like the second of two classes, like each class, or like rows of large numbers.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            Rows with the columns of ``fit``.

        Returns
        -------
        ndarray, shape (n,) or (n, n_classes)
            The value of the hypothesis, its sign chosen so that higher means more similar. Each class has its own
            scale: the values order rows and are not probabilities.
        """
        check_is_fitted(self)
        rows = encode_like(self, X, self._schema).values
        best = self._hypotheses[:: len(self._hypotheses) // len(self._near)]
        values = np.stack(
            [-one.values(rows) if near else one.values(rows) for near, one in zip(self._near, best)],
            axis=1,
        )
        return values[:, 0] if values.shape[1] == 1 else values


def weights_and_scores(hypotheses: list[Hypothesis]) -> tuple[Float, Float]:
    """Return the weights of hypotheses, and their absolute values scaled to sum to 1; each of shape (h, d)."""
    weights = np.stack([one.weights for one in hypotheses])
    return weights, _shares(weights)


def _shares(weights: Float) -> Float:
    """Return the absolute values, each row scaled to sum to 1."""
    sizes = np.abs(weights)
    totals = sizes.sum(axis=1, keepdims=True)
    shares: Float = sizes / np.where(totals > 0, totals, 1.0)
    return shares


def goals_of(target: Target | Numbers, alive: NDArray[np.intp] | None = None) -> Int:
    """Return what each hypothesis is to put in order, shape (h, n): the ranks of the numbers, or 1 for the rows of a class.

    The second of two classes has a goal of its own, or each of more; of the classes of the rows `alive` only.
    """
    if isinstance(target, Numbers):
        return np.unique(target.values, return_inverse=True)[1].astype(np.int64)[None]
    present = np.unique(target.codes if alive is None else target.codes[alive])
    positives = present[1:] if len(present) == 2 else present
    goals: Int = (target.codes == positives[:, None]).astype(np.int64)
    return goals


def _seeds(random_state: int | np.random.RandomState | None, n_goals: int) -> Int:
    """Return a seed for each goal and each way, shape (n_goals, 2)."""
    seeds: Int = check_random_state(random_state).randint(_SEEDS, size=(n_goals, 2), dtype=np.int64)
    return seeds
