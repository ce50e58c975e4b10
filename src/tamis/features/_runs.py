"""One run of an ensemble: some rows and columns of the table that all runs share, and the scores of a ranker on them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis._shared import Shared
from tamis.features._aggregation import importances
from tamis.features.roger import ROGER, weights_and_scores
from tamis.table._encode import as_frame

Float = NDArray[np.float64]


def part_of(source: Any, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Any:
    """Rows and columns of an array, or of a frame in its own library."""
    if isinstance(source, np.ndarray):
        return source[np.ix_(rows, columns)]
    frame: Any = as_frame(source)
    whole = len(rows) == frame.shape[0] and bool((rows == np.arange(len(rows))).all())
    cut = frame if whole else frame[rows.tolist()]
    return cut[:, columns.tolist()].to_native()


def run_scores(
    ranker: Any, told: Shared[Any], rows: NDArray[np.intp], columns: NDArray[np.intp], getter: Any
) -> Float:
    """Fit one run; the scores of its hypotheses, shape (h, columns seen)."""
    source, labels, weights = told.data
    X = part_of(source, rows, columns)
    if weights is None:
        ranker.fit(X, labels[rows])
    else:
        ranker.fit(X, labels[rows], sample_weight=weights[rows])
    return importances(ranker, getter, X.shape[1])


def roger_scores(
    ranker: ROGER, read: Shared[Any], rows: NDArray[np.intp], columns: NDArray[np.intp], seed: int
) -> Float:
    """As `run_scores` for ROGER on a table that is read: the same scores, without reading it once more."""
    values, nominal, codes, weights = read.data
    part = values[np.ix_(rows, columns)]
    _, found = ranker._evolve(part, nominal[columns], codes[rows], weights[rows], seed)
    return weights_and_scores(found)[1]
