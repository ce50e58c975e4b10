"""tamis compare, and the reports of rank and condense: from the options to what is written."""

import datetime as dt
import json

import numpy as np
import polars as pl
import pytest

from tamis.cli._compare import _said_again, parsed_budget
from tamis.cli._sentences import UserError
from tamis.study import _compare, _recommend
from tests.command_line import ok, refused

HOSTILE = "<script>alert(1)</script>"
QUICK = ("-m", "univariate-auc,random", "-c", "linear", "--folds", 2, "--repeats", 1)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty working folder that holds toy.csv: 40 rows, a hostile name, a nominal column, gaps and groups."""
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 3)).round(3)
    frame = pl.DataFrame(
        {
            HOSTILE: X[:, 0],
            "b": X[:, 1],
            "colour": ["red" if value > 0 else None for value in X[:, 2]],
            "family": np.arange(40) // 4,
            "kind": np.where(X[:, 0] + X[:, 1] > 0, "<b>up", "down"),
        }
    )
    frame.write_csv(tmp_path / "toy.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_it_advises_and_writes_everything(folder):
    """The screen says what to keep; scores, selections, summary and report are written and agree."""
    answer = ok("compare", "toy.csv", "-t", "kind", *QUICK, "-o", "out", "--report", "r.html")
    assert "toy, columns: keep 2 of 4 columns: balanced accuracy 0." in answer.stdout
    assert " on rows that took no part in the choice, 0.500 by chance" in answer.stdout
    assert "toy, rows: " in answer.stdout
    told = json.loads((folder / "out" / "summary.json").read_text())
    scores = pl.read_parquet(folder / "out" / "scores.parquet")
    chosen = told["advice"]["columns"]["chosen"]
    mine = scores.filter(
        (pl.col("method") == chosen["method"])
        & (pl.col("step") == chosen["step"])
        & (pl.col("sifts") == "columns")
    )
    assert mine["balanced_accuracy"].mean() == pytest.approx(chosen["mean"])
    assert told["folds_done"] == 2 * 4
    assert pl.read_parquet(folder / "out" / "selections.parquet").height > 0
    page = (folder / "r.html").read_text(encoding="utf-8")
    assert HOSTILE not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "The columns, from best to worst" in page
    assert len(page) < 2_000_000


def test_what_to_keep_is_worked_out_once(folder, monkeypatch):
    """Screen, files and report tell one recommendation of columns and one of rows, by the score that was asked for."""
    asked = []

    def recommend(comparison, kind, *, score):
        asked.append((kind, score))
        return _recommend.recommend(comparison, kind, score=score)

    monkeypatch.setattr(_compare, "recommend", recommend)
    words = ("--score", "roc_auc", "-o", "out", "--report", "r.html")
    answer = ok("compare", "toy.csv", "-t", "kind", *QUICK, *words)
    assert asked == [("columns", "roc_auc"), ("rows", "roc_auc")]
    assert "area under the ROC curve 0." in answer.stdout
    told = json.loads((folder / "out" / "summary.json").read_text())
    assert {advice["score"] for advice in told["advice"].values()} == {"roc_auc"}


def test_noise_is_said_to_be_noise(folder):
    """Where nothing beats chance, the screen and the report say so first, and nothing is said to be enough."""
    rng = np.random.default_rng(0)
    names = [f"g{j}" for j in range(200)]
    frame = pl.DataFrame(rng.normal(size=(40, 200)), schema=names).with_columns(
        kind=pl.Series(rng.choice(["a", "b"], 40))
    )
    frame.write_csv("noise.csv")
    words = (
        "-m",
        "univariate-auc,gram-schmidt,random",
        "-c",
        "1-nn,linear",
        "-o",
        "out",
        "--report",
        "r.html",
    )
    answer = ok("compare", "noise.csv", "-t", "kind", *words).stdout
    for kind in ("columns", "rows"):
        assert f"noise, {kind}: nothing here beats chance: balanced accuracy 0." in answer
    told = json.loads((folder / "out" / "summary.json").read_text())["advice"]["columns"]
    assert told["against_chance"]["beaten"] is False
    assert told["against_chance"]["mean"] == 0.5
    assert f"balanced accuracy {told['honest_mean']:.3f} ±" in answer
    assert told["best"]["mean"] > told["honest_mean"]
    page = (folder / "r.html").read_text(encoding="utf-8")
    first = page.partition('class="answer">')[2].partition("</p>")[0]
    assert first.startswith("Nothing here beats chance: balanced accuracy ")
    assert "enough" not in page


def test_nothing_is_overwritten_without_leave(folder):
    """A report or folder that is there is refused before any work, unless --force is given."""
    (folder / "r.html").write_text("mine")
    assert "--force" in refused("compare", "toy.csv", "-t", "kind", *QUICK, "--report", "r.html")
    (folder / "out").mkdir()
    assert "--force" in refused("compare", "toy.csv", "-t", "kind", *QUICK, "-o", "out")
    assert (folder / "r.html").read_text() == "mine"


def test_stopped_and_resumed_is_the_same(folder):
    """A journal that lost its end is gone on with, and the scores are those of the whole run."""
    words = ("compare", "toy.csv", "-t", "kind", *QUICK, "-o", "out")
    ok(*words)
    whole = pl.read_parquet("out/scores.parquet")
    journal = folder / "out" / "journal.jsonl"
    journal.write_bytes(journal.read_bytes()[:-700])
    ok(*words, "--resume")
    again = pl.read_parquet("out/scores.parquet")
    assert again.drop("model_seconds", "select_seconds").equals(whole.drop("model_seconds", "select_seconds"))
    assert "another comparison" in refused(*words, "--resume", "--drop", "b")


def test_another_kind_of_column_is_another_comparison(folder):
    """--resume with other --nominal columns is refused: two tables are not mixed."""
    words = ("compare", "toy.csv", "-t", "kind", *QUICK, "-o", "out")
    ok(*words)
    journal = folder / "out" / "journal.jsonl"
    journal.write_bytes(journal.read_bytes()[:-700])
    assert "of other" in (sentence := refused(*words, "--resume", "--nominal", "family"))
    assert "kinds of columns" in sentence


def test_several_tables_are_compared_by_ranks(folder):
    """With several tables the report ends with Friedman's test over them."""
    (folder / "other.csv").write_text((folder / "toy.csv").read_text())
    words = ("-m", "univariate-auc,bdsfs", "-c", "linear", "--folds", 2, "--repeats", 1)
    ok("compare", "toy.csv", "other.csv", "-t", "kind", *words, "-o", "out", "--report", "r.html")
    assert {path.name for path in (folder / "out").iterdir()} >= {"1-scores.parquet", "2-scores.parquet"}
    assert "test over 2 tables" in (folder / "r.html").read_text(encoding="utf-8")


