"""From a table to the arrays of the evolution kernel, and from the best genome to a hypothesis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tamis.evolution._kernels.niches import evolve_niches
from tamis.evolution._kernels.runs import evolve_runs
from tamis.evolution._kernels.strategy import LANES, evolve
from tamis.table._distinct import first_equals
from tamis.table.weights import whole_weights

Float = NDArray[np.float64]
Int = NDArray[np.int64]
_LINE = 16  # rows are padded to a whole cache line of single-precision numbers


@dataclass(frozen=True)
class Columns:
    """How the columns of a table are read: ranges, categories and missing values, learnt from the training rows.

    Parameters
    ----------
    numeric, nominal : ndarray of int
        The numeric and the categorical columns that take part; constants and exact copies of earlier columns do not.
    low, high : ndarray, shape (d,)
        The range of a numeric column, scaled to [0, 1].
    owners : ndarray of int, shape (m,)
        Column of each view; a view is one category of a categorical column, or "missing" in a column with missing
        values.
    levels : ndarray, shape (m,)
        The code of each view's category, NaN for "missing".
    """

    numeric: NDArray[np.intp]
    nominal: NDArray[np.intp]
    low: Float
    high: Float
    owners: NDArray[np.intp]
    levels: Float

    @classmethod
    def of(cls, values: Float, nominal: NDArray[np.bool_]) -> Columns:
        """Read the columns of `values`, shape (n, d), in which NaN is a missing value."""
        missing = np.isnan(values)
        n_missing = missing.sum(axis=0)
        low = np.where(missing, np.inf, values).min(axis=0, initial=np.inf)
        high = np.where(missing, -np.inf, values).max(axis=0, initial=-np.inf)
        used = first_equals(values, nominal) == np.arange(values.shape[1])
        categories = {
            k: np.unique(values[~missing[:, k], k]) for k in np.flatnonzero(used & nominal).tolist()
        }
        owners, levels = [], []
        for k in np.flatnonzero(used & (nominal | (n_missing > 0))).tolist():
            known = categories[k].tolist() if k in categories else []
            views = [*known, *([np.nan] if n_missing[k] else [])]
            owners += [k] * len(views)
            levels += views
        ranged = used & ~nominal
        low, high = np.where(ranged, low, 0.0), np.where(ranged, high, 1.0)
        return cls(
            np.flatnonzero(used & ~nominal),
            np.flatnonzero(used & nominal),
            low,
            high,
            np.asarray(owners, dtype=np.intp),
            np.asarray(levels, dtype=np.float64),
        )

    @property
    def used(self) -> NDArray[np.intp]:
        """The columns that take part, in the order of their weights in a genome."""
        return np.concatenate([self.numeric, self.nominal])

    def scaled(self, values: Float) -> Float:
        """Return the numeric columns that take part, scaled to [0, 1], missing values as 0; shape (n, p)."""
        low, high = self.low[self.numeric] / 2, self.high[self.numeric] / 2  # halves: the range may overflow
        width = np.where(high > low, high - low, 1.0)
        return np.nan_to_num((values[:, self.numeric] / 2 - low) / width)

    def indicators(self, values: Float) -> NDArray[np.bool_]:
        """Return whether each view is true for each row; shape (n, m)."""
        cells = values[:, self.owners]
        return np.where(np.isnan(self.levels), np.isnan(cells), cells == self.levels)


@dataclass(frozen=True)
class Hypothesis:
    """h(x): the sum over the columns of weight times distance from the centre, or of weight times value.

    Parameters
    ----------
    columns : Columns
        How the columns are read.
    weights : ndarray, shape (d,)
        0 for a column that takes no part.
    centers : ndarray, shape (d,)
        Scaled to [0, 1]; 0 for the linear hypothesis and for categorical columns.
    distances : ndarray, shape (m,)
        What replaces |x - c| for each view.
    curve : ndarray, shape (generations + 1,)
        Area under the ROC curve on the training rows, or the share of concordant pairs, of the best hypothesis after each
        generation.
    linear : bool
        Whether a column adds its value instead of its distance from the centre.
    """

    columns: Columns
    weights: Float
    centers: Float
    distances: Float
    curve: Float
    linear: bool

    @property
    def auc(self) -> float:
        """Area under the ROC curve on the training rows, or the share of concordant pairs."""
        return float(self.curve[-1])

    def points(self) -> Float:
        """Return the centres in the columns' own units, NaN where there is none; shape (d,)."""
        points = np.full(len(self.weights), np.nan)
        if not self.linear:
            numeric = self.columns.numeric
            share, low, high = self.centers[numeric], self.columns.low[numeric], self.columns.high[numeric]
            points[numeric] = low * (1 - share) + high * share
        return points

    def values(self, rows: Float) -> Float:
        """Return the hypothesis for each row, shape (n,).

        Unknown categories, and missing values in a column that had none in training, count 1/2.
        """
        columns = self.columns
        numeric = columns.numeric
        away = columns.scaled(rows) - self.centers[numeric]
        distance = np.full(rows.shape, 0.5)
        distance[:, numeric] = np.where(
            np.isnan(rows[:, numeric]), 0.5, away if self.linear else np.abs(away)
        )
        holds = columns.indicators(rows)
        for view, owner in enumerate(columns.owners):
            distance[holds[:, view], owner] = self.distances[view]
        result: Float = (distance * self.weights).sum(axis=1)
        return result


