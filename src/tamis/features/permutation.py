"""PermutationRanking: what a model of any kind loses on held-out rows when a column is shuffled."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import joblib
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, _fit_context, clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.metrics import check_scoring
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt

from tamis._callbacks import CallbackSupportMixin
from tamis._parameters import JOBS, SEED, n_workers, whole
from tamis._progress import Progress
from tamis._shared import Shared
from tamis.features._base import TARGET_KIND, FeatureSelector
from tamis.features._curves import columns_of, weights_for
from tamis.features._search import Columns
from tamis.features._shuffles import OfPredictions, r2, shuffled
from tamis.features._sieve_size import class_mean
from tamis.features._splits import splits_by
from tamis.table._arrays import unmasked
from tamis.table._encode import as_frame
from tamis.table._rows import rows_of
from tamis.table._table import Numbers, Table
from tamis.table.weights import any_weights

Float = NDArray[np.float64]
Ints = NDArray[np.intp]
N_TREES = 20


class PermutationRanking(CallbackSupportMixin, FeatureSelector):
    """Rank columns by what a model loses on held-out rows when a column is shuffled, for a model of any kind.

    In every fold the model is fitted on the training rows. A column is worth what the score on the rows held out falls by
    when its values are shuffled among them, in the mean over shuffles and folds: what the model needs the column for,
    where importances from the training rows also count what it learnt by heart. With `step` it is an elimination as
    scikit-learn's RFE: the columns of least worth leave, and the model is fitted anew without them.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many columns to keep: a number, a fraction, or (None) half of those that are neither copies nor constants.
    estimator : estimator or None, default=None
        The model: anything with ``fit`` and ``predict`` that takes the columns of X, some of them missing if there is a
        `step`. None: a random forest of 20 trees, which takes categorical columns and missing values.
    scoring : str, callable or None, default=None
        A scorer of scikit-learn's; None is the model's own ``score``, and for the forest the share of right answers averaged over
        the classes, or r2.
    cv : int, splitter or iterable, default=5
        The folds, as scikit-learn's ``check_cv`` reads them.
    n_repeats : int, default=5
        How often each column is shuffled in each fold.
    step : int, float or None, default=None
        How many columns leave before the model is fitted anew: a number, or a fraction of those that are left. None: the
        model is fitted once a fold, and ranks all columns.
    patience : int or None, default=None
        With a `step`, early stopping: after so many rounds in a row with a score below the best one the elimination ends, and what
        is left is ranked by that round. None: it goes on to the last column.
    target_kind : {"auto", "classes", "numbers"}, default="auto"
        What y holds. "auto": numbers if it holds floats with fractions or more than 20 different floats, else classes.
    fixed_features : array-like or None, default=None
        Columns (names or positions) that are always kept; they stand first and never leave.
    excluded_features : array-like or None, default=None
        Columns that take no part and are never kept; they stand last.
    feature_groups : sequence of array-likes or None, default=None
        Columns that are kept or left together; they are shuffled together.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which columns are categorical: by dtype, none, or exactly these (mask, positions or names).
    random_state : int, RandomState instance or None, default=None
        Decides the shuffles, and the forest of `estimator=None`.
    n_jobs : int or None, default=None
        Folds that run at the same time. The result does not depend on it.
    verbose : int, default=0
        Above 0, progress is shown on stderr: a bar in terminals and notebooks, lines elsewhere.

    Attributes
    ----------
    scores_ : ndarray, shape (d,)
        The mean fall of the score: of the only round, or of the last in which the column took part. 0 for constants, copies
        and excluded columns.
    ranking_ : ndarray of int, shape (d,)
        1 is best; a permutation of 1..d, whatever is selected. Exact copies of earlier columns come after all
        others, and constants last.
    support_ : ndarray of bool, shape (d,)
        Which columns are kept.
    n_features_ : int
        How many columns are kept.
    history_ : dict of arrays, one entry a round
        ``n_features``: how many columns took part; ``score``: the mean score on held-out rows with nothing shuffled.
    classes_ : ndarray
        The classes, sorted; not set for a numeric target.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    Two columns that say the same stand in for each other, so that neither is worth much; exact copies are set aside, and
    groups are shuffled together. The shuffles of a fold are the same for all columns. Permutation importance is
    Breiman's [1]_; on held-out rows with elimination it is what users of RFE have asked scikit-learn for. As a ranking of
    its own it trailed a forest's importances in our trials; use it where the model is given, and the question is what
    that model needs.

    A round fits the model once a fold and predicts the held-out rows of a fold `n_repeats` times for each column.

    References
    ----------
    .. [1] L. Breiman, "Random forests", Machine Learning 45, 2001.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from tamis import PermutationRanking
    >>> X = [[0, 5], [1, 2], [2, 4], [3, 1], [10, 5], [11, 2], [12, 4], [13, 1]]
    >>> y = ["a", "a", "a", "a", "b", "b", "b", "b"]
    >>> ranking = PermutationRanking(1, estimator=KNeighborsClassifier(1), cv=2, random_state=0).fit(X, y)
    >>> ranking.ranking_
    array([1, 2])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FeatureSelector._parameter_constraints,
        "estimator": [HasMethods(["fit", "predict"]), None],
        "scoring": [str, callable, None],
        "cv": ["cv_object"],
        "n_repeats": [whole(1)],
        "step": [None, Interval(RealNotInt, 0, 1, closed="neither"), whole(1)],
        "patience": [None, whole(1)],
        "target_kind": TARGET_KIND,
        "random_state": SEED,
        "n_jobs": JOBS,
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        estimator: BaseEstimator | None = None,
        scoring: Any = None,
        cv: Any = 5,
        n_repeats: int = 5,
        step: int | float | None = None,
        patience: int | None = None,
        target_kind: str = "auto",
        fixed_features: ArrayLike | None = None,
        excluded_features: ArrayLike | None = None,
        feature_groups: ArrayLike | None = None,
        categorical_features: ArrayLike | None = "from_dtype",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.estimator = estimator
        self.scoring = scoring
        self.cv = cv
        self.n_repeats = n_repeats
        self.step = step
        self.patience = patience
        self.target_kind = target_kind
        self.fixed_features = fixed_features
        self.excluded_features = excluded_features
        self.feature_groups = feature_groups
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        groups: ArrayLike | None = None,
        *,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Rank the columns.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            The table; what categorical columns and missing values mean is up to the model.
        y : array-like, shape (n,)
            The classes, two or more, or numbers.
        groups : array-like, shape (n,), or None, default=None
            For `cv`: which rows belong together.
        sample_weight : array-like, shape (n,), or None, default=None
            Weight of each row, not negative, for the score and, where it takes them, the model; rows of weight 0 are left out.

        Returns
        -------
        self
            The fitted selector.
        """
        table, target = self._table_of_any(X, y)
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        numeric = isinstance(target, Numbers)
        labels = self._numbers(target) if isinstance(target, Numbers) else target.classes[target.codes]
        weights = None if sample_weight is None else any_weights(self, target, sample_weight)
        alive = np.arange(table.n_rows) if weights is None else np.flatnonzero(weights > 0)
        model, score = self._model(numeric, seed)
        seen = (
            table.values
            if self.estimator is None
            else X
            if as_frame(X) is not None
            else np.asarray(unmasked(X))
        )
        distinct = self._distinct(Table(table.values[alive], table.schema))
        trial = _Trial(
            Shared((seen, labels, weights)),
            model,
            score,
            self._folds(labels, alive, numeric, groups, seed),
            seed,
            self.n_repeats,
        )
        scores = np.zeros(table.n_columns)
        order, history = self._rounds(trial, self._units_of(distinct.columns), scores)
        self._store(scores, np.array(order, dtype=np.intp), distinct=distinct, history=history)
        return self

    def _numbers(self, target: Numbers) -> Float:
        """The numbers to predict; for the forest in a unit in which their squares neither overflow nor vanish."""
        if self.estimator is not None:
            return target.values
        return target.values / 2.0 ** min(1023, int(np.frexp(np.abs(target.values).max())[1]))

    def _model(self, numeric: bool, seed: int) -> tuple[Any, Any]:
        """The model and its score."""
        if self.estimator is not None:
            return self.estimator, check_scoring(self.estimator, scoring=self.scoring)
        kind = RandomForestRegressor if numeric else RandomForestClassifier
        forest = kind(N_TREES, min_samples_leaf=2, random_state=seed)
        if self.scoring is None:
            return forest, OfPredictions(r2 if numeric else class_mean)
        return forest, check_scoring(forest, scoring=self.scoring)

    def _folds(
        self, labels: NDArray[Any], alive: Ints, numeric: bool, groups: Any, seed: int
    ) -> list[tuple[Ints, Ints]]:
        """The training rows and the rows held out, of those alive; a number of folds is lowered to what the rows allow."""
        cv, who = self.cv, type(self).__name__
        if np.iterable(cv) and not hasattr(cv, "split"):  # positions among all rows
            made = splits_by(who, cv, labels, labels, groups, classifier=not numeric)
            kept = [tuple(np.asarray(part)[np.isin(part, alive)] for part in split) for split in made]
            return [(train, test) for train, test in kept if len(train) and len(test)]
        labels = labels[alive]
        if isinstance(cv, int | np.integer) and groups is None:
            n_rows = len(labels)
            most = n_rows if numeric else int(np.unique(labels, return_counts=True)[1].max())
            stratified = not numeric and most > 1
            kind = StratifiedKFold if stratified else KFold
            cv = kind(max(2, min(int(cv), most if stratified else n_rows)), shuffle=True, random_state=seed)
        together = None if groups is None else np.asarray(groups)[alive]
        with warnings.catch_warnings():  # a class may have fewer rows than there are folds
            warnings.simplefilter("ignore", UserWarning)
            made = splits_by(who, cv, labels, labels, together, classifier=not numeric)
        return [(alive[train], alive[test]) for train, test in made]

    def _units_of(self, columns: Ints) -> list[Columns]:
        """What is shuffled together: groups and single columns, as far as they take part."""
        if self._units is None:
            return [(int(column),) for column in columns]
        taking_part = set(columns.tolist())
        units = (tuple(column for column in unit if column in taking_part) for unit in self._units.eligible)
        return [unit for unit in units if unit]

    def _rounds(
        self, trial: _Trial, units: list[Columns], scores: Float
    ) -> tuple[list[int], dict[str, NDArray[Any]]]:
        """All rounds: the columns from best to worst, and the history; the scores are written."""
        fixed = set() if self._units is None else {column for unit in self._units.fixed for column in unit}
        left, gone = units, list[Columns]()
        history: dict[str, list[Any]] = {"n_features": [], "score": []}
        found: list[tuple[float, Float]] = []

        def ranked_units() -> list[Columns]:
            """Take in the folds of a round, and return its units from best to worst."""
            if found:
                history["n_features"].append(sum(map(len, left)))
                history["score"].append(float(np.mean([score for score, _ in found])))
                for unit, fall in zip(left, np.mean([falls for _, falls in found], axis=0)):
                    scores[list(unit)] = fall
            return sorted(left, key=lambda unit: (-scores[unit[0]], unit))

        with Progress(self, "folds", self._n_rounds(len(units)) * len(trial.folds)) as progress:
            while left:
                for one in trial.falls(left, self.n_jobs):
                    found.append(one)
                    progress()
                ranked = ranked_units()
                leaving = [unit for unit in reversed(ranked) if unit[0] not in fixed][
                    : self._n_leaving(len(left))
                ]
                last = self.step is None or len(leaving) == len(left) or not leaving
                if last or self._gets_worse(history["score"]):
                    left, gone, found = [], [*gone, *reversed(ranked)], []
                else:
                    left, gone = [unit for unit in left if unit not in leaving], [*gone, *leaving]
                    found = []
        if left:  # interrupted
            gone = [*gone, *reversed(ranked_units())]
        order = [column for unit in reversed(gone) for column in unit]
        return order, {name: np.array(values) for name, values in history.items()}

    def _gets_worse(self, scores: list[float]) -> bool:
        """Whether so many rounds have passed since the score was last as good as the best."""
        if self.patience is None or self.step is None:
            return False
        best = max(scores)
        return scores[::-1].index(best) >= self.patience

    def _n_rounds(self, n_units: int) -> int:
        """How many rounds there are at most."""
        n_rounds = 0
        while n_units > 0:
            n_units -= self._n_leaving(n_units)
            n_rounds += 1
        return n_rounds

    def _n_leaving(self, n_left: int) -> int:
        """How many leave of those that are left; one stays."""
        if self.step is None:
            return n_left
        wanted = self.step if isinstance(self.step, int | np.integer) else int(self.step * n_left)
        return min(max(1, int(wanted)), max(1, n_left - 1))


@dataclass(frozen=True, eq=False)
class _Trial:
    """Everything that a round needs.

    Attributes
    ----------
    told : Shared
        The rows, the labels, and the weights or None.
    model, score
        The estimator, cloned in every fold, and its scorer.
    folds : list
        Training rows and rows held out.
    seed : int
        Of the shuffles.
    n_repeats : int
        How often a column is shuffled in each fold.
    """

    told: Shared[tuple[Any, NDArray[Any], Float | None]]
    model: Any
    score: Any
    folds: list[tuple[Ints, Ints]]
    seed: int
    n_repeats: int

    def falls(self, units: list[Columns], n_jobs: int | None) -> Iterator[tuple[float, Float]]:
        """The score of each fold, and by how much it falls when each unit is shuffled."""
        found: Iterator[tuple[float, Float]] = joblib.Parallel(
            n_jobs=n_workers(n_jobs), return_as="generator"
        )(joblib.delayed(_fold_falls)(self, number, units) for number in range(len(self.folds)))
        return found


def _fold_falls(trial: _Trial, number: int, units: list[Columns]) -> tuple[float, Float]:
    """The score of one fold, and by how much it falls when each unit is shuffled."""
    X, y, weights = trial.told.data
    train, test = trial.folds[number]
    columns = np.array(sorted(column for unit in units for column in unit), dtype=np.intp)
    rows = columns_of(X, columns)
    counted: dict[str, Any] = {} if weights is None else {"sample_weight": weights[test]}
    model = clone(trial.model)
    model.fit(rows_of(rows, train), y[train], **weights_for(model, weights, train))
    held, answers = rows_of(rows, test), y[test]
    whole = float(trial.score(model, held, answers, **counted))
    random = np.random.RandomState([trial.seed, number])
    shuffles = [random.permutation(len(test)) for _ in range(trial.n_repeats)]
    copies = (
        shuffled(held, np.searchsorted(columns, unit), shuffle) for unit in units for shuffle in shuffles
    )
    if isinstance(trial.score, OfPredictions):
        scores = trial.score.of_many(model, copies, answers, **counted)
    else:
        scores = [float(trial.score(model, copy, answers, **counted)) for copy in copies]
    falls: Float = whole - np.array(scores, dtype=np.float64).reshape(len(units), -1).mean(axis=1)
    return whole, falls
