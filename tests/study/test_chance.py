"""Whether a choice beats chance: what chance scores, and how seldom noise is taken for more."""

from itertools import permutations, product
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import StratifiedKFold

from tamis.study import _recommend, compare, recommend
from tamis.study._advice import verdict
from tamis.study._chance import against_chance, chance_of
from tamis.study._fold import scores_of
from tamis.study._scores import CLASS_SCORES as SCORES

CLASSES = {"even": (20, 20), "unequal": (45, 5), "three": (20, 20, 20), "four, unequal": (40, 20, 8, 5)}


def folds_of(y, seed=0, repeats=2):
    """The splits of some repetitions, and the repetition of each."""
    X = np.zeros((len(y), 1))
    made = [StratifiedKFold(5, shuffle=True, random_state=seed + r).split(X, y) for r in range(repeats)]
    return [split for folds in made for split in folds], np.repeat(np.arange(repeats), 5)


@pytest.mark.parametrize("counts", CLASSES.values(), ids=list(CLASSES))
def test_chance_is_what_a_model_of_the_shares_scores(counts):
    """Whatever the classes, chance scores what scikit-learn's model of the class shares does, in every split."""
    y = np.random.default_rng(0).permutation(np.repeat(np.arange(len(counts)), counts))
    splits, _ = folds_of(y)
    chance = chance_of(y, splits)
    X = np.zeros((len(y), 1))
    for row, (train, test) in enumerate(splits):
        model = DummyClassifier(strategy="prior").fit(X[train], y[train])
        found = scores_of(model, X[test], y[test], np.unique(y))
        found[SCORES.index("log_loss")] *= -1
        np.testing.assert_allclose(chance.scores[row], np.array(found, dtype=float), rtol=1e-12)


def test_the_spread_of_chance_is_that_of_random_answers():
    """The variances are those of all equally likely answers on a few rows."""
    y = np.array([0, 0, 0, 1, 1, 0, 0, 1, 1])
    train, test = np.arange(5), np.arange(5, 9)
    chance = chance_of(y, [(train, test)])
    held = y[test]
    guesses = np.array(list(product([0, 1], repeat=4)))
    balanced = np.array([np.mean([(guess[held == c] == c).mean() for c in (0, 1)]) for guess in guesses])
    assert chance.variances[0, SCORES.index("accuracy")] == pytest.approx(
        (guesses == held).mean(axis=1).var()
    )
    assert chance.variances[0, SCORES.index("balanced_accuracy")] == pytest.approx(balanced.var())
    orders = np.array(list(permutations(range(4))))
    areas = np.array([[np.mean(order[held == 1][:, None] > order[held == 0])] for order in orders])
    assert chance.variances[0, SCORES.index("roc_auc")] == pytest.approx(areas.var())


def test_a_split_without_a_class_has_no_area():
    """Where a class is not among the rows held out, the area is not defined, and that split does not count."""
    y = np.array([0] * 8 + [1] * 2)
    chance = chance_of(y, [(np.arange(5, 10), np.arange(5)), (np.arange(0, 8), np.arange(6, 10))])
    assert np.isnan(chance.scores[0, 2])
    assert chance.scores[1].tolist()[1:3] == [0.5, 0.5]
    values, splits = np.array([0.9, 0.9]), np.arange(2)
    assert against_chance(values, 0.0, chance, "roc_auc", splits, np.zeros(2, int), 0.25) is None


def test_few_rows_that_agree_by_accident_do_not_beat_chance():
    """The same small gain in every split has no spread, but the rows are too few to make it more than chance."""
    for n, beaten in ((40, False), (4000, True)):
        y = np.arange(n) % 2
        splits, repeats = folds_of(y)
        values = np.full(10, 0.55)
        test = against_chance(values, 0.0, chance_of(y, splits), "accuracy", np.arange(10), repeats, 0.25)
        assert test.standard_error == pytest.approx(0.0, abs=1e-12)
        assert test.beaten is beaten


def test_the_most_frequent_class_is_chance():
    """An accuracy of 0.9 is none where nine of ten rows are of one class."""
    y = np.repeat([0, 1], (180, 20))
    splits, repeats = folds_of(y)
    chance = chance_of(y, splits)
    test = against_chance(np.full(10, 0.9), 0.0, chance, "accuracy", np.arange(10), repeats, 0.25)
    assert test.mean == pytest.approx(0.9)
    assert test.difference == pytest.approx(0.0)
    assert not test.beaten


