"""Many rankings of the same columns, aggregated into one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context, clone
from sklearn.ensemble._base import _set_random_states
from sklearn.utils import check_random_state, get_tags
from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt, StrOptions
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import has_fit_parameter

from tamis._callbacks import CallbackSupportMixin
from tamis._memory import Memory
from tamis._parameters import JOBS, SEED, capped, n_wanted, n_workers, number, share_of, whole
from tamis._progress import Progress
from tamis._shared import Shared
from tamis.features._aggregation import aggregated, column_order, dealt, n_until_all_seen, spread
from tamis.features._base import TARGET_KIND, FeatureSelector
from tamis.features._drawn_rows import Bootstrap
from tamis.features._runs import roger_scores, run_scores
from tamis.features.roger import ROGER, goals_of
from tamis.table._encode import as_frame
from tamis.table._table import Numbers, Table
from tamis.table.weights import group_codes, number_weights, row_weights

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


Float = NDArray[np.float64]
_TOGETHER = 20  # runs in one call: between calls Ctrl-C is noticed
_SHORT, _SEEN, _MOST_RUNS = (
    1000,
    30,
    1000,
)  # by default: hypotheses per run, runs that see a column, most runs


class EFR(CallbackSupportMixin, FeatureSelector):
    """Ensemble feature ranking: rank columns by what many independent rankings agree on.

    A ranker is fitted several times, each time with other random numbers, columns or rows, and the rankings are
    aggregated. If each ranking puts two columns in the right order more often than not, the majority does so nearly
    always. The ranker can be any selector of this library, or any scikit-learn model with importances or coefficients.
    By default it is `ROGER`, in many short runs on few of the columns.

    Parameters
    ----------
    estimator : object or None, default=None
        The ranker; None is ``ROGER(n_evaluations=1000)``, for a numeric target with ``orientation="both"``. Every run gets a
        random state of its own.
    n_features_to_select : int, float or None, default=None
        How many columns to keep: a number, a fraction, or (None) half of those that are neither copies nor constants.
    preset : {"paper", "printed"} or None, default=None
        "paper" is the method of the paper: 15 runs of ``ROGER()`` on all columns, as ``EFR(ROGER())``. "printed" is the same
        with the sign as the paper prints it, ``ROGER(orientation="far")``: the second class is to be far from the point,
        which cannot give the paper's own figures for a class around a point. Either stands in the place of `estimator`,
        which must be None; all other parameters keep their meaning.
    n_estimators : int or "auto", default="auto"
        Number of runs. "auto" is 15 if `estimator` is given; if it is None, 300, or more if every column would
        otherwise be seen less than 30 times.
    aggregation : {"majority", "median", "max", "mean", "quantile"}, default="majority"
        "majority" counts, for each column, the columns that a majority of the runs place strictly below it. The
        others take the median, largest, mean or `quantile` of a column's scores over the runs.
    quantile : float, default=0.75
        The quantile for "quantile", from 0 to 1.
    max_features : int, float or "auto", default="auto"
        Number or fraction of the columns that each run sees. "auto" is all columns if `estimator` is given; if it is
        None, a tenth, at least 10 and at most 20, or more if 1,000 runs would otherwise see a column less than 30
        times. Columns are dealt like cards, so that all are seen equally often; two columns are compared in the runs
        that saw both.
    bootstrap : bool, default=False
        Whether each run draws its rows with replacement, from each class as many as it has; with `groups`, whole groups,
        from those that hold the same classes as many as there are.
    target_kind : {"auto", "classes", "numbers"}, default="auto"
        What y holds. "auto": numbers if it holds floats with fractions or more than 20 different floats, else classes.
        Passed on to rankers that have a parameter of this name.
    importance_getter : str or callable, default="auto"
        Where the scores of a fitted ranker are: an attribute (dots allowed), or a function of the ranker. "auto"
        looks for ``scores_``, ``feature_importances_``, ``coef_`` (absolute values) and ``ranking_``.
    fixed_features : array-like or None, default=None
        Columns (names or positions) that are always kept; they stand first.
    excluded_features : array-like or None, default=None
        Columns that take no part and are never kept; they stand last.
    feature_groups : sequence of array-likes or None, default=None
        Columns that are kept or left together, ranked by the best of them. A size is then reached as nearly as groups
        allow, never exceeded.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which columns are categorical: by dtype, none, or exactly these (mask, positions or names). Passed on to
        rankers that have a parameter of this name.
    n_jobs : int or None, default=None
        Number of runs at a time, by joblib. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of all random choices.
    verbose : int, default=0
        Above 0, progress is shown on stderr: a bar in terminals and notebooks, lines elsewhere.

    Attributes
    ----------
    scores_ : ndarray, shape (d,)
        The aggregated score; for "majority" the number of columns placed below. A copy has the score of the column
        that it repeats, a constant has 0.
    ranking_ : ndarray of int, shape (d,)
        By decreasing score, on ties by the larger mean score over the runs, then the lower column; 1 is best, a
        permutation of 1..d, whatever is selected. Exact copies of earlier columns come after all others, and
        constants last, whatever their scores.
    support_ : ndarray of bool, shape (d,)
        Which columns are kept.
    n_features_ : int
        How many columns are kept.
    run_scores_ : ndarray, shape (r, d)
        The scores of each run, scaled so that their absolute values sum to 1; NaN for columns that it did not see.
        No run sees copies and constants. A run with several hypotheses (one per class) has a row for each.
    classes_ : ndarray
        The classes, sorted; not set for a numeric target.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    More than two classes (multiclass) are left to the ranker: `ROGER` sets each class against the rest, and all its
    hypotheses take part in one ensemble, as do the rows of ``coef_``. If ``scores_`` and ``ranking_`` disagree, because
    the ranking comes from a search, the ranking is used. A score that is not a number counts as the lowest.

    A numeric target is left to the ranker too, which may be a regressor; `ROGER` counts concordant pairs, so that only the
    order of the target matters.

    ``EFR(ROGER())`` is the method of the paper: 15 runs of up to 50,000 hypotheses on all columns. The default judges
    three hypotheses where the paper judges five, and ranked better on new data sets of the paper's kinds.

    A ranker without randomness gives the same ranking in every run unless ``max_features`` or ``bootstrap`` makes
    the runs differ. The cost is that of the runs and O(r d^2) for the majority.

    References
    ----------
    K. Jong, E. Marchiori and M. Sebag, "Ensemble learning with evolutionary computation: application to feature
    ranking", PPSN 2004. J. Bi et al., "Dimensionality reduction via sparse support vector machines", Journal of
    Machine Learning Research 3, 2003 (averaged weights).

    Examples
    --------
    >>> from tamis import EFR, UnivariateAUC
    >>> X = [[1, 5, 2], [2, 3, 1], [3, 4, 2], [4, 6, 1]]
    >>> y = [0, 0, 1, 1]
    >>> EFR(UnivariateAUC(), n_estimators=3).fit(X, y).scores_
    array([2., 1., 0.])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FeatureSelector._parameter_constraints,
        "estimator": [HasMethods(["fit"]), None],
        "preset": [StrOptions({"paper", "printed"}), None],
        "n_estimators": [whole(1), StrOptions({"auto"})],
        "aggregation": [StrOptions({"majority", "median", "max", "mean", "quantile"})],
        "quantile": [number(0, 1, closed="both")],
        "max_features": [
            Interval(RealNotInt, 0, 1, closed="right"),
            whole(1),
            StrOptions({"auto"}),
        ],
        "bootstrap": ["boolean"],
        "target_kind": TARGET_KIND,
        "importance_getter": [str, callable],
        "n_jobs": JOBS,
        "random_state": SEED,
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        estimator: BaseEstimator | None = None,
        n_features_to_select: int | float | None = None,
        *,
        preset: str | None = None,
        n_estimators: int | str = "auto",
        aggregation: str = "majority",
        quantile: float = 0.75,
        max_features: int | float | str = "auto",
        bootstrap: bool = False,
        target_kind: str = "auto",
        importance_getter: Any = "auto",
        fixed_features: ArrayLike | None = None,
        excluded_features: ArrayLike | None = None,
        feature_groups: ArrayLike | None = None,
        categorical_features: ArrayLike | None = "from_dtype",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_features_to_select = n_features_to_select
        self.preset = preset
        self.n_estimators = n_estimators
        self.aggregation = aggregation
        self.quantile = quantile
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.target_kind = target_kind
        self.importance_getter = importance_getter
        self.fixed_features = fixed_features
        self.excluded_features = excluded_features
        self.feature_groups = feature_groups
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
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
        """Fit the runs and aggregate their rankings.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            The table; categorical columns and missing values are allowed if the ranker allows them.
        y : array-like, shape (n,)
            The classes, two or more, or numbers.
        sample_weight : array-like, shape (n,), optional
            Weight of each row, not negative, passed on to the ranker. Rows of weight 0 are left out.
        groups : array-like, shape (n,), optional
            Rows that belong together, such as measurements of one patient: `bootstrap` draws whole groups, and a ranker that
            takes groups is given those of its rows (also of a group drawn twice). Otherwise they change nothing.

        Returns
        -------
        self
            The fitted selector.
        """
        if self.preset is not None and self.estimator is not None:
            raise ValueError(
                f"EFR: preset={self.preset!r} brings its own ranker, but estimator={self.estimator} was given too. "
                "Leave one of them out."
            )
        table, target = self._table_of_any(X, y)
        together = group_codes("EFR", table.n_rows, groups)
        numeric = isinstance(target, Numbers)
        labels: NDArray[Any]
        if isinstance(target, Numbers):
            weights, labels, classes = number_weights(self, target, sample_weight), target.values, np.empty(0)
        else:
            weights, labels, classes = row_weights(self, target, sample_weight), target.codes, target.classes
        ranker = self._given()
        if ranker is None:
            ranker = ROGER(n_evaluations=_SHORT, orientation="both" if numeric else "near")
        if sample_weight is not None and not has_fit_parameter(ranker, "sample_weight"):
            raise TypeError(
                f"EFR: sample_weight was given, but {type(ranker).__name__} takes none. Leave it out, or use a "
                "ranker whose fit has sample_weight."
            )
        rng = check_random_state(self.random_state)
        alive = np.flatnonzero(weights > 0)
        distinct = self._distinct(table, weights)
        n_runs, width = self._deal(len(distinct.columns), table.n_columns)
        hands = dealt(len(distinct.columns), width, n_runs, rng)
        columns = [distinct.columns[hand] for hand in hands]
        drawing = Bootstrap.of(alive, labels, together, numeric=numeric) if self.bootstrap else None
        rows = [alive if drawing is None else drawing.drawn(rng) for _ in columns]
        frame = as_frame(X)
        task: Callable[[Sequence[int]], Any]
        if encoded_once := self._takes_encoded_table(ranker):
            ranker._validate_params()
            seeds = rng.randint(np.iinfo(np.int32).max, size=n_runs)
            seen = distinct.cut(table)
            encoded = Shared((seen.values, seen.nominal, goals_of(target, alive), weights))

            def task(numbers: Sequence[int]) -> Any:
                runs = [(rows[number], hands[number], int(seeds[number])) for number in numbers]
                return delayed(roger_scores)(ranker, encoded, runs)

        else:
            rankers = [self._ranker(ranker, table, seen, rng) for seen in columns]
            given = (
                None if sample_weight is None else np.broadcast_to(np.asarray(sample_weight), len(weights))
            )
            source = table.values if frame is None else frame.to_native()
            shared = Shared(
                (source, labels if numeric else classes[labels], given, None if groups is None else together)
            )

            def task(numbers: Sequence[int]) -> Any:
                runs = [(rankers[number], rows[number], columns[number]) for number in numbers]
                return delayed(run_scores)(shared, runs, self.importance_getter)

        def scored(numbers: Sequence[int]) -> Iterator[Float]:
            size = max(1, min(_TOGETHER, len(numbers) // (4 * n_workers(self.n_jobs)))) if encoded_once else 1
            tasks = (task(numbers[start : start + size]) for start in range(0, len(numbers), size))
            options: dict[str, Any] = {"prefer": "processes"}
            # ROGER's kernel releases the interpreter's lock; joblib's own batches would be too long
            if isinstance(ranker, ROGER):
                options = {"prefer": "threads", "batch_size": 1}
            for some in Parallel(n_jobs=capped(self.n_jobs), return_as="generator", **options)(tasks):
                yield from some

        kinds = "" if frame is None else f"{type(frame.to_native()).__module__} {frame.schema}"
        memory = Memory.of_arrays(self, lambda: [table.values, labels], table.schema, classes, kinds)
        if sample_weight is not None or groups is not None:
            memory = Memory.none()
        scores_of_runs = memory.each(
            *(
                "run",
                len(columns),
                scored,
                lambda scores: {"scores": scores},
                lambda stored: stored["scores"],
            ),
            Progress(self, "runs", len(columns), least=n_until_all_seen(hands, len(distinct.columns))),
        )
        self.run_scores_ = spread(scores_of_runs, columns[: len(scores_of_runs)], table.n_columns)
        by_run = self.run_scores_[:, distinct.columns]
        scores = aggregated(by_run, self.aggregation, float(self.quantile))
        order = distinct.columns[column_order(scores, by_run)]
        self._store(distinct.spread(scores), order, distinct=distinct)
        return self

    def _given(self) -> Any:
        """Return the ranker that the caller asked for, by itself or by a preset; None if there is none."""
        if self.preset is None:
            return self.estimator
        return ROGER(orientation="near" if self.preset == "paper" else "far")

    def _deal(self, n_columns: int, n_given: int) -> tuple[int, int]:
        """Return the number of runs, and how many distinct columns each sees; raise if they cannot see all."""
        wanted, runs = self.max_features, self.n_estimators
        if not isinstance(wanted, str):
            n_wanted("EFR", "max_features", wanted, n_given, "features")
            width = min(share_of(wanted, n_columns), n_columns)
        elif self._given() is None:
            most = _MOST_RUNS if runs == "auto" else int(runs)
            width = max(10, min(20, n_columns // 10), -(-_SEEN * n_columns // most))
            width = min(n_columns, width)
        else:
            width = n_columns
        if runs != "auto":
            n_runs = int(runs)
        else:
            n_runs = 15 if self._given() is not None else max(300, -(-_SEEN * n_columns // width))
        if width * n_runs < n_columns:
            raise ValueError(
                f"EFR: {n_runs} runs of {width} columns cannot see all {n_columns} columns. "
                f"Use n_estimators of at least {-(-n_columns // width)}, or a larger max_features."
            )
        return n_runs, width

    def _ranker(
        self, ranker: BaseEstimator, table: Table, seen: NDArray[np.intp], rng: np.random.RandomState
    ) -> Any:
        """Return an unfitted ranker for one run, with its own seed and the kinds of the columns that it sees."""
        one = clone(ranker)
        if self._passes_kinds(ranker):
            one.set_params(categorical_features=table.nominal[seen])
        if self.target_kind != "auto" and one.get_params(deep=False).get("target_kind") == "auto":
            one.set_params(target_kind=self.target_kind)
        _set_random_states(one, rng)
        return one

    def _takes_encoded_table(self, ranker: BaseEstimator) -> bool:
        """Return whether the runs are ROGER's with the same kinds of columns: then the table is encoded only once."""
        if type(ranker) is not ROGER or self.importance_getter != "auto":
            return False
        given = ranker.categorical_features
        return self._passes_kinds(ranker) or (isinstance(given, str) and given == "from_dtype")

    def _passes_kinds(self, ranker: BaseEstimator) -> bool:
        """Return whether `categorical_features` is passed on to the ranker."""
        given = self.categorical_features
        by_dtype = isinstance(given, str) and given == "from_dtype"
        return (self._given() is None or not by_dtype) and "categorical_features" in ranker.get_params(
            deep=False
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.estimator is not None:
            tags.input_tags.allow_nan = get_tags(self.estimator).input_tags.allow_nan
        return tags
