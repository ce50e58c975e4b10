"""From a table of float64 to bytes, without sorting a column.

Words used here
    bin     how many thresholds of the column lie below a value, 0 to 254; 255 is the gap, a missing value (NaN).
    simple  a bin all of whose values are equal, to the bin's upper threshold: no stump can part it.
    unit    one byte per row: the bin of one column, or the cell of a bundle, which stands for the bins of several.
    word    four units in 32 bits.

Order of calls: `cutting.cut_points` on a sorted sample, `grids`, then `code_rows` on every value.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tamis._jit import kernel
from tamis.stumps._kernels.fields import GAP, Bytes, Flags, Floats, Ints

MAX_BINS = 255
N_GRID = 2048
TILE = 192  # rows coded at a time
BLOCK = 64  # columns read at a time
FEW = 8  # up to so many bins, thresholds are compared one by one
N_SLOTS = 1021  # of the table that finds a bundle's cells; a prime


class Cuts(NamedTuple):
    """How the columns are cut into bins."""

    values: Floats  # (d, 256) thresholds ascending: the highest value of each bin; +inf beyond, and where it is not known
    n_bins: Ints  # (d,)
    checked: Flags  # (d,) whether some bin may be simple
    low: Floats  # (d,) with `scale`: the grid cell of x is (x - low) * scale, kept within 0..N_GRID - 1
    scale: Floats  # (d,)
    n_steps: Ints  # (d,) thresholds that share a grid cell, at most; -1: search by halving
    grid: Bytes  # (d, N_GRID) how many thresholds lie in lower cells


class Layout(NamedTuple):
    """Where the bins of the columns go."""

    unit: Ints  # (d,) the column's unit
    bundle: Ints  # (d,) the number of its bundle, or -1; bundle b is unit n_single + b
    shift: Ints  # (d,) the first bit of its bin in the bundle's key
    gap_bin: Ints  # (d,) the gap's bin in the key; -1: a gap breaks the bundle
    n_single: int
    n_bundles: int


class Chunk(NamedTuple):
    """What coding a range of rows leaves behind, one entry per range."""

    mixed: Bytes  # (ranges, d, 256) 1 where a bin is not simple
    keys: Ints  # (ranges, bundles, 256) the key of each cell
    n_cells: Ints  # (ranges, bundles); -1 for a broken bundle


def flat(table: Floats) -> tuple[Floats, Ints]:
    """A float64 table as it lies in memory, and the steps from row to row and from column to column."""
    n_rows, n_columns = table.shape
    if table.flags.f_contiguous and not table.flags.c_contiguous:
        return table.reshape(-1, order="F"), np.array([1, n_rows])
    return np.ascontiguousarray(table).reshape(-1), np.array([n_columns, 1])


@kernel
def grids(values, n_bins):
    """A table for each column that leads from a value to the thresholds near it: low, scale, n_steps, grid of `Cuts`.

    The cell of a value is monotone in the value, rounding included: thresholds in lower cells lie below the value,
    those in higher cells above it, and only those in its own cell are compared.
    """
    n_columns = len(n_bins)
    low = np.zeros(n_columns)
    scale = np.zeros(n_columns)
    n_steps = np.zeros(n_columns, np.int64)
    grid = np.zeros((n_columns, N_GRID), np.uint8)
    for column in range(n_columns):
        n_cuts = n_bins[column] - 1
        if n_cuts < FEW:
            continue
        low[column] = values[column, 0]
        width = values[column, n_cuts - 1] - values[column, 0]
        factor = (N_GRID - 1) / width
        n_steps[column] = -1
        if not (np.isfinite(width) and np.isfinite(factor)):
            continue
        counts = np.zeros(N_GRID, np.int64)
        for k in range(n_cuts):
            counts[np.int64(_cell(values[column, k], low[column], factor))] += 1
        below = 0
        for cell in range(N_GRID):
            grid[column, cell] = below
            below += counts[cell]
        scale[column] = factor
        if counts.max() <= 3:
            n_steps[column] = counts.max()
    return low, scale, n_steps, grid


@kernel
def _cell(x, low, scale):
    """The grid cell of a value, as a float; NaN goes to cell 0."""
    at = (x - low) * scale
    at = at if at > 0.0 else 0.0
    return min(at, N_GRID - 1.0)


@kernel
def _code_column(x, cuts, column, codes, cells):
    """Write the bin of each value of `x` to `codes`; returns whether there is a gap."""
    m = len(x)
    values = cuts.values[column]
    last_bin = np.uint8(cuts.n_bins[column] - 1)
    if last_bin < FEW:
        for i in range(m):
            codes[i] = np.uint8(0)
        for k in range(last_bin):
            cut = values[k]
            for i in range(m):
                codes[i] += np.uint8(x[i] > cut)
    elif cuts.n_steps[column] >= 0:
        low = cuts.low[column]
        scale = cuts.scale[column]
        grid = cuts.grid[column]
        for i in range(m):
            cells[i] = np.int32(_cell(x[i], low, scale))
        if cuts.n_steps[column] <= 1:
            for i in range(m):
                code = np.uint32(grid[np.uint32(cells[i])])
                code += np.uint32(values[code] < x[i])
                codes[i] = min(np.uint8(code), last_bin)
        else:
            for i in range(m):
                code = np.uint32(grid[np.uint32(cells[i])])
                code += np.uint32(values[code] < x[i])
                code += np.uint32(values[code] < x[i])
                codes[i] = min(np.uint8(code), last_bin)
        if cuts.n_steps[column] > 2:
            for i in range(m):
                codes[i] = min(codes[i] + np.uint8(values[np.uint32(codes[i])] < x[i]), last_bin)
    else:
        for i in range(m):
            code = np.uint32(0)
            half = np.uint32(128)
            for _ in range(8):
                code += half * np.uint32(values[code + half - np.uint32(1)] < x[i])
                half >>= np.uint32(1)
            codes[i] = min(np.uint8(code), last_bin)
    n_gaps = 0
    for i in range(m):
        n_gaps += np.int64(x[i] != x[i])
    if n_gaps > 0:
        for i in range(m):
            if x[i] != x[i]:
                codes[i] = np.uint8(GAP)
    return n_gaps > 0


@kernel
def _check_column(x, values, n_bins, codes, mixed):
    """Mark the bins of which some value in `x` is not the highest."""
    m = len(x)
    if n_bins <= FEW:
        n_equal = 0
        for k in range(n_bins):
            value = values[k]
            for i in range(m):
                n_equal += np.int64(x[i] == value)
        if n_equal == m:
            return
    n_unequal = 0
    for i in range(m):
        n_unequal += np.int64(values[np.uint32(codes[i])] != x[i])
    if n_unequal > 0:
        for i in range(m):
            mixed[codes[i]] |= np.uint8(values[codes[i]] != x[i])


@kernel
def _read_tile(values, steps, start, m, block, width, x):
    """Copy the rows start..start + m - 1 and columns block..block + width - 1, turned, to `x`."""
    row, column = steps
    if column > row:  # columns lie together
        for j in range(width):
            at = start * row + (block + j) * column
            x[j, :m] = values[at : at + m]
        return
    whole = m // 4 * 4
    for i in range(0, whole, 4):
        at = (start + i) * row + block
        a = values[at : at + width]
        b = values[at + row : at + row + width]
        c = values[at + 2 * row : at + 2 * row + width]
        d = values[at + 3 * row : at + 3 * row + width]
        for j in range(width):
            out = x[j]
            out[i] = a[j]
            out[i + 1] = b[j]
            out[i + 2] = c[j]
            out[i + 3] = d[j]
    for i in range(whole, m):
        for j in range(width):
            x[j, i] = values[(start + i) * row + block + j]


@kernel
def take_rows(values, steps, rows, n_columns):
    """Some rows of the table, turned: (d, len(rows))."""
    taken = np.empty((n_columns, len(rows)))
    x = np.empty((BLOCK, 4))
    for i in range(len(rows)):
        for block in range(0, n_columns, BLOCK):
            width = min(BLOCK, n_columns - block)
            _read_tile(values, steps, rows[i], 1, block, width, x)
            for j in range(width):
                taken[block + j, i] = x[j, 0]
    return taken


@kernel
def _add_to_key(codes, m, shift, gap_bin, key):
    """Put a column's bins into the key of its bundle."""
    gap = np.uint8(max(gap_bin, 0))
    for i in range(m):
        code = gap if codes[i] == GAP else codes[i]
        key[i] |= np.int64(code) << shift


