"""PSBoost's runs over a graph of neighbours, and how the runs of several classes are merged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.neighbors import MixedSpace, nearest_rows
from tamis.neighbors._distance import Rows
from tamis.prototypes._kernels.boosting import Votes, boosted_rows, voters
from tamis.table._table import Target

Run = tuple[NDArray[np.int64], NDArray[np.float64]]
"""Rows in the order of choice, and the alpha of each."""


@dataclass(frozen=True, eq=False)
class Chosen:
    """Rows in the order of choice.

    Attributes
    ----------
    rows : ndarray of int
        The rows.
    alphas : ndarray of float
        The alpha of each row, in the run that chose it.
    runs : ndarray of int
        The run that chose each row, as a class: the position, among the sorted classes, of the one that the run
        sets against the rest. With two classes there is one run, that of the second.
    """

    rows: NDArray[np.int64]
    alphas: NDArray[np.float64]
    runs: NDArray[np.int64]


def neighbor_graph(space: MixedSpace, rows: Rows, n_neighbors: int, **settings: Any) -> NDArray[np.int64]:
    """Return the `n_neighbors` nearest other rows of every row, or all others where there are fewer."""
    n_rows = len(rows)
    neighbors, _ = nearest_rows(space, rows, min(n_neighbors, n_rows - 1), **settings)
    return neighbors


def boosted(
    neighbors: NDArray[np.int64],
    target: Target,
    n_wanted: int,
    quotas: NDArray[np.int64] | None,
    remove_selected: bool,
    union: bool = False,
    weights: NDArray[np.float64] | None = None,
) -> Chosen:
    """Choose rows by boosting: one run for two classes, one run per class for more.

    Parameters
    ----------
    neighbors : ndarray of shape (n_rows, k)
        The nearest others of every row.
    target : Target
        The classes.
    n_wanted : int
        The largest number of rows.
    quotas : ndarray of shape (n_classes,) or None
        The largest number of rows of each class.
    remove_selected : bool
        Whether the weight of a chosen row becomes 0.
    union : bool
        With more than two classes, whether all rows of all runs are chosen, each run having `n_wanted` and the quotas for
        itself; else the runs take turns until there are enough.
    weights : ndarray of shape (n_rows,), or None
        The weights to begin with; None: all the same.

    Returns
    -------
    Chosen
        The rows; fewer than wanted where no other row has an alpha of 0 or more.
    """
    limits = np.full(target.n_classes, n_wanted) if quotas is None else quotas
    runs = class_runs(neighbors, target, n_wanted, limits, remove_selected, weights=weights)
    if len(runs) == 1:
        rows, alphas = runs[0]
        return Chosen(rows, alphas, np.ones(len(rows), dtype=np.int64))
    if union:
        n_wanted, limits = len(target.codes), target.counts()
    return _in_turns(runs, target.codes, n_wanted, limits)


def class_runs(
    neighbors: NDArray[np.int64],
    target: Target,
    n_wanted: int,
    quotas: NDArray[np.int64],
    remove_selected: bool,
    least: float = 0.0,
    weights: NDArray[np.float64] | None = None,
) -> list[Run]:
    """Return the run of the second class where there are two, the run of every class where there are more."""
    starts, voted = voters(neighbors)
    first = np.ones(len(target.codes)) if weights is None else weights
    classes = [1] if target.n_classes == 2 else range(target.n_classes)
    runs = []
    for code in classes:
        votes = Votes(neighbors, starts, voted, target.codes == code, target.codes, first)
        runs.append(boosted_rows(votes, quotas, n_wanted, remove_selected, least))
    return runs


def all_row_weights(
    neighbors: NDArray[np.int64],
    target: Target,
    remove_selected: bool,
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return the alpha of every row if boosting chooses all rows; with more than two classes, in the run of its class.

    `weights` are those to begin with, as for `boosted`.
    """
    n_rows = len(target.codes)
    limits = np.full(target.n_classes, n_rows)
    alpha_of = np.empty(n_rows)
    for code, (rows, alphas) in enumerate(
        class_runs(neighbors, target, n_rows, limits, remove_selected, least=-np.inf, weights=weights)
    ):
        own = target.codes[rows] == code if target.n_classes > 2 else np.ones(n_rows, dtype=bool)
        alpha_of[rows[own]] = alphas[own]
    return alpha_of


def first_weights(neighbors: NDArray[np.int64], target: Target) -> NDArray[np.float64]:
    """Return W+, W- and W0 of every row before any is chosen, (3, n): shares of the rows."""
    starts, voted = voters(neighbors)
    n_rows = len(target.codes)
    voter = np.repeat(np.arange(n_rows), np.diff(starts))
    agree = target.codes[voter] == target.codes[voted]
    right = np.bincount(voter[agree], minlength=n_rows)
    wrong = np.bincount(voter[~agree], minlength=n_rows)
    return np.stack([right, wrong, n_rows - right - wrong]) / n_rows


def _in_turns(runs: list[Run], codes: NDArray[np.int64], n_wanted: int, quotas: NDArray[np.int64]) -> Chosen:
    """Take one row from each run in turn; skip rows that are taken already, or whose class has its quota."""
    alpha_and_run: dict[int, tuple[float, int]] = {}
    left = quotas.copy()
    for turn in range(max(len(rows) for rows, _ in runs)):
        for run, (rows, alphas) in enumerate(runs):
            if turn >= len(rows) or len(alpha_and_run) == n_wanted:
                continue
            row = int(rows[turn])
            if row not in alpha_and_run and left[codes[row]] > 0:
                alpha_and_run[row] = float(alphas[turn]), run
                left[codes[row]] -= 1
    chosen_rows = np.fromiter(alpha_and_run, dtype=np.int64, count=len(alpha_and_run))
    chosen_alphas = np.asarray([alpha for alpha, _ in alpha_and_run.values()], dtype=np.float64)
    chosen_by = np.asarray([run for _, run in alpha_and_run.values()], dtype=np.int64)
    return Chosen(chosen_rows, chosen_alphas, chosen_by)
