"""Some rows of arrays, lists, columns and tables of any library."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tamis
from tamis.table._rows import rows_of

COLUMNS = {"a": [1, 2, 3], "b": ["x", "y", "z"]}
TABLES = {
    "pandas": pd.DataFrame(COLUMNS, index=[7, 8, 9]),
    "polars": pl.DataFrame(COLUMNS),
    "pyarrow": pa.table(COLUMNS),
    "record batch": pa.RecordBatch.from_pydict(COLUMNS),
}
LISTS = {
    "array": np.array([5, 6, 7]),
    "list": [5, 6, 7],
    "pandas": pd.Series([5, 6, 7]),
    "polars": pl.Series([5, 6, 7]),
    "pyarrow": pa.array([5, 6, 7]),
    "pyarrow, in chunks": pa.chunked_array([[5], [6, 7]]),
}
ASKED = {
    "numbers": (np.array([2, 0, 2]), [2, 0, 2]),
    "small numbers": (np.array([1], dtype=np.uint8), [1]),
    "a mask": (np.array([True, False, True]), [0, 2]),
    "a list": ([1, 0], [1, 0]),
    "none": (np.array([], dtype=np.intp), []),
}


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("kind", TABLES)
def test_rows_of_a_table(kind, asked):
    """The rows come in the order in which they are asked for, as a table of the same library."""
    rows, expected = ASKED[asked]
    found = rows_of(TABLES[kind], rows)
    assert type(found) is type(TABLES[kind])
    for name, values in COLUMNS.items():
        assert pl.Series(found[name]).to_list() == [values[row] for row in expected]


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("kind", LISTS)
def test_rows_of_one_column(kind, asked):
    """Arrays, lists and columns give the same kind of thing."""
    rows, expected = ASKED[asked]
    found = rows_of(LISTS[kind], rows)
    assert type(found) is type(LISTS[kind])
    assert [int(value) for value in np.asarray(found)] == [5 + row for row in expected]


def test_rows_are_taken_in_one_place():
    """scikit-learn's private function for it, which did not always know every library, is called here alone."""
    callers = [
        path.name
        for path in Path(tamis.__path__[0]).rglob("*.py")
        if "_safe_indexing" in path.read_text("utf-8")
    ]
    assert callers == ["_rows.py"]
