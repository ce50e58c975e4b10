"""The vote of a boosted model on many rows, row by row."""

import numpy as np

from tamis._jit import kernel


@kernel
def summed_votes(values, column, threshold, nominal, gap_right, weight):
    """H(x) of each row: float64 (n,), the votes +-weight[t] added in order of the rounds.

    A stump says weight[t] on its right side: x > threshold[t], for a nominal column x == threshold[t], and gaps where
    gap_right[t]; -weight[t] on its left.
    """
    decided = np.zeros(values.shape[0])
    for row in range(values.shape[0]):
        total = 0.0
        for t in range(len(column)):
            value = values[row, column[t]]
            if np.isnan(value):
                right = gap_right[t]
            elif nominal[t]:
                right = value == threshold[t]
            else:
                right = value > threshold[t]
            total += weight[t] if right else -weight[t]
        decided[row] = total
    return decided
