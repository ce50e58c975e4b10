"""A bound of Z from below that needs no boosting: how well any vote can do on rows that nothing tells apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tamis.votes.criterion import TwoClassProblems

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def least_z(descriptions: IntArray, codes: IntArray, problems: TwoClassProblems, *, primed: bool) -> float:
    """Return a number that Z (or Z', if `primed`) of a set of columns is never below, after any number of rounds.

    Parameters
    ----------
    descriptions : ndarray of int, shape (n,)
        A number for each row's description over the columns, from 0 on; some may not occur.
    codes : ndarray of int, shape (n,)
        The label of each row, see `TwoClassProblems`.
    problems : TwoClassProblems
        What is boosted.
    primed : bool
        Whether the criterion is an expectation over D', which is proportional to D abs(n+ - n-) / (n+ + n-).

    Returns
    -------
    float
        The sum over descriptions of 2 sqrt(w+ w-), w+ and w- being the initial weights of their rows of either side; the
        mean over problems.

    Notes
    -----
    Proof. Whatever the alphas are, the product of the Z_t is the sum over rows of D_1(x) exp(-y(x) F(x)), since each D_t is
    D_1 exp(-y F) divided by the Z_t so far; Z' is the same sum over D'_1. Take a description with rows x+ and x-.

    - A model that has only these columns to see gives both the same F.
    - The votes of neighbours leave the row itself out. With all ties voting, both rows have the same ball B of rows around
      them; x+ hears B without x+, x- hears B without x-. From the first to the second a vote against is replaced by one in
      favour, so that h_t(x+) <= h_t(x-) in every round, by sign too, whatever the two weigh; alphas are positive, hence
      F(x+) <= F(x-).

    So w+ exp(-F(x+)) + w- exp(F(x-)) is at least w+ exp(-F(x+)) + w- exp(F(x+)), whose minimum over F is 2 sqrt(w+ w-).
    (With exactly k voters, the lower row first, or with groups whose rows do not hear each other, B may differ, and the bound
    does not hold.)
    """
    n_numbers = int(descriptions.max()) + 1
    total = 0.0
    for signs, start in zip(problems.signs, problems.start):
        side = 2 * descriptions + (signs > 0)[codes]
        weights = np.bincount(side, weights=start[codes], minlength=2 * n_numbers).reshape(-1, 2)
        if primed:
            against, for_it = np.bincount(side, minlength=2 * n_numbers).reshape(-1, 2).T
            weights *= (np.abs(for_it - against) / np.maximum(for_it + against, 1))[:, np.newaxis]
        held = weights.sum()
        # without any weight every description is balanced, and boosting does not start
        total += float(2 * np.sqrt(weights[:, 0] * weights[:, 1]).sum() / held) if held > 0 else 1.0
    return total / len(problems.signs)
