"""Parquet files in an object store, tried with one in memory: the same answers as of files here."""

import sys

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from tamis import SBSMF, cli
from tamis.table import TableError
from tamis.table.parts import stores
from tamis.table.parts.parquet import parquet_files, parquet_table

fsspec = pytest.importorskip("fsspec")


def frame(part):
    X = np.random.default_rng(part).normal(size=(300, 4))
    return pl.DataFrame(X).with_columns(sold=np.where(X[:, 1] + X[:, 3] > 0, "yes", "no"))


@pytest.fixture
def store(tmp_path):
    """The same three files in a store in memory and in a folder: their two names."""
    memory = fsspec.filesystem("memory")
    folder = tmp_path / "sales"
    folder.mkdir()
    memory.mkdirs(f"/{tmp_path.name}/sales")
    for part in range(3):
        frame(part).write_parquet(folder / f"{part}.parquet")
        memory.pipe_file(f"/{tmp_path.name}/sales/{part}.parquet", (folder / f"{part}.parquet").read_bytes())
    memory.pipe_file(f"/{tmp_path.name}/sales/notes.txt", b"not a table")
    yield f"memory://{tmp_path.name}/sales", str(folder)
    memory.rm(f"/{tmp_path.name}", recursive=True)


def test_files_are_found_by_folder_pattern_and_name(store):
    """A folder gives its Parquet files in order, a pattern those that fit, a name itself."""
    there, here = store
    files = [f"{there.replace('://', ':///')}/{part}.parquet" for part in range(3)]
    assert parquet_files(there) == files
    assert parquet_files(f"{there}/[12]*.parquet") == files[1:]
    assert parquet_files(f"{there}/1.parquet") == files[1:2]
    assert parquet_files(f"file://{here}") == [f"file://{here}/{part}.parquet" for part in range(3)]


def test_a_folder_in_a_store_is_ranked_as_one_here(store):
    """The ranking is the same to the bit, by whatever protocol the files are reached."""
    there, here = store
    expected = SBSMF(n_rounds=10).fit(here, "sold")
    for name in (there, f"{there}/*.parquet", f"file://{here}"):
        found = SBSMF(n_rounds=10).fit(name, "sold")
        np.testing.assert_array_equal(found.scores_, expected.scores_)
        np.testing.assert_array_equal(found.ranking_, expected.ranking_)


def test_a_file_is_copied_once(store, monkeypatch):
    """All readings of a file are of one copy, which is not where the file is."""
    there, _ = store
    copied = []
    system = type(fsspec.filesystem("memory"))
    get_file = system.get_file

    def counted(self, path, *arguments, **named):
        copied.append(path)
        return get_file(self, path, *arguments, **named)

    monkeypatch.setattr(system, "get_file", counted)
    table = parquet_table(there)
    for part in table.parts:
        assert part.table().height == 300
        assert stores.here(part.file) == stores.here(part.file)
    assert len(copied) == 3


def test_the_command_line_reads_a_store(store, tmp_path):
    """`tamis rank` and `tamis select` take a folder in a store."""
    there, here = store
    answers = [
        CliRunner().invoke(cli.app, ["rank", name, "--target", "sold", "--method", "sbs-mf"])
        for name in (there, here)
    ]
    assert answers[0].exit_code == 0
    assert answers[0].stdout == answers[1].stdout
    output = tmp_path / "two.parquet"
    words = ["select", there, "--target", "sold", "--method", "sbs-mf", "--keep", "2", "--output", output]
    answer = CliRunner().invoke(cli.app, list(map(str, words)), catch_exceptions=False)
    assert answer.exit_code == 0
    assert pl.read_parquet(output).columns == ["column_1", "column_3", "sold"]


def test_what_cannot_be_read_is_said_in_a_sentence(store, monkeypatch):
    """No such folder, no Parquet file in it, an unknown protocol, a package that is missing."""
    there, _ = store
    with pytest.raises(TableError, match="no file or folder memory://"):
        parquet_files(f"{there}x")
    with pytest.raises(TableError, match="no file fits the pattern"):
        parquet_files(f"{there}/*.csv")
    with pytest.raises(TableError, match="cannot be read"):
        parquet_files("nosuchstore://bucket/sales")
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(TableError, match="needs fsspec and its package"):
        parquet_files(there)


@pytest.mark.parametrize("path", ["sales", "/data/sales", "C:\\sales", "c:/sales", "a:b", "sales/*.parquet"])
def test_names_of_files_here_are_not_stores(path):
    """A drive letter is no protocol, nor is any other path."""
    assert not stores.is_in_store(path)
