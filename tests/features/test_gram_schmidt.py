"""GramSchmidt against least squares in plain loops, and its probe against columns of noise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from tamis.datasets import make_problem
from tamis.features.gram_schmidt import GramSchmidt
from tests.oracles import columns
from tests.oracles.gram_schmidt import ranking
from tests.settings import N_PROBLEMS

NAN = float("nan")


def problem(seed: int) -> dict[str, Any]:
    """A small table, more columns than rows at times, with levels, gaps, ties, weights and several classes."""
    rng = np.random.default_rng(seed)
    n, d, c = rng.integers(4, 25), rng.integers(1, 12), rng.integers(2, 4)
    X = rng.normal(size=(n, d)) + rng.integers(0, 2)
    if seed % 4 == 0:
        X = np.round(X * 2) / 2
    nominal = np.flatnonzero(rng.random(d) < 0.3).tolist() if seed % 2 else []
    X[:, nominal] = np.round(X[:, nominal])
    X[rng.random(X.shape) < rng.choice([0, 0.2])] = NAN
    y = rng.integers(0, c, n)
    y[:2] = [0, 1]
    weights = rng.exponential(size=n) if seed % 3 == 0 else None
    return {"X": X, "y": y, "weights": weights, "nominal": nominal}


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
@pytest.mark.parametrize("centered", [True, False])
@pytest.mark.parametrize("signed", [True, False])
def test_ranking_and_scores_equal_those_of_the_plain_loops(seed: int, centered: bool, signed: bool) -> None:
    """Order of choice of the distinct columns, score at the choice and plain score are those of least squares."""
    task = problem(seed)
    nominal = np.isin(np.arange(task["X"].shape[1]), task["nominal"])
    first = columns.first_equals(task["X"], nominal, task["weights"])
    asked = columns.distinct(first)
    selector = GramSchmidt(centered=centered, signed=signed, categorical_features=task["nominal"])
    selector.fit(task["X"], task["y"], task["weights"])
    *_, plain = ranking(**task, centered=centered, signed=signed)
    part = {**task, "X": task["X"][:, asked], "nominal": np.flatnonzero(nominal[asked]).tolist()}
    order, chosen, _ = ranking(**part, centered=centered, signed=signed)
    order = [asked[place] for place in order]
    np.testing.assert_array_equal(np.argsort(selector.ranking_), columns.completed(order, first))
    np.testing.assert_allclose(selector.history_["score"], chosen, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(selector.scores_, plain, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(selector.history_["feature"], order[: len(chosen)])


@pytest.mark.parametrize("seed", range(max(8, N_PROBLEMS // 3)))
@pytest.mark.parametrize(("centered", "signed"), [(True, False), (False, True)])
def test_products_of_many_rows_find_what_the_plain_loops_find(
    seed: int, centered: bool, signed: bool
) -> None:
    """With many more rows than views: several classes, weights, gaps, levels; one column repeats others."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(400, 5)) + rng.choice([0, 10.0], 5)
    X[:, 4] = X[:, 0] - 2 * X[:, 2]
    X = X * rng.choice([1e-3, 1.0, 1e5], 5)
    X[:, 1] = np.round(rng.normal(size=400))
    X[rng.random(400) < rng.choice([0, 0.2])] = NAN
    y, weights = rng.integers(0, 2 + seed % 2, 400), rng.exponential(size=400) if seed % 3 == 0 else None
    task = {"X": X, "y": y, "weights": weights, "nominal": [1] if seed % 2 else []}
    selector = GramSchmidt(centered=centered, signed=signed, categorical_features=task["nominal"])
    selector.fit(X, y, weights)
    order, chosen, plain = ranking(**task, centered=centered, signed=signed)
    np.testing.assert_array_equal(np.argsort(selector.ranking_), order)
    np.testing.assert_allclose(selector.history_["score"], chosen, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(selector.scores_, plain, rtol=1e-9)


@pytest.mark.parametrize("seed", range(N_PROBLEMS // 3))
def test_products_and_vectors_find_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever is taken; a numeric target too."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(300, 6)), 1)
    X[rng.random(X.shape) < rng.choice([0, 0.1])] = NAN
    y = rng.normal(size=300) if seed % 2 else rng.integers(0, 4, 300)
    weights = rng.exponential(size=300) if seed % 3 == 0 else None
    settings: dict[str, Any] = {"stop": "probe", "centered": seed % 4 < 2, "categorical_features": [2]}
    monkeypatch.setattr("tamis.features._gram_products.ROWS_PER_VIEW", 1)
    by_products = GramSchmidt(**settings).fit(X, y, weights)
    monkeypatch.setattr("tamis.features._gram_products.ROWS_PER_VIEW", 1e9)
    by_vectors = GramSchmidt(**settings).fit(X, y, weights)
    assert by_products.ranking_.tolist() == by_vectors.ranking_.tolist()
    for key, found in by_vectors.history_.items():
        np.testing.assert_allclose(by_products.history_[key], found, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(by_products.scores_, by_vectors.scores_, rtol=1e-10)


def test_paper_formula_by_hand() -> None:
    """Raw and signed: x . y / |x| of (3, 4) against (-1, 1) is 1/5, of (0, 2) it is 1."""
    selector = GramSchmidt(centered=False, signed=True).fit([[3, 0], [4, 2]], [0, 1])
    np.testing.assert_allclose(selector.scores_, [0.2, 1.0])
    np.testing.assert_array_equal(selector.ranking_, [2, 1])


def test_copies_come_after_everything_else() -> None:
    """A column that repeats, or adds up, columns already chosen comes after all that have something of their own."""
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    a, b, c = y + rng.normal(size=80), 0.5 * y + rng.normal(size=80), rng.normal(size=80)
    X = np.column_stack([a, 3 * a - 1, a + b, b, c])
    order = np.argsort(GramSchmidt().fit(X, y).ranking_)
    assert {int(k) for k in order[:3]} >= {4}
    assert set(order[3:]) <= {0, 1, 2, 3}


@pytest.mark.parametrize("n", [7, 8, 31])
def test_equal_columns_go_to_the_lower(n: int) -> None:
    """Identical columns have identical bits in their scores, at any alignment, and the lower goes first."""
    rng = np.random.default_rng(n)
    column = rng.normal(size=n)
    X = np.column_stack([rng.normal(size=n), column, column, column])
    selector = GramSchmidt().fit(X, np.arange(n) % 2)
    assert len(set(selector.scores_[1:])) == 1
    assert list(selector.ranking_[1:]) == sorted(selector.ranking_[1:])


def test_search_ends_when_the_rows_have_no_direction_left() -> None:
    """With 10 rows at most 9 centred or 10 raw columns are chosen; the others follow by their plain score."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(10, 30)), np.arange(10) % 2
    for centered, room in ((True, 9), (False, 10)):
        selector = GramSchmidt(centered=centered).fit(X, y)
        chosen = len(selector.history_["feature"])
        assert chosen <= room
        rest = np.argsort(selector.ranking_)[chosen:]
        assert (np.diff(selector.scores_[rest]) <= 0).all()


def noise_ahead(X: np.ndarray, y: np.ndarray, order: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Which of 4,000 normal columns score above the column chosen at each step, by projecting each of them."""
    probes = np.random.default_rng(1).normal(size=(4000, len(y)))
    probes -= probes.mean(axis=1, keepdims=True)
    target = np.where(y == 1, 1.0, -1.0)
    target -= target.mean()
    ahead = []
    for step in range(len(order)):
        q = np.linalg.qr(X[:, order[:step]] - X[:, order[:step]].mean(axis=0))[0]
        left, left_target = probes - (probes @ q) @ q.T, target - q @ (q.T @ target)
        ahead.append(np.abs(left @ left_target) / np.linalg.norm(left, axis=1) > scores[step])
    return np.asarray(ahead)


def test_probe_risk_follows_the_law_of_noise_columns() -> None:
    """The chance at each step is the share of normal columns ahead, and the risk bounds the share chosen by then."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 12)), np.arange(40) % 2
    X[:, 3] += 1.2 * y
    history = GramSchmidt(stop="probe").fit(X, y).history_
    ahead = noise_ahead(X, y, history["feature"], history["score"])
    safe = 1 - np.concatenate([[0.0], history["probe_risk"]])
    four_errors = 4 * 0.5 / np.sqrt(4000)
    np.testing.assert_allclose(1 - safe[1:] / safe[:-1], ahead.mean(axis=1), atol=four_errors)
    chosen = np.logical_or.accumulate(ahead).mean(axis=1)
    assert (history["probe_risk"] > chosen - four_errors).all()


def test_probe_keeps_what_matters_and_little_noise() -> None:
    """Three columns that decide the class are kept; over 40 tables of noise, one in 20 keeps more than the least."""
    rng = np.random.default_rng(0)
    kept = []
    for _ in range(10):
        X = rng.normal(size=(200, 30))
        y = (X[:, :3].sum(axis=1) + 0.5 * rng.normal(size=200) > 0).astype(int)
        selector = GramSchmidt(stop="probe", risk=0.05).fit(X, y)
        assert selector.support_[:3].all()
        kept.append(selector.n_features_)
    assert np.mean(kept) < 6
    steps = [
        (
            GramSchmidt().fit(rng.normal(size=(100, 1)), np.arange(100) % 2).history_["probe_risk"] <= 0.05
        ).sum()
        for _ in range(200)
    ]
    assert 0.01 < np.mean(steps) < 0.1


def test_sizes_override_the_probe() -> None:
    """n_features_to_select says how many, whatever the probe finds; risk 1 keeps all that were chosen."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 6)), np.arange(30) % 2
    assert GramSchmidt(4, stop="probe").fit(X, y).n_features_ == 4
    assert GramSchmidt(stop="probe", risk=1.0).fit(X, y).n_features_ == 6
    assert GramSchmidt(stop="probe", risk=0.0).fit(X, y).n_features_ == 1


def test_weights_of_rows_are_repetitions() -> None:
    """Weight 2 is the row given twice, weight 0 a row left out, the probe's risk included."""
    rng = np.random.default_rng(0)
    X, y, weights = rng.normal(size=(30, 6)), np.arange(30) % 2, rng.integers(0, 3, 30)
    weighted = GramSchmidt(stop="probe").fit(X, y, sample_weight=weights)
    repeated = GramSchmidt(stop="probe").fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_array_equal(weighted.ranking_, repeated.ranking_)
    np.testing.assert_allclose(weighted.history_["probe_risk"], repeated.history_["probe_risk"], atol=1e-9)


def test_levels_and_gaps_of_a_frame_are_views_of_their_column() -> None:
    """A level that marks a class puts its column first, and so do gaps that mark one."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    frame = pd.DataFrame(
        {
            "noise": rng.normal(size=60),
            "kind": np.where(y == 1, "yes", rng.choice(["no", "maybe"], 60)),
            "holes": np.where(y == 1, rng.normal(size=60), NAN),
        }
    )
    selector = GramSchmidt(1).fit(frame[["noise", "kind"]], y)
    assert selector.get_feature_names_out().tolist() == ["kind"]
    assert GramSchmidt(1).fit(frame[["noise", "holes"]], y).support_.tolist() == [False, True]


def test_values_near_the_largest_float_are_no_trouble() -> None:
    """Columns are scaled before they are squared."""
    X = np.asarray([[1e308, 1e-308], [-1e308, 2e-308], [1.5e308, 1e-308], [-1.2e308, 3e-308]])
    scores = GramSchmidt().fit(X, [1, 0, 1, 0]).scores_
    assert np.isfinite(scores).all()
    assert scores[0] > 1.9


def test_cosine_orders_the_paper_s_linear_problems() -> None:
    """On linear problems with 100 rows and 100 columns the median area of the ranking is near the paper's .97."""
    areas = []
    for seed in range(15):
        task = make_problem(100, 100, 10, "linear", random_state=seed)
        ranks = GramSchmidt(centered=False, signed=True).fit(task.X, task.y).ranking_
        relevant = np.isin(task.X.columns, task.informative)
        areas.append((ranks[relevant, None] < ranks[None, ~relevant]).mean())
    assert 0.94 < np.median(areas) < 1


def test_the_preset_is_the_criterion_of_the_paper():
    """The raw, signed cosine; refused beside settings of its own."""
    rng = np.random.default_rng(0)
    X, y = rng.random((40, 6)), rng.random(40) < 0.5
    preset = GramSchmidt(preset="paper").fit(X, y)
    plain = GramSchmidt(centered=False, signed=True).fit(X, y)
    assert preset.ranking_.tolist() == plain.ranking_.tolist()
    assert preset.scores_.tolist() == plain.scores_.tolist()
    with pytest.raises(
        ValueError,
        match=r"^GramSchmidt: preset='paper' brings its own criterion, but centered=True and signed=True",
    ):
        GramSchmidt(preset="paper", signed=True).fit(X, y)
