"""Files are written whole or not at all, by one function, and never through a link that lies ready."""

import ast
import errno
import os
import stat
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from tamis._files import WRITING, outlet, remove_unfinished, written
from tamis._journal import Journal
from tests.command_line import ok

SOURCE = Path(__file__).parent.parent / "src" / "tamis"
PLACES = sorted(path for path in SOURCE.rglob("*.py") if path.name != "_files.py")
OTHER_WAYS = {
    "replace": {"os"},
    "rename": {"os"},
    "link": {"os"},
    "mkstemp": {"tempfile"},
    "NamedTemporaryFile": {"tempfile"},
}


def test_a_file_appears_when_it_is_whole(tmp_path):
    """While the block runs nothing has the final name; afterwards the file has it, and nothing else is left."""
    with written(tmp_path / "a.txt") as stream:
        stream.write(b"new")
        assert not (tmp_path / "a.txt").exists()
    assert (tmp_path / "a.txt").read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "full"), ValueError("no")])
def test_a_block_that_fails_changes_nothing(tmp_path, error):
    """The old file stays, and nothing new is left."""
    (tmp_path / "a.txt").write_bytes(b"old")

    def failing():
        with written(tmp_path / "a.txt") as stream:
            stream.write(b"half")
            raise error

    with pytest.raises(type(error)):
        failing()
    assert (tmp_path / "a.txt").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_an_error_that_a_library_drops_is_raised(tmp_path, monkeypatch):
    """What a library could not write and was silent about ends the block, and nothing appears."""

    def full(content):
        raise OSError(errno.ENOSPC, "No space left on device")

    def put(path, failing):
        with written(path) as stream, outlet(stream) as passed:
            if failing:
                monkeypatch.setattr(passed, "stream", SimpleNamespace(write=full))
            with suppress(OSError):
                passed.write(b"text")

    put(tmp_path / "whole", False)
    with pytest.raises(OSError, match="No space left"):
        put(tmp_path / "part", True)
    assert [path.name for path in tmp_path.iterdir()] == ["whole"]
    assert (tmp_path / "whole").read_bytes() == b"text"


def test_names_are_random_and_made_anew(tmp_path, monkeypatch):
    """Where something has the name that was drawn, that is an error, and what lies there is neither followed nor removed."""
    monkeypatch.setattr("secrets.token_hex", lambda n: "0" * 2 * n)
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    (tmp_path / f".a.txt.{'0' * 16}{WRITING}").symlink_to(victim)
    with pytest.raises(FileExistsError), written(tmp_path / "a.txt") as stream:
        stream.write(b"bad")
    assert victim.read_bytes() == b"precious"
    assert (tmp_path / f".a.txt.{'0' * 16}{WRITING}").is_symlink()
    monkeypatch.undo()
    seen = set()
    for _ in range(3):
        with written(tmp_path / "a.txt"):
            seen |= {name for name in os.listdir(tmp_path) if name.startswith(".a") and "0" * 16 not in name}
    assert len(seen) == 3


def test_a_link_is_replaced_and_not_followed(tmp_path):
    """A link of the final name is replaced itself: what it points to stays."""
    (tmp_path / "victim").write_bytes(b"precious")
    (tmp_path / "a.txt").symlink_to(tmp_path / "victim")
    with written(tmp_path / "a.txt") as stream:
        stream.write(b"new")
    assert (tmp_path / "victim").read_bytes() == b"precious"
    assert not (tmp_path / "a.txt").is_symlink()


def test_a_file_that_appears_meanwhile_stays(tmp_path):
    """Without leave to replace, a file that was made in the meantime is kept."""

    def write():
        with written(tmp_path / "a.txt", replace=False) as stream:
            stream.write(b"ours")
            (tmp_path / "a.txt").write_bytes(b"theirs")

    with pytest.raises(FileExistsError):
        write()
    assert (tmp_path / "a.txt").read_bytes() == b"theirs"


def test_permissions_are_those_of_the_file_replaced(tmp_path):
    """A file that is replaced hands its permissions on; a new one has the usual ones."""
    usual = tmp_path / "usual"
    usual.touch()
    with written(tmp_path / "a.txt"):
        pass
    assert stat.S_IMODE((tmp_path / "a.txt").stat().st_mode) == stat.S_IMODE(usual.stat().st_mode)
    (tmp_path / "a.txt").chmod(0o640)
    with written(tmp_path / "a.txt"):
        pass
    assert stat.S_IMODE((tmp_path / "a.txt").stat().st_mode) == 0o640


def test_the_longest_names_can_be_written(tmp_path):
    """A name as long as a disk takes it, in letters of several bytes, is no obstacle."""
    name = "\U0001f600" * 63
    with written(tmp_path / name) as stream:
        stream.write(b"x")
    assert os.listdir(tmp_path) == [name]


def test_what_a_killed_process_left_is_removed(tmp_path):
    """Unfinished files are removed, others are not."""
    (tmp_path / f".a.txt.12{WRITING}").touch()
    (tmp_path / "a.txt").touch()
    remove_unfinished(tmp_path)
    assert os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("planted", [".o.{}.part", "o.{}.part", ".o.{}.tmp", "o.{}.writing"])
def test_kept_columns_of_parts_follow_no_link(tmp_path, monkeypatch, ending, planted):
    """`tamis select` of a folder writes to no name that somebody could have laid ready as a link."""
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).normal(size=(40, 3)).round(2)
    (tmp_path / "parts").mkdir()
    pl.DataFrame(X).with_columns(kind=X[:, 0] > 0).write_parquet("parts/0.parquet")
    (tmp_path / "victim").write_bytes(b"precious")
    (tmp_path / planted.format(ending)).symlink_to(tmp_path / "victim")
    ok("select", "parts", "-t", "kind", "-m", "sbs-mf", "--set", "n_rounds=3", "-o", f"o.{ending}")
    assert (tmp_path / "victim").read_bytes() == b"precious"
    assert (tmp_path / f"o.{ending}").is_file()


def test_a_journal_follows_no_link(tmp_path):
    """A comparison's journal is a file of its own, also where a link has its name."""
    (tmp_path / "victim").write_bytes(b"precious")
    (tmp_path / "journal.jsonl").symlink_to(tmp_path / "victim")
    journal = Journal(tmp_path / "journal.jsonl", {"a": 1}, resume=False)
    journal.add({"method": "m"})
    journal.close()
    assert (tmp_path / "victim").read_bytes() == b"precious"


def test_there_is_one_way_to_write():
    """No module but `tamis._files` renames, links or makes temporary files."""
    others = []
    for path in PLACES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                if node.value.id in OTHER_WAYS.get(node.attr, ()):
                    others.append(f"{path.name}:{node.lineno}")
            elif isinstance(node, ast.ImportFrom):
                named = {alias.name for alias in node.names}
                others += [
                    f"{path.name}:{node.lineno}" for name in named if node.module in OTHER_WAYS.get(name, ())
                ]
    assert others == []
