"""Several columns of few bins in one byte.

The bins of the columns of a bundle, side by side, make a key; the keys that occur in the table are numbered, and that
number, the cell, is stored. A bundle holds at most 256 cells. A histogram over its cells gives that of each of its
columns by adding up cells.
"""

from __future__ import annotations

import numpy as np

from tamis._jit import kernel
from tamis.stumps._kernels.fields import GAP

MAX_CELLS = 256
MAX_BITS = 62
N_OPEN = 8  # bundles that still take columns


@kernel
def plan_bundles(codes, n_bins, complete):
    """Share out columns among bundles, each column to the first bundle that has room for it.

    Parameters
    ----------
    codes : (c, s) uint8, the bins of the columns in a sample of the rows, 255 for a gap
    n_bins : (c,)
    complete : bool, whether the sample is the whole table; otherwise room is kept for cells not seen in it, as many as
        the number of cells seen once and twice lets expect (f1 (f1 - 1) / (2 (f2 + 1)), Chao's estimate)

    Returns
    -------
    bundle : (c,) the number of the column's bundle
    shift : (c,) the first bit of the column's bin in the key
    gap_bin : (c,) the gap's bin in the key, -1 where the sample has no gap
    """
    n_columns, n_sample = codes.shape
    bundle = np.zeros(n_columns, np.int64)
    shift = np.zeros(n_columns, np.int64)
    gap_bin = np.full(n_columns, -1, np.int64)
    cells = np.zeros((N_OPEN, n_sample), np.int64)
    n_bits = np.zeros(n_columns + N_OPEN, np.int64)
    joint = np.empty(n_sample, np.int64)
    n_bundles = 0
    for i in range(n_columns):
        width = n_bins[i]
        for row in range(n_sample):
            if codes[i, row] == GAP:
                gap_bin[i] = n_bins[i]
                width = n_bins[i] + 1
                break
        bits = 1
        while 1 << bits < width:
            bits += 1
        bundle[i] = -1
        for b in range(max(0, n_bundles - N_OPEN), n_bundles):
            if n_bits[b] + bits > MAX_BITS:
                continue
            if _join(cells[b % N_OPEN], codes[i], complete, joint) <= MAX_CELLS:
                bundle[i] = b
                break
        if bundle[i] < 0:
            bundle[i] = n_bundles
            n_bundles += 1
            cells[bundle[i] % N_OPEN] = 0
            _join(cells[bundle[i] % N_OPEN], codes[i], complete, joint)
        b = bundle[i]
        shift[i] = n_bits[b]
        n_bits[b] += bits
        cells[b % N_OPEN] = joint
    return bundle, shift, gap_bin


@kernel
def _join(cells, codes, complete, joint):
    """Number the pairs of cell and bin in `joint`; returns how many there are, or will be in the whole table."""
    name = np.full((MAX_CELLS, 64), -1, np.int16)  # gaps have column 63
    count = np.zeros(MAX_CELLS + 1, np.int64)
    n_pairs = 0
    for row in range(len(cells)):
        code = min(codes[row], 63)
        pair = np.int64(name[cells[row], code])
        if pair < 0:
            if n_pairs == MAX_CELLS:
                return MAX_CELLS + 1
            pair = n_pairs
            name[cells[row], code] = pair
            n_pairs += 1
        joint[row] = pair
        count[pair] += 1
    if complete:
        return n_pairs
    once = 0
    twice = 0
    for pair in range(n_pairs):
        once += count[pair] == 1
        twice += count[pair] == 2
    return n_pairs + once * (once - 1) // (2 * (twice + 1))


@kernel
def cell_bins(keys, shift, n_bins, gap_bin):
    """The bin of each cell in one column of a bundle, 255 for gaps and for cells not in use."""
    bins = np.full(256, GAP, np.uint8)
    width = n_bins + (gap_bin >= 0)
    n_bits = 1
    while 1 << n_bits < width:
        n_bits += 1
    for cell in range(len(keys)):
        code = (keys[cell] >> shift) & ((1 << n_bits) - 1)
        if code != gap_bin:
            bins[cell] = code
    return bins
