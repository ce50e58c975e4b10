"""Whether a file exists; no library is loaded here, so that a wrong name is reported at once."""

from __future__ import annotations

import os
from pathlib import Path

from tamis.table._dataset import TableError
from tamis.table._names import did_you_mean


def existing_file(path: Path) -> Path:
    """Return the path if it is a file; otherwise raise an error that says what it is instead."""
    try:
        if path.is_file():
            return path
        there = "folder" if path.is_dir() else "something" if path.exists() else "nothing"
        beside = [other.name for other in path.parent.iterdir()] if path.parent.is_dir() else None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise TableError(f"{path.name!r} cannot be read: {reason(error)}.") from None
    if there == "folder":
        raise TableError(f"{path} is a folder, not a file. Name one table inside it.")
    if there == "something":
        raise TableError(f"{path} is not a regular file. Copy its contents to a file first.")
    if beside is None:
        raise TableError(f"no folder {path.parent}, so no file {path.name} in it.")
    if path.is_symlink():
        raise TableError(
            f"{path} is a link to {os.readlink(path)}, which does not exist. Name the file itself, or correct the link."
        )
    where = "in this folder" if path.parent == Path() else f"in {path.parent}"
    raise TableError(f"no file {path.name} {where}.{did_you_mean(path.name, beside)}")


def reason(error: Exception) -> str:
    """The message of an operating system error, without number and path."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
