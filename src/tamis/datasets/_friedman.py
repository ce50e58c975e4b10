"""Friedman's three functions: numeric targets whose relevant columns are known, among columns that say nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from tamis.datasets._arguments import Seed, generator, number, whole
from tamis.datasets._frames import generated_dataset

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tamis.table._dataset import Dataset

Function = Literal[1, 2, 3]

#: The ends of the uniform law of each relevant column, by function.
_RANGES = {
    1: [(0.0, 1.0)] * 5,
    2: [(0.0, 100.0), (40 * np.pi, 560 * np.pi), (0.0, 1.0), (1.0, 11.0)],
}
_RANGES[3] = _RANGES[2]
_DEGREES = 1.5  # of freedom of Student's t, for heavy tails: its variance is infinite


def make_friedman(
    function: Function = 1,
    n: int = 500,
    *,
    irrelevant: int = 5,
    noise: float = 1 / 3,
    heavy_tails: bool = False,
    random_state: Seed = None,
) -> Dataset:
    """Return a table with a numeric target that four or five columns decide.

    The relevant columns are uniform, and f is

    1. 10 sin(pi x1 x2) + 20 (x3 - 1/2)^2 + 10 x4 + 5 x5, all of them between 0 and 1;
    2. the root of x1^2 + (x2 x3 - 1 / (x2 x4))^2, with x1 up to 100, x2 from 40 pi to 560 pi, x3 up to 1, x4 from 1 to 11
       (the impedance of a circuit);
    3. the arcus tangens of (x2 x3 - 1 / (x2 x4)) / x1, with the same ranges (its phase).

    Of the second and third function x4 decides next to nothing: 1 / (x2 x4) is below 0.01.

    Parameters
    ----------
    function : {1, 2, 3}, default=1
        Which of them.
    n : int, default=500
        Number of rows.
    irrelevant : int, default=5
        Number of irrelevant columns i1, i2, ..., which have the ranges of the relevant ones in turn.
    noise : float, default=1/3
        Standard deviation of the normal noise added to the target, in units of that of f over the rows.
    heavy_tails : bool, default=False
        Whether the noise is Student's t with 1.5 degrees of freedom times that number instead.
    random_state : int, Generator, RandomState or None, default=None
        The seed, or the source of random numbers.

    Returns
    -------
    Dataset
        Columns of floats, shuffled, and a numeric target. `informative` names the relevant ones.

    References
    ----------
    J. Friedman, "Multivariate adaptive regression splines", The Annals of Statistics 19, 1991.

    Examples
    --------
    >>> from tamis.datasets import make_friedman
    >>> circuit = make_friedman(2, 100, irrelevant=3, random_state=0)
    >>> circuit
    <Dataset 'friedman2': 100 rows x 7 columns, target 'target', numbers>
    >>> circuit.informative
    ('x1', 'x2', 'x3', 'x4')
    """
    who = "make_friedman"
    if isinstance(function, bool) or function not in get_args(Function):
        raise ValueError(f"{who}: function={function!r}. Use 1, 2 or 3.")
    n, irrelevant = whole(who, "n", n, 2), whole(who, "irrelevant", irrelevant, 0)
    noise = number(who, "noise", noise, np.inf)
    rng = generator(who, random_state)
    ranges = _RANGES[function]
    ends = np.array([ranges[j % len(ranges)] for j in range(len(ranges) + irrelevant)])
    values = ends[:, 0] + rng.random((n, len(ends))) * (ends[:, 1] - ends[:, 0])
    clean = _clean(values, function)
    drawn = rng.standard_t(_DEGREES, size=n) if heavy_tails else rng.standard_normal(n)
    y = clean + noise * clean.std() * drawn
    names = [f"x{j + 1}" for j in range(len(ranges))] + [f"i{j + 1}" for j in range(irrelevant)]
    return _dataset(function, values, y, names, rng.permutation(len(names)), irrelevant)


def _clean(values: NDArray[np.float64], function: Function) -> NDArray[np.float64]:
    """Return the target without noise."""
    a, b, c, d = values[:, :4].T
    if function == 1:
        first: NDArray[np.float64] = (
            10 * np.sin(np.pi * a * b) + 20 * (c - 0.5) ** 2 + 10 * d + 5 * values[:, 4]
        )
        return first
    reactance = b * c - 1 / (b * d)
    other: NDArray[np.float64] = np.hypot(a, reactance) if function == 2 else np.arctan(reactance / a)
    return other


def _dataset(
    function: int,
    values: NDArray[np.float64],
    y: NDArray[np.float64],
    names: list[str],
    order: NDArray[np.intp],
    irrelevant: int,
) -> Dataset:
    """Return the columns in the given order, with their names."""
    import polars as pl

    frame = pl.DataFrame({names[j]: np.ascontiguousarray(values[:, j]) for j in order})
    about = f"Friedman's function {function} of {len(names) - irrelevant} columns with noise, and {irrelevant} irrelevant columns."
    informative = tuple(names[: len(names) - irrelevant])
    return generated_dataset(f"friedman{function}", frame, y, about, informative, "numbers")
