"""The one-file HTML page: nothing is loaded from outside; light and dark; for screen, phone and print.

`page` puts sections together; `paragraph`, `table`, `figure_of_svg`, `figure_of_png` and `details` make what goes into
them. Every text is escaped unless it is `Html`, and a content security policy allows no script but the page's own.

>>> from tamis.report._page import Section, page, paragraph, table
>>> coins = table(["coin", "weight"], [["dime", 2.5], ["nickel", 5.0]], caption="What the coins weigh")
>>> text = page("Coins", [Section("Weights", [paragraph("Two of them: ", "<dime>"), coins])])
>>> text.startswith("<!DOCTYPE html>"), "&lt;dime&gt;" in text
(True, True)
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from tamis.report._markup import Html, element, escaped, joined, number
from tamis.table._decimals import even_decimals

ROWS_SHOWN = 50
_EXACT = 6  # digits of a value that is shown as it is in a table


@dataclass(frozen=True)
class Section:
    """A part of a page under its own heading.

    Parameters
    ----------
    title : str
        The heading.
    blocks : sequence
        Paragraphs, tables and figures, in this order; a plain text becomes a paragraph.
    """

    title: str
    blocks: Sequence[Any] = field(default_factory=tuple)


def page(
    title: str,
    sections: Iterable[Section],
    *,
    lead: Any = "",
    made: Mapping[str, str] | None = None,
    contents: bool = True,
) -> str:
    """A whole page as one string, to be written to a file as UTF-8.

    Parameters
    ----------
    title : str
        The heading, and the name of the window.
    sections : iterable of Section
        The contents of the page.
    lead : str or Html, default=""
        A sentence below the title that states the finding.
    made : mapping of str to str, optional
        What made the page (the command, versions), shown at the foot of the page.
    contents : bool, default=True
        Whether links to the sections stand at the top.

    Returns
    -------
    str
        The HTML document.
    """
    parts = list(sections)
    style, script = _own("page.css"), _own("page.js")
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    head = joined(
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", _one_line(title)),
        element("style", Html(style)),
    )
    body = joined(
        element("header", element("h1", title), element("div", lead, class_="lead") if lead else Html()),
        _contents(parts) if contents and len(parts) > 2 else Html(),
        element("main", *(_section(part, position) for position, part in enumerate(parts))),
        element("footer", _made(made or {})),
        element("script", Html(script)),
    )
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>{body}</body></html>\n'


def paragraph(*parts: Any, class_: str | None = None) -> Html:
    """A paragraph of texts and markup."""
    return element("p", *parts, class_=class_)


def details(summary: str, *blocks: Any) -> Html:
    """Blocks that open on a click."""
    return element("details", element("summary", summary), *map(_block, blocks))


def table(
    headings: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    caption: str,
    searchable: bool = False,
    shown: int = ROWS_SHOWN,
    to_the_right: bool = False,
    exact: bool = False,
) -> Html:
    """A table whose rows are sorted by a click on a heading.

    Parameters
    ----------
    headings : sequence of str
        One per column.
    rows : iterable of sequences
        The cells. Numbers are aligned right, and the fractions of a column have the same number of decimals. True is
        shown as "yes"; None and NaN are shown as empty cells and sorted last.
    caption : str
        What the table shows.
    searchable : bool, default=False
        Whether a search field above the table narrows it to the rows that contain a text.
    shown : int, default=50
        How many rows are shown at first; a button shows the others. All of them are searched and sorted.
    to_the_right : bool, default=False
        Whether all columns but the first are aligned right, numbers or not.
    exact : bool, default=False
        Whether fractions have six digits, as values of a table that is shown.

    Returns
    -------
    Html
        The table.
    """
    cells = [list(row) for row in rows]
    numeric = [
        any(_is_number(row[position]) for row in cells)
        and all(_is_number(row[position]) or row[position] is None for row in cells)
        for position in range(len(headings))
    ]
    evened = (lambda column: [number(one, _EXACT) for one in column]) if exact else even_decimals
    cells = [list(row) for row in zip(*map(evened, zip(*cells)))] if cells else cells
    sides = ["n" if right or (to_the_right and position) else None for position, right in enumerate(numeric)]
    head = element("tr", *(_heading(text, side) for text, side in zip(headings, sides)))
    body = Html("".join(_row(row, sides) for row in cells))
    drawn = element(
        "table",
        element("caption", caption) if caption else Html(),
        element("thead", head),
        element("tbody", body),
        class_="sortable",
    )
    search = (
        element("input", type="search", placeholder="Search", aria_label=f"Search: {caption}")
        if searchable
        else Html()
    )
    count = element("output", class_="count") if searchable or len(cells) > shown else Html()
    more = (
        element("button", f"Show all {len(cells)}", type="button", class_="more")
        if len(cells) > shown
        else Html()
    )
    controls = element("div", search, count, class_="controls") if search or count else Html()
    scroll = element(
        "div", drawn, class_="scroll", tabindex=0, role="region", aria_label=caption or headings[0]
    )
    return element("div", controls, scroll, more, class_="table", data_shown=shown)


def figure_of_png(content: bytes, *, alt: str, caption: str = "") -> Html:
    """A picture in PNG; `alt` says in words what it shows."""
    return _image("image/png", content, alt, caption)


def figure_of_svg(content: str, *, alt: str, caption: str = "") -> Html:
    """A picture in SVG, such as matplotlib writes, as an image of its own: its styles and ids affect nothing else."""
    return _image("image/svg+xml", content.encode("utf-8"), alt, caption)


def figure(drawing: Html, *, caption: str = "", class_: str | None = None) -> Html:
    """Our own markup as a figure."""
    return element("figure", drawing, element("figcaption", caption) if caption else Html(), class_=class_)


def _image(kind: str, content: bytes, alt: str, caption: str) -> Html:
    if not alt.strip():
        raise ValueError("figure: alt is empty. Say in words what the picture shows.")
    source = f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}"
    return figure(element("img", src=Html(source), alt=alt), caption=caption, class_="picture")


def _section(part: Section, position: int) -> Html:
    name = f"s{position + 1}"
    heading = element("h2", part.title, id=f"{name}-title")
    return element("section", heading, *map(_block, part.blocks), id=name, aria_labelledby=f"{name}-title")


def _block(block: Any) -> Html:
    return block if isinstance(block, Html) else paragraph(block)


def _contents(parts: Sequence[Section]) -> Html:
    links = (
        element("li", element("a", part.title, href=f"#s{position + 1}"))
        for position, part in enumerate(parts)
    )
    return element("nav", element("ul", *links), aria_label="Contents")


def _made(made: Mapping[str, str]) -> Html:
    if not made:
        return Html()
    pairs = (joined(element("dt", name), element("dd", value)) for name, value in made.items())
    return element("dl", *pairs)


def _heading(text: str, side: str | None) -> Html:
    return element("th", element("button", text, type="button"), scope="col", class_=side)


def _row(row: Sequence[Any], sides: Sequence[str | None]) -> str:
    """One row; written without `element`, since a ranking has thousands."""
    cells = "".join(
        f"<td{' class=n' if side else ''}>{escaped(value if isinstance(value, Html) else number(value))}</td>"
        for value, side in zip(row, sides)
    )
    return f"<tr>{cells}</tr>\n"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _one_line(text: str) -> str:
    return " ".join(text.split())


@cache
def _own(name: str) -> str:
    """A file of this folder, without its comments and line breaks."""
    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    if name.endswith(".css"):
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        return re.sub(r"\s+", " ", text).strip()
    return "\n".join(line.strip() for line in text.splitlines() if not line.strip().startswith("//"))


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}"
