"""Worker processes that ignore Ctrl-C, so that only this process reacts to it.

A terminal sends Ctrl-C to every process that a command has started. Workers that are still loading would each print a
traceback; so they start with the signal blocked, and this process ends them.
"""

from __future__ import annotations

import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from joblib import Parallel

from tamis._parameters import capped, n_workers


@contextmanager
def deaf_children() -> Iterator[None]:
    """Processes started inside the block ignore Ctrl-C; this process receives it when the block ends."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    _start_trackers()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


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

    resource_tracker.ensure_running()
    try:
        from joblib.externals.loky.backend import resource_tracker as of_joblib

        of_joblib.ensure_running()
    except (ImportError, AttributeError):  # another version of joblib: workers then receive Ctrl-C
        return
