"""A file as text: whether it exists, whether it is compressed, and whether it is text at all.

The readers of all text formats (`csv`, `arff`, `keel`) use a `Source`, so that a wrong encoding, a binary file and a
damaged archive give the same error in all of them.
"""

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
import polars as pl

from tamis.table._dataset import TableError
from tamis.table._names import an_option
from tamis.table.reading.existing import reason
from tamis.table.reading.unpack import check_zstd, unpacked_gzip

#: How many bytes at the start of a file are examined before it is read.
HEAD_BYTES = 1 << 18
#: Files up to this many bytes are held in memory, so that they are read once instead of several times.
SMALL_BYTES = 1 << 20

_BLOCK = 1 << 16  # larger temporary arrays would be allocated anew every time
_LONGEST_LINE = 1 << 20

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_FOREIGN = {
    b"PAR1": "a Parquet file; rename it to end in .parquet",
    b"ARROW1": "an Arrow file; rename it to end in .feather",
    b"PK\x03\x04": "a zip archive or a spreadsheet; save its table as CSV",
    b"%PDF": "a PDF; save its table as CSV",
    b"\xd0\xcf\x11\xe0": "an old Office document; save its table as CSV",
}
_WIDE = {  # the byte order marks of UTF-16 and UTF-32; the longer ones first
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
_BROKEN = (OSError, EOFError, zlib.error)


class Source:
    """A text file, plain or compressed, as bytes, as lines, or as something that polars can read.

    Parameters
    ----------
    path : pathlib.Path
        An existing file. Compression is detected by its first bytes, not by its name.
    encoding : str or None
        The file's encoding if it is not UTF-8. Such a file is held in memory as UTF-8.
    max_unpacked : int or None
        The most bytes that a compressed file may unpack to; None for the default of `tamis.table.reading.limits`.

    Attributes
    ----------
    name : str
        The file's name, for messages.
    head : bytes
        The first bytes, decompressed.
    """

    def __init__(self, path: Path, encoding: str | None = None, max_unpacked: int | None = None) -> None:
        self.path = path
        self.name = path.name
        self._max_unpacked = max_unpacked
        self._data: bytes | None = None
        self._small: bytes | None = None
        self._n_unpacked = 0
        self._quotes: bool | None = None
        self._zstd = self._gzip = False
        if encoding is None or encoding.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig"):
            self.head = self._first_bytes()
        else:
            self._data = self._decoded(encoding)
            self.head = self._data[:HEAD_BYTES]
        self._refuse_binary()
        if (
            b"\r" in self.head
            and b"\n" not in self.head
            and self.head.count(b"\r") > self.head.endswith(b"\r")
        ):
            self._data = self._all_bytes().replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            self.head = self._data[:HEAD_BYTES]

    @property
    def for_polars(self) -> str | bytes:
        """What to give to polars: the path, or the text in memory if polars could not read the file itself."""
        data = self._data if self._data is not None else self._small
        return str(self.path) if data is None else data

    @property
    def n_bytes(self) -> int:
        """The size of the text in bytes; for a zstd file, the most that it can be."""
        data = self._data if self._data is not None else self._small
        return len(data) if data is not None else self._n_unpacked or self.path.stat().st_size

    def lines(self, n_lines: int | None = None) -> Iterator[str]:
        """Give the first `n_lines` lines, or all, with their line ends; a byte that is not UTF-8 is an error."""
        try:
            if self._zstd:
                yield from self._polars_lines(n_lines)
                return
            with io.TextIOWrapper(self._opened(), encoding="utf-8-sig", newline="") as text:
                yield from islice(text, n_lines)
        except UnicodeDecodeError:
            self.refuse_encoding()
        except pl.exceptions.PolarsError:
            self.refuse_encoding()
        except _BROKEN as error:
            raise TableError(f"{self.name} cannot be read: {reason(error)}.") from None

    def text(self) -> str:
        """Give the whole text, with line feeds as line ends."""
        return "".join(self.lines()).replace("\r\n", "\n").replace("\r", "\n")

    def lines_within(self, n_lines: int) -> list[str]:
        """Give whole lines evenly spread over a plain file; none of a compressed one."""
        if self._zstd or self._gzip:
            return []
        lines = []
        with self._opened() as stream:
            n_bytes = stream.seek(0, io.SEEK_END)
            for position in range(1, n_lines + 1):
                stream.seek(n_bytes * position // (n_lines + 1))
                if stream.readline(_LONGEST_LINE).endswith(b"\n"):  # the rest of a line
                    lines.append(stream.readline(_LONGEST_LINE).decode("utf-8", "replace"))
        return [line for line in lines if line.endswith("\n")]

    def has_quotes(self) -> bool:
        """Tell whether there are quotes; True if that is not known."""
        if self._quotes is None:
            self._quotes = self._zstd or any(b'"' in block for block in self._blocks())
        return self._quotes

    def has_leading_zeros(self, delimiter: str) -> bool:
        """Tell whether some value may begin with a zero and another digit; True if that is not known."""
        if self._zstd:
            return True
        rest = b"\n"
        for block in self._blocks():
            signs = np.frombuffer(rest + block, dtype=np.uint8)
            before, first, second = signs[:-2], signs[1:-1], signs[2:]
            leading = first == ord("0")
            leading &= (second - np.uint8(ord("0"))) <= 9  # wraps below zero
            ends = before <= ord("-")  # blanks, line ends, quotes, commas and signs
            if delimiter > "-":
                ends |= before == ord(delimiter)
            leading &= ends
            if leading.any():
                return True
            rest = signs[-2:].tobytes()
        return False

    def n_delimiters(self, delimiter: str) -> int | None:
        """Count a delimiter in the whole text; None if the text has quotes, or is compressed with zstd."""
        if self.has_quotes():
            return None
        blocks = (np.frombuffer(block, dtype=np.uint8) for block in self._blocks())
        return sum(int(np.count_nonzero(block == ord(delimiter))) for block in blocks)

    def refuse_encoding(self) -> None:
        """Raise the error that names the first byte that is not UTF-8; return if there is none."""
        advice = (
            f"Give its encoding ({an_option('--encoding', 'cp1252')}, for example) or save it again as UTF-8."
        )
        if self._zstd:
            raise TableError(f"{self.name} is not valid UTF-8 text. Decompress it, then: {advice}")
        with self._opened() as stream:
            for number, line in enumerate(stream, start=1):
                try:
                    line.decode("utf-8")
                except UnicodeDecodeError as error:
                    raise TableError(
                        f"{self.name} is not UTF-8: byte 0x{line[error.start]:02x} on line {number}. {advice}"
                    ) from None

    def _polars_lines(self, n_lines: int | None) -> Iterator[str]:
        lines = pl.scan_lines(str(self.path), glob=False, n_rows=n_lines).collect(engine="streaming")["line"]
        for number, line in enumerate(lines):
            yield (line.removeprefix("\ufeff") if number == 0 else line) + "\n"

    def _opened(self) -> BinaryIO:
        data = self._data if self._data is not None else self._small
        if data is not None:
            return io.BytesIO(data)
        if self._gzip:
            return cast(BinaryIO, gzip.open(self.path, "rb"))
        return self.path.open("rb")

    def _blocks(self) -> Iterator[bytes]:
        try:
            with self._opened() as stream:
                while block := stream.read(_BLOCK):
                    yield block
        except _BROKEN as error:
            raise TableError(f"{self.name} cannot be read: {reason(error)}.") from None

    def _first_bytes(self) -> bytes:
        try:
            with self.path.open("rb") as stream:
                n_bytes = os.fstat(stream.fileno()).st_size
                small = n_bytes <= SMALL_BYTES
                data = stream.read(n_bytes if small else HEAD_BYTES)
                self._zstd, self._gzip = data.startswith(_ZSTD), data.startswith(_GZIP)
                if not (self._zstd or self._gzip):
                    self._small = data if small else None
                    return data[:HEAD_BYTES]
            if self._zstd:
                self._n_unpacked = check_zstd(self.path, self._max_unpacked)
                return "".join(self._polars_lines(1000)).encode()[:HEAD_BYTES]
            self._small, self._n_unpacked, self._quotes = unpacked_gzip(self.path, self._max_unpacked)
            self._gzip = self._small is None
            with self._opened() as stream:
                return stream.read(HEAD_BYTES)
        except pl.exceptions.PolarsError:
            self.refuse_encoding()
            raise
        except _BROKEN as error:
            raise TableError(f"{self.name} cannot be read: {reason(error)}.") from None

    def _all_bytes(self) -> bytes:
        try:
            with self._opened() as stream:
                return stream.read()
        except _BROKEN as error:
            raise TableError(f"{self.name} cannot be read: {reason(error)}.") from None

    def _decoded(self, encoding: str) -> bytes:
        self._first_bytes()
        if self._zstd:
            raise TableError(f"{self.name} is compressed by zstd and not UTF-8. Decompress it first.")
        try:
            text = self._all_bytes().decode(encoding)
            return text.removeprefix("\ufeff").encode("utf-8")
        except UnicodeError as error:
            raise TableError(f"{self.name} is not in the encoding {encoding}: {error}.") from None
        except (LookupError, ValueError):  # ValueError: a character that no encoding's name has
            raise TableError(
                f"unknown encoding {encoding!r} for {self.name}. Common ones: utf-8, cp1252, latin-1, utf-16."
            ) from None

    def _refuse_binary(self) -> None:
        for magic, what in _FOREIGN.items():
            if self.head.startswith(magic):
                raise TableError(f"{self.name} is not a text file: it is {what}.")
        wide = next((encoding for mark, encoding in _WIDE.items() if self.head.startswith(mark)), None)
        if wide is not None:
            raise TableError(
                f"{self.name} is {wide.upper()} text, not UTF-8. Use {an_option('--encoding', wide)} or save it again as UTF-8."
            )
        if b"\0" in self.head:
            position = self.head.index(b"\0")
            raise TableError(
                f"{self.name} is not a text file: byte {position + 1} is zero. "
                "Give a CSV, ARFF or KEEL file, or a Parquet or Feather file with its own ending."
            )
        if not self.head.removeprefix(b"\xef\xbb\xbf").strip():
            raise TableError(f"{self.name} is empty. It needs a line of column names and rows below it.")
