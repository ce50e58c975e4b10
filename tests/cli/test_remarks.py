"""What the command line says of columns, unasked: codes that are left out, columns that say too much, twins, scores."""

import os

import numpy as np
import polars as pl
import pytest

from tests.command_line import ok, refused

N = 120


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with a table that has an identifier, a code of many categories, a leak and twins."""
    rng = np.random.default_rng(0)
    y = rng.random(N) < 0.5
    size = rng.normal(size=N) + y
    frame = pl.DataFrame(
        {
            "id": np.arange(1000, 1000 + N),
            "key": [f"k{row * 7919 % 10007}" for row in range(N)],
            "zip": [f"z{row % 60}" for row in range(N)],
            "size": size.round(3),
            "inches": (size / 2.54).round(3),
            "paid_back": y * 5.0 + rng.random(N),
            "colour": rng.choice(["red", "blue"], N),
            "kind": np.where(y, "x", "y"),
        }
    )
    frame.write_csv(tmp_path / "t.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("method", ["univariate-auc", "relieff"])
def test_codes_are_left_out_unless_they_are_named(folder, method):
    """An identifier and a text of many categories are given to no method unasked, and a note says why."""
    answer = ok("rank", "t.csv", "-m", method, "-o", "r.csv")
    assert sorted(pl.read_csv("r.csv")["column"]) == ["colour", "inches", "paid_back", "size"]
    told = "'id' (every value differs), 'key' (every value differs), 'zip' (60 categories in 120 rows)"
    assert f"{told}. --nominal key,zip --numeric id uses them." in answer.stderr
    assert "as in an identifier" not in answer.stderr
    ok("rank", "t.csv", "-m", method, "--nominal", "key,zip", "--numeric", "id", "-o", "all.csv")
    assert pl.read_csv("all.csv").height == 7


def test_a_messy_file_needs_no_option_but_the_target(folder):
    """Money, percentages, units, signs of missing values, dates, free text and codes: notes say what was guessed."""
    rng = np.random.default_rng(0)
    y = rng.random(N) < 0.5
    words = np.array(["slow", "we", "left", "because", "price", "is", "high"])
    pl.DataFrame(
        {
            "zip": rng.integers(10_000, 10_300, N),
            "signup": [f"{1 + row % 28}/{1 + row % 12}/2024" for row in range(N)],
            "rate": [f"{value:.0f}%" for value in rng.normal(40, 10, N)],
            "spend": [f"${value:,.2f}" for value in rng.normal(1000, 100, N) + 300 * y],
            "weight": [f"{value:.1f} kg" for value in rng.normal(70, 9, N)],
            "balance": [
                f"({value:.2f})" if row % 2 else f"{value:.2f}" for row, value in enumerate(rng.random(N))
            ],
            "visits": ["-" if row % 20 == 0 else str(row * 7 % 30) for row in range(N)],
            "usage": ["#N/A" if row % 9 == 0 else f"{value:.1f}" for row, value in enumerate(rng.random(N))],
            "comment": [" ".join(rng.choice(words, 8)) for _ in range(N)],
            "empty": [""] * N,
            "churn": np.where(y, "yes", "no"),
        }
    ).write_csv("churn.csv")
    told = ok("rank", "churn.csv", "--target", "churn", "-m", "univariate-auc", "-o", "r.csv").stderr
    ranked = pl.read_csv("r.csv")["column"].to_list()
    assert ranked[0] == "spend"
    assert sorted(ranked) == ["balance", "rate", "spend", "usage", "visits", "weight"]
    assert "Read as numbers: 'rate' (" in told
    assert "Read as missing among numbers: '-' in 'visits' (6 rows). --nominal visits reads" in told
    left_out = "'signup' holds dates or times, 'comment' holds free text, 'empty' has no values"
    assert f"Left out: {left_out}." in told
    assert "'zip' (97 numbers, by its name not quantities). --numeric zip uses them." in told
    sift = ok("sift", "churn.csv", "--target", "churn", "--keep", 1)
    assert "Keep 1 of 6 columns: spend." in sift.stdout
    assert f"Left out: {left_out}." in sift.stderr


def test_a_guessed_target_is_named_in_the_error(folder):
    """The last column is taken as the target, and an error about it says so."""
    pl.read_csv("t.csv").select("size", "key").write_csv("last.csv")
    assert "No target was named, so the last column, 'key', was taken." in refused("rank", "last.csv")


def test_codes_in_parquet_files_are_left_out(folder):
    """A table in parts has no dates and codes either, unless they are named."""
    os.mkdir("parts")
    frame = pl.read_csv("t.csv").with_columns(day=pl.date(2024, 1, 1), area_code=pl.int_range(N) * 3 + 7)
    frame = frame.select("id", "area_code", "key", "day", "size", "colour", "kind")
    frame[:50].write_parquet("parts/a.parquet")
    frame[50:].with_columns(pl.col("area_code").cast(pl.Int32)).write_parquet("parts/b.parquet")
    words = ("rank", "parts", "-t", "kind", "-m", "sbs-mf")
    answer = ok(*words, "-o", "r.csv")
    assert sorted(pl.read_csv("r.csv")["column"]) == ["colour", "size"]
    assert "Left out: 'day' holds dates or times." in answer.stderr
    assert "'id' (every value differs)" in answer.stderr
    ok(*words, "--numeric", "id,area_code", "-o", "all.csv")
    assert sorted(pl.read_csv("all.csv")["column"]) == ["area_code", "colour", "id", "size"]


def test_condense_keeps_the_columns_of_its_rows(folder):
    """Rows are written with all their columns, identifiers among them."""
    answer = ok("condense", "t.csv", "--keep", 5, "-m", "random", "-o", "rows.csv")
    assert pl.read_csv("rows.csv").columns == pl.read_csv("t.csv").columns
    assert (
        "rows are compared without their codes: 'id' (every value differs), 'key' (every value differs)"
        in answer.stderr
    )


def test_rows_are_compared_without_codes(folder):
    """Rows and their worth are those of the table without identifiers and codes, unless the user names them."""
    told = ok("condense", "t.csv", "--keep", 9, "-o", "one.csv").stderr
    assert "--nominal key,zip --numeric id compares these too." in told
    frame = pl.read_csv("t.csv")
    frame.drop("id", "key", "zip").write_csv("plain.csv")
    ok("condense", "plain.csv", "--keep", 9, "-o", "two.csv")
    assert pl.read_csv("one.csv").drop("id", "key", "zip").equals(pl.read_csv("two.csv"))
    ok("rank-rows", "t.csv", "-o", "one-worth.csv")
    ok("rank-rows", "plain.csv", "-o", "two-worth.csv")
    assert (folder / "one-worth.csv").read_text() == (folder / "two-worth.csv").read_text()
    asked = ok(
        "condense", "t.csv", "--keep", 9, "--nominal", "key,zip", "--numeric", "id", "-o", "three.csv"
    ).stderr
    assert "without their codes" not in asked


@pytest.mark.parametrize(
    "words", ["rank -m univariate-auc", "select -m univariate-auc", "condense -m condensed-nn", "rank-rows"]
)
def test_leaks_and_twins_are_noted(folder, words):
    """A column that alone separates the classes is questioned, and nearly equal columns are named, for columns and for rows."""
    command, *more = words.split()
    told = ok(command, "t.csv", *more, "-o", "out.csv").stderr
    assert "'paid_back' alone tells the class (area under the ROC curve 1.000)." in told
    assert "Is it known before the outcome? If not: --drop paid_back" in told
    assert "nearly equal columns, of which any one will do: 'size', 'inches'." in told


def test_reports_ask_about_leaks_before_they_answer(folder):
    """A page whose answer rests on a column that may be a leak says so first; its rows are told with the reading notes too."""
    ok("rank", "t.csv", "-m", "univariate-auc", "--report", "rank.html")
    quick = ("--methods", "univariate-auc", "--classifier", "1-nn", "--folds", 2, "--repeats", 1)
    ok("compare", "t.csv", *quick, "--report", "compare.html")
    ok("condense", "t.csv", "-m", "condensed-nn", "--report", "rows.html")
    ok("rank-rows", "t.csv", "--report", "worth.html")
    for name in ("rank.html", "compare.html", "rows.html", "worth.html"):
        page = (folder / name).read_text()
        assert 0 < page.find('class="caution"') < page.find('class="answer"')
    page = (folder / "worth.html").read_text()
    assert "What was noticed in the table" in page
    assert "0 of " in page  # no label looks wrong, and none is said to be right in spite of it
    assert "may be right" not in page


def test_plain_tables_have_no_remarks(folder):
    """Columns that do not separate the classes and differ are not remarked on."""
    frame = pl.read_csv("t.csv").select("size", "colour", "kind")
    frame.write_csv("plain.csv")
    told = ok("rank", "plain.csv", "-m", "univariate-auc", "-t", "kind").stderr
    assert "note:" not in told


@pytest.mark.parametrize(
    ("method", "name"), [("sbs-mf", "score_at_start"), ("bdsfs", "score_alone"), ("univariate-auc", "score")]
)
def test_a_score_that_does_not_fall_with_the_rank_has_another_name(folder, method, name):
    """A search decides the ranking: the scores then are those of another moment, and are called so."""
    ok("rank", "t.csv", "-m", method, "-o", "r.csv")
    assert pl.read_csv("r.csv").columns == ["rank", "column", name]


def test_a_leak_with_missing_values_is_noted(folder):
    """A column counts by the rows that have a value."""
    frame = pl.read_csv("t.csv")
    holes = pl.Series(np.arange(N) % 4 == 0)
    frame = frame.with_columns(paid_back=pl.when(~holes).then("paid_back"))
    frame.write_csv("holes.csv")
    told = ok("rank", "holes.csv", "-m", "univariate-auc", "-t", "kind").stderr
    assert "'paid_back' alone tells the class (area under the ROC curve 1.000)." in told


def test_a_rare_class_that_loses_its_share_is_noted(folder):
    """A class of which less than half of its share is kept is named, with the option that keeps more."""
    rng = np.random.default_rng(1)
    rare = np.arange(400) < 16
    pl.DataFrame(
        {
            "a": rng.normal(size=400) + 0.5 * rare,
            "b": rng.normal(size=400),
            "kind": np.where(rare, "x", "y"),
        }
    ).write_csv("rare.csv")
    told = ok("condense", "rare.csv", "-m", "margin-prototypes", "--keep", 100, "-o", "few.csv").stderr
    n_kept = (pl.read_csv("few.csv")["kind"] == "x").sum()
    assert n_kept < 2
    assert f"rare classes keep less than their share: {n_kept} of 16 rows of 'x'." in told
    assert "--set class_weight=balanced keeps more of them." in told
    whole = ok("condense", "rare.csv", "-m", "random", "--keep", 400, "-o", "all.csv").stderr
    assert "rare classes" not in whole
