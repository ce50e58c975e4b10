"""The commands that rank, select and condense, from the options to what is written."""

import json
import os
import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import tamis
from tamis import datasets
from tamis._methods import METHODS, Method
from tamis.cli._condense import fitting_default, weight_for_rare
from tamis.cli._demo import DATA_SET
from tamis.cli._estimator import parsed_value
from tamis.cli._output import ENDINGS
from tamis.cli._reading import split_names
from tamis.cli._sample import drawn_rows
from tests.command_line import CSV, ok, refused


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty working folder that holds toy.csv, with its target in the middle."""
    (tmp_path / "toy.csv").write_text(CSV)
    monkeypatch.chdir(tmp_path)
    return tmp_path


# --- rank ---------------------------------------------------------------------------------------------------


def test_rank_shows_what_the_estimator_says(folder):
    """The table on the screen has the ranks, names and scores of the fitted estimator; with --keep, what it keeps."""
    words = ("rank", "toy.csv", "-t", "kind", "-m", "univariate-auc")
    assert ok(*words).stdout.splitlines()[0].split() == ["rank", "column", "score"]
    lines = ok(*words, "--keep", 3).stdout.splitlines()
    assert lines[0].split() == ["rank", "column", "score", "kept"]
    table = pl.read_csv("toy.csv", null_values=["?"])
    fitted = tamis.UnivariateAUC(3).fit(table.drop("kind"), table["kind"])
    order = np.argsort(fitted.ranking_)
    names = np.asarray(table.drop("kind").columns)[order]
    assert [line.split()[1] for line in lines[1:]] == names.tolist()
    assert [line.split()[2] for line in lines[1:]] == [f"{score:.3f}" for score in fitted.scores_[order]]
    assert [line.split()[3:] == ["yes"] for line in lines[1:]] == fitted.support_[order].tolist()


@pytest.mark.parametrize("ending", ENDINGS)
def test_rank_writes_the_format_of_the_ending(folder, ending):
    """--output writes rank, column, score and kept in the format that the file's ending names."""
    answer = ok("rank", "toy.csv", "-t", "kind", "-m", "univariate-auc", "--keep", 2, "-o", f"ranks{ending}")
    assert f"Written to ranks{ending}" in answer.stdout
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
    assert "note: took the last column, 'kind', as the target" in answer.stderr
    assert "note:" not in answer.stdout


def test_a_data_set_stands_in_place_of_a_file(folder):
    """The name of a shipped data set is read without a file."""
    answer = ok("rank", DATA_SET, "-m", "univariate-auc", "-o", "ranks.csv")
    assert pl.read_csv("ranks.csv").height == datasets.load(DATA_SET).X.width
    assert "note: the target" not in answer.stderr


def test_a_file_comes_before_a_data_set_of_the_same_name(folder):
    """A file in the working folder hides the data set of that name."""
    (folder / DATA_SET).mkdir()
    assert f"in the folder {DATA_SET}" in refused("rank", DATA_SET, "-m", "univariate-auc")


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


