"""Gates's reduced nearest neighbour rule."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tamis.prototypes._condense import reduced
from tamis.prototypes.condensed import CondensedNN
from tamis.table._table import Table, Target


class ReducedNN(CondensedNN):
    """Keep what Hart's condensed rule keeps, without the rows that are not needed (Gates's RNN).

    One pass over the condensed store, in the order of storing: a row is dropped at once if every row that the store
    classifies correctly is still classified correctly without it.

    Parameters
    ----------
    order : {"given", "random"}, default="given"
        The order in which Hart's rule goes through the rows; which rows are kept depends on it.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which columns are categorical: by dtype, none, or exactly these (mask, positions or names).
    random_state : int, RandomState instance or None, default=None
        Seed of the order, if it is random.
    n_jobs : int or None, default=None
        Threads of Hart's rule. The result does not depend on it.
    verbose : int, default=0
        Above 0, progress through Hart's rule is shown on stderr, a pass at a time: a bar in terminals and notebooks, lines elsewhere.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        The kept rows, ascending.
    history_ : dict of arrays, one entry per row of Hart's store, in the order of storing
        ``row``, ``pass`` (from 1) in which it was stored, and ``kept``: whether it stayed.
    classes_ : ndarray
        The classes, sorted.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    Distance and ties are those of `CondensedNN`; the last row is never dropped. Dropping a row matters only to the rows
    that have it as their nearest, and the next nearest is searched for only when it is needed. Most rows never need
    it, so that the pass takes about half as long as Hart's rule.

    References
    ----------
    G. W. Gates, "The reduced nearest neighbor rule", IEEE Transactions on Information Theory 18, 1972.

    Examples
    --------
    >>> from tamis import ReducedNN
    >>> X = [[0], [1], [2], [6], [7], [4]]
    >>> y = ["a", "a", "a", "b", "b", "a"]
    >>> selector = ReducedNN().fit(X, y)
    >>> selector.sample_indices_
    array([3, 5])
    """

    def _rows(self, table: Table, target: Target) -> NDArray[np.intp]:
        store = self._store(table, target)
        kept = reduced(store)
        self.history_ = {"row": store.rows, "pass": store.passes, "kept": kept}
        return store.rows[kept]
