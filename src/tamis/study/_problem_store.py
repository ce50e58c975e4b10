"""Results of a problem-space run on disk, so that a run can be stopped at any moment and go on."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tamis._files import written
from tamis.datasets._problem import Problem

if TYPE_CHECKING:
    import polars as pl

MADE_BY = ("ranker_described", "code", "random_state")
"""The columns that stand on disk alone: the ranker with all its parameters, what computed, and the seed."""

KEY = [*Problem.__annotations__, "dataset"]
FLUSH_SECONDS = 5.0  # a killed run loses no more than this
_RESULTS = "results.parquet"


def key(row: dict[str, Any]) -> tuple[Any, ...]:
    """What tells one data set from all others."""
    return tuple(row[name] for name in KEY)


def schema() -> dict[str, Any]:
    """The columns of the results and their dtypes."""
    import polars as pl

    kinds = {
        "n": pl.Int64,
        "d": pl.Int64,
        "r": pl.Int64,
        "concept": pl.String,
        "redundant": pl.Boolean,
        "label_noise": pl.Float64,
        "feature_noise": pl.Float64,
        "dataset": pl.Int64,
        "ranker": pl.String,
        "seed": pl.UInt32,
        "auc": pl.Float64,
        "p_b": pl.Float64,
        "p_w": pl.Float64,
        "seconds": pl.Float64,
        "ranks": pl.List(pl.Float64),
        **dict.fromkeys(MADE_BY, pl.String),
        "random_state": pl.Int64,
    }
    return dict(kinds)


class Store:
    """Results in a folder: whole files only, written beside and moved into place.

    Rows go to ``part-*.parquet``, merged into ``results.parquet`` at the end. A process killed at any moment leaves
    whole files; a row that is in two of them after a kill counts once. Results of another ranker, seed or code are
    refused.

    Parameters
    ----------
    folder : Path
        Where they are.
    made_by : dict
        What all results have in common: a value for ``ranker`` and each of `MADE_BY`.
    """

    def __init__(self, folder: Path, made_by: dict[str, Any]) -> None:
        if folder.exists() and not folder.is_dir():
            raise ValueError(f"problem_space: path={str(folder)!r} is a file. Give a folder for the results.")
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.made_by = folder, made_by
        self.waiting: list[dict[str, Any]] = []
        self.written = time.monotonic()
        self._refuse_others()

    def _files(self) -> list[Path]:
        return [
            path
            for path in (self.folder / _RESULTS, *sorted(self.folder.glob("part-*.parquet")))
            if path.exists()
        ]

    def _frame(self) -> pl.DataFrame:
        import polars as pl

        empty = pl.DataFrame(schema=schema())
        frames = [pl.read_parquet(path) for path in self._files()]
        return pl.concat([empty, *frames], how="diagonal").unique(KEY, keep="first", maintain_order=True)

    def _refuse_others(self) -> None:
        frame = self._frame()
        for name, mine in self.made_by.items():
            others = set(frame[name].to_list()) - {mine}
            if others:
                raise ValueError(
                    f"problem_space: {str(self.folder)!r} holds results of {name}={min(others, key=str)!r}, not of "
                    f"{mine!r}. Give another folder, or empty this one."
                )

    def rows(self) -> dict[tuple[Any, ...], dict[str, Any]]:
        """The results so far, by key."""
        return {key(row): row for row in self._frame().to_dicts()}

    def add(self, row: dict[str, Any]) -> None:
        """Keep a row; those of the last seconds wait to be written together."""
        self.waiting.append(row)
        if time.monotonic() - self.written >= FLUSH_SECONDS:
            self._write()

    def _write(self) -> None:
        import polars as pl

        if self.waiting:
            taken = [int(path.stem.split("-")[1]) for path in self.folder.glob("part-*.parquet")]
            place = self.folder / f"part-{max(taken, default=-1) + 1:06d}.parquet"
            with written(place) as file:
                pl.DataFrame(self.waiting, schema=schema()).write_parquet(file)
        self.waiting, self.written = [], time.monotonic()

    def merge(self) -> None:
        """Write what waits and make one file of all."""
        self._write()
        parts = [path for path in self._files() if path.name != _RESULTS]
        if parts:
            with written(self.folder / _RESULTS) as file:
                self._frame().write_parquet(file)
        for path in parts:
            path.unlink()
