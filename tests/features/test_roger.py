"""ROGER: what it evolves is what the plain loops evolve, what it says of columns of every kind, and its manners."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import roc_auc_score

from tamis.datasets import make_problem
from tamis.features.roger import ROGER
from tests.oracles import roger as oracle

NAN = float("nan")
needs_compiler = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="takes minutes with the compiler off"
)


def table(seed: int, n: int = 60, d: int = 5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), np.arange(n) % 2


@pytest.mark.parametrize("hypothesis", ["l1", "linear"])
def test_weights_centres_and_area_are_those_of_the_plain_loops(hypothesis: str) -> None:
    """Columns scaled to [0, 1], the second class near: the oracle's genome comes back in the columns' own units."""
    X, y = table(0, n=20, d=3)
    linear = hypothesis == "linear"
    selector = ROGER(hypothesis=hypothesis, n_evaluations=620, random_state=4).fit(X, y)
    seed = int(np.random.RandomState(4).randint(2**63 - 1, size=(1, 2), dtype=np.int64)[0, 0])
    low, width = X.min(axis=0), X.max(axis=0) - X.min(axis=0)
    near = y == (0 if linear else 1)
    values = ((X - low) / width).astype(np.float32)
    rows = np.concatenate([values[near], values[~near]]).T
    genome, curve = oracle.evolve(rows, np.zeros((0, 20)), [], np.ones(20), [0, 10, 20], linear, 620, seed)
    genes = np.asarray(genome, dtype=float)
    np.testing.assert_array_equal(selector.weights_[0], 2 * genes[:3] - 1 if linear else genes[:3])
    np.testing.assert_array_equal(selector.history_["auc"], 1 - np.asarray(curve) / 200)
    assert selector.auc_[0] == selector.history_["auc"][-1]
    if linear:
        assert np.isnan(selector.centers_).all()
    else:
        np.testing.assert_allclose(selector.centers_[0], low + width * genes[3:6], rtol=1e-12)
    np.testing.assert_allclose(
        selector.scores_, np.abs(selector.weights_[0]) / np.abs(selector.weights_[0]).sum(), rtol=1e-15
    )


@needs_compiler
def test_hypotheses_of_all_niches_vote() -> None:
    """20 for each class, the best first; of two columns of which either alone is enough, several hypotheses use each."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    X = rng.random((60, 4))
    X[:, 0] = X[:, 1] = y / 2
    X[:, 1] = 1 - np.round(X[:, 1] + 0.01 * rng.random(60), 3)
    selector = ROGER(niching=True, n_evaluations=2020, random_state=0).fit(X, y)
    assert selector.hypothesis_scores_.shape == (60, 4)
    np.testing.assert_allclose(selector.scores_, selector.hypothesis_scores_.mean(axis=0))
    assert (selector.auc_[::20] == selector.auc_.reshape(3, 20).max(axis=1)).all()
    assert selector.decision_function(X).shape == (60, 3)
    ones = ROGER(niching=True, n_evaluations=2020, random_state=0).fit(X[:40], y[:40])
    assert roc_auc_score(y[:40], ones.decision_function(X[:40])) == pytest.approx(ones.auc_[0], abs=2e-3)
    best = ones.hypothesis_scores_[:, :2].argmax(axis=1)
    assert {0, 1} <= set(best.tolist())


@pytest.mark.parametrize("hypothesis", ["l1", "linear"])
@pytest.mark.parametrize("orientation", ["near", "far", "both"])
def test_decision_function_has_the_reported_area(hypothesis: str, orientation: str) -> None:
    """Higher is more like the second class: scikit-learn's area of the decisions on the training rows is `auc_`."""
    X, y = table(1)
    X[y == 1, 0] += 1.0
    X[3, 1] = X[10, 2] = NAN
    selector = ROGER(hypothesis=hypothesis, orientation=orientation, n_evaluations=2020, random_state=0).fit(
        X, y
    )
    assert selector.auc_[0] > 0.7
    assert roc_auc_score(y, selector.decision_function(X)) == pytest.approx(selector.auc_[0], abs=2e-3)


