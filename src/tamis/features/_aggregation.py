"""Several rankings of the same columns: which columns each sees, where its scores are, and what they say together."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
_BLOCK = 4_000_000  # pairs of columns counted together


def dealt(n_columns: int, width: int, n_runs: int, rng: np.random.RandomState) -> list[NDArray[np.intp]]:
    """The columns of each run, ascending: a shuffled deck dealt out, with a new one as often as it ends.

    No run holds a column twice, and no column is dealt twice oftener than another.
    """
    if width == n_columns:
        return [np.arange(n_columns)] * n_runs
    hands: list[NDArray[np.intp]] = []
    deck = np.zeros(0, dtype=np.intp)
    for _ in range(n_runs):
        hand, deck = deck[:width], deck[width:]
        if len(hand) < width:
            fresh = rng.permutation(n_columns)
            new = fresh[~np.isin(fresh, hand)][: width - len(hand)]
            deck = fresh[~np.isin(fresh, new)]
            hand = np.concatenate([hand, new])
        hands.append(np.sort(hand))
    return hands


def importances(ranker: Any, getter: str | Callable[[Any], Any], n_columns: int) -> Float:
    """The scores of a fitted ranker, higher is better, one row a hypothesis; shape (h, n_columns)."""
    if callable(getter):
        found = getter(ranker)
    elif getter != "auto":
        found = _named_scores(ranker, getter)
    else:
        found = _usual_scores(ranker)
    try:
        scores = np.atleast_2d(np.asarray(found, dtype=np.float64))
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"EFR: importance_getter={getter!r} gives a {type(found).__name__} of {type(ranker).__name__}, which is no "
            "list of numbers. Use one that gives a score a column."
        ) from None
    if scores.ndim != 2 or scores.shape[1] != n_columns:
        raise ValueError(
            f"EFR: {type(ranker).__name__} gives scores of shape {np.shape(found)}, but it saw {n_columns} columns. "
            "Use a ranker, or an importance_getter, with one score a column."
        )
    return scores


def _named_scores(ranker: Any, name: str) -> Any:
    try:
        return attrgetter(name)(ranker)
    except AttributeError:
        known = [own for own in vars(ranker) if own.endswith("_") and not own.startswith("_")]
        raise ValueError(
            f"EFR: importance_getter={name!r}, which a fitted {type(ranker).__name__} has not. Use 'auto', or one of: "
            f"{', '.join(known)}."
        ) from None


def _usual_scores(ranker: Any) -> Any:
    if hasattr(ranker, "hypothesis_scores_"):
        return ranker.hypothesis_scores_
    by_rank = -np.asarray(ranker.ranking_, dtype=np.float64) if hasattr(ranker, "ranking_") else None
    if hasattr(ranker, "scores_"):
        scores = np.asarray(ranker.scores_, dtype=np.float64)
        if by_rank is not None and by_rank.shape == scores.shape:
            falling = scores[np.argsort(-by_rank, kind="stable")]
            by_score = getattr(ranker, "_ranked_by_score", False)  # but for copies and constants
            if not by_score and (np.diff(falling) > 0).any():  # the ranking comes from a search
                return by_rank - by_rank.min()
        return scores
    if hasattr(ranker, "feature_importances_"):
        return ranker.feature_importances_
    if hasattr(ranker, "coef_"):
        return np.abs(ranker.coef_)
    if by_rank is not None:
        return by_rank - by_rank.min()
    raise TypeError(
        f"EFR: {type(ranker).__name__} has no scores_, feature_importances_, coef_ or ranking_ after fit. "
        "Use another ranker, or say where its scores are with importance_getter."
    )


def spread(found: list[Float], columns: list[NDArray[np.intp]], n_columns: int) -> Float:
    """The hypotheses of all runs as one array (r, n_columns), NaN for columns not seen, |scores| summing to 1.

    A score that is not a number becomes the lowest of its hypothesis.
    """
    rows = []
    for scores, seen in zip(found, columns):
        for one in scores:
            finite = np.isfinite(one)
            clean = np.where(finite, one, one[finite].min() if finite.any() else 0.0)
            largest = np.abs(clean).max(initial=0.0)
            clean = clean / largest if largest > 0 else clean
            row = np.full(n_columns, np.nan)
            row[seen] = clean / max(np.abs(clean).sum(), 1.0)
            rows.append(row)
    return np.stack(rows)


def aggregated(scores: Float, how: str, quantile: float) -> Float:
    """One score a column out of those of the runs (r, d), NaN where a run did not see it."""
    if how == "majority":
        return _placed_below(scores)
    quantiles = {"median": 0.5, "max": 1.0, "quantile": quantile}
    if how in quantiles:
        result: Float = np.nanquantile(scores, quantiles[how], axis=0)
    else:
        result = np.nanmean(scores, axis=0)
    return result


def _placed_below(scores: Float) -> Float:
    """For each column, how many others more than half of the runs that saw both place strictly below it."""
    n_columns = scores.shape[1]
    seen = (~np.isnan(scores)).astype(np.float32)
    below = np.empty(n_columns)
    known = [np.flatnonzero(run) for run in seen]
    width = max(1, _BLOCK // n_columns)
    for start in range(0, n_columns, width):
        block = slice(start, start + width)
        wins = np.zeros((len(range(n_columns)[block]), n_columns), dtype=np.int32)
        for run, there in zip(scores, known):
            if len(there) == n_columns:
                wins += run[block, None] > run[None, :]
            else:
                here = there[(there >= block.start) & (there < block.stop)]
                wins[np.ix_(here - start, there)] += run[here, None] > run[None, there]
        below[block] = (2 * wins > seen[:, block].T @ seen).sum(axis=1)
    return below


def column_order(scores: Float, run_scores: Float) -> NDArray[np.intp]:
    """The columns from best to worst: by score, then by mean score over the runs, then the lower column."""
    mean = np.nanmean(run_scores, axis=0)
    return np.lexsort((np.arange(len(scores)), -mean, -scores))
