"""Constants and copies in every column selector: they come last, and nothing else moves."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.feature_selection import SelectKBest

from tamis import (
    BDSFS,
    EFR,
    ROGER,
    SBSMF,
    FS2Boost,
    GramSchmidt,
    PairScan,
    ReliefF,
    SampledEFR,
    SelectorCV,
    Simba,
    StumpAdaBoost,
    UnivariateAUC,
)
from tamis.features._aggregation import importances
from tests.settings import NIGHTLY

N_TABLES = 20 if NIGHTLY else 3

SELECTORS: dict[str, Any] = {
    "UnivariateAUC": UnivariateAUC(),
    "UnivariateAUC, folded": UnivariateAUC(folded=True),
    "BDSFS": BDSFS(),
    "BDSFS, balanced": BDSFS(class_weight="balanced"),
    "SBSMF": SBSMF(n_rounds=20),
    "SBSMF, contribution ratio": SBSMF(n_rounds=20, criterion="contribution_ratio"),
    "SBSMF, halving": SBSMF(n_rounds=20, step=0.5, step_until=2, class_weight="balanced"),
    "SBSMF, capped": SBSMF(n_rounds=20, weight_cap=3.0, learning_rate=0.5),
    "SBSMF, pairs": SBSMF(n_rounds=20, interactions=3),
    "SBSMF, shared": SBSMF(n_rounds=20, share_above=0.8),
    "FS2Boost": FS2Boost(n_rounds=5, n_neighbors=3),
    "FS2Boost, backward": FS2Boost(n_rounds=5, n_neighbors=3, direction="backward"),
    "FS2Boost, floating": FS2Boost(n_rounds=5, n_neighbors=3, floating=True, patience=2),
    "FS2Boost, backward and floating": FS2Boost(n_rounds=5, direction="backward", floating=True),
    "FS2Boost, size": FS2Boost(2, n_rounds=5, n_neighbors=3),
    "FS2Boost, Z'": FS2Boost(n_rounds=5, criterion="z_prime"),
    "FS2Boost, Z' literal": FS2Boost(n_rounds=5, criterion="z_prime_literal", direction="backward"),
    "FS2Boost, accuracy": FS2Boost(criterion="accuracy"),
    "FS2Boost, accuracy, backward": FS2Boost(criterion="accuracy", direction="backward"),
    "PairScan": PairScan(),
    "PairScan, one partner": PairScan(n_partners=1),
    "ReliefF": ReliefF(n_neighbors=3),
    "ReliefF, l2, some rows": ReliefF(metric="l2", n_samples=0.5, random_state=0),
    "Simba": Simba(n_starts=3, random_state=0),
    "ROGER": ROGER(n_evaluations=400, random_state=0),
    "ROGER, linear": ROGER(n_evaluations=400, hypothesis="linear", random_state=0),
    "EFR": EFR(ROGER(n_evaluations=300), n_estimators=4, max_features=3, random_state=0),
    "EFR, mean of areas": EFR(UnivariateAUC(), bootstrap=True, aggregation="mean", random_state=0),
    "EFR, all": EFR(SBSMF(n_rounds=5), n_estimators=3, bootstrap=True, random_state=0),
    "SampledEFR": SampledEFR(n_chains=1, n_additive_chains=1, n_sweeps=8, n_burn_in=2, random_state=0),
    "GramSchmidt": GramSchmidt(),
    "GramSchmidt, as in the paper": GramSchmidt(centered=False, signed=True),
    "GramSchmidt, probe": GramSchmidt(stop="probe"),
    "SelectorCV": SelectorCV(UnivariateAUC(), StumpAdaBoost(n_rounds=3), cv=3),
}
over_selectors = pytest.mark.parametrize("name", SELECTORS)


def table(seed: int) -> tuple[pl.DataFrame, np.ndarray]:
    """A table of numeric and nominal columns, all different, with gaps and ties; two to four classes."""
    rng = np.random.default_rng(seed)
    n, n_classes = int(rng.integers(24, 40)), 2 + seed % 3
    y = np.sort(np.r_[np.repeat(np.arange(n_classes), 3), rng.integers(0, n_classes, n - 3 * n_classes)])
    columns = {
        "signal": np.round(rng.normal(size=n) + y, 1).tolist(),
        "noise": rng.normal(size=n).tolist(),
        "coarse": (rng.integers(0, 3, n) + 0.5 * (y == 1)).tolist(),
        "one value or none": [4.0] * n,
        "level": rng.choice(["low", "middle", "high"], n).tolist(),
        "told": np.where(y == 0, "a", rng.choice(["a", "b"], n)).tolist(),
    }
    for name, share in (("signal", 0.1), ("level", 0.1), ("one value or none", 0.3)):
        gaps = rng.permutation(n)[: int(share * n)]
        columns[name] = [None if row in gaps else value for row, value in enumerate(columns[name])]
    return pl.DataFrame({str(name): columns[name] for name in rng.permutation(list(columns))}), y


def constants(n: int) -> dict[str, pl.Series]:
    """Columns of a single value, or of none, of every kind."""
    return {
        "seven": pl.Series([7.0] * n),
        "nought": pl.Series([0.0, -0.0] * n)[:n],
        "nothing": pl.Series([None] * n, dtype=pl.Float64),
        "always": pl.Series(["always"] * n),
        "no text": pl.Series([None] * n, dtype=pl.String),
        "true": pl.Series([True] * n),
    }


def put_in(
    X: pl.DataFrame, more: dict[str, pl.Series], seed: int, *, behind: dict[str, str] | None = None
) -> Any:
    """X with more columns at any place; each of `behind` after the column that it names."""
    rng = np.random.default_rng(seed)
    names = list(X.columns)
    for name in more:
        least = 0 if behind is None else names.index(behind[name]) + 1
        names.insert(int(rng.integers(least, len(names) + 1)), name)
    return X.with_columns(**more).select(names)


def copies(X: pl.DataFrame) -> tuple[dict[str, pl.Series], dict[str, str]]:
    """A copy of every column, and a second one of some; nominal values under other names. Copy -> original."""
    renamed = {"low": "9", "middle": "x", "high": "0", "a": "p", "b": "o"}
    more, original = {}, {}
    for name in X.columns:
        column = X[name]
        more[f"{name}, again"] = column.replace_strict(renamed) if column.dtype == pl.String else column
        original[f"{name}, again"] = name
    for name in X.columns[:2]:
        more[f"{name}, once more"] = X[name]
        original[f"{name}, once more"] = name
    return more, original


def assert_nothing_moved(fitted: Any, alone: Any, X: pl.DataFrame, larger: pl.DataFrame) -> None:
    """Scores, order, choice and path of the columns of X are the same, bit for bit, as in X alone."""
    here = [larger.columns.index(name) for name in X.columns]
    np.testing.assert_array_equal(fitted.ranking_[here], alone.ranking_)
    np.testing.assert_array_equal(fitted.support_[here], alone.support_)
    assert fitted.n_features_ == alone.n_features_
    for name in (
        "scores_",
        "p_values_",
        "weights_",
        "hypothesis_scores_",
        "centers_",
        "run_scores_",
        "chain_inclusion_",
    ):
        if hasattr(alone, name):
            np.testing.assert_array_equal(getattr(fitted, name)[..., here], getattr(alone, name))
    for key, told in getattr(alone, "history_", {}).items():
        found = fitted.history_[key]
        if key == "feature":
            found = np.array([-1 if column < 0 else here.index(column) for column in found])
        np.testing.assert_array_equal(found[:, here] if told.ndim == 2 else found, told)


@over_selectors
@pytest.mark.parametrize("seed", range(N_TABLES))
def test_constants_come_last_and_move_nothing(name: str, seed: int) -> None:
    """Columns of a single value, put anywhere, rank last in their order and leave every bit of the rest as it is."""
    X, y = table(seed)
    larger = put_in(X, constants(len(y)), seed)
    alone, fitted = (clone(SELECTORS[name]).fit(one, y) for one in (X, larger))
    assert_nothing_moved(fitted, alone, X, larger)
    rest = [j for j, column in enumerate(larger.columns) if column not in X.columns]
    assert fitted.ranking_[rest].tolist() == list(range(X.shape[1] + 1, larger.shape[1] + 1))
    assert np.isfinite(getattr(fitted, "scores_", np.zeros(1))).all()


@over_selectors
@pytest.mark.parametrize("seed", range(N_TABLES))
def test_copies_come_before_constants_and_move_nothing(name: str, seed: int) -> None:
    """Exact copies, nominal ones under other names, rank behind all others, as their originals, and move nothing."""
    if name == "SBSMF, shared":
        pytest.skip("share_above ranks copies beside their originals")
    X, y = table(seed)
    more, original = copies(X)
    larger = put_in(put_in(X, more, seed, behind=original), constants(len(y)), seed)
    alone, fitted = (clone(SELECTORS[name]).fit(one, y) for one in (X, larger))
    assert_nothing_moved(fitted, alone, X, larger)
    place = dict(zip(larger.columns, fitted.ranking_.tolist()))
    later = sorted(more, key=lambda copy: (place[original[copy]], larger.columns.index(copy)))
    assert [place[copy] for copy in later] == list(range(X.shape[1] + 1, X.shape[1] + len(more) + 1))
    assert min(place[constant] for constant in constants(1)) == X.shape[1] + len(more) + 1


@over_selectors
def test_what_varies_only_in_rows_of_no_weight_is_constant(name: str) -> None:
    """A column is judged by the rows that weigh anything, and so is a copy."""
    if "sample_weight" not in inspect.signature(SELECTORS[name].fit).parameters:
        pytest.skip("takes no weights")
    X, y = table(1)
    weights = np.ones(len(y))
    weights[[4, len(y) - 1]] = 0
    noted = (weights == 0).astype(float)
    larger = put_in(
        X,
        {"noted": pl.Series(noted), "nearly": X["noise"] + noted},
        1,
        behind={"noted": "noise", "nearly": "noise"},
    )
    fitted = clone(SELECTORS[name]).fit(larger, y, sample_weight=weights)
    place = dict(zip(larger.columns, fitted.ranking_.tolist()))
    assert place["noted"] == larger.shape[1]
    if name != "SBSMF, shared":
        assert place["nearly"] == larger.shape[1] - 1


@over_selectors
def test_nothing_but_constants_and_copies(name: str) -> None:
    """Two rows, two classes, one column that tells them apart: it comes first, its copies next, constants last."""
    X = pl.DataFrame(
        {"c": [1.0, 1.0], "x": [0.0, 1.0], "again": [0.0, 1.0], "d": ["u", "u"], "z": [0.0, 1.0]}
    )
    y = np.array([0, 1])
    if name == "SelectorCV":
        X, y = pl.concat([X] * 3), np.tile(y, 3)
    size = "n_features_to_select"
    for wanted, kept in (
        (1, "x"),
        (2, "x again"),
        (3, "x again z"),
        (4, "c x again z"),
        (5, "c x again d z"),
    ):
        selector = clone(SELECTORS[name])
        selector.set_params(**({"sizes": [wanted]} if name == "SelectorCV" else {size: wanted}))
        fitted = selector.fit(X, y)
        assert fitted.get_feature_names_out().tolist() == kept.split()
        assert fitted.ranking_.tolist() == [4, 1, 2, 5, 3]


@over_selectors
def test_a_table_of_constants_is_ranked_as_it_stands(name: str) -> None:
    """Where nothing tells anything, the first column is first, and one is kept unless more are asked for."""
    X, y = np.ones((6, 3)), np.array([0, 1, 0, 1, 0, 1])
    fitted = (
        clone(SELECTORS[name])
        .set_params(**({"n_features_to_select": None} if "size" in name else {}))
        .fit(X, y)
    )
    assert fitted.ranking_.tolist() == [1, 2, 3]
    assert fitted.n_features_ == 1


@pytest.mark.parametrize("method", [UnivariateAUC(), SBSMF(), BDSFS(), Simba(random_state=0), GramSchmidt()])
def test_half_is_half_of_what_differs_and_a_fraction_is_of_all(method: Any) -> None:
    """Without a size constants and copies do not count; a fraction that is given is one of all columns."""
    X, y = table(0)
    larger = put_in(X, {**constants(len(y)), "again": X["noise"]}, 0)
    assert clone(method).fit(larger, y).n_features_ == X.shape[1] // 2
    assert (
        clone(method).set_params(n_features_to_select=0.5).fit(larger, y).n_features_ == larger.shape[1] // 2
    )


def test_a_share_is_given_once() -> None:
    """Where scores are shares of one model, a copy has none: SBSMF's lower column takes all, ROGER's shares sum to 1."""
    X, y = table(0)
    larger = X.with_columns(again=pl.col("signal"))
    for method in (SBSMF(), ROGER(n_evaluations=300, random_state=0)):
        scores = method.fit(larger, y).scores_
        assert scores[-1] == 0
        assert scores.sum() == pytest.approx(1)


def test_a_ranker_of_scores_gives_its_scores_to_an_ensemble() -> None:
    """In a run whose rows make copies of two columns, EFR counts the scores of UnivariateAUC, not places in a ranking."""
    X = np.array([[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 0, 0], [1, 1, 1], [0, 0, 0]], dtype=float)
    y = np.array([0, 0, 1, 1, 1, 0])
    fitted = UnivariateAUC().fit(X[[0, 1, 2, 4, 5]], y[[0, 1, 2, 4, 5]])
    assert fitted.ranking_.tolist() == [1, 3, 2]
    np.testing.assert_array_equal(importances(fitted, "auto", 3)[0], fitted.scores_)
    searched = SBSMF().fit(np.column_stack([X, X[:, 0]]), y)
    np.testing.assert_array_equal(
        np.argsort(-importances(searched, "auto", 4)[0]), np.argsort(searched.ranking_)
    )


def test_sizes_of_copies_and_constants_are_not_tried() -> None:
    """SelectorCV tries as many columns as differ; a selector of another library has all sizes, and so has who asks."""
    X, y = load_iris(return_X_y=True)
    larger = np.column_stack([X, np.ones(150), X[:, 2]])
    model = StumpAdaBoost(n_rounds=3)
    for selector, options, sizes in (
        (UnivariateAUC(), {}, [1, 2, 3, 4]),
        (SBSMF(share_above=1.0), {}, [1, 2, 3, 4, 5]),
        (SelectKBest(), {}, [1, 2, 3, 4, 5, 6]),
        (UnivariateAUC(), {"sizes": [5, 6]}, [5, 6]),
    ):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Features .* are constant|invalid value encountered")
            found = SelectorCV(selector, model, cv=2, **options).fit(larger, y)
        assert found.cv_results_["size"].tolist() == sizes
