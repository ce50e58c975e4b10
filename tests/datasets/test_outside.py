"""Sets that do not ship: the user's folder, and OpenML. Nothing here touches the network."""

import gzip
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType, SimpleNamespace

import numpy as np
import polars as pl
import pytest
import sklearn.datasets

import tamis.datasets as module
from tamis import datasets
from tamis.datasets import _index
from tamis.table._dataset import TableError

GLASS = gzip.decompress((Path(module.__file__).parent / "data" / "glass2.csv.gz").read_bytes())


@pytest.fixture(autouse=True)
def offline(monkeypatch):
    """No folder is set, and a download that a test did not ask for fails."""

    def refuse(**arguments):
        raise AssertionError(f"unexpected download: {arguments}")

    monkeypatch.delenv("TAMIS_DATA", raising=False)
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", refuse)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TAMIS_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def glass_outside(monkeypatch):
    """glass2 as if it did not ship, so that a file with the right sha256 is at hand."""
    entries = dict(_index.index())
    entries["glass2"] = replace(entries["glass2"], origin="elsewhere")
    monkeypatch.setattr(_index, "index", lambda: MappingProxyType(entries))


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet"])
def test_the_folder_is_looked_into(folder, glass_outside, ending):
    """The three endings give the same table as the shipped file."""
    shipped = pl.read_csv(GLASS, infer_schema_length=None)
    path = folder / f"glass2{ending}"
    if ending == ".parquet":
        shipped.write_parquet(path)
    else:
        path.write_bytes(gzip.compress(GLASS) if ending == ".csv.gz" else GLASS)
    dataset = datasets.load("glass2")
    assert dataset.X.equals(shipped.drop("target"))
    assert dataset.y.tolist() == shipped["target"].to_list()
    assert f"Read from {path.name} in the folder TAMIS_DATA." in dataset.notes
    assert any("sha256" in note for note in dataset.notes) == (ending == ".parquet")


def test_a_different_file_is_read_with_notes(folder, glass_outside):
    """A file that is not the known one is read, and every difference is a note."""
    lines = GLASS.decode().splitlines()
    (folder / "glass2.csv").write_text(
        "\n".join(["RI,Na,target", *[",".join(ln.split(",")[::4]) for ln in lines[1:4]]])
    )
    dataset = datasets.load("glass2")
    assert dataset.X.shape == (3, 2)
    notes = " ".join(dataset.notes)
    assert "The text is not the one known (sha256 936b03aa4156...)." in notes
    assert "It has 3 rows; the data set known by this name has 163." in notes
    assert "It has 2 columns; the data set known by this name has 9." in notes
    assert "those of the data set known by this name are float: 87, non-float: 76." in notes


def test_a_file_without_a_target_column_uses_the_last(folder):
    """Without a column called target the last one is the class, and a note says so."""
    (folder / "magic.csv").write_text("a,b,kind\n1,2.5,g\n2,?,h\n")
    dataset = datasets.load("magic")
    assert dataset.target == "kind"
    assert dataset.y.tolist() == ["g", "h"]
    assert dataset.X.rows() == [(1, 2.5), (2, None)]
    assert "No column 'target': the last one, 'kind', is the class." in dataset.notes


def test_kinds_come_from_the_index_and_text_is_nominal(folder):
    """Columns that the index names are nominal even if they look like numbers; other text is nominal with a note."""
    (folder / "australian.csv").write_text("A1,A2,A4,city,target\n0,1.5,2,Rome,0\n1,,3,,1\n")
    dataset = datasets.load("australian")
    assert dataset.X.schema == {
        "A1": pl.Enum(["0", "1"]),
        "A2": pl.Float64(),
        "A4": pl.Enum(["2", "3"]),
        "city": pl.Enum(["Rome"]),
    }
    assert "Columns of text that the index does not list as categorical: city." in dataset.notes
    assert any(
        note.startswith("Columns that the index names but the table lacks: A11, A12,")
        for note in dataset.notes
    )


def test_dtypes_come_from_all_rows(folder):
    """A column that changes after thousands of rows is read as what all its rows are."""
    early = ["1,,1,g"] * 3000
    (folder / "magic.csv").write_text("\n".join(["a,b,c,target", *early, "1.5,7,1,h"]))
    dataset = datasets.load("magic")
    assert dataset.X.schema == {"a": pl.Float64(), "b": pl.Int64(), "c": pl.Int64()}
    assert dataset.X.row(-1) == (1.5, 7, 1)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("magic.csv", b""),
        ("magic.csv", b"a,b,target\n"),
        ("magic.csv", b"target\ng\nh\n"),
        ("magic.csv", b"a,target\n1,g\n1,2,3\n"),
        ("magic.csv", b"a,target\n\xff\xfe\x00,g\n"),
        ("magic.csv.gz", b"not gzip"),
        ("magic.csv.gz", gzip.compress(b"a,target\n1,g\n")[:-4]),
        ("magic.parquet", b"not parquet"),
        ("magic.csv", b"a,target\n1,g\n2,\n"),
    ],
    ids=[
        "empty",
        "header",
        "one column",
        "ragged",
        "not text",
        "not gzip",
        "cut gzip",
        "not parquet",
        "no label",
    ],
)
def test_a_file_that_cannot_be_used_is_an_error(folder, name, content):
    """A broken or useless file in the folder gives one sentence with the set's name, and no download."""
    (folder / name).write_bytes(content)
    with pytest.raises(TableError, match="magic") as caught:
        datasets.load("magic")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["../secret", "sub/magic", "/magic"])
