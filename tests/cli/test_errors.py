"""Bad input: one clear sentence before any work, with who, what and what to do; nothing is written.

Through the command line a sentence goes to stderr with exit code 2; through an estimator it is the message of a
ValueError or TypeError.
"""

import os

import polars as pl
import pytest
from typer.testing import CliRunner

import tamis
from tamis import cli
from tamis._methods import METHODS, Method

ROWS = "".join(f"{i},{i * 5 % 7},{i % 3},{'xy'[i % 2]}\n" for i in range(8))
GOOD = "age,size,code,kind\n" + ROWS
RANK = ("rank", "table.csv", "-m", "univariate-auc")


class NeedsTwo(tamis.RandomPrototypes):
    """A method that needs two rows of every class."""

    _min_rows = 2


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty working folder, and a method that needs two rows of every class."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tamis, "NeedsTwo", NeedsTwo, raising=False)
    monkeypatch.setattr("tamis._methods.METHODS", (*METHODS, Method("needs-two", "NeedsTwo", "rows", "Two.")))
    return tmp_path


def sentence(*words):
    """The one sentence with which a command is refused; it leaves the working folder as it was."""
    before = {name: os.stat(name) for name in os.listdir()}
    answer = CliRunner().invoke(cli.app, [str(word) for word in words], catch_exceptions=False)
    after = {name: os.stat(name) for name in os.listdir()}
    assert answer.exit_code == 2, answer.output
    assert answer.stdout == ""
    assert {name: (s.st_size, s.st_mtime_ns) for name, s in before.items()} == {
        name: (s.st_size, s.st_mtime_ns) for name, s in after.items()
    }
    told = [line for line in answer.stderr.splitlines() if not line.startswith("note: ")]
    assert len(told) == 1, answer.stderr
    assert told[0].startswith("tamis: ")
    assert "Traceback" not in told[0]
    return told[0]


# --- files --------------------------------------------------------------------------------------------------

