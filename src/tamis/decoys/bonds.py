"""Do decoys hang together with the other columns as their originals do? Bonds that a copula does not have are found here.

Each column is seen twice: a number as its normal score z and as z^2 - 1, a category by its two most frequent values. For f of one column and g
of another the mean of f (g - g of the decoys) is 0, but for chance, if decoys are what they should be.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import rankdata

Float = NDArray[np.float64]

MOST_COLUMNS = 400  # that are looked at
_LEVEL = 0.001  # the chance that some bond is doubted where there is none to doubt
_EXCESS = 2.0  # how many times as large the squares of all differences may be as those between decoys


@dataclass(frozen=True)
class Bonds:
    """How far the bonds of decoys are from those of the columns.

    Attributes
    ----------
    first, second : int
        The two columns whose bond differs most.
    largest : float
        That difference, in its standard errors.
    limit : float
        What the largest of as many differences stays below by chance, but for one table in 1,000.
    excess : float
        The mean square of all differences, over that between decoys: 1 if all is well.
    pairs : ndarray of int, shape (k, 2)
        The pairs of columns whose bonds differ by more than the limit.
    """

    first: int
    second: int
    largest: float
    limit: float
    excess: float
    pairs: NDArray[np.intp]

    @property
    def single(self) -> bool:
        """Whether two columns have a bond that decoys do not have."""
        return self.largest > self.limit

    @property
    def everywhere(self) -> bool:
        """Whether bonds differ all over the table."""
        return self.excess > _EXCESS


def bonds(values: Float, decoys: Float, nominal: NDArray[np.bool_], groups: NDArray[np.intp]) -> Bonds | None:
    """Compare the bonds of a table with those of its decoys; None for fewer than two groups or three rows.

    Parameters
    ----------
    values : ndarray, shape (n, d)
        The table.
    decoys : ndarray, shape (m, n, d)
        Its decoys.
    nominal : ndarray of bool, shape (d,)
        Which columns hold categories.
    groups : ndarray of int, shape (d,)
        Columns of one group share a verdict, and their bonds with each other do not matter.
    """
    n, d = values.shape
    if n < 3 or len(np.unique(groups)) < 2:
        return None
    some = np.unique(np.linspace(0, d - 1, MOST_COLUMNS).astype(int))
    own = seen_twice(values[:, some], values[:, some], nominal[some])
    others = [seen_twice(decoy[:, some], values[:, some], nominal[some]) for decoy in decoys[:3]]
    errors = differences(own, own, others[0])
    between = differences(own, others[-1], others[0]) if len(others) > 1 else np.ones_like(errors)
    size = len(some)
    apart = np.tile(groups[some][:, None] != groups[some], (2, 2))
    if not apart.any():
        return None
    place = int(np.argmax(np.where(apart, np.abs(errors), -1.0)))
    one, two = (some[at % size] for at in divmod(place, 2 * size))
    excess = (errors[apart] ** 2).mean() / max((between[apart] ** 2).mean(), 1e-12)
    limit = -float(ndtri(_LEVEL / (2 * apart.sum())))
    left, right = np.nonzero(apart & (np.abs(errors) > limit))
    pairs = np.stack([some[left % size], some[right % size]], axis=1)
    return Bonds(int(one), int(two), float(np.abs(errors).ravel()[place]), limit, float(excess), pairs)


def seen_twice(values: Float, originals: Float, nominal: NDArray[np.bool_]) -> Float:
    """Two views of each column, all first ones before all second ones, 0 where missing; shape (n, 2 d).

    The categories of a decoy are those of its original.
    """
    n, d = values.shape
    views = np.zeros((n, 2 * d))
    for j in range(d):
        known = ~np.isnan(originals[:, j])
        if nominal[j]:
            codes, counts = np.unique(originals[known, j], return_counts=True)
            for view, code in enumerate(codes[np.lexsort((codes, -counts))][:2]):
                views[known, view * d + j] = (values[known, j] == code) - counts[codes == code] / known.sum()
        elif known.any():
            scores = ndtri((rankdata(values[known, j]) - 0.5) / known.sum())
            views[known, j] = scores
            views[known, d + j] = scores**2 - (scores**2).mean()
    return views


def differences(own: Float, one: Float, other: Float) -> Float:
    """The means of f (g - g') for all f of `own` and g of `one` and `other`, in standard errors; 0 where all are 0."""
    apart = one - other
    means = own.T @ apart / len(own)
    squares = (own**2).T @ apart**2 / len(own)
    errors = np.sqrt(np.maximum(squares - means**2, 0.0) / len(own))
    told: Float = np.where(errors > 1e-9, means / np.where(errors > 1e-9, errors, 1.0), 0.0)
    return told
