"""Numbers as people write them: what becomes a number, what stays text, and what the notes say."""

import random
import shlex
from pathlib import Path

import pytest

from tamis.table import Dataset, TableError, read


def table(folder: Path, values: list[str], ending: str = "csv", **wishes: object) -> Dataset:
    """A file with the values in a column `a`, and two classes."""
    text = "a;y\n" if ending == "txt" else "a,y\n"
    mark = ";" if ending == "txt" else ","
    text += "".join(f'"{value}"{mark}{label}\n' for value, label in zip(values, ["yes", "no"] * len(values)))
    (folder / f"t.{ending}").write_text(text, encoding="utf-8")
    return read(folder / f"t.{ending}", target="y", **wishes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        (["37%", "4.5%", "-12 %"], [37, 4.5, -12]),
        (["$481.20", "$1,481.20", "-$3", "$ 0.5"], [481.2, 1481.2, -3, 0.5]),
        (["12.5 kg", "7kg", "0.25 kg"], [12.5, 7, 0.25]),
        (["12 €", "3,5 €", "1000 €"], [12, 3.5, 1000]),
        (["CHF 1'234.50", "CHF 12", "CHF 0.05"], [1234.5, 12, 0.05]),
        (["1 234", "12", "1 234 567"], [1234, 12, 1234567]),
        (["1\u00a0234,5", "12,25", "7"], [1234.5, 12.25, 7]),
        (["(12.50)", "3.00", "(1,234.00)"], [-12.5, 3, -1234]),
        (["(12.50)", "(3.00)", "(1,234.00)"], [-12.5, -3, -1234]),
        (["($5)", "$6", "-$7"], [-5, 6, -7]),
        (["\u22121.5", "2.5", "\u22123"], [-1.5, 2.5, -3]),
        (["5 mg/dL", "6 mg/dL", "7.5 mg/dL"], [5, 6, 7.5]),
        (["9th", "10th", "11th", "12th"], [9, 10, 11, 12]),
    ],
)
def test_written_numbers_are_numbers_with_a_note(
    tmp_path: Path, values: list[str], numbers: list[float]
) -> None:
    """Money, percentages, units, thousands and accounting negatives are read as numbers, and the note shows one."""
    dataset = table(tmp_path, values)
    assert dataset.X["a"].to_list() == numbers
    assert any(note.startswith(f"Read as numbers: 'a' ({values[0]} as ") for note in dataset.notes)
    assert table(tmp_path, values, nominal="a").X["a"].to_list() == values


@pytest.mark.parametrize(
    "values",
    [
        ["$5", "5 €", "$7"],  # two currencies
        ["12 kg", "300 g", "5 kg"],  # two units
        ["007 m", "012 m", "100 m"],  # codes
        ["A11", "A12", "A13"],
        ["35-44", "45-54", "55-64"],
        ["1 23", "4 567", "8 901"],  # no thousands
        ["(1)", "(2)", "(3)"],  # a list, not negatives
        ["5%", "low", "7%"],
        ["+", "-", "+"],
        ["5 kg", "5 kg", "5 kg"],
    ],
)
def test_what_is_no_column_of_written_numbers_stays_text(tmp_path: Path, values: list[str]) -> None:
    """Mixed currencies or units, codes, ranges and names are not made numbers."""
    dataset = table(tmp_path, values * 4)
    assert dataset.X["a"].cast(str).to_list() == values * 4  # type: ignore[arg-type]
    assert not any("Read as numbers" in note for note in dataset.notes)


@pytest.mark.parametrize("mark", ["-", "--", ".", "none", "n/a", "#N/A", "<NA>"])
def test_signs_for_missing_values_among_numbers(tmp_path: Path, mark: str) -> None:
    """Among numbers, plain or written, the signs that people use for a missing value are missing values."""
    assert table(tmp_path, ["1.5", mark, "3"]).X["a"].to_list() == [1.5, None, 3]
    assert table(tmp_path, ["$1", mark, "$3", "$2"]).X["a"].to_list() == [1, None, 3, 2]


def test_a_doubtful_sign_is_noted_and_stays_a_category_among_categories(tmp_path: Path) -> None:
    """A dash among numbers is missing, with a note that counts its rows; among names it may be a name."""
    notes = table(tmp_path, ["1", "-", "3", "-"]).notes
    assert (
        "Read as missing among numbers: '-' in 'a' (2 rows). --nominal a reads all as categories instead."
        in notes
    )
    assert table(tmp_path, ["none", "mild", "none", "mild"]).X["a"].to_list() == [
        "none",
        "mild",
        "none",
        "mild",
    ]


def test_many_numbers_of_several_units_are_noted(tmp_path: Path) -> None:
    """More than a few written numbers with different symbols around them are categories, which a note says."""
    values = [f"{i} kg" for i in range(20)] + [f"{i} g" for i in range(20)]
    notes = table(tmp_path, values).notes
    assert any(
        "'a' holds numbers with different symbols around them, '0 kg', '0 g'" in note for note in notes
    )


