"""How far several Markov chains of the same problem agree, and what their draws are worth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]


def chain_error(values: Float) -> Float:
    """Standard error of the mean over chains and hypotheses, by the variance between the chains of a hypothesis.

    Parameters
    ----------
    values : ndarray, shape (h, c, d)
        One value a hypothesis, chain and column.

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
    """Share of the variance of the chains' means over the columns that is not chance between chains.

    Parameters
    ----------
    values : ndarray, shape (h, c, d)
        One value a hypothesis, chain and column.
    kinds : list of ndarray of bool, shape (c,)
        The chains of each kind; those with two chains or more are averaged.

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
        chance = part.var(axis=1, ddof=1).mean(axis=1) / m
        seen = part.mean(axis=1).var(axis=1, ddof=1)
        shares.append(np.where(seen > chance, 1 - chance / np.where(seen > 0, seen, 1.0), 0.0))
    return np.mean(shares, axis=0) if shares else np.full(len(values), np.nan)


def effective_size(trace: Float) -> float:
    """How many independent draws a trace is worth, by Geyer's initial positive sequence of autocorrelations."""
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
