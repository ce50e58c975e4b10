"""Copies among the columns of a table in parts, found by what each part tells of its codes.

Of a numeric column a part tells a number of 256 bits that stands for its codes; of a nominal one such a number for each code, which
stands for the rows that have it. The numbers of all parts are added, in any order. Equal sums are equal columns: in each number there is
also what tells its part from all that hold other rows.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tamis.stumps.part_bins import Bins
from tamis.table._distinct import CONSTANT, Distinct

__all__ = ["column_prints", "distinct_columns"]

Ints = NDArray[np.intp]
N_CODES = 256


class Codes(Protocol):
    """Rows in codes, one byte per value."""

    def column_codes(self, column: int) -> NDArray[np.uint8]:
        """The codes of a column, all columns in the same order of rows."""


def distinct_columns(table: Any, bins: Bins, gaps: NDArray[Any], left_out: Ints) -> Distinct:
    """The columns that are neither left out nor copies of an earlier one that is not left out either.

    Copies have the same values in the same bins, or, if they are nominal, the same rows in each category, whatever these are called.

    Parameters
    ----------
    table : Codes, or a table with the attribute ``parts``
        All rows, here or in parts elsewhere.
    bins : Bins
        The bins of its columns.
    gaps : ndarray of int, shape (d,)
        The code of a missing value in each column.
    left_out : ndarray of int
        Constants, and columns that may not be used.

    Returns
    -------
    Distinct
        Columns left out count as constants.
    """
    first = np.arange(len(bins.nominal))
    first[left_out] = CONSTANT
    keys = {column: _bins_key(bins, column) for column in np.flatnonzero(first != CONSTANT).tolist()}
    shared = Counter(keys.values())
    alike = np.array([column for column, key in keys.items() if shared[key] > 1], dtype=np.intp)
    if len(alike):
        asked = (alike, bins.nominal[alike])
        prints = (
            table.parts.total(column_prints, *asked)
            if hasattr(table, "parts")
            else column_prints(table, *asked)
        )
        seen: dict[tuple[Any, ...], int] = {}
        for column, own in zip(alike.tolist(), prints):
            told: tuple[int, ...] = tuple(own)
            if bins.nominal[column]:
                gap = int(gaps[column])
                told = (own[gap], *sorted(np.delete(own, gap)))
            first[column] = seen.setdefault((keys[column], told), column)
    return Distinct.of_firsts(first)


def _bins_key(bins: Bins, column: int) -> tuple[Any, ...]:
    """What copies have in common before their codes are looked at."""
    if bins.nominal[column]:
        return (int(bins.n_bins[column]),)
    return int(bins.n_bins[column]), bool(bins.exact[column]), bins.values[column].tobytes()


def column_prints(part: Codes, columns: Ints, nominal: NDArray[np.bool_]) -> NDArray[Any]:
    """What a part tells of some columns, (columns, 256), Python's integers: of numeric ones in the first of them."""
    whole = [hashlib.sha256(part.column_codes(column).data).digest() for column in columns.tolist()]
    salt = hashlib.sha256(b"".join(whole)).digest()
    prints = np.zeros((len(columns), N_CODES), dtype=object)
    for own, column, told, is_nominal in zip(prints, columns.tolist(), whole, nominal):
        if not is_nominal:
            own[0] = _number(salt, told)
            continue
        codes = part.column_codes(column)
        rows = np.argsort(codes, kind="stable")
        for code, its in enumerate(np.split(rows, np.cumsum(np.bincount(codes, minlength=N_CODES))[:-1])):
            own[code] = _number(salt, its.data) if len(its) else 0
    return prints


def _number(*told: Any) -> int:
    digest = hashlib.sha256()
    for one in told:
        digest.update(one)
    return int.from_bytes(digest.digest(), "little")
