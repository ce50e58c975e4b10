"""Bad input through the estimators: a ValueError or TypeError with who, what and what to do, before any work."""

from datetime import datetime, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

import tamis
from tamis._methods import METHODS

X = np.arange(24, dtype=float).reshape(8, 3) % 7
Y = np.array(list("xyxyxyxy"))
COLUMNS = [method for method in METHODS if method.sifts == "columns"]


def with_value(value):
    """X with one value replaced."""
    changed = X.astype(np.result_type(X, type(value)) if not isinstance(value, str) else object)
    changed[2, 1] = value
    return changed


def with_object(value):
    """X as objects, one of them replaced."""
    changed = X.astype(object)
    changed[2, 1] = value
    return changed


INPUTS = {
    "y missing": (X, None, ("y", "None")),
    "labels missing": (X, np.array([*"xyxyxyx", None], dtype=object), ("1 of 8 rows have no label", "Leave")),
    "NaN labels": (X, np.array([0, 1, 0, 1, 0, 1, 0, np.nan]), ("1 of 8 rows have no label", "Leave")),
    "one class only": (X, np.full(8, "x"), ("one class only ('x')", "at least 2")),
    "y of another length": (X, Y[:5], ("[8, 5]",)),
    "y of two columns": (X, np.column_stack([Y, Y]), ("(8, 2)",)),
    "y a quantity": (
        X,
        np.linspace(0, 1, 8) + 0.01,
        ("Unknown label type", "for classes", "For a numeric target use"),
    ),
    "y of several types": (
        X,
        np.array([*"xyxyxyx", 3], dtype=object),
        ("int, str", "all texts or all numbers"),
    ),
    "infinity": (with_value(np.inf), Y, ("infinity",)),
    "infinity in a frame": (
        pl.DataFrame(with_value(np.inf), schema=list("abc")),
        Y,
        ("infinity", "'b'", "missing values"),
    ),
    "complex values": (X.astype(complex), Y, ("Complex data not supported",)),
    "object values": (with_value("old"), Y, ("could not convert string to float: 'old'",)),
    "sparse matrix": (scipy.sparse.csr_matrix(X), Y, ("Sparse data was passed", "dense")),
    "one-dimensional X": (X[:, 0], Y, ("Expected 2D array", "Reshape")),
    "no columns": (X[:, :0], Y, ("0 feature(s)", "minimum of 1")),
    "no columns in a frame": (pd.DataFrame(index=range(8)), Y, ("0 feature(s)", "minimum of 1")),
    "no rows": (X[:0], Y[:0], ("0 sample(s)", "minimum of")),
    "one row": (X[:1], Y[:1], ("1 sample", "minimum of 2")),
    "dates in a frame": (
        pd.DataFrame({"day": pd.date_range("2001-02-03", periods=8), "b": X[:, 1]}),
        Y,
        ("'day'", "Datetime", "drop"),
    ),
    "an array of dates": ((X * 1e9).astype("datetime64[s]"), Y, ("X holds dates", "not numbers", "a year")),
    "an array of durations": (
        (X * 1e9).astype("timedelta64[s]"),
        Y,
        ("X holds durations", "not numbers", "a day"),
    ),
    "dates in a list": ([[datetime(2001, 2, 3 + row)] for row in range(8)], Y, ("X holds dates", "a year")),
    "dates among objects": (with_object(np.datetime64("2001-02-03")), Y, ("X holds dates", "a year")),
    "durations among objects": (with_object(timedelta(1)), Y, ("X holds durations", "a day")),
    "masked labels": (X, np.ma.masked_array(Y, Y == "x"), ("4 of 8 rows have no label", "Leave")),
    "a number beyond floats": (with_object(10**400), Y, ("too large", "NaN")),
    "complex in a frame": (pd.DataFrame({"a": X[:, 0] + 1j, "b": X[:, 1]}), Y, ("'a'", "drop")),
    "lists in a frame": (pl.DataFrame({"a": [[1]] * 8, "b": X[:, 1]}), Y, ("'a'", "List", "drop")),
    "lazy frame": (pl.LazyFrame({"a": X[:, 0]}), Y, ("lazy", "collect")),
}


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@pytest.mark.parametrize("name", INPUTS)
def test_a_bad_table_is_refused_by_every_estimator(method, name):
    """An estimator refuses what it cannot use, with the names and numbers of what it was given."""
    table, labels, parts = INPUTS[name]
    estimator = method.estimator_class()(**method.settings)
    if name == "y a quantity" and method.takes_numbers:
        assert hasattr(estimator.fit(table, labels), "ranking_")
        return
    with pytest.raises((ValueError, TypeError)) as caught:
        estimator.fit(table, labels)
    for part in parts:
        assert part in str(caught.value)
    assert not hasattr(estimator, "ranking_")
    assert not hasattr(estimator, "sample_indices_")


@pytest.mark.parametrize("method", COLUMNS, ids=lambda method: method.name)
@pytest.mark.parametrize(
    ("size", "parts"),
    [
        (0, ("'n_features_to_select'", "[1, inf)", "Got 0")),
        (1.5, ("'n_features_to_select'", "(0.0, 1.0]", "Got 1.5")),
        (-1, ("'n_features_to_select'", "[1, inf)", "Got -1")),
        ("all", ("'n_features_to_select'", "Got 'all'")),
        (10, ("n_features_to_select=10", "3 features", "1 to 3")),
    ],
)
def test_a_bad_size_is_refused_by_every_column_selector(method, size, parts):
    """A number of columns that cannot be kept is refused with the range that can."""
    estimator = method.estimator_class()(**{**method.settings, "n_features_to_select": size})
    with pytest.raises(ValueError) as caught:
        estimator.fit(X, Y)
    for part in (method.estimator, *parts):
        assert part in str(caught.value)


class NeedsTwo(tamis.RandomPrototypes):
    """A method that needs two rows of every class."""

    _min_rows = 2


def test_a_class_of_one_row_is_refused_where_two_are_needed():
    """A method that needs two rows of every class names the class that has one."""
    with pytest.raises(ValueError, match="NeedsTwo: class 'z' has 1 row, but at least 2 per class"):
        NeedsTwo().fit(X, np.array([*"xyxyxyxz"]))
