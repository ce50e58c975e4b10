"""The chains of SampledEFR: the kernels against plain loops, the sampler against its own prior, and the bases."""

from __future__ import annotations

import os

import numpy as np
import pytest
from scipy import stats

from tamis.chains import engine
from tamis.chains._kernels.prior import draw_start
from tamis.chains._kernels.sweeping import fresh_fields
from tamis.chains.engine import Views, empty_chain, in_use, packed, packed_numbers, sweep, work_space
from tests.oracles import sampled_efr as oracle
from tests.settings import N_PROBLEMS, NIGHTLY

NAN = float("nan")
needs_compiler = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="takes minutes with the compiler off"
)


def small_problem(seed):
    """A few numeric and nominal columns with ties and gaps, and two classes; returns views and classes."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(5, 24)), int(rng.integers(1, 5))
    values = rng.normal(size=(n, d))
    nominal = rng.random(d) < 0.3
    values[:, nominal] = rng.integers(0, 4, (n, d))[:, nominal]
    if seed % 3 == 0:
        values[rng.random((n, d)) < 0.1] = NAN
    if seed % 4 == 0:
        values = np.round(values)
    values[:2, 0] = 0, 1  # at least one column varies
    return Views.of(values, nominal), np.arange(n) % 2 == 0


@pytest.mark.parametrize("numeric", [False, True])
@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_chain_equals_oracle(seed, numeric):
    """Every state of the kernels' chain is that of the plain loops, bit for bit, for the same random stream."""
    views, positive = small_problem(seed)
    additive = seed % 5 == 4
    n = len(positive)
    table = packed(views, positive, [1])[0]
    if numeric:
        table = packed_numbers(views, np.random.default_rng(seed).normal(size=n).round(seed % 3) + positive)
    chain = empty_chain(len(views.used), additive=additive, seed=seed, numeric=numeric)
    plain = oracle.Oracle(
        table.bases[:, :, :n],
        table.owners.tolist(),
        table.y[:n],
        additive=additive,
        n_slots=engine.N_SLOTS,
        seed=seed,
        numeric=numeric,
    )
    totals, expected = np.zeros((3, plain.d)), np.zeros((2, plain.d))
    with np.errstate(over="ignore"):
        draw_start(table, chain)
        plain.start()
        for power in (0.3, 1.0, 1.0):
            found = sweep(table, chain, work_space(table), power, totals)
            assert found == plain.sweep(power, *expected)
            assert chain.shapes.tolist() == plain.shapes
            assert chain.views.tolist() == plain.views
            assert chain.weights.tolist() == plain.weights
            assert chain.ends.tolist() == plain.ends
            assert chain.signs.tolist() == plain.signs
            assert chain.slot_weights.tolist() == plain.slot_weights
            numbers = [plain.tau, plain.omega, plain.offset, plain.rho]
            assert chain.numbers[:4].tolist() == numbers
            assert chain.numbers[6] == plain.precision
            assert chain.groups.tolist() == [plain.shares, plain.plus]
    np.testing.assert_array_equal(totals[:2], expected)
    used = {k for k in range(plain.d) if plain.shapes[k]}
    for (left, right), sign in zip(plain.ends, plain.signs):
        used |= {plain.owners[left], plain.owners[right]} if sign else set()
    assert set(np.flatnonzero(in_use(table, chain)).tolist()) == used


def features(chain):
    """What is followed over a chain: sizes, shapes, weights and every hyperparameter."""
    numbers = chain.numbers
    on = chain.shapes > 0
    found = [
        on.sum(),
        (chain.shapes % 2 == 1).sum(),
        ((chain.shapes == 1) | (chain.shapes == 2)).sum(),
        chain.views[2] == 3,
        chain.weights[0],
        chain.weights[on].sum(),
        np.log(numbers[0]),
        np.log(numbers[0]) ** 2,
        numbers[2],
        numbers[2] ** 2,
        numbers[3],
        *chain.groups[0],
        *chain.groups[1],
        *(chain.groups[1] == 0.5),
        np.log(numbers[6] or 1.0),
    ]
    if len(chain.signs):
        found += [
            np.log(numbers[1]),
            np.log(numbers[1]) ** 2,
            numbers[4],
            numbers[5],
            (chain.signs != 0).sum(),
        ]
        found += [(chain.signs > 0).sum(), chain.slot_weights.sum(), (chain.ends[:, 0] == 0).sum()]
    return np.asarray(found, dtype=float)


