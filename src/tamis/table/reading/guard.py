"""Checks of Parquet and Arrow files before polars reads them.

polars allocates the memory that a file's metadata claim, and the interpreter dies if there is not enough. So the pages of
a Parquet file (`parquet`) and the messages of an Arrow file (`arrow`) are walked through first: sizes must lie inside the
file, and counts must not be negative. If anything looks wrong, another process tries to read the file first (`trial`); if
that process dies, the file is refused with an error.
"""

from __future__ import annotations

import mmap
import subprocess
import sys
from pathlib import Path

from tamis.table._dataset import TableError
from tamis.table.reading.arrow import arrow_claims
from tamis.table.reading.claims import OddError
from tamis.table.reading.limits import check_memory, check_unpacked
from tamis.table.reading.parquet import parquet_claims

#: For the walk, files up to this many bytes are read, larger ones are mapped into memory.
_SMALL = 1 << 24
_TRIAL = Path(__file__).with_name("trial.py")
_SECONDS, _BYTES_A_SECOND = 60, 1 << 22


def check_claims(file: Path, form: str, max_unpacked: int | None, *, in_parts: bool = False) -> None:
    """Refuse a Parquet or Arrow file that would crash its reader, or that unpacks to more than is allowed.

    Parameters
    ----------
    file : pathlib.Path
        The file.
    form : {"Parquet", "Arrow"}
        Its format.
    max_unpacked : int or None
        The most bytes that it may unpack to; None for the default of `check_unpacked`.
    in_parts : bool, default=False
        Whether some rows are read at a time and stored at one byte per value; otherwise the table must fit into memory.

    Raises
    ------
    TableError
        With what was found and what to do.
    OSError
        The file cannot be read at all.
    """
    n_bytes = file.stat().st_size
    with file.open("rb") as stream:
        data = stream.read() if n_bytes <= _SMALL else mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    try:
        claims = parquet_claims(data) if form == "Parquet" else arrow_claims(data)
    except (OddError, IndexError):  # IndexError: beyond the end of the file
        _try(file, form, n_bytes)
        return
    finally:
        if isinstance(data, mmap.mmap):
            data.close()
    if in_parts:
        check_unpacked(file.name, claims.cells, n_bytes, max_unpacked)
    else:
        unpacked = max(claims.unpacked, 8 * claims.cells)
        check_unpacked(file.name, unpacked, n_bytes, max_unpacked)
        check_memory(file.name, unpacked)


def _try(file: Path, form: str, n_bytes: int) -> None:
    """Let another process read the file first; refuse the file if that process fails."""
    command = [sys.executable, "-P", str(_TRIAL), str(file.absolute()), form]
    try:
        done = subprocess.run(  # noqa: S603
            command, capture_output=True, timeout=_SECONDS + n_bytes // _BYTES_A_SECOND, check=False
        )
        said = done.stdout.decode("utf-8", "replace").strip()
        fine = done.returncode == 0
    except subprocess.TimeoutExpired:
        said, fine = "", False
    if not fine:
        why = said or "it claims to hold more than it can, or reading it does not end"
        raise TableError(f"{file.name} cannot be read as {form}: {why}. Is it damaged? Make it again.")
