"""What runs in Spark's Python workers, without Spark."""

from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

pytest.importorskip(
    "pyspark", reason="PySpark is not installed: pip install 'tamis[spark]', or make test-spark"
)

import pyarrow as pa

from tamis.spark import worker


@dataclass
class Part:
    """A part that counts what it is asked, and says how large it is."""

    number: int
    size: int = 0
    states: dict = field(default_factory=dict)

    def __sizeof__(self):
        return self.size


def asked(part):
    part.states["times"] = part.states.get("times", 0) + 1
    return part.number * 10 + part.states["times"]


@pytest.fixture(autouse=True)
def _forgetful(monkeypatch):
    monkeypatch.setattr(worker, "_PARTS", {})


def test_a_partition_answers_with_one_sum():
    """Parts are added up; a partition without parts answers nothing."""
    total = worker.Total("fit", asked, ())
    assert list(total([((0, 0), Part(1)), ((0, 1), Part(2))])) == [11 + 21]
    assert list(total([])) == []


def test_a_worker_remembers_parts_of_one_fit():
    """A part that comes again is the one that was asked before, unless it is of another fit."""
    total = worker.Total("fit", asked, ())
    assert [next(total([((0, 0), Part(1))])) for _ in range(3)] == [11, 12, 13]
    assert next(worker.Total("other", asked, ())([((0, 0), Part(1))])) == 11


def test_a_worker_forgets_what_was_used_longest_ago(monkeypatch):
    """No more is remembered than the limit allows, and answers do not rest on it."""
    monkeypatch.setattr(worker, "REMEMBERED_BYTES", 2500)
    total = worker.Total("fit", asked, ())
    for number in range(5):
        list(total([((0, number), Part(number, 1000))]))
    assert [name[2] for name in worker._PARTS] == [3, 4]


def test_parts_without_a_state_are_not_remembered():
    """What comes with every message need not be held."""
    assert list(worker.Total("fit", sum, ())([((0, 0), [1, 2])])) == [3]
    assert worker._PARTS == {}


def test_a_part_of_vectors_is_an_array_and_one_of_columns_a_frame():
    """Columns have the names of the caller, and some of them can be read alone; a weight is optional."""
    rows = pa.table({worker.VECTOR: [[1.0, 2.0], [3.0, None]], worker.LABEL: ["a", "b"]})
    part = worker.BlockPart(rows, None)
    assert part.table([0]).tolist() == [[1.0], [3.0]]
    assert part.table().shape == (2, 2)
    assert part.labels().tolist() == ["a", "b"]
    assert part.weights() is None
    rows = pa.table(
        {"column0": [1, 2], "column1": ["u", None], worker.LABEL: [0, 1], worker.WEIGHT: [0.5, 1.0]}
    )
    part = worker.BlockPart(rows, ("a.b", "c`d"))
    assert part.table().to_dict(as_series=False) == {"a.b": [1, 2], "c`d": ["u", None]}
    assert part.table([1]).columns == ["c`d"]
    assert part.weights().tolist() == [0.5, 1.0]


def test_a_partition_becomes_blocks_of_a_few_rows(monkeypatch):
    """Blocks have keys in order and hold the rows in order; batches without rows are left out, and a missing vector is noted."""
    monkeypatch.setattr(worker, "BLOCK_ROWS", 3)
    monkeypatch.setattr("pyspark.TaskContext.get", lambda: SimpleNamespace(partitionId=lambda: 7))
    vectors = [[[1.0], [2.0]], [], [[3.0], [4.0]], [[5.0], None]]
    kind = pa.list_(pa.float64())
    batches = [pa.RecordBatch.from_arrays([pa.array(each, kind)], names=[worker.VECTOR]) for each in vectors]
    blocks = [pa.Table.from_batches([block]).to_pylist()[0] for block in worker.written_blocks(batches)]
    assert [(block["partition"], block["number"], block["n_rows"]) for block in blocks] == [
        (7, 0, 4),
        (7, 1, 2),
    ]
    assert [(block["shortest"], block["longest"]) for block in blocks] == [(1, 1), (0, 1)]
    tables = [pa.ipc.open_stream(block["rows"]).read_all() for block in blocks]
    assert [row[worker.VECTOR] for rows in tables for row in rows.to_pylist()] == [
        *([float(number)] for number in range(1, 6)),
        None,
    ]
