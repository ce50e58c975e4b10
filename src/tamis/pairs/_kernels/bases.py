"""Orthonormal bases of the lines of a pair (see `sums`), as combinations of them, from the sums of their products."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tamis._jit import kernel
from tamis.pairs._kernels.lists import Views
from tamis.pairs._kernels.sums import Rows, lines, n_own, weigh

ALIKE = 1e-8  # a line adds nothing if the new share of its sum of squares is no larger


class Basis(NamedTuple):
    """Orthonormal combinations of lines.

    Parameters
    ----------
    parts : ndarray, shape (k, lines)
        One combination per row; the lines of the classes are not counted.
    n_own : int
        How many rows, the first ones, span what the columns tell alone: m.
    newest : float
        The smallest share of a line's sum of squares that was new when the line was added.
    """

    parts: np.ndarray
    n_own: int
    newest: float


@kernel
def orthonormal(sums: np.ndarray, n_first: int) -> Basis:
    """An orthonormal basis of the lines, added in order, from the sums of their products.

    The first `n_first` lines hold what the columns tell alone.
    """
    n_lines = len(sums)
    parts = np.zeros((n_lines, n_lines))
    along = np.empty(n_lines)
    size, own, newest = 0, 0, 1.0
    for j in range(n_lines):
        left = sums[j, j]
        for k in range(size):
            along[k] = 0.0
            for i in range(j):
                along[k] += parts[k, i] * sums[j, i]
            left -= along[k] * along[k]
        if left > ALIKE * sums[j, j]:
            newest = min(newest, left / sums[j, j])
            parts[size, j] = 1.0
            for k in range(size):
                for i in range(j):
                    parts[size, i] -= along[k] * parts[k, i]
            length = math.sqrt(left)
            for i in range(n_lines):
                parts[size, i] /= length
            size += 1
        if j < n_first:
            own = size
    return Basis(parts[:size], own, newest)


@kernel
def corrected(
    basis: Basis, views: Views, rows: Rows, pair: tuple[int, int], groups: tuple[int, int], block: np.ndarray
) -> Basis:
    """The basis made orthonormal a second time, from sums over its own values: this removes rounding errors."""
    n_classes = len(rows.shares)
    n_lines = n_classes + basis.parts.shape[1]
    sums = np.zeros((len(basis.parts), len(basis.parts)))
    weighted = np.empty((len(basis.parts), block.shape[1]))
    for at in range(0, len(rows.codes), block.shape[1]):
        lines(views, rows, pair, groups, at, block)
        values = np.dot(basis.parts, block[n_classes:n_lines])
        weigh(values, rows, at, weighted)
        sums += np.dot(weighted, values.T)
    again = orthonormal(sums, basis.n_own)
    return Basis(np.dot(again.parts, basis.parts), basis.n_own, 1.0)


@kernel
def class_parts(basis: Basis, crosses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each class projected on the basis: coefficients, (k, c), and its part in the first `n_own` rows, (c, lines)."""
    along = np.dot(basis.parts, crosses)
    own = np.dot(along[: basis.n_own].T, basis.parts[: basis.n_own])
    return along, own


@kernel
def lines_of_test(views: Views, pair: tuple[int, int], groups: tuple[int, int]) -> np.ndarray:
    """The lines that a test of two groups uses, among those of all views of the pair, without classes."""
    start = views.column_views
    first = n_own(views, pair)
    width = 1 if pair[1] < 0 else start[pair[1] + 1] - start[pair[1]]
    found = np.empty(n_lines_of_test(views, pair, groups), dtype=np.int64)
    for line in range(first):
        found[line] = line
    size = first
    for u in range(views.groups[groups[0], 0], views.groups[groups[0], 1]):
        line = first + (u - start[pair[0]]) * width
        if pair[1] < 0:
            found[size] = line
            size += 1
        else:
            for v in range(views.groups[groups[1], 0], views.groups[groups[1], 1]):
                found[size] = line + v - start[pair[1]]
                size += 1
    return found


@kernel
def n_lines_of_test(views: Views, pair: tuple[int, int], groups: tuple[int, int]) -> int:
    """How many lines a test of two groups uses, classes not counted."""
    n_products = views.groups[groups[0], 1] - views.groups[groups[0], 0]
    if pair[1] >= 0:
        n_products *= views.groups[groups[1], 1] - views.groups[groups[1], 0]
    return n_own(views, pair) + n_products


@kernel
def picked(sums: np.ndarray, n_classes: int, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The sums of products of some lines with each other, and with the classes, (lines, c)."""
    square = np.empty((len(chosen), len(chosen)))
    crosses = np.empty((len(chosen), n_classes))
    for i in range(len(chosen)):
        for c in range(n_classes):
            crosses[i, c] = sums[n_classes + chosen[i], c]
        for j in range(len(chosen)):
            square[i, j] = sums[n_classes + chosen[i], n_classes + chosen[j]]
    return square, crosses
