"""The one decorator that compiles our kernels.

A kernel is compiled on its first call, never at import, releases the interpreter lock, and is cached on disk
where a cache folder can be written. Where none can, Numba would raise at import; here the kernel is compiled
anew in every process instead, unless it was compiled when the package was installed.

Numba's own cache falls short in five ways, which are mended here:

- It compiles again only when the time or size of a kernel's own file changes. But kernels call kernels of other files and
  read their constants, and an installed file may keep its time. Here the key is the content of the file and of every kernel
  file that it imports, directly or through others; no other file matters.
- It numbers the compiled files of a function. Two processes that compile at the same time for different types may take the
  same number, and one later runs the other's code. Here every compiled file has a random name.
- It does not tell code compiled with bounds checks from code without.
- It fails when the disk is full. Here the kernel is used without being saved.
- It passes over code beside its source where nothing can be written there: an image or a read-only install, in which kernels were compiled
  ahead. Here such code is read.
"""

from __future__ import annotations

import ast
import gc
import hashlib
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from multiprocessing import current_process
from pathlib import Path
from threading import Timer
from typing import Any
from uuid import uuid4

import numba
from numba.core import event
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.runtime import rtsys

from tamis._interrupt import RaisedLater
from tamis._linking import begin_linking, called_by_kernels, end_linking

_WAIT = 0.5  # seconds without a word


class Compiling(event.Listener):  # type: ignore[misc]
    """The time this process has spent compiling, so that it can be left out of a method's own time.

    Who waits before a screen is told: on a terminal or in a notebook, a line says so on stderr, unless `told` is set.

    Attributes
    ----------
    seconds : float
        The total so far.
    n_kernels : int
        How many kernels of ours were compiled.
    told : callable or None
        Called with True when compiling begins, with False when it ends.
    """

    def __init__(self) -> None:
        self.seconds, self.n_kernels = 0.0, 0
        self.told: Callable[[bool], None] | None = None
        self._depth, self._start, self._promised, self._collects = 0, 0.0, False, False
        self._ctrl_c = RaisedLater()

    def on_start(self, event: Any) -> None:
        """Called by Numba when the compilation of a kernel, or of one that it calls, begins."""
        self._depth += 1
        self.n_kernels += event.data["dispatcher"].py_func.__module__.startswith("tamis.")
        if self._depth == 1:
            self._ctrl_c.__enter__()
            begin_linking(event.data["dispatcher"])
            self._start, self._collects = time.perf_counter(), gc.isenabled()
            gc.disable()  # the compiler makes many objects that last; looking for others took a sixth of its time
            if self.told is not None:
                self.told(True)
            elif not self._promised:
                self._promised = True
                self._say_so_soon()

    def on_end(self, event: Any) -> None:
        """Called by Numba when that compilation ends."""
        self._depth -= 1
        if self._depth == 0:
            end_linking()
            if self._collects:
                gc.enable()
            self.seconds += time.perf_counter() - self._start
            if self.told is not None:
                self.told(False)
            self._ctrl_c.__exit__()

    def _say_so_soon(self) -> None:
        """Print a line in half a second if there is still something to compile, and someone to read it."""
        if current_process().name != "MainProcess" or not _someone_reads():
            return

        def say() -> None:
            if self._depth or self.seconds > _WAIT / 2:
                print("tamis: compiling, once on this machine ...", file=sys.stderr)

        timer = Timer(_WAIT, say)
        timer.daemon = True
        timer.start()


def _someone_reads() -> bool:
    """Whether stderr is a terminal or the output of a notebook's cell. The command line has its own words."""
    if "tamis.cli" in sys.modules or sys.stderr is None:
        return False
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return sys.stderr.isatty() or type(shell).__name__ == "ZMQInteractiveShell"


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
        compiled = numba.njit(nogil=True, parallel=parallel)(function)
        with suppress(RuntimeError):
            compiled._cache = _CacheBesideSource(function)
    index: Any = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if hasattr(index, "_source_stamp"):
        checked = "with bounds checked" if numba.config.BOUNDSCHECK else ""
        index._source_stamp = _digest(Path(function.__code__.co_filename)) + checked
        stem = Path(index._index_name).stem
        index._data_name = lambda _: f"{stem}.{uuid4().hex[:16]}.nbc"
        index.second = None
        if not numba.config.CACHE_DIR and index._cache_path != _beside(function):
            with suppress(RuntimeError):
                index.second = _CacheBesideSource(function)._cache_file
                index.second._source_stamp = index._source_stamp
                first, index.load = index.load, lambda key: first(key) or index.second.load(key)
        compiled._cache.save_overload = _kept_if_there_is_room(compiled._cache.save_overload)
        compiled._cache.load_overload = _without_the_compiler(compiled._cache)
    called_by_kernels(compiled, function)
    return compiled


def is_compiled(function: Any) -> bool:
    """Whether compiled code of a kernel is in memory or on disk; True if nothing is known, as without a compiler."""
    index = getattr(getattr(function, "_cache", None), "_cache_file", None)
    if index is None or function.signatures:
        return True
    try:
        return bool(index._load_index() or (index.second is not None and index.second._load_index()))
    except (OSError, AttributeError):
        return True


def keeps_compiled_code() -> bool:
    """Whether compiled code can be written to some folder."""
    try:
        FunctionCache(keeps_compiled_code)
    except RuntimeError:
        return False
    return True


def _beside(function: Callable[..., Any]) -> str:
    return str(Path(function.__code__.co_filename).parent / "__pycache__")


class _BesideSource:
    """Numba's word for where a function's cache lies: beside its source, to be read and not written."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        self._py_file, self._line, self._folder = file, function.__code__.co_firstlineno, _beside(function)

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> _BesideSource | None:
        return cls(function, file) if Path(_beside(function)).is_dir() else None

    def ensure_cache_path(self) -> None:
        raise PermissionError(f"{self._folder} is not written to.")

    def get_cache_path(self) -> str:
        return self._folder

    def get_source_stamp(self) -> str:
        return ""

    def get_disambiguator(self) -> str:
        return str(self._line)


class _BesideSourceOnly(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_BesideSource,)


class _CacheBesideSource(FunctionCache):  # type: ignore[misc]
    """The cache beside a kernel's source, which cannot be written."""

    _impl_class = _BesideSourceOnly


def _without_the_compiler(cache: Any) -> Callable[..., Any]:
    """Load compiled code from disk without what only compiling needs, a quarter of a second of imports.

    Numba loads its implementations of functions first. What compiled code itself needs is its runtime.
    """

    def loaded(signature: Any, context: Any) -> Any:
        rtsys.initialize(context)
        with RaisedLater(), cache._guard_against_spurious_io_errors():
            return cache._load_overload(signature, context)

    return loaded


def _kept_if_there_is_room(save: Callable[..., None]) -> Callable[..., None]:
    """Save compiled code, or carry on without saving: a full disk must not end a fit."""

    def saved(*code: Any) -> None:
        with suppress(OSError):
            save(*code)

    return saved


@cache
def _digest(file: Path) -> str:
    """A digest of the content of a kernel file and of the kernel files that it imports."""
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
    """The files of tamis, or in the same folder, that a file's import lines name; parsed, never run."""
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
