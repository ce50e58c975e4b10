"""A guess at the kinds of the columns of a delimited text, from some of its lines; reading the columns tests it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tamis.table.reading.csv_header import Layout
from tamis.table.reading.source import SMALL_BYTES, Source
from tamis.table.reading.types import WHOLE
from tamis.table.reading.wishes import Wishes

#: How many of the first lines are examined, how many of a long text's other lines, and how many values at most.
FIRST_LINES, OTHER_LINES, MOST_VALUES = 16, 64, 20_000

_is_whole = re.compile(WHOLE).fullmatch


@dataclass
class Guess:
    """The positions of columns of integers, floats, recurring text and other text.

    `missing` are the marks of missing values that polars should look for, besides the empty value.
    """

    whole: list[int] = field(default_factory=list)
    floats: list[int] = field(default_factory=list)
    recurring: list[int] = field(default_factory=list)
    texts: list[int] = field(default_factory=list)
    missing: tuple[str, ...] = ()


def guess_of(source: Source, layout: Layout, wishes: Wishes) -> Guess:
    """Examine some lines at the beginning of a text and, if it is long, some spread over the rest.

    Only lines with as many delimiters as the header are used: there every value is in its column. So a column guessed to
    hold floats has at least one number that is not whole.
    """
    rows = _some_rows(source, layout)
    guess, missing = Guess(), set(wishes.missing)
    seen: set[str] = set()
    for position, name in enumerate(layout.names):
        cells = [row[position].strip(' "\r\n\t') for row in rows]
        values = [cell for cell in cells if cell not in missing]
        if len(values) < len(cells):
            seen.update(missing.intersection(cells))
        if name not in wishes.nominal and _are_numbers(values):
            (guess.whole if all(map(_is_whole, values)) else guess.floats).append(position)
        elif 2 * len(set(values)) <= len(values):
            guess.recurring.append(position)
        else:
            guess.texts.append(position)
    guess.missing = tuple(sorted(seen - {""}))
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
    """Tell whether there are values and all are numbers to Python; polars accepts fewer, and fails on the others."""
    try:
        for value in values:
            float(value)
    except ValueError:
        return False
    return bool(values)