@needs_compiler
def test_a_class_around_a_point_is_found_from_either_side() -> None:
    """Near finds the ball if the second class is inside, far if it is outside, both in either case."""
    problem = make_problem(200, 6, 3, "ball", random_state=0)
    X, inside = problem.X.to_numpy(), np.asarray(problem.y)
    for y, right, wrong in ((inside, "near", "far"), (1 - inside, "far", "near")):
        area = {
            way: ROGER(orientation=way, n_evaluations=6020, random_state=0).fit(X, y).auc_[0]
            for way in ("near", "far", "both")
        }
        assert area[right] > 0.95
        assert area["both"] == area[right]
        assert area[wrong] < 0.8


@needs_compiler
def test_each_of_several_classes_is_set_against_the_rest() -> None:
    """One hypothesis a class; the scores are the mean of theirs; the decisions tell the classes apart."""
    X, y = load_iris(return_X_y=True)
    selector = ROGER(n_evaluations=2020, random_state=0).fit(X, y)
    assert selector.weights_.shape == (3, 4)
    np.testing.assert_allclose(selector.hypothesis_scores_.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_array_equal(selector.scores_, selector.hypothesis_scores_.mean(axis=0))
    decisions = selector.decision_function(X)
    for label in range(3):
        assert roc_auc_score(y == label, decisions[:, label]) == pytest.approx(selector.auc_[label], abs=2e-3)


def ranks(X: np.ndarray, y: np.ndarray, nominal: list[int], n_runs: int = 9) -> np.ndarray:
    """Mean rank of each column over runs; an even chance is (d + 1) / 2."""
    runs = [
        ROGER(n_evaluations=10_020, categorical_features=nominal, random_state=seed).fit(X, y).ranking_
        for seed in range(n_runs)
    ]
    mean: np.ndarray = np.mean(runs, axis=0)
    return mean


@needs_compiler
@pytest.mark.parametrize("n", [60, 200])
def test_levels_of_noise_do_not_beat_a_strong_number(n: int) -> None:
    """A number one and a half standard deviations apart ranks before noise of 2, 12 and 25 levels."""
    rng = np.random.default_rng(n)
    y = np.arange(n) % 2
    strong = y * 1.5 + rng.normal(size=n)
    noise = [rng.integers(0, levels, n) for levels in (2, 12, 25)]
    X = np.column_stack([strong, *noise, rng.random((n, 8))]).astype(float)
    found = ranks(X, y, [1, 2, 3])
    assert found[0] == found.min()
    assert found[0] < 3


@needs_compiler
def test_a_nominal_column_that_matters_is_found() -> None:
    """Two levels of one class and two of the other, half of the time, rank before ten columns of noise."""
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    levels = np.where(rng.random(120) < 0.6, 2 * rng.integers(0, 2, 120) + y, rng.integers(0, 4, 120))
    X = np.column_stack([levels, rng.random((120, 10))]).astype(float)
    assert ranks(X, y, [0])[0] < 2


@needs_compiler
def test_gaps_without_a_meaning_give_a_column_no_advantage() -> None:
    """Noise with a third of its cells missing at random ranks like noise, within chance."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(4):
        X = rng.random((80, 12))
        X[:, :4][rng.random((80, 4)) < 0.3] = NAN
        found.append(ranks(X, np.arange(80) % 2, [], 5)[:4].mean())
    assert 4.5 < np.mean(found) < 8.5  # an even chance is 6.5


@needs_compiler
def test_gaps_with_a_meaning_are_found() -> None:
    """A column of noise that is missing mostly in one class ranks before columns of noise, whichever class it is."""
    rng = np.random.default_rng(0)
    y = np.arange(160) % 2
    X = rng.random((160, 12))
    for column, label in ((0, 0), (1, 1)):
        X[rng.random(160) < np.where(y == label, 0.7, 0.1), column] = NAN
    found = ranks(X, y, [])
    assert max(found[:2]) < min(found[2:])


def test_a_column_with_one_value_scores_zero() -> None:
    """Constants, columns of gaps and nominal columns with one level have no weight; the rest share the score."""
    X, y = table(0)
    X = np.column_stack([X, np.full(60, 3.0), np.full(60, NAN), np.full(60, 1.0)])
    selector = ROGER(n_evaluations=220, categorical_features=[7], random_state=0).fit(X, y)
    np.testing.assert_array_equal(selector.scores_[5:], 0)
    assert selector.scores_.sum() == pytest.approx(1)
    nothing = ROGER(random_state=0).fit(X[:, 5:6], y)
    np.testing.assert_array_equal(nothing.scores_, 0)
    assert nothing.auc_[0] == 0.5


def test_what_was_never_seen_is_neutral() -> None:
    """A new level and a new gap have the distance 1/2; everything else keeps its decision."""
    X, y = table(0)
    X[:, 0] = np.arange(60) % 3
    selector = ROGER(n_evaluations=220, categorical_features=[0], random_state=0).fit(X, y)
    fresh = X[:3].copy()
    fresh[0, 0], fresh[1, 1] = 7, NAN
    w = selector.weights_[0]
    new, old = selector.decision_function(fresh), selector.decision_function(X[:3])
    assert new[2] == old[2]
    low, high = X[:, 1].min(), X[:, 1].max()
    away = abs(X[1, 1] - selector.centers_[0, 1]) / (high - low)
    assert new[1] - old[1] == pytest.approx(w[1] * (away - 0.5), abs=1e-12)
    levels = {float(X[i, 0]): i for i in range(3)}
    swapped = X[[0, 0, 0]].copy()
    swapped[:, 0] = sorted(levels)
    assert np.ptp(selector.decision_function(swapped)) <= w[0] + 1e-12


def test_units_of_a_column_do_not_matter() -> None:
    """Multiplying by a power of two leaves the evolution as it is, bit for bit."""
    X, y = table(2)
    first = ROGER(n_evaluations=1020, random_state=0).fit(X, y)
    second = ROGER(n_evaluations=1020, random_state=0).fit(X * 2.0**40, y)
    np.testing.assert_array_equal(first.weights_, second.weights_)


def test_weights_of_rows_are_repetitions() -> None:
    """Weight 2 is the row given twice, weight 0 a row left out, its class and levels too."""
    X, y = table(3)
    X[:, 0] = np.arange(60) % 4
    weights = np.random.default_rng(0).integers(0, 3, 60)
    weights[X[:, 0] == 3] = 0
    y = y.copy()
    y[:2], weights[:2] = 2, 0
    settings: dict[str, Any] = {"n_evaluations": 2020, "categorical_features": [0], "random_state": 1}
    weighted = ROGER(**settings).fit(X, y, sample_weight=weights)
    repeated = ROGER(**settings).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_array_equal(weighted.weights_, repeated.weights_)
    np.testing.assert_array_equal(weighted.auc_, repeated.auc_)


def test_the_same_seed_gives_the_same_bits_and_another_seed_others() -> None:
    """Everything random hangs on random_state, and nothing else does: row order and labels change nothing."""
    X, y = table(4)
    first = ROGER(n_evaluations=1020, random_state=0).fit(X, y).weights_
    order = np.random.default_rng(0).permutation(60)
    again = ROGER(n_evaluations=1020, random_state=0).fit(X[order], np.where(y, "b", "a")[order]).weights_
    np.testing.assert_array_equal(first, again)
    assert (first != ROGER(n_evaluations=1020, random_state=1).fit(X, y).weights_).any()


def test_frames_of_every_library_are_read_alike() -> None:
    """pandas and polars frames with texts and gaps give the bits of the coded array, and decide alike."""
    X, y = table(5, d=2)
    texts = np.asarray(["low", "mid", "top", None], dtype=object)[np.arange(60) % 4]
    columns = {"a": X[:, 0], "kind": texts, "b": np.where(np.arange(60) % 7, X[:, 1], NAN)}
    codes = np.where(np.arange(60) % 4 == 3, NAN, np.arange(60) % 4)
    array = np.column_stack([columns["a"], codes, columns["b"]])
    selector = ROGER(n_evaluations=1020, categorical_features=[1], random_state=0).fit(array, y)
    for frame in (
        pd.DataFrame(columns),
        pl.DataFrame({**columns, "b": pl.Series(columns["b"]).fill_nan(None)}),
    ):
        other = ROGER(n_evaluations=1020, random_state=0).fit(frame, y)
        np.testing.assert_array_equal(other.weights_, selector.weights_)
        np.testing.assert_array_equal(other.decision_function(frame), selector.decision_function(array))


@needs_compiler
@pytest.mark.parametrize("weight", [1e308, 1e-320, 0.1])
def test_equal_weights_are_no_weights(weight):
    """Whatever their size: products of weights that are no powers of two round, which broke ties."""
    X, y = load_wine(return_X_y=True)
    X, y = X[y < 2], y[y < 2]
    plain = ROGER(random_state=0, n_evaluations=2000).fit(X, y)
    weighted = ROGER(random_state=0, n_evaluations=2000).fit(X, y, sample_weight=np.full(len(y), weight))
    assert np.array_equal(plain.scores_, weighted.scores_)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_numeric_target_is_put_in_order_as_by_the_plain_loops(weighted: bool) -> None:
    """Large numbers near the point: rows by falling target, one group for each of its values."""
    X, _ = table(6, n=24, d=3)
    y = np.round(X[:, 0] + 0.3, 1) + 0.05
    weights = np.random.default_rng(0).integers(1, 4, 24) if weighted else np.ones(24)
    selector = ROGER(n_evaluations=420, random_state=4).fit(X, y, sample_weight=weights)
    seed = int(np.random.RandomState(4).randint(2**63 - 1, size=(1, 2), dtype=np.int64)[0, 0])
    order = np.argsort(-y, kind="stable")
    groups = np.flatnonzero(np.concatenate([[True], np.diff(y[order]) != 0, [True]]))
    low, width = X.min(axis=0), X.max(axis=0) - X.min(axis=0)
    rows = ((X - low) / width).astype(np.float32)[order].T
    genome, curve = oracle.evolve(rows, np.zeros((0, 24)), [], weights[order], groups, False, 420, seed)
    np.testing.assert_array_equal(selector.weights_[0], np.asarray(genome, dtype=float)[:3])
    pairs = sum(2 * weights[i] * weights[j] for i in range(24) for j in range(24) if y[i] < y[j])
    np.testing.assert_array_equal(selector.history_["auc"], 1 - np.asarray(curve) / pairs)
    assert not hasattr(selector, "classes_")


def test_two_numbers_are_two_classes() -> None:
    """Bit for bit, with weights."""
    X, y = table(7)
    weights = np.random.default_rng(0).random(60)
    settings: dict[str, Any] = {"n_evaluations": 420, "random_state": 1}
    classes = ROGER(**settings).fit(X, y, weights)
    numbers = ROGER(**settings).fit(X, y * 0.5 + 0.25, weights)
    np.testing.assert_array_equal(classes.weights_, numbers.weights_)
    np.testing.assert_array_equal(classes.auc_, numbers.auc_)


@needs_compiler
def test_decisions_on_a_numeric_target_have_the_reported_concordance() -> None:
    """Higher decisions for larger numbers."""
    X, _ = table(8)
    y = X[:, 1] + 0.2 * X[:, 2]
    for settings in ({}, {"hypothesis": "linear"}, {"orientation": "both"}):
        selector = ROGER(n_evaluations=4020, random_state=0, **settings).fit(X, y)
        told = selector.decision_function(X)
        right = (np.sign(told[:, None] - told) == np.sign(y[:, None] - y))[np.triu_indices(60, 1)].mean()
        assert right == pytest.approx(selector.auc_[0], abs=2e-3)
        assert selector.auc_[0] > 0.85
