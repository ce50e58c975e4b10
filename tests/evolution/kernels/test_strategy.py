"""The evolution kernel against the plain loops, bit for bit, and its random numbers against their laws."""

import os

import numpy as np
import pytest
from scipy import stats

from tamis.evolution._kernels import losses
from tamis.evolution._kernels import strategy as kernels
from tamis.evolution.engine import generator
from tests.oracles import roger as oracle
from tests.settings import N_PROBLEMS, NIGHTLY

needs_compiler = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="takes minutes with the compiler off"
)


@pytest.fixture(autouse=True)
def _integers_may_wrap_around():
    """The generators live on integers that wrap around; with the compiler off NumPy would warn of it."""
    with np.errstate(over="ignore"):
        yield


def small_problem(seed):
    """Up to 40 rows and 7 columns, with ties, levels, gaps, weights and both kinds of hypothesis in turn."""
    rng = np.random.default_rng(seed)
    n, p, m = int(rng.integers(4, 40)), int(rng.integers(0, 6)), int(rng.integers(0, 7))
    p = max(p, 1) if m == 0 else p
    values = rng.random((p, n))
    if seed % 3 == 0:
        values = np.round(values * 4) / 4
    owners = np.sort(rng.integers(0, p + 2, m))
    new = np.unique(owners[owners >= p])
    for position, owner in enumerate(new):  # the nominal columns have no holes in their numbers
        owners[owners == owner] = p + position
    views = (rng.random((m, n)) < 0.4).astype(np.float32)
    weights = np.ones(n) if seed % 2 else rng.choice([1.0, 2.0, 0.3, 7.7], n)
    n_near = int(rng.integers(1, n))
    padded = np.zeros((p, n + 3), np.float32)
    padded[:, :n] = values
    padded_views = np.zeros((m, n + 3), np.float32)
    padded_views[:, :n] = views
    return padded, padded_views, owners.astype(np.int64), weights, np.array([0, n_near, n]), seed % 5 == 0


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_whole_trajectory_has_the_bits_of_the_plain_loops(seed):
    """Genome and curve of an evolution equal those of the plain loops, bit for bit, for the same random stream."""
    values, views, owners, weights, groups, linear = small_problem(seed)
    n = len(weights)
    expected, expected_curve = oracle.evolve(
        values[:, :n], views[:, :n], owners.tolist(), weights, groups, linear, 450, seed
    )
    genome, curve = kernels.evolve(values, views, owners, weights, groups, linear, 450, generator(seed))
    assert genome.tobytes() == np.asarray(expected, np.float32).tobytes()
    np.testing.assert_array_equal(curve, expected_curve)


@pytest.mark.parametrize("seed", range(N_PROBLEMS if NIGHTLY else 10))
def test_whole_trajectory_of_many_groups_has_the_bits_of_the_plain_loops(seed):
    """As for two groups."""
    values, views, owners, weights, _, linear = small_problem(seed)
    n = len(weights)
    groups = np.unique([0, *np.random.default_rng(seed).integers(1, n, 8), n])
    weights = np.ceil(weights)
    expected, expected_curve = oracle.evolve(
        values[:, :n], views[:, :n], owners.tolist(), weights, groups, linear, 450, seed
    )
    genome, curve = kernels.evolve(values, views, owners, weights, groups, linear, 450, generator(seed))
    assert genome.tobytes() == np.asarray(expected, np.float32).tobytes()
    np.testing.assert_array_equal(curve, expected_curve)


def test_random_words_are_those_of_the_plain_generator():
    """The lanes give the words of 32 xoshiro128++ generators in turn, for small and large seeds."""
    for seed in (0, 1, 2**62 + 12345):
        words = np.empty(320, np.uint32)
        kernels.draw(generator(seed), words)
        assert words.tolist() == oracle.Stream(seed).words(320)


def drawn_normals(count, seed=1):
    words = np.empty(2 * count, np.uint32)
    kernels.draw(generator(seed), words)
    noise = np.empty((2, count), np.float32)
    kernels.normals(words[:count], words[count:], noise)
    return words, noise.astype(np.float64)


def test_normals_follow_box_and_muller():
    """Both outputs are r cos(a) and r sin(a) of the words' single-precision uniforms."""
    words, noise = drawn_normals(32 * 1000)
    radius, angle = words[: 32 * 1000], words[32 * 1000 :]
    uniform = ((radius >> 1).astype(np.float32) + np.float32(0.5)) * np.float32(2.0**-31)
    r = np.sqrt(-2 * np.log(uniform.astype(np.float64)))
    t = ((angle & 0xFFFFFF) + 0.5) * 2.0**-24 * np.pi / 4
    np.testing.assert_allclose(np.hypot(*noise), r, rtol=1e-5, atol=1e-6)
    inner = np.minimum(np.abs(noise[0]), np.abs(noise[1]))
    np.testing.assert_allclose(inner, r * np.sin(t), rtol=1e-5, atol=1e-6)


