"""AdaBoost over trees of several leaves and its backward elimination, as plainly as they can be written.

A node holds the rows on it; every split is every candidate stump of `stumps.candidates`, taken from the whole table, with the
rows of the node on either side. Every model is trained from scratch. Only numpy is imported.

The rules, which the engine has to follow to the bit:

Split       the largest |F| + |S - F|, S and F the signed weights (positive less negative) of a node and of its left rows, which
            must be above |S|; the first of equals, in order of columns and then of candidates.
Growth      of all leaves the one whose split gains most is split, of equals the one made first, left before right. Where no split
            of the root gains, the tree is the stump of largest |S - 2 F|.
Labels      the sign of S; the two sides of a lone stump say the opposite of each other.
Credit      a leaf's part in the sum of y h(x) is shared equally by the different columns on its path.
"""

import math

import numpy as np

from tests.oracles import stumps


def best_split(candidates, signed, rows, stump=False):
    """Gain and number of a node's best candidate; None if there is none."""
    S = sum(signed[row] for row in rows)
    best, found = (0.0 if stump else abs(S)), None
    for number, (_, _, _, sides) in enumerate(candidates):
        F = sum(signed[row] for row in rows if sides[row] < 0)
        edge = abs(S - 2 * F) if stump else abs(F) + abs(S - F)
        if edge > best:
            best, found = edge, number
    return None if found is None else (best - abs(S), found)


def grow(candidates, signed, max_leaves):
    """A tree: nodes as dicts in the order in which they are made, with rows, parent, candidate, children and label."""
    nodes = [{"rows": list(range(len(signed))), "parent": None, "children": None}]
    nodes[0]["best"] = best_split(candidates, signed, nodes[0]["rows"])
    lone = nodes[0]["best"] is None
    if lone:
        nodes[0]["best"] = best_split(candidates, signed, nodes[0]["rows"], stump=True)
    for _ in range(1 if lone else max_leaves - 1):
        best = None
        for node in nodes:
            open_leaf = node["children"] is None and node["best"] is not None
            if open_leaf and (best is None or node["best"][0] > best["best"][0]):
                best = node
        if best is None:
            break
        sides = candidates[best["best"][1]][3]
        best["children"] = (len(nodes), len(nodes) + 1)
        for side in (-1, 1):
            rows = [row for row in best["rows"] if sides[row] == side]
            child = {"rows": rows, "parent": best, "children": None}
            child["best"] = best_split(candidates, signed, rows)
            child["label"] = 1 if sum(signed[row] for row in rows) > 0 else -1
            nodes.append(child)
    if lone and len(nodes) == 3:
        left, right = (sum(signed[row] for row in node["rows"]) for node in nodes[1:])
        nodes[2]["label"] = 1 if right > left else -1
        nodes[1]["label"] = -nodes[2]["label"]
    return nodes


def path_columns(candidates, leaf):
    """The different columns on the way to a leaf."""
    columns, node = set(), leaf["parent"]
    while node is not None:
        columns.add(candidates[node["best"][1]][0])
        node = node["parent"]
    return columns


