"""Weights and histograms from one round to the next."""

import numpy as np
import pytest

from tamis.stumps._kernels import histograms
from tamis.stumps._kernels.histograms import Rows

N, POSITIVE_ROWS = 900, 300


def rows_of(weights):
    """Rows in chunks of one class and one owner: two owners."""
    chunks = np.array([[0, 300, 0, 0], [300, 500, 1, 0], [500, 900, 1, 1]])
    return Rows(
        chunks,
        weights.copy(),
        np.empty(N, np.uint32),
        np.empty(N),
        np.zeros(3, np.int64),
        np.zeros(3),
        np.zeros(3),
    )


def problem(seed):
    rng = np.random.default_rng(seed)
    words = rng.integers(0, 1 << 32, (2, N), dtype=np.uint32)
    weights = rng.integers(0, 1 << 40, N).astype(float)
    return words, weights, np.arange(N) >= POSITIVE_ROWS


def plain_histogram(words, weights, label):
    H = np.zeros((8, 2, 256))
    for unit in range(8):
        code = (words[unit // 4] >> np.uint32(8 * (unit % 4))) & np.uint32(255)
        np.add.at(H[unit], (label.astype(int), code), weights)
    return H


@pytest.mark.parametrize("seed", range(2))
def test_full_histograms_equal_plain_loops(seed):
    """The owners' parts add up to the weight of either class in each cell."""
    words, weights, label = problem(seed)
    H = np.empty((2, 8, 2, 256))
    for part in range(2):
        histograms.full_histogram(words, rows_of(weights), weights, H, part, 2)
    assert np.array_equal(H.sum(axis=0), plain_histogram(words, weights, label))


@pytest.mark.parametrize("seed", range(2))
def test_a_round_equals_plain_loops(seed):
    """Rows on the small side are listed and weighed, their histogram mixed in, and all weights updated."""
    words, weights, label = problem(seed)
    rows = rows_of(weights)
    small = np.zeros((2, 256), np.uint8)
    small[0, :40], small[1, 200:] = 1, 1
    parted = np.array([7, 850], np.uint32)
    words[0, parted] = 100 << 8  # a bin that counts as big
    for part in range(2):
        histograms.take_small(words[0], np.uint32(8), small, parted, rows, part, 2)
    code = (words[0] >> np.uint32(8)) & np.uint32(255)
    listed = small[label.astype(int), code] == 1
    listed[parted] = True
    taken = [weights[listed & (label == k)].sum() for k in (False, True)]
    assert rows.small_sums[0] == taken[0]
    assert rows.small_sums[1:].sum() == taken[1]
    assert rows.counts.sum() == listed.sum()
    assert (rows.weights[listed] == 0).all()
    averaging = np.arange(float(N))
    assert histograms.listed_sums(rows, averaging).tolist() == [
        averaging[listed & (label == k)].sum() for k in (False, True)
    ]

    H = plain_histogram(words, weights, label)
    h = np.zeros((8, 2, 256))
    for g in range(2):
        histograms.add_small(words[g], rows, 0, int(rows.counts.sum()), h[4 * g : 4 * g + 4])
    assert np.array_equal(h, plain_histogram(words, weights * listed, label))
    big, small_factor = np.array([0.5, 1.5]), np.array([2.0, 0.25])
    mixed = H.copy()
    histograms.mix(mixed, h, big, small_factor)
    expected = big[:, np.newaxis] * H + (small_factor - big)[:, np.newaxis] * h
    assert np.array_equal(mixed, expected)

    for part in range(2):
        histograms.scale(rows, big, small_factor, part)
    factor = np.where(listed, small_factor[label.astype(int)], big[label.astype(int)])
    new = np.where(weights == 0, 0.0, np.maximum(1.0, np.rint(weights * factor)))
    assert np.array_equal(rows.weights, new)
    assert rows.sums.tolist() == [new[:300].sum(), new[300:500].sum(), new[500:].sum()]


def test_caps_cut_the_weights_of_either_class():
    """No weight exceeds the cap of its class, and the sums follow."""
    _, weights, label = problem(0)
    rows, caps = rows_of(weights), np.array([2.0**38, 2.0**35])
    for part in range(2):
        histograms.cap_weights(rows, caps, part)
    assert np.array_equal(rows.weights, np.minimum(weights, caps[label.astype(int)]))
    assert rows.sums.sum() == rows.weights.sum()
