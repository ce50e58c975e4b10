"""Processes that work on folds until a deadline."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Queue
from typing import Any, Self

from tamis._processes import end_with_this
from tamis.study import _worker
from tamis.study._worker import COMPILING, FAILED, PART, READY, receive, send

_POLL_SECONDS = 0.1
TOO_LONG = "took too long"
N_STARTS = 3  # give up after this many processes in a row have died before they were ready
_LAST_LINES, _LONGEST_LINE = (
    20,
    2000,
)  # how many lines of a process's standard error are kept, and their bytes


@dataclass(frozen=True)
class Lost:
    """A worker died, raised an error, or was ended because its time was up; `why` says which."""

    why: str


class WorkerStartError(ChildProcessError):
    """Processes die before they are ready; the message quotes the last one."""


class _Process:
    """One worker; a thread reads its answers, and another its standard error."""

    def __init__(self, held: bytes, answers: Queue[tuple[_Process, bytes | None]]) -> None:
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        self.popen = subprocess.Popen(  # noqa: S603 - ourselves
            [sys.executable, "-P", str(Path(_worker.__file__).resolve())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **threads},
        )
        end_with_this(self.popen)
        self.ready = False
        self.job: Any = None
        self.part: Any = None  # the provisional answer to its job
        self.start = 0.0
        self.compiling: float | None = None  # since when
        self.answers = answers
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.words: deque[bytes] = deque(maxlen=_LAST_LINES)
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()
        self._tell(pickle.dumps([str(entry) for entry in sys.path]))
        self._tell(held)

    def _tell(self, content: bytes) -> None:
        assert self.popen.stdin is not None  # noqa: S101 - a pipe was asked for
        with suppress(OSError):  # the process is gone: the thread that reads its answers reports that
            send(self.popen.stdin, content)

    def _read(self) -> None:
        assert self.popen.stdout is not None  # noqa: S101
        while (content := receive(self.popen.stdout)) is not None:
            self.answers.put((self, content))
        self.answers.put((self, None))

    def _listen(self) -> None:
        assert self.popen.stderr is not None  # noqa: S101
        with suppress(OSError, ValueError):  # closed by `end`
            while line := self.popen.stderr.readline(_LONGEST_LINE):
                self.words.append(line)

    def give(self, job: Any, message: bytes) -> None:
        self.job, self.part, self.start = job, None, time.monotonic()
        self._tell(message)

    def compile(self, *, begun: bool) -> None:
        """Note when compilation begins and ends: its time does not count for the job."""
        now = time.monotonic()
        if not begun and self.compiling is not None:
            self.start += now - self.compiling
        self.compiling = now if begun else None

    def end(self) -> None:
        self.popen.kill()
        self.popen.wait()
        self.reader.join()
        self.listener.join(1.0)  # a child of the process may keep its standard error open
        for stream in (self.popen.stdin, self.popen.stdout, self.popen.stderr):
            with suppress(OSError):
                stream.close()  # type: ignore[union-attr]

    def last_words(self) -> str:
        """The last lines of an ended process's standard error, or how it ended."""
        lines = [line.decode("utf-8", "replace").strip() for line in self.words]
        said = next((line for line in reversed(lines) if line), "")
        code = self.popen.returncode
        return said or (f"signal {-code}" if code < 0 else f"exit code {code}")


