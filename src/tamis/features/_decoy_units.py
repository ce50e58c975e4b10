"""Columns that share one verdict: which of them are tried against decoys, and how scores are shared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from tamis.features._twins import twin_groups
from tamis.table._table import Schema, Table

if TYPE_CHECKING:
    from tamis.features._base import FeatureSelector

Float = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass(frozen=True)
class Units:
    """Columns by verdict.

    Attributes
    ----------
    of_column : ndarray of int, shape (d,)
        The unit of each column, from 0; -1 for a column that takes no part.
    tried : ndarray of int
        The columns that have decoys, ascending: of twins the first.
    """

    of_column: Ints
    tried: Ints

    def cut(self, table: Table) -> Table:
        """The tried columns of a table."""
        categories = tuple(table.schema.categories[j] for j in self.tried)
        values = np.ascontiguousarray(table.values[:, self.tried])
        return Table(values, Schema(table.nominal[self.tried], categories))

    def summed(self, scores: Float) -> Float:
        """The scores (..., tried) of each unit: those of its tried columns, added."""
        totals = np.zeros((*scores.shape[:-1], self.of_column.max(initial=-1) + 1))
        for place, unit in enumerate(self.of_column[self.tried]):
            totals[..., unit] += scores[..., place]
        return totals

    def joined(self, pairs: Ints, most: int) -> Units | None:
        """The units with those of these pairs of tried columns made one; None if one gets more than `most` tried columns."""
        ends = self.of_column[self.tried[pairs]]
        n_units = int(self.of_column.max(initial=-1)) + 1
        links = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(n_units, n_units))
        _, family = connected_components(links, directed=False)
        _, first, inverse = np.unique(family, return_index=True, return_inverse=True)
        number = np.argsort(np.argsort(first))[inverse]  # in the order of the first units
        new = Units(np.where(self.of_column >= 0, number[self.of_column], -1), self.tried)
        return None if np.bincount(new.of_column[new.tried]).max() > most else new

    def larger_than(self, before: Units) -> list[list[int]]:
        """The columns of the units that hold several of the units before."""
        told = []
        for unit in range(int(self.of_column.max(initial=-1)) + 1):
            columns = np.flatnonzero(self.of_column == unit)
            if len(np.unique(before.of_column[columns])) > 1:
                told.append(columns.tolist())
        return told

    def spread(self, told: Float, absent: float = 0.0) -> Float:
        """What is told of the units (..., units), for all columns; `absent` for those that take no part."""
        spread = np.full((*told.shape[:-1], len(self.of_column)), absent)
        here = self.of_column >= 0
        spread[..., here] = told[..., self.of_column[here]]
        return spread


def verdict_units(
    selector: FeatureSelector, table: Table, share_above: float, group_above: float | None
) -> Units:
    """The units of a table: twins, and the columns of one of `feature_groups`, share a verdict; constants take no part.

    Of twins (`share_above`) the first is tried, of families (`group_above`) all.
    """
    groups = twin_groups(table, share_above)
    ranked = np.sort(table.values, axis=0)  # missing values last
    varied = ranked[0] < np.nanmax(table.values, axis=0, initial=-np.inf)
    numbers = np.where(varied, groups, -1)
    _, first = np.unique(numbers, return_index=True)
    tried = np.sort(first[numbers[first] >= 0])
    families: list[Sequence[int]] = [] if selector._units is None else list(selector._units.every)
    if group_above is not None:
        related = twin_groups(table, group_above)
        families += [np.flatnonzero(related == family).tolist() for family in np.unique(related)]
    for unit in families:
        members = numbers[list(unit)]
        members = members[members >= 0]
        if len(members) > 1:
            numbers[np.isin(numbers, members)] = members.min()
    of_column = np.full(len(numbers), -1)
    _, inverse = np.unique(numbers[numbers >= 0], return_inverse=True)
    of_column[numbers >= 0] = inverse
    return Units(of_column, tried)
