"""MonteCarloPrototypes and HillClimbingPrototypes: the plain searches on the same draws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tamis.prototypes.condensed import CondensedNN
from tamis.prototypes.skalak import HillClimbingPrototypes, MonteCarloPrototypes
from tests.oracles import prototypes as oracle
from tests.prototypes.problems import needs_compiler, problem
from tests.settings import N_PROBLEMS


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_the_best_set_is_kept(seed: int) -> None:
    """Sets are the starts of successive permutations; the first of those with most rows right is kept."""
    X, nominal, y, distances, _ = problem(seed)
    size = 1 + seed % min(9, len(y))
    selector = MonteCarloPrototypes(size, n_samples=7, random_state=seed, categorical_features=nominal)
    selector.fit(X, y)
    random = np.random.RandomState(seed)
    draws = [random.permutation(len(y))[:size].tolist() for _ in range(7)]
    kept, counts = oracle.monte_carlo(distances, y, draws)
    assert selector.sample_indices_.tolist() == sorted(kept)
    np.testing.assert_array_equal(selector.history_["accuracy"], np.array(counts) / len(y))


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_better_replacements_stay(seed: int) -> None:
    """Every replacement is judged as the plain search judges it, and those strictly better stay."""
    X, nominal, y, distances, _ = problem(seed)
    size = 1 + seed % min(9, len(y) - 1)
    selector = HillClimbingPrototypes(size, n_mutations=40, random_state=seed, categorical_features=nominal)
    selector.fit(X, y)
    random = np.random.RandomState(seed)
    order = random.permutation(len(y))
    slots, fresh = random.randint(size, size=40), random.randint(len(y) - size, size=40)
    kept, tried = oracle.hill_climbing(distances, y, np.sort(order[:size]), order[size:], slots, fresh)
    assert selector.sample_indices_.tolist() == sorted(kept)
    removed, added, right, stayed = zip(*tried)
    history = selector.history_
    assert history["removed"].tolist() == list(removed)
    assert history["added"].tolist() == list(added)
    assert history["kept"].tolist() == list(stayed)
    np.testing.assert_array_equal(history["accuracy"], np.array(right) / len(y))


@pytest.mark.parametrize("seed", range(0, N_PROBLEMS, 2))
def test_weights_count_in_both_searches(seed: int) -> None:
    """What is right counts its weight; equal weights change nothing."""
    X, nominal, y, distances, _ = problem(seed)
    size = 1 + seed % min(9, len(y) - 1)
    weights = np.random.default_rng(seed).choice([0.0, 1.0, 2.0, 3.0], len(y))
    weights[[0, int(np.argmax(y != y[0]))]] = 1.0
    settings = {"random_state": seed, "categorical_features": nominal}
    climb = HillClimbingPrototypes(size, n_mutations=30, **settings)
    draw = MonteCarloPrototypes(size, n_samples=7, **settings)
    random = np.random.RandomState(seed)
    order = random.permutation(len(y))
    slots, fresh = random.randint(size, size=30), random.randint(len(y) - size, size=30)
    kept, tried = oracle.hill_climbing(
        distances, y, np.sort(order[:size]), order[size:], slots, fresh, weights
    )
    assert climb.fit(X, y, weights).sample_indices_.tolist() == sorted(kept)
    right = np.array([count for _, _, count, _ in tried])
    np.testing.assert_allclose(climb.history_["accuracy"], right / weights.sum(), rtol=1e-12)
    random = np.random.RandomState(seed)
    draws = [random.permutation(len(y))[:size].tolist() for _ in range(7)]
    assert draw.fit(X, y, weights).sample_indices_.tolist() == sorted(
        oracle.monte_carlo(distances, y, draws, weights)[0]
    )
    for selector in (climb, draw):
        plain = selector.fit(X, y).sample_indices_.tolist()
        assert selector.fit(X, y, np.full(len(y), 3.0)).sample_indices_.tolist() == plain


def blocks() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    X = np.column_stack([random.normal(size=(900, 3)), random.integers(0, 3, 900)])
    return X, (X[:, 0] > X[:, 1]).astype(int) + (X[:, 2] > 1)


@needs_compiler
@pytest.mark.parametrize("cls", [MonteCarloPrototypes, HillClimbingPrototypes])
def test_threads_and_blocks_change_nothing(cls: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same rows for one thread and for several, in one block and in many."""
    X, y = blocks()
    one = cls(0.05, random_state=0, n_jobs=1, categorical_features=[3]).fit(X, y).sample_indices_
    many = cls(0.05, random_state=0, n_jobs=2, categorical_features=[3]).fit(X, y).sample_indices_
    monkeypatch.setattr("tamis.prototypes._condense.BLOCK_ROWS", 1000)
    together = cls(0.05, random_state=0, categorical_features=[3]).fit(X, y).sample_indices_
    np.testing.assert_array_equal(one, many)
    np.testing.assert_array_equal(one, together)


@needs_compiler
@pytest.mark.parametrize("cls", [MonteCarloPrototypes, HillClimbingPrototypes])
def test_as_many_as_condensing_keeps(cls: Any) -> None:
    """n_prototypes="condensed" is the number of rows that CondensedNN keeps."""
    X, y = blocks()
    size = len(CondensedNN().fit(X, y).sample_indices_)
    assert len(cls("condensed", random_state=0).fit(X, y).sample_indices_) == size


@needs_compiler
def test_climbing_beats_its_start() -> None:
    """What is kept has as many rows right as the last replacement that stayed."""
    X, y = blocks()
    start = HillClimbingPrototypes(0.05, n_mutations=0, random_state=0).fit(X, y)
    end = HillClimbingPrototypes(0.05, n_mutations=300, random_state=0).fit(X, y)
    assert len(start.sample_indices_) == len(end.sample_indices_) == 45
    assert end.history_["kept"].any()
    accuracies = end.history_["accuracy"][end.history_["kept"]]
    assert (np.diff(accuracies) > 0).all()


def test_all_rows_leave_nothing_to_replace() -> None:
    """With every row kept there is no other to take, and no replacement is tried."""
    X, y = blocks()
    selector = HillClimbingPrototypes(1.0, random_state=0).fit(X[:20], y[:20])
    assert selector.sample_indices_.tolist() == list(range(20))
    assert len(selector.history_["accuracy"]) == 0