class Workers:
    """Processes that hold the same data and do one list of jobs after the other: ``with Workers(data, 2) as workers``.

    Parameters
    ----------
    data : object
        Sent once to each process.
    n_jobs : int
        The number of processes.
    """

    def __init__(self, data: Any, n_jobs: int) -> None:
        self._dumps = _pickler()
        self._held = self._dumps(data)
        self._answers: Queue[tuple[_Process, bytes | None]] = Queue()
        self._n_jobs = max(1, n_jobs)
        self._team: list[_Process] = []
        self._idle: list[_Process] = []  # processes that have reported that they are ready
        self._failed_starts = 0  # since the last that was ready

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._team:
            process.end()
        self._team, self._idle = [], []

    def _another(self) -> _Process:
        return _Process(self._held, self._answers)

    def work(
        self,
        function: Callable[..., Any],
        jobs: Sequence[Any],
        *,
        deadline: float,
        patience: Callable[[Any], float] | None = None,
        turn: Callable[[Any], Any] | None = None,
    ) -> Iterator[tuple[Any, Any]]:
        """Call ``function(job, data)`` for every job in other processes, as far as time allows.

        Parameters
        ----------
        function : callable
            Must be picklable, like the jobs and the data. If it yields, the last value is the answer; if the job is
            ended before that, the last value so far is.
        jobs : sequence
            In the order in which they are started.
        deadline : float
            On the clock of `time.monotonic`; jobs not finished by then are dropped.
        patience : callable, optional
            How many seconds a job may take, without compilation; after that it is ended.
        turn : callable, optional
            Called with a job when its turn comes; returns the job, another to do instead, or None to skip it.

        Yields
        ------
        job, answer
            As they finish; the answer is a `Lost` if a process died, or if its time was up before any answer.

        Raises
        ------
        WorkerStartError
            Three processes in a row died before they were ready.
        """
        if not jobs or time.monotonic() >= deadline:
            return
        waiting, team = deque(jobs), self._team
        while len(team) < min(self._n_jobs, len(jobs)):
            team.append(self._another())
        while time.monotonic() < deadline and (waiting or any(one.job is not None for one in team)):
            while self._idle and waiting:
                job = waiting.popleft() if turn is None else turn(waiting.popleft())
                if job is None:
                    continue
                self._idle.pop().give(job, self._dumps((function, (job,))))
            over = _impatient(team, patience)
            if over is None:
                try:
                    process, content = self._answers.get(timeout=_POLL_SECONDS)
                except Empty:
                    continue
                if process not in team:
                    continue  # ended by us
            else:
                process, content = over, None
            job = process.job
            if content is None:
                process.end()
                self._note_start(process)
                team[team.index(process)] = self._another()
                self._idle = [one for one in self._idle if one is not process]
                if process is over and process.part is not None:
                    yield job, process.part
                elif job is not None:
                    yield job, Lost(TOO_LONG if process is over else "its process died (out of memory?)")
                continue
            kind, answer = (READY, "") if content == READY else pickle.loads(content)  # noqa: S301 - from our own process
            if kind == COMPILING:
                process.compile(begun=bool(answer))
            elif kind == PART:
                process.part = answer
            else:
                process.job = None
                self._idle.append(process)
                if kind == READY:
                    self._note_start(process, ready=True)
                else:
                    yield job, Lost(answer) if kind == FAILED else process.part
        for process in team:  # the deadline
            if process.job is not None and process.part is not None:
                yield process.job, process.part

    def _note_start(self, process: _Process, *, ready: bool = False) -> None:
        """Count processes that died before they were ready; several in a row are an error."""
        if process.ready:
            return
        process.ready = ready
        self._failed_starts = 0 if ready else self._failed_starts + 1
        if self._failed_starts >= N_STARTS:
            raise WorkerStartError(
                f"{N_STARTS} worker processes died at their start. The last one said: {process.last_words()}"
            )


def worked(
    function: Callable[..., Any], jobs: Sequence[Any], data: Any, *, n_jobs: int, **options: Any
) -> Iterator[tuple[Any, Any]]:
    """`Workers.work` for a single list of jobs."""
    with Workers(data, n_jobs) as workers:
        yield from workers.work(function, jobs, **options)


def _impatient(team: list[_Process], patience: Callable[[Any], float] | None) -> _Process | None:
    """A process whose job has taken too long."""
    if patience is None:
        return None
    now = time.monotonic()
    working = (one for one in team if one.job is not None and one.compiling is None)
    late = (one for one in working if now - one.start > patience(one.job))
    return next(late, None)


def _pickler() -> Callable[[Any], bytes]:
    """cloudpickle, which also pickles classes and functions of a script; joblib bundles it before 1.6."""
    try:
        from cloudpickle import dumps
    except ImportError:
        from joblib.externals.cloudpickle import dumps
    made: Callable[[Any], bytes] = dumps
    return made
