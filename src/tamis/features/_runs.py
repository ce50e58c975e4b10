"""Runs of an ensemble: each fits a ranker on some rows and columns of the shared table and returns its scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis._shared import Shared
from tamis.evolution.engine import Columns
from tamis.features._aggregation import importances
from tamis.features._curves import groups_for
from tamis.features.roger import ROGER, weights_and_scores
from tamis.table._encode import as_frame

Float = NDArray[np.float64]
Ints = NDArray[np.intp]


def part_of(source: Any, rows: Ints, columns: Ints) -> Any:
    """Return some rows and columns of an array, or of a frame as a frame of the same library."""
    if isinstance(source, np.ndarray):
        return source[np.ix_(rows, columns)]
    frame: Any = as_frame(source)
    whole = len(rows) == frame.shape[0] and bool((rows == np.arange(len(rows))).all())
    cut = frame if whole else frame[rows.tolist()]
    return cut[:, columns.tolist()].to_native()


def run_scores(shared: Shared[Any], runs: Sequence[tuple[Any, Ints, Ints]], getter: Any) -> list[Float]:
    """Fit some runs, each a ranker with its rows and columns; return the scores of each, (hypotheses, columns seen)."""
    source, labels, weights, groups = shared.data
    scores = []
    for ranker, rows, columns in runs:
        X = part_of(source, rows, columns)
        extra = {} if weights is None else {"sample_weight": weights[rows]}
        ranker.fit(X, labels[rows], **extra, **groups_for(ranker, groups, rows))
        scores.append(importances(ranker, getter, X.shape[1]))
    return scores


def roger_scores(ranker: ROGER, shared: Shared[Any], runs: Sequence[tuple[Ints, Ints, int]]) -> list[Float]:
    """Do the work of `run_scores` for ROGER, with a seed for each run, on an encoded table: it is not encoded again."""
    values, nominal, goals, weights = shared.data
    if (
        len(runs) > 1
        and not ranker.niching
        and not nominal.any()
        and all(rows is runs[0][0] for rows, _, _ in runs)
    ):
        rows = runs[0][0]
        part = values[rows]
        read_as = Columns.of(part, nominal)
        # all columns are numeric, none is constant or has missing values
        if len(read_as.numeric) == part.shape[1] and not len(read_as.owners):
            columns = np.stack([seen for _, seen, _ in runs]).astype(np.int64)
            seeds = [seed for _, _, seed in runs]
            return list(
                ranker._evolve_runs(read_as.scaled(part), goals[:, rows], weights[rows], columns, seeds)
            )
    scores = []
    for rows, columns, seed in runs:
        part = values[np.ix_(rows, columns)]
        _, hypotheses = ranker._evolve(part, nominal[columns], goals[:, rows], weights[rows], seed)
        scores.append(weights_and_scores(hypotheses)[1])
    return scores