def boost(
    values, nominal, y, n_rounds, max_leaves, weights=None, columns=None, weight_cap=None, learning_rate=1.0, balanced=False,
    soft_margin=0.0,
):  # fmt: skip
    """AdaBoost over trees. Returns lists with one entry per round: alpha, edge, tree (splits and labels of leaves),
    margin and ratio (dicts from a column to its parts), and h (what the tree says of each row with weight)."""
    y = np.asarray(y, dtype=np.float64)
    start = stumps.start_weights(np.ones(len(y)) if weights is None else weights, y if balanced else None)
    kept = start > 0
    values, y, W = values[kept], y[kept], start[kept]
    n_rows = len(y)
    averaging = np.ones(n_rows) if W.min() == W.max() else W.copy()
    candidates = []
    for column in sorted(range(values.shape[1]) if columns is None else columns):
        for threshold, gap_right, sides in stumps.candidates(values[:, column], nominal[column]):
            candidates.append((column, threshold, gap_right, sides))
    raw = np.ones(n_rows)
    W = softened(W, raw, soft_margin) if soft_margin > 0 else W
    model = {key: [] for key in ("alpha", "edge", "tree", "margin", "ratio", "h")}
    for _ in range(n_rounds):
        total = W.sum()
        nodes = grow(candidates, W * y, max_leaves)
        leaves = [node for node in nodes[1:] if node["children"] is None]
        edge = sum(leaf["label"] * sum(W[row] * y[row] for row in leaf["rows"]) for leaf in leaves)
        if edge == 0:
            break
        gamma, perfect = edge / total, edge == total
        g = 1.0 - 1.0 / n_rows if perfect else learning_rate * gamma
        alpha = 0.5 * math.log((1.0 + g) / (1.0 - g))
        h, margin, ratio = np.zeros(n_rows), {}, {}
        for leaf in leaves:
            h[leaf["rows"]] = leaf["label"]
            right = leaf["label"] * sum(averaging[row] * y[row] for row in leaf["rows"])
            held = sum(averaging[row] for row in leaf["rows"])
            used = path_columns(candidates, leaf)
            for column in used:
                margin[column] = margin.get(column, 0.0) + right / len(used)
                ratio[column] = ratio.get(column, 0.0) + held / averaging.sum() / len(used)
        model["alpha"].append(alpha)
        model["edge"].append(gamma)
        model["tree"].append(
            [
                (*candidates[node["best"][1]][:3], node["children"][0]) if node["children"] else node["label"]
                for node in nodes
            ]
        )
        model["margin"].append({column: alpha * part for column, part in margin.items()})
        model["ratio"].append({column: alpha * part for column, part in ratio.items()})
        model["h"].append(h)
        if perfect:
            break
        factor = np.where(y * h > 0, 1.0 / (1.0 + g), 1.0 / (1.0 - g))
        if soft_margin > 0:
            raw = raw * factor
            W = softened(start[kept], raw, soft_margin)
            continue
        W = np.maximum(1.0, np.rint(W * factor))
        if weight_cap is not None:
            total = W.sum()
            for side in (1, -1):
                n_sharing = n_rows if not balanced or (y == y[0]).all() else 2 * (y == side).sum()
                W[y == side] = np.minimum(W[y == side], max(1.0, math.floor(weight_cap * total / n_sharing)))
    return model


def softened(start, raw, nu):
    """The weights with a soft margin: no factor counts for more than q, above which lies at most nu of the start weight."""
    above = 0.0
    for row in sorted(range(len(raw)), key=lambda row: -raw[row]):
        above += start[row]
        q = raw[row]
        if above > nu * start.sum():
            break
    scale = 2.0 ** -math.frexp(q)[1]
    return np.maximum(1.0, np.rint(start * (np.minimum(raw, q) * scale)))


def numerators(model, n_columns, what):
    """The numerators of eq. (10) ("margin") or eq. (7) ("ratio") of each column, added in order of the rounds."""
    sums = np.zeros(n_columns)
    for parts in model[what]:
        for column, part in parts.items():
            sums[column] += part
    return sums


def eliminate(
    values, nominal, signs, n_rounds, max_leaves, weights=None, criterion="margin", balanced=False, **settings
):
    """Backward elimination, one column after the other, every model trained from scratch.

    Returns the columns in the order in which they leave, the score of each when it left, and the scores in the full model.
    """
    signs = np.atleast_2d(signs)
    n_columns = values.shape[1]
    priors = [1.0 / len(signs)] * len(signs)
    ties = np.zeros(n_columns)
    for prior, sign in zip(priors, signs):
        ties += prior * stumps.first_edges(values, nominal, sign, weights, balanced)
    surviving, order, left_with, full = list(range(n_columns)), [], [], None
    while surviving:
        worth = []
        for sign in signs:
            model = boost(
                values, nominal, sign, n_rounds, max_leaves, weights, surviving, balanced=balanced, **settings
            )
            worth.append(numerators(model, n_columns, criterion))
        scores = stumps.joint(np.array(worth), priors)
        keys = worth[0] if len(signs) == 1 else scores
        if full is None:
            full = scores
        leaving = min(surviving, key=lambda f: (keys[f], ties[f], -f))
        order.append(leaving)
        left_with.append(float(scores[leaving]))
        surviving.remove(leaving)
    return np.array(order), np.array(left_with), full


def column_votes(model, values, nominal, n_columns):
    """H(x), H_f(x) and the confidence behind it, of each row."""
    total, told, confidence = np.zeros(len(values)), *np.zeros((2, len(values), n_columns))
    for alpha, tree in zip(model["alpha"], model["tree"]):
        for row in range(len(values)):
            number, used = 0, set()
            while isinstance(tree[number], tuple):
                column, threshold, gap_right, left = tree[number]
                used.add(column)
                cell = values[row : row + 1, column]
                number = left + int(stumps.side(cell, nominal[column], threshold, gap_right)[0] > 0)
            total[row] += alpha * tree[number]
            for column in used:
                told[row, column] += alpha * tree[number] / len(used)
                confidence[row, column] += alpha / len(used)
    return total, told, confidence
