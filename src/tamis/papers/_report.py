"""The page of a paper: the sections that all pages share, around the paper's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tamis._files import written
from tamis.papers._view import Compared, View
from tamis.report._blocks import Block, Bullets, Cell, Heading, Picture, Table, Text, Tone, html, markdown

_TONES: dict[str, Tone] = {"holds": "good", "does not hold": "bad", "cannot be told": "quiet"}


def write_pages(view: View, folder: Path, run: dict[str, Any]) -> tuple[str, ...]:
    """Write ``page.md``, ``page.html`` and the pictures; remove pictures that are no longer shown."""
    blocks = page(view, run)
    pictures = {block.filename: block.png for block in blocks if isinstance(block, Picture)}
    for path in folder.glob("*.png"):
        if path.name not in pictures:
            path.unlink()
    content = {
        **pictures,
        "page.md": markdown(blocks).encode(),
        "page.html": html(view.paper.title, blocks).encode(),
    }
    for name, data in content.items():
        with written(folder / name) as file:
            file.write(data)
    return tuple(content)


def page(view: View, run: dict[str, Any]) -> list[Block]:
    """Return the blocks of a paper's page."""
    paper = view.paper
    names = ", ".join(paper.data_sets[name] for name in view.left_out)
    left_out = (
        [Text(f"Left out, because they are neither in the package nor in the folder TAMIS_DATA: {names}.")]
        if names
        else []
    )
    return [
        Heading(paper.title, 1),
        Text(f"{paper.reference}. {paper.summary}"),
        Text(f"This run ({view.size.words}): {paper.repeats(view.size)}"),
        *left_out,
        *_claims(view),
        *paper.sections(view),
        *_mismatches(view),
        Heading("What the paper leaves open"),
        Table(["question", "our reading"], [list(choice) for choice in paper.choices], left=True),
        *_origin(view, run),
    ]


def _claims(view: View) -> list[Block]:
    claims = view.paper.claims(view)
    if not claims:
        return []
    rows: list[list[Cell | str]] = [
        [one.said, one.paper, one.ours, Cell(one.verdict, "", _TONES[one.verdict], strong=True), one.why]
        for one in claims
    ]
    return [
        Heading("The paper's claims"),
        Table(["claim", "paper", "ours", "verdict", "why"], rows, left=True),
    ]


def _mismatches(view: View) -> list[Block]:
    """The cells that do not reproduce, each with its reason, and the listed cells that do in this run."""
    ran = [one for one in view.compared if one.estimate is not None]
    if not ran:
        return []
    differ = [one for one in ran if one.differs]
    blocks: list[Block] = [
        Heading("Cells that do not reproduce"),
        Text(f"{len(differ)} of {len(ran)} cells. {view.paper.rule}"),
    ]
    if differ:
        rows = [
            [_cell_name(one), *_numbers(one), one.reason or "Not on the list: in this run only."]
            for one in differ
        ]
        blocks.append(Table(["cell", "paper", "ours", "difference", "reason"], rows, left=True))
    back = [_cell_name(one) for one in ran if one.reason and not one.differs]
    if back:
        blocks.append(
            Text(f"On the list of known mismatches, but within the rule in this run: {'; '.join(back)}.")
        )
    return blocks


def _cell_name(one: Compared) -> str:
    figure = "" if one.cell.figure == "accuracy" else f", {one.cell.figure}"
    return f"Table {one.cell.table}, {one.cell.row}, {one.cell.column}{figure}"


def _numbers(one: Compared) -> list[str]:
    digits = 3 if abs(one.cell.value) <= 1 else 1
    mean = one.estimate.mean if one.estimate else float("nan")
    return [f"{one.cell.value:.{digits}f}", f"{mean:.{digits}f}", f"{one.difference:+.{digits}f}"]


def _origin(view: View, run: dict[str, Any]) -> list[Block]:
    """Code, seed, libraries and data."""
    again = f"tamis reproduce {run['paper']} --{run['level']} --seed {run['seed']}"
    if run["repeats"] is not None:
        again += f" --repeats {run['repeats']}"
    libraries = ", ".join(f"{name} {number}" for name, number in run["libraries"].items())
    sets = [
        f"{view.paper.data_sets[name]} ({name}): {run['data'][name]}"
        for name in view.paper.data_sets
        if name in run["data"]
    ]
    return [
        Heading("Where the figures come from"),
        Bullets(
            [
                f"Command: {again}",
                f"Code: tamis {run['tamis']}, sha256 of its sources {', '.join(run['code'])}; {libraries}.",
                "Files beside this page: results.parquet has every measurement, seconds.parquet how long each took, run.json this paragraph.",
            ]
        ),
        Text(
            "Data sets, with the start of the sha256 of each as it was read; generated ones are drawn anew for every repeat:"
        ),
        Bullets(sets),
    ]
