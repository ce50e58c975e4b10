"""Which columns say something of their own, pair by pair, and where the others come."""

import math

CONSTANT = -1


def told(column, is_nominal):
    """What a column says, row by row: a number, of a nominal value the first row that has it, None for a gap."""
    values = [None if math.isnan(value) else float(value) for value in column]
    return [None if value is None else values.index(value) for value in values] if is_nominal else values


def first_equals(X, nominal, weight=None):
    """For each column the first that says the same in the rows that weigh anything; CONSTANT for one of a single value."""
    rows = [i for i in range(len(X)) if weight is None or weight[i] > 0]
    said = [(bool(nominal[j]), told([X[i][j] for i in rows], nominal[j])) for j in range(len(X[0]))]
    found = []
    for kind, column in said:
        single = all(value == column[0] for value in column)
        found.append(CONSTANT if single else said.index((kind, column)))
    return found


def distinct(first):
    """The columns that a ranking is made of; where all are constant, the first."""
    return [j for j in range(len(first)) if first[j] == j] or [0]


def completed(order, first):
    """The order of the distinct columns, then the copies as their originals stand in it, then the constants."""
    copies = [(order.index(first[j]), j) for j in range(len(first)) if first[j] not in (j, CONSTANT)]
    constants = [j for j in range(len(first)) if first[j] == CONSTANT and j not in order]
    return [*order, *(j for _, j in sorted(copies)), *constants]
