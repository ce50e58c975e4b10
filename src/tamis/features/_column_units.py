"""The units that a search adds and removes: single columns and groups, fixed or excluded; and how many columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tamis._parameters import n_wanted
from tamis.features._search import Columns, columns_of
from tamis.table._distinct import CONSTANT
from tamis.table._encode import column_names, positions

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def column_units(selector: BaseEstimator, n_columns: int) -> tuple[list[Columns], set[Columns], set[Columns]]:
    """Return all units, sorted by their first column, those that are fixed, and those that are excluded.

    A unit is one of `feature_groups`, or a column in none of them.
    """
    who = type(selector).__name__
    fixed = _columns(selector, "fixed_features", selector.fixed_features, n_columns)
    excluded = _columns(selector, "excluded_features", selector.excluded_features, n_columns)
    names = column_names(selector)
    both = sorted(fixed & excluded)
    if both:
        raise ValueError(f"{who}: {names[both[0]]!r} is in fixed_features and in excluded_features.")
    if len(excluded) == n_columns:
        raise ValueError(
            f"{who}: excluded_features names all {n_columns} columns. Leave some to choose from."
        )
    units = _groups(selector, n_columns)
    for what, chosen in (("fixed_features", fixed), ("excluded_features", excluded)):
        for unit in units:
            inside = chosen.intersection(unit)
            if inside and len(inside) < len(unit):
                outside = next(column for column in unit if column not in inside)
                raise ValueError(
                    f"{who}: {what} names {names[min(inside)]!r} but not {names[outside]!r}, which is in the same "
                    "group of feature_groups. Name the whole group."
                )
    return units, {u for u in units if u[0] in fixed}, {u for u in units if u[0] in excluded}


@dataclass(frozen=True)
class Units:
    """Columns that come and go together: all of them by their first column, the fixed, and the excluded.

    As `column_units` finds them.
    """

    every: list[Columns]
    fixed: set[Columns]
    excluded: set[Columns]

    @property
    def eligible(self) -> list[Columns]:
        """Those that may be kept."""
        return [unit for unit in self.every if unit not in self.excluded]

    @property
    def n_fixed(self) -> int:
        """How many columns are fixed."""
        return sum(map(len, self.fixed))

    @property
    def least(self) -> int:
        """The fewest columns that can be kept."""
        return self.n_fixed or min(map(len, self.eligible))

    def firsts(self, order: NDArray[np.intp], size: int) -> NDArray[np.intp]:
        """The columns of a ranking that are kept of at most `size`, ascending; no fewer than can be."""
        arranged, n_kept = self.arranged(order, max(size, self.least))
        return np.sort(arranged[:n_kept])

    def arranged(self, order: NDArray[np.intp], n_most: int) -> tuple[NDArray[np.intp], int]:
        """A ranking with its units side by side, and how many columns are kept.

        A unit stands where its best column stands. Fixed units come first, then those that fit into what is left of
        `n_most` columns, then the others, then the excluded.
        """
        if all(len(unit) == 1 for unit in self.every) and not self.fixed and not self.excluded:
            return order, min(n_most, len(order))
        place = np.empty(len(order), dtype=np.intp)
        place[order] = np.arange(len(order))
        ranked = sorted(self.eligible, key=lambda unit: (unit not in self.fixed, min(place[list(unit)])))
        kept: list[Columns] = []
        for unit in ranked:
            if sum(map(len, kept)) + len(unit) <= n_most:
                kept.append(unit)
        others = [unit for unit in ranked if unit not in kept]
        last = sorted(self.excluded, key=lambda unit: min(place[list(unit)]))
        flat = [column for unit in (*kept, *others, *last) for column in sorted(unit, key=lambda j: place[j])]
        return np.array(flat, dtype=np.intp), sum(map(len, kept))

    def named(self, selector: BaseEstimator) -> Any:
        """The selector with the same rules by position."""
        groups = [list(unit) for unit in self.every if len(unit) > 1]
        return selector.set_params(
            fixed_features=sorted(columns_of(self.fixed)) or None,
            excluded_features=sorted(columns_of(self.excluded)) or None,
            feature_groups=groups or None,
        )


def units_aside(
    units: list[Columns], fixed: set[Columns], first: NDArray[np.intp], most: int
) -> dict[Columns, Columns]:
    """Return the units that a search leaves out: copies, each with the unit that it repeats, and constants, with ().

    A constant is a unit of constant columns; a copy is a single column that repeats an earlier single column, or a
    column of a fixed unit. Fixed units are never left out, and at least one unit of at most `most` columns remains.
    `first` is what `first_equals` returns.
    """
    originals = {
        int(first[column]): unit for unit in sorted(fixed, reverse=True) for column in reversed(unit)
    }
    aside: dict[Columns, Columns] = {}
    for unit in units:
        if unit in fixed:
            continue
        if (first[list(unit)] == CONSTANT).all():
            aside[unit] = ()
        elif len(unit) == 1 and originals.setdefault(int(first[unit[0]]), unit) != unit:
            aside[unit] = originals[int(first[unit[0]])]
    if not fixed and not any(len(unit) <= most for unit in units if unit not in aside):
        del aside[next(unit for unit in aside if len(unit) <= most)]
    return aside


def column_limit(selector: BaseEstimator, what: str, size: int | float | None, n_columns: int) -> int | None:
    """Return the number of columns that the parameter `what` means: a number, a fraction or None."""
    return None if size is None else n_wanted(type(selector).__name__, what, size, n_columns, "features")


def check_sizes(
    selector: BaseEstimator, n_wanted: int | None, cap: int | None, units: list[Columns], n_fixed: int
) -> None:
    """Refuse sizes that are impossible with the columns of `units`, `n_fixed` of which are fixed."""
    who = type(selector).__name__
    available = sum(len(unit) for unit in units)
    if n_wanted is not None and cap is not None and n_wanted > cap:
        raise ValueError(
            f"{who}: n_features_to_select={selector.n_features_to_select} is {n_wanted} columns, more than "
            f"max_features={selector.max_features}."
        )
    if n_wanted is not None and n_wanted > available:
        raise ValueError(
            f"{who}: n_features_to_select={selector.n_features_to_select} is {n_wanted} columns, but only {available} "
            "are not in excluded_features."
        )
    for what, size in (("n_features_to_select", n_wanted), ("max_features", cap)):
        if size is not None and size < n_fixed:
            raise ValueError(
                f"{who}: fixed_features names {n_fixed} columns, more than {what}={getattr(selector, what)} allows."
            )
        smallest = min(len(unit) for unit in units)
        if size is not None and n_fixed == 0 and size < smallest:
            raise ValueError(
                f"{who}: the smallest of feature_groups has {smallest} columns, more than "
                f"{what}={getattr(selector, what)} allows."
            )


def _columns(selector: BaseEstimator, what: str, given: Any, n_columns: int) -> set[int]:
    return set() if given is None else set(positions(selector, given, n_columns, what).tolist())


def _groups(selector: BaseEstimator, n_columns: int) -> list[Columns]:
    """Return the groups and the single columns, each ascending, sorted by their first column."""
    who = type(selector).__name__
    units: list[Columns] = []
    group_of: dict[int, int] = {}
    for number, group in enumerate([] if selector.feature_groups is None else selector.feature_groups):
        if isinstance(group, str) or not np.iterable(group):
            raise ValueError(
                f"{who}: feature_groups[{number}] is {group!r}. Give a sequence of names or positions."
            )
        unit = sorted(_columns(selector, f"feature_groups[{number}]", group, n_columns))
        if not unit:
            raise ValueError(f"{who}: feature_groups[{number}] is empty.")
        for column in unit:
            if column in group_of:
                raise ValueError(
                    f"{who}: {column_names(selector)[column]!r} is in feature_groups[{group_of[column]}] and in "
                    f"feature_groups[{number}]."
                )
            group_of[column] = number
        units.append(tuple(unit))
    return sorted([*units, *((column,) for column in range(n_columns) if column not in group_of)])
