"""Tests of whether methods differ by more than chance: on one table, and over several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Float = NDArray[np.float64]


@dataclass(frozen=True)
class TTest:
    """A corrected resampled t-test.

    Parameters
    ----------
    mean : float
        The mean difference.
    standard_error : float
        Its standard error, corrected for overlapping training sets.
    t, p : float
        The statistic and the two-sided p-value; p is 1 if all differences are 0.
    low, high : float
        The 95 % confidence interval of the difference.
    """

    mean: float
    standard_error: float
    t: float
    p: float
    low: float
    high: float


def corrected_error(values: Any, test_share: float) -> Float:
    """Standard error of a mean over resamples whose training sets overlap.

    Parameters
    ----------
    values : array-like, shape (j, ...)
        One value per split, along the first axis.
    test_share : float
        Rows tested over rows trained on, in one split: 1 / 4 for five folds.

    Returns
    -------
    ndarray
        The square root of (1 / j + test_share) times the variance; NaN for one split.
    """
    scores = np.asarray(values, dtype=np.float64)
    if len(scores) < 2:
        return np.full(scores.shape[1:], np.nan)
    error: Float = np.sqrt((1 / len(scores) + test_share) * scores.var(axis=0, ddof=1))
    return error


def p_in_words(p: float) -> str:
    """A p value of two digits; how far one is below 0.0001 is nothing that splits of one table could tell."""
    return "p < 0.0001" if p < 1e-4 else f"p = {p:.2g}"


def corrected_t_test(differences: Any, test_share: float) -> TTest:
    """Nadeau and Bengio's t-test of a mean difference over resamples.

    Parameters
    ----------
    differences : array-like, shape (j,)
        The score of one method less that of the other, on the same splits.
    test_share : float
        Rows tested over rows trained on, in one split: 1 / 4 for five folds.

    Returns
    -------
    TTest
        The mean difference, its error, t with j - 1 degrees of freedom, and the p-value.

    References
    ----------
    C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine Learning 52, 2003.

    Examples
    --------
    >>> from tamis.study import corrected_t_test
    >>> tested = corrected_t_test([0.02, 0.01, 0.03, 0.0, 0.04], 1 / 4)
    >>> round(tested.t, 3), round(tested.p, 3)
    (1.886, 0.132)
    """
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1 or len(values) < 2 or np.isnan(values).any():
        raise ValueError(
            f"corrected_t_test: differences has the shape {values.shape} and {int(np.isnan(values).sum())} missing values. "
            "Give two or more numbers, one per split."
        )
    if not test_share > 0:
        raise ValueError(f"corrected_t_test: test_share={test_share}, but it must be above 0.")
    mean, error, free = float(values.mean()), float(corrected_error(values, test_share)), len(values) - 1
    if error == 0:
        same = mean == 0
        return TTest(mean, 0.0, 0.0 if same else np.inf * np.sign(mean), float(same), mean, mean)
    t = mean / error
    reach = float(stats.t.ppf(0.975, free)) * error
    return TTest(mean, error, t, float(2 * stats.t.sf(abs(t), free)), mean - reach, mean + reach)


@dataclass(frozen=True)
class RankTest:
    """Friedman's test over several data sets, with Nemenyi's differences between all pairs.

    Parameters
    ----------
    names : tuple of str
        The methods.
    mean_ranks : ndarray, shape (k,)
        Mean rank of each over the data sets; 1 is best, ties share theirs.
    chi_square, p : float
        Friedman's statistic, corrected for ties, and its p-value with k - 1 degrees of freedom.
    f, f_p : float
        Iman and Davenport's F, which is less careful, and its p-value.
    critical_difference : float
        How far two mean ranks must be apart to differ at the level `alpha`, by Nemenyi.
    pair_p : ndarray, shape (k, k)
        Nemenyi's p-value of every pair.
    alpha : float
        The level.
    n_datasets : int
        The number of data sets.
    """

    names: tuple[str, ...]
    mean_ranks: Float
    chi_square: float
    p: float
    f: float
    f_p: float
    critical_difference: float
    pair_p: Float
    alpha: float
    n_datasets: int

    def cliques(self) -> list[list[int]]:
        """Largest groups of methods whose mean ranks lie within the critical difference, best first."""
        order = np.argsort(self.mean_ranks, kind="stable")
        ranks = self.mean_ranks[order]
        ends: list[tuple[int, int]] = []
        for start in range(len(order)):
            end = int(np.searchsorted(ranks, ranks[start] + self.critical_difference, side="right"))
            if end - start > 1 and (not ends or end > ends[-1][1]):
                ends.append((start, end))
        return [order[start:end].tolist() for start, end in ends]


def friedman_nemenyi(scores: Any, names: Sequence[str] | None = None, *, alpha: float = 0.05) -> RankTest:
    """Compare several methods over several data sets by their ranks.

    Parameters
    ----------
    scores : array-like, shape (n, k)
        One row per data set, one column per method; higher is better.
    names : sequence of str, optional
        The methods.
    alpha : float, default=0.05
        The level of the critical difference.

    Returns
    -------
    RankTest
        Mean ranks, Friedman's test and Nemenyi's pairs.

    References
    ----------
    J. Demsar, "Statistical comparisons of classifiers over multiple data sets", Journal of Machine Learning
    Research 7, 2006.

    Examples
    --------
    >>> from tamis.study import friedman_nemenyi
    >>> tested = friedman_nemenyi([[0.9, 0.8, 0.7], [0.8, 0.8, 0.6], [0.7, 0.6, 0.5], [0.9, 0.7, 0.8]])
    >>> tested.mean_ranks.tolist()
    [1.125, 2.125, 2.75]
    >>> round(tested.critical_difference, 3)
    1.657
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] < 2 or np.isnan(table).any():
        raise ValueError(
            f"friedman_nemenyi: scores has the shape {table.shape} and {int(np.isnan(table).sum())} missing values. "
            "Give one number for each of two or more methods on each of two or more data sets."
        )
    n, k = table.shape
    labels = tuple(names) if names is not None else tuple(f"method {i}" for i in range(k))
    if len(labels) != k:
        raise ValueError(f"friedman_nemenyi: {len(labels)} names for {k} methods. Give one name per method.")
    ranks = stats.rankdata(-table, axis=1)
    mean_ranks = ranks.mean(axis=0)
    spread = float(((ranks - (k + 1) / 2) ** 2).sum())  # n k (k^2 - 1) / 12 without ties
    chi_square = (k - 1) * n**2 * float(((mean_ranks - (k + 1) / 2) ** 2).sum()) / spread if spread else 0.0
    rest = n * (k - 1) - chi_square
    f = (n - 1) * chi_square / rest if rest > 0 else np.inf
    unit = np.sqrt(k * (k + 1) / (6 * n))
    distance = np.abs(mean_ranks[:, None] - mean_ranks[None, :]) / unit
    pair_p = np.asarray(stats.studentized_range.sf(distance * np.sqrt(2), k, np.inf))
    np.fill_diagonal(pair_p, 1.0)
    return RankTest(
        names=labels,
        mean_ranks=mean_ranks,
        chi_square=chi_square,
        p=float(stats.chi2.sf(chi_square, k - 1)),
        f=f,
        f_p=float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))),
        critical_difference=float(stats.studentized_range.ppf(1 - alpha, k, np.inf) / np.sqrt(2) * unit),
        pair_p=np.clip(pair_p, 0.0, 1.0),
        alpha=alpha,
        n_datasets=n,
    )
