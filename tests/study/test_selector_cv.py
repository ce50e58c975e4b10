"""The honest choice of size."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.feature_selection import RFE, RFECV, SelectFromModel, SelectKBest, SequentialFeatureSelector
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import scale
from sklearn.tree import DecisionTreeClassifier

from tamis import (
    MonteCarloPrototypes,
    MovedPrototypes,
    RandomPrototypes,
    ReliefF,
    SampledEFR,
    SelectorCV,
    Sieve,
    UnivariateAUC,
)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_best_rule_agrees_with_rfecv(seed):
    """With RFE as the selector and the rule "best", the scores and the choice are RFECV's."""
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)[:, :12]
    cv = StratifiedKFold(5, shuffle=True, random_state=seed)
    model = LogisticRegression()
    theirs = RFECV(model, cv=cv).fit(X, y)
    ours = SelectorCV(RFE(model), model, cv=cv, rule="best").fit(X, y)
    assert ours.n_features_ == theirs.n_features_
    assert (ours.support_ == theirs.support_).all()
    np.testing.assert_array_equal(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])


def test_one_standard_error_takes_the_smallest_size_within_it():
    """The chosen size is the smallest whose mean reaches the best mean less its standard error."""
    X, y = make_classification(n_samples=200, n_features=15, n_informative=5, random_state=3)
    search = SelectorCV(UnivariateAUC(), KNeighborsClassifier(), cv=4).fit(X, y)
    results = search.cv_results_
    splits = np.stack([results[f"split{i}_test_score"] for i in range(4)])
    best = int(np.argmax(splits.mean(axis=0)))
    bar = splits.mean(axis=0)[best] - splits[:, best].std(ddof=1) / 2
    expected = next(size for size, mean in zip(results["size"], splits.mean(axis=0)) if mean >= bar)
    assert search.size_ == expected
    assert search.n_features_ == expected == search.support_.sum()


class CountingSelector(UnivariateAUC):
    """Remembers which rows it was fitted on."""

    seen: list = []  # noqa: RUF012

    def fit(self, X, y):
        CountingSelector.seen.append(set(np.asarray(X)[:, 0]))
        return super().fit(X, y)


def test_the_selector_is_fitted_once_a_fold_on_training_rows_only():
    """One fit a fold gives every size, and never sees a row that is held out in that fold."""
    X, y = load_iris(return_X_y=True)
    X = np.column_stack([np.arange(len(X)), X])
    CountingSelector.seen.clear()
    cv = StratifiedKFold(3)
    SelectorCV(CountingSelector(), KNeighborsClassifier(), cv=cv).fit(X, y)
    assert len(CountingSelector.seen) == 4
    for seen, (_, test) in zip(CountingSelector.seen, cv.split(X, y)):
        assert not seen & set(test.astype(float))


@pytest.mark.parametrize(
    "selector",
    [
        SelectKBest(),
        SelectFromModel(DecisionTreeClassifier(random_state=0)),
        SelectFromModel(LogisticRegression(max_iter=1000)),
        SequentialFeatureSelector(KNeighborsClassifier(), cv=2),
        UnivariateAUC(),
    ],
    ids=lambda selector: type(selector).__name__,
)
def test_scikit_learn_selectors_fit_in(selector):
    """Selectors with scores, importances, coefficients, or only a final set all give a size and a support."""
    X, y = load_iris(return_X_y=True)
    search = SelectorCV(selector, KNeighborsClassifier(), cv=2, sizes=[1, 3]).fit(X, y)
    assert search.n_features_ in (1, 3)
    assert search.transform(X).shape == (150, search.n_features_)


def test_a_selector_without_ranking_or_size_is_refused_by_name():
    """The error says which selector, and what it lacks."""

    class Nothing(BaseEstimator):
        def fit(self, X, y):
            return self

    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"Nothing has neither a ranking nor a parameter"):
        SelectorCV(Nothing(), KNeighborsClassifier(), cv=2).fit(X, y)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_frames_stay_frames(kind):
    """A frame goes in, and the kept columns come out as the same kind of frame."""
    data = load_iris()
    X = pd.DataFrame(data.data, columns=data.feature_names)
    if kind == "polars":
        X = pl.DataFrame({name: X[name].to_numpy() for name in X})
    search = SelectorCV(UnivariateAUC(), KNeighborsClassifier(), cv=3).fit(X, data.target)
    assert type(search.transform(X)) is type(X)
    assert list(search.transform(X).columns) == list(search.get_feature_names_out())
    assert search.score(X, data.target) > 0.9


