"""The kinds of numbers that parameters are, for the tables of constraints of the estimators.

scikit-learn's intervals take True for 1, and whole numbers of any length. These do not: a truth value is not a number, and a
number must be one that the machine can count with.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import joblib
import numpy as np
from sklearn.utils._param_validation import Interval

MOST = 2**31 - 1
LARGEST = int(np.finfo(np.float64).max)


class _Number(Interval):  # type: ignore[misc]
    """An interval without truth values, and without whole numbers that no float can hold."""

    def is_satisfied_by(self, val: Any) -> bool:
        if isinstance(val, bool | np.bool_):
            return False
        if self.type is Real and isinstance(val, Integral) and abs(int(val)) > LARGEST:
            return False
        return bool(super().is_satisfied_by(val))


def whole(least: int, most: int | None = MOST) -> Interval:
    """Whole numbers from `least` on, up to `most`; None for all, where Python alone counts with them."""
    return _Number(Integral, least, most, closed="left" if most is None else "both")


def number(least: float, most: float | None, *, closed: str) -> Interval:
    """Numbers between two, as scikit-learn's `Interval` has them."""
    return _Number(Real, least, most, closed=closed)


def share_of(wanted: float, total: int) -> int:
    """How many of `total` a number or a fraction means: a fraction is rounded down, to one at least.

    Examples
    --------
    >>> share_of(3, 10), share_of(0.3, 10), share_of(0.01, 10), share_of(1.0, 10)
    (3, 3, 1, 10)
    """
    if isinstance(wanted, int | np.integer):
        return int(wanted)
    return max(1, int(round(float(wanted) * total, 9)))  # 0.3 of 10 is 3, whatever 0.3 is to a machine


def n_wanted(who: str, what: str, wanted: float, total: int, of: str, also: str = "") -> int:
    """As `share_of`; a number above `total` is refused.

    Parameters
    ----------
    who, what : str
        The estimator and its parameter, for the error.
    wanted : int or float
        The parameter's value: a number from 1 up, or a fraction above 0 and up to 1.
    total : int
        How many there are.
    of : str
        What is counted: "features" or "rows".
    also : str, default=""
        What else may be given, for the end of the error.
    """
    if isinstance(wanted, int | np.integer) and wanted > total:
        raise ValueError(
            f"{who}: {what}={wanted}, but X has {total} {of}. Use a value from 1 to {total}{also}."
        )
    return share_of(wanted, total)


SEED = [whole(0, 2**32 - 1), np.random.RandomState, None]
JOBS = [None, whole(1), whole(-MOST, -1)]


def capped(n_jobs: int | None) -> int | None:
    """`n_jobs`, but no more than there are processors, or workers of a cluster: more are no faster, and a million fatal."""
    if n_jobs is None or n_jobs < 0:
        return n_jobs
    return min(n_jobs, max(1, int(joblib.effective_n_jobs(-1))))


def n_workers(n_jobs: int | None) -> int:
    """How many workers `n_jobs` asks for: 1 if None, all if -1, all but one if -2."""
    return int(joblib.effective_n_jobs(capped(n_jobs)))