@kernel
def _add_two_valued(x, low, high, bit, key):
    """Set a bit of the key where x is `high`; returns whether all other x are `low`."""
    n_known = 0
    for i in range(len(x)):
        n_known += np.int64(x[i] == low) + np.int64(x[i] == high)
        key[i] |= bit if x[i] == high else 0
    return n_known == len(x)


@kernel
def _cells_of(key, m, keys, n_cells, slots, codes):
    """Write the cell of each key to `codes`, new cells as they appear; returns their number, -1 beyond 256."""
    for i in range(m):
        at = key[i] % N_SLOTS
        while slots[at] >= 0 and keys[slots[at]] != key[i]:
            at = at + 1 if at + 1 < N_SLOTS else 0
        if slots[at] < 0:
            if n_cells == 256:
                return -1
            slots[at] = n_cells
            keys[n_cells] = key[i]
            n_cells += 1
        codes[i] = slots[at]
    return n_cells


@kernel
def code_rows(values, steps, cuts, layout, target, words, chunk, part, n_parts):
    """Code the rows of one part of the table.

    Parameters
    ----------
    values : (n d,) float64, the table as it lies in memory
    steps : (2,) from row to row and from column to column in `values`; one of them is 1
    cuts, layout : Cuts and Layout
    target : (n,) the position of each row
    words : (w, n) uint32, written
    chunk : Chunk, of which the entry of this part is written
    """
    first = part * len(target) // n_parts
    last = (part + 1) * len(target) // n_parts
    n_columns = len(cuts.n_bins)
    n_words = words.shape[0]
    x = np.empty((BLOCK, TILE + 8))  # columns a power of 2 apart would share cache lines
    packed = np.empty(TILE, np.uint32)
    cells = np.empty(TILE, np.int32)
    single = np.empty(TILE, np.uint8)
    codes = np.empty((4 * n_words, TILE), np.uint8)
    for unit in range(
        4 * n_words
    ):  # units not in use are counted too: in one cell they would wait for each other
        for i in range(TILE):
            codes[unit, i] = i
    key = np.zeros((layout.n_bundles, TILE), np.int64)
    slots = np.full((layout.n_bundles, N_SLOTS), -1, np.int16)
    n_cells = chunk.n_cells[part]
    for start in range(first, last, TILE):
        m = min(TILE, last - start)
        key[:] = 0
        for block in range(0, n_columns, BLOCK):
            width = min(BLOCK, n_columns - block)
            _read_tile(values, steps, start, m, block, width, x)
            for j in range(width):
                column = block + j
                bundle = layout.bundle[column]
                if bundle >= 0 and cuts.n_bins[column] == 2:
                    low, high = cuts.values[column, 0], cuts.values[column, 1]
                    if _add_two_valued(x[j, :m], low, high, 1 << layout.shift[column], key[bundle]):
                        continue
                out = codes[layout.unit[column]] if bundle < 0 else single
                any_gap = _code_column(x[j, :m], cuts, column, out, cells)
                if cuts.checked[column]:
                    mixed = chunk.mixed[part, column]
                    _check_column(x[j, :m], cuts.values[column], cuts.n_bins[column], out, mixed)
                if bundle >= 0:
                    _add_to_key(out, m, layout.shift[column], layout.gap_bin[column], key[bundle])
                    if any_gap and layout.gap_bin[column] < 0:
                        n_cells[bundle] = -1
        for bundle in range(layout.n_bundles):
            if n_cells[bundle] >= 0:
                out = codes[layout.n_single + bundle]
                keys = chunk.keys[part, bundle]
                n_cells[bundle] = _cells_of(key[bundle], m, keys, n_cells[bundle], slots[bundle], out)
        for g in range(n_words):
            _pack(codes[4 * g : 4 * g + 4], packed[:m])
            word = words[g]
            for i in range(m):
                word[target[start + i]] = packed[i]


