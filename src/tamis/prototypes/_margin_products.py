"""MarginPrototypes on many rows: matrix products say which rows a candidate can be near to, and few are measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tamis._threads import Team
from tamis.neighbors._distance import ScaledRows
from tamis.neighbors._graph import space_if_faster
from tamis.neighbors._products import FittedVectors, ProductSpace, Single
from tamis.prototypes._kernels.margin import Account
from tamis.prototypes._kernels.margin_products import begin_swap, end_swap, list_by_products

Int = NDArray[np.int64]
Float = NDArray[np.float64]

LISTED = 256
"""Rows whose lists are made together at the start."""

MOST_PRODUCTS = 2**20
"""Products that are held for candidates, in all: 4 MB."""

MOST_CANDIDATES = 64
"""Candidates that are multiplied at once, at most."""


@dataclass(eq=False)
class Products:
    """Vectors of all rows and of the kept ones, whose products bound the distances of an account.

    Attributes
    ----------
    space : ProductSpace
        How rows become vectors.
    rows : ScaledRows
        The rows.
    vectors : FittedVectors
        Their vectors.
    kept : ndarray of float32, shape (n_kept, width)
        Those of the kept rows, by slot.
    kept_codes : ndarray of int, shape (n_kept,)
        The classes of the kept rows, by slot.
    codes : ndarray of int, shape (n_rows,)
        The classes of all rows.
    """

    space: ProductSpace
    rows: ScaledRows
    vectors: FittedVectors
    kept: Single
    kept_codes: Int
    codes: Int

    @classmethod
    def of(cls, rows: ScaledRows, kept: NDArray[np.intp], codes: Int) -> Self | None:
        """The vectors, or None where distances are measured faster than products are made."""
        space = space_if_faster(rows, rows)
        if space is None:
            return None
        vectors = space.fitted(rows.coordinates)
        return cls(space, rows, vectors, vectors.vectors[kept], codes[kept], codes)

    def list_all(self, account: Account, team: Team) -> None:
        """Make the lists of all rows."""
        n_rows = len(self.codes)

        def work(part: int, n_parts: int) -> None:
            for start in range(part * LISTED, n_rows, n_parts * LISTED):
                some = np.arange(start, min(start + LISTED, n_rows))
                for side in (0, 2):
                    self._list(account, some, np.full(len(some), side))

        team.each(work)

    def _list(self, account: Account, some: Int, sides: Int) -> None:
        left, _, slack = self.space.queries(self.rows.coordinates[some], self.vectors)
        list_by_products(account, some, sides, left @ self.kept.T, slack, self.kept_codes)

    def lines(self, candidates: Int, team: Team) -> tuple[Single, Float]:
        """The products of candidates with all rows, and the base of each; threads share the rows."""
        left, base, _ = self.space.queries(self.rows.coordinates[candidates], self.vectors)
        found = np.empty((len(candidates), len(self.codes)), dtype=np.float32)
        if team.n_parts == 1:
            np.matmul(left, self.vectors.vectors.T, out=found)
            return found, base
        cuts = np.linspace(0, len(self.codes), team.n_parts + 1).astype(np.int64)

        def work(part: int, n_parts: int) -> None:
            some = slice(cuts[part], cuts[part + 1])
            found[:, some] = left @ self.vectors.vectors[some].T

        team.each(work)
        return found, base

    def swap(
        self, account: Account, slot: int, candidate: int, line: tuple[Single, float], beta: float
    ) -> int:
        """Put a candidate, with its products and base, into a slot; return by how much the loss rose."""
        changed, gone, sides, rise = begin_swap(account, slot, candidate, *line)
        self.kept[slot] = self.vectors.vectors[candidate]
        self.kept_codes[slot] = self.codes[candidate]
        if len(gone):
            self._list(account, gone, sides)
        return int(rise + end_swap(account, changed, beta))
