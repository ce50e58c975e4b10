"""Parts on the workers of a Dask cluster, and what to do when workers die.

Coded parts are made by tasks that Dask can run again, and are never sent from here. Requests are plain functions of a
part: if a worker is lost, the request is repeated on another. They go straight to the workers that hold parts, not as tasks
through the scheduler: one message there and one back, between which a worker adds up what its parts and those of a few other
workers answer.
"""

from __future__ import annotations

import asyncio
import time
from asyncio import CancelledError
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any

from dask import delayed
from distributed import Client, default_client
from distributed.client import FutureCancelledError
from distributed.comm import CommClosedError
from distributed.core import clean_exception
from distributed.protocol.pickle import dumps, loads
from distributed.scheduler import KilledWorker

from tamis.table.parts.dask_collections import DelayedPart
from tamis.table.parts.parted import PartedTable

N_TRIES = 10  # tries after workers were lost
GROUP = 8  # workers that the client, or a worker, asks by itself
TASKS = 2  # tasks a thread that read parts for what they hold: the second is there when the first ends
REACH = 5.0  # seconds in which a worker must answer, or the scheduler is asked in its place
PATIENCE = 120.0  # seconds without any worker before giving up
Places = list[tuple[str, list[Any]]]  # workers by address, and the keys of the parts for which they answer


class MovedPartError(Exception):
    """A worker does not hold a part any more."""


LOSSES = (KilledWorker, CancelledError, FutureCancelledError, CommClosedError, MovedPartError)


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
    n_threads : int or None
        The threads of all workers, once they were counted.
    """

    client: Client
    table: PartedTable
    n_threads: int | None = None

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
        each = delayed(_of_each, pure=False)
        tasks = [each(function, parts[few], list(own[few]), *shared) for few in self._shares(len(parts))]

        def ask() -> list[Any]:
            return _answers(self.client, self.client.compute(tasks))

        return [answer for answers in _tried(ask) for answer in answers]

    def _shares(self, n_parts: int) -> list[slice]:
        """The parts of each task: a few tasks a thread, and not more messages; one part where it lies in memory."""
        if self.n_threads is None:
            workers = self.client.scheduler_info(n_workers=-1)["workers"].values()
            self.n_threads = sum(worker["nthreads"] for worker in workers)
        in_memory = any(isinstance(part, DelayedPart) for part in self.table.parts)
        n_tasks = n_parts if in_memory else min(n_parts, TASKS * max(1, self.n_threads))
        cuts = [n_parts * task // n_tasks for task in range(n_tasks + 1)] if n_tasks else [0]
        return [slice(start, stop) for start, stop in pairwise(cuts)]


def _of_each(
    function: Callable[..., Any], parts: list[Any], own: list[tuple[Any, ...]], *arguments: Any
) -> list[Any]:
    """``function(part, *own, *arguments)`` of some parts, one after the other."""
    return [function(part, *each, *arguments) for part, each in zip(parts, own)]


@dataclass
class ClusterParts:
    """Coded parts on workers.

    Parameters
    ----------
    client : distributed.Client
        The cluster.
    tasks : list of dask.delayed.Delayed
        The tasks that make the parts.

    Attributes
    ----------
    direct : bool
        Whether this process reaches the workers by itself; requests go through the scheduler if not.
    n_messages : int
        Requests sent from here, replies not counted; tests and benchmarks read it.
    """

    client: Client
    tasks: list[Any]
    held: list[Any] = field(default_factory=list)
    places: Places = field(default_factory=list)
    direct: bool = True
    n_messages: int = 0

    def total(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The sum of ``function(part, *arguments)`` over all parts, computed and added on the workers."""
        work = dumps((function, arguments))

        def ask() -> Any:
            try:
                self.places = self.places or self._found()
                self.n_messages += len(_branches(self.places))
                asker = _straight if self.direct else _through_scheduler
                return self.client.sync(_asked, partial(asker, self.client), self.places, work)
            except LOSSES:
                self.places = []
                raise

        return _tried(ask)

    def _found(self) -> Places:
        """Which worker answers for which parts; lost parts are made again first."""
        if not self.held or any(future.status in ("cancelled", "lost", "error") for future in self.held):
            self.held = self.client.compute(self.tasks)
        _answers(self.client, self.held, gather=False)
        places: dict[str, list[Any]] = {}
        for key, holders in self.client.who_has(self.held).items():
            if not holders:
                raise KilledWorker(key, None, [], 0)
            places.setdefault(min(holders, key=lambda held: len(places.get(held, []))), []).append(key)
        self.direct = self.client.sync(_is_reached, self.client, min(places))
        return sorted(places.items())


