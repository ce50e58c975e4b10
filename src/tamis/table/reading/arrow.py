"""What the messages of an Arrow file or stream claim to hold; their values are not read.

A message is four bytes of ones, the length of its metadata, the metadata (a Flatbuffers table) and a body. The body of a
batch holds the buffers that the metadata list; a compressed one begins with the number of its bytes when unpacked.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tamis.table.reading.claims import Claims, OddError

_CONTINUES = b"\xff\xff\xff\xff"
_DICTIONARY, _BATCH = 2, 3


def arrow_claims(data: bytes | mmap.mmap) -> Claims:
    """Walk through the messages of an Arrow file or stream.

    Parameters
    ----------
    data : bytes or mmap
        The whole file.

    Returns
    -------
    Claims
        The totals over all batches.

    Raises
    ------
    OddError
        A message claims what it cannot hold.
    """
    claims = Claims()
    try:
        places = _file_messages(data) if data[:6] == b"ARROW1" else _stream_messages(data)
        for place, size in places:
            _add_message(data, place, size, claims)
    except (struct.error, ValueError):  # beyond the end
        raise OddError from None
    if claims.cells > 8 * claims.unpacked:  # a value takes at least one bit
        raise OddError
    return claims


def _file_messages(data: bytes | mmap.mmap) -> Iterator[tuple[int, int]]:
    """Where the metadata of each batch of a file begin, and their length: its footer lists them."""
    n_bytes = len(data)
    end = n_bytes - 10
    size = int.from_bytes(data[end : end + 4], "little")
    if data[n_bytes - 6 :] != b"ARROW1":
        return  # cut off: the reader will notice
    if not 0 < size <= end - 8:
        raise OddError
    footer = _root(data, end - size)
    for field in (2, 3):  # dictionaries, batches
        for start, length, body_bytes in footer.numbers(field, 3).tolist():
            length &= (1 << 32) - 1  # of four bytes, and four unused ones
            if not (0 <= start <= n_bytes - 8 and 0 <= body_bytes <= n_bytes):
                raise OddError
            skipped = 8 if data[start : start + 4] == _CONTINUES else 4
            yield start + skipped, length - skipped


def _stream_messages(data: bytes | mmap.mmap) -> Iterator[tuple[int, int]]:
    """Where the metadata of each message of a stream begin, and their length: one message follows the other."""
    start = 0
    while start < len(data):
        (size,) = struct.unpack_from("<i", data, start + 4)
        if data[start : start + 4] != _CONTINUES or size < 0:
            raise OddError
        if size == 0:  # the end
            return
        yield start + 8, size
        start += 8 + size + _root(data, start + 8).number(3, "<q")


def _root(data: bytes | mmap.mmap, start: int) -> _Table:
    return _Table(data, start + struct.unpack_from("<I", data, start)[0])


def _add_message(data: bytes | mmap.mmap, start: int, size: int, claims: Claims) -> None:
    """Add what one message claims."""
    message, body = _root(data, start), start + size
    kind, body_bytes = message.number(1, "<B"), message.number(3, "<q")
    if size < 0 or not 0 <= body_bytes <= len(data) - body:
        raise OddError
    if kind in (_DICTIONARY, _BATCH):
        header = message.table(2)
        _add_batch(data, header.table(1) if kind == _DICTIONARY else header, body, body_bytes, claims)


def _add_batch(data: bytes | mmap.mmap, batch: _Table, body: int, body_bytes: int, claims: Claims) -> None:
    nodes, buffers = batch.numbers(1, 2), batch.numbers(2, 2)
    lengths, n_missing = nodes[:, 0], nodes[:, 1]
    starts, sizes = buffers[:, 0], buffers[:, 1]
    inside = (starts >= 0) & (sizes >= 0) & (starts <= body_bytes) & (sizes <= body_bytes - starts)
    if batch.number(0, "<q") < 0 or not ((n_missing >= 0) & (n_missing <= lengths)).all() or not inside.all():
        raise OddError
    claims.cells += sum(lengths.tolist())
    if not batch.place(3):
        claims.unpacked += sum(sizes.tolist())
        return
    for start, length in zip(starts.tolist(), sizes.tolist()):
        if length == 0:
            continue
        (unpacked,) = struct.unpack_from("<q", data, body + start)
        if length < 8 or unpacked < -1:  # -1: not compressed
            raise OddError
        claims.unpacked += length if unpacked == -1 else unpacked


class _Table:
    """A table of Flatbuffers: fields by their number, each where its directory says."""

    def __init__(self, data: bytes | mmap.mmap, start: int) -> None:
        self.data, self.start = data, start
        self.directory = start - struct.unpack_from("<i", data, start)[0]
        if self.directory < 0:
            raise OddError
        (self.directory_bytes,) = struct.unpack_from("<H", data, self.directory)

    def place(self, field: int) -> int:
        """Where a field is; 0 if it is not there."""
        entry = 4 + 2 * field
        if entry + 2 > self.directory_bytes:
            return 0
        (offset,) = struct.unpack_from("<H", self.data, self.directory + entry)
        return self.start + offset if offset else 0

    def number(self, field: int, form: str) -> int:
        """A number, 0 if it is not there."""
        place = self.place(field)
        return int(struct.unpack_from(form, self.data, place)[0]) if place else 0

    def table(self, field: int) -> _Table:
        """A table inside this one."""
        place = self.place(field)
        if not place:
            raise OddError
        return _Table(self.data, place + struct.unpack_from("<I", self.data, place)[0])

    def numbers(self, field: int, width: int) -> NDArray[np.int64]:
        """A vector of rows of whole numbers of 8 bytes each."""
        place = self.place(field)
        if not place:
            return np.empty((0, width), dtype=np.int64)
        place += struct.unpack_from("<I", self.data, place)[0]
        (count,) = struct.unpack_from("<I", self.data, place)
        if 8 * width * count > len(self.data) - place:
            raise OddError
        values = np.frombuffer(self.data[place + 4 : place + 4 + 8 * width * count], dtype="<i8")
        return values.reshape(count, width)
