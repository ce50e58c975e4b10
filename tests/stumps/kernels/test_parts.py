"""Tables in parts: distinct values, weights and histograms of a part."""

import numpy as np
import pytest

from tamis.stumps._kernels import parts
from tamis.stumps._kernels.fields import CAP, GAP, MOVE

POSITIVE = (100, 250)


def part_of(seed):
    rng = np.random.default_rng(seed)
    words = rng.integers(0, 1 << 32, (2, 400), dtype=np.uint32)
    weights = rng.integers(0, 1 << 40, 400).astype(float)
    label = np.ones(400, int)
    label[slice(*POSITIVE)] = 0
    return words, weights, label


def codes_in(words, column):
    return (words[column // 4] >> np.uint32(8 * (column % 4))) & np.uint32(255)


@pytest.mark.parametrize("most", [255, 3])
def test_distinct_values_are_those_of_numpy(most):
    """All distinct values, missing ones aside; one more than there is room for says that there are more."""
    x = np.random.default_rng(0).integers(-4, 5, 200) / 3 + 0.0
    x[::7] = np.nan
    room = np.empty(most)
    n_distinct = parts.distinct_values(x, x.view(np.int64), most, room)
    expected = np.unique(x[~np.isnan(x)])
    assert n_distinct == min(len(expected), most + 1)
    if n_distinct <= most:
        assert np.array_equal(np.sort(room[:n_distinct]), expected)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("nominal", [False, True])
def test_moves_equal_plain_loops(seed, nominal):
    """A move multiplies the weights by the factor of their class and side."""
    words, weights, label = part_of(seed)
    move = np.array([nominal, 6, 90, True, 0.75, 1.5, 1.25, 0.5])
    code = codes_in(words, 6)
    right = np.where(code == GAP, True, code == 90 if nominal else code > 90)
    assert np.array_equal(parts.right_cells(move)[code], right)
    factor = move[MOVE.positive_left :].reshape(2, 2)[label, right.astype(int)]
    expected = np.where(weights == 0, 0, np.maximum(1.0, np.rint(weights * factor)))
    parts.advance(words, weights, POSITIVE, move)
    assert np.array_equal(weights, expected)


def test_a_cap_cuts_the_weights_of_either_class():
    """No weight exceeds the cap of its class."""
    words, weights, label = part_of(0)
    move = np.zeros(8)
    move[CAP.kind], move[CAP.positive], move[CAP.negative] = parts.WEIGHT_CAP, 2.0**38, 2.0**36
    expected = np.minimum(weights, np.array([2.0**38, 2.0**36])[label])
    parts.advance(words, weights, POSITIVE, move)
    assert np.array_equal(weights, expected)


@pytest.mark.parametrize("seed", range(2))
def test_histograms_and_edges_equal_plain_loops(seed):
    """A part's weights by class and code, and the edge of a stump from them."""
    words, weights, label = part_of(seed)
    H = np.zeros((8, 2, 256))
    parts.add_rows(words, weights, POSITIVE, H)
    for column in range(8):
        expected = np.zeros((2, 256))
        np.add.at(expected, (label, codes_in(words, column)), weights)
        assert np.array_equal(H[column], expected)
    move = np.array([0.0, 3, 100, False, 1, 1, 1, 1])
    code = codes_in(words, 3)
    sides = np.where((code > 100) & (code != GAP), 1, -1)
    assert parts.stump_edge(H[3], move) == (sides * np.where(label == 0, 1, -1) * weights).sum()
