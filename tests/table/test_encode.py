"""Arrays and frames of every library become one and the same `Table`."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from sklearn.base import BaseEstimator

from tamis.table._encode import as_frame, column_names, encode, encode_like
from tamis.table._table import Table

NAN = float("nan")
ROWS = {
    "number": [1.5, None, -2.0, 1.5],
    "count": [3, 1, None, 3],
    "text": ["b", None, "a", "b"],
    "level": ["x", "y", None, "x"],
    "flag": [True, None, False, True],
}


class Reader(BaseEstimator):
    """Somebody to read a table for."""


def pandas_frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "number": pd.Series(ROWS["number"], dtype="float64"),
            "count": pd.array(ROWS["count"], dtype="Int16"),
            "text": pd.Series(ROWS["text"], dtype="str"),
            "level": pd.Categorical(ROWS["level"], categories=["unused", "y", "x"]),
            "flag": pd.array(ROWS["flag"], dtype="boolean"),
        }
    )


def polars_frame() -> pl.DataFrame:
    kinds = {
        "number": pl.Float32,
        "count": pl.UInt8,
        "text": pl.String,
        "level": pl.Enum(["x", "unused", "y"]),
        "flag": pl.Boolean,
    }
    return pl.DataFrame({name: pl.Series(rows, dtype=kinds[name]) for name, rows in ROWS.items()})


def pyarrow_table() -> pa.Table:
    kinds = {
        "number": pa.float64(),
        "count": pa.int8(),
        "text": pa.large_string(),
        "level": pa.dictionary(pa.int16(), pa.string()),
        "flag": pa.bool_(),
    }
    return pa.table({name: pa.array(rows, kinds[name]) for name, rows in ROWS.items()})


FRAMES = {
    "pandas": pandas_frame,
    "pandas objects": lambda: pd.DataFrame(
        {name: pd.Series(rows, dtype=object) for name, rows in ROWS.items()}
    ),
    "pandas arrow": lambda: pyarrow_table().to_pandas(types_mapper=pd.ArrowDtype),
    "polars": polars_frame,
    "polars categorical": lambda: polars_frame().with_columns(pl.col("level").cast(pl.Categorical)),
    "pyarrow": pyarrow_table,
    "pyarrow chunks": lambda: pa.concat_tables([pyarrow_table()[:1], pyarrow_table()[1:]]),
}
EXPECTED = np.array([[1.5, 3, 1, 0, 1], [NAN, 1, NAN, 1, NAN], [-2, NAN, 0, NAN, 0], [1.5, 3, 1, 0, 1]])


def same(first: Table, second: Table) -> bool:
    return (
        np.array_equal(first.values, second.values, equal_nan=True)
        and np.array_equal(first.nominal, second.nominal)
        and all(
            (a is None and b is None) or (a is not None and b is not None and list(a) == list(b))
            for a, b in zip(first.schema.categories, second.schema.categories)
        )
    )


@pytest.mark.parametrize("kind", FRAMES)
def test_every_kind_of_frame_gives_the_table_worked_out_by_hand(kind: str) -> None:
    """Values, gaps and codes in sorted order do not depend on the library; unused levels take no code."""
    reader = Reader()
    table = encode(reader, FRAMES[kind]())
    assert table.values.dtype == np.float64
    np.testing.assert_array_equal(table.values, EXPECTED)
    assert table.nominal.tolist() == [False, False, True, True, True]
    assert [None if known is None else list(known) for known in table.schema.categories] == [
        None,
        None,
        ["a", "b"],
        ["x", "y"],
        ["false", "true"],
    ]
    assert column_names(reader) == list(ROWS)
    assert (table.n_rows, table.n_columns) == (4, 5)


@pytest.mark.parametrize("fitted", FRAMES)
@pytest.mark.parametrize("given", FRAMES)
def test_new_rows_may_come_from_another_library(fitted: str, given: str) -> None:
    """A table fitted on one kind of frame reads the same rows alike from every other kind."""
    reader = Reader()
    table = encode(reader, FRAMES[fitted]())
    assert same(encode_like(reader, FRAMES[given](), table.schema), table)


def one_column(values: Any, **kinds: Any) -> list[Any]:
    """The same column as pandas, polars and pyarrow hold it."""
    return [
        pd.DataFrame({"a": pd.Series(values, **({"dtype": kinds["pandas"]} if "pandas" in kinds else {}))}),
        pl.DataFrame({"a": pl.Series(values, dtype=kinds.get("polars"))}),
        pa.table({"a": pa.array(values, kinds.get("pyarrow"))}),
    ]


@pytest.mark.parametrize("place", range(3))
def test_a_value_never_seen_has_the_code_after_the_last_and_a_gap_stays_a_gap(place: int) -> None:
    """Unseen categories are told apart from gaps, in text columns."""
    reader = Reader()
    table = encode(reader, one_column(["b", "a", "b"])[place])
    new = encode_like(reader, one_column(["c", None, "a"])[place], table.schema)
    np.testing.assert_array_equal(new.values[:, 0], [2, NAN, 0])


@pytest.mark.parametrize("frame", [lambda rows: pd.DataFrame({"a": rows}), lambda rows: np.c_[rows]])
def test_numbers_named_nominal_are_coded_by_value(frame: Any) -> None:
    """A numeric column named nominal has sorted numbers as categories, codes for new rows, and keeps its gaps."""
    reader = Reader()
    table = encode(reader, frame([30.0, -1.0, NAN, 30.0]), [0])
    np.testing.assert_array_equal(table.values[:, 0], [1, 0, NAN, 1])
    assert table.schema.categories[0] is not None
    assert table.schema.categories[0].tolist() == [-1.0, 30.0]
    new = encode_like(reader, frame([7.0, 31.0, -2.0, NAN, -1.0]), table.schema)
    np.testing.assert_array_equal(new.values[:, 0], [2, 2, 2, NAN, 0])


@pytest.mark.parametrize("frame", one_column([None, None], pandas=object))
@pytest.mark.parametrize("categorical_features", ["from_dtype", None, ["a"]])
def test_a_column_of_nothing_but_gaps_is_numeric_unless_named(frame: Any, categorical_features: Any) -> None:
    """What a library calls the dtype of an empty column (object, Null, null) makes no difference."""
    table = encode(Reader(), frame, categorical_features)
    assert np.isnan(table.values).all()
    assert table.nominal.tolist() == [categorical_features == ["a"]]


@pytest.mark.parametrize("frame", one_column([None, None], pandas=object))
@pytest.mark.parametrize("fitted_on", [[1.0, 2.0], ["x", "y"], [True, False]])
def test_new_rows_may_hold_gaps_only(fitted_on: list[Any], frame: Any) -> None:
    """A fitted column of any kind reads new rows in which every value is missing."""
    reader = Reader()
    table = encode(reader, pl.DataFrame({"a": fitted_on}))
    assert np.isnan(encode_like(reader, frame, table.schema).values).all()


def test_a_category_of_gaps_only_has_no_levels() -> None:
    """A nominal column without one value is all gaps; any value in new rows is one never seen."""
    reader = Reader()
    table = encode(reader, pd.DataFrame({"a": pd.Categorical([None, None])}))
    assert np.isnan(table.values).all()
    assert table.nominal.tolist() == [True]
    new = encode_like(reader, pd.DataFrame({"a": ["x", None]}), table.schema)
    np.testing.assert_array_equal(new.values[:, 0], [0, NAN])


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([3, 10, None], [1, 0, NAN]),  # as texts "10" comes before "3"
        ([True, False, None], [1, 0, NAN]),
        ([2.5, 1.5, None], [1, 0, NAN]),
        ([b"y", b"x", None], [1, 0, NAN]),
        ([dt.date(2020, 1, 2), dt.date(2019, 1, 1), None], [1, 0, NAN]),
    ],
)
def test_a_pandas_category_may_hold_anything(values: list[Any], expected: list[float]) -> None:
    """Categories that are no texts are read by the way they are written."""
    for ordered in (False, True):
        table = encode(Reader(), pd.DataFrame({"a": pd.Categorical(values, ordered=ordered)}))
        np.testing.assert_array_equal(table.values[:, 0], expected)


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        *[(frame, [1, NAN, 255]) for frame in one_column([1, None, 255], polars=pl.UInt8, pandas="UInt8")],
        *[
            (frame, [1.5, NAN, 2])
            for frame in one_column(
                [Decimal("1.5"), None, Decimal(2)], pandas=pd.ArrowDtype(pa.decimal128(5, 2))
            )
        ],
        (pl.DataFrame({"a": pl.Series([2**100, None], dtype=pl.Int128)}), [2.0**100, NAN]),
        (pd.DataFrame({"a": np.array([1.5, 2], dtype=np.float16)}), [1.5, 2]),
        (pd.DataFrame({"a": pd.Series([1, 2.5, None], dtype=object)}), [1, 2.5, NAN]),
        (pd.DataFrame({"a": pd.array([1, None], dtype="Float64")}), [1, NAN]),
        *[(frame, [-(2.0**63), 2.0**63]) for frame in one_column([-(2**63), 2**63 - 1])],
        *[(frame, [2.0**63, NAN]) for frame in one_column([2**63 - 1, None], pandas="Int64")],
        *[
            (frame, [2.0**63, NAN])
            for frame in one_column([2**63 - 1, None], pandas=pd.ArrowDtype(pa.int64()))[:1]
        ],
    ],
)
def test_numbers_of_every_width_are_read_as_float64(frame: Any, expected: list[float]) -> None:
    """Small, unsigned, decimal, nullable and huge numbers keep their value, to the precision of a float64."""
    table = encode(Reader(), frame)
    np.testing.assert_array_equal(table.values[:, 0], expected)
    assert not table.nominal[0]


@pytest.mark.parametrize("frame", one_column([True, None, False], pandas="boolean"))
def test_booleans_are_numbers_where_nothing_is_nominal(frame: Any) -> None:
    """With categorical_features=None a boolean column is 0 and 1."""
    np.testing.assert_array_equal(encode(Reader(), frame, None).values[:, 0], [1, NAN, 0])


DAY = dt.date(2020, 5, 17)
NOON = dt.datetime(2020, 5, 17, 12)
REFUSED: list[tuple[Any, str]] = [
    *[(frame, r"Date.*dates into numbers") for frame in one_column([DAY, None])[1:]],
    *[(frame, r"Datetime.*dates into numbers") for frame in one_column([NOON, None])],
    *[(frame, "Duration") for frame in one_column([dt.timedelta(1), None])],
    *[(frame, "Time") for frame in one_column([dt.time(1), None], pandas=pd.ArrowDtype(pa.time64("us")))],
    *[(frame, "List") for frame in one_column([[1], [2]])[1:]],
    *[(frame, "Binary") for frame in one_column([b"a", b"b"])[1:]],
    (pl.DataFrame({"a": pl.Series([object(), object()], dtype=pl.Object)}), "Object"),
    (pd.DataFrame({"a": pd.Series([1, "b"], dtype=object)}), "Object"),
    (pd.DataFrame({"a": pd.Series([[1], [2]], dtype=object)}), "Object"),
    (pd.DataFrame({"a": [1j, 2]}), "complex128"),
    (pd.DataFrame({"a": pd.period_range("2020", periods=2, freq="D")}), r"period\[D\]"),
]


@pytest.mark.parametrize(("frame", "message"), REFUSED)
def test_other_dtypes_are_refused_by_column_and_dtype(frame: Any, message: str) -> None:
    """Dates, spans, lists, bytes and mixed objects are named in the error, never silently coded."""
    with pytest.raises(ValueError, match=rf"^Reader: column 'a' has dtype .*{message}"):
        encode(Reader(), frame)


@pytest.mark.parametrize("frame", one_column(["u", "v"]))
def test_texts_where_nothing_is_nominal_are_refused(frame: Any) -> None:
    """With categorical_features=None a text column is an error that says what to do."""
    with pytest.raises(ValueError, match=r"column 'a' has dtype String.*Name it in categorical_features"):
        encode(Reader(), frame, None)


@pytest.mark.parametrize("frame", one_column([NOON, NOON, None]))
def test_dates_named_nominal_are_categories(frame: Any) -> None:
    """The caller's word outweighs the dtype."""
    np.testing.assert_array_equal(encode(Reader(), frame, ["a"]).values[:, 0], [0, 0, NAN])


