"""Other readings of the PSBoost paper's Table 1, and its plan: all rows vote with their weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from tamis.neighbors import MixedSpace, nearest_rows
from tamis.papers._paper import Figure
from tamis.papers._readings import noisy
from tamis.papers._tables import Float, Ints, Numbers, nearest_accuracy, tied_accuracy
from tamis.prototypes.psboost_weights import PSBoostWeights

BY_DEVIATION, UNSCALED = "scaled by deviation", "not scaled"
FILLED, PLAIN, TIES, WHOLE = (
    "missing values filled in",
    "codes as numbers, missing values filled in",
    "all nearest kept rows vote",
    "only rows without missing values",
)
NOISES = (0.0, 0.05, 0.15, 0.2)
READINGS = (FILLED, PLAIN, TIES, WHOLE, BY_DEVIATION, UNSCALED, *(f"noise {noise:g}" for noise in NOISES))
N_ROWS = {"led24": 600, "led": 600, "xd6": 600, "hard": 618}
K = 5
PLAIN_VOTE, FIRST, ADAPTIVE = "5-NN", "5-NN, weights", "5-NN, adaptive weights"
TREE, WEIGHTED_TREE = "tree", "tree, weights"
VOTES = (PLAIN_VOTE, FIRST, ADAPTIVE, TREE, WEIGHTED_TREE)


def versions(name: str, data: Numbers, seed: int) -> Iterator[tuple[str, Numbers]]:
    """The data of each reading that changes the data."""
    gaps = np.isnan(data.values).any(axis=1)
    if gaps.any():
        yield FILLED, data.filled()
        if (~gaps).sum() >= 50 and len(np.unique(data.codes[~gaps])) == len(np.unique(data.codes)):
            yield WHOLE, replace(data, values=data.values[~gaps], codes=data.codes[~gaps])
    if gaps.any() or data.nominal.any():
        yield PLAIN, replace(data.filled(), nominal=np.zeros_like(data.nominal))
    if not data.nominal.any():
        values = data.filled().values
        spread = values.max(axis=0) - values.min(axis=0)
        for setting, unit in ((BY_DEVIATION, values.std(axis=0)), (UNSCALED, np.ones(len(spread)))):
            factors = np.divide(spread, unit, out=np.zeros(len(spread)), where=unit > 0)
            yield setting, data.filled().part(_repeated(factors))
    for noise in NOISES if name in N_ROWS else ():
        yield f"noise {noise:g}", noisy(name, N_ROWS[name], noise, seed)


def _repeated(factors: Float) -> Ints:
    """Columns, each as often as the square of its factor says, up to 40 times: so sums of squares of ranges are scaled."""
    times = np.rint(40 * (factors / factors.max()) ** 2).astype(int)
    return np.repeat(np.arange(len(factors)), times)


def accuracy_of(setting: str) -> Callable[[Numbers, Ints, Ints, Ints], float]:
    """How the kept rows are judged in a reading."""

    def ties_vote(data: Numbers, learnt: Ints, held: Ints, kept: Ints) -> float:
        return tied_accuracy(data, learnt[kept], held)

    return ties_vote if setting == TIES else nearest_accuracy


def weight_figures(data: Numbers, learnt: Ints, held: Ints) -> Iterator[Figure]:
    """Accuracy of a vote of five of all rows and of a decision tree, without and with PSBoost's weights of the rows.

    A tree takes no weights below 0: they count as 0.
    """
    X, y, new = data.values[learnt], data.codes[learnt], data.values[held]
    space = MixedSpace.fit(X, data.nominal, "l2")
    near, _ = nearest_rows(space, space.scaled(X), min(K, len(y)), space.scaled(new))
    first = PSBoostWeights(K, categorical_features=data.nominal).fit(X, y).weights_
    adaptive = PSBoostWeights(K, adaptive=True, categorical_features=data.nominal).fit(X, y).weights_
    for method, weights in ((PLAIN_VOTE, np.ones(len(y))), (FIRST, first), (ADAPTIVE, adaptive)):
        right = _voted(near, y, weights) == data.codes[held]
        yield Figure(method, "", "accuracy", 100 * float(np.mean(right)))
    filled = data.filled().values
    for method, weights in ((TREE, None), (WEIGHTED_TREE, np.maximum(first, 0))):
        tree = DecisionTreeClassifier(random_state=0).fit(filled[learnt], y, sample_weight=weights)
        right = tree.predict(filled[held]) == data.codes[held]
        yield Figure(method, "", "accuracy", 100 * float(np.mean(right)))


def _voted(near: Ints, y: Ints, weights: Float) -> Ints:
    """The class with the largest sum of weights; of tied classes the one with the nearest row."""
    sums = np.zeros((len(near), int(y.max()) + 1))
    rows = np.arange(len(near))
    for place in range(near.shape[1] - 1, -1, -1):
        sums[rows, y[near[:, place]]] += weights[near[:, place]]
    tied = sums >= sums.max(axis=1, keepdims=True) - 1e-12
    votes = np.take_along_axis(tied, y[near], axis=1)
    found: Ints = np.where(votes.any(axis=1), y[near][rows, votes.argmax(axis=1)], tied.argmax(axis=1))
    return found
