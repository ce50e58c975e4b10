"""PrototypeClassifier and PSBoostClassifier: the plain rules' predictions, in scikit-learn's own tools."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from tamis.prototypes.chance import RandomPrototypes
from tamis.prototypes.classifiers import PrototypeClassifier
from tamis.prototypes.condensed import CondensedNN
from tamis.prototypes.moved import MovedPrototypes
from tamis.prototypes.psboost import PSBoost
from tamis.prototypes.psboost_classifier import PSBoostClassifier
from tests.oracles import prototypes as oracle
from tests.oracles.neighbors import all_distances
from tests.prototypes.problems import problem
from tests.settings import N_PROBLEMS


def fit_quietly(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
    """Fit; that PSBoost may keep fewer rows is no matter here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="PSBoost(Classifier)?: kept")
        return model.fit(X, y, sample_weight)


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_plain_1nn_on_the_kept_rows(seed: int) -> None:
    """New rows get the class of the nearest kept row, by the distance scaled on all rows, the lower on ties."""
    X, nominal, y, _, new = problem(seed)
    model = PrototypeClassifier(CondensedNN(categorical_features=nominal)).fit(X, y)
    kept = model.selector_.sample_indices_.tolist()
    expected = [y[oracle.nearest_of([line], 0, kept)] for line in all_distances(new, X, nominal, "l2")]
    assert model.predict(new).tolist() == expected
    np.testing.assert_array_equal(model.classes_[model.predict_proba(new).argmax(axis=1)], expected)


@pytest.mark.parametrize("all_rows", [False, True])
@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_the_weighted_vote_is_the_plain_one(seed: int, all_rows: bool) -> None:
    """The largest sum of alphas of the nearest kept rows, or of the nearest rows of all."""
    X, nominal, y, distances, new = problem(seed)
    model = PSBoostClassifier(
        0.6,
        n_neighbors=3,
        voting="weighted",
        all_rows=all_rows,
        class_quota=None,
        categorical_features=nominal,
    )
    neighbors = oracle.neighborhoods(distances, 3)
    if all_rows:
        alphas = oracle.all_row_alphas(neighbors, y, True)
        kept = list(range(len(y)))
    else:
        rows, chosen, _ = oracle.psboost(neighbors, y, max(1, int(round(0.6 * len(y), 9))), None, True)
        kept = sorted(rows)
        alphas = [chosen[rows.index(row)] for row in kept]
    if not kept:
        with pytest.raises(ValueError, match=f"PSBoostClassifier: none of the {len(y)} rows has"):
            fit_quietly(model, X, y)
        return
    fit_quietly(model, X, y)
    assert model.sample_indices_.tolist() == kept
    np.testing.assert_allclose(model.prototype_weights_, alphas, rtol=0, atol=1e-9)
    alphas = model.prototype_weights_
    expected = [
        oracle.weighted_vote([line[row] for row in kept], y[kept], alphas, 3)
        for line in all_distances(new, X, nominal, "l2")
    ]
    assert model.predict(new).tolist() == expected


@pytest.mark.parametrize("all_rows", [False, True])
@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_boosting_begins_with_the_given_weights(seed: int, all_rows: bool) -> None:
    """The rows and alphas of PSBoost with the same weights; where all rows vote the plain ones, some weights being 0."""
    X, nominal, y, distances, _ = problem(seed)
    weights = np.random.default_rng(seed).choice([0.0, 1.0, 2.0, 4.0], len(y))
    weights[[0, int(np.argmax(y != y[0]))]] = 1.0
    settings: dict[str, Any] = {"n_neighbors": 3, "class_quota": None, "categorical_features": nominal}
    model = PSBoostClassifier(0.6, voting="weighted", all_rows=all_rows, **settings)
    try:
        fit_quietly(model, X, y, weights)
    except ValueError as error:
        assert "none would be kept" in str(error)  # noqa: PT017
        return
    if all_rows:
        expected = oracle.all_row_alphas(oracle.neighborhoods(distances, 3), y, True, weights.tolist())
        np.testing.assert_allclose(model.prototype_weights_, expected, rtol=0, atol=1e-9)
        return
    kept = fit_quietly(PSBoost(0.6, **settings), X, y, weights)
    np.testing.assert_array_equal(model.sample_indices_, kept.sample_indices_)
    np.testing.assert_array_equal(model.prototype_weights_, kept.prototype_weights_)


