"""Tables in parts, which are read one at a time or are held by other processes."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Protocol


class Part(Protocol):
    """Some rows of a table, which can be read again whenever they are asked for."""

    def table(self) -> Any:
        """The columns, as a frame or an array."""

    def labels(self) -> Any:
        """The labels."""

    def weights(self) -> Any:
        """The weights, None if there are none."""


@dataclass(frozen=True)
class HeldPart:
    """Rows that are in memory.

    Attributes
    ----------
    X : array or frame
        The columns; None where only the labels are asked for.
    y : array or series
        The labels.
    w : array or series or None
        The weights.
    """

    X: Any
    y: Any
    w: Any = None

    def table(self) -> Any:
        """The columns."""
        return self.X

    def labels(self) -> Any:
        """The labels."""
        return self.y

    def weights(self) -> Any:
        """The weights, None if there are none."""
        return self.w


@dataclass(frozen=True)
class PartedTable:
    """A table in parts, and what is known of it before it is read.

    Attributes
    ----------
    parts : list
        `ParquetPart`, or whatever `HeldPart` is made of.
    names : list of str or None
        The columns.
    example : frame or None
        A frame of a few rows, or none, with the columns' dtypes; None where parts are arrays.
    n_columns : int
        How many columns there are.
    target : str or None
        The name of the column of labels, where it has one.
    source : str or None
        What the files are called that it is read from; None where it comes from elsewhere.
    notes : list of str
        Sentences for the user about what was found in the files, once they have been looked at.
    """

    parts: list[Any]
    names: list[str] | None
    example: Any
    n_columns: int
    target: str | None = None
    source: str | None = None
    notes: list[str] = field(default_factory=list, compare=False)


def in_parts(X: Any) -> bool:
    """Whether X names files, or is a Dask collection."""
    return isinstance(X, str | os.PathLike | PartedTable) or type(X).__module__.partition(".")[0] in (
        "dask",
        "dask_expr",
    )
