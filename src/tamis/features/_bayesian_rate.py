"""How many columns may be kept at a rate, from the probabilities that they matter."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]


def n_at_rate(probabilities: Float, rate: float) -> int:
    """The most columns, by falling probability, whose mean probability not to matter is at most `rate`; perhaps none."""
    ranked = -np.sort(-probabilities)
    means = np.cumsum(1 - ranked) / np.arange(1, len(ranked) + 1)
    return int((means <= rate + 1e-12).sum())
