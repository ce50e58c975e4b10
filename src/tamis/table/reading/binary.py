"""Parquet and Arrow files, which have dtypes and nulls of their own."""

from pathlib import Path

import polars as pl

from tamis.table._dataset import TableError
from tamis.table._names import check_names

#: The endings of binary files, and their formats.
BINARY_ENDINGS = {".parquet": "Parquet", ".feather": "Arrow", ".arrow": "Arrow", ".ipc": "Arrow"}

#: What polars raises for a damaged file.
FAILURES = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)

_STARTS = {"Parquet": (b"PAR1",), "Arrow": (b"ARROW1", b"\xff\xff\xff\xff")}


def unreadable(name: str, form: str, error: BaseException) -> TableError:
    """The error for a file that polars failed to read."""
    why = str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
    if isinstance(error, pl.exceptions.PanicException):  # its message is for the developers of polars
        why = "its contents are damaged"
    return TableError(f"{name} cannot be read as {form}: {why}.")


def binary_frame(file: Path, form: str, max_unpacked: int | None = None) -> pl.DataFrame:
    """Read a file whose ending says Parquet or Arrow; a damaged or different file is an error."""
    from tamis.table.reading.guard import check_claims  # not needed for text files

    try:
        with file.open("rb") as stream:
            start = stream.read(6)
        if not start.startswith(_STARTS[form]):
            raise TableError(
                f"{file.name} is empty."
                if not start
                else f"{file.name} is not in the {form} format, or very old: it begins with {start!r}. Is its ending right?"
            )
        check_claims(file, form, max_unpacked)
        if form == "Parquet":
            frame = pl.read_parquet(file, glob=False, hive_partitioning=False)
        elif start == b"ARROW1":
            frame = pl.read_ipc(file)
        else:
            frame = pl.read_ipc_stream(file)
    except FAILURES as error:
        raise unreadable(file.name, form, error) from None
    check_names(frame.columns, file.name)
    return frame