FILES = {
    "labels missing": (GOOD + "9,9,9,\n", RANK, ("1 of 9 rows", "table.csv", "'kind'", "--drop-unlabelled")),
    "no labels at all": ("age,kind\n1,\n2,\n", RANK, ("'kind'", "table.csv", "no labels")),
    "target misspelt": (
        GOOD,
        (*RANK, "-t", "knid"),
        ("'knid'", "table.csv", "Did you mean 'kind'?", "age, size"),
    ),
    "target unlike any": (
        GOOD,
        (*RANK, "-t", "qqqqqq"),
        ("'qqqqqq'", "table.csv", "Columns: age, size, code, kind"),
    ),
    "one class only": (GOOD.replace("y", "x"), RANK, ("'kind'", "one class only", "'x'", "two")),
    "class of one row": (
        GOOD + "9,9,9,z\n",
        ("condense", "table.csv", "-m", "needs-two"),
        ("NeedsTwo: class 'z' has 1 row", "at least 2", "Merge"),
    ),
    "empty file": ("", RANK, ("table.csv is empty", "column names")),
    "blank file": ("\n \n", RANK, ("table.csv is empty", "column names")),
    "header only": ("age,size,kind\n", RANK, ("table.csv", "no rows", "needed")),
    "row too short": (GOOD + "1,2,x\n", RANK, ("line 10 of table.csv", "3 values", "4 columns", "Correct")),
    "row too long": (
        GOOD + "1,2,3,x,5\n",
        RANK,
        ("line 10 of table.csv", "5 values", "4 columns", "Correct"),
    ),
    "wrong encoding": (
        "größe,kind\n1,x\n2,y\n".encode("latin-1"),
        RANK,
        ("table.csv is not UTF-8", "0xf6", "line 1", "--encoding"),
    ),
    "unknown encoding": (GOOD, (*RANK, "--encoding", "utf-99"), ("'utf-99'", "table.csv", "cp1252")),
    "binary file": (bytes(range(256)) * 4, RANK, ("table.csv is not a text file", "CSV")),
    "spreadsheet": (b"PK\x03\x04" + bytes(100), RANK, ("table.csv is not a text file", "spreadsheet", "CSV")),
    "duplicate names": (
        "age,age,kind\n1,2,x\n2,1,y\n",
        RANK,
        ("table.csv", "more than once", "'age'", "Rename"),
    ),
    "no column left": (
        GOOD,
        (*RANK, "--drop", "age,size,code"),
        ("no columns are left", "table.csv", "'kind'"),
    ),
    "target alone": ("kind\nx\ny\n", RANK, ("no columns are left", "table.csv", "'kind'")),
    "infinities": (GOOD + "inf,1,1,x\n", RANK, ("table.csv", "'age' holds infinite values", "--drop age")),
    "all-missing columns": ("gap,kind\n,x\n?,y\nNA,x\n", RANK, ("table.csv", "'gap'", "--drop gap")),
    "columns of dates": (
        "day,kind\n2001-02-03,x\n2001-02-04,y\n2001-02-05,x\n",
        RANK,
        ("table.csv", "'day' holds dates", "--drop day", "--nominal day"),
    ),
    "quantity as target": (
        "age,price\n" + "".join(f"{i},{i * 1.37}\n" for i in range(99)),
        ("condense", "table.csv", "-m", "random"),
        ("'price'", "regression", "--nominal price", "--target"),
    ),
    "drop of no column": (GOOD, (*RANK, "--drop", "sise"), ("'sise'", "Did you mean 'size'?")),
    "nominal of no column": (GOOD, (*RANK, "--nominal", "cod"), ("'cod'", "Did you mean 'code'?")),
    "target dropped": (
        GOOD,
        (*RANK, "-t", "kind", "--drop", "kind"),
        ("'kind'", "cannot be dropped", "--drop"),
    ),
    "nominal and numeric": (
        GOOD,
        (*RANK, "--nominal", "code", "--numeric", "code"),
        ("'code'", "both nominal and numeric", "once"),
    ),
    "texts as numbers": (
        "age,kind\n1,x\nold,y\n2,x\n",
        (*RANK, "--numeric", "age"),
        ("'age'", "'old'", "--missing-values"),
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_a_bad_file_is_refused(folder, name):
    """What is wrong with a file is said with the file's name, the place, and the way out."""
    content, words, parts = FILES[name]
    (folder / "table.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    told = sentence(*words, *(() if "condense" in words else ("-o", "out.csv")))
    for part in parts:
        assert part in told


@pytest.mark.parametrize(
    ("file", "parts"),
    [
        ("absent.csv", ("no file absent.csv",)),
        ("tabel.csv", ("no file tabel.csv", "Did you mean 'table.csv'?")),
        ("no/such/table.csv", ("no folder no/such", "table.csv")),
        (
            "credit-crx",
            ("no file and no data set 'credit-crx'", "Did you mean 'credit_crx'?", "tamis datasets"),
        ),
        ("table.xls", ("table.xls", "as CSV")),
        (".", ("folder",)),
        ("a\0b.csv", ("a\\x00b.csv",)),
        ("x" * 5000 + ".csv", ("name too long",)),
    ],
)
def test_a_file_that_is_not_there_is_refused(folder, file, parts):
    """A path that leads to no table is named, with the path that was probably meant."""
    for name in ("table.csv", "table.xls"):
        (folder / name).write_text(GOOD)
    told = sentence("rank", file, "-m", "univariate-auc")
    for part in parts:
        assert part.lower() in told.lower()


def test_a_broken_archive_is_refused(folder):
    """A .gz file that is cut short is refused with its name."""
    import gzip

    (folder / "table.csv.gz").write_bytes(gzip.compress(GOOD.encode() * 50)[:-40])
    assert "table.csv.gz" in sentence("rank", "table.csv.gz", "-m", "univariate-auc")


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_text_under_a_binary_ending_is_refused(folder, ending):
    """Text named .parquet or .feather is refused with its name."""
    (folder / f"table.{ending}").write_text(GOOD)
    told = sentence("rank", f"table.{ending}", "-m", "univariate-auc")
    assert f"table.{ending}" in told
    assert "ending" in told


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (("--target", "A1"), ("credit_crx is 'target'", "'A1'", "Leave --target out")),
        (("--drop", "A99"), ("no column 'A99' in credit_crx", "Did you mean 'A9'?")),
        (("--nominal", "A2"), ("credit_crx", "--nominal", "Leave it out")),
        (("--drop", ",".join(f"A{i}" for i in range(1, 16))), ("no columns are left in credit_crx", "15")),
    ],
)
def test_a_data_set_keeps_its_columns(folder, words, parts):
    """Options that would make another table of a known data set are refused."""
    told = sentence("rank", "credit_crx", "-m", "univariate-auc", *words)
    for part in parts:
        assert part in told


# --- methods and parameters ---------------------------------------------------------------------------------

SELECT = ("select", "table.csv", "-m", "univariate-auc")
CONDENSE = ("condense", "table.csv", "-m", "random")
PARAMETERS = {
    "unknown method": (
        ("rank", "table.csv", "-m", "univarate-auc"),
        ("'univarate-auc'", "Did you mean 'univariate-auc'?"),
    ),
    "row method for columns": (
        ("rank", "table.csv", "-m", "random"),
        ("random keeps rows", "tamis condense"),
    ),
    "column method for rows": (
        ("condense", "table.csv", "-m", "univariate-auc"),
        ("univariate-auc keeps columns", "tamis rank"),
    ),
    "unknown parameter": (
        (*RANK, "--set", "fold=True"),
        ("univariate-auc", "'fold'", "Did you mean 'folded'?"),
    ),
    "wrong value": ((*RANK, "--set", "folded=3"), ("univariate-auc", "'folded'", "bool", "Got 3")),
    "no value": ((*RANK, "--set", "folded"), ("'folded'", "name=value", "--set random_state=0")),
    "value twice": ((*RANK, "--set", "folded=True", "--set", "folded=False"), ("folded", "twice", "once")),
    "size 0": ((*SELECT, "--keep", "0"), ("--keep 0", "from 1 up", "fraction")),
    "size 1.5": ((*SELECT, "--keep", "1.5"), ("--keep 1.5", "from 1 up", "fraction")),
    "size -1": ((*SELECT, "--keep", "-1"), ("--keep -1", "from 1 up")),
    "size in words": ((*SELECT, "--keep", "many"), ("--keep many", "from 1 up")),
    "size 10 of 3": ((*SELECT, "--keep", "10"), ("n_features_to_select=10", "3 features", "1 to 3")),
    "size 0 by --set": (
        (*SELECT, "--set", "n_features_to_select=0"),
        ("n_features_to_select", "[1, inf)", "Got 0"),
    ),
    "size twice": (
        (*SELECT, "--keep", "2", "--set", "n_features_to_select=2"),
        ("--keep", "n_features_to_select"),
    ),
    "rows 0": ((*CONDENSE, "--keep", "0"), ("--keep 0", "rows")),
    "rows 99 of 8": ((*CONDENSE, "--keep", "99"), ("n_prototypes=99", "8 rows", "1 to 8")),
    "quota of no class": ((*CONDENSE, "--set", "class_quota={'q': 1}"), ("class_quota", "'q'", "Classes")),
    "a list with a line break": ((*RANK, "--drop", "a\nb"), ("list of names", "line break", "double quotes")),
    "an unknown user's file": (
        ("rank", "~nosuchuser/t.csv", "-m", "univariate-auc"),
        ("~nosuchuser", "t.csv"),
    ),
    "seed without chance": ((*RANK, "--seed", "1"), ("univariate-auc", "--seed", "Leave it out")),
    "jobs without jobs": ((*RANK, "--jobs", "2"), ("univariate-auc", "--jobs", "Leave it out")),
    "seed twice": (
        (*CONDENSE, "--seed", "1", "--set", "random_state=1"),
        ("--seed", "random_state", "one of them"),
    ),
}


@pytest.mark.parametrize(
    ("option", "name"), [("--output", "out.csv"), ("--report", "out.html")], ids=["output", "report"]
)
def test_an_unknown_user_s_home_is_no_place_to_write(folder, option, name):
    """``~name`` of a user that nobody knows is a folder that is not there."""
    (folder / "table.csv").write_text(GOOD)
    assert "~nosuchuser" in sentence(*RANK, option, f"~nosuchuser/{name}")


def test_numbers_beyond_counting_are_all_there_is(folder):
    """``--top`` of 400 digits shows every column, ``--max-unpacked`` of as many allows every size."""
    (folder / "table.csv").write_text(GOOD)
    huge = "1" + "0" * 400
    answer = CliRunner().invoke(
        cli.app, [*RANK, "--top", huge, "--max-unpacked", huge + "GB"], catch_exceptions=False
    )
    assert answer.exit_code == 0
    assert answer.stdout == CliRunner().invoke(cli.app, [*RANK]).stdout


@pytest.mark.parametrize("name", PARAMETERS)
def test_a_bad_parameter_is_refused(folder, name):
    """A method or a parameter that does not fit is named, with what would fit."""
    (folder / "table.csv").write_text(GOOD)
    words, parts = PARAMETERS[name]
    told = sentence(*words, "-o", "out.csv")
    for part in parts:
        assert part in told


@pytest.mark.parametrize("name", [name for name in PARAMETERS if " of " not in name])
def test_a_bad_parameter_is_refused_before_the_file_is_read(folder, name):
    """What is wrong with the method is said without a look at the table, which is empty."""
    (folder / "table.csv").touch()
    words, parts = PARAMETERS[name]
    told = sentence(*words)
    for part in parts:
        assert part in told


# --- output -------------------------------------------------------------------------------------------------

OUTPUTS = {
    "absent folder": ("absent/out.csv", ("absent", "out.csv", "Make it")),
    "file as folder": ("table.csv/out.csv", ("table.csv", "out.csv")),
    "folder as file": ("sub.csv", ("sub.csv is a folder",)),
    "unknown ending": ("out.doc", ("'out.doc'", ".csv, .parquet, .json")),
    "no ending": ("out", ("'out'", ".csv, .parquet, .json")),
    "file that exists": ("mine.csv", ("mine.csv", "--force")),
    "read-only folder": ("sealed/out.csv", ("sealed", "cannot be written")),
    "endless name": ("x" * 5000 + ".csv", ("name too long",)),
    "name with a NUL": ("a\0b.csv", ("a\\x00b.csv",)),
}


@pytest.mark.parametrize("command", [RANK, SELECT, CONDENSE], ids=lambda words: words[0])
@pytest.mark.parametrize("name", OUTPUTS)
def test_a_bad_output_is_refused_before_the_file_is_read(folder, monkeypatch, name, command):
    """An output that cannot be written is said before any work: here the table is empty."""
    (folder / "empty.csv").touch()
    (folder / "sub.csv").mkdir()
    (folder / "sealed").mkdir()
    (folder / "mine.csv").write_text("mine")
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: "sealed" not in str(path) and allowed(path, mode))
    output, parts = OUTPUTS[name]
    told = sentence(command[0], "empty.csv", *command[2:], "-o", output)
    for part in parts:
        assert part.lower() in told.lower()


