"""The problems that are lists of all cases: the MONK's problems and tic-tac-toe. Nothing in them is random."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Literal

import numpy as np

from tamis.datasets._frames import generated_dataset

if TYPE_CHECKING:
    from tamis.table._dataset import Dataset

#: The number of values of the six columns of the Monks' robots.
_MONKS_LEVELS = {"a": 3, "b": 3, "c": 2, "d": 3, "e": 4, "f": 2}
_MONKS_DECIDE = {1: ("a", "b", "e"), 2: tuple(_MONKS_LEVELS), 3: ("b", "d", "e")}

_SQUARES = ("tl", "tm", "tr", "ml", "mm", "mr", "bl", "bm", "br")
_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def make_monks(problem: Literal[1, 2, 3] = 1) -> Dataset:
    """Return all 432 descriptions of one of the three MONK's problems, in order, without noise.

    A robot is described by six categorical columns: a (shape of the head), b (shape of the body), c (smiles), d (holds),
    e (colour of the jacket), f (has a tie). Class 1 means: problem 1, a = b or e = v1; problem 2, exactly two of the
    six columns have their first value; problem 3, e = v3 and d = v1, or e is not v4 and b is not v3.
    The training files as they are distributed are ``load("monks1_train")`` and so on.

    Parameters
    ----------
    problem : {1, 2, 3}, default=1
        Which problem.

    Returns
    -------
    Dataset
        432 rows, six categorical columns with the values v1, v2, ...; the labels are 0 and 1.

    References
    ----------
    S. Thrun et al., "The MONK's problems: a performance comparison of different learning algorithms", 1991.

    Examples
    --------
    >>> from tamis.datasets import make_monks
    >>> monks = make_monks(1)
    >>> monks.X.shape, int(monks.y.sum()), monks.informative
    ((432, 6), 216, ('a', 'b', 'e'))
    """
    if problem not in _MONKS_DECIDE:
        raise ValueError(f"make_monks: problem={problem!r}, but there are three. Use 1, 2 or 3.")
    import polars as pl

    values = np.array(list(product(*(range(1, levels + 1) for levels in _MONKS_LEVELS.values()))))
    a, b, _, d, e, _ = values.T
    if problem == 1:
        y = (a == b) | (e == 1)
    elif problem == 2:
        y = (values == 1).sum(axis=1) == 2
    else:
        y = ((e == 3) & (d == 1)) | ((e != 4) & (b != 3))
    X = pl.DataFrame(
        [
            pl.Series(
                name, [f"v{value}" for value in column], dtype=pl.Enum([f"v{i + 1}" for i in range(levels)])
            )
            for (name, levels), column in zip(_MONKS_LEVELS.items(), values.T)
        ]
    )
    about = f"MONK's problem {problem}, all 432 descriptions without noise."
    return generated_dataset(f"monks{problem}", X, y.astype(np.int64), about, _MONKS_DECIDE[problem])


def tic_tac_toe() -> Dataset:
    """Return every board with which a game of tic-tac-toe can end, found by playing all games.

    x begins; a game ends when someone has three in a row or the board is full. The nine categorical columns are the
    squares from the top left (tl) to the bottom right (br), with the values x, o and b (blank). The class is p if x
    has won and n if not. These are the rows of the UCI set, which is ``load("tic_tac_toe")``.

    Returns
    -------
    Dataset
        958 rows, nine categorical columns; boards that x won first, then in the order x, o, b from the first square on.

    Examples
    --------
    >>> from tamis.datasets import tic_tac_toe
    >>> tic_tac_toe().X.shape
    (958, 9)
    """
    import polars as pl

    ends: dict[str, bool] = {}  # board -> has x won
    reached, boards = {"b" * 9}, ["b" * 9]
    while boards:
        board = boards.pop()
        player, other = ("x", "o") if board.count("x") == board.count("o") else ("o", "x")
        if any(all(board[square] == other for square in line) for line in _LINES):
            ends[board] = other == "x"
        elif "b" not in board:
            ends[board] = False
        else:
            moves = {board[:i] + player + board[i + 1 :] for i in range(9) if board[i] == "b"}
            boards += moves - reached
            reached |= moves
    ordered = sorted(ends, key=lambda board: (not ends[board], ["xob".index(mark) for mark in board]))
    kind = pl.Enum(["b", "o", "x"])
    X = pl.DataFrame(
        [pl.Series(name, [board[i] for board in ordered], dtype=kind) for i, name in enumerate(_SQUARES)]
    )
    y = np.array(["p" if ends[board] else "n" for board in ordered])
    return generated_dataset("tic_tac_toe", X, y, "All 958 final boards of tic-tac-toe; p: x has won.", ())
