"""Files that claim more than they hold, or unpack to more than is good: a sentence, and the process lives on."""

import gzip
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest

from tamis.table import TableError, read
from tamis.table.reading import guard, limits
from tamis.table.reading.arrow import arrow_claims
from tamis.table.reading.claims import OddError
from tamis.table.reading.limits import UNPACKED_BYTES, bytes_of, in_words, most_unpacked
from tamis.table.reading.parquet import parquet_claims
from tamis.table.reading.unpack import check_zstd
from tests.command_line import ok, refused, shell

N_ROWS = 30
FRAME = pl.DataFrame(
    {
        "number": np.arange(N_ROWS) % 7,
        "share": np.linspace(0, 1, N_ROWS),
        "colour": ["red", "green", None] * 10,
        "kind": ["yes", "no"] * 15,
    }
)
WRITERS = {
    "polars.parquet": lambda path: FRAME.write_parquet(path),
    "plain.parquet": lambda path: FRAME.write_parquet(path, compression="uncompressed"),
    "snappy.parquet": lambda path: FRAME.write_parquet(path, compression="snappy", row_group_size=9),
    "pyarrow.parquet": lambda path: pq.write_table(FRAME.to_arrow(), path),
    "second.parquet": lambda path: pq.write_table(FRAME.to_arrow(), path, data_page_version="2.0", write_page_index=True),
    "plain.feather": lambda path: FRAME.write_ipc(path),
    "zstd.feather": lambda path: FRAME.write_ipc(path, compression="zstd"),
    "lz4.feather": lambda path: FRAME.write_ipc(path, compression="lz4"),
    "stream.arrow": lambda path: FRAME.write_ipc_stream(path),
}  # fmt: skip
UNTRUE_COUNT = (b"\x2c\x15\x3c", b"\x2c\x15\x13")  # a data page's number of values: 30, and -10


@pytest.fixture
def untrue(tmp_path: Path) -> Path:
    """A folder that holds t.parquet, one page of which claims to hold -10 values, and fine.parquet."""
    (tmp_path / "parts").mkdir()
    path = tmp_path / "parts" / "t.parquet"
    FRAME.write_parquet(path, compression="uncompressed")
    FRAME.write_parquet(tmp_path / "parts" / "fine.parquet")
    content = path.read_bytes()
    assert content.count(UNTRUE_COUNT[0]) >= 1
    path.write_bytes(content.replace(*UNTRUE_COUNT, 1))
    return tmp_path


@pytest.mark.parametrize("name", WRITERS)
def test_a_good_file_needs_no_trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Whoever wrote it, a good file is walked through to its end and read without another process."""
    monkeypatch.setattr(guard, "_try", lambda *_: pytest.fail("another process was asked"))
    WRITERS[name](tmp_path / name)
    dataset = read(tmp_path / name)
    assert dataset.X.equals(FRAME.drop("kind"))


@pytest.mark.parametrize("name", WRITERS)
def test_claims_are_those_of_the_table(tmp_path: Path, name: str) -> None:
    """What the metadata add up to holds every value, and no more than a few besides (texts kept once)."""
    WRITERS[name](tmp_path / name)
    content = (tmp_path / name).read_bytes()
    claims = parquet_claims(content) if name.endswith("parquet") else arrow_claims(content)
    assert FRAME.width * N_ROWS <= claims.cells <= FRAME.width * N_ROWS + 10
    assert claims.unpacked > 0


def test_a_page_that_claims_less_than_nothing_is_odd(untrue: Path) -> None:
    """A negative number of values is seen before polars asks for that much memory."""
    with pytest.raises(OddError):
        parquet_claims((untrue / "parts" / "t.parquet").read_bytes())


def test_a_damaged_parquet_file_does_not_end_the_interpreter(untrue: Path) -> None:
    """Three changed bytes are one sentence and exit code 2, where polars alone ends the process."""
    done = shell("rank", str(untrue / "parts" / "t.parquet"), "-t", "kind", "-m", "univariate-auc")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("tamis: t.parquet cannot be read as Parquet: ")
    assert done.stderr.count("\n") == 1


def test_a_damaged_file_in_a_folder_is_the_same_sentence(untrue: Path) -> None:
    """A table in parts is looked at file by file before any of it is read."""
    one = refused("rank", untrue / "parts" / "t.parquet", "-t", "kind", "-m", "sbs-mf")
    assert refused("rank", untrue / "parts", "-t", "kind", "-m", "sbs-mf") == one


def test_what_polars_says_to_its_makers_stays_off_the_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A panic of a thread of polars, which prints its place in the source, is one sentence."""

    def panic(*_: object, **__: object) -> None:
        os.write(2, b"thread 'a' panicked at decode.rs:418:9:\nassertion failed\n")
        raise pl.exceptions.PanicException("called `Result::unwrap()` on an `Err` value")

    FRAME.write_parquet(tmp_path / "t.parquet")
    monkeypatch.setattr(pl, "read_parquet", panic)
    said = refused("rank", tmp_path / "t.parquet", "-t", "kind", "-m", "univariate-auc")
    assert said == "tamis: t.parquet cannot be read as Parquet: its contents are damaged."
    assert capfd.readouterr().err == ""