@needs_compiler
@pytest.mark.parametrize(("additive", "numeric"), [(False, False), (True, False), (False, True)])
def test_sweeps_with_labels_drawn_anew_keep_the_prior(additive, numeric):
    """Geweke's check: alternating sweeps and labels drawn from the hypothesis visit hypotheses as the prior draws them.

    A wrong acceptance ratio, a wrong conditional or a likelihood that is not the hypothesis's would show as a mean
    several standard errors off.
    """
    rng = np.random.default_rng(7)
    values = np.column_stack([rng.normal(size=(6, 2)), [0, 1, 2, 0, 1, 2], [0, 0, 1, 0, 1, 1]]).astype(float)
    views = Views.of(values, np.asarray([False, False, True, False]))
    table = packed(views, np.arange(6) % 2 == 0, [1])[0]
    n_draws = 60_000 if NIGHTLY else 12_000
    table = packed_numbers(views, np.arange(6.0)) if numeric else table
    chain = empty_chain(4, additive=additive, seed=11, numeric=numeric)
    prior = []
    for _ in range(n_draws):
        draw_start(table, chain)
        prior.append(features(chain))
    work, totals, visited = work_space(table), np.zeros((3, 4)), []
    draw_start(table, chain)
    for _ in range(n_draws):
        A, L = fresh_fields(table, chain)[:, :6].astype(float)
        tau, omega, offset = chain.numbers[:3]
        h = tau * (A + omega * np.abs(L)) + offset
        if numeric:
            table.y[:6] = h + rng.normal(size=6) / np.sqrt(chain.numbers[6])
        else:
            table.y[:6] = np.where(rng.random(6) < 1 / (1 + np.exp(-h)), 1, -1)
        sweep(table, chain, work, 1.0, totals)
        visited.append(features(chain))
    before, after = np.asarray(prior), np.asarray(visited)
    batches = after.reshape(100, -1, after.shape[1]).mean(axis=1)
    error = np.sqrt(before.var(axis=0) / n_draws + batches.var(axis=0, ddof=1) / 100)
    z = (after.mean(axis=0) - before.mean(axis=0)) / np.where(error > 0, error, 1)
    assert np.abs(z).max() < 4, np.round(z, 1)


@needs_compiler
def test_start_has_the_laws_of_the_prior():
    """Rates, shares, scales and weights of 4,000 starts have the distributions that the page tells."""
    table = packed(
        Views.of(np.random.default_rng(0).normal(size=(5, 2)), np.zeros(2, bool)), np.arange(5) < 2, [1]
    )[0]
    chain = empty_chain(2, additive=False, seed=3, numeric=True)
    drawn = []
    for _ in range(4000):
        draw_start(table, chain)
        drawn.append([*chain.numbers, *chain.groups[0], chain.weights[0], chain.slot_weights[0]])
    tau, omega, offset, rho, on_rate, plus, precision, *rest = np.asarray(drawn).T
    assert stats.kstest(np.log(tau), stats.norm(0, 1).cdf).pvalue > 0.01
    assert stats.kstest(np.log(omega), stats.norm(0, 0.5).cdf).pvalue > 0.01
    assert stats.kstest(offset, stats.norm(0, 3).cdf).pvalue > 0.01
    assert stats.kstest(rho, stats.beta(2, 18).cdf).pvalue > 0.01
    assert stats.kstest(on_rate, stats.beta(0.4, 1.6).cdf).pvalue > 0.01
    assert stats.kstest(plus, stats.beta(0.5, 0.5).cdf).pvalue > 0.01
    assert stats.kstest(precision, stats.gamma(1, scale=2).cdf).pvalue > 0.01
    for share, mean in zip(rest[:5], (0.2, 0.2, 0.1, 0.1, 0.1)):
        assert stats.kstest(share, stats.beta(mean, 0.7 - mean).cdf).pvalue > 0.01
    for weight in rest[5:]:
        assert stats.kstest(weight, stats.gamma(4, scale=0.25).cdf).pvalue > 0.01


def test_bases_of_a_number_are_its_rank_and_its_folded_rank():
    """Ranks from -1 to 1, ties sharing theirs, and their squares, both standardised; a gap is 0 and has a view."""
    column = np.asarray([3.0, NAN, 1.0, 7.0, 1.0])
    views = Views.of(column[:, None], np.zeros(1, bool))
    assert views.bases.shape == (2, 2, 5)
    u = 2 * (np.asarray([3, 1.5, 4, 1.5]) - 0.5) / 4 - 1
    known = [0, 2, 3, 4]
    np.testing.assert_allclose(views.bases[0, 0, known], (u - u.mean()) / u.std(), rtol=1e-12)
    np.testing.assert_allclose(views.bases[0, 1, known], (u**2 - (u**2).mean()) / (u**2).std(), rtol=1e-12)
    assert views.bases[0, :, 1].tolist() == [0, 0]
    missing = np.asarray([0, 1, 0, 0, 0.0])
    np.testing.assert_allclose(views.bases[1, 0], (missing - 0.2) / 0.4, rtol=1e-12)


def test_views_of_a_nominal_column_are_its_levels():
    """Three levels are three views, two levels are one, one level is none; both bases of a view are the same."""
    columns = np.asarray([[0, 1, 2, 0], [5, 5, 9, 9], [1, 1, 1, 1]], dtype=float).T
    views = Views.of(columns, np.ones(3, bool))
    assert views.used.tolist() == [0, 1]
    assert np.diff(views.first).tolist() == [3, 1]
    np.testing.assert_array_equal(views.bases[:, 0], views.bases[:, 1])
    np.testing.assert_allclose(views.bases[3, 0], [-1, -1, 1, 1], rtol=1e-12)


def test_two_values_have_no_middle():
    """The folded rank of a two-valued number is the number itself, so that no shape is empty."""
    column = np.asarray([0.0, 1, 0, 1, 1, 0])[:, None]
    views = Views.of(column, np.zeros(1, bool))
    np.testing.assert_array_equal(views.bases[0, 0], views.bases[0, 1])


def test_only_the_most_frequent_levels_have_a_view():
    """A column of names, one a row, has as many views as there are turns, no more."""
    views = Views.of(np.arange(100.0)[:, None], np.ones(1, bool))
    assert len(views.bases) == engine.MOST_LEVELS
