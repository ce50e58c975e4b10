"""Spreadsheets, JSON and databases; files without a header, and tables that lie on their side."""

import json
import sqlite3

import polars as pl
import pytest

from tamis.table import TableError, read

ROWS = [
    {"price": "$1,200.50", "share": "37%", "colour": "red", "n": 1, "kind": "a"},
    {"price": "$80.00", "share": "4%", "colour": "blue", "n": 2, "kind": "b"},
    {"price": None, "share": "n/a", "colour": "red", "n": None, "kind": "a"},
    {"price": "$7.25", "share": "12%", "colour": "red", "n": 4, "kind": "b"},
]
PRICES, SHARES = [1200.5, 80.0, None, 7.25], [37.0, 4.0, None, 12.0]


def _json(path):
    path.write_text(json.dumps(ROWS))


def _columns(path):
    path.write_text(json.dumps({name: [row[name] for row in ROWS] for name in ROWS[0]}))


def _lines(path):
    path.write_text(
        "".join(f"{json.dumps({k: v for k, v in row.items() if v is not None})}\n" for row in ROWS)
    )


def _sqlite(path):
    with sqlite3.connect(path) as made:
        made.execute('CREATE TABLE "odd ""name" (price TEXT, share TEXT, colour TEXT, n INTEGER, kind TEXT)')
        made.executemany(
            'INSERT INTO "odd ""name" VALUES (?, ?, ?, ?, ?)', [list(row.values()) for row in ROWS]
        )
    made.close()


def _duckdb(path):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(path)) as made:
        made.execute("CREATE TABLE t (price TEXT, share TEXT, colour TEXT, n INTEGER, kind TEXT)")
        made.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", [list(row.values()) for row in ROWS])


def _xlsx(path):
    pytest.importorskip("fastexcel")
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(list(ROWS[0]))
    for row in ROWS:
        book.active.append(list(row.values()))
    book.create_sheet("other").append(["a", "b"])
    book["other"].append([1, 2])
    book["other"].append([3, 4])
    book.save(path)


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("t.json", _json),
        ("c.json", _columns),
        ("t.jsonl", _lines),
        ("t.ndjson", _lines),
        ("t.db", _sqlite),
        ("t.duckdb", _duckdb),
        ("t.xlsx", _xlsx),
    ],
)
def test_every_format_gives_the_same_table(tmp_path, name, make):
    """Money and percentages become numbers, signs of missing values nulls, in every format that may hold text."""
    make(tmp_path / name)
    table = read(tmp_path / name, "kind")
    assert table.X.columns == ["price", "share", "colour", "n"]
    assert table.X["price"].to_list() == PRICES
    assert table.X["share"].to_list() == SHARES
    assert table.X["colour"].cast(pl.String).to_list() == ["red", "blue", "red", "red"]
    assert table.X["n"].to_list() == [1, 2, None, 4]
    assert table.y.tolist() == ["a", "b", "a", "b"]


def test_a_table_of_a_database_is_named(tmp_path):
    """file::table; a name that is not there is refused with those that are, and the file is only read."""
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as made:
        for name in ("orders", "people"):
            made.execute(f"CREATE TABLE {name} (a REAL, b TEXT)")
            made.execute(f"INSERT INTO {name} VALUES (0, 'x'), (1, 'y'), (2, 'x'), (3, 'y')")  # noqa: S608
    made.close()
    before = path.read_bytes()
    assert read(f"{path}::orders", "b").X["a"].to_list() == [0, 1, 2, 3]
    with pytest.raises(
        TableError, match=r"holds several tables: orders, people. Name one, as shop.db::orders"
    ):
        read(path)
    with pytest.raises(TableError, match=r"no table 'order' in shop.db. Did you mean 'orders'"):
        read(f"{path}::order")
    assert path.read_bytes() == before


def test_a_hint_with_a_table_of_two_words_can_be_pasted(tmp_path):
    """On the command line the file and its table stand in quotes, where a shell would cut them."""
    with sqlite3.connect(tmp_path / "shop.db") as made:
        made.execute("CREATE TABLE 'my orders' (a REAL, b TEXT)")
        made.execute("CREATE TABLE people (a REAL, b TEXT)")
    made.close()
    with pytest.raises(TableError, match=r"Name one, as 'shop.db::my orders'\."):
        read(tmp_path / "shop.db")


def test_an_empty_first_sheet_is_refused_with_the_next(tmp_path):
    """The table may be on another sheet: the error names one, as a shell takes it."""
    pytest.importorskip("fastexcel")
    book = pytest.importorskip("openpyxl").Workbook()
    book.active.append(["Report of sales"])
    book.create_sheet("Sales 2024").append(["a", "b"])
    book.save(tmp_path / "t.xlsx")
    with pytest.raises(TableError, match=r"no rows in its sheet.*'t.xlsx::Sales 2024' names another"):
        read(tmp_path / "t.xlsx")


