"""Held-out rows with shuffled columns, and scores of many such copies at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from tamis.table._encode import as_frame

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

Float = NDArray[np.float64]
Ints = NDArray[np.intp]
AT_ONCE = 10_000


@dataclass(frozen=True)
class OfPredictions:
    """A score that knows the predictions only, so that many copies of the held-out rows are predicted in one call.

    Attributes
    ----------
    function : callable
        Of the answers, the predictions and the weights of the rows or None.
    """

    function: Callable[[NDArray[Any], NDArray[Any], Float | None], float]

    def __call__(
        self, model: BaseEstimator, X: Float, y: NDArray[Any], sample_weight: Float | None = None
    ) -> float:
        """The score of one copy."""
        return float(self.function(y, model.predict(X), sample_weight))

    def of_many(
        self,
        model: BaseEstimator,
        copies: Iterator[Float],
        y: NDArray[Any],
        sample_weight: Float | None = None,
    ) -> list[float]:
        """The score of each copy; as many at once as make some ten thousand rows."""
        scores: list[float] = []
        while some := list(islice(copies, max(1, AT_ONCE // len(y)))):
            predicted = model.predict(np.concatenate(some)).reshape(len(some), -1)
            scores += [float(self.function(y, one, sample_weight)) for one in predicted]
        return scores


def r2(y: NDArray[Any], predicted: NDArray[Any], weights: Float | None = None) -> float:
    """The coefficient of determination; 0 where all answers are the same."""
    w = np.ones(len(y)) if weights is None else weights
    spread = float(np.sum(w * (y - np.average(y, weights=w)) ** 2))
    return 1.0 - float(np.sum(w * (y - predicted) ** 2)) / spread if spread > 0.0 else 0.0


def shuffled(X: Any, columns: Ints, order: Ints) -> Any:
    """The same rows with the values of some columns in another order; those of one row stay together."""
    frame = as_frame(X)
    if frame is None:
        mixed = X.copy()
        mixed[:, columns] = X[np.ix_(order, columns)]
        return mixed
    names = [frame.columns[column] for column in columns]
    moved = nw.maybe_reset_index(frame.select(names)[order.tolist(), :])
    plain = nw.maybe_reset_index(frame)
    return plain.with_columns(*(moved.get_column(name) for name in names)).to_native()
