"""The layout of a delimited text: its delimiter, and the column names in its first line."""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tamis.table._dataset import TableError
from tamis.table._names import as_named, check_names, quoted, speech
from tamis.table.reading.source import Source

#: The delimiters that are tried. A space stands for runs of spaces and tabs.
DELIMITERS = (",", ";", "\t", "|")
BLANKS = " "

_SAMPLE_LINES, _SAMPLE_CHARACTERS = 200, 1 << 20
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_PADDED_QUOTE = {delimiter: re.compile(f'(^|{re.escape(delimiter)}) +"') for delimiter in DELIMITERS}


@dataclass(frozen=True)
class Layout:
    """What the first lines of a delimited text show.

    Attributes
    ----------
    delimiter : str
        One of `DELIMITERS`, or `BLANKS`.
    names : tuple of str
        The column names, all different, none empty.
    header_lines : int
        How many lines come before the first row.
    padded_quotes : bool
        Whether there are spaces between a delimiter and a quote, which polars cannot read.
    unnamed : tuple of str
        The names that were made up for columns without one.
    sample : tuple of str
        The first lines of the text, including the header.
    """

    delimiter: str
    names: tuple[str, ...]
    header_lines: int
    padded_quotes: bool
    unnamed: tuple[str, ...]
    sample: tuple[str, ...] = ()


def layout_of(source: Source, *, has_header: bool = True) -> Layout:
    """Find the delimiter and the column names of a delimited text.

    The delimiter is the one under which the largest share of the first rows has as many values as the header;
    between equals, the one that gives more columns. Blanks count only where no other delimiter fits half the rows.
    Without a header, columns are called by their place, and the first line is the first row.
    """
    sample = _first_lines(source)
    plain = not any('"' in line or "\0" in line for line in sample)
    best, best_score = "", (-1.0, 0)
    for delimiter in (*DELIMITERS, BLANKS):
        if delimiter == BLANKS and best_score[0] >= 0.5:
            break
        score = _score(_lengths(sample, delimiter, plain))
        if score > best_score:
            best, best_score = delimiter, score
    delimiter = best or ","
    rows = records(sample, delimiter)
    try:
        header, header_lines = next(((row, line) for row, line, _ in rows if any(row)), ([], 0))
    except csv.Error as error:
        raise TableError(f"the first line of {source.name} cannot be read: {error}.") from None
    if not header:
        raise TableError(f"{source.name} has no line of column names: its first lines are blank.")
    padded = not plain and delimiter != BLANKS and any(map(_PADDED_QUOTE[delimiter].search, sample))
    if not has_header:
        names = [f"column_{position}" for position in range(1, len(header) + 1)]
        blank = next(number for number, line in enumerate(sample) if line.strip())
        return Layout(delimiter, tuple(names), blank, padded, (), tuple(sample))
    fields = [as_named(name.strip()) for name in header]
    _refuse_data_as_header(source.name, fields)
    names = [name or f"column_{position}" for position, name in enumerate(fields, start=1)]
    check_names(
        names,
        source.name,
        "Rename them; if the first line holds data and no names, add a line of names above it.",
    )
    unnamed = tuple(name for name, field in zip(names, fields) if not field)
    return Layout(delimiter, tuple(names), header_lines, padded, unnamed, tuple(sample))


def records(lines: Iterable[str], delimiter: str) -> Iterator[tuple[list[str], int, bool]]:
    """Give the rows of a delimited text with the numbers of their last lines.

    Parameters
    ----------
    lines : iterable of str
        The lines with their ends.
    delimiter : str
        One character; `BLANKS` stands for runs of spaces and tabs.

    Yields
    ------
    tuple of (list of str, int, bool)
        The values, the number of their last line, and whether the text ended inside quotes. A blank line gives an empty
        list.
    """
    if delimiter == BLANKS:
        lines = (line.replace("\t", " ").strip() + "\n" for line in lines)
    reader = csv.reader(_with_end(lines), delimiter=delimiter, skipinitialspace=True)
    for row in reader:
        if row == [_END]:
            return
        cut = bool(row) and row[-1].endswith(_END)
        if cut:
            row[-1] = row[-1].removesuffix(_END)
        yield row if any(value.strip() for value in row) or len(row) > 1 else [], reader.line_num, cut


#: Appended after the last line. An open quote swallows it, which is how an open quote is detected.
_END = "\0end\0"


def _with_end(lines: Iterable[str]) -> Iterator[str]:
    last = "\n"
    for line in lines:
        last = line
        yield line
    if not last.endswith(("\n", "\r")):
        yield "\n"
    yield _END


def _first_lines(source: Source) -> list[str]:
    sample, characters = [], 0
    for line in source.lines(_SAMPLE_LINES):
        sample.append(line)
        characters += len(line)
        if characters > _SAMPLE_CHARACTERS and len(sample) > 2:
            break
    return sample


def _lengths(sample: list[str], delimiter: str, plain: bool) -> Iterator[int]:
    """Give the number of values in each row that is not blank; if `plain`, there are no quotes, and delimiters are counted."""
    if not plain or delimiter == BLANKS:
        yield from (len(row) for row, _, _ in records(sample, delimiter) if row)
        return
    longest = csv.field_size_limit()
    for line in sample:
        if len(line) > longest:
            values = line.rstrip("\r\n").split(delimiter)
            if max(len(value.lstrip(" ")) for value in values) > longest:
                raise csv.Error
        n_delimiters = line.count(delimiter)
        if n_delimiters or not (line.isspace() or line == ""):
            yield n_delimiters + 1


def _score(lengths: Iterator[int]) -> tuple[float, int]:
    """Give the share of rows with as many values as the header, and that number of values; (-1, 0) if it is below two."""
    try:
        n_columns = next(lengths, 0)
        if n_columns < 2:
            return -1.0, 0
        rows = list(lengths)
    except csv.Error:
        return -1.0, 0
    return rows.count(n_columns) / len(rows) if rows else 1.0, n_columns


def _refuse_data_as_header(file: str, fields: Sequence[str]) -> None:
    """Raise if the first line looks like a row: mostly numbers, and not just increasing whole numbers."""
    numbers = [float(field) for field in fields if _NUMBER.fullmatch(field)]
    if not numbers or 2 * len(numbers) < len(fields):
        return
    counting = all(number.is_integer() for number in numbers) and all(
        low < high for low, high in pairwise(numbers)
    )
    if not counting or min(numbers) < 0:
        raise TableError(
            f"the first line of {file} looks like data, not column names: {quoted(fields, 5)}. "
            f"Add a line of names above it, or use {'--no-header' if speech.shell else 'header=False'}."
        )
