"""What the pages of a Parquet file claim to hold; their values are not read.

A Parquet file is ``PAR1``, pages, indexes, a footer, the footer's length, ``PAR1``. A page is a header in Thrift's compact
protocol, followed by as many bytes as the header says. Between the pages of two columns there may be a copy of the
column's metadata, which is a Thrift structure as well. So the file can be walked through from its start to the footer.
"""

from __future__ import annotations

import mmap

from tamis.table.reading.claims import Claims, OddError

_DATA_PAGE, _INDEX_PAGE, _DICTIONARY_PAGE, _DATA_PAGE_2 = range(4)
_HEADERS = {_DATA_PAGE: 5, _INDEX_PAGE: 6, _DICTIONARY_PAGE: 7, _DATA_PAGE_2: 8}  # fields of a page's header
_MOST_METADATA = 1 << 25  # bytes; more are not examined
_DEEPEST = 16


def parquet_claims(data: bytes | mmap.mmap) -> Claims:
    """Walk through the pages of a Parquet file.

    Parameters
    ----------
    data : bytes or mmap
        The whole file.

    Returns
    -------
    Claims
        The totals over all pages.

    Raises
    ------
    OddError
        A page claims what it cannot hold, or the walk does not end at the footer.
    IndexError
        Something reaches beyond the file.
    """
    n_bytes = len(data)
    if n_bytes < 12 or data[n_bytes - 4 :] != b"PAR1":
        return Claims()  # cut off: the reader will notice
    end = n_bytes - 8 - int.from_bytes(data[n_bytes - 8 : n_bytes - 4], "little")
    claims, place, metadata = Claims(), 4, 0
    while place < end:
        header, after = _structure(data, place, 0)
        metadata += after - place
        place = after + _page(header, claims)
        if metadata > _MOST_METADATA:
            raise OddError
    if place != end:
        raise OddError
    return claims


def _page(header: dict[int, object], claims: Claims) -> int:
    """Add what a page claims; give the number of bytes after its header, 0 if it is not a page."""
    kind, unpacked, packed = header.get(1), header.get(2), header.get(3)
    inner = header.get(_HEADERS.get(kind, 0)) if isinstance(kind, int) else None
    if not (isinstance(inner, dict) and isinstance(unpacked, int) and isinstance(packed, int)):
        return 0
    n_values = inner.get(1, 0)
    if unpacked < 0 or packed < 0 or n_values < 0:
        raise OddError
    if kind == _DICTIONARY_PAGE and n_values > unpacked:
        raise OddError
    if kind == _DATA_PAGE_2 and not (
        0 <= inner.get(2, 0) <= n_values
        and 0 <= inner.get(3, 0) <= n_values
        and inner.get(5, 0) >= 0
        and inner.get(6, 0) >= 0
        and inner.get(5, 0) + inner.get(6, 0) <= packed
    ):
        raise OddError
    claims.unpacked += unpacked
    claims.cells += n_values if kind in (_DATA_PAGE, _DATA_PAGE_2) else 0
    return packed


def _structure(data: bytes | mmap.mmap, place: int, depth: int) -> tuple[dict[int, object], int]:
    """Read a Thrift structure: its integers, flags and structures by field; and the position after it.

    Texts and lists are skipped. A field begins with one byte: the increase of the field number, and the kind.
    """
    if depth > _DEEPEST:
        raise OddError
    fields: dict[int, object] = {}
    number, head = 0, data[place]
    while head:
        place += 1
        kind = head & 15
        if head >> 4:
            number += head >> 4
        else:
            value, place = _number(data, place)
            number = (value >> 1) ^ -(value & 1)
        if 4 <= kind <= 6:  # integers of 2, 4 and 8 bytes
            value = data[place]
            place += 1
            if value > 127:
                value, place = _number(data, place - 1)
            fields[number] = (value >> 1) ^ -(value & 1)
        elif kind == 12:
            fields[number], place = _structure(data, place, depth + 1)
        elif kind == 8:  # text
            value = data[place]
            place += 1
            if value > 127:
                value, place = _number(data, place - 1)
            place += value
        elif kind in (9, 10):
            place = _after_list(data, place, depth)
        elif kind in (1, 2):  # true, false
            fields[number] = kind == 1
        elif kind in (3, 7):  # a byte, a float of 8 bytes
            place += 1 if kind == 3 else 8
        else:
            raise OddError
        head = data[place]
    return fields, place + 1


def _after_list(data: bytes | mmap.mmap, place: int, depth: int) -> int:
    """Skip a list or set; give the position after it."""
    head = data[place]
    place += 1
    size, kind = head >> 4, head & 15
    if size == 15:
        size, place = _number(data, place)
    if size > min(len(data) - place, _MOST_METADATA):  # an entry takes at least one byte
        raise OddError
    if kind <= 3 or kind == 7:  # flags and bytes; floats
        return place + size * (8 if kind == 7 else 1)
    for _ in range(size):
        if kind <= 6:
            while data[place] > 127:
                place += 1
            place += 1
        elif kind == 8:
            length, place = _number(data, place)
            place += length
        elif kind == 12:
            _, place = _structure(data, place, depth + 1)
        else:
            raise OddError
    return place


def _number(data: bytes | mmap.mmap, place: int) -> tuple[int, int]:
    """Read an integer in groups of seven bits, lowest first; give it and the position after it."""
    byte = data[place]
    value, shift = byte & 127, 7
    while byte > 127:
        place += 1
        byte = data[place]
        value |= (byte & 127) << shift
        shift += 7
        if shift > 70:
            raise OddError
    return value, place + 1
