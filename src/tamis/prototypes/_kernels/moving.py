"""Loops of MovedPrototypes: the nearest prototypes of rows, the slope of the loss, and a step down it.

Symbols
-------
x_i, P_j   a row and a prototype as points, of D coordinates each
known      1 where x_i has a value, 0 where it is missing; of shape (0, 0) where nothing is missing
L          what each coordinate counts, 1 on average
d(i, j)    the sum over the known coordinates of L (x_i - P_j)**2: in eight sums, of every eighth of the coordinates up to
           the last multiple of eight, which are added up in pairs, and then the coordinates that are left, one by one
a, b       d to the nearest prototype of the row's own class, and of another class
mu         (b - a) / (a + b)
s          1 / (1 + exp(beta mu)), the loss of row i; w_i is its weight

Which prototype is nearest is decided by d itself. A product of matrices of float32 says which can be: nearness[i, j] is -d / 2
but for a constant of the row and what rounding does (slack[i] for two of them), and those within the slack of the largest
are measured, the lowest number winning ties. So the answer does not depend on the library that multiplies, or its
threads.

Who calls whom
--------------
    pulls, nearest_one -> _largest, _nearest -> _distance
    pulls              -> _pull
    singles, adam      stand alone
"""

from typing import NamedTuple

import numpy as np

from tamis._jit import kernel

LANES = 16  # the largest of so many lanes of a line is found by vector instructions


class Rows(NamedTuple):
    """Rows as points, and which of them take part."""

    values: np.ndarray  # (all rows, D)
    known: np.ndarray  # the same, or (0, 0)
    listed: np.ndarray  # (rows,): the rows that take part


class Made(NamedTuple):
    """Prototypes, those of a class after each other."""

    places: np.ndarray  # (m, D): P
    counts: np.ndarray  # (D,): L
    starts: np.ndarray  # (classes + 1,): the first prototype of each class, and m


@kernel
def singles(rows):
    """Return the rows that take part as float32: (rows, D), or (rows, 2 D) with what is known of them behind."""
    values, known, listed = rows
    width = values.shape[1]
    copied = np.empty((listed.shape[0], width * (2 if known.shape[0] > 0 else 1)), dtype=np.float32)
    for i in range(listed.shape[0]):
        row = listed[i]
        for column in range(width):
            copied[i, column] = np.float32(values[row, column])
        if known.shape[0] > 0:
            for column in range(width):
                copied[i, width + column] = np.float32(known[row, column])
    return copied


@kernel
def _distance(values, known, row, places, place, counts):
    """Return d(row, place)."""
    width = places.shape[1]
    whole = width - width % 8
    t0, t1, t2, t3, t4, t5, t6, t7 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    total = 0.0
    if known.shape[0] == 0:
        for column in range(0, whole, 8):  # written out: the compiler makes vectors of it
            e0 = values[row, column] - places[place, column]
            e1 = values[row, column + 1] - places[place, column + 1]
            e2 = values[row, column + 2] - places[place, column + 2]
            e3 = values[row, column + 3] - places[place, column + 3]
            e4 = values[row, column + 4] - places[place, column + 4]
            e5 = values[row, column + 5] - places[place, column + 5]
            e6 = values[row, column + 6] - places[place, column + 6]
            e7 = values[row, column + 7] - places[place, column + 7]
            t0 += counts[column] * (e0 * e0)
            t1 += counts[column + 1] * (e1 * e1)
            t2 += counts[column + 2] * (e2 * e2)
            t3 += counts[column + 3] * (e3 * e3)
            t4 += counts[column + 4] * (e4 * e4)
            t5 += counts[column + 5] * (e5 * e5)
            t6 += counts[column + 6] * (e6 * e6)
            t7 += counts[column + 7] * (e7 * e7)
        total = ((t0 + t1) + (t2 + t3)) + ((t4 + t5) + (t6 + t7))
    else:
        sums = np.zeros(8)
        for column in range(whole):
            if known[row, column] != 0.0:
                difference = values[row, column] - places[place, column]
                sums[column % 8] += counts[column] * (difference * difference)
        total = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]))
    for column in range(whole, width):
        if known.shape[0] == 0 or known[row, column] != 0.0:
            difference = values[row, column] - places[place, column]
            total += counts[column] * (difference * difference)
    return total


@kernel
def _largest(line, first, last, lanes):
    """Return the largest of line[first:last], -inf of none; lanes is (LANES,) float32, working space."""
    lanes[:] = -np.inf
    whole = first + (last - first) // LANES * LANES
    for start in range(first, whole, LANES):
        for lane in range(LANES):
            lanes[lane] = max(lanes[lane], line[start + lane])
    largest = np.float32(-np.inf)
    for p in range(whole, last):
        largest = max(largest, line[p])
    for lane in range(LANES):
        largest = max(largest, lanes[lane])
    return largest


