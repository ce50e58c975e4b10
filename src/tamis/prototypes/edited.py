"""Wilson's edited nearest neighbour rule."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tamis._parameters import JOBS, whole
from tamis.neighbors import MixedSpace
from tamis.neighbors._distance import ScaledRows
from tamis.prototypes._base import PrototypeSelector
from tamis.prototypes._boost import neighbor_graph
from tamis.table._table import Table, Target


class EditedNN(PrototypeSelector):
    """Drop the rows that their nearest neighbours misclassify (Wilson's ENN).

    Every row is judged on the full table: it is dropped if another class has more votes among its `n_neighbors`
    nearest other rows than its own class. The borders become smoother, but the table hardly smaller: this is a first
    step, not a way to a small table.

    Parameters
    ----------
    n_neighbors : int, default=3
        How many nearest other rows vote; all others where there are fewer.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which columns are categorical: by dtype, none, or exactly these (mask, positions or names).
    n_jobs : int or None, default=None
        Threads. The result does not depend on it.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        The kept rows, ascending.
    history_ : dict of arrays, one entry per row of the table
        ``votes`` for its own class, ``rival_votes`` (the most votes for another class), and ``kept``.
    classes_ : ndarray
        The classes, sorted.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    The distance is that of `CondensedNN`; on ties the lower row counts as nearer. A tie of votes keeps the row. An
    error is raised if no row would be kept.

    References
    ----------
    D. L. Wilson, "Asymptotic properties of nearest neighbor rules using edited data", IEEE Transactions on Systems,
    Man and Cybernetics 2, 1972.

    Examples
    --------
    >>> from tamis import EditedNN
    >>> X = [[0], [1], [2], [3], [10], [11], [12], [13]]
    >>> y = ["a", "b", "a", "a", "b", "b", "b", "b"]
    >>> EditedNN().fit(X, y).sample_indices_
    array([0, 2, 3, 4, 5, 6, 7])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_neighbors": [whole(1)],
        **PrototypeSelector._parameter_constraints,
        "n_jobs": JOBS,
    }

    def __init__(
        self,
        n_neighbors: int = 3,
        *,
        categorical_features: ArrayLike | None = "from_dtype",
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs

    def _rows(self, table: Table, target: Target) -> NDArray[np.intp]:
        space = MixedSpace.fit(table.values, table.nominal, "l2")
        own, rival = own_and_rival_votes(
            space, space.scaled(table.values), target, self.n_neighbors, self.n_jobs
        )
        self.history_ = {"votes": own, "rival_votes": rival, "kept": own >= rival}
        return edited_rows(type(self).__name__, own, rival, self.n_neighbors)


def own_and_rival_votes(
    space: MixedSpace, rows: ScaledRows, target: Target, n_neighbors: int, n_jobs: int | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the votes of each row's neighbours for its own class, and their most votes for another class."""
    neighbors = neighbor_graph(space, rows, n_neighbors, n_jobs=n_jobs)
    votes = np.zeros((len(rows), target.n_classes), dtype=np.int64)
    all_rows = np.arange(len(rows))
    for p in range(neighbors.shape[1]):
        votes[all_rows, target.codes[neighbors[:, p]]] += 1
    own = votes[all_rows, target.codes]
    votes[all_rows, target.codes] = -1
    return own, votes.max(axis=1)


def edited_rows(
    who: str, own: NDArray[np.int64], rival: NDArray[np.int64], n_neighbors: int
) -> NDArray[np.intp]:
    """Return the rows whose own class has at least as many votes as any other; raise an error if there is none."""
    rows = np.flatnonzero(own >= rival)
    if not len(rows):
        raise ValueError(
            f"{who}: all {len(own)} rows are misclassified by their {n_neighbors} nearest others, so that none would be "
            "kept. Use another n_neighbors, or another method."
        )
    return rows
