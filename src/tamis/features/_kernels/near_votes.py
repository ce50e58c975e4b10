"""What the nearest other rows of each row say of its class or number, as one more column comes to those that measure the distance.

`base[i, j]` is the squared distance of two rows by the columns chosen so far. A numeric column adds the square of the
difference of its values, a nominal one `far[i] + far[j]` where the values differ; `far` is 0 for a numeric column.
"""

import numpy as np

from tamis._jit import kernel


@kernel
def added(values, far, i, j):
    """What a column adds to the squared distance of two rows."""
    if far[i] > 0.0:
        return far[i] + far[j] if values[i] != values[j] else 0.0
    gap = values[i] - values[j]
    return gap * gap


@kernel
def near_votes(base, values, far, labels, amounts, n_classes, k):
    """Votes of the k nearest other rows, by class: float64 (n, n_classes), each row of it adding up to k.

    amounts, float64 (n,): what a row votes with, 1. Rows of a numeric target are of one class, and vote with their numbers.
    Rows as far away as the k-th nearest share what is left of the k votes, so that their order does not matter.
    """
    n = len(labels)
    votes = np.zeros((n, n_classes))
    distances = np.empty(n)
    nearest = np.empty(k)
    for i in range(n):
        nearest[:] = np.inf
        for j in range(n):
            distances[j] = np.inf if i == j else base[i, j] + added(values, far, i, j)
            if distances[j] < nearest[k - 1]:
                place = k - 1
                while place > 0 and nearest[place - 1] > distances[j]:
                    nearest[place] = nearest[place - 1]
                    place -= 1
                nearest[place] = distances[j]
        border = nearest[k - 1]
        n_nearer = 0
        n_level = 0
        for j in range(n):
            if distances[j] < border:
                n_nearer += 1
            elif distances[j] == border:
                n_level += 1
        share = (k - n_nearer) / n_level
        for j in range(n):
            if distances[j] < border:
                votes[i, labels[j]] += amounts[j]
            elif distances[j] == border:
                votes[i, labels[j]] += share * amounts[j]
    return votes


@kernel
def nearer_by(base, values, far):
    """The squared distances with a column more, float64 (n, n)."""
    n = len(values)
    distances = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            distances[i, j] = base[i, j] + added(values, far, i, j)
    return distances
