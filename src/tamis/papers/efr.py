"""Jong, Marchiori and Sebag's paper on ensemble feature ranking (PPSN 2004), rebuilt."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tamis.datasets import make_problem
from tamis.features.efr import EFR
from tamis.features.gram_schmidt import GramSchmidt
from tamis.features.relieff import ReliefF
from tamis.features.sampled_efr import SampledEFR
from tamis.features.univariate import UnivariateAUC
from tamis.papers._efr_page import CONCEPTS, GRID, POINTS, RUNS, SPREAD_OF_MEDIAN, claims, name_of, sections
from tamis.papers._paper import Estimate, Figure, Paper, Printed, Size, Task, seed_of
from tamis.papers._rankers import forest_order
from tamis.papers._tables import Numbers, timed
from tamis.papers._view import View
from tamis.papers._words import counted
from tamis.study.roc_fs import roc_fs

D, RELEVANT = 100, 10
DATA_SETS = {name_of(*point, concept): name_of(*point, concept) for point in POINTS for concept in CONCEPTS}
#: The two columns of the table, and the other rankers where signs are hidden.
PAPER_RANKERS: dict[str, Callable[[int], Any]] = {
    "cosine": lambda seed: GramSchmidt(preset="paper"),
    "EFR": lambda seed: EFR(preset="paper", random_state=seed),
}
HONEST_RANKERS: dict[str, Callable[[int], Any]] = {
    **PAPER_RANKERS,
    "cosine, centred, unsigned": lambda seed: GramSchmidt(),
    "univariate, folded": lambda seed: UnivariateAUC(folded=True),
    "ReliefF": lambda seed: ReliefF(),
    "SampledEFR": lambda seed: SampledEFR(random_state=seed),
}
FOREST = "random forest"


def _tasks(size: Size, there: tuple[str, ...]) -> list[Task]:
    paper, honest = size.choose(3, 30), size.choose(2, 20)
    return [
        *(Task("1", "paper", name, repeat) for name in DATA_SETS for repeat in range(paper)),
        *(Task("1", "honest", name, repeat) for name in DATA_SETS for repeat in range(honest)),
    ]


def _measured(task: Task, seed: int) -> list[Figure]:
    own = seed_of(seed, task.data_set, task.repeat)
    (n, e, sigma), concept = next((p, c) for p in POINTS for c in CONCEPTS if name_of(*p, c) == task.data_set)
    data = make_problem(n, D, RELEVANT, CONCEPTS[concept], False, e, sigma, random_state=own)
    X, relevant = data.X.to_numpy(), np.isin(data.X.columns, data.informative)
    if (
        task.protocol == "honest"
    ):  # half of the columns mirrored: no ranker may know that large values mean class 1
        mirrored = np.random.default_rng(seed_of(own, "mirror")).random(D) < 0.5
        X = np.where(mirrored, 1 - X, X)
    figures = []
    rankers = PAPER_RANKERS if task.protocol == "paper" else HONEST_RANKERS
    for name, make in rankers.items():
        ranker, seconds = timed(partial(make(own).fit, X, data.y))
        figures += _judged(name, relevant, ranker.ranking_, seconds, curve=n == 50)
    if task.protocol == "honest":
        table = Numbers(X, np.zeros(D, dtype=bool), np.asarray(data.y), tuple(data.X.columns), ())
        order, seconds = timed(partial(forest_order, table, own))
        ranking = np.empty(D, dtype=np.intp)
        ranking[order] = np.arange(1, D + 1)
        figures += _judged(FOREST, relevant, ranking, seconds, curve=n == 50)
    return figures


def _judged(name: str, relevant: Any, ranking: Any, seconds: float, *, curve: bool) -> list[Figure]:
    """The three figures of a ranking, and its ROC-FS curve on a grid."""
    judged = roc_fs(relevant, ranking=ranking)
    figures = [
        Figure(name, "", "p_b", judged.p_b, seconds),
        Figure(name, "", "p_w", judged.p_w),
        Figure(name, "", "AUC", judged.auc),
    ]
    if curve:
        heights = np.interp(GRID, judged.false_relevant, judged.true_relevant)
        figures += [Figure(name, f"{at:.2f}", "TR", float(height)) for at, height in zip(GRID, heights)]
    return figures


def _estimate(view: View, cell: Printed) -> Estimate | None:
    method, concept = cell.column.split(" ")
    n, e, sigma = (word.split(" ")[1] for word in cell.row.split(", "))
    point = (int(n), float(e.removesuffix("%")) / 100, float(sigma))
    values = view.values("1", "paper", name_of(*point, concept), method, "", cell.figure)
    if not len(values):
        return None
    if cell.figure == "p_b":  # shares: by the binomial law, ours with one more hit and one more miss
        share = (values.sum() + 1) / (len(values) + 2)
        ours, theirs = (
            float(np.sqrt(p * (1 - p) / n)) for p, n in ((share, len(values)), (cell.value, RUNS[method]))
        )
        return Estimate(float(values.mean()), ours, theirs)
    spread = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    errors = (SPREAD_OF_MEDIAN * spread / float(np.sqrt(n)) for n in (len(values), RUNS[method]))
    return Estimate(float(np.median(values)), *errors)


def _repeats(size: Size) -> str:
    return (
        f"Table 1 and the figures: {counted(size.choose(3, 30), 'data set')} per cell (the paper: 30 for the cosine, 20 for EFR), "
        f"{counted(size.choose(2, 20), 'data set')} per cell with signs hidden; 15 runs of ROGER per ensemble throughout."
    )


PAPER = Paper(
    name="efr",
    title="Ensemble learning with evolutionary computation: application to feature ranking",
    reference="K. Jong, E. Marchiori and M. Sebag, PPSN 2004",
    tables=("1",),
    data_sets=DATA_SETS,
    generated=frozenset(DATA_SETS),
    summary=(
        "EFR ranks columns by what the hypotheses of many runs of an evolutionary learner have in common. The paper judges it on "
        "generated problems whose relevant columns are known, and compares it with an iterated cosine criterion."
    ),
    choices=(
        (
            "Sign of the cosine",
            "The printed score has a sign, and its arg max takes the largest: it knows that large values mean class 1. So does Table 1 as in the paper; where signs are hidden, half of the columns are mirrored (x becomes 1 - x), since no user would know the signs beforehand.",
        ),
        (
            "Centring",
            "The formula has none; raw columns in the paper's table. The centred, unsigned form is added where signs are hidden.",
        ),
        (
            "Columns after the rank is exhausted",
            "Not stated (n = 50 rows, 100 columns). The rest follow by their plain score.",
        ),
        (
            "Feature noise",
            "Called a variance, but only as a standard deviation does it fit the paper's figures for the cosine.",
        ),
        (
            "Orientation of ROGER's hypothesis",
            "Positives are near c; with the other sign the non-linear concept scores below chance.",
        ),
        (
            "ROGER's step sizes",
            "One per coordinate, starting at 0.05, self-adapted; weights and centres in [0, 1], reflected at the bounds.",
        ),
        ("Aggregation in Table 1", "Not stated which of three. Majority, the first."),
        ("Ties in a ranking", "The exact mean over all orders of the tied columns."),
        ("Order of columns", "Shuffled, so that relevant columns cannot win ties by coming first."),
        (
            "Medians or means",
            "The text says medians; p_b of 0.87 over 30 sets cannot be one. p_b is a mean, the others are medians.",
        ),
    ),
    rule=(
        "The paper's error is taken from the spread of our data sets and its number of them (30 or 20); both errors of p_b "
        "are those of the binomial law. A cell does not reproduce if the difference is beyond 0.05 and beyond twice the joint standard error."
    ),
    tolerance={"": 0.05},
    tasks=_tasks,
    measured=_measured,
    estimate=_estimate,
    claims=claims,
    sections=sections,
    repeats=_repeats,
)
