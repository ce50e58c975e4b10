"""Trees of three and more leaves: grown leaf by leaf on histograms, the leaf that gains most first.

Words and symbols
    P, N    weight of the positive and of the negative rows of a node; integers held in float64, every sum of which is exact
    z       sqrt(P N) of a node; a split gains z less the z of its two sides (Kearns and Mansour)
    leaf    a node without children; it says +1 where P > N, -1 where P < N, and what its parent says where they are equal
    cut     a bin: up to it goes left; of a nominal (categorical) column it goes right. 255: known values left, gaps right
    list    the rows of a node: their positions and weights, the positive ones first

Ties: the lower column, then the lower cut, then gaps (missing values) on the left; of leaves the one that was made first. A split that gains
less than 2^-40 of z is none. A tree whose leaves all say the same keeps its first split alone, whose sides then say the
opposite of each other; its other columns earn nothing, but without them it might have been another.

Who calls whom: train -> keep_weights, grow -> best_split -> numeric_split, nominal_split, gap_split; divide; say; update, add_parts.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tamis._jit import kernel
from tamis.stumps._kernels.bounds import column_histogram
from tamis.stumps._kernels.fields import GAP, INFO, MIXED, NEGATIVE, POSITIVE, STATE
from tamis.stumps._kernels.histograms import add_listed, add_range
from tamis.stumps._kernels.weights import factors, is_right, largest_weight, stump_figures, updated

SMALLEST = 2.0**-40  # of z: the least that a split gains


class _Node(NamedTuple):
    start: int  # of its list
    middle: int  # where the negative rows begin
    stop: int
    slot: int  # of its histogram
    label: int
    column: int  # of its best split, -1 for none
    cut: int
    gap_right: int
    left: int  # its left child; the right one follows; 0 for a leaf
    parent: int


class _Sum(NamedTuple):
    positive: int
    negative: int
    gain: int
    left_positive: int
    left_negative: int


NODE = _Node(*range(10))
SUM = _Sum(*range(5))


class View(NamedTuple):
    """The table as it is read."""

    words: Any  # (w, n) uint32
    bin_of: Any  # (d, 256) the bin of each cell of the column's unit
    info: Any  # (d, 7) see `INFO`
    flags: Any  # (d, 256) of each bin, see `bounds`
    base: Any  # (n,) uint32: the positions, positive ones first
    ranges: Any  # (r, 3) int64: positions from, up to, and their class


class Growth(NamedTuple):
    """The tree in the making."""

    nodes: Any  # (2 leaves - 1, 10) see `NODE`
    sums: Any  # (2 leaves - 1, 5) see `SUM`
    H: Any  # (leaves, units, 2, 256)
    listed: Any  # (n,) uint32, and so is `other_listed`
    taken: Any  # (n,) weights of the listed rows
    other_listed: Any
    other_taken: Any
    scratch: Any  # (6, 256)


class Forest(NamedTuple):
    """The trees of a model: node by node, in the order in which they were made."""

    n_nodes: Any  # (T,)
    n_grown: Any  # (T,) nodes before the tree was cut back
    split: Any  # (T, leaves - 1) the node that was split; its children are 1 + 2 s and 2 + 2 s
    column: Any  # (T, leaves - 1), and so are `cut`, `gap_right`
    cut: Any
    gap_right: Any
    label: Any  # (T, 2 leaves - 1) what a leaf says
    part_column: Any  # (T, leaves - 1) the columns of a tree, -1 behind the last
    part_u: Any  # (T, leaves - 1) each column's part in the sum of y h(x)
    part_weight: Any  # (T, leaves - 1) and in the weight of all rows, a share


class Work(NamedTuple):
    """A model in the making."""

    weights: Any  # (n,) by position
    averaging: Any  # (n,) what u sums over
    sharers: Any  # (2,) see `problems.cap_sharers`
    n_rows: float  # rows of positive weight
    snapshots: Any  # (kept, n) weights at the beginning of some rounds
    kept: Any  # (kept,) these rounds, -1 for none
    used: Any  # (d,) bool: columns of the trees so far


@kernel
def numeric_split(p, q, info, P, N, best, scratch):
    """Return z, cut, gap_right, and the left P and N of the first cut of z below `best`; cut -1 if there is none."""
    first, last = info[INFO.first], info[INFO.last]
    left_p, left_q, z = scratch[0], scratch[1], scratch[2]
    G_p, G_q = p[GAP], q[GAP]
    a, b = G_p, G_q
    for k in range(first, last):
        a += p[k]
        b += q[k]
        left_p[k], left_q[k] = a, b
    for k in range(first, last):
        z[k] = math.sqrt(left_p[k] * left_q[k]) + math.sqrt((P - left_p[k]) * (N - left_q[k]))
    cut, side = -1, 0
    if G_p + G_q == 0.0:
        for k in range(first, last):
            if z[k] < best:
                best, cut = z[k], k
    else:
        for k in range(first, last):
            if z[k] < best:
                best, cut, side = z[k], k, 0
            a, b = left_p[k] - G_p, left_q[k] - G_q
            other = math.sqrt(a * b) + math.sqrt((P - a) * (N - b))
            if other < best:
                best, cut, side = other, k, 1
    if cut < 0:
        return best, -1, 0, 0.0, 0.0
    return best, cut, side, left_p[cut] - side * G_p, left_q[cut] - side * G_q


@kernel
def nominal_split(p, q, info, flags, P, N, best):
    """As `numeric_split` for a nominal column: one value goes right; bins of several values are left alone."""
    cut, side = -1, 0
    for k in range(info[INFO.first], info[INFO.last] + 1):
        if p[k] + q[k] == 0.0 or flags[k] & MIXED:
            continue
        for gap_right in range(1 + (p[GAP] + q[GAP] > 0.0)):
            a, b = p[k] + gap_right * p[GAP], q[k] + gap_right * q[GAP]
            z = math.sqrt((P - a) * (N - b)) + math.sqrt(a * b)
            if z < best:
                best, cut, side = z, k, gap_right
    if cut < 0:
        return best, -1, 0, 0.0, 0.0
    return best, cut, side, P - (p[cut] + side * p[GAP]), N - (q[cut] + side * q[GAP])


@kernel
def best_split(view, H, columns, P, N, scratch):
    """Return gain, column, cut, gap_right and the left P and N of a node's best split; column -1 if there is none."""
    whole = math.sqrt(P * N)
    best = whole - whole * SMALLEST
    column, cut, gap_right, left_p, left_q = -1, -1, 0, 0.0, 0.0
    if whole == 0.0:
        return 0.0, column, cut, gap_right, left_p, left_q
    for i in range(len(columns)):
        f = columns[i]
        info = view.info[f]
        p, q = column_histogram(H, view.info, view.bin_of, f, scratch[4:6])
        if info[INFO.nominal]:
            found = nominal_split(p, q, info, view.flags[f], P, N, best)
        else:
            found = numeric_split(p, q, info, P, N, best, scratch)
        if found[1] >= 0:
            best, cut, gap_right, left_p, left_q = found
            column = f
        a, b = p[GAP], q[GAP]
        if a + b > 0.0:
            z = math.sqrt((P - a) * (N - b)) + math.sqrt(a * b)
            if z < best:
                best, column, cut, gap_right, left_p, left_q = z, f, GAP, 1, P - a, N - b
    return (whole - best if column >= 0 else 0.0), column, cut, gap_right, left_p, left_q


