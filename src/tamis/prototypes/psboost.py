"""PSBoost: rows chosen by boosting."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions

from tamis._memory import Memory
from tamis._parameters import JOBS, SEED, n_wanted, preset_settings, whole
from tamis._progress import Progress
from tamis.neighbors import MixedSpace
from tamis.prototypes._base import COUNT, WeighedSelector
from tamis.prototypes._boost import Chosen, boosted, neighbor_graph
from tamis.prototypes._condense import hart_store
from tamis.prototypes._quota import class_quotas
from tamis.prototypes._weights import loss_weights
from tamis.table._table import Table, Target

PAPER = {"n_neighbors": 1, "remove_selected": False, "class_quota": None, "multiclass": "union"}
"""What the preset "paper" sets."""


class PSBoost(WeighedSelector):
    """Keep the rows that boosting chooses as voters (PSBoost).

    A row votes, with its class, for the rows that have it among their `n_neighbors` nearest. All rows have weights. The
    confidence of a voter is alpha = 1/2 log((W+ + W0/2) / (W- + W0/2)), where W+, W- and W0 are the weights of the rows
    that it classifies correctly, that it misclassifies, and that it does not vote for. The row with the largest alpha
    is kept; the rows that it classifies correctly lose weight, those that it misclassifies gain weight. This is
    repeated until enough rows are kept or no row has an alpha of 0 or more. `sample_weight` are the weights to begin with.

    Parameters
    ----------
    n_prototypes : int, float or "condensed", default=0.2
        How many rows to keep: a number, a fraction of the rows, or as many as `CondensedNN` keeps. If fewer rows have
        an alpha of 0 or more, only these are kept, with a warning; if no row has, an error is raised.
    preset : {"paper"} or None, default=None
        "paper" is the algorithm of the paper: one neighbour, kept rows keep their weight, no quotas, and the union over
        classes. It stands in the place of `n_neighbors`, `remove_selected`, `class_quota` and `multiclass`;
        `n_prototypes`, the paper's one parameter, stays the caller's ("condensed" in the paper's experiments).
    n_neighbors : int, default=5
        How many nearest other rows vote for a row; all others where there are fewer.
    remove_selected : bool, default=True
        Whether the weight of a kept row becomes 0, so that no further row is kept for classifying it correctly.
    class_quota : None, "proportional" or dict, default="proportional"
        None lets boosting decide. "proportional" gives each class its share of the kept rows (by largest remainder, at
        least one row per class where possible). A dict gives the number of rows for each class; its sum then replaces
        `n_prototypes`. A class that has its number of rows gets no more.
    multiclass : {"turns", "union"}, default="turns"
        What becomes of the runs of more than two classes, one for each against the rest. "turns": they take turns in
        keeping a row until there are `n_prototypes`. "union": each has `n_prototypes` rows (and the quotas) for itself, and
        all of them are kept, as in the paper; so more rows are kept than asked for.
    graph : {"exact", "approximate"}, default="exact"
        How neighbours are found; "approximate" for very many rows (needs the extra ``tamis[ann]``).
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which columns are categorical: by dtype, none, or exactly these (mask, positions or names).
    random_state : int, RandomState instance or None, default=None
        Seed of the approximate graph; nothing else is random.
    n_jobs : int or None, default=None
        Threads for the graph. The result does not depend on it.
    verbose : int, default=0
        Above 0, progress is shown on stderr while neighbours are sought: a bar in terminals and notebooks, lines elsewhere.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        The kept rows, ascending.
    prototype_weights_ : ndarray of float
        The alpha with which each of them was chosen.
    history_ : dict of arrays, one entry per kept row, in the order of choice
        ``row``, ``alpha``, and ``run``: the run that chose the row, given as the position in `classes_` of the class
        that the run set against the rest.
    classes_ : ndarray
        The classes, sorted.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    The paper's experiments are ``PSBoost("condensed", preset="paper")``. With one neighbour every row has one voter, so that
    the weights never change the order of what is left: it is a ranking by correct minus incorrect votes. The paper's
    weights of all rows, before or without any choice, are those of `PSBoostWeights`.

    With more than two classes each class, in sorted order, has its own run against the rest. The runs take turns: each
    offers its next row, which is skipped if it is kept already or its class has its number of rows. A row of several runs
    has the alpha of the one that offers it first, in a union as well. Alphas within 1e-12 tie, and the lower row is chosen.
    For a row that votes for all the weight, and correctly, alpha is capped at 7.25.

    The neighbours are exact by default, with the distance of `CondensedNN`; ties go to the lower row. A step takes
    O(k |R| log n) for a row that votes for |R| others: nearly all the time goes into the graph.

    References
    ----------
    R. Nock and M. Sebban, "A boosting-based prototype weighting and selection scheme", FLAIRS 2000.

    Examples
    --------
    >>> from tamis import PSBoost
    >>> X = [[0], [1], [2], [10], [11], [12], [13]]
    >>> y = ["a", "a", "a", "b", "b", "b", "b"]
    >>> selector = PSBoost(2, n_neighbors=1).fit(X, y)
    >>> selector.sample_indices_
    array([1, 4])
    >>> selector.prototype_weights_.round(3)
    array([0.294, 0.382])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_prototypes": [*COUNT, StrOptions({"condensed"})],
        "preset": [StrOptions({"paper"}), None],
        "n_neighbors": [whole(1)],
        "remove_selected": ["boolean"],
        "class_quota": [None, StrOptions({"proportional"}), dict],
        "multiclass": [StrOptions({"turns", "union"})],
        "graph": [StrOptions({"exact", "approximate"})],
        **WeighedSelector._parameter_constraints,
        "random_state": SEED,
        "n_jobs": JOBS,
        "verbose": ["verbose"],
    }
    _asking: Any = None  # the estimator on whose behalf rows are chosen, if another

    def __init__(
        self,
        n_prototypes: int | float | str = 0.2,
        *,
        preset: str | None = None,
        n_neighbors: int = 5,
        remove_selected: bool = True,
        class_quota: Any = "proportional",
        multiclass: str = "turns",
        graph: str = "exact",
        categorical_features: ArrayLike | None = "from_dtype",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_prototypes = n_prototypes
        self.preset = preset
        self.n_neighbors = n_neighbors
        self.remove_selected = remove_selected
        self.class_quota = class_quota
        self.multiclass = multiclass
        self.graph = graph
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _rows(self, table: Table, target: Target, sample_weight: ArrayLike | None = None) -> NDArray[np.intp]:
        chosen = self._chosen(table, target, sample_weight)
        order = np.argsort(chosen.rows)
        self.prototype_weights_ = chosen.alphas[order]
        self.history_ = {"row": chosen.rows, "alpha": chosen.alphas, "run": chosen.runs}
        return chosen.rows.astype(np.intp)

    @property
    def _named(self) -> Any:
        """The estimator that errors name: the one on whose behalf rows are chosen, or this one."""
        return self if self._asking is None else self._asking

    def _chosen(self, table: Table, target: Target, sample_weight: ArrayLike | None = None) -> Chosen:
        """Return the rows in the order of choice; warn if they are too few, raise if there are none."""
        who, rule = type(self._named).__name__, self._rule()
        weights, _ = loss_weights(self._named, target, None, sample_weight)
        wanted, quotas = self._wanted(table, target, rule["class_quota"])
        memory = Memory.of(self, table, target)
        stored = memory.recall("graph")
        neighbors = self._neighbors(table) if stored is None else stored["neighbors"]
        if stored is None:
            memory.keep("graph", {"neighbors": neighbors})
        union = rule["multiclass"] == "union"
        chosen = boosted(neighbors, target, wanted, quotas, rule["remove_selected"], union, weights)
        if len(chosen.rows) == 0:
            raise ValueError(
                f"{who}: none of the {table.n_rows} rows has an alpha of 0 or more with n_neighbors="
                f"{rule['n_neighbors']}: each votes wrongly more often than rightly, and none would be kept. Try another "
                "n_neighbors or class_quota, or another selector."
            )
        if len(chosen.rows) < wanted:
            warnings.warn(
                f"{who}: kept {len(chosen.rows)} rows of the {wanted} asked for, because no other row "
                "has an alpha of 0 or more. Ask for fewer rows, or try another n_neighbors or class_quota.",
                UserWarning,
                stacklevel=5,
            )
        return chosen

    def _rule(self) -> dict[str, Any]:
        """Return how rows are chosen: as the parameters say, or the preset."""
        return preset_settings(self._named, PAPER)

    def _neighbors(self, table: Table) -> NDArray[np.int64]:
        """Return the nearest other rows of every row."""
        space = MixedSpace.fit(table.values, table.nominal, "l2")
        with Progress(self._named, "rows whose neighbours are known", table.n_rows, least=None) as progress:
            neighbors: NDArray[np.int64] = neighbor_graph(
                space,
                space.scaled(table.values),
                self._rule()["n_neighbors"],
                graph=self.graph,
                random_state=check_random_state(self.random_state),
                n_jobs=self.n_jobs,
                progress=progress,
            )
        return neighbors

    def _wanted(self, table: Table, target: Target, class_quota: Any) -> tuple[int, NDArray[np.int64] | None]:
        """Return how many rows to keep, and how many of each class."""
        who = type(self._named).__name__
        if isinstance(class_quota, dict):
            quotas = class_quotas(who, target, 0, class_quota)
            return int(quotas.sum()), quotas
        if isinstance(self.n_prototypes, str):
            wanted = len(hart_store(table, target, None, self.n_jobs).store)
        else:
            wanted = n_wanted(who, "n_prototypes", self.n_prototypes, table.n_rows, "rows")
        if class_quota is None:
            return wanted, None
        return wanted, class_quotas(who, target, wanted, class_quota)
