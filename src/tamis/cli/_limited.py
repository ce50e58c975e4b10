"""Run under a limit on memory (``ulimit -v``), where some libraries abort the process when memory runs out.

The command then runs in a child process, which is forked before any heavy import. If the child is killed, or fails for
lack of memory, this process says so in one sentence.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from typing import NoReturn

_LEAST = 2 << 30  # bytes of address space that the libraries need
_LEAST_PER_CORE = 64 << 20  # and that the threads of each core need
_KILLED = ("SIGABRT", "SIGBUS", "SIGILL", "SIGKILL", "SIGSEGV", "SIGTRAP")
# What libraries print when they run out of memory. All that follows such a line is also theirs.
_LAST_WORDS = (
    b"memory allocation of", b"<jemalloc>", b"terminate called", b"panicked at", b"OpenBLAS", b"LLVM ERROR",
    b"Traceback (most recent call last)", b"Fatal Python error",
)  # fmt: skip
_NO_MEMORY = (b"MemoryError", b"bad_alloc", b"allocate memory", b"map segment", b"temporarily unavailable")


def watched() -> None:
    """If memory is limited, run the command in a child process, wait for it, and exit with its status."""
    limit = memory_limit()
    if limit is None:
        return
    least = _LEAST + _LEAST_PER_CORE * (os.cpu_count() or 1)
    if limit < least:
        _leave(f"{_allowed(limit)}, and needs {_gigabytes(least)} or more. Raise the limit.")
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(writing, 2)
        os.close(reading)
        os.close(writing)
        return
    os.close(writing)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the child receives Ctrl-C too, and prints the message
    signal.signal(signal.SIGTERM, lambda number, _: os.kill(child, number))
    status, last_words = _waited_for(child, reading)
    code = os.waitstatus_to_exitcode(status)
    if (code < 0 and signal.Signals(-code).name in _KILLED) or (
        code == 1 and any(word in last_words for word in _NO_MEMORY)
    ):
        _leave(f"{_allowed(limit)}, which was not enough. Raise the limit, or use fewer rows or columns.")
    sys.stderr.buffer.write(last_words)
    sys.exit(code if code >= 0 else 128 - code)


def memory_limit() -> int | None:
    """The bytes of address space that this process may use; None if there is no limit, as always on Windows."""
    try:
        import resource
    except ImportError:
        return None
    kinds = (resource.RLIMIT_AS, resource.RLIMIT_DATA)
    limits = [limit for kind in kinds if (limit := resource.getrlimit(kind)[0]) != resource.RLIM_INFINITY]
    return min(limits, default=None)


def _waited_for(child: int, reading: int) -> tuple[int, bytes]:
    """Forward the child's stderr until it ends; return its status, and what libraries printed last (not forwarded)."""
    rest, last_words, status = b"", b"", None
    while True:
        if select.select([reading], [], [], 0 if status is not None else 0.05)[0]:
            block = os.read(reading, 1 << 16)
            rest += block
        else:
            block = b""
        *lines, rest = rest.split(b"\n")
        for line in lines:
            if last_words or any(word in line for word in _LAST_WORDS):
                last_words += line + b"\n"
            else:
                sys.stderr.buffer.write(line + b"\n")
                sys.stderr.buffer.flush()
        if status is not None and not block:
            return status, last_words + rest
        if status is None:
            ended, code = os.waitpid(child, os.WNOHANG)
            status = code if ended else None


def _allowed(limit: int) -> str:
    return f"this process may have {_gigabytes(limit)} of memory (ulimit -v)"


def _gigabytes(n_bytes: int) -> str:
    return f"{n_bytes / (1 << 30):.1f} GB"


def _leave(sentence: str) -> NoReturn:
    sys.stderr.write(f"tamis: {sentence}\n")
    sys.stderr.flush()
    os._exit(2)
