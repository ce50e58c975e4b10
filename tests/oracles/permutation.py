"""Permutation importance on held-out rows, with elimination: plain loops around a nearest-mean model."""

import numpy as np


def nearest_mean(X, y, new):
    """The class whose mean is nearest to each new row, the first of equals."""
    classes = sorted(set(y.tolist()))
    answers = []
    for row in new:
        best, label = np.inf, None
        for one in classes:
            mean = np.array([X[y == one][:, j].mean() for j in range(X.shape[1])])
            distance = sum((row[j] - mean[j]) ** 2 for j in range(X.shape[1]))
            if distance < best:
                best, label = distance, one
        answers.append(label)
    return np.array(answers)


def falls(X, y, folds, columns, shuffles):
    """By how much the share of right answers falls, in the mean, when each column is shuffled."""
    total = np.zeros(len(columns))
    for (train, test), orders in zip(folds, shuffles):
        rows, held = X[train][:, columns], X[test][:, columns]
        whole = np.mean(nearest_mean(rows, y[train], held) == y[test])
        for place in range(len(columns)):
            scores = []
            for order in orders:
                mixed = held.copy()
                mixed[:, place] = held[order, place]
                scores.append(np.mean(nearest_mean(rows, y[train], mixed) == y[test]))
            total[place] += whole - np.mean(scores)
    return total / len(folds)


def ranking(X, y, folds, shuffles, step):
    """The columns from best to worst, and the score of each in its last round."""
    left, gone, scores = list(range(X.shape[1])), [], np.zeros(X.shape[1])
    while left:
        found = falls(X, y, folds, left, shuffles)
        scores[left] = found
        ranked = [
            left[place] for place in sorted(range(len(left)), key=lambda place: (-found[place], left[place]))
        ]
        if step is None or len(left) == 1:
            return ranked + gone, scores
        n_leaving = min(step, len(left) - 1)
        gone = ranked[len(ranked) - n_leaving :] + gone
        left = sorted(ranked[: len(ranked) - n_leaving])
    return gone, scores
