"""A worker process that does folds, and that can be ended at any moment: ``python -P .../tamis/study/_worker.py``.

It is started by its file name and with a safe path (``-P``), so that nothing is imported from the current folder. The
search path is the first message it receives; before that, only Python's own modules are loaded.

Messages are pickled and preceded by their length: jobs come on the standard input, answers go to what was the standard
output; anything else that is printed goes to the standard error. A function that yields gives provisional answers, and
the last one is final. The worker also reports when the compilation of a kernel begins and ends.
"""

from __future__ import annotations

import inspect
import os
import pickle
import signal
import struct
import sys
from typing import IO, Any

READY = b"ready"
WHOLE, PART, FAILED, COMPILING = "whole", "part", "failed", "compiling"
_LENGTH = struct.Struct("<Q")


def send(stream: IO[bytes], content: bytes) -> None:
    """Write one message."""
    stream.write(_LENGTH.pack(len(content)))
    stream.write(content)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """Read one message; None if the other side is gone."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    body = stream.read(length)
    return body if len(body) == length else None


def serve() -> None:
    """Receive the search path, then the data (and report ready), then one call after the other."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes: the parent ends this one
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    path = receive(sys.stdin.buffer)
    if path is None:
        return
    sys.path[:] = pickle.loads(path)  # noqa: S301 - from the process that started this one
    held = receive(sys.stdin.buffer)
    data: Any = None if held is None else pickle.loads(held)  # noqa: S301
    from tamis._jit import compiling  # after the search path is set

    compiling.told = lambda begun: send(answers, pickle.dumps((COMPILING, begun)))
    send(answers, READY)
    while (message := receive(sys.stdin.buffer)) is not None:
        function, arguments = pickle.loads(message)  # noqa: S301
        try:
            answer = function(*arguments, data)
            for part in answer if inspect.isgenerator(answer) else (answer,):
                send(answers, pickle.dumps((PART, part)))
            send(answers, pickle.dumps((WHOLE, None)))
        except BrokenPipeError:
            return
        except Exception as error:  # the parent raises or reports it
            send(answers, pickle.dumps((FAILED, f"{type(error).__name__}: {error}")))


if __name__ == "__main__":
    serve()
