"""All pairs of columns: the best partners of each by sums of whole numbers, then a test of every pair that is left.

The scan looks at all pairs, the tests at the few that it leaves; the tests' p values are corrected for all pairs, so that it does not
matter how the few were chosen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import threadpoolctl  # comes with scikit-learn, without types
from numpy.typing import NDArray
from scipy.special import gammaincc, gammaln

from tamis._threads import Team
from tamis.features._kernels.pair_lists import Lists, Views, enter, enter_block
from tamis.features._kernels.pair_tests import Rows, pair_statistics
from tamis.features._pair_views import STEPS

Float = NDArray[np.float64]
Ints = NDArray[np.int64]

_TILE = 1024  # views multiplied with as many others at a time
_EXACT = 2**24 // STEPS**2  # rows whose products a float32 sums without rounding
_HEAVIEST = 2**12  # whole-number weights of the scan: with STEPS**2, exact in a float64 up to 2**28 rows


@dataclass(frozen=True)
class Evidence:
    """What the tests found.

    Attributes
    ----------
    alone : ndarray, shape (d,)
        log p of each column alone, the best of its groups of views; corrected for all tests, and so possibly above 0.
    pairs : ndarray of int64, shape (m, 2)
        The tested pairs, the lower column first; ascending.
    together : ndarray, shape (m,)
        log p of what each pair says beyond its columns, corrected likewise.
    """

    alone: Float
    pairs: Ints
    together: Float


def searched(
    views: Views, codes: Ints, weights: Float, counted: float, n_partners: int, n_threads: int
) -> Evidence:
    """Scan all pairs, and test the best of each column.

    Parameters
    ----------
    views : Views
        Of all columns.
    codes : ndarray of int64, shape (n,)
        The classes, 0 to C - 1, each with rows.
    weights : ndarray, shape (n,)
        Weights of the rows in any unit, all above 0.
    counted : float
        How many rows they count as in all.
    n_partners : int
        How many pairs of each column are tested.
    n_threads : int
        Threads; of no effect on the result.

    Returns
    -------
    Evidence
        Corrected log p values.
    """
    held = np.bincount(codes, weights=weights)
    rows = Rows(codes, np.sqrt(weights), held / held.sum(), counted)
    groups = np.diff(views.column_groups)
    singles = np.column_stack([np.arange(len(groups)), np.full(len(groups), -1)])
    n_pairs = _n_pair_tests(groups)
    with Team(n_threads) as team, threadpoolctl.threadpool_limits(1):
        alone = _corrected(_tests(views, rows, singles, team), 2 * groups.sum())
        pairs = (
            _best_pairs(views, rows, weights, n_partners, team)
            if n_pairs
            else np.empty((0, 2), dtype=np.int64)
        )
        stronger_first = np.where((alone[pairs[:, 0]] <= alone[pairs[:, 1]])[:, None], pairs, pairs[:, ::-1])
        together = _corrected(_tests(views, rows, stronger_first, team), 2 * n_pairs)
    return Evidence(alone, pairs, together)


def _n_pair_tests(groups: Ints) -> float:
    """How many tests all pairs have: each group with each, the last aside where there are several, and all views with all."""
    single = np.where(groups > 1, groups - 1, groups)
    seen = float((groups > 0).sum())
    plain = float((groups == 1).sum())
    one_by_one = (float(single.sum()) ** 2 - float((single**2).sum())) / 2
    return one_by_one + (seen * (seen - 1) - plain * (plain - 1)) / 2


def _best_pairs(views: Views, rows: Rows, weights: Float, n_partners: int, team: Team) -> Ints:
    """The pairs in which one column is among the best partners of the other."""
    n_columns = len(views.column_views) - 1
    order = np.argsort(rows.codes, kind="stable")  # rows of a class together
    ends = np.cumsum(np.bincount(rows.codes))
    sorted_values = views.values[:, order]
    whole = _whole_weights(weights[order])
    squares = _sums_of_squares(sorted_values, whole)
    scales = np.sqrt(rows.counted) / np.where(squares > 0, squares, np.inf)
    tiles = _tiles(views)
    work = [(a, b) for i, a in enumerate(tiles) for b in tiles[i:]]
    found = [
        Lists(np.zeros((n_columns, n_partners)), np.full((n_columns, n_partners), -1, dtype=np.int64))
        for _ in range(team.n_parts)
    ]

    def scan(part: int, n_parts: int) -> None:
        for columns_a, columns_b in work[part::n_parts]:
            sums = _class_sums(
                sorted_values[_span(views, columns_a)], sorted_values[_span(views, columns_b)], ends, whole
            )
            enter_block(sums, rows.shares, scales, views, columns_a, columns_b, found[part])

    team.each(scan)
    lists = found[0]
    for other in found[1:]:
        for column, place in np.argwhere(other.partners >= 0):
            enter(lists, column, other.partners[column, place], other.keys[column, place])
    column, place = np.nonzero(lists.partners >= 0)
    pairs = np.sort(np.column_stack([column, lists.partners[column, place]]), axis=1)
    unique: Ints = np.unique(pairs, axis=0).astype(np.int64)
    return unique


def _tiles(views: Views) -> list[tuple[int, int]]:
    """Runs of columns with about `_TILE` views each."""
    start = views.column_views
    cuts = [0]
    for column in range(1, len(start) - 1):
        if start[column + 1] - start[cuts[-1]] > _TILE:
            cuts.append(column)
    return list(zip(cuts, [*cuts[1:], len(start) - 1]))


def _span(views: Views, columns: tuple[int, int]) -> slice:
    """The views of a run of columns."""
    first, behind = views.column_views[list(columns)]
    return slice(int(first), int(behind))


def _whole_weights(weights: Float) -> Float | None:
    """Weights as whole numbers up to `_HEAVIEST`; None where all are the same. Only the scan is so coarse."""
    if (weights == weights[0]).all():
        return None
    whole: Float = np.rint(weights * (_HEAVIEST / weights.max()))
    return whole


def _class_sums(a: NDArray[np.int8], b: NDArray[np.int8], ends: Ints, whole: Float | None) -> Float:
    """Sum over the rows of each class of the products of views, (C, views of a, views of b): whole numbers, exact.

    Rows are sorted by class, and `ends` says where each class does. Without weights few enough rows are multiplied at
    a time for a float32 to hold the sums, in whichever order they are added.
    """
    sums = np.zeros((len(ends), len(a), len(b)))
    step = _EXACT if whole is None else int(ends[-1])
    kind: Any = np.float32 if whole is None else np.float64
    for code, (first, behind) in enumerate(zip([0, *ends[:-1]], ends)):
        for start in range(first, behind, step):
            rows = slice(start, min(start + step, behind))
            left = a[:, rows].astype(kind)
            if whole is not None:
                left *= whole[rows]
            sums[code] += left @ b[:, rows].astype(kind).T
    return sums


def _sums_of_squares(values: NDArray[np.int8], whole: Float | None) -> Float:
    """Of each view, weighted."""
    weights = np.ones(values.shape[1]) if whole is None else whole
    return np.array([float((view.astype(np.float64) ** 2) @ weights) for view in values])


def _tests(views: Views, rows: Rows, pairs: Ints, team: Team) -> Float:
    """Log p of each pair, or column alone: the best of its groups."""
    most = int(np.diff(views.column_groups).max(initial=0))
    statistics = np.zeros((len(pairs), max(most, (most - 1) ** 2 + 1)))
    freedoms = np.zeros(statistics.shape, dtype=np.int64)

    def test(part: int, n_parts: int) -> None:
        cuts = np.linspace(0, len(pairs), n_parts + 1).astype(np.int64)
        pair_statistics(views, rows, pairs, (int(cuts[part]), int(cuts[part + 1])), statistics, freedoms)

    team.each(test)
    best: Float = log_tail(statistics, freedoms).min(axis=1)
    return best


def _corrected(log_p: Float, n_tests: float) -> Float:
    corrected: Float = log_p + np.log(max(1.0, n_tests))
    return corrected


def log_tail(statistic: Float, freedom: Ints) -> Float:
    """Log P(chi-squared with so many degrees of freedom > statistic), however small; 0 without freedom."""
    a, x = np.maximum(freedom, 1) / 2, statistic / 2
    with np.errstate(divide="ignore"):
        logs: Float = np.log(gammaincc(a, x))
    far = logs < -600
    if far.any():
        logs[far] = _far_log_tail(a[far], x[far])
    return np.where(freedom > 0, logs, 0.0)


def _far_log_tail(a: Float, x: Float) -> Float:
    """Log Q(a, x) for x far above a, by Lentz's continued fraction."""
    b = x + 1 - a
    c, d = np.full(len(x), 1e300), 1 / b
    h = d
    for i in range(1, 200):
        term = -i * (i - a)
        b = b + 2
        d = 1 / (term * d + b)
        c = b + term / c
        h = h * (d * c)
    tail: Float = a * np.log(x) - x - gammaln(a) + np.log(h)
    return tail
