"""Under a limit on memory (``ulimit -v``), where the libraries below end the process when they get none.

The command then runs in a child of this process, made before anything heavy was loaded. If the system ends the child,
this process says so in one sentence.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from typing import NoReturn

_LEAST, _LEAST_A_CORE = 2 << 30, 64 << 20  # bytes of address space: for the libraries, and for threads
_ENDED = ("SIGABRT", "SIGBUS", "SIGILL", "SIGKILL", "SIGSEGV", "SIGTRAP")
# What libraries print when they get no memory. Whatever follows is theirs as well.
_LAST_WORDS = (
    b"memory allocation of", b"<jemalloc>", b"terminate called", b"panicked at", b"OpenBLAS", b"LLVM ERROR",
    b"Traceback (most recent call last)", b"Fatal Python error",
)  # fmt: skip
_OF_MEMORY = (b"MemoryError", b"bad_alloc", b"allocate memory", b"map segment", b"temporarily unavailable")


def watched() -> None:
    """If memory is limited, run the command in a child process, wait for it, and exit with its status."""
    limit = memory_limit()
    if limit is None:
        return
    least = _LEAST + _LEAST_A_CORE * (os.cpu_count() or 1)
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
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the child gets Ctrl-C as well, and prints the message
    signal.signal(signal.SIGTERM, lambda number, _: os.kill(child, number))
    status, last_words = _waited_for(child, reading)
    code = os.waitstatus_to_exitcode(status)
    if (code < 0 and signal.Signals(-code).name in _ENDED) or (
        code == 1 and any(word in last_words for word in _OF_MEMORY)
    ):
        _leave(f"{_allowed(limit)}, which was not enough. Raise the limit, or use fewer rows or columns.")
    sys.stderr.buffer.write(last_words)
    sys.exit(code if code >= 0 else 128 - code)


def memory_limit() -> int | None:
    """The bytes of address space that this process may have; None without a limit, and where there are no such limits."""
    try:
        import resource
    except ImportError:
        return None
    kinds = (resource.RLIMIT_AS, resource.RLIMIT_DATA)
    limits = [limit for kind in kinds if (limit := resource.getrlimit(kind)[0]) != resource.RLIM_INFINITY]
    return min(limits, default=None)


def _waited_for(child: int, reading: int) -> tuple[int, bytes]:
    """Pass on what the child prints on stderr until it ends; give its status, and what libraries said at the end."""
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
