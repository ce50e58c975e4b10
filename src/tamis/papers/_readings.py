"""What was tried on the cells that do not reproduce: the nearest that any other reading of the paper comes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tamis import datasets
from tamis.papers._tables import Numbers, numbers
from tamis.papers._view import View
from tamis.report._blocks import Block, Cell, Heading, Table, Text

NEAR = 2.0

MAKERS: dict[str, Callable[[int, float, int], Any]] = {
    "led24": lambda n, noise, seed: datasets.make_led(n, irrelevant=17, flip=noise, random_state=seed),
    "led": lambda n, noise, seed: datasets.make_led(n, flip=noise, random_state=seed),
    "xd6": lambda n, noise, seed: datasets.make_xd6(n, label_noise=noise, random_state=seed),
    "hard": lambda n, noise, seed: datasets.make_hard(n, flip=noise, random_state=seed),
}


def noisy(name: str, n_rows: int, noise: float, seed: int) -> Numbers:
    """Draw a generated set with another noise than the 10 % of the pages."""
    return numbers(MAKERS[name](n_rows, noise, seed))


def tried(
    view: View,
    names: Mapping[str, str],
    readings: Sequence[str],
    words: str,
    concerns: Callable[[str, str], bool] | None = None,
) -> list[Block]:
    """Return a section with one line for each cell that does not reproduce and was read otherwise too.

    Parameters
    ----------
    view : View
        The measurements; those of the readings stand under the table "readings", the reading as the setting.
    names : mapping
        The paper's name of each of our data sets.
    readings : sequence of str
        The names of the readings.
    words : str
        What the readings are.
    concerns : callable, optional
        Whether a reading concerns a figure of the table, where it has several; all do if not given.
    """
    if not view.shows("readings"):
        return []
    ours = {theirs: name for name, theirs in names.items()}
    rows: list[list[Cell | str]] = []
    for one in view.compared:
        if not one.differs or one.cell.row not in ours or one.estimate is None:
            continue
        found = {
            reading: view.mean("readings", "paper", ours[one.cell.row], one.cell.column, reading)
            for reading in readings
            if (concerns is None or concerns(reading, one.cell.figure))
            and len(view.values("readings", "paper", ours[one.cell.row], one.cell.column, reading))
        }
        if not found:
            continue
        apart = {reading: abs(value - one.cell.value) for reading, value in found.items()}
        nearest = min(apart, key=apart.__getitem__)
        n_near = sum(gap <= NEAR for gap in apart.values())
        rows.append(
            [
                ", ".join([one.cell.row, one.cell.column] + ([] if concerns is None else [one.cell.figure])),
                f"{one.cell.value:.1f}",
                f"{one.estimate.mean:.1f}",
                f"{min(found.values()):.1f} to {max(found.values()):.1f}",
                Cell(f"{found[nearest]:.1f}", nearest, strong=apart[nearest] <= NEAR),
                f"{n_near} of {len(found)}",
            ]
        )
    if not rows:
        return []
    gaps = {
        reading: [
            abs(mean - one.cell.value)
            for one in view.compared
            if one.cell.row in ours
            and (concerns is None or concerns(reading, one.cell.figure))
            and (mean := view.mean("readings", "paper", ours[one.cell.row], one.cell.column, reading)) == mean
        ]
        for reading in readings
    }
    most = max(map(len, gaps.values()))
    everywhere = {reading: sum(gap) / most for reading, gap in gaps.items() if len(gap) == most}
    best = min(everywhere, key=everywhere.__getitem__)
    page = [
        abs(one.difference)
        for one in view.compared
        if one.cell.row in ours
        and one.estimate is not None
        and (concerns is None or any(concerns(reading, one.cell.figure) for reading in readings))
    ]
    words += (
        f" No reading serves all cells: that of this page is {sum(page) / len(page):.1f} points from the paper on average over all of "
        f"them, and of the others that every set has the nearest ({best}) {everywhere[best]:.1f} points."
    )
    headings = ["cell", "paper", "ours", "all readings", "the nearest", "within 2 points"]
    return [
        Heading("What was tried on the cells that do not reproduce"),
        Text(words),
        Table(headings, rows, "Bold where a reading comes within two points of the paper."),
    ]