@pytest.mark.parametrize("frame", one_column([[1], [2]]))
def test_nested_values_cannot_be_nominal(frame: Any) -> None:
    """Lists named in categorical_features are refused by name."""
    with pytest.raises(ValueError, match=r"^Reader: column 'a' has dtype .*cannot be categorical"):
        encode(Reader(), frame, ["a"])


@pytest.mark.parametrize("ordered", [False, True])
def test_categories_that_read_the_same_are_refused(ordered: bool) -> None:
    """The number 1 and the text "1" as two categories of one column cannot be told apart."""
    column = pd.Categorical([1, "1"], categories=[1, "1"], ordered=ordered)
    with pytest.raises(ValueError, match=r"Reader: column 'a' has different categories that read the same"):
        encode(Reader(), pd.DataFrame({"a": column}))


def test_a_pyarrow_dictionary_may_hold_numbers() -> None:
    """As a pandas category of numbers does: read by the way they are written."""
    table = encode(Reader(), pa.table({"a": pa.array([3, 10, None]).dictionary_encode()}))
    np.testing.assert_array_equal(table.values[:, 0], [1, 0, NAN])


@pytest.mark.parametrize(
    "frame",
    [lambda names: pd.DataFrame(np.eye(2), columns=names), lambda names: pa.table([[1], [2]], names=names)],
)
def test_duplicate_names_are_refused_by_name(frame: Any) -> None:
    """Two columns of one name are an error that names them."""
    with pytest.raises(ValueError, match=r"X has several columns named 'a'\. Give every column its own name"):
        encode(Reader(), frame(["a", "a"]))


