"""Wilson and Martinez's DROP3."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tamis._parameters import JOBS, whole
from tamis.neighbors import MixedSpace, ScaledRows, nearest_rows
from tamis.prototypes._base import PrototypeSelector
from tamis.prototypes._boost import neighbor_graph
from tamis.prototypes._condense import in_blocks, plain_first
from tamis.prototypes._kernels.dropping import Dropping, dropped
from tamis.prototypes.edited import edited_rows, own_and_rival_votes
from tamis.table._table import Table, Target

SPARE = 16
"""Neighbours listed beyond those that vote: they replace rows that go."""

NO_ENEMY = np.iinfo(np.int64).max
"""The distance to the nearest row of another class where there is none."""


class DROP3(PrototypeSelector):
    """Keep the borders between the classes (DROP3 of Wilson and Martinez).

    `EditedNN` is applied first, so that borders become smooth. Then the rows are judged by decreasing distance to
    their nearest row of another class. The associates of a row are the rows that have it among their
    ``n_neighbors + 1`` nearest: a row is dropped if at least as many of its associates are classified correctly
    without it as with it.

    Parameters
    ----------
    n_neighbors : int, default=3
        How many nearest rows vote, in editing and after it.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which columns are categorical: by dtype, none, or exactly these (mask, positions or names).
    n_jobs : int or None, default=None
        Threads for the neighbours. The result does not depend on it.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        The kept rows, ascending.
    history_ : dict of arrays, one entry per row left by editing, in the order in which they were judged
        ``row``, and ``kept``.
    classes_ : ndarray
        The classes, sorted.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    The distance is that of `CondensedNN`. On ties the lower row counts as nearer, and of rows at equal distance from
    another class the lower is judged first. Only the rows left by editing count. A dropped row is still an associate
    of the rows that stay; its list of neighbours, like every other, is refilled as rows are dropped. A tie of votes
    counts as correct, no vote at all as wrong. The last row is never dropped.

    Cost: two graphs of neighbours, and about as much again for refilling the lists.

    References
    ----------
    D. R. Wilson and T. R. Martinez, "Reduction techniques for instance-based learning algorithms", Machine Learning
    38, 2000.

    Examples
    --------
    >>> from tamis import DROP3
    >>> X = [[0], [1], [2], [3], [4], [10], [11], [12], [13], [14]]
    >>> y = ["a", "a", "a", "a", "a", "b", "b", "b", "b", "b"]
    >>> DROP3(n_neighbors=1).fit(X, y).sample_indices_
    array([3, 4, 5, 6])
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
        scaled = space.scaled(table.values)
        own, rival = own_and_rival_votes(space, scaled, target, self.n_neighbors, self.n_jobs)
        rows = edited_rows(type(self).__name__, own, rival, self.n_neighbors)
        edited, codes = scaled.take(rows), target.codes[rows]
        order = np.argsort(-_enemy_distances(edited, codes, self.n_jobs), kind="stable")
        state = self._dropping(edited, codes, target.n_classes)
        dropped(state, order)
        self.history_ = {"row": rows[order], "kept": state.kept[order]}
        kept_rows: NDArray[np.intp] = rows[state.kept]
        return kept_rows

    def _dropping(self, edited: ScaledRows, codes: NDArray[np.int64], n_classes: int) -> Dropping:
        """Return the state before the first row is judged."""
        n_rows, window = len(edited), self.n_neighbors + 1
        listed = np.full((n_rows, window + SPARE), -1)
        if n_rows > 1:
            neighbors = neighbor_graph(edited.space, edited, window + SPARE, n_jobs=self.n_jobs)
            listed[:, : neighbors.shape[1]] = neighbors
        coordinates, n_plain = plain_first(edited, np.arange(n_rows))
        return Dropping(
            blocks=in_blocks(coordinates),
            rows=coordinates,
            n_plain=n_plain,
            codes=codes,
            n_classes=n_classes,
            k=self.n_neighbors,
            kept=np.ones(n_rows, dtype=bool),
            listed=listed,
            head=np.full(n_rows, -1),
            following=np.full(n_rows * window, -1),
        )


def _enemy_distances(rows: ScaledRows, codes: NDArray[np.int64], n_jobs: int | None) -> NDArray[np.int64]:
    """Return the distance from each row to the nearest row of another class, `NO_ENEMY` where there is none."""
    distances = np.full(len(rows), NO_ENEMY)
    for code in np.unique(codes):
        friends, enemies = np.flatnonzero(codes == code), np.flatnonzero(codes != code)
        if len(enemies):
            _, nearest = nearest_rows(rows.space, rows.take(enemies), 1, rows.take(friends), n_jobs=n_jobs)
            distances[friends] = nearest[:, 0]
    return distances
