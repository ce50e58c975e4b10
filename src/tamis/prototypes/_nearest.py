"""The kept rows, ready for finding the nearest of them to new rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tamis.neighbors import MixedSpace, ScaledRows, nearest_rows
from tamis.table._encode import encode_like
from tamis.table._table import Schema, Table

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


@dataclass(frozen=True, eq=False)
class NearestKept:
    """Kept rows, scaled by the ranges of the whole table.

    Attributes
    ----------
    schema : Schema
        Kinds and codes of the columns.
    kept : ScaledRows
        The kept rows; their space is that of the whole table.
    """

    schema: Schema
    kept: ScaledRows

    @classmethod
    def of(cls, table: Table, kept: NDArray[np.float64]) -> Self:
        """Scale the values of the kept rows by the ranges of `table`."""
        space = MixedSpace.fit(table.values, table.nominal, "l2")
        return cls(table.schema, space.scaled(kept))

    def positions(
        self, estimator: BaseEstimator, X: ArrayLike, n_neighbors: int, n_jobs: int | None = 1
    ) -> NDArray[np.int64]:
        """For each new row, return the positions of the nearest kept rows, nearest first; all where there are fewer."""
        values = encode_like(estimator, X, self.schema).values
        nearest, _ = nearest_rows(
            self.kept.space, self.kept, min(n_neighbors, len(self.kept)), values, n_jobs=n_jobs
        )
        return nearest

    def class_distances(
        self,
        estimator: BaseEstimator,
        X: ArrayLike,
        codes: NDArray[np.int64],
        n_classes: int,
        n_jobs: int | None = 1,
    ) -> NDArray[np.float64]:
        """Return the distance of each new row to the nearest kept row of each class; infinity for a class without any.

        `codes` are the classes of the kept rows. The distance is the root of the sum of squares.
        """
        values = encode_like(estimator, X, self.schema).values
        found = np.full((len(values), n_classes), np.inf)
        for code in np.unique(codes):
            own = self.kept.take(np.flatnonzero(codes == code))
            found[:, code] = np.sqrt(nearest_rows(own.space, own, 1, values, n_jobs=n_jobs)[1][:, 0])
        return found
