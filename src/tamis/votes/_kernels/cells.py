"""Loops that sort rows into cells and list the cells' neighbours, and the error of the plain vote or mean.

Rows with the same description and class always have equal weights and equal votes: they form a *cell*. The cells with
the same description form a *unit*. Neighbours are found by unit (`lists`) and listed here by cell.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tamis._jit import kernel

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

TIE = 1e-12  # votes this close (relative) are equal


class Lists(NamedTuple):
    """Neighbouring units of every unit, its own left out: unit u has units[indptr[u]:indptr[u + 1]]."""

    indptr: npt.NDArray[np.int64]
    units: npt.NDArray[np.int32]


class Cells(NamedTuple):
    """Cells and their neighbours.

    A cell has the `size` rows of class `label` in `unit`. `neighbors` holds the neighbours of one cell after the
    other, `length` cells for each. The other rows of a cell are always its neighbours too, and not listed.
    """

    unit: npt.NDArray[np.int32]
    label: npt.NDArray[np.int32]
    size: npt.NDArray[np.float64]
    length: npt.NDArray[np.int64]
    neighbors: npt.NDArray[np.uint32]


@kernel
def cells_of(lists: Lists, begins: IntArray, rows: IntArray, codes: IntArray, n_classes: int) -> Cells:
    """Sort the rows of every unit into cells, the cells with the shortest lists first.

    Unit u has rows[begins[u]:begins[u + 1]], whose classes are `codes`.
    """
    n_units, n_rows = begins.shape[0] - 1, rows.shape[0]
    start = np.zeros(n_units + 1, dtype=np.int64)
    label = np.empty(n_rows, dtype=np.int32)
    count = np.empty(n_rows)
    counts = np.zeros(n_classes, dtype=np.int64)
    n_cells = 0
    for u in range(n_units):
        for p in range(begins[u], begins[u + 1]):
            c = codes[rows[p]]
            if counts[c] == 0:  # ascending within the unit
                q = n_cells
                while q > start[u] and label[q - 1] > c:
                    label[q] = label[q - 1]
                    q -= 1
                label[q] = c
                n_cells += 1
            counts[c] += 1
        for i in range(start[u], n_cells):
            count[i] = counts[label[i]]
            counts[label[i]] = 0
        start[u + 1] = n_cells
    length_of_unit = np.empty(n_units, dtype=np.int64)
    ends = np.zeros(n_cells + 1, dtype=np.int64)
    for u in range(n_units):
        length = start[u + 1] - start[u] - 1
        for p in range(lists.indptr[u], lists.indptr[u + 1]):
            length += start[lists.units[p] + 1] - start[lists.units[p]]
        length_of_unit[u] = length
        ends[length + 1] += start[u + 1] - start[u]
    for length in range(n_cells):
        ends[length + 1] += ends[length]
    position = np.empty(n_cells, dtype=np.uint32)
    cells = Cells(
        np.empty(n_cells, dtype=np.int32),
        np.empty(n_cells, dtype=np.int32),
        np.empty(n_cells),
        np.empty(n_cells, dtype=np.int64),
        np.empty((length_of_unit * (start[1:] - start[:-1])).sum(), dtype=np.uint32),
    )
    for u in range(n_units):
        for i in range(start[u], start[u + 1]):
            new = ends[length_of_unit[u]]
            ends[length_of_unit[u]] += 1
            position[i] = new
            cells.unit[new], cells.label[new], cells.size[new] = u, label[i], count[i]
            cells.length[new] = length_of_unit[u]
    end = 0
    for new in range(n_cells):
        u = cells.unit[new]
        for i in range(start[u], start[u + 1]):
            if position[i] != new:
                cells.neighbors[end] = position[i]
                end += 1
        for p in range(lists.indptr[u], lists.indptr[u + 1]):
            for i in range(start[lists.units[p]], start[lists.units[p] + 1]):
                cells.neighbors[end] = position[i]
                end += 1
    return cells


@kernel
def leave_one_out_error(cells: Cells, worth: FloatArray, classes: IntArray, sizes: IntArray) -> float:
    """Return the weighted fraction of rows whose neighbours vote for another class.

    A row with label a is of class classes[a] and has the weight worth[a], as a voter and as an error; votes within TIE go
    to the class with more rows (sizes), then to the lower class.
    """
    votes = np.zeros(sizes.shape[0])
    wrong, total, p = 0.0, 0.0, 0
    for i in range(cells.label.shape[0]):
        own = cells.label[i]
        votes[:] = 0.0
        votes[classes[own]] = worth[own] * (cells.size[i] - 1.0)
        for _ in range(cells.length[i]):
            label = cells.label[cells.neighbors[p]]
            votes[classes[label]] += worth[label] * cells.size[cells.neighbors[p]]
            p += 1
        winner, most = 0, -1.0
        for c in range(sizes.shape[0]):
            vote = votes[c]
            if vote > most * (1 + TIE) or (vote >= most * (1 - TIE) and sizes[c] > sizes[winner]):
                winner = c
            most = max(most, vote)
        total += worth[own] * cells.size[i]
        if winner != classes[own]:
            wrong += worth[own] * cells.size[i]
    return wrong / total


@kernel
def leave_one_out_squares(
    lists: Lists, begins: IntArray, rows: IntArray, steps: IntArray, weights: FloatArray
) -> float:
    """Return the sum over the rows of the squared difference of their number and the mean of their neighbours', both weighed.

    The numbers of the rows are `steps`, whole numbers so that the sums do not depend on the order where the weights are whole numbers
    too. The other rows of a unit are neighbours too; where weights are floats, every row is a unit.
    """
    n_units = begins.shape[0] - 1
    total, weight = np.zeros(n_units, dtype=weights.dtype), np.zeros(n_units, dtype=weights.dtype)
    for u in range(n_units):
        for p in range(begins[u], begins[u + 1]):
            total[u] += weights[rows[p]] * steps[rows[p]]
            weight[u] += weights[rows[p]]
    squares = 0.0
    for u in range(n_units):
        held, n_held = total[u] - total[u], weight[u] - weight[u]
        for p in range(lists.indptr[u], lists.indptr[u + 1]):
            held += total[lists.units[p]]
            n_held += weight[lists.units[p]]
        for p in range(begins[u], begins[u + 1]):
            own, y = weights[rows[p]], steps[rows[p]]
            around = n_held + (weight[u] - own)
            away = (held + (total[u] - own * y) - around * y) / around  # the mean of the others, less y
            squares += own * (away * away)
    return squares
