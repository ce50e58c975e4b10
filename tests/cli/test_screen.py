"""The commands that list and show, what they print where, and the command line in a process of its own."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import time

import polars as pl
import pytest
from rich.console import Console

import tamis
from tamis import datasets
from tamis._methods import METHODS, methods
from tamis.cli import _screen
from tamis.cli._demo import DATA_SET
from tamis.cli._sentences import plain
from tests.command_line import CSV, ok, refused, run, shell


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty working folder that holds toy.csv, with its target in the middle."""
    (tmp_path / "toy.csv").write_text(CSV)
    monkeypatch.chdir(tmp_path)
    return tmp_path


# --- JSON and help -------------------------------------------------------------------------------------------


def test_json_names_what_is_kept():
    """--json prints one object, with the lines of the screen, the ranking, and the kept columns by name."""
    words = ("heart_cleveland", "-m", "univariate-auc", "--keep", 3, "--json")
    ranking = json.loads(ok("rank", *words).stdout)["table"]
    best = [row["column"] for row in ranking if row["kept"]]
    selected = json.loads(ok("select", *words).stdout)
    assert (
        sorted(selected["kept"])
        == sorted(best)
        == sorted(selected["lines"][0].partition(": ")[2].split(", "))
    )
    sifted = json.loads(ok("sift", "heart_cleveland", "--keep", 3, "--json").stdout)
    assert len(sifted["kept"]) == 3
    assert ", ".join(sifted["kept"]) in sifted["lines"][0]


def test_json_of_condense_has_figures():
    """--json of condense names the method, its settings, the kept rows, how many of each class, and what they are worth."""
    told = json.loads(ok("condense", "house_votes", "-m", "condensed-nn", "--json").stdout)
    votes = datasets.load("house_votes")
    kept = tamis.CondensedNN(random_state=0).fit(votes.X, votes.y).sample_indices_
    assert (told["method"], told["rows"], told["n_kept"]) == ("condensed-nn", 435, len(kept))
    assert told["kept"] == (kept + 1).tolist()
    assert told["settings"]["order"] == "given"
    by_class = told["by_class"]
    assert [(one["class"], one["rows"]) for one in by_class] == [("democrat", 267), ("republican", 168)]
    assert [one["kept"] for one in by_class] == [
        int((votes.y[kept] == name).sum()) for name in ("democrat", "republican")
    ]
    mean = sum(one["accuracy"] for one in by_class) / 2
    assert told["accuracy"]["kept"] == pytest.approx(mean)
    assert f"{mean:.1%} of {told['accuracy']['n_asked']} rows held out" in told["lines"][1]


def test_json_of_condense_numbers_no_rows_of_a_sample(folder):
    """Rows that are made, and those of a sample, have no number in the table; what is not judged is null."""
    for words in (
        ("--made",),
        ("--sample", "300", "-m", "condensed-nn"),
        ("--parts", "2", "-m", "condensed-nn"),
    ):
        told = json.loads(ok("condense", "house_votes", *words, "--json").stdout)
        assert ("kept" in told) == ("--parts" in words)
        assert (told["accuracy"] is None) == ("--parts" in words)
        assert sum(one["kept"] for one in told["by_class"]) == told["n_kept"]


def test_fractions_of_rankings_have_even_decimals():
    """rank and rank-rows print the fractions of a column with the same number of decimals, small ones too; JSON has them in full."""
    lines = ok("rank", "heart_cleveland", "-m", "univariate-auc").stdout.splitlines()[1:]
    assert {len(line.split()[-1].partition(".")[2]) for line in lines} == {3}
    words = ("rank-rows", "heart_cleveland", "--top", 12)
    lines = ok(*words).stdout.splitlines()
    cells = [line.split() for line in lines[1:13]]
    assert {len(row[-2].partition(".")[2]) for row in cells} == {5}
    assert {len(row[-1].partition(".")[2]) for row in cells} == {3}
    told = json.loads(ok(*words, "--json").stdout)["table"]
    assert [f"{row['value']:.5f}" for row in told] == [row[-2] for row in cells]
    assert any(len(str(row["value"])) > 12 for row in told)


def test_no_summary_is_cut():
    """The lists of commands, of tamis and of its group for researchers, give each summary in full."""
    for words in ((), ("study",)):
        assert not re.search(r"[a-z]\.\.\.$", ok(*words, "--help").stdout, re.MULTILINE)
    assert "problem-space" in ok("study", "--help").stdout


# --- how far long work has come ------------------------------------------------------------------------------


def test_a_bar_is_drawn_on_a_terminal_and_gone_at_the_end(monkeypatch):
    """On a terminal the bar names what is done now, counts, takes no name for markup, and leaves nothing behind."""
    screen = Console(file=io.StringIO(), force_terminal=True, width=100, markup=False)
    monkeypatch.setattr(_screen, "console", lambda err: screen)
    with _screen.progress_bar("[red]own") as progress:
        progress(3, 4, "relieff")
    drawn = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", screen.file.getvalue())
    assert "[red]own: relieff" in drawn
    assert "3/4" in drawn
    assert not drawn.rpartition("\r")[2].strip()


