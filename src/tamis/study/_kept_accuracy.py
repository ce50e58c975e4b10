"""What kept rows are worth: the nearest-neighbour rule on them, asked about the other rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tamis.study._models import model

MOST_ASKED = 2000
_SEED = 0


@dataclass(frozen=True)
class KeptAccuracy:
    """The share of right answers about rows that were not kept.

    Attributes
    ----------
    kept, drawn : float
        By the rule on the kept rows, and on as many rows drawn at random; averaged over the classes.
    n_asked : int
        How many rows were asked about.
    by_class : dict
        The share of right answers of the kept rows, by class.
    """

    kept: float
    drawn: float
    n_asked: int
    by_class: dict[Any, float]


def kept_accuracy(rows: pl.DataFrame, labels: NDArray[Any], kept: NDArray[np.intp]) -> KeptAccuracy | None:
    """Ask 1-NN on the kept rows, and on as many drawn rows, about rows that neither of them has.

    Parameters
    ----------
    rows, labels : polars.DataFrame, ndarray
        All rows.
    kept : ndarray of int
        The kept rows.

    Returns
    -------
    KeptAccuracy or None
        None if fewer than two rows are left to ask about, or the kept rows have one class only.
    """
    random = np.random.default_rng(_SEED)
    others = np.setdiff1d(np.arange(len(labels)), kept)
    if len(others) < len(kept) + 2 or len(np.unique(labels[kept])) < 2:
        return None
    shuffled = random.permutation(others)
    drawn, asked = shuffled[: len(kept)], shuffled[len(kept) :][:MOST_ASKED]
    by_class = _right(rows, labels, kept, asked)
    by_drawn = _right(rows, labels, drawn, asked)
    return KeptAccuracy(
        float(np.mean(list(by_class.values()))),
        float(np.mean(list(by_drawn.values()))),
        len(asked),
        by_class,
    )


def _right(
    rows: pl.DataFrame, labels: NDArray[Any], known: NDArray[np.intp], asked: NDArray[np.intp]
) -> dict[Any, float]:
    """The share of right answers in each class."""
    y = labels[known]
    if len(np.unique(y)) < 2:  # one class only is the answer to everything
        right = labels[asked] == y[0]
    else:
        said = model("1-nn").fit(rows[known.tolist()], y).predict(rows[asked.tolist()])
        right = np.asarray(said) == labels[asked]
    return {one: float(right[labels[asked] == one].mean()) for one in np.unique(labels[asked]).tolist()}