@pytest.mark.parametrize("method", ["univariate-auc", "sieve"])
def test_auto_keeps_the_fewest_that_do_as_well(folder, method):
    """--keep auto resamples: of a column that decides and four of noise it keeps the one, by any method, and says so."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5)).round(3)
    frame = pl.DataFrame(X, schema=[f"x{j}" for j in range(5)])
    frame.with_columns(pl.Series("y", np.where(X[:, 2] > 0, "yes", "no"))).write_csv("one.csv")
    words = ("one.csv", "-t", "y", "-m", method, "--keep", "auto")
    answer = ok("select", *words, "-o", "s.csv")
    assert pl.read_csv("s.csv").columns == ["x2", "y"]
    assert "note: --keep auto: 1 column, the " in answer.stderr
    if method != "sieve":
        assert ok("rank", *words).stdout.count("yes") == 1


def test_auto_is_refused_where_it_cannot_be(folder):
    """Beside a size in --set, for rows, and for a table in parts that is read whole; classes too small to be split keep half."""
    words = ("rank", "toy.csv", "-t", "kind", "-m", "univariate-auc", "--keep", "auto")
    assert "say the same thing twice" in refused(*words, "--set", "n_features_to_select=2")
    assert "it must be a number of rows" in refused("condense", "toy.csv", "-t", "kind", "--keep", "auto")
    os.mkdir("parts")
    pl.read_csv("toy.csv").write_parquet("parts/all.parquet")
    assert "univariate-auc reads a table in parts whole" in refused("rank", "parts", *words[2:])
    (folder / "tiny.csv").write_text("a,b,y\n1,5,p\n2,7,q\n3,1,r\n")
    assert "too small to be split" in ok("rank", "tiny.csv", *words[4:]).stderr


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


def test_condense_without_a_method_takes_margin_prototypes(folder):
    """The default method is named in the answer, and keeps the rows that MarginPrototypes keeps with seed 0."""
    answer = ok("condense", "toy.csv", "-t", "kind", "--keep", 3, "-o", "kept.csv")
    assert "margin-prototypes keeps 3 of" in answer.stdout
    table = pl.read_csv("toy.csv", null_values=["?"])
    fitted = tamis.MarginPrototypes(3, random_state=0).fit(table.drop("kind"), table["kind"])
    assert pl.read_csv("kept.csv", null_values=["?"])["kind"].to_list() == [
        table["kind"][row] for row in fitted.sample_indices_.tolist()
    ]


@pytest.mark.parametrize(
    ("n_rows", "n_used", "settings", "changes", "said"),
    [
        (10_000, 10_000, [], {}, ""),
        (10_001, 10_001, [], {"n_candidates": 2000}, "2000 of the 10001 rows"),
        (10_001, 10_001, ["n_candidates=none"], {}, ""),
        (300_000, 20_000, [], {"n_candidates": 2000, "n_prototypes": 2000}, "2,000 rows are kept"),
    ],
)
def test_the_default_of_condense_fits_the_number_of_rows(n_rows, n_used, settings, changes, said):
    """Above 10,000 rows it tries fewer candidates, of a sample it keeps 2,000, and both are said."""
    parameters, remark = fitting_default(n_rows, n_used, None, settings)
    assert parameters == changes
    assert said in remark
    assert bool(remark) == bool(said)
    assert fitting_default(n_rows, n_used, "random", settings) == ({}, "")


def test_rows_of_rare_classes_count_more_in_the_default_of_condense(folder):
    """A class far below its even share is weighed, with a note; not where the user chose, nor where no class is rare."""
    labels = np.array(["no"] * 960 + ["yes"] * 40)
    assert weight_for_rare(labels, None, [])[0] == {"class_weight": "balanced"}
    assert "40 rows of 'yes'" in weight_for_rare(labels, None, [])[1]
    assert weight_for_rare(labels, None, ["class_weight=none"]) == ({}, "")
    assert weight_for_rare(labels, "margin-prototypes", []) == ({}, "")
    assert weight_for_rare(labels[900:], None, []) == ({}, "")
    rng = np.random.default_rng(0)
    x = (rng.normal(size=1000) + 2 * (labels == "yes")).round(3)
    pl.DataFrame({"x": x, "y": rng.normal(size=1000).round(3), "kind": labels}).write_csv("rare.csv")
    answer = ok("condense", "rare.csv", "-o", "kept.csv")
    assert "note: rare: 40 rows of 'yes'" in answer.stderr
    assert "rows held out get the right class" in answer.stdout
    assert (pl.read_csv("kept.csv")["kind"] == "yes").sum() >= 5


def test_the_default_says_what_it_leaves_out(folder, monkeypatch):
    """A table above the limit is condensed with fewer candidates, or as a sample, and a note on stderr says so."""
    monkeypatch.setattr("tamis.cli._condense.SAMPLED_FROM", 3)
    answer = ok("condense", "toy.csv", "-t", "kind", "--keep", 2)
    assert "note: margin-prototypes tries 2000 of the" in answer.stderr
    monkeypatch.setattr("tamis.cli._condense.MANY_ROWS", 4)
    answer = ok("condense", "toy.csv", "-t", "kind")
    assert (
        "note: 6 rows are many for margin-prototypes: 4 of them, drawn at random, are used." in answer.stderr
    )
    assert "keeps 2 of 4 rows" in answer.stdout


@pytest.mark.parametrize("words", [("rank", "-m", "relieff"), ("select", "-m", "relieff", "-o", "out.csv")])
def test_a_sample_is_drawn_of_many_rows(folder, words, monkeypatch):
    """Where a method would take long, a sample is ranked, with a note, unless --sample all; select writes every row."""
    command, *rest = words
    many = [replace(method, many_rows=100) for method in METHODS]
    monkeypatch.setattr("tamis._methods.METHODS", tuple(many))
    told = ok(command, DATA_SET, *rest).stderr
    assert "note: 690 rows are many for relieff: 100 of them, drawn at random, are used." in told
    assert "drawn at random" not in ok(command, DATA_SET, *rest, "--sample", "all", "--force").stderr
    assert "drawn at random" not in ok(command, DATA_SET, *rest, "--sample", "50", "--force").stderr
    if command == "select":
        assert pl.read_csv("out.csv").height == 690
    assert "--sample" in refused(command, DATA_SET, "--sample", "some")


def test_a_sample_has_every_class():
    """The rows of a sample ascend; each class has its share of them, and one at least."""
    labels = np.array(["a"] * 900 + ["b"] * 99 + ["c"])
    rows = drawn_rows(labels, 100, 0)
    assert (np.diff(rows) > 0).all()
    assert dict(zip(*np.unique(labels[rows], return_counts=True))) == {"a": 90, "b": 10, "c": 1}
    assert (drawn_rows(labels, 100, 1) != rows).any()


def test_a_dash_is_standard_output(folder):
    """With -o - the table goes to stdout as CSV, and everything else to stderr."""
    answer = ok("select", "toy.csv", "-t", "kind", "-m", "univariate-auc", "--keep", 1, "-o", "-")
    assert answer.stdout.splitlines()[0].endswith(",kind")
    assert len(answer.stdout.splitlines()) == 7
    assert "univariate-auc keeps 1 of" in answer.stderr


@pytest.mark.parametrize("words", [("select", "-m", "univariate-auc"), ("condense", "-m", "random")])
def test_without_output_the_head_is_shown_and_nothing_written(folder, words):
    """Without --output the first rows are shown, with the way to write the rest."""
    command, *rest = words
    answer = ok(command, DATA_SET, *rest)
    assert "keeps" in answer.stdout
    assert "Add -o FILE" in answer.stdout
    assert "Shown: 5 of" in answer.stdout
    assert len(answer.stdout.splitlines()) == 8 + (command == "condense")
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


@pytest.mark.parametrize("word", ["true", "True", "TRUE"])
def test_truth_is_written_as_one_likes(word):
    """--set folded=true means what --set folded=True means."""
    command = ("rank", "ionosphere", "--method", "univariate-auc", "--top", "1", "--set")
    assert ok(*command, f"folded={word}").stdout == ok(*command, "folded=True").stdout


def test_rank_rows_says_how_long_and_shows_a_part(folder, monkeypatch):
    """Of many rows the time is told before they are ranked, and the worst are shown; a file has all of them."""
    from tamis.cli import _rank_rows

    monkeypatch.setattr(_rank_rows, "_MANY_ROWS", 5)
    monkeypatch.setattr(_rank_rows, "_TRIAL_ROWS", 6)
    monkeypatch.setattr(_rank_rows, "_MOST_SHOWN", 2)
    words = ("rank-rows", "toy.csv", "-t", "kind", "--neighbors", 2)
    answer = ok(*words)
    assert re.search(r"6 rows: this may take about [0-9]+ seconds?\.", answer.stderr)
    assert "Shown: 2 of 6 rows." in answer.stdout
    ok(*words, "-o", "rows.csv")
    assert pl.read_csv("rows.csv").height == 6


def test_rank_rows_tries_two_classes_where_one_is_rare(folder, monkeypatch):
    """Rows tried for the time are of two classes, whichever rows are drawn."""
    from tamis.cli import _rank_rows

    monkeypatch.setattr(_rank_rows, "_MANY_ROWS", 5)
    monkeypatch.setattr(_rank_rows, "_TRIAL_ROWS", 4)
    lines = [f"{row},{'rare' if row == 3 else 'usual'}" for row in range(8)]
    (folder / "rare.csv").write_text("\n".join(["a,kind", *lines]), encoding="utf-8")
    assert "8 rows: this may take about" in ok("rank-rows", "rare.csv", "-t", "kind").stderr


def test_rank_rows_says_what_is_known_of_suspects(folder):
    """The estimated share of right labels is a limit, and without suspects nothing is said of it."""
    few = ok("rank-rows", "breast_w", "--top", "1", "--report", "few.html").stdout
    assert (
        "4 of 699 labels look wrong by the votes of the nearest rows. Some of them may be right: at most 10%"
        in few
    )
    breast = datasets.load("breast_w")
    other = 1 - tamis.RowValues().fit(breast.X, breast.y).agreement_
    assert f"where classes overlap; here {other:.0%} of the nearest rows are of another class.\n" in few
    random = np.random.default_rng(0)
    noise = pl.DataFrame({"a": random.random(60), "kind": random.permutation(["x", "y"] * 30)})
    noise.write_csv("noise.csv")
    said = ok("rank-rows", "noise.csv", "-t", "kind", "--top", "1", "--report", "none.html").stdout
    assert "0 of 60 labels look wrong by the votes of the nearest rows.\n" in said
    pages = [(folder / name).read_text(encoding="utf-8") for name in ("few.html", "none.html")]
    assert ["at most 10% by the estimate" in page for page in pages] == [True, False]
    assert re.search(r"row 197 \(suspect\): benign; \w[^<]*\d", pages[0])


def test_rows_without_a_label_are_not_counted(folder):
    """Rows have their numbers among those that are read, as the help says."""
    lines = [f"{row},{'' if row == 2 else 'xy'[row % 2]}" for row in range(9)]
    (folder / "some.csv").write_text("\n".join(["a,kind", *lines]), encoding="utf-8")
    ok("rank-rows", "some.csv", "-t", "kind", "--drop-unlabelled", "--neighbors", 2, "-o", "rows.csv")
    assert sorted(pl.read_csv("rows.csv")["row"].to_list()) == list(range(1, 9))
    assert "rows that --drop-unlabelled leaves out are not counted" in " ".join(
        ok("rank-rows", "--help").stdout.split()
    )


def test_rank_rows_by_confidence(folder):
    """PSBoost's weights, the least first; an unknown word and a page of suspects are refused."""
    answer = ok(
        "rank-rows", "toy.csv", "-t", "kind", "--neighbors", 2, "--by", "confidence", "-o", "rows.csv"
    )
    assert "rows have a confidence below 0" in answer.stdout
    rows = pl.read_csv("rows.csv")
    assert rows.columns == ["row", "label", "confidence", "right", "wrong"]
    assert rows["confidence"].is_sorted()
    words = ("rank-rows", "toy.csv", "-t", "kind", "--by")
    assert "--by worth, but it must be value or confidence." in refused(*words, "worth")
    for rate in ("0", "1", "5", "nan"):
        assert "it must lie between 0 and 1" in refused(*words, "value", "--error-rate", rate)
    assert "--error-rate says which rows are suspects" in refused(*words, "confidence", "--error-rate", 0.2)
    assert "--by confidence does not look for" in refused(*words, "confidence", "--report", "page.html")


