"""The arithmetic of a round, the same in every engine: what the edge of a stump makes of the weights.

Symbols
    W      the weight of a row, an integer held in float64; every sum stays below 2^53 and is exact in any order
    gamma  |edge| / Z, with Z the weight of all rows
    g      the gamma acted on: learning_rate gamma, or 1 - 1/n after a stump without an error
    alpha  1/2 log((1 + g) / (1 - g)), eq. (2)

The update is W <- max(1, rint(W / (1 + g))) for the rows that the stump gets right, and W / (1 - g) for the others.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from tamis._jit import kernel
from tamis.stumps._kernels.fields import GAP

TWO_52 = 4503599627370496.0  # x + 2^52 is 2^52 + rint(x) for 0 <= x < 2^52


class Settings(NamedTuple):
    """How a model is boosted."""

    n_rounds: int  # the most stumps
    weight_cap: float  # no weight is larger than so many times the mean; 0: no cap
    learning_rate: float


@kernel
def stump_figures(
    edge: float, total: float, n_rows: float, learning_rate: float
) -> tuple[float, float, float, bool]:
    """Return gamma, g, alpha, and whether the stump makes no error, of an exact edge and Z."""
    gamma = abs(edge) / total
    perfect = abs(edge) == total
    g = 1.0 - 1.0 / n_rows if perfect else learning_rate * gamma
    return gamma, g, 0.5 * math.log((1.0 + g) / (1.0 - g)), perfect


@kernel
def factors(g: float) -> tuple[float, float]:
    """Return what the weights are multiplied by: of rows that the stump gets right, and of those it gets wrong."""
    return 1.0 / (1.0 + g), 1.0 / (1.0 - g)


@kernel
def lifted(weight: float, factor: float) -> float:
    """Return 2^52 + the new weight max(1, rint(weight factor)); a weight of 0 stays 0."""
    return max(weight * factor + TWO_52, TWO_52 + min(weight, 1.0))


@kernel
def updated(weight: float, factor: float) -> float:
    """Return the new weight max(1, rint(weight factor)); a weight of 0 stays 0."""
    return lifted(weight, factor) - TWO_52


@kernel
def largest_weight(weight_cap: float, total: float, sharers: float) -> float:
    """Return the largest weight that a cap allows: so many times the mean, whole, and at least 1."""
    return max(1.0, math.floor(weight_cap * total / sharers))


@kernel
def is_right(code: int, cut: int, nominal: bool, gap_right: bool) -> bool:
    """Return whether a bin lies on the right side of a stump that parts no bin; a cut of 255: known values left."""
    if code == GAP:
        return gap_right
    if cut == GAP:
        return False
    return code == cut if nominal else code > cut
