"""Forward, backward and floating searches for the set of columns with the lowest criterion.

A search adds and removes *units*: single columns, or groups of columns that are added and removed together. Criteria
within 1e-12 (relative) of each other are equal. A unit is *idle* if moving it leaves the criterion unchanged. The
units in the current set are *held*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tamis._memory import Memory
from tamis._progress import Progress

if TYPE_CHECKING:
    from tamis.votes.criterion import NeighborVotes
    from tamis.votes.models import ModelVotes

FloatArray = NDArray[np.float64]
Columns = tuple[int, ...]

TIE = 1e-12
SLACK = 1e-9
"""A bound counts as this much lower than it is, relatively: more than rounding can make it too high."""

WORTH_BOUNDING = 0.7
"""Below this share of the criterion of a set, its bound is taken to be too low for those of larger sets to matter."""


def below(value: float, other: float) -> bool:
    """Whether a criterion is lower than another and does not tie with it."""
    return value < other * (1 - TIE)


def equal(value: float, other: float) -> bool:
    """Whether a criterion ties with another."""
    return not below(value, other) and not below(other, value)


@dataclass(frozen=True)
class Rules:
    """What a search may do, and when it ends.

    Attributes
    ----------
    units : tuple of tuples of int
        The units that may be held, each ascending, sorted by their first columns.
    locked : frozenset
        The units that are always held.
    forward, floating : bool
        From the locked units upwards, or from all units downwards; whether moves may be undone.
    tol, patience : float, int
        A move is progress if it brings the criterion below (1 - tol) times the best so far. The search ends after
        `patience` moves in a row without progress.
    cap : int
        The most columns that the answer may have.
    n_wanted : int or None
        A number of columns to reach, which replaces tol and patience.
    aside : mapping of unit to unit
        Units left out of the search, and kept only if `n_wanted` asks for more than `units` has: each copy with the
        unit that it repeats, each constant with ().
    pass_idle : bool
        Whether idle units are added only if all candidates are idle, and removed without counting against patience.
        A unit without information leaves Z unchanged; a number of errors may stay the same by chance.
    bounded : bool
        Whether a unit that may be added is left unmeasured if a bound says that it cannot be the best.
    """

    units: tuple[Columns, ...]
    locked: frozenset[Columns]
    forward: bool
    floating: bool
    tol: float
    patience: int
    cap: int
    n_wanted: int | None
    aside: Mapping[Columns, Columns] = field(default_factory=dict)
    pass_idle: bool = False
    bounded: bool = False


@dataclass(frozen=True)
class Move:
    """One move: the unit (none for the start), and what every candidate of that move would have given."""

    unit: Columns
    added: bool
    n_columns: int
    value: float
    prime: float
    progress: bool
    candidates: dict[Columns, float]


class MemoisedVotes:
    """The criterion of any set of columns after 1..T rounds, each set measured once."""

    def __init__(self, votes: NeighborVotes | ModelVotes, memory: Memory) -> None:
        self.votes, self.memory = votes, memory
        self._known: dict[Columns, tuple[FloatArray, FloatArray]] = {}

    def paths(self, held: Columns, sets: Sequence[Columns]) -> list[tuple[FloatArray, FloatArray]]:
        """Return the criterion and Z' after 1..T rounds for sets of columns that are reached from the set `held`."""
        keys = [tuple(sorted(chosen)) for chosen in sets]
        missing = [key for key in dict.fromkeys(keys) if key not in self._known]
        inside = frozenset(held)
        larger = [key for key in missing if len(key) == len(held) + 1 and inside.issubset(key)]
        extensions = frozenset(larger)
        others = [key for key in missing if key not in extensions]
        if larger:
            added = [next(column for column in key if column not in inside) for key in larger]
            self._learn(larger, lambda: self.votes.extensions(held, added))
        if others:
            self._learn(others, lambda: self.votes.subsets(held, others))
        return [self._known[key] for key in keys]

    def least(self, held: Columns, sets: Sequence[Columns]) -> list[float]:
        """Return bounds, from below, of the criterion of sets that hold the set `held`."""
        return self.votes.least(held, sets)

    def _learn(self, keys: Sequence[Columns], measure: Callable[[], tuple[FloatArray, FloatArray]]) -> None:
        stored = self.memory.recall(f"sets {keys}")
        path, path_prime = measure() if stored is None else (stored["path"], stored["path_prime"])
        if stored is None:
            self.memory.keep(f"sets {keys}", {"path": path, "path_prime": path_prime})
        self._known.update(zip(keys, zip(path, path_prime)))


