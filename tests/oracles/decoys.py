"""Verdicts on columns against decoys, and decoys of normal variables, by plain loops and by the joint distribution."""

from __future__ import annotations

import numpy as np


def contest(own, decoys):
    """Whether a column beats all of its decoys, and the lead of the best of them all over the median of the others."""
    everyone = sorted([own, *decoys])
    others = everyone[:-1]
    half = len(others) // 2
    middle = others[half] if len(others) % 2 else (others[half - 1] + others[half]) / 2
    return all(own > decoy for decoy in decoys), everyone[-1] - middle


def threshold(won, leads, rate, m):
    """The smallest lead t at which (1 + losers) / m is at most `rate` times the winners, both with a lead of t or more."""
    for t in sorted({lead for lead in leads if lead > 0}):
        winners = sum(1 for w, lead in zip(won, leads) if w and lead >= t)
        losers = sum(1 for w, lead in zip(won, leads) if not w and lead >= t)
        if (1 + losers) / m <= rate * max(winners, 1) * (1 + 1e-12):
            return t
    return float("inf")


def kept_by_threshold(won, leads, rate, m):
    """The columns that win by the threshold or more."""
    t = threshold(won, leads, rate, m)
    return {j for j, (w, lead) in enumerate(zip(won, leads)) if w and lead >= t}


def e_values(won, leads, rate, m):
    """d m / (1 + losers) for the columns that are kept, 0 for others."""
    t = threshold(won, leads, rate, m)
    losers = sum(1 for w, lead in zip(won, leads) if not w and lead >= t)
    kept = kept_by_threshold(won, leads, rate, m)
    return [len(won) * m / (1 + losers) if j in kept else 0.0 for j in range(len(won))]


def kept_by_e_values(values, rate):
    """e-BH: the largest k such that k columns have an e-value of d / (rate k) or more."""
    d = len(values)
    kept = set()
    for k in range(1, d + 1):
        enough = {j for j, e in enumerate(values) if e * (1 + 1e-12) >= d / (rate * k)}
        if len(enough) >= k:
            kept = enough
    return kept


def joint(related, s, m):
    """The correlations of the variables and m decoys of each: R between different ones, R - S between a variable and its decoy."""
    apart = related - (np.diag(s) if np.ndim(s) == 1 else s)
    blocks = [[related if a == b else apart for b in range(m + 1)] for a in range(m + 1)]
    return np.block(blocks)


def conditional(related, s, m):
    """What the decoys are given the variables: the matrix of their means, shape (p, m p), and their covariances."""
    whole, p = joint(related, s, m), len(related)
    own, cross, rest = whole[:p, :p], whole[:p, p:], whole[p:, p:]
    pull = np.linalg.inv(own) @ cross
    return pull, rest - cross.T @ pull


def trace_of_inverse(related, s, m):
    """What the minimum-variance choice makes small."""
    return np.trace(np.linalg.inv(joint(related, s, m)))


def differences(own, one, other):
    """For all columns f of `own` and g of `one`: the mean of f (g - g'), g' of `other`, over its standard error."""
    n, d = own.shape
    told = np.zeros((d, d))
    for f in range(d):
        for g in range(d):
            products = [own[i, f] * (one[i, g] - other[i, g]) for i in range(n)]
            mean = sum(products) / n
            variance = sum((product - mean) ** 2 for product in products) / n
            if variance > 1e-18 * n:
                told[f, g] = mean / (variance / n) ** 0.5
    return told
