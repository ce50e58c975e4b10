"""The search for neighbours over columns E plus one candidate column: lists of neighbouring units.

Groups, units, distances and their order are explained in `distances`.

Who calls whom
--------------
    unit_lists -> _offer, _offer_group, _settled
    _offer_group -> distances.term, _offer
    _settled -> _lowest_ties

A unit that is offered lies within the radius so far, the distance of the k-th nearest row; the radius only shrinks. At
the end, the offered units that lie within the last radius are the list.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from tamis._jit import kernel
from tamis.neighbors._kernels.distance import term
from tamis.votes._kernels.distances import NO_RADIUS

IntArray = npt.NDArray[np.int64]
Int32Array = npt.NDArray[np.int32]
FloatArray = npt.NDArray[np.float64]

SHORT = 24  # lists up to this length are sorted by insertion

LENGTH, ROWS, RADIUS, OFFERED = 0, 1, 2, 3  # positions in `state`


@kernel
def _offer(
    step: int, unit: int, count: int, wanted: int, nearest: IntArray, offered: IntArray, state: IntArray
) -> None:
    """Take in a unit that is at most as far away as the radius.

    nearest (2, wanted + 1) holds ascending distances and their numbers of rows, as few as have `wanted` rows in all;
    offered (2, units) the offered units and their distances; state the number of distances, the number of rows, the
    radius, and the number of offered units.
    """
    offered[0, state[OFFERED]] = unit
    offered[1, state[OFFERED]] = step
    state[OFFERED] += 1
    if step >= state[RADIUS]:
        return
    p = state[LENGTH]
    while p > 0 and nearest[0, p - 1] > step:
        nearest[0, p] = nearest[0, p - 1]
        nearest[1, p] = nearest[1, p - 1]
        p -= 1
    nearest[0, p] = step
    nearest[1, p] = count
    state[LENGTH] += 1
    state[ROWS] += count
    while state[ROWS] - nearest[1, state[LENGTH] - 1] >= wanted:
        state[LENGTH] -= 1
        state[ROWS] -= nearest[1, state[LENGTH]]
    if state[ROWS] >= wanted:
        state[RADIUS] = nearest[0, state[LENGTH] - 1]


@kernel
def _offer_group(
    base: int,
    first: int,
    end: int,
    own: int,
    coordinate: FloatArray,
    count: IntArray,
    alike: IntArray,
    squared: bool,
    wanted: int,
    nearest: IntArray,
    offered: IntArray,
    state: IntArray,
) -> None:
    """Offer the units first, ..., end - 1 of a group at distance `base`, from the nearest coordinate outwards.

    Units for which `alike` holds the same number, such as the unit itself, are passed over.
    """
    value = coordinate[own]
    low, high = first, end
    while low < high:
        middle = (low + high) // 2
        if coordinate[middle] < value:
            low = middle + 1
        else:
            high = middle
    left, right = low - 1, low
    while left >= first or right < end:
        step_left = step_right = NO_RADIUS
        if left >= first:
            step_left = base + int(term(coordinate[left], value, squared))
        if right < end:
            step_right = base + int(term(coordinate[right], value, squared))
        if min(step_left, step_right) > state[RADIUS]:
            return
        nearer = right if step_right <= step_left else left
        if alike[nearer] != alike[own]:
            _offer(min(step_left, step_right), nearer, count[nearer], wanted, nearest, offered, state)
        if nearer == right:
            right += 1
        else:
            left -= 1


@kernel
def _lowest_ties(offered: IntArray, n_inside: int, radius: int, wanted: int, rows: IntArray) -> int:
    """Keep exactly `wanted` of units of one row each: all nearer than the radius, then the lower rows."""
    n_nearer = 0
    for p in range(n_inside):
        if offered[1, p] < radius:
            n_nearer += 1
    tied = np.empty(n_inside - n_nearer, dtype=np.int64)
    n_tied = 0
    for p in range(n_inside):
        if offered[1, p] == radius:
            tied[n_tied] = rows[offered[0, p]]
            n_tied += 1
    last = wanted - n_nearer - 1
    highest = np.sort(tied)[last]  # np.partition would take ten seconds to compile
    n_kept = 0
    for p in range(n_inside):
        if offered[1, p] < radius or rows[offered[0, p]] <= highest:
            offered[0, n_kept] = offered[0, p]
            n_kept += 1
    return n_kept


@kernel
def _settled(offered: IntArray, state: IntArray, wanted: int, rows: IntArray, lowest: bool) -> int:
    """Move the neighbours to the front of offered[0], ascending, and return how many they are."""
    n_inside = 0
    for p in range(state[OFFERED]):
        if offered[1, p] <= state[RADIUS]:
            offered[0, n_inside] = offered[0, p]
            offered[1, n_inside] = offered[1, p]
            n_inside += 1
    if lowest and n_inside > wanted:
        n_inside = _lowest_ties(offered, n_inside, state[RADIUS], wanted, rows)
    if n_inside > SHORT:
        ascending = np.sort(offered[0, :n_inside])
        for p in range(n_inside):
            offered[0, p] = ascending[p]
        return n_inside
    for p in range(1, n_inside):
        unit = offered[0, p]
        q = p
        while q > 0 and offered[0, q - 1] > unit:
            offered[0, q] = offered[0, q - 1]
            q -= 1
        offered[0, q] = unit
    return n_inside


@kernel
def unit_lists(
    nearby: Any, units: Any, squared: bool, wanted: int, lowest: bool, together: IntArray
) -> tuple[IntArray, Int32Array]:
    """Find the neighbouring units of every unit of the groups in `nearby`, its own left out.

    A list holds the units within the distance of the `wanted`-th row; the other rows of the unit itself count, at
    distance 0. With `lowest`, units are rows, and a list holds exactly `wanted`, the lower row first on ties. Where
    `together`, shape (rows,), is not empty, units are rows as well, and a row is no neighbour of one with the same number in it; a
    list then holds all others where these are fewer than `wanted`. Returns where the lists end (from 0) and the units listed,
    ascending.
    """
    first, n_asking = nearby.first, nearby.length.shape[0]
    start, coordinate, count = units.start, units.coordinate, units.size
    groups, steps, full, rows = nearby.groups, nearby.steps, nearby.full, units.rows
    n_lists = start[first + n_asking] - start[first]
    indptr = np.zeros(n_lists + 1, dtype=np.int64)
    listed = np.empty(n_lists * (wanted + 2), dtype=np.int32)
    nearest = np.empty((2, wanted + 1), dtype=np.int64)
    offered = np.empty((2, coordinate.shape[0]), dtype=np.int64)
    state = np.zeros(4, dtype=np.int64)
    alike = np.empty(coordinate.shape[0], dtype=np.int64)
    for unit in range(coordinate.shape[0]):
        alike[unit] = together[rows[units.begins[unit]]] if together.shape[0] > 0 else unit
    for b in range(n_asking):
        reach, length = nearby.reach[b], nearby.length[b]
        for own in range(start[first + b], start[first + b + 1]):
            value = coordinate[own]
            state[:] = 0
            state[RADIUS] = NO_RADIUS
            if count[own] > 1:
                _offer(0, own, count[own] - 1, wanted, nearest, offered, state)
                state[OFFERED] = 0
            for p in range(length):
                base = steps[b, p]
                if base > state[RADIUS]:
                    if base - (base >> 4) > state[RADIUS]:  # no later group can be near enough
                        break
                    continue
                unit, end = start[groups[b, p]], start[groups[b, p] + 1]
                if end == unit + 1:
                    step = base + int(term(coordinate[unit], value, squared))
                    if step <= state[RADIUS] and alike[unit] != alike[own]:
                        _offer(step, unit, count[unit], wanted, nearest, offered, state)
                else:
                    _offer_group(
                        base,
                        unit,
                        end,
                        own,
                        coordinate,
                        count,
                        alike,
                        squared,
                        wanted,
                        nearest,
                        offered,
                        state,
                    )
            if reach < state[RADIUS]:  # groups that are not sorted may be near enough
                for group in range(full.shape[1]):
                    base = full[b, group]
                    if reach < base <= state[RADIUS]:
                        unit, end = start[group], start[group + 1]
                        _offer_group(
                            base,
                            unit,
                            end,
                            own,
                            coordinate,
                            count,
                            alike,
                            squared,
                            wanted,
                            nearest,
                            offered,
                            state,
                        )
            n_listed = _settled(offered, state, wanted, rows, lowest)
            pos = own - start[first]
            while indptr[pos] + n_listed > listed.shape[0]:
                longer = np.empty(2 * listed.shape[0], dtype=np.int32)
                for p in range(indptr[pos]):
                    longer[p] = listed[p]
                listed = longer
            for p in range(n_listed):
                listed[indptr[pos] + p] = offered[0, p]
            indptr[pos + 1] = indptr[pos] + n_listed
    return indptr, listed[: indptr[n_lists]]