Ask = Callable[..., Any]  # (address, request) to the reply of a worker


async def _straight(client: Client | Any, address: str, request: dict[str, Any]) -> Any:
    """Ask a worker; `client` is a client, or another worker."""
    return await client.rpc(address).run(**request)


async def _through_scheduler(client: Client, address: str, request: dict[str, Any]) -> Any:
    """Let the scheduler ask a worker."""
    return await client.scheduler.proxy(worker=address, msg={"op": "run", **request})


async def _is_reached(client: Client, address: str) -> bool:
    """Whether a worker answers here without the scheduler."""
    try:
        await asyncio.wait_for(client.rpc(address).identity(), REACH)
    except OSError:  # a TimeoutError among them
        return False
    return True


async def _asked(ask: Ask, places: Places, work: bytes) -> Any:
    """What the parts of some workers answer, added: a few workers are asked, and each of them asks a few of the others."""
    return _added(await asyncio.gather(*(_asked_branch(ask, branch, work) for branch in _branches(places))))


def _branches(places: Places) -> list[Places]:
    """Workers in at most `GROUP` groups."""
    n_groups = min(GROUP, len(places))
    return [places[number::n_groups] for number in range(n_groups)]


async def _asked_branch(ask: Ask, branch: Places, work: bytes) -> Any:
    """What the parts of a group of workers answer, added: the first of them is asked, and asks the others."""
    request = {"function": dumps(answered), "args": dumps((branch, work)), "wait": True}
    address = branch[0][0]
    try:
        reply = await ask(address, request)
    except OSError as error:
        raise CommClosedError(f"{address}: {error}") from error
    if reply["status"] == "OK":
        return reply["result"]
    _, raised, trace = clean_exception(**reply)
    assert raised is not None  # noqa: S101
    raise raised.with_traceback(trace)


async def answered(branch: Places, work: bytes, dask_worker: Any) -> Any:
    """What a worker answers: for its own parts, on its own threads, and for the other workers of its group."""
    (_, keys), *others = branch
    if any(key not in dask_worker.data for key in keys):
        raise MovedPartError
    parts = [dask_worker.data[key] for key in keys]
    function, arguments = loads(work)
    threads = dask_worker.executors["default"]
    n_shares = min(len(parts), dask_worker.state.nthreads)
    shares = [
        asyncio.get_running_loop().run_in_executor(
            threads, _total_of, parts[number::n_shares], function, arguments
        )
        for number in range(n_shares)
    ]
    below = [_asked(partial(_straight, dask_worker), others, work)] if others else []
    return _added(await asyncio.gather(*shares, *below))


def _total_of(parts: list[Any], function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """The sum of ``function(part, *arguments)`` over some parts."""
    return _added([function(part, *arguments) for part in parts])


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


def _answers(client: Client, futures: list[Any], *, gather: bool = True) -> list[Any]:
    """The results, unless these stay where they are; an error if there is no worker for `PATIENCE` seconds."""
    from distributed import wait

    alone_since = None
    while True:
        try:
            wait(futures, timeout=5.0, return_when="ALL_COMPLETED")
            if not gather and all(future.status == "finished" for future in futures):
                return []
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
