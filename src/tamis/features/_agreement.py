"""How well several Markov chains of the same problem agree, and how many independent draws they are worth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]


def chain_error(values: Float) -> Float:
    """Return the standard error of the mean over chains and hypotheses, from the variance between chains.

    Parameters
    ----------
    values : ndarray, shape (h, c, d)
        One value per hypothesis, chain and column.

    Returns
    -------
    ndarray, shape (d,)
        NaN where there is a single chain.
    """
    n_hypotheses, n_chains, n_columns = values.shape
    if n_chains < 2:
        return np.full(n_columns, np.nan)
    error: Float = np.sqrt(values.var(axis=1, ddof=1).sum(axis=0) / n_chains) / n_hypotheses
    return error


def reliability(values: Float, kinds: list[NDArray[np.bool_]]) -> Float:
    """Return the fraction of the variance over the columns that is not random variation between chains.

    Parameters
    ----------
    values : ndarray, shape (h, c, d)
        One value per hypothesis, chain and column.
    kinds : list of ndarray of bool, shape (c,)
        Masks of the chains of each kind; the kinds with at least two chains are averaged.

    Returns
    -------
    ndarray, shape (h,)
        From 0 to 1; NaN where no kind has two chains, 1 where there are fewer than two columns to order.
    """
    shares = []
    for kind in kinds:
        m = int(kind.sum())
        if m < 2:
            continue
        part = values[:, kind]
        if part.shape[2] < 2:
            shares.append(np.ones(len(part)))
            continue
        between_chains = part.var(axis=1, ddof=1).mean(axis=1) / m
        over_columns = part.mean(axis=1).var(axis=1, ddof=1)
        ratio = between_chains / np.where(over_columns > 0, over_columns, 1.0)
        shares.append(np.where(over_columns > between_chains, 1 - ratio, 0.0))
    return np.mean(shares, axis=0) if shares else np.full(len(values), np.nan)


def effective_size(trace: Float) -> float:
    """Return how many independent draws a trace is worth, by Geyer's initial positive sequence of autocorrelations."""
    n = len(trace)
    centred = trace - trace.mean()
    variance = float(centred @ centred)
    if n < 4 or variance <= 0:
        return float(n)
    correlation = np.correlate(centred, centred, "full")[n - 1 :] / variance
    total = 1.0
    for lag in range(1, n - 1, 2):
        pair = float(correlation[lag] + correlation[lag + 1])
        if pair <= 0:
            break
        total += 2 * pair
    return n / total
