"""Some rows of a large table, of every class its share or by chance; and groups of rows drawn with replacement."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from tamis.table._table import Numbers, Target
from tamis.table._target import codes_by_appearance


class Bootstrap(NamedTuple):
    """Groups of rows that are drawn with replacement, each time with all of their rows."""

    rows: NDArray[np.intp]  # group by group, ascending in each
    firsts: NDArray[np.intp]  # where each group begins in `rows`
    sizes: NDArray[np.intp]  # how many rows it has
    alike: list[NDArray[np.intp]]  # groups that hold the same classes; of a numeric target all groups
    labels: NDArray[Any]

    @classmethod
    def of(
        cls, alive: NDArray[np.intp], labels: NDArray[Any], groups: NDArray[np.int64], *, numeric: bool
    ) -> Bootstrap:
        """The groups of the rows `alive`, by their first rows; `labels` and `groups` are those of all rows."""
        places = codes_by_appearance(groups[alive])
        rows = alive[np.argsort(places, kind="stable")]
        sizes = np.bincount(places)
        firsts = np.cumsum(sizes) - sizes
        if numeric:
            return cls(rows, firsts, sizes, [np.arange(len(sizes))], labels)
        classes, codes = np.unique(labels[alive], return_inverse=True)
        lacks = np.ones((len(sizes), len(classes)), dtype=bool)
        lacks[places, codes] = False
        kinds, kind = np.unique(lacks, axis=0, return_inverse=True)
        alike = [np.flatnonzero(kind.ravel() == k) for k in range(len(kinds))]
        return cls(rows, firsts, sizes, alike, labels)

    def drawn(self, random: np.random.RandomState) -> NDArray[np.intp]:
        """Rows, ascending: of groups that hold the same classes as many as there are; never all of the same label."""
        while True:
            groups = np.concatenate([random.choice(some, size=len(some)) for some in self.alike])
            ends = np.cumsum(self.sizes[groups])
            places = np.arange(ends[-1]) - np.repeat(
                ends - self.sizes[groups] - self.firsts[groups], self.sizes[groups]
            )
            rows: NDArray[np.intp] = np.sort(self.rows[places])
            if (self.labels[rows] != self.labels[rows[0]]).any():
                return rows


def drawn_by_class(target: Target, n_rows: int, random: np.random.RandomState) -> NDArray[np.intp]:
    """So many rows drawn at random, ascending: of every class its share, and two at least where it has two."""
    shuffled = random.permutation(len(target.codes))
    by_class = shuffled[np.argsort(target.codes[shuffled], kind="stable")]
    place = np.concatenate([np.arange(count) for count in target.counts()])  # within the class
    early = (place + 0.5) / target.counts()[target.codes[by_class]]
    early[place < 2] = -1.0
    drawn: NDArray[np.intp] = np.sort(by_class[np.argsort(early, kind="stable")[:n_rows]])
    return drawn


def drawn_of_numbers(target: Numbers, n_rows: int, random: np.random.RandomState) -> NDArray[np.intp]:
    """So many rows drawn at random, ascending, at least two; among them one of another number than the first drawn."""
    shuffled = random.permutation(len(target.values))
    other = int(np.argmax(target.values[shuffled] != target.values[shuffled[0]]))
    shuffled[[1, other]] = shuffled[[other, 1]]
    drawn: NDArray[np.intp] = np.sort(shuffled[: max(2, n_rows)])
    return drawn


def drawn_rows(
    who: str, target: Target | Numbers, max_rows: int | None, random_state: int | np.random.RandomState | None
) -> NDArray[np.intp]:
    """Return the rows to search on: all, or `max_rows` of them, from every class its share, at least two; a warning says so."""
    n_rows = len(target.codes if isinstance(target, Target) else target.values)
    if max_rows is None or max_rows >= n_rows:
        return np.arange(n_rows)
    random = check_random_state(random_state)
    if isinstance(target, Numbers):
        drawn = drawn_of_numbers(target, max_rows, random)
    else:
        least = 2 * target.n_classes
        if max_rows < least:
            raise ValueError(
                f"{who}: max_rows={max_rows}, but {target.n_classes} classes need {least} rows, two each. "
                f"Use a value from {least} on, or None."
            )
        drawn = drawn_by_class(target, max_rows, random)
    warnings.warn(
        f"{who}: the search looks at {len(drawn)} of {n_rows} rows (max_rows={max_rows}). search_rows_ names them.",
        stacklevel=4,
    )
    return drawn
