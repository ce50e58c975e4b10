"""The papers' printed tables, typed in by hand, and the cells known not to reproduce."""

from __future__ import annotations

import csv
from importlib.resources import files

from tamis.papers._paper import Printed

Cell = tuple[str, str, str, str]


def printed(name: str) -> list[Printed]:
    """Return the cells of a paper's tables, in its order."""
    return [
        Printed(
            table=line["table"],
            row=line["row"],
            column=line["column"],
            figure=line["figure"],
            value=float(line["printed"]),
            spread=float(line["spread"]) if line["spread"] else None,
            mark=line["mark"],
        )
        for line in _lines(f"{name}.csv")
    ]


def known_mismatches(name: str) -> dict[Cell, str]:
    """Return the cells that are known not to reproduce, and why."""
    return {
        (line["table"], line["row"], line["column"], line["figure"]): line["reason"]
        for line in _lines(f"{name}_mismatches.csv")
    }


def _lines(filename: str) -> list[dict[str, str]]:
    text = (files("tamis.papers") / "data" / filename).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