@dataclass
class Search:
    """A search and its present state.

    Attributes
    ----------
    moves : list of Move
        All moves so far; the first one is the start, if the search starts from a set that is not empty.
    held : list of units
        The units held now, in the order in which they were added.
    answer : list of units
        The best set so far that may be returned, in the order in which its units were added.
    latest : dict
        For every unit the step at which it was last a candidate, and the criterion that moving it would have given.
    """

    measure: MemoisedVotes
    rules: Rules
    n_rounds: int
    moves: list[Move] = field(default_factory=list)
    held: list[Columns] = field(default_factory=list)
    answer: list[Columns] = field(default_factory=list)
    latest: dict[Columns, tuple[int, float]] = field(default_factory=dict)

    def run(self, progress: Progress) -> Search:
        """Search to the end, or until it is interrupted."""
        rules = self.rules
        self._best, self._here, self._misses, self._looks = np.inf, np.inf, 0, 0
        self._visited: set[Columns] = set()
        self._best_of_size: dict[int, float] = {}
        self.held = [unit for unit in rules.units if not rules.forward or unit in rules.locked]
        if self.held:
            start = columns_of(self.held)
            path, path_prime = self.measure.paths(start, [start])[0]
            self._arrive((), True, path[self.n_rounds - 1], path_prime[self.n_rounds - 1], {})
        with progress:
            while not self._ended() and self._step(rules.forward):
                progress(what=f"{len(columns_of(self.held))} columns held, criterion {self._here:.4g}")
                while rules.floating and self._step(not rules.forward, undo=True):
                    pass
        if rules.n_wanted is not None:
            self._settle_for_size()
        return self

    def _ended(self) -> bool:
        n_wanted, n_held = self.rules.n_wanted, len(columns_of(self.held))
        if n_wanted is None:
            return self._best == 0 or self._misses >= self.rules.patience
        n_wanted = min(n_wanted, len(columns_of(self.rules.units)))
        return n_held == n_wanted if self.rules.forward else n_held <= n_wanted

    def _step(self, add: bool, undo: bool = False) -> bool:
        """Make the best move, if there is one; a move that undoes another must give the best set of its size."""
        after = self._options(add)
        if not after:
            return False
        least = self._least(after) if self.rules.bounded and add and not undo else dict.fromkeys(after, 0.0)
        found = self._measured(after, least)
        values = {unit: value for unit, (value, _) in found.items()}
        if add == self.rules.forward:
            self._looks += 1
            self.latest.update({unit: (self._looks, values.get(unit, least[unit])) for unit in after})
        unvisited = [unit for unit in values if after[unit] not in self._visited]
        if not unvisited:
            return False
        idle = {unit for unit in unvisited if self._is_idle(values[unit])}
        if add and not undo and len(idle) < len(unvisited):
            unvisited = [unit for unit in unvisited if unit not in idle]
        lowest = min(values[unit] for unit in unvisited)
        unit = next(unit for unit in unvisited if values[unit] <= lowest * (1 + TIE))
        if undo and not below(values[unit], self._best_of_size.get(len(after[unit]), 0.0)):
            return False
        self.held = [*self.held, unit] if add else [other for other in self.held if other != unit]
        progress = self._arrive(unit, add, *found[unit], values)
        if not undo and not progress and len(after[unit]) <= self.rules.cap and (add or unit not in idle):
            self._misses += 1
        return True

    def _is_idle(self, value: float) -> bool:
        """Whether a move to this criterion changes nothing, and such moves are passed over."""
        return self.rules.pass_idle and equal(value, self._here)

    def _least(self, after: dict[Columns, Columns]) -> dict[Columns, float]:
        """Return, by unit, a number that the criterion after each possible move is not below.

        More columns make a bound lower. Where that of the set held is far below its criterion, none will say anything, and
        all are taken to be 0.
        """
        here = columns_of(self.held)
        if self.held and self.measure.least(here, [here])[0] < WORTH_BOUNDING * self._here:
            return dict.fromkeys(after, 0.0)
        bounds = self.measure.least(here, list(after.values()))
        return {unit: (1 - SLACK) * bound for unit, bound in zip(after, bounds)}

    def _measured(
        self, after: dict[Columns, Columns], least: dict[Columns, float]
    ) -> dict[Columns, tuple[float, float]]:
        """Return the criterion and Z' after possible moves, without those that cannot be the best, in the order of `after`.

        Units are measured from the lowest bound upwards, in groups of growing size. One is left out if its bound is above
        the criterion of a measured unit that may be chosen: it could be neither the best nor tie with the best.
        """
        here = columns_of(self.held)
        waiting = sorted(after, key=least.__getitem__)
        found: dict[Columns, tuple[float, float]] = {}
        n_next, best = 1, np.inf
        while waiting:
            n_next = max(n_next, sum(least[unit] == 0 for unit in waiting))  # these are measured in any case
            now = sorted(waiting[:n_next])
            for unit, paths in zip(now, self.measure.paths(here, [after[unit] for unit in now])):
                value, prime = (float(path[self.n_rounds - 1]) for path in paths)
                found[unit] = value, prime
                if after[unit] not in self._visited and not self._is_idle(value):
                    best = min(best, value)
            waiting = [unit for unit in waiting[n_next:] if not below(best, least[unit])]
            n_next = 2 * len(found)
        return {unit: found[unit] for unit in after if unit in found}

    def _options(self, add: bool) -> dict[Columns, Columns]:
        """Return the columns held after each possible move, by unit."""
        rules, here = self.rules, columns_of(self.held)
        if add:
            room = rules.cap if rules.forward else len(here) + max(len(unit) for unit in rules.units)
            coming = [unit for unit in rules.units if unit not in self.held]
            return {u: columns_of([*self.held, u]) for u in coming if len(here) + len(u) <= room}
        going = [unit for unit in rules.units if unit in self.held and unit not in rules.locked]
        small = [unit for unit in self.held if len(unit) <= rules.cap]
        if len(small) == 1 and not rules.locked:  # without it, no set of at most `cap` columns would be left
            going = [unit for unit in going if unit not in small]
        return {u: tuple(c for c in here if c not in u) for u in going if len(here) > len(u)}

    def _arrive(
        self, unit: Columns, added: bool, value: float, prime: float, candidates: dict[Columns, float]
    ) -> bool:
        """Record that a set has been reached; return whether that is progress."""
        here, self._here = columns_of(self.held), value
        self._visited.add(here)
        self._best_of_size[len(here)] = min(value, self._best_of_size.get(len(here), np.inf))
        progress = len(here) <= self.rules.cap and below(value, (1 - self.rules.tol) * self._best)
        if progress:
            self._best, self._misses, self.answer = value, 0, list(self.held)
        self.moves.append(Move(unit, added, len(here), float(value), float(prime), progress, candidates))
        return progress

    def _settle_for_size(self) -> None:
        """Take as answer the best set of the wanted size, or of the largest smaller size that was reached."""
        held: list[Columns] = [
            u for u in self.rules.units if not self.rules.forward or u in self.rules.locked
        ]
        rivals = []
        for move in self.moves:
            if move.unit:
                held = [*held, move.unit] if move.added else [u for u in held if u != move.unit]
            rivals.append((move.value, held))
        sizes = [len(columns_of(held)) for _, held in rivals]
        reached = max(size for size in sizes if size <= self.rules.cap)
        rivals = [rival for rival, size in zip(rivals, sizes) if size == reached]
        lowest = min(value for value, _ in rivals)
        self.answer = next(held for value, held in rivals if value <= lowest * (1 + TIE))

    def kept(self) -> list[Columns]:
        """Return the answer; if more columns are wanted than all units have, with copies and constants added."""
        units = list(self.answer)
        if self.rules.n_wanted is None or len(units) < len(self.rules.units):
            return units
        for unit in _units_aside(self):
            if len(columns_of([*units, unit])) <= self.rules.n_wanted:
                units.append(unit)
        return units


