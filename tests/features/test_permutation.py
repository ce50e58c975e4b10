"""PermutationRanking against plain loops, and what a user may rely on."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GroupKFold, KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from tamis import PermutationRanking, StumpAdaBoost
from tests.oracles import permutation as oracle


class NearestMean(ClassifierMixin, BaseEstimator):
    """The model of the oracle, for scikit-learn."""

    def fit(self, X, y):
        """Keep the rows."""
        self.X_, self.y_, self.classes_ = X, y, np.unique(y)
        return self

    def predict(self, X):
        """The class of the nearest mean."""
        return oracle.nearest_mean(self.X_, self.y_, X)


@pytest.mark.parametrize("seed", range(6))
def test_rankings_and_scores_are_those_of_plain_loops(seed):
    """With and without elimination, for any number of folds at the same time."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 2 + seed % 2, 24)
    X = random.normal(size=(24, 5)) + np.outer(y, [2, 1, 0, 0, 0.5])
    folds = list(KFold(3).split(X))
    step = (None, 1, 2)[seed % 3]
    model = NearestMean()
    found = PermutationRanking(2, estimator=model, cv=folds, n_repeats=2, step=step, random_state=seed).fit(
        X, y
    )
    drawn = np.random.RandomState(seed).randint(2**31 - 1)
    shuffles = []
    for number, (_, test) in enumerate(folds):
        one = np.random.RandomState([drawn, number])
        shuffles.append([one.permutation(len(test)) for _ in range(2)])
    order, scores = oracle.ranking(X, y, folds, shuffles, step)
    assert np.argsort(found.ranking_).tolist() == order
    np.testing.assert_allclose(found.scores_, scores, rtol=0, atol=1e-12)
    again = PermutationRanking(
        2, estimator=model, cv=folds, n_repeats=2, step=step, random_state=seed, n_jobs=2
    )
    assert np.array_equal(again.fit(X, y).scores_, found.scores_)
    assert found.history_["n_features"][0] == 5
    assert len(found.history_["score"]) == {None: 1, 1: 5, 2: 3}[step]


def test_a_group_is_shuffled_together_and_a_fixed_column_never_leaves():
    """Two copies with noise stand in for each other; as a group they are worth what one of them would be."""
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 200)
    good = y + random.normal(0, 0.2, 200)
    X = np.column_stack([good, good + random.normal(0, 0.01, 200), random.normal(size=(200, 2))])
    model = KNeighborsClassifier(3)  # measures by both
    alone = PermutationRanking(1, estimator=model, random_state=0).fit(X, y)
    together = PermutationRanking(2, estimator=model, feature_groups=[[0, 1]], random_state=0).fit(X, y)
    assert together.scores_[0] == together.scores_[1] > max(alone.scores_[:2])
    assert together.support_.tolist() == [True, True, False, False]
    fixed = PermutationRanking(2, estimator=model, fixed_features=[3], step=1, random_state=0).fit(X, y)
    assert fixed.ranking_[3] == 1
    assert fixed.support_[:2].sum() == 1


@pytest.mark.parametrize("library", [pl, pd])
def test_a_model_gets_the_frame_as_it_came(library):
    """Categories and missing values are the model's business; the answer is the same in every library."""
    random = np.random.default_rng(1)
    word = random.choice(["a", "b", "c"], 90)
    frame = pl.DataFrame({"noise": random.normal(size=90), "word": word}).with_columns(
        noise=pl.when(pl.col("noise") > 1).then(None).otherwise(pl.col("noise"))
    )
    given = frame if library is pl else frame.to_pandas()
    y = np.where((word == "a") ^ (random.random(90) < 0.1), "yes", "no")
    found = PermutationRanking(1, estimator=StumpAdaBoost(n_rounds=5), cv=3, random_state=0).fit(given, y)
    assert found.get_feature_names_out().tolist() == ["word"]
    assert isinstance(found.transform(given), library.DataFrame)