def test_normals_have_a_normal_law():
    """Kolmogorov and Smirnov find nothing in 64,000 normals, nor in the angle between the two of a pair."""
    _, noise = drawn_normals(32 * 1000, seed=7)
    assert stats.kstest(noise.ravel(), "norm").pvalue > 0.01
    angles = np.arctan2(noise[1], noise[0]) / (2 * np.pi) + 0.5
    assert stats.kstest(angles, "uniform").pvalue > 0.01
    assert abs(np.corrcoef(noise)[0, 1]) < 0.03


def test_most_extreme_words_give_finite_normals():
    """The smallest and largest words give finite normals within 7 of 0."""
    words = np.asarray([0, 1, 2**31, 2**32 - 1] * 4, np.uint32)
    angles = np.repeat(np.asarray([0, 2**24 - 1, 2**31, 2**32 - 1], np.uint32), 4)
    noise = np.empty((2, 16), np.float32)
    kernels.normals(words, angles, noise)
    assert np.isfinite(noise).all()
    assert np.abs(noise).max() < 7


def test_large_tables_are_judged_as_small_ones():
    """Above the size where sorting takes over, the loss is still that of counting."""
    rng = np.random.default_rng(0)
    values = rng.random((3, 1200)).astype(np.float32)
    genome = rng.random((2, 6)).astype(np.float32)
    lost = kernels.judge(
        genome,
        values,
        np.zeros((0, 1200), np.float32),
        np.zeros(0, np.int64),
        np.ones(1200),
        np.array([0, 600, 1200]),
        False,
    )
    for b in range(2):
        h = np.asarray(
            oracle.hypothesis(list(genome[b]), values, np.zeros((0, 1200), np.float32), [], False), np.float32
        )
        assert lost[b] == losses.lost_by_counting(h[:600], h[600:])


@pytest.mark.parametrize("seed", range(10))
def test_repeated_rows_are_rows_of_weight_two(seed):
    """Giving rows twice and giving them weight 2 lead to the same evolution."""
    rng = np.random.default_rng(seed)
    values = rng.random((4, 24)).astype(np.float32)
    weights = rng.integers(1, 4, 24).astype(float)
    repeats = weights.astype(int)
    none = (np.zeros((0, 24), np.float32), np.zeros(0, np.int64))
    n_near = 12
    genome, curve = kernels.evolve(
        values, *none, weights, np.array([0, n_near, 24]), False, 1000, generator(seed)
    )
    twice = np.repeat(values, repeats, axis=1)
    genome_twice, curve_twice = kernels.evolve(
        twice,
        np.zeros((0, twice.shape[1]), np.float32),
        none[1],
        np.ones(twice.shape[1]),
        np.array([0, repeats[:n_near].sum(), repeats.sum()]),
        False,
        1000,
        generator(seed),
    )
    np.testing.assert_array_equal(genome, genome_twice)
    np.testing.assert_array_equal(curve, curve_twice)


def test_run_stops_at_a_perfect_hypothesis_and_never_begins_a_partial_generation():
    """A separable table ends early; an inseparable one after the last whole generation within the budget."""
    values = np.zeros((1, 40), np.float32)
    values[0, 20:] = 1
    none = (np.zeros((0, 40), np.float32), np.zeros(0, np.int64), np.ones(40), np.array([0, 20, 40]), False)
    _, curve = kernels.evolve(values, *none, 50_000, generator(0))
    assert curve[-1] == 0
    assert len(curve) < 10
    _, flat = kernels.evolve(np.zeros((1, 40), np.float32), *none, 1019, generator(0))
    assert len(flat) == 1 + (1019 - 20) // 200
    np.testing.assert_array_equal(flat, 400)


@needs_compiler
def test_genes_stay_within_bounds_and_steps_cannot_run_away():
    """Thousands of generations without any selection pressure leave every gene finite and in [0, 1]."""
    genome, _ = kernels.evolve(
        np.zeros((1, 4), np.float32),
        np.zeros((0, 4), np.float32),
        np.zeros(0, np.int64),
        np.ones(4),
        np.array([0, 2, 4]),
        False,
        400_020,
        generator(3),
    )
    assert ((genome >= 0) & (genome <= 1)).all()