def columns_of(units: Iterable[Columns]) -> Columns:
    """Return the columns of units, ascending."""
    return tuple(sorted(column for unit in units for column in unit))


def ranked_units(search: Search) -> list[Columns]:
    """Return all units of a search from best to worst: the kept ones first, copies and constants last.

    Forward: in the order in which they were added, then by the criterion that they gave when they were last candidates.
    Backward: first the units that were never removed, by the criterion without them at the last step; then the others,
    in the reverse order of removal.
    """
    aside, kept = _units_aside(search), set(search.kept())
    return [*_searched_units(search), *sorted(aside, key=lambda unit: unit not in kept)]


def _units_aside(search: Search) -> list[Columns]:
    """Return the copies, in the order of their originals, then the constants."""
    rank: dict[Columns, int] = {unit: pos for pos, unit in enumerate(_searched_units(search))}
    aside = search.rules.aside
    return sorted(aside, key=lambda unit: rank.get(aside[unit], len(rank)))


def _searched_units(search: Search) -> list[Columns]:
    """Return the units that took part in the search, from best to worst."""
    rules = search.rules

    def recency(unit: Columns) -> tuple[float, float]:
        look, value = search.latest.get(unit, (0, 0.0))
        return -look, value if rules.forward else -value

    if rules.forward:
        first = [*search.answer, *(unit for unit in search.held if unit not in search.answer)]
        return [*first, *sorted((u for u in rules.units if u not in first), key=recency)]
    left = {move.unit: when for when, move in enumerate(search.moves) if move.unit and not move.added}
    locked = [unit for unit in rules.units if unit in rules.locked]
    stayed = sorted((u for u in search.held if u not in rules.locked), key=recency)
    gone = sorted((u for u in rules.units if u not in search.held), key=lambda unit: -left[unit])
    order = [*locked, *stayed, *gone]
    return [u for u in order if u in search.answer] + [u for u in order if u not in search.answer]


