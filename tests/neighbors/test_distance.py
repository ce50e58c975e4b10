"""The distance of two rows of a mixed table."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from tamis.neighbors import NAMED_METRICS, STEPS, MixedSpace, pair_distances
from tests.neighbors.random_tables import mixed_table
from tests.oracles import neighbors as oracle
from tests.settings import N_PROBLEMS

NUMERIC = np.array([False])


def one_column(values, metric="l1", nominal=False):
    column = np.array(values, dtype=float)[:, np.newaxis]
    return column, MixedSpace.fit(column, np.array([nominal]), metric)


@pytest.mark.parametrize("metric", ["l1", "l2"])
@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_pairs_equal_oracle(seed, metric):
    """All pairs of fitted and of new rows have exactly the distance of the plain loops."""
    fitted, new, nominal = mixed_table(seed, n_max=50, d_max=20)
    space = MixedSpace.fit(fitted, nominal, metric)
    expected = oracle.all_distances(np.vstack([fitted, new]), fitted, nominal, metric)
    found = pair_distances(space, np.vstack([fitted, new]), fitted)
    assert found.dtype == np.int64
    assert found.tolist() == expected


@pytest.mark.parametrize("metric", ["l1", "l2"])
@pytest.mark.parametrize("levels", [3, 7, 10, 999, 2000])
def test_equal_differences_tie(levels, metric):
    """Decimal values the same number of grid points apart are at the same distance, wherever they lie."""
    grid = np.arange(levels + 1) / levels * 0.3 - 0.1
    column, space = one_column(grid, metric)
    for gap in {1, 2, levels // 2}:
        distances = {int(d) for d in np.diagonal(pair_distances(space, column[:-gap], column[gap:]))}
        step = Fraction(gap, levels) ** (1 if metric == "l1" else 2)
        assert distances == {round(step * STEPS)}


def test_tenths_tie():
    """0.1, 0.2 and 0.3: the middle value is as far from the first as from the last."""
    column, space = one_column([0.1, 0.2, 0.3])
    assert pair_distances(space, column, column)[1].tolist() == [STEPS // 2, 0, STEPS // 2]


@pytest.mark.parametrize("metric", ["l1", "l2"])
@pytest.mark.parametrize("seed", range(5))
def test_rounding_is_that_of_exact_arithmetic(seed, metric):
    """Steps equal those of rational arithmetic on the very same floating-point values."""
    values = np.random.default_rng(seed).normal(size=40)
    column, space = one_column(values, metric)
    spread = Fraction(values.max()) - Fraction(values.min())
    power = 1 if metric == "l1" else 2
    expected = [
        [round(abs((Fraction(a) - Fraction(b)) / spread) ** power * STEPS) for b in values] for a in values
    ]
    assert pair_distances(space, column, column).tolist() == expected


@pytest.mark.parametrize("metric", ["l1", "l2"])
def test_distance_is_the_sum_of_its_columns(metric):
    """The distance over all columns is the sum of the distances over each column alone."""
    fitted, _, nominal = mixed_table(3)
    whole = pair_distances(MixedSpace.fit(fitted, nominal, metric), fitted, fitted)
    total = np.zeros_like(whole)
    for j in range(fitted.shape[1]):
        column = fitted[:, [j]]
        total += pair_distances(MixedSpace.fit(column, nominal[[j]], metric), column, column)
    assert np.array_equal(whole, total)


def test_constant_column_counts_only_its_gaps():
    """A constant column adds nothing, even for a new value; a gap in it is still at distance 1."""
    _, space = one_column([5.0, 5.0, np.nan])
    rows = np.array([[5.0], [9.0], [np.nan]])
    assert (pair_distances(space, rows, rows) // STEPS).tolist() == [[0, 0, 1], [0, 0, 1], [1, 1, 0]]


def test_gaps_and_unseen_codes():
    """Known against missing is 1, missing against missing 0, a nominal value never seen 1 from every seen one."""
    column, space = one_column([0.0, 1.0, np.nan], nominal=True)
    new = np.array([[2.0], [np.nan], [1.0]])
    assert (pair_distances(space, new, column) // STEPS).tolist() == [[1, 1, 1], [1, 1, 0], [1, 0, 1]]


@pytest.mark.parametrize("metric", ["l1", "l2"])
@pytest.mark.parametrize("top", [np.finfo(float).max, 1e305, 1e-300, 5e-324, 2.3e-308])
def test_extreme_ranges(top, metric):
    """The two ends of a range that overflows, or is denormal, are at distance 1."""
    column, space = one_column([-top, top, -top], metric)
    assert pair_distances(space, column, column)[0].tolist() == [0, STEPS, 0]


def test_values_far_beyond_the_range_count_as_the_limit():
    """New values are scaled without clipping up to `limit` ranges, beyond which they count as the limit."""
    fitted = np.array([[0.0], [2.0]])
    for metric, power in (("l1", 1), ("l2", 2)):
        space = MixedSpace.fit(fitted, NUMERIC, metric)
        new = np.array([[-20.0], [space.limit * 2], [1e300], [-1e300], [np.finfo(float).max]])
        ranges = [10, space.limit, space.limit, space.limit, space.limit]
        assert pair_distances(space, new, fitted)[:, 0].tolist() == [r**power * STEPS for r in ranges]


def test_no_sum_overflows_with_many_columns():
    """The farthest pair of new rows over 3,000 columns has its distance to the step."""
    fitted = np.vstack([np.zeros(3000), np.ones(3000)])
    for metric, power in (("l1", 1), ("l2", 2)):
        space = MixedSpace.fit(fitted, np.zeros(3000, dtype=bool), metric)
        far = np.full((1, 3000), 1e9)
        term = round(Fraction(2 * space.limit) ** power * STEPS)
        assert pair_distances(space, far, -far).tolist() == [[3000 * term]]


def test_memory_order_does_not_matter():
    """C order, Fortran order and strided views give the same distances."""
    fitted, _, nominal = mixed_table(8)
    space = MixedSpace.fit(fitted, nominal)
    strided = np.repeat(fitted, 2, axis=0)[::2]
    for other in (np.asfortranarray(fitted), strided):
        assert np.array_equal(pair_distances(space, other, other), pair_distances(space, fitted, fitted))


def test_scaled_once_or_every_time():
    """Rows scaled beforehand, and parts of them, give the distances of the raw rows."""
    fitted, new, nominal = mixed_table(11)
    space = MixedSpace.fit(fitted, nominal)
    some = space.scaled(fitted).take([1, 0])
    assert np.array_equal(
        pair_distances(space, space.scaled(new), some), pair_distances(space, new, fitted[[1, 0]])
    )


@pytest.mark.parametrize("metric", NAMED_METRICS)
def test_named_metrics_equal_scipy(metric):
    """scikit-learn's metrics are measured on the values scaled to the range of fit."""
    values = np.random.default_rng(0).normal(size=(30, 4)) + 1.0
    space = MixedSpace.fit(values, np.zeros(4, dtype=bool), metric)
    scaled = (values - values.min(axis=0)) / np.ptp(values, axis=0)
    expected = cdist(scaled, scaled, "cityblock" if metric == "manhattan" else metric)
    np.testing.assert_allclose(pair_distances(space, values, values), expected, rtol=0, atol=1e-12)


