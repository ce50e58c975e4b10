"""Parts on the workers of a Dask cluster, and what to do when workers die.

Coded parts are made by tasks that Dask can run again, and are never sent from here. Requests are plain functions of a
part: if a worker is lost, the request is repeated on another.
"""

from __future__ import annotations

import time
from asyncio import CancelledError
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from dask import delayed
from distributed import Client, default_client
from distributed.client import FutureCancelledError
from distributed.comm import CommClosedError
from distributed.scheduler import KilledWorker

from tamis.table.parts.dask_collections import DelayedPart
from tamis.table.parts.parted import PartedTable

N_TRIES = 10  # tries after workers were lost
GROUP = 8  # partial sums added at a time
PATIENCE = 120.0  # seconds without any worker before giving up
LOSSES = (KilledWorker, CancelledError, FutureCancelledError, CommClosedError)


def client_in_use() -> Client | None:
    """The client that Dask itself would use, None if there is none."""
    try:
        client = default_client()
    except ValueError:
        return None
    return client if client.status == "running" else None


class LostWorkersError(RuntimeError):
    """Workers died too often, or none is left; the work can be started again."""


@dataclass
class ClusterPieces:
    """The parts of a table before they are coded, read by workers.

    Parameters
    ----------
    client : distributed.Client
        The cluster.
    table : PartedTable
        The table.
    """

    client: Client
    table: PartedTable

    def labels(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """``function(part, *arguments)`` of every part; only labels and weights of the parts are loaded."""
        return self._asked(self._parts(labels_only=True), function, [()] * len(self.table.parts), arguments)

    def each(
        self, function: Callable[..., Any], own: Sequence[tuple[Any, ...]], *arguments: Any
    ) -> list[Any]:
        """``function(part, *own, *arguments)`` of every part, with its entry of `own`."""
        return self._asked(self._parts(), function, own, arguments)

    def coded(self, function: Callable[..., Any], *arguments: Any) -> ClusterParts:
        """``function(part, *arguments)`` of every part; the results stay on the workers."""
        shared = [delayed(argument, pure=False) for argument in arguments]
        tasks = [delayed(function, pure=False)(part, *shared) for part in self._parts()]
        return ClusterParts(self.client, tasks)

    def _parts(self, *, labels_only: bool = False) -> list[Any]:
        return [
            part.held(labels_only=labels_only) if isinstance(part, DelayedPart) else part
            for part in self.table.parts
        ]

    def _asked(
        self,
        parts: list[Any],
        function: Callable[..., Any],
        own: Sequence[tuple[Any, ...]],
        arguments: tuple[Any, ...],
    ) -> list[Any]:
        shared = [delayed(argument, pure=False) for argument in arguments]
        tasks = [delayed(function, pure=False)(part, *each, *shared) for part, each in zip(parts, own)]

        def ask() -> list[Any]:
            return _answers(self.client, self.client.compute(tasks))

        answers: list[Any] = _tried(ask)
        return answers


@dataclass
class ClusterParts:
    """Coded parts on workers.

    Parameters
    ----------
    client : distributed.Client
        The cluster.
    tasks : list of dask.delayed.Delayed
        The tasks that make the parts.
    """

    client: Client
    tasks: list[Any]
    held: list[Any] = field(default_factory=list)

    def total(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The sum of ``function(part, *arguments)`` over all parts, computed on the workers and added in groups."""

        def ask() -> Any:
            if not self.held or any(future.status in ("cancelled", "lost", "error") for future in self.held):
                self.held = self.client.compute(self.tasks)
            futures = [self.client.submit(function, part, *arguments, pure=False) for part in self.held]
            while len(futures) > 1:
                futures = [
                    self.client.submit(_added, futures[first : first + GROUP], pure=False)
                    for first in range(0, len(futures), GROUP)
                ]
            return _answers(self.client, futures)[0]

        return _tried(ask)


def _added(amounts: list[Any]) -> Any:
    """The sum; all are integers, so the order does not matter."""
    return sum(amounts[1:], amounts[0])


def _tried(ask: Callable[[], Any]) -> Any:
    """Call `ask`, and repeat it when workers were lost."""
    for attempt in range(N_TRIES):
        try:
            return ask()
        except LOSSES as error:
            lost = error
            time.sleep(min(0.1 * 2**attempt, 5.0))
    raise LostWorkersError(
        f"workers of the cluster were lost {N_TRIES} times in a row ({type(lost).__name__}). Nothing is damaged: check "
        "that the workers have enough memory, and run again."
    ) from None


def _answers(client: Client, futures: list[Any]) -> list[Any]:
    """The results; an error if there is no worker for `PATIENCE` seconds."""
    from distributed import wait

    alone_since = None
    while True:
        try:
            wait(futures, timeout=5.0, return_when="ALL_COMPLETED")
            return list(client.gather(futures))
        except TimeoutError:
            if client.scheduler_info(n_workers=-1)["workers"]:
                alone_since = None
                continue
            alone_since = alone_since or time.monotonic()
            if time.monotonic() - alone_since > PATIENCE:
                raise LostWorkersError(
                    f"the cluster has had no worker for {PATIENCE:.0f} seconds. Start some, and run again."
                ) from None
