"""What columns and targets hold: what is used, what is noted, what is refused."""

import datetime as dt
from pathlib import Path

import polars as pl
import pytest

from tamis.table._dataset import Dataset, TableError
from tamis.table.reading.read import read


def table(folder: Path, column: list[object], name: str = "a", **wishes: object) -> Dataset:
    """Read a Parquet file of one odd column, one plain one and two classes."""
    n_rows = len(column)
    frame = pl.DataFrame(
        {
            name: pl.Series(column, strict=False),
            "plain": [i % 3 for i in range(n_rows)],
            "kind": ["xy"[i % 2] for i in range(n_rows)],
        }
    )
    frame.write_parquet(folder / "t.parquet")
    return read(folder / "t.parquet", **wishes)  # type: ignore[arg-type]


def target(folder: Path, labels: list[object], **wishes: object) -> Dataset:
    frame = pl.DataFrame({"a": [i % 7 for i in range(len(labels))], "kind": labels})
    frame.write_parquet(folder / "t.parquet")
    return read(folder / "t.parquet", **wishes)  # type: ignore[arg-type]


def test_ordinary_columns_need_no_note(tmp_path: Path) -> None:
    """Numbers, recurring texts and booleans are used without a word."""
    for column in ([1.5, 2.5, 1.5, None], ["u", "v", "u", None], [True, False, None, True], [3, 1, 2, 3]):
        assert table(tmp_path, list(column)).notes == ()


@pytest.mark.parametrize("column", [[7] * 4, ["u"] * 4, [True] * 4, [0.5] * 4])
def test_constants_are_used_with_a_note(tmp_path: Path, column: list[object]) -> None:
    """A constant column stays, and a note names it."""
    dataset = table(tmp_path, column)
    assert "a" in dataset.X.columns
    assert dataset.notes == ("Constant, so of no use to any method: 'a'.",)


def test_a_constant_with_gaps_is_no_constant(tmp_path: Path) -> None:
    """Whether a value is there may matter, so a constant with gaps is not noted."""
    assert table(tmp_path, [7, None, 7, None]).notes == ()


def test_all_different_texts_look_like_an_identifier(tmp_path: Path) -> None:
    """A text column whose every value differs is noted, with the option that leaves it out."""
    dataset = table(tmp_path, [f"S{i}" for i in range(20)], "sample")
    assert dataset.notes == (
        "Every value differs, as in an identifier: 'sample'. --drop sample leaves it out.",
    )


@pytest.mark.parametrize("name", ["id", "ID", "patient_id", "PatientID", "row id", "customerId", "index"])
def test_all_different_whole_numbers_under_such_a_name_are_an_identifier(tmp_path: Path, name: str) -> None:
    """Whole numbers that all differ are noted if their column is named like an identifier."""
    column: list[object] = [(i * 37) % 1009 for i in range(20)]
    assert "identifier" in table(tmp_path, column, name).notes[0]
    assert table(tmp_path, column, "idea").notes == ()
    assert table(tmp_path, [*column[:-1], column[0]], name).notes == ()


def test_a_count_of_the_rows_is_an_identifier_under_any_name(tmp_path: Path) -> None:
    """Whole numbers that count the rows are noted."""
    assert "identifier" in table(tmp_path, list(range(5, 25)), "n").notes[0]
    assert table(tmp_path, list(range(5)), "n").notes == ()


@pytest.mark.parametrize(
    "column",
    [
        [dt.date(2020, 1, 2), dt.date(2020, 1, 3)],
        [dt.datetime(2020, 1, 2, 3), dt.datetime(2020, 1, 3)],
        [dt.time(3), dt.time(4)],
        [dt.timedelta(3), dt.timedelta(4)],
        ["2020-01-02", "2020-12-31"],
        ["2020-01-02T03:04:05Z", "2020-01-02T03:04:05.678+01:00"],
        ["2020-01-02 03:04", "2020-01-02 03:04:05"],
        ["2020/1/2", "2020/12/31"],
        ["31/12/2020", "1/2/2020"],
        ["12/31/2020", "1/2/2020"],
        ["12/31/99", "1/2/01"],
        ["31.12.2020", "1.2.2020"],
        ["31-12-2020", "01-02-2020"],
        ["31-Dec-2020", "1-Feb-2020"],
        ["31 December 2020", "1 Feb 2020"],
        ["Dec 31, 2020", "February 1 2020"],
        ["03:04", "23:59:59"],
    ],
)
def test_dates_are_refused_by_name(tmp_path: Path, column: list[object]) -> None:
    """A column of dates or times, typed or as text, is an error that names it and the options that go on."""
    message = "'a' holds dates or times. Use --drop a to leave out .*, or --nominal a for categories"
    with pytest.raises(TableError, match=message):
        table(tmp_path, column * 3)
    assert table(tmp_path, column * 3, drop="a").X.columns == ["plain"]
    assert table(tmp_path, column * 3, nominal="a").X["a"].dtype == pl.String


