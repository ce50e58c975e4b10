import csv
import gzip
import io
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tamis.datasets as module
from tamis import datasets
from tamis.datasets import _files
from tamis.table._dataset import TableError

DATA = Path(module.__file__).parent / "data"
INDEX = json.loads((DATA / "index.json").read_text(encoding="utf-8"))
SHIPPED = sorted(name for name, entry in INDEX.items() if entry["shipped"])


def rows_of(name):
    text = gzip.decompress((DATA / f"{name}.csv.gz").read_bytes()).decode("utf-8")
    header, *rows = list(csv.reader(io.StringIO(text)))
    return header, rows


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_set_is_what_the_index_says(name):
    """Rows, columns, classes, gaps, kinds and informative columns are those of the index."""
    dataset, entry = datasets.load(name), INDEX[name]
    assert dataset.name == name
    assert dataset.X.shape == (entry["rows"], entry["features"])
    assert dataset.target_kind == entry["target_kind"]
    if dataset.target_kind == "classes":
        labels, counts = np.unique(dataset.y, return_counts=True)
        assert dict(zip(map(str, labels), counts.tolist())) == entry["classes"]
    assert sum(dataset.X.null_count().row(0)) == entry["missing"]
    assert [n for n, dtype in dataset.X.schema.items() if isinstance(dtype, pl.Enum)] == entry["nominal"]
    assert all(dtype in (pl.Int64, pl.Float64) or isinstance(dtype, pl.Enum) for dtype in dataset.X.dtypes)
    assert dataset.informative == tuple(entry["informative"])
    assert dataset.notes == tuple(entry["notes"])
    assert entry["source"] in dataset.description
    assert entry["licence"] in dataset.description


@pytest.mark.parametrize("name", SHIPPED)
def test_every_value_is_that_of_the_file(name):
    """Each cell, gap and label is what a plain reading of the CSV text gives."""
    dataset = datasets.load(name)
    header, rows = rows_of(name)
    assert header == [*dataset.X.columns, dataset.target]
    if dataset.target_kind == "numbers":
        assert dataset.y.dtype == np.float64
        assert dataset.y.tolist() == [float(row[-1]) for row in rows]
    else:
        assert list(map(str, dataset.y.tolist())) == [row[-1] for row in rows]
    for position, column in enumerate(dataset.X.iter_columns()):
        texts = [row[position] for row in rows]
        if isinstance(column.dtype, pl.Enum):
            assert column.to_list() == [text or None for text in texts]
            assert column.dtype.categories.to_list() == sorted(set(texts) - {""})
        else:
            assert column.to_list() == [float(text) if text else None for text in texts]
            assert (column.dtype == pl.Int64) == all(text.lstrip("-").isdigit() for text in texts if text)


def test_labels_are_integers_or_strings():
    """Labels written as integers are integers; any others are strings."""
    assert datasets.load("heart_cleveland").y.dtype == np.int64
    assert datasets.load("vehicle").y.dtype.kind == "U"


@pytest.mark.parametrize(
    ("name", "of", "column"),
    [
        ("german_amount", "german", "credit_amount"),
        ("glass_index", "glass2", "RI"),
        ("heart_rate", "heart_cleveland", "max HR"),
    ],
)
def test_a_numeric_target_is_a_column_of_another_set(name, of, column):
    """The other columns are those of the set it was taken from, without its class."""
    dataset, whole = datasets.load(name), datasets.load(of)
    assert dataset.y.tolist() == whole.X[column].to_list()
    assert dataset.X.equals(whole.X.drop(column))


def test_the_folder_holds_the_shipped_sets_and_no_more():
    """The files are those of the index, and they stay small together."""
    assert sorted(path.name for path in DATA.glob("*.csv.gz")) == [f"{name}.csv.gz" for name in SHIPPED]
    assert sum(path.stat().st_size for path in DATA.iterdir()) < 500_000


def test_the_licence_page_names_every_shipped_set():
    """README.md in the folder gives source and licence of each shipped set."""
    page = (DATA / "README.md").read_text(encoding="utf-8").splitlines()
    for name in SHIPPED:
        (line,) = [line for line in page if line.startswith(f"| {name} |")]
        assert INDEX[name]["source"] in line
        assert line.endswith(f"| {INDEX[name]['licence']} |")


@pytest.fixture
def own_folder(tmp_path, monkeypatch):
    """A copy of the shipped folder that a test may damage."""
    shutil.copytree(DATA, tmp_path / "data")
    monkeypatch.setattr(_files, "FOLDER", tmp_path / "data")
    return tmp_path / "data"


def test_a_changed_file_is_refused(own_folder):
    """A text with another sha256 than the index's is not loaded."""
    path = own_folder / "glass2.csv.gz"
    text = gzip.decompress(path.read_bytes())
    path.write_bytes(gzip.compress(text.replace(b"13.64", b"13.65", 1)))
    with pytest.raises(
        TableError, match=r"glass2\.csv\.gz is damaged: its sha256 is [0-9a-f]{64}, the index says"
    ):
        datasets.load("glass2")


@pytest.mark.parametrize("content", [b"", b"not gzip at all", None], ids=["empty", "foreign", "cut"])
def test_a_broken_file_is_refused(own_folder, content):
    """A file that is empty, foreign or cut short gives a sentence that says what to do."""
    path = own_folder / "glass2.csv.gz"
    path.write_bytes(path.read_bytes()[:-900] if content is None else content)
    with pytest.raises(
        TableError, match=r"glass2\.csv\.gz (cannot be read|is damaged).*Install tamis again\."
    ):
        datasets.load("glass2")


