"""The command line, from the options to what is printed and written."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import tamis
from tamis import cli, datasets
from tamis._methods import METHODS, Method, methods
from tamis.cli._demo import DATA_SET
from tamis.cli._estimator import parsed_value
from tamis.cli._output import ENDINGS
from tamis.cli._reading import split_names
from tamis.cli._sentences import plain

CSV = """code,height,colour,kind,weight
1,1.5,red,a,10
2,2.5,blue,b,11
3,,red,a,12
1,4.5,green,b,9
2,0.5,red,a,14
3,5.5,?,b,15
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty working folder that holds toy.csv, with its target in the middle."""
    (tmp_path / "toy.csv").write_text(CSV)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words):
    """Run one command in this process."""
    return CliRunner().invoke(cli.app, [str(word) for word in words], catch_exceptions=False)


def ok(*words):
    """Run one command that must succeed."""
    answer = run(*words)
    assert answer.exit_code == 0, answer.stderr
    return answer


def refused(*words):
    """Run one command that must be refused, and give its one sentence."""
    answer = run(*words)
    assert answer.exit_code == 2
    assert answer.stdout == ""
    lines = [line for line in answer.stderr.splitlines() if not line.startswith("note: ")]
    assert len(lines) == 1, answer.stderr
    assert lines[0].startswith("tamis: ")
    return lines[0]


def shell(*words, **options):
    """Run the installed command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "tamis", *words], capture_output=True, text=True, timeout=120, **options
    )


# --- rank ---------------------------------------------------------------------------------------------------


def test_rank_shows_what_the_estimator_says(folder):
    """The table on the screen has the ranks, names, scores and kept columns of the fitted estimator."""
    lines = ok("rank", "toy.csv", "-t", "kind", "-m", "univariate-auc").stdout.splitlines()
    assert lines[0].split() == ["rank", "column", "score", "kept"]
    table = pl.read_csv("toy.csv", null_values=["?"])
    fitted = tamis.UnivariateAUC().fit(table.drop("kind"), table["kind"])
    order = np.argsort(fitted.ranking_)
    names = np.asarray(table.drop("kind").columns)[order]
    assert [line.split()[1] for line in lines[1:]] == names.tolist()
    assert [float(line.split()[2]) for line in lines[1:]] == pytest.approx(fitted.scores_[order], abs=1e-6)
    assert [line.split()[3:] == ["yes"] for line in lines[1:]] == fitted.support_[order].tolist()


@pytest.mark.parametrize("ending", ENDINGS)
def test_rank_writes_the_format_of_the_ending(folder, ending):
    """--output writes rank, column, score and kept in the format that the file's ending names."""
    answer = ok("rank", "toy.csv", "-t", "kind", "-m", "univariate-auc", "-o", f"ranks{ending}")
    assert answer.stdout.startswith(f"Written to ranks{ending}")
    readers = {".parquet": pl.read_parquet, ".json": pl.read_json, ".feather": pl.read_ipc}
    reader = readers.get(ending, lambda path: pl.read_csv(path, separator="\t" if ".tsv" in ending else ","))
    table = reader(f"ranks{ending}")
    assert table.columns == ["rank", "column", "score", "kept"]
    assert table["rank"].to_list() == [1, 2, 3, 4]
    assert sorted(table["column"]) == ["code", "colour", "height", "weight"]
    assert table["score"].is_sorted(descending=True)
    assert table["kept"].sum() == 2


def test_top_cuts_the_answer_and_changes_nothing_else(folder):
    """--top shows the first lines of the whole answer, and all of it when it asks for more than there is."""
    words = ("rank", "toy.csv", "-t", "kind", "-m", "univariate-auc")
    whole = ok(*words, "-o", "whole.json") and json.loads((folder / "whole.json").read_text())
    ok(*words, "--top", 2, "-o", "two.json")
    ok(*words, "--top", 99, "-o", "all.json")
    assert json.loads((folder / "two.json").read_text()) == whole[:2]
    assert json.loads((folder / "all.json").read_text()) == whole


def test_the_target_is_the_last_column_and_a_note_says_so(folder):
    """Without --target the last column is the target, and stderr says which it is."""
    (folder / "last.csv").write_text("a,b,kind\n1,2,x\n2,1,y\n3,5,x\n")
    answer = ok("rank", "last.csv", "-m", "univariate-auc")
    assert "note: the target is 'kind'" in answer.stderr
    assert "note:" not in answer.stdout


