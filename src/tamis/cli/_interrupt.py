"""Ctrl-C that always arrives, and only where it can be raised.

A compiled loop runs outside the interpreter, and Ctrl-C is raised when it hands its arrays back, which takes some lines
of Python: raised there, Numba ends in a SystemError or in a crash. And in some places (the import of a module, a
callback) Python can only drop an error. So Ctrl-C while arrays are handed back is raised at the next line after that, and
one that was dropped comes again.
"""

from __future__ import annotations

import signal
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

_AGAIN_SECONDS = 0.01


def hear_ctrl_c() -> None:
    """Hear Ctrl-C in this process, from now on, as described above."""
    if (
        signal.getsignal(signal.SIGINT) is signal.default_int_handler
    ):  # and not told to ignore it, as by nohup
        signal.signal(signal.SIGINT, _raised)
    sys.unraisablehook = _again


def interrupted(error: BaseException | None) -> bool:
    """Whether an error is Ctrl-C, or came of it: a library may fail in another way as it is interrupted."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, KeyboardInterrupt):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


def _raised(number: int, frame: FrameType | None) -> None:
    if frame is None or not _hands_back(frame):
        raise KeyboardInterrupt
    while frame is not None:
        if not _hands_back(frame):
            frame.f_trace = _raise
        frame = frame.f_back
    sys.settrace(_raise)


def _hands_back(frame: FrameType) -> bool:
    """Whether a function is one that Numba calls as it makes arrays and named tuples."""
    file, name = frame.f_code.co_filename, frame.f_code.co_name
    made = file.startswith("<") and name == "<lambda>"  # as collections.namedtuple makes it
    return made or Path(file).as_posix().endswith("numba/core/serialize.py")


def _raise(frame: FrameType, event: str, argument: Any) -> None:
    """At the next line, call or return that is no part of handing back."""
    if not _hands_back(frame):
        sys.settrace(None)
        raise KeyboardInterrupt


def _again(lost: sys.UnraisableHookArgs) -> None:
    if issubclass(lost.exc_type, KeyboardInterrupt):
        later = threading.Timer(_AGAIN_SECONDS, signal.raise_signal, [signal.SIGINT])
        later.daemon = True
        later.start()
    else:
        sys.__unraisablehook__(lost)