def test_rows_by_share():
    """A row selector is fitted at every share, and the chosen rows are those of the whole table."""
    X, y = load_iris(return_X_y=True)
    selector = RandomPrototypes(class_quota="proportional", random_state=0)
    search = SelectorCV(selector, KNeighborsClassifier(1), cv=3, sizes=[0.1, 0.3, 1.0])
    X_kept, _ = search.fit_resample(X, y)
    assert search.size_ in (0.1, 0.3, 1)
    expected = clone(selector).set_params(n_prototypes=search.size_).fit(X, y).sample_indices_
    np.testing.assert_array_equal(search.sample_indices_, expected)
    np.testing.assert_array_equal(X_kept, X[expected])
    assert not hasattr(search, "transform")
    assert not hasattr(SelectorCV(UnivariateAUC(), KNeighborsClassifier()), "fit_resample")


def test_jobs_do_not_change_the_answer():
    """One job and two give the same scores to the bit."""
    X, y = load_breast_cancer(return_X_y=True)
    one = SelectorCV(UnivariateAUC(), KNeighborsClassifier(), cv=4, n_jobs=1).fit(X, y)
    two = SelectorCV(UnivariateAUC(), KNeighborsClassifier(), cv=4, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(one.cv_results_["mean_test_score"], two.cv_results_["mean_test_score"])
    assert one.n_features_ == two.n_features_


def test_groups_reach_the_splitter():
    """A group splitter gets the groups."""
    X, y = load_iris(return_X_y=True)
    groups = np.arange(150) % 5
    search = SelectorCV(UnivariateAUC(), KNeighborsClassifier(), cv=GroupKFold(5)).fit(X, y, groups=groups)
    assert "split4_test_score" in search.cv_results_


def test_works_inside_a_pipeline_and_outer_cross_validation():
    """The whole search can itself be cross-validated, alone or as a step."""
    X, y = load_iris(return_X_y=True)
    search = SelectorCV(UnivariateAUC(), KNeighborsClassifier(), cv=3)
    assert cross_val_score(search, X, y, cv=3).mean() > 0.9
    assert (
        cross_val_score(make_pipeline(search, DecisionTreeClassifier(random_state=0)), X, y, cv=3).mean()
        > 0.9
    )


def test_many_columns_are_tried_on_a_log_scale():
    """Above 60 columns the sizes thin out, and end with all columns."""
    X, y = make_classification(n_samples=60, n_features=200, random_state=0)
    sizes = SelectorCV(UnivariateAUC(), KNeighborsClassifier(), cv=2).fit(X, y).cv_results_["size"]
    assert sizes[:60].tolist() == list(range(1, 61))
    assert sizes[-1] == 200
    assert len(sizes) <= 81


@pytest.mark.parametrize(
    ("sizes", "says"),
    [
        ([0], "holds 0"),
        ([5], "has 4 columns"),
        ([0.5], "holds 0.5"),
        ([], "empty"),
        ([float("inf")], "holds inf"),
        ([float("nan")], "holds nan"),
        ([10**400], "holds 1000"),
        ([True], "holds True, which is not a number"),
        ([[1]], "holds \\[1\\], which is not a number"),
        (["two"], "holds 'two', which is not a number"),
    ],
)
def test_wrong_sizes_are_refused(sizes, says):
    """A size that no table can have is named, with the range that would do."""
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=says):
        SelectorCV(UnivariateAUC(), KNeighborsClassifier(), sizes=sizes).fit(X, y)


@pytest.mark.parametrize(
    "selector", [UnivariateAUC(), Sieve(members=[("auc", UnivariateAUC())], search=False)]
)
def test_columns_come_and_go_together_in_folds_too(selector):
    """No size is tried that groups do not allow, none holds an excluded column, and what is judged are whole groups."""
    X, y = load_iris(return_X_y=True)
    seen = []

    class Model(KNeighborsClassifier):
        def fit(self, X, y):
            seen.append(X[:3].tolist())
            return super().fit(X, y)

    allowed = [X[:, columns] for columns in ([0, 3], [0, 1, 3])]
    rules = {"feature_groups": [[0, 3]], "excluded_features": [2], "fixed_features": [0, 3]}
    found = SelectorCV(clone(selector).set_params(**rules), Model(), cv=3).fit(X, y)
    assert found.cv_results_["size"].tolist() == [2, 3]
    assert {len(rows[0]) for rows in seen} == {2, 3}
    for rows in seen:
        assert any(set(map(tuple, rows)) <= set(map(tuple, one.tolist())) for one in allowed)
    whole = SelectorCV(clone(selector).set_params(feature_groups=[[0, 1, 2, 3]]), Model(), cv=3).fit(X, y)
    assert whole.cv_results_["size"].tolist() == [4]
    assert whole.support_.all()
    pairs = clone(selector).set_params(feature_groups=[[0, 2], [1, 3]])
    assert SelectorCV(pairs, Model(), cv=3, sizes=[3]).fit(X, y).n_features_ == 2


