"""A folder of Parquet files is read by the rules of one file: the same kinds, notes and sentences."""

import datetime as dt
import pickle
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tamis import StumpAdaBoost
from tamis.table import TableError, read
from tamis.table._names import speech
from tamis.table.parts.parquet import parquet_table
from tamis.table.parts.parquet_part import ParquetPart

N = 60
DAYS = [dt.date(2020, 1, 1) + dt.timedelta(days=day) for day in range(N)]
WORDS = ["the quick brown fox jumps over", "a lazy dog lies in the sun"]


def _gaps(values: Any, rows: range) -> list[Any]:
    return [None if row in rows else value for row, value in enumerate(values)]


FEATURES: dict[str, Any] = {
    "int8": pl.Series(np.arange(N) % 5, dtype=pl.Int8),
    "int64": np.arange(N) % 7,
    "uint64": pl.Series(np.arange(N) % 7, dtype=pl.UInt64),
    "float32": pl.Series(np.linspace(0, 1, N), dtype=pl.Float32),
    "with NaN": [float("nan") if row % 3 else 0.5 * row for row in range(N)],
    "infinite at the end": [*np.linspace(0, 1, N - 1), float("inf")],
    "less than everything": [-float("inf"), *np.linspace(0, 1, N - 1)],
    "decimal": pl.Series([f"{row % 9}.25" for row in range(N)]).cast(pl.Decimal(10, 2)),
    "flags": [row % 2 == 0 for row in range(N)],
    "flags with gaps": _gaps([row % 2 == 0 for row in range(N)], range(50, 60)),
    "colours": ["red", "green", "blue"] * 20,
    "category": pl.Series(["u", "v"] * 30, dtype=pl.Categorical),
    "enum": pl.Series(["u", "v"] * 30, dtype=pl.Enum(["u", "v", "w"])),
    "few digits as text": [str(row % 4) for row in range(N)],
    "few digits but for a slip": [str(row % 4) if row != 47 else "l2" for row in range(N)],
    "few digits but for slips": [str(row % 4) if row % 29 else "-" for row in range(N)],
    "digits as text": [str(row) for row in range(N)],
    "digits but for a word": [*map(str, range(N - 1)), "none"],
    "codes": [f"{row:03d}" for row in range(N)],
    "dates as text": [str(day) for day in DAYS],
    "free text": [f"{WORDS[row % 2]} {row}" for row in range(N)],
    "names": [f"S{row}x" for row in range(N)],
    "nothing": [None] * N,
    "no numbers": pl.Series([None] * N, dtype=pl.Float64),
    "no texts": pl.Series([None] * N, dtype=pl.String),
    "nothing at first": _gaps(np.arange(N) % 7, range(25)),
    "no text at first": _gaps(["u", "v"] * 30, range(25)),
    "nothing at the end": _gaps(np.arange(N) % 7, range(40, 60)),
    "date": DAYS,
    "datetime": [dt.datetime(2020, 1, 1, row % 24) for row in range(N)],
    "time": [dt.time(row % 24) for row in range(N)],
    "duration": [dt.timedelta(hours=row) for row in range(N)],
    "lists": [[row] for row in range(N)],
    "structures": [{"a": row} for row in range(N)],
    "bytes": [b"a", b"b"] * 30,
    "one number": [7] * N,
    "one text": ["u"] * N,
    "one flag": [True] * N,
    "one number with gaps": _gaps([7] * N, range(3)),
    "row": list(range(5, N + 5)),
    "rows backward": list(range(N))[::-1],
    "patient_id": [(row * 37) % 1009 for row in range(N)],
    "twice id": [(row * 37) % 1009 for row in range(N - 1)] + [0],
    "quantity": [(row * 37) % 1009 for row in range(N)],
}
TARGETS: dict[str, Any] = {
    "texts": ["yes", "no"] * 30,
    "flags": [True, False] * 30,
    "whole numbers": np.arange(N) % 3,
    "halves": [0.5, 1.5] * 30,
    "fractions": np.linspace(0, 1, N),
    "many numbers": np.arange(N),
    "infinite": [*([0.5, 1.5] * 29), float("inf"), 0.5],
    "dates": DAYS,
    "times": [dt.datetime(2020, 1, 1, row % 2) for row in range(N)],
    "digits": [str(row % 3) for row in range(N)],
    "digits but for a slip": [str(row % 3) if row != 47 else "O" for row in range(N)],
    "digits and names": [str(row % 3) if row % 4 else "O" for row in range(N)],
    "all different": [f"S{row}" for row in range(N)],
    "one class": ["yes"] * N,
    "one number": [7] * N,
    "gaps": _gaps(["yes", "no"] * 30, range(40, 60)),
    "gaps in numbers": [float("nan"), *([0.0, 1.0] * 29), 1.0],
    "no labels": [None] * N,
    "lists": [[row % 2] for row in range(N)],
    "category": pl.Series(["u", "v"] * 30, dtype=pl.Categorical),
}
WISHES: dict[str, dict[str, Any]] = {
    "as it is": {},
    "nominal": {"nominal": ["a"]},
    "numeric": {"numeric": ["a"]},
    "gaps": {"missing_values": ["0", "none", "u"]},
}


