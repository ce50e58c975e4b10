"""AdaBoost over nearest-neighbour votes and the searches over its Z, from the definitions, with nothing saved.

Every subset of columns is measured from the start: all distances, all neighbours as a matrix of 0 and 1, all rounds.
Two numbers within TIE (relative) of each other are equal.
"""

import math

import numpy as np

TIE = 1e-12
ONE = 2**20


def column_steps(queries, fitted, is_nominal, metric):
    """What one column adds to the distance of each query to each fitted row, in steps of 2**-20."""
    low, high = np.nanmin([*fitted, np.inf]), np.nanmax([*fitted, -np.inf])
    steps = np.zeros((len(queries), len(fitted)), dtype=np.int64)
    for i, a in enumerate(queries):
        if is_nominal:
            apart = (fitted != a) * 1.0
        elif low < high:
            apart = np.abs((a - low) / (high - low) - (fitted - low) / (high - low))
        else:
            apart = np.zeros(len(fitted))
        apart = np.where(np.isnan(fitted), 1.0, apart) if not np.isnan(a) else np.isnan(fitted) * -1.0 + 1.0
        steps[i] = np.rint((apart if metric == "l1" else apart * apart) * ONE)
    return steps


def neighbor_matrix(distances, n_neighbors, ties, leave_one_out=True, groups=None):
    """1.0 where a fitted row (column) is a neighbour of a query (row); never a row's own, nor one of its group."""
    groups = range(len(distances[0])) if groups is None else groups
    found = np.zeros((len(distances), len(distances[0])))
    for i, line in enumerate(distances):
        others = [j for j in range(len(line)) if not (leave_one_out and groups[i] == groups[j])]
        nearest_first = sorted(others, key=line.__getitem__)  # the lower row first on ties
        chosen = nearest_first[:n_neighbors]
        if ties == "all":
            chosen = [j for j in others if line[j] <= line[chosen[-1]]]
        found[i, chosen] = 1.0
    return found


def imbalance(values, columns, signs):
    """abs(n+ - n-) / (n+ + n-) among the rows that share a row's description over the columns."""
    descriptions = [tuple("gap" if np.isnan(row[j]) else float(row[j]) for j in columns) for row in values]
    lead, size = {}, {}
    for description, sign in zip(descriptions, signs):
        lead[description] = lead.get(description, 0) + sign
        size[description] = size.get(description, 0) + 1
    return np.array([abs(lead[x]) / size[x] for x in descriptions])


def weak_votes(neighbors, weights, signs, vote):
    """h of every query: the weighted vote of its neighbours, in [-1, 1]."""
    plus, minus = neighbors @ (weights * (signs > 0)), neighbors @ (weights * (signs < 0))
    votes = np.zeros(len(neighbors))
    for i, (p, m) in enumerate(zip(plus, minus)):
        if p + m > 0:
            votes[i] = (p - m) / (p + m)
        if vote == "sign":
            votes[i] = 0.0 if abs(votes[i]) <= TIE else math.copysign(1.0, votes[i])
    return votes