def noise_comparison(rng, n_candidates=60, n=60):
    """Scores of candidates that guess, in ten splits of one table."""
    y = np.arange(n) % 2
    splits, repeats = folds_of(y, int(rng.integers(1 << 30)))
    guesses = rng.random((n_candidates, 2, n)) < 0.5  # anew in each repetition
    values = np.array([[guess[r][test].mean() for (_, test), r in zip(splits, repeats)] for guess in guesses])
    told = SimpleNamespace(repeats=tuple(repeats), test_share=0.25, chance=chance_of(y, splits))
    return told, values


def test_the_best_of_many_guesses_seldom_beats_chance():
    """Of tables on which every candidate guesses, no more than the level and its error are taken for more than chance."""
    rng, beaten, flattering = np.random.default_rng(1), 0, []
    n_tables = 150
    for _ in range(n_tables):
        told, values = noise_comparison(rng)
        sizes = np.arange(len(values)) + 1.0
        means = values.mean(axis=1)
        honest, splits, flattery = _recommend._honest(told, sizes, values, float(means.max()))
        flattering.append((means.max(), honest.mean() - flattery))
        beaten += _recommend._against_chance(told, "accuracy", honest, splits, flattery).beaten
    best, worth = np.mean(flattering, axis=0)
    assert best > 0.58
    assert worth <= 0.5
    assert beaten <= n_tables * 0.05 + 2 * np.sqrt(n_tables * 0.05 * 0.95)


@pytest.mark.parametrize("score", SCORES)
def test_columns_that_decide_beat_chance(score):
    """A table with two deciding columns beats chance by every score, and the sentence says what to keep."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 6))
    y = np.where(X[:, 0] + X[:, 1] > 0, "yes", "no")
    found = compare(X, y, ["univariate-auc"], models=["linear"], repeats=1, score=score)
    said = recommend(found, score=score)
    assert said.against_chance.beaten
    assert verdict(found, said).startswith("keep ")
    assert said.honest_mean <= said.best.mean + 1e-12


def test_one_rare_class_that_nothing_tells_apart():
    """One row in 250 of a second class, and noise: accuracy is near 1 and beats nothing."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], (1245, 5))
    found = compare(rng.normal(size=(1250, 4)), y, ["univariate-auc"], models=["linear"], repeats=1)
    for score in ("accuracy", "balanced_accuracy", "log_loss"):
        said = recommend(found, score=score)
        assert not said.against_chance.beaten
        assert verdict(found, said).startswith("nothing here beats chance: ")
    assert recommend(found, score="accuracy").against_chance.mean == pytest.approx(0.996)


def test_two_folds_have_a_figure_and_one_split_has_none():
    """The choice of one fold is scored on the other; with one split nothing is said of its worth."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X[:, 0] > 0
    two = recommend(compare(X, y, ["univariate-auc"], models=["linear"], cv=2, repeats=1))
    assert 0.5 < two.honest_mean <= 1
    half = np.arange(60) < 30
    one = compare(
        X, y, ["univariate-auc"], models=["linear"], cv=[(np.flatnonzero(half), np.flatnonzero(~half))]
    )
    said = recommend(one)
    assert np.isnan(said.honest_mean)
    assert said.against_chance is None
    assert verdict(one, said).endswith("what that is worth cannot be told from one split")


def test_a_choice_that_loses_is_said_to_lose():
    """Where the interval says that everything does better, so does the sentence."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 12))
    y = X.sum(axis=1) > 0
    found = compare(X, y, ["univariate-auc"], models=["linear"], column_sizes=[10, 11], repeats=1)
    said = recommend(found)
    lost = SimpleNamespace(
        **{
            **vars(said),
            "against_everything": SimpleNamespace(low=-0.05, high=-0.01),
            "chosen": said.front[0],
        }
    )
    assert "; all columns do better, by 0.010 to 0.050" in verdict(found, lost)
    assert "do better" not in verdict(found, SimpleNamespace(**{**vars(lost), "against_everything": None}))
