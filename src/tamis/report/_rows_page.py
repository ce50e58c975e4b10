"""The page of the rows that a method keeps or makes: what they are worth, where they lie, how many of each class."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tamis.report._answer import cautions, noticed
from tamis.report._chart import scatter
from tamis.report._markup import Html, element, number
from tamis.report._null_section import null_section
from tamis.report._page import Section, page, table
from tamis.study._kept_accuracy import KeptAccuracy
from tamis.study._shuffled import Shuffled

_MOST_VALUES = 12  # of a row, told under the pointer
_MOST_LISTED = 500


def rows_page(
    name: str,
    method: str,
    kept: Sequence[int],
    labels: Sequence[Any],
    places: NDArray[np.float64],
    shown: float,
    *,
    rows: pl.DataFrame | None = None,
    judged: KeptAccuracy | None = None,
    notes: Sequence[str] = (),
    made: Mapping[str, str] | None = None,
    n_made: int = 0,
    null: Shuffled | None = None,
) -> str:
    """The page of the rows that a method keeps, or makes.

    Parameters
    ----------
    name, method : str
        The names of the table and of the method.
    kept : sequence of int
        The row numbers of the kept rows.
    labels : sequence
        The class of each row.
    places : ndarray, shape (n, 2)
        The coordinates of the rows in the picture.
    shown : float
        The share of the variance that the picture shows.
    rows : polars.DataFrame, optional
        The values of the rows, told under the pointer.
    judged : KeptAccuracy, optional
        What the kept rows are worth.
    notes : sequence of str, default=()
        What was noticed when the table was read.
    made : mapping of str to str, optional
        The command and versions, for the foot of the page.
    n_made : int, default=0
        How many rows the method made: they are the last rows, and those in `kept`.
    null : Shuffled, optional
        What the method finds with the classes shuffled.

    Returns
    -------
    str
        The HTML document.
    """
    row_labels, chosen = np.asarray(labels), np.asarray(kept, dtype=np.intp)
    n_given = len(row_labels) - n_made
    word = "made" if n_made else "kept"
    said = f"makes {n_made} rows of" if n_made else f"keeps {len(chosen)} of"
    told = f"{method} {said} {n_given} rows ({len(chosen) / n_given:.1%})"
    caption = (
        f"Two principal components, which show {shown:.0%} of the variance. Large open marks are {word} rows. "
        "The pointer tells the values of a row."
    )
    point = None if rows is None else values_of_rows(rows, row_labels, set(chosen.tolist()), word)
    sections = [
        Section(
            f"The {word} rows among all",
            [scatter(places, labels, chosen, alt=told, caption=caption, told=point)],
        ),
        Section("Rows of each class", [_classes(row_labels, chosen, n_given, word, judged)]),
    ]
    if rows is not None:
        sections.append(_listed_rows(rows, row_labels, chosen, word, n_made=n_made))
    by_chance = null_section(null)
    sections += [] if by_chance is None else [by_chance]
    if notes:
        sections.append(Section("What was noticed in the table", [noticed(notes)]))
    return page(f"{name}: rows by {method}", sections, lead=_lead(told, judged, notes), made=made)


def _lead(told: str, judged: KeptAccuracy | None, notes: Sequence[str]) -> Html:
    """How many rows, and what the nearest-neighbour rule on such rows gets right; before that, what casts doubt on it."""
    parts = [cautions(notes), element("p", f"{told}.", class_="answer")]
    if judged is not None:
        parts.append(element("p", judged.sentence))
    return element("div", *parts)


def _classes(
    labels: NDArray[Any], chosen: NDArray[np.intp], n_given: int, word: str, judged: KeptAccuracy | None
) -> Html:
    """How many rows of each class there are, how many are kept, and how many held out get the right class."""
    classes, counts = np.unique(labels[:n_given], return_counts=True)
    rows = []
    for label, count in zip(classes.tolist(), counts.tolist()):
        n_kept = int((labels[chosen] == label).sum())
        right = [] if judged is None else [judged.by_class.get(label)]
        rows.append([str(label), n_kept, count, n_kept / count, *right])
    heads = ["class", word, "of", "share", *(["held out right"] if judged is not None else [])]
    return table(heads, rows, caption=f"{word.capitalize()} rows by class")


def values_of_rows(
    rows: pl.DataFrame, labels: Sequence[Any] | NDArray[Any], kept: set[int], word: str
) -> Callable[[int], str]:
    """A function that tells a row: its number, its class, a word for some rows, and its first values."""
    names = rows.columns[:_MOST_VALUES]

    def told(row: int) -> str:
        values = ", ".join(f"{name} {_cell(value)}" for name, value in zip(names, rows.row(row)))
        more = ", ..." * (rows.width > _MOST_VALUES)
        return f"row {row + 1}{f' ({word})' * (row in kept)}: {labels[row]}; {values}{more}"

    return told


def _cell(value: Any) -> str:
    return "missing" if value is None else "no" if value is False else number(value)


def _listed_rows(
    rows: pl.DataFrame, labels: NDArray[Any], chosen: NDArray[np.intp], word: str, *, n_made: int
) -> Section:
    """The kept rows themselves."""
    few = np.sort(chosen)[:_MOST_LISTED].tolist()
    names = rows.columns[:_MOST_VALUES]
    first = len(labels) - n_made if n_made else 0
    cells = [[row + 1 - first, str(labels[row]), *rows.row(row)[: len(names)]] for row in few]
    blocks: list[Any] = [
        table(
            ["row", "class", *names], cells, caption=f"{word.capitalize()} rows", searchable=True, exact=True
        )
    ]
    if len(chosen) > len(few) or rows.width > len(names):
        blocks.insert(
            0, f"{len(few)} of {len(chosen)} rows and {len(names)} of {rows.width} columns are listed."
        )
    return Section(f"The {word} rows", blocks)