def test_undefined_cosine_is_one_or_zero():
    """A row of zeros is at cosine distance 0 from its equals and 1 from others."""
    values = np.array([[0.0, 0.0], [1.0, 0.5], [0.0, 1.0], [0.0, 0.0]])
    space = MixedSpace.fit(values, np.zeros(2, dtype=bool), "cosine")
    assert pair_distances(space, values, values)[0].tolist() == [0.0, 1.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("values", "nominal", "metric", "message"),
    [
        ([[1.0]], [False], "l3", "metric='l3' is unknown. Use one of l1, l2"),
        ([[1.0]], [False, True], "l2", r"nominal of shape \(2,\)"),
        (np.empty((0, 1)), [False], "l2", "at least one row"),
        ([[1.0], [np.inf]], [False], "l2", "column 0 holds an infinite value"),
        ([[0.5]], [True], "l2", "whole-number codes"),
        ([[-1.0]], [True], "l2", "whole-number codes"),
        ([[1.0], [np.nan]], [False], "cosine", "0 categorical columns and 1 missing values"),
        ([[1.0]], [True], "cosine", "1 categorical columns and 0 missing values"),
    ],
)
def test_bad_tables_are_named(values, nominal, metric, message):
    """What cannot be measured is refused in one sentence."""
    with pytest.raises(ValueError, match=message):
        MixedSpace.fit(values, nominal, metric)


def test_rows_of_another_space_or_width_are_refused():
    """Rows with another number of columns, or scaled elsewhere, are not measured."""
    column, space = one_column([0.0, 1.0])
    _, other = one_column([0.0, 2.0])
    with pytest.raises(ValueError, match=r"shape \(1, 2\), but fit saw 1 columns"):
        space.scaled([[1.0, 2.0]])
    with pytest.raises(ValueError, match="scaled by another space"):
        pair_distances(space, column, other.scaled(column))
