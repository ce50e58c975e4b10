"""Worker processes that ignore Ctrl-C, so that only this process reacts to it.

A terminal sends Ctrl-C to every process that a command has started. Workers that are still loading would each print a
traceback; so they start with the signal blocked, and this process ends them.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import active_children
from subprocess import Popen
from typing import Any
from weakref import WeakSet

from joblib import Parallel

from tamis._interrupt import hears_ctrl_c, on_ctrl_c, starting
from tamis._parameters import capped, n_workers

_started: WeakSet[Popen[bytes]] = WeakSet()


@contextmanager
def deaf_children() -> Iterator[None]:
    """Processes started inside the block ignore Ctrl-C; this process receives it when the block ends."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    _start_trackers()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        with starting:
            yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_with_this(process: Popen[bytes]) -> None:
    """Have a process ended when Ctrl-C ends this one."""
    _started.add(process)


def _end_children() -> None:
    """End the processes that this one has started: ours, joblib's and Dask's."""
    for pid in (*(child.pid for child in active_children()), *(child.pid for child in list(_started))):
        with suppress(OSError):
            if pid is not None:
                os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))


on_ctrl_c(_end_children)


def in_parallel(calls: Iterable[Any], n_jobs: int | None, *, ordered: bool = False) -> Iterator[Any]:
    """The results of joblib's delayed calls, in any order or (`ordered`) in theirs, from workers that ignore Ctrl-C."""
    parallel = Parallel(n_jobs=capped(n_jobs), return_as="generator" if ordered else "generator_unordered")
    if n_workers(n_jobs) == 1:
        results = parallel(calls)
    else:
        with deaf_children():
            results = parallel(calls)  # this starts the workers and gives them their first calls
    yield from results


def _start_trackers() -> None:
    """Start the resource trackers now: starting one later would unblock the signal before the workers start."""
    from multiprocessing import resource_tracker

    with _no_last_words():
        resource_tracker.ensure_running()
        try:
            from joblib.externals.loky.backend import resource_tracker as of_joblib

            of_joblib.ensure_running()
        except (ImportError, AttributeError):  # another joblib: then workers hear Ctrl-C
            return


@contextmanager
def _no_last_words() -> Iterator[None]:
    """In a command, processes that are started inside give no warnings: trackers would, of what Ctrl-C leaves to them."""
    before = os.environ.get("PYTHONWARNINGS")
    if hears_ctrl_c():
        os.environ["PYTHONWARNINGS"] = "ignore"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop("PYTHONWARNINGS", None)
        else:
            os.environ["PYTHONWARNINGS"] = before
