"""Several rankings of the same columns: which columns each run sees, where its scores are, and how they are combined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


Float = NDArray[np.float64]
_BLOCK = 4_000_000  # pairs of columns counted at a time


def dealt(n_columns: int, width: int, n_runs: int, rng: np.random.RandomState) -> list[NDArray[np.intp]]:
    """Return the columns of each run, ascending: dealt from a shuffled deck, and from a new one whenever it ends.

    No run sees a column twice, and the numbers of runs that see two columns differ by at most one.
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


def n_until_all_seen(hands: Sequence[NDArray[np.intp]], n_columns: int) -> int:
    """Return after how many runs every column has been seen."""
    unseen = np.ones(n_columns, dtype=bool)
    for number, hand in enumerate(hands, start=1):
        unseen[hand] = False
        if not unseen.any():
            return number
    return len(hands)


def importances(ranker: BaseEstimator, getter: str | Callable[[Any], Any], n_columns: int) -> Float:
    """Return the scores of a fitted ranker, higher is better, one row per hypothesis; shape (h, n_columns)."""
    if callable(getter):
        given = getter(ranker)
    elif getter != "auto":
        given = _named_scores(ranker, getter)
    else:
        given = _usual_scores(ranker)
    try:
        scores = np.atleast_2d(np.asarray(given, dtype=np.float64))
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"EFR: importance_getter={getter!r} gives a {type(given).__name__} of {type(ranker).__name__}, which is not "
            "a list of numbers. Use one that gives one score per column."
        ) from None
    if scores.ndim != 2 or scores.shape[1] != n_columns:
        raise ValueError(
            f"EFR: {type(ranker).__name__} gives scores of shape {np.shape(given)}, but it saw {n_columns} columns. "
            "Use a ranker, or an importance_getter, with one score per column."
        )
    return scores


def _named_scores(ranker: BaseEstimator, name: str) -> Any:
    try:
        return attrgetter(name)(ranker)
    except AttributeError:
        known = [own for own in vars(ranker) if own.endswith("_") and not own.startswith("_")]
        raise ValueError(
            f"EFR: importance_getter={name!r}, but a fitted {type(ranker).__name__} has no such attribute. "
            f"Use 'auto', or one of: {', '.join(known)}."
        ) from None


def _usual_scores(ranker: BaseEstimator) -> Any:
    if hasattr(ranker, "hypothesis_scores_"):
        return ranker.hypothesis_scores_
    by_rank = -np.asarray(ranker.ranking_, dtype=np.float64) if hasattr(ranker, "ranking_") else None
    if hasattr(ranker, "scores_"):
        scores = np.asarray(ranker.scores_, dtype=np.float64)
        if by_rank is not None and by_rank.shape == scores.shape:
            falling = scores[np.argsort(-by_rank, kind="stable")]
            by_score = getattr(ranker, "_ranked_by_score", False)  # except copies and constants
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


def spread(scores_of_runs: list[Float], columns: list[NDArray[np.intp]], n_columns: int) -> Float:
    """Return the hypotheses of all runs as one array (r, n_columns), NaN for columns not seen, |scores| summing to 1.

    A score that is not a number becomes the lowest of its hypothesis.
    """
    rows = []
    for scores, seen in zip(scores_of_runs, columns):
        for hypothesis in scores:
            finite = np.isfinite(hypothesis)
            clean = np.where(finite, hypothesis, hypothesis[finite].min() if finite.any() else 0.0)
            largest = np.abs(clean).max(initial=0.0)
            clean = clean / largest if largest > 0 else clean
            row = np.full(n_columns, np.nan)
            row[seen] = clean / max(np.abs(clean).sum(), 1.0)
            rows.append(row)
    return np.stack(rows)


def aggregated(scores: Float, how: str, quantile: float) -> Float:
    """Return one score per column from the scores of the runs (r, d), which are NaN where a run did not see it."""
    if how == "majority":
        return _placed_below(scores)
    quantiles = {"median": 0.5, "max": 1.0, "quantile": quantile}
    if how in quantiles:
        result: Float = np.nanquantile(scores, quantiles[how], axis=0)
    else:
        result = np.nanmean(scores, axis=0)
    return result


def _placed_below(scores: Float) -> Float:
    """Count, for each column, the others that more than half of the runs that saw both place strictly below it."""
    n_columns = scores.shape[1]
    seen = (~np.isnan(scores)).astype(np.float32)
    below = np.empty(n_columns)
    known = [np.flatnonzero(run) for run in seen]
    width = max(1, _BLOCK // n_columns)
    for start in range(0, n_columns, width):
        block = slice(start, start + width)
        wins = np.zeros((len(range(n_columns)[block]), n_columns), dtype=np.int32)
        for run, columns in zip(scores, known):
            if len(columns) == n_columns:
                wins += run[block, None] > run[None, :]
            else:
                in_block = columns[(columns >= block.start) & (columns < block.stop)]
                wins[np.ix_(in_block - start, columns)] += run[in_block, None] > run[None, columns]
        below[block] = (2 * wins > seen[:, block].T @ seen).sum(axis=1)
    return below


def column_order(scores: Float, run_scores: Float) -> NDArray[np.intp]:
    """Return the columns from best to worst: by score, then by mean score over the runs, then the lower column."""
    mean = np.nanmean(run_scores, axis=0)
    return np.lexsort((np.arange(len(scores)), -mean, -scores))