@kernel
def _pack(codes, packed):
    """Put four units into one word per row."""
    c0, c1, c2, c3 = codes[0], codes[1], codes[2], codes[3]
    for i in range(len(packed)):
        low = np.uint32(c0[i]) | np.uint32(c1[i]) << np.uint32(8)
        packed[i] = low | np.uint32(c2[i]) << np.uint32(16) | np.uint32(c3[i]) << np.uint32(24)


@kernel
def code_sample(samples, cuts, columns):
    """The bins of the samples (d, s) in the given columns: (len(columns), s) uint8."""
    codes = np.empty((len(columns), samples.shape[1]), np.uint8)
    cells = np.empty(samples.shape[1], np.int32)
    for i in range(len(columns)):
        _code_column(samples[columns[i]], cuts, columns[i], codes[i], cells)
    return codes


@kernel
def rename_cells(words, unit, name, positions):
    """Replace the cells of a unit by name[cell] in the rows at `positions`."""
    word = words[unit // 4]
    shift = np.uint32(8 * (unit % 4))
    for pos in positions:
        cell = (word[pos] >> shift) & np.uint32(255)
        word[pos] ^= np.uint32(cell ^ np.uint32(name[cell])) << shift


@kernel
def pick_units(words, units):
    """The words of some units only, packed anew in the order given."""
    n_words = (len(units) + 3) // 4
    picked = np.zeros((n_words, words.shape[1]), np.uint32)
    for i in range(4 * n_words):
        out = picked[i // 4]
        out_shift = np.uint32(8 * (i % 4))
        if i >= len(units):  # not in use: see `code_rows`
            for pos in range(len(out)):
                out[pos] |= np.uint32(pos % 256) << out_shift
            continue
        word = words[units[i] // 4]
        shift = np.uint32(8 * (units[i] % 4))
        for pos in range(len(out)):
            out[pos] |= ((word[pos] >> shift) & np.uint32(255)) << out_shift
    return picked


@kernel
def bin_counts(words, unit, bin_of):
    """How many rows each bin of a column holds."""
    word = words[unit // 4]
    shift = np.uint32(8 * (unit % 4))
    cells = np.zeros(256, np.int64)
    for pos in range(len(word)):
        cells[(word[pos] >> shift) & np.uint32(255)] += 1
    counts = np.zeros(256, np.int64)
    for cell in range(256):
        counts[bin_of[cell]] += cells[cell]
    return counts
