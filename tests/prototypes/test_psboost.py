"""PSBoost: the plain algorithm's rows in its order, in every mode."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from tamis.prototypes._quota import class_quotas
from tamis.prototypes.condensed import CondensedNN
from tamis.prototypes.psboost import PSBoost
from tamis.prototypes.psboost_classifier import PSBoostClassifier
from tamis.table._table import Target
from tests.oracles import prototypes as oracle
from tests.prototypes.problems import needs_compiler, problem
from tests.settings import N_PROBLEMS, NIGHTLY


def fitted(seed: int, n_prototypes: Any, label: Any = None, **settings: Any) -> PSBoost | None:
    """PSBoost on a random problem, None where it finds no row; that fewer may be kept is no matter here.

    With a label, its class is set against the rest.
    """
    X, nominal, y, _, _ = problem(seed)
    y = y if label is None else y == label
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="PSBoost: kept")
        try:
            return PSBoost(n_prototypes, categorical_features=nominal, **settings).fit(X, y)
        except ValueError as refusal:
            if "none would be kept" not in str(refusal):
                raise
            return None


def assert_chosen(selector: PSBoost | None, expected: tuple[list[int], list[float], list[int]]) -> None:
    """The rows, alphas and runs are the expected ones; where none are expected, the table was refused."""
    rows, alphas, runs = expected
    assert (selector is None) == (not rows)
    if selector is None:
        return
    assert selector.history_["row"].tolist() == rows
    np.testing.assert_allclose(selector.history_["alpha"], alphas, rtol=0, atol=1e-10)
    assert selector.history_["run"].tolist() == runs
    order = np.argsort(rows)
    assert selector.sample_indices_.tolist() == [rows[place] for place in order]
    np.testing.assert_array_equal(selector.prototype_weights_, selector.history_["alpha"][order])


def assert_same(one: PSBoost | None, other: PSBoost | None) -> None:
    """Both keep the same rows in the same order, or both refuse."""
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        np.testing.assert_array_equal(one.history_["row"], other.history_["row"])


@pytest.mark.parametrize("remove_selected", [False, True])
@pytest.mark.parametrize("n_neighbors", [1, 2, 5])
@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_the_rows_are_those_of_the_plain_algorithm(
    seed: int, n_neighbors: int, remove_selected: bool
) -> None:
    """Row after row, with the same alphas, until none of 0 or more is left."""
    _, _, y, distances, _ = problem(seed)
    settings = {"n_neighbors": n_neighbors, "remove_selected": remove_selected}
    selector = fitted(seed, 1.0, class_quota=None, **settings)
    neighbors = oracle.neighborhoods(distances, n_neighbors)
    assert_chosen(selector, oracle.psboost(neighbors, y, len(y), None, remove_selected))


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_boosting_begins_with_the_given_weights(seed: int) -> None:
    """The plain algorithm's rows from the same weights, some of them 0; equal weights change nothing."""
    X, nominal, y, distances, _ = problem(seed)
    weights = np.random.default_rng(seed).choice([0.0, 1.0, 2.0, 4.0], len(y))
    weights[[0, int(np.argmax(y != y[0]))]] = 1.0
    neighbors = oracle.neighborhoods(distances, 3)
    chosen = oracle.psboost(neighbors, y, len(y) // 2, None, True, given=weights.tolist())
    selector = PSBoost(len(y) // 2, n_neighbors=3, class_quota=None, categorical_features=nominal)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="PSBoost: kept")
        if not chosen[0]:
            with pytest.raises(ValueError, match="none would be kept"):
                selector.fit(X, y, weights)
            return
        assert_chosen(selector.fit(X, y, weights), chosen)
        same = fitted(seed, len(y) // 2, n_neighbors=3, class_quota=None)
        if same is not None:
            assert_same(same, selector.fit(X, y, np.full(len(y), 0.5)))


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_quotas_close_classes(seed: int) -> None:
    """A row of a full class is no candidate, neither in a run nor in a turn."""
    _, _, y, distances, _ = problem(seed)
    random = np.random.default_rng(seed)
    quota = {label: int(random.integers(1, 1 + np.sum(y == label))) for label in set(y.tolist())}
    remove_selected = bool(seed % 2)
    selector = fitted(seed, 0.5, n_neighbors=3, class_quota=quota, remove_selected=remove_selected)
    neighbors = oracle.neighborhoods(distances, 3)
    assert_chosen(selector, oracle.psboost(neighbors, y, sum(quota.values()), quota, remove_selected))


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_turns_end_at_the_number_asked_for(seed: int) -> None:
    """Two classes take the first rows of one run, more classes take turns."""
    _, _, y, distances, _ = problem(seed)
    wanted = 1 + seed % len(y)
    selector = fitted(seed, wanted, n_neighbors=2, class_quota=None)
    neighbors = oracle.neighborhoods(distances, 2)
    assert_chosen(selector, oracle.psboost(neighbors, y, wanted, None, True))


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_the_union_has_the_rows_of_every_run(seed: int) -> None:
    """Each class its own run of as many rows, all of them kept; with quotas each run has its own."""
    _, _, y, distances, _ = problem(seed)
    wanted = 1 + seed % (len(y) // 2)
    settings: dict[str, Any] = {"n_neighbors": 2, "multiclass": "union", "remove_selected": bool(seed % 2)}
    neighbors = oracle.neighborhoods(distances, 2)
    chosen = oracle.psboost(neighbors, y, wanted, None, bool(seed % 2), union=True)
    assert_chosen(fitted(seed, wanted, class_quota=None, **settings), chosen)
    quota = {label: 1 + seed % int(np.sum(y == label)) for label in set(y.tolist())}
    chosen = oracle.psboost(neighbors, y, sum(quota.values()), quota, bool(seed % 2), union=True)
    assert_chosen(fitted(seed, 0.5, class_quota=quota, **settings), chosen)


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_the_preset_is_the_paper(seed: int) -> None:
    """k = 1, the plain update, the union; several classes are as many two-class problems, solved apart."""
    _, _, y, distances, _ = problem(seed)
    wanted = 1 + seed % (len(y) // 2)
    preset = fitted(seed, wanted, preset="paper")
    chosen = oracle.psboost(oracle.neighborhoods(distances, 1), y, wanted, None, False, union=True)
    assert_chosen(preset, chosen)
    if preset is not None and len(set(y.tolist())) > 2:
        runs = [fitted(seed, wanted, label, preset="paper") for label in set(y.tolist())]
        apart = {row for run in runs if run is not None for row in run.sample_indices_.tolist()}
        assert preset.sample_indices_.tolist() == sorted(apart)


def test_what_contradicts_the_preset_is_refused() -> None:
    """By name, with the preset's value; the size is the caller's."""
    X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    assert len(PSBoost(1, preset="paper").fit(X, y).sample_indices_) == 1
    for setting in ({"n_neighbors": 3}, {"class_quota": {"a": 1}}):
        name = next(iter(setting))
        with pytest.raises(ValueError, match=f"PSBoost: preset='paper' means {name}=.* was given too"):
            PSBoost(1, preset="paper", **setting).fit(X, y)


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_proportional_quotas_are_the_classes_shares(seed: int) -> None:
    """class_quota="proportional" is the dict of the quotas that test_quota.py is about."""
    _, _, y, _, _ = problem(seed)
    wanted = 3 + seed % (len(y) - 3)
    labels, codes = np.unique(y, return_inverse=True)
    shares = class_quotas("PSBoost", Target(codes, labels), wanted, "proportional")
    named = dict(zip(labels.tolist(), shares.tolist()))
    by_share, by_name = fitted(seed, wanted), fitted(seed, 0.1, class_quota=named)
    assert_same(by_share, by_name)


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_as_many_as_condensing_keeps(seed: int) -> None:
    """n_prototypes="condensed" is the number of rows that CondensedNN keeps."""
    X, nominal, y, _, _ = problem(seed)
    size = len(CondensedNN(categorical_features=nominal).fit(X, y).sample_indices_)
    condensed, counted = fitted(seed, "condensed"), fitted(seed, size)
    assert_same(condensed, counted)


def test_one_neighbour_is_a_ranking_by_votes() -> None:
    """With k = 1 nothing that is left changes: rows by correct less incorrect votes, the lower on ties."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(300, 4)), random.integers(0, 2, 300)
    scaled = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
    distances = ((scaled[:, None] - scaled[None]) ** 2).sum(axis=2)
    np.fill_diagonal(distances, np.inf)
    nearest = distances.argmin(axis=1)
    votes = np.zeros(300)
    np.add.at(votes, nearest, np.where(y[nearest] == y, 1, -1))
    expected = np.argsort(-votes, kind="stable")[: np.sum(votes >= 0)]
    selector = PSBoost(len(expected), n_neighbors=1, remove_selected=False, class_quota=None).fit(X, y)
    np.testing.assert_array_equal(selector.history_["row"], expected)


def test_alpha_is_the_papers() -> None:
    """By hand: the first row has two rows right, one wrong, and does not vote for three."""
    X = [[0, 0], [1, 0], [-1.1, 0], [0, 1.2], [10, 10], [10.5, 10]]
    y = ["a", "a", "a", "b", "b", "b"]  # nearest: 0 -> 1; 1, 2 and 3 -> 0; 4 and 5 each other
    selector = PSBoost(1, n_neighbors=1, class_quota=None).fit(X, y)
    assert selector.history_["row"].tolist() == [0]
    expected = 0.5 * np.log((2 / 6 + 3 / 12) / (1 / 6 + 3 / 12))
    assert selector.history_["alpha"][0] == pytest.approx(expected, abs=1e-12)


def test_too_few_good_rows_are_said_once() -> None:
    """The numbers kept and asked for stand in the one warning."""
    X, y = [[0.0], [1.0], [10.0], [11.0]], ["a", "a", "a", "b"]
    with pytest.warns(UserWarning, match="PSBoost: kept 2 rows of the 4 asked for") as caught:
        selector = PSBoost(4, n_neighbors=1).fit(X, y)
    assert len(caught) == 1
    assert selector.sample_indices_.tolist() == [0, 1]


@pytest.mark.parametrize("cls", [PSBoost, PSBoostClassifier])
def test_a_table_without_a_good_voter_is_refused(cls: Any) -> None:
    """Where every row's neighbours are of another class nothing could be kept: an error says so, by name."""
    X, y = [[0.0], [1.0], [10.0], [11.0]], ["a", "b", "a", "b"]
    with pytest.raises(ValueError, match=f"{cls.__name__}: none of the 4 rows has an alpha of 0 or more"):
        cls(2, n_neighbors=1).fit(X, y)


def large() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 4))
    return X, (X[:, 0] + 0.5 * random.normal(size=3000) > 0).astype(int) + (X[:, 1] > 1)


@needs_compiler
def test_threads_change_nothing() -> None:
    """The same rows and the same bits for one thread and for several."""
    X, y = large()
    one, many = PSBoost(n_jobs=1).fit(X, y), PSBoost(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(one.history_["row"], many.history_["row"])
    np.testing.assert_array_equal(one.prototype_weights_, many.prototype_weights_)


@needs_compiler
def test_an_approximate_graph_of_few_rows_is_exact() -> None:
    """Up to 2,048 rows graph="approximate" costs more than it saves, and the exact graph is taken."""
    X, y = large()
    exact, near = PSBoost().fit(X[:900], y[:900]), PSBoost(graph="approximate").fit(X[:900], y[:900])
    np.testing.assert_array_equal(exact.history_["row"], near.history_["row"])


@pytest.mark.nightly
@pytest.mark.skipif(not NIGHTLY, reason="pynndescent compiles for a minute")
def test_an_approximate_graph_keeps_nearly_the_same_rows() -> None:
    """Seeded, whatever the number of threads; nine rows of ten are those of the exact graph."""
    X, y = large()
    exact = PSBoost().fit(X, y).sample_indices_
    near = PSBoost(graph="approximate", random_state=0, n_jobs=1).fit(X, y)
    again = PSBoost(graph="approximate", random_state=0, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(near.history_["row"], again.history_["row"])
    assert len(np.intersect1d(exact, near.sample_indices_)) > 0.9 * len(exact)


def test_renaming_two_classes_changes_nothing() -> None:
    """With two classes it does not matter which is which."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(200, 3)), random.integers(0, 2, 200)
    settings = {"class_quota": None}
    np.testing.assert_array_equal(
        PSBoost(**settings).fit(X, y).history_["row"], PSBoost(**settings).fit(X, 1 - y).history_["row"]
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_prototypes": 7}, r"PSBoost: n_prototypes=7, but X has 4 rows. Use a value from 1 to 4"),
        ({"n_prototypes": "hart"}, r"'n_prototypes' parameter of PSBoost must be"),
        ({"class_quota": {"c": 1}}, r"PSBoost: class_quota names 'c', which is no class of y"),
        ({"class_quota": {"a": 3}}, r"PSBoost: class_quota asks for 3 rows of 'a', which has 2"),
        ({"n_neighbors": 0}, r"'n_neighbors' parameter of PSBoost must be"),
        ({"graph": "fast"}, r"'graph' parameter of PSBoost must be"),
    ],
)
def test_what_cannot_be_is_refused(settings: dict[str, Any], message: str) -> None:
    """Name and value stand in the error."""
    with pytest.raises(ValueError, match=message):
        PSBoost(**settings).fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"])
