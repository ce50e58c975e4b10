"""Intermediate results of long work on disk: a run that was killed continues where it stopped.

Without ``remembering`` nothing is stored, and nothing is slower. Inside it, an estimator with a fixed seed looks up each
part of its work before doing it. A part is stored under everything that decides it (the table, the names and kinds of its
columns, the classes, the settings, the code), so another table or setting never finds it. Within a fit every part needs
its own name. Files hold plain arrays and are written whole or not at all; one that cannot be read counts as missing.
"""

from __future__ import annotations

import hashlib
import io
import json
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tamis._files import remove_unfinished, written
from tamis._identity import code, description, digest
from tamis._progress import Progress, passing_on_ctrl_c

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from tamis.table._table import Schema, Table, Target

Arrays = dict[str, NDArray[Any]]

ENDING = ".part.npz"
ABOUT = "about this run"
"""The name of the array in every part that says, as JSON, which run it belongs to."""

About = dict[str, Any]
_folder: ContextVar[tuple[Path, Callable[[], About]] | None] = ContextVar("folder", default=None)


@contextmanager
def remembering(folder: Path, about: Callable[[], About] = dict) -> Iterator[None]:
    """Store the parts of long work in a folder, which is made with the first of them.

    Parameters
    ----------
    folder : Path
        The folder.
    about : callable, optional
        Describes the run; called when the first part is stored, and stored with every part.
    """
    token = _folder.set((folder, about))
    try:
        with passing_on_ctrl_c():
            yield
    finally:
        _folder.reset(token)


@contextmanager
def not_remembering() -> Iterator[None]:
    """Inside, nothing is stored: for many short fits within a long one."""
    token = _folder.set(None)
    try:
        yield
    finally:
        _folder.reset(token)


def kept_run(folder: Path) -> About | None:
    """The description of the run whose parts a folder holds; None if no part can be read, empty if it has none."""
    for file in sorted(folder.glob(f"*{ENDING}")):
        arrays = _loaded(file)
        if arrays is None:
            continue
        try:
            told = json.loads(arrays[ABOUT].tobytes())
        except (KeyError, ValueError):
            return {}
        return told if isinstance(told, dict) else {}
    return None


def forget(folder: Path) -> None:
    """Remove the parts stored in a folder, and the folder itself if nothing else is in it."""
    for file in folder.glob(f"*{ENDING}"):
        file.unlink(missing_ok=True)
    remove_unfinished(folder)
    try:
        folder.rmdir()
    except OSError:  # it was never made, or holds other files
        return


class Memory:
    """The parts of one fit.

    Parameters
    ----------
    folder : Path or None
        Where they are; None for a memory that stores nothing.
    fit : str
        A text that identifies the fit.
    about : callable, optional
        Describes the run; stored with every part.
    """

    def __init__(self, folder: Path | None, fit: str, about: Callable[[], About] = dict) -> None:
        self.folder, self.fit, self.about = folder, fit, about

    @classmethod
    def of(
        cls,
        estimator: BaseEstimator,
        table: Table,
        target: Target,
        more: str = "",
        weights: NDArray[Any] | None = None,
    ) -> Memory:
        """The memory of an estimator's fit; one that stores nothing outside `remembering` or without a fixed seed.

        Parameters
        ----------
        estimator : estimator
            With its parameters, and `feature_names_in_` where the columns have names.
        table, target
            What it is fitted on.
        more : str, default=""
            Anything else that the result depends on.
        weights : ndarray, optional
            The weights of the rows, unless their classes determine them.
        """
        known = (table.values, target.codes, *(() if weights is None else (weights,)))
        return cls.of_arrays(estimator, lambda: known, table.schema, target.classes, more)

    @classmethod
    def of_arrays(
        cls,
        estimator: BaseEstimator,
        arrays: Callable[[], Iterable[NDArray[Any]]],
        schema: Schema,
        classes: NDArray[Any],
        more: str = "",
    ) -> Memory:
        """The same for a table given by some arrays, which are computed only if something is stored."""
        remembered = _folder.get()
        if remembered is None or not isinstance(getattr(estimator, "random_state", 0), int | np.integer):
            return cls.none()
        names = getattr(estimator, "feature_names_in_", None)
        told = (
            *(code(), description(estimator), digest(*arrays()), more),
            *(names, schema.nominal, schema.categories, classes),
        )
        folder, about = remembered
        return cls(
            folder, hashlib.sha256(description(told).encode("utf-8", "surrogatepass")).hexdigest(), about
        )

    @classmethod
    def none(cls) -> Memory:
        """A memory that stores nothing."""
        return cls(None, "")

    def recall(self, part: str) -> Arrays | None:
        """The arrays of a part, or None if it is not stored."""
        arrays_on_disk = None if self.folder is None else _loaded(self._file(part))
        if arrays_on_disk is None:
            return None
        return {name: array for name, array in arrays_on_disk.items() if name != ABOUT}

    def keep(self, part: str, arrays: Arrays) -> None:
        """Write a part; if that fails, the work continues without it."""
        if self.folder is None:
            return
        try:
            self.folder.mkdir(exist_ok=True)
            run = np.frombuffer(json.dumps(self.about()).encode(), dtype=np.uint8)
            packed = io.BytesIO()  # NumPy 1 leaves a file that it could not write half open
            np.savez(packed, **arrays, **{ABOUT: run})  # type: ignore[arg-type]
            with written(self._file(part)) as stream:
                stream.write(packed.getbuffer())
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
        progress: Progress,
    ) -> list[Any]:
        """The results of numbered parts: the stored ones, and the others as `missing` yields them, in order.

        Where `progress` is interrupted after enough of them, those before the first that is missing.
        """
        known = {number: self.recall(f"{name} {number}") for number in range(n_parts)}
        results = {number: from_arrays(arrays) for number, arrays in known.items() if arrays is not None}
        wanted = [number for number in range(n_parts) if number not in results]
        with progress:
            if results:
                progress(len(results))
            for number, result in zip(wanted, missing(wanted)):
                results[number] = result
                self.keep(f"{name} {number}", to_arrays(result))
                progress()
        return [results[number] for number in takewhile(results.__contains__, range(n_parts))]

    def _file(self, part: str) -> Path:
        assert self.folder is not None  # noqa: S101 - callers look at `folder` first
        name = hashlib.sha256(f"{self.fit} {part}".encode()).hexdigest()[:32]
        return self.folder / f"{name}{ENDING}"


def _loaded(file: Path) -> Arrays | None:
    """The arrays of a file, None if it cannot be read."""
    try:
        with file.open("rb") as stream:
            arrays = np.load(stream, allow_pickle=False)
            return {name: arrays[name] for name in arrays.files}
    except (OSError, ValueError, KeyError, EOFError, AttributeError, zipfile.BadZipFile):
        return None
