"""Delimited text: delimiters, quotes, gaps, kinds of numbers, and the large file's way."""

import csv
import gzip
import io
import random
from pathlib import Path

import polars as pl
import pytest

from tamis.table._dataset import TableError
from tamis.table.reading import csv as delimited
from tamis.table.reading.read import read
from tamis.table.reading.source import Source
from tamis.table.reading.wishes import Wishes
from tests.settings import N_PROBLEMS


def given(folder: Path, text: str | bytes, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def columns(
    folder: Path, text: str | bytes, name: str = "t.csv", **wishes: object
) -> dict[str, list[object]]:
    dataset = read(given(folder, text, name), **wishes)  # type: ignore[arg-type]
    return dataset.X.to_dict(as_series=False)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " ", "   "])
@pytest.mark.parametrize("ending", [".csv", ".tsv", ".txt", ".data"])
def test_the_delimiter_is_found(tmp_path: Path, delimiter: str, ending: str) -> None:
    """Comma, semicolon, tab, bar and runs of blanks are told apart whatever the ending."""
    rows = [["a", "b", "kind"], ["1", "2.5", "x"], ["3", "4.5", "y"]]
    text = "\n".join(delimiter.join(row) for row in rows) + "\n"
    assert columns(tmp_path, text, "t" + ending) == {"a": [1, 3], "b": [2.5, 4.5]}


def test_a_delimiter_inside_quotes_is_text(tmp_path: Path) -> None:
    """A comma, a line end and a doubled quote inside quotes belong to the value."""
    text = 'a,b,kind\n"x, y",1,p\n"two\nlines",2,q\n"say ""so""",3,q\n'
    assert columns(tmp_path, text)["a"] == ["x, y", "two\nlines", 'say "so"']


def test_quotes_that_polars_refuses_are_read(tmp_path: Path) -> None:
    """A quote in the middle of a value, and blanks before an opening quote, do no harm."""
    assert columns(tmp_path, 'a,b,kind\n6" pipe,1,x\n3" pipe,2,y\n')["a"] == ['6" pipe', '3" pipe']
    assert columns(tmp_path, 'a, b, kind\n1, "x, y", p\n2, "z", q\n')["b"] == ["x, y", "z"]


def test_a_stray_quote_swallows_no_rows(tmp_path: Path) -> None:
    """Quotes that do not match are an error or read as they stand, but rows are never lost in silence."""
    with pytest.raises(TableError, match=r"line 2 of t\.csv has 2 values"):
        read(given(tmp_path, 'a|b|c\n1|"|"a"\n2|"a"|"b"\n3|""a"|"a"\n4|"a"|"a"\n'))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_is_known(tmp_path: Path, end: str) -> None:
    """Unix, Windows and old Mac line ends give the same table."""
    assert columns(tmp_path, end.join(["a,kind", "1,x", "2,y", ""])) == {"a": [1, 2]}


def test_the_last_line_needs_no_end(tmp_path: Path) -> None:
    """A file without a line end after its last row loses nothing."""
    assert columns(tmp_path, "a,kind\n1,x\n2,y") == {"a": [1, 2]}


def test_blank_lines_are_no_rows(tmp_path: Path) -> None:
    """Blank lines above, between and below the rows are passed over, with quotes in the file or without."""
    assert columns(tmp_path, "\n\na,kind\n1,x\n\n2,y\n  \n\n") == {"a": [1, 2]}
    assert columns(tmp_path, '\na,kind\n"1",x\n\n2,"y"\n\n') == {"a": [1, 2]}


def test_blanks_around_values_are_no_part_of_them(tmp_path: Path) -> None:
    """Values padded by blanks are read without them, gaps and numbers included."""
    text = "a, b, c, kind\n 1, x , 1.5 , p\n ?,  ?, ?, q\n 3, x, 2.5,q\n"
    assert columns(tmp_path, text) == {"a": [1, None, 3], "b": ["x", None, "x"], "c": [1.5, None, 2.5]}


