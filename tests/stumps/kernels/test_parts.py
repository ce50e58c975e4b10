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


def played(words, weights, moves, side, groups=(0, 1)):
    """The weight of either class after some moves, and the histograms of some words."""
    H = np.zeros((4 * len(groups), 2, 256))
    moves = np.reshape(moves, (-1, len(MOVE)))
    whole = parts.play(words, weights, POSITIVE, moves, words, np.array(groups), side, H)
    return whole, H


def histogram(words, column, label, weights):
    expected = np.zeros((2, 256))
    np.add.at(expected, (label, codes_in(words, column)), weights)
    return expected


NOTHING = parts.Side(parts.NO_ROW, np.zeros((2, 256), np.uint8))
ALL = parts.Side(parts.EVERY_ROW, np.zeros((2, 256), np.uint8))


@pytest.mark.parametrize("gap_right", [False, True])
@pytest.mark.parametrize("cut", [0, 90, 254, GAP])
@pytest.mark.parametrize("nominal", [False, True])
def test_moves_equal_plain_loops(nominal, cut, gap_right):
    """Moves multiply the weights, one after the other, by the factor of their class and side."""
    words, weights, label = part_of(cut)
    words[1, ::3] |= np.uint32(GAP << 16)
    weights[::9] = 0
    moves = np.array([[nominal, 6, cut, gap_right, 0.75, 1.5, 1.25, 0.5], [0, 1, 7, 0, 1.1, 0.9, 0.8, 1.2]])
    expected = weights.copy()
    for move in moves:
        code = codes_in(words, int(move[MOVE.column]))
        known = code == move[MOVE.cut] if move[MOVE.kind] else code > move[MOVE.cut]
        right = np.where(code == GAP, move[MOVE.gap_right] > 0, known & (move[MOVE.cut] != GAP))
        assert np.array_equal(parts.right_cells(move)[code], right)
        factor = move[MOVE.positive_left :].reshape(2, 2)[label, right.astype(int)]
        expected = np.where(expected == 0, 0, np.maximum(1.0, np.rint(expected * factor)))
    whole, H = played(words, weights, moves, NOTHING)
    assert np.array_equal(weights, expected)
    assert np.array_equal(whole, [expected[label == 0].sum(), expected[label == 1].sum()])
    assert not H.any()


def test_a_cap_cuts_the_weights_of_either_class():
    """No weight exceeds the cap of its class."""
    words, weights, label = part_of(0)
    move = np.zeros(8)
    move[CAP.kind], move[CAP.positive], move[CAP.negative] = parts.WEIGHT_CAP, 2.0**38, 2.0**36
    expected = np.minimum(weights, np.array([2.0**38, 2.0**36])[label])
    played(words, weights, move, NOTHING)
    assert np.array_equal(weights, expected)


@pytest.mark.parametrize("seed", range(2))
def test_histograms_and_edges_equal_plain_loops(seed):
    """A part's weights by class and code, and the edge of a stump from them."""
    words, weights, label = part_of(seed)
    _, H = played(words, weights, [], ALL)
    for column in range(8):
        assert np.array_equal(H[column], histogram(words, column, label, weights))
    move = np.array([0.0, 3, 100, False, 1, 1, 1, 1])
    code = codes_in(words, 3)
    sides = np.where((code > 100) & (code != GAP), 1, -1)
    assert parts.stump_edge(H[3], move) == (sides * np.where(label == 0, 1, -1) * weights).sum()


@pytest.mark.parametrize("block", [64, 8192])
def test_histograms_of_a_side_hold_its_rows_alone(block, monkeypatch):
    """Of each class those rows whose bin is wanted go in, after the moves; only the named words are read."""
    words, weights, label = part_of(3)
    monkeypatch.setattr(parts, "BLOCK", block)
    play = getattr(parts.play, "py_func", parts.play)
    cells = np.random.default_rng(0).integers(0, 2, (2, 256), dtype=np.uint8)
    H = np.zeros((4, 2, 256))
    side = parts.Side(5, cells)
    moves = np.array([[0, 1, 7, 0, 1.1, 0.9, 0.8, 1.2]])
    whole = play(words, weights, POSITIVE, moves, words, np.array([1]), side, H)
    wanted = cells[label, codes_in(words, 5)] > 0
    assert whole.sum() == weights.sum()
    for column in range(4, 8):
        expected = histogram(words, column, label, np.where(wanted, weights, 0))
        assert np.array_equal(H[column - 4], expected)