def test_off_a_terminal_there_are_lines_where_they_are_wanted(capsys):
    """Off a terminal nothing is printed; where lines are wanted, the first at once and one for every tenth."""
    for lines in (False, True):
        with _screen.progress_bar("psboost", lines=lines) as progress:
            for done in range(41):
                progress(done, 40)
    printed = capsys.readouterr()
    assert not printed.out
    counts = [
        line.partition(", about")[0] for line in printed.err.splitlines()
    ]  # without the time that is left
    assert counts == [f"psboost: {done} of 40" for done in range(0, 41, 4)]


@pytest.mark.parametrize("words", [("rank", "iris"), ("compare", "iris"), ("reproduce", "psboost")])
def test_no_jobs_are_refused_before_any_work(words, folder):
    """--jobs 0 is refused in one sentence by every command that has the option, and nothing is written."""
    answer = run(*words, "--jobs", "0")
    assert answer.exit_code == 2
    assert "0 processors do no work. Use 1 or more, or -1 for all." in " ".join(answer.stderr.split())
    assert [path.name for path in folder.iterdir()] == ["toy.csv"]


# --- lists and demo -----------------------------------------------------------------------------------------


def test_methods_lists_every_method():
    """tamis methods names every method with its class and what it sifts."""
    text = ok("methods").stdout
    for method in METHODS:
        line = next(line for line in text.splitlines() if line.startswith(f"{method.name} "))
        assert {method.sifts, method.estimator} <= set(line.split())


def test_datasets_lists_every_data_set():
    """tamis datasets names every data set."""
    first = [line.split()[0] for line in ok("datasets").stdout.splitlines()[1:]]
    assert first == list(datasets.names())


def test_datasets_tells_about_one_data_set():
    """tamis datasets NAME gives its size, where it comes from, and its licence."""
    text = ok("datasets", "credit_crx").stdout
    assert "690 rows, 15 columns" in text
    assert "Licence: CC BY 4.0" in text
    assert "Did you mean 'credit_crx'?" in refused("datasets", "credit_cxr")


def test_demo_runs_every_method_and_writes_the_answers(folder):
    """The demo shows and writes a rank for every column and method, and the rows that every row method keeps."""
    answer = ok("demo", "-o", "out")
    columns, rows = [m.name for m in methods("columns")], [m.name for m in methods("rows")]
    ranks = pl.read_csv("out/ranks.csv")
    assert ranks.columns == ["column", *columns]
    data = datasets.load(DATA_SET)
    for name in columns:
        assert sorted(ranks[name]) == list(range(1, data.X.width + 1))
    summary = pl.read_csv("out/rows.csv")
    assert summary["method"].to_list() == rows
    for name, count in zip(rows, summary["rows kept"]):
        assert pl.read_csv(f"out/rows-{name}.csv").height == count
    long = json.loads((folder / "out" / "ranking.json").read_text())
    assert {line["method"] for line in long} == set(columns)
    assert all(name in answer.stdout for name in [*columns, *rows, *data.X.columns])
    *_, heading, kept, fewer, own = answer.stdout.splitlines()
    assert heading == "The answer:"
    assert (kept[:16], fewer[:8]) == ("  columns: keep ", "  rows: ")
    assert "margin-prototypes" in fewer
    assert "moved-prototypes" in fewer
    assert own == "  your own table: tamis sift your-table.csv --target your-column"


@pytest.fixture
def few_methods(monkeypatch):
    """The defaults and some quick methods are all there are: the demo runs in seconds."""
    few = ("sieve", "univariate-auc", "bdsfs", "margin-prototypes", "moved-prototypes", "random")
    monkeypatch.setattr("tamis._methods.METHODS", tuple(one for one in METHODS if one.name in few))


def test_demo_goes_on_without_a_method_that_refuses(folder, few_methods, monkeypatch):
    """A method that cannot take the demo's table is named in a note, and the others are shown."""

    def fit(self, X, y):
        raise ValueError("BDSFS: nominal columns are not for me. Drop them.")

    monkeypatch.setattr(tamis.BDSFS, "fit", fit)
    answer = ok("demo", "-o", "out")
    assert "note: bdsfs is left out: BDSFS: nominal columns are not for me." in answer.stderr
    assert "univariate-auc" in pl.read_csv("out/ranks.csv").columns
    assert "bdsfs" not in pl.read_csv("out/ranks.csv").columns


def test_demo_does_not_write_into_a_folder_that_is_there(folder, few_methods):
    """The demo refuses a folder that exists, and with --force replaces its own files and no other."""
    (folder / "out").mkdir()
    (folder / "out" / "mine.txt").write_text("mine")
    (folder / "out" / "ranks.csv").write_text("old")
    assert "--force" in refused("demo", "-o", "out")
    assert sorted(os.listdir("out")) == ["mine.txt", "ranks.csv"]
    ok("demo", "-o", "out", "--force")
    assert (folder / "out" / "mine.txt").read_text() == "mine"
    assert pl.read_csv("out/ranks.csv").height == datasets.load(DATA_SET).X.width


