"""ReliefF on rows that have weights, or groups whose rows are never each other's neighbours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tamis.features._kernels.grouped_relief import mean_differences, weighted_sums
from tamis.neighbors import STEPS, ScaledRows, nearest_rows

Float = NDArray[np.float64]


@dataclass(frozen=True)
class Asked:
    """The rows whose neighbours count, and how much.

    Attributes
    ----------
    rows : ScaledRows
        All rows.
    asking : ndarray of int
        Those whose neighbours are looked at, ascending.
    groups : ndarray of int, shape (n,)
        The group of each row.
    weights : ndarray, shape (n,)
        What each row counts.
    n_neighbors : int
        How many neighbours, of each class or in all.
    n_jobs : int or None
        Threads of the search; they change nothing.
    """

    rows: ScaledRows
    asking: NDArray[np.int64]
    groups: NDArray[np.int64]
    weights: Float
    n_neighbors: int
    n_jobs: int | None

    def class_weights(self, codes: NDArray[np.int64]) -> Float:
        """The weight of each column for classes."""
        shares = np.bincount(codes, weights=self.weights)
        whole = shares.sum()
        found = np.zeros(self.rows.coordinates.shape[1])
        for code, share in enumerate(shares):
            listed = self._listed(np.flatnonzero(codes == code))
            sums = mean_differences(
                *(self.rows.coordinates, listed, self.asking, codes, self.groups, self.weights),
                *(self.n_neighbors, self._scale),
            )
            for other, total in enumerate(sums):
                found += total * (-1.0 if other == code else share / (whole - shares[other]))
        result: Float = found / self.weights[self.asking].sum()
        return result

    def regression_weights(self, target: Float) -> Float:
        """The weight of each column for a numeric target."""
        listed = self._listed(np.arange(len(self.rows)))
        pairs, apart, of_columns, of_both = weighted_sums(
            *(self.rows.coordinates, listed, self.asking, between_0_and_1(target), self.groups, self.weights),
            *(self.n_neighbors, self._scale),
        )
        differ = of_both / apart if apart > 0 else np.zeros(len(of_both))
        alike = (of_columns - of_both) / (pairs - apart) if pairs > apart else np.zeros(len(of_both))
        found: Float = differ - alike
        return found

    @property
    def _scale(self) -> float:
        return 1.0 / (STEPS**0.5 if self.rows.space.squared else STEPS)

    def _listed(self, members: NDArray[np.intp]) -> NDArray[np.intp]:
        """The members nearest to each row that asks, as many more than needed as the largest group has among them."""
        largest = int(np.bincount(self.groups[members]).max())
        n_listed = min(self.n_neighbors + largest, len(members))
        queries = self.rows if len(self.asking) == len(self.rows) else self.rows.take(self.asking)
        nearest, _ = nearest_rows(
            self.rows.space, self.rows.take(members), n_listed, queries, n_jobs=self.n_jobs
        )
        return members[nearest]


def between_0_and_1(target: Float) -> Float:
    """The numbers, moved and scaled to the range from 0 to 1."""
    half = target / 2  # the range of the largest numbers is no float
    low, width = half.min(), half.max() - half.min()
    scaled: Float = (half - low) / width
    return scaled
