"""Hart's condensed nearest neighbour rule."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions

from tamis._parameters import JOBS, SEED
from tamis._progress import Progress
from tamis.prototypes._base import PrototypeSelector
from tamis.prototypes._condense import HartStore, hart_store
from tamis.table._table import Table, Target


class CondensedNN(PrototypeSelector):
    """Keep a set of rows whose 1-NN rule classifies every row (Hart's CNN).

    The store starts with the first row. The method goes through the rows and stores each one that the nearest stored
    row misclassifies, again and again, until a pass stores nothing.

    Parameters
    ----------
    order : {"given", "random"}, default="given"
        The order of the rows; which rows are kept depends on it.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which columns are categorical: by dtype, none, or exactly these (mask, positions or names).
    random_state : int, RandomState instance or None, default=None
        Seed of the order, if it is random.
    n_jobs : int or None, default=None
        Threads. The result does not depend on it.
    verbose : int, default=0
        Above 0, progress is shown on stderr, a pass at a time: a bar in terminals and notebooks, lines elsewhere.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        The kept rows, ascending.
    history_ : dict of arrays, one entry per kept row, in the order of storing
        ``row``, and ``pass`` (from 1) in which it was stored.
    classes_ : ndarray
        The classes, sorted.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    The distance is the sum of the squared differences of scaled numbers, plus 1 for every column where categories
    differ or only one value is missing. It is counted in whole steps of 2**-20, so that ties are decided in the same
    way everywhere: the row stored earlier counts as nearer. The kept rows classify every row correctly except rows
    that equal a kept row of another class.

    Every row is compared once with every stored row, O(n m d) for m kept of n rows, in blocks; memory is that of two
    tables. imbalanced-learn's CondensedNearestNeighbour is another rule: it starts from the whole minority class.

    References
    ----------
    P. E. Hart, "The condensed nearest neighbor rule", IEEE Transactions on Information Theory 14, 1968.

    Examples
    --------
    >>> from tamis import CondensedNN
    >>> X = [[0], [1], [2], [6], [7], [4]]
    >>> y = ["a", "a", "a", "b", "b", "a"]
    >>> selector = CondensedNN().fit(X, y)
    >>> selector.history_["row"]
    array([0, 3, 5])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "order": [StrOptions({"given", "random"})],
        **PrototypeSelector._parameter_constraints,
        "random_state": SEED,
        "n_jobs": JOBS,
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        *,
        order: str = "given",
        categorical_features: ArrayLike | None = "from_dtype",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.order = order
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _rows(self, table: Table, target: Target) -> NDArray[np.intp]:
        store = self._store(table, target)
        self.history_: dict[str, NDArray[Any]] = {"row": store.rows, "pass": store.passes}
        return store.rows

    def _store(self, table: Table, target: Target) -> HartStore:
        """Return Hart's store for the chosen order."""
        order = None
        if self.order == "random":
            order = check_random_state(self.random_state).permutation(table.n_rows)
        this_pass = 1

        def report(number: int, n_more: int, n_stored: int) -> None:
            nonlocal this_pass
            if number > this_pass:
                this_pass = number
                progress.again(f"rows, pass {number}")
            progress(n_more, f"{n_stored:,} stored")

        with Progress(self, "rows, pass 1", table.n_rows, least=None) as progress:
            store: HartStore = hart_store(table, target, order, self.n_jobs, report)
        return store
