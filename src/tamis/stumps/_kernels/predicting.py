"""The vote of a boosted model on many rows, a few hundred rows at a time."""

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
