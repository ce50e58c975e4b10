"""EFR: its aggregation against plain loops, its runs against the same runs done by hand, and what rankers it takes."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE, SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tamis import ReliefF, UnivariateAUC
from tamis._shared import Shared
from tamis.datasets import make_problem
from tamis.features._aggregation import aggregated, column_order, dealt, spread
from tamis.features._drawn_rows import Bootstrap
from tamis.features._runs import roger_scores
from tamis.features.efr import EFR
from tamis.features.gram_schmidt import GramSchmidt
from tamis.features.roger import ROGER, goals_of
from tamis.table._table import Target
from tests.oracles.efr import aggregate, bootstrap, order
from tests.settings import N_PROBLEMS

NAN = float("nan")
HOW = ["majority", "median", "max", "mean", "quantile"]
CHEAP = {"n_evaluations": 220}
needs_compiler = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="takes minutes with the compiler off"
)


class Fixed(BaseEstimator):
    """A ranker whose attributes after fit are what it was told."""

    def __init__(self, found: Any = None) -> None:
        self.found = found

    def fit(self, X: Any, y: Any) -> Fixed:
        for name, value in self.found.items():
            setattr(self, name, np.asarray(value))
        return self


class Witness(BaseEstimator):
    """A ranker whose scores are the first row that it was given."""

    def fit(self, X: Any, y: Any) -> Witness:
        self.scores_ = np.asarray(X)[0]
        return self


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_aggregates_equal_those_of_the_plain_loops(seed: int, how: str) -> None:
    """Scores and order, with ties, an even and odd number of runs, and columns not seen by some runs."""
    rng = np.random.default_rng(seed)
    runs, d = int(rng.integers(1, 8)), int(rng.integers(1, 9))
    scores = rng.integers(0, 4, (runs, d)) / 4.0
    if seed % 2:
        scores[1:][rng.random((runs - 1, d)) < 0.3] = NAN
    plain = [[None if np.isnan(value) else value for value in run] for run in scores]
    found = aggregated(scores, how, 0.6)
    np.testing.assert_allclose(found, aggregate(plain, how, 0.6), rtol=1e-14)
    np.testing.assert_array_equal(column_order(found, scores), order(plain, how, 0.6))


def test_majority_in_blocks_is_majority_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counting a few columns at a time changes nothing."""
    scores = np.random.default_rng(0).random((5, 40))
    whole = aggregated(scores, "majority", 0)
    monkeypatch.setattr("tamis.features._aggregation._BLOCK", 130)
    np.testing.assert_array_equal(aggregated(scores, "majority", 0), whole)


def test_the_paper_s_majority_by_hand() -> None:
    """Two of three runs place a above b and c; b and c beat each other once and tie once: no majority."""
    runs = np.asarray([[3.0, 2.0, 1.0], [3.0, 1.0, 2.0], [1.0, 2.0, 2.0]])
    np.testing.assert_array_equal(aggregated(runs, "majority", 0), [2, 0, 0])


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_columns_are_dealt_fairly(seed: int) -> None:
    """Every run has its number of different columns; none is seen twice oftener than another."""
    rng = np.random.RandomState(seed)
    d = rng.randint(1, 30)
    width, runs = rng.randint(1, d + 1), rng.randint(1, 20)
    hands = dealt(d, width, runs, rng)
    assert [len(set(hand)) for hand in hands] == [width] * runs
    counts = np.bincount(np.concatenate(hands), minlength=d)
    assert counts.max() - counts.min() <= 1


def test_runs_are_rogers_of_their_own() -> None:
    """Row t of run_scores_ is what a single ROGER with the seed of run t finds."""
    task = make_problem(40, 8, 2, random_state=0)
    X = task.X.to_numpy()
    ensemble = EFR(ROGER(**CHEAP), n_estimators=3, random_state=7).fit(X, task.y)
    rng = np.random.RandomState(7)
    for row in ensemble.run_scores_:
        seed = rng.randint(np.iinfo(np.int32).max)
        np.testing.assert_allclose(row, ROGER(**CHEAP, random_state=seed).fit(X, task.y).scores_, rtol=1e-12)


