"""What a paper is to the code that rebuilds it."""

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
        "paper" or "honest", or another name that the paper's page explains.
    data_set : str
        Our name of the data set.
    repeat, fold : int
        Which repeat, and which fold of it; fold is -1 where there are none.
    """

    table: str
    protocol: str
    data_set: str
    repeat: int
    fold: int = -1


class Figure(NamedTuple):
    """One measurement of a task: of which method, in which setting, what, how much, and the seconds it took."""

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
        Every row and column with few repeats, or the paper's repeats at least.
    repeats : int or None
        Repeats in place of the level's own number.
    """

    level: Level = "quick"
    repeats: int | None = None

    def choose(self, quick: int, full: int) -> int:
        """Return the repeats: the number asked for, else that of the level."""
        return self.repeats or (quick if self.level == "quick" else full)

    @property
    def words(self) -> str:
        """The size as it stands in a page."""
        return self.level if self.repeats is None else f"{self.level}, --repeats {self.repeats}"


class Printed(NamedTuple):
    """One cell of a paper's table: which, and what is printed there; spread and mark where the paper has them."""

    table: str
    row: str
    column: str
    figure: str
    value: float
    spread: float | None = None
    mark: str = ""


class Estimate(NamedTuple):
    """Our figure for a cell: mean, its standard error, and the standard error that the printed figure must have."""

    mean: float
    error: float
    paper_error: float = 0.0


@dataclass(frozen=True)
class Claim:
    """A claim of the paper's text, and what became of it.

    Attributes
    ----------
    name, said : str
        A short name, and the claim in our words.
    paper, ours : str
        The figure in the paper, and ours.
    verdict : {"holds", "does not hold", "cannot be told"}
        What our figures say of it.
    why : str
        The reason.
    """

    name: str
    said: str
    paper: str
    ours: str
    verdict: Verdict
    why: str


@dataclass(frozen=True)
class Paper:
    """One paper: what it printed, what is run, and how the figures become a page.

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
        What the paper leaves open, and our reading.
    tolerance : mapping of str to float
        By figure, the difference that never counts as a mismatch; "" stands for all other figures.
    rule : str
        In words, what the error of a printed figure is taken to be.
    tasks : callable
        The tasks of a size, over the data sets that are there.
    measured : callable
        The figures of one task, by the seed of the run.
    estimate : callable
        Our figure for a printed cell, or None where it was not run.
    claims, sections : callable
        The claims with their verdicts; the paper's own part of the page.
    repeats : callable
        In words, how often what is run at a size.
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
    """Return a seed of 32 bits that belongs to these words alone, whatever else is run."""
    numbers = [word if isinstance(word, int) else zlib.crc32(word.encode()) for word in words]
    return int(np.random.SeedSequence([seed, *numbers]).generate_state(1)[0])