def boosted(
    neighbors, signs, start, n_rounds, vote="confidence", criterion="z", kept=None, new=None, learner=None
):
    """Z and Z' after 1, 2, ... rounds, and F of the rows and of new rows (their neighbours in `new`).

    kept is the imbalance of each row's description. Once boosting has stopped, Z stays as it is. A learner gives h of
    every row for the weights of the rows, in the place of neighbours.
    """
    kept = np.ones(len(signs)) if kept is None else kept
    weights = start / start.sum()
    votes_so_far, new_so_far = np.zeros(len(signs)), np.zeros(0 if new is None else len(new))
    z, z_prime, path, path_prime = 1.0, 1.0, [], []
    n, running = len(signs), True
    if criterion == "z_prime_literal":
        weights = weights * kept
    if criterion != "z" and (weights * kept).sum() == 0:
        running = False
    weights = weights / weights.sum() if running else weights
    for _ in range(n_rounds):
        if running:
            h = weak_votes(neighbors, weights, signs, vote) if learner is None else learner(weights)
            loss = (weights * (1 - signs * h)).sum()  # 1 - r
            aside = criterion in ("z_prime", "z_prime_minimised")
            primed = weights * kept / (weights * kept).sum() if aside else weights
            loss_prime = (primed * (1 - signs * h)).sum()
            perfect = all(s * v == 1 for s, v, w in zip(signs, h, weights) if w > 0)
            if perfect:
                z, z_prime, running = 0.0, 0.0, False
                alpha = 0.5 * math.log(4 * n - 1)  # as if r were 1 - 1 / (2 n)
            elif 1 - loss <= TIE or 1 - loss_prime <= TIE:
                running, alpha = False, 0.0
            else:
                if aside:
                    loss_prime = max(loss_prime, 1 / (2 * n))
                alpha = 0.5 * math.log((2 - loss_prime) / loss_prime)
            votes_so_far = votes_so_far + alpha * h
            if new is not None:
                new_so_far = new_so_far + alpha * weak_votes(new, weights, signs, vote)
            if running:
                factors = np.exp(-alpha * signs * h)
                z *= (weights * factors).sum()
                z_prime *= (primed * factors).sum()
                weights = weights * factors / (weights * factors).sum()
        path.append(z)
        path_prime.append(z_prime)
    return path, path_prime, votes_so_far, new_so_far


def problems_of(codes, n_classes, class_weight=None, even=False, weights=None):
    """(signs, start weights) of each two-class problem: one, or one a class against the rest, balanced.

    The weights of classes then multiply those of rows; even: both sides weigh the same all the same.
    """
    own = np.ones(len(codes)) if weights is None else np.asarray(weights, float)
    rows = own if class_weight is None else own * np.array([class_weight[c] for c in codes], float)
    if n_classes == 2:
        return [(np.where(codes == 1, 1.0, -1.0), rows)]
    problems = []
    for c in range(n_classes):
        inside = codes == c
        held = rows if even else own
        start = np.where(inside, rows / held[inside].sum(), rows / held[~inside].sum())
        problems.append((np.where(inside, 1.0, -1.0), start))
    return problems


def leave_one_out_error(neighbors, codes, n_classes, class_weight=None, weights=None):
    """Weighted share of rows whose neighbours vote for another class; ties go to the larger class, then the lower."""
    worth = np.ones(len(codes)) if class_weight is None else np.array([class_weight[c] for c in codes], float)
    worth = worth if weights is None else worth * weights
    sizes = [int((codes == c).sum()) for c in range(n_classes)]
    wrong = 0.0
    for i, line in enumerate(neighbors):
        votes = [(worth * line)[codes == c].sum() for c in range(n_classes)]
        tied = [c for c in range(n_classes) if votes[c] >= max(votes) * (1 - TIE)]
        winner = min(tied, key=lambda c: (-sizes[c], c))
        wrong += worth[i] * (winner != codes[i])
    return wrong / worth.sum()


def leave_one_out_squares(neighbors, numbers, weights=None):
    """Squared error of the neighbours' mean, divided by the variance; numbers count in 2**40 steps over their range."""
    weights = [1] * len(numbers) if weights is None else weights
    low, high = min(numbers), max(numbers)
    steps = [round((y - low) / (high - low) * 2**40) for y in numbers]
    mean = sum(w * step for w, step in zip(weights, steps)) / sum(weights)
    squares = 0.0
    for i, line in enumerate(neighbors):
        near = [j for j in range(len(steps)) if line[j]]
        said = sum(weights[j] * steps[j] for j in near) / sum(weights[j] for j in near)
        squares += weights[i] * (said - steps[i]) ** 2
    return squares / sum(w * (step - mean) ** 2 for w, step in zip(weights, steps))


