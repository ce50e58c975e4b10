"""The loops over distances of rows against plain NumPy."""

import numpy as np
import pytest

from tamis.neighbors._kernels import nearest as kernels
from tests.coordinates import CODE, coordinates, distances, in_blocks

LARGEST = np.iinfo(np.int64).max


def problem(seed, squared):
    """Queries and fitted rows in the layout of the kernels, and the distances of all pairs."""
    queries, fitted = (coordinates(n, 3, 2, squared=squared, seed=seed + n) for n in (40, 37))
    rng = np.random.default_rng(seed)
    codes = [rng.integers(-1, 3, (n, 2)).astype(np.int32) for n in (40, 37)]
    expected = distances(queries, fitted, squared=squared)
    expected = expected + 2**20 * (codes[0][:, None, :] != codes[1][None, :, :]).sum(axis=2)
    asking = kernels.Columns(queries[:, :3].copy(), queries[:, 3:].copy(), codes[0])
    held = kernels.Columns(*(in_blocks(part) for part in (fitted[:, :3], fitted[:, 3:], codes[1])))
    return asking, held, expected


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_distances_to_blocks_are_those_of_plain_loops(seed, squared):
    """Numbers, missing values and categories add their terms, block after block."""
    queries, fitted, expected = problem(seed, squared)
    np.testing.assert_array_equal(kernels.distances_to_blocks(queries, fitted, 37, squared), expected)


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_nearest_in_blocks_ascend_by_distance_and_row_as_in_plain_loops(seed, squared):
    """The nearest rows come in order, the lower row first on ties, and a query does not find itself."""
    queries, fitted, expected = problem(seed, squared)
    own = np.where(np.arange(40) < 37, np.arange(40), -1)
    rows, steps = kernels.nearest_in_blocks(queries, fitted, 37, own, squared, 5)
    for i in range(40):
        order = [j for j in np.lexsort([np.arange(37), expected[i]]) if j != own[i]][:5]
        assert rows[i].tolist() == order
        assert steps[i].tolist() == expected[i, order].tolist()


@pytest.mark.parametrize("squared", [False, True])
def test_listed_distances_are_those_of_plain_loops(squared):
    """The distances of given pairs; -1 in a list is infinitely far."""
    queries, fitted = (coordinates(n, 2, 3, squared=squared, seed=n) for n in (9, 11))
    listed = np.random.default_rng(0).integers(-1, 11, (9, 4))
    expected = np.take_along_axis(distances(queries, fitted, squared=squared), np.maximum(listed, 0), axis=1)
    found = kernels.listed_distances(queries, fitted, listed, squared)
    np.testing.assert_array_equal(found, np.where(listed < 0, LARGEST, expected))


def test_proposals_are_distances_of_rows_in_the_unit_cube():
    """What lies more than 2 apart is two categories, and counts 1."""
    a, b = np.array([0.25, 1.0, CODE, 3.0]), np.array([0.75, 1.0, 2 * CODE, 3.0])
    assert kernels.proposal_l1(a, b) == 1.5
    assert kernels.proposal_l2(a, b) == 1.25


@pytest.mark.parametrize("seed", range(3))
def test_lowest_in_rows_are_those_of_a_plain_sort(seed):
    """The lowest entries of each row of a matrix, the lower column first on ties, its own left out."""
    rng = np.random.default_rng(seed)
    slab = rng.integers(0, 4, (6, 9)).astype(float)
    own = rng.integers(-1, 9, 6)
    rows, values = kernels.lowest_in_rows(slab, own, 4)
    for i in range(6):
        order = [j for j in np.argsort(slab[i], kind="stable") if j != own[i]][:4]
        assert rows[i].tolist() == order
        assert values[i].tolist() == slab[i, order].tolist()
