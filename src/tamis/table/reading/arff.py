"""Weka's ARFF files."""

from tamis.table.reading.raw import RawTable
from tamis.table.reading.relation_header import header_of
from tamis.table.reading.relation_rows import Rows
from tamis.table.reading.source import Source
from tamis.table.reading.wishes import Wishes

_DESCRIPTION_LENGTH = 5000


def read_arff(source: Source, wishes: Wishes) -> RawTable:
    """Read an ARFF file.

    Declared categorical values become an Enum in their declared order, and a value that is not declared is an error.
    Sparse rows are expanded: an absent entry is 0, or the first declared value, as in Weka. Weights of rows are not
    used, and a note says so. Relational attributes are refused. The comments above the first declaration become the
    description.

    Parameters
    ----------
    source : Source
        The text.
    wishes : Wishes
        What the caller said about columns and missing values.

    Returns
    -------
    RawTable
        The columns; the file names no target, so the last column is the default, as in Weka.
    """
    lines = source.text().split("\n")
    header = header_of(lines, source.name)
    rows = Rows(lines[header.data_line :], header.data_line, header.attributes, source.name)
    frame = rows.frame(wishes)
    return RawTable(
        frame,
        notes=tuple(rows.notes),
        dates=frozenset(a.name for a in header.attributes if a.kind == "date"),
        description="\n".join(header.comments).strip()[:_DESCRIPTION_LENGTH],
    )
