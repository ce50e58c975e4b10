"""Z of boosting over any classifier: the oracle's rounds around a plain learner, draws, categories, refusals."""

import joblib
import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from tamis import FS2Boost, datasets, stabilised_rounds
from tamis.votes.criterion import TwoClassProblems
from tamis.votes.models import ModelVotes, indicators
from tests.oracles import fs2boost as oracle
from tests.settings import N_PROBLEMS
from tests.votes.problems import vote_problem


class ShareOfRows(ClassifierMixin, BaseEstimator):
    """The weighted share of the second class among the training rows of the same values, drawn towards one half."""

    def fit(self, X, y, sample_weight):
        self.classes_ = np.unique(y)
        self.rows_, place = np.unique(np.nan_to_num(X, nan=-9.5), axis=0, return_inverse=True)
        place = place.ravel()
        weights = sample_weight / sample_weight.sum()
        self.shares_ = (0.01 + np.bincount(place, weights * y)) / (0.02 + np.bincount(place, weights))
        return self

    def predict_proba(self, X):
        known = {tuple(row): share for row, share in zip(self.rows_, self.shares_)}
        shares = np.array([known[tuple(np.nan_to_num(row, nan=-9.5))] for row in X])
        return np.column_stack([1 - shares, shares])

    def predict(self, X):
        return self.classes_[(self.predict_proba(X)[:, 1] > 0.5).astype(int)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def plain_learner(values, columns, signs, vote):
    """h of every row for weights, by loops over the rows."""
    rows = [tuple("gap" if np.isnan(row[j]) else float(row[j]) for j in columns) for row in values]

    def learner(weights):
        weights = weights / weights.sum()
        votes = []
        for description in rows:
            same = np.array([other == description for other in rows])
            share = (0.01 + weights[same & (signs > 0)].sum()) / (0.02 + weights[same].sum())
            votes.append(2 * share - 1 if vote == "confidence" else (1.0 if share > 0.5 else -1.0))
        return np.array(votes)

    return learner


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_z_of_a_plain_learner_is_that_of_the_oracle(seed):
    """Every criterion of boosting, two and more classes, both kinds of votes, in every round; never below the bound."""
    problem = vote_problem(seed)
    settings = problem.settings
    criterion = "z" if settings["criterion"] == "accuracy" else settings["criterion"]
    counts = np.bincount(problem.codes)
    worth = np.ones(len(counts)) if settings["class_weight"] is None else np.array(settings["class_weight"])
    votes = ModelVotes(
        problem.values,
        problem.nominal,
        problem.codes,
        TwoClassProblems.of(counts, worth, even=settings["even"]),
        ShareOfRows(),
        criterion=criterion,
        n_rounds=4,
        by_sign=settings["vote"] == "sign",
    )
    columns = tuple(range(1 + seed % problem.n_columns))
    path, path_prime = votes.subsets((), [columns])
    runs = []
    for signs, start in oracle.problems_of(
        problem.codes, len(counts), settings["class_weight"], settings["even"]
    ):
        learner = plain_learner(problem.values, columns, signs, settings["vote"])
        kept = oracle.imbalance(problem.values, columns, signs)
        runs.append(oracle.boosted(None, signs, start, 4, criterion=criterion, kept=kept, learner=learner))
    expected = np.mean([run[criterion == "z_prime_minimised"] for run in runs], axis=0)
    np.testing.assert_allclose(path[0], expected, rtol=0, atol=1e-12)
    if criterion != "z":
        np.testing.assert_allclose(
            path_prime[0], np.mean([run[1] for run in runs], axis=0), rtol=0, atol=1e-12
        )
    assert (path[0] >= votes.least((), [columns])[0] * (1 - 1e-9)).all()


def test_what_a_learner_sees_of_a_column():
    """Numbers as they are, categories as 0 and 1, a gap among them as a category; of two categories one column."""
    values = np.array([[0.5, 0, 1], [np.nan, 2, 0], [2.0, np.nan, 1]])
    number, three, two = indicators(values, np.array([False, True, True]))
    np.testing.assert_array_equal(number, values[:, :1])
    np.testing.assert_array_equal(three, [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    np.testing.assert_array_equal(two, [[1], [0], [1]])


@pytest.mark.parametrize(
    "estimator", ["stump", "tree", GaussianNB(), KNeighborsClassifier(3), LogisticRegression()]
)
def test_any_learner_finds_the_column(estimator):
    """With weights or by draws: the one column that tells the classes comes first; jobs change no bit."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.repeat(["a", "b"], 30)
    X[:, 1] += np.repeat([0, 2.0], 30)
    settings = {"estimator": estimator, "n_rounds": 3, "patience": 1, "random_state": 0}
    one = FS2Boost(**settings).fit(X, y)
    assert one.ranking_[1] == 1
    with joblib.parallel_config("threading"):
        again = FS2Boost(**settings, n_jobs=2).fit(X, y)
    np.testing.assert_equal(one.history_, again.history_)


def test_boosted_stumps_see_no_exclusive_or_and_trees_do():
    """Sums of stumps cannot tell it, trees of three levels can: the learner is what is heard."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, size=(200, 4)).astype(float)
    y = (X[:, 1] != X[:, 2]).astype(int)
    assert FS2Boost(estimator="stump", n_rounds=10).fit(X, y).criterion_ > 0.9
    tree = FS2Boost(estimator="tree", n_rounds=10).fit(X, y)
    assert tree.criterion_ == 0
    assert set(tree.get_support(indices=True)) >= {1, 2}


def test_mixed_columns_gaps_and_classes_are_taken():
    """A real table with categories and gaps, and one of four classes; rounds that stay are found as well."""
    votes, vehicle = datasets.load("house_votes"), datasets.load("vehicle")
    fitted = FS2Boost(estimator="stump", n_rounds=5, max_features=2).fit(votes.X, votes.y)
    assert votes.X.columns[fitted.ranking_.argmin()] == "physician-fee-freeze"
    some = FS2Boost(estimator="stump", n_rounds=2, max_features=1).fit(vehicle.X, vehicle.y)
    assert some.n_features_ == 1
    stable = stabilised_rounds(votes.X, votes.y, 3, selector=FS2Boost(estimator="stump", max_features=2))
    assert stable.supports.shape == (3, 16)


def test_what_no_learner_can_do_is_refused_by_name():
    """Gaps for a learner that takes none, a regressor, accuracy, numbers."""
    X, y = np.array([[0.0, np.nan], [1.0, 2.0], [0.0, 1.0], [1.0, 0.0]]), ["a", "b", "a", "b"]
    with pytest.raises(
        ValueError, match=r"FS2Boost: estimator=GaussianNB\(\) takes no missing values, and 1 numeric"
    ):
        FS2Boost(estimator=GaussianNB()).fit(X, y)
    with pytest.raises(TypeError, match=r"FS2Boost: estimator=Ridge\(\) is no classifier"):
        FS2Boost(estimator=Ridge()).fit(X, y)
    with pytest.raises(
        ValueError, match="criterion='accuracy' is for nearest neighbours, but estimator='stump'"
    ):
        FS2Boost(estimator="stump", criterion="accuracy").fit(X, y)
    with pytest.raises(ValueError, match="y holds numbers, but estimator='stump' is for classes"):
        FS2Boost(estimator="stump", criterion="accuracy").fit(X, [0.5, 1.5, 2.5, 3.5])
    fitted = FS2Boost(estimator=DecisionTreeClassifier(max_depth=1), n_rounds=2).fit(X, y)
    assert fitted.criterion_ == 0
