"""What every row selector shares, shown on a selector whose rows are given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from sklearn.exceptions import NotFittedError

from tamis.prototypes._base import COUNT, PrototypeSelector
from tamis.table._table import Table, Target

Y = ["u", "v", "u", "v", "u"]
ROWS = {
    "number": [1, 2, 3, 4, 5],
    "text": ["b", None, "a", "b", "c"],
    "flag": [True, False, None, True, True],
}
LEVELS = ["x", None, "y", "x", "y"]


class Given(PrototypeSelector):
    """Keeps the rows that the test gives."""

    _parameter_constraints = {**PrototypeSelector._parameter_constraints, "n_prototypes": COUNT}  # noqa: RUF012

    def __init__(
        self, rows: Any = (3, 0), *, n_prototypes: Any = 1, categorical_features: Any = "from_dtype"
    ) -> None:
        self.rows = rows
        self.n_prototypes = n_prototypes
        self.categorical_features = categorical_features

    def _rows(self, table: Table, target: Target) -> Any:
        self.seen_ = table, target
        self.count_ = self._count(self.n_prototypes, table.n_rows)
        return np.asarray(self.rows)


def pandas_frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "number": np.array(ROWS["number"], dtype=np.int8),
            "text": ROWS["text"],
            "flag": pd.array(ROWS["flag"], dtype="boolean"),
            "level": pd.Categorical(LEVELS, categories=["y", "x", "unused"]),
        },
        index=[7, 5, 5, 1, 0],
    )


def polars_frame() -> pl.DataFrame:
    return pl.DataFrame({**ROWS, "level": pl.Series(LEVELS, dtype=pl.Enum(["y", "x", "unused"]))})


def pyarrow_table() -> pa.Table:
    return pa.table({**ROWS, "level": pa.array(LEVELS).dictionary_encode()})


def test_rows_are_kept_in_ascending_order() -> None:
    """Whatever the order of choice, sample_indices_ ascends and X[sample_indices_] is what fit_resample gives."""
    X = np.arange(10.0).reshape(5, 2)
    selector = Given([4, 0, 2])
    kept, labels = selector.fit_resample(X, np.array(Y))
    assert selector.sample_indices_.tolist() == [0, 2, 4]
    np.testing.assert_array_equal(kept, X[selector.sample_indices_])
    assert labels.tolist() == ["u", "u", "u"]


def test_an_engine_sees_the_table_and_the_target() -> None:
    """Codes, gaps and classes reach the method as plain numbers."""
    selector = Given().fit(polars_frame(), Y)
    table, target = selector.seen_
    assert table.nominal.tolist() == [False, True, True, True]
    np.testing.assert_array_equal(table.values[1], [2, np.nan, 0, np.nan])
    assert target.codes.tolist() == [0, 1, 0, 1, 0]
    assert selector.classes_.tolist() == ["u", "v"]
    assert selector.n_features_in_ == 4
    assert selector.feature_names_in_.tolist() == [*ROWS, "level"]


def test_pandas_rows_keep_index_dtypes_and_labels() -> None:
    """A pandas frame and series are cut, not rebuilt."""
    frame, y = pandas_frame(), pd.Series(Y, index=[7, 5, 5, 1, 0], dtype="category")
    kept, labels = Given().fit_resample(frame, y)
    pd.testing.assert_frame_equal(kept, frame.iloc[[0, 3]])
    pd.testing.assert_series_equal(labels, y.iloc[[0, 3]])


def test_polars_rows_keep_their_schema() -> None:
    """A polars frame and series are cut, not rebuilt."""
    frame, y = polars_frame(), pl.Series("y", Y, dtype=pl.Enum(["u", "v"]))
    kept, labels = Given().fit_resample(frame, y)
    assert kept.equals(frame[[0, 3]])
    assert kept.schema == frame.schema
    assert labels.equals(y[[0, 3]])
    assert labels.dtype == y.dtype


def test_pyarrow_rows_keep_their_schema() -> None:
    """A pyarrow table and chunked labels are cut, not rebuilt."""
    table, y = pyarrow_table(), pa.chunked_array([Y[:2], Y[2:]])
    kept, labels = Given().fit_resample(table, y)
    assert kept.equals(table.take([0, 3]))
    assert kept.schema == table.schema
    assert labels.to_pylist() == ["u", "v"]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8, np.int64, bool])
def test_arrays_keep_their_dtype(dtype: Any) -> None:
    """The kept rows are the caller's, not the float64 copy that the method worked on."""
    kept, labels = Given().fit_resample(np.eye(5, dtype=dtype), np.array(Y))
    assert kept.dtype == dtype
    assert labels.dtype == np.array(Y).dtype


