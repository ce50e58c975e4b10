"""What a chosen stump does to the rows."""

import numpy as np
import pytest

from tamis.stumps._kernels.fields import GAP, INFO, Stump
from tamis.stumps._kernels.splitting import exact_histograms, neighbours, sides
from tamis.stumps._kernels.weights import Settings
from tamis.stumps.binned import binned_table
from tamis.stumps.engine import class_problems
from tamis.stumps.histogram_run import HistogramRun


def run_of(seed):
    """A run on a small table of few bins, its rows by class."""
    rng = np.random.default_rng(seed)
    values = np.column_stack([rng.normal(size=120).round(1), rng.integers(0, 5, 120)])
    values[rng.random(values.shape) < 0.1] = np.nan
    codes = rng.integers(0, 2, 120)
    table = binned_table(values, [False, True], classes=codes, max_bins=12, bundle=False)
    (problem,) = class_problems(codes, 2)
    run = HistogramRun(table, problem, np.arange(2), Settings(4, 0.0, 1.0))
    return run, values[table.table.row_of]


def codes_of(run, column):
    unit = run.table.unit[column]
    return (run.table.table.words[unit // 4] >> np.uint32(8 * (unit % 4))) & np.uint32(255)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("gap_right", [False, True])
@pytest.mark.parametrize("column", [0, 1])
def test_small_sides_equal_plain_loops(seed, gap_right, column):
    """Of each class the side with fewer rows is marked, cell by cell; half and half counts as right."""
    run, _ = run_of(seed)
    small, small_right = np.empty((2, 256), np.uint8), np.empty(2, np.bool_)
    stump = Stump(column, 3, -1, gap_right)
    bin_of = run.table.table.bin_of
    parted = sides(run.counts, run.info, bin_of, run.root.order, run.positive, stump, small, small_right)
    assert len(parted) == 0
    code = codes_of(run, column)
    right = np.where(code == GAP, gap_right, code == 3 if column == 1 else code > 3)
    positive = np.zeros(120, np.bool_)
    positive[slice(*run.positive)] = True
    for label, rows in enumerate((positive, ~positive)):
        n_right, n_left = (right & rows).sum(), (~right & rows).sum()
        assert small_right[label] == (n_right < n_left)
        assert np.array_equal(small[label, code[rows]] == 1, right[rows] == small_right[label])


@pytest.mark.parametrize("seed", range(2))
def test_histograms_of_a_few_columns_equal_plain_loops(seed):
    """From the rows, whatever the histograms that are kept up say."""
    run, _ = run_of(seed)
    weights = np.random.default_rng(seed).integers(0, 99, 120).astype(float)
    table = run.table.table
    H = exact_histograms(np.array([1, 0]), table.words, run.info, table.bin_of, run.positive, weights)
    label = np.ones(120, int)
    label[slice(*run.positive)] = 0
    for i, column in enumerate((1, 0)):
        expected = np.zeros((2, 256))
        np.add.at(expected, (label, codes_of(run, column)), weights)
        assert np.array_equal(H[i], expected)


@pytest.mark.parametrize("seed", range(2))
def test_neighbours_of_a_cut_between_bins(seed):
    """The highest value in use below it and the lowest above it; a nominal stump's code twice; +inf for the gaps."""
    run, values = run_of(seed)
    code = codes_of(run, 0)
    k = int(run.info[0, INFO.first]) + 2
    arguments = run.table.table, run.info, run.flags, run.root.order, run.in_use
    low, high = neighbours(*arguments, 0, k, -1)
    known = code != GAP
    assert low == values[known & (code <= k), 0].max()
    assert high == values[known & (code > k), 0].min()
    assert neighbours(*arguments, 1, 2, -1) == (2.0, 2.0)
    assert neighbours(*arguments, 0, GAP, -1) == (np.inf, np.inf)
