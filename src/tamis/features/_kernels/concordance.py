"""Concordant pairs of rows: how often a column and a numeric target put two rows in the same order.

Symbols
    w     weight of a row, a whole number; their sum is below 2^31, so that every sum of products is exact
    S     sum over pairs of w_i w_j sign(x_i - x_j) sign(y_i - y_j); a missing value of x adds nothing
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis._jit import kernel


@kernel
def concordance(ranks: Any, order: Any, groups: Any, weights: Any) -> Any:
    """Return S of a column, in O(n log n).

    `ranks` (n,) numbers the distinct values of x from 0, -1 for a missing one; `order` (n,) lists the rows by y, `groups`
    (m + 1,) says where each value of y begins in it.
    """
    size = 1
    for i in range(ranks.shape[0]):
        size = max(size, ranks[i] + 1)
    tree = np.zeros(
        size + 1, dtype=np.int64
    )  # weights of rows of smaller y, by rank: sums over blocks of ranks
    inserted, total = np.int64(0), np.int64(0)
    for g in range(groups.shape[0] - 1):
        for p in range(groups[g], groups[g + 1]):
            row = order[p]
            if ranks[row] < 0:
                continue
            below, upto = np.int64(0), np.int64(0)
            at = ranks[row]
            while at > 0:
                below += tree[at]
                at -= at & -at
            at = ranks[row] + 1
            while at > 0:
                upto += tree[at]
                at -= at & -at
            total += weights[row] * (below - (inserted - upto))
        for p in range(groups[g], groups[g + 1]):
            row = order[p]
            at = ranks[row] + 1
            if at == 0:
                continue
            inserted += weights[row]
            while at <= size:
                tree[at] += weights[row]
                at += at & -at
    return total
