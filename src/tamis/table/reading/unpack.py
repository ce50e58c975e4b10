"""Compressed text: unpacked into memory if it is small, and never beyond the limit.

gzip can expand a thousandfold, zstd many thousandfold; so a file is not unpacked before its unpacked size is known.
"""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import BinaryIO, NamedTuple

from tamis.table.reading.limits import check_memory, check_unpacked, most_unpacked

#: Unpacked texts up to this many bytes are held in memory.
HELD_BYTES = 1 << 28

_BLOCK = 1 << 20
_FRAME, _SKIPPED = b"\x28\xb5\x2f\xfd", b"\x2a\x4d\x18"
_LARGEST_BLOCK = 1 << 17
_REPEATED, _COMPRESSED = 1, 2  # kinds of blocks, besides plain ones


class Unpacked(NamedTuple):
    """A compressed text: its content if it is held in memory (else None), its size in bytes, and whether it has quotes."""

    text: bytes | None
    n_bytes: int
    quotes: bool


def unpacked_gzip(path: Path, max_unpacked: int | None, held_bytes: int = HELD_BYTES) -> Unpacked:
    """Unpack a gzip file of up to `held_bytes`, or count its bytes; more than the limit is an error.

    Raises
    ------
    TableError
        It is too large.
    OSError, EOFError, zlib.error
        It is damaged.
    """
    packed = path.stat().st_size
    limit = most_unpacked(packed, max_unpacked)
    held: list[bytes] | None = []
    n_bytes, quotes = 0, False
    with gzip.open(path, "rb") as stream:
        while block := stream.read(_BLOCK):
            n_bytes += len(block)
            quotes = quotes or b'"' in block
            if n_bytes > limit:
                check_unpacked(path.name, n_bytes, packed, max_unpacked, more=True)
            if held is not None and n_bytes <= held_bytes:
                held.append(block)
            else:
                held = None
    check_memory(path.name, n_bytes)
    return Unpacked(None if held is None else b"".join(held), n_bytes, quotes)


def check_zstd(path: Path, max_unpacked: int | None) -> int:
    """Give the most bytes that a zstd file can unpack to; more than the limit is an error.

    The sizes come before the blocks, so nothing is unpacked. A malformed file is left to the reader, which refuses it.
    """
    packed = path.stat().st_size
    with path.open("rb") as stream:
        n_bytes = 0
        while magic := stream.read(4):
            if magic[1:] == _SKIPPED:
                stream.seek(int.from_bytes(stream.read(4), "little"), 1)
                continue
            if magic != _FRAME:
                break
            n_bytes += _frame_bytes(stream)
            if n_bytes > most_unpacked(packed, max_unpacked):
                break
    check_unpacked(path.name, n_bytes, packed, max_unpacked)
    return n_bytes


def _frame_bytes(stream: BinaryIO) -> int:
    """The most bytes that a zstd frame unpacks to; the stream is positioned after the frame's first four bytes."""
    read, seek = stream.read, stream.seek
    (sort,) = read(1) or b"\0"
    alone = sort >> 5 & 1
    seek((1 - alone) + (0, 1, 2, 4)[sort & 3] + (alone, 2, 4, 8)[sort >> 6], 1)
    n_bytes = last = 0
    while not last and len(head := read(3)) == 3:
        number = int.from_bytes(head, "little")
        last, kind, size = number & 1, number >> 1 & 3, number >> 3
        n_bytes += _LARGEST_BLOCK if kind == _COMPRESSED else size
        seek(1 if kind == _REPEATED else size, 1)
    seek(4 * (sort >> 2 & 1), 1)  # a checksum
    return n_bytes