def evolved(
    columns: Columns,
    values: Float,
    places: Int,
    weights: Float,
    *,
    linear: bool,
    n_evaluations: int,
    seed: int,
    niching: bool = False,
) -> list[Hypothesis]:
    """Return the best hypothesis of one evolution in which h is to grow with the `places` of the rows; all 20 with niches.

    Parameters
    ----------
    columns : Columns
        How the columns are read.
    values : ndarray, shape (n, d)
        The training rows.
    places : ndarray of int, shape (n,)
        h is to be smaller for a row of lower place; at least two places. Two classes are two places, numbers as many as they
        have values.
    weights : ndarray, shape (n,)
        Row weights, positive; rounded to whole numbers where there are more than two places.
    linear : bool
        Which kind of hypothesis.
    n_evaluations : int
        The largest number of hypotheses to evaluate.
    seed : int
        Seed of all random choices.
    niching : bool, default=False
        Whether each child competes only with the parent most like it.

    Returns
    -------
    list of Hypothesis
        The best one; with niches all parents of the last population, the best first, then as they stand.
    """
    n_columns = values.shape[1]
    order, groups = _in_groups(places)
    weights = _exact_weights(weights, groups)[order]
    used = columns.used
    if not len(used):
        nothing = np.zeros(n_columns)
        return [Hypothesis(columns, nothing, nothing, np.zeros(0), np.asarray([0.5]), linear)]
    position = np.zeros(n_columns, dtype=np.int64)
    position[used] = np.arange(len(used))
    # random integers overflow on purpose; NumPy would warn of it when the kernel is not compiled
    given = (
        _padded(columns.scaled(values)[order].T),
        _padded(columns.indicators(values)[order].T),
        position[columns.owners],
        weights,
        groups,
        linear,
        n_evaluations,
        generator(seed),
    )
    pairs = _twice_the_pairs(weights, groups)
    with np.errstate(over="ignore"):
        if not niching:
            genome, curve = evolve(*given)
            return [_hypothesis(columns, n_columns, genome, 1.0 - curve / pairs, linear)]
        genomes, lost, curve = evolve_niches(*given)
    curves = [1.0 - np.asarray([one]) / pairs for one in lost]
    best = int(np.argmin(lost))
    curves[best] = 1.0 - curve / pairs
    places_of = [best, *(place for place in range(len(lost)) if place != best)]
    return [_hypothesis(columns, n_columns, genomes[place], curves[place], linear) for place in places_of]


