"""Sums of RReliefF: how columns and a numeric target differ between a row and its nearest rows.

A row is given by its coordinates in a `MixedSpace`, as in `relief`. All differences are whole numbers of steps: of 2^-20 of
a column's range and of the range of the target, products of 2^-30.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._jit import kernel
from tamis.features._kernels.relief import ONE
from tamis.neighbors._kernels.distance import FAR

HALF_STEPS = 2.0**-10  # of a product of two differences


@kernel
def regression_sums(coordinates: Any, listed: Any, asking: Any, target: Any, limit: int, scale: float) -> Any:
    """Return sums of differences of the target, of the columns (d,), and of products of both (d,): exact for any order of rows.

    Of each row asking[i] the first `limit` of listed[i] are taken, itself left out; a difference is rint(abs(a - b) * scale) steps.
    """
    n_columns = coordinates.shape[1]
    of_target = np.int64(0)
    of_columns = np.zeros(n_columns, dtype=np.int64)
    of_both = np.zeros(n_columns, dtype=np.int64)
    for i in range(asking.shape[0]):
        row, n_taken = asking[i], 0
        for p in range(listed.shape[1]):
            other = listed[i, p]
            if other == row:
                continue
            if n_taken == limit:
                break
            n_taken += 1
            apart = np.float64(abs(target[row] - target[other]))
            of_target += np.int64(apart)
            for f in range(n_columns):
                steps = abs(coordinates[row, f] - coordinates[other, f])
                steps = ONE if steps > FAR else np.rint(steps * scale)
                of_columns[f] += np.int64(steps)
                of_both[f] += np.int64(np.rint(steps * apart * HALF_STEPS))
    return of_target, of_columns, of_both
