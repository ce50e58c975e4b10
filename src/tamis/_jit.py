"""The one decorator that compiles our kernels.

A kernel is compiled on its first call, never at import, releases the interpreter lock, and is cached on disk
where a cache folder can be written. Where none can, Numba would raise at import; here the kernel is compiled
anew in every process instead.

Numba compiles again when the time or size of a kernel's own file changes. Kernels also call kernels of other files and
read their tuples, and an installed file may keep its time: here the file counts, and every kernel file that it imports,
and those that these import, by what is in them; no other file does. And Numba numbers the compiled files of a function, so that two processes that compile at once for
different types can take one number, and one of them later runs the other's code: here every file has a name of its own.
Code that checks bounds is told from code that does not, which Numba takes for the same; and a disk without room for
compiled code is no error.
"""

from __future__ import annotations

import ast
import hashlib
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import numba
from numba.core import event


class Compiling(event.Listener):  # type: ignore[misc]
    """What compiling has cost this process: for whoever judges how long a method takes.

    Attributes
    ----------
    seconds : float
        In all so far.
    told : callable or None
        Called with True when compiling begins, with False when it ends.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self.told: Callable[[bool], None] | None = None
        self._depth, self._start = 0, 0.0

    def on_start(self, event: Any) -> None:
        """A kernel, or one that it calls, begins to be compiled."""
        self._depth += 1
        if self._depth == 1:
            self._start = time.perf_counter()
            if self.told is not None:
                self.told(True)

    def on_end(self, event: Any) -> None:
        """It is compiled."""
        self._depth -= 1
        if self._depth == 0:
            self.seconds += time.perf_counter() - self._start
            if self.told is not None:
                self.told(False)


compiling = Compiling()
event.register("numba:compile", compiling)


def kernel(function: Callable[..., Any] | None = None, /, *, parallel: bool = False) -> Any:
    """Compile a function lazily with Numba: ``@kernel`` or ``@kernel(parallel=True)``.

    Parameters
    ----------
    function : callable
        The plain-Python loop.
    parallel : bool, default=False
        Whether `numba.prange` loops run on several threads.

    Returns
    -------
    callable
        The compiled function, or, for ``@kernel(parallel=...)``, the decorator.
    """
    if function is None:
        return lambda target: kernel(target, parallel=parallel)
    try:
        compiled = numba.njit(cache=True, nogil=True, parallel=parallel)(function)
    except RuntimeError:  # no folder to write the cache to
        return numba.njit(nogil=True, parallel=parallel)(function)
    index: Any = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if hasattr(index, "_source_stamp"):
        checked = "with bounds checked" if numba.config.BOUNDSCHECK else ""
        index._source_stamp = _digest(Path(function.__code__.co_filename)) + checked
        stem = Path(index._index_name).stem
        index._data_name = lambda _: f"{stem}.{uuid4().hex[:16]}.nbc"
        compiled._cache.save_overload = _kept_if_there_is_room(compiled._cache.save_overload)
    return compiled


def _kept_if_there_is_room(save: Callable[..., None]) -> Callable[..., None]:
    """Save compiled code, or go on without: a full disk must not end a fit."""

    def saved(*code: Any) -> None:
        with suppress(OSError):
            save(*code)

    return saved


@cache
def _digest(file: Path) -> str:
    """What is in a kernel file and in those that it imports."""
    files = sorted(kernel_files(file))
    return hashlib.sha256(b"\0".join(each.name.encode() + each.read_bytes() for each in files)).hexdigest()


def kernel_files(file: Path) -> set[Path]:
    """A kernel file and the kernel files that it imports, directly or through others."""
    files, waiting = {file}, [file]
    while waiting:
        new = _imported(waiting.pop()) - files
        files |= new
        waiting += new
    return files


@cache
def _imported(file: Path) -> frozenset[Path]:
    """The files of tamis, and those beside it, that a file's import lines name; read, never run."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    here = Path(__file__)
    roots = {name: here.parents[1] if name.startswith("tamis.") else file.parent for name in names}
    paths = {root.joinpath(*name.split(".")).with_suffix(".py") for name, root in roots.items()}
    return frozenset(path for path in paths if path != here and path.is_file())
