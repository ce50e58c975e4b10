"""Boosted decision stump feature selection (Das 2001), in plain loops.

Weights are Python integers. In every round: the column not yet chosen with the largest weighted information gain over
its stumps (gains within 1e-12 tie, lower column first; within a column the earlier stump), leaves labelled by the
weighted majority (lower class on ties), then AdaBoost's update (SAMME's for more than two classes).
"""

import math

TIE = 1e-12


def stumps(column, nominal):
    """All splits of a column as boolean "right side" masks, in the order of preference."""
    column = [float(value) for value in column]
    gap = [value != value for value in column]
    known = sorted({value for value in column if value == value})
    sides = [False, True] if any(gap) else [False]
    found = []
    if nominal:
        cuts = [[value == level for value in column] for level in known] if len(known) > 1 else []
    else:
        cuts = [[value > low for value in column] for low in known[:-1]]
    for cut in cuts:
        found.extend([gap_right if g else c for c, g in zip(cut, gap)] for gap_right in sides)
    if any(gap) and known:
        found.append(gap)
    return found


def entropy_part(weights):
    """Sum of w log w over the classes, less W log W."""
    total = sum(weights)
    if total == 0:
        return 0.0
    return sum(w * math.log(w) for w in weights if w > 0) - total * math.log(total)


def leaf_weights(right, codes, weights, n_classes):
    leaves = [[0] * n_classes, [0] * n_classes]
    for side, code, weight in zip(right, codes, weights):
        leaves[int(side)][code] += weight
    return leaves


def start_weights(weights):
    if all(w == weights[0] for w in weights):
        return [2**52 // len(weights)] * len(weights)
    total = math.fsum(weights)
    return [max(1, math.floor(float(w) / total * 2.0**52)) for w in weights]


def rank(values, nominal, codes, n_classes, sample_weight=None):
    """Order of choice, with the gain and error of each choice, and the first-round gain of every column."""
    n, d = values.shape
    given = [1.0] * n if sample_weight is None else [float(w) for w in sample_weight]
    alive = [i for i in range(n) if given[i] > 0]
    codes = [int(codes[i]) for i in alive]
    weights = start_weights([given[i] for i in alive])
    candidates = [stumps(values[alive, j], nominal[j]) for j in range(d)]
    left = list(range(d))
    order, gains, errors, first = [], [], [], None
    while left:
        total = sum(weights)
        parent = [sum(w for w, c in zip(weights, codes) if c == k) for k in range(n_classes)]
        best = {}
        for j in left:
            scored = []
            for right in candidates[j]:
                leaves = leaf_weights(right, codes, weights, n_classes)
                gain = (entropy_part(leaves[0]) + entropy_part(leaves[1]) - entropy_part(parent)) / total
                scored.append((gain, right, leaves))
            top = max((gain for gain, _, _ in scored), default=0.0)
            best[j] = (max(top, 0.0), next(((r, v) for g, r, v in scored if g >= top - TIE), None))
        if first is None:
            first = [best[j][0] for j in range(d)]
        top = max(best[j][0] for j in left)
        chosen = next(j for j in left if best[j][0] >= top - TIE)
        left.remove(chosen)
        order.append(chosen)
        gains.append(best[chosen][0])
        if best[chosen][1] is None:
            errors.append(math.nan)
            continue
        right, leaves = best[chosen][1]
        label = [leaf.index(max(leaf)) for leaf in leaves]
        wrong = [label[int(side)] != code for side, code in zip(right, codes)]
        error = float(sum(w for w, bad in zip(weights, wrong) if bad)) / float(total)
        errors.append(error)
        if error == 0 or error >= 1 - 1 / n_classes:
            continue
        if_right = 1 / (n_classes * (1 - error))
        if_wrong = (n_classes - 1) / (n_classes * error)
        weights = [max(1, round(w * (if_wrong if bad else if_right))) for w, bad in zip(weights, wrong)]
    return order, gains, errors, first
