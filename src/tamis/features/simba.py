"""Simba: weights of the columns under which rows are nearer to their own class than to others."""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple, Self

import joblib
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context
from sklearn.utils import check_random_state

from tamis._parameters import JOBS, SEED, capped, whole
from tamis.features._base import FeatureSelector
from tamis.features._kernels.relief import GAPPED, NOMINAL, ONE, PLAIN, ClassBlocks, ascent, margins
from tamis.neighbors import MixedSpace
from tamis.neighbors._distance import CODE_GAP
from tamis.table._table import Table, Target
from tamis.table.weights import group_codes, row_weights, scale_of, weighed_rows

BLOCK_VALUES = 2**15
"""About how many values a block has: it stays in the second-level cache while several rows are compared with it."""

CALL_ROWS = 512
"""Rows whose steps or margins are computed in one call: between calls Ctrl-C is noticed."""

MOST_VISITS = 10.0
"""The largest mean weight of a row: how many times longer than without weights a pass may be."""

Float = NDArray[np.float64]


class Simba(FeatureSelector):
    """Rank columns by weights that bring rows near to their own class and far from other classes.

    The margin of a row is half the difference between its distances to its nearest row of another class (miss) and to
    its nearest row of its own class (hit). Simba increases the sum of the margins row by row: it finds the hit and the
    miss of a row under the current weights, and moves the weights along the gradient of its margin. It starts several
    times, from equal and from random weights, and keeps the weights with the largest total margin.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many columns to keep: a number, a fraction, or (None) half of those that are neither copies nor constants.
    n_starts : int, default=5
        Number of starts: the first from equal weights, the others from random weights.
    n_passes : int, default=1
        How often each start goes through all rows, each time in a new random order.
    fixed_features : array-like or None, default=None
        Columns (names or positions) that are always kept; they stand first.
    excluded_features : array-like or None, default=None
        Columns that take no part and are never kept; they stand last.
    feature_groups : sequence of array-likes or None, default=None
        Columns that are kept or left together, ranked by the best of them. A size is then reached as nearly as groups
        allow, never exceeded.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Which columns are categorical: by dtype, none, or exactly these (mask, positions or names).
    random_state : int, RandomState or None, default=None
        Seed of the orders of the rows and of the random starts. The third start is the same with 3 starts and with 10.
    n_jobs : int or None, default=None
        Number of threads, as in joblib. The result does not depend on it.

    Attributes
    ----------
    scores_ : ndarray, shape (d,)
        The squared weights, scaled so that the largest is 1. Copies and constants take no part: a copy has the score of
        the column that it repeats, a constant 0.
    ranking_ : ndarray of int, shape (d,)
        1 is best; a permutation of 1..d, whatever is selected. Exact copies of earlier columns come after all
        others, and constants last, whatever their scores.
    support_ : ndarray of bool, shape (d,)
        Which columns are kept.
    n_features_ : int
        How many columns are kept.
    history_ : dict of arrays of length n_starts
        ``margin`` (the total margin of each start's weights) and ``weights`` (n_starts, d), the squared weights at the
        end of each start, scaled so that the largest is 1. ``scores_`` is the row with the largest margin, the earlier
        on ties.
    classes_ : ndarray
        The classes of the rows with positive weight, sorted.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Notes
    -----
    With ||z||_w = sqrt(sum over f of w_f^2 z_f^2), the margin of a row x is 1/2 (||x - miss||_w - ||x - hit||_w), and
    a step is

        w_f += 1/2 ((x_f - miss_f)^2 / ||x - miss||_w - (x_f - hit_f)^2 / ||x - hit||_w) w_f.

    A term whose distance is 0 has no gradient and is left out. A row that is alone in its class (or whose class, or whose
    other classes, are all in its group) has no margin: it makes no step and is not counted. The total margin is computed with the final, scaled weights, so that
    starts can be compared whatever the length of their w. If all weights become 0, so are the scores.

    Columns are scaled to [0, 1]; two categories differ by 0 or 1, a known value and a missing one by 1, two missing
    values by 0. Differences are counted in whole steps of 2**-20, so that equal differences are exactly equal. Ties go to
    the lower row. The paper draws rows with replacement; here a pass takes each row once. Sums over columns, and random
    weights, go by what columns hold: numbers without missing values first, then those with some (missing highest), then
    categories (each as the first row that has it), by the scaled value of the first row, then of the second, and so on. So
    columns in another order have the same scores, to the bit.

    A weight is how often a row is visited, and not how many neighbours it is: a row of weight 2 is the row given twice, both in
    one group, since rows given twice would otherwise be their own hits. It makes two steps a pass, at places drawn
    independently of each other, and its margin counts twice. What is over a whole number is a step of that length, so
    that weight 2.5 makes two steps and a half one (in whole 2**-20, at least one of them). Weights with a mean (over rows of positive weight) below 1 or above 10
    are scaled to that mean: a pass is never shorter than without weights, and no more than ten times as long.

    Every step, and every margin, looks at all rows: O(n^2 d) per pass and start, in O(n d) memory; with weights a pass has as
    many steps as their sum says.

    References
    ----------
    R. Gilad-Bachrach, A. Navot and N. Tishby, "Margin based feature selection: theory and algorithms", ICML 2004.

    Examples
    --------
    Every row is as far from its hit as from its miss, until the first weight grows and the second falls to 0.

    >>> from tamis import Simba
    >>> selector = Simba(random_state=0).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 1, 1])
    >>> selector.scores_
    array([1., 0.])
    >>> float(selector.history_["margin"].max())
    2.0
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FeatureSelector._parameter_constraints,
        "n_starts": [whole(1)],
        "n_passes": [whole(1)],
        "random_state": SEED,
        "n_jobs": JOBS,
    }

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        n_starts: int = 5,
        n_passes: int = 1,
        fixed_features: ArrayLike | None = None,
        excluded_features: ArrayLike | None = None,
        feature_groups: ArrayLike | None = None,
        categorical_features: ArrayLike | None = "from_dtype",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_starts = n_starts
        self.n_passes = n_passes
        self.fixed_features = fixed_features
        self.excluded_features = excluded_features
        self.feature_groups = feature_groups
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Compute the weights of the columns.

        Parameters
        ----------
        X : array-like or frame, shape (n, d)
            The table; categorical columns and missing values are allowed.
        y : array-like, shape (n,)
            The classes, two or more.
        sample_weight : array-like, shape (n,), optional
            How often each row is visited, and what its margin counts, not negative; not how many neighbours it is (see Notes).
            Rows of weight 0 are left out.
        groups : array-like, shape (n,), optional
            Rows that belong together, such as measurements of one patient: they are never each other's hit or miss.

        Returns
        -------
        self
            The fitted selector.
        """
        table, target = self._table(X, y)
        alive = row_weights(self, target, sample_weight) > 0
        group = group_codes("Simba", table.n_rows, groups)[alive]
        table, target, row_weight = weighed_rows(self, table, target, sample_weight)
        distinct = self._distinct(table)
        coordinates, kinds = _coordinates(distinct.cut(table))
        order = _content_order(coordinates, kinds)
        blocks = _class_blocks(coordinates[:, order], kinds[order], target, group)
        visits = _visits(blocks, row_weight, scale_of(sample_weight))
        self.classes_ = target.classes
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=self.n_starts)
        parallel = joblib.Parallel(n_jobs=capped(self.n_jobs), require="sharedmem")
        weights = np.array(
            parallel(
                joblib.delayed(_start)(blocks, visits, int(seed), start > 0, self.n_passes)
                for start, seed in enumerate(seeds)
            )
        )
        totals = _total_margins(blocks, visits, weights, parallel)
        best = int(np.argmax(totals))  # the earlier on ties
        weights = distinct.spread(weights[:, np.argsort(order)])
        self._store(weights[best].copy(), distinct=distinct, history={"margin": totals, "weights": weights})
        return self