def written(folder: Path, frame: pl.DataFrame) -> list[Path]:
    """One file, a folder of it, and a folder of three; parts without any value have a column without a dtype."""
    frame.write_parquet(folder / "table.parquet")
    for name, ends in (("alone", (0, N)), ("three", (0, 25, 26, N))):
        (folder / name).mkdir()
        for part, (first, last) in enumerate(pairwise(ends)):
            rows = frame[first:last]
            empty = [column.name for column in rows if column.null_count() == rows.height]
            plain = (
                rows.with_columns(pl.lit(None).alias(column) for column in empty) if name == "three" else rows
            )
            plain.write_parquet(folder / name / f"{'table' if name == 'alone' else part}.parquet")
    return [folder / "table.parquet", folder / "alone", folder / "three"]


def of_file(path: Path, wishes: dict[str, Any]) -> Any:
    """The kinds, classes and notes of a file, or its sentence."""
    try:
        dataset = read(path, "kind", **wishes)
        StumpAdaBoost(n_rounds=1).fit(dataset.X, dataset.y)
    except ValueError as error:
        return str(error).replace(" --drop-unusable leaves out all such columns.", "")
    kinds = [not dtype.is_numeric() for dtype in dataset.X.dtypes]
    return kinds, sorted(set(map(str, dataset.y.tolist()))), list(dataset.notes)


def of_folder(path: Path, wishes: dict[str, Any]) -> Any:
    """The kinds, classes and notes of a folder, or its sentence."""
    try:
        table = parquet_table(path, "kind", **wishes)
        model = StumpAdaBoost(n_rounds=1).fit(table, None)
    except ValueError as error:
        return str(error).replace("three (3 files)", "table.parquet")
    kinds = [bool(nominal) for nominal in model._schema.nominal]
    return kinds, sorted(map(str, model.classes_.tolist())), table.notes


@pytest.mark.parametrize("wishes", WISHES)
@pytest.mark.parametrize("name", FEATURES)
def test_a_column_is_the_same_in_a_file_and_in_a_folder(tmp_path: Path, name: str, wishes: str) -> None:
    """Whatever a column holds: the same kind and notes, or the same sentence, for one file and for folders."""
    column = name if " " not in name and wishes == "as it is" else "a"
    frame = pl.DataFrame(
        {column: pl.Series(FEATURES[name]), "plain": np.arange(N) % 11, "kind": ["x", "y"] * 30}
    )
    file, *folders = written(tmp_path, frame)
    expected = of_file(file, WISHES[wishes])
    for folder in folders:
        assert of_folder(folder, WISHES[wishes]) == expected


@pytest.mark.filterwarnings("ignore:The number of unique classes")
@pytest.mark.parametrize("wishes", [{}, {"nominal": ["kind"]}, {"drop_unlabelled": True}])
@pytest.mark.parametrize("name", TARGETS)
def test_a_target_is_the_same_in_a_file_and_in_a_folder(
    tmp_path: Path, name: str, wishes: dict[str, Any]
) -> None:
    """Whatever the target holds: the same classes and notes, or the same sentence, for one file and for folders."""
    frame = pl.DataFrame({"plain": np.arange(N) % 11, "kind": pl.Series(TARGETS[name])})
    file, *folders = written(tmp_path, frame)
    expected = of_file(file, wishes)
    for folder in folders:
        assert of_folder(folder, wishes) == expected


