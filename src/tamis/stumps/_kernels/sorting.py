"""Kernels that bring a table into the form from which stumps are scanned.

Each column is sorted once. Rows with equal values form a group; the groups of a column are numbered from 0 in
ascending order of value, and gaps (missing values) carry the number after the last group. A scan of a column reads

extended
    The signed weights of the n rows, then the slots of the column at work: slot 0 (index n) holds the sum over its
    gaps, each further slot the sum over one of its bulks.
bulks
    The gaps, the lowest and the highest group, and the groups of many rows; in a nominal column every group; no group
    of one row.
entries
    Indices into `extended`, sorted by group: the slot of a bulk, the rows of any other group. One group, the most
    frequent where that saves much, is left out, as its sum follows from the total: first come the groups below it,
    ascending, then the groups above it, descending.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tamis._jit import kernel
from tamis.stumps._kernels.fields import BULK, COLUMN, LAID, Flags, Floats, Index, Ints

LARGE_GROUP = 64  # a group of this many rows is a bulk; only speed rests on this number and the next
WORTH_SPLITTING = 48  # a group of fewer rows is not worth two lists of entries


class Layout(NamedTuple):
    """A table, sorted and grouped: flat arrays that run over the columns, and what is known of each column."""

    codes: Index  # (d, n) the group of each row
    columns: Ints  # (d + 1, 7): see `fields.COLUMN`; the last line says where the starts end
    entries: Index
    group_ends: Flags  # bool, whether an entry is the last one of its group
    bulks: Ints  # (bulks, 4): see `fields.BULK`
    members: Index


class Block(NamedTuple):
    """Room for the flat arrays of some columns of a `Layout`, and how much of it each of them takes."""

    distinct: Floats  # the value of each group
    entries: Index
    group_ends: Flags
    bulks: Ints
    members: Index
    sizes: Ints  # (columns, 4): see `fields.LAID`
    taken: Ints  # (4,) the sum of the sizes
    rows: Ints  # (n,) the rows of the column at work in ascending order of value, gaps last
    ordered: Floats  # (n,) these values
    starts: Ints  # (n + 1,) where each group begins in `rows`, and then where the gaps do


@kernel
def sort_keys(values: Floats, bits: Ints, first: int, low_bits: Ints, keys: Ints, turned: Floats) -> None:
    """Write an integer for each value that sorts as the value does, except for its low bits, which name the row.

    `bits` (n, d) are the float64 `values` seen as int64; `low_bits` (n,) are different numbers below a power of two.
    Written: `keys` and `turned` (columns, n), the keys and the values of the columns from `first` on.
    """
    n_columns, n_rows = keys.shape
    lowest = np.int64(-0x8000000000000000)
    magnitude = np.int64(0x7FFFFFFFFFFFFFFF)
    infinity = np.int64(0x7FF0000000000000)
    mask = np.int64(1)
    while mask < n_rows:
        mask *= 2
    for tile in range(0, n_columns, 32):  # few enough columns for their lines to stay in the cache
        for row in range(n_rows):
            for column in range(tile, min(tile + 32, n_columns)):
                key = bits[row, first + column]
                if key == lowest:  # -0.0 equals 0.0
                    key = np.int64(0)
                if key & magnitude > infinity:  # gaps come last, whatever their sign
                    key = magnitude
                if key < 0:
                    key = key ^ magnitude
                keys[column, row] = (key & -mask) | low_bits[row]
                turned[column, row] = values[row, first + column]


@kernel
def sort_rows(keys: Ints, row_of: Ints, values: Floats, rows: Ints, ordered: Floats) -> None:
    """Write the rows of a column in ascending order of value, gaps last.

    `keys` (n,) are sorted, `row_of` (n,) knows the row of the number in their low bits, `values` (n,) is the column;
    written: `rows` (n,), and the values in that order into `ordered` (n,).
    """
    mask = np.int64(1)
    while mask < len(keys):
        mask *= 2
    last = -np.inf
    for position in range(len(keys)):
        row = row_of[keys[position] & (mask - 1)]
        value = values[row]
        k = position
        if value < last:  # they differ in their low bits only, and are put in order one by one
            while k > 0 and ordered[k - 1] > value:
                ordered[k] = ordered[k - 1]
                rows[k] = rows[k - 1]
                k -= 1
        else:
            last = value
        rows[k] = row
        ordered[k] = value


@kernel
def number_groups(rows: Ints, ordered: Floats, codes: Index, starts: Ints, distinct: Floats, at: int) -> int:
    """Number the groups of a column and return how many there are.

    `rows` and `ordered` (n,) are the rows in ascending order of value and these values, gaps last. Written: `codes` (n,);
    into `starts` (n + 1,) where each group begins in `rows`, and after the last one where the gaps begin; and the values of
    the groups into `distinct`, from `at` on.
    """
    n_groups = position = np.int64(0)
    while position < len(rows) and ordered[position] == ordered[position]:
        if position == 0 or ordered[position] > ordered[position - 1]:
            starts[n_groups] = position
            distinct[at + n_groups] = ordered[position]
            n_groups += 1
        codes[rows[position]] = n_groups - 1
        position += 1
    starts[n_groups] = position
    while position < len(rows):
        codes[rows[position]] = n_groups
        position += 1
    return n_groups


@kernel
def group_left_out(starts: Ints, n_groups: int, nominal: bool) -> int:
    """Return the group that is left out of the entries.

    The most frequent one, the last of equals; the last of all if that saves too few rows to be worth two lists.
    """
    most = 0
    for group in range(n_groups):
        if starts[group + 1] - starts[group] >= starts[most + 1] - starts[most]:
            most = group
    if not nominal and starts[most + 1] - starts[most] < WORTH_SPLITTING:
        return max(n_groups - 1, 0)
    return most


@kernel
def place_groups(n_groups: int, left_out: int, nominal: bool, block: Block) -> int:
    """Write a column's entries, bulks and members behind those of the columns before it; returns the entries below.

    Inside the lowest and the highest group running sums are close to those of a stump with one empty side, which is none
    and may have a large edge: these two are bulks as well as the large ones.
    """
    rows, starts, taken = block.rows, block.starts, block.taken
    entries, group_ends, bulks, members = block.entries, block.group_ends, block.bulks, block.members
    slot, entry, bulk, member = len(rows), taken[LAID.entries], taken[LAID.bulks], taken[LAID.members]
    first_entry = middle = entry
    # missing values, groups below the one left out, groups above it from the last one down
    for k in range(-1, n_groups - 1):
        if k == left_out:
            middle = entry
        group = k if k < left_out else n_groups - 1 - (k - left_out)
        if k < 0:
            group = n_groups
        start, stop = starts[group], starts[group + 1] if k >= 0 else len(rows)
        count = stop - start
        ends = nominal or group == 0 or group == n_groups - 1
        if (k < 0 and count > 0) or count >= LARGE_GROUP or (count > 1 and ends):
            bulks[bulk, BULK.slot] = slot if k < 0 else slot + 1
            bulks[bulk, BULK.first] = member
            bulks[bulk, BULK.stop] = member + count
            bulks[bulk, BULK.group] = group
            for position in range(start, stop):
                members[member] = rows[position]
                member += 1
            bulk += 1
            if k < 0:
                continue
            slot += 1
            entries[entry] = slot
            entry += 1
        else:
            for position in range(start, stop):
                entries[entry] = rows[position]
                group_ends[entry] = False
                entry += 1
        if k >= 0:
            group_ends[entry - 1] = True
    n_below = (middle if left_out < n_groups - 1 else entry) - first_entry
    taken[LAID.entries], taken[LAID.bulks], taken[LAID.members] = entry, bulk, member
    return n_below


@kernel
def lay_out(
    keys: Ints, row_of: Ints, values: Floats, first: int, codes: Index, columns: Ints, block: Block
) -> None:
    """Sort and group the columns from `first` on and write them into a block.

    `keys` (columns, n) are sorted, `values` is (columns, n). Written besides: `codes` (d, n), and of `columns`
    (d + 1, 7), which says which are nominal, `n_groups`, `has_gaps` and `left_out`; `entry_middle` counts the entries below
    the group left out.
    """
    n_columns, n_rows = keys.shape
    rows, starts, ordered, taken = block.rows, block.starts, block.ordered, block.taken
    for k in range(n_columns):
        column = first + k
        for part in range(4):
            block.sizes[k, part] = -taken[part]
        sort_rows(keys[k], row_of, values[k], rows, ordered)
        n_groups = number_groups(rows, ordered, codes[column], starts, block.distinct, taken[LAID.groups])
        taken[LAID.groups] += n_groups
        nominal = columns[column, COLUMN.nominal] > 0
        left_out = group_left_out(starts, n_groups, nominal)
        columns[column, COLUMN.n_groups] = n_groups
        columns[column, COLUMN.has_gaps] = starts[n_groups] < n_rows
        columns[column, COLUMN.left_out] = left_out
        columns[column, COLUMN.entry_middle] = 0
        if n_groups > 0:
            columns[column, COLUMN.entry_middle] = place_groups(n_groups, left_out, nominal, block)
        for part in range(4):
            block.sizes[k, part] += taken[part]