def rings(n_rows: int = 300) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    X = random.normal(size=(n_rows, 3))
    return X, np.array(["in", "out"])[((X[:, :2] ** 2).sum(axis=1) > 1.4).astype(int)]


def test_the_nearest_kept_row_is_the_default() -> None:
    """PSBoostClassifier() is plain 1-NN on PSBoost's rows."""
    X, y = rings()
    expected = PrototypeClassifier(PSBoost()).fit(X, y).predict(X)
    np.testing.assert_array_equal(PSBoostClassifier().fit(X, y).predict(X), expected)


@pytest.mark.parametrize("all_rows", [False, True])
@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_decisions_and_probabilities_of_the_weighted_vote(seed: int, all_rows: bool) -> None:
    """Sums of alphas, their logistic function or exponentials; what is predicted is ahead."""
    X, nominal, y, _, new = problem(seed)
    settings = {"voting": "weighted", "all_rows": all_rows, "categorical_features": nominal}
    model = PSBoostClassifier(0.6, n_neighbors=3, **settings)
    try:
        fit_quietly(model, X, y)
    except ValueError:
        return
    kept, alphas, classes = model.sample_indices_, model.prototype_weights_, model.classes_.tolist()
    sums = []
    for line in all_distances(new, X, nominal, "l2"):
        near = sorted(range(len(kept)), key=lambda place: (line[kept[place]], kept[place]))[:3]
        sums.append([sum(alphas[place] for place in near if y[kept[place]] == c) for c in classes])
    told = np.array(sums)
    decided = told[:, 1] - told[:, 0] if len(classes) == 2 else told
    np.testing.assert_allclose(model.decision_function(new), decided, rtol=0, atol=1e-11)
    chances = 1 / (1 + np.exp(-2 * decided)) if len(classes) == 2 else np.exp(told)
    chances = np.column_stack([1 - chances, chances]) if len(classes) == 2 else chances
    found = model.predict_proba(new)
    np.testing.assert_allclose(found, chances / chances.sum(axis=1, keepdims=True), rtol=0, atol=1e-11)
    np.testing.assert_array_equal(model.classes_[found.argmax(axis=1)], model.predict(new))


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_probabilities_of_the_nearest_kept_row(seed: int) -> None:
    """In inverse proportion to the distance of the nearest kept row of each class, the predicted class ahead."""
    X, nominal, y, _, new = problem(seed)
    model = PSBoostClassifier(0.6, categorical_features=nominal)
    try:
        fit_quietly(model, X, y)
    except ValueError:
        return
    kept, classes = model.sample_indices_, model.classes_.tolist()
    expected = [
        oracle.inverse_distances([line[row] for row in kept], y[kept].tolist(), classes)
        for line in all_distances(new, X, nominal, "l2")
    ]
    found, decided = model.predict_proba(new), model.decision_function(new)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    np.testing.assert_array_equal(model.classes_[found.argmax(axis=1)], model.predict(new))
    if len(classes) == 2:
        np.testing.assert_array_equal(model.classes_[(decided > 0).astype(int)], model.predict(new))


def test_a_classifier_as_in_the_paper() -> None:
    """The preset chooses rows, and how many vote: one."""
    X, y = rings()
    model = PSBoostClassifier(40, preset="paper", voting="weighted").fit(X, y)
    kept = PSBoost(40, preset="paper").fit(X, y)
    np.testing.assert_array_equal(model.sample_indices_, kept.sample_indices_)
    nearest = PSBoostClassifier(40, preset="paper").fit(X, y)
    positive = nearest.prototype_weights_ > 1e-9
    assert positive.any()
    assert set(np.unique(np.abs(model.decision_function(X)).round(9))) <= set(
        np.round([*nearest.prototype_weights_, 1e-12], 9)
    )


