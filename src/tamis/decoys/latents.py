"""A table as normal scores: what is known fixes a score, what is tied, nominal or missing leaves it open.

A Gaussian copula: behind every column stands a normal variable (behind a nominal column of K > 2 values K of them, of which the
largest says the value), and the correlations of these variables are all that relates the columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from tamis.table._table import Table

Float = NDArray[np.float64]
Ints = NDArray[np.intp]

MOST_LEVELS = 8  # of a nominal column: the most frequent values, and all others together
_WIDE = 0.02  # the share of tied rows from which their score is open
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
    """

    scores: Float
    low: Float
    high: Float
    owner: Ints
    choices: list[Choice]

    @classmethod
    def of(cls, table: Table, random: np.random.RandomState) -> Latents:
        """Read a table of columns that are not constant."""
        parts: list[Float] = []
        owner: list[int] = []
        choices: list[Choice] = []
        for column in range(table.n_columns):
            values = np.ascontiguousarray(table.values[:, column])
            levels = np.unique(values[~np.isnan(values)])
            if table.nominal[column] and len(levels) > 2:
                choice = _choice(column, values, len(owner))
                choices.append(choice)
                width = len(choice.offsets)
                parts.append(np.tile([[-np.inf], [np.inf]], (len(values), 1, width)))
                owner += [column] * width
            else:
                parts.append(np.stack(_interval(values), axis=1)[:, :, None])
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
        return cls(scores, np.ascontiguousarray(low), np.ascontiguousarray(high), np.array(owner), choices)

    @property
    def open(self) -> list[tuple[int, Ints]]:
        """The scores of which some are open, and their rows."""
        rows = [np.flatnonzero(self.low[:, k] < self.high[:, k]) for k in range(len(self.owner))]
        return [(k, some) for k, some in enumerate(rows) if len(some)]

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
            for k, rows in open_:
                weights = -precision[k] / precision[k, k]
                weights[k] = 0.0
                mean = (scores @ weights)[rows]
                low, high = self.low[rows, k], self.high[rows, k]
                if k in of_latent:
                    low, high = _choice_bounds(of_latent[k], scores, k)
                scores[rows, k] = _between(low, high, mean, precision[k, k] ** -0.5, random)
        return scores


def _choice(column: int, values: Float, first: int) -> Choice:
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
    return Choice(column, slice(first, first + n_levels), chosen, _offsets(shares), groups)


def _offsets(shares: Float) -> Float:
    """What to add to independent normal scores so that the largest is of each level as often as `shares` say."""
    offsets = np.zeros(len(shares))
    for _ in range(100):
        below = ndtr(_NODES[:, None, None] + offsets[:, None] - offsets)  # (nodes, level, other)
        below[:, np.arange(len(shares)), np.arange(len(shares))] = 1.0
        told = _WEIGHTS @ below.prod(axis=2) / _WEIGHTS.sum()
        offsets += 0.7 * np.log(shares / np.maximum(told, 1e-12))
        offsets -= offsets.mean()
    return offsets


def _interval(values: Float) -> tuple[Float, Float]:
    """The ends of the scores of a numeric column; equal where few rows are tied."""
    known = ~np.isnan(values)
    _, inverse, counts = np.unique(values[known], return_inverse=True, return_counts=True)
    n, ends = int(known.sum()), np.cumsum(counts)
    below, through = (ends - counts) / n, ends / n
    middle = ndtri((below + through) / 2)
    fixed = counts <= max(1.0, _WIDE * n)
    low, high = np.full(len(values), -np.inf), np.full(len(values), np.inf)
    low[known] = np.where(fixed, middle, ndtri(below))[inverse]
    high[known] = np.where(fixed, middle, ndtri(through))[inverse]
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


def _between(low: Float, high: Float, mean: Any, deviation: float, random: np.random.RandomState) -> Float:
    """Normal draws between two ends."""
    share = random.uniform(size=low.shape)
    below, through = ndtr((low - mean) / deviation), ndtr((high - mean) / deviation)
    inside = np.clip(below + share * (through - below), 1e-12, 1 - 1e-12)
    drawn: Float = np.clip(mean + deviation * ndtri(inside), low, high)
    return drawn
