"""Comparisons, and `SelectorCV`, with a numeric target."""

from itertools import permutations

import numpy as np
import polars as pl
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsRegressor

from tamis import SBSMF, SelectorCV, Simba, UnivariateAUC
from tamis.study import compare, recommend
from tamis.study._advice import verdict
from tamis.study._chance import against_chance, chance_of_numbers
from tamis.study._models import model
from tamis.study._peers import peer, peers
from tamis.study._scores import NUMBER_SCORES, number_scores
from tamis.study._splits import strata
from tamis.study._summary import over_tables, summary

QUICK = ["univariate-auc", "gram-schmidt"]


def problem(n=120, d=6, seed=0):
    """Two of the columns make the target."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, 3 * X[:, 0] - 2 * X[:, 1] + rng.normal(size=n)


def facts(found):
    """Everything but times."""
    return found.scores().drop("model_seconds", "select_seconds")


def plain_share(predicted, y):
    """The share of concordant pairs, pair by pair."""
    pairs = [(i, j) for i in range(len(y)) for j in range(len(y)) if y[i] < y[j]]
    right = [(predicted[i] < predicted[j]) + (predicted[i] == predicted[j]) / 2 for i, j in pairs]
    return sum(right) / len(pairs)


def test_the_scores_are_scikit_learns_and_counted_pairs():
    """Of 50 random problems with ties, r2, rmse and mae are scikit-learn's, and the pairs are counted one by one."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        n = int(rng.integers(2, 30))
        y = rng.integers(0, 6, n) + np.arange(n) % 2 * 0.5
        predicted = rng.integers(0, 4, n).astype(float)
        expected = [
            r2_score(y, predicted),
            root_mean_squared_error(y, predicted),
            mean_absolute_error(y, predicted),
            plain_share(predicted, y),
        ]
        np.testing.assert_allclose(number_scores(predicted, y), expected, rtol=1e-12)


def test_scores_that_are_not_defined():
    """Equal numbers have no r2 and no pairs; very large ones do not overflow."""
    assert number_scores(np.array([1.0, 2.0]), np.array([0.1, 0.1]))[::3] == [None, None]
    huge = number_scores(np.array([1e300, -1e300, 0.0]), np.array([1e300, -1e300, 1e299]))
    assert huge[0] == pytest.approx(number_scores(np.array([10.0, -10, 0]), np.array([10.0, -10, 1]))[0])


def test_chance_is_what_the_middle_of_the_training_rows_scores():
    """The mean for r2 and rmse, the median for mae, half of the pairs."""
    rng = np.random.default_rng(0)
    y = np.exp(rng.normal(size=40))
    train, test = np.arange(30), np.arange(30, 40)
    found = chance_of_numbers(y, [(train, test)])
    X = np.zeros((40, 1))
    by_mean, by_median = (
        number_scores(DummyRegressor(strategy=way).fit(X[train], y[train]).predict(X[test]), y[test])
        for way in ("mean", "median")
    )
    assert found.scores[0].tolist() == pytest.approx([by_mean[0], -by_mean[1], -by_median[2], 0.5])


@pytest.mark.parametrize("held", [[0.0, 1, 2, 3, 4], [0.0, 0, 1, 1, 2], [0.0, 0, 0, 1, 1]])
def test_the_spread_of_concordance_is_that_of_random_orders(held):
    """Of all orders of five predictions, with and without ties in the numbers held out."""
    y = np.array([*held, *held])
    found = chance_of_numbers(y, [(np.arange(5, 10), np.arange(5))])
    shares = [number_scores(np.array(order, float), y[:5])[3] for order in permutations(range(5))]
    assert found.variances[0, 3] == pytest.approx(np.var(shares))


def test_noise_seldom_beats_chance_by_the_rows_alone():
    """An r2 above 0 that is the same in every split is chance if the rows are few; random predictions seldom reach it."""
    rng = np.random.default_rng(0)
    for score, worth in (("r2", 0.05), ("rmse", None)):
        for n, beaten in ((30, False), (3000, True)):
            y = rng.normal(size=n)
            splits = [(np.setdiff1d(np.arange(n), part), part) for part in np.array_split(np.arange(n), 5)]
            chance = chance_of_numbers(y, splits)
            base = chance.scores[:, NUMBER_SCORES.index(score)]
            values = base + (worth if worth is not None else 0.025 * -base)
            test = against_chance(values, 0.0, chance, score, np.arange(5), np.zeros(5, int), 0.25)
            assert test.beaten is beaten
    reached = 0
    for _ in range(2000):  # predictions of any scale that know nothing of y
        y, guess = rng.normal(size=(2, 50))
        best = 1 - (y - y.mean()).var() / y.var() + np.corrcoef(y, guess)[0, 1] ** 2
        positive = np.corrcoef(y, guess)[0, 1] > 0
        reached += positive and best > 1.645**2 / 50
    assert reached / 2000 < 0.065


