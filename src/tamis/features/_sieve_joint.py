"""Columns of which only many together tell something, by a linear rule: found backwards, and believed only on rows held out.

A search that adds one column at a time cannot find them, since each of them alone, and any few of them, tell nothing. Ridge
least squares starts with all columns instead, and leaves those first whose absence raises its loss least. That order fits noise
where columns are many, so it is taken only where it is better than the order at hand by far, on rows that neither its choice nor
its fit has seen; the order at hand has been chosen on these very rows, which makes the comparison a cautious one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tamis.features._sieve_search import indicators, prediction_errors, truth_of
from tamis.table._table import Numbers, Table, Target

Float = NDArray[np.float64]
Ints = NDArray[np.intp]

RIDGE = 0.03  # added to the squared length of every column, which is 1
FOLDS, PARTS = 3, (8, 4, 2)  # compared at an eighth, a quarter and a half of the columns
_FAR = 2.0  # standard errors by which the backward order must be better
_MOST = 500  # columns for least squares: a number is one, and a categorical column one a value
_LEAVE = 10  # one in so many columns leaves at a time
_DIGITS = 10  # decimals of a loss; losses that agree in all of them tie


def joint_order(
    table: Table, target: Target | Numbers, order: Ints, random: np.random.RandomState
) -> Ints | None:
    """The columns as least squares leaves them, behind those of the order that serve better alone; None where none are better.

    Parameters
    ----------
    table : Table
        The rows, with columns that are no constants.
    target : Target or Numbers
        The classes, numbered from 0 without a gap, or the numbers.
    order : ndarray of int, shape (d,)
        The columns from best to worst as others see them; only its first columns take part if there are many.
    random : RandomState
        Draws the folds.
    """
    parts = [indicators(table.values[:, j], bool(table.nominal[j])) for j in order]
    n_seen = int(np.searchsorted(np.cumsum([part.shape[1] for part in parts]), _MOST, side="right"))
    parts, truth, codes = parts[:n_seen], *truth_of(target)
    fold = _folds(codes, random)
    if n_seen < max(PARTS) or any(set(codes[fold != held]) < set(codes) for held in range(FOLDS)):
        return None
    sizes = [n_seen // part for part in PARTS]
    better = np.zeros((len(sizes), len(truth)))
    for held in range(FOLDS):
        seen = fold != held
        backward = backward_order([part[seen] for part in parts], truth[seen])
        for k, size in enumerate(sizes):
            for sign, columns in ((1, np.arange(size)), (-1, backward[:size])):
                said = _said(np.hstack([parts[j] for j in columns]), truth, seen)
                errors = prediction_errors(said, truth[~seen], codes[~seen], isinstance(target, Numbers))
                better[k, ~seen] += sign * errors
    by_far = better.mean(axis=1) > _FAR * better.std(axis=1) / np.sqrt(len(truth))
    if not by_far.any():
        return None
    n_before = [0, *sizes][int(np.argmax(by_far))]
    backward = backward_order(parts, truth)
    taken: Ints = order[np.concatenate([np.arange(n_before), backward[backward >= n_before]])]
    return taken


def _folds(codes: Ints, random: np.random.RandomState) -> Ints:
    """The fold of each row, each class spread over all."""
    fold = np.empty(len(codes), dtype=np.int64)
    for label in np.unique(codes):
        rows = random.permutation(np.flatnonzero(codes == label))
        fold[rows] = (np.arange(len(rows)) + random.randint(FOLDS)) % FOLDS
    return fold


def backward_order(parts: Sequence[Float], truth: Float) -> Ints:
    """The columns from best to worst: ridge least squares leaves a tenth of them at a time, those it misses least.

    Parameters
    ----------
    parts : sequence of ndarray, shape (n, p)
        Each column as centred numbers.
    truth : ndarray, shape (n, c)
        What is predicted.
    """
    Z, centred = np.hstack(parts), truth - truth.mean(axis=0)
    owner = np.repeat(np.arange(len(parts)), [part.shape[1] for part in parts])
    products, sums = Z.T @ Z + RIDGE * np.eye(len(owner)), Z.T @ centred
    left, gone = np.arange(len(parts)), list[int]()
    while len(left):
        own = np.flatnonzero(np.isin(owner, left))
        inverse = np.asarray(np.linalg.inv(products[np.ix_(own, own)]), dtype=np.float64)
        losses = np.round(_losses(inverse, inverse @ sums[own], owner[own], left), _DIGITS)
        last = np.lexsort((-left, losses))[: max(1, len(left) // _LEAVE)]
        gone.extend(left[last].tolist())
        left = np.delete(left, last)
    return np.array(gone[::-1], dtype=np.intp)


def _losses(inverse: Float, weights: Float, owner: Ints, left: Ints) -> Float:
    """By how much the loss rises without each column: w' A w, where A is the inverse of its block of the inverse."""
    first, counts = (
        np.searchsorted(owner, left),
        np.bincount(owner, minlength=int(left.max(initial=0)) + 1)[left],
    )
    found = np.zeros(len(left))
    single = counts == 1
    at = first[single]
    found[single] = (weights[at] ** 2).sum(axis=1) / inverse[at, at]
    for k in np.flatnonzero(counts > 1):
        block = slice(first[k], first[k] + counts[k])
        found[k] = (weights[block] * np.linalg.solve(inverse[block, block], weights[block])).sum()
    return found


def _said(Z: Float, truth: Float, seen: NDArray[np.bool_]) -> Float:
    """The predictions of ridge least squares for the rows that it has not seen."""
    inside, mean = Z[seen], truth[seen].mean(axis=0)
    products = inside.T @ inside + RIDGE * np.eye(Z.shape[1])
    said: Float = mean + Z[~seen] @ np.linalg.solve(products, inside.T @ (truth[seen] - mean))
    return said
