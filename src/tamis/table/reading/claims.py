"""What a file claims to hold, in total, by its metadata."""

from __future__ import annotations

from dataclasses import dataclass


class OddError(Exception):
    """A file claims what it cannot hold, or has an unknown layout."""


@dataclass
class Claims:
    """The totals of a file's metadata.

    Attributes
    ----------
    cells : int
        Values in all columns, missing values included.
    unpacked : int
        Bytes of the pages or buffers when they are decompressed.
    """

    cells: int = 0
    unpacked: int = 0
