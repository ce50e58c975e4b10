"""Ctrl-C that ends a command at once, wherever it is.

A compiled loop lets Python hear a signal only when it ends; raised while Numba hands arrays back, Ctrl-C ends in another error or
in a crash; and in some places (an import, a callback) Python can only drop an error. So in a command Ctrl-C is not raised. The
system writes it to a socket at the moment it comes, and a thread that waits there ends the other processes, removes half-written
files, prints one sentence and ends this process. Files are written whole or not at all and journals line by line, so
any moment will do.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

NOT_WRITTEN = "what was not finished was not written."
EXIT_CODE = 130
_FLUSH_SECONDS = 0.2  # for what is printed already; a pipe that nobody reads would wait for ever
_START_SECONDS = 0.5  # for processes that are just being started
_SHOW_CURSOR = b"\r\x1b[K\x1b[?25h"  # on a terminal, where a bar was drawn

starting = threading.Lock()
"""Held while other processes are started: until they are all known, they cannot be ended."""

_cleanups: list[Callable[[], None]] = []
_promises: list[Callable[[], str]] = []
_ending = threading.Lock()
_held: list[object] = []  # sockets, for as long as the process lives


def on_ctrl_c(cleanup: Callable[[], None]) -> None:
    """Have something done before a command ends by Ctrl-C. It runs in another thread and must not wait."""
    _cleanups.append(cleanup)


@contextmanager
def promising(sentence: Callable[[], str]) -> Iterator[None]:
    """While the block runs, Ctrl-C says how to go on.

    Parameters
    ----------
    sentence : callable
        Gives the sentence at the moment of Ctrl-C, empty if there is nothing to go on with.
    """
    _promises.append(sentence)
    try:
        yield
    except BaseException as error:
        told = sentence()
        if told and interrupted(error):
            raise KeyboardInterrupt(told) from None
        raise
    finally:
        _promises.remove(sentence)


def interrupted(error: BaseException | None) -> bool:
    """Whether an error is Ctrl-C, or was caused by it: a library may fail in another way as it is interrupted."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, KeyboardInterrupt):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


class RaisedLater:
    """While the block runs, Ctrl-C that Python can only drop, as in a callback of the compiler, is kept, and raised at its end.

    Dropped in the middle of compiling, it would come back as another error, or never.
    """

    def __enter__(self) -> RaisedLater:
        self._thread, self._heard, self._before = threading.get_ident(), False, sys.unraisablehook
        sys.unraisablehook = self._told
        return self

    def __exit__(self, *_: object) -> None:
        sys.unraisablehook = self._before
        if self._heard:
            raise KeyboardInterrupt

    def _told(self, dropped: sys.UnraisableHookArgs) -> None:
        if issubclass(dropped.exc_type, KeyboardInterrupt) and threading.get_ident() == self._thread:
            self._heard = True
        else:
            self._before(dropped)


def hear_ctrl_c() -> None:
    """Hear Ctrl-C in this process, from now on, as described above; in a forked process, call it again."""
    if signal.getsignal(signal.SIGINT) not in (signal.default_int_handler, _end):
        return  # told to ignore it, as by nohup
    reading, writing = socket.socketpair()
    writing.setblocking(False)
    screen = os.dup(2)  # while a file is read, what libraries print on 2 goes elsewhere
    _held[:] = [reading, writing, screen]
    signal.signal(signal.SIGINT, _end)
    signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=_wait, args=(reading,), name="ctrl-c", daemon=True).start()


def hears_ctrl_c() -> bool:
    """Whether Ctrl-C is heard as described above: in a command, and not where tamis is used as a library."""
    return bool(_held)


def leave_ctrl_c() -> None:
    """Hear it no longer: the work is done, and Python, as it ends, would let it kill the process."""
    if _held:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _wait(reading: socket.socket) -> None:
    while (heard := reading.recv(1)) != bytes([signal.SIGINT]):
        if not heard:
            return
    _end()


def _end(*_: object) -> None:
    """End this process. Both the thread and Python's own handler come here, and the first does it."""
    if not _ending.acquire(blocking=False):
        return
    known = starting.acquire(timeout=_START_SECONDS)
    flushed = threading.Thread(target=_flush, daemon=True)
    flushed.start()
    for cleanup in reversed(_cleanups):
        with suppress(Exception):
            cleanup()
    flushed.join(_FLUSH_SECONDS)
    screen = int(_held[-1])  # type: ignore[call-overload]
    with suppress(OSError):
        if os.isatty(screen):
            os.write(screen, _SHOW_CURSOR)
        os.write(screen, f"tamis: interrupted; {_sentence()}\n".encode())
    if known:
        starting.release()
    os._exit(EXIT_CODE)


def _sentence() -> str:
    for promise in reversed(_promises):
        with suppress(Exception):
            if told := promise():
                return told
    return NOT_WRITTEN


def _flush() -> None:
    with suppress(Exception):
        sys.stdout.flush()