@pytest.mark.parametrize(
    ("output", "force", "parts"),
    [
        ("absent/out", False, ("absent", "Make it")),
        ("mine.csv", True, ("mine.csv",)),
        ("sub", False, ("'sub'", "--force")),
        ("sealed", True, ("sealed", "cannot be written")),
    ],
)
def test_a_bad_demo_folder_is_refused(folder, monkeypatch, output, force, parts):
    """The demo says before any work that its folder cannot be written to."""
    for name in ("sub", "sealed"):
        (folder / name).mkdir()
    (folder / "mine.csv").write_text("mine")
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: "sealed" not in str(path) and allowed(path, mode))
    told = sentence("demo", "-o", output, *(["--force"] if force else []))
    for part in parts:
        assert part in told


def test_a_folder_that_turns_read_only_during_the_work_is_reported(folder, monkeypatch):
    """Where writing fails in the end, one sentence says so and no half file stays."""
    (folder / "table.csv").write_text(GOOD)

    def full(*arguments, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pl.DataFrame, "write_csv", full)
    told = sentence(*RANK, "-o", "out.csv")
    assert "out.csv cannot be written: No space left on device" in told


# --- during the work -----------------------------------------------------------------------------------------


def test_type_errors_of_our_own_are_sentences(folder, monkeypatch):
    """A TypeError that an estimator raises on purpose is said like any other refusal."""

    def fit(self, X, y):
        raise TypeError("UnivariateAUC: this is said on purpose. Do otherwise.")

    monkeypatch.setattr(tamis.UnivariateAUC, "fit", fit)
    (folder / "table.csv").write_text(GOOD)
    assert sentence(*RANK) == "tamis: UnivariateAUC: this is said on purpose. Do otherwise."


def test_too_little_memory_is_a_sentence(folder, monkeypatch):
    """Where memory runs out, one sentence says so."""

    def fit(self, X, y):
        raise MemoryError

    monkeypatch.setattr(tamis.UnivariateAUC, "fit", fit)
    (folder / "table.csv").write_text(GOOD)
    assert "not enough memory" in sentence(*RANK)
