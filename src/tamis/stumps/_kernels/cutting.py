"""Where the columns of a table are cut into bins, from a sorted sample of their values."""

# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from tamis._jit import kernel


@kernel
def cut_points(samples, n_bins_at_most):
    """Thresholds of each column from its sorted sample.

    Up to `n_bins_at_most` distinct values get a bin each. Otherwise every value that makes up 1 % of the sample or
    more is parted from its neighbours, where there is room, and the rest is cut into bins of about equal size.

    Parameters
    ----------
    samples : (d, s) float64, each row ascending, NaN last
    n_bins_at_most : int, 1 to 255

    Returns
    -------
    values, n_bins, checked : as in `binning.Cuts`
    mixed : (d, 256) uint8, 1 for bins of several values; those of checked columns are simple if the sample tells all
    """
    n_columns, n_sample = samples.shape
    values = np.full((n_columns, 256), np.inf)
    n_bins = np.ones(n_columns, np.int64)
    checked = np.zeros(n_columns, np.bool_)
    mixed = np.zeros((n_columns, 256), np.uint8)
    for column in range(n_columns):
        n_known = n_sample
        while n_known > 0 and np.isnan(samples[column, n_known - 1]):
            n_known -= 1
        sample = samples[column, :n_known]
        n_distinct, n_atoms, in_atoms = _distinct(sample)
        checked[column] = n_distinct <= n_bins_at_most
        if n_distinct == 1 and n_bins_at_most >= 3:  # a rare other value must not share the bin
            values[column, 0] = np.nextafter(sample[0], -np.inf)
            values[column, 1] = sample[0]
            n_bins[column] = 3
        elif checked[column]:
            n_bins[column] = _one_bin_each(sample, values[column])
        else:
            if 2 * n_atoms >= n_bins_at_most - 1:
                n_atoms, in_atoms = 0, 0
            size = (n_known - in_atoms) / max(n_bins_at_most - 1 - 2 * n_atoms, 1)
            mixed[column] = 1
            n_bins[column] = _equal_bins(
                sample, size, n_atoms > 0, n_bins_at_most, values[column], mixed[column]
            )
    return values, n_bins, checked, mixed


@kernel
def _distinct(sample):
    """The number of distinct values, of those that fill 1 % of the sample, and of the entries of these."""
    n_distinct = 0
    n_atoms = 0
    in_atoms = 0
    first = 0
    for pos in range(len(sample)):
        if pos + 1 == len(sample) or sample[pos] != sample[pos + 1]:
            n_distinct += 1
            size = pos + 1 - first
            if size * 100 >= len(sample):
                n_atoms += 1
                in_atoms += size
            first = pos + 1
    return n_distinct, n_atoms, in_atoms


@kernel
def _one_bin_each(sample, values):
    """Write the distinct values; returns their number, at least 1."""
    n_distinct = 0
    for pos in range(len(sample)):
        if pos + 1 == len(sample) or sample[pos] != sample[pos + 1]:
            values[n_distinct] = sample[pos]
            n_distinct += 1
    return max(n_distinct, 1)


@kernel
def _equal_bins(sample, size, part_atoms, n_bins_at_most, values, mixed):
    """Write thresholds so that bins hold about `size` entries of the sample; returns the number of bins.

    With `part_atoms` a value of 1 % or more has a bin between the float below it and itself, which is then simple.
    """
    n_known = len(sample)
    n_cuts = 0
    held = 0  # entries since the last threshold
    first = 0
    for pos in range(n_known - 1):
        if sample[pos] == sample[pos + 1]:
            continue
        count = pos + 1 - first
        first = pos + 1
        held += count
        if part_atoms and count * 100 >= n_known:
            below = np.nextafter(sample[pos], -np.inf)
            if n_cuts == 0 or values[n_cuts - 1] < below:
                values[n_cuts] = below
                n_cuts += 1
            mixed[n_cuts] = 0
        elif held < size or n_cuts == n_bins_at_most - 1:
            continue
        values[n_cuts] = sample[pos]
        n_cuts += 1
        held = 0
    return n_cuts + 1


@kernel
def part_bins(values, n_bins, large):
    """Give the highest value of the marked bins of one column a bin of its own, as far as there is room.

    Parameters
    ----------
    values : (256,) float64, the column's thresholds, written
    n_bins : int
    large : (256,) bool

    Returns
    -------
    int
        The new number of bins.
    """
    old = values.copy()
    values[:] = np.inf
    n_new = 0
    for k in range(n_bins):
        room = 255 - n_new - (n_bins - k)
        if large[k] and old[k] < np.inf and room >= 2:
            values[n_new] = np.nextafter(old[k], -np.inf)
            n_new += 1
        values[n_new] = old[k]
        n_new += 1
        if k == n_bins - 1 and large[k] and old[k] < np.inf and room >= 2:
            n_new += 1  # what lies above the highest value that the sample shows
    return n_new
