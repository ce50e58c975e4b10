"""Several columns in one byte."""

import numpy as np

from tamis.stumps._kernels.bundling import cell_bins, plan_bundles
from tamis.stumps._kernels.fields import GAP


def test_bins_can_be_read_from_the_keys_of_a_bundle():
    """Whatever columns share a bundle, the key of a row tells the bin, or the gap, of each of them."""
    rng = np.random.default_rng(0)
    n_bins = np.array([2, 2, 5, 3, 2, 30])
    codes = np.array([rng.integers(0, n, 400) for n in n_bins]).astype(np.uint8)
    codes[2, rng.random(400) < 0.1] = GAP
    bundle, shift, gap_bin = plan_bundles(codes, n_bins, True)
    assert gap_bin.tolist() == [-1, -1, 5, -1, -1, -1]
    assert len(np.unique(bundle)) < len(n_bins)
    for number in np.unique(bundle):
        members = np.flatnonzero(bundle == number)
        bins = np.array([np.where(codes[i] == GAP, gap_bin[i], codes[i]).astype(np.int64) for i in members])
        keys, cells = np.unique((bins << shift[members, np.newaxis]).sum(axis=0), return_inverse=True)
        assert len(keys) <= 256
        for i in members:
            assert np.array_equal(cell_bins(keys, shift[i], n_bins[i], gap_bin[i])[cells], codes[i])


def test_a_sample_leaves_room_for_cells_that_it_does_not_show():
    """Where most joint cells were seen once, columns are not bundled unless the sample is the whole table."""
    rng = np.random.default_rng(1)
    n_bins = np.full(2, 20)
    codes = rng.integers(0, 20, (2, 150)).astype(np.uint8)
    assert plan_bundles(codes, n_bins, True)[0].tolist() == [0, 0]
    assert plan_bundles(codes, n_bins, False)[0].tolist() == [0, 1]
