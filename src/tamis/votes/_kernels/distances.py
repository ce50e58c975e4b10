"""Loops that prepare, for a set E of columns, the search for neighbours over E plus one candidate column.

Rows with the same description over E are a *group*. A candidate column splits a group into *units*, in ascending order
of the candidate's coordinate. The distance of two units is the distance of their groups over E, in whole steps of
2**-20, plus the candidate's term, with t = abs(a - b) or (a - b)**2 of the coordinates:

    STEP     if t > FAR    (two categories that differ, or a known value against a missing one)
    rint(t)  otherwise

Adding a column can only increase distances. So the groups around a group are sorted by their distance over E, once for
all candidates, and a unit's neighbours are searched in that order until no farther group can contain one; within a
group of many units, from the nearest coordinate outwards. The neighbours are exact, all ties included.

Who calls whom
--------------
    steps_between, refined_steps -> term
    nearest_first, split_groups stand alone; the search itself is `lists.unit_lists`
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tamis._jit import kernel
from tamis.neighbors._kernels.distance import term

IntArray = npt.NDArray[np.int64]
Int32Array = npt.NDArray[np.int32]
FloatArray = npt.NDArray[np.float64]

NO_RADIUS = 2**62
BINS = 1024
FIRST_BIN = 2031  # sixteen bins per octave from 1 on, by the bits of a float32


class Nearby(NamedTuple):
    """Groups around each of some consecutive groups (the first is number `first`), nearer ones first.

    Group ``first + b`` has groups[b, :length[b]] at distance steps[b, :length[b]]; they include all groups at most
    reach[b] away. They are sorted by bins: a later group can be nearer by a sixteenth at most. `full` (b, groups) holds
    the distances to all groups.
    """

    first: int
    groups: npt.NDArray[np.int32]
    steps: npt.NDArray[np.int32]
    length: npt.NDArray[np.int64]
    reach: npt.NDArray[np.int64]
    full: npt.NDArray[np.int32]


class Units(NamedTuple):
    """Units by group: group g has the units start[g] to start[g + 1], ascending by coordinate.

    size is the number of rows of each unit. `rows` are all rows sorted by unit; those of unit u begin at begins[u].
    """

    start: npt.NDArray[np.int64]
    coordinate: npt.NDArray[np.float64]
    size: npt.NDArray[np.int64]
    begins: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]


@kernel
def steps_between(
    columns: FloatArray, first: int, squared: bool, out: IntArray, begin: int, end: int
) -> None:
    """Write the distances of groups first + begin, ..., first + end - 1 to all groups into out[begin:end].

    columns is (columns of E, groups) float64.
    """
    n_groups = columns.shape[1]
    totals = np.empty(n_groups)
    for b in range(begin, end):
        totals[:] = 0.0
        for column in range(columns.shape[0]):
            value = columns[column, first + b]
            for g in range(n_groups):
                totals[g] += term(value, columns[column, g], squared)
        for g in range(n_groups):
            out[b, g] = totals[g]


@kernel
def refined_steps(
    steps: IntArray,
    old: IntArray,
    column: FloatArray,
    squared: bool,
    sign: int,
    out: IntArray,
    begin: int,
    end: int,
) -> None:
    """Write the distances of groups begin, ..., end - 1 after one column is added (sign 1) or removed (sign -1).

    Group g is a part of, or contains, group old[g] of steps (old groups, old groups); an empty `old` means that the
    groups are the same. column is the coordinate of each new group.
    """
    same = old.shape[0] == 0
    for a in range(begin, end):
        if same:
            out[a] = steps[a]
        else:
            row = steps[old[a]]
            for b in range(column.shape[0]):
                out[a, b] = row[old[b]]
        value = column[a]
        for b in range(column.shape[0]):  # sums of floats, which are exact here and vectorise
            out[a, b] = out[a, b] + sign * term(value, column[b], squared)


@kernel
def nearest_first(
    steps: IntArray,
    groups: Int32Array,
    ordered: IntArray,
    length: IntArray,
    reach: IntArray,
    begin: int,
    end: int,
) -> None:
    """Sort the groups around groups begin, ..., end - 1 by distance, in whole bins.

    steps is (groups in question, groups); groups, ordered, length and reach are fields of a `Nearby`, whose rows begin
    to end are written. A bin that does not fit into the width of `groups` is left out, and so are all later bins.
    """
    n_groups, width = steps.shape[1], groups.shape[1]
    floats = np.empty(n_groups, dtype=np.float32)
    bits = floats.view(np.int32)
    bins = np.empty(n_groups, dtype=np.int32)
    inside = np.empty(n_groups + 1, dtype=np.int32)
    ends = np.empty(BINS + 1, dtype=np.int64)
    for b in range(begin, end):
        for g in range(n_groups):
            floats[g] = np.float32(steps[b, g])
        for g in range(n_groups):
            bins[g] = max(0, (bits[g] >> 19) - FIRST_BIN)
        ends[:] = 0
        for g in range(n_groups):
            ends[bins[g] + 1] += 1
        total, cut = 0, 0
        while cut < BINS and total + ends[cut + 1] <= width:
            total += ends[cut + 1]
            ends[cut + 1] = total
            cut += 1
        n_inside = 0
        for g in range(n_groups):
            inside[n_inside] = g
            n_inside += bins[g] < cut
        for p in range(n_inside):
            g = inside[p]
            pos = ends[bins[g]]
            groups[b, pos] = g
            ordered[b, pos] = steps[b, g]
            ends[bins[g]] = pos + 1
        length[b] = total
        reach[b] = NO_RADIUS
        if cut == 0:
            reach[b] = -1
        # what is left out begins at this edge of a bin, as a float32; large steps may round up to it
        elif cut < BINS:
            bits[0] = (cut + FIRST_BIN) << 19
            edge = floats[0]
            reach[b] = int(edge) - 1
            while np.float32(reach[b]) >= edge:
                reach[b] -= 1


@kernel
def split_groups(
    group_of_row: IntArray, n_groups: int, order: IntArray, column: FloatArray, apart: bool
) -> Units:
    """Split groups into units by one column; `apart`: every row is a unit of its own.

    order holds all rows by ascending coordinate in `column`, ties by row.
    """
    n_rows = group_of_row.shape[0]
    ends = np.zeros(n_groups + 1, dtype=np.int64)
    for row in range(n_rows):
        ends[group_of_row[row] + 1] += 1
    for g in range(n_groups):
        ends[g + 1] += ends[g]
    rows = np.empty(n_rows, dtype=np.int64)
    for p in range(n_rows):
        g = group_of_row[order[p]]
        rows[ends[g]] = order[p]
        ends[g] += 1
    start = np.zeros(n_groups + 1, dtype=np.int64)
    begins = np.empty(n_rows + 1, dtype=np.int64)
    n_units = 0
    for p in range(n_rows):
        row = rows[p]
        opens = apart or p == 0 or group_of_row[row] != group_of_row[rows[p - 1]]
        if opens or column[row] != column[rows[p - 1]]:
            begins[n_units] = p
            n_units += 1
            start[group_of_row[row] + 1] += 1
    begins[n_units] = n_rows
    coordinate = np.empty(n_units)
    count = np.empty(n_units, dtype=np.int64)
    for u in range(n_units):
        coordinate[u] = column[rows[begins[u]]]
        count[u] = begins[u + 1] - begins[u]
    for g in range(n_groups):
        start[g + 1] += start[g]
    return Units(start, coordinate, count, begins[: n_units + 1], rows)