def test_a_splitter_that_makes_no_splits_is_refused():
    """Without a split there is no score, and no size to choose."""
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"SelectorCV: cv=\[\] makes no splits"):
        SelectorCV(UnivariateAUC(), KNeighborsClassifier(), cv=[]).fit(X, y)


def test_weights_and_groups_reach_the_selector():
    """Every fold, and the last fit, give the selector the weights and groups of its rows; the score is weighted too."""
    seen = []

    class Told(ReliefF):
        def fit(self, X, y, sample_weight=None, *, groups=None):
            seen.append((len(X), sample_weight.tolist(), groups.tolist()))
            return super().fit(X, y, sample_weight, groups=groups)

    random = np.random.default_rng(0)
    X = random.normal(size=(40, 3))
    y, groups = (X[:, 1] > 0).astype(int), np.repeat(np.arange(20), 2)
    weights = random.integers(1, 4, 40).astype(float)
    folds = list(GroupKFold(4).split(X, y, groups))
    search = SelectorCV(Told(), GaussianNB(), cv=GroupKFold(4), sizes=[1, 2])
    search.fit(X, y, weights, groups=groups)
    told = [(len(train), weights[train].tolist(), groups[train].tolist()) for train, _ in folds]
    assert seen == [*told, (40, weights.tolist(), groups.tolist())]
    train, test = folds[0]
    kept = np.sort(
        np.argsort(ReliefF().fit(X[train], y[train], weights[train], groups=groups[train]).ranking_)[:2]
    )
    model = GaussianNB().fit(X[train][:, kept], y[train], weights[train])
    expected = model.score(X[test][:, kept], y[test], weights[test])
    assert search.cv_results_["split0_test_score"][1] == expected


def test_a_model_on_kept_rows_gets_their_weights():
    """In every fold and at the end; for rows that are made there are none."""
    random = np.random.default_rng(1)
    X = random.normal(size=(60, 3))
    y, weights = (X[:, 1] + random.normal(size=60) > 0).astype(int), random.integers(1, 5, 60).astype(float)
    train, test = np.arange(40), np.arange(40, 60)
    settings = {"cv": [(train, test)], "sizes": [10]}
    sampler = MonteCarloPrototypes(n_samples=5, random_state=0)
    search = SelectorCV(sampler, GaussianNB(), **settings).fit(X, y, weights)
    sampler.set_params(n_prototypes=10).fit(X[train], y[train], sample_weight=weights[train])
    kept = train[sampler.sample_indices_]
    model = GaussianNB().fit(X[kept], y[kept], weights[kept])
    assert search.cv_results_["split0_test_score"] == [model.score(X[test], y[test], weights[test])]
    kept = search.sample_indices_
    last = GaussianNB().fit(X[kept], y[kept], weights[kept])
    np.testing.assert_array_equal(search.estimator_.predict_proba(X), last.predict_proba(X))
    made = SelectorCV(MovedPrototypes(random_state=0), GaussianNB(), **settings).fit(X, y, weights)
    plain = GaussianNB().fit(*made.selector_.fit_resample(X, y, sample_weight=weights))
    np.testing.assert_array_equal(made.estimator_.predict_proba(X), plain.predict_proba(X))


def test_a_selector_that_counts_rows_gets_the_weights_as_they_are():
    """A weight that is how often a row is there is not divided."""
    random = np.random.default_rng(2)
    X, y = random.normal(size=(40, 3)), np.arange(40) % 2
    search = SelectorCV(SampledEFR(n_sweeps=20, n_burn_in=5, random_state=0), GaussianNB(), cv=2, sizes=[1])
    assert search.fit(X, y, sample_weight=random.integers(1, 4, 40)).n_features_ == 1


def test_weights_for_a_selector_that_takes_none_are_refused():
    """They would mean nothing."""
    with pytest.raises(TypeError, match="SelectorCV: sample_weight was given, but SelectKBest takes none"):
        SelectorCV(SelectKBest(), GaussianNB()).fit(np.eye(6), [0, 1] * 3, np.ones(6))
