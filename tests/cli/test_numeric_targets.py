"""A target of numbers on the command line."""

import numpy as np
import polars as pl
import pytest

from tests.command_line import ok, refused

N = 60


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with a table whose price follows its size, by a column that knows it and among noise."""
    rng = np.random.default_rng(0)
    size = rng.normal(size=N)
    frame = pl.DataFrame(
        {
            "noise": rng.normal(size=N).round(3),
            "size": size.round(3),
            "colour": rng.choice(["red", "blue"], N),
            "stars": rng.integers(1, 6, N),
            "price": (100 + 10 * size + rng.normal(size=N)).round(2),
        }
    )
    frame.write_csv(tmp_path / "t.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_rank_says_what_it_took_the_target_for(folder):
    """Many numbers are a numeric target: the sieve ranks, and a note tells how to overrule it."""
    answer = ok("rank", "t.csv", "-o", "r.csv")
    assert "The target 'price' holds" in answer.stderr
    assert "taken as a numeric target; --target-kind classes" in answer.stderr
    ranked = pl.read_csv("r.csv")
    assert ranked["column"][0] == "size"


def test_few_whole_numbers_are_classes(folder):
    """Up to 20 different numbers are classes, unless the user says otherwise."""
    answer = ok("rank", "t.csv", "-t", "stars", "-m", "univariate-auc", "-o", "r.csv")
    assert "holds 5 different numbers, taken as classes; --target-kind numbers" in answer.stderr
    other = ok(
        "rank", "t.csv", "-t", "stars", "-m", "univariate-auc", "--target-kind", "numbers", "-o", "n.csv"
    )
    assert "taken as" not in other.stderr
    assert pl.read_csv("r.csv")["score"].to_list() != pl.read_csv("n.csv")["score"].to_list()


@pytest.mark.parametrize(
    "method", ["sieve", "sbs-mf", "bdsfs", "univariate-auc", "gram-schmidt", "relieff", "roger", "sfs"]
)
def test_select_by_every_method_that_takes_numbers(folder, method):
    """The kept columns and the target, as they were."""
    ok("select", "t.csv", "-m", method, "--keep", 1, "-o", "s.csv")
    assert pl.read_csv("s.csv").columns == ["size", "price"]
    assert pl.read_csv("s.csv")["price"].to_list() == pl.read_csv("t.csv")["price"].to_list()


def test_what_is_refused(folder):
    """A method for classes, a kind that is none, a text as numbers, an infinite target."""
    assert "Simba is for classes" in refused("rank", "t.csv", "-m", "simba")
    assert "Use one of auto, classes, numbers." in refused("rank", "t.csv", "--target-kind", "number")
    told = refused("rank", "t.csv", "-t", "colour", "--target-kind", "numbers")
    assert "which are no numbers" in told
    pl.DataFrame({"a": np.arange(30.0), "y": [np.inf, *np.arange(29.0)]}).write_parquet("inf.parquet")
    assert "holds infinite values" in refused("rank", "inf.parquet")


def test_classes_by_force(folder):
    """Each number is a class of its own if the user wants it."""
    frame = pl.read_csv("t.csv").with_columns(grade=pl.col("stars") * 10 + pl.int_range(N) % 5 + 0.5)
    frame.drop("price").write_csv("g.csv")
    assert frame["grade"].n_unique() > 20
    ok("rank", "g.csv", "-m", "relieff", "--target-kind", "classes", "-o", "c.csv")
    ok("rank", "g.csv", "-m", "relieff", "-o", "n.csv")
    assert pl.read_csv("c.csv")["score"].to_list() != pl.read_csv("n.csv")["score"].to_list()


def test_a_column_that_knows_the_answer_is_questioned(folder):
    """One that puts nearly all rows in the order of the target."""
    frame = pl.read_csv("t.csv")
    frame.with_columns(paid=pl.col("price") * 1.19).select("paid", "size", "price").write_csv("leak.csv")
    told = ok("rank", "leak.csv", "-m", "univariate-auc", "-o", "l.csv").stderr
    assert "'paid' alone orders the rows by the target (share of concordant pairs 1.000)." in told


def test_compare_advises_by_r2(folder):
    """Folds, scores and words for numbers; what is for classes only is named; the command to copy works."""
    words = ("-m", "quick", "--model", "ridge", "--repeats", 1, "-o", "out", "--report", "r.html")
    answer = ok("compare", "t.csv", *words)
    assert "margin-prototypes, random are left out: for classes only" in answer.stderr
    assert "t, columns: keep 1 of 4 columns: r2 0.9" in answer.stdout
    assert set(pl.read_parquet("out/scores.parquet").columns) > {"r2", "rmse", "mae", "concordance"}
    page = (folder / "r.html").read_text(encoding="utf-8")
    first = page.partition('class="answer">')[2].partition("</p>")[0]
    assert first.startswith("Keep <b>size</b>: r2 0.9")
    assert "What is predicted for rows held out" in page
    assert page.count("<title>row ") == 2 * N
    command = page.partition("<code>tamis ")[2].partition("</code>")[0]
    ok(*command.split())
    assert pl.read_csv("smaller.csv").columns == ["size", "price"]


def test_compare_by_another_score_and_kind(folder):
    """Few whole numbers are compared as numbers if the user says so, by rmse; a model or a score of the other kind is refused."""
    quick = ("-m", "univariate-auc", "--repeats", 1, "-t", "stars")
    words = (*quick, "--model", "5-nn,sklearn.linear_model.LinearRegression", "--score", "rmse")
    told = ok("compare", "t.csv", *words, "--target-kind", "numbers", "--report", "r.html").stdout
    assert "root mean squared error 1." in told
    assert "'ridge' does not predict" in refused("compare", "t.csv", *quick, "--model", "ridge")
    assert "no score 'rmsd'. Did you mean 'rmse'?" in refused("compare", "t.csv", *quick, "--score", "rmsd")
    assert "no score 'rmse' for a target of classes" in refused("compare", "t.csv", *quick, "--score", "rmse")


def test_sift_says_r2_in_five_lines(folder):
    """The kept columns, what they are worth in r2 and in the target's unit, and a page."""
    answer = ok("sift", "t.csv", "-t", "price", "-o", "kept.csv", "--report", "page.html", "--budget", "60s")
    lines = answer.stdout.splitlines()
    assert lines[0].startswith("Keep ")
    assert lines[1].startswith("Worth: r2 0.")
    assert "(RMSE) where the target's spread is" in lines[1]
    assert lines[3].startswith("Keeping less: ")
    assert "size" in pl.read_csv("kept.csv").columns
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert "puts rows in the order of the target" in page
    assert "r2 on rows not seen" in page
    assert "taken as a numeric target" in answer.stderr


def test_sift_of_noise_finds_nothing(folder):
    """Chance is the mean of the target."""
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({**{f"x{j}": rng.normal(size=60) for j in range(4)}, "y": rng.normal(size=60)})
    frame.write_csv("noise.csv")
    assert ok("sift", "noise.csv", "-t", "y").stdout.startswith("Nothing here beats chance.")
