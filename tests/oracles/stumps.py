"""AdaBoost over stumps and its backward elimination, as plainly as they can be written.

Every candidate stump of the table is written out as one row of a matrix of -1 (left) and +1 (right), and every
model is trained from scratch. Only numpy is imported.

The rules, which every engine has to follow to the bit:

Candidates of a column, in this order
    Numeric: for each threshold halfway between two neighbouring distinct known values, ascending, "x <= threshold
    goes left"; if the column has gaps, each threshold first with the gaps on the left, then on the right; then, if
    there are gaps, known values left and gaps right (threshold +inf).
    Nominal: for each code present, ascending, "this code goes right, the rest left"; gaps first on the left, then
    on the right; then, if there are gaps, known values left and gaps right (threshold +inf).
    A candidate with an empty side is none.
Weights
    Integers held in float64; every sum stays below 2**53 and is therefore exact in any order.
Choice
    Largest absolute edge; ties to the smaller column, then to the earlier candidate.
"""

import itertools
import math

import numpy as np


def start_weights(weights, y=None):
    """Integer start weights, which add up to about 2**52; rows of weight zero get zero and are left out.

    With `y`, of -1 and +1, the problem is balanced: the rows of either side have 2**51. A side without weight has
    nothing to share, the other has all.
    """
    weights = [float(w) for w in weights]
    sides = [[row for row, w in enumerate(weights) if w > 0]]
    if y is not None:
        sides = [[row for row in sides[0] if y[row] == side] for side in (1, -1)]
        sides = [rows for rows in sides if rows]
    start = np.zeros(len(weights))
    for rows in sides:
        total = math.fsum(weights[row] for row in rows)
        for row in rows:
            start[row] = max(1.0, math.floor(weights[row] / total * (2.0**52 / len(sides))))
    return start


def halfway(low, high):
    """The threshold between two neighbouring values: low <= threshold < high always."""
    with np.errstate(over="ignore"):
        gap = np.float64(high) - np.float64(low)
    threshold = low + gap / 2 if np.isfinite(gap) else low / 2 + high / 2
    return float(threshold) if threshold < high else float(low)


def candidates(column, nominal):
    """The stumps of one column in their order: a list of (threshold, gap_right, sides)."""
    known = ~np.isnan(column)
    has_gaps = not known.all()
    distinct = np.unique(column[known])
    found = []
    if nominal:
        thresholds = [float(code) for code in distinct]
    else:
        thresholds = [halfway(low, high) for low, high in itertools.pairwise(distinct)]
    if has_gaps and len(distinct) > 0:
        thresholds.append(math.inf)
    for threshold in thresholds:
        for gap_right in [True] if math.isinf(threshold) else [False, True] if has_gaps else [False]:
            sides = side(column, nominal, threshold, gap_right)
            if sides.min() < sides.max():
                found.append((threshold, gap_right, sides))
    return found


def side(column, nominal, threshold, gap_right):
    """-1.0 for the rows on the left of a stump, +1.0 for those on the right."""
    sides = np.empty(len(column))
    for row, value in enumerate(column):
        if math.isnan(value):
            right = gap_right
        elif nominal:
            right = value == threshold
        else:
            right = value > threshold
        sides[row] = 1.0 if right else -1.0
    return sides


def all_candidates(values, nominal, columns):
    """Every candidate of the given columns: (column, threshold, gap_right) for each, and the matrix of sides."""
    names, sides = [], []
    for column in sorted(columns):
        for threshold, gap_right, column_sides in candidates(values[:, column], nominal[column]):
            names.append((column, threshold, gap_right))
            sides.append(column_sides)
    return names, np.array(sides).reshape(len(sides), len(values))


