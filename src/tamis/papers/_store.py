"""Measurements on disk, so that a run can be stopped at any moment and resumed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tamis._files import remove_unfinished, written
from tamis._journal import Journal, answers_on_disk
from tamis.papers._paper import Figure, Task

if TYPE_CHECKING:
    import polars as pl

SYNC_SECONDS = 2.0  # if the machine fails, at most this much is lost; a killed run loses its unfinished tasks
RESULTS, SECONDS, JOURNAL = "results.parquet", "seconds.parquet", "unfinished.jsonl"
ABOUT = {"run": "run.json"}  # the file that describes the run
TASK = list(Task._fields)
KEY = [*TASK, "method", "setting", "figure"]


def schema() -> dict[str, Any]:
    """The columns of the measurements and their dtypes."""
    import polars as pl

    texts = dict.fromkeys(KEY, pl.String)
    return {**texts, "repeat": pl.Int64, "fold": pl.Int64, "value": pl.Float64, "seconds": pl.Float64}


class Store:
    """Measurements in a folder: those of a finished run in two Parquet files, those of an unfinished one in a journal.

    A line of the journal is a task with all its measurements. `merge` writes them to ``results.parquet``, in the order of
    the plan; the seconds go to ``seconds.parquet``, row by row. So ``results.parquet`` has the same bytes however often the
    run was interrupted.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.journal: Journal | None = None

    def frame(self) -> pl.DataFrame:
        """Everything measured so far, each measurement once."""
        import polars as pl

        lines = answers_on_disk(self.folder / JOURNAL, ABOUT, "rebuild", "run")
        rows = [{**line["task"], **figure} for line in lines for figure in line["figures"]]
        frames = [pl.DataFrame(schema=schema()), *self._merged(), pl.DataFrame(rows, schema=schema())]
        return pl.concat(frames).unique(KEY, keep="first", maintain_order=True)

    def _merged(self) -> list[pl.DataFrame]:
        import polars as pl

        file = self.folder / RESULTS
        if not file.exists():
            return []
        results = pl.read_parquet(file)
        times = self.folder / SECONDS
        seconds = pl.read_parquet(times) if times.exists() else None
        if seconds is None or not seconds.select(KEY).equals(
            results.select(KEY)
        ):  # killed between writing the two
            return [results.with_columns(pl.lit(None, pl.Float64).alias("seconds"))]
        return [results.with_columns(seconds["seconds"])]

    def done(self) -> set[Task]:
        """The tasks that need not be run again."""
        return {Task(*row) for row in self.frame().select(TASK).unique().iter_rows()}

    def add(self, task: Task, figures: Iterable[Figure]) -> None:
        """Store the measurements of a task."""
        if self.journal is None:
            self.journal = Journal(
                self.folder / JOURNAL, ABOUT, who="rebuild", what="run", pause=SYNC_SECONDS
            )
        self.journal.add({"task": task._asdict(), "figures": [figure._asdict() for figure in figures]})

    def close(self) -> None:
        """Close the journal; its content stays on disk."""
        if self.journal is not None:
            self.journal.close()

    def merge(self, plan: Sequence[Task]) -> pl.DataFrame:
        """Write everything to the two files, in the order of the plan; tasks outside it come last, by name."""
        import polars as pl

        self.close()
        order = pl.DataFrame(list(plan), schema={name: schema()[name] for name in TASK}, orient="row")
        order = order.with_row_index("place")
        frame = self.frame().join(order, on=TASK, how="left", maintain_order="left")
        # Within a task the order is that of its figures.
        frame = frame.sort(["place", *TASK], nulls_last=True, maintain_order=True)
        frame = frame.drop("place")
        _write(frame.select(*KEY, "seconds"), self.folder / SECONDS)
        _write(frame.drop("seconds"), self.folder / RESULTS)
        (self.folder / JOURNAL).unlink(missing_ok=True)
        remove_unfinished(self.folder)
        return frame


def _write(frame: pl.DataFrame, file: Path) -> None:
    with written(file) as stream:
        frame.write_parquet(stream, compression="zstd")
