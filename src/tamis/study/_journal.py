"""The answers of a comparison on disk, one line each, so that it can be stopped at any moment and go on."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import IO, Any

from tamis._files import written
from tamis._identity import differences

CHECK = "check"


class Journal:
    """A file whose first line says what is compared and whose other lines are answers.

    A line is written whole and brought to the disk before the next. It says what it sums to: from a line on that was cut
    short or changed, answers are dropped.

    Parameters
    ----------
    path : path-like
        The file.
    about : dict
        What is compared; a file that says otherwise is refused.
    resume : bool
        Whether a file that is there is gone on with; otherwise it is begun anew.
    """

    def __init__(self, path: str | os.PathLike[str], about: dict[str, Any], resume: bool) -> None:
        self.path = Path(path)
        self.answers: list[dict[str, Any]] = []
        header = json.loads(json.dumps(about))
        if resume and self.path.exists():
            self._read(header)
        whole = "".join(f"{line}\n" for line in (json.dumps(header), *map(_line, self.answers)))
        with written(self.path) as file:
            file.write(whole.encode("utf-8"))
        self.stream: IO[str] = self.path.open("a", encoding="utf-8")

    def _read(self, header: dict[str, Any]) -> None:
        whole = self.path.read_text(encoding="utf-8", errors="replace")
        lines: list[dict[str, Any]] = []
        for text in whole.split("\n"):
            try:
                line = json.loads(text)
            except (ValueError, RecursionError):
                break  # cut short, or the empty end
            if not isinstance(line, dict) or (lines and line.pop(CHECK, None) != _check(line)):
                break  # none of ours
            lines.append(line)
        if not whole.strip():
            return
        if not lines:
            raise ValueError(
                f"compare: {str(self.path)!r} is no journal of a comparison. Remove it, or begin elsewhere."
            )
        other = differences(header, lines[0])
        if other:
            raise ValueError(
                f"compare: {str(self.path)!r} holds another comparison, of other {', '.join(other)}. "
                "Ask for the same again, or begin anew elsewhere."
            )
        self.answers = lines[1:]

    def add(self, answer: dict[str, Any]) -> None:
        """Write one answer."""
        self.stream.write(f"{_line(answer)}\n")
        self.stream.flush()
        os.fsync(self.stream.fileno())

    def close(self) -> None:
        """Close the file."""
        self.stream.close()


def _check(answer: dict[str, Any]) -> int:
    """What tells an answer from one that was changed."""
    return zlib.crc32(json.dumps(answer, sort_keys=True).encode())


def _line(answer: dict[str, Any]) -> str:
    plain = json.loads(json.dumps(answer))  # as it will be read: texts as keys, lists for tuples
    return json.dumps({**plain, CHECK: _check(plain)})