def test_a_lost_file_is_refused(own_folder):
    """A file that is not there gives the same sentence."""
    (own_folder / "glass2.csv.gz").unlink()
    with pytest.raises(TableError, match=r"glass2\.csv\.gz cannot be read.*Install tamis again\."):
        datasets.load("glass2")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("glas2", "Did you mean 'glass2'?"),
        ("Glass2", "Did you mean 'glass2'?"),
        ("../glass2", "Did you mean 'glass2'?"),
        ("glass2.csv", "Did you mean 'glass2'?"),
        ("/etc/hostname", "Data sets: adult_train,"),
        ("", "Data sets: adult_train,"),
        ("index.json", "Data sets: adult_train,"),
    ],
)
def test_an_unknown_name_is_refused_with_a_hint(name, hint):
    """A name that is not in the list is an error that names the nearest one; it never becomes a path."""
    with pytest.raises(TableError) as caught:
        datasets.load(name)
    assert str(caught.value).startswith(f"tamis: no data set {name!r}.")
    assert hint in str(caught.value)


@given(st.text(max_size=300).filter(lambda name: name not in datasets.names()))
def test_no_string_whatever_gets_past_the_list(name):
    """Any other string is an unknown name."""
    with pytest.raises(TableError, match="no data set"):
        datasets.load(name)


def test_a_name_is_a_string():
    """A name of another type is refused."""
    with pytest.raises(TypeError, match="load: name is of type int, not a string"):
        datasets.load(3)


def test_an_unknown_frame_is_refused():
    """frame is polars or pandas."""
    with pytest.raises(ValueError, match=r"load: frame='arrow'\. Use 'polars' or 'pandas'\."):
        datasets.load("glass2", frame="arrow")


@pytest.mark.parametrize("name", ["horse_colic", "pima", "monks1_train", "led"])
def test_pandas_frames_hold_the_same_values(name, monkeypatch):
    """The pandas frame has the same cells: categories for Enum, NaN for gaps, integers where there are none."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)  # must not be needed
    ours, theirs = datasets.load(name), datasets.load(name, frame="pandas")
    assert np.array_equal(ours.y, theirs.y)
    assert list(theirs.X.columns) == ours.X.columns
    for column in ours.X.iter_columns():
        series = theirs.X[column.name]
        assert series.isna().tolist() == column.is_null().to_list()
        assert series.dropna().tolist() == column.drop_nulls().to_list()
        if isinstance(column.dtype, pl.Enum):
            assert series.cat.categories.tolist() == column.dtype.categories.to_list()
        else:
            integer = column.dtype == pl.Int64 and not column.null_count()
            assert series.dtype == (np.int64 if integer else np.float64)


def test_pandas_is_asked_for_before_any_work(monkeypatch):
    """Without pandas, frame="pandas" is an error that says so."""
    monkeypatch.setattr("tamis.datasets._load.find_spec", lambda name: None)
    with pytest.raises(ImportError, match="pandas is not installed"):
        datasets.load("glass2", frame="pandas")


def test_the_list_holds_everything():
    """names and describe agree, are sorted, and hold shipped, generated and outside sets."""
    entries = datasets.describe()
    assert [entry.name for entry in entries] == list(datasets.names()) == sorted(datasets.names())
    assert {entry.name for entry in entries} >= {
        *INDEX,
        "led",
        "led24",
        "xd6",
        "hard",
        "artificial",
        "monks1",
    }
    for entry in entries:
        if entry.name in INDEX:
            known = INDEX[entry.name]
            assert (entry.rows, entry.columns, entry.missing) == (
                known["rows"],
                known["features"],
                known["missing"],
            )
            assert dict(zip(entry.classes, entry.class_counts)) == known["classes"]
            assert entry.origin == ("shipped" if known["shipped"] else "elsewhere")
            assert entry.target_kind == known["target_kind"]
            assert sum(entry.class_counts) == (entry.rows if entry.target_kind == "classes" else 0)


def test_kinds_and_places_in_words():
    """An entry says whether its columns are numeric, nominal or mixed, and where the set is found."""
    words = {entry.name: (entry.kinds, entry.where) for entry in datasets.describe()}
    assert words["glass2"] == ("numeric", "in the package")
    assert words["mushroom"] == ("categorical", "in the package")
    assert words["german"] == ("mixed", "in the package")
    assert words["led"] == ("numeric", "generated")
    assert words["adult_train"] == ("mixed", "TAMIS_DATA or OpenML 1590")
    assert words["dlbcl_shipp"] == ("numeric", "TAMIS_DATA")


def test_the_papers_sets_are_found():
    """Each paper's sets are listed once: 19 in FS2Boost, 14 in PSBoost, 6 of 7 in SBS-MF."""
    for paper, count in (("fs2boost", 19), ("psboost", 14), ("sbsmf", 6)):
        chosen = datasets.names(paper)
        printed = [entry.papers[paper] for entry in datasets.describe() if entry.name in chosen]
        assert len(chosen) == len(set(printed)) == count
    with pytest.raises(ValueError, match=r"names: paper='efr'\. Use one of 'fs2boost', 'psboost', 'sbsmf'"):
        datasets.names("efr")


def test_importing_and_listing_load_nothing_heavy():
    """Neither the import nor the list loads polars, scikit-learn, pandas or numba."""
    code = (
        "import sys, tamis.datasets as d; d.names(); d.describe();"
        "print(sorted({'polars', 'sklearn', 'pandas', 'pyarrow', 'numba', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