def test_the_target_keeps_its_labels(tmp_path: Path) -> None:
    """Classes are never changed, however they are written."""
    (tmp_path / "t.csv").write_text("a,y\n1,5%\n2,10%\n3,5%\n", encoding="utf-8")
    assert read(tmp_path / "t.csv").y.tolist() == ["5%", "10%", "5%"]
    assert read(tmp_path / "t.csv", target_kind="auto").y.tolist() == ["5%", "10%", "5%"]
    assert read(tmp_path / "t.csv", target_kind="numbers").y.tolist() == [5, 10, 5]
    assert read(tmp_path / "t.csv", numeric="y").y.tolist() == [5, 10, 5]


def test_a_target_of_many_sums_of_money_is_numeric(tmp_path: Path) -> None:
    """A price is a number with its sign and its thousands too; a note says so, and the signs of missing values count as such."""
    text = "a,price\n" + "".join(f'{i},"${i * 100:,}.50"\n' for i in range(1, 31))
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    dataset = read(tmp_path / "t.csv", target_kind="auto")
    assert (dataset.target_kind, dataset.y[:2].tolist(), dataset.y[-1]) == ("numbers", [100.5, 200.5], 3000.5)
    assert any(note.startswith("Read as numbers: 'price' ($100.50 as 100.5)") for note in dataset.notes)
    as_classes = read(tmp_path / "t.csv", target_kind="classes")
    assert as_classes.y[0] == "$100.50"
    (tmp_path / "t.csv").write_text(f"{text}31,-\n", encoding="utf-8")
    with pytest.raises(TableError, match=r"1 of 31 rows of t\.csv have no label in 'price'"):
        read(tmp_path / "t.csv", target_kind="auto")


def test_numeric_converts_what_is_written_and_counts_what_is_not(tmp_path: Path) -> None:
    """--numeric refuses the words alone, and numbers of two units."""
    with pytest.raises(TableError, match=r"'a' of t\.csv, but 1 of its values are not numbers: 'low'"):
        table(tmp_path, ["5%", "low", "7%", "-"], numeric="a")
    with pytest.raises(
        TableError, match=r"but 5 of its values are not numbers: 'b', 'c', 'd', \.\.\. \(5 in all\)"
    ):
        table(tmp_path, ["5%", *"bcdef", "7%"], numeric="a")
    assert table(tmp_path, ["5%", "low", "7%"], numeric="a", missing_values="low").X["a"].to_list() == [
        5,
        None,
        7,
    ]
    with pytest.raises(TableError, match="different symbols around them: '12 kg', '300 g'"):
        table(tmp_path, ["12 kg", "300 g", "5 kg"], numeric="a")
    assert table(tmp_path, ["1,5", "2,25", "3"], numeric="a").X["a"].to_list() == [1.5, 2.25, 3]


def test_hints_can_be_pasted_into_a_shell(tmp_path: Path) -> None:
    """A value that a shell would run, or take for an option, stands in quotes or behind an equals sign."""
    with pytest.raises(TableError) as caught:
        table(tmp_path, ["1", "$(touch x)", "3", "4"], numeric="a")
    hint = str(caught.value).split("use ")[1].removesuffix(".")
    assert shlex.split(hint) == ["--missing-values", "$(touch x)"]
    with pytest.raises(TableError, match=r"--missing-values=-x"):
        table(tmp_path, ["1", "-x", "3", "4"], numeric="a")


@pytest.mark.parametrize("seed", range(30))
def test_numbers_come_back_as_they_were_written(tmp_path: Path, seed: int) -> None:
    """Random numbers in a random style are read as the same numbers."""
    rng = random.Random(seed)  # noqa: S311
    before = rng.choice(["", "$", "€ ", "£", "USD ", "R$"])
    after = rng.choice(["%", " kg", "km", " °C", "m²", " €/m²"]) if not before or rng.random() < 0.2 else ""
    group = rng.choice(["", "'", " ", "\u202f"])
    brackets = rng.random() < 0.5
    numbers = [round(rng.uniform(-2e6, 2e6) * 10 ** -rng.randint(0, 6), 2) for _ in range(30)] + [1.25, -2.5]
    values = []
    for number in numbers:
        body = f"{abs(number):_.2f}".replace("_", group)
        text = f"{before}{body}{after}"
        values.append(text if number >= 0 else f"({text})" if brackets else f"-{text}")
    assert table(tmp_path, values, rng.choice(["csv", "txt"])).X["a"].to_list() == numbers


@pytest.mark.parametrize(
    ("values", "noted"),
    [
        (["low", "-", "high", "none"], "'-', 'none' in 'a'"),
        (["low", ".", "high", "mid"], "'.' in 'a'"),
        (["low", "none", "high", "mid"], ""),
        (["+", "-", "+", "."], ""),
        (["low", "n/a", "high", "NA"], ""),
    ],
)
def test_marks_among_categories_are_noted(tmp_path: Path, values: list[str], noted: str) -> None:
    """A dash or a dot beside words stays a category, and a note says how it is read as missing; "none" alone is no mark."""
    notes = " ".join(table(tmp_path, values).notes)
    assert (f"Read as categories: {noted}." in notes) == bool(noted)
    assert ("Read as categories" in notes) == bool(noted)
    if noted:
        marks = [value for value in values if value in ("-", ".", "none")]
        again = table(tmp_path, values, missing_values=marks)
        assert "Read as categories" not in " ".join(again.notes)
        assert again.X["a"].null_count() == len(marks)
        assert "Read as categories" not in " ".join(table(tmp_path, values, nominal=["a"]).notes)