def test_every_common_mark_of_a_gap_is_known(tmp_path: Path) -> None:
    """The empty value, NA, N/A, ?, NaN, nan, null, NULL, None and <null> are gaps in numbers and in text."""
    marks = ["", "NA", "N/A", "?", "NaN", "nan", "null", "NULL", "None", "<null>"]
    text = "a,b,c,kind\n" + "".join(f"{mark},{mark},{mark},x\n" for mark in marks) + "1,u,1.5,y\n2,v,2.5,x\n"
    gaps: list[object] = [None] * len(marks)
    assert columns(tmp_path, text) == {"a": [*gaps, 1, 2], "b": [*gaps, "u", "v"], "c": [*gaps, 1.5, 2.5]}


def test_integers_with_gaps_stay_integers(tmp_path: Path) -> None:
    """A gap does not turn whole numbers into floats or text."""
    dataset = read(given(tmp_path, "a,kind\n1,x\n,y\n3,x\n"))
    assert dataset.X["a"].dtype == pl.Int64
    assert dataset.X["a"].to_list() == [1, None, 3]


def test_leading_zeros_make_a_code(tmp_path: Path) -> None:
    """01234 is kept as text with a note, and becomes a number only where the caller says so."""
    path = given(tmp_path, "zip,a,kind\n12345,1,x\n01234,2,y\n12345,3,y\n")
    dataset = read(path)
    assert dataset.X["zip"].to_list() == ["12345", "01234", "12345"]
    assert any("'zip'" in note and "01234" in note and "--numeric zip" in note for note in dataset.notes)
    assert read(path, numeric="zip").X["zip"].to_list() == [12345, 1234, 12345]


@pytest.mark.parametrize("value", ["0", "0.5", "-0", "00.5", "1e-05", "-01"])
def test_a_zero_alone_makes_no_code(tmp_path: Path, value: str) -> None:
    """A zero, a fraction, an exponent and a signed number are numbers."""
    assert read(given(tmp_path, f"a,kind\n{value},x\n5,y\n")).X["a"].to_list() == [float(value), 5]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("written", ["01", '"01"', " 01"])
def test_no_leading_zero_escapes(tmp_path: Path, delimiter: str, written: str) -> None:
    """A code is found under every delimiter, quoted or padded, and at the end or the beginning of a line."""
    for order in (["code", "a", "kind"], ["a", "code", "kind"], ["kind", "a", "code"]):
        rows = [order, [{"code": "12", "a": "5", "kind": "x"}[c] for c in order]]
        rows += [[{"code": written, "a": "6", "kind": "y"}[c] for c in order]]
        text = "\n".join(delimiter.join(row) for row in rows)
        dataset = read(given(tmp_path, text), target="kind")
        assert dataset.X["code"].to_list() == ["12", "01"]
        assert dataset.X["a"].to_list() == [5, 6]


def test_digits_beyond_a_number_stay_text(tmp_path: Path) -> None:
    """Nineteen digits and more are a code, not a rounded number."""
    long = "1234567890123456789012"
    for value in (long, long[:19]):
        assert read(given(tmp_path, f"a,b,kind\n{value},1,x\n17,2,y\n")).X["a"].to_list() == [value, "17"]


def test_a_decimal_comma_is_a_decimal_point(tmp_path: Path) -> None:
    """1,5 in a file delimited by semicolons is 1.5, with a note."""
    dataset = read(given(tmp_path, "a;b;kind\n1,5;1;x\n-2;2;y\n,25;3;y\n"))
    assert dataset.X["a"].to_list() == [1.5, -2.0, 0.25]
    assert any("'a'" in note and "decimal comma" in note for note in dataset.notes)


def test_grouped_thousands_are_numbers(tmp_path: Path) -> None:
    """1,234.5 in a comma file and 1.234,5 in a semicolon file are 1234.5, with a note."""
    english = read(given(tmp_path, 'a,b,kind\n"1,234.5","1,234",x\n12,7,y\n'))
    assert english.X.rows() == [(1234.5, 1234), (12.0, 7)]
    german = read(given(tmp_path, "a;b;kind\n1.234,5;1.234,0;x\n12;1.234.567;y\n"))
    assert german.X.rows() == [(1234.5, 1234.0), (12.0, 1234567.0)]
    assert any("grouped thousands" in note for note in english.notes)
    assert any("grouped thousands" in note for note in german.notes)


