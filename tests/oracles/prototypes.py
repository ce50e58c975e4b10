"""Row selectors by plain loops. `distances` is a list of lists of int: every row to every row of the table."""

import math


def nearest_of(distances, row, rows):
    """Return the one of `rows` nearest to a row, the earlier in `rows` on ties."""
    best = rows[0]
    for other in rows[1:]:
        if distances[row][other] < distances[row][best]:
            best = other
    return best


def condensed(distances, labels, order=None):
    """Hart 1968: return the store in the order of storing, and the pass in which each row was stored."""
    order = list(range(len(labels))) if order is None else list(order)
    store, passes = [order[0]], [1]
    number = 0
    while True:
        number += 1
        added = False
        for row in order:
            if row not in store and labels[nearest_of(distances, row, store)] != labels[row]:
                store.append(row)
                passes.append(number)
                added = True
        if not added:
            return store, passes


def reduced(distances, labels, store):
    """Gates 1972: return the rows of a store that stay, in the order of storing."""
    current = list(store)
    for row in store:
        if len(current) == 1:
            break
        without = [other for other in current if other != row]
        missed = False
        for x in range(len(labels)):
            was_right = labels[nearest_of(distances, x, current)] == labels[x]
            is_right = labels[nearest_of(distances, x, without)] == labels[x]
            if was_right and not is_right:
                missed = True
        if not missed:
            current = without
    return current


def neighborhoods(distances, n_neighbors):
    """Return the n_neighbors nearest others of each row, the lower row on ties; all others where there are fewer."""
    found = []
    for row in range(len(distances)):
        others = [other for other in range(len(distances)) if other != row]
        others.sort(key=lambda other: (distances[row][other], other))
        found.append(others[:n_neighbors])
    return found


def boosting_run(neighbors, signs, labels, n_wanted, quotas, remove_selected, least=0.0, given=None):
    """PSBoost for two classes, +1 and -1: return rows and alphas in the order of choice.

    quotas says how many rows of each label may be chosen (None: any number). A run stops below an alpha of `least`.
    `given` are the weights to begin with.
    """
    n = len(signs)
    voted = [[x for x in range(n) if e in neighbors[x]] for e in range(n)]
    weights = [1 / n] * n if given is None else [weight / math.fsum(given) for weight in given]
    rows, alphas = [], []
    while len(rows) < n_wanted:
        candidates = []
        for e in range(n):
            full = quotas is not None and sum(labels[r] == labels[e] for r in rows) >= quotas[labels[e]]
            if e not in rows and not full:
                candidates.append(e)
        if not candidates:
            break
        found = [voter_alpha(e, voted[e], signs, weights) for e in candidates]
        if max(found) < least - 1e-12:
            break
        place = next(p for p in range(len(found)) if found[p] >= max(found) - 1e-12)
        chosen, alpha = candidates[place], found[place]
        rows.append(chosen)
        alphas.append(alpha)
        for x in voted[chosen]:
            weights[x] *= math.exp(-alpha * signs[x] * signs[chosen])
        if remove_selected:
            weights[chosen] = 0.0
        total = math.fsum(weights)
        if total > 0:
            weights = [weight / total for weight in weights]
    return rows, alphas


def voter_alpha(e, voted, signs, weights):
    """Return 1/2 log((W+ + W0/2) / (W- + W0/2)); 0 without any weight, and the edge within 1e-6 of 1."""
    right = math.fsum(weights[x] for x in voted if signs[x] == signs[e])
    wrong = math.fsum(weights[x] for x in voted if signs[x] != signs[e])
    silent = math.fsum(weights[x] for x in range(len(weights)) if x not in voted)
    if right + wrong + silent == 0:
        return 0.0
    most = 1 - 1e-6
    if right - wrong >= most:
        return 0.5 * math.log((1 + most) / (1 - most))
    if wrong - right >= most:
        return -0.5 * math.log((1 + most) / (1 - most))
    return 0.5 * math.log((right + silent / 2) / (wrong + silent / 2))


def psboost(neighbors, labels, n_wanted, quotas=None, remove_selected=False, union=False, given=None):
    """Return rows, alphas and the class of the run that placed each row; several classes in turns, or all their rows."""
    classes = sorted(set(labels))
    if len(classes) == 2:
        signs = [1 if label == classes[1] else -1 for label in labels]
        rows, alphas = boosting_run(neighbors, signs, labels, n_wanted, quotas, remove_selected, given=given)
        return rows, alphas, [1] * len(rows)
    runs = []
    for c in classes:
        signs = [1 if label == c else -1 for label in labels]
        runs.append(boosting_run(neighbors, signs, labels, n_wanted, quotas, remove_selected, given=given))
    rows, alphas, placed = [], [], []
    for turn in range(n_wanted):
        for run in range(len(classes)):
            if turn >= len(runs[run][0]) or (len(rows) == n_wanted and not union):
                continue
            row = runs[run][0][turn]
            full = quotas is not None and sum(labels[r] == labels[row] for r in rows) >= quotas[labels[row]]
            if row in rows or (full and not union):
                continue
            rows.append(row)
            alphas.append(runs[run][1][turn])
            placed.append(run)
    return rows, alphas, placed


def votes_right(row, voters, labels):
    """Tell whether no class has more votes than the row's own."""
    counts = {label: sum(labels[v] == label for v in voters) for label in set(labels)}
    return counts[labels[row]] >= max(counts.values())


def edited(distances, labels, n_neighbors=3):
    """Wilson 1972: return the rows that their nearest others do not misclassify; a tie of votes keeps a row."""
    neighbors = neighborhoods(distances, n_neighbors)
    return [row for row in range(len(labels)) if votes_right(row, neighbors[row], labels)]