# --- the screen ---------------------------------------------------------------------------------------------


def test_hostile_names_are_printed_as_plain_text(folder):
    """Markup in a column name is shown as it is; control characters are written out, not sent."""
    name = "[red]x[/red] :smile: \x1b[31m\u202e"
    (folder / "hostile.csv").write_text(f"{name},b,kind\n1,2,x\n2,1,y\n3,5,x\n")
    for words in (("rank", "-m", "univariate-auc"), ("select", "-m", "univariate-auc", "--keep", "2")):
        text = ok(words[0], "hostile.csv", *words[1:]).output
        assert "[red]x[/red] :smile: \\x1b[31m\\u202e" in text
        assert "\x1b" not in text
        assert "\u202e" not in text


def test_hostile_file_names_are_written_out(folder):
    """An error repeats a hostile file name without its escape sequences."""
    answer = run("rank", "\x1b]0;title\x07.csv", "-m", "univariate-auc")
    assert answer.exit_code == 2
    assert "\\x1b]0;title\\x07.csv" in answer.stderr
    assert "\x1b" not in answer.stderr


def test_plain_keeps_ordinary_text():
    """Letters of any script, blanks and joiners of ordinary words stay as they are."""
    for text in ("naïve Größe", "年齢", "می‌خواهم", "a b"):
        assert plain(text) == text
    assert plain("a\nb\tc\x9b\ud800\u2028") == "a\\nb\\tc\\x9b\\ud800\\u2028"


def test_off_a_terminal_nothing_is_cut_or_coloured(folder):
    """In a pipe a long name stands whole on one line, without colours."""
    name = "a_very_long_name_" * 20
    (folder / "long.csv").write_text(f"{name},kind\n1,x\n2,y\n3,x\n")
    lines = ok("rank", "long.csv", "-m", "univariate-auc").stdout.splitlines()
    assert len(lines) == 2
    assert name in lines[1]
    assert all(line == line.rstrip() for line in lines)


# --- real processes -----------------------------------------------------------------------------------------


def test_version():
    """--version prints the version."""
    answer = shell("--version")
    assert (answer.returncode, answer.stdout) == (0, f"tamis {tamis.__version__}\n")


def test_help_loads_nothing_heavy():
    """--help answers without loading a numeric library."""
    script = "import sys, tamis.cli\ntry:\n tamis.cli.main()\nfinally:\n print('MODULES', *sys.modules)"
    answer = subprocess.run(
        [sys.executable, "-c", script, "--help"], capture_output=True, text=True, check=True
    )
    text, _, loaded = answer.stdout.partition("MODULES")
    assert "condense" in text
    assert not {"numpy", "polars", "sklearn", "numba", "scipy"} & set(loaded.split())


def test_pandas_and_pyarrow_are_not_needed(folder):
    """Reading, ranking and writing work where neither pandas nor pyarrow is installed."""
    script = (
        "import sys\nclass Missing:\n def find_spec(self, name, path=None, target=None):\n"
        "  if name in ('pandas', 'pyarrow'): raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Missing())\n"
        "sys.argv = ['tamis', 'select', 'toy.csv', '-t', 'kind', '-m', 'univariate-auc', '-o', 'out.parquet']\n"
        "from tamis.__main__ import main\nmain()"
    )
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert pl.read_parquet("out.parquet").width == 3


def test_output_of_a_terminal_that_knows_no_such_letters(folder):
    """Where the output cannot show a letter, it is written out and the work goes on."""
    (folder / "letters.csv").write_text("年齢,kind\n1,x\n2,y\n3,x\n", encoding="utf-8")
    answer = shell(
        "rank", "letters.csv", "-m", "univariate-auc", env={**os.environ, "PYTHONIOENCODING": "latin-1"}
    )
    assert answer.returncode == 0
    assert "\\u5e74\\u9f62" in answer.stdout


def test_interruption_is_one_line_and_130(folder):
    """Ctrl-C ends the work with one line, exit code 130, and no file."""
    script = (
        "import time, tamis.cli\n"
        "from tamis import UnivariateAUC\n"
        "def fit(self, X, y):\n print('fitting', flush=True)\n time.sleep(60)\n"
        "UnivariateAUC.fit = fit\n"
        "tamis.cli.main()"
    )
    words = ["rank", "toy.csv", "-t", "kind", "-m", "univariate-auc", "-o", "out.csv"]
    with subprocess.Popen(
        [sys.executable, "-c", script, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "fitting\n"
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors == "tamis: interrupted; what was not finished was not written.\n"
    assert os.listdir() == ["toy.csv"]


def test_a_mistake_of_ours_keeps_its_traceback(folder, monkeypatch):
    """An error that no user caused is not dressed up as one."""
    monkeypatch.setattr(tamis.UnivariateAUC, "fit", lambda self, X, y: 1 + "a")
    with pytest.raises(TypeError, match="unsupported operand"):
        run("rank", "toy.csv", "-t", "kind", "-m", "univariate-auc")
