"""The scan of all pairs: exact sums, and tiles."""

from __future__ import annotations

import numpy as np
import pytest

from tamis.pairs.search import _class_sums, _tiles
from tamis.pairs.views import column_views


@pytest.mark.parametrize("weighted", [False, True])
def test_sums_of_products_are_exact_and_add_up_over_parts(weighted: bool) -> None:
    """Class by class the same whole numbers as in int64, for any cut of the views or of the rows."""
    rng = np.random.default_rng(0)
    values = rng.integers(-63, 64, (12, 9000)).astype(np.int8)
    values[:2] = 63  # the largest sums that can be
    codes = np.sort(rng.integers(0, 3, 9000))
    whole = rng.integers(0, 4097, 9000).astype(float) if weighted else None
    ends = np.cumsum(np.bincount(codes))
    sums = _class_sums(values, values, ends, whole)
    w = np.ones(9000, dtype=np.int64) if whole is None else whole.astype(np.int64)
    long = values.astype(np.int64)
    for c in range(3):
        rows = codes == c
        np.testing.assert_array_equal(sums[c], (long[:, rows] * w[rows]) @ long[:, rows].T)
    parts = np.zeros_like(sums)
    for rows in np.array_split(np.arange(9000), 4):
        here = np.cumsum(np.bincount(codes[rows], minlength=3))
        parts += _class_sums(values[:, rows], values[:, rows], here, None if whole is None else whole[rows])
    np.testing.assert_array_equal(parts, sums)
    np.testing.assert_array_equal(_class_sums(values[3:5], values[5:], ends, whole), sums[:, 3:5, 5:])


def test_tiles_cover_every_column_once() -> None:
    """Runs of columns, one behind the other, also where one column alone is too wide."""
    rng = np.random.default_rng(0)
    nominal = np.array([True, False, True, False])
    values = rng.integers(0, 9, (50, 4)).astype(float)
    views = column_views(lambda chosen: values[:, chosen], nominal, np.ones(50))
    assert views.column_views.tolist() == [0, 7, 11, 18, 22]
    assert _tiles(views) == [(0, 4)]
    assert [b for _, b in _tiles(views)] == [4]
