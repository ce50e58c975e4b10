"""The rules of the made-up problems, row by row, as the papers state them."""

import math
from itertools import product

import numpy as np

# The digits that light each segment of the display: top, upper left, upper right, middle, lower left, lower right,
# bottom.
LIT_BY = ("02356789", "045689", "01234789", "2345689", "0268", "013456789", "0235689")

MONKS_LEVELS = (3, 3, 2, 3, 4, 2)


def monks_rows():
    """All descriptions, the last column fastest."""
    rows = [[]]
    for levels in MONKS_LEVELS:
        rows = [[*row, value] for row in rows for value in range(1, levels + 1)]
    return rows


def monks_label(row, problem):
    a, b, _, d, e, _ = row
    if problem == 1:
        return int(a == b or e == 1)
    if problem == 2:
        return int(sum(1 for value in row if value == 1) == 2)
    return int((e == 3 and d == 1) or (e != 4 and b != 3))


def led_row(digit):
    return [int(str(digit) in digits) for digits in LIT_BY]


def xd6_label(row):
    x1, x2, x3, x4, x5, x6, x7, x8, x9, _ = row
    return int((x1 and x2 and x3) or (x4 and x5 and x6) or (x7 and x8 and x9))


def hard_label(row):
    label = 0
    for value in row[:5]:
        label ^= int(value)
    return label


def tic_tac_toe_ends():
    """Final boards by counting marks instead of playing: (board, has x won)."""

    def has_line(board, mark):
        lines = [board[i : i + 3] for i in (0, 3, 6)] + [board[i::3] for i in (0, 1, 2)]
        lines += [board[0::4], board[2:7:2]]
        return any(line == (mark,) * 3 for line in lines)

    ends = []
    for board in product("xob", repeat=9):
        lead = board.count("x") - board.count("o")
        x_line, o_line = has_line(board, "x"), has_line(board, "o")
        won_by_x = x_line and not o_line and lead == 1
        won_by_o = o_line and not x_line and lead == 0
        draw = not x_line and not o_line and lead == 1 and "b" not in board
        if won_by_x or won_by_o or draw:
            ends.append((board, won_by_x))
    return ends


def problem_label(row, concept, threshold=None):
    """Label of the clean relevant values of one row; the pairs of xor are neighbours."""
    r = len(row)
    if concept == "linear":
        return int(math.fsum(row) > r / 2)
    if concept == "ball":
        return int(math.fsum((x - 0.5) ** 2 for x in row) < r / 12)
    if concept == "two":
        return int(two_distance(row) < threshold)
    return int(math.fsum((row[j] - 0.5) * (row[j + 1] - 0.5) for j in range(0, r, 2)) > 0)


def two_distance(row):
    return min(math.fsum((x - 0.25) ** 2 for x in row), math.fsum((x - 0.75) ** 2 for x in row))


def two_share_below(r, threshold, draws, seed):
    """Share of uniform rows whose squared distance to the nearer centre is below the threshold.

    With u = x - 1/2 both distances are sum u^2 + r/16 with +- sum u / 2 added, so the smaller one is
    sum u^2 - |sum u| / 2 + r / 16.
    """
    random = np.random.RandomState(seed)
    below = 0
    for _ in range(draws // 10_000):
        u = random.uniform(-0.5, 0.5, size=(10_000, r))
        below += int(((u * u).sum(axis=1) - np.abs(u.sum(axis=1)) / 2 + r / 16 < threshold).sum())
    return below / (draws // 10_000 * 10_000)


def hoeffding(draws, failure=1e-9):
    """How far the mean of `draws` values in [0, 1] may be from its expectation, but for the given probability."""
    return math.sqrt(math.log(2 / failure) / (2 * draws))
