"""Boosting of stumps by least squares, and its backward elimination, as plainly as they can be written.

The candidates are those of `tests.oracles.stumps`, and every sum is one of Python's whole numbers.
"""

import math
from fractions import Fraction

import numpy as np

from tests.oracles import stumps


def whole_weights(n_rows, weights=None):
    """Weights as whole numbers: those whose ratio they have, where a sum below 2**31 will do; else rounded."""
    if weights is None:
        return [1] * n_rows
    scale = Fraction(1)
    total = Fraction(math.fsum(weights))
    while total * scale < 2**30:
        scale *= 2
    while total * scale >= 2**31:
        scale /= 2
    fine = [Fraction(float(w)) * scale for w in weights]
    if all(w.denominator == 1 for w in fine):
        divisor = math.gcd(*(int(w) for w in fine))
        return [int(w) // divisor for w in fine]
    return [max(1, round(w)) for w in fine]


def steps(y, weights=None):
    """The target less its mean in whole steps, the weights, the mean, and what a step is worth."""
    whole = whole_weights(len(y), weights)
    total = sum(whole)
    scale = max(abs(float(number)) for number in y)
    mean = math.fsum(w * (float(number) / scale) for w, number in zip(whole, y)) / total
    centred = [float(number) / scale - mean for number in y]
    largest = max(abs(number) for number in centred)
    bits = min(40, 60 - total.bit_length())
    target = [round(number / largest * 2.0**bits) for number in centred]
    return target, whole, mean * scale, largest * 2.0**-bits * scale


def gain(right, right_weight, left, left_weight):
    """By how much a stump lowers the sum of squares, but for a constant."""
    return float(right) * float(right) / float(right_weight) + float(left) * float(left) / float(left_weight)


def sums(sides, rests, whole):
    """Sum of weight times rest and of weight, on the right and on the left."""
    found = {1.0: [0, 0], -1.0: [0, 0]}
    for side, rest, w in zip(sides.tolist(), rests, whole):
        found[side][0] += w * rest
        found[side][1] += w
    return (*found[1.0], *found[-1.0])


def boost(values, nominal, y, n_rounds, weights=None, columns=None, learning_rate=1.0):
    """A model as a dict of lists, one entry per round; `middle` is the middle of the two answers, in steps."""
    target, whole, _, _ = steps(y, weights)
    columns = range(values.shape[1]) if columns is None else columns
    names, sides = stumps.all_candidates(values, nominal, columns)
    rests = list(target)
    model = {
        key: [] for key in ("column", "threshold", "nominal", "gap_right", "polarity", "alpha", "u", "middle")
    }
    for _ in range(n_rounds):
        best, chosen = -1.0, None
        for k in range(len(names)):
            value = gain(*sums(sides[k], rests, whole))
            if value > best:
                best, chosen = value, k
        if chosen is None:
            break
        right, right_weight, left, left_weight = sums(sides[chosen], rests, whole)
        a = round(learning_rate * (float(left) / float(left_weight)))
        b = round(learning_rate * (float(right) / float(right_weight)))
        if a == b:
            break
        column, threshold, gap_right = names[chosen]
        polarity = 1 if b > a else -1
        told_right, _, told_left, _ = sums(sides[chosen], target, whole)
        model["column"].append(column)
        model["threshold"].append(threshold)
        model["nominal"].append(bool(nominal[column]))
        model["gap_right"].append(gap_right)
        model["polarity"].append(polarity)
        model["alpha"].append(abs(b - a) / 2.0)
        model["u"].append(float(polarity * (told_right - told_left)))
        model["middle"].append((float(a) + float(b)) / 2.0)
        rests = [rest - (b if side > 0 else a) for rest, side in zip(rests, sides[chosen])]
    return model


def first_edges(values, nominal, y, weights=None):
    """The root of each column's best gain, as a part of the sum of squares; 0 for a column without a stump."""
    target, whole, _, _ = steps(y, weights)
    squares = math.fsum(w * float(number) ** 2 for w, number in zip(whole, target))
    edges = []
    for column in range(values.shape[1]):
        found = stumps.candidates(values[:, column], nominal[column])
        edges.append(max([0.0, *(gain(*sums(sides, target, whole)) for _, _, sides in found)]))
    return np.sqrt(np.array(edges) / squares)


def eliminate(
    values,
    nominal,
    y,
    n_rounds,
    weights=None,
    criterion="margin_fraction",
    step=1,
    step_until=1,
    learning_rate=1.0,
):
    """Backward elimination, every model trained from scratch; what `tests.oracles.stumps.eliminate` gives."""
    n_columns = values.shape[1]
    numerators_of = stumps.margin_fractions if criterion == "margin_fraction" else stumps.contribution_ratios
    ties = first_edges(values, nominal, y, weights)
    surviving = list(range(n_columns))
    order, left_with, n_left, full = [], [], [], None
    while surviving:
        model = boost(values, nominal, y, n_rounds, weights, surviving, learning_rate)
        keys = numerators_of(model, n_columns)
        scores = stumps.joint(keys[None], [1.0])
        full = scores if full is None else full
        leaving = sorted(surviving, key=lambda f: (keys[f], ties[f], -f))
        leaving = leaving[: stumps.n_dropped(len(surviving), step, step_until)]
        order += leaving
        left_with += [float(scores[column]) for column in leaving]
        n_left += [len(surviving)] * len(leaving)
        surviving = [column for column in surviving if column not in leaving]
    return np.array(order), np.array(left_with), np.array(n_left), full


def predict(model, values, mean, unit):
    """What the model says of rows."""
    told = stumps.predict({**model, "alpha": [alpha * unit for alpha in model["alpha"]]}, values)
    return told + mean + unit * math.fsum(model["middle"])


def columns_once(values, nominal, y, weights=None):
    """The columns in the order in which boosting asks for them, each once; those that change nothing are not in it."""
    target, whole, _, _ = steps(y, weights)
    left, order, rests = list(range(values.shape[1])), [], list(target)
    while left:
        best, chosen = -1.0, None
        for column in left:
            for _, _, sides in stumps.candidates(values[:, column], nominal[column]):
                value = gain(*sums(sides, rests, whole))
                if value > best:
                    best, chosen = value, (column, sides)
        if chosen is None:
            break
        column, sides = chosen
        right, right_weight, other, other_weight = sums(sides, rests, whole)
        a, b = round(float(other) / float(other_weight)), round(float(right) / float(right_weight))
        if a == b:
            break
        rests = [rest - (b if side > 0 else a) for rest, side in zip(rests, sides)]
        order.append(column)
        left.remove(column)
    return order
