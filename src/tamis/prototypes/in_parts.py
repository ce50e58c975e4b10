"""Condensing a table in parts: condense each part, put together what they keep, condense again."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import narwhals as nw
import numpy as np
from joblib import delayed
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import check_consistent_length, column_or_1d

from tamis._processes import in_parallel
from tamis.table._encode import as_frame
from tamis.table.parts.opened import opened_parts
from tamis.table.parts.parted import HeldPart, in_parts

__all__ = ["CondensedParts", "condense_parts"]


@dataclass(frozen=True)
class CondensedParts:
    """What condensing in parts keeps; made by `condense_parts`.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        The kept rows, ascending, counted through all parts in their order.
    X_, y_ : array or frame, ndarray
        The kept rows and their classes.
    n_between_ : int
        How many rows the parts kept before they were condensed together.
    n_rows_ : int
        How many rows there were.
    selector_ : estimator
        Fitted on the rows that the parts kept.
    """

    sample_indices_: NDArray[np.intp]
    X_: Any
    y_: NDArray[Any]
    n_between_: int
    n_rows_: int
    selector_: Any


def condense_parts(
    selector: Any,
    X: Any,
    y: Any,
    *,
    n_parts: int | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> CondensedParts:
    """Condense a table in parts, and what the parts keep once more.

    Parameters
    ----------
    selector : row selector
        Such as `PSBoost` or `CondensedNN`; it is cloned for every part.
    X : array-like, frame, Dask array or frame, or path
        The rows. A path names a folder of Parquet files, a pattern of them, or one.
    y : array-like, or the name of a column
        Their classes.
    n_parts : int, optional
        Into how many parts a table at hand is cut, at random and each class evenly; not for tables that lie in parts.
    n_jobs : int, optional
        Parts that are condensed at a time, through joblib: on a Dask cluster under ``parallel_config(backend="dask")``.
    random_state : int, RandomState or None, default=None
        Decides how rows are dealt to parts.

    Returns
    -------
    CondensedParts
        The kept rows.

    Notes
    -----
    A part's rows are compared with rows of that part only, on scales of that part. What is kept is not what the method
    would keep of the whole table; a table of the loss in accuracy is in the documentation. A part of one class, or of no more
    rows than are wanted, goes whole into the second pass.
    """
    if in_parts(X):
        if n_parts is not None:
            raise ValueError(f"condense_parts: n_parts={n_parts}, but X already lies in parts. Leave it out.")
        pieces = opened_parts(selector, X, y, None, n_jobs)
        sizes = pieces.labels(_size)
        firsts = np.cumsum([0, *sizes])
        kept = pieces.each(_kept_of_part, [(int(first),) for first in firsts[:-1]], selector)
        n_rows = int(firsts[-1])
    else:
        n_rows, rows, parts = _dealt(X, y, n_parts, check_random_state(random_state))
        calls = (delayed(_kept_of_part)(part, 0, selector) for part in parts)
        kept = list(in_parallel(calls, n_jobs, ordered=True))
        kept = [(table, labels, own[at]) for own, (table, labels, at) in zip(rows, kept)]
    table = _joined([found[0] for found in kept])
    labels = np.concatenate([found[1] for found in kept])
    indices = np.concatenate([found[2] for found in kept])
    order = np.argsort(indices)
    table, labels, indices = _safe_indexing(table, order), labels[order], indices[order]
    last = clone(selector).fit(table, labels)
    chosen = last.sample_indices_
    return CondensedParts(
        indices[chosen], _safe_indexing(table, chosen), labels[chosen], len(indices), n_rows, last
    )


def _size(part: Any) -> int:
    return len(part.labels())


def _dealt(
    X: Any, y: Any, n_parts: int | None, random: np.random.RandomState
) -> tuple[int, list[NDArray[np.intp]], list[HeldPart]]:
    """Deal rows to parts, each class evenly: how many there are, those of each part, and the parts."""
    labels = column_or_1d(y)
    check_consistent_length(X, labels)
    if n_parts is None or not 1 <= n_parts <= len(labels):
        raise ValueError(f"condense_parts: n_parts={n_parts}. Use a number from 1 to {len(labels)}.")
    scattered = random.permutation(len(labels))
    by_class = scattered[np.argsort(np.unique(labels[scattered], return_inverse=True)[1], kind="stable")]
    rows = [np.sort(by_class[part::n_parts]) for part in range(n_parts)]
    return len(labels), rows, [HeldPart(_safe_indexing(X, own), labels[own]) for own in rows]


def _kept_of_part(part: Any, first: int, selector: Any) -> tuple[Any, NDArray[Any], NDArray[np.intp]]:
    """The rows that a part keeps, their labels, and their places in the whole table."""
    table, labels = part.table(), column_or_1d(part.labels())
    wanted = getattr(selector, "n_prototypes", None)
    too_few = isinstance(wanted, Integral) and int(wanted) >= len(labels)
    if too_few or len(np.unique(labels)) < 2:
        return table, labels, first + np.arange(len(labels))
    kept = clone(selector).fit(table, labels).sample_indices_
    return _safe_indexing(table, kept), labels[kept], first + kept


def _joined(tables: list[Any]) -> Any:
    """The rows of all parts."""
    frames = [as_frame(table) for table in tables]
    if frames[0] is None:
        return np.concatenate([np.asarray(table) for table in tables])
    return nw.concat([frame for frame in frames if frame is not None], how="vertical").to_native()
