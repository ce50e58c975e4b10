"""All pairs of columns: a scan for the best partners of each column by exact sums, then a test of the pairs found.

The scan looks at all pairs, the tests only at the few pairs that it selects. Their p values are corrected for all
pairs, so they stay valid however the few were selected.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import threadpoolctl  # comes with scikit-learn, without types
from numpy.typing import NDArray

from tamis._threads import Team
from tamis.pairs._kernels.lists import Lists, Views, enter, enter_block, enter_row
from tamis.pairs._kernels.score_tests import log_p_values
from tamis.pairs._kernels.sums import Rows
from tamis.pairs.views import STEPS, single_views

Float = NDArray[np.float64]
Ints = NDArray[np.int64]

_TILE = 1024  # views that are multiplied with as many others at a time
_MOST_VIEWS = 8192  # up to this number, every view is multiplied with every other
_N_FIRST = 16  # partners of each column that are scanned again where there are more views
_EXACT = 2**24 // STEPS**2  # rows over which a float32 sums products without rounding
_HEAVIEST = 2**12  # largest whole-number weight of the scan: sums are exact in a float64 up to 2**28 rows


@dataclass(frozen=True)
class Evidence:
    """What the tests found.

    Attributes
    ----------
    alone : ndarray, shape (d,)
        log p of each column alone, the best of its groups of views; corrected for all tests, so it may exceed 0.
    pairs : ndarray of int64, shape (m, 2)
        The tested pairs, sorted, the lower column first.
    together : ndarray, shape (m,)
        log p of what each pair tells beyond its two columns, corrected in the same way.
    """

    alone: Float
    pairs: Ints
    together: Float


def searched(
    views: Views, codes: Ints, weights: Float, counted: float, n_partners: int, n_threads: int
) -> Evidence:
    """Scan all pairs, and test the best pairs of each column.

    Parameters
    ----------
    views : Views
        The views of all columns.
    codes : ndarray of int64, shape (n,)
        The class of each row, 0 to C - 1, ascending: the rows of each class are contiguous. No class is empty.
    weights : ndarray, shape (n,)
        Weights of the rows in any unit, all above 0.
    counted : float
        How many rows the weights count as in all.
    n_partners : int
        How many pairs of each column are tested.
    n_threads : int
        The number of threads; the result does not depend on it.

    Returns
    -------
    Evidence
        Corrected log p values.
    """
    held = np.bincount(codes, weights=weights)
    rows = Rows(codes, weights, held / held.sum(), counted)
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
    """The number of tests of all pairs, as `n_tests` counts them for one pair."""
    single = np.where(groups > 1, groups - 1, groups)
    seen = float((groups > 0).sum())
    plain = float((groups == 1).sum())
    one_by_one = (float(single.sum()) ** 2 - float((single**2).sum())) / 2
    return one_by_one + (seen * (seen - 1) - plain * (plain - 1)) / 2


def _best_pairs(views: Views, rows: Rows, weights: Float, n_partners: int, team: Team) -> Ints:
    """The pairs in which one column is among the best partners of the other.

    Where there are very many views, the scan of all pairs uses only the views that are tested by themselves; the best
    pairs that it finds are then scanned again with all views.
    """
    ends = np.cumsum(np.bincount(rows.codes))
    whole = _whole_weights(weights)
    if len(views.values) <= _MOST_VIEWS:
        return _pairs_of(_scanned(views, rows, ends, whole, n_partners, team))
    few = _pairs_of(_scanned(single_views(views), rows, ends, whole, max(_N_FIRST, n_partners), team))
    scales = _scales(views, rows, whole)
    lists = [_empty_lists(views, n_partners) for _ in range(team.n_parts)]
    firsts, starts = np.unique(few[:, 0], return_index=True)
    widths = np.diff(views.column_views)[few[:, 1]]
    ends_of = np.cumsum(widths)
    second_views = np.arange(widths.sum()) + np.repeat(
        views.column_views[few[:, 1]] - ends_of + widths, widths
    )
    cuts = (ends_of - widths)[starts[1:]]
    runs = list(zip(firsts, np.split(few[:, 1], starts[1:]), np.split(second_views, cuts)))

    def enter_some(part: int, n_parts: int) -> None:
        for column, others, theirs in runs[part::n_parts]:
            own = views.values[_span(views, (column, column + 1))]
            sums = _class_sums(own, views.values[theirs], ends, whole)
            enter_row(sums, rows.shares, scales, views, column, others, lists[part])

    team.each(enter_some)
    return _pairs_of(_joined(lists))


def _scanned(views: Views, rows: Rows, ends: Ints, whole: Float | None, n_partners: int, team: Team) -> Lists:
    """The best partners of each column among all others."""
    scales = _scales(views, rows, whole)
    tiles = _tiles(views)
    work = [(a, b) for i, a in enumerate(tiles) for b in tiles[i:]]
    lists = [_empty_lists(views, n_partners) for _ in range(team.n_parts)]

    def scan(part: int, n_parts: int) -> None:
        for columns_a, columns_b in work[part::n_parts]:
            sums = _class_sums(
                views.values[_span(views, columns_a)], views.values[_span(views, columns_b)], ends, whole
            )
            enter_block(sums, rows.shares, scales, views, columns_a, columns_b, lists[part])

    team.each(scan)
    return _joined(lists)


def _empty_lists(views: Views, n_partners: int) -> Lists:
    shape = len(views.column_views) - 1, n_partners
    return Lists(np.zeros(shape), np.full(shape, -1, dtype=np.int64))


def _joined(lists: list[Lists]) -> Lists:
    """The lists of all threads in one."""
    for other in lists[1:]:
        for column, position in np.argwhere(other.partners >= 0):
            enter(lists[0], column, other.partners[column, position], other.keys[column, position])
    return lists[0]


def _pairs_of(lists: Lists) -> Ints:
    """The distinct pairs of the lists, sorted, the lower column first."""
    column, position = np.nonzero(lists.partners >= 0)
    pairs = np.sort(np.column_stack([column, lists.partners[column, position]]), axis=1)
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
    first, stop = views.column_views[list(columns)]
    return slice(int(first), int(stop))


def _whole_weights(weights: Float) -> Float | None:
    """Weights as whole numbers up to `_HEAVIEST`; None where all are equal. Only the scan rounds them so."""
    if (weights == weights[0]).all():
        return None
    whole: Float = np.rint(weights * (_HEAVIEST / weights.max()))
    return whole


def _class_sums(a: NDArray[np.int8], b: NDArray[np.int8], ends: Ints, whole: Float | None) -> NDArray[Any]:
    """Exact sums of the products of views over the rows of each class, (C, views of a, views of b).

    Rows are sorted by class, and `ends` says where each class ends. Without weights, so few rows are multiplied at a
    time that a float32 holds the sums exactly, in whatever order they are added. It holds the result as well if no class
    has more rows.
    """
    kind: Any = np.float32 if whole is None else np.float64
    few = np.diff(ends, prepend=0).max() <= _EXACT
    sums = np.zeros((len(ends), len(a), len(b)), dtype=kind if few else np.float64)
    for code, (first, stop) in enumerate(zip([0, *ends[:-1]], ends)):
        for start in range(first, stop, _EXACT):
            rows = slice(start, min(start + _EXACT, stop))
            left = a[:, rows].astype(kind)
            if whole is not None:
                left *= whole[rows]
            right = b[:, rows].astype(kind).T
            if few:
                np.matmul(left, right, out=sums[code])
            else:
                sums[code] += left @ right
    return sums


def _scales(views: Views, rows: Rows, whole: Float | None) -> Float:
    """sqrt(W) / N of each view; 0 for a view that is 0 in every row."""
    weights = np.ones(views.values.shape[1]) if whole is None else whole
    squares = np.array([float((view.astype(np.float64) ** 2) @ weights) for view in views.values])
    scales: Float = np.sqrt(rows.counted) / np.where(squares > 0, squares, np.inf)
    return scales


def _tests(views: Views, rows: Rows, pairs: Ints, team: Team) -> Float:
    """Log p of each pair or single column: the smallest over its groups of views."""
    log_p = np.zeros(len(pairs))

    def test(part: int, n_parts: int) -> None:
        cuts = np.linspace(0, len(pairs), n_parts + 1).astype(np.int64)
        log_p_values(views, rows, pairs, (int(cuts[part]), int(cuts[part + 1])), log_p)

    team.each(test)
    return log_p


def _corrected(log_p: Float, n_tests: float) -> Float:
    corrected: Float = log_p + np.log(max(1.0, n_tests))
    return corrected