def test_a_data_set_stands_in_place_of_a_file(folder):
    """The name of a shipped data set is read without a file."""
    answer = ok("rank", DATA_SET, "-m", "univariate-auc", "-o", "ranks.csv")
    assert pl.read_csv("ranks.csv").height == datasets.load(DATA_SET).X.width
    assert "note: the target" not in answer.stderr


def test_a_file_comes_before_a_data_set_of_the_same_name(folder):
    """A file in the working folder hides the data set of that name."""
    (folder / DATA_SET).mkdir()
    assert "is a folder" in refused("rank", DATA_SET, "-m", "univariate-auc")


def test_columns_are_what_the_options_say(folder):
    """--nominal, --numeric, --drop and --missing-values reach the reader."""
    (folder / "codes.csv").write_text("zip,age,id,kind\n01,5,1,x\n02,-9,2,y\n01,7,3,x\n02,6,4,y\n")
    ok(
        *("rank", "codes.csv", "-m", "univariate-auc", "-o", "r.csv"),
        *("--numeric", "zip", "--nominal", "age", "--drop", "id", "--missing-values", "-9,none"),
    )
    assert sorted(pl.read_csv("r.csv")["column"]) == ["age", "zip"]


def test_unlabelled_rows_are_left_out_when_asked(folder):
    """--drop-unlabelled leaves rows without a class out of the work and of the answer, and says how many."""
    (folder / "gaps.csv").write_text("a,kind\n1,x\n2,\n3,y\n4,x\n")
    assert "--drop-unlabelled" in refused("condense", "gaps.csv", "-m", "random", "--keep", "1.0")
    answer = ok("condense", "gaps.csv", "-m", "random", "--keep", "1.0", "--drop-unlabelled", "-o", "out.csv")
    assert "1 of 4 rows" in answer.stderr
    assert pl.read_csv("out.csv")["a"].to_list() == [1, 3, 4]


# --- select and condense ------------------------------------------------------------------------------------


def test_select_writes_the_kept_columns_and_the_target(folder):
    """select keeps every row, the kept columns in their order, and the target."""
    ok("select", "toy.csv", "-t", "kind", "-m", "univariate-auc", "--keep", 2, "-o", "kept.csv")
    table, kept = pl.read_csv("toy.csv", null_values=["?"]), pl.read_csv("kept.csv")
    fitted = tamis.UnivariateAUC(2).fit(table.drop("kind"), table["kind"])
    names = [name for name, wanted in zip(table.drop("kind").columns, fitted.support_) if wanted]
    assert [name for name in kept.columns if name != "kind"] == names
    assert kept.select([*names, "kind"]).equals(table.select([*names, "kind"]))


def test_condense_writes_the_kept_rows_in_order(folder):
    """condense keeps every column, and the rows of sample_indices_ in their order."""
    ok(
        "condense",
        "toy.csv",
        "-t",
        "kind",
        "-m",
        "random",
        "--keep",
        "0.5",
        "--seed",
        3,
        "-o",
        "kept.parquet",
    )
    table = pl.read_csv("toy.csv", null_values=["?"])
    fitted = tamis.RandomPrototypes(0.5, random_state=3).fit(table.drop("kind"), table["kind"])
    kept = pl.read_parquet("kept.parquet").select(pl.all().cast(pl.String)).select(table.columns)
    assert kept.equals(table[fitted.sample_indices_.tolist()].select(pl.all().cast(pl.String)))


@pytest.mark.parametrize("words", [("select", "-m", "univariate-auc"), ("condense", "-m", "random")])
def test_without_output_the_head_is_shown_and_nothing_written(folder, words):
    """Without --output the first rows are shown, with the way to write the rest."""
    command, *rest = words
    answer = ok(command, DATA_SET, *rest)
    assert "keeps" in answer.stdout
    assert "Add -o FILE" in answer.stdout
    assert "Shown: 5 of" in answer.stdout
    assert len(answer.stdout.splitlines()) == 8
    assert os.listdir() == ["toy.csv"]


def test_a_wide_table_is_not_shown_whole(folder):
    """Of a table with many columns the first ones and the last are shown, with the number of all."""
    names = [f"c{i}" for i in range(30)]
    rows = "".join(",".join(str(i * j % 5) for j in range(30)) + f",{'xy'[i % 2]}\n" for i in range(9))
    (folder / "wide.csv").write_text(",".join([*names, "kind"]) + "\n" + rows)
    text = ok("select", "wide.csv", "-m", "univariate-auc", "--keep", 30).stdout
    assert text.splitlines()[1].split() == [*names[:7], "kind"]
    assert "Shown: 5 of 9 rows, 8 of 31 columns." in text
    assert "(30 in all)" in text.splitlines()[0]


