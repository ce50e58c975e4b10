"""Hostile input: whatever the bytes, a reader gives a Dataset or a TableError, and soon."""

import random
from pathlib import Path
from unittest import mock

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.table._dataset import Dataset, TableError
from tamis.table.reading import csv as delimited
from tamis.table.reading.read import read

ENDINGS = [".csv", ".tsv", ".txt", ".data", ".arff", ".dat", ".parquet", ".feather", ".csv.gz", ".csv.zst"]
PIECES = [
    "a", "b", "x", "1", "2.5", "-3", "01", "?", "NA", "nan", "inf", "1e999", "é", "\u2028", "\x1c", "\ufeff", "\0",
    ",", ";", "\t", "|", " ", "  ", "\n", "\r", "\r\n", '"', "'", "\\", "{", "}", "%", "@",
    "@relation r\n", "@attribute a numeric\n", "@attribute b {x, 'y z'}\n", "@attribute d date\n", "@attribute c{x,y}\n",
    "@inputs a\n", "@outputs b\n", "@data\n", "{0 1, 1 x}\n", "a,b,c\n", "1,2,x\n", "3,4,y\n", ", {5}", "2020-01-02", "1,5", "1.234,5",
    "^a$", "*", "column_1", "the quick brown fox jumps over it",
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


def outcome(folder: Path, content: bytes, ending: str, **wishes: object) -> object:
    """Read the bytes under the ending; any exception but a TableError is a failure of the test."""
    path = folder / f"t{ending}"
    path.write_bytes(content)
    try:
        dataset = read(path, **wishes)  # type: ignore[arg-type]
    except TableError as error:
        return _checked(error)
    assert isinstance(dataset, Dataset)
    assert dataset.X.height == len(dataset.y) > 1
    assert len(set(dataset.y.tolist())) > 1
    return dataset


def _checked(error: TableError) -> TableError:
    assert str(error).startswith("tamis: ")
    assert str(error).count("tamis: ") == 1
    return error


@pytest.mark.parametrize("ending", ENDINGS)
@given(content=st.binary(max_size=200))
def test_random_bytes_are_read_or_refused(folder: Path, ending: str, content: bytes) -> None:
    """Random bytes under every ending give a Dataset or a TableError."""
    outcome(folder, content, ending)


@pytest.mark.parametrize("ending", [".csv", ".txt", ".arff", ".dat"])
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=40))
def test_random_pieces_are_read_or_refused(folder: Path, ending: str, pieces: list[str]) -> None:
    """Texts put together from what the formats are made of give a Dataset or a TableError."""
    outcome(folder, "".join(pieces).encode(), ending)


@pytest.mark.parametrize("ending", [".csv", ".arff", ".dat"])
@given(cells=st.lists(st.lists(st.sampled_from(PIECES), min_size=3, max_size=3), min_size=2, max_size=8))
def test_random_cells_are_read_or_refused(folder: Path, ending: str, cells: list[list[str]]) -> None:
    """Rows of three odd values below a good header give a Dataset or a TableError, whatever the wishes."""
    rows = "".join(",".join(row) + "\n" for row in cells)
    head = {
        ".csv": "a,b,c\n",
        ".arff": "@attribute a numeric\n@attribute b string\n@attribute c {x,y,1}\n@data\n",
        ".dat": "@attribute a integer [0,9]\n@attribute b {a,b,x}\n@attribute c {x,y,1}\n@outputs c\n@data\n",
    }[ending]
    content = (head + rows).encode()
    small = outcome(folder, content, ending)
    with mock.patch.object(delimited, "CATEGORIES_FROM", 0):
        large = outcome(folder, content, ending)
    if isinstance(small, Dataset) and isinstance(large, Dataset):
        assert small.X.rows() == large.X.rows()
        assert small.y.tolist() == large.y.tolist()
    else:
        assert str(small) == str(large)
    outcome(folder, content, ending, nominal=["a", "c"], drop_unlabelled=True)
    outcome(folder, content, ending, numeric=["a"], missing_values=["x", "1"], drop_unlabelled=True)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("ending", [".parquet", ".feather", ".csv.gz", ".csv.zst"])
def test_damaged_files_are_read_or_refused(folder: Path, ending: str, seed: int) -> None:
    """A good binary or compressed file with some bytes changed or cut gives a Dataset or a TableError."""
    frame = pl.DataFrame({"a": [1, 2, 3], "b": ["u", "v", "u"], "kind": ["x", "y", "x"]})
    path = folder / f"good{ending}"
    if ending == ".parquet":
        frame.write_parquet(path)
    elif ending == ".feather":
        frame.write_ipc(path)
    else:
        frame.write_csv(path, compression="gzip" if ending == ".csv.gz" else "zstd")
    content = bytearray(path.read_bytes())
    rng = random.Random(seed)  # noqa: S311
    for _ in range(rng.randint(1, 4)):
        content[rng.randrange(len(content))] = rng.randrange(256)
    outcome(folder, bytes(content[: rng.choice([len(content), rng.randrange(len(content))])]), ending)


@pytest.mark.parametrize(
    "text",
    [
        "@attribute " + "'" * 200_000,
        "@attribute a {" + "'" + "\\'" * 100_000 + "}\n@data\n",
        "@attribute a" + " " * 200_000 + "b\n@data\n1\n",
        "@attribute a {" + "," * 200_000 + "}\n@attribute k {x,y}\n@data\n?,x\n",
        "@attribute a numeric\n@attribute k {x,y}\n@data\n" + "{" * 200_000,
        "@attribute a numeric\n@attribute k {x,y}\n@data\n" + "'" + "\\" * 200_000,
        "@attribute a numeric\n@attribute k {x,y}\n@data\n{0 1" + " " * 200_000 + ", 1 y",
        "@attribute a numeric\n@attribute k {x,y}\n@data\n1,x, " + "{5" * 100_000,
        "@" * 200_000,
        "%" * 200_000,
    ],
)
def test_long_nests_and_runs_end_soon(folder: Path, text: str) -> None:
    """Texts made to send a reader back and forth are refused in one pass, without recursion."""
    assert isinstance(outcome(folder, text.encode(), ".arff"), TableError)
    assert isinstance(outcome(folder, text.encode(), ".dat"), TableError)
    outcome(folder, text.encode(), ".csv")
