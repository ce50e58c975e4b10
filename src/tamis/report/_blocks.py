"""A page as blocks, which can be written as Markdown or as HTML in one file; every text is escaped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tamis.report._markup import Html, element, escaped, joined
from tamis.report._page import Section, figure_of_png, page, paragraph, table

Tone = Literal["", "good", "bad", "quiet"]


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 is the title of the page."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    text: str


@dataclass(frozen=True)
class Bullets:
    """A list."""

    items: Sequence[str]


@dataclass(frozen=True)
class Cell:
    """A cell of a table: its text, a second line in small print, and how it looks."""

    text: str
    small: str = ""
    tone: Tone = ""
    strong: bool = False


@dataclass(frozen=True)
class Table:
    """A table; the first column is aligned left, the others right unless `left` is true."""

    headings: Sequence[str]
    rows: Sequence[Sequence[Cell | str]]
    caption: str = ""
    left: bool = False


@dataclass(frozen=True)
class Picture:
    """A picture: the name of its file, its bytes, a text for those who cannot see it, and a caption."""

    filename: str
    png: bytes
    alt: str
    caption: str = ""


Block = Heading | Text | Bullets | Table | Picture

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~$])")


def html(title: str, blocks: Sequence[Block]) -> str:
    """The blocks as an HTML page in one file; a heading of level 2 opens a section."""
    sections = [Section("The run")]
    for block in blocks:
        if isinstance(block, Heading) and block.level <= 2:
            if block.level == 2:
                sections.append(Section(block.text))
            continue
        sections[-1] = Section(sections[-1].title, (*sections[-1].blocks, _html(block)))
    return page(title, [section for section in sections if section.blocks])


def markdown(blocks: Sequence[Block]) -> str:
    """Return the page as Markdown; pictures are files beside it."""
    return "\n\n".join(_markdown(block) for block in blocks) + "\n"


def plain_markdown(text: str) -> str:
    """Return a text in which every character with a meaning in Markdown is escaped."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _html(block: Block) -> Html:
    if isinstance(block, Heading):
        return element(f"h{block.level}", block.text)
    if isinstance(block, Text):
        return paragraph(block.text)
    if isinstance(block, Bullets):
        return element("ul", *(element("li", item) for item in block.items))
    if isinstance(block, Picture):
        return figure_of_png(block.png, alt=block.alt, caption=block.caption)
    rows = [[_html_cell(cell) for cell in row] for row in block.rows]
    return table(block.headings, rows, caption=block.caption, to_the_right=not block.left, shown=len(rows))


def _html_cell(cell: Cell | str) -> Html | str:
    if isinstance(cell, str):
        return cell
    text = element("b", cell.text) if cell.strong else escaped(cell.text)
    tone = element("span", text, class_=cell.tone) if cell.tone else text
    return joined(tone, element("small", cell.small) if cell.small else Html())


def _markdown(block: Block) -> str:
    if isinstance(block, Heading):
        return f"{'#' * block.level} {plain_markdown(block.text)}"
    if isinstance(block, Text):
        return plain_markdown(block.text)
    if isinstance(block, Bullets):
        return "\n".join(f"- {plain_markdown(item)}" for item in block.items)
    if isinstance(block, Picture):
        caption = f"\n\n{plain_markdown(block.caption)}" if block.caption else ""
        return f"![{plain_markdown(block.alt)}]({block.filename}){caption}"
    return _markdown_table(block)


def _markdown_table(table: Table) -> str:
    side = " --- |" if table.left else " ---: |"
    lines = [
        "| " + " | ".join(plain_markdown(heading) for heading in table.headings) + " |",
        "| --- |" + side * (len(table.headings) - 1),
        *("| " + " | ".join(_markdown_cell(cell) for cell in row) + " |" for row in table.rows),
    ]
    if table.caption:
        lines = [plain_markdown(table.caption), "", *lines]
    return "\n".join(lines)


def _markdown_cell(cell: Cell | str) -> str:
    if isinstance(cell, str):
        return plain_markdown(cell)
    text = plain_markdown(cell.text)
    text = f"**{text}**" if cell.strong and text else text
    return f"{text} ({plain_markdown(cell.small)})" if cell.small else text
