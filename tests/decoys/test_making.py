"""Tables of decoys: values, gaps, categories, and their relations to the other columns."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal, multivariate_t, norm, rankdata, spearmanr, t

from tamis.decoys.latents import Latents
from tamis.decoys.making import Maker, fitting_degrees
from tamis.table._table import Schema, Table


def table(n: int, seed: int = 0) -> Table:
    """Two related numbers, a related count with many zeros, a related category of two and of five values; gaps."""
    random = np.random.default_rng(seed)
    common = random.normal(size=n)
    seen = [0.8 * common + 0.6 * random.normal(size=n) for _ in range(5)]
    seen[1] = np.exp(seen[1])
    seen[2] = np.maximum(np.round(2 * seen[2]), 0)
    seen[3] = (seen[3] > 0.5).astype(float)
    seen[4] = np.array([2.0, 0, 4, 1, 3])[np.searchsorted([-1, -0.3, 0.4, 1.2], seen[4])]
    values = np.column_stack(seen)
    values[random.random(values.shape) < 0.1] = np.nan
    nominal = np.array([False, False, False, True, True])
    return Table(values, Schema(nominal, (None, None, None, np.arange(2.0), np.arange(5.0))))


def test_a_decoy_holds_the_values_and_the_gaps_of_its_original():
    """Of a number and of two values the very values in another order, of several categories nearly as many of each."""
    given = table(500)
    made = Maker.of(given, 3, "minimum_variance", np.random.RandomState(0)).decoys(np.random.RandomState(1))
    assert made.shape == (3, 500, 5)
    for decoy in made:
        np.testing.assert_array_equal(np.isnan(decoy), np.isnan(given.values))
        np.testing.assert_array_equal(np.sort(decoy[:, :4], axis=0), np.sort(given.values[:, :4], axis=0))
        counts = np.array([(decoy[:, 4] == code).sum() for code in range(5)])
        own = np.array([(given.values[:, 4] == code).sum() for code in range(5)])
        assert np.abs(counts - own).max() < 60


def test_decoys_relate_to_the_other_columns_as_the_originals_do():
    """Correlations of numbers, and how well a number tells two categories, and each of five, apart."""
    given = table(6000)
    made = Maker.of(given, 2, "minimum_variance", np.random.RandomState(0)).decoys(np.random.RandomState(1))

    def relations(values, others):
        told = []
        for j in range(5):
            for k in range(5):
                if j == k:
                    continue
                for code in range(5) if j == 4 else [None]:
                    for other in range(5) if k == 4 else [None]:
                        one = (
                            values[:, j]
                            if code is None
                            else np.where(np.isnan(values[:, j]), np.nan, values[:, j] == code)
                        )
                        two = (
                            others[:, k]
                            if other is None
                            else np.where(np.isnan(others[:, k]), np.nan, others[:, k] == other)
                        )
                        known = ~np.isnan(one) & ~np.isnan(two)
                        told.append(spearmanr(one[known], two[known]).statistic)
        return np.array(told)

    own = relations(given.values, given.values)
    for decoy, other in (made, made[::-1]):
        np.testing.assert_allclose(relations(decoy, given.values), own, atol=0.07)
        np.testing.assert_allclose(relations(decoy, other), own, atol=0.07)


@pytest.mark.parametrize("degrees", [np.inf, 3.0])
def test_scores_lie_in_their_intervals(degrees):
    """The chosen category has the largest score, and a score follows the order of the values."""
    given = table(200)
    latents = Latents.of(given, np.random.RandomState(0), degrees)
    scores = latents.redrawn(latents.scores, np.eye(len(latents.owner)), 2, np.random.RandomState(1))
    (choice,) = latents.choices
    known = choice.chosen >= 0
    for some in (latents.scores, scores):
        best = (some[:, choice.latents] + choice.offsets).argmax(axis=1)
        np.testing.assert_array_equal(best[known], choice.chosen[known])
        for k, column in enumerate(latents.owner[:4]):
            there = ~np.isnan(given.values[:, column])
            one, two = given.values[there, column], some[there, k]
            order = np.lexsort((two, one))
            assert (np.diff(two[order]) >= -1e-12).all()


def far_out(n: int, degrees: float, seed: int = 0):
    """Four numbers of which the rows far out are so in all columns, and a category of the fifth; no degrees: normal numbers."""
    random = np.random.default_rng(seed)
    X = 0.6 * random.normal(size=(n, 1)) + 0.8 * random.normal(size=(n, 5))
    if degrees:
        X /= np.sqrt(random.chisquare(degrees, size=(n, 1)) / degrees)
    X[:, 4] = np.searchsorted([-2, -0.5, 0.5, 2], X[:, 4])
    return Table(X, Schema(np.arange(5) == 4, (None, None, None, None, np.arange(5.0))))


def test_rows_far_out_in_one_column_are_so_in_decoys_of_others():
    """Distances from the middle, correlated as in the table; and a category at both ends as often as it occurs."""
    given = far_out(4000, 3)
    maker = Maker.of(given, 2, "minimum_variance", np.random.RandomState(0))
    assert maker.latents.degrees <= 6
    made = maker.decoys(np.random.RandomState(1))[0]
    own, others = np.abs(given.values[:, :4]), np.abs(made[:, :4])
    for j in range(4):
        for k in range(4):
            if j != k:
                wanted = spearmanr(own[:, j], own[:, k]).statistic
                assert spearmanr(own[:, j], others[:, k]).statistic == pytest.approx(wanted, abs=0.06)
    shares = [[(column == code).mean() for code in range(5)] for column in (made[:, 4], given.values[:, 4])]
    np.testing.assert_allclose(shares[0], shares[1], atol=0.03)


@pytest.mark.parametrize("seed", range(5))
def test_normal_numbers_need_no_scales(seed):
    """A Gaussian copula is kept where nothing speaks against it."""
    assert np.isinf(
        Maker.of(far_out(400, 0, seed), 2, "minimum_variance", np.random.RandomState(0)).latents.degrees
    )


@pytest.mark.parametrize("n", [2, 3, 7])
def test_few_rows(n):
    """Nothing breaks on a few rows, and no number is lost."""
    random = np.random.default_rng(n)
    values = np.column_stack([np.arange(n), random.permutation(n), np.arange(n) % 2]).astype(float)
    given = Table(values, Schema(np.array([False, True, True]), (None, np.arange(n), np.arange(2))))
    made = Maker.of(given, 4, "minimum_variance", np.random.RandomState(0)).decoys(np.random.RandomState(1))
    assert np.isfinite(made).all()


def test_rare_categories_are_drawn_from_those_that_occur():
    """Of many categories the rare ones share a level; a decoy holds categories that occur."""
    random = np.random.default_rng(0)
    values = np.minimum(random.geometric(0.2, size=(400, 1)), 25) * 1.0
    given = Table(values, Schema(np.array([True]), (np.arange(26.0),)))
    maker = Maker.of(given, 2, "equicorrelated", np.random.RandomState(0))
    assert len(maker.latents.owner) == 8
    assert set(np.unique(maker.decoys(np.random.RandomState(1)))) <= set(np.unique(values))


def test_degrees_are_those_of_the_likeliest_copula():
    """SciPy's densities of Student's t, joint over marginal, as the witness; a Gaussian copula unless one gains 5."""
    random = np.random.default_rng(0)
    related = np.full((4, 4), 0.5) + 0.5 * np.eye(4)
    for degrees in (3.0, 8.0, None):
        X = random.multivariate_normal(np.zeros(4), related, size=800)
        if degrees:
            X /= np.sqrt(random.chisquare(degrees, size=(800, 1)) / degrees)
        scores = norm.ppf((rankdata(X, axis=0) - 0.5) / 800)
        told = {np.inf: multivariate_normal(cov=related).logpdf(scores).sum() - norm.logpdf(scores).sum() + 5}
        for tried in (20.0, 10.0, 6.0, 4.0, 3.0):
            seen = t.ppf(norm.cdf(scores), tried)
            told[tried] = (
                multivariate_t(shape=related, df=tried).logpdf(seen).sum() - t.logpdf(seen, tried).sum()
            )
        assert fitting_degrees(scores, related) == max(told, key=told.get)
