"""Folders of Parquet files on the command line."""

import sys
from decimal import Decimal

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tamis.cli._parts import on_cluster
from tests.command_line import ok, refused


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with the folder parts, of three files, and the same rows in whole.parquet."""
    rng = np.random.default_rng(0)
    n = 600
    frame = pl.DataFrame(
        {
            "height": np.round(rng.normal(size=n), 1),
            "colour": rng.choice(["red", "green", "blue"], n),
            "code": rng.integers(0, 4, n),
            "width": np.round(rng.normal(size=n), 1),
        }
    )
    score = frame["height"] + 0.8 * (frame["colour"] == "red") + 0.3 * rng.normal(size=n)
    frame = frame.with_columns(kind=pl.Series(np.where(score > 0.3, "yes", "no")))
    frame = frame.with_columns(
        pl.when(pl.col("width") > 1.5).then(None).otherwise(pl.col("width")).alias("width")
    )
    (tmp_path / "parts").mkdir()
    for number, first in enumerate((0, 250, 300)):
        rows = frame[first : (250, 300, n)[number]]
        rows.write_parquet(tmp_path / "parts" / f"{number}.parquet")
    frame.write_parquet(tmp_path / "whole.parquet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "files", [["parts"], ["parts/*.parquet"], ["parts/0.parquet", "parts/1.parquet", "parts/2.parquet"]]
)
@pytest.mark.parametrize("options", [[], ["--nominal", "code", "--drop", "width"]])
def test_a_folder_ranks_as_the_whole_file_does(folder, files, options):
    """With few values a column, a folder, a pattern and a list of files give the ranking of one file."""
    words = ["-t", "kind", "-m", "sbs-mf", "--set", "n_rounds=10", *options]
    whole = ok("rank", "whole.parquet", *words).stdout
    assert ok("rank", *files, *words).stdout == whole


def test_the_kept_columns_of_a_folder_go_to_one_file(folder):
    """``tamis select`` streams the kept columns and the target, all rows in order."""
    words = ["-t", "kind", "-m", "adaboost-cr", "-k", "2", "-o"]
    ok("select", "parts", *words, "two.parquet")
    ok("select", "whole.parquet", *words, "whole_two.parquet")
    assert pl.read_parquet("two.parquet").equals(pl.read_parquet("whole_two.parquet"))
    assert "go to a file" in refused("select", "parts", "-t", "kind", "-m", "sbs-mf")
    assert ".parquet or .csv" in refused("select", "parts", *words, "two.json")


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        (["-m", "univariate-auc"], None),
        (["-m", "relieff"], 10_000),
        (["-m", "relieff", "--sample-rows", "120", "--seed", "3"], 120),
        (["-m", "sbs-mf", "--sample-rows", "90"], 90),
        (["-m", "relieff", "--sample-rows", "100", "--keep", "auto"], 100),
    ],
)
def test_a_method_that_reads_no_parts_takes_a_sample_of_the_rows(folder, words, rows):
    """The sample is that of the same rows in one file; a line says so. A folder that a method reads is read whole."""
    whole = ok("rank", "whole.parquet", "-t", "kind", *[word.replace("-rows", "") for word in words])
    parts = ok("rank", "parts", "-t", "kind", *words)
    assert parts.stdout == whole.stdout
    assert ("a sample of" in parts.stderr) == (rows is not None and rows < 600)
    if rows is not None and rows < 600:
        assert f"a sample of {rows} of 600 rows, drawn by class, is used" in parts.stderr
        assert ("reads no table in parts" in parts.stderr) == ("relieff" in words)


def test_a_sample_is_drawn_unasked_where_a_method_reads_no_parts(folder, monkeypatch):
    """As many rows as is the default; select ranks them and writes every row."""
    monkeypatch.setattr("tamis.cli._part_sample.SAMPLE_ROWS", 200)
    words = ["-t", "kind", "-m", "relieff", "-k", "2", "-o"]
    said = ok("select", "parts", *words, "two.parquet").stderr
    assert "a sample of 200 of 600 rows, drawn by class, is used. relieff reads no table in parts" in said
    ok("select", "whole.parquet", *words, "other.parquet", "--sample", "200")
    assert pl.read_parquet("two.parquet").equals(pl.read_parquet("other.parquet"))
    assert pl.read_parquet("two.parquet").height == 600


def test_the_default_works_on_a_folder(folder):
    """rank, select and sift without a method have the answer of one file; --keep auto resamples."""
    words = ["-t", "kind"]
    whole = ok("sift", "whole.parquet", *words, "-o", "one.parquet")
    parts = ok("sift", "parts", *words, "-o", "other.parquet")
    assert parts.stdout.splitlines()[:5] == whole.stdout.splitlines()[:5]
    assert parts.stderr == whole.stderr
    assert pl.read_parquet("one.parquet").equals(pl.read_parquet("other.parquet"))
    whole, parts = (ok("rank", file, *words).stdout for file in ("whole.parquet", "parts"))
    assert parts == whole
    whole = ok("select", "whole.parquet", *words, "-k", "auto", "-o", "auto.parquet")
    parts = ok("select", "parts", *words, "-k", "auto", "-o", "other_auto.parquet")
    assert pl.read_parquet("auto.parquet").equals(pl.read_parquet("other_auto.parquet"))
    assert "--keep auto:" in parts.stderr
    assert "Add --sample-rows N" in refused("rank", "parts", *words, "-m", "sbs-mf", "-k", "auto")
    for option in ("--groups", "--time"):
        assert f"a table in parts has no {option}" in refused("sift", "parts", *words, option, "code")


def test_what_a_table_in_parts_cannot_be_is_one_sentence(folder):
    """Other formats, other columns and options that need the whole table are refused."""
    assert "have no --encoding" in refused("rank", "parts", "-m", "sbs-mf", "--encoding", "cp1252")
    (folder / "toy.csv").write_text("a,b\n1,2\n")
    assert "toy.csv is not a Parquet file" in refused("rank", "toy.csv", "whole.parquet", "-m", "sbs-mf")
    assert "no file fits" in refused("rank", "nothing/*.parquet", "-m", "sbs-mf")
    assert "no column 'knid'" in refused("rank", "parts", "-m", "sbs-mf", "-t", "knid")
    assert "Did you mean 'code'" in refused("rank", "parts", "-m", "sbs-mf", "--nominal", "cod")
    pl.DataFrame({"other": [1]}).write_parquet("parts/3.parquet")
    assert "do not have the same columns" in refused("rank", "parts", "-m", "sbs-mf")
    (folder / "parts" / "3.parquet").write_bytes(b"PAR1 and nothing more")
    assert "3.parquet cannot be read as Parquet" in refused("rank", "parts", "-m", "sbs-mf")
    (folder / "empty").mkdir()
    assert "no file that ends in .parquet" in refused("rank", "empty", "-m", "sbs-mf")


def test_missing_labels_are_refused_or_left_out(folder):
    """Rows without a label are counted over all files; --drop-unlabelled leaves them out, as of one file."""
    frame = pl.read_parquet("parts/1.parquet").with_columns(kind=pl.lit(None, dtype=pl.String))
    frame.write_parquet("parts/1.parquet")
    words = ["-m", "sbs-mf", "-t", "kind", "--set", "n_rounds=10"]
    said = refused("rank", "parts", *words)
    assert "50 of 600 rows of parts (3 files) have no label in 'kind'. Use --drop-unlabelled" in said
    pl.concat([pl.read_parquet(f"parts/{part}.parquet") for part in range(3)]).write_parquet("whole.parquet")
    words += ["--drop-unlabelled", "--missing-values", "blue,0.5"]
    whole = ok("rank", "whole.parquet", *words)
    assert ok("rank", "parts", *words).stdout == whole.stdout
    assert "50 of 600 rows had no label in 'kind' and were left out" in whole.stderr
    ok("select", "parts", *words, "-k", 3, "-o", "parts_kept.parquet")
    ok("select", "whole.parquet", *words, "-k", 3, "-o", "whole_kept.parquet")
    assert pl.read_parquet("parts_kept.parquet").equals(pl.read_parquet("whole_kept.parquet"))
    condensed = ok(
        "condense", "parts", "-m", "random", *words[2:4], *words[6:], "-k", "0.1", "-o", "few.parquet"
    )
    assert "of 550 rows" in condensed.stdout


def test_a_folder_has_the_notes_of_one_file(folder):
    """Constants and identifiers are told of a folder as of a file."""
    for part in range(3):
        frame = pl.read_parquet(f"parts/{part}.parquet").with_columns(same=pl.lit(1), rows=pl.lit("n"))
        frame.select(pl.exclude("kind"), "kind").write_parquet(f"parts/{part}.parquet")
    pl.concat([pl.read_parquet(f"parts/{part}.parquet") for part in range(3)]).write_parquet("whole.parquet")
    words = ["-m", "sbs-mf", "--set", "n_rounds=2"]
    notes = ok("rank", "parts", *words).stderr
    assert "Constant, so of no use to any method: 'same', 'rows'." in notes
    assert notes == ok("rank", "whole.parquet", *words).stderr


def test_a_cluster_without_dask_says_what_to_install(folder, monkeypatch):
    """``--cluster`` without Dask is one sentence."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    words = ["rank", "parts", "-m", "sbs-mf", "-t", "kind", "--cluster", "local:2"]
    assert "pip install 'tamis[dask]'" in refused(*words)


