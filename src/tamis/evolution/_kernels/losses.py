"""The loss of a hypothesis: the pairs of rows that h puts in the wrong order, ties counted half.

Who calls whom::

    lost_pairs -> lost_by_counting, lost_by_cells or lost_by_sorting -> sorted_rows    (two groups of rows)
               -> lost_by_comparing or lost_between_groups -> sorted_rows              (more than two)

Rows come group by group, h to be smaller in an earlier group; pairs within a group do not count. Two classes are two groups, and a
numeric target has a group for each of its values. Between more than two groups weights are whole numbers of a sum below
2^31, so that every sum is exact.
"""

import numpy as np

from tamis._jit import kernel

F32, I32, U32 = np.float32, np.int32, np.uint32

COUNTED = 20_000  # up to this many pairs, counting them all is fastest
COMPARED = 250_000  # the same between many groups, where the other way is a tree
CROWDED = 32  # with more far rows than this in one cell, sorting is safer
ZERO = F32(0.0)


@kernel
def lost_by_counting(near, far):
    """Return twice the number of pairs in which a near row has the larger h, plus the number of ties; weights are 1."""
    n = len(near)
    full = n - n % 4
    total = 0
    for i in range(0, full, 4):
        a, b, c, e = near[i], near[i + 1], near[i + 2], near[i + 3]
        count = I32(0)
        for j in range(len(far)):
            v = far[j]
            one = I32(I32(I32(a > v) + I32(a >= v)) + I32(I32(b > v) + I32(b >= v)))
            two = I32(I32(I32(c > v) + I32(c >= v)) + I32(I32(e > v) + I32(e >= v)))
            count = I32(count + I32(one + two))
        total += count
    for i in range(full, n):
        a = near[i]
        count = I32(0)
        for j in range(len(far)):
            count = I32(count + I32(I32(a > far[j]) + I32(a >= far[j])))
        total += count
    return float(total)


@kernel
def lost_by_cells(near, far):
    """Return `lost_by_counting` for many rows: a near row is compared only with the far rows of its cell of [low, high].

    Returns -1 if a cell is crowded, or if the range is too small to be divided.
    """
    n_far, low, high = len(far), far.min(), far.max()
    size = 2
    while size < 2 * n_far:
        size *= 2
    if high - low < F32(1e-30):
        return -1.0
    scale = F32(size) / (high - low)  # larger values never get a lower cell, however this rounds
    cells = np.empty(n_far, np.int32)
    ends = np.zeros(size + 3, np.int32)
    for j in range(n_far):
        cells[j] = I32((far[j] - low) * scale)
        ends[cells[j] + 2] += 1
    if ends.max() > CROWDED:
        return -1.0
    for cell in range(2, size + 3):
        ends[cell] += ends[cell - 1]
    ordered = np.empty(n_far, np.float32)
    for j in range(n_far):  # afterwards cell k is ordered[ends[k]:ends[k + 1]]
        ordered[ends[cells[j] + 1]] = far[j]
        ends[cells[j] + 1] += 1
    total = 0
    for i in range(len(near)):
        a = near[i]
        if a > high:
            total += 2 * n_far
        elif a >= low:
            cell = I32((a - low) * scale)
            total += 2 * ends[cell]
            for j in range(ends[cell], ends[cell + 1]):
                total += I32(a > ordered[j]) + I32(a >= ordered[j])
    return float(total)


