"""Columns named by the caller: categorical_features, and any parameter that lists columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator

from tamis.table._encode import encode, positions


class Reader(BaseEstimator):
    """Somebody to read a table for."""


ROWS = {"a": [1, 2, 1], "b": [5, 5, 6], "c": [0, 1, 2]}
TABLES = [np.array(list(ROWS.values())).T, pd.DataFrame(ROWS), pl.DataFrame(ROWS), pa.table(ROWS)]


@pytest.mark.parametrize("X", TABLES)
@pytest.mark.parametrize(
    ("chosen", "nominal"),
    [
        ("from_dtype", [False, False, False]),
        (None, [False, False, False]),
        ([], [False, False, False]),
        ([2], [False, False, True]),
        ((0, -1), [True, False, True]),
        (np.array([1, 1]), [False, True, False]),
        ({1, 2}, [False, True, True]),
        ([True, False, True], [True, False, True]),
        (np.array([False, True, False]), [False, True, False]),
        (pd.Series([False, True, False]), [False, True, False]),
        ([False, False, False], [False, False, False]),
    ],
)
def test_columns_are_chosen_by_mask_or_position(X: Any, chosen: Any, nominal: list[bool]) -> None:
    """Exactly the listed columns are nominal."""
    assert encode(Reader(), X, chosen).nominal.tolist() == nominal


@pytest.mark.parametrize("X", TABLES[1:])
@pytest.mark.parametrize(
    "chosen", [["c", "a"], ("a", "c"), np.array(["a", "c"]), pd.Index(["a", "c"]), ["a", 2]]
)
def test_columns_are_chosen_by_name(X: Any, chosen: Any) -> None:
    """Names and positions may be mixed; the order does not matter."""
    assert encode(Reader(), X, chosen).nominal.tolist() == [True, False, True]


@pytest.mark.parametrize("X", TABLES)
@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ("c", "Reader: categorical_features='c'. Use 'from_dtype', None, a mask, positions or names"),
        ([3], "Reader: categorical_features holds the position 3, but X has 3 columns. Use 0 to 2"),
        ([-4], "Reader: categorical_features holds the position -4, but X has 3 columns"),
        ([True, False], "Reader: categorical_features is a mask of 2 columns, but X has 3 columns"),
        ([1.0], "Reader: categorical_features holds 1.0, which is neither the name nor the position"),
        ([None], "Reader: categorical_features holds None, which is neither the name nor the position"),
        ([[0, 1]], "Reader: categorical_features holds .*, which is neither the name nor the position"),
        ([0, True], "Reader: categorical_features holds True, which is neither the name nor the position"),
    ],
)
def test_what_is_no_choice_is_refused(X: Any, chosen: Any, message: str) -> None:
    """A misspelt keyword, a position outside, a short mask and other things are errors with their value."""
    with pytest.raises(ValueError, match=message):
        encode(Reader(), X, chosen)


@pytest.mark.parametrize("X", TABLES[1:])
def test_an_unknown_name_is_refused(X: Any) -> None:
    """A name that X does not have is named."""
    with pytest.raises(
        ValueError, match="Reader: categorical_features names 'z', which is not a column of X"
    ):
        encode(Reader(), X, ["a", "z"])


@pytest.mark.parametrize("X", [TABLES[0], pd.DataFrame(TABLES[0])])
def test_names_need_a_frame_with_names(X: Any) -> None:
    """Where X has no names (an array, a frame with integer names) only positions will do."""
    with pytest.raises(ValueError, match=r"names the column 'a', but X has no column names\. Use positions"):
        encode(Reader(), X, np.array(["a"]))


def test_positions_keep_the_order_given() -> None:
    """Positions of listed columns, in the order in which they were listed."""
    reader = Reader()
    encode(reader, TABLES[1])
    assert positions(reader, ["c", 0, -2], 3, "fixed_features").tolist() == [2, 0, 1]
    with pytest.raises(ValueError, match="Reader: fixed_features names 'd'"):
        positions(reader, ["d"], 3, "fixed_features")