def test_a_sheet_is_named(tmp_path):
    """file::sheet; without one the first is read, with a note."""
    _xlsx(tmp_path / "t.xlsx")
    assert read(f"{tmp_path}/t.xlsx::other", "b").X.columns == ["a"]
    assert any("Of 2 sheets the first" in note for note in read(tmp_path / "t.xlsx", "kind").notes)
    with pytest.raises(TableError, match=r"no sheet 'more' in t.xlsx"):
        read(f"{tmp_path}/t.xlsx::more")


@pytest.mark.parametrize(
    ("text", "told"),
    [("[1, 2]", "holds no table"), ('{"a": [1], "b": [1, 2]}', "not equally long"), ("[]", "holds no table")],
)
def test_json_without_a_table_is_refused(tmp_path, text, told):
    """One sentence says what was found."""
    (tmp_path / "t.json").write_text(text)
    with pytest.raises(TableError, match=told):
        read(tmp_path / "t.json")


def test_a_broken_line_of_json_is_named(tmp_path):
    """The error has the number of the line."""
    (tmp_path / "t.jsonl").write_text('{"a": 1}\n{"a": \n')
    with pytest.raises(TableError, match=r"line 2 of t.jsonl is no JSON"):
        read(tmp_path / "t.jsonl")


def test_a_file_without_a_header(tmp_path):
    """Columns are called by their place, and the first line is a row."""
    (tmp_path / "t.csv").write_text("\n1.5,red,a\n2.5,blue,b\n3.5,red,a\n4.5,red,b\n")
    table = read(tmp_path / "t.csv", header=False)
    assert table.X.columns == ["column_1", "column_2"]
    assert table.X["column_1"].to_list() == [1.5, 2.5, 3.5, 4.5]
    assert table.y.tolist() == ["a", "b", "a", "b"]


def test_a_table_on_its_side(tmp_path):
    """With genes in rows, the first column holds the names, and every other column is a row."""
    (tmp_path / "t.csv").write_text("gene,s1,s2,s3,s4\ng1,1.5,2,3,4\ng2,5,6,,8\nkind,a,b,a,b\n")
    table = read(tmp_path / "t.csv", "kind", transpose=True)
    assert table.X.columns == ["g1", "g2"]
    assert table.X["g1"].to_list() == [1.5, 2.0, 3.0, 4.0]
    assert table.X["g2"].to_list() == [5, 6, None, 8]
    assert table.y.tolist() == ["a", "b", "a", "b"]


def test_a_target_that_names_a_row(tmp_path):
    """The error says that the table lies on its side, and how to read it so."""
    (tmp_path / "t.csv").write_text("gene,s1,s2,s3,s4\ng1,1.5,2,3,4\nkind,a,b,a,b\n")
    with pytest.raises(
        TableError, match=r"a row of its first column, 'gene', has that name. --transpose reads rows"
    ):
        read(tmp_path / "t.csv", "kind")
    with pytest.raises(TableError, match=r"no column 'kinds'.*Columns: gene"):
        read(tmp_path / "t.csv", "kinds")


def test_what_cannot_be_used_is_left_out_if_asked(tmp_path):
    """Dates, free text and columns without values are named in a note, and the rest is read."""
    rows = "".join(f"{k},2024-01-{k + 1:02},,{'xy'[k % 2]}\n" for k in range(20))
    (tmp_path / "t.csv").write_text("a,day,empty,kind\n" + rows)
    with pytest.raises(TableError, match="--drop-unusable leaves out all such columns"):
        read(tmp_path / "t.csv")
    table = read(tmp_path / "t.csv", drop_unusable=True)
    assert table.X.columns == ["a"]
    assert "Left out: 'day' holds dates or times, 'empty' has no values." in table.notes


def test_genes_in_rows_are_told_where_the_target_is_guessed(tmp_path):
    """A table with a name in every row and numbers in the last column may need --transpose: said in the error or the note."""
    samples = [f"S{i}" for i in range(12)]
    genes = [[f"G{g}", *(f"{(g * i) % 97}.{g}" for i in range(12))] for g in range(60)]
    classes = ["class", *("xy"[i % 2] for i in range(12))]

    def table(*rows):
        (tmp_path / "t.csv").write_text("\n".join(map(",".join, [["gene", *samples], *rows])))
        return tmp_path / "t.csv"

    with pytest.raises(
        TableError, match=r"'gene', holds another name in every row\. .*transpose.* reads rows as columns"
    ):
        read(table(*genes, classes))
    assert any("transpose" in note for note in read(table(*genes), target_kind="auto").notes)
    for other in (
        read(table(*genes), "S3", target_kind="auto"),
        read(table(*genes, classes), "class", transpose=True),
    ):
        assert not any("transpose" in note for note in other.notes)
    told = [["G0", *gene[1:]] for gene in genes]  # the same name twice: not names of columns
    assert not any("transpose" in note for note in read(table(*told), target_kind="auto").notes)
