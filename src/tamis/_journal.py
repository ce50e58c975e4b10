"""The answers of a long study on disk, one line each, so that the study can be stopped at any moment and resumed.

Comparisons, runs over the problem space and the papers' tables store their answers here; the intermediate results of a
single fit are stored as arrays, by ``_memory.py``.
"""

from __future__ import annotations

import json
import os
import time
import zlib
from pathlib import Path
from typing import IO, Any

from tamis._files import written
from tamis._identity import differences

CHECK = "check"

Answer = dict[str, Any]


class Journal:
    """A file whose first line says which study it belongs to and whose other lines are answers.

    Every line holds a checksum. From the first line that was cut short or changed, answers are dropped.

    Parameters
    ----------
    path : path-like
        The file.
    about : dict
        Everything that decides the answers; a file about something else is refused.
    resume : bool, default=True
        Whether an existing file is continued; otherwise it is started again.
    who, what : str
        Who writes it, and what is written: they appear in error messages.
    pause : float, default=0.0
        Lines are flushed to the disk after at most this many seconds. Until then they survive if the process is killed,
        but not if the machine fails.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        about: dict[str, Any],
        resume: bool = True,
        *,
        who: str = "compare",
        what: str = "comparison",
        pause: float = 0.0,
    ) -> None:
        self.path, self.pause, self.synced = Path(path), pause, time.monotonic()
        self.answers: list[Answer] = answers_on_disk(self.path, about, who, what) if resume else []
        header = json.loads(json.dumps(about))
        whole = "".join(f"{line}\n" for line in (json.dumps(header), *map(_line, self.answers)))
        with written(self.path) as file:
            file.write(whole.encode("utf-8"))
        self.stream: IO[str] = self.path.open("a", encoding="utf-8")

    def add(self, answer: Answer) -> None:
        """Write one answer."""
        self.stream.write(f"{_line(answer)}\n")
        self.stream.flush()
        if time.monotonic() - self.synced >= self.pause:
            os.fsync(self.stream.fileno())
            self.synced = time.monotonic()

    def close(self) -> None:
        """Close the file."""
        self.stream.close()

    def remove(self) -> None:
        """Close and remove the file, once its answers are somewhere else."""
        self.close()
        self.path.unlink(missing_ok=True)


def answers_on_disk(path: Path, about: dict[str, Any], who: str, what: str) -> list[Answer]:
    """The answers in a journal of the same study; none where there is no file."""
    if not path.exists():
        return []
    whole = path.read_text(encoding="utf-8", errors="replace")
    lines: list[Answer] = []
    for text in whole.split("\n"):
        try:
            line = json.loads(text)
        except (ValueError, RecursionError):
            break  # cut short, or the empty last line
        if not isinstance(line, dict) or (lines and line.pop(CHECK, None) != _check(line)):
            break  # not written by us
        lines.append(line)
    if not whole.strip():
        return []
    if not lines:
        raise ValueError(f"{who}: {str(path)!r} is not a journal of a {what}. Remove it, or begin elsewhere.")
    other = differences(json.loads(json.dumps(about)), lines[0])
    if other:
        raise ValueError(
            f"{who}: {str(path)!r} holds another {what}, of other {', '.join(other)}. "
            "Ask for the same again, or begin anew elsewhere."
        )
    return lines[1:]


def _check(answer: Answer) -> int:
    """The checksum of an answer."""
    return zlib.crc32(json.dumps(answer, sort_keys=True).encode())


def _line(answer: Answer) -> str:
    plain = json.loads(json.dumps(answer))  # as it will be read: texts as keys, lists for tuples
    return json.dumps({**plain, CHECK: _check(plain)})
