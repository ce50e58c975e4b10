"""Writing: by ending, whole or not at all, and never over another file without leave."""

import json
import os
import stat
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tamis.table import _write
from tamis.table._dataset import TableError
from tamis.table._write import check_writable, write, write_json, write_text
from tamis.table.reading.read import read

FRAME = pl.DataFrame(
    {"a": [1, None, 3], "b": [0.1, 2.5, None], "c": ["=1+1", 'q"u, o', None], "kind": ["x", "y", "x"]}
)


@pytest.mark.parametrize(
    "ending", ["csv", "csv.gz", "csv.zst", "tsv", "tsv.gz", "tsv.zst", "parquet", "feather"]
)
def test_what_is_written_is_read_again(tmp_path: Path, ending: str) -> None:
    """Every format that `read` knows comes back with the same values, formulas included."""
    path = tmp_path / f"t.{ending}"
    write(FRAME, path)
    dataset = read(path)
    assert dataset.X.rows() == FRAME.drop("kind").rows()
    assert dataset.y.tolist() == ["x", "y", "x"]
    assert os.listdir(tmp_path) == [path.name]


def test_json_is_a_list_of_rows(tmp_path: Path) -> None:
    """A frame becomes a list of objects, gaps null, and NaN too, since JSON does not know it."""
    write(pl.DataFrame({"a": [1.5, None, float("nan")], "b": ["é", None, "u"]}), tmp_path / "t.json")
    assert json.loads((tmp_path / "t.json").read_text(encoding="utf-8")) == [
        {"a": 1.5, "b": "é"},
        {"a": None, "b": None},
        {"a": None, "b": "u"},
    ]


def test_other_frames_are_written_alike(tmp_path: Path) -> None:
    """A pandas frame gives the same file as a polars frame."""
    write(pd.DataFrame({"a": [1, 2], "b": ["u", "v"]}), tmp_path / "pandas.csv")
    write(pl.DataFrame({"a": [1, 2], "b": ["u", "v"]}), tmp_path / "polars.csv")
    assert (tmp_path / "pandas.csv").read_bytes() == (tmp_path / "polars.csv").read_bytes()


def test_json_takes_numpy_and_nests(tmp_path: Path) -> None:
    """Arrays, NumPy scalars, tuples and paths become lists, numbers and texts."""
    content = {"a": np.arange(3), "b": np.float64(0.5), "c": (1, None, True), "d": float("inf"), 5: Path("p")}
    write_json(content, tmp_path / "t.json")
    assert json.loads((tmp_path / "t.json").read_text()) == {
        "a": [0, 1, 2],
        "b": 0.5,
        "c": [1, None, True],
        "d": None,
        "5": "p",
    }


@pytest.mark.parametrize("put", [lambda p, **k: write(FRAME, p, **k), lambda p, **k: write_text("new", p, **k), lambda p, **k: write_json([1], p, **k)])  # fmt: skip
def test_no_file_is_replaced_without_force(tmp_path: Path, put, in_python) -> None:  # type: ignore[no-untyped-def]
    """A file that is there is kept, and the error names it and the parameter; with force it is replaced."""
    path = tmp_path / "t.csv"
    path.write_text("old")
    with pytest.raises(TableError, match=r"^tamis: .*t\.csv is already there\. Use force=True"):
        put(path)
    assert path.read_text() == "old"
    put(path, force=True)
    assert path.read_text() != "old"
    assert os.listdir(tmp_path) == ["t.csv"]


def test_a_file_that_appears_meanwhile_is_kept(tmp_path: Path) -> None:
    """A file that another program makes during the work is not replaced."""
    path = tmp_path / "t.txt"

    def put(stream) -> None:  # type: ignore[no-untyped-def]
        stream.write(b"ours")
        path.write_text("theirs")

    with pytest.raises(TableError, match=r"already there"):
        _write._write_safely(put, path, force=False)
    assert path.read_text() == "theirs"
    assert os.listdir(tmp_path) == ["t.txt"]


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), KeyboardInterrupt(), RuntimeError("stop")]
)
@pytest.mark.parametrize("force", [False, True])
def test_a_failure_leaves_everything_as_it_was(tmp_path: Path, error: BaseException, force: bool) -> None:
    """When writing fails half-way, the old file is whole and nothing new is left."""
    path = tmp_path / "t.txt"
    if force:
        path.write_text("old")

    def put(stream) -> None:  # type: ignore[no-untyped-def]
        stream.write(b"half of it")
        raise error

    expected = TableError if isinstance(error, OSError) else type(error)
    with pytest.raises(expected):
        _write._write_safely(put, path, force)
    assert os.listdir(tmp_path) == (["t.txt"] if force else [])
    assert not force or path.read_text() == "old"


def test_an_absent_folder_is_named(tmp_path: Path) -> None:
    """A folder that is not there is an error, and is not made."""
    with pytest.raises(TableError, match=r"no folder .*nowhere to write t.csv in. Make it first"):
        write(FRAME, tmp_path / "nowhere" / "t.csv")
    assert os.listdir(tmp_path) == []


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder without leave to write is an error before anything is written."""
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(TableError, match=r"cannot be written to"):
        write(FRAME, tmp_path / "t.csv")
    assert os.listdir(tmp_path) == []


def test_only_regular_files_are_replaced(tmp_path: Path) -> None:
    """A folder, a pipe or a device is never replaced, with force or without."""
    (tmp_path / "t.csv").mkdir()
    os.mkfifo(tmp_path / "p.csv")
    for force in (False, True):
        with pytest.raises(TableError, match=r"is a folder"):
            write(FRAME, tmp_path / "t.csv", force=force)
        with pytest.raises(TableError, match=r"is not a regular file"):
            write(FRAME, tmp_path / "p.csv", force=force)


def test_an_unknown_ending_is_refused(tmp_path: Path) -> None:
    """An ending that is not written is an error that lists those that are."""
    with pytest.raises(TableError, match=r"t\.xlsx has an ending that tamis does not write.*\.parquet"):
        write(FRAME, tmp_path / "t.xlsx")


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """Writing to a link replaces what it points to."""
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    write_text("new", tmp_path / "link.txt", force=True)
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


def test_permissions_are_the_usual_ones(tmp_path: Path) -> None:
    """A new file has the permissions that any new file gets, and a replaced one keeps its own."""
    write_text("new", tmp_path / "ours.txt")
    (tmp_path / "theirs.txt").write_text("new")
    assert (tmp_path / "ours.txt").stat().st_mode == (tmp_path / "theirs.txt").stat().st_mode
    (tmp_path / "ours.txt").chmod(0o640)
    write_text("newer", tmp_path / "ours.txt", force=True)
    assert stat.S_IMODE((tmp_path / "ours.txt").stat().st_mode) == 0o640


def test_what_would_fail_is_known_before(tmp_path: Path) -> None:
    """check_writable raises what writing would raise, and writes nothing."""
    check_writable(tmp_path / "t.csv")
    (tmp_path / "t.csv").write_text("old")
    with pytest.raises(TableError, match=r"already there"):
        check_writable(tmp_path / "t.csv")
    check_writable(tmp_path / "t.csv", force=True)
    assert (tmp_path / "t.csv").read_text() == "old"