def boost(
    values,
    nominal,
    y,
    n_rounds,
    weights=None,
    columns=None,
    weight_cap=None,
    table=None,
    learning_rate=1.0,
    balanced=False,
):
    """AdaBoost over stumps.

    `values` is (n, d) float64 with NaN for gaps, `nominal` (d,) bool, `y` (n,) of -1 and +1. Returns a dict of
    equal-length lists: column, threshold, nominal, gap_right, polarity, alpha, u, edge (a fraction of the total weight).
    `table` may hold what `all_candidates` gave for the same rows and columns; `balanced` gives both classes half of the
    weight at the start.
    """
    y = np.asarray(y, dtype=np.float64)
    start = start_weights(np.ones(len(y)) if weights is None else weights, y if balanced else None)
    kept = start > 0
    values, y, W = values[kept], y[kept], start[kept]
    n_rows = len(y)
    # Plain counting where all rows start alike, else the start weights.
    averaging = np.ones(n_rows) if W.min() == W.max() else W.copy()
    if columns is None:
        columns = range(values.shape[1])
    names, sides = all_candidates(values, nominal, columns) if table is None else table
    model = {
        key: [] for key in ("column", "threshold", "nominal", "gap_right", "polarity", "alpha", "u", "edge")
    }
    for _ in range(n_rounds):
        if not names:
            break
        total = W.sum()
        assert total < 2.0**53
        edges = sides @ (W * y)
        best = int(np.argmax(np.abs(edges)))  # the first of the largest
        edge = abs(edges[best])
        if edge == 0:
            break
        polarity = 1 if edges[best] > 0 else -1
        h = sides[best] * polarity
        gamma = edge / total
        perfect = edge == total
        g = 1.0 - 1.0 / n_rows if perfect else learning_rate * gamma
        column, threshold, gap_right = names[best]
        model["column"].append(column)
        model["threshold"].append(threshold)
        model["nominal"].append(bool(nominal[column]))
        model["gap_right"].append(gap_right)
        model["polarity"].append(polarity)
        model["alpha"].append(0.5 * math.log((1.0 + g) / (1.0 - g)))
        model["u"].append(float((averaging * y * h).sum()))
        model["edge"].append(float(gamma))
        if perfect:
            break
        factor = np.where(y * h > 0, 1.0 / (1.0 + g), 1.0 / (1.0 - g))
        W = np.maximum(1.0, np.rint(W * factor))
        if weight_cap is not None:
            total = W.sum()
            for side in (1, -1):
                # So many times the mean weight; the mean of the side where the sides were given half of the weight each.
                n_sharing = n_rows if not balanced or (y == y[0]).all() else 2 * (y == side).sum()
                W[y == side] = np.minimum(W[y == side], max(1.0, math.floor(weight_cap * total / n_sharing)))
    return model


def margin_fractions(model, n_columns):
    """N_f, the numerators of eq. (10), for each column: the sum of alpha_t u_t over the rounds on f, in order."""
    numerators = np.zeros(n_columns)
    for column, alpha, u in zip(model["column"], model["alpha"], model["u"]):
        numerators[column] += alpha * u
    return numerators


def contribution_ratios(model, n_columns):
    """The numerators of eq. (7) and (11) for each column: the sum of |alpha_t| over the rounds on f, in order."""
    numerators = np.zeros(n_columns)
    for column, alpha in zip(model["column"], model["alpha"]):
        numerators[column] += abs(alpha)
    return numerators


def first_edges(values, nominal, y, weights=None, balanced=False):
    """The largest edge of each column under the start weights, as a fraction; 0 for a column without a stump."""
    start = start_weights(np.ones(len(y)) if weights is None else weights, y if balanced else None)
    kept = start > 0
    W = start[kept]
    edges = np.zeros(values.shape[1])
    for column in range(values.shape[1]):
        for _, _, sides in candidates(values[kept, column], nominal[column]):
            edges[column] = max(edges[column], abs(float((sides * W * np.asarray(y)[kept]).sum())) / W.sum())
    return edges


def joint(numerators, priors):
    """One score a column from one row of numerators a problem.

    The mean, weighted by `priors`, of each problem's numerators over their sum: eq. (10) and (7). Where that sum is
    not positive (possible with a weight cap), over the sum of their absolute values; a model without any stump counts
    nothing.
    """
    scores = np.zeros(numerators.shape[1])
    for prior, row in zip(priors, numerators):
        total = 0.0
        for value in row:
            total += value
        if not total > 0:
            total = 0.0
            for value in row:
                total += abs(value)
        if total > 0:
            scores += prior * (row / total)
    return scores


def n_dropped(n_left, step, step_until):
    """How many columns leave the `n_left` surviving ones in one step."""
    if n_left <= step_until:
        return 1
    n_drop = max(1, int(step * n_left)) if isinstance(step, float) else step
    return min(n_drop, n_left - step_until)


