"""Weights of rows go to every estimator that takes them, and through those that hold one."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE, RFECV, SelectFromModel
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from tamis import SelectorCV, UnivariateAUC
from tamis.features._curves import takes_weights, weights_for
from tamis.study._models import model
from tamis.study._peers import peer


def problem(n=90, d=5, seed=0, numbers=False):
    """Two of the columns make the target; whole weights, of which some are 0."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d))
    y = X[:, 0] + X[:, 1] + random.normal(size=n) / 2
    return X, y if numbers else (y > 0.3).astype(int), random.integers(0, 4, n).astype(float)


def test_the_default_models_take_weights():
    """A pipeline hands them to its steps: whole weights give the linear models of repeated rows."""
    X, y, _ = problem()
    weights = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    again = np.repeat(np.arange(len(y)), weights.astype(int))
    X[::7, 2] = np.nan
    for kind, target, names in (
        ("classes", y, ("linear", "boosting")),
        ("numbers", X[:, 0] + y, ("ridge", "boosting")),
    ):
        for name in names:
            judge = model(name, kind)
            assert takes_weights(judge)
            fitted = judge.fit(X, target, **weights_for(judge, weights))
            if name != "boosting":
                repeated = model(name, kind).fit(X[again], target[again])
                guess = "predict_proba" if kind == "classes" else "predict"
                np.testing.assert_allclose(
                    getattr(fitted, guess)(X), getattr(repeated, guess)(X), rtol=2e-3, atol=1e-4
                )


@pytest.mark.parametrize(
    ("estimator", "takes"),
    [
        (make_pipeline(StandardScaler(), LogisticRegression()), True),
        (make_pipeline(StandardScaler(), KNeighborsClassifier()), False),
        (Pipeline([("scale", "passthrough"), ("last", GaussianNB())]), True),
        (make_pipeline(FunctionTransformer(), "passthrough"), False),
        (RFE(LogisticRegression()), True),
        (RFE(KNeighborsClassifier()), False),
        (RFECV(LogisticRegression()), False),
        (SelectFromModel(RandomForestClassifier()), True),
        (peer("forest"), True),
        (peer("rfe"), True),
        (peer("f-test"), False),
        (peer("lasso-path", target_kind="numbers"), False),
    ],
)
def test_weights_are_handed_on_where_scikit_learn_does(estimator, takes):
    """To a pipeline's steps, and to what RFE and SelectFromModel hold; not with metadata routing, where users ask for it."""
    assert takes_weights(estimator) is takes
    X, y, weights = problem()
    told = weights_for(estimator, weights + 1)
    assert bool(told) is takes
    if takes:
        estimator.fit(X, y, **told)
    with config_context(enable_metadata_routing=True):
        assert takes_weights(estimator) is False


def test_peers_rank_by_the_weighted_rows():
    """A column that tells the class of light rows only is behind one that tells that of the heavy rows."""
    random = np.random.default_rng(0)
    y, heavy = random.integers(0, 2, 300), np.arange(300) < 100
    noise = random.normal(size=(300, 2))
    X = np.column_stack([np.where(heavy, y, noise[:, 0]), np.where(heavy, noise[:, 1], y)])
    for name in ("forest", "rfe"):
        plain = peer(name).fit(X, y).ranking_
        weighed = peer(name).fit(X, y, sample_weight=np.where(heavy, 50.0, 1.0)).ranking_
        assert plain.tolist() == [2, 1]
        assert weighed.tolist() == [1, 2]


@pytest.mark.parametrize("selector", [UnivariateAUC(), RFE(Ridge())], ids=["ours", "theirs"])
def test_selector_cv_hands_weights_to_a_pipeline(selector):
    """The model that judges is fitted with them, at each size and at the end."""
    X, y, weights = problem()
    weights += 1
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    search = SelectorCV(selector, pipeline, cv=3, sizes=[5]).fit(X, y, sample_weight=weights)
    told = {"standardscaler__sample_weight": weights, "logisticregression__sample_weight": weights}
    by_hand = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y, **told)
    np.testing.assert_allclose(search.estimator_.predict_proba(X), by_hand.predict_proba(X))
    plain = SelectorCV(selector, pipeline, cv=3, sizes=[5]).fit(X, y)
    assert search.cv_results_["split0_test_score"] != plain.cv_results_["split0_test_score"]
