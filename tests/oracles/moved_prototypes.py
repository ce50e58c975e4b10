"""MovedPrototypes by plain loops: points, the nearest prototypes, the slope of the loss, and Adam's steps.

A point is a list of coordinates; None stands for one that is not known.
"""

import math


def points(X, nominal, new=None):
    """Return rows as points: numbers over the range of X, a coordinate of sqrt(1/2) for each value of a nominal column."""
    made = [[] for _ in (X if new is None else new)]
    for j in range(len(nominal)):
        column = [row[j] for row in X]
        known = [value for value in column if not math.isnan(value)]
        for point, row in zip(made, X if new is None else new):
            value = row[j]
            if nominal[j]:
                values = sorted(set(known))
                for each in values:
                    gap = math.isnan(value) or value not in values
                    point.append(None if gap else math.sqrt(0.5) * (value == each))
            elif math.isnan(value):
                point.append(None)
            else:
                low, spread = min(known, default=0.0), max(known, default=0.0) - min(known, default=0.0)
                point.append((value - low) / spread if spread > 0 else 0.0)
    return made


def filled(rows, labels, classes):
    """Return the rows with the mean of the row's class, or of all, where a coordinate is not known; 0 without any."""
    made = []
    for row, label in zip(rows, labels):
        point = []
        for j, value in enumerate(row):
            if value is None:
                own = [r[j] for r, c in zip(rows, labels) if c == label and r[j] is not None]
                every = [r[j] for r in rows if r[j] is not None]
                known = own or every or [0.0]
                value = sum(known) / len(known)
            point.append(value)
        made.append(point)
    return made


def distance(x, p, counts):
    """Return the sum of L (x - p)**2 over the known coordinates: eight sums, added up in pairs, and what is left."""
    terms = [
        0.0 if value is None else count * ((value - place) * (value - place))
        for value, place, count in zip(x, p, counts)
    ]
    whole = len(terms) - len(terms) % 8
    t = [0.0] * 8
    for j in range(whole):
        t[j % 8] += terms[j]
    total = ((t[0] + t[1]) + (t[2] + t[3])) + ((t[4] + t[5]) + (t[6] + t[7]))
    for j in range(whole, len(terms)):
        total += terms[j]
    return total


def nearest(x, prototypes, places, counts):
    """Return the nearest of some prototypes and its distance, the lowest place on ties; None where there is none."""
    best = None
    for place in places:
        found = distance(x, prototypes[place], counts)
        if best is None or found < best[1]:
            best = (place, found)
    return best


def unit(rows, labels, prototypes, classes):
    """Return max(sqrt(mean a / D), sqrt(median d / D) / 10, 1e-4)."""
    width = len(prototypes[0])
    ones = [1.0] * width
    own, every = [], []
    for x, label in zip(rows, labels):
        found = [distance(x, p, ones) for p in prototypes]
        every += found
        mine = [d for d, c in zip(found, classes) if c == label]
        own += [min(mine)] if mine else []
    every.sort()
    middle = len(every) // 2
    median = every[middle] if len(every) % 2 else (every[middle - 1] + every[middle]) / 2
    mean = sum(own) / len(own) if own else 0.0
    return max(math.sqrt(mean / width), 0.1 * math.sqrt(median / width), 1e-4)


def slopes(rows, labels, weights, prototypes, classes, counts, beta, awake):
    """Return the slope of the mean loss by every prototype and by what the coordinates count, and the loss."""
    n, width = len(rows), len(counts)
    gradient = [[0.0] * width for _ in prototypes]
    by_counts, loss = [0.0] * width, 0.0
    for x, label, weight in zip(rows, labels, weights):
        own = nearest(x, prototypes, [p for p in awake if classes[p] == label], counts)
        other = nearest(x, prototypes, [p for p in awake if classes[p] != label], counts)
        if own is None or other is None:
            loss += weight if own is None else 0.0
            continue
        a, b = own[1], other[1]
        if a + b == 0:
            loss += weight / 2
            continue
        s = 1 / (1 + math.exp(beta * ((b - a) / (a + b))))
        loss += weight * s
        g = weight * beta * s * (1 - s) * 2 / (a + b) ** 2
        for (place, _), pull in ((own, g * b), (other, -g * a)):
            for j in range(width):
                if x[j] is not None:
                    difference = prototypes[place][j] - x[j]
                    gradient[place][j] += 2 * pull * counts[j] * difference
                    by_counts[j] += pull * difference**2
    return [[v / n for v in row] for row in gradient], [v / n for v in by_counts], loss / n


