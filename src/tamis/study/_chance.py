"""The scores of chance: of guessing by the shares of the classes, or by the mean of a numeric target, without any column."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from sklearn.dummy import DummyClassifier, DummyRegressor

from tamis.study._fold import Rows
from tamis.study._scores import CLASS_SCORES, NUMBER_SCORES, number_scores, scorer_score, weighted_mean
from tamis.study._statistics import corrected_error
from tamis.table.weights import scaled_weights

Float = NDArray[np.float64]
LEVEL = 0.05


@dataclass(frozen=True)
class Chance:
    """The scores of chance; higher is better (losses are negated).

    Parameters
    ----------
    scores : ndarray, shape (j, 4)
        In each split: accuracy of the most frequent class of the training rows, balanced accuracy of any single class, area
        under the ROC curve of equal probabilities, log loss of the class shares in the training rows. For a numeric target:
        r2 and root mean squared error of the mean of the training rows, mean absolute error of their median, one half of
        the pairs concordant. NaN if a score is not defined.
    variances : ndarray, shape (j, 4)
        The variance of each score if the rows held out were predicted at random; 0 for the log loss and the mean absolute
        error (not known). For r2 and the root mean squared error it is that of the correlation, see `against_chance`. Rows are
        predicted one by one whatever they weigh: a row of weight 2 says less than two rows.
    names : tuple of str
        The scores, in this order.
    """

    scores: Float
    variances: Float
    names: tuple[str, ...] = CLASS_SCORES


@dataclass(frozen=True)
class ChanceTest:
    """A test of a score against that of chance.

    Parameters
    ----------
    mean : float
        The score of chance, higher is better.
    difference, standard_error : float
        How much better the choice is, and the standard error of that difference over the splits.
    p : float
        The one-sided p-value, the larger of two (see `against_chance`).
    beaten : bool
        Whether chance is beaten at the 5 % level.
    """

    mean: float
    difference: float
    standard_error: float
    p: float
    beaten: bool


def chance_of(
    y: NDArray[np.generic], splits: Sequence[tuple[Rows, Rows]], weights: Float | None = None
) -> Chance:
    """The scores of chance in each split.

    Parameters
    ----------
    y : ndarray, shape (n,)
        The classes.
    splits : sequence of (ndarray, ndarray)
        Training rows and rows held out.
    weights : ndarray, shape (n,), or None
        What each row counts; rows of weight 0 are in no split.

    Returns
    -------
    Chance
        One row per split.
    """
    counted = np.ones(len(y)) if weights is None else scaled_weights(weights)
    alive = slice(None) if weights is None else counted > 0
    classes = np.unique(y[alive])
    codes = np.searchsorted(classes, y)
    scores, variances = np.empty((2, len(splits), len(CLASS_SCORES)))
    for row, (train, test) in enumerate(splits):
        trained, held, squared = (
            np.bincount(codes[rows], counts, len(classes))
            for rows, counts in ((train, counted[train]), (test, counted[test]), (test, counted[test] ** 2))
        )
        n, there, squares = held.sum(), held[held > 0], squared[held > 0]
        n_rows, own, k = n**2 / squares.sum(), there**2 / squares, len(there)  # as many rows of one weight
        shares = np.clip(trained / trained.sum(), np.finfo(np.float64).eps, 1.0)
        right = held[np.argmax(trained)] / n
        complete = k == len(classes) > 1
        scores[row] = right, 1 / k, 0.5 if complete else np.nan, (held * np.log(shares)).sum() / n
        most, area = there.max() / n, np.nan
        if complete:
            rest = (n - there) ** 2 / (squares.sum() - squares)
            area = ((own + rest + 1) / (12 * own * rest)).mean()  # Mann and Whitney's
        variances[row] = most * (1 - most) / n_rows, (1 / k) * (1 - 1 / k) * (1 / own).sum() / k**2, area, 0.0
    return Chance(scores, variances)


def chance_of_numbers(y: Float, splits: Sequence[tuple[Rows, Rows]], weights: Float | None = None) -> Chance:
    """The scores of chance in each split, for a numeric target; see `chance_of`."""
    scores, variances = np.empty((2, len(splits), len(NUMBER_SCORES)))
    for row, (train, test) in enumerate(splits):
        held, n = y[test], len(test)
        seen, counts = (None, None) if weights is None else (weights[train], weights[test])
        middle = np.median(y[train]) if seen is None else _middle(y[train], seen)
        r2, rmse, _, _ = number_scores(np.full(n, weighted_mean(y[train], seen)), held, counts)
        _, _, mae, concordance = number_scores(np.full(n, middle), held, counts)
        known = [np.nan if score is None else score for score in (r2, rmse, mae, concordance)]
        scores[row] = np.array(known) * (1, -1, -1, 1)
        shares = np.ones(n) if counts is None else scaled_weights(counts)
        n_rows = shares.sum() ** 2 / (shares**2).sum()  # as many rows of one weight
        variances[row] = 1 / n_rows, 1 / n_rows, 0.0, _spread_of_concordance(held, shares)
    return Chance(scores, variances, NUMBER_SCORES)


def _middle(values: Float, weights: Float) -> float:
    """The median, of values that count by positive weights: with half of the weight on each side."""
    order = np.argsort(values, kind="stable")
    ranked, upto = values[order], np.cumsum(scaled_weights(weights[order]))
    low, high = (int(np.searchsorted(upto, upto[-1] / 2, side=side)) for side in ("left", "right"))
    return float((ranked[low] + ranked[min(high, len(ranked) - 1)]) / 2)


def _spread_of_concordance(y: Float, weights: Float) -> float:
    """The variance of the share of concordant pairs over all orders of the predictions: Kendall's, with a weight per row.

    A pair has the variance 1/4; two pairs with a row in common have the covariance 1/12, or -1/12 where that row is between the
    others.
    """
    order = np.argsort(y, kind="stable")
    y, weights = y[order], weights[order]
    first, last = (np.searchsorted(y, y, side=side) for side in ("left", "right"))
    sums, squares = (np.concatenate([[0.0], np.cumsum(one)]) for one in (weights, weights**2))
    below, above = sums[first], sums[-1] - sums[last]
    others = squares[first] + squares[-1] - squares[last]  # of rows with another number
    pairs = (weights * (below + above)).sum() / 2
    spread = 3 * (weights**2 * (2 * (above - below) ** 2 + others)).sum()
    return float(spread / (72 * pairs**2)) if pairs else np.nan


def chance_with(
    chance: Chance,
    y: NDArray[Any],
    splits: Sequence[tuple[Rows, Rows]],
    names: tuple[str, ...],
    weights: Float | None = None,
) -> Chance:
    """The scores of chance, with those of a scorer of scikit-learn that is measured besides: a dummy model's.

    Parameters
    ----------
    chance : Chance
        The scores that are always measured.
    y : ndarray, shape (n,)
        The target.
    splits : sequence of (ndarray, ndarray)
        Training rows and rows held out.
    names : tuple of str
        The measured scores; the last one may be a scorer's name.
    weights : ndarray, shape (n,), or None
        What each row counts.
    """
    if names == chance.names:
        return chance
    dummy = DummyRegressor() if chance.names == NUMBER_SCORES else DummyClassifier(strategy="prior")
    scores = []
    for train, test in splits:
        seen, counts = (None, None) if weights is None else (weights[train], weights[test])
        fitted = dummy.fit(np.zeros((len(train), 1)), y[train], sample_weight=seen)
        try:
            score = scorer_score(names[-1], fitted, np.zeros((len(test), 1)), y[test], counts)
        except (ValueError, TypeError, AttributeError) as error:
            raise ValueError(
                f"compare: the score {names[-1]!r} does not fit this target: {error}. Use another one, such as f1_macro for classes."
            ) from error
        scores.append(np.nan if score is None else score)
    return Chance(
        np.column_stack([chance.scores, scores]),
        np.column_stack([chance.variances, np.zeros(len(scores))]),
        names,
    )


def against_chance(
    values: Float, flattery: float, chance: Chance, score: str, splits: Rows, repeats: Rows, test_share: float
) -> ChanceTest | None:
    """Test the scores of a choice against those of chance.

    Parameters
    ----------
    values : ndarray, shape (s,)
        The score in some splits, higher is better.
    flattery : float
        The optimism that is subtracted from their mean.
    chance : Chance
        Of all splits.
    score : str
        The name of the score.
    splits : ndarray of int, shape (s,)
        The splits of `values`.
    repeats : ndarray of int, shape (j,)
        The repetition of each of all splits.
    test_share : float
        Test rows divided by training rows, in one split.

    Returns
    -------
    ChanceTest or None
        None with fewer than two splits.

    Notes
    -----
    Two tests must agree, so the p-value is the larger of theirs. One is a t-test of the differences over the splits, with
    Nadeau and Bengio's standard error; repetitions reuse the same rows, so it has the number of folds in one repetition less
    one as degrees of freedom. The other asks how often random classification of the rows, each once per repetition, would do
    as well: with few rows all splits may agree by accident. There is no such bound for the log loss and the mean absolute
    error. Predictions whose correlation with the target is c reach an r2 of at most c squared; so an r2 above that of chance
    by D asks for a correlation of the root of D, whose variance for random predictions is one over the number of rows. The
    root mean squared error is read as such an r2.
    """
    position = chance.names.index(score)
    base = chance.scores[splits, position]
    known = ~np.isnan(base)
    values, base, splits = values[known], base[known], splits[known]
    if len(values) < 2:
        return None
    n_folds = int(np.unique(repeats[splits], return_counts=True)[1].max())
    difference = float((values - base).mean()) - flattery
    error = float(corrected_error(values - base, test_share))
    by_rows = math.sqrt(chance.variances[splits, position].mean() / n_folds)
    p = max(
        _upper_tail(difference, error, stats.t(max(1, n_folds - 1))),
        _upper_tail(_as_correlation(difference, base, score), by_rows, stats.norm),
    )
    return ChanceTest(float(base.mean()), difference, error, p, p < LEVEL)


def _as_correlation(difference: float, base: Float, score: str) -> float:
    """The least correlation with the target that gives this gain in r2 or in the root mean squared error; any other as it is."""
    if score == "rmse":
        share = max(0.0, difference) / -float(base.mean())
        difference = 1 - (1 - share) ** 2
    return math.sqrt(max(0.0, difference)) if score in ("r2", "rmse") else difference


def _upper_tail(difference: float, error: float, law: Any) -> float:
    """The probability of a difference at least this large; 0 for a positive difference without error."""
    return float(law.sf(difference / error)) if error > 0 else float(difference <= 0)
