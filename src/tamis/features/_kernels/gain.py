"""Weighted information gain of stumps, column by column.

Symbols: W is the weight of a leaf by class; F(W) = sum_k W_k log W_k - (sum W) log (sum W), which is minus the leaf's
weight times its entropy; gain = (F(left) + F(right) - F(all)) / total. Weights are integers stored as float64, so every
sum is exact; only the logarithms round, and gains within `TIE` are equal.

`codes[j, i]` is the position of row i's value among the sorted distinct known values of column j, or `levels[j]`
where the value is missing. The stumps of a column, in order of preference: for a numeric column, a cut after each
value; for a categorical ("nominal") one, each value against the rest; if values are missing ("gaps"), each of these
with the missing values on the left, then on the right; last, the missing values against the rest.
"""

import numpy as np

from tamis._jit import kernel

TIE = 1e-12
SLACK = 1e-9  # how far below the best gain a bound must be before a column is skipped
GRID = 64


@kernel
def leaf_part(leaf):
    """Return F of one leaf, float64, from its class weights (K,)."""
    total = 0.0
    part = 0.0
    for weight in leaf:
        if weight > 0:
            total += weight
            part += weight * np.log(weight)
    if total > 0:
        part -= total * np.log(total)
    return part


@kernel
def split_part(left, whole, right):
    """Return F(left) + F(right), where right = whole - left; writes to `right`."""
    for k in range(len(whole)):
        right[k] = whole[k] - left[k]
    return leaf_part(left) + leaf_part(right)


@kernel
def class_table(codes, labels, weights, n_levels, n_classes):
    """Return the weight of each value and class, float64 (n_levels + 1, n_classes), missing values in the last row."""
    table = np.zeros((n_levels + 1, n_classes))
    for i in range(len(codes)):
        table[codes[i], labels[i]] += weights[i]
    return table


@kernel
def best_split(table, nominal, whole):
    """Return the best stump of a column: (F(left) + F(right), position, whether missing values go right).

    `position` is the value after which a numeric column is cut, or the category that goes right alone; n_levels means
    the missing values against the rest, -1 no stump. The earliest stump within `TIE` of the best total is returned.
    """
    n_levels, n_classes = table.shape[0] - 1, table.shape[1]
    gaps = table[n_levels]
    has_gaps = gaps.sum() > 0
    total = whole.sum()
    left = np.zeros(n_classes)
    right = np.empty(n_classes)
    known = np.zeros(n_classes)
    parts = np.full((n_levels + 1, 2), -np.inf)
    last = n_levels if nominal else n_levels - 1
    if nominal and n_levels < 2:
        last = 0
    for a in range(last):
        for k in range(n_classes):
            known[k] = whole[k] - gaps[k] - table[a, k] if nominal else known[k] + table[a, k]
        for side in range(2 if has_gaps else 1):
            for k in range(n_classes):
                left[k] = known[k] + (gaps[k] if side == 0 else 0.0)
            parts[a, side] = split_part(left, whole, right)
    if has_gaps and n_levels > 0:
        for k in range(n_classes):
            left[k] = whole[k] - gaps[k]
        parts[n_levels, 0] = split_part(left, whole, right)
    best = parts.max()
    if best == -np.inf:
        return best, -1, 0
    for a in range(n_levels + 1):
        for side in range(2):
            if parts[a, side] >= best - TIE * total:
                return best, a, side
    return best, -1, 0


@kernel
def lead_of(codes, n_levels, nominal, shares, held):
    """Return the lead of a two-class column, which bounds its gain: the largest |L_1/W_1 - L_0/W_0| over its stumps.

    `shares` is each row's fraction of its class, negative for class 0; `held` is working space of at least n_levels + 1.
    """
    for a in range(n_levels + 1):
        held[a] = 0.0
    for i in range(len(codes)):
        held[codes[i]] += shares[i]
    gap = held[n_levels]
    lead = abs(gap)
    running = 0.0
    for a in range(n_levels):
        running = held[a] if nominal else running + held[a]
        lead = max(lead, abs(running), abs(running + gap))
    return lead


