"""Small random problems for the row selectors: duplicates, conflicting labels, ties, gaps, nominal columns."""

from __future__ import annotations

import os
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.neighbors.random_tables import mixed_table
from tests.oracles.neighbors import all_distances

needs_compiler = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="takes minutes with the compiler off"
)


class Problem(NamedTuple):
    """A table, its labels, and what the oracles need."""

    X: Any  # (n, d) float64: numbers, codes, NaN
    nominal: Any  # (d,) bool
    y: Any  # (n,) labels
    distances: Any  # n lists of n int: squared differences, in steps of 2**-20
    new: Any  # (m, d): further rows, with values never seen


@cache
def problem(seed: int) -> Problem:
    """A table of up to 44 rows and 7 columns, with two or three classes that have something to do with it."""
    X, new, nominal = mixed_table(seed, n_max=45, d_max=8)
    random = np.random.default_rng(10_000 + seed)
    n_classes = int(random.integers(2, 4))
    while len(X) < 2 * n_classes:
        X = np.concatenate([X, X])
    known = np.nan_to_num(
        X[:, 0], nan=X[:, -1][~np.isnan(X[:, -1])].mean() if (~np.isnan(X[:, -1])).any() else 0
    )
    ranks = np.argsort(np.argsort(known + 1e-9 * random.normal(size=len(X))))
    codes = ranks * n_classes // len(X)
    noisy = random.random(len(X)) < random.choice([0.0, 0.2, 0.6])
    codes[noisy] = random.integers(0, n_classes, noisy.sum())
    codes[:n_classes] = np.arange(n_classes)  # every class occurs
    labels = np.array(["left", "middle", "right"])[codes]
    return Problem(X, nominal, labels, all_distances(X, X, nominal, "l2"), new)
