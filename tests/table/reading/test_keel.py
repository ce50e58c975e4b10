"""KEEL's .dat files."""

from pathlib import Path

import polars as pl
import pytest

from tamis.table._dataset import Dataset, TableError
from tamis.table.reading.read import read

HEAD = (
    "@relation t\n@attribute a real [0.0, 1.5]\n@attribute b integer[1, 9]\n@attribute kind{x, y}\n"
    "@attribute c {u,  v }\n"
)


def keel(folder: Path, text: str, **wishes: object) -> Dataset:
    path = folder / "t.dat"
    path.write_text(text)
    return read(path, **wishes)  # type: ignore[arg-type]


def test_outputs_decide_the_target(tmp_path: Path) -> None:
    """@outputs names the target wherever it stands; ranges and blanks are no obstacle."""
    dataset = keel(tmp_path, HEAD + "@inputs a, b, c\n@outputs kind\n@data\n0.5, 2,  x, u\n 1.5,3, y,v \n")
    assert dataset.X.rows() == [(0.5, 2, "u"), (1.5, 3, "v")]
    assert dataset.X.dtypes == [pl.Float64, pl.Int64, pl.Enum(["u", "v"])]
    assert (dataset.target, dataset.y.tolist()) == ("kind", ["x", "y"])


def test_one_output_may_be_spelt_in_the_singular(tmp_path: Path) -> None:
    """@output and @input are the same as @outputs and @inputs."""
    assert keel(tmp_path, HEAD + "@input a, b, c\n@output kind\n@data\n1,2,x,u\n1.5,3,y,v\n").target == "kind"


def test_without_outputs_the_last_column_is_the_target(tmp_path: Path) -> None:
    """A file that names no output has its last column as target, and the caller's word goes before both."""
    rows = "@data\n1,2,x,u\n1.5,3,y,v\n"
    assert keel(tmp_path, HEAD + rows).target == "c"
    assert keel(tmp_path, HEAD + "@outputs kind\n" + rows, target="c").target == "c"


def test_gaps_are_null_or_question_marks(tmp_path: Path) -> None:
    """<null> and ? are gaps in numbers and in declared values."""
    dataset = keel(tmp_path, HEAD + "@outputs kind\n@data\n<null>, 2, x, <null>\n0.5, ?, y, ?\n1,1,x,u\n")
    assert dataset.X.rows() == [(None, 2, None), (0.5, None, None), (1.0, 1, "u")]


def test_columns_that_are_no_inputs_are_left_out(tmp_path: Path) -> None:
    """A column that is neither input nor output is left out, with a note."""
    dataset = keel(tmp_path, HEAD + "@inputs a, c\n@outputs kind\n@data\n1,2,x,u\n1.5,3,y,v\n")
    assert dataset.X.columns == ["a", "c"]
    assert dataset.notes[0] == "Neither inputs nor outputs, so left out: 'b'."


def test_of_several_outputs_the_caller_chooses(tmp_path: Path) -> None:
    """Several outputs are an error until one is named; the others are then no features."""
    text = HEAD + "@inputs a, b\n@outputs kind, c\n@data\n1,2,x,u\n1.5,3,y,v\n"
    with pytest.raises(
        TableError, match=r"t.dat names several outputs: 'kind', 'c'. Choose one with --target"
    ):
        keel(tmp_path, text)
    dataset = keel(tmp_path, text, target="kind")
    assert dataset.X.columns == ["a", "b"]
    assert dataset.notes[0] == "Other outputs are left out: 'c'."


def test_an_output_that_is_not_declared_is_refused(tmp_path: Path) -> None:
    """An output without declaration is an error with the name that was probably meant."""
    with pytest.raises(TableError, match=r"t.dat names 'knid' as input or output.*Did you mean 'kind'"):
        keel(tmp_path, HEAD + "@outputs knid\n@data\n1,2,x,u\n")


def test_a_dat_file_of_another_make_is_delimited_text(tmp_path: Path) -> None:
    """A .dat file without declarations is read as a table with a line of names."""
    assert keel(tmp_path, "a b kind\n1 2 x\n3 4 y\n").X.rows() == [(1, 2), (3, 4)]


def test_a_wrong_row_is_named_by_its_line(tmp_path: Path) -> None:
    """A value of another kind is an error with its line."""
    with pytest.raises(
        TableError, match=r"line 9 of t.dat: 'z' in 'kind' is not among the declared values x, y"
    ):
        keel(tmp_path, HEAD + "@outputs kind\n@data\n1,2,x,u\n1,2,z,u\n")