def adam(values, means, squares, slope, number, length):
    """Return values, means and squares after one step of Adam (0.9, 0.99)."""
    means = [0.9 * m + 0.1 * g for m, g in zip(means, slope)]
    squares = [0.99 * v + 0.01 * g * g for v, g in zip(squares, slope)]
    fade, fade_squares = 1 - 0.9 ** (number + 1), 1 - 0.99 ** (number + 1)
    stepped = [
        value - length * (m / fade) / (math.sqrt(v / fade_squares) + 1e-8)
        for value, m, v in zip(values, means, squares)
    ]
    return stepped, means, squares


def with_real_values(prototypes, columns):
    """Return prototypes that are, in the coordinates of each nominal column, where a row of the nearest value is."""
    made = [list(p) for p in prototypes]
    for coordinates in columns:
        for old, new in zip(prototypes, made):
            nearest = max(coordinates, key=lambda j: (old[j], -j))
            for j in coordinates:
                new[j] = math.sqrt(0.5) if j == nearest else 0.0
    return made


def folded(prototypes, counts):
    """Return centre + s L p for the ways p from the centre, s making the sum of (p.Lp - s |Lp|**2)**2 least."""
    m, width = len(prototypes), len(counts)
    centre = [sum(p[j] for p in prototypes) / m for j in range(width)]
    above, below = 0.0, 0.0
    for p in prototypes:
        wanted = sum(counts[j] * (p[j] - centre[j]) ** 2 for j in range(width))
        square = sum((counts[j] * (p[j] - centre[j])) ** 2 for j in range(width))
        above, below = above + wanted * square, below + square**2
    if below == 0:
        return [list(p) for p in prototypes]
    return [
        [centre[j] + above / below * counts[j] * (p[j] - centre[j]) for j in range(width)] for p in prototypes
    ]


def trajectory(rows, labels, weights, start, classes, awakes, steps, nominal):
    """Yield the loss before and, after each of the first steps, Adam's state.

    The state is prototypes, what the coordinates count, and the running means and mean squares of the slopes of both.

    `awakes` are the prototypes that take part in each step; it ends with them. `steps` are those of the engine, by name;
    `nominal` are the coordinates of each nominal column.
    """
    width, n_steps = len(start[0]), steps["n_steps"]
    prototypes, counts = [list(p) for p in start], [1.0] * width
    running = [([0.0] * width, [0.0] * width) for _ in prototypes]
    of_counts = ([0.0] * width, [0.0] * width)
    length = steps["step_size"] * unit(rows, labels, start, classes)
    for number, awake in enumerate(awakes):
        done = number / max(1, n_steps - 1)
        beta = steps["betas"][0] * (steps["betas"][1] / steps["betas"][0]) ** done
        cooling = (1 + math.cos(math.pi * done)) / 2
        real = done >= steps["real_from"]
        places = with_real_values(prototypes, nominal) if real else prototypes
        gradient, by_counts, loss = slopes(rows, labels, weights, places, classes, counts, beta, awake)
        for p in range(len(prototypes)):
            prototypes[p], *means = adam(prototypes[p], *running[p], gradient[p], number, length * cooling)
            running[p] = tuple(means)
        if steps["weight_step"] * cooling > 0:
            stepped, *means = adam(counts, *of_counts, by_counts, number, steps["weight_step"] * cooling)
            of_counts = tuple(means)
            stepped = [max(value, 0.0) for value in stepped]
            total = sum(stepped)
            counts = [value * (width / total) for value in stepped] if total > 0 else counts
        yield loss, (prototypes, counts, [m for m, _ in running], [v for _, v in running], *of_counts)
