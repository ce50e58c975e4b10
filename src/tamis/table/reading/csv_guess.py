"""What some lines of a delimited text say about its columns: a guess, which reading the columns puts to the test."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tamis.table.reading.csv_header import Layout
from tamis.table.reading.source import SMALL_BYTES, Source
from tamis.table.reading.types import WHOLE
from tamis.table.reading.wishes import Wishes

#: How many of the first lines are looked at, how many of a long text's other lines, and how many values at most.
FIRST_LINES, OTHER_LINES, MOST_VALUES = 16, 64, 20_000

_is_whole = re.compile(WHOLE).fullmatch


@dataclass
class Guess:
    """What some lines say: the places of columns of whole numbers, floats, recurring text and other text.

    `gaps` are the marks of missing values that polars should look for: none, if the lines show none but the empty value.
    """

    whole: list[int] = field(default_factory=list)
    floats: list[int] = field(default_factory=list)
    recurring: list[int] = field(default_factory=list)
    texts: list[int] = field(default_factory=list)
    gaps: tuple[str, ...] = ()


def guess_of(source: Source, layout: Layout, wishes: Wishes) -> Guess:
    """Look at some lines at the beginning of a text and, if it is long, at some all over it.

    Lines count that have as many delimiters as the header: there each value stands where it seems to stand. So in a
    column guessed to be of floats, at least one value is a number and not whole.
    """
    rows = _some_rows(source, layout)
    guess, gaps = Guess(), set(wishes.gaps)
    seen: set[str] = set()
    for position, name in enumerate(layout.names):
        cells = [row[position].strip(' "\r\n\t') for row in rows]
        values = [cell for cell in cells if cell not in gaps]
        if len(values) < len(cells):
            seen.update(gaps.intersection(cells))
        if name not in wishes.nominal and _are_numbers(values):
            (guess.whole if all(map(_is_whole, values)) else guess.floats).append(position)
        elif 2 * len(set(values)) <= len(values):
            guess.recurring.append(position)
        else:
            guess.texts.append(position)
    guess.gaps = tuple(sorted(seen - {""}))
    return guess


def _some_rows(source: Source, layout: Layout) -> list[list[str]]:
    first = layout.sample[layout.header_lines :]
    n_rows = max(MOST_VALUES // len(layout.names), 3)
    lines = list(first[:: max(len(first) // min(FIRST_LINES, n_rows), 1)])
    if source.n_bytes > SMALL_BYTES:
        lines += source.lines_within(min(OTHER_LINES, n_rows))
    rows = [line.split(layout.delimiter) for line in lines]
    return [row for row in rows if len(row) == len(layout.names)]


def _are_numbers(values: Sequence[str]) -> bool:
    """Tell whether there are values and Python reads each as a number; polars reads fewer, and says so."""
    try:
        for value in values:
            float(value)
    except ValueError:
        return False
    return bool(values)
