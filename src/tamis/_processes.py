"""Other processes, started so that Ctrl-C is heard by this one alone.

A terminal sends Ctrl-C to every process that a command has started. Workers that are just loading would each end with a
traceback; so they are started deaf to it, and this process ends them.
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
    """Processes that are started inside do not hear Ctrl-C; this one hears it when the block ends."""
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
    """The results of joblib's delayed calls, as they come or in their order, by workers that do not hear Ctrl-C."""
    parallel = Parallel(n_jobs=capped(n_jobs), return_as="generator" if ordered else "generator_unordered")
    if n_workers(n_jobs) == 1:
        results = parallel(calls)
    else:
        with deaf_children():
            results = parallel(calls)  # the workers start, and have their first calls
    yield from results


def _start_trackers() -> None:
    """Start what looks after the workers' memory: it would make this thread hear Ctrl-C again before they start."""
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()
    try:
        from joblib.externals.loky.backend import resource_tracker as of_joblib

        of_joblib.ensure_running()
    except (ImportError, AttributeError):  # another joblib: then workers hear Ctrl-C
        return
