"""Neighbours from matrix products: a product says which rows can be near, their distance decides.

Symbols
-------
products[i, j]   l_i . r_j of query i and fitted row start + j, as `ProductSpace` makes them: the distance, in steps, is
                 2**21 (base_i - products[i, j]) at least; base_i has what rounding can do to the product taken off, slack_i
worst            the distance of the last of the k neighbours so far

A row can be nearer than the last neighbour only if products[i, j] > base_i - worst / 2**21; and a row whose product is
more than 2 slack_i below the k-th largest is farther than k others. What passes both limits is held, and measured when
no more can be held, and at the end. Fitted rows come in ascending order: of rows at one distance, the lower is measured
first and stays.

Who calls whom
--------------
    look_at_products, measure_all -> _floor, _limit
    look_at_products -> _fill_lanes, _above, _first_limit -> _put, _limit
    look_at_products -> _put, _make_room -> _measure_held
    subtract_both_ways stands alone
    measure_all      -> _measure_held -> pair_distance (``distance.py``), insert (``nearest.py``)
"""

from typing import NamedTuple

import numpy as np

from tamis._jit import kernel
from tamis.neighbors._kernels.distance import pair_distance
from tamis.neighbors._kernels.nearest import insert

LANES = 64  # products of a row go into so many lanes; the largest of a lane is found by vector instructions
SPAN = 8 * LANES  # products looked at together
FEW = 16  # up to so many lanes are looked through one by one
TURNED = 32  # rows and columns of a square of products that is turned round at once
TO_UNITS = 2.0**-21


class Asking(NamedTuple):
    """Some queries; the kernels write to all fields from `largest` on."""

    queries: np.ndarray  # (queries, columns): coordinates
    own: np.ndarray  # (queries,): the fitted row that a query must not find, or -1
    base: np.ndarray  # (queries,)
    slack: np.ndarray  # (queries,)
    largest: np.ndarray  # (queries, k) float32: the largest products so far, descending
    held: np.ndarray  # (queries, room) float32: products of the rows held, and
    held_rows: np.ndarray  # (queries, room): the rows
    n_held: np.ndarray  # (queries,)
    rows: (
        np.ndarray
    )  # (queries, k): the nearest of the rows measured so far, -1 where there are none yet, and
    distances: np.ndarray  # (queries, k): their distances, infinite there; ascending by (distance, row)


@kernel
def _put(largest, product):
    """Put a product among the largest, (k,) descending, if it is one of them."""
    p = largest.shape[0] - 1
    if product > largest[p]:
        while p > 0 and largest[p - 1] < product:
            largest[p] = largest[p - 1]
            p -= 1
        largest[p] = product


@kernel
def _limit(largest, slack, floor):
    """Return what a product must exceed for its row to be held."""
    last = np.float64(largest[largest.shape[0] - 1])
    # a little less: a row at the limit may tie with the last neighbour
    return max(np.float32(last - 2.0 * slack - (abs(last) * 2.0**-23 + 1e-30)), floor)


@kernel
def _floor(base, distances):
    """Return what a product must exceed for its row to be nearer than the last neighbour."""
    return np.float32(base - distances[distances.shape[0] - 1] * TO_UNITS)


@kernel
def _measure_held(asking, i, fitted, n_held, limit):
    """Put the first `n_held` of the rows held for query i, as far as they pass the limit, among its neighbours."""
    held, held_rows, distances, rows = asking.held, asking.held_rows, asking.distances, asking.rows
    last = rows.shape[1] - 1
    for p in range(n_held):
        if held[i, p] > limit:
            distance = pair_distance(asking.queries, i, fitted, held_rows[i, p], True)
            if distance < distances[i, last]:
                insert(distance, held_rows[i, p], distances, rows, i)


@kernel
def _make_room(asking, i, fitted, limit):
    """Let go of held rows that no longer pass the limit of query i; measure the others if they are many.

    Returns how many are still held.
    """
    held, held_rows, n_left = asking.held[i], asking.held_rows[i], 0
    for p in range(held.shape[0]):
        if held[p] > limit:
            held[n_left], held_rows[n_left] = held[p], held_rows[p]
            n_left += 1
    if 2 * n_left <= held.shape[0]:
        return n_left
    _measure_held(asking, i, fitted, n_left, limit)
    return 0