def history_of(search: Search, n_columns: int) -> dict[str, NDArray[Any]]:
    """Return the moves of a search as arrays."""
    moves = search.moves
    candidates = np.full((len(moves), n_columns), np.nan)
    for step, move in enumerate(moves):
        for unit, value in move.candidates.items():
            candidates[step, list(unit)] = value
    return {
        "feature": np.array([move.unit[0] if move.unit else -1 for move in moves], dtype=np.int64),
        "added": np.array([move.added for move in moves], dtype=bool),
        "n_features": np.array([move.n_columns for move in moves], dtype=np.int64),
        "criterion": np.array([move.value for move in moves], dtype=np.float64),
        "z_prime": np.array([move.prime for move in moves], dtype=np.float64),
        "progress": np.array([move.progress for move in moves], dtype=bool),
        "candidates": candidates,
    }


def measured_units(units: list[Columns], rules: Rules) -> list[Columns]:
    """Return, for each unit, the columns to measure for its score: a copy's original, one constant for all constants."""
    constant = next((unit for unit, original in rules.aside.items() if not original), ())
    originals = {unit: original or constant for unit, original in rules.aside.items()}
    return [originals[unit] if len(originals.get(unit, ())) == 1 else unit for unit in units]


def values_alone(search: Search, sets: Sequence[Columns]) -> list[float]:
    """Return the criterion of each of several sets; its bound, if that was enough for a bounded search at its first step."""
    first = search.moves[0]
    from_nothing = search.rules.bounded and search.rules.forward and first.unit
    skipped = {unit for unit in search.rules.units if from_nothing and unit not in first.candidates}
    measured = [chosen for chosen in dict.fromkeys(sets) if chosen not in skipped]
    values = {
        chosen: float(path[search.n_rounds - 1])
        for chosen, (path, _) in zip(measured, search.measure.paths((), measured))
    }
    left = [chosen for chosen in sets if chosen in skipped]
    values.update(zip(left, search.measure.least((), left)))
    return [values[chosen] for chosen in sets]
