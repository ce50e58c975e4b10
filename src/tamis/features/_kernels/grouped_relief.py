"""Sums of ReliefF and RReliefF where rows have weights, or groups whose rows are never each other's neighbours.

A row is given by its coordinates in a `MixedSpace`, as in `relief`. Sums are floats, added in the order of the rows that are asked for.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._jit import kernel
from tamis.neighbors._kernels.distance import FAR


@kernel
def _difference(a: float, b: float, scale: float) -> float:
    """Return what two values of one column differ by, between 0 and 1."""
    steps = abs(a - b)
    return 1.0 if steps > FAR else steps * scale


@kernel
def mean_differences(
    coordinates: Any,
    listed: Any,
    asking: Any,
    codes: Any,
    groups: Any,
    weights: Any,
    limit: int,
    scale: float,
) -> Any:
    """Return, for each class, the weighted sum over its rows of the mean difference to their neighbours; (n_classes, d).

    Row asking[i] is compared with the first `limit` rows of listed[i] of other groups; without any it adds nothing.
    """
    n_columns = coordinates.shape[1]
    sums = np.zeros((codes.max() + 1, n_columns))
    line = np.empty(n_columns)
    for i in range(asking.shape[0]):
        row, n_taken = asking[i], 0
        line[:] = 0.0
        for p in range(listed.shape[1]):
            other = listed[i, p]
            if groups[other] == groups[row]:
                continue
            if n_taken == limit:
                break
            n_taken += 1
            for f in range(n_columns):
                line[f] += _difference(coordinates[row, f], coordinates[other, f], scale)
        if n_taken > 0:
            for f in range(n_columns):
                sums[codes[row], f] += weights[row] * (line[f] / n_taken)
    return sums


@kernel
def weighted_sums(
    coordinates: Any,
    listed: Any,
    asking: Any,
    target: Any,
    groups: Any,
    weights: Any,
    limit: int,
    scale: float,
) -> Any:
    """Return weighted sums over pairs of neighbours: of 1, of the differences of the target, of the columns (d,), of products (d,).

    Row asking[i] is paired with the first `limit` rows of listed[i] of other groups; `target` is between 0 and 1.
    """
    n_columns = coordinates.shape[1]
    pairs, of_target = 0.0, 0.0
    of_columns, of_both = np.zeros(n_columns), np.zeros(n_columns)
    for i in range(asking.shape[0]):
        row, n_taken = asking[i], 0
        for p in range(listed.shape[1]):
            other = listed[i, p]
            if groups[other] == groups[row]:
                continue
            if n_taken == limit:
                break
            n_taken += 1
            apart = abs(target[row] - target[other])
            pairs += weights[row]
            of_target += weights[row] * apart
            for f in range(n_columns):
                differ = _difference(coordinates[row, f], coordinates[other, f], scale)
                of_columns[f] += weights[row] * differ
                of_both[f] += weights[row] * (differ * apart)
    return pairs, of_target, of_columns, of_both
