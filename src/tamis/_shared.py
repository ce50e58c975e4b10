"""What many tasks read: a worker of a Dask cluster gets it once, not with every task.

joblib's Dask backend looks at each argument of a task by itself. One that is large and can be weakly referred to is sent
to the cluster once, however many tasks have it, and workers hand it on; any other travels with every task, and so do
tuples of arrays, frames of polars, and objects whose size nobody tells. `Shared` tells that it is large.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
LARGE = 1 << 20  # bytes: far more than the thousand from which joblib sends an argument by itself


@dataclass(frozen=True, eq=False)
class Shared(Generic[T]):
    """Data in a box; the same box goes to all tasks, which take the data out.

    Attributes
    ----------
    data : object
        Arrays, frames, or whatever holds them.
    """

    data: T

    def __sizeof__(self) -> int:
        """At least what makes joblib send it by itself."""
        return LARGE
