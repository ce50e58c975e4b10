"""The cosine criterion in plain loops: every step projects the first columns anew, by least squares."""

import numpy as np


def views(column, nominal, weights):
    """The 0-or-1 levels of a nominal column, or the numbers with gaps at their mean; and "missing"."""
    gaps = np.isnan(column)
    if nominal:
        found = [[float(value == level) for value in column] for level in sorted(set(column[~gaps]))]
    else:
        mean = (column[~gaps] * weights[~gaps]).sum() / weights[~gaps].sum() if (~gaps).any() else 0.0
        found = [[mean if gap else value for value, gap in zip(column, gaps)]]
    if gaps.any():
        found.append([float(gap) for gap in gaps])
    return [np.asarray(view) for view in found if max(view) > min(view)]


def prepared(vector, weights, centered):
    if centered:
        vector = vector - (vector * weights).sum() / weights.sum()
    return vector * np.sqrt(weights)


def residual(vector, chosen):
    """What is left of a vector beside the span of the chosen ones."""
    if not chosen:
        return vector
    basis = np.stack(chosen, axis=1)
    return vector - basis @ np.linalg.lstsq(basis, vector, rcond=1e-11)[0]


def score(column_views, targets, chosen, signed):
    """The largest x . y / |x| over views and targets, or None where nothing is left of the column."""
    best = None
    for view in column_views:
        left = residual(view, chosen)
        length = np.sqrt((left * left).sum())
        if length <= 1e-8 * np.sqrt((view * view).sum()):
            continue
        for target in targets:
            value = (left * residual(target, chosen)).sum() / length
            value = value if signed else abs(value)
            best = value if best is None or value > best else best
    return best


def ranking(X, y, weights=None, nominal=(), centered=True, signed=False):
    """Columns from best to worst, the scores at their choice, and the plain scores; ties to the lower column."""
    n, d = X.shape
    weights = np.ones(n) if weights is None else np.asarray(weights, float)
    kept = weights > 0
    X, y, weights = X[kept], y[kept], weights[kept]
    classes = sorted(set(y))
    sought = classes[1:] if len(classes) == 2 else classes
    targets = [prepared(np.where(y == label, 1.0, -1.0), weights, centered) for label in sought]
    columns = [
        [prepared(view, weights, centered) for view in views(X[:, k], k in nominal, weights)]
        for k in range(d)
    ]
    plain = [score(columns[k], targets, [], signed) for k in range(d)]
    plain = [0.0 if value is None else value for value in plain]
    order, at_choice, chosen = [], [], []
    while len(order) < d:
        left = [np.abs(residual(target, chosen)).max() for target in targets]
        if max(left) <= 1e-8:
            break
        scores = {k: score(columns[k], targets, chosen, signed) for k in range(d) if k not in order}
        scores = {k: value for k, value in scores.items() if value is not None}
        if not scores:
            break
        close = 1e-9 * max(np.sqrt((target * target).sum()) for target in targets)
        best = min(k for k in scores if scores[k] >= max(scores.values()) - close)
        order.append(best)
        at_choice.append(scores[best])
        chosen += columns[best]
    rest = sorted((k for k in range(d) if k not in order), key=lambda k: (-plain[k], k))
    return order + rest, at_choice, plain
