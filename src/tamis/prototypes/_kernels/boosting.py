"""Loops of PSBoost: boosting with rows as voters; the cost of a step does not grow with the table.

Symbols
-------
N(x)     the neighbours of row x: `neighbors[x]`
R(e)     the rows that candidate e votes for: all x with e in N(x); `voted[starts[e]:starts[e + 1]]`
D        weights of the rows, not normalised; T their sum
r(e)     edge: W+ - W- = sum over x in R(e) of D(x) if y(x) = y(e), of -D(x) otherwise
alpha    1/2 log((W+ + W0/2) / (W- + W0/2)) = atanh(r / T), because W+ + W- + W0 = T; r / T is clipped to
         [-MOST, MOST], so that a candidate that votes for all the weight has a finite alpha

Choosing e changes D on R(e) only (and on e itself, if a chosen row loses its weight), so only candidates in N(x)
for those x change. The best candidate is the root of a tree of maxima. D, T and r are summed again, in a fixed
order, whenever T has halved, so that rounding errors stay far below TIE.

Who calls whom
--------------
    boosted_rows -> _edges, _fill, _choice -> _lowest
    boosted_rows -> _change -> _raise_leaf
    voters stands alone
"""

from typing import NamedTuple

import numpy as np

from tamis._jit import kernel

TIE = 1e-12
MOST = 1.0 - 1e-6
TINY = 1e-300


class Votes(NamedTuple):
    """The graph in both directions, the classes of the rows, and their weights."""

    neighbors: np.ndarray  # (n_rows, k): N(x)
    starts: np.ndarray  # (n_rows + 1,)
    voted: np.ndarray  # (n_rows k,): R(e), ascending
    positive: np.ndarray  # (n_rows,) bool: y = +1
    codes: np.ndarray  # (n_rows,): the class whose quota a row uses up
    weights: np.ndarray  # (n_rows,): D before the first choice


@kernel
def voters(neighbors):
    """Reverse the graph: return starts and voted, the rows that each row is a neighbour of, ascending."""
    n_rows, k = neighbors.shape
    starts = np.zeros(n_rows + 1, dtype=np.int64)
    for x in range(n_rows):
        for p in range(k):
            starts[neighbors[x, p] + 1] += 1
    for e in range(n_rows):
        starts[e + 1] += starts[e]
    ends = starts[:-1].copy()
    voted = np.empty(n_rows * k, dtype=np.int32)
    for x in range(n_rows):
        for p in range(k):
            e = neighbors[x, p]
            voted[ends[e]] = x
            ends[e] += 1
    return starts, voted


@kernel
def _edges(votes, D):
    """Return r of every candidate, and T."""
    edges = np.zeros(D.shape[0])
    for e in range(D.shape[0]):
        for p in range(votes.starts[e], votes.starts[e + 1]):
            x = votes.voted[p]
            edges[e] += D[x] if votes.positive[x] == votes.positive[e] else -D[x]
    return edges, D.sum()


@kernel
def _fill(tree, edges, open_rows):
    """Write the edges of the open candidates to the leaves, -inf for the others, and all maxima above them."""
    first = tree.shape[0] // 2
    tree[:] = -np.inf
    for e in range(edges.shape[0]):
        if open_rows[e]:
            tree[first + e] = edges[e]
    for node in range(first - 1, 0, -1):
        tree[node] = max(tree[2 * node], tree[2 * node + 1])


@kernel
def _raise_leaf(tree, e, value):
    """Write one leaf, and those maxima above it that change."""
    node = tree.shape[0] // 2 + e
    tree[node] = value
    node //= 2
    while node > 0:
        highest = max(tree[2 * node], tree[2 * node + 1])
        if tree[node] == highest:
            return
        tree[node] = highest
        node //= 2


@kernel
def _lowest(tree, least):
    """Return the lowest candidate whose leaf is at least `least`; the root must be at least that."""
    node = 1
    first = tree.shape[0] // 2
    while node < first:
        node *= 2
        if tree[node] < least:
            node += 1
    return node - first


@kernel
def _change(votes, x, weight, D, edges, tree):
    """Set the weight of row x and update the candidates in N(x); return by how much D(x) rose."""
    rise = weight - D[x]
    D[x] = weight
    first = tree.shape[0] // 2
    for p in range(votes.neighbors.shape[1]):
        e = votes.neighbors[x, p]
        edges[e] += rise if votes.positive[x] == votes.positive[e] else -rise
        if tree[first + e] > -np.inf:
            _raise_leaf(tree, e, edges[e])
    return rise


@kernel
def _choice(tree, edges, T):
    """Return the lowest candidate whose alpha is within TIE of the largest, its alpha, and the largest alpha."""
    best = np.arctanh(min(max(tree[1] / T, -MOST), MOST))
    e = _lowest(tree, min(tree[1], T * np.tanh(best - TIE)))
    return e, np.arctanh(min(max(edges[e] / T, -MOST), MOST)), best


@kernel
def boosted_rows(votes, quotas, n_wanted, remove_selected, least):
    """Choose up to `n_wanted` rows, the candidate of largest alpha at each step, the lower row on ties.

    quotas is (n_classes,): how many rows of each class may be chosen. Stops before a candidate whose alpha is below
    `least` by more than TIE. Returns the rows in the order of choice, and the alpha of each.
    """
    n_rows = votes.codes.shape[0]
    rows, alphas = np.empty(n_wanted, dtype=np.int64), np.empty(n_wanted)
    left = quotas.copy()
    open_rows = left[votes.codes] > 0
    leaves = 1
    while leaves < n_rows:
        leaves *= 2
    tree = np.empty(2 * leaves)
    D = votes.weights.copy()
    edges, T = _edges(votes, D)
    _fill(tree, edges, open_rows)
    full = T
    for step in range(n_wanted):
        e, alpha, best = _choice(tree, edges, T)
        if tree[1] == -np.inf or best < least - TIE:
            return rows[:step], alphas[:step]
        rows[step], alphas[step] = e, alpha
        open_rows[e] = False
        _raise_leaf(tree, e, -np.inf)
        for p in range(votes.starts[e], votes.starts[e + 1]):
            x = votes.voted[p]
            agrees = votes.positive[x] == votes.positive[e]
            T += _change(votes, x, D[x] * np.exp(-alpha if agrees else alpha), D, edges, tree)
        if remove_selected:
            T += _change(votes, e, 0.0, D, edges, tree)
        left[votes.codes[e]] -= 1
        closes = left[votes.codes[e]] == 0
        if closes:
            open_rows &= votes.codes != votes.codes[e]
        halved = T < full / 2
        if halved:
            D /= max(D.max(), TINY)
            edges, T = _edges(votes, D)
            T = T if T > 0.0 else 1.0  # no weight is left: every alpha is 0
            full = T
        if closes or halved:
            _fill(tree, edges, open_rows)
    return rows, alphas
