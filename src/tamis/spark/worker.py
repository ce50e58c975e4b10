"""What runs in Spark's Python workers: rows become blocks, blocks are read as parts, and parts answer.

A block is some rows of a partition as an Arrow stream. Its key, the partition and a number, tells it from all others.
Spark may run a task again, in any worker: nothing here is needed by a later task. Weights that a worker remembers spare it
to make them again from the stumps.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from tamis.table.parts.parted import columns_at

BLOCK_ROWS = 1 << 18
BLOCK_BYTES = 1 << 24  # a block is copied several times on its way, by every task, in the memory of Java
REMEMBERED_BYTES = 1 << 28  # of codes and weights, in each worker
BLOCK = "partition int, number int, n_rows int, shortest int, longest int, rows binary"
VECTOR, LABEL, WEIGHT = "vector", "label", "weight"

Key = tuple[int, int]  # partition and number of a block


def written_blocks(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows of a partition as blocks, of the schema `BLOCK`."""
    from pyspark import TaskContext

    context = TaskContext.get()
    assert context is not None  # noqa: S101
    waiting: list[pa.RecordBatch] = []
    number = 0
    for batch in batches:
        if not batch.num_rows:
            continue
        waiting.append(batch)
        if (
            sum(one.num_rows for one in waiting) >= BLOCK_ROWS
            or sum(one.nbytes for one in waiting) >= BLOCK_BYTES
        ):
            yield _block(context.partitionId(), number, waiting)
            waiting, number = [], number + 1
    if waiting:
        yield _block(context.partitionId(), number, waiting)


def _block(partition: int, number: int, batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    """One block; of vectors the shortest and the longest are noted, and a missing one has no entries."""
    rows = pa.Table.from_batches(batches)
    shortest = longest = 0
    if VECTOR in rows.column_names:
        ends = pc.min_max(pc.fill_null(pc.list_value_length(rows[VECTOR]), 0)).as_py()
        shortest, longest = ends["min"], ends["max"]
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as stream:
        stream.write_table(rows)
    told = [partition, number, rows.num_rows, shortest, longest]
    arrays = [pa.array([one], pa.int32()) for one in told]
    arrays.append(pa.array([sink.getvalue().to_pybytes()], pa.binary()))
    return pa.RecordBatch.from_arrays(
        arrays, names=["partition", "number", "n_rows", "shortest", "longest", "rows"]
    )


@dataclass(frozen=True)
class BlockPart:
    """A block as a part of a table.

    Attributes
    ----------
    rows : pyarrow.Table
        The columns that are ranked, the label, and the weight if there is one.
    names : tuple of str or None
        The names of the columns that are ranked; None for one column of vectors.
    """

    rows: pa.Table
    names: tuple[str, ...] | None

    def table(self, columns: Sequence[int] | None = None) -> Any:
        """The columns, or some of them by position, as a frame; an array if they are vectors."""
        if self.names is None:
            entries = self.rows[VECTOR].combine_chunks().flatten().to_numpy(zero_copy_only=False)
            vectors = entries.reshape(self.rows.num_rows, -1)
            return vectors if columns is None else columns_at(vectors, columns)
        chosen = range(len(self.names)) if columns is None else columns
        series = [pl.Series(self.names[column], pl.from_arrow(self.rows.column(column))) for column in chosen]
        return pl.DataFrame(series)

    def labels(self) -> Any:
        """The labels."""
        return self._one(LABEL)

    def weights(self) -> Any:
        """The weights, None if there are none."""
        return self._one(WEIGHT) if WEIGHT in self.rows.column_names else None

    def _one(self, name: str) -> Any:
        series = pl.from_arrow(self.rows[name])
        assert isinstance(series, pl.Series)  # noqa: S101
        return series.to_numpy()


@dataclass(frozen=True)
class Refusal:
    """What a part refuses, for the user; raised by the driver."""

    error: Exception


@dataclass(frozen=True)
class Asked:
    """A function of a part, to be called with a block as Spark holds it.

    Attributes
    ----------
    function : callable
        Of our own; called with the part, its entry of `own` and the arguments.
    names : tuple of str or None
        As in `BlockPart`.
    arguments : tuple
        The same for all parts.
    own : mapping of key to tuple
        Those of each part.
    keyed : bool
        Whether the answer comes with its key, and errors are raised where they are made.
    """

    function: Callable[..., Any]
    names: tuple[str, ...] | None
    arguments: tuple[Any, ...]
    own: Mapping[Key, tuple[Any, ...]] = field(default_factory=dict)
    keyed: bool = False

    def __call__(self, block: Any) -> Any:
        """The answer of a block, a `Refusal` if its rows cannot be used."""
        key = (block.partition, block.number)
        part = BlockPart(pa.ipc.open_stream(pa.py_buffer(block.rows)).read_all(), self.names)
        try:
            answer = self.function(part, *self.own.get(key, ()), *self.arguments)
        except (TypeError, ValueError) as error:
            if self.keyed:
                raise
            answer = Refusal(error.with_traceback(None))
        return (key, answer) if self.keyed else answer


@dataclass(frozen=True)
class Total:
    """The sum of a function over the coded parts of a partition.

    Attributes
    ----------
    fit : str
        What tells the coded parts of one fit from those of another.
    function : callable
        Of our own; called with the part and the arguments.
    arguments : tuple
        The same for all parts.
    """

    fit: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]

    def __call__(self, parts: Iterable[tuple[Key, Any]]) -> Iterator[Any]:
        """One sum, none for a partition without parts."""
        total = None
        for key, held in parts:
            part = _remembered((self.fit, *key), held)
            amount = self.function(part, *self.arguments)
            _remember((self.fit, *key), part)
            total = amount if total is None else total + amount
        if total is not None:
            yield total


_PARTS: dict[tuple[str, int, int], Any] = {}  # those last used come last


def _remembered(name: tuple[str, int, int], part: Any) -> Any:
    """A part with the weights that it had when it last answered here, if it is remembered."""
    return _PARTS.pop(name, part)


def _remember(name: tuple[str, int, int], part: Any) -> None:
    """Remember a part, and forget those used longest ago where there are too many."""
    if not hasattr(part, "states"):
        return
    _PARTS[name] = part
    sizes = {name: sys.getsizeof(part) for name, part in _PARTS.items()}
    while sum(sizes.values()) > REMEMBERED_BYTES:
        oldest = next(iter(sizes))
        del _PARTS[oldest], sizes[oldest]
