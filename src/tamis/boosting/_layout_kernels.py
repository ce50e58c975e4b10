"""Kernels that bring a table into the form from which stumps are scanned.

Each column is sorted once. Rows with equal values form a group; the groups of a column are numbered from 0 in
ascending order of value, and gaps carry the number after the last group. A scan of a column reads

extended
    The signed weights of the n rows, then the slots of the column at work: slot 0 (index n) holds the sum over its
    gaps, each further slot the sum over one of its bulks.
bulks
    The gaps, the lowest and the highest group, and the groups of many rows; in a nominal column every group; no group
    of one row.
entries
    Indices into `extended`, sorted by group: the slot of a bulk, the rows of any other group. The most frequent
    group is left out, as its sum follows from the total: first come the groups below it, ascending, then the groups
    above it, descending.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tamis._jit import kernel

LARGE_GROUP = 64  # a group of this many rows is a bulk; only speed rests on this number


class Layout(NamedTuple):
    """A table, sorted and grouped; flat arrays run over the columns, `*_start` says where a column begins."""

    codes: Any  # (d, n) the group of each row
    n_groups: Any  # (d,) groups of a column, the gaps not counted
    has_gaps: Any  # (d,) bool
    nominal: Any  # (d,) bool
    most_frequent: Any  # (d,) the group that is left out
    n_slots: Any  # (d,)
    entry_start: Any  # (d + 1,)
    entry_middle: Any  # (d,) where the groups above the most frequent one begin
    entries: Any
    group_ends: Any  # bool, whether an entry is the last one of its group
    bulk_start: Any  # (d + 1,)
    bulks: Any  # (bulks, 4): slot index, first member, one past the last member, group
    members: Any


@kernel
def sort_keys(bits: Any, first: int, keys: Any, row_mask: int) -> None:
    """Write one integer a value that sorts as the value does, its low bits replaced by the row.

    `bits` (n, d) are the float64 values seen as int64, `keys` (columns, n) the columns from `first` on.
    """
    n_columns, n_rows = keys.shape
    lowest = np.int64(-0x8000000000000000)
    magnitude = np.int64(0x7FFFFFFFFFFFFFFF)
    infinity = np.int64(0x7FF0000000000000)
    for row in range(n_rows):
        for column in range(n_columns):
            key = bits[row, first + column]
            if key == lowest:  # -0.0 equals 0.0
                key = np.int64(0)
            if key & magnitude > infinity:  # gaps come last, whatever their sign
                key = magnitude
            if key < 0:
                key = key ^ magnitude
            keys[column, row] = (key & ~row_mask) | row


@kernel
def group_column(keys: Any, row_mask: int, values: Any, codes: Any, distinct: Any) -> int:
    """Number the groups of one column and return how many there are.

    `keys` (n,) are sorted; `values` (n,) is the column; written: `codes` (n,) and the first entries of `distinct` (n,).
    """
    n_rows = len(keys)
    rows = np.empty(n_rows, np.int64)
    for position in range(n_rows):
        rows[position] = keys[position] & row_mask
    start = 0
    while start < n_rows:  # values that differ in the lost bits only are sorted by value
        stop = start + 1
        ordered = True
        while stop < n_rows and keys[stop] & ~row_mask == keys[start] & ~row_mask:
            ordered &= not values[rows[stop]] < values[rows[stop - 1]]
            stop += 1
        if not ordered:
            rows[start:stop] = rows[start:stop][np.argsort(values[rows[start:stop]])]
        start = stop
    n_groups = 0
    last = np.nan
    for row in rows:
        value = values[row]
        if np.isnan(value):
            break
        if n_groups == 0 or value > last:
            distinct[n_groups] = value
            n_groups += 1
            last = value
        codes[row] = n_groups - 1
    for position in range(n_rows - 1, -1, -1):
        if not np.isnan(values[rows[position]]):
            break
        codes[rows[position]] = n_groups
    return n_groups


@kernel
def group_columns(
    keys: Any, row_mask: int, values: Any, first: int, codes: Any, distinct: Any, n_groups: Any
) -> int:
    """Group the columns from `first` on and return how many distinct values they have.

    `keys` (columns, n) are sorted, `values` is (n, d); written: `codes` (d, n), `distinct` (columns * n,), one column
    after the other, and `n_groups` (d,).
    """
    n_distinct = 0
    column_values = np.empty(keys.shape[1])
    for k in range(keys.shape[0]):
        column = first + k
        column_values[:] = values[:, column]
        n_groups[column] = group_column(
            keys[k], row_mask, column_values, codes[column], distinct[n_distinct:]
        )
        n_distinct += n_groups[column]
    return n_distinct


@kernel
def count_groups(codes: Any, counts: Any) -> int:
    """Count the rows of each group of one column into `counts` and return the most frequent group, the last of equals.

    The last count is that of the gaps.
    """
    counts[:] = 0
    for code in codes:
        counts[code] += 1
    most = 0
    for group in range(len(counts) - 1):
        if counts[group] >= counts[most]:
            most = group
    return most


@kernel
def is_bulk(count: int, group: int, n_known: int, nominal: bool) -> bool:
    """Whether a group is summed into a slot; the group after the last known one holds the gaps.

    Inside the lowest and the highest group running sums are close to those of a stump with one empty side, which is
    none and may have a large edge: these two are bulks as well.
    """
    if group == n_known:
        return count > 0
    return count >= LARGE_GROUP or (count > 1 and (nominal or group == 0 or group == n_known - 1))


@kernel
def layout_sizes(codes: Any, n_groups: Any, nominal: Any, most_frequent: Any, sizes: Any) -> None:
    """Write each column's most frequent group and its numbers of entries, bulks, members and gaps: `sizes` (d, 4)."""
    counts = np.empty(codes.shape[1] + 1, np.int64)
    for column in range(len(n_groups)):
        n_known = n_groups[column]
        most_frequent[column] = count_groups(codes[column], counts[: n_known + 1])
        sizes[column, 3] = counts[n_known]
        for group in range(n_known + 1):
            if n_known == 0 or group == most_frequent[column]:
                continue
            if is_bulk(counts[group], group, n_known, nominal[column]):
                sizes[column, 0] += group < n_known
                sizes[column, 1] += 1
                sizes[column, 2] += counts[group]
            elif group < n_known:
                sizes[column, 0] += counts[group]


