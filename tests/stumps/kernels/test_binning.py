"""From values to bytes."""

import numpy as np
import pytest

from tamis.stumps._kernels import binning, cutting
from tamis.stumps._kernels.fields import GAP


def cuts_of(values, n_bins):
    """The cuts of a table from all its rows."""
    samples = np.sort(np.ascontiguousarray(values.T), axis=1)
    cut_values, counts, checked, _ = cutting.cut_points(samples, n_bins)
    return binning.Cuts(cut_values, counts, checked, *binning.grids(cut_values, counts))


def plain_codes(values, cuts):
    """How many thresholds lie below each value, 255 for a missing one."""
    codes = np.empty(values.shape, np.uint8)
    for column in range(values.shape[1]):
        last = cuts.n_bins[column] - 1
        below = np.searchsorted(cuts.values[column, :last], values[:, column])
        codes[:, column] = np.where(np.isnan(values[:, column]), GAP, below)
    return codes


def codes_in(words, unit):
    return (words[unit // 4] >> np.uint32(8 * (unit % 4))) & np.uint32(255)


def table(seed):
    rng = np.random.default_rng(seed)
    values = np.column_stack(
        [
            rng.normal(size=700),
            rng.integers(0, 3, 700),
            np.exp(5 * rng.normal(size=700)),
            rng.integers(0, 40, 700),
        ]
    )
    values[rng.random(values.shape) < 0.05] = np.nan
    return values


@pytest.mark.parametrize("n_bins", [255, 30, 6])
def test_codes_of_a_sample_equal_plain_loops(n_bins):
    """Whether few thresholds are compared one by one, found by a grid or by halving."""
    values = table(0)
    cuts = cuts_of(values, n_bins)
    codes = binning.code_sample(np.ascontiguousarray(values.T), cuts, np.arange(4))
    assert np.array_equal(codes.T, plain_codes(values, cuts))


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("order", ["C", "F"])
def test_coded_rows_equal_plain_loops(seed, order):
    """Single columns lie in the bytes of their unit at the row's position, whatever the order of the table."""
    values = np.array(table(seed), order=order)
    cuts = cuts_of(values, 255)
    n_rows, columns = len(values), np.arange(4)
    layout = binning.Layout(columns, np.full(4, -1), np.zeros(4, np.int64), np.full(4, -1), 4, 0)
    chunk = binning.Chunk(
        np.zeros((2, 4, 256), np.uint8), np.zeros((2, 0, 256), np.int64), np.zeros((2, 0), np.int64)
    )
    target = np.random.default_rng(seed).permutation(n_rows)
    words = np.zeros((1, n_rows), np.uint32)
    for part in range(2):
        binning.code_rows(*binning.flat(values), cuts, layout, target, words, chunk, part, 2)
    codes = plain_codes(values, cuts)
    for column in range(4):
        assert np.array_equal(codes_in(words, column)[target], codes[:, column])
        counts = binning.bin_counts(words, column, np.arange(256, dtype=np.uint8))
        assert np.array_equal(counts, np.bincount(codes[:, column], minlength=256))


def test_a_bundle_numbers_its_cells():
    """Rows of one key share a cell, and other rows have others."""
    rng = np.random.default_rng(0)
    values = rng.integers(0, 3, (500, 2)).astype(float)
    cuts = cuts_of(values, 255)
    layout = binning.Layout(
        np.zeros(2, np.int64), np.zeros(2, np.int64), np.array([0, 2]), np.full(2, -1), 0, 1
    )
    chunk = binning.Chunk(
        np.zeros((1, 2, 256), np.uint8), np.zeros((1, 1, 256), np.int64), np.zeros((1, 1), np.int64)
    )
    words = np.zeros((1, 500), np.uint32)
    binning.code_rows(*binning.flat(values), cuts, layout, np.arange(500), words, chunk, 0, 1)
    keys = chunk.keys[0, 0, codes_in(words, 0)]
    assert chunk.n_cells[0, 0] == len(np.unique(values, axis=0))
    assert np.array_equal(keys, values[:, 0] + 4 * values[:, 1])


def test_units_are_picked_and_renamed():
    """Some units move into words of their own; cells get other numbers in some rows only."""
    words = np.random.default_rng(0).integers(0, 1 << 32, (2, 50), dtype=np.uint32)
    picked = binning.pick_units(words, np.array([6, 1]))
    assert picked.shape == (1, 50)
    assert np.array_equal(codes_in(picked, 0), codes_in(words, 6))
    assert np.array_equal(codes_in(picked, 1), codes_in(words, 1))
    before = codes_in(words, 2).copy()
    binning.rename_cells(words, 2, 255 - np.arange(256), np.arange(25))
    assert np.array_equal(codes_in(words, 2)[:25], 255 - before[:25])
    assert np.array_equal(codes_in(words, 2)[25:], before[25:])


@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_are_taken_as_they_lie(order):
    """Some rows, turned."""
    values = np.array(np.arange(300.0).reshape(3, 100), order=order)
    rows = np.array([2, 0])
    assert np.array_equal(binning.take_rows(*binning.flat(values), rows, 100), values[rows].T)
