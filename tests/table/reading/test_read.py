"""`read`: the formats, the target, the labels, and what the caller says about columns."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tamis.table._dataset import Dataset, TableError
from tamis.table.reading.read import read

FRAME = pl.DataFrame(
    {
        "whole": [1, None, 3, 3],
        "float": [0.5, 1.5, None, 2.5],
        "text": ["u", "v", None, "u"],
        "flag": [True, False, None, True],
        "label": ["x", "y", "x", "y"],
    }
)


def csv_file(folder: Path, text: str) -> Path:
    path = folder / "t.csv"
    path.write_text(text)
    return path


@pytest.mark.parametrize("ending", ["parquet", "feather", "arrow", "ipc"])
def test_binary_formats_keep_their_dtypes(tmp_path: Path, ending: str) -> None:
    """Parquet and Arrow files come back with the dtypes and nulls they were written with."""
    path = tmp_path / f"t.{ending}"
    FRAME.write_parquet(path) if ending == "parquet" else FRAME.write_ipc(path)
    dataset = read(path)
    assert dataset.X.equals(FRAME.drop("label"))
    assert dataset.X.dtypes == FRAME.drop("label").dtypes
    assert dataset.y.tolist() == ["x", "y", "x", "y"]


def test_an_arrow_stream_is_read(tmp_path: Path) -> None:
    """Arrow's streaming format is read as its file format is."""
    FRAME.write_ipc_stream(tmp_path / "t.arrow")
    assert read(tmp_path / "t.arrow").X.equals(FRAME.drop("label"))


def test_a_gap_is_a_null_in_every_column(tmp_path: Path) -> None:
    """NaN in a Parquet file becomes a null, as gaps in text do."""
    path = tmp_path / "t.parquet"
    pl.DataFrame({"a": [1.0, float("nan"), None], "label": [1, 2, 1]}).write_parquet(path)
    assert read(path).X["a"].to_list() == [1.0, None, None]


def test_the_last_column_is_the_target(tmp_path: Path) -> None:
    """Without a name the last column is the target; with one it is that column."""
    path = csv_file(tmp_path, "a,b,c\n1,2,3\n4,5,6\n")
    assert (read(path).target, read(path).X.columns) == ("c", ["a", "b"])
    assert (read(path, "a").target, read(path, "a").X.columns) == ("a", ["b", "c"])
    assert read(path, drop="c").target == "b"


@pytest.mark.parametrize(
    ("labels", "kind"),
    [(["x", "y"], "U"), ([1, 2], "i"), ([0.5, 1.5], "f"), ([True, False], "b")],
)
def test_labels_keep_their_type(tmp_path: Path, labels: list[object], kind: str) -> None:
    """Labels of text are strings; numbers and booleans stay what they are."""
    path = tmp_path / "t.parquet"
    pl.DataFrame({"a": [1, 2, 3, 4], "label": labels * 2}).write_parquet(path)
    y = read(path).y
    assert y.dtype.kind == kind
    assert y.tolist() == labels * 2


def test_rows_without_label_are_an_error_or_left_out(tmp_path: Path) -> None:
    """Unlabelled rows are counted in the error; with drop_unlabelled they go, with a note."""
    path = csv_file(tmp_path, "a,kind\n1,x\n2,\n3,y\n4,?\n")
    with pytest.raises(TableError, match=r"2 of 4 rows of t.csv have no label in 'kind'.*--drop-unlabelled"):
        read(path)
    dataset = read(path, drop_unlabelled=True)
    assert dataset.X["a"].to_list() == [1, 3]
    assert dataset.y.tolist() == ["x", "y"]
    assert dataset.notes == ("2 of 4 rows had no label in 'kind' and were left out.",)