class _Visits(NamedTuple):
    """The steps of a pass, row by row, before they are put in a random order."""

    positions: NDArray[np.int64]  # of the row in the blocks
    lengths: Float  # 1 for a whole step


def _visits(blocks: ClassBlocks, weights: Float, scale: float) -> _Visits:
    """Return as many steps of each row as its weight says, the last one shorter; `scale` comes from `scale_of`."""
    mean = math.fsum(weights) / len(weights)
    wanted = min(max(mean * scale, 1.0), MOST_VISITS)
    counts = weights * scale if wanted == mean * scale else weights * wanted / mean
    counts = np.maximum(np.rint(counts * ONE), 1.0) / ONE  # so that no rounding makes one visit more
    n_visits = np.ceil(counts).astype(np.int64)
    lengths = np.ones(n_visits.sum())
    lengths[np.cumsum(n_visits) - 1] = counts - (n_visits - 1)
    return _Visits(np.repeat(np.argsort(blocks.rows), n_visits), lengths)


def _coordinates(table: Table) -> tuple[Float, NDArray[np.int8]]:
    """Return the coordinates of the rows, (n, d), and the kind of each column."""
    coordinates = MixedSpace.fit(table.values, table.nominal, "l1").scaled(table.values).coordinates
    gapped = np.where((coordinates == -CODE_GAP).any(axis=0), GAPPED, PLAIN)
    return coordinates, np.where(table.nominal, NOMINAL, gapped).astype(np.int8)


