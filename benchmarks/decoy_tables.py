"""Tables for benchmarks/decoys.py, in which it is known which columns say something of the classes given all others.

The classes are drawn from what stands in the table: from the category that is seen, and from nothing where a value is missing. So no other
column can make up for what a cut or a gap has hidden, and a column that is not named as relevant says nothing beyond the relevant ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

BLOCK = 5  # columns that are correlated with each other
STRENGTH = {"linear": 3.0, "squares": 4.0, "pairs": 6.0, "nothing": 0.0}


@dataclass(frozen=True)
class Cell:
    """One kind of table."""

    table: str
    rho: float
    signal: str
    n: int = 600
    d: int = 50
    k: int = 10

    @property
    def name(self) -> str:
        """What stands in the results."""
        return f"{self.table} {self.rho:g} {self.signal} {self.n} x {self.d}"


def drawn(cell: Cell, seed: int):
    """X with NaN and codes, which columns are nominal, y, and which columns are relevant."""
    random = np.random.default_rng([seed, sum(map(ord, cell.name))])
    n, d = cell.n, cell.d
    common = np.repeat(random.normal(size=(n, -(-d // BLOCK))), BLOCK, axis=1)[:, :d]
    X = np.sqrt(cell.rho) * common + np.sqrt(1 - cell.rho) * random.normal(size=(n, d))
    nominal = np.zeros(d, dtype=bool)
    if cell.table == "heavy":  # t with 3 degrees of freedom: rows far out are so in all columns
        X /= np.sqrt(random.chisquare(3, size=(n, 1)) / 3)
    if cell.table == "curved":  # every fifth column is a square of the one before it, with noise
        X[:, 4::5] = X[:, 3::5] ** 2 + random.normal(size=X[:, 4::5].shape)
    if cell.table == "mixed":
        nominal = random.random(d) < 0.5
        for j in np.flatnonzero(nominal):
            n_levels = int(random.integers(2, 6))
            cuts = np.quantile(X[:, j], np.sort(random.uniform(0.1, 0.9, n_levels - 1)))
            X[:, j] = random.permutation(n_levels)[np.searchsorted(cuts, X[:, j])]
    if cell.table == "missing":
        X[random.random(X.shape) < 0.15] = np.nan
    relevant = np.zeros(d, dtype=bool)
    if cell.signal != "nothing":
        relevant[random.choice(d, cell.k, replace=False)] = True
    effect = _effect(X, nominal, np.flatnonzero(relevant), cell.signal, random)
    chance = 1 / (1 + np.exp(-STRENGTH[cell.signal] * (effect - np.median(effect))))
    return X, nominal, (random.random(n) < chance).astype(int), relevant


def _effect(X, nominal, columns, signal, random):
    """What the relevant columns say, with mean 0 and variance 1."""
    seen = [_seen(X[:, j], nominal[j], signal, random) for j in random.permutation(columns)]
    if signal == "pairs":
        seen = [one * other for one, other in zip(seen[::2], seen[1::2])]
    if not seen:
        return np.zeros(len(X))
    total = np.sum([random.choice([-1, 1]) * one for one in seen], axis=0)
    return (total - total.mean()) / total.std()


def _seen(column, nominal, signal, random):
    """One column as the classes see it: normal scores or their squares, or an effect for each category; 0 for a gap."""
    known = ~np.isnan(column)
    if nominal:
        levels, inverse = np.unique(column, return_inverse=True)
        values = random.permutation(np.linspace(-1, 1, len(levels)))[inverse]
    else:
        values = np.zeros(len(column))
        values[known] = ndtri((rankdata(column[known]) - 0.5) / known.sum())
        if signal == "squares":
            values = np.where(known, values**2 - 1, 0.0)
    values = np.where(known, values - values[known].mean(), 0.0)
    return values / values.std()
