"""Stability selection by plain loops: Shah and Samworth's bounds, and how often a column is chosen."""

from __future__ import annotations

import math


def worst_case(q, p, tau):
    """Theorem 1 and its corollary: theta q / (2 tau - 1)."""
    return (q / p) * q / (2 * tau - 1) if tau > 0.5 else math.inf


def unimodal(q, p, tau, b):
    """Theorem 2: C(tau, B) theta q for theta of 1 / sqrt(3) at most."""
    theta = q / p
    if theta > 1 / math.sqrt(3):
        return math.inf
    least = min(0.5 + theta**2, 0.5 + 1 / (2 * b) + 0.75 * theta**2)
    if least < tau <= 0.75:
        below = 2 * (2 * tau - 1 - 1 / (2 * b))
        return theta * q / below if below > 0 else math.inf
    if 0.75 < tau <= 1:
        return 4 * (1 - tau + 1 / (2 * b)) / (1 + 1 / b) * theta * q
    return math.inf


def shares(rankings, q):
    """The share of the rankings in which each column is among the first q."""
    d = len(rankings[0])
    return [sum(ranking[j] <= q for ranking in rankings) / len(rankings) for j in range(d)]
