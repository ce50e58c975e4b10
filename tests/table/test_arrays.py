"""Masks, dates and tables without rows, through every estimator."""

import inspect

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tamis.table._arrays import plain_numbers, unmasked
from tests.estimators import QUICK, default, public_estimators

ALL = public_estimators()
NEW_ROWS = ("transform", "predict", "predict_proba", "decision_function", "staged_predict", "score")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 4))
Y = (X[:, 0] + X[:, 1] > 0).astype(int)
HOLES = RNG.random(X.shape) < 0.15
FITTED = ("scores_", "ranking_", "sample_indices_", "margins_", "leave_one_out_decision_", "support_")


def made(name):
    seed = {"random_state": 0} if "random_state" in default(name).get_params() else {}
    return default(name, **QUICK.get(name, {}), **seed)


def told(fitted):
    return {name: getattr(fitted, name) for name in FITTED if hasattr(fitted, name)}


@pytest.mark.parametrize("name", ALL)
def test_a_masked_value_is_a_missing_one(name):
    """A masked array is fitted, cut and predicted as the array with NaN in the place of its masked values."""
    masked, missing = np.ma.masked_array(X, HOLES), np.where(HOLES, np.nan, X)
    one, two = made(name).fit(masked, Y), made(name).fit(missing, Y)
    first, second = told(one), told(two)
    for attribute, value in first.items():
        np.testing.assert_array_equal(value, second[attribute])
    for method in ("transform", "predict", "predict_proba", "decision_function"):
        if hasattr(one, method):
            np.testing.assert_array_equal(getattr(one, method)(masked), getattr(two, method)(missing))


@pytest.mark.parametrize(
    "name", [n for n in ALL if "sample_weight" in inspect.signature(ALL[n].fit).parameters]
)
def test_a_masked_weight_is_refused(name):
    """A weight that is not known cannot be left out silently."""
    with pytest.raises(ValueError, match="sample_weight contains NaN"):
        made(name).fit(X, Y, sample_weight=np.ma.masked_array(np.ones(40), HOLES[:, 0]))
    with pytest.raises(ValueError, match="sample_weight holds durations"):
        made(name).fit(X, Y, sample_weight=np.ones(40).astype("timedelta64[s]"))


@pytest.mark.parametrize("kind", ["array", "pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("name", ALL)
def test_no_new_rows_are_refused_in_scikit_learn_s_words(name, kind):
    """An array and a frame of any library without rows: "Found array with 0 sample(s)"."""
    frame = pd.DataFrame(X, columns=list("abcd"))
    table = {
        "array": X,
        "pandas": frame,
        "polars": pl.DataFrame(X, list("abcd")),
        "pyarrow": pa.table(frame),
    }[kind]
    fitted = made(name).fit(table, Y)
    for method in NEW_ROWS:
        if hasattr(fitted, method):
            labels = (Y[:0],) if method == "score" else ()
            with pytest.raises(
                ValueError, match=r"Found array with 0 sample\(s\) \(shape=\(0, 4\)\) while a minimum of 1"
            ):
                list(getattr(fitted, method)(table[:0], *labels))


def test_masks_of_every_kind():
    """Numbers become NaN, texts and dates None; without a masked value nothing changes, and plain arrays are themselves."""
    assert unmasked(X) is X
    assert np.array_equal(unmasked(np.ma.masked_array([1, 2], [0, 1])), [1.0, np.nan], equal_nan=True)
    assert unmasked(np.ma.masked_array([1, 2])).dtype == int
    assert unmasked(np.ma.masked_array(["a", "b"], [0, 1])).tolist() == ["a", None]
    assert unmasked(np.ma.masked_array([True, False], [1, 0])).tolist()[1] == 0.0


@pytest.mark.parametrize("given", [[1, 2], [[1], [2, 3]], "text", None, np.array(["a"]), [None, 3.0]])
def test_what_is_no_date_passes(given):
    """Numbers, texts, ragged lists and nothing at all are left to scikit-learn."""
    assert plain_numbers("Who", "X", given) is given
