"""A few threads that run one kernel together, each on its own part.

Kernels release the interpreter lock, so plain threads are enough: nothing is compiled twice, and no other library's thread
pool is touched. Starting a task on all threads costs about 20 microseconds.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Self

import numba
import threadpoolctl  # comes with scikit-learn, without types


class Team:
    """Threads for the length of a ``with`` block; the caller is one of them.

    Parameters
    ----------
    n_parts : int
        How many threads work together, the caller included; with 1, no thread is started.
    """

    def __init__(self, n_parts: int) -> None:
        self.n_parts = n_parts
        self._orders: list[SimpleQueue[Any]] = [SimpleQueue() for _ in range(1, n_parts)]
        self._answers: SimpleQueue[BaseException | None] = SimpleQueue()

    def __enter__(self) -> Self:
        for part, orders in enumerate(self._orders, start=1):
            threading.Thread(target=self._work, args=(orders, part), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for orders in self._orders:
            orders.put(None)

    def each(self, work: Callable[..., Any], *arguments: Any) -> None:
        """Call ``work(*arguments, part, n_parts)`` for every part, and wait for all of them."""
        if self.n_parts == 1:
            work(*arguments, 0, 1)
            return
        for orders in self._orders:
            orders.put((work, arguments))
        failed = None
        try:
            work(*arguments, 0, self.n_parts)
        finally:
            for _ in self._orders:
                failed = self._answers.get() or failed
        if failed is not None:
            raise failed

    def _work(self, orders: SimpleQueue[Any], part: int) -> None:
        while (order := orders.get()) is not None:
            work, arguments = order
            failed: BaseException | None = None
            try:
                work(*arguments, part, self.n_parts)
            except BaseException as error:  # handed to the caller
                failed = error
            self._answers.put(failed)


def threads(n_jobs: int | None) -> int:
    """How many threads `n_jobs` asks for: 1 if None, all processors if -1, all but one if -2."""
    most = int(numba.config.NUMBA_NUM_THREADS)
    if n_jobs is None:
        return 1
    return min(n_jobs, most) if n_jobs > 0 else max(1, most + 1 + n_jobs)


@cache
def _blas() -> Any:
    """The libraries that multiply matrices; numpy's is there from the start. Looking for them takes a millisecond."""
    return threadpoolctl.ThreadpoolController().select(user_api="blas")


def one_blas_thread() -> Any:
    """For the length of a ``with`` block, matrix products take one thread: ours share the work."""
    return _blas().limit(limits=1)
