"""Dask arrays and frames as tables in parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from tamis.table.parts.parted import HeldPart, PartedTable, columns_at, is_dask


@dataclass(frozen=True)
class DelayedPart:
    """Rows that Dask computes on request, and again after a loss.

    Attributes
    ----------
    X, y, w : dask.delayed.Delayed or None
        The columns, the labels, the weights.
    """

    X: Any
    y: Any
    w: Any = None

    def table(self, columns: Sequence[int] | None = None) -> Any:
        """The columns, or some of them by position, computed in this process."""
        X = self.X.compute()
        return X if columns is None else columns_at(X, columns)

    def labels(self) -> Any:
        """The labels, computed in this process."""
        return self.y.compute()

    def weights(self) -> Any:
        """The weights, computed in this process; None if there are none."""
        return None if self.w is None else self.w.compute()

    def held(self, *, labels_only: bool = False) -> Any:
        """The part as a task of Dask."""
        from dask import delayed

        return delayed(HeldPart, pure=False)(None if labels_only else self.X, self.y, self.w)


def parted(who: str, X: Any, y: Any, sample_weight: Any) -> PartedTable:
    """A Dask array or frame as a table in parts, one part per chunk of rows or partition.

    Parameters
    ----------
    who : str
        The estimator's name, for error messages.
    X : dask.array.Array or dask.dataframe.DataFrame
        The columns.
    y : dask.array.Array, dask.dataframe.Series or array-like
        The labels, in the same parts as X; an array in memory is divided like X, if the chunk sizes of X are known.
    sample_weight : like y, or None
        The weights.

    Returns
    -------
    PartedTable
        Its parts are `DelayedPart`.
    """
    if y is None:
        raise ValueError(
            f"{who}: requires y to be passed, but the target y is None. Give the class of every row."
        )
    is_frame = hasattr(X, "npartitions") and hasattr(X, "columns")
    if is_frame:
        pieces = list(X.to_delayed())
        sizes = None
        names: list[str] | None = list(X.columns)
        example = getattr(X, "_meta_nonempty", X._meta)
        n_columns = len(X.columns)
    else:
        if getattr(X, "ndim", 0) != 2:
            raise ValueError(f"{who}: X must have rows and columns, but it has {getattr(X, 'ndim', 0)} axes.")
        X = X.rechunk({1: -1})
        pieces = X.to_delayed().ravel().tolist()
        sizes = X.chunks[0]
        names, example, n_columns = None, None, int(X.shape[1])
    if n_columns == 0:
        raise ValueError(f"{who}: 0 feature(s) while a minimum of 1 is required.")
    labels = _like(who, "y", y, len(pieces), sizes)
    weights = [None] * len(pieces)
    if sample_weight is not None:
        weights = _like(who, "sample_weight", sample_weight, len(pieces), sizes)
    parts = [DelayedPart(*each) for each in zip(pieces, labels, weights)]
    return PartedTable(parts, names, example, n_columns)


def with_columns(estimator: Any, X: Any, columns: NDArray[np.intp]) -> Any:
    """Some columns, by position, of a Dask array or frame with the columns that the estimator was fitted to; not computed."""
    is_frame = hasattr(X, "iloc")
    validate_data(estimator, X._meta if is_frame else X, skip_check_array=True, reset=False)
    return X.iloc[:, columns.tolist()] if is_frame else X[:, columns]


def _like(who: str, what: str, given: Any, n_parts: int, sizes: tuple[int, ...] | None) -> list[Any]:
    """The parts of y or of the weights, in line with those of X."""
    known = sizes is not None and not any(np.isnan(size) for size in sizes)
    if not is_dask(given):
        if not known or sizes is None:
            raise TypeError(
                f"{who}: {what} is in memory, but the sizes of the parts of X are not known. Give {what} as a Dask "
                "collection in the same parts."
            )
        import dask.array as da

        given = da.from_array(np.asarray(given), chunks=(sizes,))
    if hasattr(given, "to_dask_array"):  # a frame of one column counts as a series
        pieces = list(given.to_delayed())
    else:
        if known and given.ndim == 1 and given.shape[0] == sum(sizes or ()):
            given = given.rechunk((sizes,))
        pieces = given.to_delayed().ravel().tolist()
    if len(pieces) != n_parts:
        raise ValueError(
            f"{who}: X has {n_parts} parts, but {what} has {len(pieces)}. Divide {what} as X is divided."
        )
    return pieces
