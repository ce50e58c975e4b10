"""A sample of the rows of a table in several files, for methods that read one file, and for ``--sample``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tamis.cli._parts import in_files, outline
from tamis.cli._sample import ALL, drawn_rows
from tamis.cli._screen import note

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sklearn.base import BaseEstimator

    from tamis._methods import Method
    from tamis.table._dataset import Dataset
    from tamis.table._table import Numbers, Target
    from tamis.table.parts.opened import Pieces
    from tamis.table.parts.parted import PartedTable
    from tamis.table.parts.rows import PartRows

SAMPLE_ROWS = 10_000  # for methods that read one file


def sample_of_parts(
    files: list[str],
    table: PartedTable,
    method: Method,
    estimator: BaseEstimator,
    asked: int | str | None,
    seed: int | None,
) -> Dataset | PartedTable:
    """The table as it is, or a sample of its rows as a data set in memory; a note says so.

    The rows are those that the same table in one file would give: per class its share, and at least one.

    Parameters
    ----------
    files : list of str
        What names the table.
    table : PartedTable
        The table.
    method : Method
        If it reads no table in parts, a sample is drawn unasked.
    estimator : estimator
        What is to be fitted.
    asked : int, "all" or None
        The value of ``--sample-rows``; see `parsed_sample`.
    seed : int or None
        The value of ``--seed``.
    """
    if method.reads_parts and asked in (None, ALL):
        return table
    from tamis.table.parts.opened import opened_parts

    n_rows = sum(part.n_rows for part in table.parts)
    wanted = n_rows if asked == ALL else int(asked or min(SAMPLE_ROWS, method.many_rows or n_rows))
    with in_files(f"drawing {min(wanted, n_rows):,} of {n_rows:,} rows", table):
        pieces = opened_parts(estimator, table, None, None)
        drawn, n_rows = _drawn(files, pieces, estimator, wanted, seed or 0)
    why = "" if method.reads_parts else f" {method.name} reads no table in parts"
    if drawn.X.height < n_rows:
        note(
            f"a sample of {drawn.X.height:,} of {n_rows:,} rows, drawn by class, is used."
            + f"{why}; --sample-rows N draws N rows." * bool(why)
        )
    return drawn


def labels_of_parts(table: PartedTable, estimator: BaseEstimator) -> NDArray[Any]:
    """The labels of all rows, or their numbers."""
    from tamis.table.parts.opened import LocalPieces

    rows = _rows(LocalPieces(table), estimator)
    return labels_of(rows.target, slice(None))


def labels_of(target: Target | Numbers, rows: Any) -> NDArray[Any]:
    """The labels of some rows, or their numbers."""
    from tamis.table._table import Target

    found: NDArray[Any] = (
        target.classes[target.codes[rows]] if isinstance(target, Target) else target.values[rows]
    )
    return found


def _rows(pieces: Pieces, estimator: BaseEstimator) -> PartRows:
    import numpy as np

    from tamis.table.parts.rows import told_rows

    table = pieces.table
    return told_rows(estimator, pieces, np.zeros(table.n_columns, dtype=bool), table.target_kind)


def rows_of_files(
    files: list[str], table: PartedTable, estimator: BaseEstimator, wanted: int, seed: int | None
) -> Dataset:
    """So many rows, drawn by class, of files that were found in order."""
    from tamis.table.parts.opened import LocalPieces

    return _drawn(files, LocalPieces(table), estimator, wanted, seed or 0)[0]


def even_rows_of_files(files: list[str], table: PartedTable, estimator: BaseEstimator) -> Dataset:
    """The rows that remarks about columns look at, of files that were found in order."""
    from tamis.cli._remarks import rows_looked_at
    from tamis.table.parts.opened import LocalPieces

    every = _rows(LocalPieces(table), estimator)
    return _dataset(files, every, estimator, rows_looked_at(every.n_rows))


def _drawn(
    files: list[str], pieces: Pieces, estimator: BaseEstimator, wanted: int, seed: int
) -> tuple[Dataset, int]:
    """The sample, and how many rows there are."""
    import numpy as np

    from tamis.table._table import Target

    every = _rows(pieces, estimator)
    n_rows = every.n_rows
    codes = every.target.codes if isinstance(every.target, Target) else np.zeros(n_rows)
    rows = drawn_rows(codes, wanted, seed) if wanted < n_rows else np.arange(n_rows)
    return _dataset(files, every, estimator, rows), n_rows


def _dataset(files: list[str], every: PartRows, estimator: BaseEstimator, rows: NDArray[np.intp]) -> Dataset:
    """Some rows as a data set in memory."""
    import polars as pl

    X = every.frame(rows).with_columns(pl.selectors.float().fill_nan(None))
    whole = outline(files, every.pieces.table, estimator)
    return replace(whole, X=X, y=labels_of(every.target, rows))
