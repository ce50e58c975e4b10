"""Weka's ARFF files."""

import random
from pathlib import Path

import polars as pl
import pytest

from tamis.table._dataset import Dataset, TableError
from tamis.table.reading import relation_rows
from tamis.table.reading.read import read
from tests.settings import N_PROBLEMS


def arff(folder: Path, text: str, **wishes: object) -> Dataset:
    path = folder / "t.arff"
    path.write_text(text)
    return read(path, **wishes)  # type: ignore[arg-type]


HEAD = "@relation t\n@attribute a numeric\n@attribute b {u, v, 'w w'}\n@attribute kind {x, y}\n@data\n"


def test_a_plain_file_is_read(tmp_path: Path) -> None:
    """Numbers become floats, declared values an Enum in their declared order, and the last column the target."""
    dataset = arff(tmp_path, HEAD + "1, v, x\n2.5,u,y\n")
    assert dataset.X.rows() == [(1.0, "v"), (2.5, "u")]
    assert dataset.X.dtypes == [pl.Float64, pl.Enum(["u", "v", "w w"])]
    assert (dataset.target, dataset.y.tolist()) == ("kind", ["x", "y"])


def test_keywords_and_types_are_known_in_any_case(tmp_path: Path) -> None:
    """@RELATION, @Attribute, REAL, Integer, NUMERIC and @DATA are the same in any case."""
    text = "@RELATION t\n@Attribute a REAL\n@ATTRIBUTE b Integer\n@attribute c NUMERIC\n@attribute k {x,y}\n@DATA\n"
    dataset = arff(tmp_path, text + "1,2,3,x\n1.5,4,5.5,y\n")
    assert dataset.X.rows() == [(1.0, 2, 3.0), (1.5, 4, 5.5)]
    assert dataset.X.dtypes == [pl.Float64, pl.Int64, pl.Float64]


def test_comments_and_blank_lines_are_no_rows(tmp_path: Path) -> None:
    """Lines that begin with a percent sign are passed over, and those of the header describe the data."""
    dataset = arff(
        tmp_path,
        "% Title: coins\n%\n% Source: a till\n" + HEAD + "\n% half way\n1,u,x\n\n  % no row\n2,v,y\n\n",
    )
    assert dataset.X["a"].to_list() == [1.0, 2.0]
    assert dataset.description == "Title: coins\n\nSource: a till"


def test_quoted_names_and_values_are_unquoted(tmp_path: Path) -> None:
    """Both kinds of quotes hold blanks, commas, braces and escapes, in names, declarations and rows."""
    text = (
        "@relation 'a b'\n"
        "@attribute 'my \\'first\\' name' numeric\n"
        "@attribute \"b, {c}\" {'it\\'s', \"say \\\"so\\\"\", 'a, b', '{z}', tab\\\\, '50\\%', '\\u00e9'}\n"
        "@attribute kind {x, y}\n@data\n"
        "1,'it\\'s',x\n2,\"say \\\"so\\\"\",y\n3,'a, b',x\n4,'{z}',y\n5, '50%' ,x\n6,'\\u00e9',y\n"
    )
    dataset = arff(tmp_path, text)
    assert dataset.X.columns == ["my 'first' name", "b, {c}"]
    assert dataset.X["b, {c}"].to_list() == ["it's", 'say "so"', "a, b", "{z}", "50%", "é"]


def test_gaps_are_question_marks(tmp_path: Path) -> None:
    """An unquoted ? is a gap; other marks of gaps are, too, unless they are declared values."""
    text = "@attribute a numeric\n@attribute b {NA, 'None'}\n@attribute c {u, v}\n@attribute k {x,y}\n@data\n"
    dataset = arff(tmp_path, text + "?,NA,?,x\nNaN,None,NA,y\n1,?,u,x\n")
    assert dataset.X.rows() == [(None, "NA", None), (None, "None", None), (1.0, None, "u")]
    assert arff(tmp_path, text + "-9,NA,u,x\n1,None,v,y\n", missing_values=["-9", "NA"]).X.rows() == [
        (None, None, "u"),
        (1.0, "None", "v"),
    ]


def test_a_quoted_question_mark_is_a_value(tmp_path: Path) -> None:
    """'?' in quotes is what it says where it is declared."""
    text = "@attribute a {'?', b}\n@attribute k {x,y}\n@data\n'?',x\n?,y\nb,x\n"
    assert arff(tmp_path, text).X["a"].to_list() == ["?", None, "b"]


