"""The distance of two rows against plain NumPy."""

import pytest

from tamis.neighbors._kernels import distance as kernels
from tests.coordinates import CODE, coordinates, distances


@pytest.mark.parametrize("squared", [False, True])
def test_term_of_one_column(squared):
    """Numbers differ by whole steps; what is farther apart than any numbers are counts one."""
    assert kernels.term(1.0, 4.3, squared) == (11.0 if squared else 3.0)
    assert kernels.term(CODE, 2 * CODE, squared) == 2**20
    assert kernels.term(-CODE, 7.0, squared) == 2**20
    assert kernels.term(-CODE, -CODE, squared) == 0


@pytest.mark.parametrize("squared", [False, True])
def test_pair_distance_is_that_of_plain_loops(squared):
    """The terms of all columns are summed, whatever their number."""
    for n_columns in range(1, 10):
        rows, others = (coordinates(n, n_columns, 2, squared=squared, seed=n) for n in (4, 5))
        expected = distances(rows, others, squared=squared)
        found = [[kernels.pair_distance(rows, i, others, j, squared) for j in range(5)] for i in range(4)]
        assert found == expected.tolist()
