"""The best split of a node, beside every cut written out."""

import numpy as np
import pytest

from tamis.stumps._kernels import tree_splits
from tamis.stumps._kernels.fields import GAP, IN_USE, INFO


def cuts(h, first, last, nominal, has_gaps):
    """Every split in the order of ties: cut, gap_right, F."""
    S, found = h.sum(), []
    for k in range(first, last + 1 if nominal else last):
        for gap_right in range(1 + has_gaps):
            right = h[k] if nominal else h[k + 1 : GAP].sum()
            found.append((k, gap_right, S - right - gap_right * h[GAP]))
    return [*found, (GAP, 1, S - h[GAP])] if has_gaps else found


@pytest.mark.parametrize("seed", range(30))
def test_the_best_split_is_the_first_of_largest_edge(seed):
    """Over numeric and nominal columns, with and without gaps; none where no edge is above the least."""
    random = np.random.default_rng(seed)
    n_columns, n_bins = 3, int(random.integers(2, 9))
    H = np.zeros((4, 1, 256))
    H[:3, 0, :n_bins] = random.integers(-5, 6, size=(3, n_bins))
    has_gaps = random.random(n_columns) < 0.5
    H[:3, 0, GAP] = np.where(has_gaps, random.integers(-5, 6, size=3), 0)
    H[:3, 0, 0] += H[0, 0].sum() - H[:3, 0].sum(axis=1)
    S = float(H[0, 0].sum())
    info = np.zeros((n_columns, len(INFO)), dtype=np.int64)
    info[:, INFO.unit], info[:, INFO.last] = np.arange(n_columns), n_bins - 1
    info[:, INFO.has_gaps], info[:, INFO.nominal] = has_gaps, random.random(n_columns) < 0.5
    flags = np.full((n_columns, 256), IN_USE, dtype=np.uint8)
    bin_of = np.tile(np.arange(256, dtype=np.uint8), (n_columns, 1))
    view = tree_splits.View(np.zeros((1, 1), dtype=np.uint32), bin_of, info, flags)
    columns = np.arange(n_columns)
    for least in (0.0, abs(S)):
        best = (least, -1, -1, 0, 0.0)
        for column in columns:
            own = cuts(H[column, 0], 0, n_bins - 1, info[column, INFO.nominal], int(has_gaps[column]))
            for cut, gap_right, F in own:
                if abs(S - 2 * F) > best[0]:
                    best = (abs(S - 2 * F), column, cut, gap_right, F)
        assert tree_splits.best_split(view, H, columns, S, least, np.zeros(256)) == best
    edges = tree_splits.column_edges(view, H, columns, S)
    assert edges.max() == tree_splits.best_split(view, H, columns, S, 0.0, np.zeros(256))[0]


def test_a_bundle_of_columns_is_summed_over_its_cells():
    """Cells of one bin add up; the others stay empty."""
    H = np.zeros((4, 1, 256))
    H[2, 0, :4] = [1.0, 2.0, 4.0, 8.0]
    info = np.zeros((1, len(INFO)), dtype=np.int64)
    info[0, INFO.unit], info[0, INFO.n_cells] = 2, 4
    bin_of = np.zeros((1, 256), dtype=np.uint8)
    bin_of[0, :4] = [1, 0, 1, GAP]
    h = tree_splits.column_histogram(H, info, bin_of, 0, np.full(256, 7.0))
    assert h[[0, 1, GAP]].tolist() == [2.0, 5.0, 8.0]
    assert h.sum() == 15.0
