"""The one way in which files are written: whole or not at all.

Everything goes to a file of a random name in the same folder, is brought to the disk, and takes its name last. The
random name is new each time, never opened where something lies already: a link that somebody has laid ready is not followed.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

WRITING = ".writing"
"""How the names of files end that are being written."""

_STEM = 40  # letters of the final name that the other one begins with: with 4 bytes each, short enough for any disk


def expanded(path: str | os.PathLike[str]) -> Path:
    """A path whose ~ is the home of a user; where there is no such user, it is a name like any other."""
    return Path(os.path.expanduser(path))


@contextmanager
def written(path: Path, *, replace: bool = True) -> Iterator[IO[bytes]]:
    """Open a stream whose bytes are the file `path` once the block has ended well, and are gone if it has not.

    Parameters
    ----------
    path : Path
        The file. A link of this name is replaced itself, not what it points to.
    replace : bool, default=True
        Whether a file that is there is replaced. It hands its permissions on.

    Yields
    ------
    binary stream
        To write to.

    Raises
    ------
    FileExistsError
        Without `replace`, when the block has ended and a file of this name is there.
    """
    other = path.with_name(f".{path.name[:_STEM]}.{secrets.token_hex(8)}{WRITING}")
    stream = other.open("xb")
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


def remove_unfinished(folder: Path) -> None:
    """Remove what processes that were killed had begun to write in a folder."""
    for file in folder.glob(f"*{WRITING}"):
        file.unlink(missing_ok=True)


def _named(other: Path, path: Path) -> None:
    """Give a file its name where no other has it."""
    try:
        os.link(other, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if os.path.lexists(path):
            raise FileExistsError(path) from None
        os.replace(other, path)