def test_numbers_any_scorer_and_groups_of_rows():
    """A numeric target with a regressor, scored by the user's scorer, in folds that keep groups together."""
    random = np.random.default_rng(2)
    X = random.normal(size=(60, 4))
    y = 3 * X[:, 2] + X[:, 0] + random.normal(0, 0.1, 60)
    found = PermutationRanking(
        2, estimator=LinearRegression(), scoring="neg_mean_absolute_error", cv=GroupKFold(3), random_state=0
    ).fit(X, y, groups=np.arange(60) // 5)
    assert np.argsort(found.ranking_)[:2].tolist() == [2, 0]
    assert not hasattr(found, "classes_")
    assert PermutationRanking(random_state=0).fit(X, y).ranking_[2] == 1


def test_noise_is_worth_nothing_and_rare_classes_are_no_obstacle():
    """On noise the mean worth is near 0; a class of one row is in some fold never seen."""
    random = np.random.default_rng(3)
    X, y = random.normal(size=(150, 4)), random.integers(0, 2, 150)
    assert np.abs(PermutationRanking(cv=3, random_state=0).fit(X, y).scores_).max() < 0.15
    y[0] = 7
    assert sorted(PermutationRanking(cv=3, n_repeats=1, random_state=0).fit(X, y).ranking_) == [1, 2, 3, 4]


def test_elimination_ends_when_the_score_falls():
    """Rounds are those of an elimination to the end, up to the first that lies below the best for as long as `patience` says."""
    random = np.random.default_rng(4)
    X, y = random.normal(size=(120, 8)), random.integers(0, 2, 120)
    X[:, :4] += 0.8 * y[:, None]
    settings = {"estimator": NearestMean(), "cv": 4, "step": 1, "random_state": 0}
    whole = PermutationRanking(3, **settings).fit(X, y).history_["score"]
    for patience in (1, 2, 3):
        found = PermutationRanking(3, patience=patience, **settings).fit(X, y)
        below = [
            max(whole[: k + 1]) > max(whole[max(0, k + 1 - patience) : k + 1]) for k in range(len(whole))
        ]
        n_rounds = below.index(True) + 1
        assert n_rounds < len(whole)
        np.testing.assert_array_equal(found.history_["score"], whole[:n_rounds])
        left = np.argsort(found.ranking_)[: found.history_["n_features"][-1]]
        assert (np.diff(found.scores_[left]) <= 0).all()
        assert sorted(found.ranking_) == list(range(1, 9))


def test_a_row_of_no_weight_is_no_row():
    """Rows of weight 0 are in no fold, whatever makes the folds; equal weights change nothing."""
    random = np.random.default_rng(5)
    X, y = random.normal(size=(60, 4)), random.integers(0, 2, 60)
    weights = np.where(random.random(60) < 0.3, 0.0, random.choice([0.5, 1, 2], 60))
    alive, groups = weights > 0, np.arange(60) // 4
    for numeric in (False, True):
        labels = X[:, 1] + random.normal(size=60) if numeric else y
        for cv, together in ((3, None), (GroupKFold(3), groups)):
            make = PermutationRanking(2, cv=cv, n_repeats=2, step=1, random_state=0)
            found = make.fit(X, labels, together, sample_weight=weights)
            some = None if together is None else together[alive]
            left = make.fit(X[alive], labels[alive], some, sample_weight=weights[alive])
            np.testing.assert_array_equal(found.scores_, left.scores_)
            make.set_params(
                estimator=LinearRegression() if numeric else GaussianNB()
            )  # a forest would draw otherwise
            one = make.fit(X, labels, together, sample_weight=np.full(60, 3.0)).scores_
            np.testing.assert_allclose(one, make.fit(X, labels, together).scores_, rtol=0, atol=1e-12)
    folds = [(np.arange(30), np.arange(30, 60)), (np.arange(30, 60), np.arange(30))]
    few = [
        tuple(np.searchsorted(np.flatnonzero(alive), part[alive[part]]) for part in fold) for fold in folds
    ]
    found = PermutationRanking(2, cv=folds, random_state=0).fit(X, y, sample_weight=weights)
    left = PermutationRanking(2, cv=few, random_state=0).fit(X[alive], y[alive], sample_weight=weights[alive])
    np.testing.assert_array_equal(found.scores_, left.scores_)


def test_weights_count_in_the_score_and_reach_a_model_that_takes_them():
    """A column that tells the class of the heavy rows only is worth more than one that tells that of the light ones."""
    random = np.random.default_rng(6)
    y, heavy = random.integers(0, 2, 400), np.arange(400) % 2 == 0
    X = random.normal(size=(400, 2))
    X[heavy, 0] += 3 * y[heavy]
    X[~heavy, 1] += 3 * y[~heavy]
    weights = np.where(heavy, 50.0, 1.0)
    for model in (None, KNeighborsClassifier(5), StumpAdaBoost(n_rounds=10)):
        for turned in (False, True):
            w = weights[::-1] if turned else weights
            found = PermutationRanking(1, estimator=model, cv=3, random_state=0).fit(X, y, sample_weight=w)
            assert np.argmax(found.scores_) == turned
    with pytest.raises(ValueError, match="PermutationRanking: sample_weight"):
        PermutationRanking(1).fit(X, y, sample_weight=np.where(y == 1, 1.0, 0.0))
