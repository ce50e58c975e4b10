"""PairScan against projections of all rows, its exact sums against plain loops, and what it must not be fooled by."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2

from tamis import PairScan, datasets
from tests.oracles import pair_scan as oracle
from tests.settings import N_PROBLEMS

NAN = float("nan")


def problem(seed: int) -> dict[str, Any]:
    """A small table with ties, gaps, unequal classes, rare values and columns that copy others in part."""
    rng = np.random.default_rng(seed)
    n, d, c = int(rng.integers(30, 60)), int(rng.integers(2, 6)), int(rng.integers(2, 5))
    X = rng.normal(size=(n, d)) if seed % 2 else rng.integers(0, 5, (n, d)).astype(float)
    X[:, 0] = np.where(rng.random(n) < 0.3, X[:, 1], X[:, 0])
    X[rng.random(X.shape) < rng.choice([0.0, 0.1, 0.4])] = NAN
    y = np.minimum(rng.integers(0, c, n), rng.integers(0, c, n))
    y[:2] = [0, 1]
    nominal = rng.random(d) < 0.4
    X[:, nominal] = np.round(X[:, nominal] * 1.5)
    codes = np.unique(y, return_inverse=True)[1]
    return {"X": X, "y": codes, "nominal": nominal, "rng": rng}


def expected(task: dict[str, Any], weights: Any = None) -> Any:
    """Rows are seen class by class, the class of the first row first: it decides between equally frequent values."""
    codes = task["y"]
    _, first = np.unique(codes, return_index=True)
    order = np.argsort(first[codes], kind="stable")
    weights = None if weights is None else np.asarray(weights)[order]
    found = oracle.pair_scan(task["X"][order], codes[order], task["nominal"], weights)
    return oracle.log10_scores(*found, lambda t, f: float(chi2.logsf(t, f)))


def fitted(task: dict[str, Any], weights: Any = None, **settings: Any) -> PairScan:
    scan = PairScan(n_partners=9, categorical_features=np.flatnonzero(task["nominal"]), **settings)
    return scan.fit(task["X"], task["y"], sample_weight=weights)


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_scores_equal_tests_by_projection(seed: int) -> None:
    """Every column and every pair has the evidence that matrices of all rows give, to nine digits."""
    task = problem(seed)
    best, pairs = expected(task)
    scan = fitted(task)
    np.testing.assert_allclose(scan.scores_, [best[j] for j in range(len(best))], rtol=1e-9, atol=1e-9)
    told = zip(scan.pairs_["first"].tolist(), scan.pairs_["second"].tolist(), scan.pairs_["score"])
    found = {(a, b): score for a, b, score in told}
    assert found.keys() == pairs.keys()
    np.testing.assert_allclose([found[p] for p in pairs], list(pairs.values()), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("seed", range(0, N_PROBLEMS, 5))
def test_weighted_scores_equal_tests_by_projection(seed: int) -> None:
    """Weights are counts of rows, whole or broken; those that add up to fewer rows than there are count as so many."""
    task = problem(seed)
    weights = task["rng"].exponential(size=len(task["y"])) + 0.05
    weights *= max(1.0, len(weights) / weights.sum())
    best, _ = expected(task, weights)
    np.testing.assert_allclose(
        fitted(task, weights).scores_, [best[j] for j in range(len(best))], rtol=1e-9, atol=1e-9
    )
    sparse = weights * (len(weights) / weights.sum())
    best, _ = expected(task, sparse)
    np.testing.assert_allclose(
        fitted(task, sparse * 2.0**-30).scores_, [best[j] for j in range(len(best))], rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize("seed", range(0, N_PROBLEMS, 5))
def test_a_row_of_weight_k_counts_as_the_row_given_k_times(seed: int) -> None:
    """Scores agree to rounding; weight 0 is a row left out."""
    task = problem(seed)
    weights = task["rng"].integers(0, 4, len(task["y"]))
    weights[:2] = 1
    repeated = {**task, "X": np.repeat(task["X"], weights, axis=0), "y": np.repeat(task["y"], weights)}
    np.testing.assert_allclose(fitted(task, weights).scores_, fitted(repeated).scores_, rtol=1e-9, atol=1e-9)


def test_threads_and_tiles_change_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    """One thread or three, one tile or many: the same scores, partners and pairs."""
    rng = np.random.default_rng(3)
    X = np.round(rng.normal(size=(80, 30)), 1)
    y = rng.integers(0, 3, 80)
    one = PairScan(n_partners=2).fit(X, y)
    monkeypatch.setattr("tamis.pairs.search._TILE", 17)
    for n_jobs in (None, 3):
        other = PairScan(n_partners=2, n_jobs=n_jobs).fit(X, y)
        np.testing.assert_array_equal(other.scores_, one.scores_)
        np.testing.assert_array_equal(other.partners_, one.partners_)
        for key, found in one.pairs_.items():
            np.testing.assert_array_equal(other.pairs_[key], found)


def test_of_very_many_views_the_best_pairs_by_a_few_are_looked_at_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where all pairs are looked at again nothing changes; threads change no bit; one partner each is enough for a ring."""
    rng = np.random.default_rng(4)
    X = rng.random((150, 20))
    X[:, 3] = np.where(rng.random(150) < 0.3, NAN, np.floor(5 * X[:, 3]))
    y = np.abs(np.hypot(X[:, 6] - 0.5, X[:, 11] - 0.5) - 0.35) < 0.12
    settings = {"n_features_to_select": 2, "categorical_features": [3, 4]}
    for weights in (None, rng.integers(1, 4, 150)):
        monkeypatch.undo()
        one = PairScan(**settings).fit(X, y, sample_weight=weights)
        monkeypatch.setattr("tamis.pairs.search._MOST_VIEWS", 0)
        monkeypatch.setattr("tamis.pairs.search._N_FIRST", 19)
        for n_jobs in (None, 3):
            other = PairScan(**settings, n_jobs=n_jobs).fit(X, y, sample_weight=weights)
            np.testing.assert_array_equal(other.scores_, one.scores_)
            for key, found in one.pairs_.items():
                np.testing.assert_array_equal(other.pairs_[key], found)
        monkeypatch.setattr("tamis.pairs.search._N_FIRST", 1)
        assert (
            PairScan(**settings, n_partners=1).fit(X, y, sample_weight=weights).ranking_[[6, 11]].max() == 2
        )