@pytest.mark.parametrize("settings", [{}, {"max_features": 0.5}, {"bootstrap": True, "max_features": 3}])
def test_any_number_of_jobs_gives_the_same_bits(settings: dict[str, Any]) -> None:
    """One job, two threads; ROGER and a ranker of scikit-learn."""
    task = make_problem(40, 8, 2, random_state=0)
    for ranker in (ROGER(**CHEAP), RandomForestClassifier(5)):
        one, two = (
            EFR(ranker, n_estimators=4, n_jobs=jobs, random_state=3, **settings).fit(task.X, task.y)
            for jobs in (1, 2)
        )
        np.testing.assert_array_equal(one.run_scores_, two.run_scores_)
        np.testing.assert_array_equal(one.ranking_, two.ranking_)


@needs_compiler
def test_the_default_finds_the_columns_of_both_concepts() -> None:
    """On 100 clean rows of the paper's problems the default ranks far better than chance, linear and not."""
    for concept in ("linear", "ball"):
        areas = []
        for seed in range(3):
            task = make_problem(100, 100, 10, concept, random_state=seed)
            ranks = EFR(random_state=seed).fit(task.X, task.y).ranking_
            relevant = np.isin(task.X.columns, task.informative)
            areas.append((ranks[relevant, None] < ranks[None, ~relevant]).mean())
        assert np.mean(areas) > 0.8


RANKERS = {
    "scores": (SelectKBest(k="all"), "scores_"),
    "importances": (RandomForestClassifier(10, random_state=0), "feature_importances_"),
    "coefficients": (LogisticRegression(), "coef_"),
    "ranking": (RFE(LogisticRegression(), n_features_to_select=1), "ranking_"),
    "ours": (UnivariateAUC(), "scores_"),
    "searched": (GramSchmidt(), "ranking_"),
}


@pytest.mark.parametrize("kind", RANKERS)
def test_any_ranker_may_stand_in(kind: str) -> None:
    """Scores, importances, coefficients and rankings are found by themselves; one run gives the ranker's order."""
    ranker, attribute = RANKERS[kind]
    X, y = load_iris(return_X_y=True)
    X, y = X[y > 0], y[y > 0]
    found = EFR(ranker, n_estimators=1, random_state=0).fit(X, y)
    alone = ranker.__class__(**ranker.get_params(deep=False))
    if hasattr(alone, "random_state"):
        alone.random_state = np.random.RandomState(0).randint(np.iinfo(np.int32).max)
    values = np.asarray(getattr(alone.fit(X, y), attribute), dtype=float).reshape(-1, 4)[0]
    values = -values if attribute == "ranking_" else np.abs(values)
    np.testing.assert_array_equal(np.argsort(found.ranking_), np.argsort(-values, kind="stable"))


def test_every_hypothesis_of_several_classes_takes_part() -> None:
    """Three classes give three rows a run, for ROGER and for coefficients."""
    X, y = load_iris(return_X_y=True)
    for ranker in (ROGER(**CHEAP), LogisticRegression(max_iter=1000)):
        assert EFR(ranker, n_estimators=2, random_state=0).fit(X, y).run_scores_.shape == (6, 4)


@pytest.mark.parametrize(
    ("getter", "message"),
    [
        (
            "nothing",
            "importance_getter='nothing', but a fitted ROGER has no such attribute. Use 'auto', or one of: .*scores_",
        ),
        ("", "importance_getter='', but a fitted ROGER has no such attribute"),
        ("fit", "importance_getter='fit' gives a method of ROGER, which is not a list of numbers"),
        (lambda _: "text", "gives a str of ROGER, which is not a list of numbers"),
    ],
)
def test_an_importance_getter_that_leads_nowhere_is_refused(getter, message) -> None:
    """The error says what was asked for, and what there is."""
    X, y = np.arange(20.0).reshape(10, 2), np.arange(10) % 2
    with pytest.raises(ValueError, match=message):
        EFR(ROGER(n_evaluations=20), n_estimators=1, importance_getter=getter).fit(X, y)


def test_importance_getter_names_a_place_or_finds_it_itself() -> None:
    """A dotted path into a pipeline and a function give the same."""
    X, y = load_iris(return_X_y=True)
    ranker = make_pipeline(StandardScaler(), LogisticRegression())
    path = "named_steps.logisticregression.coef_"
    named = EFR(ranker, n_estimators=2, importance_getter=path).fit(X, y)
    called = EFR(ranker, n_estimators=2, importance_getter=lambda one: one[-1].coef_).fit(X, y)
    np.testing.assert_array_equal(named.run_scores_, called.run_scores_)


