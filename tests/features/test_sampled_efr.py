"""SampledEFR: what it finds in columns of every kind, what it says of its certainty, and its manners."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tamis.datasets import make_problem
from tamis.features._agreement import chain_error, effective_size, reliability
from tamis.features.sampled_efr import SampledEFR

NAN = float("nan")
needs_compiler = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="takes minutes with the compiler off"
)
SHORT: dict[str, Any] = {
    "n_chains": 2,
    "n_additive_chains": 1,
    "n_sweeps": 12,
    "n_burn_in": 4,
    "random_state": 0,
}


def noise(seed: int, n: int = 60, d: int = 6) -> tuple[np.ndarray, np.ndarray]:
    return np.random.default_rng(seed).random((n, d)), np.arange(n) % 2


@needs_compiler
@pytest.mark.parametrize(("concept", "n"), [("linear", 80), ("ball", 80), ("two", 120), ("xor", 150)])
def test_relevant_columns_of_every_concept_come_first(concept: Any, n: int) -> None:
    """Two relevant columns of ten, whatever their part: sums, a ball, two balls, a product without any sign alone."""
    problem = make_problem(n, 10, 2, concept, random_state=3)
    selector = SampledEFR(2, random_state=0).fit(problem.X, problem.y)
    assert set(selector.get_feature_names_out()) == set(problem.informative)
    relevant = np.isin(problem.X.columns, problem.informative)
    assert selector.inclusion_[relevant].min() > 0.9
    assert selector.inclusion_[~relevant].max() < 0.5


@needs_compiler
def test_additive_chains_cannot_see_a_product() -> None:
    """A column that acts only by a product with another is found by the full chains, not by the additive ones."""
    problem = make_problem(150, 10, 2, "xor", random_state=3)
    relevant = np.isin(problem.X.columns, problem.informative)
    selector = SampledEFR(n_chains=2, n_additive_chains=2, random_state=0).fit(problem.X, problem.y)
    full, additive = (
        selector.chain_inclusion_[0, :2].mean(axis=0),
        selector.chain_inclusion_[0, 2:].mean(axis=0),
    )
    assert full[relevant].min() > 0.9
    assert additive[relevant].max() < 0.5


@needs_compiler
def test_noise_is_called_noise() -> None:
    """Where the labels are a coin, no column is in more than half of the hypotheses."""
    for seed in range(3):
        X, y = noise(seed, n=80, d=10)
        assert SampledEFR(random_state=0).fit(X, y).inclusion_.max() < 0.5


@needs_compiler
def test_many_levels_of_noise_do_not_beat_a_strong_number() -> None:
    """A number one and a half standard deviations apart ranks before noise of 2, 12 and 25 levels, which is not needed."""
    found = []
    for seed in range(4):
        rng = np.random.default_rng(100 + seed)
        y = np.arange(80) % 2
        strong = y * 1.5 + rng.normal(size=80)
        levels = [rng.integers(0, count, 80) for count in (2, 12, 25)]
        X = np.column_stack([*levels, strong, rng.random((80, 4))]).astype(float)
        selector = SampledEFR(categorical_features=[0, 1, 2], random_state=0).fit(X, y)
        assert selector.ranking_[3] == 1
        found.append(selector.inclusion_[:3])
    assert np.mean(found, axis=0).max() < 0.4


@needs_compiler
def test_a_level_and_a_gap_that_matter_are_found() -> None:
    """One of four levels goes with a class, and a column of noise is missing mostly in the other."""
    rng = np.random.default_rng(1)
    y = np.arange(160) % 2
    levels = np.where((rng.random(160) < 0.5) & (y == 1), 3, rng.integers(0, 3, 160))
    X = np.column_stack([levels, rng.random((160, 6))]).astype(float)
    X[rng.random(160) < np.where(y == 0, 0.6, 0.1), 4] = NAN
    selector = SampledEFR(2, categorical_features=[0], random_state=0).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [0, 4]


@needs_compiler
def test_each_of_several_classes_is_set_against_the_rest() -> None:
    """A column that tells one class of three from the others is found, by the chains of that class above all."""
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = rng.normal(size=(90, 5))
    X[:, 1] += 3 * (y == 2)
    selector = SampledEFR(1, n_chains=2, n_sweeps=200, random_state=0).fit(X, y)
    assert selector.chain_inclusion_.shape == (3, 4, 5)
    assert selector.agreement_.shape == selector.effective_sample_size_.shape == (3,)
    assert selector.ranking_[1] == 1
    assert selector.chain_inclusion_[2, :, 1].min() > 0.95
    expected = selector.chain_inclusion_[:, :2].mean(axis=(0, 1))
    np.testing.assert_allclose(selector.inclusion_, expected, rtol=1e-12)


def test_jobs_rows_and_units_change_nothing() -> None:
    """Two jobs, other row order, a monotone change of units: the same bits. Another seed: others."""
    X, y = noise(0)
    first = SampledEFR(**SHORT).fit(X, y)
    order = np.random.default_rng(0).permutation(60)
    for other in (
        SampledEFR(**SHORT, n_jobs=2).fit(X, y),
        SampledEFR(**SHORT).fit(X[order], y[order]),
        SampledEFR(**SHORT).fit(np.exp(X), y),
    ):
        np.testing.assert_array_equal(first.scores_, other.scores_)
        np.testing.assert_array_equal(first.history_["log_likelihood"], other.history_["log_likelihood"])
    assert (SampledEFR(**{**SHORT, "random_state": 1}).fit(X, y).scores_ != first.scores_).any()


def test_frames_of_every_library_are_read_alike() -> None:
    """pandas and polars frames with texts and gaps give the bits of the coded array."""
    X, y = noise(5, d=2)
    texts = np.asarray(["low", "mid", "top", None], dtype=object)[np.arange(60) % 4]
    columns = {"a": X[:, 0], "kind": texts, "b": np.where(np.arange(60) % 7, X[:, 1], NAN)}
    codes = np.where(np.arange(60) % 4 == 3, NAN, np.arange(60) % 4)
    array = np.column_stack([columns["a"], codes, columns["b"]])
    expected = SampledEFR(**SHORT, categorical_features=[1]).fit(array, y).scores_
    for frame in (
        pd.DataFrame(columns),
        pl.DataFrame({**columns, "b": pl.Series(columns["b"]).fill_nan(None)}),
    ):
        np.testing.assert_array_equal(SampledEFR(**SHORT).fit(frame, y).scores_, expected)


def test_a_column_with_one_value_scores_zero() -> None:
    """Constants and columns of gaps take no part; a table of nothing else has scores of 0."""
    X, y = noise(0)
    X = np.column_stack([X, np.full(60, 3.0), np.full(60, NAN)])
    selector = SampledEFR(**SHORT).fit(X, y)
    np.testing.assert_array_equal(selector.scores_[6:], 0)
    assert selector.scores_[:6].min() > 0
    nothing = SampledEFR(**SHORT).fit(X[:, 6:7], y)
    assert nothing.scores_.tolist() == nothing.inclusion_.tolist() == [0]


def test_scores_are_the_means_of_both_kinds_of_chains() -> None:
    """Full and additive chains each count with their mean, however many there are."""
    X, y = noise(1)
    shape = {**SHORT, "n_additive_chains": 3}
    both = SampledEFR(**shape).fit(X, y)
    assert both.chain_inclusion_.shape == (1, 5, 6)
    assert len(set(map(len, both.history_.values()))) == 1
    assert len(both.history_["chain"]) == 5 * 8
    full = SampledEFR(**{**SHORT, "n_additive_chains": 0}).fit(X, y)
    np.testing.assert_array_equal(full.chain_inclusion_[0], both.chain_inclusion_[0, :2])
    assert (both.scores_ > full.scores_).all()


def test_numbers_that_leave_nothing_to_count_are_refused() -> None:
    """A burn-in as long as the run, and no chains at all, are named errors."""
    X, y = noise(0)
    with pytest.raises(ValueError, match="n_burn_in=12, but there are n_sweeps=12"):
        SampledEFR(**{**SHORT, "n_burn_in": 12}).fit(X, y)
    with pytest.raises(ValueError, match="leave no chain"):
        SampledEFR(n_chains=0, n_additive_chains=0).fit(X, y)


def test_one_chain_of_a_kind_has_no_error() -> None:
    """Without two chains of a kind there is nothing to compare: NaN, not 0."""
    X, y = noise(0)
    selector = SampledEFR(**{**SHORT, "n_chains": 1}).fit(X, y)
    assert np.isnan(selector.inclusion_error_).all()
    assert np.isnan(selector.agreement_).all()


def test_agreement_is_one_where_chains_agree_and_low_where_they_do_not() -> None:
    """Equal chains have the reliability 1 and the error 0; chains of noise have one near 0."""
    one = np.linspace(0, 1, 50)
    equal = np.broadcast_to(one, (1, 4, 50))
    kinds = [np.ones(4, dtype=bool)]
    assert reliability(equal, kinds).tolist() == [1]
    np.testing.assert_array_equal(chain_error(equal), 0)
    random = np.random.default_rng(0).random((20, 4, 50))
    assert reliability(random, kinds).mean() < 0.3
    np.testing.assert_allclose(chain_error(random[:1]), random[0].std(axis=0, ddof=1) / 2, rtol=1e-12)


def test_reliability_is_the_share_of_true_variance() -> None:
    """Columns of variance 1 seen by four chains with noise of variance 4 agree by 1 / (1 + 4 / 4), within chance."""
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(40, 1, 2000))
    seen = truth + 2 * rng.normal(size=(40, 4, 2000))
    assert reliability(seen, [np.ones(4, dtype=bool)]).mean() == pytest.approx(0.5, abs=0.02)


def test_effective_size_counts_independent_draws() -> None:
    """Independent draws count fully; with correlation r from draw to draw about (1 - r) / (1 + r) of them do."""
    rng = np.random.default_rng(0)
    assert effective_size(rng.normal(size=4000)) == pytest.approx(4000, rel=0.15)
    trace = np.zeros(20_000)
    for t in range(1, len(trace)):
        trace[t] = 0.8 * trace[t - 1] + rng.normal()
    assert effective_size(trace) == pytest.approx(20_000 * 0.2 / 1.8, rel=0.2)
    assert effective_size(np.ones(10)) == 10


@pytest.mark.parametrize("kind", ["two classes", "three classes", "numbers"])
def test_a_weight_is_how_often_a_row_is_there(kind: str) -> None:
    """Bit for bit, wherever the repeated rows stand; a row of weight 0, and a class without weight, are not there."""
    random = np.random.default_rng(3)
    X = np.round(random.random((30, 4)), 1)
    y: Any = random.random(30) if kind == "numbers" else np.arange(30) % (2 + (kind == "three classes"))
    counts = random.integers(0, 4, 30)
    counts[y == 2] = 0
    counts[:2] = 1, 2
    again = np.random.default_rng(4).permutation(np.repeat(np.arange(30), counts))
    weighed = SampledEFR(**SHORT).fit(X, y, counts * 1.0)
    repeated = SampledEFR(**SHORT).fit(X[again], y[again])
    np.testing.assert_array_equal(weighed.chain_inclusion_, repeated.chain_inclusion_)
    np.testing.assert_array_equal(weighed.ranking_, repeated.ranking_)
    if kind != "numbers":
        assert weighed.classes_.tolist() == repeated.classes_.tolist() == [0, 1]


def test_weights_that_are_no_numbers_of_rows_are_refused() -> None:
    """Halves of a row, and more rows than can be."""
    X, y = noise(0, 20)
    with pytest.raises(ValueError, match=r"sample_weight holds 0.5. A weight is how often a row is there"):
        SampledEFR(**SHORT).fit(X, y, np.full(20, 0.5))
    with pytest.raises(ValueError, match="asks for 2e\\+09 rows, more than 10,000,000"):
        SampledEFR(**SHORT).fit(X, y, np.full(20, 1e8))
