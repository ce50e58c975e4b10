"""Some rows of a large table: of every class its share, or by chance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tamis.table._table import Numbers, Target


def drawn_by_class(target: Target, n_rows: int, random: np.random.RandomState) -> NDArray[np.intp]:
    """So many rows drawn at random, ascending: of every class its share, and two at least where it has two."""
    shuffled = random.permutation(len(target.codes))
    by_class = shuffled[np.argsort(target.codes[shuffled], kind="stable")]
    place = np.concatenate([np.arange(count) for count in target.counts()])  # within the class
    early = (place + 0.5) / target.counts()[target.codes[by_class]]
    early[place < 2] = -1.0
    drawn: NDArray[np.intp] = np.sort(by_class[np.argsort(early, kind="stable")[:n_rows]])
    return drawn


def drawn_of_numbers(target: Numbers, n_rows: int, random: np.random.RandomState) -> NDArray[np.intp]:
    """So many rows drawn at random, ascending, at least two; among them one of another number than the first drawn."""
    shuffled = random.permutation(len(target.values))
    other = int(np.argmax(target.values[shuffled] != target.values[shuffled[0]]))
    shuffled[[1, other]] = shuffled[[other, 1]]
    drawn: NDArray[np.intp] = np.sort(shuffled[: max(2, n_rows)])
    return drawn