@kernel
def gain_bound(lead, whole):
    """Return an upper bound of F(left) + F(right) for all stumps whose lead is at most `lead` (two classes).

    With p and q the fractions of the two classes on the left, the sum is convex in (p, q); on the line p - q = lead it
    is therefore largest at an end of the line, where p or q is 0 or 1, and it grows with the lead.
    """
    lead = min(1.0, lead)
    left = np.zeros(2)
    right = np.empty(2)
    bound = -np.inf
    for k in range(2):
        left[k] = lead * whole[k]
        left[1 - k] = 0.0
        bound = max(bound, split_part(left, whole, right))
        left[k] = whole[k]
        left[1 - k] = (1 - lead) * whole[1 - k]
        bound = max(bound, split_part(left, whole, right))
    return bound


@kernel
def lead_along(rows, shares):
    """Return `lead_of` a numeric column without missing or equal values, from its rows in the order of their values."""
    lead = 0.0
    running = 0.0
    for i in rows:
        running += shares[i]
        lead = max(lead, abs(running))
    return lead


@kernel
def column_leads(codes, rows, levels, nominal, columns, shares):
    """Return the lead of each of some columns, float64 (len(columns),).

    `rows[j]` are the rows in the order of their values in column j; it is used only if no two of these are equal.
    """
    leads = np.zeros(len(columns))
    n_rows = codes.shape[1]
    held = np.empty(n_rows + 1)
    for c in range(len(columns)):
        j = columns[c]
        if levels[j] == n_rows and not nominal[j]:
            leads[c] = lead_along(rows[j], shares)
        else:
            leads[c] = lead_of(codes[j], levels[j], nominal[j], shares, held)
    return leads


@kernel
def shares_of_class(labels, weights, whole):
    """Return each row's fraction of its class, float64 (n,), negative for class 0."""
    shares = np.empty(len(labels))
    for i in range(len(labels)):
        share = weights[i] / whole[labels[i]]
        shares[i] = share if labels[i] == 1 else -share
    return shares


@kernel
def least_lead(part, whole):
    """Return a lead that a stump must have for F(left) + F(right) to be at least `part` (two classes)."""
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        if gain_bound(middle, whole) < part:
            low = middle
        else:
            high = middle
    return low


@kernel
def grid_bounds(whole):
    """Return upper bounds of F(left) + F(right), float64 (GRID, GRID), by the fractions of classes 0 and 1 on the left.

    The sum is convex in the two fractions, so that within a square of the grid it is largest at a corner.
    """
    logs = np.zeros((2, GRID + 1))
    for k in range(2):
        for a in range(1, GRID + 1):
            weight = whole[k] * a / GRID
            logs[k, a] = weight * np.log(weight)
    totals = np.zeros((GRID + 1, GRID + 1))
    for a in range(GRID + 1):
        for b in range(GRID + 1):
            weight = whole[0] * a / GRID + whole[1] * b / GRID
            totals[a, b] = weight * np.log(weight) if weight > 0 else 0.0
    corner = np.empty((GRID + 1, GRID + 1))
    for a in range(GRID + 1):
        for b in range(GRID + 1):
            left = logs[0, a] + logs[1, b] - totals[a, b]
            right = logs[0, GRID - a] + logs[1, GRID - b] - totals[GRID - a, GRID - b]
            corner[a, b] = left + right
    bounds = np.empty((GRID, GRID))
    for a in range(GRID):
        for b in range(GRID):
            bounds[a, b] = max(corner[a, b], corner[a + 1, b], corner[a, b + 1], corner[a + 1, b + 1])
    return bounds


@kernel
def may_reach(table, nominal, whole, bounds, part):
    """Return whether, by the grid, some stump of a two-class column may have F(left) + F(right) >= `part`."""
    n_levels = table.shape[0] - 1
    first, second = GRID / whole[0], GRID / whole[1]
    gap_0, gap_1 = table[n_levels, 0], table[n_levels, 1]
    known_0, known_1 = 0.0, 0.0
    if bounds[_square(gap_0 * first), _square(gap_1 * second)] >= part:
        return True
    for a in range(n_levels):
        known_0 = table[a, 0] if nominal else known_0 + table[a, 0]
        known_1 = table[a, 1] if nominal else known_1 + table[a, 1]
        if bounds[_square(known_0 * first), _square(known_1 * second)] >= part:
            return True
        if bounds[_square((known_0 + gap_0) * first), _square((known_1 + gap_1) * second)] >= part:
            return True
    return False


