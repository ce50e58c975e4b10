"""Labels of every kind become codes and sorted classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator
from sklearn.exceptions import DataConversionWarning

from tamis.table._encode import encode_target

X = np.zeros((4, 1))
NAN = float("nan")


class Reader(BaseEstimator):
    """Somebody to read labels for."""


TEXTS = ["b", "a", "b", "c"]
NUMBERS = [7, -1, 7, 8]


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (TEXTS, ["a", "b", "c"]),
        (tuple(TEXTS), ["a", "b", "c"]),
        (np.array(TEXTS, dtype=object), ["a", "b", "c"]),
        (pd.Series(TEXTS, index=[5, 4, 3, 2]), ["a", "b", "c"]),
        (pd.Series(TEXTS, dtype="string"), ["a", "b", "c"]),
        (pd.Series(TEXTS, dtype=object), ["a", "b", "c"]),
        (pd.Categorical(TEXTS, categories=["c", "b", "unused", "a"]), ["a", "b", "c"]),
        (pl.Series(TEXTS), ["a", "b", "c"]),
        (pl.Series(TEXTS, dtype=pl.Categorical), ["a", "b", "c"]),
        (pl.Series(TEXTS, dtype=pl.Enum(["c", "b", "a"])), ["a", "b", "c"]),
        (pa.array(TEXTS), ["a", "b", "c"]),
        (pa.array(TEXTS).dictionary_encode(), ["a", "b", "c"]),
        (pa.chunked_array([TEXTS[:1], TEXTS[1:]]), ["a", "b", "c"]),
        (NUMBERS, [-1, 7, 8]),
        (np.array(NUMBERS, dtype=np.int8), [-1, 7, 8]),
        (np.array(NUMBERS, dtype=np.float32), [-1, 7, 8]),
        (np.array(NUMBERS, dtype=object), [-1, 7, 8]),
        (pd.Series(NUMBERS, dtype="Int64"), [-1, 7, 8]),
        (pd.Series(NUMBERS, dtype=object), [-1, 7, 8]),
        (pl.Series(NUMBERS, dtype=pl.Int16), [-1, 7, 8]),
        (pa.array(NUMBERS), [-1, 7, 8]),
    ],
)
def test_labels_of_every_kind_are_coded_in_sorted_order(y: Any, classes: list[Any]) -> None:
    """Codes are positions among the sorted labels that occur, whatever holds the labels."""
    target = encode_target(Reader(), X, y)
    assert target.codes.tolist() == [1, 0, 1, 2]
    assert target.codes.dtype == np.int64
    assert target.classes.tolist() == classes
    assert target.n_classes == 3
    assert target.counts().tolist() == [1, 2, 1]


@pytest.mark.parametrize(
    "y",
    [
        [True, False, True, True],
        np.array([True, False, True, True], dtype=object),
        pl.Series([True, False, True, True]),
        pd.Series([True, False, True, True], dtype="boolean"),
        pa.array([True, False, True, True]),
    ],
)
def test_truth_values_are_two_classes(y: Any) -> None:
    """False comes before true."""
    target = encode_target(Reader(), X, y)
    assert target.codes.tolist() == [1, 0, 1, 1]
    assert target.classes.tolist() == [False, True]


@pytest.mark.parametrize(
    "y",
    [
        [0, NAN, 1, NAN],
        ["a", None, "b", None],
        np.array(["a", NAN, "b", None], dtype=object),
        np.array(["2020", "NaT", "2021", "NaT"], dtype="M8[D]"),
        pd.Series(["a", None, "b", None]),
        pd.Series(["a", None, "b", None], dtype="string"),
        pd.Series(["a", None, "b", None], dtype="category"),
        pd.Series(["a", pd.NA, "b", None], dtype=object),
        pd.Series(["a", None, "b", None], dtype=pd.ArrowDtype(pa.string())),
        pd.Series([1, None, 2, None], dtype="Int64"),
        pd.Series([True, None, False, None], dtype="boolean"),
        pl.Series(["a", None, "b", None]),
        pl.Series([1, None, 2, None]),
        pl.Series(["a", None, "b", None], dtype=pl.Categorical),
        pa.array(["a", None, "b", None]),
        pa.array([1, None, 2, None]),
    ],
)
def test_rows_without_a_label_are_counted_in_the_error(y: Any) -> None:
    """Every kind of gap is found in every kind of labels, and none becomes a class."""
    with pytest.raises(ValueError, match=r"^Reader: Input y contains NaN: 2 of 4 rows have no label\. Leave"):
        encode_target(Reader(), X, y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "Reader: requires y to be passed, but the target y is None"),
        ([0, 1, 0], r"inconsistent numbers of samples: \[4, 3\]"),
        ([0.5, 1.5, 2.5, 0.1], "Unknown label type: y holds numbers"),
        ([0, np.inf, 1, 0], "Input y contains infinity"),
        (
            np.array([1, "a", 1, "a"], dtype=object),
            "Reader: the labels in y are of the types int, str. Make them",
        ),
        (
            np.array([(1,), (2,), (1,), (2, 3)], dtype=object),
            "Reader: the labels in y are of the types tuple",
        ),
        (["b"] * 4, r"^Reader: y holds one class only \('b'\); at least 2 classes are needed"),
        ([1] * 4, r"^Reader: y holds one class only \(1\); at least 2 classes are needed"),
        (np.eye(4), r"y should be a 1d array, got an array of shape \(4, 4\)"),
        (
            pd.DataFrame({"y": [0, 1, 0, 1], "z": 0}),
            r"y should be a 1d array, got an array of shape \(4, 2\)",
        ),
    ],
)
def test_what_is_no_target_is_refused(y: Any, message: str) -> None:
    """No labels, too few, numbers without end, several types, one class and two columns each have their sentence."""
    with pytest.raises(ValueError, match=message):
        encode_target(Reader(), X, y)


@pytest.mark.parametrize(
    ("y", "min_rows", "message"),
    [
        (["a", "b", "b", "b"], 2, "Reader: class 'a' has 1 row, but at least 2 per class are needed"),
        ([0, 0, 1, 1], 3, "Reader: class 0 has 2 rows, but at least 3 per class are needed"),
    ],
)
def test_a_class_too_small_for_the_method_is_named(y: Any, min_rows: int, message: str) -> None:
    """The smallest class and its size stand in the error."""
    assert encode_target(Reader(), X, y).n_classes == 2
    with pytest.raises(ValueError, match=message):
        encode_target(Reader(), X, y, min_rows=min_rows)


@pytest.mark.parametrize("y", [np.c_[NUMBERS], pd.DataFrame({"y": NUMBERS}), pl.DataFrame({"y": NUMBERS})])
def test_one_column_of_labels_is_read_with_a_warning(y: Any) -> None:
    """A target of one column is flattened, and scikit-learn's warning says so."""
    with pytest.warns(DataConversionWarning, match="column-vector"):
        target = encode_target(Reader(), X, y)
    assert target.codes.tolist() == [1, 0, 1, 2]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64])
def test_many_whole_numbers_are_read_as_numpy_sorts_them(dtype):
    """Codes and classes of many small whole numbers, however they are held, are those of sorting."""
    limits = np.iinfo(dtype)
    for low in (limits.min, 0, limits.max - 90):
        random = np.random.default_rng(0)
        y = np.array([low + 7 * int(step) for step in random.integers(0, 13, 500)], dtype=dtype)
        target = encode_target(Reader(), np.zeros((500, 1)), y)
        classes, codes = np.unique(y, return_inverse=True)
        assert target.classes.dtype == classes.dtype
        assert target.classes.tolist() == classes.tolist()
        assert target.codes.tolist() == codes.tolist()
