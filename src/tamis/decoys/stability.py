"""How many columns may be chosen on half of the rows, and how often a column must be, so that few are kept by chance."""

from __future__ import annotations

import numpy as np

LARGEST_SHARE = 3**-0.5  # of the columns that may be chosen, for the unimodal bound


def false_bound(n_chosen: int, n_columns: int, threshold: float, n_pairs: int, how: str) -> float:
    """The largest expected number of falsely kept columns; infinite where the bound says nothing.

    Parameters
    ----------
    n_chosen, n_columns : int
        How many columns are chosen on each half, q, of how many, p.
    threshold : float
        The share of the halves, tau, in which a kept column is chosen.
    n_pairs : int
        The number of pairs of halves, B.
    how : {"worst_case", "unimodal"}
        q^2 / ((2 tau - 1) p), Meinshausen and Buehlmann's and Shah and Samworth's Theorem 1; or their Theorem 2, for which the law of
        the simultaneous choices of a column must have one peak.
    """
    share = n_chosen / n_columns
    if threshold <= 0.5:
        return np.inf
    if how == "worst_case":
        return share * n_chosen / (2 * threshold - 1)
    half = 1 / (2 * n_pairs)
    if share > LARGEST_SHARE or threshold <= min(0.5 + share**2, 0.5 + half + 0.75 * share**2):
        return np.inf
    if threshold > 0.75:
        factor = 4 * (1 - threshold + half) / (1 + 2 * half)
    elif 2 * threshold - 1 - half > 0:
        factor = 1 / (2 * (2 * threshold - 1 - half))
    else:
        return np.inf
    return factor * share * n_chosen


def plan(
    n_columns: int, threshold: float, n_pairs: int, expected_false: float, how: str
) -> tuple[int, float]:
    """How many columns to choose on each half, and in which share of the halves a kept one is chosen.

    As many as the bound allows at the threshold, and at least one. Where even one is too many, the threshold rises until the bound
    is met, in steps of one half; it is infinite where it never is.
    """
    n_halves = 2 * n_pairs
    times = int(np.ceil(threshold * n_halves - 1e-9))
    n_chosen = 1
    while n_chosen < n_columns and (
        false_bound(n_chosen + 1, n_columns, times / n_halves, n_pairs, how) <= expected_false
    ):
        n_chosen += 1
    return n_chosen, least_share(n_chosen, n_columns, threshold, n_pairs, expected_false, how)


def least_share(
    n_chosen: int, n_columns: int, threshold: float, n_pairs: int, expected_false: float, how: str
) -> float:
    """The lowest share of the halves, from the threshold on, at which the bound is met; infinite where it never is."""
    n_halves = 2 * n_pairs
    for times in range(int(np.ceil(threshold * n_halves - 1e-9)), n_halves + 1):
        if false_bound(n_chosen, n_columns, times / n_halves, n_pairs, how) <= expected_false:
            return times / n_halves
    return np.inf


def halves(strata: np.ndarray, random: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    """Two sets of as many rows without a row in common, each with half of every stratum, but for one row; ascending."""
    shuffled = random.permutation(len(strata))
    dealt = shuffled[np.argsort(strata[shuffled], kind="stable")]
    size = len(strata) // 2
    return np.sort(dealt[0 : 2 * size : 2]), np.sort(dealt[1 : 2 * size : 2])
