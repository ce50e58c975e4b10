"""What each row is worth to the nearest-neighbour rule of the others: the engine of RowValues."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import IsotonicRegression

from tamis.neighbors import ScaledRows, pair_distances
from tamis.prototypes._kernels.valuing import add_game_values
from tamis.prototypes._other_groups import nearest_of_other_groups

Float = NDArray[np.float64]
Int = NDArray[np.int64]

SLAB = 2**22
"""Distances held at a time: 32 MB."""

ANCHORS = 0.5
"""The share of the rows and the classes they do not have, those of fewest votes, that tells the rate of wrong labels."""

LEAST_CLEAR = 0.2
"""What the votes must tell of the labels, from 0 (nothing) to 1 (everything), before one is called wrong."""

BEYOND_CHANCE = 3.0
"""So many standard errors must lie between what they tell and what votes that have nothing to do with the labels would."""


def shares_of_places(n_neighbors: int, n_rows: int) -> Float:
    """Return min(K, i) / (K i) for the places i from 1 to N, with K neighbours and N rows (`add_game_values`)."""
    places = np.arange(1, n_rows + 1)
    shares: Float = np.minimum(n_neighbors, places) / (n_neighbors * places)
    return shares


def shapley_values(rows: ScaledRows, codes: Int, n_neighbors: int, groups: Int) -> Float:
    """Return the mean value of each row in the votes on every row of another group (Jia et al. 2019, theorem 1).

    In the game of a row, every set of rows of other groups is worth the share of right votes of its K nearest, of K.
    Exact, O(n**2 (d + log n)).
    """
    n_rows = len(rows)
    totals, held = np.zeros(n_rows), np.bincount(groups)[groups]
    size = max(1, SLAB // n_rows)
    for start in range(0, n_rows, size):
        asked = np.arange(start, min(start + size, n_rows))
        distances: Int = np.asarray(pair_distances(rows.space, rows.take(asked), rows), dtype=np.int64)
        distances[groups[asked, np.newaxis] == groups] = -1  # first, and cut off
        orders = _orders(distances)
        for n_own in np.unique(held[asked]):
            some = held[asked] == n_own
            shares = shares_of_places(n_neighbors, n_rows - n_own)
            add_game_values(orders[some, n_own:], asked[some], codes, shares, totals)
    return totals / (n_rows - held)


def _orders(distances: Int) -> Int:
    """Return the rows by distance, the lower on ties: of each line of `distances`, which may be written to."""
    n_rows = distances.shape[1]
    if int(distances.max()) < 2**62 // n_rows:  # numbers are sorted faster than rows by numbers
        distances *= n_rows
        distances += np.arange(n_rows)
        distances.sort(axis=1)
        distances %= n_rows
        return distances
    return np.argsort(distances, axis=1, kind="stable")


def near_shapley_values(neighbors: Int, codes: Int, n_neighbors: int, groups: Int) -> Float:
    """As `shapley_values`, where only the nearest rows of each are looked at: the others count 0 in its game.

    With T nearest rows a value in one game is wrong by 1 / T at most.
    """
    n_rows, n_near = neighbors.shape
    totals = np.zeros(n_rows)
    add_game_values(neighbors, np.arange(n_rows), codes, shares_of_places(n_neighbors, n_near), totals)
    means: Float = totals / (n_rows - np.bincount(groups)[groups])
    return means


def margins(
    rows: ScaledRows, codes: Int, neighbors: Int, distances: Int, groups: Int, n_jobs: int | None
) -> Float:
    """Return (b - a) / (b + a) of every row: a and b to its nearest of the own class, and of another, in other groups.

    `neighbors` and `distances` are the nearest rows of other groups, nearest first; where they lack a class, it is
    searched for.
    """
    near = np.full((2, len(rows)), np.inf)
    own = codes[neighbors] == codes[:, np.newaxis]
    for which, listed in enumerate((own, ~own)):
        place = listed.argmax(axis=1)
        found = listed[np.arange(len(rows)), place]
        near[which, found] = np.sqrt(distances[np.arange(len(rows)), place][found])
        for code in np.unique(codes[~found]):
            asking = np.flatnonzero(~found & (codes == code))
            others = np.flatnonzero((codes == code) if which == 0 else (codes != code))
            searched = nearest_of_other_groups(rows, groups, others, asking, 1, n_jobs)[1][:, 0]
            near[which, asking] = np.where(searched < 0, np.inf, np.sqrt(np.maximum(searched, 0)))
    a, b = near
    with np.errstate(invalid="ignore", divide="ignore"):
        between = (b - a) / (b + a)
    between = np.where(np.isinf(a), -1.0, np.where(np.isinf(b), 1.0, between))
    settled: Float = np.where((a == b) | np.isnan(between), 0.0, between)
    return settled


def class_votes(neighbors: Int, codes: Int, n_classes: int) -> Int:
    """Return the votes of each row's nearest others for every class: (n_rows, n_classes)."""
    votes = np.zeros((len(codes), n_classes), dtype=np.int64)
    for place in range(neighbors.shape[1]):
        np.add.at(votes, (np.arange(len(codes)), codes[neighbors[:, place]]), 1)
    return votes


