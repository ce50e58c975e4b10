"""Where columns are cut into bins."""

import numpy as np

from tamis.stumps._kernels.cutting import cut_points, part_bins


def test_few_values_have_a_bin_each():
    """Thresholds are the distinct values; missing values have none."""
    samples = np.array([[1.0, 2.0, 2.0, 5.0, np.nan], [0.0, 0.0, 1.0, 1.0, 1.0]])
    values, n_bins, checked, mixed = cut_points(samples, 255)
    assert n_bins.tolist() == [3, 2]
    assert values[0, :3].tolist() == [1.0, 2.0, 5.0]
    assert values[1, :2].tolist() == [0.0, 1.0]
    assert checked.all()
    assert not mixed.any()


def test_a_single_value_stands_between_two_empty_bins():
    """A rare other value that the sample does not show shall not share its bin."""
    values, n_bins, _, _ = cut_points(np.full((1, 9), 4.0), 255)
    assert n_bins[0] == 3
    assert values[0, :2].tolist() == [np.nextafter(4.0, -np.inf), 4.0]


def test_many_values_fall_into_bins_of_about_equal_size():
    """No bin holds twice its share of the sample, and thresholds ascend."""
    sample = np.sort(np.random.default_rng(0).normal(size=(1, 1000)))
    values, n_bins, checked, mixed = cut_points(sample, 20)
    cuts = values[0, : n_bins[0] - 1]
    counts = np.bincount(np.searchsorted(cuts, sample[0]), minlength=n_bins[0])
    assert not checked[0]
    assert mixed[0].all()
    assert 10 < n_bins[0] <= 20
    assert (np.diff(cuts) > 0).all()
    assert counts.max() < 2 * 1000 / n_bins[0]


def test_a_frequent_value_has_a_bin_of_its_own():
    """A value of 1 % or more among many has its neighbouring float and itself as thresholds."""
    rest = np.random.default_rng(0).normal(size=900)
    sample = np.sort(np.concatenate([rest, np.zeros(100)]))[np.newaxis]
    values, n_bins, _, mixed = cut_points(sample, 50)
    cuts = values[0, : n_bins[0] - 1].tolist()
    own = cuts.index(0.0)
    assert cuts[own - 1] == np.nextafter(0.0, -np.inf)
    assert not mixed[0, own]


def test_the_highest_value_of_a_large_bin_is_parted_from_the_others():
    """A marked bin becomes two: below its highest value, and that value."""
    values = np.full(256, np.inf)
    values[:3] = 1.0, 2.0, 3.0
    large = np.zeros(256, np.bool_)
    large[1] = True
    assert part_bins(values, 3, large) == 4
    assert values[:4].tolist() == [1.0, np.nextafter(2.0, -np.inf), 2.0, 3.0]
