"""Measurements on disk, so that a run can be stopped at any moment and go on."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tamis._files import remove_unfinished, written
from tamis.papers._paper import Figure, Task

if TYPE_CHECKING:
    import polars as pl

FLUSH_SECONDS = 2.0  # a killed run loses no more than this, and the tasks that were under way
RESULTS, SECONDS = "results.parquet", "seconds.parquet"
TASK = list(Task._fields)
KEY = [*TASK, "method", "setting", "figure"]


def schema() -> dict[str, Any]:
    """The columns of the measurements and their dtypes."""
    import polars as pl

    texts = dict.fromkeys(KEY, pl.String)
    return {**texts, "repeat": pl.Int64, "fold": pl.Int64, "value": pl.Float64, "seconds": pl.Float64}


class Store:
    """Measurements in a folder: whole files only, written beside and moved into place.

    Tasks that are done go to ``part-*.parquet``, all measurements of a task into one file. `merge` makes
    ``results.parquet`` of them, in the order of the plan and without the seconds, which stand row by row in
    ``seconds.parquet``: the results of a run are the same bytes whenever, and in how many pieces, it was made.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.waiting: list[dict[str, Any]] = []
        self.written = time.monotonic()

    def frame(self) -> pl.DataFrame:
        """Everything measured so far, each measurement once."""
        import polars as pl

        parts = [pl.read_parquet(path) for path in sorted(self.folder.glob("part-*.parquet"))]
        frames = [pl.DataFrame(schema=schema()), *self._merged(), *parts]
        return pl.concat(frames).unique(KEY, keep="first", maintain_order=True)

    def _merged(self) -> list[pl.DataFrame]:
        import polars as pl

        place = self.folder / RESULTS
        if not place.exists():
            return []
        results = pl.read_parquet(place)
        times = self.folder / SECONDS
        found = pl.read_parquet(times) if times.exists() else None
        if found is None or not found.select(KEY).equals(results.select(KEY)):  # killed between the two
            return [results.with_columns(pl.lit(None, pl.Float64).alias("seconds"))]
        return [results.with_columns(found["seconds"])]

    def done(self) -> set[Task]:
        """The tasks that need not be run again."""
        return {Task(*row) for row in self.frame().select(TASK).unique().iter_rows()}

    def add(self, task: Task, figures: Iterable[Figure]) -> None:
        """Keep the measurements of a task; those of the last seconds wait to be written together."""
        self.waiting += [{**task._asdict(), **figure._asdict()} for figure in figures]
        if time.monotonic() - self.written >= FLUSH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write what waits."""
        import polars as pl

        if self.waiting:
            taken = [int(path.stem.split("-")[1]) for path in self.folder.glob("part-*.parquet")]
            place = self.folder / f"part-{max(taken, default=-1) + 1:06d}.parquet"
            replace(pl.DataFrame(self.waiting, schema=schema()), place)
        self.waiting, self.written = [], time.monotonic()

    def merge(self, plan: Sequence[Task]) -> pl.DataFrame:
        """Make one file of all, in the order of the plan; tasks outside it come last, by name."""
        import polars as pl

        self.flush()
        order = pl.DataFrame(list(plan), schema={name: schema()[name] for name in TASK}, orient="row")
        order = order.with_row_index("place")
        frame = self.frame().join(order, on=TASK, how="left", maintain_order="left")
        # Within a task the order is that of its figures.
        frame = frame.sort(["place", *TASK], nulls_last=True, maintain_order=True)
        frame = frame.drop("place")
        replace(frame.select(*KEY, "seconds"), self.folder / SECONDS)
        replace(frame.drop("seconds"), self.folder / RESULTS)
        for path in self.folder.glob("part-*.parquet"):
            path.unlink()
        remove_unfinished(self.folder)
        return frame


def replace(frame: pl.DataFrame, place: Path) -> None:
    """Write a table in the place of another."""
    with written(place) as file:
        frame.write_parquet(file, compression="zstd")