def test_nominal_columns_keep_their_text(tmp_path: Path) -> None:
    """A column named nominal keeps its values as they are written; in a Parquet file numbers become text."""
    assert read(csv_file(tmp_path, "a,kind\n1.50,x\n2,y\n"), nominal="a").X["a"].to_list() == ["1.50", "2"]
    FRAME.write_parquet(tmp_path / "t.parquet")
    assert read(tmp_path / "t.parquet", nominal=["whole"]).X["whole"].to_list() == ["1", None, "3", "3"]


def test_numeric_columns_are_numbers_or_an_error(tmp_path: Path) -> None:
    """A column named numeric is read as numbers; the first values that are none are named."""
    path = csv_file(tmp_path, "a,kind\n1,x\nlow,y\n3,y\nhigh,x\n")
    with pytest.raises(
        TableError, match=r"'a' of t\.csv, but 2 of its values are not numbers: 'low', 'high'"
    ):
        read(path, numeric="a")
    assert read(path, numeric="a", missing_values=["low", "high"]).X["a"].to_list() == [1, None, 3, None]
    FRAME.write_parquet(tmp_path / "t.parquet")
    assert read(tmp_path / "t.parquet", numeric="flag").X["flag"].to_list() == [1, 0, None, 1]


def test_dropped_columns_are_not_questioned(tmp_path: Path) -> None:
    """A column of dates is no error once it is dropped."""
    path = csv_file(tmp_path, "when,a,kind\n2020-01-02,1,x\n2020-01-03,2,y\n")
    assert read(path, drop=["when"]).X.columns == ["a"]


def test_missing_values_hold_in_every_format(tmp_path: Path) -> None:
    """A missing value is compared as text in text columns and as a number in numeric ones."""
    frame = pl.DataFrame(
        {"a": [-9, 1, 2], "b": [-9.0, 1.5, 2.5], "c": ["-9", "u", "none"], "label": ["x", "y", "x"]}
    )
    expected = [(None, None, None), (1, 1.5, "u"), (2, 2.5, None)]
    frame.write_parquet(tmp_path / "t.parquet")
    frame.with_columns(pl.col("c").cast(pl.Categorical)).write_ipc(tmp_path / "t.feather")
    frame.write_csv(tmp_path / "t.csv")
    for name in ("t.parquet", "t.feather", "t.csv"):
        assert read(tmp_path / name, missing_values=["-9", "none"]).X.rows() == expected


def test_a_target_may_hold_missing_values(tmp_path: Path) -> None:
    """A label that stands for a gap makes its row unlabelled."""
    path = csv_file(tmp_path, "a,kind\n1,x\n2,-\n3,y\n")
    assert read(path, missing_values="-", drop_unlabelled=True).y.tolist() == ["x", "y"]


def test_a_single_name_needs_no_list(tmp_path: Path) -> None:
    """A string is one name, not many letters."""
    assert read(csv_file(tmp_path, "a,bc,kind\n1,2,x\n3,4,y\n"), drop="bc").X.columns == ["a"]


def test_paths_may_hold_wildcards_and_blanks(tmp_path: Path) -> None:
    """A file name with *, [ and blanks is a name, not a pattern."""
    path = tmp_path / "a [1] *.csv"
    path.write_text("a,kind\n1,x\n2,y\n")
    assert read(path).X["a"].to_list() == [1, 2]
    FRAME.write_parquet(tmp_path / "b [1] *.parquet")
    assert read(tmp_path / "b [1] *.parquet").X.height == 4


def test_the_name_is_the_file_without_its_endings(tmp_path: Path) -> None:
    """Only the format's ending and the compression's are taken away."""
    path = tmp_path / "v1.2 iris.csv.gz"
    path.write_text("a,kind\n1,x\n2,y\n")
    assert read(path).name == "v1.2 iris"


def test_a_dataset_says_what_it_is() -> None:
    """The representation of a dataset is one short line."""
    dataset = Dataset("t", FRAME.drop("label"), np.array(["x", "y", "x", "y"]), "label")
    assert repr(dataset) == "<Dataset 't': 4 rows x 4 columns, target 'label', 2 classes>"
