"""Made rows in the form in which a table came, and as a place to look for the nearest of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray

from tamis.prototypes._points import Float, PointSpace
from tamis.table._encode import as_frame, encode_like
from tamis.table._table import Table

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def rows_as_given(X: ArrayLike, table: Table, values: Float) -> Any:
    """Rows that were made, as an array, list or frame like the one they were made from.

    Parameters
    ----------
    X : array-like or frame
        The table as the caller gave it.
    table : Table
        The same as it was read.
    values : ndarray, shape (m, d)
        The made rows, as in a `Table`.

    Returns
    -------
    array, list or frame, of m rows
        Numbers are floats, of the caller's own kind where it was one, and finite; a categorical column keeps its dtype.
    """
    frame = as_frame(X)
    if frame is not None:
        return _framed(frame, table, values)
    columns = [
        column if labels is None else np.asarray(labels, dtype=np.float64)[column.astype(np.intp)]
        for column, labels in zip(values.T, (_or_none(labels) for labels in table.schema.categories))
    ]
    dtype = getattr(X, "dtype", None)
    own = dtype if isinstance(dtype, np.dtype) and dtype.kind == "f" else np.dtype(np.float64)
    made = _finite(np.column_stack(columns), own)
    return made.tolist() if isinstance(X, list) else made


def _finite(values: Float, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Values as floats of this kind, those beyond its largest being the largest."""
    largest = float(np.finfo(dtype).max)
    return np.clip(values, -largest, largest).astype(dtype)


def _or_none(labels: NDArray[Any] | None) -> NDArray[Any] | None:
    """The values of a categorical column; None for a numeric one, and for one without a value."""
    return None if labels is None or not len(labels) else labels


def _framed(frame: nw.DataFrame[Any], table: Table, values: Float) -> Any:
    made = []
    for place, name in enumerate(frame.columns):
        column = frame.get_column(name)
        labels = table.schema.categories[place]
        if labels is None:
            single = column.dtype == nw.Float32
            numbers = _finite(values[:, place], np.dtype(np.float32 if single else np.float64))
            kind = nw.Float32 if single else nw.Float64
            cells = [None if number != number else number for number in numbers.tolist()]  # null, not NaN
            made.append(nw.new_series(name, cells, kind, backend=frame.implementation))
            continue
        first = [int(np.argmax(table.values[:, place] == code)) for code in range(len(labels))] or [0]
        codes = np.nan_to_num(values[:, place]).astype(np.intp)
        rows = np.asarray(first, dtype=np.intp)[codes]
        made.append(nw.maybe_reset_index(column[rows.tolist()]))
    taken = nw.maybe_reset_index(frame[[0] * len(values)])
    return taken.with_columns(*made).to_native()


@dataclass(frozen=True, eq=False)
class NearestMade:
    """Made rows where they lie, with what each coordinate counts.

    Attributes
    ----------
    space : PointSpace
        How rows become points.
    prototypes : ndarray, shape (m, D)
        The made rows as points.
    counts : ndarray, shape (D,)
        What each coordinate counts in a distance.
    """

    space: PointSpace
    prototypes: Float
    counts: Float

    def positions(
        self, estimator: BaseEstimator, X: ArrayLike, n_neighbors: int = 1, n_jobs: int | None = 1
    ) -> NDArray[np.int64]:
        """The nearest made row of each new row, as `NearestKept` gives it; one neighbour is all there is."""
        values = encode_like(estimator, X, self.space.schema).values
        return self.space.nearest(values, self.prototypes, self.counts)[:, np.newaxis]
