"""CondensedNN: Hart's store, row by row."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tamis.prototypes.condensed import CondensedNN
from tests.oracles import prototypes as oracle
from tests.prototypes.problems import needs_compiler, problem
from tests.settings import N_PROBLEMS


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_the_store_is_harts(seed: int) -> None:
    """The same rows in the same order and passes as the plain rule."""
    X, nominal, y, distances, _ = problem(seed)
    selector = CondensedNN(categorical_features=nominal).fit(X, y)
    store, passes = oracle.condensed(distances, y)
    assert selector.history_["row"].tolist() == store
    assert selector.history_["pass"].tolist() == passes
    assert selector.sample_indices_.tolist() == sorted(store)


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_a_random_order_is_a_permutation_of_the_rows(seed: int) -> None:
    """The rule goes through the rows in the order of one permutation drawn from the seed."""
    X, nominal, y, distances, _ = problem(seed)
    selector = CondensedNN(order="random", random_state=seed, categorical_features=nominal).fit(X, y)
    order = np.random.RandomState(seed).permutation(len(y))
    assert selector.history_["row"].tolist() == oracle.condensed(distances, y, order)[0]


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_the_store_classifies_every_row(seed: int) -> None:
    """The nearest kept row has the right class, but for rows that equal a kept row of another class."""
    X, nominal, y, distances, _ = problem(seed)
    store = CondensedNN(categorical_features=nominal).fit(X, y).history_["row"].tolist()
    for row in range(len(y)):
        nearest = oracle.nearest_of(distances, row, store)
        assert y[nearest] == y[row] or distances[row][nearest] == 0


def large(n_rows: int, n_classes: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """A table of several blocks of rows with a gap column, a nominal column and ties."""
    random = np.random.default_rng(0)
    X = np.column_stack([random.normal(size=(n_rows, 3)), random.integers(0, 4, (n_rows, 2))])
    X[random.random(n_rows) < 0.1, 1] = np.nan
    y = (X[:, 0] > 0).astype(int) + (random.random(n_rows) < 0.1)
    return X, y


@needs_compiler
@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_threads_change_nothing(n_jobs: int) -> None:
    """The same order for one thread and for several, over several stretches of blocks."""
    X, y = large(9000)
    one = CondensedNN(categorical_features=[4]).fit(X, y)
    many = CondensedNN(categorical_features=[4], n_jobs=n_jobs).fit(X, y)
    np.testing.assert_array_equal(one.history_["row"], many.history_["row"])
    np.testing.assert_array_equal(one.history_["pass"], many.history_["pass"])


@needs_compiler
def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same order whatever the size of the blocks."""
    X, y = large(900)
    usual = CondensedNN(categorical_features=[4]).fit(X, y).history_["row"]
    for size in (1, 7, 5000):
        monkeypatch.setattr("tamis.prototypes._condense.BLOCK_ROWS", size)
        np.testing.assert_array_equal(CondensedNN(categorical_features=[4]).fit(X, y).history_["row"], usual)


def test_renaming_classes_changes_nothing() -> None:
    """Labels are names: another set of names, or another order of them, keeps the same rows."""
    X, y = large(300)
    names = np.array(["z", "m", "a"])[y]
    np.testing.assert_array_equal(
        CondensedNN().fit(X, y).history_["row"], CondensedNN().fit(X, names).history_["row"]
    )


def test_conflicting_duplicates_end() -> None:
    """Equal rows of different classes are stored once each, and the passes end."""
    X, y = np.zeros((6, 2)), ["a", "b", "a", "b", "c", "a"]
    selector = CondensedNN().fit(X, y)
    assert selector.history_["row"].tolist() == [0, 1, 3, 4]


def test_a_frame_with_texts_and_gaps() -> None:
    """Nominal columns and gaps of a frame are read by their dtype."""
    frame = pd.DataFrame({"t": ["p", "p", "q", None], "v": [0.0, 1.0, np.nan, 0.5]})
    kept, labels = CondensedNN().fit_resample(frame, ["a", "a", "b", "b"])
    assert kept.index.tolist() == [0, 2, 3]
    assert labels == ["a", "b", "b"]


def test_refitting_is_fitting() -> None:
    """A second fit, and a generator in the place of its seed, give the same rows."""
    X, y = large(200)
    selector = CondensedNN(order="random", random_state=3).fit(X, y)
    first = selector.history_["row"]
    np.testing.assert_array_equal(selector.fit(X, y).history_["row"], first)
    again = CondensedNN(order="random", random_state=np.random.RandomState(3)).fit(X, y)
    np.testing.assert_array_equal(again.history_["row"], first)


def test_an_unknown_order_is_refused() -> None:
    """The orders allowed stand in the error."""
    with pytest.raises(ValueError, match=r"'order' parameter of CondensedNN must be a str among .*'given'"):
        CondensedNN(order="sorted").fit([[0], [1]], [0, 1])


@needs_compiler
@pytest.mark.parametrize("kind", ["grid", "normal"])
def test_matrix_products_change_nothing(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wide numeric tables catch up by matrix products; the same rows are stored, ties and duplicates included."""
    random = np.random.default_rng(0)
    X = random.normal(size=(1500, 5)) if kind == "normal" else random.integers(0, 4, (1500, 5)) * 0.1
    y = random.integers(0, 3, 1500)
    usual = CondensedNN().fit(X, y).history_["row"]
    monkeypatch.setattr("tamis.prototypes._condense.PRODUCTS", 64)
    monkeypatch.setattr("tamis.prototypes._condense.WIDE", 2)
    for n_jobs in (1, 2):
        np.testing.assert_array_equal(CondensedNN(n_jobs=n_jobs).fit(X, y).history_["row"], usual)
