"""Limits: how much a compressed file may unpack to, and how much memory is free."""

from __future__ import annotations

import os
import re
from pathlib import Path

from tamis.table._dataset import TableError
from tamis.table._names import an_option

#: The default limit for what a compressed file may unpack to: this many bytes, or this many times its size.
UNPACKED_BYTES, UNPACKED_TIMES = 2 << 30, 50

_MOST_BYTES = 1 << 62  # stands for "no limit"
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def bytes_of(given: int | str | None) -> int | None:
    """Give a number of bytes for a number, or a text such as ``"8GB"``; None stays None."""
    if given is None:
        return None
    if not isinstance(given, str):
        number = int(given)
    else:
        match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)i?B?", given.strip(), flags=re.IGNORECASE)
        number = int(min(float(match[1]) * _UNITS[match[2].upper()], _MOST_BYTES)) if match else 0
    if number < 1:
        raise TableError(f"max_unpacked is {given!r}, which is not a size. Use, for example, 500MB or 8GB.")
    return number


def in_words(n_bytes: int) -> str:
    """Give a number of bytes as 3.9 GB.

    Examples
    --------
    >>> in_words(4187593113), in_words(512)
    ('3.9 GB', '512 bytes')
    """
    for unit in ("TB", "GB", "MB", "kB"):
        size = 1 << 10 * ("kB", "MB", "GB", "TB").index(unit) + 10
        if n_bytes >= size:
            return f"{n_bytes / size:.1f} {unit}"
    return f"{n_bytes} bytes"


def most_unpacked(n_bytes: int, max_unpacked: int | None) -> int:
    """The most bytes that a file of `n_bytes` may unpack to."""
    return max(UNPACKED_BYTES, UNPACKED_TIMES * n_bytes) if max_unpacked is None else max_unpacked


def check_unpacked(
    name: str, unpacked: int, n_bytes: int, max_unpacked: int | None, *, more: bool = False
) -> None:
    """Refuse a file that unpacks to more than it may.

    Parameters
    ----------
    name : str
        The file.
    unpacked : int
        Bytes that it unpacks to.
    n_bytes : int
        Its own size.
    max_unpacked : int or None
        What the caller allows; None for 2 GB, or 50 times the file's size if that is more.
    more : bool, default=False
        Whether `unpacked` is where counting stopped.
    """
    limit = most_unpacked(n_bytes, max_unpacked)
    if unpacked > limit:
        what = f"{'more than ' * more}{in_words(unpacked)}"
        raise TableError(
            f"{name} unpacks to {what}, and the limit is {in_words(limit)}. If you trust the file, raise the limit with "
            f"{an_option('--max-unpacked')}."
        )


def check_memory(name: str, n_bytes: int) -> None:
    """Refuse a file that takes `n_bytes` once it is read, if less memory is free."""
    free = free_memory()
    if free is not None and n_bytes > free:
        raise TableError(
            f"{name} takes {in_words(n_bytes)} once it is read, but {in_words(free)} of memory are free. "
            "Leave columns or rows out of the file, or use a machine with more memory."
        )


def free_memory() -> int | None:
    """Bytes that this process can still allocate, by the machine, its container and its own limits; None if not known."""
    limits = [free for free in (_of_machine(), _of_container(), _of_process()) if free is not None]
    return min(limits) if limits else None


def _of_machine() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return None
    sizes = dict(line.split(":") for line in lines if ":" in line)
    kilobytes = [sizes[name].split()[0] for name in ("MemAvailable", "SwapFree") if name in sizes]
    return sum(map(int, kilobytes)) << 10 if "MemAvailable" in sizes else None


def _of_container() -> int | None:
    try:
        most, taken, kinds = (
            Path("/sys/fs/cgroup", name).read_text(encoding="ascii").strip()
            for name in ("memory.max", "memory.current", "memory.stat")
        )
        if most == "max":
            return None
        of_files = int(dict(line.split() for line in kinds.splitlines()).get("file", 0))  # freed when needed
        return max(0, int(most) - int(taken) + of_files)
    except (OSError, ValueError):
        return None


def _of_process() -> int | None:
    """What a limit on the address space (``ulimit -v``) leaves."""
    try:
        import resource

        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        if most == resource.RLIM_INFINITY:
            return None
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        return max(0, most - pages * os.sysconf("SC_PAGE_SIZE"))
    except (ImportError, OSError, ValueError):
        return None