def test_folds_are_stratified_by_tenths():
    """Each tenth of the numbers is spread over all folds; equal numbers are of one tenth; few rows make fewer parts."""
    rng = np.random.default_rng(0)
    y = np.exp(2 * rng.normal(size=100))
    parts = strata(y, 5)
    assert np.bincount(parts).tolist() == [10] * 10
    assert (np.diff(parts[np.argsort(y)]) >= 0).all()
    assert len(np.unique(strata(np.repeat([1.0, 2.0], 50), 5))) == 2
    assert len(np.unique(strata(y[:12], 5))) == 2
    with pytest.raises(ValueError, match=r"compare: 9 rows are too few for 5 folds.*Use 4 folds or fewer"):
        strata(y[:9], 5)


def test_the_best_columns_are_kept_and_methods_for_classes_left_out():
    """Two columns make the target: they are advised, by r2; what is for classes only is named with the reason."""
    X, y = problem()
    found = compare(X, y, [*QUICK, "simba", "random"], models=["ridge"], repeats=1)
    assert found.target_kind == "numbers"
    assert found.left_out == dict.fromkeys(
        ("simba", "random"), "for classes only, and the target is numeric."
    )
    said = found.advice["columns"]
    assert (said.score, said.chosen.n_kept, found.kept_names()) == ("r2", 2, ["x0", "x1"])
    assert said.against_chance.beaten
    assert verdict(found, said).startswith("keep 2 of 6 columns: r2 0.9")
    assert set(NUMBER_SCORES) < set(found.scores().columns)
    assert summary(found)["target_kind"] == "numbers"
    assert over_tables([found, found])["columns"].n_datasets == 2


def test_the_curves_of_a_comparison_are_drawn_by_r2():
    """Without a score, the display takes the one that suits the target."""
    pytest.importorskip("matplotlib")
    from tamis.report import SizeCurveDisplay

    X, y = problem(60)
    found = compare(X, y, QUICK, models=["ridge"], repeats=1, column_sizes=[1, 2])
    assert SizeCurveDisplay.from_results(found).ax_.get_ylabel() == "r2, ridge"


def test_of_losses_the_smallest_is_best():
    """By rmse the best candidate has the smallest of all mean errors, and the words show it without a sign."""
    X, y = problem()
    found = compare(X, 1000 * y, QUICK, models=["ridge", "5-nn"], repeats=1, score="rmse")
    means = found.scores().group_by("method", "step", "model").agg(pl.col("rmse").mean())["rmse"]
    said = recommend(found, score="rmse")
    assert -said.best.mean == pytest.approx(means.min())
    assert said.against_chance.mean < said.honest_mean < 0
    assert verdict(found, said).startswith("keep 2 of 6 columns: root mean squared error 952 ± 96.9 on")
    assert verdict(found, said).endswith("the choice, 3604 by chance")
    for score in NUMBER_SCORES:
        assert recommend(found, score=score).against_chance.beaten


def test_noise_is_said_to_be_noise():
    """Columns that know nothing beat chance by no score."""
    rng = np.random.default_rng(3)
    found = compare(rng.normal(size=(50, 30)), rng.standard_t(2, size=50), QUICK, models=["ridge"])
    for score in NUMBER_SCORES:
        said = recommend(found, score=score)
        assert verdict(found, said).startswith("nothing here beats chance: ")


class Spy(UnivariateAUC):
    seen: list = []  # noqa: RUF012

    def fit(self, X, y):
        Spy.seen.append((frozenset(np.asarray(X)[:, 0]), len(y), self.target_kind))
        return super().fit(X, y)


def test_a_selector_sees_the_training_rows_and_what_they_hold():
    """Each fit sees four fifths of the rows, and knows that few whole numbers are numbers here."""
    X, _ = problem(60)
    X[:, 0] = np.arange(60)
    y = np.random.default_rng(0).integers(1, 6, 60)
    Spy.seen.clear()
    compare(X, y, [Spy()], models=["ridge"], repeats=1, column_sizes=[2], target_kind="numbers")
    assert [n for _, n, _ in Spy.seen[:5]] == [48] * 5
    assert frozenset.intersection(*(rows for rows, _, _ in Spy.seen[:5])) == frozenset()
    assert {kind for _, _, kind in Spy.seen} == {"numbers"}


