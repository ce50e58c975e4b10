"""The loops of a tree: rows parted between nodes, histograms taken out of each other."""

import numpy as np

from tamis.stumps._kernels import trees
from tamis.stumps._kernels.fields import INFO
from tamis.stumps._kernels.tree_splits import View


def grown(codes, weights):
    """Room for a tree of four leaves on columns of codes, and the table as it is read."""
    n_rows = len(weights)
    words = np.zeros((1, n_rows), dtype=np.uint32)
    for unit, column in enumerate(codes):
        words[0] |= column.astype(np.uint32) << np.uint32(8 * unit)
    info = np.zeros((len(codes), len(INFO)), dtype=np.int64)
    info[:, INFO.unit], info[:, INFO.last] = np.arange(len(codes)), 254
    bin_of = np.tile(np.arange(256, dtype=np.uint8), (len(codes), 1))
    growth = trees.Growth(
        nodes=np.zeros((7, len(trees.NODE)), dtype=np.int64),
        sums=np.zeros((7, len(trees.SUM))),
        H=np.empty((4, 4, 1, 256)),
        listed=np.empty(n_rows, dtype=np.uint32),
        taken=np.empty(n_rows),
        other_listed=np.empty(n_rows, dtype=np.uint32),
        other_taken=np.empty(n_rows),
        scratch=np.zeros(256),
    )
    return View(words, bin_of, info, np.zeros((len(codes), 256), dtype=np.uint8)), growth


def test_a_node_is_parted_in_the_order_of_its_rows():
    """Left rows first, each side in the order it had, with its weights; and so again for a child."""
    random = np.random.default_rng(0)
    codes, weights = random.integers(8, size=(2, 20)), random.integers(-9, 9, size=20).astype(np.float64)
    view, growth = grown(codes, weights)
    trees.begin(growth, weights)
    assert growth.sums[0, trees.SUM.all] == weights.sum()
    growth.nodes[0, trees.NODE.column], growth.nodes[0, trees.NODE.cut] = 0, 3
    trees.divide(view, growth, weights, 0, 1)
    left, right = np.flatnonzero(codes[0] <= 3), np.flatnonzero(codes[0] > 3)
    assert growth.listed.tolist() == [*left, *right]
    np.testing.assert_array_equal(growth.taken, weights[growth.listed])
    growth.nodes[2, trees.NODE.column], growth.nodes[2, trees.NODE.cut] = 1, 2
    trees.divide(view, growth, weights, 2, 3)
    high = codes[1][right] > 2
    assert growth.listed.tolist() == [*left, *right[~high], *right[high]]
    assert growth.nodes[3:5, trees.NODE.parent].tolist() == [2, 2]


def test_the_histogram_of_a_sibling_is_what_is_left():
    """That of the root less that of one child is that of the other."""
    random = np.random.default_rng(1)
    codes, weights = random.integers(5, size=(3, 50)), random.integers(-9, 9, size=50).astype(np.float64)
    view, growth = grown(codes, weights)
    trees.begin(growth, weights)
    trees.root_histogram(view.words, weights, growth.H[0])
    for unit in range(3):
        expected = np.bincount(codes[unit], weights, 256)
        np.testing.assert_array_equal(growth.H[0, unit, 0], expected)
    growth.nodes[0, trees.NODE.column], growth.nodes[0, trees.NODE.cut] = 1, 1
    trees.divide(view, growth, weights, 0, 1)
    trees.take_out(view, growth, growth.nodes[1], growth.H[1], growth.H[0])
    for unit in range(3):
        for slot, rows in ((1, codes[1] <= 1), (0, codes[1] > 1)):
            expected = np.bincount(codes[unit][rows], weights[rows], 256)
            np.testing.assert_array_equal(growth.H[slot, unit, 0], expected)


def test_a_soft_margin_gives_up_at_most_its_share_of_the_rows():
    """Factors above the quantile count as it does; the weights keep their signs, and rows of weight 0 stay out."""
    start = np.array([8.0, -8.0, 8.0, -8.0, 0.0]) * 2.0**20
    raw = np.array([1.0, 6.0, 0.5, 3.0, 9.0])
    none = np.empty(0)
    work = trees.Work(np.zeros(5), 0.25, start, raw, none, none, 4.0, none, none, none)
    trees.soften(work)
    expected = np.abs(start) * np.minimum(raw, 3.0) / 4.0
    np.testing.assert_array_equal(np.abs(work.weights), expected)
    np.testing.assert_array_equal(np.sign(work.weights), np.sign(start))
    huge = work._replace(raw=raw * 2.0**500)
    trees.soften(huge)
    np.testing.assert_array_equal(np.abs(huge.weights), expected)
    assert huge.raw.max() < 2.0**200
