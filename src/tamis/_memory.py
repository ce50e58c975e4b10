"""What long work has found so far, on disk: a run that was killed goes on where it was.

Without ``remembering`` nothing is kept, and nothing is slower. Inside it an estimator with a fixed seed asks for each
part of its work before doing it. A part is known by everything that decides it (the table, the classes, the settings,
the version), so another table or setting never finds it. Files hold plain arrays, are written whole or not at all, and
one that cannot be read counts as missing.
"""

from __future__ import annotations

import hashlib
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tamis._files import remove_unfinished, written
from tamis._version import __version__

if TYPE_CHECKING:
    from tamis.table._table import Table, Target

Arrays = dict[str, NDArray[Any]]

ENDING = ".part.npz"
_NOT_DECIDING = ("n_jobs", "verbose")
_folder: ContextVar[Path | None] = ContextVar("folder", default=None)


@contextmanager
def remembering(folder: Path) -> Iterator[None]:
    """Keep the parts of long work in a folder, which is made when there is one to keep."""
    token = _folder.set(folder)
    try:
        yield
    finally:
        _folder.reset(token)


def forget(folder: Path) -> None:
    """Remove what was kept in a folder, and the folder where nothing else is in it."""
    for file in folder.glob(f"*{ENDING}"):
        file.unlink(missing_ok=True)
    remove_unfinished(folder)
    try:
        folder.rmdir()
    except OSError:  # it was never made, or is somebody else's too
        return


class Memory:
    """The parts of one fit.

    Parameters
    ----------
    folder : Path or None
        Where they are; None for a memory that knows nothing and keeps nothing.
    fit : str
        What tells this fit from others.
    """

    def __init__(self, folder: Path | None, fit: str) -> None:
        self.folder, self.fit = folder, fit

    @classmethod
    def of(cls, estimator: Any, table: Table, target: Target) -> Memory:
        """The memory of an estimator's fit; an empty one outside of `remembering` and without a fixed seed."""
        return cls.of_arrays(estimator, lambda: (table.values, table.nominal, target.codes))

    @classmethod
    def of_arrays(cls, estimator: Any, arrays: Callable[[], Iterable[NDArray[Any]]]) -> Memory:
        """The same for a table that is told by some arrays, which are asked for only where something is kept."""
        folder = _folder.get()
        settings = estimator.get_params(deep=True)
        if folder is None or not isinstance(settings.get("random_state", 0), int | np.integer):
            return cls.none()
        told = [
            (name, value)
            for name, value in sorted(settings.items())
            if name.split("__")[-1] not in _NOT_DECIDING
        ]
        digest = hashlib.sha256(f"{__version__} {type(estimator).__name__} {told!r}".encode())
        for array in arrays():
            digest.update(f"{array.dtype.str}{array.shape}".encode())
            digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
        return cls(folder, digest.hexdigest()[:32])

    @classmethod
    def none(cls) -> Memory:
        """A memory that knows nothing and keeps nothing."""
        return cls(None, "")

    def recall(self, part: str) -> Arrays | None:
        """The arrays of a part, or None where it is not known."""
        if self.folder is None:
            return None
        try:
            with self._file(part).open("rb") as stream:
                kept = np.load(stream, allow_pickle=False)
                return {name: kept[name] for name in kept.files}
        except (OSError, ValueError, KeyError, EOFError, AttributeError, zipfile.BadZipFile):
            return None

    def keep(self, part: str, arrays: Arrays) -> None:
        """Write a part; where that fails, the work goes on without."""
        if self.folder is None:
            return
        try:
            self.folder.mkdir(exist_ok=True)
            with written(self._file(part)) as stream:
                np.savez(stream, **arrays)  # type: ignore[arg-type]
        except OSError as error:
            warnings.warn(
                f"what was done so far cannot be kept in {str(self.folder)!r} ({error.strerror}); the work goes on, "
                "but would begin anew after an interruption.",
                stacklevel=2,
            )
            self.folder = None

    def each(
        self,
        name: str,
        n_parts: int,
        missing: Callable[[Sequence[int]], Iterator[Any]],
        to_arrays: Callable[[Any], Arrays],
        from_arrays: Callable[[Arrays], Any],
    ) -> list[Any]:
        """The results of numbered parts: those that are known, and the others as `missing` yields them in order."""
        known = {number: self.recall(f"{name} {number}") for number in range(n_parts)}
        found = {number: from_arrays(arrays) for number, arrays in known.items() if arrays is not None}
        wanted = [number for number in range(n_parts) if number not in found]
        for number, result in zip(wanted, missing(wanted)):
            found[number] = result
            self.keep(f"{name} {number}", to_arrays(result))
        return [found[number] for number in range(n_parts)]

    def _file(self, part: str) -> Path:
        assert self.folder is not None  # noqa: S101 - asked by those who have looked
        name = hashlib.sha256(f"{self.fit} {part}".encode()).hexdigest()[:32]
        return self.folder / f"{name}{ENDING}"
