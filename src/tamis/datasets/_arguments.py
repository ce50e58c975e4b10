"""Checks of the generators' arguments, and the source of their random numbers."""

from __future__ import annotations

from math import isfinite
from numbers import Integral

import numpy as np

#: What every generator accepts as `random_state`.
Seed = int | np.integer | np.random.Generator | np.random.RandomState | None


def generator(who: str, random_state: object) -> np.random.Generator:
    """Return the generator that `random_state` stands for.

    An integer seeds a new generator; None seeds one unpredictably. A Generator is used as it is. A RandomState draws the
    seed of a new generator. Both advance.
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(0, 2**32, size=4, dtype=np.uint32))
    if random_state is None:
        return np.random.default_rng()
    if isinstance(random_state, Integral):
        if int(random_state) < 0:
            raise ValueError(
                f"{who}: random_state={random_state}, but a seed is 0 or more. Use such a number."
            )
        return np.random.default_rng(int(random_state))
    raise TypeError(
        f"{who}: random_state is of type {type(random_state).__name__}. "
        "Use an integer, None, a numpy Generator or a numpy RandomState."
    )


def whole(who: str, name: str, value: object, low: int) -> int:
    """Return the value as an int if it is a whole number of at least `low`."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{who}: {name}={value!r} is not a whole number. Use one of {low} or more.")
    if int(value) < low:
        raise ValueError(f"{who}: {name}={value}, but at least {low} is needed. Use {name}={low} or more.")
    return int(value)


def number(who: str, name: str, value: object, high: float) -> float:
    """Return the value as a float if it lies from 0 to `high`."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise TypeError(f"{who}: {name}={value!r} is not a number. Use one from 0 to {high:g}.")
    if not (0 <= float(value) <= high and isfinite(value)):
        raise ValueError(f"{who}: {name}={value}. Use a number from 0 to {high:g}.")
    return float(value)
