"""The page of rows whose label looks wrong, and of the least valuable rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tamis.report._answer import cautions, noticed
from tamis.report._chart import scatter
from tamis.report._markup import element
from tamis.report._page import Section, page, table
from tamis.report._rows_page import values_of_rows
from tamis.report._study_page import MOST_COLUMNS


def suspects_page(
    name: str,
    answer: Any,
    suspects: Sequence[int],
    labels: Sequence[Any],
    places: Any,
    shown: float,
    lead: str,
    *,
    rows: Any | None = None,
    made: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
) -> str:
    """The page of the rows whose label looks wrong, and of the least valuable rows.

    Parameters
    ----------
    name : str
        The name of the table.
    answer : polars.DataFrame
        The rows, the least valuable first; columns: row, label, looks wrong, suggested, probably right, value, margin.
    suspects : sequence of int
        The numbers of the rows whose label looks wrong, counted from 0.
    labels : sequence
        The class of each row.
    places, shown
        The coordinates of the rows in the picture, and the share of the variance that it shows.
    lead : str
        What was found, in a sentence or two.
    rows : polars.DataFrame, optional
        The values of the rows, told under the pointer.
    made : mapping of str to str, optional
        The command and versions, for the foot of the page.
    notes : sequence of str, default=()
        What was noticed when the table was read.

    Returns
    -------
    str
        The HTML document.
    """
    caption = f"Two principal components, which show {shown:.0%} of the variance."
    caption += " Large open marks are suspects." * (len(suspects) > 0)
    point = None if rows is None else values_of_rows(rows, labels, set(suspects), "suspect")
    caption += " The pointer tells the values of a row." * (rows is not None)
    doubted = answer.filter(answer["looks wrong"]).sort("probably right", "value")
    headings = answer.columns
    blocks: list[Any] = [
        table(headings, [list(row) for row in some.head(MOST_COLUMNS).rows()], caption=what, searchable=True)
        for what, some in (("Labels that look wrong", doubted), ("Rows of least value", answer))
    ]
    sections = [
        Section(
            "The suspects" if len(suspects) else "The rows",
            [scatter(places, labels, list(suspects), alt=lead, caption=caption, told=point)]
            + blocks[:1] * (len(suspects) > 0),
        ),
        Section("The rows that are worth least", [blocks[1]]),
    ]
    if notes:
        sections.append(Section("What was noticed in the table", [noticed(notes)]))
    top = element("div", cautions(notes), element("p", lead, class_="answer"))
    return page(f"{name}: what its rows are worth", sections, lead=top, made=made)
