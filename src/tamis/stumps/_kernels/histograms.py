"""The weights of the rows and the histograms of their sums, from one round to the next.

Words used here
    position  the number of a row in the words, where the rows of a class lie side by side.
    chunk     a range of positions of one class, see `fields.CHUNK`; the chunks of one owner are one part of the work.
    H         (units, 2, 256), the weight of either class in each cell of each unit.
    small     for each class, the side of the stump on which it has fewer rows; the other one is big.

Weights are float64 that hold integers, and every sum of them is below 2**53: exact in any order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tamis._jit import kernel
from tamis.stumps._kernels.fields import CHUNK, Floats, Ints, Words
from tamis.stumps._kernels.weights import updated

BLOCK = 1024


class Rows(NamedTuple):
    """The rows of a fit. Those of chunk c on the small side are listed from the chunk's first position on."""

    chunks: Ints  # (c, 4)
    weights: Floats  # (n,)
    listed: Words  # (n,) uint32, positions
    taken: Floats  # (n,) the weights of the listed rows
    counts: Ints  # (c,) how many are listed
    small_sums: Floats  # (c,) what they weigh
    sums: Floats  # (c,) what the whole chunk weighs


@kernel
def _add(x, w, h0, h1, h2, h3):
    """Add a weight to one cell of each of a word's four units."""
    byte = np.uint32(255)
    h0[x & byte] += w
    h1[(x >> np.uint32(8)) & byte] += w
    h2[(x >> np.uint32(16)) & byte] += w
    h3[x >> np.uint32(24)] += w


@kernel
def add_range(word, weights, h, label):
    """Add rows to h (4, 2, 256), from both halves in turn: neighbours often share cells, and would wait."""
    h0, h1, h2, h3 = h[0, label], h[1, label], h[2, label], h[3, label]
    half = len(word) // 2
    other_word, other_weights = word[half:], weights[half:]
    for i in range(half):
        _add(word[i], weights[i], h0, h1, h2, h3)
        _add(other_word[i], other_weights[i], h0, h1, h2, h3)
    for i in range(half, len(other_word)):
        _add(other_word[i], other_weights[i], h0, h1, h2, h3)


@kernel
def add_listed(word, listed, taken, h, label):
    """Add listed rows to h (4, 2, 256), from both halves in turn."""
    h0, h1, h2, h3 = h[0, label], h[1, label], h[2, label], h[3, label]
    half = len(listed) // 2
    other_listed, other_taken = listed[half:], taken[half:]
    for i in range(half):
        _add(word[listed[i]], taken[i], h0, h1, h2, h3)
        _add(word[other_listed[i]], other_taken[i], h0, h1, h2, h3)
    for i in range(half, len(other_listed)):
        _add(word[other_listed[i]], other_taken[i], h0, h1, h2, h3)


@kernel
def full_histogram(words, rows, weights, H, part, n_parts):
    """Write the histogram of the rows that this part owns to H[part]; H is (parts, units, 2, 256)."""
    H[part] = 0.0
    for g in range(words.shape[0]):
        for c in range(len(rows.chunks)):
            first, last, label, owner = rows.chunks[c]
            if owner == part:
                add_range(words[g, first:last], weights[first:last], H[part, 4 * g : 4 * g + 4], label)


@kernel
def take_small(word, shift, small, parted, rows, part, n_parts):
    """List the rows of the small side, take their weights out of `rows.weights` and sum them.

    Parameters
    ----------
    word : (n,) uint32, the word of the stump's unit
    shift : uint32, the unit's first bit
    small : (2, 256) uint8, 1 for cells on the small side of a class
    parted : (m,) uint32, the positions on the small side in a bin that the stump parts, whose cells count as big
    rows : Rows, written for the chunks of this part: weights (0 for listed rows), listed, taken, counts,
        small_sums
    """
    for c in range(len(rows.chunks)):
        if rows.chunks[c, CHUNK.owner] != part:
            continue
        first, last, label, _ = rows.chunks[c]
        listed = rows.listed[first:last]
        n_listed = list_small(word[first:last], shift, small[label], first, listed)
        for pos in parted:
            if first <= pos < last:
                listed[n_listed] = pos
                n_listed += 1
        rows.counts[c] = n_listed
        rows.small_sums[c] = _take(rows.weights, listed[:n_listed], rows.taken[first:last])