def test_scores_that_are_no_numbers_are_lowest() -> None:
    """NaN and infinities become the lowest score of their run; negative scores are kept; |scores| sum to 1."""
    rows = spread([np.asarray([[3.0, NAN, -1.0]])], [np.arange(3)], 3)
    np.testing.assert_allclose(rows, [[0.6, -0.2, -0.2]])
    np.testing.assert_array_equal(spread([np.asarray([[NAN, NAN]])], [np.arange(2)], 2), [[0, 0]])
    assert np.isfinite(spread([np.asarray([[1e308, 1e308]])], [np.arange(2)], 2)).all()


def test_a_ranking_that_contradicts_its_scores_counts() -> None:
    """Where scores_ and ranking_ disagree the ranking is used, where they agree the scores are."""
    X, y = np.random.default_rng(0).random((10, 3)), np.arange(10) % 2
    for ranking, expected in (([2, 1, 3], [2, 1, 3]), ([1, 2, 3], [1, 2, 3])):
        ranker = Fixed({"scores_": [0.9, 0.5, 0.1], "ranking_": ranking})
        np.testing.assert_array_equal(EFR(ranker, n_estimators=1).fit(X, y).ranking_, expected)


def test_rankers_without_a_place_to_look_are_refused() -> None:
    """No attribute, or the wrong number of scores: the error names the ranker."""
    X, y = np.random.default_rng(0).random((10, 3)), np.arange(10) % 2
    with pytest.raises(TypeError, match="GaussianNB has no scores_"):
        EFR(GaussianNB(), n_estimators=1).fit(X, y)
    with pytest.raises(ValueError, match=r"Fixed gives scores of shape \(2,\), but it saw 3 columns"):
        EFR(Fixed({"scores_": [1.0, 2.0]}), n_estimators=1).fit(X, y)


@pytest.mark.parametrize("settings", [{}, {"hypothesis": "linear"}, {"orientation": "both"}])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_runs_in_one_go_are_those_of_one_after_the_other(settings, n_classes) -> None:
    """Many runs of ROGER on plain numbers are evolved together, to the bit as each alone; gaps and names go one by one."""
    rng = np.random.default_rng(n_classes)
    X, y = rng.normal(size=(40, 7)), np.arange(40) % n_classes
    weights = rng.integers(1, 4, 40).astype(float)
    ranker = ROGER(n_evaluations=420, **settings)
    hands = [np.sort(rng.choice(7, 3, replace=False)) for _ in range(6)]
    rows = np.arange(40)
    for table in (X, np.where(X > 2, np.nan, X)):
        goals = goals_of(Target(y, np.arange(n_classes)))
        read = Shared((table, np.zeros(7, dtype=bool), goals, weights))
        together = roger_scores(ranker, read, [(rows, hand, seed) for seed, hand in enumerate(hands)])
        for seed, (hand, scores) in enumerate(zip(hands, together)):
            alone = clone(ranker).set_params(random_state=seed).fit(table[:, hand], y, sample_weight=weights)
            np.testing.assert_array_equal(scores, alone.hypothesis_scores_)


def test_runs_that_cannot_see_every_column_are_refused() -> None:
    """Two runs of three columns do not cover ten; the error says what does."""
    X, y = np.random.default_rng(0).random((10, 10)), np.arange(10) % 2
    with pytest.raises(ValueError, match="2 runs of 3 columns cannot see all 10 columns"):
        EFR(n_estimators=2, max_features=3).fit(X, y)
    with pytest.raises(ValueError, match="max_features=11, but X has 10 features"):
        EFR(max_features=11).fit(X, y)


def test_the_preset_is_the_method_of_the_paper() -> None:
    """The bits of 15 runs of ROGER on all columns; a second ranker beside it is refused."""
    rng = np.random.default_rng(0)
    X, y = rng.random((30, 12)), np.arange(30) % 2
    short = EFR(ROGER(), n_estimators=3, random_state=0).fit(X, y)
    preset = EFR(preset="paper", n_estimators=3, random_state=0).fit(X, y)
    np.testing.assert_array_equal(preset.run_scores_, short.run_scores_)
    printed = EFR(preset="printed", n_estimators=3, random_state=0).fit(X, y)
    far = EFR(ROGER(orientation="far"), n_estimators=3, random_state=0).fit(X, y)
    np.testing.assert_array_equal(printed.run_scores_, far.run_scores_)
    assert EFR(preset="paper")._deal(100, 100) == (15, 100)
    with pytest.raises(
        ValueError, match=r"^EFR: preset='paper' brings its own ranker, but estimator=ROGER\(\) "
    ):
        EFR(ROGER(), preset="paper").fit(X, y)