def test_columns_without_a_name_get_one(tmp_path: Path) -> None:
    """A column without a name is called by its place, with a note; without values too it is left out."""
    dataset = read(given(tmp_path, ",a,kind,\n7,1,x,\n8,2,y,\n"))
    assert dataset.X.columns == ["column_1", "a"]
    assert dataset.target == "kind"
    assert any("column_1" in note for note in dataset.notes)


def test_names_may_hold_any_sign(tmp_path: Path) -> None:
    """Brackets, quotes, dots, dollars and blanks in names are just names."""
    names = ["a.b", "[c]", "d e", "^f", "g$", "h'i", "col('j')", "k*"]
    text = (
        ",".join([*names, "kind"]) + "\n" + ",".join([*"12345678", "x"]) + "\n" + ",".join([*"23456789", "y"])
    )
    assert columns(tmp_path, text) == {name: [i, i + 1] for i, name in enumerate(names, start=1)}


@pytest.mark.parametrize("packed", ["gz", "zst"])
def test_compressed_text_is_read(tmp_path: Path, packed: str) -> None:
    """.gz and .zst files are read, with any delimiter and with every check."""
    frame = pl.DataFrame({"zip": ["01", "20", "20"], "a": [1.5, None, 2.5], "kind": ["x", "y", "x"]})
    path = tmp_path / f"t.tsv.{packed}"
    compression = {"gz": "gzip", "zst": "zstd"}[packed]
    frame.write_csv(path, separator="\t", compression=compression)  # type: ignore[arg-type]
    dataset = read(path)
    assert dataset.name == "t"
    assert dataset.X.to_dict(as_series=False) == {"zip": ["01", "20", "20"], "a": [1.5, None, 2.5]}
    assert dataset.y.tolist() == ["x", "y", "x"]


def test_compression_goes_by_content(tmp_path: Path) -> None:
    """A compressed file is read under an ending that does not say so, and the other way round."""
    text = b"a,kind\n1,x\n2,y\n"
    assert columns(tmp_path, gzip.compress(text), "t.csv") == {"a": [1, 2]}
    assert columns(tmp_path, text, "t.csv.gz") == {"a": [1, 2]}


def test_encodings_are_read_when_named(tmp_path: Path) -> None:
    """cp1252 and UTF-16 are read through encoding=, and a UTF-8 signature is no part of the first name."""
    text = "café,kind\n1,é\n2,y\n"
    for encoding in ("cp1252", "utf-16", "utf-16-le", "utf-32", "utf-32-be"):
        dataset = read(given(tmp_path, text.encode(encoding)), encoding=encoding)
        assert dataset.X.columns == ["café"]
        assert dataset.y.tolist() == ["é", "y"]
    assert read(given(tmp_path, text.encode("utf-8-sig"))).X.columns == ["café"]


@pytest.mark.parametrize(
    ("late", "expected"),
    [("x", "x"), ("1.5", 1.5), ("007", "007"), ("1" * 25, "1" * 25), (" 8 ", 8), (" ? ", None), ("+3", 3)],
)
@pytest.mark.parametrize("early", ["12", "1.25"])
def test_what_the_first_rows_promise_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, early: str, late: str, expected: object
) -> None:
    """A value of another kind far below the first rows changes the column, not the value."""
    n_rows = 6000
    text = "a,b,kind\n" + f"{early},u,x\n" * n_rows + f"{late},u,y\n"
    monkeypatch.setattr(delimited, "CATEGORIES_FROM", 0)
    column = read(given(tmp_path, text), nominal="a" if late == "x" else ()).X["a"].to_list()
    other = early if isinstance(expected, str) else float(early)
    if isinstance(expected, str) and expected.isdigit() and early == "1.25":  # no code among fractions
        expected, other = float(expected), 1.25
    assert column == [other] * n_rows + [expected]


