"""Trees of random cuts in plain Python: whole numbers of any size for the random ones, lists for the rows."""

import math

import numpy as np

WORD = 2**64


class Random:
    """splitmix64, as numbers between 0 and 1."""

    def __init__(self, seed):
        self.state = seed % WORD

    def number(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) % WORD
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) % WORD
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % WORD
        z ^= z >> 31
        return min(((z >> 11) + 0.5) * 2.0**-53, 1 - 2.0**-53)

    def bring_forward(self, things, n_first):
        """Draw as many things, one after the other, each put in its place."""
        for place in range(n_first):
            other = place + int(self.number() * (len(things) - place))
            things[place], things[other] = things[other], things[place]
            yield things[place]


def is_left(value, nominal, cut):
    return value == cut if nominal else value <= cut


def likeness(side, numeric):
    """How much alike a side is: squared counts of the classes by the number of rows; of numbers the squared sum by it."""
    if numeric:
        return math.fsum(side) ** 2 / len(side)
    return sum(side.count(c) ** 2 for c in set(side)) / len(side)


def best_cut(columns, nominal, labels, rows, random, numeric):
    """The column and the cut, or None: of a few columns drawn, the one whose sides are purest."""
    if len(rows) < 5 or len({labels[row] for row in rows}) == 1:
        return None
    best, found = -1.0, None
    n_left_to_try = math.ceil(math.sqrt(len(columns)))
    draws = random.bring_forward(list(range(len(columns))), len(columns))
    while n_left_to_try:
        column = next(draws, None)
        if column is None:
            break
        share = random.number()
        values = [columns[column][row] for row in rows]
        if min(values) == max(values):
            continue
        n_left_to_try -= 1
        if nominal[column]:
            cut = values[int(share * len(values))]
        else:
            cut = min(values) + share * (max(values) - min(values))
            cut = cut if cut < max(values) else min(values)
        sides = ([], [])
        for row, value in zip(rows, values):
            sides[0 if is_left(value, nominal[column], cut) else 1].append(labels[row])
        worth = sum(likeness(side, numeric) for side in sides)
        if worth > best:
            best, found = worth, (column, cut)
    return found


def parted(rows, test):
    """Rows that pass from the left; each that does not changes places with the last one not looked at."""
    rows, first, last = list(rows), 0, len(rows) - 1
    while first <= last:
        if test(rows[first]):
            first += 1
        else:
            rows[first], rows[last] = rows[last], rows[first]
            last -= 1
    return rows[:first], rows[first:]


def grown(columns, nominal, labels, rows, random, numeric):
    """A tree: nodes are dicts with `rows`, and with `cut`, `left` and `right` where they are cut; the top ones are grown first."""
    top = {"rows": list(rows)}
    waiting = [top]
    for node in waiting:
        cut = best_cut(columns, nominal, labels, node["rows"], random, numeric)
        if cut is not None:
            column, at = cut
            left, right = parted(
                node["rows"], lambda row, c=column, at=at: is_left(columns[c][row], nominal[c], at)
            )
            node |= {"cut": cut, "left": {"rows": left}, "right": {"rows": right}}
            waiting += [node["left"], node["right"]]
    return top


def said(labels, n_classes):
    """The share of each class, or the mean of numbers."""
    if n_classes == 0:
        return [math.fsum(labels) / len(labels)]
    return [labels.count(c) / len(labels) for c in range(n_classes)]


def unseen_shares(columns, nominal, labels, n_classes, n_trees, seed):
    """The mean class shares of the leaves in which a row ends, over the trees that have not seen it.

    With n_classes 0 the labels are numbers, and the shares their means.
    """
    n = len(labels)
    n_seen = max(1, 2 * n // 3)
    random, rows = Random(seed), list(range(n))
    told = [[] for _ in range(n)]
    for _ in range(n_trees):
        list(random.bring_forward(rows, n_seen))
        tree = grown(columns, nominal, labels, rows[:n_seen], random, n_classes == 0)
        rows[:n_seen] = leaves(tree)
        for row in rows[n_seen:]:
            node = tree
            while "cut" in node:
                column, at = node["cut"]
                node = node["left" if is_left(columns[column][row], nominal[column], at) else "right"]
            classes = [labels[other] for other in node["rows"]]
            told[row].append(said(classes, n_classes))
    prior = said(list(labels), n_classes)
    return np.array([np.mean(each, axis=0) if each else prior for each in told])


def leaves(node):
    """The rows in the order in which the cuts left them: from the leftmost leaf to the rightmost."""
    return leaves(node["left"]) + leaves(node["right"]) if "cut" in node else node["rows"]