def test_runs_and_columns_by_default() -> None:
    """Many runs on few columns, every column in 30 or more of them; for a ranker that is given, 15 on all columns."""
    for n_columns, expected in {
        5: (300, 5),
        40: (300, 10),
        100: (300, 10),
        200: (300, 20),
        500: (750, 20),
        7129: (1000, 214),
    }.items():
        n_runs, width = EFR()._deal(n_columns, n_columns)
        assert (n_runs, width) == expected
        assert n_runs * width >= 30 * n_columns
    assert EFR(ROGER())._deal(100, 100) == (15, 100)
    assert EFR(n_estimators=60)._deal(100, 100) == (60, 50)
    assert EFR(max_features=5)._deal(100, 100) == (600, 5)
    assert EFR(max_features=90)._deal(80, 100) == (300, 80)  # of 100 columns 20 are constants or copies


def test_weights_go_to_the_ranker_or_are_refused() -> None:
    """Weight 2 is the row given twice, through ROGER; a ranker without sample_weight refuses it by name."""
    rng = np.random.default_rng(0)
    X, y, weights = rng.normal(size=(30, 4)), np.arange(30) % 2, rng.integers(0, 3, 30)
    ensemble = EFR(ROGER(**CHEAP), n_estimators=3, random_state=0)
    weighted = ensemble.fit(X, y, sample_weight=weights).run_scores_
    repeated = ensemble.fit(np.repeat(X, weights, axis=0), np.repeat(y, weights)).run_scores_
    np.testing.assert_array_equal(weighted, repeated)
    with pytest.raises(TypeError, match="sample_weight was given, but Witness takes none"):
        EFR(Witness()).fit(X, y, sample_weight=weights)


def test_bootstrap_draws_rows_of_every_class() -> None:
    """A class of a single row is in every run; a run of many rows lacks about a third of them."""
    X, y = np.arange(100.0)[:, None], np.asarray([1] + [0] * 99)
    runs = EFR(Witness(), n_estimators=20, bootstrap=True, random_state=0, importance_getter="scores_").fit(
        X, y
    )
    assert runs.n_features_ == 1
    drawn = Bootstrap.of(np.arange(100), y, np.arange(100), numeric=False).drawn(np.random.RandomState(0))
    assert drawn[0] == 0
    assert 50 < len(set(drawn)) < 75


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_bootstrap_draws_whole_groups_as_the_oracle(seed: int) -> None:
    """Groups of one class and of several, some rows left out: the same rows; every class stays, each group whole or not at all."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 40))
    labels, groups = rng.integers(0, 3, n), rng.integers(0, n // 2, n)
    alive = np.flatnonzero(rng.random(n) < 0.9)
    labels[alive[:2]] = [0, 1]
    drawn = Bootstrap.of(alive, labels, groups, numeric=False).drawn(np.random.RandomState(seed))
    assert drawn.tolist() == bootstrap(alive.tolist(), labels, groups, np.random.RandomState(seed))
    assert set(labels[drawn]) == set(labels[alive])
    times = np.bincount(drawn, minlength=n)
    for group in set(groups[alive]):
        assert len(set(times[alive[groups[alive] == group]])) == 1


def test_groups_of_a_numeric_target_are_drawn_whole() -> None:
    """Also where two groups hold one number each: a run never has a single number."""
    values, groups = np.repeat([1.5, 2.5], 3), np.repeat([0, 1], 3)
    drawing, random = Bootstrap.of(np.arange(6), values, groups, numeric=True), np.random.RandomState(0)
    assert all(drawing.drawn(random).tolist() == [0, 1, 2, 3, 4, 5] for _ in range(10))


def test_rows_in_groups_of_their_own_change_no_bit() -> None:
    """Groups of one row each are no groups, with rows drawn and without."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 4)), np.arange(30) % 2
    for options in ({"bootstrap": True}, {}):
        ensemble = EFR(ROGER(**CHEAP), n_estimators=3, random_state=0, **options)
        alone = ensemble.fit(X, y).run_scores_
        np.testing.assert_array_equal(ensemble.fit(X, y, groups=rng.permutation(30)).run_scores_, alone)