@pytest.mark.parametrize("kind", ["numbers", "values", "number by value"])
def test_two_columns_that_speak_only_together_come_first(kind: str) -> None:
    """An exclusive or among forty columns: first, named as partners of each other, and no other pair is significant."""
    rng = np.random.default_rng(1)
    X = rng.random((300, 40))
    if kind != "numbers":
        X[:, 1::2] = np.floor(4 * X[:, 1::2])
        X[:, ::2] = X[:, ::2] if kind == "number by value" else np.floor(4 * X[:, ::2])
    nominal = {"numbers": [], "values": range(40), "number by value": range(1, 40, 2)}[kind]
    halves = [(X[:, j] > np.median(X[:, j])) if j not in nominal else X[:, j] % 2 == 0 for j in (8, 13)]
    y = halves[0] != halves[1]
    scan = PairScan(2, categorical_features=list(nominal)).fit(X, y)
    assert scan.get_support(indices=True).tolist() == [8, 13]
    assert scan.partners_[[8, 13]].tolist() == [13, 8]
    assert (scan.pairs_["first"][0], scan.pairs_["second"][0]) == (8, 13)
    assert scan.p_values_[[8, 13]].max() < 1e-10
    assert np.delete(scan.p_values_, [8, 13]).min() > 0.05


def test_missing_values_may_be_half_of_a_pair() -> None:
    """The class follows a number where another is missing, and the opposite where it is known."""
    rng = np.random.default_rng(2)
    X = rng.random((300, 10))
    X[rng.random(X.shape) < 0.5] = NAN
    X[:, 0] = rng.random(300)
    y = (X[:, 0] > 0.5) != np.isnan(X[:, 1])
    scan = PairScan(2).fit(X, y)
    assert scan.get_support(indices=True).tolist() == [0, 1]


