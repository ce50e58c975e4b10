"""FS2Boost, iFS2Boost and SFS: a search for the columns on which boosted nearest-neighbour votes are best."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions

from tamis._callbacks import CallbackSupportMixin
from tamis._memory import Memory
from tamis._parameters import JOBS, SEED, number, whole
from tamis._progress import Progress
from tamis.features._base import SIZE, TARGET_KIND, FeatureSelector
from tamis.features._column_units import Units, check_sizes, column_limit, column_units, units_aside
from tamis.features._drawn_rows import drawn_by_class, drawn_of_numbers
from tamis.features._search import Columns, MemoisedVotes, Rules, Search, columns_of, ranked_units
from tamis.neighbors import MixedSpace
from tamis.table._distinct import first_equals
from tamis.table._table import Numbers, Table, Target
from tamis.votes.criterion import CRITERIA, NeighborMeans, NeighborVotes, TwoClassProblems

if TYPE_CHECKING:
    pass


class FS2Boost(CallbackSupportMixin, FeatureSelector):
    """Search for the columns on which boosted nearest-neighbour votes are best.

    Columns are added one at a time: each time the one that gives the lowest criterion Z of AdaBoost over the votes of
    nearest neighbours. Z is the mean of exp(-y F) over the rows; F is the boosted vote that a row receives from its
    neighbours, never from itself. Z says more than the number of errors: also how certain each vote is.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many columns to keep: a number, a fraction, or None to let the stopping rule decide (see `tol`).
    criterion : {"z", "z_prime", "z_prime_literal", "accuracy"}, default="z"
        What is minimised. "z": Z (FS2Boost). "z_prime": Z, with the weight of each round computed only from rows whose
        description (values in the columns of the set) occurs in one class (iFS2Boost). "z_prime_literal": everything
        is computed from these rows. "accuracy": the leave-one-out error of the neighbours' plain vote (SFS); for a numeric
        target the leave-one-out squared error of the neighbours' mean, divided by the variance. The others are for classes.
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
        Seed of the draw of rows for `max_rows`.
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
        best, a permutation of 1..d, whatever is selected. Backward: the reverse order of removal. After these come
        exact copies of columns that may be kept, then constants, then excluded columns.
    scores_ : ndarray, shape (d,)
        1 minus the criterion of each column (or group) alone. The ranking comes from the search and may differ from the
        order of the scores.
    support_ : ndarray of bool, shape (d,)
        Which columns are kept.
    n_features_ : int
        How many columns are kept.
    history_ : dict of arrays, one entry per move
        ``feature``: the column added or removed (the first of a group; -1 for the initial set, if it is not empty);
        ``added``: whether it was added; ``n_features``: the number of columns after the move; ``criterion``: their
        criterion; ``z_prime``: their Z' (NaN for a criterion without it); ``progress``: whether the move was progress;
        ``candidates`` (moves, d): the criterion after every possible move, NaN for the others.
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
    informative only together: hence `tol` and `patience`. The paper's Z' is an expectation over the reweighted rows;
    "z_prime" takes only the weights of the rounds from these rows, compares Z, and records Z'. "z_prime_literal"
    follows the paper to the letter.

    Neighbours are exact. A candidate costs some O(n sqrt(n k)) distances at the first steps and fewer later, and
    O(n k T) for boosting; a step costs O(n^2) for distances. Beyond some 5,700 rows the distances of all pairs are not
    stored but computed again at each step. A row is never its own neighbour, so that a repeated row is not the same as
    a row of weight two; `fit` therefore takes no sample weights.

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
        "criterion": [StrOptions(set(CRITERIA))],
        "n_rounds": [whole(1)],
        "n_neighbors": [whole(1)],
        "direction": [StrOptions({"forward", "backward"})],
        "floating": ["boolean"],
        "tol": [number(0, 1, closed="left")],
        "patience": [whole(1)],
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
        criterion: str = "z",
        n_rounds: int = 50,
        n_neighbors: int = 9,
        direction: str = "forward",
        floating: bool = False,
        tol: float = 0.003,
        patience: int = 4,
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
        self.criterion = criterion
        self.n_rounds = n_rounds
        self.n_neighbors = n_neighbors
        self.direction = direction
        self.floating = floating
        self.tol = tol
        self.patience = patience
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
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Search for the columns to keep.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            The table; categorical columns and missing values are allowed.
        y : array-like, shape (n,)
            The classes, two or more; with ``criterion="accuracy"`` also numbers.

        Returns
        -------
        self
            The fitted selector.
        """
        measure, units, rules = self._prepared(X, y)
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
        for unit, (path, _) in zip(units, measure.paths((), _measured(units, rules))):
            scores[list(unit)] = 1 - path[-1]
        ranked = ranked_units(search)
        ranked += [unit for unit in units if unit not in ranked]
        order = np.array([column for unit in ranked for column in unit], dtype=np.intp)
        selected = columns_of(search.kept())
        self._store(scores, order, n_kept=len(selected), arranged=True, history=_history(search, n_columns))
        self.n_features_ = len(selected)  # groups may not reach the requested size
        self.support_ = self.ranking_ <= len(selected)
        self.criterion_ = float(measure.paths(selected, [selected])[0][0][-1])
        return self

    def _prepared(self, X: ArrayLike, y: ArrayLike) -> tuple[MemoisedVotes, list[Columns], Rules]:
        """Return the criterion, all units, and the rules of the search; set the attributes that describe the data."""
        table, target = self._table_of_any(X, y, blank=False)
        if isinstance(target, Numbers):
            self._refuse_settings_of_classes()
        told = self._units or Units(*column_units(self, table.n_columns))
        units, fixed, excluded = told.every, told.fixed, told.excluded
        n_wanted = None if self.n_features_to_select is None else self._size(table.n_columns)
        cap = column_limit(self, "max_features", self.max_features, table.n_columns)
        eligible = [unit for unit in units if unit not in excluded]
        check_sizes(self, n_wanted, cap, eligible, len(columns_of(fixed)))
        self.search_rows_ = self._drawn_rows(target)
        most = n_wanted or cap or table.n_columns
        first = first_equals(table.values, table.nominal, self.search_rows_)
        aside = units_aside(eligible, fixed, first, most)
        rules = Rules(
            units=tuple(unit for unit in eligible if unit not in aside),
            locked=frozenset(fixed),
            forward=self.direction == "forward",
            floating=self.floating,
            tol=self.tol,
            patience=self.patience,
            cap=most,
            n_wanted=n_wanted,
            aside=aside,
            pass_idle=self.criterion != "accuracy",
        )
        measure = MemoisedVotes(self._votes(table, target), self._memory(table, target))
        return measure, units, rules

    def _refuse_settings_of_classes(self) -> None:
        """Refuse settings that have no meaning for a numeric target."""
        who = type(self).__name__
        if self.criterion != "accuracy":
            raise ValueError(
                f"{who}: Unknown label type: y holds numbers, but criterion={self.criterion!r} is for classes. "
                "For a numeric target use criterion='accuracy', or SBSMF."
            )
        if self.class_weight is not None:
            raise ValueError(
                f"{who}: class_weight={self.class_weight!r}, which is for classes, but y holds numbers. Leave it out."
            )

    def _votes(self, table: Table, target: Target | Numbers) -> NeighborVotes:
        """Return the criterion of sets of columns, on the rows of the search."""
        rows = self.search_rows_
        space = MixedSpace.fit(table.values, table.nominal, self.metric)
        coordinates = space.scaled(table.values[rows]).coordinates
        settings: dict[str, Any] = {
            "n_neighbors": min(self.n_neighbors, len(rows) - 1),
            "n_rounds": self.n_rounds,
            "squared": space.squared,
            "lowest": self.ties == "lowest",
            "n_jobs": self.n_jobs,
        }
        if isinstance(target, Numbers):
            return NeighborMeans(coordinates, target.values[rows], **settings)
        problems = TwoClassProblems.by_class_weight(self, target, self.class_weight, rows)
        by_sign = self.vote == "sign"
        return NeighborVotes(
            coordinates, target.codes[rows], problems, criterion=self.criterion, by_sign=by_sign, **settings
        )

    def _memory(self, table: Table, target: Target | Numbers) -> Memory:
        """Return where measured sets are stored."""
        if isinstance(target, Target):
            return Memory.of(self, table, target)
        return Memory.of_arrays(self, lambda: [table.values, target.values], table.schema, np.empty(0))

    def _drawn_rows(self, target: Target | Numbers) -> NDArray[np.intp]:
        """Return the rows to search on: all, or `max_rows` of them, from every class its share, at least two."""
        n_rows = len(target.codes if isinstance(target, Target) else target.values)
        if self.max_rows is None or self.max_rows >= n_rows:
            return np.arange(n_rows)
        random = check_random_state(self.random_state)
        if isinstance(target, Numbers):
            drawn = drawn_of_numbers(target, self.max_rows, random)
        else:
            least = 2 * target.n_classes
            if self.max_rows < least:
                raise ValueError(
                    f"{type(self).__name__}: max_rows={self.max_rows}, but {target.n_classes} classes need {least} rows, "
                    f"two each. Use a value from {least} on, or None."
                )
            drawn = drawn_by_class(target, self.max_rows, random)
        warnings.warn(
            f"{type(self).__name__}: the search looks at {len(drawn)} of {n_rows} rows (max_rows={self.max_rows}). "
            "search_rows_ names them.",
            stacklevel=3,
        )
        return drawn


def _measured(units: list[Columns], rules: Rules) -> list[Columns]:
    """Return, for each unit, the columns to measure for its score: a copy's original, one constant for all constants."""
    constant = next((unit for unit, original in rules.aside.items() if not original), ())
    originals = {unit: original or constant for unit, original in rules.aside.items()}
    return [originals[unit] if len(originals.get(unit, ())) == 1 else unit for unit in units]


def _history(search: Search, n_columns: int) -> dict[str, NDArray[Any]]:
    """Return the moves of a search as arrays."""
    moves = search.moves
    candidates = np.full((len(moves), n_columns), np.nan)
    for step, move in enumerate(moves):
        for unit, value in move.candidates.items():
            candidates[step, list(unit)] = value
    return {
        "feature": np.array([move.unit[0] if move.unit else -1 for move in moves], dtype=np.int64),
        "added": np.array([move.added for move in moves], dtype=bool),
        "n_features": np.array([move.n_columns for move in moves], dtype=np.int64),
        "criterion": np.array([move.value for move in moves], dtype=np.float64),
        "z_prime": np.array([move.prime for move in moves], dtype=np.float64),
        "progress": np.array([move.progress for move in moves], dtype=bool),
        "candidates": candidates,
    }