def test_groups_are_a_column_that_is_not_compared(folder):
    """--groups keeps equal values together and takes the column out of the table."""
    ok("compare", "toy.csv", "-t", "kind", *QUICK, "--groups", "family", "-o", "out")
    told = json.loads((folder / "out" / "summary.json").read_text())
    assert told["columns"] == 3
    assert "no column 'famly'" in refused("compare", "toy.csv", "-t", "kind", *QUICK, "--groups", "famly")


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d/%m/%Y", "%Y", "%b %d, %Y"])
def test_time_holds_out_later_rows(folder, form, monkeypatch):
    """--time orders the rows by a column of dates or numbers, which is not compared; each fold is later than its training."""
    frame = pl.read_csv("toy.csv")
    days = [dt.date(1990 + (row * 7) % 40, 12, 13) for row in range(40)]
    frame.with_columns(pl.Series("day", [day.strftime(form) for day in days])).write_csv("days.csv")
    seen = {}

    def spied(X, y, **given):
        seen.update(given, columns=X.columns, y=y.tolist())
        raise ValueError("seen")

    monkeypatch.setattr(_compare, "compare", spied)
    refused("compare", "days.csv", "-t", "kind", *QUICK, "--folds", 3, "--time", "day")
    assert "day" not in seen["columns"]
    assert seen["y"] == frame["kind"][np.argsort([day.year for day in days]).tolist()].to_list()
    assert len(seen["cv"]) == 3
    for train, test in seen["cv"]:
        assert train.max() < test.min()