def test_late_blanks_and_gaps_in_categories_are_cleaned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In large files too, a padded value is the value and a padded gap is a gap."""
    monkeypatch.setattr(delimited, "CATEGORIES_FROM", 0)
    text = "a,kind\n" + "u,x\n" * 6000 + " u ,y\n ? ,y\nv,x\n"
    assert read(given(tmp_path, text)).X["a"].to_list()[5999:] == ["u", "u", None, "v"]


def random_table(rng: random.Random) -> tuple[str, dict[str, list[object]], list[str]]:
    """A random CSV text, its true columns, and its labels."""
    n_rows = rng.randint(2, 30)
    makers = {
        "whole": lambda: rng.choice([None, rng.randint(-50, 50)]),
        "float": lambda: rng.choice([None, round(rng.uniform(-9, 9), 3), 1e-7, 0.5]),
        "text": lambda: rng.choice([None, "u", 'q"q', "a,b", "x y", "line\nend", "é"]),
    }
    table: dict[str, list[object]] = {}
    for number in range(rng.randint(1, 6)):
        kind = rng.choice(sorted(makers))
        values = [makers[kind]() for _ in range(n_rows)]
        values[0] = {"whole": 7, "float": 0.25, "text": "u"}[kind]
        table[f"{kind} {number}"] = values
    labels = [rng.choice(["yes", "no"]) for _ in range(n_rows - 2)] + ["yes", "no"]
    out = io.StringIO()
    quoting = rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    writer = csv.writer(
        out,
        delimiter=rng.choice([",", ";", "\t", "|"]),
        lineterminator=rng.choice(["\n", "\r\n"]),
        quoting=quoting,
    )
    writer.writerow([*table, "label"])
    gap = rng.choice(["", "?", "NA"])
    writer.writerows(
        [gap if value is None else value for value in row] + [label]
        for *row, label in zip(*table.values(), labels)
    )
    return out.getvalue(), table, labels


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_random_tables_come_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """What Python's csv module wrote is what is read, by the fast way, the large file's way and row by row."""
    text, table, labels = random_table(random.Random(seed))  # noqa: S311
    if seed % 2:
        monkeypatch.setattr(delimited, "CATEGORIES_FROM", 0)
    path = given(tmp_path, text)
    dataset = read(path)
    assert dataset.X.to_dict(as_series=False) == table
    assert dataset.y.tolist() == labels

    def fail(*_: object) -> pl.DataFrame:
        raise delimited._IrregularError

    monkeypatch.setattr(delimited, "_fast", fail)
    again = delimited.read_delimited(Source(path), Wishes()).frame
    assert again.drop("label").to_dict(as_series=False) == table


def test_floats_are_read_to_the_last_bit(tmp_path: Path) -> None:
    """A float written in full comes back as the same float."""
    rng = random.Random(0)  # noqa: S311
    values = [rng.uniform(-1, 1) * 10 ** rng.randint(-300, 300) for _ in range(1000)]
    text = "a,kind\n" + "".join(f"{value!r},{'xy'[i % 2]}\n" for i, value in enumerate(values))
    assert read(given(tmp_path, text)).X["a"].to_list() == values


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        ("a,b,kind\n1,2,x\n3,y\n", 3, 2),
        ("a,b,kind\n1,2,x\n3,4,5,y\n", 3, 4),
        ("a,b,kind\n1,2\n3,4,y\n", 2, 2),
        ('a,b,kind\n"1\n1",2,x\n3,y\n', 4, 2),
        ("a,b,kind\n" + "1,2,x\n" * 500 + "1\n" + "1,2,y\n" * 500, 502, 1),
        ("a b c\n1 2 x\n1 2\n1 2 y\n", 3, 2),
    ],
)
def test_a_ragged_row_is_named_by_its_line(tmp_path: Path, text: str, line: int, found: int) -> None:
    """A row with too few or too many values is an error that names its line and both counts."""
    with pytest.raises(TableError, match=rf"line {line} of t\.csv has {found} value"):
        read(given(tmp_path, text))


def test_rows_of_gaps_are_rows(tmp_path: Path) -> None:
    """A line of delimiters alone is a row without label, not a blank line, even if they are tabs."""
    for delimiter in (",", ";", "\t", "|"):
        with pytest.raises(TableError, match=r"1 of 3 rows of t.csv have no label in 'kind'"):
            read(given(tmp_path, "a,b,kind\n1,2,x\n,,\n3,4,y\n".replace(",", delimiter)))
