"""The kind of a column is decided at one place, by its dtype."""

import ast
from pathlib import Path

import narwhals as nw
import polars as pl
import pytest

import tamis
from tamis.table._encode import encode
from tamis.table._kinds import kind_of
from tamis.table.reading.read import read

ROOM = Path(tamis.__file__).parent / "table"

COLUMNS = {
    "number": pl.Series([1.5, 2.0]),
    "whole": pl.Series([1, 2]),
    "text": pl.Series(["a", "b"]),
    "category": pl.Series(["a", "b"], dtype=pl.Categorical),
    "declared": pl.Series(["a", "b"], dtype=pl.Enum(["b", "a"])),
    "truth": pl.Series([True, False]),
    "day": pl.Series(["2020-01-01", "2020-01-02"]).str.to_date(),
    "span": pl.Series([1, 2]).cast(pl.Duration),
    "list": pl.Series([[1], [2]]),
}
KINDS = dict(zip(COLUMNS, ["number"] * 2 + ["categorical"] * 4 + ["time"] * 2 + ["other"]))


@pytest.mark.parametrize("name", COLUMNS)
def test_polars_and_narwhals_dtypes_are_of_one_kind(name):
    """A column is of the same kind whether polars or narwhals names its dtype."""
    series = COLUMNS[name]
    assert kind_of(series.dtype) == KINDS[name]
    assert kind_of(nw.from_native(series, series_only=True).dtype) == KINDS[name]


def test_what_reading_calls_categorical_an_estimator_takes_as_such(tmp_path):
    """The columns that a file's texts make categories are the nominal ones of the table that is fitted."""
    path = tmp_path / "t.csv"
    rows = [f"{i * 0.5},{'uv'[i % 2]},0{i % 3},{i},{i % 2 == 0},{i % 2}" for i in range(12)]
    path.write_text("\n".join(["a,b,code,n,truth,y", *rows]))
    X = read(path).X
    nominal = encode(tamis.UnivariateAUC(), X).schema.nominal
    assert nominal.tolist() == [kind_of(dtype) == "categorical" for dtype in X.dtypes]
    assert nominal.tolist() == [False, True, True, False, True]


def test_nobody_else_asks_a_dtype_for_its_kind():
    """In the room of tables `_kinds` alone asks whether a dtype is numeric or temporal."""
    asking = set()
    for path in ROOM.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        if names & {"is_numeric", "is_temporal"}:
            asking.add(path.name)
    assert asking == {"_kinds.py"}
