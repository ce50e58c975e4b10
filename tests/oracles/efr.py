"""Aggregating rankings in plain loops; None stands for a column that a run did not see."""


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def quantile(values, q):
    """Linear between the order statistics."""
    values = sorted(values)
    place = q * (len(values) - 1)
    below = int(place)
    above = min(below + 1, len(values) - 1)
    return values[below] + (values[above] - values[below]) * (place - below)


def majority(runs):
    """For each column k: the columns that more than half of the runs that saw both rank strictly below k."""
    d = len(runs[0])
    result = []
    for k in range(d):
        below = 0
        for other in range(d):
            both = [run for run in runs if run[k] is not None and run[other] is not None]
            below += sum(run[other] < run[k] for run in both) > len(both) / 2
        result.append(below)
    return result


def aggregate(runs, how, q=0.75):
    if how == "majority":
        return majority(runs)
    seen = [[run[k] for run in runs if run[k] is not None] for k in range(len(runs[0]))]
    if how == "median":
        return [median(values) for values in seen]
    if how == "max":
        return [max(values) for values in seen]
    if how == "mean":
        return [sum(values) / len(values) for values in seen]
    return [quantile(values, q) for values in seen]


def bootstrap(rows, labels, groups, random):
    """Rows of a bootstrap sample: whole groups, from those that hold the same classes as many as there are."""
    members = {}
    for row in rows:
        members.setdefault(groups[row], []).append(row)
    classes = sorted({labels[row] for row in rows})
    alike = {}
    for group in members:
        lacks = [label not in [labels[row] for row in members[group]] for label in classes]
        alike.setdefault(tuple(lacks), []).append(group)
    drawn = []
    for lacks in sorted(alike):
        for place in random.randint(0, len(alike[lacks]), size=len(alike[lacks])):
            drawn += members[alike[lacks][place]]
    return sorted(drawn)


def order(runs, how, q=0.75):
    """Columns from best to worst: score, then mean over the runs, then the lower column."""
    scores, means = aggregate(runs, how, q), aggregate(runs, "mean")
    return sorted(range(len(scores)), key=lambda k: (-scores[k], -means[k], k))