def test_groups_are_handed_to_a_ranker_that_takes_them() -> None:
    """ReliefF in one run is ReliefF with the groups; a group drawn twice is one group, and wrong groups are refused by name."""
    rng = np.random.default_rng(0)
    X, y, groups = rng.normal(size=(40, 4)), np.arange(40) % 2, np.arange(40) // 4
    X[:, 1] = groups + 0.01 * X[:, 1]
    one = EFR(ReliefF(), n_estimators=1, random_state=0).fit(X, y, groups=[f"p{one}" for one in groups])
    alone = ReliefF().fit(X, y, groups=groups).scores_
    np.testing.assert_allclose(one.run_scores_[0], alone / np.abs(alone).sum(), rtol=1e-12)
    weights = rng.integers(0, 3, 40)
    both = EFR(ReliefF(), n_estimators=1, random_state=0).fit(X, y, weights, groups=groups).run_scores_[0]
    alone = ReliefF().fit(X, y, weights, groups=groups).scores_
    np.testing.assert_allclose(both, alone / np.abs(alone).sum(), rtol=1e-12)
    drawn = Bootstrap.of(np.arange(40), y, groups, numeric=False).drawn(_after_the_deal(0, 4))
    run = EFR(ReliefF(), n_estimators=1, bootstrap=True, random_state=0).fit(X, y, groups=groups)
    alone = ReliefF().fit(X[drawn], y[drawn], groups=groups[drawn]).scores_
    np.testing.assert_allclose(run.run_scores_[0], alone / np.abs(alone).sum(), rtol=1e-12)
    with pytest.raises(ValueError, match=r"^EFR: groups has the shape \(3,\), but X has 40 rows"):
        EFR().fit(X, y, groups=groups[:3])


def _after_the_deal(seed: int, n_columns: int) -> np.random.RandomState:
    """The random numbers of a fit from where its rows are drawn on; all columns are seen, so that none are dealt."""
    random = np.random.RandomState(seed)
    assert len(dealt(n_columns, n_columns, 1, random)[0]) == n_columns
    return random


def frames() -> list[Any]:
    columns = {
        "a": [0.1, 0.9, 0.2, 0.8, 0.3, 0.7, 0.15, 0.95],
        "kind": ["x", "y", "x", "z", None, "y", "x", "y"],
        "b": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, None],
    }
    return [pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)]


@pytest.mark.parametrize("settings", [{}, {"max_features": 2, "n_estimators": 6}, {"bootstrap": True}])
def test_frames_of_every_library_are_read_alike(settings: dict[str, Any]) -> None:
    """Texts, gaps, parts of the columns and drawn rows: pandas, polars and pyarrow give the same bits."""
    y = [0, 1, 0, 1, 0, 1, 0, 1]
    found = [EFR(ROGER(**CHEAP), random_state=0, **settings).fit(frame, y).run_scores_ for frame in frames()]
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def test_nominal_columns_named_by_the_caller_reach_the_ranker() -> None:
    """Positions of the whole table are turned into those of a run's own columns."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (40, 4)).astype(float), np.arange(40) % 2
    whole = EFR(ROGER(**CHEAP), n_estimators=4, max_features=2, categorical_features=[1, 3], random_state=0)
    numbers = EFR(ROGER(**CHEAP), n_estimators=4, max_features=2, random_state=0)
    assert not np.array_equal(whole.fit(X, y).run_scores_, numbers.fit(X, y).run_scores_, equal_nan=True)
    rng = np.random.RandomState(0)
    hands = dealt(4, 2, 4, rng)
    seeds = [rng.randint(np.iinfo(np.int32).max) for _ in hands]
    for row, hand, seed in zip(whole.run_scores_, hands, seeds):
        nominal = np.isin(hand, [1, 3])
        alone = ROGER(**CHEAP, categorical_features=nominal, random_state=seed).fit(X[:, hand], y)
        np.testing.assert_allclose(row[hand], alone.scores_, rtol=1e-12)