def label_probabilities(votes: Int, codes: Int, n_groups: int) -> tuple[Float, Float]:
    """Return how probable each class is for each row, and how probable it is that the row's own label is right.

    f(t), how often a class with t of the votes is the label, is counted over all rows and classes, and made never to
    fall as t rises. Where a class has the fewest votes (`ANCHORS`) it is taken for impossible: what f is there on average,
    r, is wrong labels, each of the other classes being as likely. So f = p (1 - (C - 1) r) + (1 - p) r, which tells p, the
    probability of a class, and

        P(right) = p (1 - (C - 1) r) / f,    of the row's own label.

    Where r is near 1 / C the votes tell nothing, and every label counts as right; so it does where r is, within what chance
    makes of so many rows (or groups, whose rows are alike), the mean share of those classes among all rows.
    """
    n_rows, n_classes = votes.shape
    n_levels = int(votes.max()) + 1
    seen = np.bincount(votes.ravel(), minlength=n_levels)
    own = np.bincount(votes[np.arange(n_rows), codes], minlength=n_levels)
    levels = np.flatnonzero(seen)
    rates = np.zeros(n_levels)
    isotonic = IsotonicRegression().fit(levels, own[levels] / seen[levels], sample_weight=seen[levels])
    rates[levels] = isotonic.predict(levels)
    n_anchors = np.searchsorted(np.cumsum(seen[levels]), ANCHORS * n_rows * (n_classes - 1)) + 1
    anchors = levels[:n_anchors]
    n_pairs = seen[anchors].sum()
    wrong = own[anchors].sum() / n_pairs
    rates[anchors] = wrong
    shares = np.bincount(codes, minlength=n_classes) / n_rows
    by_chance = float((votes <= anchors[-1]).sum(axis=0) @ shares) / n_pairs
    error = np.sqrt((1.0 - by_chance) / (by_chance * n_pairs * n_groups / n_rows))
    clear = 1.0 - n_classes * wrong
    if clear < LEAST_CLEAR or 1.0 - wrong / by_chance < BEYOND_CHANCE * error:
        return np.eye(n_classes)[codes], np.ones(n_rows)
    probable = np.clip((rates - wrong) / clear, 0.0, 1.0)[votes]
    sums = probable.sum(axis=1, keepdims=True)
    probable = np.where(sums > 0, probable / np.where(sums > 0, sums, 1.0), 1.0 / n_classes)
    kept = probable[np.arange(n_rows), codes] * (1.0 - (n_classes - 1) * wrong)
    turned = (1.0 - probable[np.arange(n_rows), codes]) * wrong
    right = np.where(kept + turned > 0, kept / np.where(kept + turned > 0, kept + turned, 1.0), 1.0)
    return probable, right


def suspected(right: Float, doubted: NDArray[np.bool_], error_rate: float) -> NDArray[np.bool_]:
    """Tell whose label looks wrong: the doubted rows least probably right, as many as keep their mean at `error_rate`.

    Rows of equal probability are suspects together, or not.
    """
    possible = np.flatnonzero(doubted)
    order = possible[np.argsort(right[possible], kind="stable")]
    means = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    last = np.ones(len(order), dtype=bool)
    last[:-1] = right[order][1:] > right[order][:-1]  # a set ends where the next is more probable
    ends = np.flatnonzero((means <= error_rate) & last)
    answer = np.zeros(len(right), dtype=bool)
    answer[order[: ends[-1] + 1] if len(ends) else order[:0]] = True
    return answer
