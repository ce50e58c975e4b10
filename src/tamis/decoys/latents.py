"""A table as normal scores: what is known fixes a score, what is tied, nominal or missing leaves it open.

A Gaussian copula: behind every column stands a normal variable (behind a nominal column of K > 2 values K of them, of which the
largest says the value), and the correlations of these variables are all that relates the columns. Or a copula of Student's t: the
variables of a row are multiplied by a scale that all of them share, so that what is far out in one column is so in others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv, ndtr, ndtri, stdtrit

from tamis.table._table import Table

Float = NDArray[np.float64]
Ints = NDArray[np.intp]

MOST_LEVELS = 8  # of a nominal column: the most frequent values, and all others together
_WIDE = 0.02  # the share of tied rows from which their score is open
_SCALE_SHARES = (np.arange(15) + 0.5) / 15
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(61)


@dataclass(frozen=True)
class Choice:
    """A nominal column of more than two values: the largest of several scores says which.

    Attributes
    ----------
    column : int
        The column.
    latents : slice
        Its scores.
    chosen : ndarray of int, shape (n,)
        The level of each row, counted from 0; -1 for a missing value.
    offsets : ndarray, shape (K,)
        What is added to the scores, so that independent ones choose every level as often as it occurs.
    codes : list of ndarray
        The codes of the rows of every level.
    """

    column: int
    latents: slice
    chosen: Ints
    offsets: Float
    codes: list[Float]


@dataclass(frozen=True)
class Latents:
    """Normal scores of a table, with the interval of each.

    Attributes
    ----------
    scores : ndarray, shape (n, p)
        One possible set of scores.
    low, high : ndarray, shape (n, p)
        Between which the scores lie; equal where a score is fixed. Those of choices are not used.
    owner : ndarray of int, shape (p,)
        The column of each score.
    choices : list of Choice
        The nominal columns of more than two values.
    degrees : float
        The degrees of freedom of the scores: infinite for normal ones.
    """

    scores: Float
    low: Float
    high: Float
    owner: Ints
    choices: list[Choice]
    degrees: float = np.inf

    @classmethod
    def of(cls, table: Table, random: np.random.RandomState, degrees: float = np.inf) -> Latents:
        """Read a table of columns that are not constant."""
        parts: list[Float] = []
        owner: list[int] = []
        choices: list[Choice] = []
        for column in range(table.n_columns):
            values = np.ascontiguousarray(table.values[:, column])
            levels = np.unique(values[~np.isnan(values)])
            if table.nominal[column] and len(levels) > 2:
                choice = _choice(column, values, len(owner), degrees)
                choices.append(choice)
                width = len(choice.offsets)
                parts.append(np.tile([[-np.inf], [np.inf]], (len(values), 1, width)))
                owner += [column] * width
            else:
                parts.append(np.stack(_interval(values, degrees), axis=1)[:, :, None])
                owner.append(column)
        low, high = np.concatenate(parts, axis=2).transpose(1, 0, 2)
        scores = _between(low, high, np.zeros(low.shape), 1.0, random)
        for choice in choices:  # the largest of the draws goes to the chosen level
            block = scores[:, choice.latents] + choice.offsets
            rows = np.flatnonzero(choice.chosen >= 0)
            best, chosen = block[rows].argmax(axis=1), choice.chosen[rows]
            largest = block[rows, best]
            block[rows, best] = block[rows, chosen]
            block[rows, chosen] = largest
            scores[:, choice.latents] = block - choice.offsets
        return cls(
            scores, np.ascontiguousarray(low), np.ascontiguousarray(high), np.array(owner), choices, degrees
        )

    @property
    def open(self) -> list[tuple[int, Ints]]:
        """The scores of which some are open, and their rows."""
        rows = [np.flatnonzero(self.low[:, k] < self.high[:, k]) for k in range(len(self.owner))]
        return [(k, some) for k, some in enumerate(rows) if len(some)]

    def scales(self, scores: Float, correlation: Float, random: np.random.RandomState) -> Float:
        """A draw of the scale of each row, given its scores; 1 for normal ones; shape (n, 1)."""
        if np.isinf(self.degrees):
            return np.ones((len(scores), 1))
        shape = (self.degrees + scores.shape[1]) / 2
        total = (self.degrees + lengths(scores, correlation)) / 2
        drawn: Float = np.sqrt(total / random.gamma(shape, size=len(scores)))[:, None]
        return drawn

    def evened(self, scores: Float, correlation: Float) -> Float:
        """The scores over the expected scales of their rows."""
        if np.isinf(self.degrees):
            return scores
        weights = (self.degrees + scores.shape[1]) / (self.degrees + lengths(scores, correlation))
        told: Float = scores * np.sqrt(weights)[:, None]
        return told

    def redrawn(
        self, scores: Float, correlation: Float, n_sweeps: int, random: np.random.RandomState
    ) -> Float:
        """The scores after so many Gibbs sweeps over the open ones; shape (n, p)."""
        scores = scores.copy()
        precision = np.linalg.inv(correlation)
        of_latent = {
            k: choice for choice in self.choices for k in range(choice.latents.start, choice.latents.stop)
        }
        open_ = self.open
        for _ in range(n_sweeps):
            scales = self.scales(scores, correlation, random)[:, 0]
            for k, rows in open_:
                weights = -precision[k] / precision[k, k]
                weights[k] = 0.0
                mean = (scores @ weights)[rows]
                low, high = self.low[rows, k], self.high[rows, k]
                if k in of_latent:
                    low, high = _choice_bounds(of_latent[k], scores, k)
                scores[rows, k] = _between(low, high, mean, scales[rows] * precision[k, k] ** -0.5, random)
        return scores


def lengths(scores: Float, correlation: Float) -> Float:
    """The squared length of each row, by the inverse of the correlations; shape (n,)."""
    told: Float = np.einsum("ij,ij->i", scores @ np.linalg.inv(correlation), scores)
    return told


def quantiles(shares: Float, degrees: float) -> Float:
    """The values below which these shares of Student's t lie; of a normal variable for infinite degrees."""
    if np.isinf(degrees):
        normal: Float = ndtri(shares)
        return normal
    told: Float = stdtrit(degrees, shares)
    return np.where(shares <= 0, -np.inf, np.where(shares >= 1, np.inf, told))