def test_the_answer_does_not_depend_on_how_it_is_reached(tmp_path):
    """One job, two, a budget, and a run that is gone on with give the same scores, bit for bit."""
    X, y = problem(80)
    frame = pl.DataFrame(X, schema=list("abcdef")).with_columns(
        colour=pl.Series(np.where(y > 0, "red", "blue")),
        a=pl.when(pl.int_range(80) % 7 > 0).then(pl.Series(X[:, 0])),
    )
    given = {"models": ["ridge", "5-nn"], "repeats": 1, "cv": 2, "column_sizes": [1, 3]}
    one = compare(frame, y, QUICK, path=tmp_path / "j", **given)
    lines = (tmp_path / "j").read_text().splitlines(keepends=True)
    (tmp_path / "j").write_text("".join(lines[:4]))
    again = compare(frame, y, QUICK, path=tmp_path / "j", resume=True, **given)
    assert facts(one).equals(facts(again))
    assert facts(one).equals(facts(compare(frame, y, QUICK, n_jobs=2, **given)))
    hurried = compare(frame, y, QUICK, budget=120, **given)
    assert facts(one).equals(facts(hurried))
    assert hurried.final == one.final
    assert np.array_equal(hurried.predicted, one.predicted)


def test_each_row_is_predicted_without_itself():
    """By what is advised, refitted in the folds of the first repetition; the first fold is worked out by hand."""
    X, y = problem(60)
    found = compare(
        X, y, ["univariate-auc"], models={"plain": LinearRegression()}, cv=KFold(3), column_sizes=[2]
    )
    test = np.arange(20)
    train = np.arange(20, 60)
    kept = np.sort(np.argsort(UnivariateAUC().fit(X[train], y[train]).ranking_)[:2])
    by_hand = LinearRegression().fit(X[train][:, kept], y[train]).predict(X[test][:, kept])
    np.testing.assert_allclose(found.predicted[test], by_hand)
    assert np.isfinite(found.predicted).all()
    assert compare(X, y > 0, ["univariate-auc"], models=["linear"], column_sizes=[2]).predicted is None


@pytest.mark.parametrize("name", [name for name in peers("numbers") if name != "boruta"])  # which takes long
def test_every_peer_ranks_for_numbers(name):
    """The two columns that make the target come first, for a table with categories and missing values too."""
    X, y = problem(150)
    ranker = peer(name, 0, "numbers").fit(X, y)
    assert set(np.argsort(ranker.ranking_)[:2]) == {0, 1}
    frame = pl.DataFrame(X, schema=list("abcdef")).with_columns(g=pl.lit("x"), b=pl.lit(None, pl.Float64))
    assert sorted(peer(name, 0, "numbers").fit(frame, y).ranking_) == list(range(1, 8))


def test_the_models_predict_numbers():
    """Five neighbours are scikit-learn's where scaling is the same; all take categories and missing values."""
    rng = np.random.default_rng(0)
    X, y = rng.random((80, 3)), rng.normal(size=80)
    X[:2] = [[0, 0, 0], [1, 1, 1]]
    near = KNeighborsRegressor(5).fit(X[:60], y[:60])
    np.testing.assert_allclose(
        model("5-nn", "numbers").fit(X[:60], y[:60]).predict(X[60:]), near.predict(X[60:])
    )
    frame = pl.DataFrame({"a": X[:, 0], "c": ["u", None, "v", "w"] * 20})
    for name in ("5-nn", "ridge", "boosting"):
        assert model(name, "numbers").fit(frame, y).predict(frame).shape == (80,)
    with pytest.raises(ValueError, match=r"no model for a numeric target 'linear'. Use one of 5-nn, ridge"):
        model("linear", "numbers")


def test_what_is_refused():
    """A score of classes, methods for classes alone; a selector of classes is left out with its own words."""
    X, y = problem(60)
    with pytest.raises(ValueError, match=r"no score 'accuracy' for a numeric target. Use one of r2, rmse"):
        compare(X, y, QUICK, score="accuracy")
    with pytest.raises(
        ValueError, match=r"the target is numeric, and simba, random take classes only. Use some"
    ):
        compare(X, y, ["simba", "random"])
    found = compare(X, y, [*QUICK, Simba()], models=["ridge"], repeats=1, column_sizes=[1])
    assert "Simba is for classes" in found.left_out["Simba"]
    with pytest.raises(ValueError, match=r"no score 'r2' for a target of classes"):
        found = compare(X, y > 0, QUICK, models=["linear"], repeats=1, score="r2")


def test_selector_cv_chooses_a_size_for_numbers():
    """By r2 of a regressor, in folds that are not stratified, as in scikit-learn."""
    X, y = problem()
    search = SelectorCV(SBSMF(n_rounds=50), LinearRegression()).fit(X, y)
    assert search.get_support().tolist() == [True, True, False, False, False, False]
    assert search.score(X, y) == pytest.approx(r2_score(y, search.predict(X)))
    other = SelectorCV(SBSMF(n_rounds=50), LinearRegression(), scoring="neg_mean_absolute_error")
    assert other.fit(X, y).n_features_ == 2