def test_rank_rows_with_groups(folder):
    """The column of groups is in no distance, and the values are those of RowValues with these groups."""
    random = np.random.default_rng(0)
    table = pl.DataFrame(
        {
            "person": [f"p{row // 3}" for row in range(30)],
            "a": random.normal(size=30),
            "kind": ["x", "y", "x"] * 10,
        }
    )
    table.write_csv("people.csv")
    words = ("rank-rows", "people.csv", "-t", "kind", "--neighbors", 2, "--groups")
    ok(*words, "person", "-o", "rows.csv")
    fitted = tamis.RowValues(2).fit(table.select("a"), table["kind"], groups=table["person"])
    assert pl.read_csv("rows.csv").sort("row")["value"].to_list() == pytest.approx(fitted.values_.tolist())
    assert "no column 'sex' in people" in refused(*words, "sex")
    assert "--by confidence does not know" in refused(*words, "person", "--by", "confidence")


@pytest.mark.parametrize(
    "words", ["condense", "rank-rows", "rank --keep auto", "select --keep auto", "sift", "compare"]
)
def test_rows_of_no_group_are_refused(words, folder):
    """Missing groups are not one group: every command with --groups says how many there are, and what to do."""
    lines = [f"{'' if row % 5 == 0 else row // 3},{row % 7},{'xy'[row % 2]}" for row in range(30)]
    (folder / "some.csv").write_text("\n".join(["person,a,kind", *lines]), encoding="utf-8")
    command, *more = words.split()
    sentence = refused(command, "some.csv", "-t", "kind", *more, "--groups", "person")
    assert "6 of 30 rows of some have no value in 'person'" in sentence
    assert "Give every row a group" in sentence


def test_condense_keeps_whole_groups(folder):
    """Rows of equal values are kept together, with their column; what knows no groups is refused by name."""
    table = pl.DataFrame(
        {
            "person": [f"p{row // 3}" for row in range(30)],
            "a": np.random.default_rng(0).normal(size=30),
            "kind": ["x", "y", "x"] * 10,
        }
    )
    table.write_csv("people.csv")
    words = ("condense", "people.csv", "-t", "kind", "--groups", "person", "--keep", 12)
    ok(*words, "-o", "kept.csv")
    kept = pl.read_csv("kept.csv")
    assert kept.columns == table.columns
    fitted = tamis.MarginPrototypes(12, random_state=0).fit(
        table.select("a"), table["kind"], groups=table["person"]
    )
    assert kept["person"].to_list() == table["person"][fitted.sample_indices_.tolist()].to_list()
    assert set(kept["person"].value_counts()["count"]) == {3}
    assert "makes rows, which are of no group" in refused(*words, "--made")
    assert "not of parts" in refused(*words, "--parts", 2)
    assert "--sample draws single rows" in refused(*words, "--sample", 10)