def test_a_wrong_cluster_is_one_sentence(folder):
    """A number of processes that is none, and an address where nobody answers, are refused."""
    pytest.importorskip("distributed")
    words = ["rank", "parts", "-m", "sbs-mf", "-t", "kind", "--cluster"]
    assert "local:N with N from 1" in refused(*words, "local:0")
    assert "no Dask scheduler answers at 'nowhere'" in refused(*words, "nowhere")


@pytest.mark.parametrize(
    ("address", "parts"),
    [
        ("tls://x:1", ("'tls://x:1'", "TLS", "tcp://")),
        ("inproc://x:1", ("'inproc://x:1'", "tcp://")),
        ("local:99999999999999999999", ("local:99999999999999999999", "from 1 to")),
        ("local:" + "9" * 5000, ("from 1 to",)),
    ],
)
def test_an_address_that_cannot_be_is_one_sentence(folder, address, parts):
    """Whatever a protocol makes of an address, and more processes than a machine can bear."""
    pytest.importorskip("distributed")
    told = refused("rank", "parts", "-m", "sbs-mf", "-t", "kind", "--cluster", address)
    for part in parts:
        assert part in told


def test_a_type_that_cannot_be_held_is_one_sentence(tmp_path):
    """Decimals of 60 digits, which can be named and not read, in a folder as in a file."""
    column = pa.array([Decimal("1.5"), Decimal(2), Decimal(3)], pa.decimal256(60, 2))
    pq.write_table(pa.table({"a": column, "kind": ["x", "y", "x"]}), tmp_path / "t.parquet")
    for file in (tmp_path, tmp_path / "t.parquet"):
        told = refused("rank", file, "-m", "sbs-mf")
        assert "t.parquet" in told
        assert "precision must be between 1 and 38" in told


