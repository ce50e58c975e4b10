"""The loops over lists of neighbouring groups against plain NumPy."""

import numpy as np
import pytest

from tamis.neighbors._kernels.groups import fill_lists, radii_of_lists, sums_of_lists


def problem(seed):
    """Distances of lists to groups with ties, the rows of each group, and the group of each list."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 4, 12)
    counts[0] = 1
    own = rng.integers(-1, 12, 7)
    own[0] = 0  # alone in its group: nobody is left to find there
    return rng.integers(0, 5, (7, 12)), counts, own


def held_groups(distances, counts, own, k):
    """Radius and groups of one list: as far as the k-th row, all ties included."""
    rows = counts - (np.arange(len(counts)) == own)
    radius = np.sort(np.repeat(distances, rows))[k - 1]
    return radius, np.flatnonzero((distances <= radius) & (rows > 0))


@pytest.mark.parametrize("seed", range(5))
def test_lists_hold_the_groups_of_the_nearest_rows_as_in_plain_loops(seed):
    """A list reaches as far as its k-th row; written out, or as what it leaves out."""
    distances, counts, own = problem(seed)
    radii, sizes = radii_of_lists(distances, counts, own, 4)
    expected = [held_groups(*one, 4) for one in zip(distances, [counts] * 7, own)]
    assert radii.tolist() == [radius for radius, _ in expected]
    assert sizes.tolist() == [len(groups) for _, groups in expected]
    complement = np.arange(7) % 2 == 1
    lengths = np.where(complement, 12 - sizes, sizes)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    groups = np.empty(indptr[-1], dtype=np.int32)
    fill_lists(distances, counts, own, radii, complement, indptr, groups)
    totals = np.random.default_rng(seed).random(12)
    sums = sums_of_lists(indptr, groups, complement, totals)
    for i, (_, held) in enumerate(expected):
        listed = np.setdiff1d(np.arange(12), held) if complement[i] else held
        assert groups[indptr[i] : indptr[i + 1]].tolist() == listed.tolist()
        assert sums[i] == pytest.approx(totals[held].sum())
