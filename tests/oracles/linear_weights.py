"""SVM-RFE by the book: the squared hinge loss by Newton's method, one model per elimination.

min over w, b of (w.w + b^2) / 2 + C sum over i of max(0, 1 - t_i (w.x_i + b))^2, with t = -1 or 1. Columns are numbers.
"""

from __future__ import annotations

import numpy as np


def svm(X, t, C):
    """The weights, without the constant."""
    rows = np.column_stack([X, np.ones(len(X))])
    w = np.zeros(rows.shape[1])
    for _ in range(200):
        loss = 1 - t * (rows @ w)
        wrong = loss > 0
        gradient = w - 2 * C * rows[wrong].T @ (t * loss)[wrong]
        if np.abs(gradient).max() < 1e-11:
            break
        step = np.linalg.solve(np.eye(len(w)) + 2 * C * rows[wrong].T @ rows[wrong], gradient)
        size = 1.0
        while (
            value(rows, t, C, w - size * step) > value(rows, t, C, w) - 1e-4 * size * gradient @ step
            and size > 1e-9
        ):
            size /= 2
        w = w - size * step
    return w[:-1]


def value(rows, t, C, w):
    """What is minimised."""
    return w @ w / 2 + C * (np.maximum(0, 1 - t * (rows @ w)) ** 2).sum()


def weights(X, codes, C):
    """The length of the weights of each column over the models, scaled to sum to 1; columns of deviation 1."""
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    classes = sorted(set(codes.tolist()))
    models = [
        svm(X, np.where(codes == c, 1.0, -1.0), C) for c in (classes[1:] if len(classes) == 2 else classes)
    ]
    lengths = np.sqrt((np.array(models) ** 2).sum(axis=0))
    return lengths / lengths.sum()


def eliminated(X, codes, C, n_out):
    """The columns, best first, where `n_out(left)` leave at a time."""
    left, gone = list(range(X.shape[1])), []
    while len(left) > 1:
        held = weights(X[:, left], codes, C)
        order = sorted(range(len(left)), key=lambda k: (held[k], -left[k]))
        out = [left[k] for k in order[: min(n_out(len(left)), len(left) - 1)]]
        gone = out[::-1] + gone
        left = [j for j in left if j not in out]
    return left + gone
