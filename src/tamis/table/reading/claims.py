"""What a file claims to hold, added up from its metadata."""

from __future__ import annotations

from dataclasses import dataclass


class OddError(Exception):
    """A file claims what it cannot hold, or is laid out in a way that is not known here."""


@dataclass
class Claims:
    """What the metadata of a file add up to.

    Attributes
    ----------
    cells : int
        Values in all columns, missing values among them.
    unpacked : int
        Bytes of the pages or buffers when they are decompressed.
    """

    cells: int = 0
    unpacked: int = 0
