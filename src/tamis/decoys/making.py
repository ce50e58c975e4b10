"""From a table to tables of decoys."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tamis.decoys.gaussian import Draws, correlation, distances
from tamis.decoys.latents import Choice, Latents
from tamis.table._table import Table

Float = NDArray[np.float64]

_SWEEPS, _COUNTED = 40, 10  # Gibbs sweeps until the correlations have settled, and those that count
_MORE = 3  # sweeps for each set of decoys


@dataclass(frozen=True)
class Maker:
    """What is needed to draw decoys of a table, as often as wanted."""

    table: Table
    latents: Latents
    scores: Float
    related: Float
    draws: Draws

    @classmethod
    def of(cls, table: Table, n_decoys: int, how: str, random: np.random.RandomState) -> Maker:
        """Learn how the columns of a table are related; none may be constant."""
        latents = Latents.of(table, random)
        scores, related = latents.scores, correlation(latents.scores)
        if latents.open:
            counted = []
            for sweep in range(_SWEEPS):
                scores = latents.redrawn(scores, related, 1, random)
                related = correlation(scores)
                if sweep >= _SWEEPS - _COUNTED:
                    counted.append(related)
            related = np.mean(counted, axis=0)
        return cls(
            table, latents, scores, related, Draws(related, distances(related, n_decoys, how), n_decoys)
        )

    def decoys(self, random: np.random.RandomState) -> Float:
        """Tables of decoys, coded as the table is; shape (n_decoys, n, d). A decoy has the gaps of its original."""
        scores = self.scores
        if self.latents.open:
            scores = self.latents.redrawn(scores, self.related, _MORE, random)
        drawn = self.draws.drawn(scores, random)
        made = np.full((len(drawn), *self.table.values.shape), np.nan)
        choices = {choice.column: choice for choice in self.latents.choices}
        for k, column in enumerate(self.latents.owner):
            if column not in choices:
                made[:, :, column] = _ranked(self.table.values[:, column], drawn[:, :, k])
        for choice in self.latents.choices:
            made[:, :, choice.column] = _chosen(choice, drawn[:, :, choice.latents], random)
        return made


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
