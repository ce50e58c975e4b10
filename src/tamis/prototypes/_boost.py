"""PSBoost's runs over a graph of neighbours, and the way several runs are made one."""

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
        The alpha with which the run that placed a row chose it.
    runs : ndarray of int
        Which run placed it: the class, by its position in the sorted classes, that the run sets against the rest.
        With two classes there is one run, that of the second.
    """

    rows: NDArray[np.int64]
    alphas: NDArray[np.float64]
    runs: NDArray[np.int64]


def neighbor_graph(space: MixedSpace, rows: Rows, n_neighbors: int, **settings: Any) -> NDArray[np.int64]:
    """The nearest others of every row, `n_neighbors` of them or all where there are fewer."""
    n_rows = len(rows)
    neighbors, _ = nearest_rows(space, rows, min(n_neighbors, n_rows - 1), **settings)
    return neighbors


def boosted(
    neighbors: NDArray[np.int64],
    target: Target,
    n_wanted: int,
    quotas: NDArray[np.int64] | None,
    remove_selected: bool,
) -> Chosen:
    """Choose rows by boosting: one run for two classes, one a class for more.

    Parameters
    ----------
    neighbors : ndarray of shape (n_rows, k)
        The nearest others of every row.
    target : Target
        The classes.
    n_wanted : int
        How many rows at most.
    quotas : ndarray of shape (n_classes,) or None
        How many rows of each class at most.
    remove_selected : bool
        Whether a chosen row's weight leaves the distribution.

    Returns
    -------
    Chosen
        The rows; fewer than wanted where no other has an alpha of 0 or more.
    """
    limits = np.full(target.n_classes, n_wanted) if quotas is None else quotas
    runs = class_runs(neighbors, target, n_wanted, limits, remove_selected)
    if len(runs) == 1:
        rows, alphas = runs[0]
        return Chosen(rows, alphas, np.ones(len(rows), dtype=np.int64))
    return _in_turns(runs, target.codes, n_wanted, limits)


def class_runs(
    neighbors: NDArray[np.int64],
    target: Target,
    n_wanted: int,
    quotas: NDArray[np.int64],
    remove_selected: bool,
    least: float = 0.0,
) -> list[Run]:
    """Return the run of the second of two classes, or the run of every class where there are more."""
    starts, voted = voters(neighbors)
    classes = [1] if target.n_classes == 2 else range(target.n_classes)
    runs = []
    for code in classes:
        votes = Votes(neighbors, starts, voted, target.codes == code, target.codes)
        runs.append(boosted_rows(votes, quotas, n_wanted, remove_selected, least))
    return runs


def all_row_weights(
    neighbors: NDArray[np.int64], target: Target, remove_selected: bool
) -> NDArray[np.float64]:
    """The alpha of every row when boosting goes on to the last: in the run of its own class where there are several."""
    n_rows = len(target.codes)
    limits = np.full(target.n_classes, n_rows)
    weights = np.empty(n_rows)
    for code, (rows, alphas) in enumerate(
        class_runs(neighbors, target, n_rows, limits, remove_selected, least=-np.inf)
    ):
        own = target.codes[rows] == code if target.n_classes > 2 else np.ones(n_rows, dtype=bool)
        weights[rows[own]] = alphas[own]
    return weights


def _in_turns(runs: list[Run], codes: NDArray[np.int64], n_wanted: int, quotas: NDArray[np.int64]) -> Chosen:
    """Let the runs offer one row each, turn by turn; a row that is kept already, or one too many, passes."""
    kept: dict[int, tuple[float, int]] = {}
    left = quotas.copy()
    for turn in range(max(len(rows) for rows, _ in runs)):
        for run, (rows, alphas) in enumerate(runs):
            if turn >= len(rows) or len(kept) == n_wanted:
                continue
            row = int(rows[turn])
            if row not in kept and left[codes[row]] > 0:
                kept[row] = float(alphas[turn]), run
                left[codes[row]] -= 1
    alphas = np.asarray([alpha for alpha, _ in kept.values()], dtype=np.float64)
    placed = np.asarray([run for _, run in kept.values()], dtype=np.int64)
    return Chosen(np.fromiter(kept, dtype=np.int64, count=len(kept)), alphas, placed)