@kernel
def may_reach_along(rows, places, bounds, part):
    """Return `may_reach` of a numeric column without missing or equal values, from its rows in order of their values.

    `places[k, i]` is row i's fraction of class k in steps of the grid, 0 if the row is of the other class.
    """
    first, second = 0.0, 0.0
    for i in rows:
        first += places[0, i]
        second += places[1, i]
        if bounds[_square(first), _square(second)] >= part:
            return True
    return False


@kernel
def grid_places(labels, weights, whole):
    """Return each row's fraction of its class in steps of the grid, float64 (2, n)."""
    places = np.zeros((2, len(labels)))
    for i in range(len(labels)):
        places[labels[i], i] = weights[i] * GRID / whole[labels[i]]
    return places


@kernel
def _square(place):
    return min(GRID - 1, int(place))


@kernel
def best_parts(codes, rows, levels, nominal, columns, labels, weights, whole, leading):
    """Return F(left) + F(right) of the best stump of each of some columns, float64, -inf where there is no stump.

    With `leading`, for two classes, a column that by its lead or the grid cannot be the best stays at -inf.
    """
    parts = np.full(len(columns), -np.inf)
    leads, bounds, places = np.zeros(len(columns)), np.empty((0, 0)), np.empty((0, 0))
    if leading:
        leads = column_leads(codes, rows, levels, nominal, columns, shares_of_class(labels, weights, whole))
        bounds, places = grid_bounds(whole), grid_places(labels, weights, whole)
    slack = SLACK * whole.sum()
    best, least = -np.inf, 0.0
    start = np.argmax(leads)
    for k in range(len(columns)):  # the column with the largest lead first
        c = start if k == 0 else (k - 1 if k <= start else k)
        if leading and leads[c] * (1 + SLACK) + SLACK < least:
            continue
        j = columns[c]
        along = levels[j] == len(labels) and not nominal[j]
        bounded = leading and k > 0
        if bounded and along and not may_reach_along(rows[j], places, bounds, best - slack):
            continue
        table = class_table(codes[j], labels, weights, levels[j], len(whole))
        if bounded and not along and not may_reach(table, nominal[j], whole, bounds, best - slack):
            continue
        parts[c] = best_split(table, nominal[j], whole)[0]
        if leading and parts[c] > best:
            best = parts[c]
            least = least_lead(best - slack, whole)
    return parts


@kernel
def reweighted(codes, n_levels, nominal, labels, weights, whole):
    """Update the weights by the best stump of one column; return them (n,) and its error (NaN without a stump).

    Leaves are labelled by weighted majority, the lower class on ties. The update is AdaBoost's for two classes, SAMME's
    for more; an error of 0, or no better than chance (1 - 1/K), leaves the weights unchanged.
    """
    n_classes = len(whole)
    table = class_table(codes, labels, weights, n_levels, n_classes)
    _, position, gaps_right = best_split(table, nominal, whole)
    if position < 0:
        return weights, np.nan
    leaves = np.zeros((2, n_classes))
    side = np.empty(n_levels + 1, dtype=np.int64)
    for a in range(n_levels):
        right = a == position if nominal else a > position
        side[a] = 1 if right and position < n_levels else 0
    side[n_levels] = 1 if gaps_right == 1 or position == n_levels else 0
    for a in range(n_levels + 1):
        for k in range(n_classes):
            leaves[side[a], k] += table[a, k]
    answer = np.array([np.argmax(leaves[0]), np.argmax(leaves[1])])
    wrong = 0.0
    for i in range(len(codes)):
        if answer[side[codes[i]]] != labels[i]:
            wrong += weights[i]
    error = wrong / whole.sum()
    if error == 0 or error >= 1 - 1 / n_classes:
        return weights, error
    if_right = 1 / (n_classes * (1 - error))
    if_wrong = (n_classes - 1) / (n_classes * error)
    new = np.empty_like(weights)
    for i in range(len(codes)):
        factor = if_right if answer[side[codes[i]]] == labels[i] else if_wrong
        new[i] = max(1.0, np.rint(weights[i] * factor))
    return new, error
