"""MarginPrototypes by plain loops: the loss of every swap is summed from nothing.

`distances` is a list of lists of int, every row to every row, squared, in steps of 2**-20. Losses are whole numbers of
steps of 2**-32.
"""

import math


def margin(own, other):
    """Return (b - a) / (b + a) of the nearest kept row of the own class and of another; None stands for no such row."""
    if own is None and other is None:
        return 0.0
    if own is None:
        return -1.0
    if other is None:
        return 1.0
    a, b = math.sqrt(own), math.sqrt(other)
    return 0.0 if a + b == 0 else (b - a) / (b + a)


def row_loss(distances, labels, row, kept, weight, beta):
    """Return the loss of one row."""
    own = [distances[row][p] for p in kept if p != row and labels[p] == labels[row]]
    other = [distances[row][p] for p in kept if p != row and labels[p] != labels[row]]
    mu = margin(min(own, default=None), min(other, default=None))
    return round(2.0**32 * (weight / (1.0 + math.exp(beta * mu))))


def loss(distances, labels, kept, weights, credit, beta):
    """Return the loss of a set of kept rows."""
    total = 0
    for row in range(len(labels)):
        weight = weights[row] * (1.0 - credit) if row in kept else weights[row]
        total += row_loss(distances, labels, row, kept, weight, beta)
    return total


def balanced_weights(labels):
    """Return (n / (C n_c))**(1/2) of every row's class."""
    labels = list(labels)
    n_classes = len(set(labels))
    return [math.sqrt(len(labels) / (n_classes * labels.count(label))) for label in labels]


def margin_prototypes(distances, labels, start, orders, weights, credit, betas, max_passes):
    """Swap from `start` on; `orders` yields the candidates of each pass. Return the kept rows and the swaps.

    A swap is (beta, pass, removed, added, loss after it).
    """
    kept, swaps = sorted(start), []
    for beta in betas:
        now = loss(distances, labels, kept, weights, credit, beta)
        for number in range(1, max_passes + 1):
            swapped = False
            for candidate in next(orders):
                if candidate in kept:
                    continue
                tried = []
                for p in sorted(kept):
                    others = [q for q in kept if q != p] + [candidate]
                    tried.append((loss(distances, labels, others, weights, credit, beta), p))
                best, removed = min(tried)
                if now - best > 1e-9 * now:
                    kept = [q for q in kept if q != removed] + [candidate]
                    now = best
                    swapped = True
                    swaps.append((beta, number, removed, candidate, best))
            if not swapped:
                break
    return sorted(kept), swaps
