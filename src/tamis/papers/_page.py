"""A page as blocks, written as Markdown and as one HTML file; every text is escaped."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

Tone = Literal["", "good", "bad", "quiet"]


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 is the page's."""

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
    """A table; the first column is set to the left, the others to the right unless `left`."""

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

_STYLE = """
:root { color-scheme: light dark; --line: #d0d4da; --quiet: #5f6b7a; --good: #1a7f4b; --bad: #b3401f; --ground: #fff; --text: #1c232b; --stripe: #f5f7f9; }
@media (prefers-color-scheme: dark) { :root { --line: #3a424c; --quiet: #9aa6b4; --good: #5fcb94; --bad: #f0906f; --ground: #14181d; --text: #e4e8ec; --stripe: #1b2026; } }
body { margin: 0 auto; max-width: 74rem; padding: 1.5rem; font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--ground); }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .5rem; } h2 { margin: 2.2rem 0 .5rem; font-size: 1.3rem; border-bottom: 1px solid var(--line); } h3 { margin: 1.5rem 0 .4rem; font-size: 1.05rem; }
p, li { max-width: 52rem; }
.wide { overflow-x: auto; margin: .6rem 0 1rem; }
table { border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums; }
caption { caption-side: top; text-align: left; color: var(--quiet); padding-bottom: .3rem; }
th, td { padding: .28rem .6rem; border-bottom: 1px solid var(--line); text-align: right; vertical-align: top; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0; background: var(--ground); }
table.left th, table.left td { text-align: left; white-space: normal; }
thead th { border-bottom: 2px solid var(--line); } tbody tr:nth-child(even) td { background: var(--stripe); }
small { display: block; color: var(--quiet); } .good { color: var(--good); } .bad { color: var(--bad); } .quiet { color: var(--quiet); }
figure { margin: 1rem 0; } figure img { max-width: 100%; height: auto; background: #fff; } figcaption { color: var(--quiet); font-size: .88rem; max-width: 52rem; }
"""


def html(title: str, blocks: Sequence[Block]) -> str:
    """Return the page as one HTML file that needs nothing beside it."""
    body = "\n".join(_html(block) for block in blocks)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def markdown(blocks: Sequence[Block]) -> str:
    """Return the page as Markdown; pictures are files beside it."""
    return "\n\n".join(_markdown(block) for block in blocks) + "\n"


def plain_markdown(text: str) -> str:
    """Return a text with every sign that Markdown would read written out."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _html(block: Block) -> str:
    if isinstance(block, Heading):
        return f"<h{block.level}>{escape(block.text)}</h{block.level}>"
    if isinstance(block, Text):
        return f"<p>{escape(block.text)}</p>"
    if isinstance(block, Bullets):
        return "<ul>\n" + "\n".join(f"<li>{escape(item)}</li>" for item in block.items) + "\n</ul>"
    if isinstance(block, Picture):
        data = base64.b64encode(block.png).decode("ascii")
        picture = f'<img src="data:image/png;base64,{data}" alt="{escape(block.alt)}">'
        return f"<figure>{picture}<figcaption>{escape(block.caption)}</figcaption></figure>"
    return _html_table(block)


def _html_table(table: Table) -> str:
    caption = f"<caption>{escape(table.caption)}</caption>" if table.caption else ""
    head = "".join(f'<th scope="col">{escape(heading)}</th>' for heading in table.headings)
    rows = "\n".join("<tr>" + "".join(_html_cell(cell) for cell in row) + "</tr>" for row in table.rows)
    kind = ' class="left"' if table.left else ""
    return f'<div class="wide"><table{kind}>{caption}<thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table></div>'


def _html_cell(cell: Cell | str) -> str:
    if isinstance(cell, str):
        return f"<td>{escape(cell)}</td>"
    text = f"<b>{escape(cell.text)}</b>" if cell.strong else escape(cell.text)
    small = f"<small>{escape(cell.small)}</small>" if cell.small else ""
    tone = f' class="{cell.tone}"' if cell.tone else ""
    return f"<td{tone}>{text}{small}</td>"


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
