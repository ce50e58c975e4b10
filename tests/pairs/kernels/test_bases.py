"""Bases of the lines of a pair."""

import math

import numpy as np

from tamis.pairs._kernels.bases import class_parts, corrected, lines_of_test, orthonormal
from tamis.pairs._kernels.lists import Views
from tamis.pairs._kernels.sums import Rows


def test_what_is_no_news_is_not_in_the_basis():
    """A line in the space of those before it adds nothing; the others become of length 1 and orthogonal."""
    lines = np.array([[3.0, 4.0, 0.0], [6.0, 8.0, 0.0], [1.0, 0.0, 2.0]])
    basis = orthonormal(lines @ lines.T, 2)
    assert (len(basis.parts), basis.n_own) == (2, 1)
    vectors = basis.parts @ lines
    np.testing.assert_allclose(vectors[0], [0.6, 0.8, 0])
    np.testing.assert_allclose(vectors @ vectors.T, np.eye(2), atol=1e-15)
    assert math.isclose(basis.newest, 1 - 0.6**2 / 5)  # of the last line, (1, 0, 2), 0.6 is along the first


def small_pair(n=60):
    """Two columns of one view each, and the second nearly the first."""
    rng = np.random.default_rng(1)
    a = rng.integers(-63, 64, n).astype(np.int8)
    b = a.copy()
    b[0] = a[0] // 2
    views = Views(np.stack([a, b]), np.array([[0, 1], [1, 2]]), np.array([0, 1, 2]), np.array([0, 1, 2]))
    return views, Rows(rng.integers(0, 2, n), np.ones(n), np.array([0.5, 0.5]), float(n))


def test_a_basis_is_made_orthogonal_once_more():
    """Parts that are off by a ten-thousandth are brought back, to rounding, whatever the blocks of rows."""
    views, rows = small_pair()
    lines = np.array([np.ones(60), *views.values, views.values[0] * views.values[1].astype(float)])
    basis = orthonormal(lines @ lines.T, 3)
    rough = basis._replace(parts=basis.parts * (1 + 1e-4 * np.arange(16).reshape(4, 4)))
    for size in (7, 60):
        vectors = corrected(rough, views, rows, (0, 1), (0, 1), np.empty((6, size))).parts @ lines
        np.testing.assert_allclose(vectors @ vectors.T, np.eye(4), atol=1e-10)


def test_what_is_left_of_the_classes_is_orthogonal_to_the_own_lines():
    """The indicators of the classes, off the mean: what a share leaves."""
    codes = np.array([0, 1, 1, 0, 1])
    lines = np.ones((1, 5))
    basis = orthonormal(lines @ lines.T, 1)
    classes = np.array([codes == 0, codes == 1], dtype=float)
    along, own = class_parts(basis, lines @ classes.T)
    np.testing.assert_allclose(along, np.array([[2, 3]]) / math.sqrt(5))
    np.testing.assert_allclose(classes - own @ lines, [(codes == 0) - 0.4, (codes == 1) - 0.6], atol=1e-15)


def test_lines_of_a_test_among_those_of_all_views():
    """Two columns of two views: 1, four views, and then the products, those of the first view of the first column first."""
    groups = np.array([[0, 1], [1, 2], [0, 2], [2, 3], [3, 4], [2, 4]])
    views = Views(np.zeros((4, 3), dtype=np.int8), groups, np.array([0, 3, 6]), np.array([0, 2, 4]))
    assert lines_of_test(views, (0, 1), (1, 3)).tolist() == [0, 1, 2, 3, 4, 7]
    assert lines_of_test(views, (0, 1), (2, 5)).tolist() == list(range(9))
    assert lines_of_test(views, (0, -1), (1, -1)).tolist() == [0, 2]
