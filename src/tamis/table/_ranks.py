"""Ranks of weighted rows, and sums whose last bit does not depend on the width of a block."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def mid_ranks(block: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return m_i of every value of a numeric block: the weight below it plus half of the weight tied with it.

    A missing value ties with every value.
    """
    total = weights.sum()
    order = np.argsort(block, axis=0, kind="stable")  # missing values last
    ranked = np.take_along_axis(block, order, axis=0)
    held = weights[order]
    upto = np.cumsum(held, axis=0)
    before = upto - held
    opens = np.ones(block.shape, dtype=bool)
    opens[1:] = ranked[1:] != ranked[:-1]
    closes = np.ones(block.shape, dtype=bool)
    closes[:-1] = opens[1:]
    below = np.maximum.accumulate(np.where(opens, before, 0.0), axis=0)
    through = np.minimum.accumulate(np.where(closes, upto, np.inf)[::-1], axis=0)[::-1]
    missing = np.isnan(ranked)
    missing_weight = totals_down(np.where(missing, held, 0.0))
    ranks = np.where(missing, total / 2, (below + through + missing_weight) / 2)
    in_row_order = np.empty_like(ranks)
    np.put_along_axis(in_row_order, order, ranks, axis=0)
    return in_row_order


def totals_down(block: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the total of each column, added from the top down: equal columns have equal totals in any block.

    A matrix product or a plain sum may add in another order for another width, which changes the last bit if the
    weights are not integers.
    """
    totals: NDArray[np.float64] = np.cumsum(block, axis=0)[-1]
    return totals
