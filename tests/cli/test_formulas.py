"""Names that a spreadsheet would run: in CSV they are texts, and tamis reads them back as they were."""

import csv
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.table._names import as_named, as_text
from tamis.table._write import write
from tamis.table.reading.read import read
from tests.command_line import ok

FORMULAS = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(1)", "\tx", "\r=1", "'=quoted", "\uff1d1"]
HARMLESS = ["plain", "a=b", "-5", "+3.5", "1e-3", "'tis", "x-y", "a@b", ".5"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with t.parquet and the folder parts, whose columns have names like formulas."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    X = random.normal(size=(60, len(FORMULAS))).round(2)
    frame = pl.DataFrame(X, schema=FORMULAS).with_columns(pl.Series("@kind", X[:, 0] + X[:, 1] > 0))
    frame.write_parquet("t.parquet")
    (tmp_path / "parts").mkdir()
    frame[:30].write_parquet("parts/0.parquet")
    frame[30:].write_parquet("parts/1.parquet")
    return tmp_path


def header(file, delimiter=","):
    with Path(file).open(encoding="utf-8", newline="") as stream:
        return next(csv.reader(stream, delimiter=delimiter))


@pytest.mark.parametrize("name", FORMULAS)
def test_a_formula_becomes_a_text_and_comes_back(name):
    """A quote is written before it, whatever quotes it has, and one is taken away."""
    assert as_text(name) == f"'{name}"
    assert as_named(as_text(name)) == name


@pytest.mark.parametrize("name", HARMLESS)
def test_other_names_stay(name):
    """Numbers, and signs within names, are no formulas."""
    assert as_text(name) == as_named(name) == name


@given(st.text(alphabet="'=+-@\t\r1a. ", max_size=6))
def test_what_was_written_is_what_is_read(name):
    """Any name comes back, and what is written begins with no sign of a formula unless it is a number."""
    assert as_named(as_text(name)) == name
    assert as_text(name)[:1] not in "=@\t\r" or not name


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz"])
def test_a_table_comes_back(tmp_path, ending):
    """`read` gives the names that `write` was given; other formats hold them as they are."""
    names = ["=a", "'=a", "''=a", "-b", "plain"]
    frame = pl.DataFrame({name: [j, j + 1, j] for j, name in enumerate(names)}).with_columns(
        k=pl.Series(list("xyx"))
    )
    write(frame, tmp_path / f"t.{ending}")
    assert read(tmp_path / f"t.{ending}").X.columns == names
    write(frame, tmp_path / "t.parquet")
    assert pl.read_parquet(tmp_path / "t.parquet").columns == frame.columns


@pytest.mark.parametrize("source", ["t.parquet", "parts"])
@pytest.mark.parametrize("command", ["rank", "select", "condense"])
def test_no_name_in_an_output_is_a_formula(folder, command, source):
    """In what a command writes as CSV, no name begins like a formula, and a note says so; Parquet has them as they are."""
    method = "edited-nn" if command == "condense" else "sbs-mf"
    words = [command, source, "-t", "@kind", "-m", method]
    answer = ok(*words, "-o", "o.csv")
    assert "a quote was written before names" in answer.stderr
    cells = header("o.csv")
    if command == "rank":
        with (folder / "o.csv").open(encoding="utf-8", newline="") as stream:
            cells += [row["column"] for row in csv.DictReader(stream)]
        assert {as_named(cell) for cell in cells} >= set(FORMULAS)
    else:
        assert cells[-1] == "'@kind"
        assert read("o.csv", "@kind").target == "@kind"
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    ok(*words, "-o", "o.parquet")
    written = pl.read_parquet("o.parquet")
    assert set(written["column"] if command == "rank" else written.columns) <= {*FORMULAS, "@kind"}


@pytest.mark.parametrize("source", ["t.parquet", "parts"])
def test_names_can_be_left_as_they_are(folder, source):
    """--raw-names writes them unchanged, without a note."""
    answer = ok("select", source, "-t", "@kind", "-m", "sbs-mf", "-o", "o.csv", "--raw-names")
    assert header("o.csv")[-1] == "@kind"
    assert "quote" not in answer.stderr


def test_values_are_data(tmp_path):
    """Texts in the cells of a table are written as they are."""
    frame = pl.DataFrame({"a": ["=1+1", "-x", "=1+1"], "k": ["+", "-", "+"]})
    write(frame, tmp_path / "t.csv")
    assert pl.read_csv(tmp_path / "t.csv").rows() == frame.rows()
