"""What a table in parts is; parts are read one at a time, or held by other processes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from tamis.table._encode import as_frame

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class Part(Protocol):
    """Some rows of a table, which can be read again at any time."""

    def table(self, columns: Sequence[int] | None = None) -> Any:
        """The columns, or some of them by position, as a frame or an array."""

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
        The columns; None if only the labels are needed.
    y : array or series
        The labels.
    w : array or series or None
        The weights.
    """

    X: ArrayLike
    y: ArrayLike
    w: Any = None

    def table(self, columns: Sequence[int] | None = None) -> Any:
        """The columns, or some of them by position."""
        return self.X if columns is None else columns_at(self.X, columns)

    def labels(self) -> Any:
        """The labels."""
        return self.y

    def weights(self) -> Any:
        """The weights, None if there are none."""
        return self.w


@dataclass(frozen=True)
class PartedTable:
    """A table in parts, and what is known about it before it is read.

    Attributes
    ----------
    parts : list
        `ParquetPart` or `DelayedPart`.
    names : list of str or None
        The columns.
    example : frame or None
        A frame with the columns' dtypes, of a few rows or none; None if the parts are arrays.
    n_columns : int
        How many columns there are.
    target : str or None
        The name of the column of labels, where it has one.
    source : str or None
        The name, in messages, of the files that it is read from; None if it is not read from files.
    notes : list of str
        Sentences for the user about the content of the files, filled in once they have been read.
    target_kind : {"classes", "numbers"}
        What the target holds, as the command line sees it; an estimator looks for itself.
    opened : Pieces or None
        What reads the parts, if that is neither this process nor a Dask cluster.
    """

    parts: list[Any]
    names: list[str] | None
    example: Any
    n_columns: int
    target: str | None = None
    source: str | None = None
    notes: list[str] = field(default_factory=list, compare=False)
    target_kind: str = "classes"
    opened: Any = field(default=None, repr=False, compare=False)


def columns_at(X: Any, columns: Sequence[int]) -> Any:
    """Some columns, by position, of a frame or an array."""
    frame = as_frame(X)
    return np.asarray(X)[:, columns] if frame is None else frame[:, list(columns)].to_native()


class OnCluster:
    """Part of an estimator that takes tables in parts: the cluster that reads them.

    Attributes
    ----------
    client : distributed.Client or None
        The Dask client of that cluster; None, unless it is set, for the one in use. It is neither cloned nor pickled with the
        estimator.
    """

    client: Any = None

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()  # type: ignore[assignment]
        return {name: value for name, value in state.items() if name != "client"}


def in_parts(X: ArrayLike) -> bool:
    """Whether X names files, or is a Dask collection."""
    return isinstance(X, str | os.PathLike | PartedTable) or is_dask(X)


def is_dask(X: Any) -> bool:
    """Whether X is a Dask collection; Dask is not imported."""
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr")