def test_names_do_not_leave_the_folder(folder, name):
    """A path is an unknown name even if a file is there."""
    (folder / "sub").mkdir()
    for path in (folder / "sub" / "magic.csv", folder.parent / "secret.csv"):
        path.write_text("a,target\n1,g\n2,h\n")
    with pytest.raises(TableError, match="no data set"):
        datasets.load(name)


def test_a_shipped_set_is_not_looked_for_in_the_folder(folder):
    """The package's own sets come from the package."""
    (folder / "glass2.csv").write_text("a,target\n1,g\n2,h\n")
    assert datasets.load("glass2").X.shape == (163, 9)


def test_a_set_that_is_nowhere_says_what_to_do(monkeypatch, tmp_path):
    """The message names TAMIS_DATA, what to put there, and where the set comes from."""
    with pytest.raises(TableError) as caught:
        datasets.load("dlbcl_shipp")
    message = str(caught.value)
    assert "TAMIS_DATA is not set" in message
    assert "OpenML is not known to have it" in message
    assert "write it as dlbcl_shipp.csv with a header and the class in the last column" in message
    assert "datamicroarray" in message
    monkeypatch.setenv("TAMIS_DATA", str(tmp_path / "absent"))
    with pytest.raises(TableError, match="absent is not a folder"):
        datasets.load("dlbcl_shipp")
    monkeypatch.setenv("TAMIS_DATA", str(tmp_path))
    with pytest.raises(
        TableError, match=r"has no dlbcl_shipp\.csv or dlbcl_shipp\.csv\.gz or dlbcl_shipp\.parquet"
    ):
        datasets.load("dlbcl_shipp")


def test_nothing_is_downloaded_when_told_so():
    """download_if_missing=False does not touch OpenML."""
    with pytest.raises(TableError, match="download_if_missing=False keeps OpenML 55 out"):
        datasets.load("hepatitis", download_if_missing=False)


def test_a_table_of_openml_is_translated(monkeypatch):
    """Codes become nominal columns, NaN a gap, whole numbers integers; the call pins the number of the set."""
    asked = {}

    def fetch(**arguments):
        asked.update(arguments)
        return SimpleNamespace(
            data=np.array([[30.0, 1.0, np.nan], [50.0, np.nan, 0.9]]),
            feature_names=["AGE", "SEX", "BILIRUBIN"],
            categories={"SEX": ["female", "male"]},
            target=np.array(["LIVE", "DIE"], dtype=object),
        )

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    dataset = datasets.load("hepatitis")
    assert asked == {"data_id": 55, "as_frame": False, "parser": "liac-arff"}
    assert dataset.X.schema == {"AGE": pl.Int64(), "SEX": pl.Enum(["male"]), "BILIRUBIN": pl.Float64()}
    assert dataset.X.rows() == [(30, "male", None), (50, None, 0.9)]
    assert dataset.y.tolist() == ["LIVE", "DIE"]
    assert "From OpenML: hepatitis, version 1, number 55." in dataset.notes
    assert "It has 2 rows; the data set known by this name has 155." in dataset.notes


def test_columns_of_openml_are_dropped_and_renamed_as_the_index_says(monkeypatch):
    """MAGIC's running number is left out; Madelon's columns take the names that its informative columns have."""
    bunch = SimpleNamespace(
        data=np.arange(6.0).reshape(2, 3),
        feature_names=["ID", "fLength:", "fWidth:"],
        categories={},
        target=["g", "h"],
    )
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda **arguments: bunch)
    assert datasets.load("magic").X.columns == ["fLength:", "fWidth:"]
    wide = SimpleNamespace(
        data=np.zeros((2, 500)),
        feature_names=[f"V{i}" for i in range(1, 501)],
        categories={},
        target=["1", "2"],
    )
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda **arguments: wide)
    madelon = datasets.load("madelon")
    assert madelon.X.columns == [f"x{i}" for i in range(1, 501)]
    assert len(madelon.informative) == 20
    assert madelon.y.tolist() == [1, 2]


@pytest.mark.parametrize("error", [OSError("no route"), ValueError("dataset 55 not found")])
def test_a_failed_download_says_what_to_do(monkeypatch, error):
    """Whatever goes wrong at OpenML becomes the sentence about TAMIS_DATA."""

    def fetch(**arguments):
        raise error

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    with pytest.raises(
        TableError,
        match=r"OpenML 55 cannot be downloaded \((no route|dataset 55 not found)\).*set TAMIS_DATA",
    ):
        datasets.load("hepatitis")
