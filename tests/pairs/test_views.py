"""Which views columns have; their values stand against an oracle in kernels/test_polynomials.py and in test_pair_scan.py."""

from __future__ import annotations

import numpy as np

from tamis.pairs.views import column_views, single_views

NAN = float("nan")


def test_single_views_of_columns_of_all_kinds() -> None:
    """Ranks, squares and what is missing stay, higher powers go; a nominal column keeps all, a constant has none."""
    rng = np.random.default_rng(0)
    X = rng.random((50, 4))
    X[:, 1] = rng.integers(0, 4, 50)
    X[:, 2] = 1.0
    X[::3, 3] = NAN
    views = column_views(lambda chosen: X[:, chosen], np.array([False, True, False, False]), np.ones(50))
    few = single_views(views)
    assert views.column_views.tolist() == [0, 4, 7, 7, 12]
    assert few.column_views.tolist() == [0, 2, 5, 5, 8]
    assert few.groups.tolist() == [[0, 1], [1, 2], [0, 2], [2, 5], [5, 6], [6, 7], [7, 8], [5, 8]]
    assert few.column_groups.tolist() == [0, 3, 4, 4, 8]
    np.testing.assert_array_equal(few.values, views.values[[0, 1, 4, 5, 6, 7, 8, 9]])
