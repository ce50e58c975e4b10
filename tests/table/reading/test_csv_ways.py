"""The quick way, the careful way and the way row by row read the same table from the same text, or refuse it alike."""

import csv
import gzip
import io
import random
from pathlib import Path
from unittest import mock

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tamis.table._dataset import Dataset, TableError
from tamis.table.reading import csv as delimited
from tamis.table.reading import csv_guess
from tamis.table.reading.read import read

PLAIN = ["0", "1", "7", "12", "-3", "250", "999999999999999999", "-999999999999999999"]
SIGNED = ["+5", "-0", "+0", "-07", "+07", "-0000000000000000005"]
FRACTIONS = [
    "0.5",
    "-1.25",
    "1.",
    ".5",
    "1e5",
    "1E-3",
    "1e400",
    "-1e400",
    "1e-400",
    "2.2250738585072011e-308",
    "00.5",
]
NAMED = ["inf", "-inf", "+inf", "Infinity", "INF", "nan", "NaN", "NAN", "-nan"]
LONG = [
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "1000000000000000000",
    "9" * 30,
    "9" * 400,
]
CODES = ["007", "01234", "00", "0000000000000000000"]
PADDED = [" 5", "5 ", "\t5", "\u00a05", " 0.5 ", " 05", " x", "x "]
NO_NUMBERS = [
    "1_000",
    "0x10",
    "0b1",
    "١٢",
    "1,5",
    "1.234,5",
    "1,234",
    "1 000",
    "5e",
    "e5",
    ".",
    "-",
    "--5",
    "1d5",
    "1.5.2",
]
GAPS = ["", "?", "NA", "N/A", "null", "None", "<null>", " ?", " ", "NA "]
TEXTS = [
    "x",
    "y",
    "yes",
    "n",
    "i",
    "a b",
    "A11",
    "é",
    "true",
    "two\nlines",
    'q"q',
    "a,b",
    "2020-01-02",
    "10:30",
]
POOLS = [
    PLAIN,
    [*PLAIN, *SIGNED],
    [*PLAIN, *FRACTIONS],
    [*FRACTIONS, *NAMED],
    [*PLAIN, *GAPS],
    [*FRACTIONS, *GAPS],
    [*PLAIN, *LONG],
    [*PLAIN, *CODES],
    [*PLAIN, *PADDED],
    TEXTS,
    [*TEXTS, *GAPS],
    [*TEXTS, *PADDED],
    NO_NUMBERS,
    [*PLAIN, *NO_NUMBERS],
    ["5", *GAPS],
    [*NAMED, "n", "y"],
]
EVERYTHING = sorted({cell for pool in POOLS for cell in pool})


@st.composite
def columns(draw: st.DrawFn) -> list[list[str]]:
    """One to four columns; mostly from one pool each, with some cell from anywhere in a few."""
    n_rows = draw(st.integers(2, 24))
    table = []
    for _ in range(draw(st.integers(1, 4))):
        pool = draw(st.sampled_from(POOLS) | st.lists(st.sampled_from(EVERYTHING), min_size=1, max_size=2))
        cells = draw(st.lists(st.sampled_from(pool), min_size=n_rows, max_size=n_rows))
        if draw(st.integers(0, 3)) == 0:
            cells[draw(st.integers(0, n_rows - 1))] = draw(st.sampled_from(EVERYTHING))
        table.append(cells)
    return table


def outcome(path: Path, **wishes: object) -> tuple[object, ...]:
    """What reading gives: names, dtypes, values with their signs, labels and notes; or the sentence of an error."""
    try:
        found = read(path, **wishes)  # type: ignore[arg-type]
    except TableError as error:
        return (str(error),)
    assert isinstance(found, Dataset)
    values = [[repr(value) for value in series.to_list()] for series in found.X.iter_columns()]
    return found.X.columns, found.X.dtypes, values, found.y.dtype, found.y.tolist(), found.notes


def written(table: list[list[str]], delimiter: str, quoting: int, end: str) -> str:
    """The columns and a column of labels in the middle, as Python's csv module writes them."""
    labels = [("yes", "no")[row % 2] for row in range(len(table[0]))]
    order = [*table[:1], labels, *table[1:]]
    names = ["a", "kind", *[f"c{place}" for place in range(1, len(table))]]
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator=end)  # type: ignore[arg-type]
    writer.writerow(names)
    writer.writerows(zip(*order))
    return out.getvalue()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ways")


