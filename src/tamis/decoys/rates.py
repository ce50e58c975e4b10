"""Which columns beat their decoys, and which may be kept at a false discovery rate (knockoffs+, e-values, e-BH)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
Bools = NDArray[np.bool_]


def contests(scores: Float) -> tuple[Bools, Float]:
    """Whether each column beats all of its decoys, and by how much the best of them all leads.

    Parameters
    ----------
    scores : ndarray, shape (m + 1, d)
        The scores of the columns, and of their m decoys.

    Returns
    -------
    won : ndarray of bool, shape (d,)
        A tie with a decoy is not won.
    leads : ndarray, shape (d,)
        The largest score less the median of the others.
    """
    won = scores[0] > scores[1:].max(axis=0)
    ranked = np.sort(scores, axis=0)
    leads: Float = ranked[-1] - np.median(ranked[:-1], axis=0)
    return won, leads


def threshold(won: Bools, leads: Float, rate: float, n_decoys: int) -> float:
    """The smallest lead at which the estimated false discovery rate is at most `rate`; infinite if there is none.

    Of the columns that say nothing 1 in m + 1 beats its m decoys, whatever its lead: so the columns that lost with a lead of t or more, one
    more for safety, divided by m, are about as many as those of the winners that say nothing (knockoffs+).
    """
    order = np.argsort(-leads, kind="stable")
    ranked = leads[order]
    wins = np.cumsum(won[order])
    losses = np.arange(1, len(order) + 1) - wins
    ends = np.append(ranked[1:] < ranked[:-1], True) & (ranked > 0)
    allowed = ends & ((1 + losses) <= rate * n_decoys * np.maximum(wins, 1) * (1 + 1e-12))
    return float(ranked[allowed][-1]) if allowed.any() else np.inf


def e_values(won: Bools, leads: Float, rate: float, n_decoys: int) -> Float:
    """What each column may be multiplied by: over those that say nothing, the expected values sum to d at most (Ren and Barber)."""
    least = threshold(won, leads, rate, n_decoys)
    lost = int((~won & (leads >= least)).sum())
    values: Float = np.where(won & (leads >= least), len(won) * n_decoys / (1 + lost), 0.0)
    return values


def adjusted(values: Float) -> Float:
    """The smallest rate at which e-BH keeps each column, from its e-value; 1 at most."""
    order = np.argsort(-values, kind="stable")
    ranked = values[order]
    with np.errstate(divide="ignore"):
        rates = len(values) / (np.arange(1, len(values) + 1) * ranked)
    rates = np.minimum.accumulate(rates[::-1])[::-1]
    told = np.empty(len(values))
    told[order] = np.minimum(rates, 1.0)
    return told
