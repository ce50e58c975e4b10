"""Reciprocal rank fusion and the leave-one-out error of a few columns, in plain loops."""

import numpy as np


def fused(ranks):
    """The mean over the members of 1 / (10 + rank), one number a column."""
    scores = []
    for column in range(len(ranks[0])):
        worth = sorted(1 / (10 + member[column]) for member in ranks)
        scores.append(sum(worth) / len(worth))
    return np.array(scores)


def votes(distances, labels, n_classes, k):
    """Votes of the k nearest other rows; those as far as the k-th share what is left."""
    n = len(labels)
    found = np.zeros((n, n_classes))
    for i in range(n):
        others = [j for j in range(n) if j != i]
        border = sorted(distances[i][j] for j in others)[k - 1]
        nearer = [j for j in others if distances[i][j] < border]
        level = [j for j in others if distances[i][j] == border]
        for j in nearer:
            found[i, labels[j]] += 1
        for j in level:
            found[i, labels[j]] += (k - len(nearer)) / len(level)
    return found


def column_distances(column, nominal):
    """Squared distances of all rows by one column, or by the indicators of its values, each divided by its deviation."""
    n = len(column)
    found = np.zeros((n, n))
    if nominal:
        codes = np.array([-1 if np.isnan(value) else value for value in column])
        for value in np.unique(codes):
            indicator = (codes == value).astype(float)
            share = indicator.mean()
            for i in range(n):
                for j in range(n):
                    found[i, j] += (indicator[i] - indicator[j]) ** 2 / (share * (1 - share))
        return found
    known = [value for value in column if not np.isnan(value)]
    if not known:
        return found
    mean = sum(known) / len(known)
    centred = [0.0 if np.isnan(value) else value - mean for value in column]
    spread = np.sqrt(sum(value**2 for value in centred) / n)
    for i in range(n):
        for j in range(n):
            found[i, j] = ((centred[i] - centred[j]) / (spread if spread > 0 else 1)) ** 2
    return found


def regressors(column, nominal):
    """What least squares sees of a column: its number and where it is missing, or one column a value."""
    if nominal:
        codes = np.array([-1 if np.isnan(value) else value for value in column])
        return np.column_stack([codes == value for value in np.unique(codes)]).astype(float)
    missing = np.isnan(column)
    mean = column[~missing].mean() if not missing.all() else 0.0
    filled = np.where(missing, mean, column)
    return np.column_stack([filled, missing]) if missing.any() else filled[:, None]


def unseen(columns, kinds, truth):
    """What least squares fitted without a row says of it, by leaving out one row after the other; truth (n, targets).

    A row that has some value alone is like no other: it gets the mean of all rows.
    """
    n = len(truth)
    design = np.column_stack([np.ones(n), *(regressors(c, kind) for c, kind in zip(columns, kinds))])
    found = np.empty(truth.shape)
    for i in range(n):
        rest = [j for j in range(n) if j != i]
        if np.linalg.matrix_rank(design) > np.linalg.matrix_rank(design[rest]):
            found[i] = truth.mean(axis=0)
            continue
        weights = np.linalg.lstsq(design[rest], truth[rest], rcond=None)[0]
        found[i] = design[i] @ weights
    return found


def errors(said, labels):
    """Of each row half of: the squared error of its class probabilities, and a wrong answer; ties are shared."""
    found = []
    for row, label in zip(said, labels):
        squares = sum((p - (c == label)) ** 2 for c, p in enumerate(row))
        best = [c for c, p in enumerate(row) if p >= max(row) - 1e-9]
        found.append((squares + 1 - (label in best) / len(best)) / 2)
    return np.array(found)


def set_errors(columns, kinds, labels, n_classes, k=5):
    """The error of each row by a set of columns: half by neighbours, half by least squares."""
    k = min(k, len(labels) - 1)
    distances = sum(column_distances(c, kind) for c, kind in zip(columns, kinds))
    shares = (votes(distances, labels, n_classes, k) + 1 / n_classes) / (k + 1)
    by_squares = unseen(columns, kinds, np.eye(n_classes)[labels])
    return (errors(shares, labels) + errors(by_squares, labels)) / 2


def number_errors(columns, kinds, numbers, k=5):
    """Of each row the squared error by the variance: half by the neighbours' mean, with the mean of all once, half by least squares."""
    n = len(numbers)
    k = min(k, n - 1)
    centred = np.asarray(numbers) - np.mean(numbers)
    distances = sum(column_distances(c, kind) for c, kind in zip(columns, kinds))
    by_neighbours = votes(distances, np.arange(n), n, k) @ centred / (k + 1)
    by_squares = unseen(columns, kinds, centred[:, None])[:, 0]
    variance = (centred**2).mean()
    return sum((said - centred) ** 2 / variance for said in (by_neighbours, by_squares)) / 2


def next_column(found):
    """The first candidate, in the order of the ranking, that is level with the best.

    found: pairs of a column and its rows' errors. Level: the mean difference from the best is at most half its standard error.
    """
    best = min((float(np.mean(each)) for _, each in found))
    lowest = next(each for _, each in found if np.mean(each) <= best + 1e-10)
    for column, each in found:
        gaps = [a - b for a, b in zip(each, lowest)]
        mean = sum(gaps) / len(gaps)
        variance = sum((gap - mean) ** 2 for gap in gaps) / len(gaps)
        if mean <= 0.5 * np.sqrt(variance / len(gaps)) + 1e-9:
            return column
    raise AssertionError("the best is level with itself")


def backward_order(parts, truth, ridge=0.03):
    """The columns from best to worst: of those left, a tenth (at least one) leaves at a time, found by refitting without each."""

    def loss(columns):
        Z = np.hstack([parts[j] for j in columns]) if columns else np.zeros((len(truth), 0))
        centred = truth - truth.mean(axis=0)
        stacked = np.vstack(
            [Z, np.sqrt(ridge) * np.eye(Z.shape[1])]
        )  # a penalty is a row more for each weight
        wanted = np.vstack([centred, np.zeros((Z.shape[1], truth.shape[1]))])
        weights = np.linalg.lstsq(stacked, wanted, rcond=None)[0]
        return float(((wanted - stacked @ weights) ** 2).sum())

    left, gone = list(range(len(parts))), []
    while left:
        rises = {j: round(loss([k for k in left if k != j]) - loss(left), 9) for j in left}
        leaving = sorted(left, key=lambda j: (rises[j], -j))[: max(1, len(left) // 10)]
        gone += leaving
        left = [j for j in left if j not in leaving]
    return np.array(gone[::-1])