class Measure:
    """The criterion of any subset of columns, each measured once."""

    def __init__(
        self, values, nominal, codes, n_neighbors=9, n_rounds=50, criterion="z",
        ties="all", vote="confidence", metric="l1", class_weight=None, even=False, weights=None, groups=None,
    ):  # fmt: skip
        self.values, self.codes = values, np.asarray(codes)
        self.n_classes = int(self.codes.max()) + 1
        self.numeric = self.codes.dtype.kind == "f"
        self.k, self.n_rounds = min(n_neighbors, len(values) - 1), n_rounds
        self.criterion, self.ties, self.vote = criterion, ties, vote
        self.class_weight, self.even, self.weights, self.groups = class_weight, even, weights, groups
        self.steps = [
            column_steps(values[:, j], values[:, j], nominal[j], metric) for j in range(values.shape[1])
        ]
        self.known = {}

    def neighbors(self, columns):
        distances = sum((self.steps[j] for j in columns), np.zeros_like(self.steps[0]))
        return neighbor_matrix(distances.tolist(), self.k, self.ties, groups=self.groups)

    def paths(self, columns):
        """The criterion after 1, 2, ... rounds, and Z'."""
        key = tuple(sorted(columns))
        if key not in self.known:
            neighbors = self.neighbors(key)
            if self.numeric:
                error = leave_one_out_squares(neighbors, self.codes.tolist(), self.weights)
                self.known[key] = np.full(self.n_rounds, error), np.full(self.n_rounds, np.nan)
            elif self.criterion == "accuracy":
                error = leave_one_out_error(
                    neighbors, self.codes, self.n_classes, self.class_weight, self.weights
                )
                self.known[key] = np.full(self.n_rounds, error), np.full(self.n_rounds, np.nan)
            else:
                runs = []
                for signs, start in problems_of(
                    self.codes, self.n_classes, self.class_weight, self.even, self.weights
                ):
                    kept = imbalance(self.values, key, signs)
                    runs.append(
                        boosted(neighbors, signs, start, self.n_rounds, self.vote, self.criterion, kept)
                    )
                mean = [np.mean([run[part] for run in runs], axis=0) for part in (0, 1)]
                self.known[key] = mean[self.criterion == "z_prime_minimised"], mean[1]
        return self.known[key]

    def __call__(self, columns, n_rounds=None):
        return float(self.paths(columns)[0][(n_rounds or self.n_rounds) - 1])


def below(a, b):
    return a < b * (1 - TIE)


def set_aside(units, locked, first, cap):
    """The units that have no part in a search."""
    aside = []
    for unit in units:
        earlier = [other for other in units if other in locked or (len(other) == 1 and other < unit)]
        said = {first[j] for other in earlier if other != unit for j in other}
        single = all(first[j] == -1 for j in unit)
        if unit not in locked and (single or (len(unit) == 1 and first[unit[0]] in said)):
            aside.append(unit)
    if locked or any(len(unit) <= cap for unit in units if unit not in aside):
        return aside
    aside.remove(next(unit for unit in aside if len(unit) <= cap))  # something must be left to find
    return aside