def eliminate(
    values,
    nominal,
    signs,
    n_rounds,
    weights=None,
    priors=None,
    criterion="margin_fraction",
    step=1,
    step_until=1,
    weight_cap=None,
    learning_rate=1.0,
    balanced=False,
    parents=(),
):
    """Backward elimination, every model trained from scratch.

    `parents` names the two columns of each pair, and pairs are the last columns of the table: they are not ranked, give half of
    their numerator to each of the two, and leave with the first of them.

    `signs` is (problems, n): one row for two classes, one row a class (that class against the rest) for more;
    `weights` (n,); `priors` (problems,), all the same if None; `balanced` gives both sides of every problem half of the
    weight at the start. One problem is compared by the numerators,
    several by their joint score. Returns the columns in the order in which they leave (the last one is the best), the
    joint score each had when it left, how many columns there were then, and the scores in the full model.
    """
    signs = np.atleast_2d(signs)
    n_problems = len(signs)
    n_columns = values.shape[1]
    n_ranked = n_columns - len(parents)
    if priors is None or n_problems == 1:
        priors = [1.0 / n_problems] * n_problems
    numerators_of = margin_fractions if criterion == "margin_fraction" else contribution_ratios
    tie_edges = np.zeros(n_columns)
    for prior, sign in zip(priors, signs):
        tie_edges += prior * first_edges(values, nominal, sign, weights, balanced)
    surviving = list(range(n_ranked))
    order, left_with, n_left, full = [], [], [], None
    while surviving:
        whole = [n_ranked + k for k, (a, b) in enumerate(parents) if a in surviving and b in surviving]
        models = [
            boost(
                values,
                nominal,
                sign,
                n_rounds,
                weights,
                surviving + whole,
                weight_cap,
                None,
                learning_rate,
                balanced,
            )
            for sign in signs
        ]
        numerators = np.array([numerators_of(model, n_columns) for model in models])
        for own in numerators:
            for k, two in enumerate(parents):
                for column in two:
                    own[column] += own[n_ranked + k] / 2
                own[n_ranked + k] = 0.0
        scores = joint(numerators, priors)
        keys = numerators[0] if n_problems == 1 else scores
        if full is None:
            full = scores[:n_ranked]
        leaving = sorted(surviving, key=lambda f: (keys[f], tie_edges[f], -f))
        leaving = leaving[: n_dropped(len(surviving), step, step_until)]
        order += leaving
        left_with += [float(scores[column]) for column in leaving]
        n_left += [len(surviving)] * len(leaving)
        surviving = [column for column in surviving if column not in leaving]
    return np.array(order), np.array(left_with), np.array(n_left), full


def predict(model, values):
    """H(x) of eq. (1) for each row: the sum of alpha_t h_t(x), in order of the rounds."""
    decision = np.zeros(len(values))
    for t in range(len(model["column"])):
        sides = side(
            values[:, model["column"][t]], model["nominal"][t], model["threshold"][t], model["gap_right"][t]
        )
        decision += model["alpha"][t] * (model["polarity"][t] * sides)
    return decision


def column_margins(model, values, y):
    """H_f(x), the conditional margin and the margin fraction of each row and column: eq. (5), (6) and (8).

    A column that no stump uses has a conditional margin of 0; fractions are NaN where the margin is 0.
    """
    votes, weight = np.zeros(values.shape), np.zeros(values.shape[1])
    for t, column in enumerate(model["column"]):
        sides = side(values[:, column], model["nominal"][t], model["threshold"][t], model["gap_right"][t])
        votes[:, column] += model["alpha"][t] * (model["polarity"][t] * sides)
        weight[column] += model["alpha"][t]
    total = sum(weight)
    conditional, fractions = np.zeros(values.shape), np.full(values.shape, np.nan)
    for row in range(len(values)):
        margin = y[row] * sum(votes[row]) / total if total else 0.0
        for column in np.flatnonzero(weight):
            conditional[row, column] = y[row] * votes[row, column] / weight[column]
        if margin:
            fractions[row] = weight / total * conditional[row] / margin
    return votes, conditional, fractions
