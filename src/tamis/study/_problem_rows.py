"""Results of a problem-space run on disk, so that a run can be stopped at any moment and resumed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tamis._files import remove_unfinished, written
from tamis._journal import Journal
from tamis.datasets._problem import Problem

MADE_BY = ("ranker_described", "code", "random_state")
"""The columns that are only on disk: the ranker with all its parameters, the code, and the seed."""

KEY = [*Problem.__annotations__, "dataset"]
SYNC_SECONDS = 5.0  # if the machine fails, at most this much is lost; a killed run loses nothing
_RESULTS, _JOURNAL = "results.parquet", "unfinished.jsonl"


def key(row: dict[str, Any]) -> tuple[Any, ...]:
    """The key of a data set."""
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


class ProblemRows:
    """Results in a folder: those of a finished run in ``results.parquet``, those of an unfinished one in a journal.

    A process killed at any moment leaves complete rows; a row found in both files counts once. Results of another
    ranker, seed or code are refused.

    Parameters
    ----------
    folder : Path
        The folder.
    made_by : dict
        What all results have in common: a value for ``ranker`` and each of `MADE_BY`.
    """

    def __init__(self, folder: Path, made_by: dict[str, Any]) -> None:
        if folder.exists() and not folder.is_dir():
            raise ValueError(f"problem_space: path={str(folder)!r} is a file. Give a folder for the results.")
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        finished = self._finished()
        _refuse_others(folder, finished, made_by)
        self.journal = Journal(
            folder / _JOURNAL, made_by, who="problem_space", what="run", pause=SYNC_SECONDS
        )
        self.by_key = {key(row): row for row in (*self.journal.answers, *finished)}

    def _finished(self) -> list[dict[str, Any]]:
        import polars as pl

        file = self.folder / _RESULTS
        return pl.read_parquet(file).to_dicts() if file.exists() else []

    def add(self, row: dict[str, Any]) -> None:
        """Store a row."""
        self.journal.add(row)
        self.by_key[key(row)] = row

    def merge(self) -> None:
        """Write all rows to one file, and remove the journal."""
        import polars as pl

        if self.by_key:
            with written(self.folder / _RESULTS) as file:
                pl.DataFrame(list(self.by_key.values()), schema=schema()).write_parquet(file)
        self.journal.remove()
        remove_unfinished(self.folder)


def _refuse_others(folder: Path, rows: list[dict[str, Any]], made_by: dict[str, Any]) -> None:
    for name, mine in made_by.items():
        others = {row[name] for row in rows} - {mine}
        if others:
            raise ValueError(
                f"problem_space: {str(folder)!r} holds results of {name}={min(others, key=str)!r}, not of "
                f"{mine!r}. Give another folder, or empty this one."
            )
