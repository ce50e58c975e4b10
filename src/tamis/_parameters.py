"""Intervals of numbers for the parameter constraints of the estimators, and the rule for "a number or a fraction".

scikit-learn's intervals accept True as 1, and integers of any size. These do not: a boolean is not a number, and an integer
must fit into the machine's types.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import joblib
import numpy as np
from sklearn.utils._param_validation import Interval

MOST = 2**31 - 1
LARGEST = int(np.finfo(np.float64).max)


class _Number(Interval):  # type: ignore[misc]
    """An interval without booleans, and without integers too large for a float."""

    def is_satisfied_by(self, val: Any) -> bool:
        if isinstance(val, bool | np.bool_):
            return False
        if self.type is Real and isinstance(val, Integral) and abs(int(val)) > LARGEST:
            return False
        return bool(super().is_satisfied_by(val))


def whole(least: int, most: int | None = MOST) -> Interval:
    """Integers from `least` to `most`; without an upper limit if None, for values that only Python computes with."""
    return _Number(Integral, least, most, closed="left" if most is None else "both")


def number(least: float, most: float | None, *, closed: str) -> Interval:
    """Real numbers between two limits, which belong to the interval as `closed` says (see scikit-learn's `Interval`)."""
    return _Number(Real, least, most, closed=closed)


def preset_settings(estimator: Any, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that a preset decides, from `settings` if `estimator.preset` is set, else as they are given.

    A value that is neither the preset's nor the default of the class contradicts the preset, and is refused by name.
    """
    given = {name: getattr(estimator, name) for name in settings}
    if estimator.preset is None:
        return given
    usual = type(estimator)().get_params(deep=False)
    for name, value in given.items():
        if not any(type(value) is type(known) and value == known for known in (settings[name], usual[name])):
            raise ValueError(
                f"{type(estimator).__name__}: preset={estimator.preset!r} means {name}={settings[name]!r}, but "
                f"{name}={value!r} was given too. Leave one of them out."
            )
    return dict(settings)


def share_of(wanted: float, total: int) -> int:
    """How many of `total` a number or a fraction stands for; a fraction is rounded down, but to at least one.

    Examples
    --------
    >>> share_of(3, 10), share_of(0.3, 10), share_of(0.01, 10), share_of(1.0, 10)
    (3, 3, 1, 10)
    """
    if isinstance(wanted, int | np.integer):
        return int(wanted)
    return max(
        1, int(round(float(wanted) * total, 9))
    )  # 0.3 of 10 is 3, although 0.3 * 10 as floats may be less


def n_wanted(who: str, what: str, wanted: float, total: int, of: str, also: str = "") -> int:
    """As `share_of`, with an error for a number above `total`.

    Parameters
    ----------
    who, what : str
        The estimator and its parameter, for the error.
    wanted : int or float
        The parameter's value: a number from 1 up, or a fraction above 0 and up to 1.
    total : int
        The number of features or rows.
    of : str
        What is counted: "features" or "rows".
    also : str, default=""
        What else may be given, appended to the error.
    """
    if isinstance(wanted, int | np.integer) and wanted > total:
        raise ValueError(
            f"{who}: {what}={wanted}, but X has {total} {of}. Use a value from 1 to {total}{also}."
        )
    return share_of(wanted, total)


SEED = [whole(0, 2**32 - 1), np.random.RandomState, None]
JOBS = [None, whole(1), whole(-MOST, -1)]


def capped(n_jobs: int | None) -> int | None:
    """`n_jobs`, limited to the number of processors or of workers in a cluster: more are no faster, and may be fatal."""
    if n_jobs is None or n_jobs < 0:
        return n_jobs
    return min(n_jobs, max(1, int(joblib.effective_n_jobs(-1))))


def n_workers(n_jobs: int | None) -> int:
    """How many workers `n_jobs` asks for: 1 if None, all if -1, all but one if -2."""
    return int(joblib.effective_n_jobs(capped(n_jobs)))
