"""ReducedNN: Gates's pass over Hart's store."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tamis.prototypes.condensed import CondensedNN
from tamis.prototypes.reduced import ReducedNN
from tests.oracles import prototypes as oracle
from tests.prototypes.problems import needs_compiler, problem
from tests.settings import N_PROBLEMS


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_the_rows_are_gatess(seed: int) -> None:
    """The same rows stay, of the same store in the same order, as by the plain rule."""
    X, nominal, y, distances, _ = problem(seed)
    selector = ReducedNN(categorical_features=nominal).fit(X, y)
    store, passes = oracle.condensed(distances, y)
    kept = oracle.reduced(distances, y, store)
    assert selector.history_["row"].tolist() == store
    assert selector.history_["pass"].tolist() == passes
    assert selector.history_["row"][selector.history_["kept"]].tolist() == kept
    assert selector.sample_indices_.tolist() == sorted(kept)


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_a_random_order_reduces_the_random_store(seed: int) -> None:
    """With order="random" the store of CondensedNN of the same seed is reduced."""
    X, nominal, y, distances, _ = problem(seed)
    settings = {"order": "random", "random_state": seed, "categorical_features": nominal}
    store = CondensedNN(**settings).fit(X, y).history_["row"].tolist()
    kept = ReducedNN(**settings).fit(X, y).sample_indices_.tolist()
    assert kept == sorted(oracle.reduced(distances, y, store))


@needs_compiler
def test_long_lists_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a search lists one row or many, the same rows stay; so it is for several blocks of stored rows."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(2000, 3)), random.integers(0, 3, 2000)
    usual = ReducedNN().fit(X, y).sample_indices_
    assert len(usual) > 600
    for length in (1, 2, 40):
        monkeypatch.setattr("tamis.prototypes._condense.LIST_LENGTH", length)
        np.testing.assert_array_equal(ReducedNN().fit(X, y).sample_indices_, usual)


def test_the_reduced_rows_classify_what_the_store_does() -> None:
    """Every row that the condensed store has right stays right."""
    random = np.random.default_rng(1)
    X, y = random.integers(0, 6, (400, 3)) / 5, random.integers(0, 2, 400)
    distances = (((X[:, None] - X[None]) ** 2) * 2**20).round().sum(axis=2)
    condensed = CondensedNN().fit(X, y).history_["row"]
    selector = ReducedNN().fit(X, y)
    reduced = selector.history_["row"][selector.history_["kept"]]
    for row in range(400):
        was_right = y[oracle.nearest_of(distances, row, condensed.tolist())] == y[row]
        is_right = y[oracle.nearest_of(distances, row, reduced.tolist())] == y[row]
        assert is_right or not was_right


def read_fixture(name: str) -> np.ndarray:
    return np.loadtxt(Path(__file__).parent / "fixtures" / name, delimiter=",", skiprows=1)


@pytest.mark.parametrize("number", range(12))
def test_r_keeps_the_same_rows(number: int) -> None:
    """R's class::reduce.nn, made to go through the store in the order of storing, bears witness."""
    problems, kept = read_fixture("reduce_nn_problems.csv"), read_fixture("reduce_nn_kept.csv")
    table = problems[problems[:, 0] == number]
    selector = ReducedNN().fit(table[:, 1:4], table[:, 4].astype(int))
    stored = np.flatnonzero(table[:, 5])
    assert sorted(selector.history_["row"].tolist()) == stored.tolist()
    assert selector.sample_indices_.tolist() == kept[kept[:, 0] == number, 1].astype(int).tolist()
