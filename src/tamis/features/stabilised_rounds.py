"""The number of rounds from which FS2Boost keeps the same columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone

from tamis._progress import Progress
from tamis.features._search import Search, columns_of
from tamis.features.fs2boost import FS2Boost


class StabilisedRounds(NamedTuple):
    """The number of rounds from which the kept columns no longer change; returned by `stabilised_rounds`.

    Attributes
    ----------
    n_rounds : int
        The smallest number of rounds from which on the kept columns stay the same, up to the largest number tried.
    support : ndarray of bool, shape (d,)
        These columns.
    supports : ndarray of bool, shape (max_rounds, d)
        The columns kept after 1, 2, ... rounds.
    """

    n_rounds: int
    support: NDArray[np.bool_]
    supports: NDArray[np.bool_]


def stabilised_rounds(
    X: ArrayLike, y: ArrayLike, max_rounds: int = 100, *, selector: BaseEstimator | None = None
) -> StabilisedRounds:
    """Find the number of rounds from which `FS2Boost` keeps the same columns.

    The search is made for every number of rounds up to `max_rounds`. One run of boosting contains all shorter ones, and
    every set of columns is measured once, so that all searches together cost little more than the longest.

    Parameters
    ----------
    X : array-like or frame, shape (n, d)
        The table.
    y : array-like, shape (n,)
        The classes.
    max_rounds : int, default=100
        The most rounds tried.
    selector : FS2Boost or None, default=None
        The settings of the search (its `n_rounds` does not matter); None is ``FS2Boost()``.

    Returns
    -------
    StabilisedRounds
        The number of rounds (the paper's T_Z, with ``criterion="z_prime"`` its T_Z'), and the columns kept.

    Examples
    --------
    >>> import numpy as np
    >>> from tamis import stabilised_rounds
    >>> X = np.random.default_rng(0).integers(0, 2, size=(60, 3))
    >>> stable = stabilised_rounds(X, X[:, 1] ^ X[:, 2], max_rounds=10)
    >>> stable.n_rounds, np.flatnonzero(stable.support)
    (1, array([1, 2]))
    """
    if not isinstance(max_rounds, int | np.integer) or max_rounds < 1:
        raise ValueError(f"stabilised_rounds: max_rounds={max_rounds!r}. Use a whole number from 1 on.")
    if selector is not None and not isinstance(selector, FS2Boost):
        raise TypeError(f"stabilised_rounds: selector is a {type(selector).__name__}. Use an FS2Boost.")
    chosen = FS2Boost() if selector is None else clone(selector)
    chosen.set_params(n_rounds=int(max_rounds))
    chosen._validate_params()
    measure, _, rules = chosen._prepared(X, y)
    supports = np.zeros((int(max_rounds), chosen.n_features_in_), dtype=bool)
    for n_rounds in range(1, int(max_rounds) + 1):
        search = Search(measure, rules, n_rounds).run(Progress(chosen, "moves", None, least=None))
        supports[n_rounds - 1, list(columns_of(search.kept()))] = True
    changed = np.flatnonzero((supports != supports[-1]).any(axis=1))
    return StabilisedRounds(int(changed[-1]) + 2 if len(changed) else 1, supports[-1], supports)