def test_the_same_command_gives_the_same_answer(folder):
    """Without a seed, a method that draws at random draws the same each time."""
    words = ("condense", DATA_SET, "-m", "random")
    ok(*words, "-o", "one.csv")
    ok(*words, "-o", "two.csv")
    ok(*words, "--seed", 1, "-o", "three.csv")
    ok(*words, "--set", "random_state=1", "-o", "four.csv")
    texts = [(folder / f"{name}.csv").read_text() for name in ("one", "two", "three", "four")]
    assert texts[0] == texts[1] != texts[2] == texts[3]


# --- parameters ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("0.5", 0.5),
        ("None", None),
        ("True", True),
        ("'a'", "a"),
        ("{'a': 1}", {"a": 1}),
        ("proportional", "proportional"),
        ("a b", "a b"),
        ("1if", "1if"),
        ("(" * 500, "(" * 500),
        ("", ""),
    ],
)
def test_values_are_literals_or_texts(text, value):
    """A value is read as a Python literal, and stays text where it is none."""
    assert parsed_value(text) == value


def test_set_reaches_the_estimator(folder):
    """--set passes parameters of any kind on."""
    (folder / "t.csv").write_text("a,kind\n" + "".join(f"{i},{'xy'[i % 2]}\n" for i in range(10)))
    ok("condense", "t.csv", "-m", "random", "--set", "class_quota={'x': 2, 'y': 1}", "-o", "o.csv")
    assert sorted(pl.read_csv("o.csv")["kind"]) == ["x", "x", "y"]


def test_presets_of_a_method_are_passed_and_protected(folder, monkeypatch):
    """A method with presets uses them, and --set cannot turn it into another method."""
    folded = Method("folded", "UnivariateAUC", "columns", "Folded.", {"folded": True})
    monkeypatch.setattr("tamis._methods.METHODS", (*METHODS, folded))
    ok("rank", "toy.csv", "-t", "kind", "-m", "folded", "-o", "one.csv")
    ok("rank", "toy.csv", "-t", "kind", "-m", "univariate-auc", "--set", "folded=True", "-o", "two.csv")
    assert (folder / "one.csv").read_text() == (folder / "two.csv").read_text()
    sentence = refused("rank", "toy.csv", "-t", "kind", "-m", "folded", "--set", "folded=False")
    assert "folded is UnivariateAUC with folded=True" in sentence


def test_names_are_split_at_commas():
    """Lists of names are split at commas, trimmed, freed of doubles, and may be quoted or repeated."""
    assert split_names(["a, b", '"c,d",a', "e"]) == ["a", "b", "c,d", "e"]
    assert split_names(None) == []


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
    assert "Try next:" in answer.stdout


def test_demo_goes_on_without_a_method_that_refuses(folder, monkeypatch):
    """A method that cannot take the demo's table is named in a note, and the others are shown."""

    def fit(self, X, y):
        raise ValueError("BDSFS: nominal columns are not for me. Drop them.")

    monkeypatch.setattr(tamis.BDSFS, "fit", fit)
    answer = ok("demo", "-o", "out")
    assert "note: bdsfs is left out: BDSFS: nominal columns are not for me." in answer.stderr
    assert "univariate-auc" in pl.read_csv("out/ranks.csv").columns
    assert "bdsfs" not in pl.read_csv("out/ranks.csv").columns


def test_demo_does_not_write_into_a_folder_that_is_there(folder):
    """The demo refuses a folder that exists, and with --force replaces its own files and no other."""
    (folder / "out").mkdir()
    (folder / "out" / "mine.txt").write_text("mine")
    assert "--force" in refused("demo", "-o", "out")
    assert os.listdir("out") == ["mine.txt"]
    ok("demo", "-o", "out", "--force")
    ok("demo", "-o", "out", "--force")
    assert (folder / "out" / "mine.txt").read_text() == "mine"
    assert (folder / "out" / "ranks.csv").exists()


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
        "import sys\nfor name in ('pandas', 'pyarrow'):\n sys.modules[name] = None\n"
        "sys.argv = ['tamis', 'select', 'toy.csv', '-t', 'kind', '-m', 'univariate-auc', '-o', 'out.parquet']\n"
        "import tamis.cli\ntamis.cli.main()"
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
