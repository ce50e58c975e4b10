"""A paper, as the code that rebuilds it sees it: tasks, measurements, printed cells, claims."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from tamis.papers._view import View
    from tamis.report._blocks import Block

Level = Literal["quick", "full"]
Verdict = Literal["holds", "does not hold", "cannot be told"]


class Task(NamedTuple):
    """A piece of work that is done whole or not at all.

    Attributes
    ----------
    table : str
        The table or figure of the paper.
    protocol : str
        "paper" or "honest", or another name explained on the paper's page.
    data_set : str
        Our name of the data set.
    repeat, fold : int
        The number of the repeat, and of the fold in it; the fold is -1 if there are no folds.
    """

    table: str
    protocol: str
    data_set: str
    repeat: int
    fold: int = -1


class Figure(NamedTuple):
    """One measurement of a task: the method, the setting, the figure, its value, and the seconds it took."""

    method: str
    setting: str
    figure: str
    value: float
    seconds: float | None = None


@dataclass(frozen=True)
class Size:
    """How much is run.

    Attributes
    ----------
    level : {"quick", "full"}
        Every row and column with few repeats, or at least the paper's repeats.
    repeats : int or None
        The number of repeats, instead of the level's own.
    """

    level: Level = "quick"
    repeats: int | None = None

    def choose(self, quick: int, full: int) -> int:
        """Return the repeats: the number asked for, else that of the level."""
        return self.repeats or (quick if self.level == "quick" else full)

    @property
    def words(self) -> str:
        """The size in words, for the page."""
        return self.level if self.repeats is None else f"{self.level}, --repeats {self.repeats}"


class Printed(NamedTuple):
    """One printed cell of a paper's table; with its spread and mark, if the paper gives them."""

    table: str
    row: str
    column: str
    figure: str
    value: float
    spread: float | None = None
    mark: str = ""


class Estimate(NamedTuple):
    """Our figure for a cell: its mean, its standard error, and the assumed standard error of the printed figure."""

    mean: float
    error: float
    paper_error: float = 0.0


@dataclass(frozen=True)
class Claim:
    """A claim of the paper's text, and our verdict.

    Attributes
    ----------
    name, said : str
        A short name, and the claim in our words.
    paper, ours : str
        The figure in the paper, and ours.
    verdict : {"holds", "does not hold", "cannot be told"}
        Our verdict.
    why : str
        The reason for the verdict.
    """

    name: str
    said: str
    paper: str
    ours: str
    verdict: Verdict
    why: str


@dataclass(frozen=True)
class Paper:
    """One paper: what it printed, what is run, and how the results become a page.

    Attributes
    ----------
    name, title, reference : str
        The short name, the title, and where it appeared.
    tables : tuple of str
        The tables and figures that can be asked for one by one.
    data_sets : mapping of str to str
        Our names of the data sets, and the paper's.
    generated : frozenset of str
        Those that are drawn again for every repeat.
    summary : str
        What the page says first.
    choices : tuple of (str, str)
        What the paper leaves open, and our choice.
    tolerance : mapping of str to float
        By figure, the difference that never counts as a mismatch; "" for all other figures.
    rule : str
        In words, which error is assumed for a printed figure.
    tasks : callable
        The tasks of a size, for the available data sets.
    measured : callable
        The figures of one task, by the seed of the run.
    estimate : callable
        Our figure for a printed cell, or None if it was not run.
    claims, sections : callable
        The claims with their verdicts; the paper's own part of the page.
    repeats : callable
        In words, how many repeats a size has.
    """

    name: str
    title: str
    reference: str
    tables: tuple[str, ...]
    data_sets: Mapping[str, str]
    summary: str
    choices: tuple[tuple[str, str], ...]
    rule: str
    tasks: Callable[[Size, tuple[str, ...]], list[Task]]
    measured: Callable[[Task, int], list[Figure]]
    estimate: Callable[[View, Printed], Estimate | None]
    claims: Callable[[View], list[Claim]]
    sections: Callable[[View], list[Block]]
    repeats: Callable[[Size], str]
    generated: frozenset[str] = frozenset()
    tolerance: Mapping[str, float] = field(default_factory=lambda: {"": 2.0})


def seed_of(seed: int, *words: str | int) -> int:
    """Return a 32-bit seed that depends on these words alone, not on what else is run."""
    numbers = [word if isinstance(word, int) else zlib.crc32(word.encode()) for word in words]
    return int(np.random.SeedSequence([seed, *numbers]).generate_state(1)[0])
