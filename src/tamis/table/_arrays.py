"""Arrays as callers give them: masked values become missing values; dates and durations are refused."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np

TIMES = (np.datetime64, np.timedelta64, date, timedelta)


def unmasked(given: Any) -> Any:
    """A masked array as a plain one whose masked values are missing; anything else as it is."""
    if not isinstance(given, np.ma.MaskedArray):
        return given
    masked, plain = np.ma.getmaskarray(given), np.asarray(given)
    if not masked.any():
        return plain
    if plain.dtype.kind in "biuf":
        return np.where(masked, np.nan, plain)
    objects = plain.astype(object)
    objects[masked] = None
    return objects


def plain_numbers(who: str, what: str, given: Any) -> Any:
    """As `unmasked`; dates and durations, which NumPy would count as numbers, are refused."""
    given = unmasked(given)
    kind = _kind(given)
    if kind == "M":
        raise ValueError(
            f"{who}: {what} holds dates, which are not numbers. Turn the dates into numbers (a year, a count of days) "
            "or leave them out."
        )
    if kind == "m":
        raise ValueError(
            f"{who}: {what} holds durations, which are not numbers. Divide them by a unit (a day, a second) "
            "or leave them out."
        )
    return given


def _kind(given: Any) -> str | None:
    """NumPy's letter for the kind of a dtype ("M" for dates and "m" for durations, also held as objects), or None."""
    if isinstance(given, list | tuple):
        try:
            given = np.asarray(given)
        except ValueError:  # rows of unequal length: scikit-learn has an error for it
            return None
    if isinstance(given, np.ndarray) and given.dtype.kind == "O":
        for value in given.flat:
            if isinstance(value, TIMES):
                return "m" if isinstance(value, np.timedelta64 | timedelta) else "M"
    kind: str | None = getattr(getattr(given, "dtype", None), "kind", None)
    return kind
