"""Sums of products of views: exact, so that no cut of the rows changes a bit."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from tamis.features._gram_products import HALF, Kinds, kinds_of, products, sums_of_products, vectors_of


def problem(seed):
    """Numbers of any size, categories, gaps, two targets and roots of weights."""
    rng = np.random.default_rng(seed)
    n = 3000
    values = rng.normal(size=(n, 4)) * [1.0, 1e300, 1e-300, 1.0] + [0, 0, 0, 1e6]
    values[:, 3] = rng.integers(0, 3, n)
    values[rng.random(values.shape) < 0.05] = np.nan
    target = rng.integers(0, 2, (2, n)).astype(float)
    roots = np.ones(n) if seed % 2 else rng.random(n)
    return values, target, roots, kinds_of(values, np.array([False, False, False, True]))


@pytest.mark.parametrize("seed", range(4))
def test_sums_are_those_of_integers_and_add_up_over_any_parts(seed):
    """Python's integers decide; a few cuts of the rows, and one row at the time at the end."""
    values, target, roots, kinds = problem(seed)
    whole = sums_of_products(values, target, roots, kinds)
    steps = np.rint(np.ldexp(vectors_of(values, target, roots, kinds), 2 * HALF)).astype(np.int64)
    steps = [[int(step) for step in row] for row in steps]
    found = products(whole)
    for i, j in ((0, 0), (1, 4), (3, 3), (5, 0), (7, 2)):
        exact = Fraction(sum(a * b for a, b in zip(steps[i], steps[j])), 2 ** (4 * HALF))
        told = Fraction(found.hi[i, j]) + Fraction(found.lo[i, j])
        assert abs(told - exact) <= abs(exact) * Fraction(2) ** -98
    cuts = [0, 1, 777, 1024, 2000, 2990, *range(2991, 3001)]
    parts = [
        sums_of_products(values[a:b], target[:, a:b], roots[a:b], kinds) for a, b in itertools.pairwise(cuts)
    ]
    again = products(sum(parts))
    np.testing.assert_array_equal(again.hi, found.hi)
    np.testing.assert_array_equal(again.lo, found.lo)


def test_what_is_known_of_blocks_of_columns_is_what_is_known_of_all():
    """Scales, gaps and levels, whichever columns are looked at together."""
    values, _, _, kinds = problem(0)
    nominal = np.array([False, False, False, True])
    joined = Kinds.joined([kinds_of(values[:, part], nominal[part]) for part in (slice(0, 1), slice(1, 4))])
    for name in ("scale", "middle", "half", "gaps", "nominal"):
        np.testing.assert_array_equal(getattr(joined, name), getattr(kinds, name))
    assert [one.tolist() for one in joined.levels] == [one.tolist() for one in kinds.levels]
    assert kinds.n_vectors == 3 + 3 + 4
    assert kinds.cut(np.array([1, 3])).n_vectors == 2 + 4
