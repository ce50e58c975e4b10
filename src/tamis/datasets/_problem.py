"""The problem space of ensemble feature ranking: many columns, few of them relevant, noise of several kinds."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Literal, TypedDict, get_args

import numpy as np

from tamis.datasets._arguments import Seed, generator, number, whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tamis.table._dataset import Dataset

Concept = Literal["linear", "ball", "two", "xor"]

#: The median of min(sum (x - 1/4)^2, sum (x - 3/4)^2) over r uniform columns, by numerical inversion of the joint
#: characteristic function of sum (x - 1/2) and sum (x - 1/2)^2, for the numbers of relevant columns in the paper.
_TWO_MEDIANS = {5: 0.46716, 10: 1.09958, 20: 2.42119, 25: 3.09490, 40: 5.14283, 50: 6.52234, 100: 13.50422}
_TWO_DRAWS = 1 << 20
_TWO_SEED = 20040901


class Problem(TypedDict):
    """One point of the problem space, as arguments of `make_problem`."""

    n: int
    d: int
    r: int
    concept: Concept
    redundant: bool
    label_noise: float
    feature_noise: float


def make_problem(
    n: int = 100,
    d: int = 100,
    r: int = 10,
    concept: Concept = "linear",
    redundant: bool = False,
    label_noise: float = 0.0,
    feature_noise: float = 0.0,
    random_state: Seed = None,
) -> Dataset:
    """Return one problem of the space on which feature rankings are judged.

    All values are uniform in [0, 1]. The labels come from r relevant columns, clean:

    - "linear": 1 if the sum of x is above r / 2;
    - "ball" (the paper's non-linear concept): 1 if the sum of (x - 1/2)^2 is below r / 12;
    - "two" (two balls): 1 if the smaller of the sums of (x - 1/4)^2 and of (x - 3/4)^2 is below its median;
    - "xor": 1 if the sum over the r / 2 pairs of columns of (x - 1/2)(x' - 1/2) is above 0: no column is informative
      alone.

    Then, in this order: r irrelevant columns become redundant if `redundant`, each a linear combination of the
    relevant ones with uniform coefficients scaled to the sum 1; each label is inverted with probability
    `label_noise`; normal noise of standard deviation `feature_noise` is added to every value; the columns are
    shuffled, so that no ranking gains by giving ties to the first columns.

    Parameters
    ----------
    n : int, default=100
        Number of rows.
    d : int, default=100
        Number of columns.
    r : int, default=10
        Number of relevant columns; even for "xor".
    concept : {"linear", "ball", "two", "xor"}, default="linear"
        How the relevant columns decide the class.
    redundant : bool, default=False
        Whether r of the irrelevant columns are combinations of the relevant ones; needs d >= 2 r.
    label_noise : float, default=0.0
        Probability that a label is inverted.
    feature_noise : float, default=0.0
        Standard deviation of the noise added to every value.
    random_state : int, Generator, RandomState or None, default=None
        The seed, or the source of random numbers.

    Returns
    -------
    Dataset
        Columns x1 to xd of floats; the labels are 0 and 1. `informative` names the relevant columns, for "xor" pair
        after pair; redundant columns are not among them, a note names them.

    Notes
    -----
    The paper calls sigma the variance of the noise, but its figures fit a standard deviation, which `feature_noise` is.
    "two" and "xor" are not in the paper. The threshold of "two" is a constant for the paper's
    r = 5, 10, 20, 25, 40, 50, 100, and for any other r the median of 1,048,576 draws with a fixed seed: the classes
    are then balanced to about 1 in 1,000.

    References
    ----------
    K. Jong, J. Mary, A. Cornuejols, E. Marchiori, M. Sebag, "Ensemble feature ranking", PKDD 2004.

    Examples
    --------
    >>> from tamis.datasets import make_problem
    >>> problem = make_problem(n=50, d=8, r=2, random_state=0)
    >>> columns = problem.X.select(problem.informative).to_numpy()
    >>> bool(((columns.sum(axis=1) > 1) == problem.y).all())
    True
    """
    who = "make_problem"
    n, d, r = whole(who, "n", n, 1), whole(who, "d", d, 1), whole(who, "r", r, 1)
    label_noise = number(who, "label_noise", label_noise, 1)
    feature_noise = number(who, "feature_noise", feature_noise, np.inf)
    _check(d, r, concept, redundant)
    rng = generator(who, random_state)
    values = rng.random((n, d))  # the first r columns are the relevant ones until they are shuffled
    y = _labels(values[:, :r], concept)
    if redundant:
        coefficients = rng.random((r, r))
        values[:, r : 2 * r] = values[:, :r] @ (coefficients / coefficients.sum(axis=0))
    y ^= rng.random(n) < label_noise
    values += feature_noise * rng.standard_normal((n, d))
    order = rng.permutation(d)
    return _dataset(values[:, order], y, order, r, concept, redundant)


def problem_space() -> Iterator[Problem]:
    """Yield the 972 points of the paper's problem space, each as arguments of `make_problem`.

    d = 100, 200, 500; r = d/20, d/10, d/5; n = d/2, d, 2d; "linear" and "ball"; redundant or not; label noise 0,
    5, 10 %; feature noise 0, .05, .10. The last one varies fastest.

    Yields
    ------
    dict
        Keyword arguments for `make_problem`; only `random_state` is left to choose.

    Examples
    --------
    >>> from tamis.datasets import make_problem, problem_space
    >>> points = list(problem_space())
    >>> len(points)
    972
    >>> make_problem(**points[0], random_state=0)
    <Dataset 'problem': 50 rows x 100 columns, target 'target', 2 classes>
    """
    concepts: tuple[Concept, ...] = ("linear", "ball")
    for d, share, rows in product((100, 200, 500), (20, 10, 5), (0.5, 1, 2)):
        for concept, redundant, e, sigma in product(
            concepts, (False, True), (0.0, 0.05, 0.1), (0.0, 0.05, 0.1)
        ):
            yield Problem(
                n=int(d * rows),
                d=d,
                r=d // share,
                concept=concept,
                redundant=redundant,
                label_noise=e,
                feature_noise=sigma,
            )


def _check(d: int, r: int, concept: str, redundant: bool) -> None:
    who = "make_problem"
    if r > d:
        raise ValueError(f"{who}: r={r} relevant columns, but d={d} columns in all. Use r from 1 to {d}.")
    if redundant and 2 * r > d:
        raise ValueError(
            f"{who}: redundant=True needs {r} irrelevant columns besides r={r} relevant ones, but d={d}. "
            f"Use d of at least {2 * r}."
        )
    if concept not in get_args(Concept):
        raise ValueError(f"{who}: concept={concept!r}. Use one of {', '.join(map(repr, get_args(Concept)))}.")
    if concept == "xor" and r % 2:
        raise ValueError(
            f"{who}: concept='xor' takes the relevant columns in pairs, but r={r}. Use an even r."
        )


def _labels(relevant: NDArray[np.float64], concept: Concept) -> NDArray[np.int64]:
    """Return the labels that follow from the relevant columns without noise."""
    r = relevant.shape[1]
    if concept == "linear":
        inside = np.sum(relevant, axis=1) > r / 2
    elif concept == "ball":
        inside = np.sum((relevant - 0.5) ** 2, axis=1) < r / 12
    elif concept == "two":
        inside = _nearest_center(relevant) < two_median(r)
    else:
        inside = np.sum((relevant[:, 0::2] - 0.5) * (relevant[:, 1::2] - 0.5), axis=1) > 0
    return np.asarray(inside, dtype=np.int64)


def _nearest_center(relevant: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the squared distance of each row to the nearer of the centres (1/4, ...) and (3/4, ...)."""
    nearest: NDArray[np.float64] = np.minimum(
        np.sum((relevant - 0.25) ** 2, axis=1), np.sum((relevant - 0.75) ** 2, axis=1)
    )
    return nearest


@lru_cache
def two_median(r: int) -> float:
    """Return the threshold of the concept "two": the median squared distance to the nearer of the two centres."""
    if r in _TWO_MEDIANS:
        return _TWO_MEDIANS[r]
    rng = np.random.default_rng(_TWO_SEED)
    block = 1 << 14  # rows at a time: r = 1,000 needs 131 MB
    return float(np.median([_nearest_center(rng.random((block, r))) for _ in range(_TWO_DRAWS // block)]))


def _dataset(
    values: NDArray[np.float64],
    y: NDArray[np.int64],
    order: NDArray[np.intp],
    r: int,
    concept: str,
    redundant: bool,
) -> Dataset:
    """Return the shuffled columns with names; column j of `values` was column order[j] before."""
    import polars as pl

    from tamis.table._dataset import Dataset

    names = np.array([f"x{j + 1}" for j in range(len(order))])
    notes = [f"Redundant columns: {', '.join(names[(order >= r) & (order < 2 * r)])}."] if redundant else []
    return Dataset(
        name="problem",
        X=pl.DataFrame({str(name): np.ascontiguousarray(column) for name, column in zip(names, values.T)}),
        y=y,
        target="target",
        notes=tuple(notes),
        description=f"A problem with {r} relevant columns of {len(order)}, concept {concept!r}. Generated.",
        informative=tuple(map(str, names[np.argsort(order)[:r]])),
    )
