"""The rows of a DataFrame as parts that Spark holds: what the part engine asks is answered by Spark jobs.

The rows are read once, and kept as blocks where Spark keeps what is cached: in memory, and on the executors' disks. Coded they
take one byte per value, and the blocks are let go. A request to the coded parts is one job: every task adds up what its parts
answer, and many tasks are added up as a tree, by the executors.
"""

from __future__ import annotations

import operator
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, Self

from pyspark import RDD, StorageLevel
from pyspark.sql import DataFrame

from tamis.spark.columns import Columns
from tamis.spark.worker import BLOCK, Asked, Key, Refusal, Total, written_blocks
from tamis.table.parts.parted import PartedTable

FEW_TASKS = 16  # whose answers the driver adds up by itself


@dataclass
class SparkParts:
    """Coded parts that Spark holds.

    Parameters
    ----------
    parts : pyspark.RDD
        Keys and coded parts.
    fit : str
        What tells them from those of another fit.

    Attributes
    ----------
    n_jobs : int
        Jobs started; tests and benchmarks read it.
    """

    parts: RDD[Any]
    fit: str
    n_jobs: int = 0

    def total(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The sum of ``function(part, *arguments)`` over all parts, computed and added by the executors."""
        self.n_jobs += 1
        amounts = self.parts.mapPartitions(Total(self.fit, function, arguments))
        if amounts.getNumPartitions() > FEW_TASKS:
            return amounts.treeReduce(operator.add)
        return reduce(operator.add, amounts.collect())


@dataclass
class SparkPieces:
    """The parts of a table before they are coded, held by Spark; to be closed.

    Attributes
    ----------
    blocks : pyspark.RDD
        The rows.
    keys : list
        The key of each block, in the order of the rows.
    columns : Columns
        What they hold.
    table : PartedTable
        The table, for an estimator's ``fit``.
    parts : list of SparkParts
        Those made by `coded`.
    """

    blocks: RDD[Any]
    keys: list[Key]
    columns: Columns
    table: PartedTable
    parts: list[SparkParts] = field(default_factory=list)

    @classmethod
    def of(cls, who: str, frame: DataFrame, columns: Columns) -> Self:
        """Read the rows of a DataFrame, once."""
        selected = columns.selected(frame)
        blocks = selected.mapInArrow(written_blocks, BLOCK).rdd
        blocks.persist(StorageLevel.MEMORY_AND_DISK)
        try:
            told = blocks.map(_without_rows).collect()
            if not told:
                raise ValueError(f"{who}: the DataFrame has no rows. Give it some.")
            n_columns = columns.number(who, [length for each in told for length in each[2:]])
        except BaseException:
            blocks.unpersist()
            raise
        keys = [each[:2] for each in told]
        table = PartedTable(keys, columns.names, columns.example(selected), n_columns)
        pieces = cls(blocks, keys, columns, table)
        pieces.table = PartedTable(keys, columns.names, table.example, n_columns, opened=pieces)
        return pieces

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.blocks.unpersist()
        for held in self.parts:
            held.parts.unpersist()

    def labels(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """``function(part, *arguments)`` of every part."""
        return self.each(function, [()] * len(self.keys), *arguments)

    def each(
        self, function: Callable[..., Any], own: Sequence[tuple[Any, ...]], *arguments: Any
    ) -> list[Any]:
        """``function(part, *own, *arguments)`` of every part, with its entry of `own`."""
        asked = Asked(function, self._names, arguments, dict(zip(self.keys, own)))
        answers: list[Any] = self.blocks.map(asked).collect()
        for answer in answers:
            if isinstance(answer, Refusal):
                raise answer.error
        return answers

    def coded(self, function: Callable[..., Any], *arguments: Any) -> SparkParts:
        """``function(part, *arguments)`` of every part; the results stay with Spark, as many tasks as there are processors."""
        n_tasks = min(self.blocks.getNumPartitions(), self.blocks.context.defaultParallelism)
        asked = Asked(function, self._names, arguments, keyed=True)
        parts = self.blocks.coalesce(n_tasks).map(asked).persist(StorageLevel.MEMORY_AND_DISK)
        held = SparkParts(parts, uuid.uuid4().hex)
        self.parts.append(held)
        parts.count()
        self.blocks.unpersist()
        return held

    @property
    def _names(self) -> tuple[str, ...] | None:
        return None if self.columns.names is None else tuple(self.columns.names)


def _without_rows(block: Any) -> tuple[int, int, int, int]:
    """The key of a block, and the lengths of its shortest and longest vector."""
    return block.partition, block.number, block.shortest, block.longest