def _choice(column: int, values: Float, first: int, degrees: float) -> Choice:
    """Read a nominal column: its most frequent values are levels of their own, and all others together one."""
    known = ~np.isnan(values)
    codes, counts = np.unique(values[known], return_counts=True)
    ranked = codes[np.lexsort((codes, -counts))]
    own = ranked if len(ranked) <= MOST_LEVELS else ranked[: MOST_LEVELS - 1]
    n_levels = min(len(ranked), MOST_LEVELS)
    chosen = np.full(len(values), -1)
    chosen[known] = n_levels - 1
    for level, code in enumerate(own):
        chosen[values == code] = level
    groups = [values[chosen == level] for level in range(n_levels)]
    shares = np.array([len(group) for group in groups]) / known.sum()
    return Choice(column, slice(first, first + n_levels), chosen, _offsets(shares, degrees), groups)


def _offsets(shares: Float, degrees: float) -> Float:
    """What to add to independent scores so that the largest is of each level as often as `shares` say."""
    offsets, every = np.zeros(len(shares)), np.arange(len(shares))
    scales = np.ones(1)
    if np.isfinite(degrees):
        scales = np.sqrt(degrees / 2 / gammaincinv(degrees / 2, _SCALE_SHARES))
    for _ in range(100):
        apart = (offsets[:, None] - offsets) / scales[:, None, None]
        below = ndtr(_NODES[:, None, None, None] + apart)  # (nodes, scales, level, other)
        below[:, :, every, every] = 1.0
        told = _WEIGHTS @ below.prod(axis=3).mean(axis=1) / _WEIGHTS.sum()
        offsets += 0.7 * np.log(shares / np.maximum(told, 1e-12))
        offsets -= offsets.mean()
    return offsets


def _interval(values: Float, degrees: float) -> tuple[Float, Float]:
    """The ends of the scores of a numeric column; equal where few rows are tied."""
    known = ~np.isnan(values)
    _, inverse, counts = np.unique(values[known], return_inverse=True, return_counts=True)
    n, ends = int(known.sum()), np.cumsum(counts)
    below, through = (ends - counts) / n, ends / n
    middle = quantiles((below + through) / 2, degrees)
    fixed = counts <= max(1.0, _WIDE * n)
    low, high = np.full(len(values), -np.inf), np.full(len(values), np.inf)
    low[known] = np.where(fixed, middle, quantiles(below, degrees))[inverse]
    high[known] = np.where(fixed, middle, quantiles(through, degrees))[inverse]
    return low, high


def _choice_bounds(choice: Choice, scores: Float, latent: int) -> tuple[Float, Float]:
    """Between which the score of one level lies, given those of the others: the chosen one is the largest."""
    level = latent - choice.latents.start
    block = scores[:, choice.latents] + choice.offsets
    others = np.delete(block, level, axis=1).max(axis=1) - choice.offsets[level]
    top = block[np.arange(len(block)), np.maximum(choice.chosen, 0)] - choice.offsets[level]
    low = np.where(choice.chosen == level, others, -np.inf)
    high = np.where((choice.chosen != level) & (choice.chosen >= 0), top, np.inf)
    return low, high


def _between(low: Float, high: Float, mean: Any, deviation: Any, random: np.random.RandomState) -> Float:
    """Normal draws between two ends."""
    share = random.uniform(size=low.shape)
    below, through = ndtr((low - mean) / deviation), ndtr((high - mean) / deviation)
    inside = np.clip(below + share * (through - below), 1e-12, 1 - 1e-12)
    drawn: Float = np.clip(mean + deviation * ndtri(inside), low, high)
    return drawn