def test_all_rows_need_the_weighted_vote() -> None:
    """A weight for every row means nothing to the nearest one."""
    X, y = rings()
    with pytest.raises(
        ValueError, match=r"PSBoostClassifier: all_rows=True with voting='nearest'\. Use voting"
    ):
        PSBoostClassifier(all_rows=True).fit(X, y)


def test_a_classifier_is_fitted_on_the_kept_rows_only() -> None:
    """Predictions are those of the same classifier fitted by hand on what the selector keeps."""
    X, y = rings()
    selector = RandomPrototypes(60, random_state=0)
    kept, labels = selector.fit_resample(X, y)
    by_hand = SVC().fit(kept, labels)
    model = PrototypeClassifier(selector, SVC()).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), by_hand.predict(X))
    np.testing.assert_array_equal(model.decision_function(X), by_hand.decision_function(X))
    assert not hasattr(model, "predict_proba")


def test_a_class_without_kept_rows_has_no_probability() -> None:
    """Columns stand in the places of all classes of fit."""
    X, _ = rings()
    y = np.repeat(["a", "b", "c", "d"], [100, 50, 100, 50])
    selector = RandomPrototypes(class_quota={"a": 20, "c": 20, "d": 20}, random_state=0)
    model = PrototypeClassifier(selector, LogisticRegression()).fit(X, y)
    found = model.predict_proba(X)
    assert found.shape == (300, 4)
    assert (found[:, 1] == 0).all()
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert (model.decision_function(X)[:, 1] == -np.inf).all()
    np.testing.assert_array_equal(model.classes_[found.argmax(axis=1)], model.predict(X))


def test_grid_search_reaches_the_selector() -> None:
    """A plain pipeline in a plain grid search; the size of the selector is a parameter like others."""
    X, y = rings()
    model = make_pipeline(StandardScaler(), PrototypeClassifier(PSBoost()))
    sizes = [0.1, 0.5]
    search = GridSearchCV(model, {"prototypeclassifier__selector__n_prototypes": sizes}, cv=3).fit(X, y)
    assert search.best_params_["prototypeclassifier__selector__n_prototypes"] in sizes
    assert cross_val_score(model, X, y, cv=3).mean() > 0.6


def test_frames_with_texts_reach_the_classifier() -> None:
    """A frame is passed on as the frame it is, and read by plain 1-NN as the selectors read it."""
    X, y = rings()
    frame = pd.DataFrame({"number": X[:, 0], "text": pd.Categorical(y)})
    frame.loc[::10, "number"] = np.nan
    boosted = PrototypeClassifier(RandomPrototypes(0.5, random_state=0), HistGradientBoostingClassifier())
    assert (boosted.fit(frame, y).predict(frame) == y).all()
    assert (PrototypeClassifier(CondensedNN()).fit(frame, y).predict(frame) == y).all()