def drop3(distances, labels, n_neighbors=3):
    """Wilson and Martinez 2000: return the edited rows in the order of judging, and those that stay, ascending.

    Every window is found anew from what is kept: the n_neighbors + 1 nearest kept others of a row.
    """
    T = edited(distances, labels, n_neighbors)
    enemy = {}
    for row in T:
        others = [distances[row][other] for other in T if labels[other] != labels[row]]
        enemy[row] = min(others) if others else math.inf
    order = sorted(T, key=lambda row: (-enemy[row], row))
    S = list(T)

    def window(row):
        others = [other for other in S if other != row]
        others.sort(key=lambda other: (distances[row][other], other))
        return others[: n_neighbors + 1]

    for row in order:
        if len(S) == 1:
            break
        with_it = without_it = 0
        for associate in T:
            near = window(associate)
            if row in near:
                voters = near[:n_neighbors]
                with_it += votes_right(associate, voters, labels)
                voters = [other for other in near if other != row][:n_neighbors]
                without_it += len(voters) > 0 and votes_right(associate, voters, labels)
        if without_it >= with_it:
            S.remove(row)
    return order, S


def n_right(distances, labels, kept, weights=None):
    """Count the rows, or add up their weights, that the nearest of the kept rows, the lower on ties, classifies correctly."""
    kept = sorted(kept)
    right = [row for row in range(len(labels)) if labels[nearest_of(distances, row, kept)] == labels[row]]
    return sum(1 if weights is None else weights[row] for row in right)


def monte_carlo(distances, labels, draws, weights=None):
    """Skalak 1994: return the first of the best of the drawn sets, and how many rows each has right."""
    counts = [n_right(distances, labels, kept, weights) for kept in draws]
    return draws[counts.index(max(counts))], counts


def hill_climbing(distances, labels, start, spare, slots, fresh, weights=None):
    """Skalak 1994: return the kept rows after the replacements, and (old, new, right, stayed) of each."""
    kept, spare = list(start), list(spare)
    right = n_right(distances, labels, kept, weights)
    tried = []
    for slot, place in zip(slots, fresh):
        other = list(kept)
        other[slot] = spare[place]
        count = n_right(distances, labels, other, weights)
        tried.append((kept[slot], spare[place], count, count > right))
        if count > right:
            spare[place] = kept[slot]
            kept, right = other, count
    return kept, tried


def weighted_vote(to_kept, kept_labels, alphas, n_neighbors):
    """Return the class of one new row: the largest sum of alphas among its nearest kept rows.

    `to_kept` holds its distances to the kept rows. Sums within 1e-12 tie; of tied classes the one whose row is nearest
    wins, or else the first.
    """
    order = sorted(range(len(to_kept)), key=lambda kept: (to_kept[kept], kept))[:n_neighbors]
    sums = dict.fromkeys(sorted(set(kept_labels)), 0.0)
    for kept in order:
        sums[kept_labels[kept]] += alphas[kept]
    tied = [label for label in sums if sums[label] >= max(sums.values()) - 1e-12]
    for kept in order:
        if kept_labels[kept] in tied:
            return kept_labels[kept]
    return tied[0]


def first_alpha(row, neighbors, labels):
    """Return alpha, Z, W+, W- and W0 of a row that votes for others when all rows count the same."""
    n = len(labels)
    voted = [x for x in range(n) if row in neighbors[x]]
    right = sum(labels[x] == labels[row] for x in voted) / n
    wrong = sum(labels[x] != labels[row] for x in voted) / n
    silent = (n - len(voted)) / n
    signs = [1 if labels[x] == labels[row] else -1 for x in range(n)]
    alpha = voter_alpha(row, voted, signs, [1 / n] * n)
    return alpha, 2 * math.sqrt((right + silent / 2) * (wrong + silent / 2)), right, wrong, silent


def inverse_distances(to_kept, kept_labels, classes):
    """Return, for each class, 1 / distance of its nearest kept row as a share of all; distances are squares."""
    nearest = {
        c: min([math.sqrt(d) for d, label in zip(to_kept, kept_labels) if label == c], default=math.inf)
        for c in classes
    }
    at_zero = [c for c in classes if nearest[c] == 0]
    if at_zero:
        return [1 / len(at_zero) if c in at_zero else 0.0 for c in classes]
    near = [1 / nearest[c] for c in classes]
    return [one / sum(near) for one in near]


def all_row_alphas(neighbors, labels, remove_selected, given=None):
    """Return the alpha of every row when boosting goes on to the last, in the run of its class where there are more."""
    classes = sorted(set(labels))
    weights = [0.0] * len(labels)
    for c in classes[1:] if len(classes) == 2 else classes:
        signs = [1 if label == c else -1 for label in labels]
        rows, alphas = boosting_run(
            neighbors, signs, labels, len(labels), None, remove_selected, -math.inf, given
        )
        for row, alpha in zip(rows, alphas):
            if len(classes) == 2 or labels[row] == c:
                weights[row] = alpha
    return weights


def whole_groups(kept, groups):
    """Return the rows of the groups of which the largest shares were kept, as many as were kept at most.

    The group whose first row is lower comes first on equal shares; groups that are too large are passed over; if all are,
    the smallest is taken, of several the first in that order.
    """
    rows_of = {}
    for row, group in enumerate(groups):
        rows_of.setdefault(group, []).append(row)
    shares = {group: sum(row in kept for row in rows) / len(rows) for group, rows in rows_of.items()}
    order = sorted(
        (group for group in rows_of if shares[group]), key=lambda group: (-shares[group], rows_of[group][0])
    )
    taken = []
    for group in order:
        if len(taken) + len(rows_of[group]) <= len(kept):
            taken += rows_of[group]
    return sorted(taken or min((rows_of[group] for group in order), key=len))
