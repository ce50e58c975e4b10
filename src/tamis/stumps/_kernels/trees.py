"""Trees of three and more leaves: grown leaf by leaf on histograms, the leaf that gains most edge first.

Words and symbols
    weight  of a row, signed by its class: y W, an integer held in float64, of which every sum is exact
    S       the sum of the weights of a node; a leaf says the sign of S
    split   see `tree_splits`; it gains what its edge is above |S|
    list    the rows of a node, by position in the table, and their weights

Of leaves that gain the same the one that was made first is split. A split that gains nothing is none; one that gains has sides of opposite signs. Where no split of the root gains, the tree is the
stump of largest edge |S - 2 F|, whose sides say the opposite of each other.

Who calls whom: train -> grow -> look_at -> tree_splits; grow, regrow -> divide; train -> keep_weights, add_parts, update or
soft_update -> soften.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tamis._jit import kernel
from tamis.stumps._kernels.fields import INFO, NEGATIVE, POSITIVE, STATE
from tamis.stumps._kernels.histograms import add_listed, add_range
from tamis.stumps._kernels.tree_splits import best_split
from tamis.stumps._kernels.weights import factors, is_right, largest_weight, stump_figures, updated


class _Node(NamedTuple):
    start: int  # of its list
    stop: int
    slot: int  # of its histogram
    label: int
    column: int  # of its best split, -1 for none
    cut: int
    gap_right: int
    left: int  # its left child; the right one follows; 0 for a leaf
    parent: int


class _Sum(NamedTuple):
    all: int  # S
    left: int  # F of its best split
    gain: int


NODE = _Node(*range(9))
SUM = _Sum(*range(3))


class Growth(NamedTuple):
    """The tree in the making."""

    nodes: Any  # (2 leaves - 1, 9) see `NODE`
    sums: Any  # (2 leaves - 1, 3) see `SUM`
    H: Any  # (leaves, units, 1, 256)
    listed: Any  # (n,) uint32, and so is `other_listed`
    taken: Any  # (n,) weights of the listed rows
    other_listed: Any
    other_taken: Any
    scratch: Any  # (256,)


class Forest(NamedTuple):
    """The trees of a model: node by node, in the order in which they were made."""

    n_nodes: Any  # (T,)
    split: Any  # (T, leaves - 1) the node that was split; its children are 1 + 2 s and 2 + 2 s
    column: Any  # (T, leaves - 1), and so are `cut`, `gap_right`
    cut: Any
    gap_right: Any
    label: Any  # (T, 2 leaves - 1) what a leaf says
    part_column: Any  # (T, leaves) the columns of a tree, -1 behind the last
    part_u: Any  # (T, leaves) each column's part in the sum of y h(x)
    part_weight: Any  # (T, leaves) and in the weight of all rows, a share


class Work(NamedTuple):
    """A model in the making."""

    weights: Any  # (n,) by position, signed
    soft: float  # nu: the share of the rows that may be given up; 0 for none
    start: Any  # (n,) the weights before the first round, signed
    raw: Any  # (n,) with `soft`: what the rounds have made of the weight of each row, a factor
    averaging: Any  # (n,) what u sums over, signed
    sharers: Any  # (2,) see `problems.cap_sharers`
    n_rows: float  # rows of positive weight
    snapshots: Any  # (kept, n) weights, or with `soft` factors, at the beginning of some rounds
    kept: Any  # (kept,) these rounds, -1 for none
    used: Any  # (d,) bool: columns of the trees so far


@kernel
def root_histogram(words, weights, H):
    """Write the histogram of all rows to H (units, 1, 256)."""
    H[:] = 0.0
    for g in range(len(words)):
        add_range(words[g], weights, H[4 * g : 4 * g + 4], 0)


@kernel
def look_at(view, growth, columns, number, least):
    """Find the best split of a node whose histogram is there, of edge above `least`."""
    node, sums = growth.nodes[number], growth.sums[number]
    H = growth.H[node[NODE.slot]]
    edge, column, cut, gap_right, left = best_split(view, H, columns, sums[SUM.all], least, growth.scratch)
    node[NODE.column], node[NODE.cut], node[NODE.gap_right] = column, cut, gap_right
    sums[SUM.gain], sums[SUM.left] = edge - abs(sums[SUM.all]), left


@kernel
def divide(view, growth, weights, number, left):
    """Part the list of a node between its children, nodes `left` and `left` + 1; that of the root is all rows."""
    nodes, listed, taken = growth.nodes, growth.listed, growth.taken
    node = nodes[number]
    column = node[NODE.column]
    unit = view.info[column, INFO.unit]
    word, shift = view.words[unit // 4], np.uint32(8 * (unit % 4))
    right = np.empty(256, np.uint8)
    nominal, gap_right = view.info[column, INFO.nominal] > 0, node[NODE.gap_right] > 0
    for cell in range(256):
        right[cell] = is_right(view.bin_of[column, cell], node[NODE.cut], nominal, gap_right)
    start, stop = node[NODE.start], node[NODE.stop]
    to_left, to_right = np.uint64(start), np.uint64(0)
    for i in range(start, stop):
        position = listed[i] if number else np.uint32(i)
        weight = taken[i] if number else weights[i]
        side = np.uint64(right[(word[position] >> shift) & np.uint32(255)])
        listed[to_left], taken[to_left] = position, weight
        growth.other_listed[to_right], growth.other_taken[to_right] = position, weight
        to_right += side
        to_left += np.uint64(1) - side
    border = np.int64(to_left)
    listed[border:stop] = growth.other_listed[: stop - border]
    taken[border:stop] = growth.other_taken[: stop - border]
    node[NODE.left] = left
    for child in (left, left + 1):
        nodes[child] = 0
        nodes[child, NODE.parent], nodes[child, NODE.column] = number, -1
    nodes[left, NODE.start], nodes[left, NODE.stop] = start, border
    nodes[left + 1, NODE.start], nodes[left + 1, NODE.stop] = border, stop


@kernel
def enter_labels(growth, s):
    """Give the two nodes that split s made what they say: the sign of S, or in a lone stump the opposite of each other."""
    left, right = growth.sums[1 + 2 * s, SUM.all], growth.sums[2 + 2 * s, SUM.all]
    growth.nodes[1 + 2 * s, NODE.label] = 1 if left > 0.0 else -1
    growth.nodes[2 + 2 * s, NODE.label] = 1 if right > 0.0 else -1
    if s == 0 and not left * right < 0.0:
        growth.nodes[2, NODE.label] = 1 if right > left else -1
        growth.nodes[1, NODE.label] = -growth.nodes[2, NODE.label]


@kernel
def begin(growth, weights):
    """Make the root: all rows."""
    growth.nodes[0] = 0
    growth.nodes[0, NODE.stop] = len(weights)
    growth.sums[0, SUM.all] = weights.sum()


@kernel
def grow(view, growth, forest, t, weights, columns):
    """Grow a tree and enter its splits as those of round t."""
    nodes, sums, H = growth.nodes, growth.sums, growth.H
    begin(growth, weights)
    root_histogram(view.words, weights, H[0])
    look_at(view, growth, columns, 0, abs(sums[0, SUM.all]))
    n_nodes, most = 1, len(nodes)
    if nodes[0, NODE.column] < 0:
        look_at(view, growth, columns, 0, 0.0)
        most = 3
    while n_nodes < most:
        best = -1
        for number in range(n_nodes):
            if nodes[number, NODE.left] == 0 and nodes[number, NODE.column] >= 0:
                if best < 0 or sums[number, SUM.gain] > sums[best, SUM.gain]:
                    best = number
        if best < 0:
            break
        s, left, right = n_nodes // 2, n_nodes, n_nodes + 1
        divide(view, growth, weights, best, left)
        forest.split[t, s], forest.column[t, s] = best, nodes[best, NODE.column]
        forest.cut[t, s], forest.gap_right[t, s] = nodes[best, NODE.cut], nodes[best, NODE.gap_right]
        sums[left, SUM.all] = sums[best, SUM.left]
        sums[right, SUM.all] = sums[best, SUM.all] - sums[best, SUM.left]
        enter_labels(growth, s)
        n_nodes += 2
        if n_nodes < most:
            size = nodes[left, NODE.stop] - nodes[left, NODE.start]
            few, many = left, right
            if size > nodes[right, NODE.stop] - nodes[right, NODE.start]:
                few, many = right, left
            nodes[many, NODE.slot], nodes[few, NODE.slot] = nodes[best, NODE.slot], s + 1
            take_out(view, growth, nodes[few], H[s + 1], H[nodes[best, NODE.slot]])
            look_at(view, growth, columns, left, abs(sums[left, SUM.all]))
            look_at(view, growth, columns, right, abs(sums[right, SUM.all]))
    forest.n_nodes[t] = n_nodes


@kernel
def take_out(view, growth, node, small, large):
    """Write the histogram of a node to `small` (units, 1, 256), and take it out of `large`."""
    start, stop = node[NODE.start], node[NODE.stop]
    listed, taken = growth.listed[start:stop], growth.taken[start:stop]
    for g in range(len(view.words)):
        small[4 * g : 4 * g + 4] = 0.0
        add_listed(view.words[g], listed, taken, small[4 * g : 4 * g + 4], 0)
        for unit in range(4 * g, 4 * g + 4):
            whole, part = large[unit, 0], small[unit, 0]
            for cell in range(256):
                whole[cell] -= part[cell]


@kernel
def regrow(view, growth, forest, t, weights):
    """Make the tree of round t again, from its splits."""
    begin(growth, weights)
    for s in range(forest.n_nodes[t] // 2):
        number = forest.split[t, s]
        node = growth.nodes[number]
        node[NODE.column], node[NODE.cut] = forest.column[t, s], forest.cut[t, s]
        node[NODE.gap_right] = forest.gap_right[t, s]
        divide(view, growth, weights, number, 1 + 2 * s)
        for child in (1 + 2 * s, 2 + 2 * s):
            start, stop = growth.nodes[child, NODE.start], growth.nodes[child, NODE.stop]
            growth.sums[child, SUM.all] = growth.taken[start:stop].sum()
        enter_labels(growth, s)


@kernel
def add_parts(growth, forest, t, averaging):
    """Share the sum of y h(x) and the weight of the rows among the columns on the path of each leaf, in equal parts."""
    nodes, n_nodes = growth.nodes, forest.n_nodes[t]
    columns, u, weight = forest.part_column[t], forest.part_u[t], forest.part_weight[t]
    columns[:], u[:], weight[:] = -1, 0.0, 0.0
    for s in range(n_nodes // 2):
        place = 0
        while columns[place] != forest.column[t, s] and columns[place] >= 0:
            place += 1
        columns[place] = forest.column[t, s]
    whole = 0.0
    for i in range(len(averaging)):
        whole += abs(averaging[i])
    on_path = np.zeros(len(columns), np.bool_)
    for leaf in range(1, n_nodes):
        if nodes[leaf, NODE.left]:
            continue
        right = held = 0.0
        for i in range(nodes[leaf, NODE.start], nodes[leaf, NODE.stop]):
            one = averaging[growth.listed[i]]
            right += one
            held += abs(one)
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
                u[place] += nodes[leaf, NODE.label] * right / n_different
                weight[place] += held / whole / n_different


@kernel
def update(growth, n_nodes, work, g, weight_cap):
    """Make the rows that the tree gets right lighter and the others heavier."""
    less, more = factors(g)
    total = 0.0
    for number in range(n_nodes):
        node = growth.nodes[number]
        if node[NODE.left]:
            continue
        up, down = (less, more) if node[NODE.label] > 0 else (more, less)
        for i in range(node[NODE.start], node[NODE.stop]):
            before = growth.taken[i]
            after = updated(abs(before), up if before > 0.0 else down)
            work.weights[growth.listed[i]] = after if before > 0.0 else -after
            total += after
    if weight_cap > 0.0:
        high = largest_weight(weight_cap, total, work.sharers[POSITIVE])
        low = -largest_weight(weight_cap, total, work.sharers[NEGATIVE])
        for i in range(len(work.weights)):
            work.weights[i] = max(low, min(high, work.weights[i]))


@kernel
def soften(work):
    """Make the weights of the factors, none of which counts for more than q: a soft margin.

    Rows above q have at most nu of the weight at the start: they may be given up. Factors are divided by the power of 2 above
    q, so that no weight is above the one at the start; where q is above 2^400 all factors are made smaller for good.
    """
    total, above = np.abs(work.start).sum(), 0.0
    by_size = np.argsort(work.raw)
    q, i = 1.0, len(by_size) - 1
    while i >= 0:
        above += abs(work.start[by_size[i]])
        q = work.raw[by_size[i]]
        if above > work.soft * total:
            break
        i -= 1
    if q > 2.0**400:
        work.raw[:] *= 2.0**-400
        q *= 2.0**-400
    scale = math.ldexp(1.0, -math.frexp(q)[1])
    for i in range(len(work.raw)):
        weight = updated(abs(work.start[i]), min(work.raw[i], q) * scale)
        work.weights[i] = weight if work.start[i] > 0.0 else -weight


@kernel
def soft_update(growth, n_nodes, work, g):
    """As `update`, with a soft margin."""
    less, more = factors(g)
    for number in range(n_nodes):
        node = growth.nodes[number]
        if node[NODE.left]:
            continue
        for i in range(node[NODE.start], node[NODE.stop]):
            right = growth.taken[i] * node[NODE.label] > 0.0
            work.raw[growth.listed[i]] *= less if right else more
    soften(work)


@kernel
def keep_weights(forest, work, t):
    """Keep the weights at the beginning of round t if its tree uses a column for the first time."""
    new = False
    for s in range(forest.n_nodes[t] // 2):
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
    work.snapshots[place] = work.raw if work.soft > 0.0 else work.weights


@kernel
def train(view, growth, forest, work, rounds, columns, end, settings):
    """Add trees until there are `end`, or there will be no more; those known beforehand are made again."""
    while rounds.state[STATE.n_rounds] < end:
        t = rounds.state[STATE.n_rounds]
        if t < rounds.state[STATE.n_given]:
            regrow(view, growth, forest, t, work.weights)
        else:
            grow(view, growth, forest, t, work.weights, columns)
        edge = total = 0.0
        for number in range(1, forest.n_nodes[t]):
            if growth.nodes[number, NODE.left] == 0:
                edge += growth.nodes[number, NODE.label] * growth.sums[number, SUM.all]
        for i in range(len(work.weights)):
            total += abs(work.weights[i])
        if not edge > 0.0:
            rounds.state[STATE.finished] = 1
            return
        gamma, g, alpha, perfect = stump_figures(edge, total, work.n_rows, settings.learning_rate)
        keep_weights(forest, work, t)
        forest.label[t] = growth.nodes[:, NODE.label]
        add_parts(growth, forest, t, work.averaging)
        rounds.alpha[t], rounds.edge[t] = alpha, gamma
        rounds.state[STATE.n_rounds] = t + 1
        if perfect:
            rounds.state[STATE.finished] = 1
            return
        if work.soft > 0.0:
            soft_update(growth, forest.n_nodes[t], work, g)
        else:
            update(growth, forest.n_nodes[t], work, g, settings.weight_cap)
