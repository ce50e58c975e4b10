"""The distance of two rows, written once for every room: what one column adds, the distance of a pair, and of a row to a block of rows.

Symbols
-------
A row is given by its coordinates (`ScaledRows`). One column adds to the distance of a pair (a, b), in steps
of 2**-20, with t = abs(a - b) for ``metric="l1"`` and t = (a - b)**2 for ``metric="l2"``:

    STEP     if t > FAR    (two categories that differ, or a known value against a missing one)
    rint(t)  otherwise

Every term is an integer and every sum stays below 2**53, so sums of float64 are exact: neither the order of
the columns, nor the blocks, nor the threads can change a distance.

Blocks hold rows column by column, (n_blocks, n_columns, rows of a block), so that the innermost loop runs over
consecutive rows and becomes vector instructions.

Who calls whom
--------------
    pair_distance, row_to_block -> term
"""

import numpy as np

from tamis._jit import kernel

STEP = 2.0**20
FAR = 2.0**53


@kernel
def term(a, b, squared):
    """Return what one column adds to the distance of two rows."""
    difference = a - b
    size = difference * difference if squared else abs(difference)
    return STEP if size > FAR else np.rint(size)


@kernel
def pair_distance(rows, i, others, j, squared):
    """Return the distance of rows[i] and others[j], both (rows, columns): int64."""
    total = np.int64(0)  # a sum of integers becomes vector instructions; one of floats waits for itself
    for column in range(rows.shape[1]):
        total += np.int64(term(rows[i, column], others[j, column], squared))
    return total


@kernel
def row_to_block(row, blocks, block, n_plain, totals):
    """Write the squared (l2) distances of one row, given by its coordinates, to the rows of a block into `totals`.

    The first `n_plain` columns are numeric without missing values.
    """
    n_columns, n_rows = blocks.shape[1:]
    totals[:] = 0.0
    column = 0
    while column + 1 < n_plain:  # two columns at once: half the traffic with `totals`
        first, second = row[column], row[column + 1]
        for j in range(n_rows):
            a = first - blocks[block, column, j]
            b = second - blocks[block, column + 1, j]
            totals[j] += np.rint(a * a) + np.rint(b * b)
        column += 2
    while column < n_columns:
        for j in range(n_rows):
            totals[j] += term(row[column], blocks[block, column, j], True)
        column += 1