@kernel
def place_groups(layout: Layout, column: int, counts: Any, position: Any, member: int) -> None:
    """Give every group of a column its place: the bulks their slots and members, from `member` on, the others entries.

    Written: `position` (groups + 1,), the index of the next row of a group in `entries`, or in `members` for a bulk.
    """
    n_rows, n_known, most = layout.codes.shape[1], layout.n_groups[column], layout.most_frequent[column]
    slot, bulk, entry = n_rows, layout.bulk_start[column], layout.entry_start[column]
    for k in range(n_known):
        if k == most + 1:
            layout.entry_middle[column] = entry
        # the gaps, the groups below the most frequent one, then the groups above it from the last one down
        group = n_known if k == 0 else k - 1 if k <= most else n_known + most - k
        if is_bulk(counts[group], group, n_known, layout.nominal[column]):
            if group < n_known:
                slot += 1
                layout.entries[entry] = slot
                entry += 1
            layout.bulks[bulk, 0] = slot if group < n_known else n_rows
            layout.bulks[bulk, 1] = position[group] = member
            member += counts[group]
            layout.bulks[bulk, 2] = member
            layout.bulks[bulk, 3] = group
            bulk += 1
        elif group < n_known:
            position[group] = entry
            entry += counts[group]
        if group < n_known:
            layout.group_ends[entry - 1] = True
    layout.n_slots[column] = slot - n_rows + 1


@kernel
def fill_layout(layout: Layout, member_start: Any) -> None:
    """Write the entries, slots, bulks and members of every column, whose members begin at `member_start` (d,)."""
    n_columns, n_rows = layout.codes.shape
    counts = np.empty(n_rows + 1, np.int64)
    position = np.empty(n_rows + 1, np.int64)
    stride = max(1, int(0.618 * n_rows))
    while math.gcd(stride, n_rows) > 1:
        stride -= 1
    for column in range(n_columns):
        codes = layout.codes[column]
        n_known = layout.n_groups[column]
        most = count_groups(codes, counts[: n_known + 1])
        layout.entry_middle[column] = layout.entry_start[column + 1]
        place_groups(layout, column, counts, position, member_start[column])
        if n_known == 0:
            continue
        row = 0
        for _ in range(n_rows):
            # Scattered, as a table is often sorted by class: within a group the classes then take turns.
            row = row + stride if row + stride < n_rows else row + stride - n_rows
            group = codes[row]
            if group == most:
                continue
            if is_bulk(counts[group], group, n_known, layout.nominal[column]):
                layout.members[position[group]] = row
            else:
                layout.entries[position[group]] = row
            position[group] += 1
