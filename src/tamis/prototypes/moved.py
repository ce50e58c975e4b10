"""MovedPrototypes: few made rows whose 1-NN rule has wide margins, moved down MarginPrototypes' loss."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, _fit_context, clone
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions

from tamis._callbacks import CallbackSupportMixin
from tamis._memory import Memory
from tamis._parameters import JOBS, SEED, n_wanted, n_workers, number, whole
from tamis._progress import Progress
from tamis.prototypes._base import CATEGORICAL, COUNT
from tamis.prototypes._held_out import with_weights_decided
from tamis.prototypes._made import NearestMade, rows_as_given
from tamis.prototypes._moved import NEVER, Steps, Task, folded, moved, voted_start
from tamis.prototypes._points import BATCH, PointSpace
from tamis.prototypes._weights import loss_weights
from tamis.prototypes.margin import STEEPEST, MarginPrototypes
from tamis.table._encode import encode, encode_target
from tamis.table._rows import rows_of
from tamis.table._table import Table, Target

SEARCHED_ROWS = 10_000
"""Up to so many rows the start is what MarginPrototypes keeps."""

WEIGHT_STEP = 0.05
"""The length of a first step of what the columns count."""

LONGEST_STEP = 1000
"""The largest first step, in units of the typical difference: longer ones carry made rows out of what floats can hold."""

AFTER_FOLDING = 0.3
"""The length of the steps that follow when learnt weights were folded, as a share of those before."""

REAL_FROM = 0.5
"""The share of the way from which categorical columns have real values, where no weights are folded."""


class MovedPrototypes(CallbackSupportMixin, BaseEstimator):
    """Make a few rows whose nearest-neighbour rule has wide margins on all rows: kept rows that move down a loss.

    With a and b the squared distances of a row to the nearest made row of its own class and of another class, its
    margin is mu = (b - a) / (b + a), and its loss 1 / (1 + exp(beta mu)): the cost of generalised learning vector
    quantisation (GLVQ). The made rows start from what `MarginPrototypes` keeps, and move down the mean loss by small
    steps. Their classes never change. Where few rows must stand for many, made rows do it better than kept ones.

    Parameters
    ----------
    n_prototypes : int or float, default=0.05
        How many rows to make: a number, or a fraction of the rows.
    n_steps : int or None, default=None
        How many steps. None: 200, and 300 beyond 4,096 rows, where each step sees 2,048 of them.
    betas : sequence of two floats, default=(8, 16)
        How steep the loss is in the first step, and in the last; above 0, up to 500.
    step_size : float or None, default=None
        The length of the first steps, in units of the typical difference of a row and its made row in one column, up to
        1,000. None: 0.1, and 0.15 beyond 4,096 rows.
    resting : "auto" or float, default="auto"
        The share of the made rows that rest in a step, drawn anew for each step, from 0 up to below 1. Without it
        many made rows fit the noise of the table. "auto": none up to 4 made rows a class, half of them from 24 on.
    learn_weights : bool or "auto", default="auto"
        Whether columns learn to count more or less in the distance (as in GRLVQ). `PrototypeClassifier` then measures
        with these weights; another model fitted on the made rows does not know them. "auto": `PrototypeClassifier`
        without a classifier of its own tries both on rows held out and takes what is right more often. Otherwise the made
        rows learn weights which are then folded into where they lie, and half as many steps follow without.
    real_values : bool or "auto", default="auto"
        Whether made rows have real values of the categorical columns in the second half of the steps (or in those after
        folding) and in the end, so that they are as good as they come back. "auto": yes, but not for `PrototypeClassifier` without a classifier of its
        own, which measures by places between the values.
    class_weight : None, "balanced" or dict, default=None
        As in `MarginPrototypes`: what the loss of a row of each class counts.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which columns are categorical: by dtype, none, or exactly these (mask, positions or names).
    random_state : int, RandomState instance or None, default=None
        Decides the start, and what takes part in each step.
    n_jobs : int or None, default=None
        Threads, used beyond 1,024 rows. The result does not depend on it.
    verbose : int, default=0
        Above 0, progress is shown on stderr, 25 steps at a time: a bar in terminals and notebooks, lines elsewhere.

    Attributes
    ----------
    prototypes_ : array or frame, m rows
        The made rows, in the form in which X came; by class, then in the order of the rows they started from.
    labels_ : ndarray, shape (m,)
        Their classes.
    positions_ : ndarray, shape (m, D)
        Where they lie: numeric columns scaled by their range, and for a categorical column one coordinate for each
        value, sqrt(1/2) where a row has it.
    position_weights_ : ndarray, shape (D,)
        What each coordinate counts in a distance; all 1 without `learn_weights`.
    start_indices_ : ndarray of int, shape (m,)
        The rows they started from.
    history_ : dict of arrays, one entry a step
        ``beta``, and the mean ``loss`` before the step, over the rows and made rows that took part in it.
    classes_ : ndarray
        The classes, sorted.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    The loss is that of GLVQ [1]_; learnt column weights are those of GRLVQ [2]_. Ours are the start, the rest that
    made rows take (dropout), the steps (Adam with a cosine, in units of the table), mixed and missing data, and that
    the answer has the same bits for any number of threads. See docs/methods/moved_prototypes.md for what it is worth.

    Missing values add nothing to a distance and pull at nothing; a made row has none. A row made has in a categorical
    column the value that its position is nearest to.

    Above 10,000 rows the start is random rows that their neighbours vote for, since `MarginPrototypes` would take long.
    The same is done if `MarginPrototypes` keeps rows of one class alone. A step costs O(n m D) by matrix products,
    with n up to 4,096 rows. Memory: two copies of the table as points, and n m products.

    References
    ----------
    .. [1] A. Sato and K. Yamada, "Generalized learning vector quantization", NIPS 1996.
    .. [2] B. Hammer and T. Villmann, "Generalized relevance learning vector quantization", Neural Networks 15, 2002.

    Examples
    --------
    >>> from tamis import MovedPrototypes, PrototypeClassifier
    >>> X = [[0], [1], [2], [10], [11], [12]]
    >>> y = ["a", "a", "a", "b", "b", "b"]
    >>> made, labels = MovedPrototypes(2, random_state=0).fit_resample(X, y)
    >>> labels
    ['a', 'b']
    >>> PrototypeClassifier(MovedPrototypes(2, random_state=0)).fit(X, y).predict([[4], [8]])
    array(['a', 'b'], dtype='<U1')
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_prototypes": COUNT,
        "n_steps": [whole(0), None],
        "betas": ["array-like"],
        "step_size": [number(0, LONGEST_STEP, closed="right"), None],
        "resting": [number(0, 1, closed="left"), StrOptions({"auto"})],
        "learn_weights": ["boolean", StrOptions({"auto"})],
        "real_values": ["boolean", StrOptions({"auto"})],
        "class_weight": [None, StrOptions({"balanced"}), dict],
        "categorical_features": CATEGORICAL,
        "random_state": SEED,
        "n_jobs": JOBS,
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_prototypes: int | float = 0.05,
        *,
        n_steps: int | None = None,
        betas: Any = (8, 16),
        step_size: float | None = None,
        resting: str | float = "auto",
        learn_weights: bool | str = "auto",
        real_values: bool | str = "auto",
        class_weight: dict[Any, float] | str | None = None,
        categorical_features: ArrayLike | None = "from_dtype",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_prototypes = n_prototypes
        self.n_steps = n_steps
        self.betas = betas
        self.step_size = step_size
        self.resting = resting
        self.learn_weights = learn_weights
        self.real_values = real_values
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Make the rows.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            The rows; categorical columns and missing values are allowed.
        y : array-like, shape (n,)
            Their classes.
        sample_weight : array-like, shape (n,), or None, default=None
            What the loss of each row counts, times the weight of its class.

        Returns
        -------
        self
            The fitted selector.
        """
        return self._fit_from(X, y, sample_weight, None)

    def _fit_from(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None, start: NDArray[np.intp] | None
    ) -> Self:
        """Make the rows from a start, which is searched for if it is None."""
        betas = self._checked_betas()
        table = encode(self, X, self.categorical_features)
        target = encode_target(self, X, y)
        size = n_wanted(type(self).__name__, "n_prototypes", self.n_prototypes, table.n_rows, "rows")
        weights, scale = loss_weights(self, target, self.class_weight, sample_weight)
        random = check_random_state(self.random_state)
        plan = self._plan(table.n_rows, betas)
        n_steps = sum(steps.n_steps for steps in plan)
        with Progress(self, "steps", n_steps, rests="the rows are where these brought them") as progress:
            if start is None:
                start = self._start(table, target, size, sample_weight, random)
            start = start[np.argsort(target.codes[start], kind="stable")]
            space, labels = PointSpace.of(table), target.codes[start]
            points = space.points(table.values)
            plan = [replace(steps, resting=self._resting(labels)) for steps in plan]
            for state, losses in moved(
                Task(space, points, target.codes, weights, labels),
                points.filled(start, target.codes),
                plan,
                random,
                n_workers(self.n_jobs),
                Memory.of(self, table, target, weights=None if sample_weight is None else weights),
            ):
                reached = state  # and not what an unfinished run of steps leaves
                if losses:
                    progress(len(losses) - progress.done, f"mean loss {losses[-1]:.6g}")
        self.classes_, self.labels_ = target.classes, target.classes[labels]
        self.start_indices_ = start
        places, counts = reached.prototypes, reached.counts
        if len(plan) > 1 and (counts != 1.0).any():  # interrupted before they were folded
            places, counts = folded(places, counts), np.ones_like(counts)
        self.positions_ = space.with_real_values(places) if self.real_values else places
        self.position_weights_ = counts
        self.prototypes_ = rows_as_given(X, table, space.values(self.positions_))
        self._nearest_made = NearestMade(space, self.positions_, counts)
        beta = [steps.beta(number) for steps in plan for number in range(steps.n_steps)]
        self.history_ = {
            "beta": np.array(beta[: len(losses)], dtype=np.float64),
            "loss": np.array(losses) * scale,
        }
        return self

    def fit_resample(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> tuple[Any, Any]:
        """Make the rows and return them.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            The rows.
        y : array-like, shape (n,)
            Their classes.
        sample_weight : array-like, shape (n,), or None, default=None
            As in `fit`.

        Returns
        -------
        X_made, y_made
            The made rows and their classes, of the types that came in.
        """
        self.fit(X, y, sample_weight)
        return self.prototypes_, _reset(rows_of(y, self.start_indices_))

    def _start(
        self,
        table: Table,
        target: Target,
        size: int,
        sample_weight: ArrayLike | None,
        random: np.random.RandomState,
    ) -> NDArray[np.intp]:
        """The rows to start from, ascending."""
        if table.n_rows <= SEARCHED_ROWS:
            fixed = isinstance(self.random_state, int | np.integer)
            search = MarginPrototypes(
                size,
                class_weight=self.class_weight,
                random_state=self.random_state if fixed else random.randint(2**31 - 1),
                n_jobs=self.n_jobs,
            )
            start = np.sort(search._rows(table, target, sample_weight))
            if size == 1 or len(np.unique(target.codes[start])) > 1:
                return start
        return voted_start(table, target, size, random, self.n_jobs)

    def _resting(self, labels: NDArray[np.int64]) -> float:
        """The share of the made rows that rest in a step."""
        if not isinstance(self.resting, str):
            return float(self.resting)
        a_class = len(labels) / len(np.unique(labels))
        return 0.5 * min(1.0, max(0.0, (a_class - 4.0) / 20.0))

    def _plan(self, n_rows: int, betas: tuple[float, float]) -> list[Steps]:
        """How the made rows move; what is "auto" is decided before `fit`, or means that others measure plainly."""
        many = n_rows > BATCH
        n_steps = self.n_steps if self.n_steps is not None else 300 if many else 200
        step_size = self.step_size if self.step_size is not None else 0.15 if many else 0.1
        if not isinstance(self.learn_weights, str):
            weight_step = WEIGHT_STEP if self.learn_weights else 0.0
            real_from = REAL_FROM if self.real_values else NEVER
            return [Steps(n_steps, betas, step_size, 0.0, weight_step, real_from)]
        last, real_from = (betas[1], betas[1]), 0.0 if self.real_values else NEVER
        return [
            Steps(n_steps, betas, step_size, 0.0, WEIGHT_STEP),
            Steps(n_steps // 2, last, AFTER_FOLDING * step_size, 0.0, 0.0, real_from),
        ]

    def _for_own_distance(self, X: ArrayLike, y: NDArray[Any]) -> MovedPrototypes:
        """What `PrototypeClassifier` fits where it measures by itself: what is "auto" is decided."""
        self._validate_params()  # before the fits on rows held out
        finer: MovedPrototypes = clone(self)
        if isinstance(self.real_values, str):
            finer.set_params(real_values=False)
        return with_weights_decided(finer, X, y) if isinstance(self.learn_weights, str) else finer

    def _checked_betas(self) -> tuple[float, float]:
        try:
            first, last = (float(beta) for beta in self.betas)
        except (TypeError, ValueError, OverflowError):
            first, last = 0.0, 0.0
        if not (0 < first <= STEEPEST and 0 < last <= STEEPEST):
            raise ValueError(
                f"{type(self).__name__}: betas={self.betas!r}, but there must be two numbers, each above 0 and up to "
                f"{STEEPEST:g}. Use, say, (8, 16)."
            )
        return first, last

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags


def _reset(labels: Any) -> Any:
    """Labels of made rows, whose index in a pandas Series tells nothing of them."""
    return labels.reset_index(drop=True) if hasattr(labels, "reset_index") else labels
