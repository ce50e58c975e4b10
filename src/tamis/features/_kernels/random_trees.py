"""Trees of random cuts, and what they say of the rows that they have not seen (Geurts, Ernst and Wehenkel, 2006).

Each tree grows on two thirds of the rows. A node draws about the square root of the number of columns, of those that are not constant
in it, and for each of them one cut; the cut that parts the classes best is taken, or leaves the smallest squares of a numeric
target. A number is cut anywhere between the
smallest and the largest in the node; of a nominal column one value, that of a row in the node, goes left.

Who calls whom::

    unseen_shares -> shuffle, grow -> best_cut -> all_alike, drawn_cut, n_left_of
                                      parted
                     leaf_of
"""

import numpy as np

from tamis._jit import kernel
from tamis.chains._kernels.numbers import uniform

LEAST_TO_CUT = 5  # rows in a node


@kernel
def unseen_shares(columns, nominal, labels, amounts, n_classes, n_trees, seed):
    """What trees say of rows that they have not seen: mean class shares, float64 (n, n_classes).

    columns, float64 (p, n), without missing values; nominal, bool (p,); labels, int64 (n,); seed, int64. A row that all trees
    have seen gets the class shares of all rows. amounts, float64 (n,): what a row counts in its class, 1. Rows of a numeric target are
    of one class, and their amounts are the numbers: shares are then means.
    """
    n = len(labels)
    n_seen = max(1, 2 * n // 3)
    random = np.full(1, np.uint64(seed))
    rows = np.arange(n)
    totals, n_told = np.zeros((n, n_classes)), np.zeros(n)
    for _ in range(n_trees):
        shuffle(rows, n_seen, random)
        nodes, cuts, shares = grow(columns, nominal, labels, amounts, n_classes, rows[:n_seen], random)
        for row in rows[n_seen:]:
            leaf = leaf_of(columns, nominal, nodes, cuts, row)
            for label in range(n_classes):
                totals[row, label] += shares[leaf, label]
            n_told[row] += 1
    prior = np.zeros(n_classes)
    for row in range(n):
        prior[labels[row]] += amounts[row]
    for row in range(n):
        for label in range(n_classes):
            told = n_told[row] > 0
            totals[row, label] = totals[row, label] / n_told[row] if told else prior[label] / n
    return totals


@kernel
def shuffle(rows, n_first, random):
    """Bring rows drawn at random to the first places of `rows`; advances `random`."""
    for place in range(n_first):
        other = place + int(uniform(random) * (len(rows) - place))
        rows[place], rows[other] = rows[other], rows[place]


@kernel
def grow(columns, nominal, labels, amounts, n_classes, rows, random):
    """A tree on some rows, which are brought into another order.

    Returns nodes, int64 (m, 2): the column of each node, -1 in a leaf, and its left child, which the right one follows; cuts,
    float64 (m,); and the class shares of leaves, float64 (m, n_classes).
    """
    n_most = 2 * len(rows)
    nodes, cuts = np.full((n_most, 2), -1), np.zeros(n_most)
    shares = np.zeros((n_most, n_classes))
    parts = np.zeros((n_most, 2), np.int64)  # the rows of each node: from, to
    parts[0, 1] = len(rows)
    n_nodes, node = 1, 0
    while node < n_nodes:
        start, stop = parts[node]
        mine = rows[start:stop]
        for row in mine:
            shares[node, labels[row]] += amounts[row]
        column, cut = best_cut(columns, nominal, labels, amounts, mine, shares[node], random)
        if column < 0:
            for label in range(n_classes):
                shares[node, label] /= len(mine)
        else:
            middle = start + parted(columns[column], nominal[column], cut, mine)
            nodes[node, 0], nodes[node, 1], cuts[node] = column, n_nodes, cut
            parts[n_nodes, 0], parts[n_nodes, 1] = start, middle
            parts[n_nodes + 1, 0], parts[n_nodes + 1, 1] = middle, stop
            n_nodes += 2
        node += 1
    return nodes[:n_nodes], cuts[:n_nodes], shares[:n_nodes]


@kernel
def best_cut(columns, nominal, labels, amounts, rows, counts, random):
    """Of a cut in each of a few columns drawn, the one after which a row is most often with its like; column -1: no cut.

    counts, float64 (n_classes,): sums of the rows' amounts. Worth is the sum over both sides of the squared class counts by the number of
    rows; the one drawn first on ties.
    """
    best, best_column, best_at = -1.0, -1, 0.0
    if len(rows) < LEAST_TO_CUT or all_alike(labels, amounts, rows):
        return best_column, best_at
    order = np.arange(len(columns))
    wanted = int(np.ceil(np.sqrt(len(columns))))
    left = np.empty(len(counts))
    for place in range(len(columns)):
        if wanted == 0:
            break
        other = place + int(uniform(random) * (len(order) - place))
        order[place], order[other] = order[other], order[place]
        column = order[place]
        varies, cut = drawn_cut(columns[column], nominal[column], rows, uniform(random))
        if not varies:
            continue
        wanted -= 1
        n_left = n_left_of(columns[column], nominal[column], cut, labels, amounts, rows, left)
        like_left, like_right = 0.0, 0.0  # whole numbers of classes: their order does not matter
        for label in range(len(counts)):
            like_left += left[label] * left[label]
            like_right += (counts[label] - left[label]) * (counts[label] - left[label])
        worth = like_left / n_left + like_right / (len(rows) - n_left)
        if worth > best:
            best, best_column, best_at = worth, column, cut
    return best_column, best_at


@kernel
def all_alike(labels, amounts, rows):
    """Whether some rows are all of one class and one number."""
    for row in rows:
        if labels[row] != labels[rows[0]] or amounts[row] != amounts[rows[0]]:
            return False
    return True


@kernel
def drawn_cut(values, nominal, rows, share):
    """Whether the values of some rows differ, and where to cut them by a number `share` from 0 to 1, both sides having rows."""
    smallest = largest = values[rows[0]]
    for row in rows:
        smallest, largest = min(smallest, values[row]), max(largest, values[row])
    if nominal:
        return smallest < largest, values[rows[int(share * len(rows))]]
    cut = smallest + share * (largest - smallest)
    return smallest < largest, cut if cut < largest else smallest


@kernel
def goes_left(value, nominal, cut):
    """On which side of a cut a value lies."""
    return value == cut if nominal else value <= cut


@kernel
def n_left_of(values, nominal, cut, labels, amounts, rows, left):
    """How many rows go left; `left`, float64 (n_classes,), is overwritten with the amounts of each class."""
    left[:] = 0
    n_left = 0
    for row in rows:
        if goes_left(values[row], nominal, cut):
            left[labels[row]] += amounts[row]
            n_left += 1
    return n_left


@kernel
def parted(values, nominal, cut, rows):
    """Bring the rows that go left before the others; returns how many they are."""
    first, last = 0, len(rows) - 1
    while first <= last:
        if goes_left(values[rows[first]], nominal, cut):
            first += 1
        else:
            rows[first], rows[last] = rows[last], rows[first]
            last -= 1
    return first


@kernel
def leaf_of(columns, nominal, nodes, cuts, row):
    """The leaf in which a row ends."""
    node = 0
    while nodes[node, 0] >= 0:
        column = nodes[node, 0]
        left = goes_left(columns[column, row], nominal[column], cuts[node])
        node = nodes[node, 1] if left else nodes[node, 1] + 1
    return node