def test_weights_go_to_the_selector_and_to_the_classifier() -> None:
    """To each that takes them: all rows' to the selector, those of the kept rows to the model; else they are refused."""
    X, y = rings()
    weights = np.random.default_rng(1).integers(0, 4, len(y)).astype(float)
    kept = PSBoost(0.3).fit(X, y, weights).sample_indices_
    both = PrototypeClassifier(PSBoost(0.3), LogisticRegression()).fit(X, y, weights.tolist())
    np.testing.assert_array_equal(both.selector_.sample_indices_, kept)
    alone = LogisticRegression().fit(X[kept], y[kept], sample_weight=weights[kept])
    np.testing.assert_array_equal(both.predict_proba(X), alone.predict_proba(X))
    nearest = PrototypeClassifier(PSBoost(0.3)).fit(X, y, weights)
    np.testing.assert_array_equal(nearest.selector_.sample_indices_, kept)
    drawn = RandomPrototypes(0.5, random_state=0)
    rows = drawn.fit(X, y).sample_indices_
    model = PrototypeClassifier(drawn, LogisticRegression()).fit(X, y, weights)
    alone = LogisticRegression().fit(X[rows], y[rows], sample_weight=weights[rows])
    np.testing.assert_array_equal(model.predict_proba(X), alone.predict_proba(X))
    moved = PrototypeClassifier(MovedPrototypes(0.1, random_state=0), LogisticRegression())
    made = MovedPrototypes(0.1, random_state=0).fit_resample(X, y, weights)
    alone = LogisticRegression().fit(*made)
    np.testing.assert_array_equal(moved.fit(X, y, weights).predict_proba(X), alone.predict_proba(X))
    with pytest.raises(TypeError, match="RandomPrototypes takes none, and 1-NN cannot be given"):
        PrototypeClassifier(drawn).fit(X, y, weights)
    with pytest.raises(TypeError, match="RandomPrototypes takes none, and KNeighborsClassifier cannot"):
        PrototypeClassifier(drawn, KNeighborsClassifier()).fit(X, y, weights)
    with pytest.raises(TypeError, match="MakesRows takes none, and LogisticRegression cannot be given"):
        PrototypeClassifier(MakesRows(), LogisticRegression()).fit(X, y, weights)
    with pytest.raises(ValueError, match="Negative values in data passed to `sample_weight`"):
        PrototypeClassifier(PSBoost()).fit(X, y, -weights)


class MakesRows(BaseEstimator):
    """A selector whose rows are no rows of the table."""

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        return X + 1.0, y


class KeepsNothing(RandomPrototypes):
    """A selector that keeps no row."""

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        return X[:0], y[:0]


def test_nothing_kept_is_an_error() -> None:
    """A selector that keeps no row is named; one of ours says itself that it finds none."""
    X, y = np.array([[0.0], [1.0], [10.0], [11.0]]), np.array(["a", "b", "a", "b"])
    with pytest.raises(ValueError, match="PrototypeClassifier: KeepsNothing kept none of 4 rows"):
        PrototypeClassifier(KeepsNothing()).fit(X, y)
    with pytest.raises(ValueError, match="PSBoost: none of the 4 rows has"):
        PrototypeClassifier(PSBoost(2, n_neighbors=1)).fit(X, y)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_prototypes": 4}, "n_prototypes=4, but X has 3 rows. Use a value from 1 to 3"),
        ({"class_quota": {"c": 1}}, "class_quota names 'c', which is no class of y"),
        ({"class_quota": {"a": 9}}, "class_quota asks for 9 rows of 'a'"),
        ({"preset": "paper", "n_neighbors": 3}, "preset='paper' means n_neighbors=1, but n_neighbors=3"),
    ],
)
def test_errors_name_the_classifier_not_the_selector_inside(settings: dict[str, Any], words: str) -> None:
    """A user of PSBoostClassifier has not named PSBoost."""
    with pytest.raises(ValueError, match=f"^PSBoostClassifier: {words}"):
        PSBoostClassifier(**settings).fit([[0.0], [1.0], [2.0]], ["a", "b", "a"])
    with pytest.raises(ValueError, match=r"^PSBoostClassifier: sample_weight leaves weight to 1 class"):
        PSBoostClassifier(1).fit([[0.0], [1.0], [2.0]], ["a", "b", "a"], [1, 0, 1])


def test_what_keeps_no_rows_is_refused() -> None:
    """A selector needs fit_resample."""
    with pytest.raises(ValueError, match="'selector' parameter of PrototypeClassifier must be an object"):
        PrototypeClassifier(StandardScaler()).fit([[0.0], [1.0]], [0, 1])