def test_absent_entries_of_sparse_rows_are_zero_or_the_first_value(tmp_path: Path) -> None:
    """An absent entry is 0 in numbers and the first declared value in nominal columns, the target's too."""
    dataset = arff(tmp_path, HEAD + "{0 1, 2 y}\n{1 'w w'}\n{}\n{0 ?, 1 ?, 2 y}\n{ 1 v , 0 -2.5 }\n")
    assert dataset.X.rows() == [(1.0, "u"), (0.0, "w w"), (0.0, "u"), (None, None), (-2.5, "v")]
    assert dataset.y.tolist() == ["y", "x", "x", "y", "x"]


def test_dense_and_sparse_rows_may_stand_together(tmp_path: Path) -> None:
    """Each row is read as it is written."""
    assert arff(tmp_path, HEAD + "7,v,y\n{0 3}\n").X.rows() == [(7.0, "v"), (3.0, "u")]


def test_weights_of_rows_are_noted(tmp_path: Path) -> None:
    """A weight behind a dense or sparse row is not used, and a note says so."""
    dataset = arff(tmp_path, HEAD + "1,u,x,{5}\n2,v,y\n{0 3, 1 'w w'}, {0.5}\n")
    assert dataset.X.rows() == [(1.0, "u"), (2.0, "v"), (3.0, "w w")]
    assert dataset.notes == ("The weights of rows are not used.",)


def test_rows_may_be_split_by_blanks(tmp_path: Path) -> None:
    """Rows without commas are split at tabs and blanks, as Weka does."""
    assert arff(tmp_path, HEAD + "1\tv x\n?  u\ty\n").X.rows() == [(1.0, "v"), (None, "u")]


def test_texts_and_dates_are_declared_so(tmp_path: Path) -> None:
    """A string column is nominal; a date column is an error that names it, until it is dropped or made nominal."""
    text = (
        "@attribute s string\n@attribute d date 'yyyy'\n@attribute k {x,y}\n@data\n'a b',2001,x\nc,2002,y\n"
    )
    with pytest.raises(TableError, match=r"'d' holds dates or times.*--drop d"):
        arff(tmp_path, text)
    assert arff(tmp_path, text, drop="d").X.to_dict(as_series=False) == {"s": ["a b", "c"]}
    assert arff(tmp_path, text, nominal="d").X["d"].to_list() == ["2001", "2002"]


def test_many_declared_values_are_no_burden(tmp_path: Path) -> None:
    """A nominal column may declare a hundred thousand values."""
    values = [f"v{i}" for i in range(100_000)]
    text = f"@attribute a {{{','.join(values)}}}\n@attribute k {{x,y}}\n@data\nv5,x\nv99999,y\nv5,y\n"
    assert arff(tmp_path, text).X["a"].to_list() == ["v5", "v99999", "v5"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("1,u,x\n2,q,y\n", "line 7 of t.arff: 'q' in 'b' is not among the declared values u, v, w w"),
        ("1,u,x\n\nlow,u,y\n", "line 8 of t.arff: 'low' in 'a' is not a number"),
        ("1,u,x\n2,u\n", "line 7 of t.arff: 2 values, but 3 attributes are declared"),
        ("1,u,x\n2,u,y,z\n", "line 7 of t.arff: 4 values, but 3 attributes are declared"),
        ("1,'u,x\n", "line 6 of t.arff: a quote is opened and never closed"),
        ("1,'u'v,x\n", "line 6 of t.arff: no comma after the quoted value 'u'"),
        ("{0 1\n", "line 6 of t.arff: a sparse row is not closed by }"),
        ("{0 1} z\n", "line 6 of t.arff: 'z' follows a sparse row"),
        ("{3 1}\n", "line 6 of t.arff: column 3, but the 3 attributes are counted from 0"),
        ("{0 1, 0 2}\n", "line 6 of t.arff: '0 2}' is not a new entry"),
        ("{a 1}\n", "line 6 of t.arff: 'a 1}' is not a new entry"),
        ("{0 low}\n", "line 6 of t.arff: 'low' in 'a' is not a number"),
        ("", "t.arff has column names but no rows"),
    ],
)
def test_a_wrong_row_is_named_by_its_line(tmp_path: Path, rows: str, message: str) -> None:
    """Whatever is wrong with a row is an error with its line."""
    with pytest.raises(TableError, match="^tamis: " + message):
        arff(tmp_path, HEAD + rows)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("@relation t\n@attribute a numeric\n", "t.arff has no @data line"),
        ("@relation t\n@data\n1\n", "t.arff declares no columns"),
        ("@attribute a numeric\n@attribute a real\n@data\n1,2\n", "t.arff has column names that occur more than once: 'a'"),
        ("@attribute a relational\n@data\n1\n", "line 1 of t.arff: attribute 'a' has the type 'relational'"),
        ("@attribute my name numeric\n@data\n1\n", "line 1 of t.arff: attribute 'my' has the type 'name'.*needs quotes"),
        ("@attribute a {u, v\n@data\n1\n", "line 1 of t.arff: a list of values is not closed by }"),
        ("@attribute\n@data\n1\n", "line 1 of t.arff: an attribute without a name"),
        ("@attribute '' numeric\n@data\n1\n", "line 1 of t.arff: an attribute without a name"),
        ("@attribute 'a numeric\n@data\n1\n", "line 1 of t.arff: a quote is opened and never closed"),
        ("hello\n", "line 1 of t.arff: expected @attribute or @data, found 'hello'"),
    ],
)  # fmt: skip
def test_a_wrong_header_is_named_by_its_line(tmp_path: Path, text: str, message: str) -> None:
    """Whatever is wrong above @data is an error that says what and where."""
    with pytest.raises(TableError, match="^tamis: " + message):
        arff(tmp_path, text)