@kernel
def add_histogram(view, growth, node, H):
    """Write the histogram of the listed rows of a node to H (units, 2, 256)."""
    H[:] = 0.0
    start, middle, stop = node[NODE.start], node[NODE.middle], node[NODE.stop]
    for g in range(len(view.words)):
        h = H[4 * g : 4 * g + 4]
        word = view.words[g]
        add_listed(word, growth.listed[start:middle], growth.taken[start:middle], h, POSITIVE)
        add_listed(word, growth.listed[middle:stop], growth.taken[middle:stop], h, NEGATIVE)


@kernel
def root_histogram(view, weights, H):
    """Write the histogram of all rows to H (units, 2, 256)."""
    H[:] = 0.0
    for g in range(len(view.words)):
        for r in range(len(view.ranges)):
            first, stop, label = view.ranges[r]
            add_range(view.words[g, first:stop], weights[first:stop], H[4 * g : 4 * g + 4], label)


@kernel
def divide(view, growth, number, left):
    """Part the list of a node between its children, which are entered as nodes `left` and `left` + 1."""
    nodes, listed, taken = growth.nodes, growth.listed, growth.taken
    column = nodes[number, NODE.column]
    unit = view.info[column, INFO.unit]
    word, shift = view.words[unit // 4], np.uint32(8 * (unit % 4))
    right = np.empty(256, np.uint8)
    for cell in range(256):
        right[cell] = is_right(
            view.bin_of[column, cell],
            nodes[number, NODE.cut],
            view.info[column, INFO.nominal] > 0,
            nodes[number, NODE.gap_right] > 0,
        )
    start, middle, stop = nodes[number, NODE.start], nodes[number, NODE.middle], nodes[number, NODE.stop]
    to_left, to_right = np.uint64(start), np.uint64(0)
    left_middle = right_middle = np.uint64(0)
    for i in range(start, stop):
        if i == middle:
            left_middle, right_middle = to_left, to_right
        position, weight = listed[i], taken[i]
        side = np.uint64(right[(word[position] >> shift) & np.uint32(255)])
        listed[to_left], taken[to_left] = position, weight
        growth.other_listed[to_right], growth.other_taken[to_right] = position, weight
        to_right += side
        to_left += np.uint64(1) - side
    if middle == stop:
        left_middle, right_middle = to_left, to_right
    border = np.int64(to_left)
    listed[border:stop] = growth.other_listed[: stop - border]
    taken[border:stop] = growth.other_taken[: stop - border]
    nodes[number, NODE.left] = left
    for child in (left, left + 1):
        nodes[child] = 0
        nodes[child, NODE.parent] = number
    nodes[left, NODE.start], nodes[left, NODE.middle], nodes[left, NODE.stop] = start, left_middle, border
    nodes[left + 1, NODE.start], nodes[left + 1, NODE.stop] = border, stop
    nodes[left + 1, NODE.middle] = border + np.int64(right_middle)


@kernel
def look_at(view, growth, columns, number):
    """Find the best split of a node whose histogram is there."""
    nodes, sums = growth.nodes, growth.sums
    P, N = sums[number, SUM.positive], sums[number, SUM.negative]
    H = growth.H[nodes[number, NODE.slot]]
    gain, column, cut, gap_right, left_p, left_q = best_split(view, H, columns, P, N, growth.scratch)
    sums[number, SUM.gain], sums[number, SUM.left_positive], sums[number, SUM.left_negative] = (
        gain,
        left_p,
        left_q,
    )
    nodes[number, NODE.column], nodes[number, NODE.cut], nodes[number, NODE.gap_right] = column, cut, gap_right


@kernel
def sum_list(growth, number):
    """Sum the weights of a node's list."""
    node = growth.nodes[number]
    growth.sums[number, SUM.positive] = growth.taken[node[NODE.start] : node[NODE.middle]].sum()
    growth.sums[number, SUM.negative] = growth.taken[node[NODE.middle] : node[NODE.stop]].sum()


@kernel
def begin(view, growth, weights):
    """Make the root: all rows, positive ones first."""
    nodes, n_positive = growth.nodes, 0
    for r in range(len(view.ranges)):
        if view.ranges[r, 2] == POSITIVE:
            n_positive += view.ranges[r, 1] - view.ranges[r, 0]
    nodes[0] = 0
    nodes[0, NODE.middle], nodes[0, NODE.stop] = n_positive, len(view.base)
    for i in range(len(view.base)):
        growth.listed[i] = view.base[i]
        growth.taken[i] = weights[view.base[i]]
    sum_list(growth, 0)


@kernel
def grow(view, growth, forest, t, weights, columns):
    """Grow a tree and enter its splits as those of round t."""
    nodes, sums, H = growth.nodes, growth.sums, growth.H
    begin(view, growth, weights)
    root_histogram(view, weights, H[0])
    look_at(view, growth, columns, 0)
    n_nodes, most = 1, len(nodes)
    while n_nodes < most:
        best = -1
        for number in range(n_nodes):
            if nodes[number, NODE.left] == 0 and nodes[number, NODE.column] >= 0:
                if best < 0 or sums[number, SUM.gain] > sums[best, SUM.gain]:
                    best = number
        if best < 0:
            break
        divide(view, growth, best, n_nodes)
        s = n_nodes // 2
        forest.split[t, s], forest.column[t, s] = best, nodes[best, NODE.column]
        forest.cut[t, s], forest.gap_right[t, s] = nodes[best, NODE.cut], nodes[best, NODE.gap_right]
        left, right = n_nodes, n_nodes + 1
        sums[left, SUM.positive] = sums[best, SUM.left_positive]
        sums[left, SUM.negative] = sums[best, SUM.left_negative]
        sums[right, SUM.positive] = sums[best, SUM.positive] - sums[best, SUM.left_positive]
        sums[right, SUM.negative] = sums[best, SUM.negative] - sums[best, SUM.left_negative]
        n_nodes += 2
        nodes[left, NODE.column] = nodes[right, NODE.column] = -1
        if n_nodes < most:
            few, many = left, right
            if (
                nodes[left, NODE.stop] - nodes[left, NODE.start]
                > nodes[right, NODE.stop] - nodes[right, NODE.start]
            ):
                few, many = right, left
            nodes[many, NODE.slot] = nodes[best, NODE.slot]
            nodes[few, NODE.slot] = n_nodes // 2
            small, large = H[nodes[few, NODE.slot]], H[nodes[many, NODE.slot]]
            add_histogram(view, growth, nodes[few], small)
            for unit in range(len(large)):
                for label in range(2):
                    whole, part = large[unit, label], small[unit, label]
                    for cell in range(256):
                        whole[cell] -= part[cell]
            look_at(view, growth, columns, left)
            look_at(view, growth, columns, right)
    forest.n_grown[t] = n_nodes


@kernel
def regrow(view, growth, forest, t, weights):
    """Make the tree of round t again, from its splits."""
    begin(view, growth, weights)
    for s in range(forest.n_grown[t] // 2):
        number = forest.split[t, s]
        node = growth.nodes[number]
        node[NODE.column], node[NODE.cut] = forest.column[t, s], forest.cut[t, s]
        node[NODE.gap_right] = forest.gap_right[t, s]
        divide(view, growth, number, 1 + 2 * s)
        sum_list(growth, 1 + 2 * s)
        sum_list(growth, 2 + 2 * s)


@kernel
def say(growth, forest, t):
    """Give every leaf of a tree its label, cut the tree back if it says the same everywhere; return its edge."""
    nodes, sums, n_nodes = growth.nodes, growth.sums, forest.n_grown[t]
    forest.n_nodes[t] = n_nodes
    edge, lowest, highest = 0.0, 1, -1
    for number in range(n_nodes):
        lead = sums[number, SUM.positive] - sums[number, SUM.negative]
        label = nodes[nodes[number, NODE.parent], NODE.label] if lead == 0.0 and number else 0
        label = 1 if lead > 0.0 else -1 if lead < 0.0 else label
        nodes[number, NODE.label] = label
        if nodes[number, NODE.left] == 0:
            edge += label * lead
            lowest, highest = min(lowest, label), max(highest, label)
    if lowest == highest:
        forest.n_nodes[t] = min(n_nodes, 3)
        leads = sums[:3, SUM.positive] - sums[:3, SUM.negative]
        edge = leads[2] - leads[1] if n_nodes > 1 else 0.0
        nodes[2, NODE.label] = 1 if edge > 0.0 else -1
        nodes[1, NODE.label] = -nodes[2, NODE.label]
        edge = abs(edge)
        for number in range(3, n_nodes):
            nodes[number, NODE.label] = nodes[nodes[number, NODE.parent], NODE.label]
    forest.label[t, : forest.n_nodes[t]] = nodes[: forest.n_nodes[t], NODE.label]
    return edge


@kernel
def add_parts(growth, forest, t, n_nodes, averaging):
    """Share the sum of y h(x) and the weight of the rows among the columns on the path of each leaf, in equal parts."""
    nodes, kept = growth.nodes, forest.n_nodes[t]
    right, total = np.zeros(kept), np.zeros(kept)
    whole = 0.0
    for number in range(n_nodes):
        if nodes[number, NODE.left]:
            continue
        start, middle, stop = nodes[number, NODE.start], nodes[number, NODE.middle], nodes[number, NODE.stop]
        positive = negative = 0.0
        for i in range(start, middle):
            positive += averaging[growth.listed[i]]
        for i in range(middle, stop):
            negative += averaging[growth.listed[i]]
        leaf = number
        while leaf >= kept:
            leaf = nodes[leaf, NODE.parent]
        right[leaf] += nodes[number, NODE.label] * (positive - negative)
        total[leaf] += positive + negative
        whole += positive + negative
    columns, u, weight = forest.part_column[t], forest.part_u[t], forest.part_weight[t]
    columns[:], u[:], weight[:] = -1, 0.0, 0.0
    for s in range(n_nodes // 2):
        place = 0
        while columns[place] != forest.column[t, s] and columns[place] >= 0:
            place += 1
        columns[place] = forest.column[t, s]
    on_path = np.zeros(len(columns), np.bool_)
    for leaf in range(1, kept):
        if kept > 3 and nodes[leaf, NODE.left]:
            continue
        on_path[:] = False
        number, n_different = leaf, 0
        while number:
            number = nodes[number, NODE.parent]
            place = 0
            while columns[place] != nodes[number, NODE.column]:
                place += 1
            n_different += not on_path[place]
            on_path[place] = True
        for place in range(len(columns)):
            if on_path[place]:
                u[place] += right[leaf] / n_different
                weight[place] += total[leaf] / whole / n_different


@kernel
def update(growth, n_nodes, work, g, weight_cap):
    """Make the rows that the tree gets right lighter and the others heavier."""
    less, more = factors(g)
    total = 0.0
    for number in range(n_nodes):
        node = growth.nodes[number]
        if node[NODE.left]:
            continue
        for label in (1, -1):
            first, stop = (
                (node[NODE.start], node[NODE.middle]) if label > 0 else (node[NODE.middle], node[NODE.stop])
            )
            factor = less if node[NODE.label] == label else more
            for i in range(first, stop):
                weight = updated(growth.taken[i], factor)
                work.weights[growth.listed[i]] = weight
                total += weight
    if weight_cap > 0.0:
        for number in range(n_nodes):
            node = growth.nodes[number]
            if node[NODE.left]:
                continue
            caps = (
                largest_weight(weight_cap, total, work.sharers[POSITIVE]),
                largest_weight(weight_cap, total, work.sharers[NEGATIVE]),
            )
            for i in range(node[NODE.start], node[NODE.stop]):
                position = growth.listed[i]
                work.weights[position] = min(
                    work.weights[position], caps[0] if i < node[NODE.middle] else caps[1]
                )


@kernel
def keep_weights(forest, work, t):
    """Keep the weights at the beginning of round t if its tree uses a column for the first time."""
    new = False
    for s in range(forest.n_grown[t] // 2):
        column = forest.column[t, s]
        new |= not work.used[column]
        work.used[column] = True
    if not new or len(work.kept) == 0 or (work.kept == t).any():
        return
    if (work.kept >= 0).all():  # every second one goes, but not the first
        for place in np.argsort(work.kept)[1::2]:
            work.kept[place] = -1
    place = 0
    while work.kept[place] >= 0:
        place += 1
    work.kept[place] = t
    work.snapshots[place] = work.weights


@kernel
def train(view, growth, forest, work, rounds, columns, end, settings):
    """Add trees until there are `end`, or there will be no more; those known beforehand are made again."""
    while rounds.state[STATE.n_rounds] < end:
        t = rounds.state[STATE.n_rounds]
        if t < rounds.state[STATE.n_given]:
            regrow(view, growth, forest, t, work.weights)
        else:
            grow(view, growth, forest, t, work.weights, columns)
        n_nodes = forest.n_grown[t]
        total = growth.sums[0, SUM.positive] + growth.sums[0, SUM.negative]
        edge = say(growth, forest, t)
        if edge == 0.0:
            rounds.state[STATE.finished] = 1
            return
        gamma, g, alpha, perfect = stump_figures(edge, total, work.n_rows, settings.learning_rate)
        keep_weights(forest, work, t)
        add_parts(growth, forest, t, n_nodes, work.averaging)
        rounds.alpha[t], rounds.edge[t] = alpha, gamma
        rounds.state[STATE.n_rounds] = t + 1
        if perfect:
            rounds.state[STATE.finished] = 1
            return
        update(growth, n_nodes, work, g, settings.weight_cap)


@kernel
def column_edges(view, H, columns, S):
    """Return the largest |edge| that one split of each column has; S is P less N of all rows."""
    edges = np.zeros(len(columns))
    scratch = np.zeros((2, 256))
    for i in range(len(columns)):
        info = view.info[columns[i]]
        p, q = column_histogram(H, view.info, view.bin_of, columns[i], scratch)
        gaps, left, most = p[GAP] - q[GAP], 0.0, 0.0
        first, last, nominal = info[INFO.first], info[INFO.last], info[INFO.nominal]
        if p[GAP] + q[GAP] > 0.0 and last >= 0:
            most = abs(2.0 * gaps - S)
        several = last > first or p[GAP] + q[GAP] > 0.0
        for k in range(first, last + 1 if nominal else last):
            if nominal and (p[k] + q[k] == 0.0 or view.flags[columns[i], k] & MIXED or not several):
                continue
            left = p[k] - q[k] if nominal else left + p[k] - q[k]
            most = max(most, abs(S - 2.0 * left))
            if last > first:
                most = max(most, abs(S - 2.0 * (left + gaps)))
        edges[i] = most
    return edges
