"""Names for the columns of packed arrays, and the records that several phases share.

A packed array is read by the name of its field, ``task[TASK.bin]``: the compiler sees a number.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]
Words = NDArray[np.uint32]
Index = NDArray[np.unsignedinteger[Any]]  # uint16 or uint32, whichever holds the rows
Flags = NDArray[np.bool_]

GAP = 255  # the code of a missing value
POSITIVE, NEGATIVE = 0, 1  # the two classes of a problem
MIXED, IN_USE = np.uint8(1), np.uint8(2)  # a bin may hold several values; it holds a row of positive weight
LAST_OF_VALUE = np.uint32(1 << 31)  # marks the last of the sorted rows of a value
POSITION = np.uint32((1 << 31) - 1)  # a sorted row without that mark


class Stump(NamedTuple):
    """Where a stump cuts the table; see `bounds` for histograms and `scanning.best_stump` for sorted columns."""

    column: int  # -1: there is none
    cut: int  # a bin, or a group of equal values
    last: int  # the last sorted row on the left inside the bin; -1 where the stump does not part it
    gap_right: bool  # missing values go right


class Rounds(NamedTuple):
    """The stumps of a model, one entry per round, and how far it has come."""

    column: Ints  # (T,), and so are all that follow
    cut: Ints
    last: Ints
    gap_right: Ints
    polarity: Ints  # what the stump says on its right side, +1 or -1
    alpha: Floats  # eq. (2)
    u: Floats  # the sum of y h(x) over the rows
    edge: Floats  # gamma, without the learning rate
    state: Ints  # (3,) see `STATE`


class _State(NamedTuple):
    n_rounds: int  # stumps so far
    finished: int  # 1: there will be no more
    n_given: int  # rounds whose stump is known beforehand


class _Info(NamedTuple):
    unit: int
    n_cells: int  # of the unit; 0 if it holds this column only
    nominal: int
    first: int  # the lowest bin in use
    last: int  # the highest
    has_gaps: int
    has_mixed: int  # some bin in use may hold several values


class _Best(NamedTuple):
    size: int  # |edge|
    runner_up: int  # the next smaller |edge|
    edge: int
    cut: int
    last: int
    gap_right: int
    column: int  # only where the stumps of several columns lie side by side


class _Task(NamedTuple):
    contender: int  # the number of its column among the contenders
    column: int
    bin: int
    edge: int  # at the bin's lower border
    gaps: int  # G, see `bounds`
    bound: int


class _Chunk(NamedTuple):
    first: int
    stop: int
    label: int  # POSITIVE or NEGATIVE
    owner: int  # the thread that works on it


class _Move(NamedTuple):
    kind: int
    column: int
    cut: int
    gap_right: int
    positive_left: int  # factors of the weights, by class and side
    positive_right: int
    negative_left: int
    negative_right: int


class _Cap(NamedTuple):
    kind: int
    positive: int  # the largest weight allowed to either class
    negative: int


class _Column(NamedTuple):
    n_groups: int  # missing values not counted
    has_gaps: int
    nominal: int
    left_out: int  # the group that is not among the entries
    entry_start: int
    entry_middle: int  # where the entries of the groups above the one left out begin
    bulk_start: int


class _Bulk(NamedTuple):
    slot: int
    first: int  # of its members
    stop: int
    group: int


class _Laid(NamedTuple):
    groups: int
    entries: int
    bulks: int
    members: int


class _Totals(NamedTuple):
    signed: int  # S, positive less negative weight
    weight: int  # Z
    averaging: int  # of the weights that u sums over


STATE = _State(*range(3))  # of `Rounds.state`
INFO = _Info(*range(7))  # of `info` (d, 7): what the histograms' kernels know of a column
BEST = _Best(*range(7))  # of the best stump so far, (6,) or (7,); all -1 before the first
TASK = _Task(*range(6))  # of a bin to be opened
CHUNK = _Chunk(*range(4))  # of `Rows.chunks`
MOVE = _Move(*range(8))  # of what a round does to the weights of a part
CAP = _Cap(*range(3))  # of a move that caps the weights
COLUMN = _Column(*range(7))  # of `Layout.columns`: what is known of a sorted column
BULK = _Bulk(*range(4))  # of `Layout.bulks`
LAID = _Laid(*range(4))  # of the sizes of a block of sorted columns
TOTALS = _Totals(*range(3))  # of the sums over the rows of a model on sorted columns