@kernel
def _fill_lanes(span, lanes):
    """Write the largest product of each lane of a whole span into `lanes`, (LANES,) float32."""
    for j in range(LANES):
        low = max(max(span[j], span[j + LANES]), max(span[j + 2 * LANES], span[j + 3 * LANES]))
        high = max(
            max(span[j + 4 * LANES], span[j + 5 * LANES]), max(span[j + 6 * LANES], span[j + 7 * LANES])
        )
        lanes[j] = max(low, high)


@kernel
def _above(span, limit, lanes, above):
    """Write the positions in a span whose products exceed the limit into `above`, ascending; return how many.

    The last span of a block may be shorter. lanes is (LANES,) float32, filled if the span is whole; above (SPAN,) int64.
    """
    n_lanes = FEW + 1
    if span.shape[0] == SPAN:
        n_lanes = 0
        for j in range(LANES):
            if lanes[j] > limit:
                n_lanes += 1
    n_above = 0
    if n_lanes > FEW:
        for j in range(span.shape[0]):
            if span[j] > limit:
                above[n_above] = j
                n_above += 1
    elif n_lanes > 0:
        for lane in range(LANES):
            if lanes[lane] > limit:
                for j in range(lane, SPAN, LANES):
                    if span[j] > limit:
                        p = n_above
                        while p > 0 and above[p - 1] > j:
                            above[p] = above[p - 1]
                            p -= 1
                        above[p] = j
                        n_above += 1
    return n_above


@kernel
def _first_limit(lanes, slack, most):
    """Return a limit below k products of the first span, one of which may be the query's own row.

    k + 1 lanes have a product that large. most is (k + 1,) float32, working space; where it has more places than there
    are lanes, there is no limit.
    """
    most[:] = -np.inf
    if most.shape[0] <= LANES:
        for j in range(LANES):
            _put(most, lanes[j])
    return _limit(most, slack, np.float32(-np.inf))


@kernel
def look_at_products(products, start, asking, fitted):
    """Hold the rows of one block of fitted rows that can be neighbours of some queries.

    products is (queries, rows of the block) float32; start the first row of the block; fitted holds the coordinates of
    all fitted rows, (rows, columns) float64. After the last block, `measure_all` makes the answer.
    """
    lanes, above = np.empty(LANES, dtype=np.float32), np.empty(SPAN, dtype=np.int64)
    most = np.empty(asking.rows.shape[1] + 1, dtype=np.float32)
    for i in range(products.shape[0]):
        held, held_rows, largest = asking.held[i], asking.held_rows[i], asking.largest[i]
        n_held, own, slack = asking.n_held[i], asking.own[i] - start, asking.slack[i]
        floor = _floor(asking.base[i], asking.distances[i])
        limit = _limit(largest, slack, floor)
        for first in range(0, products.shape[1], SPAN):
            span = products[i, first : first + SPAN]
            if span.shape[0] == SPAN:
                _fill_lanes(span, lanes)
                if limit == -np.inf:
                    limit = _first_limit(lanes, slack, most)
            for p in range(_above(span, limit, lanes, above)):
                product, pos = span[above[p]], first + above[p]
                if product > limit and pos != own:
                    held[n_held], held_rows[n_held] = product, start + pos
                    n_held += 1
                    _put(largest, product)
                    limit = max(limit, _limit(largest, slack, floor))
                    if n_held == held.shape[0]:
                        n_held = _make_room(asking, i, fitted, limit)
                        floor = _floor(asking.base[i], asking.distances[i])
                        limit = max(limit, floor)
        asking.n_held[i] = n_held


@kernel
def subtract_both_ways(products, halves, other_halves, turned):
    """Make l_i . r_j of x_i . x_j, (rows, others) float32 in place, and write l_j . r_i into `turned`, (others, rows).

    r_i has the last entry halves[i], r_j other_halves[j], and both l have -1 there. turned may have no rows.
    """
    n_rows, n_others = products.shape
    if turned.shape[0] > 0:
        for i_first in range(0, n_rows, TURNED):  # squares that stay in the cache
            for j_first in range(0, n_others, TURNED):
                for j in range(j_first, min(j_first + TURNED, n_others)):
                    for i in range(i_first, min(i_first + TURNED, n_rows)):
                        turned[j, i] = products[i, j] - halves[i]
    for i in range(n_rows):
        for j in range(n_others):
            products[i, j] -= other_halves[j]


@kernel
def measure_all(asking, fitted):
    """Measure all rows that are still held."""
    for i in range(asking.rows.shape[0]):
        floor = _floor(asking.base[i], asking.distances[i])
        limit = _limit(asking.largest[i], asking.slack[i], floor)
        _measure_held(asking, i, fitted, asking.n_held[i], limit)
