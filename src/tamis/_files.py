"""The one way in which files are written: whole or not at all.

Everything is written to a temporary file in the same folder, flushed to disk, and renamed last. The temporary name is
random and must not exist yet, so a link that somebody prepared under it is never followed.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from tamis._interrupt import on_ctrl_c

WRITING = ".writing"
"""The ending of temporary files."""

_STEM = 40  # letters of the final name kept in the temporary one: at 4 bytes each, short enough for any disk

_unfinished: set[Path] = set()


def expanded(path: str | os.PathLike[str]) -> Path:
    """A path with its leading ~ replaced by the user's home folder; unchanged if there is no such user."""
    return Path(os.path.expanduser(path))


@contextmanager
def written(path: Path, *, replace: bool = True) -> Iterator[IO[bytes]]:
    """Open a stream whose bytes become the file `path` if the block succeeds, and are removed if it fails.

    Parameters
    ----------
    path : Path
        The file. If it is a link, the link itself is replaced, not what it points to.
    replace : bool, default=True
        Whether an existing file is replaced; the new file keeps its permissions.

    Yields
    ------
    binary stream
        To write to.

    Raises
    ------
    FileExistsError
        Without `replace`, at the end of the block, if the file exists by then.
    """
    other = path.with_name(f".{path.name[:_STEM]}.{secrets.token_hex(8)}{WRITING}")
    stream = other.open("xb")
    _unfinished.add(other)
    try:
        with stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if replace:
            if path.exists():
                shutil.copymode(path, other)
            os.replace(other, path)
        else:
            _named(other, path)
    finally:
        with suppress(OSError):
            other.unlink(missing_ok=True)
        _unfinished.discard(other)


class _Outlet:
    """A stream to write to that remembers what went wrong."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream = stream
        self.error: OSError | None = None

    def write(self, content: bytes) -> int:
        try:
            return self.stream.write(content)
        except OSError as error:
            self.error = error
            raise

    def flush(self) -> None:
        self.stream.flush()


@contextmanager
def outlet(stream: IO[bytes]) -> Iterator[Any]:
    """Pass a stream to polars, which before its version 2 drops an error at the end of a CSV file: the block raises it."""
    passed = _Outlet(stream)
    yield passed
    if passed.error is not None:
        raise passed.error


def remove_unfinished(folder: Path) -> None:
    """Remove the temporary files that killed processes left in a folder."""
    for file in folder.glob(f"*{WRITING}"):
        file.unlink(missing_ok=True)


def _remove_own() -> None:
    """Remove the temporary files of this process."""
    for file in list(_unfinished):
        file.unlink(missing_ok=True)


on_ctrl_c(_remove_own)


def _named(other: Path, path: Path) -> None:
    """Rename the temporary file, unless the final name is taken."""
    try:
        os.link(other, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if os.path.lexists(path):
            raise FileExistsError(path) from None
        os.replace(other, path)