@pytest.mark.parametrize("effect", ["line", "fold"])
def test_noise_beside_a_strong_column_stays_noise(effect: str) -> None:
    """A column of noise gains nothing from a partner that tells the classes apart alone."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(400, 30))
    seen = X[:, 0] if effect == "line" else np.abs(X[:, 0]) - 0.7
    scan = PairScan().fit(X, seen + 0.2 * rng.normal(size=400) > 0)
    assert scan.ranking_[0] == 1
    assert scan.partners_[0] == -1
    assert scan.p_values_[1:].min() > 0.05


def test_two_strong_columns_are_no_pair() -> None:
    """What two columns add up to is their own; a pair has what is beyond the sum."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(400, 10))
    odds = X[:, 0] + X[:, 1]
    scan = PairScan().fit(X, rng.random(400) < 1 / (1 + np.exp(-odds)))
    assert set(np.flatnonzero(scan.ranking_ <= 2)) == {0, 1}
    assert scan.partners_[:2].tolist() == [-1, -1]
    assert scan.pairs_["p_value"].min() > 0.05


@pytest.mark.parametrize("kind", ["numbers", "rare values", "few of a class"])
def test_noise_is_significant_as_seldom_as_promised(kind: str) -> None:
    """Of 40 tables of noise at most 5 have a column of p < 0.05; 2 are expected, and 6 have chance 0.014."""
    n_false = 0
    for seed in range(40):
        rng = np.random.default_rng([11, seed])
        X = rng.random((120, 12))
        if kind == "rare values":
            X = np.floor(12 * X**6)
        y = rng.random(120) < (0.5 if kind == "numbers" else 0.06)
        y[:2] = [True, False]
        nominal = range(12) if kind == "rare values" else None
        n_false += PairScan(categorical_features=nominal).fit(X, y).p_values_.min() < 0.05
    assert n_false <= 5


def test_a_frame_with_names_and_kinds() -> None:
    """Nominal columns by dtype; of the first monk's rule, a = b or e = 1, the pair is found and the single column."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"a": rng.choice(list("xyz"), 200), "b": rng.choice(list("uv"), 200), "c": rng.random(200)}
    )
    y = (frame["a"] == "x") == (frame["b"] == "u")
    scan = PairScan(2).fit(frame, y)
    assert scan.get_feature_names_out().tolist() == ["a", "b"]
    monk = datasets.load("monks1")
    names = list(monk.X.columns)
    scan = PairScan(3, categorical_features=names).fit(monk.X, monk.y)
    assert sorted(scan.get_feature_names_out()) == ["a", "b", "e"]
    assert scan.partners_[names.index("a")] == names.index("b")
    assert scan.partners_[names.index("e")] == -1


@pytest.mark.parametrize("seed", range(10))
def test_numbers_are_cut_into_quarters(seed):
    """By plain counting of the weight below and half of that tied; the rest is as for classes."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 4)), rng.normal(size=40).round(int(rng.integers(0, 3))) + 0.5
    weights = rng.integers(1, 4, 40)
    below = [(weights[y < one].sum() + weights[y == one].sum() / 2) / weights.sum() for one in y]
    numbers = PairScan(target_kind="numbers").fit(X, y, weights)
    classes = PairScan(target_kind="classes").fit(X, np.floor(4 * np.array(below)).astype(int), weights)
    assert numbers.scores_.tolist() == classes.scores_.tolist()
    assert numbers.pairs_["score"].tolist() == classes.pairs_["score"].tolist()


def test_a_product_of_two_columns_is_found():
    """Among fifty; neither says anything of its order alone."""
    X = np.random.default_rng(0).normal(size=(300, 50))
    scan = PairScan(2).fit(X, X[:, 7] * X[:, 30])
    assert scan.get_support(indices=True).tolist() == [7, 30]
    assert scan.partners_[7] == 30
