"""Parquet files in object stores (``s3://bucket/sales``), by fsspec and the package of the store, where these are installed.

A file is copied to this machine when it is first read, and the copy is used until the process ends: the table is read several
times. On a cluster each worker copies the files whose rows it reads.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
import threading
from functools import cache
from pathlib import Path
from typing import Any

from tamis.table._dataset import TableError

__all__ = ["here", "is_in_store", "store_files"]

_copying = threading.Lock()


def is_in_store(path: str | os.PathLike[str]) -> bool:
    """Whether a path has a protocol before it, of two letters or more."""
    return re.match("[A-Za-z][A-Za-z0-9+.-]+://", os.fspath(path)) is not None


def store_files(path: str) -> list[str]:
    """The Parquet files of a folder in a store, or of a pattern, sorted by name; a single file gives itself."""
    try:
        system, inside = _opened(path)
        if "*" in inside:
            names = system.glob(inside)
            if not names:
                raise TableError(f"no file fits the pattern {path!r}.")
        elif system.isdir(inside):
            names = [name for name in system.ls(inside, detail=False) if name.endswith(".parquet")]
            if not names:
                raise TableError(f"no file that ends in .parquet in the folder {path}.")
        elif system.exists(inside):
            names = [inside]
        else:
            raise TableError(f"no file or folder {path}.")
        return sorted(system.unstrip_protocol(name) for name in names)
    except OSError as error:
        raise _unreachable(path, error) from None


def here(file: str) -> str:
    """The name of a file on this machine: the file itself, or the copy of one in a store."""
    if not is_in_store(file):
        return file
    with _copying:
        return _copied(file)


@cache
def _copied(file: str) -> str:
    try:
        system, inside = _opened(file)
        target = Path(tempfile.mkdtemp(dir=_folder())) / Path(inside).name
        system.get_file(inside, str(target))
    except OSError as error:
        raise _unreachable(file, error) from None
    return str(target)


@cache
def _folder() -> str:
    """Where copies lie; removed when the process ends."""
    folder = tempfile.mkdtemp(prefix="tamis-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _opened(path: str) -> tuple[Any, str]:
    """The store of a path, and the path in it."""
    try:
        from fsspec.core import url_to_fs

        found: tuple[Any, str] = url_to_fs(path)
        return found
    except ImportError as error:
        missing = f" ({error})" if "fsspec" not in str(error) else ""
        raise TableError(
            f"{path} is in a store, which needs fsspec and its package for that store{missing}. Install them, such as "
            "fsspec and s3fs for s3://."
        ) from None
    except ValueError as error:
        raise TableError(f"{path} cannot be read: {error}.") from None


def _unreachable(path: str, error: OSError) -> TableError:
    return TableError(f"{path} cannot be read: {error}.")