@kernel
def _nearest(line, limit, first, last, rows, row, made, found):
    """Return the nearer of `found` (place, distance) and the prototypes from first to last - 1 that reach the limit."""
    place, least = found
    for p in range(first, last):
        if line[p] >= limit:
            distance = _distance(rows.values, rows.known, row, made.places, p, made.counts)
            if distance < least:
                place, least = p, distance
    return place, least


@kernel
def nearest_one(nearness, slack, rows, made):
    """Return the nearest prototype of each row: (rows,) int64."""
    n_rows, n_made = nearness.shape
    nearest, lanes = np.empty(n_rows, dtype=np.int64), np.empty(LANES, dtype=np.float32)
    for i in range(n_rows):
        limit = _largest(nearness[i], 0, n_made, lanes) - slack[i]
        nearest[i] = _nearest(nearness[i], limit, 0, n_made, rows, rows.listed[i], made, (0, np.inf))[0]
    return nearest


@kernel
def _pull(rows, row, made, place, pull, learns, gradient, by_counts):
    """Add what one row pulls at one prototype to the slopes."""
    values, known, counts = rows.values, rows.known, made.counts
    for column in range(values.shape[1]):
        if known.shape[0] == 0 or known[row, column] != 0.0:
            difference = made.places[place, column] - values[row, column]
            gradient[place, column] += 2.0 * pull * counts[column] * difference
    if learns:
        for column in range(values.shape[1]):
            if known.shape[0] == 0 or known[row, column] != 0.0:
                difference = made.places[place, column] - values[row, column]
                by_counts[column] += pull * (difference * difference)


@kernel
def pulls(nearness, slack, rows, made, codes, weights, beta, learns):
    """Return the slope of the summed loss by the prototypes, (m, D), by L, (D,), and the loss itself.

    dl_i/dP_own = 2 g b L (P - x) and dl_i/dP_other = -2 g a L (P - x), dl_i/dL = g b (P_own - x)**2 - g a (P_other -
    x)**2, with g = w beta s (1 - s) 2 / (a + b)**2, in the coordinates where x is known. A row that lacks a or b, or
    where both are 0, pulls at nothing. codes and weights are those of all rows. Without `learns`, the slope by L is 0.
    """
    gradient, by_counts, loss = np.zeros(made.places.shape), np.zeros(made.places.shape[1]), 0.0
    lanes, n_made = np.empty(LANES, dtype=np.float32), nearness.shape[1]
    for i in range(nearness.shape[0]):
        row, line = rows.listed[i], nearness[i]
        first, last = made.starts[codes[row]], made.starts[codes[row] + 1]
        limit = _largest(line, first, last, lanes) - slack[i]
        own, a = _nearest(line, limit, first, last, rows, row, made, (-1, np.inf))
        before, behind = _largest(line, 0, first, lanes), _largest(line, last, n_made, lanes)
        limit = max(before, behind) - slack[i]
        other, b = _nearest(line, limit, 0, first, rows, row, made, (-1, np.inf))
        other, b = _nearest(line, limit, last, n_made, rows, row, made, (other, b))
        if own < 0 or other < 0:
            loss += weights[row] if own < 0 else 0.0
            continue
        if a + b == 0.0:
            loss += weights[row] / 2
            continue
        s = 1.0 / (1.0 + np.exp(beta * ((b - a) / (a + b))))
        loss += weights[row] * s
        g = weights[row] * beta * s * (1.0 - s) * 2.0 / (a + b) ** 2
        for which in range(2):  # not two calls: each would be compiled separately
            place, pull = (own, g * b) if which == 0 else (other, -g * a)
            _pull(rows, row, made, place, pull, learns, gradient, by_counts)
    return gradient, by_counts, loss


@kernel
def adam(values, means, squares, slope, number, length):
    """Return values, running means of the slope and of its square after step `number` (from 0) of Adam (0.9, 0.99).

    All arrays have the same shape, of two dimensions.
    """
    fade, fade_squares = 1.0 - 0.9 ** (number + 1), 1.0 - 0.99 ** (number + 1)
    new_values, new_means, new_squares = np.empty_like(values), np.empty_like(values), np.empty_like(values)
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            mean = 0.9 * means[i, j] + 0.1 * slope[i, j]
            square = 0.99 * squares[i, j] + 0.01 * (slope[i, j] * slope[i, j])
            new_means[i, j], new_squares[i, j] = mean, square
            new_values[i, j] = values[i, j] - length * (mean / fade) / (np.sqrt(square / fade_squares) + 1e-8)
    return new_values, new_means, new_squares
