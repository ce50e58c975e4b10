"""Bad input: one clear sentence, with the file's name, before any work."""

import gzip
import os
import pickle
from pathlib import Path

import polars as pl
import pytest

from tamis.table._dataset import TableError
from tamis.table.reading.read import read

GOOD = "a,b,target\n1,2,x\n3,4,y\n"

BAD_TEXTS = {
    "empty": ("t.csv", "", {}, "t.csv is empty"),
    "blank": ("t.csv", "\n \n\n", {}, "t.csv is empty"),
    "header only": ("t.csv", "a,b,c\n", {}, "t.csv has column names but no rows"),
    "no header": ("t.csv", "5.1,3.5,x\n4.9,3.0,y\n", {}, "first line of t.csv looks like data.*'5.1', '3.5', 'x'.*or use --no-header"),
    "a wrong name": ("t.csv", '"a, b",c,y\n1,2,x\n4,9,y\n', {"drop": "d"}, 'no column .d. .*Columns: "a, b", c, y'),
    "no header, integers": ("t.csv", "3,1,2\n4,9,3\n", {}, "first line of t.csv looks like data"),
    "latin-1": ("t.csv", b"a,b\n1,x\n2,caf\xe9\n", {}, "t.csv is not UTF-8: byte 0xe9 on line 3.*--encoding cp1252"),
    "latin-1 header": ("t.csv", b"caf\xe9,b\n1,x\n2,y\n", {}, "not UTF-8: byte 0xe9 on line 1"),
    "latin-1 arff": ("t.arff", b"@attribute a{x}\n@data\n\xe9\n", {}, "t.arff is not UTF-8: byte 0xe9 on line 3"),
    "utf-16": ("t.csv", GOOD.encode("utf-16"), {}, "t.csv is UTF-16 text.*--encoding utf-16"),
    "utf-32": ("t.csv", GOOD.encode("utf-32"), {}, "t.csv is UTF-32 text.*--encoding utf-32"),
    "utf-32, the large end first": (
        "t.csv",
        b"\0\0\xfe\xff" + GOOD.encode("utf-32-be"),
        {},
        "t.csv is UTF-32 text.*--encoding utf-32",
    ),
    "unknown encoding": ("t.csv", GOOD, {"encoding": "klingon"}, "unknown encoding 'klingon' for t.csv"),
    "wrong encoding": ("t.csv", b"a,b\n1,\xff\n", {"encoding": "ascii"}, "t.csv is not in the encoding ascii"),
    "binary": ("t.csv", bytes(range(256)), {}, "t.csv is not a text file: byte 1 is zero"),
    "parquet as csv": ("t.csv", b"PAR1\x15\x04", {}, "t.csv is not a text file: it is a Parquet file"),
    "spreadsheet as csv": ("t.csv", b"PK\x03\x04\x00\x00", {}, "zip archive or a spreadsheet; save its table as CSV"),
    "csv as parquet": ("t.parquet", GOOD, {}, "t.parquet is not in the Parquet format"),
    "csv as feather": ("t.feather", GOOD, {}, "t.feather is not in the Arrow format"),
    "broken parquet": ("t.parquet", b"PAR1 and nothing more", {}, "t.parquet cannot be read as Parquet"),
    "broken feather": ("t.feather", b"ARROW1\0\0 and nothing more", {}, "t.feather cannot be read as Arrow"),
    "empty parquet": ("t.parquet", b"", {}, "t.parquet is empty"),
    "csv as arff": ("t.arff", GOOD, {}, "line 1 of t.arff: expected @attribute or @data, found 'a,b,target'"),
    "spreadsheet": ("t.xlsx", b"PK\x03\x04", {}, "t.xlsx .*spreadsheet.*[Ss]ave it as CSV"),
    "no ending": ("t", GOOD, {}, "t has an ending that tamis does not read"),
    "cut gzip": ("t.csv.gz", gzip.compress(GOOD.encode())[:-9], {}, "t.csv.gz cannot be read"),
    "broken gzip": ("t.csv.gz", b"\x1f\x8b\x08garbage", {}, "t.csv.gz cannot be read"),
    "broken zstd": ("t.csv.zst", b"\x28\xb5\x2f\xfdgarbage", {}, "t.csv.zst cannot be read"),
    "duplicate names": ("t.csv", "a,b,a\n1,2,x\n", {}, "t.csv has column names that occur more than once: 'a'"),
    "pattern names": ("t.csv", "^a$,b\n1,x\n", {}, "names that stand for patterns: '\\^a\\$'"),
    "open quote": ("t.csv", 'a,b\n"1,x\n2,y\n', {}, "t.csv ends inside quotes"),
    "misspelt target": ("t.csv", GOOD, {"target": "targte"}, "no column 'targte' in t.csv. Did you mean 'target'\\? Columns: a, b, target"),
    "misspelt case": ("t.csv", GOOD, {"target": "TARGET"}, "Did you mean 'target'"),
    "unknown target": ("t.csv", GOOD, {"target": "qqqqqq"}, "no column 'qqqqqq' in t.csv. Columns: a, b, target"),
    "unknown drop": ("t.csv", GOOD, {"drop": "c"}, "no column 'c' in t.csv"),
    "unknown nominal": ("t.csv", GOOD, {"nominal": "c"}, "no column 'c' in t.csv"),
    "unknown numeric": ("t.csv", GOOD, {"numeric": "c"}, "no column 'c' in t.csv"),
    "dropped target": ("t.csv", GOOD, {"target": "a", "drop": "a"}, "target 'a' of t.csv cannot be dropped"),
    "nominal and numeric": ("t.csv", GOOD, {"nominal": "a", "numeric": "a"}, "'a' of t.csv cannot be both"),
    "no columns left": ("t.csv", GOOD, {"drop": ["a", "b"]}, "no columns are left in t.csv besides the target"),
    "nothing left": ("t.csv", GOOD, {"drop": ["a", "b", "target"]}, "no columns are left in t.csv: --drop names all 3"),
    "only a target": ("t.csv", "a\nx\ny\n", {}, "no columns are left in t.csv besides the target 'a'"),
    "one class": ("t.csv", "a,b\n1,x\n2,x\n", {}, "target 'b' of t.csv has one class only: 'x'"),
    "no labels": ("t.csv", "a,b\n1,?\n2,?\n", {}, "target 'b' of t.csv has no labels at all"),
    "all missing": ("t.csv", "a,b,c\n1,,x\n2,,y\n", {}, "t.csv cannot be used as it is: 'b' has no values. Use --drop b"),
    "infinite": ("t.csv", "a,b\n1,x\n-inf,y\n", {}, "'a' holds infinite values.*--missing-values=-inf"),
    "too large": ("t.csv", "a,b\n1.5,x\n1e999,y\n", {}, "'a' holds infinite values"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_TEXTS)
def test_bad_files_give_one_clear_sentence(tmp_path: Path, case: str) -> None:
    """Each kind of bad file or wish is a TableError that names the file and what was found."""
    name, content, wishes, message = BAD_TEXTS[case]
    (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(TableError, match=f"(?s)^tamis: .*{message}") as caught:
        read(tmp_path / name, **wishes)  # type: ignore[arg-type]
    assert str(caught.value).count("tamis: ") == 1
    assert "\n" not in str(caught.value)


def test_an_absent_file_names_its_neighbour(tmp_path: Path) -> None:
    """A misspelt file name is answered by the name that was probably meant."""
    (tmp_path / "iris.csv").write_text(GOOD)
    with pytest.raises(TableError, match=r"no file irsi\.csv in .*Did you mean 'iris\.csv'\?"):
        read(tmp_path / "irsi.csv")


def test_an_absent_folder_is_named(tmp_path: Path) -> None:
    """A path into a folder that is not there says so."""
    with pytest.raises(TableError, match=r"no folder .*nowhere, so no file t.csv in it"):
        read(tmp_path / "nowhere" / "t.csv")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    """A folder, even with a table's ending, is refused by name."""
    (tmp_path / "t.csv").mkdir()
    with pytest.raises(TableError, match=r"t.csv is a folder, not a file"):
        read(tmp_path / "t.csv")


def test_a_name_no_system_allows_is_refused() -> None:
    """A path with a zero byte is an error of ours, not of the system."""
    with pytest.raises(TableError, match=r"cannot be read|no file"):
        read("a\0b.csv")


def test_a_file_without_leave_to_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that may not be read says so, whatever its format."""

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    for name in ("t.csv", "t.parquet", "t.arff"):
        (tmp_path / name).write_text(GOOD)
    monkeypatch.setattr(Path, "open", refuse)
    for name in ("t.csv", "t.parquet", "t.arff"):
        with pytest.raises(TableError, match=rf"{name} cannot be read.*Permission denied"):
            read(tmp_path / name)


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    """A named pipe is refused instead of waited for."""
    path = tmp_path / "t.csv"
    os.mkfifo(path)
    with pytest.raises(TableError, match=r"t.csv is not a regular file"):
        read(path)


def test_a_long_list_of_columns_is_cut(tmp_path: Path) -> None:
    """The columns are listed up to the tenth, with their number."""
    path = tmp_path / "t.csv"
    path.write_text(",".join(f"c{i}" for i in range(300)) + "\n" + ",".join("1" * 300) + "\n")
    with pytest.raises(TableError, match=r"Columns: c0, .*, c9, \.\.\. \(300 in all\)$"):
        read(path, target="zzzzzzz")


def test_bad_columns_are_named_all_at_once(tmp_path: Path) -> None:
    """One error names every column that cannot be used, and the options that go on."""
    frame = pl.DataFrame(
        {
            "when": ["2020-01-02", "2020-01-03"],
            "say": ["the quick brown fox jumps high", "the lazy dog lies in the sun"],
            "none": [None, None],
            "kind": ["x", "y"],
        }
    )
    frame.write_csv(tmp_path / "t.csv")
    with pytest.raises(TableError) as caught:
        read(tmp_path / "t.csv")
    message = str(caught.value)
    assert "'when' holds dates or times, 'say' holds free text, 'none' has no values" in message
    assert "--drop when,say,none" in message
    assert "--nominal when,say" in message


def test_errors_are_value_errors_that_pickle() -> None:
    """A TableError is a ValueError and survives the way back from a worker process."""
    error = pickle.loads(pickle.dumps(TableError("no file.")))  # noqa: S301
    assert isinstance(error, ValueError)
    assert str(error) == "tamis: no file."


def test_a_link_to_nothing_is_told(tmp_path: Path) -> None:
    """A link whose file is not there is called that, and not offered as the file that was meant."""
    (tmp_path / "t.csv").symlink_to(tmp_path / "gone.csv")
    with pytest.raises(TableError, match=r"t\.csv is a link to .*gone\.csv, which does not exist") as caught:
        read(tmp_path / "t.csv")
    assert "Did you mean" not in str(caught.value)


def test_messages_in_python_name_parameters(tmp_path, in_python):
    """What is --drop on the command line is drop=[...] for who calls read."""
    (tmp_path / "t.csv").write_text("day,age,kind\n2001-02-03,1,x\n2001-02-04,2,\n2001-02-05,3,y\n")
    with pytest.raises(TableError, match="Use drop_unlabelled=True to leave them out"):
        read(tmp_path / "t.csv")
    with pytest.raises(
        TableError, match=r"Use drop=\['day'\] to leave out.*nominal=\['day'\].*drop_unusable=True"
    ) as caught:
        read(tmp_path / "t.csv", drop_unlabelled=True)
    assert "--" not in str(caught.value)
    (tmp_path / "t.csv").write_text("5.1,3.5,x\n4.9,3.0,y\n")
    with pytest.raises(TableError, match="or use header=False"):
        read(tmp_path / "t.csv")
