"""Loops of MovedPrototypes: the nearest prototypes of rows, and the slope of the loss.

Symbols
-------
x_i, P_j   a row and a prototype as points, of D coordinates each
known      1 where x_i has a value, 0 where it is missing; of shape (0, 0) where nothing is missing
L          what each coordinate counts, 1 on average
d(i, j)    the sum over the known coordinates of L (x_i - P_j)**2, added up from the first to the last
a, b       d to the nearest prototype of the row's own class, and of another class
mu         (b - a) / (a + b)
s          1 / (1 + exp(beta mu)), the loss of row i; w_i is its weight

Which prototype is nearest is decided by d itself. A product of matrices of float32 says which can be: halves[j] -
products[i, j] is d / 2 but for a constant of the row, and those within its rounding error (slack[i]) of the best are
measured, the lowest number winning ties. So the answer does not depend on the library that multiplies, or its threads.

Who calls whom
--------------
    nearest_two, nearest_one -> _distance
    slope                    -> stands alone
"""

import numpy as np

from tamis._jit import kernel


@kernel
def _distance(points, known, row, prototypes, place, counts):
    """Return d(row, place); counts is L."""
    total = 0.0
    for column in range(prototypes.shape[1]):
        difference = points[row, column] - prototypes[place, column]
        if known.shape[0] == 0 or known[row, column] != 0.0:
            total += counts[column] * (difference * difference)
    return total


@kernel
def nearest_one(bounds, points, known, prototypes, counts):
    """Return the nearest prototype of each row: (rows,) int64. counts is L."""
    products, halves, slack = bounds
    nearest = np.empty(products.shape[0], dtype=np.int64)
    for row in range(products.shape[0]):
        best = np.inf
        for place in range(products.shape[1]):
            best = min(best, halves[place] - products[row, place])
        least, chosen = np.inf, 0
        for place in range(products.shape[1]):
            if halves[place] - products[row, place] <= best + slack[row]:
                distance = _distance(points, known, row, prototypes, place, counts)
                if distance < least:
                    least, chosen = distance, place
        nearest[row] = chosen
    return nearest


@kernel
def nearest_two(bounds, points, known, prototypes, counts, labels, codes):
    """Return the nearest prototypes of a row's own class and of another, and their distances.

    The first is (2, rows) int64, -1 where there is none; the second (2, rows) float64, a and b, infinite there.
    """
    products, halves, slack = bounds
    n_rows = products.shape[0]
    nearest = np.full((2, n_rows), -1, dtype=np.int64)
    distances = np.full((2, n_rows), np.inf)
    for row in range(n_rows):
        best_own, best_other = np.inf, np.inf
        for place in range(products.shape[1]):
            if labels[place] == codes[row]:
                best_own = min(best_own, halves[place] - products[row, place])
            else:
                best_other = min(best_other, halves[place] - products[row, place])
        for place in range(products.shape[1]):
            which = 0 if labels[place] == codes[row] else 1
            if halves[place] - products[row, place] <= (best_own if which == 0 else best_other) + slack[row]:
                distance = _distance(points, known, row, prototypes, place, counts)
                if distance < distances[which, row]:
                    distances[which, row], nearest[which, row] = distance, place
    return nearest, distances


@kernel
def slope(nearest, distances, points, known, prototypes, counts, weights, beta):
    """Return the slope of the summed loss by the prototypes, (prototypes, D), by L, (D,), and the loss itself.

    dl_i/dP_own = 2 g b L (P - x) and dl_i/dP_other = -2 g a L (P - x), dl_i/dL = g b (P_own - x)**2 - g a (P_other -
    x)**2, with g = w beta s (1 - s) 2 / (a + b)**2, in the coordinates where x is known. A row that lacks a or b, or
    where both are 0, pulls at nothing.
    """
    gradient = np.zeros(prototypes.shape)
    by_counts = np.zeros(prototypes.shape[1])
    loss = 0.0
    for row in range(points.shape[0]):
        a, b = distances[0, row], distances[1, row]
        if a == np.inf or b == np.inf:
            loss += weights[row] if a == np.inf else 0.0
            continue
        if a + b == 0.0:
            loss += weights[row] / 2
            continue
        s = 1.0 / (1.0 + np.exp(beta * ((b - a) / (a + b))))
        loss += weights[row] * s
        g = weights[row] * beta * s * (1.0 - s) * 2.0 / (a + b) ** 2
        for which in range(2):
            pull = g * (b if which == 0 else -a)
            place = nearest[which, row]
            for column in range(points.shape[1]):
                if known.shape[0] == 0 or known[row, column] != 0.0:
                    difference = prototypes[place, column] - points[row, column]
                    gradient[place, column] += 2.0 * pull * counts[column] * difference
                    by_counts[column] += pull * (difference * difference)
    return gradient, by_counts, loss