PACKED = {
    "t.csv.gz": lambda path, text: path.write_bytes(gzip.compress(text)),
    "t.csv.zst": lambda path, text: pl.read_csv(text).write_csv(path, compression="zstd"),
    "t.parquet": lambda path, text: pl.read_csv(text).write_parquet(path),
    "t.feather": lambda path, text: pl.read_csv(text).write_ipc(path, compression="zstd"),
}


@pytest.mark.parametrize("name", PACKED)
def test_a_small_file_that_unpacks_to_much_is_refused(tmp_path: Path, name: str) -> None:
    """Above the limit the sentence names the sizes and the option; the option lets the file pass."""
    path = tmp_path / name
    PACKED[name](path, b"a,b,kind\n" + b"1,2,x\n0,2,y\n" * 50_000)
    assert path.stat().st_size < 100_000
    with pytest.raises(TableError, match=rf"^tamis: {name} unpacks to .*limit is 97.7 kB\..*--max-unpacked"):
        read(path, max_unpacked=100_000)
    assert read(path, max_unpacked="100MB").X.height == 100_000
    assert read(path).X.height == 100_000
    words = ("rank", path, "-t", "kind", "-m", "univariate-auc", "--max-unpacked")
    assert "raise the limit with" in refused(*words, "100kB")
    assert "is not a size" in refused(*words, "much")
    ok(*words, "1GB")


def test_a_folder_has_the_same_limit(tmp_path: Path) -> None:
    """Files read in parts count one byte a value."""
    frame = pl.DataFrame({"a": [1, 0] * 50_000, "kind": ["x", "y"] * 50_000})
    frame.write_parquet(tmp_path / "t.parquet")
    words = ("rank", tmp_path, "-t", "kind", "-m", "sbs-mf", "--set", "n_rounds=2", "--max-unpacked")
    assert "t.parquet unpacks to" in refused(*words, "100kB")
    ok(*words, "1MB")


def test_the_limit_grows_with_the_file() -> None:
    """Without a limit of the caller's it is 2 GB, or 50 times the file's size."""
    assert most_unpacked(9 << 20, None) == UNPACKED_BYTES == 2 << 30
    assert most_unpacked(1 << 30, None) == 50 << 30
    assert most_unpacked(1 << 30, 7) == 7


@pytest.mark.parametrize(
    ("given", "bytes_"),
    [("8GB", 8 << 30), ("1.5 mb", 3 << 19), ("100", 100), (5, 5), (None, None), ("2GiB", 2 << 30)],
)
def test_sizes_are_read(given: object, bytes_: int | None) -> None:
    """A size is a number of bytes, or a number with a unit."""
    assert bytes_of(given) == bytes_  # type: ignore[arg-type]


