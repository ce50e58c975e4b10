"""Figures that stand below each other, on the screen and on a page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

_SMALL = 1e-6  # a column of smaller fractions is left as it is


def even_decimals(column: Sequence[Any]) -> list[Any]:
    """The fractions of a column with the same number of decimals, so that they compare at a glance; three digits of the largest."""
    fractions = [abs(value) for value in column if isinstance(value, float) and math.isfinite(value)]
    if not fractions or not any(value % 1 for value in fractions):
        return list(column)
    largest = max(fractions)
    if largest >= 10**5 or largest < _SMALL:
        return list(column)  # to be written with few digits, or an exponent
    digits = 1 if largest >= 100 else 2 if largest >= 10 else max(3, 2 - math.floor(math.log10(largest)))
    return [
        f"{round(value, digits) + 0.0:.{digits}f}"  # what rounds to 0 has no sign
        if isinstance(value, float) and math.isfinite(value)
        else value
        for value in column
    ]