def _hypothesis(
    columns: Columns, n_columns: int, genome: NDArray[np.float32], curve: Float, linear: bool
) -> Hypothesis:
    """Return the hypothesis of a genome."""
    used, p = columns.used, len(columns.numeric)
    weights, centers = np.zeros(n_columns), np.zeros(n_columns)
    genes = genome.astype(np.float64)
    weights[used] = 2 * genes[: len(used)] - 1 if linear else genes[: len(used)]
    if not linear:
        centers[columns.numeric] = genes[len(used) : len(used) + p]
    return Hypothesis(columns, weights, centers, genes[len(genes) - len(columns.owners) :], curve, linear)


def evolved_runs(
    scaled: Float,
    places: Int,
    weights: Float,
    columns: NDArray[np.int64],
    *,
    linear: bool,
    n_evaluations: int,
    seeds: Sequence[int],
) -> tuple[Float, Float]:
    """Do the work of `evolved` for many runs; return the weights of their columns (r, width) and their areas (r,).

    Parameters
    ----------
    scaled : ndarray, shape (n, d)
        Numeric columns scaled to [0, 1], without missing values, none of them constant.
    places, weights, linear, n_evaluations
        As for `evolved`.
    columns : ndarray of int, shape (r, width)
        The columns of each run, ascending.
    seeds : sequence of int
        One per run.

    Returns
    -------
    weights, areas
        Bit for bit those of `evolved` on the same columns with the same seed.
    """
    order, groups = _in_groups(places)
    states = np.stack([generator(seed) for seed in seeds])
    weights = _exact_weights(weights, groups)[order]
    with np.errstate(over="ignore"):
        genomes, lost = evolve_runs(
            _padded(scaled[order].T),
            columns,
            weights,
            groups,
            linear,
            n_evaluations,
            states,
        )
    genes = genomes[:, : columns.shape[1]].astype(np.float64)
    return 2 * genes - 1 if linear else genes, 1.0 - lost / _twice_the_pairs(weights, groups)


def _in_groups(places: Int) -> tuple[NDArray[np.intp], Int]:
    """Return the rows by place, and where each place begins among them, and their number."""
    order = np.argsort(places, kind="stable")
    ranked = places[order]
    starts = np.concatenate([[True], ranked[1:] != ranked[:-1], [True]])
    return order, np.flatnonzero(starts).astype(np.int64)


def _exact_weights(weights: Float, groups: Int) -> Float:
    """Return ones if all weights are equal (products of others round, and break ties), whole numbers between many groups."""
    if (weights == weights[0]).all():
        return np.ones_like(weights)
    return weights if len(groups) == 3 else whole_weights(len(weights), weights).astype(np.float64)


def _twice_the_pairs(weights: Float, groups: Int) -> float:
    """Return twice the weight of the pairs of rows of different groups."""
    if len(groups) == 3:
        return 2.0 * float(weights[: groups[1]].sum()) * float(weights[groups[1] :].sum())
    held = np.add.reduceat(weights.astype(np.int64), groups[:-1])
    return float(int(held.sum()) ** 2 - sum(int(one) ** 2 for one in held))


def generator(seed: int) -> NDArray[np.uint32]:
    """Return the states of LANES xoshiro128++ generators, (4, LANES), filled by splitmix64 from a 64-bit seed."""
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + np.arange(1, 2 * LANES + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        v = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        v = (v ^ (v >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    words = v ^ (v >> np.uint64(31))
    low, high = words[:LANES], words[LANES:]
    mask, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    halves = [low & mask, low >> half, high & mask, high >> half]
    return np.stack(halves).astype(np.uint32)


def _padded(block: NDArray[np.generic]) -> NDArray[np.float32]:
    """Return a block (columns, rows) in single precision, each column on cache lines of its own."""
    height, n = block.shape
    width = -(-n // _LINE) * _LINE
    memory = np.zeros(height * width + _LINE, dtype=np.float32)
    start = (-memory.ctypes.data % 64) // 4
    padded = memory[start : start + height * width].reshape(height, width)
    padded[:, :n] = block
    return padded
