"""FS2Boost, iFS2Boost and SFS: a search for the columns on which boosted nearest-neighbour votes are best."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import _fit_context
from sklearn.utils._param_validation import HasMethods, StrOptions

from tamis._callbacks import CallbackSupportMixin
from tamis._memory import Memory
from tamis._parameters import JOBS, SEED, number, preset_settings, whole
from tamis._progress import Progress
from tamis.features._base import SIZE, TARGET_KIND, FeatureSelector
from tamis.features._column_units import Units, check_sizes, column_limit, column_units, units_aside
from tamis.features._drawn_rows import drawn_rows
from tamis.features._fs2boost_criterion import Given, criterion_of
from tamis.features._search import (
    Columns,
    MemoisedVotes,
    Rules,
    Search,
    columns_of,
    history_of,
    measured_units,
    ranked_units,
    values_alone,
)
from tamis.table._distinct import first_equals
from tamis.table._table import Numbers, Target
from tamis.votes.criterion import CRITERIA
from tamis.votes.models import LEARNERS

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

PAPER = {"direction": "forward", "floating": False, "patience": 1}
"""What the preset "paper" sets."""


class FS2Boost(CallbackSupportMixin, FeatureSelector):
    """Search for the columns on which boosted nearest-neighbour votes are best.

    Columns are added one at a time: each time the one that gives the lowest criterion Z of AdaBoost over the votes of
    nearest neighbours. Z is the mean of exp(-y F) over the rows; F is the boosted vote that a row receives from its
    neighbours, never from itself. Z says more than the number of errors: also how certain each vote is.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many columns to keep: a number, a fraction, or None to let the stopping rule decide (see `tol`).
    preset : {"paper"} or None, default=None
        "paper" is the search of the paper's Figure 2: forward, and over at the first column that does not lower the
        criterion by `tol`. It stands in the place of `direction`, `floating` and `patience`; all other parameters keep
        their meaning.
    criterion : {"z", "z_prime", "z_prime_minimised", "z_prime_literal", "accuracy"}, default="z"
        What is minimised. "z": Z (FS2Boost). The next three are readings of iFS2Boost, in which a row counts by how much
        one class leads among the rows of its description (the values in the columns of the set). "z_prime": the
        weights of the rounds are computed from rows counted so, and Z is minimised; "z_prime_minimised": the same, and Z'
        is minimised, Z over rows counted so; "z_prime_literal": everything is computed from rows counted so.
        "accuracy": the leave-one-out error of the neighbours' plain vote (SFS); for a numeric target the leave-one-out
        squared error of the neighbours' mean, divided by the variance. The others are for classes.
    estimator : {"stump", "tree"}, classifier or None, default=None
        The weak learner. None: the votes of nearest neighbours, which leave the row itself out. "stump" and "tree": decision
        trees of one and three levels. A classifier of scikit-learn's form: any other. A learner is fitted in every round
        to all rows, with their weights, or to rows drawn by them if its ``fit`` takes no weights. Of a categorical
        column it sees a column of 0 and 1 per category.
    n_rounds : int, default=50
        Number of boosting rounds, T.
    n_neighbors : int, default=9
        Number of neighbours, k; at most the number of rows minus one.
    direction : {"forward", "backward"}, default="forward"
        From no column upwards, or from all columns downwards.
    floating : bool, default=False
        Whether, after each move, moves are undone as long as this gives the best set of its size so far.
    tol : float, default=0.003
        A move is progress if the criterion falls below (1 - tol) times the best so far.
    patience : int, default=4
        The search ends after this many moves in a row without progress, and the set before them is kept. With 1 it
        ends at the first such move, as in the paper.
    bounded : bool, default=False
        Whether columns that cannot be the best of a step by a bound of Z are left unmeasured in it. The columns kept, and the
        order in which they are added, are the same. For forward searches; see Notes.
    max_features : int, float or None, default=None
        The most columns that may be kept, a number or a fraction.
    fixed_features : array-like or None, default=None
        Columns (names or positions) that are always kept.
    excluded_features : array-like or None, default=None
        Columns that are never kept.
    feature_groups : sequence of array-likes or None, default=None
        Groups of columns that are added and removed together. A requested number of columns is then reached as nearly
        as the groups allow, and never exceeded.
    ties : {"all", "lowest"}, default="all"
        Whether all rows at the distance of the k-th neighbour are neighbours ("all"), or exactly k rows, the lower row
        first.
    vote : {"confidence", "sign"}, default="confidence"
        Whether a vote in boosting is the weighted mean of the neighbours' classes or its sign.
    metric : {"l1", "l2"}, default="l1"
        Distance of two rows: the sum over the columns of scaled differences, or of their squares. Two categories differ
        by 0 or 1, a missing value differs by 1 from any other value.
    class_weight : "balanced", dict or None, default=None
        Initial weights of the classes: inversely proportional to their sizes, given by label, or all equal.
    max_rows : int or None, default=None
        Search on this many rows only, drawn stratified by class (numbers: by chance): an approximation for large tables. None: on all rows.
    target_kind : {"auto", "classes", "numbers"}, default="auto"
        What y holds. "auto": numbers if it holds floats with fractions or more than 20 different floats, else classes.
    random_state : int, RandomState or None, default=None
        Seed of the draw of rows for `max_rows`, and of what an `estimator` draws.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which columns are categorical: by dtype, none, or exactly these (mask, positions or names).
    n_jobs : int or None, default=None
        Number of threads, which share the candidates of a step. The result does not depend on it.
    verbose : int, default=0
        Above 0, progress is shown on stderr: a bar in terminals and notebooks, lines elsewhere.

    Attributes
    ----------
    ranking_ : ndarray of int, shape (d,)
        The order in which columns were added, then the columns never added, by their criterion at the last step; 1 is
        best, a permutation of 1..d, whatever is selected; if `bounded`, by their bounds where they were not measured.
        Backward: the reverse order of removal. After these come
        exact copies of columns that may be kept, then constants, then excluded columns.
    scores_ : ndarray, shape (d,)
        1 minus the criterion of each column (or group) alone; if `bounded`, 1 minus its bound where it was not measured.
        The ranking comes from the search and may differ from the order of the scores.
    support_ : ndarray of bool, shape (d,)
        Which columns are kept.
    n_features_ : int
        How many columns are kept.
    history_ : dict of arrays, one entry per move
        ``feature``: the column added or removed (the first of a group; -1 for the initial set, if it is not empty);
        ``added``: whether it was added; ``n_features``: the number of columns after the move; ``criterion``: their
        criterion; ``z_prime``: their Z' (NaN for a criterion without it); ``progress``: whether the move was progress;
        ``candidates`` (moves, d): the criterion after every possible move, NaN for the others (and, if `bounded`, for
        columns left unmeasured).
    criterion_ : float
        The criterion of the kept columns.
    search_rows_ : ndarray of int
        The rows that the search used: all, unless `max_rows` is set.
    classes_ : ndarray
        The classes, sorted; not set for a numeric target.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    With more than two classes (multiclass), each is set against the rest with balanced weights, and Z is the mean of
    these problems. Criteria within 1e-12 (relative) tie, and the lower column comes first. Constants, and exact copies
    of single or fixed columns, are not candidates; they are used only if a requested number of columns cannot be
    reached otherwise. A candidate that leaves Z unchanged is added only if all candidates do, and is removed without
    counting against `patience`. (A number of errors may stay the same by chance: with "accuracy" such moves count.)

    The paper's stopping rule, "Z much smaller than before", gives no number, and stops too early where two columns are
    informative only together: hence `tol` and `patience`. The paper's Z' is an expectation over the reweighted rows. It
    leaves open whether the hypotheses come from them as well ("z_prime_literal", which is AdaBoost from other initial
    weights) or not ("z_prime_minimised"); "z_prime" takes only the weights of the rounds from these rows, compares Z,
    and records Z'.

    A row's own class is hidden from neighbours, but not from an `estimator`, as in the paper's AdaBoost: a learner that learns by
    heart (a deep tree, 1-NN) has Z = 0 with any column whose values are all different. Use weak ones.

    `bounded`: whatever is boosted, rows of one description get one F (neighbours, all ties voting: the better one for
    the row of the other class), so that Z is at least the sum over descriptions of 2 sqrt(w+ w-), the initial weights of their
    two sides (proof in ``votes/bounds.py``). A column whose bound is above the Z of another is not boosted. This
    saves time with an `estimator` where descriptions repeat (columns of few values), and next to none with neighbours, whose
    search takes longer than boosting. ``ties="lowest"`` and "accuracy" have no bound.

    Neighbours are exact. A candidate costs some O(n sqrt(n k)) distances at the first steps and fewer later, and
    O(n k T) for boosting; a step costs O(n^2) for distances. Beyond some 5,700 rows the distances of all pairs are not
    stored but computed again at each step. A row is never its own neighbour, so that a repeated row is not the same as
    a row of weight two: `sample_weight` are initial weights of boosting, as `class_weight` is.

    References
    ----------
    M. Sebban and R. Nock, "Contribution of boosting in wrapper models", PKDD 1999.

    Examples
    --------
    The class is the exclusive or of columns 1 and 2; column 0 is noise.

    >>> import numpy as np
    >>> from tamis import FS2Boost
    >>> X = np.random.default_rng(0).integers(0, 2, size=(60, 3))
    >>> y = X[:, 1] ^ X[:, 2]
    >>> FS2Boost().fit(X, y).get_support(indices=True)
    array([1, 2])
    """

    _score_name: ClassVar[str] = "score_alone"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FeatureSelector._parameter_constraints,
        "preset": [StrOptions({"paper"}), None],
        "criterion": [StrOptions(set(CRITERIA))],
        "estimator": [StrOptions(set(LEARNERS)), HasMethods(["fit", "predict"]), None],
        "n_rounds": [whole(1)],
        "n_neighbors": [whole(1)],
        "direction": [StrOptions({"forward", "backward"})],
        "floating": ["boolean"],
        "tol": [number(0, 1, closed="left")],
        "patience": [whole(1)],
        "bounded": ["boolean"],
        "max_features": SIZE,
        "ties": [StrOptions({"all", "lowest"})],
        "vote": [StrOptions({"confidence", "sign"})],
        "metric": [StrOptions({"l1", "l2"})],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "max_rows": [whole(2), None],
        "target_kind": TARGET_KIND,
        "random_state": SEED,
        "n_jobs": JOBS,
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        preset: str | None = None,
        criterion: str = "z",
        estimator: BaseEstimator | str | None = None,
        n_rounds: int = 50,
        n_neighbors: int = 9,
        direction: str = "forward",
        floating: bool = False,
        tol: float = 0.003,
        patience: int = 4,
        bounded: bool = False,
        max_features: int | float | None = None,
        fixed_features: ArrayLike | None = None,
        excluded_features: ArrayLike | None = None,
        feature_groups: ArrayLike | None = None,
        ties: str = "all",
        vote: str = "confidence",
        metric: str = "l1",
        class_weight: dict[Any, float] | str | None = None,
        max_rows: int | None = None,
        target_kind: str = "auto",
        random_state: int | np.random.RandomState | None = None,
        categorical_features: ArrayLike | None = "from_dtype",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.preset = preset
        self.criterion = criterion
        self.estimator = estimator
        self.n_rounds = n_rounds
        self.n_neighbors = n_neighbors
        self.direction = direction
        self.floating = floating
        self.tol = tol
        self.patience = patience
        self.bounded = bounded
        self.max_features = max_features
        self.fixed_features = fixed_features
        self.excluded_features = excluded_features
        self.feature_groups = feature_groups
        self.ties = ties
        self.vote = vote
        self.metric = metric
        self.class_weight = class_weight
        self.max_rows = max_rows
        self.target_kind = target_kind
        self.random_state = random_state
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Search for the columns to keep.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            The table; categorical columns and missing values are allowed.
        y : array-like, shape (n,)
            The classes, two or more; with ``criterion="accuracy"`` also numbers.
        sample_weight : array-like, shape (n,), optional
            Initial weight of each row in boosting, not negative, times that of its class: what the row counts in Z (or in the
            error), and what its vote weighs. Which rows are neighbours does not depend on it. Rows of weight 0 are left out.
        groups : array-like, shape (n,), optional
            Rows that belong together, such as measurements of one patient: they are never each other's neighbours. (An
            `estimator` learns from all rows whatever their groups.)

        Returns
        -------
        self
            The fitted selector.
        """
        measure, units, rules = self._prepared(X, y, sample_weight, groups)
        progress = Progress(
            self,
            "moves",
            None,
            least=1 if rules.forward else None,
            rests="the columns found so far are kept",
        )
        search = Search(measure, rules, self.n_rounds).run(progress)
        n_columns = self.n_features_in_
        scores = np.empty(n_columns)
        for unit, value in zip(units, values_alone(search, measured_units(units, rules))):
            scores[list(unit)] = 1 - value
        ranked = ranked_units(search)
        ranked += [unit for unit in units if unit not in ranked]
        order = np.array([column for unit in ranked for column in unit], dtype=np.intp)
        selected = columns_of(search.kept())
        self._store(scores, order, n_kept=len(selected), arranged=True, history=history_of(search, n_columns))
        self.n_features_ = len(selected)  # groups may not reach the requested size
        self.support_ = self.ranking_ <= len(selected)
        self.criterion_ = float(measure.paths(selected, [selected])[0][0][-1])
        return self

    def _prepared(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> tuple[MemoisedVotes, list[Columns], Rules]:
        """Return the criterion, all units, and the rules of the search; set the attributes that describe the data."""
        rule = preset_settings(self, PAPER)
        table, target = self._table_of_any(X, y, blank=False)
        if isinstance(target, Numbers):
            self._refuse_settings_of_classes()
        told = self._units or Units(*column_units(self, table.n_columns))
        units, fixed, excluded = told.every, told.fixed, told.excluded
        n_wanted = None if self.n_features_to_select is None else self._size(table.n_columns)
        cap = column_limit(self, "max_features", self.max_features, table.n_columns)
        eligible = [unit for unit in units if unit not in excluded]
        check_sizes(self, n_wanted, cap, eligible, len(columns_of(fixed)))
        given = Given.of(self, table, target, sample_weight, groups)
        rows = drawn_rows(type(self).__name__, given.target, self.max_rows, self.random_state)
        self.search_rows_ = given.rows[rows]
        most = n_wanted or cap or table.n_columns
        first = first_equals(given.table.values, table.nominal, rows)
        aside = units_aside(eligible, fixed, first, most)
        rules = Rules(
            units=tuple(unit for unit in eligible if unit not in aside),
            locked=frozenset(fixed),
            forward=rule["direction"] == "forward",
            floating=rule["floating"],
            tol=self.tol,
            patience=rule["patience"],
            cap=most,
            n_wanted=n_wanted,
            aside=aside,
            pass_idle=self.criterion != "accuracy" and self.preset is None,
            bounded=self.bounded,
        )
        measure = MemoisedVotes(criterion_of(self, given, rows), self._memory(given))
        return measure, units, rules

    def _refuse_settings_of_classes(self) -> None:
        """Refuse settings that have no meaning for a numeric target."""
        who = type(self).__name__
        if self.estimator is not None:
            raise ValueError(
                f"{who}: Unknown label type: y holds numbers, but estimator={self.estimator!r} is for classes. Leave it out, "
                "and use criterion='accuracy'."
            )
        if self.criterion != "accuracy":
            raise ValueError(
                f"{who}: Unknown label type: y holds numbers, but criterion={self.criterion!r} is for classes. "
                "For a numeric target use criterion='accuracy', or SBSMF."
            )
        if self.class_weight is not None:
            raise ValueError(
                f"{who}: class_weight={self.class_weight!r}, which is for classes, but y holds numbers. Leave it out."
            )

    def _memory(self, given: Given) -> Memory:
        """Return where measured sets are stored."""
        target = given.target
        y, classes = (
            (target.codes, target.classes) if isinstance(target, Target) else (target.values, np.empty(0))
        )
        known = [given.table.values, y, *(one for one in (given.weights, given.groups) if one is not None)]
        return Memory.of_arrays(self, lambda: known, given.table.schema, classes)
