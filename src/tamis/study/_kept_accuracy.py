"""What kept rows are worth: the same choice among three quarters of the rows, asked about the last quarter."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import clone

from tamis.study._models import model
from tamis.table.weights import scaled_weights

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

MOST_ROWS = 20_000
"""Of more rows, this many are drawn: choosing rows again must not take much longer than choosing them."""

MOST_ASKED = 2000
_HELD_OUT = 4  # every fourth row
_LEAST = 20
_SEED = 0


@dataclass(frozen=True)
class KeptAccuracy:
    """The share of right answers about rows that had no part in the choice, averaged over the classes.

    Attributes
    ----------
    kept, drawn, every : float
        By the nearest of the kept rows, of as many rows drawn at random, and of all rows that were not held out.
    error : float
        The standard error of `kept`, from the number of rows asked about.
    n_asked, n_kept : int
        How many rows were asked about, and how many were kept of the others.
    by_class : dict
        The share of right answers of the kept rows, by class.
    weighed : bool, default=False
        Whether rows count by weights.
    """

    kept: float
    drawn: float
    every: float
    error: float
    n_asked: int
    n_kept: int
    by_class: dict[Any, float]
    weighed: bool = False

    @property
    def sentence(self) -> str:
        """What it says, after "Worth:"."""
        return (
            f"{self.kept:.1%} of {self.n_asked:,} rows held out get the right class by the nearest of {self.n_kept:,} rows chosen so among "
            f"the others, classes counting alike{' and rows by their weights' * self.weighed} (standard error {self.error:.1%}); by the nearest of all the others {self.every:.1%}, of "
            f"{self.n_kept:,} drawn at random {self.drawn:.1%}."
        )


def kept_accuracy(
    selector: BaseEstimator,
    rows: pl.DataFrame,
    labels: NDArray[Any],
    groups: NDArray[Any] | None = None,
    weights: NDArray[np.float64] | None = None,
) -> KeptAccuracy | None:
    """Hold out a quarter of the rows, choose among the others as the selector did, and ask 1-NN about the quarter.

    Parameters
    ----------
    selector : estimator
        What chose, or made, the rows; a clone of it is fitted, and keeps the same fraction of the rows.
    rows, labels : polars.DataFrame, ndarray
        All rows; of more than 20,000, as many are drawn.
    groups : ndarray, optional
        The group of each row, as the selector was given them: whole groups are held out.
    weights : ndarray, optional
        The weight of each row, as the selector was given them: right answers count by them. Rows of weight 0 are left out.

    Returns
    -------
    KeptAccuracy or None
        None if there are fewer than 20 rows, or the selector cannot choose among fewer rows.
    """
    random = np.random.default_rng(_SEED)
    if weights is not None and not weights.all():
        alive = np.flatnonzero(weights)
        groups = None if groups is None else groups[alive]
        rows, labels, weights = rows[alive.tolist()], labels[alive], weights[alive]
    known, asked = _split(labels, random) if groups is None else _split_groups(groups, random)
    if len(labels) < _LEAST or not len(asked) or len(np.unique(labels[known])) < 2:
        return None
    again = clone(selector)
    wanted = again.get_params(deep=False).get("n_prototypes")
    if isinstance(wanted, Integral):
        again.set_params(n_prototypes=max(1, round(int(wanted) * len(known) / len(labels))))
    X, y = rows[known.tolist()], labels[known]
    try:
        given = {"groups": groups, "sample_weight": weights}
        told = {name: one[known] for name, one in given.items() if one is not None}
        kept_rows, kept_labels = again.fit_resample(X, y, **told)
    except ValueError:
        return None
    kept_labels = np.asarray(kept_labels)
    held, held_labels = rows[asked.tolist()], labels[asked]
    drawn = np.sort(random.permutation(len(known))[: len(kept_labels)])
    counted = np.ones(len(asked)) if weights is None else scaled_weights(weights[asked])
    by_class = _right(kept_rows, kept_labels, held, held_labels, counted)
    sums, squares = (
        np.array([one[held_labels == label].sum() for label in by_class]) for one in (counted, counted**2)
    )
    counts = sums**2 / squares  # as many rows of one weight
    shares = np.array(list(by_class.values()))
    return KeptAccuracy(
        kept=float(shares.mean()),
        drawn=_mean(_right(X[drawn.tolist()], y[drawn], held, held_labels, counted)),
        every=_mean(_right(X, y, held, held_labels, counted)),
        error=float(np.sqrt((shares * (1 - shares) / counts).sum()) / len(shares)),
        n_asked=len(asked),
        n_kept=len(kept_labels),
        by_class=by_class,
        weighed=weights is not None,
    )


def _split(labels: NDArray[Any], random: np.random.Generator) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The rows to choose among and those to ask about, in ascending order: a quarter of each class, but one row is not split.

    Of the rows to ask about no more are taken than 2,000, as many of each class as there are: the answer is a mean over classes.
    """
    _, codes = np.unique(labels, return_inverse=True)
    n_classes = int(codes.max()) + 1
    shuffled = random.permutation(len(labels))[:MOST_ROWS]
    known, asked = [], []
    for code in range(n_classes):
        mine = shuffled[codes[shuffled] == code]
        n_held = max(len(mine) // _HELD_OUT, int(len(mine) > 1))
        asked.append(mine[:n_held][: max(1, MOST_ASKED // n_classes)])
        known.append(mine[n_held:])
    return np.sort(np.concatenate(known)), np.sort(np.concatenate(asked))


def _split_groups(
    groups: NDArray[Any], random: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """A quarter of the groups to ask about, the rows of the others to choose among; of either no more than the limits."""
    _, codes = np.unique(groups, return_inverse=True)
    n_groups = int(codes.max()) + 1
    held = np.zeros(n_groups, dtype=bool)
    held[random.permutation(n_groups)[: n_groups // _HELD_OUT]] = True
    known, asked = np.flatnonzero(~held[codes]), np.flatnonzero(held[codes])
    return np.sort(random.permutation(known)[:MOST_ROWS]), np.sort(random.permutation(asked)[:MOST_ASKED])


def _mean(by_class: dict[Any, float]) -> float:
    return float(np.mean(list(by_class.values())))


def _right(
    rows: pl.DataFrame,
    y: NDArray[Any],
    asked: pl.DataFrame,
    labels: NDArray[Any],
    weights: NDArray[np.float64],
) -> dict[Any, float]:
    """The share of right answers in each class, by weight."""
    if len(np.unique(y)) < 2:  # one class only is the answer to everything
        right = labels == y[0]
    else:
        right = np.asarray(model("1-nn").fit(rows, y).predict(asked)) == labels
    rows_of = {one: labels == one for one in np.unique(labels).tolist()}
    return {
        one: float((right[own] * weights[own]).sum() / weights[own].sum()) for one, own in rows_of.items()
    }
