"""The vote of a boosted model on many rows, a few hundred rows at a time."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tamis._jit import kernel

BLOCK = 256  # rows; a column of so many stays in the nearest cache while its stump is asked


@kernel
def summed_votes(values, column, threshold, nominal, gap_right, weight):
    """H(x) of each row: float64 (n,), the votes +-weight[t] added in order of the rounds.

    A stump says weight[t] on its right side: x > threshold[t], for a nominal (categorical) column x == threshold[t], and gaps (missing values) where
    gap_right[t]; -weight[t] on its left.
    """
    used = np.unique(column)
    number = np.searchsorted(used, column)
    decided = np.zeros(values.shape[0])
    block = np.empty((len(used), BLOCK))
    for first in range(0, values.shape[0], BLOCK):
        total = decided[first : first + BLOCK]
        for row in range(len(total)):
            for i in range(len(used)):
                block[i, row] = values[first + row, used[i]]
        for t in range(len(column)):
            _add_votes(block[number[t]], threshold[t], nominal[t], gap_right[t], weight[t], total)
    return decided


@kernel
def _add_votes(value, threshold, nominal, gap_right, weight, total):
    """One stump's votes. A gap compares false with everything, which says on which side it falls without a test."""
    if nominal and gap_right:
        for row in range(len(total)):
            left = (value[row] < threshold) | (value[row] > threshold)
            total[row] += -weight if left else weight
    elif nominal:
        for row in range(len(total)):
            total[row] += weight if value[row] == threshold else -weight
    elif gap_right:
        for row in range(len(total)):
            total[row] += -weight if value[row] <= threshold else weight
    else:
        for row in range(len(total)):
            total[row] += weight if value[row] > threshold else -weight


@kernel
def column_votes(values, column, threshold, nominal, gap_right, weight, told):
    """Add the votes of every stump to its column: told (n, d), eq. (5), in order of the rounds."""
    block = np.empty(BLOCK)
    total = np.empty(BLOCK)
    for first in range(0, values.shape[0], BLOCK):
        n_rows = min(BLOCK, values.shape[0] - first)
        for t in range(len(column)):
            for row in range(n_rows):
                block[row] = values[first + row, column[t]]
                total[row] = told[first + row, column[t]]
            _add_votes(block, threshold[t], nominal[t], gap_right[t], weight[t], total[:n_rows])
            for row in range(n_rows):
                told[first + row, column[t]] = total[row]


class Splits(NamedTuple):
    """The trees of a model."""

    children: Any  # (T, nodes) one more than the split of a node, 0 for a leaf
    column: Any  # (T, splits), and so are `threshold`, `nominal`, `gap_right`
    threshold: Any
    nominal: Any
    gap_right: Any
    label: Any  # (T, nodes)
    alpha: Any  # (T,)


@kernel
def tree_votes(values, trees, splits, first_round, n_rounds, total):
    """Add the votes of some rounds to `total` (n,), a few hundred rows at a time.

    `splits` (T, splits) is the node of each split, -1 behind the last. All rows of a block go through the splits of a tree
    one after the other: those that stand at the node of a split move on to one of its children.
    """
    used = np.unique(trees.column)
    number = np.searchsorted(used, trees.column.ravel()).reshape(trees.column.shape)
    block = np.empty((len(used), BLOCK))
    at = np.empty(BLOCK, np.int32)
    for first in range(0, values.shape[0], BLOCK):
        own = total[first : first + BLOCK]
        for row in range(len(own)):
            for i in range(len(used)):
                block[i, row] = values[first + row, used[i]]
        for t in range(first_round, first_round + n_rounds):
            at[:] = 0
            for s in range(splits.shape[1]):
                if splits[t, s] >= 0:
                    kind = 2 * trees.nominal[t, s] + trees.gap_right[t, s]
                    _move(block[number[t, s]], trees.threshold[t, s], kind, splits[t, s], 2 * s + 1, at)
            alpha, label = trees.alpha[t], trees.label[t]
            for row in range(len(own)):
                own[row] += alpha * label[at[row]]


@kernel
def _move(value, threshold, kind, node, left, at):
    """Move the rows that stand at a node to its left child or the next. A gap compares false with everything."""
    node, left = np.int32(node), np.int32(left)
    for row in range(BLOCK):
        if kind == 0:
            right = value[row] > threshold
        elif kind == 1:
            right = not value[row] <= threshold
        elif kind == 2:
            right = value[row] == threshold
        else:
            right = not ((value[row] < threshold) | (value[row] > threshold))
        at[row] = np.int32(left + np.int32(right)) if at[row] == node else at[row]


@kernel
def shared_votes(values, trees, told, confidence):
    """Add each column's share of the votes to `told` and `confidence` (n, d).

    A vote and its alpha are shared in equal parts among the different columns on the path of a row.
    """
    path = np.empty(trees.column.shape[1], np.int64)
    for row in range(values.shape[0]):
        for t in range(len(trees.alpha)):
            node, n_different = 0, 0
            while trees.children[t, node] > 0:
                s = trees.children[t, node] - 1
                value = values[row, trees.column[t, s]]
                right = (
                    value == trees.threshold[t, s] if trees.nominal[t, s] else value > trees.threshold[t, s]
                )
                right |= trees.gap_right[t, s] and np.isnan(value)
                node = 2 * s + 1 + right
                new = True
                for i in range(n_different):
                    new &= path[i] != trees.column[t, s]
                path[n_different] = trees.column[t, s]
                n_different += new
            for i in range(n_different):
                told[row, path[i]] += trees.alpha[t] * trees.label[t, node] / n_different
                confidence[row, path[i]] += trees.alpha[t] / n_different