@pytest.mark.parametrize("given", ["", "GB", "-1GB", "0", 0, "1e9"])
def test_what_is_no_size_is_refused(given: object) -> None:
    """Nothing, less than nothing and words are no sizes."""
    with pytest.raises(TableError, match="not a size"):
        bytes_of(given)  # type: ignore[arg-type]


def test_zstd_sizes_bound_the_text(tmp_path: Path) -> None:
    """The blocks of a zstd file tell the most that it unpacks to: the text, and less than a block more."""
    text = "".join(f"{row},{row * row % 97},{'xy'[row % 2]}\n" for row in range(100_000))
    frame = pl.read_csv(b"a,b,kind\n" + text.encode())
    frame.write_csv(tmp_path / "t.csv.zst", compression="zstd")
    n_bytes = len(text) + len("a,b,kind\n")
    assert n_bytes <= check_zstd(tmp_path / "t.csv.zst", None) < n_bytes + (1 << 17)


def test_a_table_larger_than_the_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a file takes once it is read is held against the memory that is free."""
    monkeypatch.setattr(limits, "free_memory", lambda: 500)
    for name in ("t.parquet", "t.feather", "t.csv.gz"):
        PACKED[name](tmp_path / name, FRAME.write_csv().encode())
        with pytest.raises(
            TableError, match=rf"{name} takes .* once it is read, but 500 bytes of memory are free"
        ):
            read(tmp_path / name)


def test_bytes_in_words() -> None:
    """A number of bytes is shown with one digit and a unit."""
    assert [in_words(n) for n in (0, 1023, 1024, 1536 << 10, 5 << 40)] == ["0 bytes", "1023 bytes", "1.0 kB", "1.5 MB", "5.0 TB"]  # fmt: skip


def _limited(code: str, limit: int) -> subprocess.CompletedProcess[str]:
    """Run Python under a limit on its address space."""
    resource = pytest.importorskip("resource")
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        check=False,
    )


def test_too_little_memory_to_begin_is_one_sentence() -> None:
    """Under a limit that the libraries do not survive, the command says so and exits with 2."""
    done = _limited(
        "import sys; from tamis.cli import main; sys.argv = ['tamis', 'methods']; main()", 1 << 30
    )
    assert done.returncode == 2
    assert done.stderr.startswith("tamis: this process may have 1.0 GB of memory (ulimit -v), and needs ")
    assert done.stderr.count("\n") == 1


ENOUGH = (3 << 30) + (64 << 20) * (os.cpu_count() or 1)


@pytest.mark.parametrize("end", ["os.abort()", "raise MemoryError", "os.kill(os.getpid(), 9)"])
def test_memory_that_runs_out_is_one_sentence(end: str) -> None:
    """A command that the system ends under a limit is answered by the process that watches it."""
    code = f"import os, sys; from tamis.cli._limited import watched; watched(); print('note: begun', file=sys.stderr); {end}"
    done = _limited(code, ENOUGH)
    assert done.returncode == 2
    begun, said = done.stderr.splitlines()
    assert begun == "note: begun"
    assert said.startswith("tamis: this process may have ")
    assert "which was not enough" in said


@pytest.mark.parametrize(("end", "code"), [("sys.exit(3)", 3), ("1 / 0", 1), ("os.kill(os.getpid(), 15)", 143), ("pass", 0)])  # fmt: skip
def test_a_watched_command_ends_as_it_would_alone(end: str, code: int) -> None:
    """Exit codes, answers and errors pass through."""
    done = _limited(f"import os, sys; from tamis.cli._limited import watched; watched(); print('answer', flush=True); {end}", ENOUGH)  # fmt: skip
    assert (done.returncode, done.stdout) == (code, "answer\n")
    assert ("ZeroDivisionError" in done.stderr) == (code == 1)
