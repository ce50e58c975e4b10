"""Stability of a selection: how similar the kept columns are when the rows change a little."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

Float = NDArray[np.float64]


@dataclass(frozen=True)
class Stability:
    """Nogueira's index with its confidence interval.

    Parameters
    ----------
    index : float
        1 if all selections are the same, about 0 if columns are drawn at random; NaN if it is not defined: a single
        selection, or selections that all keep everything or nothing.
    low, high : float
        Ends of the confidence interval, limited to 1.
    frequency : ndarray, shape (d,)
        The share of the selections that keep each column.
    """

    index: float
    low: float
    high: float
    frequency: Float


def stability(selected: Any, *, level: float = 0.95) -> Stability:
    """Measure how similar several selections of columns are.

    Parameters
    ----------
    selected : array-like of bool, shape (m, d)
        One selection per row: which of the d columns it keeps.
    level : float, default=0.95
        The level of the confidence interval.

    Returns
    -------
    Stability
        The index, its interval, and how often each column is kept.

    Notes
    -----
    The index is corrected for chance and allows selections of different sizes (definition 4 of the reference; the interval
    is its corollary 9). The interval assumes independent selections. Folds share most of their rows, so it is narrower
    than it should be, and the index is the one to expect for samples that overlap as much.

    References
    ----------
    S. Nogueira, K. Sechidis and G. Brown, "On the stability of feature selection algorithms", Journal of Machine
    Learning Research 18(174), 2018.

    Examples
    --------
    >>> from tamis.study import stability
    >>> judged = stability([[True, True, False, False], [True, True, False, False], [True, False, True, False]])
    >>> round(judged.index, 3)
    0.333
    >>> judged.frequency.round(2).tolist()
    [1.0, 0.67, 0.33, 0.0]
    """
    chosen = np.asarray(selected, dtype=np.float64)
    if chosen.ndim != 2 or not np.isin(chosen, (0.0, 1.0)).all():
        raise ValueError(
            f"stability: selected has the shape {chosen.shape}. Give one row of True and False per selection."
        )
    if not 0 < level < 1:
        raise ValueError(f"stability: level={level}, but it must lie between 0 and 1.")
    m, d = chosen.shape
    frequency = chosen.mean(axis=0) if m else np.zeros(d)
    share = float(frequency.mean()) if d else 0.0  # mean size over d
    chance = share * (1 - share)
    if m < 2 or chance == 0:
        return Stability(np.nan, np.nan, np.nan, frequency)
    index = 1 - m / (m - 1) * float(np.mean(frequency * (1 - frequency))) / chance
    sizes = chosen.mean(axis=1)  # each over d
    parts = (
        chosen @ frequency / d - sizes * share + index / 2 * (2 * share * sizes - sizes - share + 1)
    ) / chance
    error = 2 / m * float(np.sqrt(np.sum((parts - parts.mean()) ** 2)))
    reach = float(norm.ppf((1 + level) / 2)) * error
    return Stability(index, index - reach, min(1.0, index + reach), frequency)
