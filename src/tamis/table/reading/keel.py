"""KEEL's .dat files; any other .dat file is read as delimited text."""

from tamis.table._dataset import TableError
from tamis.table._names import did_you_mean, quoted
from tamis.table.reading.csv import read_delimited
from tamis.table.reading.raw import RawTable
from tamis.table.reading.relation_header import Header, header_of
from tamis.table.reading.relation_rows import Rows
from tamis.table.reading.source import Source
from tamis.table.reading.types import columns_of
from tamis.table.reading.wishes import Wishes


def read_keel(source: Source, wishes: Wishes) -> RawTable:
    """Read a KEEL file.

    The declared ranges of numbers are not enforced. ``@outputs`` names the target; columns that are neither among
    the inputs nor the outputs are left out, with a note.

    Parameters
    ----------
    source : Source
        The text.
    wishes : Wishes
        What the caller said about columns and missing values.

    Returns
    -------
    RawTable
        The columns, with the file's outputs as targets.
    """
    if not source.head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"@", b"%")):
        return read_delimited(source, wishes)
    lines = source.text().split("\n")
    header = header_of(lines, source.name)
    names = [attribute.name for attribute in header.attributes]
    _refuse_unknown(header, names, source.name)
    rows = Rows(lines[header.data_line :], header.data_line, header.attributes, source.name)
    frame = rows.frame(wishes)
    used = {*header.inputs, *header.outputs} if header.inputs else set(names)
    unused = [name for name in names if name not in used]
    if unused:
        rows.notes.append(f"Neither inputs nor outputs, so left out: {quoted(unused)}.")
        frame = columns_of(frame, [name for name in names if name in used])
    dates = frozenset(a.name for a in header.attributes if a.kind == "date")
    return RawTable(frame, targets=tuple(header.outputs), notes=tuple(rows.notes), dates=dates)


def _refuse_unknown(header: Header, names: list[str], file: str) -> None:
    for name in (*header.inputs, *header.outputs):
        if name not in names:
            raise TableError(
                f"{file} names {name!r} as input or output, but declares no such attribute.{did_you_mean(name, names)}"
            )
