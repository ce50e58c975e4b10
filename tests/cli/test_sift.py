"""``tamis sift``: five lines, the kept table, and the page."""

import json
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from tamis import Sieve
from tamis.cli import _sift
from tamis.report._sift_page import sift_page
from tamis.study._sifted import _share, sifted
from tamis.table._dataset import Dataset
from tests.command_line import CSV, ok, refused
from tests.report.test_page import HOSTILE, read

STARTS = ("Worth: ", "Sure: ", "Keeping less", "Noticed: ")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty working folder with a table of signal, a copy, a constant, texts and missing values."""
    random = np.random.default_rng(0)
    n = 120
    height = random.normal(size=n)
    colour = random.choice(["red", "blue", "green"], size=n)
    kind = np.where((height + (colour == "red") + random.normal(scale=0.3, size=n)) > 0.3, "a", "b")
    pl.DataFrame(
        {
            "noise": random.normal(size=n),
            "height": height,
            "again": height,
            "colour": [None if value < 0.05 else text for text, value in zip(colour, random.random(n))],
            "flat": 1,
            "kind": kind,
        }
    ).write_csv(tmp_path / "own.csv")
    (tmp_path / "toy.csv").write_text(CSV)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_sift_says_it_in_five_lines_and_writes_what_is_kept(folder):
    """The kept columns stand in the first line and in the file; copies and constants are noticed."""
    answer = ok("sift", "own.csv", "-t", "kind", "-o", "kept.csv", "--report", "page.html", "--budget", "60s")
    lines = answer.stdout.splitlines()
    assert lines[0].startswith("Keep ")
    assert [line.startswith(start) for line, start in zip(lines[1:5], STARTS)] == [True] * 4
    assert "constant: flat" in lines[4]
    assert "again (the same as height)" in lines[4]
    kept = pl.read_csv("kept.csv").columns
    assert {"height", "colour"} <= set(kept)
    assert kept[-1] == "kind"
    assert "again" not in kept
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert lines[0].split(":")[0] in page
    assert "the same as height" in page


def test_sift_begins_with_a_column_that_tells_the_class_by_itself(folder):
    """A leak casts doubt on all that follows: it is said first, with what is kept without it, on the screen and the page."""
    table = pl.read_csv("own.csv")
    leak = (table["kind"] == "a").cast(pl.Float64) + pl.Series(
        np.random.default_rng(1).random(table.height) / 2
    )
    table.insert_column(0, leak.alias("paid, back")).write_csv("leak.csv")
    answer = ok("sift", "leak.csv", "-t", "kind", "--report", "page.html")
    caution, without, keep, *_ = answer.stdout.splitlines()
    assert caution.startswith(
        'Caution: "paid, back" alone tells the class (area under the ROC curve 1.000): is it known before the outcome?'
    )
    assert caution.endswith("""If not: --drop '"paid, back"'""")
    assert keep.startswith('Keep 1 of 6 columns: "paid, back"')
    assert "alone tells" not in answer.stderr
    plain = ok("sift", "own.csv", "-t", "kind").stdout.splitlines()
    assert without == f"Without it: k{plain[0][1:]} {plain[1]}"
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert page.index("Caution: &quot;paid, back&quot;") < page.index("Keep 1 of 6") < page.index("<h2")
    short = ok("sift", "leak.csv", "-t", "kind", "--keep", "2").stdout.splitlines()
    assert short[0] == caution
    assert short[1].startswith("Keep 2 of 6")


def test_sift_takes_a_number_and_a_table_too_small_to_resample(folder):
    """Then it says what it does not know."""
    assert "6 rows are few" in ok("sift", "toy.csv", "-t", "kind").stderr
    answer = ok("sift", "own.csv", "-t", "kind", "--keep", "2")
    assert "rows are few" not in answer.stderr
    given = answer.stdout.splitlines()
    assert given[0].startswith("Keep 2 of 5 columns: ")
    assert given[1] == "Worth: not known: the number was given."
    assert ok("sift", "toy.csv", "-t", "kind").stdout.count("\n") == 5


def test_sift_as_json_has_every_column(folder):
    """From best to worst, with what is kept and why, beside the lines."""
    told = json.loads(ok("sift", "own.csv", "-t", "kind", "--keep", "2", "--json").stdout)
    assert len(told["lines"]) == 5
    assert [row["rank"] for row in told["table"]] == [1, 2, 3, 4, 5]
    assert [row["kept"] for row in told["table"]] == [True, True, False, False, False]
    assert told["table"][-1]["column"] == "flat"
    assert told["table"][-1]["reason"] == "constant"


def test_sift_refuses_what_cannot_be(folder):
    """A sentence, before a file is written over."""
    assert "is no time" in refused("sift", "own.csv", "--budget", "soon")
    (folder / "there.csv").write_text("mine")
    assert "there.csv" in refused("sift", "own.csv", "-t", "kind", "-o", "there.csv")
    assert (folder / "there.csv").read_text() == "mine"


def test_rank_and_select_need_no_method(folder):
    """Without --method it is the sieve."""
    lines = ok("rank", "own.csv", "-t", "kind").stdout.splitlines()
    assert {lines[1].split()[1], lines[2].split()[1]} == {"height", "colour"}
    assert ok("select", "own.csv", "-t", "kind", "--keep", "2").stdout.startswith(
        "sieve keeps 2 of 5 columns"
    )


def test_noise_is_said_to_be_chance():
    """The first line says that nothing here beats chance."""
    random = np.random.default_rng(5)
    X, y = random.normal(size=(60, 8)), np.arange(60) % 2
    fitted = Sieve(cv=3, random_state=0).fit(X, y)
    answer = sifted(fitted, [f"x{j}" for j in range(8)], y)
    assert not answer.beaten
    assert answer.keep.startswith("Nothing here beats chance.")
    halves = [(np.arange(30), np.arange(30, 60)), (np.arange(30, 60), np.arange(30))]
    fitted = Sieve(cv=halves, random_state=0).fit(X, y)
    assert sifted(fitted, [f"x{j}" for j in range(8)], y).keep.startswith("Two folds are too few to show")


def test_one_column_and_its_twin_are_told_in_plain_words():
    """One kept column is "it", 99.8 % is not 100 %, and a column that says the same is named with the other."""
    random = np.random.default_rng(1)
    signal = random.normal(size=200)
    columns = [signal, signal + 0.02 * random.normal(size=200), *random.normal(size=(200, 4)).T]
    X, y = (
        pl.DataFrame(dict(zip(["age", "years", *"abcd"], columns))),
        (signal + 0.3 * random.normal(size=200) > 0).astype(int),
    )
    answer = sifted(Sieve(cv=3, random_state=0).fit(X, y), X.columns, y)
    assert answer.keep in ("Keep 1 of 6 columns: age.", "Keep 1 of 6 columns: years.")
    assert answer.sure.startswith("Sure: it is ")
    assert "age and years" in answer.noticed or "years and age" in answer.noticed
    assert [_share(share) for share in (1.0, 0.9996, 0.87, 0.004)] == ["100 %", "99.9 %", "87 %", "0.4 %"]


def test_a_page_of_hostile_names_runs_nothing():
    """Every name is escaped, in the answer as in the columns."""
    random = np.random.default_rng(0)
    names = HOSTILE[:8]
    X = random.normal(size=(60, 8))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    fitted = Sieve(2, random_state=0).fit(X, y)
    reader = read(sift_page("<b>own</b>", names, fitted, sifted(fitted, names, y)))
    assert [tag for tag, _ in reader.tags].count("script") == 1
    assert not any(name.startswith("on") for _, attributes in reader.tags for name in attributes)


def test_a_page_takes_no_name_for_a_reason():
    """A column called "constant" is none, and one that needs it is not called one either."""
    random = np.random.default_rng(0)
    one, other = random.integers(0, 2, size=(2, 200))
    X = np.column_stack([one, other, random.normal(size=200)])
    fitted = Sieve(2, random_state=0).fit(X, one ^ other)
    names = ["chance", "constant", "z"]
    fitted.reasons_ = [
        "only with constant",
        "only with chance",
        "alone: AUC .60; says what excluded says (rank correlation .97)",
    ]
    page = sift_page("own", names, fitted, sifted(fitted, names, one ^ other))
    assert "Every row looked at has the same value." not in page
    assert "no better than a column of noise" not in page
    assert "left out on request" not in page
    assert page.count("beside that column it does") == 2
    assert "Most of what it says is said by a better column" in page


@pytest.mark.parametrize(("seconds", "n_trials"), [(4.0, 1), (60.0, 2)])
def test_a_trial_is_repeated_only_if_there_is_time(monkeypatch, seconds, n_trials):
    """A trial that takes a second, of four, is the only one; of sixty, another is timed, which compiles no more."""
    clock, fits = [0.0], []
    monkeypatch.setattr(_sift, "time", SimpleNamespace(monotonic=lambda: clock[0]))

    def fit(trial, table, groups=None, weights=None):
        fits.append(trial.max_rows)
        clock[0] += 1.0

    monkeypatch.setattr(_sift, "_fit", fit)
    sieve = Sieve(max_rows=2000)
    table = pl.DataFrame({"a": range(1000)})
    _sift._hasten(sieve, Dataset("t", table, np.arange(1000) % 2, "y", ()), seconds)
    assert len(fits) == n_trials
    assert (sieve.max_rows == 300) == (seconds == 4.0)