@pytest.mark.parametrize("values", [["40-49", "5-9"], ["1/2", "3/4"], ["1.2.3", "10.0.1"], ["may", "june"], ["20-30", "30-40"]])  # fmt: skip
def test_what_only_resembles_dates_is_used(tmp_path: Path, values: list[object]) -> None:
    """Ranges, fractions, versions and names of months are categories."""
    assert table(tmp_path, values * 3).notes == ()


def test_free_text_is_refused_by_name(tmp_path: Path) -> None:
    """Mostly different sentences are an error; the same few sentences are categories."""
    column: list[object] = [f"the customer number {i} called twice" for i in range(10)]
    with pytest.raises(TableError, match=r"'a' holds free text.*--drop a.*--nominal a"):
        table(tmp_path, column)
    assert table(tmp_path, column, nominal="a").X.width == 2
    assert table(tmp_path, column[:2] * 5).notes == ()


def test_numbers_spoilt_by_a_few_texts_are_refused(tmp_path: Path) -> None:
    """A column of many numbers and few texts names the texts and the options for them."""
    text = "a,kind\n" + "".join(f"{i * 1.5},{'xy'[i % 2]}\n" for i in range(100)) + "12a,x\nunknown,y\n"
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(
        TableError, match=r"'a' holds numbers but for '12a', 'unknown'.*--missing-values 12a,unknown"
    ):
        read(tmp_path / "t.csv")
    assert read(tmp_path / "t.csv", nominal="a").X["a"][0] == "0.0"
    assert read(tmp_path / "t.csv", missing_values=["12a", "unknown"]).X["a"].to_list()[-3:] == [
        148.5,
        None,
        None,
    ]


def slipped(tmp_path: Path, n_rows: int, slips: dict[int, str], more: str = "", **wishes: object) -> Dataset:
    """A table of few different numbers with texts among them, in rows counted from 1, and an empty label in row 2."""
    lines = [f"{slips.get(row, row % 5)},{row / 7:.3f},{'xy'[row % 2]}" for row in range(1, n_rows + 1)]
    (tmp_path / "t.csv").write_text("\n".join(["size,plain,kind", *lines, *more.split()]) + "\n")
    return read(tmp_path / "t.csv", **wishes)  # type: ignore[arg-type]


@pytest.mark.parametrize("n_rows", [40, 6000, 60_000])
def test_a_slip_among_few_different_numbers_is_noted(tmp_path: Path, n_rows: int) -> None:
    """A text among numbers makes a column of categories of it; a note names the text, its row and the ways out."""
    dataset = slipped(tmp_path, n_rows, {n_rows - 7: "l0"})
    assert dataset.X["size"].dtype == pl.Categorical
    (note,) = (note for note in dataset.notes if "size" in note)
    assert f"'size' holds numbers but for 'l0' (row {n_rows - 7}), and is read as categories" in note
    assert "--missing-values l0" in note
    assert "--nominal size" in note
    assert slipped(tmp_path, n_rows, {n_rows - 7: "l0"}, missing_values="l0").X["size"].dtype == pl.Int64
    assert not [note for note in slipped(tmp_path, n_rows, {}, nominal="size").notes if "size" in note]
    assert not [note for note in slipped(tmp_path, n_rows, {5: "l0"}, nominal="size").notes if "size" in note]


def test_several_slips_are_noted_with_their_rows(tmp_path: Path) -> None:
    """The first few by the alphabet are named, each with its first row."""
    notes = slipped(tmp_path, 90, {9: "z", 4: "z", 30: "b", 50: "a", 60: "c"}).notes
    assert any("but for 'a', 'b', 'c', ... (4 in all) (rows 50, 30, 60)" in note for note in notes)


def test_rows_are_counted_as_in_the_file(tmp_path: Path) -> None:
    """Rows that are left out for want of a label count."""
    lines = [
        f"{'oops' if row == 30 else row % 3},{row % 2},{'' if row in (2, 9) else 'xy'[row % 2]}"
        for row in range(1, 41)
    ]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,kind", *lines]) + "\n")
    notes = read(tmp_path / "t.csv", drop_unlabelled=True).notes
    assert any("'oops' (row 30)" in note for note in notes)


def test_categories_and_codes_are_no_slips(tmp_path: Path) -> None:
    """Where texts are no rarity, and where numbers are codes, nothing is said."""
    for values in (["1", "2", "5more"] * 4, ["007", "008"] * 20 + ["none"], ["u", "v"] * 20 + ["3"]):
        assert table(tmp_path, list(values)).notes == () or "numbers but" not in str(
            table(tmp_path, list(values)).notes
        )


