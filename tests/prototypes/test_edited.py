"""EditedNN and DROP3: the plain rules' rows."""

from __future__ import annotations

import numpy as np
import pytest

from tamis.prototypes.drop3 import DROP3
from tamis.prototypes.edited import EditedNN
from tests.oracles import prototypes as oracle
from tests.prototypes.problems import needs_compiler, problem
from tests.settings import N_PROBLEMS


@pytest.mark.parametrize("n_neighbors", [1, 3, 4])
@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_edited_rows_are_wilsons(seed: int, n_neighbors: int) -> None:
    """The rows that no majority of their nearest others speaks against; none left is an error."""
    X, nominal, y, distances, _ = problem(seed)
    expected = oracle.edited(distances, y, n_neighbors)
    selector = EditedNN(n_neighbors, categorical_features=nominal)
    if not expected:
        with pytest.raises(ValueError, match=f"EditedNN: all {len(y)} rows are misclassified"):
            selector.fit(X, y)
        return
    assert selector.fit(X, y).sample_indices_.tolist() == expected
    assert np.flatnonzero(selector.history_["kept"]).tolist() == expected


@pytest.mark.parametrize("n_neighbors", [1, 3, 4])
@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_drop3_is_the_plain_rule(seed: int, n_neighbors: int) -> None:
    """The same rows are judged in the same order, and the same stay."""
    X, nominal, y, distances, _ = problem(seed)
    if not oracle.edited(distances, y, n_neighbors):
        with pytest.raises(ValueError, match=f"DROP3: all {len(y)} rows are misclassified"):
            DROP3(n_neighbors, categorical_features=nominal).fit(X, y)
        return
    selector = DROP3(n_neighbors, categorical_features=nominal).fit(X, y)
    order, kept = oracle.drop3(distances, y, n_neighbors)
    assert selector.history_["row"].tolist() == order
    assert selector.sample_indices_.tolist() == kept


def grid(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    X = random.integers(0, 25, (n_rows, 2)) / 24
    return X, (X[:, 0] + X[:, 1] > 1).astype(int) + (random.random(n_rows) < 0.05)


@needs_compiler
def test_lists_made_anew_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether lists hold one spare row or all of them, the same rows stay."""
    X, y = grid(700)
    usual = DROP3().fit(X, y).sample_indices_
    assert len(usual) < 350
    for spare in (0, 1, 695):
        monkeypatch.setattr("tamis.prototypes.drop3.SPARE", spare)
        np.testing.assert_array_equal(DROP3().fit(X, y).sample_indices_, usual)


@needs_compiler
@pytest.mark.parametrize("selector", [EditedNN(), DROP3()])
def test_threads_change_nothing(selector: EditedNN | DROP3) -> None:
    """The same rows for one thread and for several."""
    X, y = grid(1500)
    one = selector.set_params(n_jobs=1).fit(X, y).sample_indices_
    np.testing.assert_array_equal(selector.set_params(n_jobs=2).fit(X, y).sample_indices_, one)


def test_a_tie_of_votes_keeps_the_row() -> None:
    """One vote each way, or one for each of three classes: nobody has more votes than the row's own class."""
    X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "b", "a", "b"]
    assert EditedNN(n_neighbors=2).fit(X, y).sample_indices_.tolist() == [0, 3]
    assert EditedNN(n_neighbors=2).fit(X, y).history_["votes"].tolist() == [1, 0, 0, 1]
