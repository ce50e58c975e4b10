"""Two-class problems: their sides, and the integer weights from which boosting starts."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Problem", "class_problems", "one_against_rest", "start_weights", "two_class_problems"]

Float = NDArray[np.float64]
WHOLE = 2.0**52  # what all rows of a problem weigh at the start, about


class Problem(NamedTuple):
    """One two-class problem on the rows of a table."""

    sign: NDArray[Any]  # (n,) +1 or -1
    start: Float  # (n,) integer start weights; 0 for rows that are left out
    equal: bool  # whether all rows that are not left out weigh the same
    sharers: Float  # (2,) see `cap_sharers`


def one_against_rest(codes: NDArray[np.int64], n_classes: int) -> NDArray[np.int64]:
    """The sides of the two-class problems of a table.

    Parameters
    ----------
    codes : ndarray of int, shape (n,)
        The class of each row, from 0.
    n_classes : int
        How many classes there are.

    Returns
    -------
    ndarray of int, shape (problems, n)
        +1 and -1. Two classes: one problem, the second class is +1. More: one problem per class, that class is +1.
    """
    positives = [1] if n_classes == 2 else range(n_classes)
    return np.array([np.where(codes == positive, 1, -1) for positive in positives], dtype=np.int64)


def class_problems(
    codes: NDArray[np.int64], n_classes: int, weights: Float | None = None, *, balanced: bool = False
) -> list[Problem]:
    """The problems of `one_against_rest`, with the weights of `two_class_problems`."""
    return two_class_problems(one_against_rest(codes, n_classes), weights, balanced=balanced)


def two_class_problems(
    signs: ArrayLike, weights: ArrayLike | None = None, *, balanced: bool = False
) -> list[Problem]:
    """Two-class problems from their sides.

    Parameters
    ----------
    signs : array-like of shape (problems, n) or (n,)
        +1 or -1.
    weights : array-like of shape (n,), optional
        Weights of the rows, not negative; rows of weight 0 are left out.
    balanced : bool, default=False
        Whether both sides of every problem weigh half at the start, whatever their size.

    Returns
    -------
    list of Problem
        One per line of `signs`.
    """
    sides = np.atleast_2d(signs)
    if sides.ndim != 2 or not (np.abs(sides) == 1).all():
        raise ValueError("two_class_problems: signs must be +1 or -1, one line for each problem.")
    if weights is None:
        return _weighed(sides, None, balanced)
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != sides.shape[1:]:
        raise ValueError(
            f"two_class_problems: weights have shape {given.shape}, but there are {sides.shape[1]} rows."
        )
    if not (np.isfinite(given) & (given >= 0)).all() or not (given > 0).any():
        raise ValueError(
            "two_class_problems: weights must be finite and not negative, and one at least positive."
        )
    in_use = given > 0
    if in_use.all():
        return _weighed(sides, given, balanced)
    problems = []
    for sign, problem in zip(sides, _weighed(sides[:, in_use], given[in_use], balanced)):
        start = np.zeros(len(given))
        start[in_use] = problem.start
        problems.append(problem._replace(sign=sign, start=start))
    return problems


def _weighed(signs: NDArray[Any], weights: Float | None, balanced: bool) -> list[Problem]:
    """The problems of rows that all have weight."""
    n_rows = signs.shape[1]
    together = None if balanced else start_weights(n_rows, weights)
    problems = []
    for sign in signs:
        start, equal = start_weights(n_rows, weights, sign) if together is None else together
        sharers = cap_sharers((sign > 0).sum(), (sign < 0).sum(), balanced)
        problems.append(Problem(sign, start, equal, np.array(sharers, dtype=np.float64)))
    return problems


def start_weights(
    n_rows: int, weights: Float | None = None, sign: NDArray[Any] | None = None
) -> tuple[Float, bool]:
    """Integer start weights that add up to about 2^52.

    Parameters
    ----------
    n_rows : int
        How many rows there are.
    weights : ndarray of shape (n,), optional
        Positive weights.
    sign : ndarray of shape (n,), optional
        +1 or -1: the two sides of a problem that is to be balanced. Each of them then has 2^51.

    Returns
    -------
    start : ndarray of shape (n,)
        floor(2^52 w / sum w) but at least 1: integers in float64. Equal weights are no weights.
    equal : bool
        Whether all rows weigh the same.
    """
    given = np.ones(n_rows) if weights is None else weights
    start = np.empty(n_rows)
    sides = [np.ones(n_rows, dtype=np.bool_)] if sign is None else [sign > 0, sign < 0]
    sides = [side for side in sides if side.any()]
    for side in sides:
        start[side] = integer_weights(given[side], math.fsum(given[side]), WHOLE / len(sides))
    return start, bool((start == start[0]).all())


def integer_weights(weights: Float, total: float | Float, whole: float) -> Float:
    """Weights as integers that add up to about `whole` where the weights add up to `total`.

    For n equal weights this is floor(whole / n): the quotient is off by less than 1 / n, and exact where n is a power of 2.
    """
    integers: Float = np.maximum(1.0, np.floor(weights / total * whole))
    return integers


def cap_sharers(n_positive: float, n_negative: float, balanced: bool) -> tuple[float, float]:
    """By what the total weight is divided for a cap of either side: the rows, or twice those of a side that has half of it."""
    if balanced and n_positive and n_negative:
        return 2.0 * n_positive, 2.0 * n_negative
    return (n_positive + n_negative,) * 2


def refuse_other_rows(problem: Problem, n_rows: int) -> None:
    """A problem must be one of the table's rows."""
    if len(problem.sign) != n_rows:
        raise ValueError(f"signs have {len(problem.sign)} rows, but the table has {n_rows} rows.")


def nominal_flags(who: str, table: Float, nominal: ArrayLike | None) -> NDArray[np.bool_]:
    """Which columns of a table are nominal, none if not said; a table without rows or columns is refused."""
    n_rows, n_columns = table.shape
    flags = np.zeros(n_columns, dtype=np.bool_) if nominal is None else np.array(nominal, dtype=np.bool_)
    if flags.shape != (n_columns,):
        raise ValueError(f"{who}: nominal has shape {flags.shape}, but values has {n_columns} columns.")
    if n_rows == 0 or n_columns == 0:
        raise ValueError(
            f"{who}: values has shape {table.shape}, at least one row and one column are needed."
        )
    return flags
