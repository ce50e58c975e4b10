"""Data that many tasks read, sent to a Dask cluster once instead of with every task.

joblib's Dask backend sends an argument once, however many tasks use it, if the argument is large and can be weakly
referenced. Everything else travels with every task: tuples of arrays, polars frames, and objects that do not report
their size. `Shared` wraps such data and reports that it is large.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
LARGE = 1 << 20  # bytes: well above the 1,000 from which joblib sends an argument once


@dataclass(frozen=True, eq=False)
class Shared(Generic[T]):
    """A box for data: the same box is given to all tasks, which take the data out.

    Attributes
    ----------
    data : object
        Arrays, frames, or whatever holds them.
    """

    data: T

    def __sizeof__(self) -> int:
        """A size that makes joblib send the box once."""
        return LARGE