@kernel
def sorted_rows(h):
    """Sort the rows by increasing `h`, equal values in row order: a radix sort in four passes, one per byte.

    Returns the keys in that order (unsigned integers that sort like the floats) and the rows.
    """
    n = len(h)
    keys, rows = np.empty(n, np.uint32), np.empty(n, np.int32)
    counts = np.zeros((4, 257), np.int64)
    for i in range(n):
        bits = np.float32(h[i] + ZERO).view(np.uint32)  # adding 0 turns -0 into 0
        key = U32(~bits) if bits >> U32(31) else U32(bits | U32(0x80000000))
        keys[i], rows[i] = key, i
        for byte in range(4):
            counts[byte, ((key >> U32(8 * byte)) & U32(255)) + 1] += 1
    other_keys, other_rows = np.empty(n, np.uint32), np.empty(n, np.int32)
    for byte in range(4):
        start = counts[byte]
        for j in range(1, 257):
            start[j] += start[j - 1]
        for i in range(n):
            key = keys[i]
            slot = (key >> U32(8 * byte)) & U32(255)
            other_keys[start[slot]], other_rows[start[slot]] = key, rows[i]
            start[slot] += 1
        keys, other_keys = other_keys, keys
        rows, other_rows = other_rows, rows
    return keys, rows


@kernel
def lost_by_sorting(h, weights, n_near):
    """Return `lost_by_counting` for rows of any weight: the weight of a pair is the product of its rows' weights."""
    keys, rows = sorted_rows(h)
    n = len(h)
    lost, before, i = 0.0, 0.0, 0
    while i < n:
        key, near, far = keys[i], 0.0, 0.0
        while i < n and keys[i] == key:
            if rows[i] < n_near:
                near += weights[rows[i]]
            else:
                far += weights[rows[i]]
            i += 1
        lost += near * (2.0 * before + far)
        before += far
    return lost


@kernel
def lost_by_comparing(h, groups):
    """Return the loss between many groups of rows of weight 1, every pair looked at."""
    total = 0
    for g in range(len(groups) - 1):
        later = h[groups[g + 1] :]
        for i in range(groups[g], groups[g + 1]):
            a, count = h[i], I32(0)
            for j in range(len(later)):
                count = I32(count + I32(I32(a > later[j]) + I32(a >= later[j])))
            total += count
    return float(total)


@kernel
def lost_between_groups(h, weights, groups):
    """Return the loss between many groups, in O(n log n): rows by increasing h, and a Fenwick tree of the weight by group.

    Weights are whole numbers. A row loses twice the weight of the rows of smaller h in later groups; rows of equal h lose
    the product of their weights once, where their groups differ.
    """
    n_groups = len(groups) - 1
    group_of = np.empty(len(h), np.int64)
    for g in range(n_groups):
        group_of[groups[g] : groups[g + 1]] = g
    keys, rows = sorted_rows(h)
    tree = np.zeros(n_groups + 1, np.int64)  # of the rows of smaller h
    lost, before, start = np.int64(0), np.int64(0), 0
    while start < len(h):
        end, tied = start, np.int64(0)
        while end < len(h) and keys[end] == keys[start]:  # equal h: in row order, so that groups are runs
            group, own = group_of[rows[end]], np.int64(0)
            while end < len(h) and keys[end] == keys[start] and group_of[rows[end]] == group:
                own += np.int64(weights[rows[end]])
                end += 1
            upto, at = np.int64(0), group + 1
            while at > 0:
                upto += tree[at]
                at -= at & -at
            lost += 2 * own * (before - upto) + own * tied
            tied += own
        for i in range(start, end):
            at = group_of[rows[i]] + 1
            while at <= n_groups:
                tree[at] += np.int64(weights[rows[i]])
                at += at & -at
        before += tied
        start = end
    return float(lost)


@kernel
def lost_pairs(h, weights, groups, even):
    """Return twice the weight of the wrongly ordered pairs, and once that of ties; `even` if all weights are 1.

    h, float32 (n,); weights, float64 (n,); groups, int64 (g + 1,): where each group begins, and n.
    """
    lost = -1.0
    if len(groups) == 3:
        near, far = h[: groups[1]], h[groups[1] :]
        if even and len(near) * len(far) <= COUNTED:
            return lost_by_counting(near, far)
        if even:
            lost = lost_by_cells(near, far)
        return lost if lost >= 0.0 else lost_by_sorting(h, weights, groups[1])
    if even and len(h) * len(h) <= 2 * COMPARED:
        return lost_by_comparing(h, groups)
    return lost_between_groups(h, weights, groups)