def test_further_arrays_are_cut_alike() -> None:
    """Lists, arrays, sparse matrices, series and frames of the fitted length; one alone is no tuple."""
    selector = Given().fit(polars_frame(), Y)
    weights, names, words = selector.resample(np.arange(5) * 10, pd.Series(list("abcde")), list("vwxyz"))
    assert weights.tolist() == [0, 30]
    assert names.tolist() == ["a", "d"]
    assert words == ["v", "y"]
    assert selector.resample(pl.Series([1, 2, 3, 4, 5])).to_list() == [1, 4]
    assert selector.resample(scipy.sparse.csr_matrix(np.eye(5))).indices.tolist() == [0, 3]


def test_arrays_of_another_length_are_refused() -> None:
    """Both lengths stand in the error; so does giving nothing."""
    selector = Given().fit(polars_frame(), Y)
    with pytest.raises(ValueError, match=r"^Given: resample was given 4 rows, but was fitted on 5\. Give"):
        selector.resample([1, 2, 3, 4])
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[5, 4\]"):
        selector.resample([1] * 5, [1] * 4)
    with pytest.raises(ValueError, match="Given: resample was given nothing to cut"):
        selector.resample()
    with pytest.raises(NotFittedError):
        Given().resample([1] * 5)


@pytest.mark.parametrize(
    ("wanted", "count"),
    [(1, 1), (5, 5), (np.int64(2), 2), (0.2, 1), (0.39, 1), (0.4, 2), (0.01, 1), (0.6, 3), (1.0, 5)],
)
def test_a_number_of_rows_is_an_int_or_a_fraction(wanted: Any, count: int) -> None:
    """A fraction is rounded down, to one row at least; 1.0 is all of them."""
    assert Given(n_prototypes=wanted).fit(polars_frame(), Y).count_ == count


@pytest.mark.parametrize("wanted", [0, -1, 0.0, 1.5, "half", float("nan"), None])
def test_what_is_no_number_of_rows_is_refused(wanted: Any) -> None:
    """The parameter, the values allowed and the value given stand in the error."""
    with pytest.raises(ValueError, match=r"'n_prototypes' parameter of Given must be .* Got "):
        Given(n_prototypes=wanted).fit(polars_frame(), Y)


def test_more_rows_than_there_are_is_refused() -> None:
    """Asking for 6 of 5 rows names both numbers."""
    with pytest.raises(
        ValueError, match=r"^Given: n_prototypes=6, but X has 5 rows\. Use a value from 1 to 5"
    ):
        Given(n_prototypes=6).fit(polars_frame(), Y)


def test_a_method_may_ask_for_rows_in_every_class() -> None:
    """A class smaller than the method needs is named before any work."""

    class NeedsThree(Given):
        _min_rows = 3

    with pytest.raises(
        ValueError, match="NeedsThree: class 'v' has 2 rows, but at least 3 per class are needed"
    ):
        NeedsThree().fit(polars_frame(), Y)


def test_row_selectors_do_not_transform() -> None:
    """imbalanced-learn's Pipeline refuses an object with both transform and fit_resample."""
    assert not hasattr(Given(), "transform")
    assert not hasattr(Given(), "fit_transform")


def test_gaps_and_nominal_columns_are_announced() -> None:
    """The tags tell scikit-learn that labels are needed and that gaps and categories are data."""
    tags = Given().__sklearn_tags__()
    assert tags.target_tags.required
    assert tags.input_tags.allow_nan
    assert tags.input_tags.categorical
    assert not tags.input_tags.sparse
