"""What the papers' runs share: data sets as arrays, and their classification by nearest rows."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from tamis import datasets
from tamis.neighbors import MixedSpace, nearest_groups, nearest_rows, pair_distances
from tamis.table._encode import encode

Float = NDArray[np.float64]
Ints = NDArray[np.intp]
R = TypeVar("R")


@dataclass(frozen=True)
class Numbers:
    """A data set as numbers: values (codes for categories, NaN for missing values), which columns are categorical, and classes."""

    values: Float
    nominal: NDArray[np.bool_]
    codes: NDArray[np.int64]
    columns: tuple[str, ...]
    informative: tuple[str, ...]

    def part(self, columns: Any) -> Numbers:
        """The same rows, some columns only."""
        chosen = np.arange(len(self.columns))[columns]
        return Numbers(
            self.values[:, chosen],
            self.nominal[chosen],
            self.codes,
            tuple(self.columns[j] for j in chosen),
            self.informative,
        )

    def filled(self) -> Numbers:
        """Missing values replaced by the most frequent category, or the mean of a numeric column."""
        values = self.values.copy()
        for j, nominal in enumerate(self.nominal):
            missing = np.isnan(values[:, j])
            if missing.any():
                known = values[~missing, j]
                levels, counts = np.unique(known, return_counts=True)
                values[missing, j] = levels[counts.argmax()] if nominal else known.mean()
        return Numbers(values, self.nominal, self.codes, self.columns, self.informative)


def numbers(data: Any) -> Numbers:
    """Return a data set as arrays."""
    table = encode(BaseEstimator(), data.X)
    codes = np.unique(data.y, return_inverse=True)[1]
    return Numbers(
        table.values, table.nominal, codes.astype(np.int64), tuple(data.X.columns), tuple(data.informative)
    )


@lru_cache(maxsize=4)
def loaded(name: str) -> Numbers:
    """Return a data set by name as arrays."""
    return numbers(datasets.load(name, download_if_missing=False))


def nearest_accuracy(data: Numbers, learnt: Ints, held: Ints, kept: Ints | None = None) -> float:
    """Percent of held-out rows with the class of their nearest training row, the lower row on ties.

    `kept` are positions within `learnt`; distances are scaled by all rows of `learnt`.
    """
    space = MixedSpace.fit(data.values[learnt], data.nominal)
    rows = learnt if kept is None else learnt[kept]
    nearest, _ = nearest_rows(space, space.scaled(data.values[rows]), 1, space.scaled(data.values[held]))
    return 100 * float(np.mean(data.codes[rows][nearest[:, 0]] == data.codes[held]))


def tied_accuracy(data: Numbers, learnt: Ints, held: Ints) -> float:
    """As `nearest_accuracy` on all training rows, but every row at the smallest distance votes."""
    space = MixedSpace.fit(data.values[learnt], data.nominal)
    distances = pair_distances(space, space.scaled(data.values[held]), space.scaled(data.values[learnt]))
    near = distances == distances.min(axis=1, keepdims=True)
    labels = data.codes[learnt]
    votes = np.stack([near[:, labels == code].sum(axis=1) for code in range(labels.max() + 1)], axis=1)
    first = labels[near.argmax(axis=1)]  # the nearest row of lowest number decides between tied classes
    best = votes == votes.max(axis=1, keepdims=True)
    agreed = best[np.arange(len(first)), first]
    return 100 * float(np.mean(np.where(agreed, first, best.argmax(axis=1)) == data.codes[held]))


def vote_accuracy(data: Numbers, learnt: Ints, held: Ints | None, n_neighbors: int) -> float:
    """Percent of rows classified correctly by the vote of the k nearest training rows and all as near as the k-th.

    If `held` is None, the training rows themselves are classified, each by the others (leave-one-out).
    """
    codes = data.codes[learnt]
    space = MixedSpace.fit(data.values[learnt], data.nominal, "l1")
    k = min(n_neighbors, len(learnt) - (held is None))
    near = nearest_groups(space, data.values[learnt], k, None if held is None else data.values[held])
    sizes = np.bincount(codes)
    votes = np.stack([near.sums(codes == code) for code in range(len(sizes))], axis=1)
    winners = (votes + sizes / sizes.sum() / 2).argmax(axis=1)  # ties to the larger class
    return 100 * float(np.mean(winners == data.codes[learnt if held is None else held]))


def timed(work: Callable[[], R]) -> tuple[R, float]:
    """Return what the work returns, and its seconds."""
    start = time.perf_counter()
    answer = work()
    return answer, time.perf_counter() - start