def test_columns_named_wrongly_are_the_same_sentence(tmp_path: Path) -> None:
    """Names that are not there, and names given twice, are answered alike."""
    file, *folders = written(tmp_path, pl.DataFrame({"a": np.arange(N) % 5, "kind": ["x", "y"] * 30}))
    for wishes in (
        {"drop": ["b"]},
        {"nominal": ["b"]},
        {"numeric": ["knid"]},
        {"nominal": ["a"], "numeric": ["a"]},
        {"drop": ["kind"]},
        {"drop": ["a"]},
    ):
        expected = of_file(file, wishes)
        assert expected.startswith("tamis: ")
        for folder in folders:
            assert of_folder(folder, wishes) == expected


def test_files_with_other_dtypes_are_one_table(tmp_path: Path) -> None:
    """Whole numbers and floats, texts and categories go together; numbers and texts do not."""
    first = pl.DataFrame(
        {"a": pl.Series([1, 2] * 10, dtype=pl.Int8), "b": ["u", "v"] * 10, "kind": ["x", "y"] * 10}
    )
    first.write_parquet(tmp_path / "0.parquet")
    second = first.with_columns(pl.col("a").cast(pl.Float64) + 0.5, pl.col("b").cast(pl.Categorical))
    second.write_parquet(tmp_path / "1.parquet")
    table = parquet_table(tmp_path)
    assert dict(table.example.schema) == {"a": pl.Float64, "b": pl.String}
    assert [part.table().schema for part in table.parts] == [table.example.schema] * 2
    first.with_columns(pl.col("a").cast(pl.String)).write_parquet(tmp_path / "2.parquet")
    with pytest.raises(TableError, match=r"'a' is of type Int8 in 0.parquet and of type String in 2.parquet"):
        parquet_table(tmp_path)
    assert parquet_table(tmp_path, nominal=["a"]).example.schema["a"] == pl.String


@pytest.mark.parametrize("labels", [["b", None, "a"], [300, None, 7], [0.1, 2.5, None], [True, False, None]])
def test_labels_are_read_once_and_stay_what_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, labels: list[object]
) -> None:
    """A part asks the file for its labels once, whatever is asked of it and in whatever order, until it is pickled."""
    frame = pl.DataFrame({"a": [1.5, 2.5, 3.5], "kind": labels})
    frame.write_parquet(tmp_path / "0.parquet")
    asked: list[list[str]] = []
    read = ParquetPart._from_file
    monkeypatch.setattr(
        ParquetPart, "_from_file", lambda part, names: (asked.append(names), read(part, names))[1]
    )
    part = ParquetPart(str(tmp_path / "0.parquet"), 0, 3, ("a",), "kind")
    for names in (["kind"], ["kind", "a"], ["a"], ["a", "kind"], ["kind"]):
        assert part.raw(names).equals(frame.select(names))
        assert part.raw(names).schema == frame.select(names).schema
    assert sum("kind" in names for names in asked) == 1
    sent = pickle.loads(pickle.dumps(part))  # noqa: S301
    assert sent == part
    assert sent.raw(["kind"]).equals(frame.select("kind"))
    assert sum("kind" in names for names in asked) == 2


def test_a_fit_reads_the_labels_of_a_part_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All passes of a fit together ask for the labels once a part."""
    rng = np.random.default_rng(0)
    for number in range(2):
        X = rng.normal(size=(60, 2))
        pl.DataFrame(X).with_columns(kind=X[:, 0] > 0).write_parquet(tmp_path / f"{number}.parquet")
    asked: list[str] = []
    read = ParquetPart._from_file
    monkeypatch.setattr(
        ParquetPart, "_from_file", lambda part, names: (asked.extend(names), read(part, names))[1]
    )
    StumpAdaBoost(n_rounds=2, class_weight={True: 0.5, False: 2.0}).fit(tmp_path, "kind")
    assert asked.count("kind") == 2


def test_what_cannot_be_used_is_left_out_as_the_sentence_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In Python the sentence names who takes the parameter that it names; that table is fitted."""
    monkeypatch.setattr(speech, "shell", False)
    frame = pl.DataFrame({"day": DAYS, "a": np.arange(N) % 5, "kind": ["x", "y"] * 30})
    folder = written(tmp_path, frame)[-1]
    with pytest.raises(
        TableError, match=r"Use drop=\['day'\].*parquet_table, whose table is given to fit\.$"
    ):
        StumpAdaBoost(n_rounds=1).fit(str(folder), "kind")
    model = StumpAdaBoost(n_rounds=1).fit(parquet_table(folder, "kind", drop=["day"]), None)
    assert model.feature_names_in_.tolist() == ["a"]