def test_a_cluster_of_this_machine_is_closed_to_others():
    """What ``--cluster local:N`` opens, for work or to look at, listens on this machine's own address only."""
    pytest.importorskip("distributed")
    psutil = pytest.importorskip("psutil")
    with on_cluster("local:1"):
        here = psutil.Process()
        opened = [
            one.laddr.ip
            for process in (here, *here.children(recursive=True))
            for one in process.net_connections("inet")
            if one.status == psutil.CONN_LISTEN
        ]
    assert len(opened) >= 4
    assert set(opened) == {"127.0.0.1"}


def test_rows_are_condensed_in_parts(folder):
    """``tamis condense --parts`` keeps rows of the table; so does a folder, file by file."""
    words = ["-t", "kind", "-m", "condensed-nn"]
    ok("condense", "whole.parquet", *words, "--parts", "3", "-o", "three.parquet")
    ok("condense", "parts", *words, "-o", "folder.parquet")
    whole = pl.read_parquet("whole.parquet")
    for name in ("three.parquet", "folder.parquet"):
        kept = pl.read_parquet(name)
        assert kept.columns == whole.columns
        assert 0 < kept.height < whole.height
        assert kept.join(whole, on=whole.columns, how="anti", nulls_equal=True).height == 0
    assert "has no --parts" in refused("condense", "parts", *words, "--parts", "3")
