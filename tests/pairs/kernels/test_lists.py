"""The lists of best partners: in any order of entry the same, and the keys those of plain sums."""

import math

import numpy as np

from tamis.pairs._kernels.lists import (
    Lists,
    Views,
    enter,
    enter_block,
    evidence,
    groups_of_test,
    n_tests,
)


def empty(n_columns, n_partners):
    return Lists(np.zeros((n_columns, n_partners)), np.full((n_columns, n_partners), -1))


def test_lists_hold_the_best_in_any_order_of_entry():
    """The larger key first, the lower partner on ties."""
    entries = [(5.0, 7), (1.0, 2), (5.0, 3), (0.0, 9), (2.0, 1), (0.0, 4)]
    for seed in range(20):
        lists = empty(1, 4)
        for k in np.random.default_rng(seed).permutation(len(entries)):
            enter(lists, 0, entries[k][1], entries[k][0])
        assert lists.partners[0].tolist() == [3, 7, 1, 2]
        assert lists.keys[0].tolist() == [5, 5, 2, 1]


def test_tests_of_two_columns():
    """Each group with each but the last, then all views with all; two columns of one group have one test."""
    views = Views(
        np.zeros((7, 2), dtype=np.int8),
        np.array([[0, 1], [1, 2], [0, 4], [4, 7]]),
        np.array([0, 3, 4]),
        np.array([0, 4, 7]),
    )
    assert [groups_of_test(views, 0, 1, k) for k in range(n_tests(views, 0, 1))] == [(0, 3), (1, 3), (2, 3)]
    assert n_tests(views, 1, 1) == 1
    assert [groups_of_test(views, 0, 0, k) for k in range(n_tests(views, 0, 0))] == [
        (0, 0), (0, 1), (1, 0), (1, 1), (2, 2),
    ]  # fmt: skip


def test_evidence_is_the_chernoff_bound():
    """0 up to the degrees of freedom, then t - f - f log(t / f)."""
    assert evidence(3.0, 4) == 0
    assert evidence(8.0, 4) == 4 - 4 * math.log(2)


def test_keys_of_a_block_equal_plain_sums():
    """T by its definition, the best test of each pair, in the lists of both columns."""
    rng = np.random.default_rng(0)
    n, d = 40, 5
    values = rng.integers(-63, 64, (2 * d, n)).astype(np.int8)
    groups = np.array([[2 * j + k, 2 * j + m] for j in range(d) for k, m in ((0, 1), (1, 2), (0, 2))])
    views = Views(values, groups, np.arange(0, 3 * d + 1, 3), np.arange(0, 2 * d + 1, 2))
    codes = rng.integers(0, 3, n)
    shares = np.bincount(codes) / n
    wide = values.astype(float)
    sums = np.stack([wide[:, codes == c] @ wide[:, codes == c].T for c in range(3)])
    squares = (wide**2).sum(axis=1)
    lists = empty(d, d - 1)
    enter_block(sums, shares, math.sqrt(n) / squares, views, (0, d), (0, d), lists)
    for a in range(d):
        for b in range(d):
            if a == b:
                continue
            keys = []
            for u, v in (([0], [0]), ([0], [1]), ([1], [0]), ([1], [1]), ([0, 1], [0, 1])):
                t = 0.0
                for i in u:
                    for j in v:
                        whole = sums[:, 2 * a + i, 2 * b + j].sum()
                        for c in range(3):
                            off = sums[c, 2 * a + i, 2 * b + j] - shares[c] * whole
                            t += off**2 / shares[c] * n / (squares[2 * a + i] * squares[2 * b + j])
                keys.append(evidence(t, 2 * len(u) * len(v)))
            place = lists.partners[a].tolist().index(b)
            np.testing.assert_allclose(lists.keys[a, place], max(keys), rtol=1e-9, atol=1e-9)