def search(
    measure, n_columns, direction="forward", floating=False, tol=0.003, patience=4, max_features=None,
    n_features=None, fixed=(), excluded=(), groups=(), first=None,
):  # fmt: skip
    """The subset that is returned, and every move as (columns moved, added, value, {unit: value of the candidate}).

    first is, for each column, the first that says the same, -1 for a constant: constants, and copies of single or fixed
    columns, have no part in the search (a caller that wants more than all others adds them). Where Z is sought, a
    column that leaves it as it is comes only if all do, and goes without being counted as a miss.
    """
    grouped = {j for group in groups for j in group}
    units = [tuple(sorted(group)) for group in groups]
    units += [(j,) for j in range(n_columns) if j not in grouped]
    units = sorted(unit for unit in units if unit[0] not in excluded)
    locked = {unit for unit in units if unit[0] in fixed}
    cap = n_features or max_features or n_columns
    aside = set_aside(units, locked, list(range(n_columns)) if first is None else first, cap)
    units = [unit for unit in units if unit not in aside]
    growing = direction == "forward"
    held = set(locked) if growing else set(units)
    wanted = None if n_features is None else min(n_features, sum(len(unit) for unit in units))
    state = {"best": math.inf, "answer": None, "misses": 0, "here": math.inf}
    moves, arrivals, visited, best_of_size = [], [], set(), {}

    def columns(chosen):
        return tuple(sorted(j for unit in chosen for j in unit))

    def size(chosen):
        return len(columns(chosen))

    def arrive(moved, added, value, candidates):
        moves.append((moved, added, value, candidates))
        visited.add(columns(held))
        state["here"] = value
        arrivals.append((value, columns(held)))
        best_of_size[size(held)] = min(value, best_of_size.get(size(held), math.inf))
        progress = size(held) <= cap and below(value, (1 - tol) * state["best"])
        if progress:
            state["best"], state["answer"], state["misses"] = value, columns(held), 0
        return progress

    def neighbours_of(grow):
        if grow:
            room = cap if growing else n_columns
            return {u: held | {u} for u in units if u not in held and size(held | {u}) <= room}
        options = {u: held - {u} for u in sorted(held - locked) if size(held - {u}) > 0}
        return {u: rest for u, rest in options.items() if locked or min(len(one) for one in rest) <= cap}

    def is_idle(value):
        here = state["here"]
        return measure.criterion != "accuracy" and not below(value, here) and not below(here, value)

    def best_move(grow):
        options = {unit: measure(columns(after)) for unit, after in neighbours_of(grow).items()}
        open_ = {u: z for u, z in options.items() if columns(neighbours_of(grow)[u]) not in visited}
        if not open_:
            return None, options
        if grow and growing and not all(is_idle(z) for z in open_.values()):
            open_ = {u: z for u, z in open_.items() if not is_idle(z)}
        lowest = min(open_.values())
        return min(u for u, z in open_.items() if z <= lowest * (1 + TIE)), options

    if held:
        arrive((), True, measure(columns(held)), {})
    while True:
        if n_features is None and state["best"] == 0:
            break
        if n_features is not None and (size(held) <= wanted if not growing else size(held) == wanted):
            break
        unit, options = best_move(growing)
        if unit is None:
            break
        held = held | {unit} if growing else held - {unit}
        counts = size(held) <= cap and (growing or not is_idle(options[unit]))
        progress = arrive(unit, growing, options[unit], options)
        if not progress and counts:
            state["misses"] += 1
        while floating:
            unit, options = best_move(not growing)
            if unit is None:
                break
            after = held - {unit} if growing else held | {unit}
            if not below(options[unit], best_of_size.get(size(after), 0.0)):
                break
            held = after
            arrive(unit, not growing, options[unit], options)
        if n_features is None and state["misses"] >= patience:
            break
    if (
        n_features is not None
    ):  # of the subsets of the size, or of the nearest below it that was reached, the best
        reached = max(len(chosen) for _, chosen in arrivals if len(chosen) <= n_features)
        rivals = [(value, chosen) for value, chosen in arrivals if len(chosen) == reached]
        lowest = min(value for value, _ in rivals)
        return next(chosen for value, chosen in rivals if value <= lowest * (1 + TIE)), moves
    return state["answer"], moves


def figure_two(measure, columns, tol):
    """The paper's Figure 2, line by line, with "much smaller" as smaller by the share tol; Z and columns in their order."""
    z_0, chosen, left = math.inf, [], list(columns)
    while left:
        z = [measure([*chosen, column]) for column in left]
        best = next(pos for pos in range(len(z)) if z[pos] <= min(z) * (1 + TIE))
        if not below(z[best], (1 - tol) * z_0):
            break
        z_0 = z[best]
        chosen.append(left.pop(best))
        if z_0 == 0:  # nothing can be smaller
            break
    return z_0, chosen


def least_possible_z(values, columns, signs, start, kept=None):
    """The smallest sum of weights times exp(-y F) if F depends on the description alone, sought on a fine grid of F."""
    weights = start / start.sum() if kept is None else start * kept
    if weights.sum() == 0:
        return 1.0
    weights = weights / weights.sum()
    sides = {}
    for row, sign, weight in zip(values, signs, weights):
        description = tuple("gap" if np.isnan(row[j]) else float(row[j]) for j in columns)
        sides.setdefault(description, [0.0, 0.0])[int(sign > 0)] += weight
    grid = np.linspace(-20, 20, 40001)
    return sum((right * np.exp(-grid) + wrong * np.exp(grid)).min() for wrong, right in sides.values())
