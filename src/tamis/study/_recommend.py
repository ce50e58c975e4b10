"""What to keep, how certain that is, and what it costs in score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.study._chance import ChanceTest, against_chance
from tamis.study._comparison import Comparison
from tamis.study._contenders import BASELINE
from tamis.study._scores import checked_score
from tamis.study._statistics import TTest, corrected_error, corrected_t_test

Float = NDArray[np.float64]
OFTEN = 0.5


@dataclass(frozen=True)
class Candidate:
    """One method at one size, judged by one model.

    Parameters
    ----------
    method, model : str
        The method and the model.
    step : int
        The position among the method's sizes.
    n_kept : float
        Mean number of columns or rows kept.
    mean, error : float
        The mean score and its standard error; the error is NaN for a single split.
    """

    method: str
    model: str
    step: int
    n_kept: float
    mean: float
    error: float


@dataclass(frozen=True)
class Recommendation:
    """The result of `recommend`.

    Parameters
    ----------
    sifts : {"columns", "rows"}
        What is to be kept.
    score : str
        The score that decides.
    chosen : Candidate
        The smallest selection within one standard error of the best.
    best : Candidate
        The candidate with the highest mean.
    everything : Candidate or None
        All columns or rows, with the model of `chosen`.
    honest_mean, honest_error : float
        The score of the choice, the figure to quote: chosen on the other folds, scored on the fold left out, less the
        remaining optimism (see the Notes of `recommend`). NaN if fewer than two folds of a repetition are done.
    against_chance : ChanceTest or None
        The test of the choice against chance; None if its score is not known.
    against_everything : TTest or None
        The test of the choice against `everything` on the splits that both have; None if `chosen` is everything.
    front : tuple of Candidate
        The Pareto front, smallest first: no smaller candidate is as good.
    always, often, seldom : tuple of int
        Columns that the chosen method keeps at the chosen size in every split, in half of them or more, and in fewer;
        empty for rows.
    n_candidates : int
        How many were compared.
    n_splits, n_planned : int
        On how many splits, the same for all of them, and how many were asked for. With fewer the answer is provisional.
    """

    sifts: str
    score: str
    chosen: Candidate
    best: Candidate
    everything: Candidate | None
    honest_mean: float
    honest_error: float
    against_chance: ChanceTest | None
    against_everything: TTest | None
    front: tuple[Candidate, ...]
    always: tuple[int, ...]
    often: tuple[int, ...]
    seldom: tuple[int, ...]
    n_candidates: int
    n_splits: int = 0
    n_planned: int = 0


def recommend(
    comparison: Comparison,
    sifts: str = "columns",
    *,
    model: str | None = None,
    score: str | None = None,
) -> Recommendation | None:
    """The smallest selection within one standard error of the best.

    Parameters
    ----------
    comparison : Comparison
        The result of `compare`.
    sifts : {"columns", "rows"}, default="columns"
        What is to be kept.
    model : str, optional
        The model that judges; None lets all of them compete.
    score : {"accuracy", "balanced_accuracy", "roc_auc", "log_loss", "r2", "rmse", "mae", "concordance"}, optional
        The score that decides; None is "balanced_accuracy", or "r2" if the target is numeric. Of the log loss, "rmse" and "mae"
        lower is better; all figures of a Recommendation are negated then, so that higher is better.

    Returns
    -------
    Recommendation or None
        None where nothing was done yet. All are judged on the splits that they share; methods done in fewer than half as many
        splits as the most are left aside.

    Notes
    -----
    The standard error is Nadeau and Bengio's, which accounts for overlapping training sets: it does not vanish with more
    repetitions.

    The best of many choices looks better than it is. So the choice is repeated for every fold, by the scores of the other
    folds of its repetition, and scored on that fold. A little optimism remains, since the fold's rows were among the
    training rows of the others: with K folds, one part in K - 1 of them. The same part of the known optimism,
    (chosen.mean - honest) / (K - 1), is subtracted as well. On noise the result equals chance within the error of some
    hundred tables (docs/compare.md); if one choice is clearly best, nothing is subtracted.
    """
    if sifts not in BASELINE:
        raise ValueError(f"recommend: sifts={sifts!r}. Use 'columns' or 'rows'.")
    if model is not None and model not in comparison.models:
        raise ValueError(f"recommend: no model {model!r}. Models: {', '.join(comparison.models)}.")
    models = comparison.models if model is None else (model,)
    score = checked_score("recommend", score, comparison.target_kind)
    candidates, values, shared = _candidates(comparison, sifts, models, score)
    if not candidates:
        return None
    sizes = np.array([candidate.n_kept for candidate in candidates])
    means = np.array([candidate.mean for candidate in candidates])
    errors = np.array([candidate.error for candidate in candidates])
    best, chosen = _choice(sizes, means, errors)
    everything = _everything(comparison, sifts, candidates, candidates[chosen].model)
    honest, splits, flattery = _honest(comparison, sizes, values, means[chosen])
    picked = candidates[chosen]
    worth = honest - flattery
    always, often, seldom = _kept_columns(comparison, picked) if sifts == "columns" else ((), (), ())
    return Recommendation(
        sifts=sifts,
        score=score,
        chosen=picked,
        best=candidates[best],
        everything=None if everything is None else candidates[everything],
        honest_mean=float(np.mean(worth)) if len(honest) else np.nan,
        honest_error=float(corrected_error(honest, comparison.test_share)),
        against_chance=_against_chance(comparison, score, honest, splits, flattery),
        against_everything=None
        if everything is None or everything == chosen
        else _tested(worth - values[everything, splits], comparison),
        front=_front(candidates),
        always=always,
        often=often,
        seldom=seldom,
        n_candidates=len(candidates),
        n_splits=int(shared.sum()),
        n_planned=len(comparison.repeats),
    )


def _candidates(
    comparison: Comparison, sifts: str, models: tuple[str, ...], score: str
) -> tuple[list[Candidate], Float, NDArray[np.bool_]]:
    """Every method, size and model with enough splits, their scores, and the splits that all of them have."""
    found, scores, judged = [], [], []
    for name in comparison.methods(sifts, baseline=True):
        for model in models:
            curve = comparison.curve(name, model, score)
            for step in np.flatnonzero(~np.isnan(curve.mean)).tolist():
                found.append((name, model, step, float(curve.n_kept[step])))
                scores.append(curve.values[step])
                judged.append(comparison.judged(name, model, step))
    if not found:
        return [], np.empty((0, len(comparison.repeats))), np.zeros(len(comparison.repeats), dtype=bool)
    enough, shared = _shared_splits(np.array(judged))
    values = np.where(shared, np.array(scores), np.nan)
    enough &= ~np.isnan(values).all(axis=1)
    candidates = []
    for place in np.flatnonzero(enough).tolist():
        there = values[place][~np.isnan(values[place])]
        error = corrected_error(there, comparison.test_share)
        candidates.append(Candidate(*found[place], float(there.mean()), float(error)))
    return candidates, values[enough], shared


def _shared_splits(done: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """The candidates that can be judged alike, and the splits on which: one easy split must crown nobody.

    Candidates with the fewest splits are left aside until those that are left have in common at least half as many as the
    most.

    Parameters
    ----------
    done : ndarray of bool, shape (c, j)
        Which candidate was judged in which split.

    Returns
    -------
    ndarray of bool, shape (c,); ndarray of bool, shape (j,)
        The candidates that stay, and the splits that all of them have.
    """
    counts = done.sum(axis=1)
    least = (counts.max() + 1) // 2
    enough = counts >= least
    while done[enough].all(axis=0).sum() < least:
        fewest = np.flatnonzero(enough & (counts == counts[enough].min()))
        enough[fewest[-1]] = False
    return enough, done[enough].all(axis=0)


def _choice(sizes: Float, means: Float, errors: Float) -> tuple[int, int]:
    """The best, the smaller on ties; and the smallest within one standard error of it, the better on ties."""
    order = np.lexsort((sizes, -means))
    best = int(order[0])
    enough = np.flatnonzero(means >= means[best] - np.nan_to_num(errors[best]))
    chosen = enough[np.lexsort((-means[enough], sizes[enough]))[0]]
    return best, int(chosen)


def _everything(comparison: Comparison, sifts: str, candidates: list[Candidate], model: str) -> int | None:
    for position, candidate in enumerate(candidates):
        if candidate.method == BASELINE[sifts] and candidate.model == model:
            return position
    return None


def _honest(
    comparison: Comparison, sizes: Float, values: Float, apparent: float
) -> tuple[Float, NDArray[np.intp], float]:
    """The score of each fold for the choice made on the other folds of its repetition; the splits; the remaining optimism."""
    repeats, scores, splits = np.array(comparison.repeats), [], []
    for split, repeat in enumerate(repeats):
        others = np.flatnonzero((repeats == repeat) & (np.arange(len(repeats)) != split))
        others = others[~np.isnan(values[:, others]).all(axis=0)]
        complete = ~np.isnan(values[:, others]).any(axis=1) & ~np.isnan(values[:, split])
        if not len(others) or not complete.any():
            continue
        there = values[complete][:, others]
        errors = corrected_error(there.T, comparison.test_share)
        _, chosen = _choice(sizes[complete], there.mean(axis=1), errors)
        scores.append(values[complete][chosen, split])
        splits.append(split)
    if not scores:
        return np.empty(0), np.empty(0, dtype=np.intp), 0.0
    n_folds = np.unique(repeats[splits], return_counts=True)[1].max()
    flattery = max(0.0, apparent - float(np.mean(scores))) / max(1, n_folds - 1)
    return np.array(scores), np.array(splits, dtype=np.intp), flattery


def _against_chance(
    comparison: Comparison, score: str, honest: Float, splits: NDArray[np.intp], flattery: float
) -> ChanceTest | None:
    if comparison.chance is None:
        return None
    repeats = np.array(comparison.repeats)
    return against_chance(honest, flattery, comparison.chance, score, splits, repeats, comparison.test_share)


def _tested(differences: Float, comparison: Comparison) -> TTest | None:
    there = differences[~np.isnan(differences)]
    return corrected_t_test(there, comparison.test_share) if len(there) > 1 else None


def _front(candidates: list[Candidate]) -> tuple[Candidate, ...]:
    front: list[Candidate] = []
    for candidate in sorted(candidates, key=lambda one: (one.n_kept, -one.mean)):
        if not front or candidate.mean > front[-1].mean:
            front.append(candidate)
    return tuple(front)


def _kept_columns(comparison: Comparison, picked: Candidate) -> Any:
    frequency = comparison.kept(picked.method, picked.step).mean(axis=0)
    order = np.argsort(-frequency, kind="stable")
    always = tuple(int(j) for j in order if frequency[j] == 1)
    often = tuple(int(j) for j in order if OFTEN <= frequency[j] < 1)
    return always, often, tuple(int(j) for j in order if 0 < frequency[j] < OFTEN)