def test_what_cannot_be_ordered_is_refused(folder):
    """Texts that are no dates, missing times, a column that is not there, --groups besides."""
    words = ("compare", "toy.csv", "-t", "kind", *QUICK, "--time")
    missing = pl.read_csv("toy.csv")["colour"].null_count()
    assert f"{missing} rows of toy have no value in 'colour'" in refused(*words, "colour")
    assert "no column 'when'" in refused(*words, "when")
    assert "--groups and --time" in refused(*words, "b", "--groups", "family")
    pl.read_csv("toy.csv").with_columns(t=pl.lit("soon")).write_csv("soon.csv")
    assert "holds neither dates nor numbers, such as 'soon'" in refused(
        "compare", "soon.csv", "-t", "kind", *QUICK, "--time", "t"
    )


def test_a_long_comparison_says_so_before_it_starts(folder, monkeypatch):
    """The time is estimated by two small comparisons."""
    import tamis.cli._compare as command

    monkeypatch.setattr(command, "_TRIED_ROWS", 20)
    monkeypatch.setattr(command, "_LONG", 0.0)
    monkeypatch.setattr("tamis.study._estimate.FEW", 16)
    monkeypatch.setattr("tamis.study._estimate.MORE", 24)
    answer = ok("compare", "toy.csv", "-t", "kind", *QUICK)
    assert answer.stderr.index("this may take about ") < answer.stderr.index("0 of ")


def test_the_command_of_the_report_reads_the_table_as_the_comparison_did(folder):
    """What was dropped, marked and seeded is in the command, in a form that a shell takes."""
    asked = {"drop": ['"a, b",c'], "missing_values": ["-"], "drop_unlabelled": True, "encoding": None}
    words = [
        "--drop",
        '"a, b",c',
        "--drop",
        "person",
        "--missing-values=-",
        "--drop-unlabelled",
        "--seed",
        "3",
    ]
    assert _said_again(asked, ("person", None), None, 3, False) == words
    weighed = [*words[:4], "--drop", "w", *words[4:]]
    assert _said_again(asked, ("person", None), "w", 3, False) == weighed
    assert _said_again(asked, (None, None), "-w", None, True)[-1] == "--weights=-w"
    ok("compare", "heart_cleveland", *QUICK, "--drop", "age", "--report", "page.html")
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert "tamis select heart_cleveland --target target --drop age --method" in page


def test_rank_and_condense_have_reports(folder):
    """The same page for one ranking and for one set of rows."""
    ok("rank", "toy.csv", "-t", "kind", "-m", "univariate-auc", "--report", "rank.html")
    ok("condense", "toy.csv", "-t", "kind", "-m", "random", "--keep", "0.2", "--report", "rows.html")
    ok("condense", "toy.csv", "-t", "kind", "--made", "--keep", "4", "--report", "made.html")
    ok("rank-rows", "toy.csv", "-t", "kind", "--report", "values.html")
    for name in ("rank.html", "rows.html", "made.html", "values.html"):
        page = (folder / name).read_text(encoding="utf-8")
        assert page.startswith("<!DOCTYPE html>")
        assert HOSTILE not in page
    assert ".html" in refused("rank", "toy.csv", "-t", "kind", "-m", "univariate-auc", "--report", "rank.txt")


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("90s", 90), ("10m", 600), ("1.5H", 5400), (None, None)]
)
def test_budgets_are_times(text, seconds):
    """A number is seconds; s, m and h are understood."""
    assert parsed_budget(text) == seconds


@pytest.mark.parametrize("text", ["", "0", "-5", "ten", "5d"])
def test_what_is_no_time_is_refused(text):
    """A budget that is no time is refused with examples."""
    with pytest.raises(UserError, match="90s, 10m or 2h"):
        parsed_budget(text)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("-m", "sbs-mff"), "Did you mean 'sbs-mf'"),
        (("-c", "svm"), "no classifier 'svm'"),
        (("--score", "auc"), "no score 'auc'"),
    ],
)
def test_mistakes_are_one_sentence(folder, words, says):
    """A wrong method, classifier or score is refused before the file is read."""
    assert says in refused("compare", "toy.csv", *words)
