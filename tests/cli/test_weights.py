"""--weights: a column that says what each row counts, in every command that fits a method."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tamis import MarginPrototypes, Sieve, UnivariateAUC
from tamis._methods import METHODS
from tamis.cli import _compare as command
from tamis.features._curves import takes_weights
from tamis.study import compare
from tamis.study._sifted import sifted
from tests.command_line import ok, refused

QUICK = ("-m", "univariate-auc,random", "-c", "linear,1-nn", "--folds", 2, "--repeats", 1)


@pytest.fixture
def table(tmp_path, monkeypatch):
    """toy.csv in the working folder: 60 rows, three numbers, weights from 0 to 3, families, a class."""
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 3)).round(3)
    frame = pl.DataFrame(
        {
            "a": X[:, 0],
            "b": X[:, 1],
            "c": X[:, 2],
            "w": random.integers(0, 4, 60),
            "family": np.arange(60) // 3,
            "kind": np.where(X[:, 0] + X[:, 1] + random.normal(size=60) / 2 > 0, "up", "down"),
        }
    )
    monkeypatch.chdir(tmp_path)
    frame.write_csv("toy.csv")
    return frame


def parts_of(table):
    """Columns that are judged, classes, weights."""
    return table.select("a", "b", "c"), table["kind"].to_numpy(), table["w"].to_numpy().astype(float)


def test_compare_is_the_function_with_the_column(table):
    """The scores are those of `compare` with sample_weight; the column is not judged; screen and summary name what takes none."""
    answer = ok(
        "compare", "toy.csv", *QUICK, "--drop", "family", "--weights", "w", "-o", "out", "--report", "r.html"
    )
    assert "but not in the fit of random, 1-nn, which take no weights." in " ".join(answer.stderr.split())
    out = Path("out")
    told = json.loads((out / "summary.json").read_text())
    assert (told["columns"], told["rows"]) == (3, int((table["w"] > 0).sum()))
    assert told["unweighted"] == {"methods": ["random"], "models": ["1-nn"]}
    X, y, weights = parts_of(table)
    given = {"models": ["linear", "1-nn"], "cv": 2, "repeats": 1, "sample_weight": weights}
    found = compare(X, y, ["univariate-auc", "random"], **given).scores()
    seconds = ["model_seconds", "select_seconds"]
    assert pl.read_parquet(out / "scores.parquet").drop(seconds).equals(found.drop(seconds))
    assert "Rows count by their weights" in Path("r.html").read_text(encoding="utf-8")


def test_compare_is_gone_on_with_by_the_same_weights_only(table):
    """--resume with other weights is refused."""
    words = ("compare", "toy.csv", *QUICK, "--drop", "family", "-o", "out", "--weights")
    ok(*words, "w")
    ok(*words, "w", "--resume")
    table.with_columns(w=pl.col("w") + 1).write_csv("toy.csv")
    assert "weights" in refused(*words, "w", "--resume")


def test_a_sample_keeps_the_weights_of_its_rows(table, monkeypatch):
    """Rows that are drawn have their own weights, and so have rows in the order of time."""
    seen = {}

    def spied(X, y, **given):
        seen.update(given, rows=X["a"].to_list())
        raise ValueError("seen")

    monkeypatch.setattr("tamis.study.compare", spied, raising=False)
    own = dict(zip(table["a"], table["w"]))
    refused("compare", "toy.csv", *QUICK, "--sample", 20, "--weights", "w")
    assert len(seen["rows"]) < 30
    assert seen["sample_weight"].tolist() == [own[a] for a in seen["rows"]]
    refused("compare", "toy.csv", *QUICK, "--time", "b", "--weights", "w")
    assert len(seen["rows"]) == 60
    assert seen["sample_weight"].tolist() == [own[a] for a in seen["rows"]]


def test_the_time_is_estimated_with_weights(table, monkeypatch):
    """The small comparisons take the weights of their rows."""
    monkeypatch.setattr(command, "_TRIED_ROWS", 20)
    monkeypatch.setattr(command, "_LONG", 0.0)
    monkeypatch.setattr("tamis.study._estimate.FEW", 24)
    monkeypatch.setattr("tamis.study._estimate.MORE", 40)
    assert "this may take about" in ok("compare", "toy.csv", *QUICK, "--weights", "w").stderr


def test_rank_and_select_fit_with_the_weights(table):
    """The ranking is that of `fit` with sample_weight; `select` writes the weights beside what is kept."""
    X, y, weights = parts_of(table)
    words = ("toy.csv", "--drop", "family", "-m", "univariate-auc", "--weights", "w")
    ok("rank", *words, "-o", "ranks.csv", "--report", "r.html")
    found = pl.read_csv("ranks.csv")
    fitted = UnivariateAUC().fit(X, y, sample_weight=weights)
    expected = dict(zip(X.columns, fitted.scores_.tolist()))
    assert {row["column"]: row["score"] for row in found.to_dicts()} == pytest.approx(expected)
    ok("select", *words, "--keep", 1, "-o", "kept.csv")
    best = X.columns[int(np.argmin(fitted.ranking_))]
    assert pl.read_csv("kept.csv").equals(table.select(best, "w", "kind"))
    ok("select", *words, "--keep", "auto", "-o", "auto.csv")
    assert pl.read_csv("auto.csv").columns[-2:] == ["w", "kind"]


def test_condense_keeps_rows_by_their_weights(table):
    """The rows are those of `fit` with sample_weight, of rows of weight, with their weights; made rows have none."""
    left = table.filter(pl.col("w") > 0)
    X, y, weights = parts_of(left)
    words = ("condense", "toy.csv", "--drop", "family", "--keep", 6, "--weights", "w")
    answer = ok(*words, "-o", "kept.csv", "--report", "r.html")
    assert f"{60 - left.height} rows of weight 0 are left out." in answer.stderr
    fitted = MarginPrototypes(6, random_state=0).fit(X, y, sample_weight=weights)
    assert pl.read_csv("kept.csv").equals(left[fitted.sample_indices_.tolist()].drop("family"))
    assert "classes counting alike and rows by their weights" in answer.stdout
    ok(*words, "--made", "-o", "made.csv")
    assert pl.read_csv("made.csv").columns == ["a", "b", "c", "kind"]


def test_sift_takes_weights(table):
    """The five lines are those of the sieve and of chance with weights; the weights stand beside what is kept."""
    X, y, weights = parts_of(table)
    answer = ok(
        "sift", "toy.csv", "--drop", "family", "--weights", "w", "-o", "kept.csv", "--report", "r.html"
    )
    sieve = Sieve(random_state=0).fit(X, y, sample_weight=weights)
    told = sifted(sieve, X.columns, y, weights)
    assert "rows by their weights" in told.worth
    for line in told.lines:
        assert " ".join(line.split()) in " ".join(answer.stdout.split())
    kept = [name for name, is_kept in zip(X.columns, sieve.support_) if is_kept]
    assert pl.read_csv("kept.csv").columns == [*kept, "w", "kind"]
    ok("sift", "toy.csv", "--groups", "family", "--weights", "w", "--budget", "2m")
    ok("sift", "toy.csv", "--time", "family", "--weights", "w")
    ok("sift", "toy.csv", "-t", "a", "--target-kind", "numbers", "--weights", "w", "--drop", "family")


def test_rank_goes_on_with_the_same_weights_only(table):
    """A finished ranking by other weights is not taken for the answer."""
    words = ("rank", "toy.csv", "-m", "univariate-auc", "-o", "ranks.csv")
    ok(*words, "--weights", "w")
    assert "nothing is left to do" in ok(*words, "--weights", "w", "--resume").stdout
    assert "not known to be the answer of this command" in refused(*words, "--resume")


def test_the_default_ranking_takes_weights(table):
    """Without --method the sieve ranks by them, and no verdicts stand beside, since decoys take no weights."""
    ok("rank", "toy.csv", "--drop", "family", "--weights", "w", "-o", "ranks.csv")
    found = pl.read_csv("ranks.csv")
    assert "verdict" not in found.columns
    X, y, weights = parts_of(table)
    fitted = Sieve(random_state=0)
    fitted._rank_only = True
    fitted.fit(X, y, sample_weight=weights)
    assert found["column"][0] == X.columns[int(np.argmin(fitted.ranking_))]


@pytest.mark.parametrize(
    ("change", "words", "says"),
    [
        (None, ("--weights", "v"), "no column 'v' in toy for --weights"),
        (pl.lit(0), ("--weights", "w"), "which is 0 in every row"),
        (pl.col("a"), ("--weights", "w"), "of its values are no weight, such as -"),
        (pl.lit("heavy"), ("--weights", "w"), "60 of its values are no weight, such as 'heavy'"),
        (
            pl.when(pl.col("w") > 0).then(pl.col("w")),
            ("--weights", "w"),
            "rows of toy have no value in 'w', so --weights w cannot tell what they count. Fill in",
        ),
        (None, ("--weights", "kind", "-t", "kind"), "another option names as well"),
        (None, ("--weights", "family", "--groups", "family"), "another option names as well"),
        ((pl.col("kind") == "up").cast(pl.Int8), ("--weights", "w"), "at least 2 classes are needed"),
    ],
)
@pytest.mark.parametrize("name", ["compare", "rank", "select", "sift", "condense"])
def test_weights_that_are_none_are_one_sentence(table, name, change, words, says):
    """Who, what, and what to do, in every command."""
    if change is not None:
        table.with_columns(w=change).write_csv("toy.csv")
    options = {
        "compare": QUICK,
        "rank": ("-m", "univariate-auc", "--keep", "auto"),
        "select": ("-m", "univariate-auc", "--keep", "auto"),
    }
    assert says in refused(name, "toy.csv", *options.get(name, ()), *words)


def test_a_method_that_takes_none_is_refused_with_those_that_do(table):
    """Its answer would not be what was asked for."""
    sentence = refused("rank", "toy.csv", "-m", "stability", "--weights", "w")
    assert "stability takes no --weights" in sentence
    assert "sbs-mf" in sentence
    assert "margin-prototypes" not in sentence
    sentence = refused("condense", "toy.csv", "-m", "drop3", "--weights", "w")
    assert "use one of margin-prototypes, moved-prototypes, psboost, monte-carlo, hill-climbing." in sentence
    for name in ("rank", "select", "sift"):
        assert "--fdr draws decoys, which take no --weights" in refused(
            name, "toy.csv", "--fdr", 0.1, "--weights", "w"
        )


def test_a_table_in_parts_has_no_weights(table):
    """As it has no groups."""
    table.write_parquet("1.parquet")
    table.write_parquet("2.parquet")
    for name in ("rank", "select", "sift", "condense"):
        words = (name, "1.parquet", "2.parquet", "--weights", "w")
        assert "a table in parts has no --weights" in refused(*words, "-o", "out.parquet")
    words = ("condense", "toy.csv", "--parts", 2, "--weights", "w")
    assert "--parts condenses parts of the rows, which have no --weights" in refused(*words)


def test_every_method_that_takes_weights_runs_with_them(table):
    """Of each kind, on the command line."""
    for method in METHODS:
        if method.sifts == "columns" and takes_weights(method.estimator_class()) and not method.compiles_long:
            ok("rank", "toy.csv", "--drop", "family", "-m", method.name, "--weights", "w")
