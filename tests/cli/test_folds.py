"""``--groups`` and ``--time`` of sift, rank and select: rows that stay together, and later rows."""

import datetime as dt

import numpy as np
import polars as pl
import pytest

from tamis import EFR, FS2Boost, ReliefF, Sieve, Simba
from tests.command_line import ok, refused


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Rows in no order of their days, four of each patient."""
    random = np.random.default_rng(0)
    n = 80
    height = random.normal(size=n)
    days = random.permutation(n)
    pl.DataFrame(
        {
            "day": [str(dt.date(2024, 1, 1) + dt.timedelta(days=int(day))) for day in days],
            "patient": [f"p{row // 4}" for row in range(n)],
            "noise": random.normal(size=n),
            "height": height,
            "kind": np.where(height + 0.3 * random.normal(size=n) > 0, "a", "b"),
        }
    ).write_csv(tmp_path / "own.csv")
    monkeypatch.chdir(tmp_path)
    return days


@pytest.fixture
def seen(monkeypatch):
    """What the sieves of a command were fitted on: their folds, columns and groups."""
    fits, original = [], Sieve.fit

    def fit(self, X, y, sample_weight=None, *, groups=None):
        if not self._rank_only:
            fits.append((self.cv, list(getattr(X, "columns", ())), groups))
        return original(self, X, y, sample_weight, groups=groups)

    monkeypatch.setattr(Sieve, "fit", fit)
    return fits


COMMANDS = {
    "sift": ("sift", "own.csv", "-t", "kind"),
    "rank": ("rank", "own.csv", "-t", "kind", "--keep", "auto"),
    "rank by auc": ("rank", "own.csv", "-t", "kind", "--keep", "auto", "--method", "univariate-auc"),
    "select": ("select", "own.csv", "-t", "kind", "--keep", "auto", "-o", "kept.csv"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_time_holds_out_later_rows(folder, seen, command):
    """Every fold learns from earlier rows than it is judged on; the column of days is left out."""
    ok(*COMMANDS[command], "--time", "day")
    splits, columns, groups = seen[0]
    assert groups is None
    assert "day" not in columns
    assert len(splits) == 5
    assert all(folder[train].max() < folder[test].min() for train, test in splits)


@pytest.mark.parametrize("command", COMMANDS)
def test_groups_stay_together(folder, seen, command):
    """No patient is on both sides of a fold; the column of patients is left out."""
    ok(*COMMANDS[command], "--groups", "patient", "--nominal", "day")
    splits, columns, groups = seen[0]
    assert groups.tolist() == [f"p{row // 4}" for row in range(80)]
    assert "patient" not in columns
    patient = np.arange(80) // 4
    assert all(not set(patient[train]) & set(patient[test]) for train, test in splits)
    assert sorted(np.concatenate([test for _, test in splits])) == list(range(80))


GIVEN = {
    "relieff": ReliefF,
    "simba": Simba,
    "fs2boost": FS2Boost,
    "efr": EFR,
    None: Sieve,
}


@pytest.mark.parametrize("method", GIVEN)
@pytest.mark.parametrize(
    "command", [("rank",), ("rank", "--keep", 1), ("select", "--keep", 1, "-o", "kept.csv")]
)
def test_groups_are_handed_to_every_method_that_takes_them(folder, monkeypatch, method, command):
    """Where nothing is held out as well; the column of patients is left out, and no verdicts stand beside, which take no groups."""
    fits, original = [], GIVEN[method].fit

    def fit(self, X, y, sample_weight=None, *, groups=None):
        fits.append((list(getattr(X, "columns", ())), groups))
        return original(self, X, y, sample_weight, groups=groups)

    monkeypatch.setattr(GIVEN[method], "fit", fit)
    words = ("own.csv", "-t", "kind", "--drop", "day", "--groups", "patient")
    if method is not None:
        words += ("--method", method, *(("--set", "n_estimators=3") if method == "efr" else ()))
    printed = ok(command[0], *words, *command[1:]).stdout
    assert "noise" in fits[0][0]
    assert "patient" not in fits[0][0]
    assert fits[0][1].tolist() == [f"p{row // 4}" for row in range(80)]
    assert "verdict" not in printed


def test_a_run_with_other_groups_is_another_run(folder):
    """--resume goes on with the same groups only."""
    words = ("rank", "own.csv", "-t", "kind", "--drop", "day", "--method", "simba", "-o", "ranked.csv")
    ok(*words, "--groups", "patient")
    assert "Written" not in ok(*words, "--groups", "patient", "--resume").stdout
    pl.read_csv("own.csv").with_columns(patient=pl.col("patient").reverse().shuffle(1)).write_csv("own.csv")
    assert "--force" in refused(*words, "--groups", "patient", "--resume")


def test_groups_stay_together_without_a_doubtful_column_too(folder, seen):
    """Where a column tells the class by itself, the table is sifted again without it, by the same folds and groups."""
    pl.read_csv("own.csv").with_columns(kind=pl.col("height") > 0, more=pl.col("height") ** 2).write_csv(
        "own.csv"
    )
    assert (
        "Without it: " in ok("sift", "own.csv", "-t", "kind", "--groups", "patient", "--drop", "day").stdout
    )
    assert len(seen) == 2
    assert seen[0][2].tolist() == seen[1][2].tolist()


def test_written_rows_keep_their_order(folder):
    """What is written has the rows as they were."""
    ok(*COMMANDS["select"], "--time", "day")
    given, kept = pl.read_csv("own.csv"), pl.read_csv("kept.csv")
    assert kept["kind"].to_list() == given["kind"].to_list()
    assert "day" not in kept.columns


def test_what_cannot_be_is_refused(folder):
    """Both at once, nothing to hold out, a column that is not there, a single group."""
    for words in (("sift", "own.csv", "-t", "kind"), ("rank", "own.csv", "-t", "kind", "--keep", "auto")):
        assert "--groups and --time" in refused(*words, "--groups", "patient", "--time", "day")
        assert "no column 'x' in own" in refused(*words, "--time", "x")
    assert "Add --keep auto." in refused("rank", "own.csv", "-t", "kind", "--time", "day")
    pl.read_csv("own.csv").head(9).write_csv("short.csv")
    assert "9 rows are too few for 5 folds in time. Leave --time out" in refused(
        "sift", "short.csv", "-t", "kind", "--time", "day"
    )
    assert "Add --keep auto." in refused("sift", "own.csv", "-t", "kind", "--fdr", 0.1, "--groups", "patient")
    for more in (("--fdr", 0.1), ("--method", "univariate-auc"), ("--method", "univariate-auc", "--keep", 2)):
        assert "Add --keep auto." in refused("rank", "own.csv", "-t", "kind", *more, "--groups", "patient")
    frame = pl.read_csv("own.csv").with_columns(pl.lit("p").alias("patient"))
    frame.write_csv("one.csv")
    assert "one value only" in refused("sift", "one.csv", "-t", "kind", "--groups", "patient")