@kernel
def list_small(word, shift, is_small, first, listed):
    """Write the positions whose cell is on the small side to `listed`; returns their number."""
    n_listed = np.uint64(0)
    for i in range(len(word)):
        listed[n_listed] = first + i
        n_listed += np.uint64(is_small[(word[i] >> shift) & np.uint32(255)])
    return np.int64(n_listed)


@kernel
def _take(weights, listed, taken):
    """Move the weights of the listed rows to `taken`, leaving 0; returns their sum."""
    total = 0.0
    for i in range(len(listed)):
        w = weights[listed[i]]
        weights[listed[i]] = 0.0
        taken[i] = w
        total += w
    return total


@kernel
def add_small(word, rows, first, last, h):
    """Add the entries first..last - 1 of all lists, taken one after the other, to h (4, 2, 256)."""
    passed = 0
    for c in range(len(rows.chunks)):
        start = rows.chunks[c, CHUNK.first]
        label = rows.chunks[c, CHUNK.label]
        begin = start + max(first - passed, 0)
        end = start + min(last - passed, rows.counts[c])
        passed += rows.counts[c]
        if begin < end:
            add_listed(word, rows.listed[begin:end], rows.taken[begin:end], h, label)


@kernel
def mix(H, h, big, small):
    """H <- f_big H + (f_small - f_big) h, class by class."""
    for lane in range(len(H)):
        for label in range(2):
            f = big[label]
            g = small[label] - f
            out = H[lane, label]
            part = h[lane, label]
            for cell in range(256):
                out[cell] = f * out[cell] + g * part[cell]


@kernel
def sum_of(w):
    """The sum of weights, in eight lanes."""
    whole = len(w) // 8 * 8
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
    for i in range(0, whole, 8):
        s0 += w[i]
        s1 += w[i + 1]
        s2 += w[i + 2]
        s3 += w[i + 3]
        s4 += w[i + 4]
        s5 += w[i + 5]
        s6 += w[i + 6]
        s7 += w[i + 7]
    for i in range(whole, len(w)):
        s0 += w[i]
    return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))


@kernel
def scale(rows, big, small, part):
    """W <- max(1, rint(W f)) for the chunks of one part; rows of weight 0 keep it.

    The listed rows stand at 0 while the others are scaled: with the wrong factor they could push the sum past 2**53.
    """
    for c in range(len(rows.chunks)):
        if rows.chunks[c, CHUNK.owner] != part:
            continue
        first, last, label, _ = rows.chunks[c]
        f = big[label]
        total = 0.0
        for start in range(first, last, BLOCK):
            w = rows.weights[start : min(start + BLOCK, last)]
            for i in range(len(w)):
                w[i] = updated(w[i], f)
            total += sum_of(w)
        listed = rows.listed[first : first + rows.counts[c]]
        taken = rows.taken[first : first + rows.counts[c]]
        f = small[label]
        for i in range(len(listed)):
            w_small = updated(taken[i], f)
            rows.weights[listed[i]] = w_small
            total += w_small
        rows.sums[c] = total


@kernel
def cap_weights(rows, caps, part):
    """Cut every weight in the chunks of one part down to the cap of its class, and sum these anew."""
    for c in range(len(rows.chunks)):
        if rows.chunks[c, CHUNK.owner] != part:
            continue
        w = rows.weights[rows.chunks[c, CHUNK.first] : rows.chunks[c, CHUNK.stop]]
        cap = caps[rows.chunks[c, CHUNK.label]]
        for i in range(len(w)):
            w[i] = min(w[i], cap)
        rows.sums[c] = sum_of(w)


@kernel
def listed_sums(rows, averaging):
    """The sum of `averaging` over the listed rows of either class."""
    totals = np.zeros(2)
    for c in range(len(rows.chunks)):
        first, _, label, _ = rows.chunks[c]
        for i in range(first, first + rows.counts[c]):
            totals[label] += averaging[rows.listed[i]]
    return totals
