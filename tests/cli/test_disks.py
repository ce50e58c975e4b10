"""Disks without room, folders that cannot be written to, inputs that vanish: one sentence, and nothing half-written."""

import errno
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import joblib  # noqa: F401 - it looks for semaphores, which are files, when it is loaded
import numpy as np
import polars as pl
import pytest

from tamis._memory import Memory
from tamis.cli import _parts
from tamis.cli._sentences import outside
from tamis.table._dataset import TableError
from tamis.table.parts.parquet_part import ParquetPart
from tests.command_line import ok, refused, run

resource = pytest.importorskip("resource")  # which Windows does not have
STUDY = [
    *(
        "study",
        "problem-space",
        "-m",
        "univariate-auc",
        "--columns",
        "100",
        "--rows",
        "50",
        "--relevant",
        "5",
    ),
    *(
        "--concept",
        "linear",
        "--no-redundant",
        "--label-noise",
        "0",
        "--feature-noise",
        "0",
        "--datasets",
        "1",
    ),
]
COMPARE = ["compare", "table.csv", "-m", "univariate-auc", "-c", "1-nn", "--folds", "2", "--repeats", "1"]
AUC = ["-m", "univariate-auc", "-t", "kind"]
MARGINS = ["-m", "sbs-mf", "-t", "kind", "--set", "n_rounds=5"]
ROWS = ["-m", "edited-nn", "-t", "kind"]
LONG = {
    "rank": ["rank", "table.csv", *AUC, "-o", "out.csv"],
    "rank, json": ["rank", "table.csv", *AUC, "-o", "out.json"],
    "rank, report": ["rank", "table.csv", *AUC, "--report", "out.html"],
    "rank, parts": ["rank", "parts", *MARGINS, "-o", "out.parquet"],
    "select": ["select", "table.csv", *AUC, "-o", "out.parquet"],
    "select, zipped": ["select", "table.csv", *AUC, "-o", "out.csv.gz"],
    "select, feather": ["select", "table.csv", *AUC, "-o", "out.feather"],
    "select, parts": ["select", "parts", *MARGINS, "-o", "out.csv"],
    "select, parts, parquet": ["select", "parts", *MARGINS, "-o", "out.parquet"],
    "condense": ["condense", "table.csv", *ROWS, "-o", "out.csv"],
    "condense, parts": ["condense", "parts", *ROWS, "-o", "out.csv"],
    "condense, report": ["condense", "table.csv", *ROWS, "--report", "out.html"],
    "compare": [*COMPARE, "-t", "kind", "-o", "out"],
    "compare, report": [*COMPARE, "-t", "kind", "--report", "out.html"],
    "reproduce": ["reproduce", "psboost", "--table", "1", "-o", "out"],
    "study": [*STUDY, "-o", "out"],
    "study, picture": [*STUDY, "--map", "out.png"],
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with table.csv, and the folder parts of two Parquet files."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5)).round(3)
    frame = pl.DataFrame(X).with_columns(kind=pl.Series(np.where(X[:, 1] > 0, "yes", "no")))
    frame.write_csv(tmp_path / "table.csv")
    (tmp_path / "parts").mkdir()
    frame[:120].write_parquet(tmp_path / "parts" / "0.parquet")
    frame[120:].write_parquet(tmp_path / "parts" / "1.parquet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@contextmanager
def room_for(n_bytes):
    """Let no file grow beyond so many bytes: a write that would ends as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def one_sentence(answer):
    """What a command said that failed, which must be one sentence on stderr besides notes and progress."""
    assert answer.exit_code != 0
    assert "Traceback" not in answer.stderr
    sentences = [line for line in answer.stderr.splitlines() if line.startswith("tamis: ")]
    assert len(sentences) == 1, answer.stderr
    return sentences[0]


def left(folder):
    """The files that were not there before, those of unfinished work aside."""
    names = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    return [
        name
        for name in names
        if name != "table.csv" and not name.startswith("parts/") and ".writing" not in name
    ]


@pytest.mark.parametrize("name", LONG)
def test_a_full_disk_is_one_sentence(folder, name):
    """Where nothing more can be written, a command ends with one sentence and leaves nothing under the final name."""
    pytest.importorskip("matplotlib")
    with room_for(64):
        sentence = one_sentence(run(*LONG[name]))
    assert left(folder) == []
    assert "File too large" in sentence or "os error" in sentence


def test_a_disk_that_fills_up_leaves_whole_files(folder):
    """A comparison that finds room for its journal but not for its results says so; with room it goes on."""
    words = LONG["compare"]
    with room_for(2000):
        one_sentence(run(*words))
    assert not list((folder / "out").glob("*.parquet"))
    ok(*words, "--resume")
    assert pl.read_parquet("out/scores.parquet").height > 0


def test_a_report_without_room_keeps_the_ranking(folder):
    """Where the ranking could be written and its report could not, the ranking is whole."""
    with room_for(600):
        sentence = one_sentence(run("rank", "table.csv", *AUC, "-o", "out.csv", "--report", "out.html"))
    assert "out.html cannot be written" in sentence
    assert pl.read_csv("out.csv").height == 5
    assert left(folder) == ["out.csv"]


def test_work_that_cannot_be_kept_goes_on(folder):
    """Without room for what is kept on the way, a note says so, and the answer is the same."""
    words = ["rank", "table.csv", "-m", "efr", "--set", "n_estimators=2", "-t", "kind", "-o"]
    ok(*words, "plain.csv")
    with room_for((folder / "plain.csv").stat().st_size):
        answer = ok(*words, "out.csv")
    assert "would begin anew" in answer.stderr
    assert (folder / "out.csv").read_bytes() == (folder / "plain.csv").read_bytes()
    assert sorted(left(folder)) == ["out.csv", "plain.csv"]


def test_what_was_kept_outlives_a_full_disk(folder):
    """An answer that found no room is written by the same command with --resume, from what was kept."""
    words = ["rank", "table.csv", "-m", "efr", "--set", "n_estimators=2", "-t", "kind", "-o", "out.json"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tamis.cli._output.write_answer", full)
        sentence = one_sentence(run(*words))
    assert "No space left on device" in sentence
    assert (folder / "out.json.unfinished").is_dir()
    kept = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Memory, "keep", lambda self, part, arrays: kept.append(part))
        ok(*words, "--resume")
    assert kept == []
    assert left(folder) == ["out.json"]


def full(*_, **__):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "out.json")


@pytest.mark.parametrize("name", ["rank, parts", "select, parts", "condense, parts"])
@pytest.mark.parametrize("reading", ["labels", "table"])
def test_a_part_that_vanishes_is_one_sentence(folder, name, reading, monkeypatch):
    """A file that is removed between two passes over a folder is named, and nothing is written."""
    read, asked = getattr(ParquetPart, reading), []

    def gone(self):
        asked.append(self.file)
        if len(asked) == 2:
            (folder / "parts" / "1.parquet").unlink()
        return read(self)

    monkeypatch.setattr(ParquetPart, reading, gone)
    assert "1.parquet" in refused(*LONG[name])
    assert left(folder) == []


def test_a_part_that_vanishes_before_it_is_written(folder, monkeypatch):
    """A file that is gone when the kept columns are copied is named, and nothing is written."""
    sink = _parts._sink

    def gone(*arguments):
        Path("parts/0.parquet").unlink()
        return sink(*arguments)

    monkeypatch.setattr(_parts, "_sink", gone)
    assert "0.parquet is gone" in refused(*LONG["select, parts, parquet"])
    assert left(folder) == []


def test_a_file_that_vanishes_as_it_is_read(folder, monkeypatch):
    """An input that is gone after it was looked at is one sentence."""
    from tamis.table.reading import read as reading

    read = reading.read

    def gone(*arguments, **named):
        Path("table.csv").unlink()
        return read(*arguments, **named)

    monkeypatch.setattr(reading, "read", gone)
    assert "table.csv" in refused(*LONG["rank"])


@pytest.mark.parametrize("name", LONG)
def test_a_folder_that_cannot_be_is_refused(folder, name):
    """An output inside something that is no folder is refused before any work."""
    words = [f"table.csv/{word}" if word.startswith("out") else word for word in LONG[name]]
    one_sentence(run(*words))
    assert left(folder) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_the_screen(folder):
    """Where the screen is a file on a full disk, one sentence on stderr says so."""
    with open("/dev/full", "w") as full_disk:
        ended = subprocess.run(
            [sys.executable, "-m", "tamis", "rank", "table.csv", *AUC],
            stdout=full_disk,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert ended.returncode == 2
    last = ended.stderr.strip().splitlines()[-1]
    assert last == "tamis: No space left on device. Make room, or write to another disk."


def test_errors_of_our_own_keep_their_traceback():
    """Only what a disk or a file did becomes a sentence; a reader that went away does not."""
    assert outside(KeyError("column")) is None
    assert outside(BrokenPipeError(errno.EPIPE, "Broken pipe")) is None
    assert outside(TableError("no rows.")) == "tamis: no rows."
    assert outside(pl.exceptions.ComputeError("parquet: failed")) is None
    assert outside(OSError("no number")) is None
    for kind in (pl.exceptions.ComputeError, OSError):
        told = outside(kind("IO error: No space left on device (os error 28)"))
        assert told.startswith(os.strerror(errno.ENOSPC))