def test_integer_names_are_no_names() -> None:
    """A pandas frame with integer names is read by position, and its columns are called x0, x1, ..."""
    reader = Reader()
    table = encode(reader, pd.DataFrame({7: ["x", "y"], 3: [1, 2]}))
    np.testing.assert_array_equal(table.values, [[0, 1], [1, 2]])
    assert not hasattr(reader, "feature_names_in_")
    assert column_names(reader) == ["x0", "x1"]


def test_names_of_several_types_are_refused() -> None:
    """Texts and integers mixed as names are scikit-learn's error."""
    with pytest.raises(TypeError, match="Feature names are only supported if all input features have string"):
        encode(Reader(), pd.DataFrame(np.eye(2), columns=["a", 1]))


def test_lazy_frames_are_to_be_collected() -> None:
    """A frame without rows in memory is refused with the way out."""
    with pytest.raises(TypeError, match=r"X is a lazy polars frame.*X\.collect\(\)"):
        encode(Reader(), polars_frame().lazy())


@pytest.mark.parametrize(
    "X",
    [
        scipy.sparse.csr_matrix(np.eye(3)),
        scipy.sparse.coo_array(np.eye(3)),
        pd.DataFrame({"a": pd.arrays.SparseArray([0.0, 0, 1])}),
        pd.DataFrame.sparse.from_spmatrix(scipy.sparse.eye(3).tocsc()),
    ],
)
@pytest.mark.parametrize("categorical_features", ["from_dtype", None, [0]])
def test_sparse_data_is_refused(X: Any, categorical_features: Any) -> None:
    """SciPy's and pandas' sparse forms are refused with the word that dense data is required."""
    with pytest.raises(TypeError, match=r"sparse.*dense data is required|Sparse.*dense data is required"):
        encode(Reader(), X, categorical_features)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.array([[1j], [2]]), "Complex data not supported"),
        (
            np.array([["a"], [2]], dtype=object),
            r"Reader: X is not a frame and holds texts.*'a'.*Give a pandas",
        ),
        ([["a", 1], ["b", 2]], r"Reader: X is not a frame and holds texts.*'a'.*Give a pandas"),
        (np.array([1.0, 2]), "Expected 2D array, got 1D array"),
        (pd.Series([1.0, 2]), "Expected a 2-dimensional container"),
        (pl.Series([1.0, 2]), "Expected 2D array, got 1D array"),
        (np.ones((2, 2, 2)), "Found array with dim 3"),
        (np.empty((0, 3)), r"0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 2"),
        (np.empty((1, 3)), r"1 sample\(s\) \(shape=\(1, 3\)\) while a minimum of 2"),
        (np.empty((3, 0)), r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1"),
        (pd.DataFrame(), r"Reader: 0 feature\(s\)"),
        (pd.DataFrame(index=range(3)), r"Reader: 0 feature\(s\) \(shape=\(3, 0\)\)"),
        (pl.DataFrame(), r"Reader: 0 feature\(s\)"),
        (pd.DataFrame({"a": []}), "Reader: X has 0 rows, at least 2"),
        (pl.DataFrame({"a": [1]}), "Reader: X has 1 row, at least 2"),
        (pyarrow_table()[:1], "Reader: X has 1 row, at least 2"),
        (np.array([[1.0], [np.inf]]), "Input X contains infinity"),
        *[
            (frame, r"^Reader: Input X contains infinity.*column 'a' holds 2")
            for frame in one_column([np.inf, -np.inf, 1])
        ],
        (None, "Expected 2D array, got scalar"),
    ],
)
def test_what_is_no_table_is_refused(X: Any, message: str) -> None:
    """Wrong shapes, empty tables, texts in arrays, complex numbers and infinities each have their sentence."""
    with pytest.raises(ValueError, match=message):
        encode(Reader(), X)


def test_gaps_in_arrays_are_data() -> None:
    """NaN in an array, and None in an object array of numbers, are gaps."""
    np.testing.assert_array_equal(encode(Reader(), [[1, NAN], [2, 3]]).values, [[1, NAN], [2, 3]])
    objects = np.array([[1, None], [2, 3]], dtype=object)
    np.testing.assert_array_equal(encode(Reader(), objects).values, [[1, NAN], [2, 3]])


def test_an_array_for_text_columns_is_refused() -> None:
    """An estimator fitted on texts cannot read plain numbers."""
    reader = Reader()
    table = encode(reader, polars_frame())
    with pytest.raises(
        ValueError, match="Reader: fitted on a frame with text columns, but X is a plain array"
    ):
        encode_like(reader, np.zeros((2, 5)), table.schema)


def test_what_is_no_frame_is_passed_over() -> None:
    """Only frames are frames: arrays, lists, series and None are not."""
    assert [as_frame(X) for X in (np.eye(2), [[1]], pd.Series([1]), pl.Series([1]), None)] == [None] * 5
