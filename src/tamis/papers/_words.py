"""Figures in words and tables: what the pages of all papers share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tamis.papers._page import Cell, Table
from tamis.papers._view import View


def plus_minus(mean: float, error: float, digits: int = 1, *, sign: bool = False) -> str:
    """Return a figure with its standard error, which is left out where there is none."""
    if np.isnan(mean):
        return ""
    shown = f"{mean:{'+' if sign else ''}.{digits}f}"
    return shown if np.isnan(error) or error == 0 else f"{shown} ± {error:.{digits}f}"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun in the right form."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def beside_paper(
    view: View,
    table: str,
    columns: Sequence[str],
    figure: str = "accuracy",
    digits: int = 1,
    caption: str = "",
) -> Table:
    """Return a paper's table: ours, below it the paper's figure and the difference, marked where it does not reproduce."""
    rows: dict[str, list[Cell | str]] = {}
    for row in [known.cell.row for known in view.compared if known.cell[0::3] == (table, figure)]:
        rows.setdefault(row, [row])
    for row, cells in rows.items():
        for column in columns:
            one = view.cell(table, row, column, figure)
            if one is None:
                cells.append("")
                continue
            theirs = f"paper {one.cell.value:.{digits}f}{one.cell.mark and ' ' + one.cell.mark}"
            if one.estimate is None:
                cells.append(Cell("not run", theirs, "quiet"))
                continue
            sign = " ≠" if one.differs else ""
            cells.append(
                Cell(
                    plus_minus(one.estimate.mean, one.estimate.error, digits) + sign,
                    f"{theirs}, {one.difference:+.{digits}f}",
                    "bad" if one.differs else "",
                )
            )
    caption = (
        caption
        or "Ours ± standard error; below, the paper's and the difference; ≠ where a cell does not reproduce."
    )
    return Table(["set", *columns], list(rows.values()), caption)
