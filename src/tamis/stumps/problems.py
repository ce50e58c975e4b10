"""Two-class problems on a prepared table, and the runs of boosting that begin from them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tamis.stumps._kernels.scanning import Runs
from tamis.stumps.sorted_columns import Prepared, prepare

__all__ = ["active_columns", "new_runs", "one_against_rest", "problems", "start_weights"]

Float = NDArray[np.float64]
WHOLE = 2.0**52  # what all rows of a problem weigh at the start, about


class ProblemWeights(NamedTuple):
    """What the rows weigh at the start of every problem."""

    start: Float  # (problems, n) integers
    equal: NDArray[np.bool_]  # (problems,) whether all rows weigh the same
    sharers: Float  # (problems, 2) see `cap_sharers`

    def of(self, problem: int) -> tuple[Float, bool, Float]:
        """The same of one problem."""
        return self.start[problem], bool(self.equal[problem]), self.sharers[problem]


def one_against_rest(codes: NDArray[np.int64], n_classes: int) -> NDArray[np.int64]:
    """The two-class problems of a table with several classes.

    Parameters
    ----------
    codes : ndarray of int, shape (n,)
        The class of each row, from 0.
    n_classes : int
        How many classes there are.

    Returns
    -------
    ndarray of int, shape (problems, n)
        +1 and -1. Two classes: one problem, the second class is +1. More: one problem a class, that class is +1.
    """
    positives = [1] if n_classes == 2 else range(n_classes)
    return np.array([np.where(codes == positive, 1, -1) for positive in positives], dtype=np.int64)


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
    """Over what the total weight is divided for a cap of either side: the rows, or twice the rows of a side with half of it."""
    if balanced and n_positive and n_negative:
        return 2.0 * n_positive, 2.0 * n_negative
    return (n_positive + n_negative,) * 2


def problem_weights(signs: NDArray[Any], weights: Float | None, balanced: bool) -> ProblemWeights:
    """What the rows weigh at the start of every problem."""
    n_problems, n_rows = signs.shape
    if balanced:
        found = [start_weights(n_rows, weights, sign) for sign in signs]
    else:
        found = [start_weights(n_rows, weights)] * n_problems
    sharers = [cap_sharers((sign > 0).sum(), (sign < 0).sum(), balanced) for sign in signs]
    return ProblemWeights(
        np.array([start for start, _ in found]),
        np.array([equal for _, equal in found]),
        np.array(sharers, dtype=np.float64),
    )


def problems(
    who: str, prepared: Prepared, signs: NDArray[Any], weights: ArrayLike | None, balanced: bool
) -> tuple[Prepared, NDArray[Any], ProblemWeights]:
    """The table, the signs and the start weights without the rows of weight 0."""
    if signs.ndim != 2 or signs.shape[1] != prepared.n_rows:
        raise ValueError(f"{who}: signs have shape {signs.shape}, but the table has {prepared.n_rows} rows.")
    if not (np.abs(signs) == 1).all():
        raise ValueError(f"{who}: signs must be +1 or -1.")
    if weights is None:
        return prepared, signs, problem_weights(signs, None, balanced)
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != (prepared.n_rows,):
        raise ValueError(
            f"{who}: weights have shape {given.shape}, but the table has {prepared.n_rows} rows."
        )
    if not (np.isfinite(given) & (given >= 0)).all() or not (given > 0).any():
        raise ValueError(f"{who}: weights must be finite and not negative, and one at least positive.")
    kept = given > 0
    if not kept.all():
        prepared = prepare(prepared.values[kept], prepared.nominal)
        signs, given = signs[:, kept], given[kept]
    return prepared, signs, problem_weights(signs, given, balanced)


def active_columns(who: str, prepared: Prepared, columns: ArrayLike | None) -> NDArray[np.int64]:
    """The columns that stumps may use, ascending."""
    if columns is None:
        return np.arange(prepared.n_columns)
    active = np.unique(np.asarray(columns, dtype=np.int64))
    if len(active) == 0 or active[0] < 0 or active[-1] >= prepared.n_columns:
        raise ValueError(
            f"{who}: columns={np.asarray(columns).tolist()}, but the table has columns 0 to {prepared.n_columns - 1}."
        )
    return active


def checked_rounds(who: str, n_rounds: int) -> int:
    if n_rounds < 1:
        raise ValueError(f"{who}: n_rounds={n_rounds}. Use at least 1.")
    return int(n_rounds)


def checked_cap(who: str, weight_cap: float | None) -> float:
    """The weight cap as the kernels read it: 0 for none."""
    if weight_cap is not None and not weight_cap >= 1:
        raise ValueError(f"{who}: weight_cap={weight_cap}. Use at least 1, or None.")
    return 0.0 if weight_cap is None else float(weight_cap)


def checked_rate(who: str, learning_rate: float) -> float:
    """The part of every edge that is acted on."""
    if not 0 < learning_rate <= 1:
        raise ValueError(f"{who}: learning_rate={learning_rate}. Use a number above 0, 1 at most.")
    return float(learning_rate)


def new_runs(
    prepared: Prepared, signs: NDArray[Any], weights: ProblemWeights, n_rounds: int, *, keep: bool
) -> Runs:
    """Runs of no rounds; `keep` makes room for what a restart at any round needs."""
    n_problems, n_rows = signs.shape
    n_kept = n_rounds if keep else 1
    snapshots = np.empty((n_problems, n_kept, n_rows))
    snapshots[:, 0] = weights.start * signs
    n_extended = n_rows + prepared.n_slots
    return Runs(
        n_rounds=np.zeros(n_problems, dtype=np.int64),
        stumps=np.zeros((n_problems, n_rounds, 4), dtype=np.int64),
        figures=np.zeros((n_problems, n_rounds, 3)),
        averaging=np.where(weights.equal[:, np.newaxis], 1, weights.start.astype(np.int64)),
        sharers=weights.sharers,
        snapshots=snapshots,
        bounds=np.empty((n_problems, n_kept, prepared.n_columns)),
        extended=np.empty(n_extended),
        whole=np.empty(n_extended, dtype=np.int64),
        totals=np.empty(2),
    )
