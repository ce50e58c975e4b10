"""Selecting rows of a table in parts: from each part, then once more from what all parts kept."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from joblib import delayed
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, column_or_1d

from tamis._parameters import share_of
from tamis._processes import in_parallel
from tamis.prototypes.moved import MovedPrototypes
from tamis.table._rows import rows_of
from tamis.table.parts.opened import opened_parts
from tamis.table.parts.parted import HeldPart, in_parts
from tamis.table.parts.rows import joined

__all__ = ["CondensedParts", "condense_parts"]


@dataclass(frozen=True)
class CondensedParts:
    """The rows kept of a table in parts; made by `condense_parts`.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        The kept rows, ascending, counted through all parts in their order.
    X_, y_ : array or frame, ndarray
        The kept rows and their classes.
    n_between_ : int
        How many rows the parts kept in all, before the last selection among them.
    n_rows_ : int
        How many rows there were.
    selector_ : estimator or None
        The selector fitted on the rows that the parts kept; None where these are as many as are wanted.
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
    """Select rows in each part of a table, and then once more among the rows that the parts kept.

    Parameters
    ----------
    selector : row selector
        Such as `PSBoost` or `CondensedNN`; it is cloned for every part.
    X : array-like, frame, Dask array or frame, or path
        The rows. A path names a folder of Parquet files, a pattern of them, or one.
    y : array-like, or the name of a column
        Their classes.
    n_parts : int, optional
        Into how many parts a table in memory is split, at random and stratified by class; not for tables that are
        already in parts.
    n_jobs : int, optional
        How many parts are worked on at a time, by joblib; with ``parallel_config(backend="dask")`` on a Dask cluster.
    random_state : int, RandomState or None, default=None
        Seed of the split into parts.

    Returns
    -------
    CondensedParts
        The kept rows.

    Notes
    -----
    The rows of a part are compared with each other only, and scaled by the ranges of that part. The kept rows are
    therefore not those that the method would keep of the whole table; the documentation has a table of the loss in
    accuracy. A part with a single class, or with no more rows than are wanted, enters the second selection whole.

    A fraction of the rows is one of all of them: every part keeps it, and a second selection follows only where a part
    entered it whole.
    """
    if _makes_rows(selector):
        raise ValueError(
            f"condense_parts: {type(selector).__name__} makes rows, and parts keep rows. Use it on a whole table, or "
            "another selector."
        )
    if in_parts(X):
        if n_parts is not None:
            raise ValueError(f"condense_parts: n_parts={n_parts}, but X already lies in parts. Leave it out.")
        pieces = opened_parts(selector, X, y, None, n_jobs)
        sizes = pieces.labels(_size)
        firsts = np.cumsum([0, *sizes])
        kept_parts = pieces.each(_kept_of_part, [(int(first),) for first in firsts[:-1]], selector)
        n_rows = int(firsts[-1])
    else:
        n_rows, rows, parts = _dealt(X, y, n_parts, check_random_state(random_state))
        calls = (delayed(_kept_of_part)(part, 0, selector) for part in parts)
        answers = in_parallel(calls, n_jobs, ordered=True)
        kept_parts = [(table, labels, own[pos]) for own, (table, labels, pos) in zip(rows, answers)]
        sizes = [len(own) for own in rows]
    tables, label_arrays, row_numbers = zip(*kept_parts)
    table = joined(list(tables))
    labels = np.concatenate(label_arrays)
    indices = np.concatenate(row_numbers)
    order = np.argsort(indices)
    table, labels, indices = rows_of(table, order), labels[order], indices[order]
    last, chosen = clone(selector), np.arange(len(labels))
    share = _fraction(selector)
    if share is not None:
        wanted = sum(min(share_of(share, size), len(kept)) for size, kept in zip(sizes, label_arrays))
        last = None if wanted == len(labels) else last.set_params(n_prototypes=wanted)
    if last is not None:
        chosen = last.fit(table, labels).sample_indices_
    return CondensedParts(indices[chosen], rows_of(table, chosen), labels[chosen], len(indices), n_rows, last)


def _fraction(selector: Any) -> float | None:
    """The fraction of the rows that a selector keeps; None where it keeps a number of them, or decides by itself."""
    wanted = getattr(selector, "n_prototypes", None)
    by_class = isinstance(getattr(selector, "class_quota", None), dict)  # its sum replaces n_prototypes
    return wanted if isinstance(wanted, float) and not by_class else None


def _size(part: Any) -> int:
    return len(part.labels())


def _dealt(
    X: Any, y: Any, n_parts: int | None, random: np.random.RandomState
) -> tuple[int, list[NDArray[np.intp]], list[HeldPart]]:
    """Deal rows to parts, stratified by class; return the number of rows, the rows of each part, and the parts."""
    labels = column_or_1d(y)
    check_consistent_length(X, labels)
    if n_parts is None or not 1 <= n_parts <= len(labels):
        raise ValueError(f"condense_parts: n_parts={n_parts}. Use a number from 1 to {len(labels)}.")
    scattered = random.permutation(len(labels))
    by_class = scattered[np.argsort(np.unique(labels[scattered], return_inverse=True)[1], kind="stable")]
    rows = [np.sort(by_class[part::n_parts]) for part in range(n_parts)]
    return len(labels), rows, [HeldPart(rows_of(X, own), labels[own]) for own in rows]


def _makes_rows(selector: Any) -> bool:
    """Tell whether the rows of a selector are made, not kept."""
    return isinstance(selector, MovedPrototypes)


def _kept_of_part(part: Any, first: int, selector: Any) -> tuple[Any, NDArray[Any], NDArray[np.intp]]:
    """Return the rows that a part keeps, their labels, and their numbers in the whole table."""
    table, labels = part.table(), column_or_1d(part.labels())
    wanted = getattr(selector, "n_prototypes", None)
    too_few = isinstance(wanted, Integral) and int(wanted) >= len(labels)
    if too_few or len(np.unique(labels)) < 2:
        return table, labels, first + np.arange(len(labels))
    rows = clone(selector).fit(table, labels).sample_indices_
    return rows_of(table, rows), labels[rows], first + rows
