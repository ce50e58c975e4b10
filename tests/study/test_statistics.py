"""Tests between methods against published examples, SciPy, and sums done by hand."""

import numpy as np
import pytest
from scipy import stats

from tamis.study import corrected_t_test, friedman_nemenyi
from tamis.study._statistics import p_in_words
from tests.settings import N_PROBLEMS

# Table 6 of Demsar (2006): AUC of C4.5, C4.5+m, C4.5+cf, C4.5+m+cf on 14 data sets. The
# paper ranks the two 0.975 of the thirteenth as 2 and 3, by digits that it does not print.
DEMSAR = [
    [0.763, 0.768, 0.771, 0.798],
    [0.599, 0.591, 0.590, 0.569],
    [0.954, 0.971, 0.968, 0.967],
    [0.628, 0.661, 0.654, 0.657],
    [0.882, 0.888, 0.886, 0.898],
    [0.936, 0.931, 0.916, 0.931],
    [0.661, 0.668, 0.609, 0.685],
    [0.583, 0.583, 0.563, 0.625],
    [0.775, 0.838, 0.866, 0.875],
    [1.000, 1.000, 1.000, 1.000],
    [0.940, 0.962, 0.965, 0.962],
    [0.619, 0.666, 0.614, 0.669],
    [0.972, 0.981, 0.97501, 0.975],
    [0.957, 0.978, 0.946, 0.970],
]


def test_the_published_example():
    """Mean ranks, F and the critical difference are those that Demsar prints."""
    tested = friedman_nemenyi(DEMSAR)
    assert tested.mean_ranks.round(3).tolist() == [3.143, 2.0, 2.893, 1.964]
    assert round(tested.critical_difference, 2) == 1.25
    untied = 12 * 14 / (4 * 5) * (float((tested.mean_ranks**2).sum()) - 4 * 25 / 4)
    assert round(untied, 2) == 9.28  # as printed, without the correction for ties
    assert tested.chi_square >= untied


def test_critical_values_are_those_of_the_printed_table():
    """The difference over sqrt(k (k + 1) / 6 n) is q of Table 5 (a) at 0.05 for 2 to 10 methods.

    The table's three digits are sometimes rounded and sometimes cut off.
    """
    printed = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
    for k, q in zip(range(2, 11), printed):
        tested = friedman_nemenyi(np.random.default_rng(k).random((5, k)))
        assert tested.critical_difference / np.sqrt(k * (k + 1) / 30) == pytest.approx(q, abs=1e-3)


def test_friedman_is_scipys():
    """The statistic and its p-value equal SciPy's, ties or not."""
    random = np.random.default_rng(0)
    for _ in range(N_PROBLEMS):
        scores = random.integers(0, 6, (random.integers(3, 12), random.integers(3, 7))) / 5
        if (np.ptp(scores, axis=1) == 0).all():
            continue
        tested = friedman_nemenyi(scores)
        expected = stats.friedmanchisquare(*scores.T)
        assert tested.chi_square == pytest.approx(expected.statistic, abs=1e-9)
        assert tested.p == pytest.approx(expected.pvalue, abs=1e-9)


def test_cliques_are_within_the_critical_difference():
    """Methods of one group differ by no more than the critical difference, and no group lies inside another."""
    tested = friedman_nemenyi(np.random.default_rng(3).random((8, 6)) + np.arange(6) * 0.3)
    groups = tested.cliques()
    for group in groups:
        assert np.ptp(tested.mean_ranks[group]) <= tested.critical_difference
    assert not any(set(a) < set(b) for a in groups for b in groups)


def test_the_corrected_t_test_by_hand():
    """Five differences of mean 0.02 and variance 0.00025 on five folds: t = 0.02 / sqrt((1/5 + 1/4) 0.00025)."""
    tested = corrected_t_test([0.02, 0.01, 0.03, 0.0, 0.04], 1 / 4)
    assert tested.t == pytest.approx(0.02 / np.sqrt(0.45 * 0.00025))
    assert tested.p == pytest.approx(2 * stats.t.sf(tested.t, 4))
    assert tested.low < 0 < tested.high


def test_without_overlap_it_is_the_plain_t_test():
    """With almost no test rows a training row, the correction vanishes and SciPy's one-sample test remains."""
    values = np.random.default_rng(5).normal(0.3, 1, 12)
    tested, expected = corrected_t_test(values, 1e-15), stats.ttest_1samp(values, 0)
    assert (tested.t, tested.p) == pytest.approx((expected.statistic, expected.pvalue))


def test_no_difference_is_no_evidence():
    """Differences that are all 0 have p = 1, all equal others p = 0."""
    assert corrected_t_test([0.0, 0.0], 0.25).p == 1
    assert corrected_t_test([0.5, 0.5], 0.25).p == 0


def test_tiny_p_values_are_bounded_in_words():
    """Two digits, and below 0.0001 no more than that."""
    assert [p_in_words(p) for p in (0.5, 0.0026, 9.7e-288, 0.0)] == [
        "p = 0.5",
        "p = 0.0026",
        "p < 0.0001",
        "p < 0.0001",
    ]


@pytest.mark.parametrize("call", [lambda: corrected_t_test([0.1], 0.25), lambda: corrected_t_test([0.1, 0.2], 0),
                                  lambda: friedman_nemenyi([[1.0, 2.0]]),
                                  lambda: friedman_nemenyi([[1.0, 2.0], [2.0, 1.0]], ["a"])])  # fmt: skip
def test_too_little_is_refused(call):
    """One split, no test rows, one data set or a name too few is an error that says so."""
    with pytest.raises(ValueError, match=r"corrected_t_test|friedman_nemenyi"):
        call()
