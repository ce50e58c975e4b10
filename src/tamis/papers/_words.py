"""Numbers and tables in the form that the pages of all papers share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.stats import t as student

from tamis.papers._paper import Verdict
from tamis.papers._view import View, fold_error, standard_error
from tamis.report._blocks import Cell, Table

BETTER, WORSE = "●", "○"
LEVEL = 0.05  # of the paired tests
_CAPTION = "Ours ± standard error; below, the paper's and the difference; ≠ if a cell does not reproduce."


def plus_minus(mean: float, error: float, digits: int = 1, *, sign: bool = False) -> str:
    """Return a figure with its standard error, if there is one."""
    if np.isnan(mean):
        return ""
    shown = f"{mean:{'+' if sign else ''}.{digits}f}"
    return shown if np.isnan(error) or error == 0 else f"{shown} ± {error:.{digits}f}"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun in the right form."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def verdict(difference: float, error: float) -> Verdict:
    """Return the verdict on the claim that a difference is positive: decided beyond two standard errors either way."""
    if np.isnan(difference) or np.isnan(error):
        return "cannot be told"
    return (
        "holds"
        if difference > 2 * error
        else "does not hold"
        if difference < -2 * error
        else "cannot be told"
    )


def beside_paper(
    view: View,
    table: str,
    columns: Sequence[str],
    figure: str = "accuracy",
    digits: int = 1,
    marks: Mapping[tuple[str, str], str] | None = None,
) -> Table:
    """Return a paper's table: ours, below it the paper's figure and the difference.

    `marks` are appended to our figures, by row and column, such as the marks of a test.
    """
    rows: dict[str, list[Cell | str]] = {}
    for known in view.compared:
        if known.cell.table == table and known.cell.figure == figure:
            rows.setdefault(known.cell.row, [known.cell.row])
    for row, cells in rows.items():
        cells += [
            _beside(view, (table, row, column, figure), digits, (marks or {}).get((row, column), ""))
            for column in columns
        ]
    return Table(["", *columns], list(rows.values()), _CAPTION)


def _beside(view: View, key: tuple[str, str, str, str], digits: int, mark: str) -> Cell | str:
    one = view.cell(*key)
    if one is None:
        return ""
    theirs = {"+": BETTER, "-": WORSE, "": ""}[one.cell.mark]
    theirs = f"paper {one.cell.value:.{digits}f}{theirs}"
    if one.estimate is None:
        return Cell("not run", theirs, "quiet")
    ours = plus_minus(one.estimate.mean, one.estimate.error, digits) + mark + (" ≠" if one.differs else "")
    return Cell(ours, f"{theirs}, {one.difference:+.{digits}f}", "bad" if one.differs else "")


def paired_mark(values: Any, all_columns: Any, *, corrected: bool) -> str:
    """Return the mark of a paired t-test at 5 %: better, worse or none."""
    differences = np.asarray(values) - np.asarray(all_columns)
    if len(differences) < 2 or not differences.any():
        return ""
    error = fold_error(differences) if corrected else standard_error(differences)
    if error == 0:
        return BETTER if differences.mean() > 0 else WORSE
    chance = 2 * float(student.sf(abs(differences.mean()) / error, len(differences) - 1))
    return "" if chance >= LEVEL else BETTER if differences.mean() > 0 else WORSE