def test_sparse_rows_that_unfold_too_far_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sparse rows are unfolded only up to a limit that the error names."""
    monkeypatch.setattr(relation_rows, "MOST_CELLS", 5)
    with pytest.raises(TableError, match=r"expand to 2 x 3 values, but at most 5 are read"):
        arff(tmp_path, HEAD + "{0 1}\n{2 y}\n")


@pytest.mark.parametrize("seed", range(N_PROBLEMS))
def test_random_files_come_back(tmp_path: Path, seed: int) -> None:
    """Dense, quoted and sparse spellings of one random table give the same table."""
    rng = random.Random(seed)  # noqa: S311
    values = ["u", "v v", "it's", "a,b", "{w}"] if seed % 2 else ["u", "v", "w"]
    kinds = [rng.choice(["numeric", "nominal"]) for _ in range(rng.randint(1, 5))] + ["nominal"]
    table = [
        [rng.choice([0, 1.5, -2e-7, 1234567]) if kind == "numeric" else rng.choice(values) for kind in kinds]
        for _ in range(rng.randint(2, 20))
    ]
    table[0][-1], table[1][-1] = values[0], values[1]
    for row in table:
        for place in range(len(kinds) - 1):
            if rng.random() < 0.2:
                row[place] = None  # type: ignore[call-overload]
    for place in range(len(kinds) - 1):
        table[0][place] = 0 if kinds[place] == "numeric" else values[0]

    def spelt(value: object) -> str:
        if value is None:
            return "?"
        return "'" + value.replace("'", "\\'") + "'" if isinstance(value, str) and seed % 2 else str(value)

    head = "".join(
        f"@attribute c{j} {'numeric' if kind == 'numeric' else '{' + ', '.join(map(spelt, values)) + '}'}\n"
        for j, kind in enumerate(kinds)
    )
    dense = "".join(", ".join(map(spelt, row)) + "\n" for row in table)
    sparse = "".join(
        "{" + ", ".join(f"{j} {spelt(v)}" for j, v in enumerate(row) if v not in (0, values[0])) + "}\n"
        for row in table
    )
    for rows in (dense, sparse):
        dataset = arff(tmp_path, f"@relation t\n{head}@data\n{rows}")
        assert [list(row) for row in dataset.X.rows()] == [row[:-1] for row in table]
        assert dataset.y.tolist() == [row[-1] for row in table]


def test_escapes_that_are_one_sign_together_are_that_sign(tmp_path: Path) -> None:
    """A pair of halves makes a sign in names, declared values and rows; half a character alone is refused with its line."""
    head = "@relation t\n@attribute 'a\\ud83d\\ude00' numeric\n@attribute kind {x,'\\ud83d\\ude00'}\n@data\n"
    dataset = arff(tmp_path, head + "1,x\n2,'\\ud83d\\ude00'\n")
    assert dataset.X.columns == ["a\U0001f600"]
    assert dataset.y.tolist() == ["x", "\U0001f600"]
    with pytest.raises(TableError, match=r"line 2 of t.arff: the quoted value .* holds half a character"):
        arff(tmp_path, "@relation t\n@attribute 'a\\ud800' numeric\n@attribute kind {x,y}\n@data\n1,x\n2,y\n")
    with pytest.raises(TableError, match=r"line 5 of t.arff: .* holds half a character"):
        arff(tmp_path, "@relation t\n@attribute a string\n@attribute kind {x,y}\n@data\n'\\udc00',x\n2,y\n")


WIDE = "".join(
    f"@attribute n{j} numeric\n@attribute w{j} integer\n@attribute v{j} {{a{j}, b}}\n" for j in range(40)
)


def wide_rows(n_rows: int, n_groups: int = 40) -> list[list[str]]:
    """Rows of numbers, of whole numbers that every third column breaks, and of names, some of them gaps."""
    return [
        [
            text
            for j in range(n_groups)
            for text in (
                f"{i * j % 7 / 2}",
                f"{i * j % 5}" + ".5" * (j % 3 == 0 and i == 1),
                f"a{j}" if (i + j) % 3 else "?",
            )
        ]
        + ["xy"[i % 2]]
        for i in range(n_rows)
    ]


@pytest.mark.parametrize("cells", [1, 7, 1 << 22])
@pytest.mark.parametrize("quoted", [False, True])
def test_columns_are_the_same_converted_one_by_one_or_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cells: int, quoted: bool
) -> None:
    """However many columns of a kind are converted at once, each has its own values, dtype and gaps."""
    monkeypatch.setattr(relation_rows, "_TOGETHER_CELLS", cells)
    rows = wide_rows(4)
    last = ["'x'" if quoted else "x", "y"]
    text = "\n".join(", ".join([*row[:-1], last[i % 2]]) for i, row in enumerate(rows))
    dataset = arff(tmp_path, f"@relation t\n{WIDE}@attribute k {{x,y}}\n@data\n{text}\n")
    for j in range(40):
        numbers, whole, names = (dataset.X[f"{sign}{j}"] for sign in "nwv")
        assert numbers.to_list() == [float(row[3 * j]) for row in rows]
        assert numbers.dtype == pl.Float64
        assert whole.to_list() == [float(row[3 * j + 1]) for row in rows]
        assert whole.dtype == (pl.Float64 if j % 3 == 0 else pl.Int64)
        assert names.to_list() == [None if row[3 * j + 2] == "?" else row[3 * j + 2] for row in rows]
        assert names.dtype == pl.Enum([f"a{j}", "b"])


def test_the_first_wrong_value_is_named_of_columns_converted_together(tmp_path: Path) -> None:
    """Of several wrong values the first of the first column is told, whatever their kinds."""
    rows = wide_rows(4)
    rows[3][3], rows[2][3], rows[0][5], rows[1][9] = "wrong", "bad", "none", "worse"
    text = "\n".join(",".join(row) for row in rows)
    with pytest.raises(TableError, match=r"line 126 of t\.arff: 'bad' in 'n1' is not a number"):
        arff(tmp_path, f"@relation t\n{WIDE}@attribute k {{x,y}}\n@data\n{text}\n")


def test_many_columns_are_converted_by_few_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gaps are looked for once a kind and not once a column, which would be a minute for tens of thousands."""
    calls = []
    is_in = pl.Series.is_in
    monkeypatch.setattr(
        pl.Series, "is_in", lambda self, *rest, **more: calls.append(1) or is_in(self, *rest, **more)
    )
    text = "\n".join(",".join(row) for row in wide_rows(4))
    arff(tmp_path, f"@relation t\n{WIDE}@attribute k {{x,y}}\n@data\n{text}\n")
    assert len(calls) <= 4


def test_a_short_row_among_gaps_is_named(tmp_path: Path) -> None:
    """A row that ends early is told from one whose last value is a gap."""
    assert arff(tmp_path, HEAD.replace("kind", "c") + "1,u,x\n2,v,y\n", target="b").X["c"].to_list() == [
        "x",
        "y",
    ]
    dataset = arff(tmp_path, HEAD + "1,u,?\n2,v,x\n3,u,y\n", target="b")
    assert dataset.X["kind"].to_list() == [None, "x", "y"]
    with pytest.raises(TableError, match=r"line 7 of t\.arff: 2 values, but 3 attributes"):
        arff(tmp_path, HEAD + "1,u,?\n2,v\n")
