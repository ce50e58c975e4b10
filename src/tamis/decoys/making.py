"""From a table to tables of decoys."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, ndtr

from tamis.decoys.gaussian import Draws, correlation
from tamis.decoys.latents import Choice, Latents, lengths, quantiles
from tamis.table._table import Table

Float = NDArray[np.float64]

_SWEEPS, _COUNTED = 40, 10  # Gibbs sweeps until the correlations have settled, and those that count
_MORE = 3  # sweeps for each set of decoys
_DEGREES = (20.0, 10.0, 6.0, 4.0, 3.0)  # of freedom that are tried
_GAIN = 5.0  # of log-likelihood, before rows have scales
_MOST_SEEN = 100


@dataclass(frozen=True)
class Maker:
    """What is needed to draw decoys of a table, as often as wanted."""

    table: Table
    latents: Latents
    scores: Float
    related: Float
    draws: Draws

    @classmethod
    def of(
        cls,
        table: Table,
        n_decoys: int,
        how: str,
        random: np.random.RandomState,
        groups: NDArray[np.intp] | None = None,
    ) -> Maker:
        """Learn how the columns of a table are related; none may be constant. Those of one group share a verdict."""
        latents = Latents.of(table, random)
        scores, related = _settled(latents, random)
        known = np.flatnonzero((latents.low == latents.high).mean(axis=0) > 0.5)
        degrees = fitting_degrees(scores[:, known], related[np.ix_(known, known)])
        if np.isfinite(degrees):
            latents = Latents.of(table, random, degrees)
            scores, related = _settled(latents, random)
        group = np.arange(table.n_columns) if groups is None else groups
        draws = Draws(related, n_decoys, how, group[latents.owner])
        return cls(table, latents, scores, related, draws)

    def decoys(self, random: np.random.RandomState) -> Float:
        """Tables of decoys, coded as the table is; shape (n_decoys, n, d). A decoy has the gaps of its original."""
        scores = self.scores
        if self.latents.open:
            scores = self.latents.redrawn(scores, self.related, _MORE, random)
        scales = self.latents.scales(scores, self.related, random)
        drawn = self.draws.drawn(scores / scales, random) * scales
        made = np.full((len(drawn), *self.table.values.shape), np.nan)
        choices = {choice.column: choice for choice in self.latents.choices}
        for k, column in enumerate(self.latents.owner):
            if column not in choices:
                made[:, :, column] = _ranked(self.table.values[:, column], drawn[:, :, k])
        for choice in self.latents.choices:
            made[:, :, choice.column] = _chosen(choice, drawn[:, :, choice.latents], random)
        return made


def _settled(latents: Latents, random: np.random.RandomState) -> tuple[Float, Float]:
    """Scores, the open ones drawn, and their correlations."""
    scores, related = latents.scores, correlation(latents.scores)
    counted = []
    sweeps = _SWEEPS if latents.open or np.isfinite(latents.degrees) else 0
    for sweep in range(sweeps):
        scores = latents.redrawn(scores, related, 1, random)
        related = correlation(latents.evened(scores, related))
        if sweep >= sweeps - _COUNTED:
            counted.append(related)
    return scores, np.mean(counted, axis=0) if counted else related


def fitting_degrees(scores: Float, related: Float) -> float:
    """The degrees of freedom of the copula of Student's t that makes normal scores most likely; infinite: a Gaussian copula does.

    The correlations are taken as they are, and at most 100 variables are looked at.
    """
    if len(related) < 2:
        return np.inf
    some = np.unique(np.linspace(0, len(related) - 1, _MOST_SEEN).astype(int))
    seen, within = scores[:, some], related[np.ix_(some, some)]
    n, p = seen.shape
    normal = -0.5 * float((lengths(seen, within) - (seen**2).sum(axis=1)).sum())
    best, most = np.inf, normal + _GAIN
    shares = np.clip(ndtr(seen), 1e-12, 1 - 1e-12)
    for degrees in _DEGREES:
        told = quantiles(shares, degrees)
        joint = gammaln((degrees + p) / 2) - gammaln(degrees / 2) - p / 2 * np.log(degrees)
        alone = gammaln((degrees + 1) / 2) - gammaln(degrees / 2) - 0.5 * np.log(degrees)
        likelihood = n * (joint - p * alone)
        likelihood -= (degrees + p) / 2 * float(np.log1p(lengths(told, within) / degrees).sum())
        likelihood += (degrees + 1) / 2 * float(np.log1p(told**2 / degrees).sum())
        if likelihood > most:
            best, most = degrees, likelihood
    return best


def _ranked(values: Float, scores: Float) -> Float:
    """The known values of a column in the order of some scores; shape (m, n)."""
    known = np.flatnonzero(~np.isnan(values))
    made = np.full(scores.shape, np.nan)
    order = known[np.argsort(scores[:, known], axis=1, kind="stable")]
    np.put_along_axis(made, order, np.broadcast_to(np.sort(values[known]), order.shape), axis=1)
    return made


def _chosen(choice: Choice, scores: Float, random: np.random.RandomState) -> Float:
    """The value with the largest score; of values that share a level, any; shape (m, n)."""
    level = (scores + choice.offsets).argmax(axis=2)
    made = np.full(level.shape, np.nan)
    for number, codes in enumerate(choice.codes):
        here = level == number
        made[here] = codes[random.randint(len(codes), size=int(here.sum()))]
    made[:, choice.chosen < 0] = np.nan
    return made