def _content_order(coordinates: Float, kinds: NDArray[np.int8]) -> NDArray[np.intp]:
    """Return the columns by kind, then by their values in the first row, the second, and so on: not by where they stand.

    A category is the first row that has it, whatever it is called.
    """
    told = np.where(coordinates == -CODE_GAP, np.inf, coordinates + 0.0).T.astype(">f8")  # in order as bytes
    for column in np.flatnonzero(kinds == NOMINAL):
        _, rows, which = np.unique(coordinates[:, column], return_index=True, return_inverse=True)
        told[column] = rows[which]
    contents = [(kind, row.tobytes()) for kind, row in zip(kinds.tolist(), told)]
    return np.array(sorted(range(len(kinds)), key=contents.__getitem__), dtype=np.intp)


def _class_blocks(
    coordinates: Float, kinds: NDArray[np.int8], target: Target, groups: NDArray[np.int64]
) -> ClassBlocks:
    """Lay the table out for the kernels: rows class by class, in blocks, column by column."""
    n_rows, n_columns = coordinates.shape
    rows = np.argsort(target.codes, kind="stable").astype(np.int64)
    size = min(n_rows, max(64, BLOCK_VALUES // max(1, n_columns) // 8 * 8))
    blocks = np.zeros((-(-n_rows // size), n_columns, size))
    for block, first in enumerate(range(0, n_rows, size)):
        part = rows[first : first + size]
        blocks[block, :, : len(part)] = coordinates[part].T
    borders = np.concatenate([[0], np.cumsum(target.counts())])
    group = groups[rows]
    members = np.argsort(group, kind="stable").astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(np.bincount(group))])
    return ClassBlocks(blocks, kinds, rows, target.codes[rows], borders, group, members, starts)


def _start(blocks: ClassBlocks, visits: _Visits, seed: int, at_random: bool, n_passes: int) -> Float:
    """Return the squared weights at the end of one start, scaled so that the largest is 1."""
    random = check_random_state(seed)
    n_columns = len(blocks.kinds)
    weights = 1.0 - random.random_sample(n_columns) if at_random else np.ones(n_columns)
    for _ in range(n_passes):
        order = random.permutation(len(visits.positions))
        for first in range(0, len(order), CALL_ROWS):
            some = order[first : first + CALL_ROWS]
            weights, _ = ascent(blocks, visits.positions[some], visits.lengths[some], weights)
    squares: Float = weights * weights
    return squares / squares.max() if squares.max() > 0 else squares


def _total_margins(blocks: ClassBlocks, visits: _Visits, weights: Float, parallel: Any) -> Float:
    """Return the total margin under the squared weights of each start; the sums are exact, in any order."""
    n_rows = len(blocks.rows)
    slices = [(first, min(first + CALL_ROWS, n_rows)) for first in range(0, n_rows, CALL_ROWS)]
    parts = parallel(
        joblib.delayed(margins)(blocks, first, last, squares) for squares in weights for first, last in slices
    )
    thetas = np.concatenate(parts).reshape(len(weights), n_rows)
    return np.array([math.fsum(theta[visits.positions] * visits.lengths) for theta in thetas])
