"""Every row selector as a step of imbalanced-learn's Pipeline, and under its checks of samplers."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from imblearn.pipeline import Pipeline
from imblearn.utils import estimator_checks
from sklearn.compose import make_column_transformer
from sklearn.exceptions import DataConversionWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils._testing import set_random_state

from tamis.prototypes._base import PrototypeSelector
from tests.estimators import QUICK, default, public_estimators

ROW_SELECTORS = [name for name, cls in public_estimators().items() if issubclass(cls, PrototypeSelector)]
SAMPLERS = [
    name for name, cls in public_estimators().items() if hasattr(cls, "fit_resample") and name != "SelectorCV"
]
over_samplers = pytest.mark.parametrize("name", SAMPLERS)
over_rows = pytest.mark.parametrize("name", ROW_SELECTORS)

CHECKS = [
    "check_samplers_2d_target",
    "check_samplers_fit_resample",
    "check_samplers_list",
    "check_samplers_one_label",
    "check_samplers_pandas",
    "check_samplers_preserve_dtype",
    "check_target_type",
    "check_dataframe_column_names_consistency",
    "check_param_validation",
]

# What imbalanced-learn asks of its own samplers and not of ours, and why.
NOT_OURS = {
    "check_samplers_fit": "asks for sampling_strategy_: a row selector balances nothing",
    "check_samplers_sampling_strategy_fit_resample": "sets sampling_strategy, on subclasses of its bases only",
    "check_samplers_nan": "asks that a row with a gap is kept: a selector may keep other rows",
    "check_samplers_sparse": "sparse tables are refused",
    "check_samplers_pandas_sparse": "sparse tables are refused",
    "check_samplers_multiclass_ova": "labels come as one column, not as one column a class",
    "check_samplers_sample_indices": "reads sampler_tags, which only its own classes have",
    "check_samplers_string": "texts come in frames, not in object arrays",
    "check_sampler_get_feature_names_out": "asks for get_feature_names_out of an object that keeps every column",
    "check_sampler_get_feature_names_out_pandas": "the same",
    "check_classifier_on_multilabel_or_multioutput_targets": "for classifiers",
    "check_classifiers_with_encoded_labels": "for classifiers",
}


def selector(name: str, **parameters: Any) -> Any:
    made = default(name, **{**QUICK.get(name, {}), **parameters})
    set_random_state(made, 0)
    return made


@over_samplers
@pytest.mark.parametrize("check", CHECKS)
def test_imbalanced_learn_accepts_the_selector(name: str, check: str) -> None:
    """The check passes; a target of one column is taken with scikit-learn's warning."""
    call: Callable[[str, Any], None] = getattr(estimator_checks, check)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataConversionWarning)
        call(name, selector(name))


def test_every_check_of_samplers_is_used_or_answered() -> None:
    """A check that imbalanced-learn adds has to be taken up, or refused by name."""
    theirs = {
        check
        for check, function in inspect.getmembers(estimator_checks, inspect.isfunction)
        if check.startswith("check_") and function.__module__ == estimator_checks.__name__
    }
    assert theirs == set(CHECKS) | set(NOT_OURS)


@over_samplers
def test_targets_that_are_no_classes_are_refused(name: str) -> None:
    """A regression target and several columns of labels, in scikit-learn's words."""
    X = np.random.default_rng(0).random((20, 2))
    with pytest.raises(ValueError, match="Unknown label type:"):
        selector(name).fit_resample(X, np.linspace(0, 1, 20))
    with pytest.raises(ValueError, match=r"y should be a 1d array, got an array of shape \(20, 3\)"):
        selector(name).fit_resample(X, np.random.default_rng(0).integers(0, 2, (20, 3)))


def table(kind: str) -> tuple[Any, Any]:
    """40 rows of two classes: two numbers, a text, and a gap here and there."""
    rng = np.random.default_rng(7)
    y = np.arange(40) % 2
    columns = {
        "size": (rng.normal(size=40) + 2 * y).tolist(),
        "age": (rng.normal(size=40) + y).tolist(),
        "colour": rng.choice(["red", "blue"], 40).tolist(),
    }
    columns["colour"][3] = None
    labels = np.array(["no", "yes"])[y]
    if kind == "pandas":
        return pd.DataFrame(columns, index=np.arange(40)[::-1]), pd.Series(labels, index=np.arange(40)[::-1])
    return pl.DataFrame(columns), pl.Series(labels)


def pipeline(name: str) -> Pipeline:
    # scikit-learn 1.6 joins sparse columns with pandas columns, and not with those of polars
    names = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    numbers_and_names = make_column_transformer(("passthrough", ["size", "age"]), (names, ["colour"]))
    model = KNeighborsClassifier(n_neighbors=1)
    return Pipeline([("sift", selector(name)), ("columns", numbers_and_names), ("model", model)])


@over_samplers
@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_step_of_a_pipeline_under_cross_validation(name: str, kind: str) -> None:
    """The rows are chosen anew in every training part; held-out rows pass the step untouched."""
    X, y = table(kind)
    scores = cross_val_score(pipeline(name), X, y, cv=4, error_score="raise")
    assert scores.shape == (4,)
    assert ((scores >= 0) & (scores <= 1)).all()
    fitted = pipeline(name).fit(X, y)
    sifted = fitted.named_steps["sift"]
    kept = sifted.labels_ if hasattr(sifted, "labels_") else sifted.sample_indices_
    assert fitted.named_steps["model"].n_samples_fit_ == len(kept)
    assert len(fitted.predict(X)) == 40


@pytest.mark.parametrize(
    "name", [name for name in ROW_SELECTORS if "n_prototypes" in default(name).get_params()]
)
@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_its_size_is_searched_by_a_grid(name: str, kind: str) -> None:
    """n_prototypes is a parameter like any other."""
    X, y = table(kind)
    search = GridSearchCV(pipeline(name), {"sift__n_prototypes": [2, 4]}, cv=2, error_score="raise").fit(X, y)
    size = search.best_params_["sift__n_prototypes"]
    assert size in (2, 4)
    assert len(search.best_estimator_.named_steps["sift"].sample_indices_) == size