def test_many_numbers_spoilt_by_a_text_are_refused_with_its_row(tmp_path: Path) -> None:
    """The error, too, says where the text stands."""
    (tmp_path / "t.csv").write_text(
        "a,kind\n" + "".join(f"{'12a' if i == 70 else i * 1.5},{'xy'[i % 2]}\n" for i in range(100))
    )
    with pytest.raises(TableError, match=r"numbers but for '12a' \(row 71\)"):
        read(tmp_path / "t.csv")


def test_a_slip_among_classes_is_noted(tmp_path: Path) -> None:
    """A text among classes that are numbers is a class of its own, and that is said, with its row."""
    lines = [f"{row % 7},{'O' if row == 17 else row % 2}" for row in range(1, 61)]
    (tmp_path / "t.csv").write_text("\n".join(["a,kind", *lines]) + "\n")
    dataset = read(tmp_path / "t.csv")
    assert set(dataset.y) == {"0", "1", "O"}
    assert any("The target 'kind' holds numbers but for 'O' (row 17)" in note for note in dataset.notes)
    assert read(tmp_path / "t.csv", nominal="kind").notes == ()


def test_numbers_as_text_in_a_typed_file_are_refused(tmp_path: Path) -> None:
    """Many numbers that a Parquet file holds as text are named, with --numeric as the way."""
    column: list[object] = [str(i / 2) for i in range(50)]
    with pytest.raises(TableError, match=r"'a' holds numbers as text.*--numeric a"):
        table(tmp_path, column)
    assert table(tmp_path, column, numeric="a").X["a"].dtype == pl.Float64


def test_few_numbers_among_categories_are_categories(tmp_path: Path) -> None:
    """0, 1, 2 and 3+ are four categories."""
    assert table(tmp_path, ["0", "1", "2", "3+"] * 10).notes == ()


@pytest.mark.parametrize(
    ("column", "dtype"), [([[1], [2]], "List"), ([{"u": 1}, {"u": 2}], "Struct"), ([b"u", b"v"], "Binary")]
)
def test_nested_and_binary_values_are_refused(tmp_path: Path, column: list[object], dtype: str) -> None:
    """Values that are neither numbers nor texts are named with their type, also when they are forced to be."""
    with pytest.raises(TableError, match=f"'a' holds values of type {dtype}.*--drop a"):
        table(tmp_path, column)
    with pytest.raises(
        TableError, match=f"--numeric names 'a' of t.parquet, but it holds values of type {dtype}"
    ):
        table(tmp_path, column, numeric="a")


def test_decimals_become_floats(tmp_path: Path) -> None:
    """A Parquet file's decimals are numbers."""
    frame = pl.DataFrame({"a": pl.Series(["1.5", "2.5"]).cast(pl.Decimal(10, 2)), "kind": ["x", "y"]})
    frame.write_parquet(tmp_path / "t.parquet")
    assert read(tmp_path / "t.parquet").X["a"].to_list() == [1.5, 2.5]


def test_fractions_as_target_look_like_regression(tmp_path: Path) -> None:
    """Many different numbers with fractions are an error, unless the caller says that they name classes."""
    labels: list[object] = [i / 7 for i in range(60)]
    with pytest.raises(TableError, match=r"'kind' of t.parquet looks like regression: 60 different numbers"):
        target(tmp_path, labels)
    assert len(set(target(tmp_path, labels, nominal="kind").y)) == 60
    assert target(tmp_path, [0.5, 1.5] * 30).notes == ()


def test_hundreds_of_whole_numbers_as_target_are_noted(tmp_path: Path) -> None:
    """Hundreds of different whole numbers are used as classes, and a note says what that looks like."""
    (note,) = target(tmp_path, list(range(300))).notes
    assert "'kind' has 300 different numbers and looks like regression" in note
    assert target(tmp_path, [i % 50 for i in range(300)]).notes == ()


def test_all_different_texts_as_target_are_refused(tmp_path: Path) -> None:
    """A target whose texts mostly differ names no classes."""
    with pytest.raises(TableError, match=r"'kind' of t.parquet has 30 different texts in 30 rows"):
        target(tmp_path, [f"v{i}" for i in range(30)])


def test_a_target_of_dates_is_refused(tmp_path: Path) -> None:
    """A target that is neither number nor text is named with its type."""
    with pytest.raises(TableError, match=r"'kind' of t.parquet holds values of type Date"):
        target(tmp_path, [dt.date(2020, 1, 2), dt.date(2020, 1, 3)])


def test_a_hint_can_be_pasted_into_a_shell(tmp_path):
    """A name with a blank in it stands in quotes."""
    (tmp_path / "t.csv").write_text("Signed up,b,c\n2020-01-01,1,x\n2021-02-03,2,y\n")
    with pytest.raises(TableError, match="--drop 'Signed up' to leave out"):
        read(tmp_path / "t.csv")