@given(
    table=columns(),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    end=st.sampled_from(["\n", "\r\n"]),
    wishes=st.sampled_from([{}, {}, {"nominal": "a"}, {"numeric": "a"}, {"missing_values": ["7", "x"]}]),
    n_lines=st.sampled_from([1, 3, csv_guess.FIRST_LINES]),
)
@example([["1"] * 12 + ["1.5"]], ",", csv.QUOTE_MINIMAL, "\n", {}, 1)
@example([["1.0", "2.0", "3"] * 5], ",", csv.QUOTE_MINIMAL, "\n", {}, 3)
@example([["1", "2", "-0000000000000000005"] * 5], ",", csv.QUOTE_MINIMAL, "\n", {}, 3)
@example([["1", "2", "NA"] * 5, ["u", "v", "?"] * 5], ",", csv.QUOTE_MINIMAL, "\n", {}, 1)
@example([["1", "2", ""] * 5], ",", csv.QUOTE_ALL, "\r\n", {}, 3)
def test_every_way_gives_the_same(
    folder: Path,
    table: list[list[str]],
    delimiter: str,
    quoting: int,
    end: str,
    wishes: dict[str, object],
    n_lines: int,
) -> None:
    """Numbers in odd spellings, codes, gaps and texts are read alike, whatever a look at some lines suggested."""
    path = folder / "t.csv"
    path.write_bytes(written(table, delimiter, quoting, end).encode())
    wishes = {"target": "kind", **wishes}
    with mock.patch.object(csv_guess, "FIRST_LINES", n_lines):
        quick = outcome(path, **wishes)
    with mock.patch.object(delimited, "_quick", side_effect=pl.exceptions.ComputeError):
        careful = outcome(path, **wishes)
    with mock.patch.object(delimited, "_quick", side_effect=delimited._IrregularError):
        by_row = outcome(path, **wishes)
    assert quick == careful
    assert quick == by_row


@pytest.mark.parametrize("late", ["1.5", "x", "?", "007", "9" * 25, " 8 ", "", "nan", "-0", "1,5", '"z"'])
@pytest.mark.parametrize("early", ["12", "1.25", "u", "?"])
def test_a_late_surprise_in_a_long_text_changes_no_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, early: str, late: str
) -> None:
    """A value of another kind far from all lines that are looked at is read alike by all three ways."""
    path = tmp_path / "t.csv"
    rows = [f"{place % 7},{early},{'xy'[place % 2]}\n" for place in range(6_000)]
    rows[4_777] = f"3,{late},y\n"
    path.write_text("n,a,kind\n" + "".join(rows))
    monkeypatch.setattr(csv_guess, "SMALL_BYTES", 1000)
    quick = outcome(path)
    with mock.patch.object(delimited, "_quick", side_effect=delimited._IrregularError):
        assert quick == outcome(path)


@pytest.mark.parametrize("row", ["1,2", "1", "1,2,x,", "1,2,x,y", ",,", "", "  ", '"1,2,x', "1,2,"])
@pytest.mark.parametrize("place", [0, 5, 900])
def test_an_odd_row_is_refused_or_read_alike(tmp_path: Path, row: str, place: int) -> None:
    """Rows that are too short or too long, blank lines and rows of gaps give the same by the quick way and row by row."""
    path = tmp_path / "t.csv"
    rows = ["1,2.5,x", "2,,y", "3,1.5,x"] * 400
    path.write_text("\n".join(["a,b,kind", *rows[:place], row, *rows[place:]]) + "\n")
    quick = outcome(path, target="a")
    with mock.patch.object(delimited, "_quick", side_effect=delimited._IrregularError):
        assert quick == outcome(path, target="a")


@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_a_compressed_text_that_breaks_late_is_refused(tmp_path: Path, damage: str) -> None:
    """Damage far behind the lines that are looked at first is told in one sentence."""
    rng = random.Random(0)  # noqa: S311
    rows = "".join(f"{rng.randrange(10**6)},{rng.choice('uv')},{rng.choice('xy')}\n" for _ in range(30_000))
    packed = bytearray(gzip.compress(f"a,b,kind\n{rows}".encode()))
    if damage == "cut":
        del packed[-2000:]
    else:
        packed[-3000:-2900] = bytes(100)
    path = tmp_path / "t.csv.gz"
    path.write_bytes(packed)
    assert "t.csv.gz cannot be read" in str(outcome(path)[0])
