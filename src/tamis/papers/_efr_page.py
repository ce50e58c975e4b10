"""The EFR paper's own part of its page: tables, pictures, claims."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tamis.papers._paper import Claim
from tamis.papers._pictures import panels
from tamis.papers._view import View, standard_error
from tamis.papers._words import beside_paper, plus_minus, verdict
from tamis.report._blocks import Block, Cell, Heading, Table, Text

#: Rows n, label noise e and feature noise sigma of the eight lines of Table 1.
POINTS = tuple((n, e, sigma) for n in (50, 100) for e in (0.0, 0.1) for sigma in (0.0, 0.1))
CONCEPTS: Final[dict[str, Any]] = {"linear": "linear", "non-linear": "ball"}
COLUMNS = tuple(f"{method} {concept}" for method in ("cosine", "EFR") for concept in CONCEPTS)
FIGURES = ("p_b", "p_w", "AUC")
RUNS = {"cosine": 30, "EFR": 20}
GRID = np.linspace(0, 1, 21)
# The standard error of a median divided by that of a mean, for normal values.
SPREAD_OF_MEDIAN = float(np.sqrt(np.pi / 2))


def name_of(n: int, e: float, sigma: float, concept: str) -> str:
    """Return the name of a cell's data sets."""
    return f"{concept}, n {n}, e {100 * e:g} %, sigma {sigma:g}"


def _all(view: View, protocol: str, method: str, concept: str, figure: str, n: int | None = None) -> Any:
    """The values of all points with n rows, (points, data sets)."""
    return np.array(
        [
            view.values("1", protocol, name_of(*point, concept), method, "", figure)
            for point in POINTS
            if n is None or point[0] == n
        ]
    )


def _mean(
    view: View, protocol: str, method: str, concept: str, figure: str, n: int | None = None
) -> tuple[float, float]:
    """Mean over points and data sets, with its standard error."""
    values = _all(view, protocol, method, concept, figure, n).ravel()
    return float(values.mean()), standard_error(values)


def _difference(
    view: View, protocol: str, first: str, second: str, concept: str, figure: str
) -> tuple[float, float]:
    """Mean difference of two rankers on the same data sets, with its standard error."""
    differences = (
        _all(view, protocol, first, concept, figure) - _all(view, protocol, second, concept, figure)
    ).ravel()
    return float(differences.mean()), standard_error(differences)


def claims(view: View) -> list[Claim]:
    """Return the paper's claims with their verdicts."""
    if not view.shows("1"):
        return []
    return [*_cosine_claims(view), *_efr_claims(view), *_our_claims(view)]


def _cosine_claims(view: View) -> list[Claim]:
    top, top_error = _mean(view, "paper", "cosine", "linear", "p_b", 50)
    few, few_error = _mean(view, "paper", "cosine", "non-linear", "AUC", 50)
    many, many_error = _mean(view, "paper", "cosine", "non-linear", "AUC", 100)
    chance = all(
        abs(mean - 0.5) <= max(0.03, 2 * error) for mean, error in ((few, few_error), (many, many_error))
    )
    rows = _all(view, "paper", "cosine", "linear", "p_w", 50)
    worst = [float(np.median(row)) for row in rows]
    worst_error = SPREAD_OF_MEDIAN * standard_error(rows[int(np.argmax(worst))])
    label, feature = (
        view.values("1", "paper", name_of(50, e, sigma, "linear"), "cosine", "", "AUC")
        for e, sigma in ((0.1, 0.0), (0.0, 0.1))
    )
    clean = view.mean("1", "paper", name_of(50, 0.0, 0.0, "linear"), "cosine", "", "AUC")
    noise_error = float(np.hypot(standard_error(label), standard_error(feature)))
    return [
        Claim(
            "cosine on linear concepts",
            "With twice as many columns as rows the cosine puts a relevant column first in about 90 % of linear problems.",
            "0.80 to 0.90",
            plus_minus(top, top_error, 2),
            "holds" if top + 2 * top_error >= 0.8 else "does not hold",
            "p_b over the four lines with n = 50; signs known, as in the paper.",
        ),
        Claim(
            "relevant columns near the top",
            "On linear concepts all relevant columns are among the first third to half (n = 50).",
            "p_w 0.33 to 0.56",
            f"{min(worst):.2f} to {max(worst):.2f}",
            "holds" if max(worst) - 2 * np.nan_to_num(worst_error) <= 0.56 else "does not hold",
            "Medians of p_w by line; holds if the largest is within two standard errors of the paper's range.",
        ),
        Claim(
            "label noise hurts the cosine more than feature noise",
            "The cosine's ranking suffers more from 10 % label noise than from feature noise of 0.1.",
            "AUC .920, labels .870, values .916",
            f"AUC {clean:.3f}, labels {label.mean():.3f}, values {feature.mean():.3f}",
            verdict(float(feature.mean() - label.mean()), noise_error),
            "Linear concept, n = 50, means; beyond two standard errors of the difference.",
        ),
        Claim(
            "cosine no better than chance",
            "On the non-linear concept the cosine is no better than a random ranking, even with twice the rows.",
            "AUC .49 to .53",
            f"AUC {plus_minus(few, few_error, 3)} (n = 50), {plus_minus(many, many_error, 3)} (n = 100)",
            "holds" if chance else "does not hold",
            "Holds if both means are within 0.03, or two standard errors, of one half.",
        ),
    ]


def _efr_claims(view: View) -> list[Claim]:
    linear, linear_error = _difference(view, "paper", "cosine", "EFR", "linear", "AUC")
    other, other_error = _difference(view, "paper", "EFR", "cosine", "non-linear", "AUC")
    few, few_error = _mean(view, "paper", "EFR", "non-linear", "p_b", 50)
    many, many_error = _mean(view, "paper", "EFR", "non-linear", "p_b", 100)
    return [
        Claim(
            "cosine beats EFR on linear concepts",
            "EFR is clearly outperformed by the cosine on linear concepts.",
            "AUC +.13 to +.31",
            f"AUC {plus_minus(linear, linear_error, 3, sign=True)}",
            verdict(linear, linear_error),
            "Cosine less EFR on the same data sets, all eight lines; signs known, as in the paper.",
        ),
        Claim(
            "EFR beats the cosine on the non-linear concept",
            "EFR does significantly better than the cosine on the non-linear concept.",
            "AUC +.10 to +.28",
            f"AUC {plus_minus(other, other_error, 3, sign=True)}",
            verdict(other, other_error),
            "EFR less cosine on the same data sets, all eight lines.",
        ),
        Claim(
            "EFR's first column",
            "On the non-linear concept EFR puts a relevant column first in about 30 % of problems with n = 50, 55 % with n = 100.",
            "0.29 and 0.55",
            f"{plus_minus(few, few_error, 2)} and {plus_minus(many, many_error, 2)}",
            "holds" if few + 2 * few_error >= 0.29 and many + 2 * many_error >= 0.55 else "does not hold",
            "p_b over the four lines each; the paper's figures are the means of its lines.",
        ),
        Claim(
            "cost",
            "20 data sets of 15 runs take less than 6 minutes at n = 50, d = 100, less than 12 at n = 100, and less than 23 at n = 50, d = 500.",
            "6, 12 and 23 minutes on a Pentium IV",
            "0.6, 3.1 and 1.6 processor seconds: see benchmarks/results/niching.md",
            "holds",
            "Measured apart because times differ from run to run, on one thread of a machine of today: the bounds hold by far, but say little of "
            "a Pentium IV. A run ends at an area of 1, which with 500 columns comes sooner; for each hypothesis, five times the columns cost 3.1 times as much.",
        ),
    ]


def _our_claims(view: View) -> list[Claim]:
    hidden, hidden_error = _difference(view, "honest", "cosine", "EFR", "linear", "AUC")
    plain, plain_error = _difference(view, "honest", "EFR", "univariate, folded", "non-linear", "AUC")
    return [
        Claim(
            "the cosine knows the signs",
            "(The honest form.) The cosine beats EFR on linear concepts also where it does not know that large values mean class 1.",
            "not looked at",
            f"AUC {plus_minus(hidden, hidden_error, 3, sign=True)}",
            verdict(hidden, hidden_error),
            "Cosine less EFR with half of the columns mirrored.",
        ),
        Claim(
            "EFR beats the plain answer",
            "(Ours.) On the non-linear concept EFR beats a score of each column alone, folded at its median.",
            "not looked at",
            f"AUC {plus_minus(plain, plain_error, 3, sign=True)}",
            verdict(plain, plain_error),
            "EFR less the folded univariate area on the same data sets, all eight lines.",
        ),
    ]


def sections(view: View) -> list[Block]:
    """Return the paper's own part of the page."""
    if not view.shows("1"):
        return []
    blocks: list[Block] = [
        Heading("Table 1 as in the paper"),
        Text(
            "100 columns of which 10 are relevant, none redundant. p_b: how often the first column is relevant. p_w: the rank of "
            "the worst relevant column divided by the number of columns. AUC: area under ROC-FS, the probability that a relevant "
            "column is ranked before an irrelevant one. p_b is a mean, the others are medians."
        ),
    ]
    for figure in FIGURES:
        blocks += [Heading(figure, 3), beside_paper(view, "1", COLUMNS, figure, 3 if figure == "AUC" else 2)]
    return [*blocks, *_figures(view), *_honest(view)]


def _curve(view: View, protocol: str, method: str, name: str) -> list[float]:
    """The median ROC-FS curve of a cell."""
    return [float(np.median(view.values("1", protocol, name, method, f"{at:.2f}", "TR"))) for at in GRID]


def _figures(view: View) -> list[Block]:
    blocks: list[Block] = [Heading("Figures 1 and 2: ROC-FS curves")]
    noises = [(e, sigma) for n, e, sigma in POINTS if n == 50]
    for number, method in ((1, "cosine"), (2, "EFR")):
        parts = {
            f"{method}, {concept}": {
                f"e {100 * e:g} %, sigma {sigma:g}": (
                    GRID.tolist(),
                    _curve(view, "paper", method, name_of(50, e, sigma, concept)),
                )
                for e, sigma in noises
            }
            for concept in CONCEPTS
        }
        blocks.append(
            panels(
                f"figure{number}.png",
                f"Median ROC-FS curves of {method} on linear and non-linear concepts, n = 50",
                parts,
                "share of irrelevant columns ranked before",
                "share of relevant columns",
                f"Figure {number}: medians over the data sets, n = 50, d = 100, r = 10. The dotted line is chance.",
                diagonal=True,
            )
        )
    parts = {
        concept: {
            method: (GRID.tolist(), _curve(view, "honest", method, name_of(50, 0.0, 0.0, concept)))
            for method in view.methods["1", "honest"]
        }
        for concept in CONCEPTS
    }
    blocks.append(
        panels(
            "figure_honest.png",
            "Median ROC-FS curves of all rankers with signs hidden, n = 50",
            parts,
            "share of irrelevant columns ranked before",
            "share of relevant columns",
            "Not in the paper: all rankers, half of the columns mirrored, n = 50, no noise.",
            diagonal=True,
        )
    )
    return blocks


def _honest(view: View) -> list[Block]:
    methods = list(view.methods["1", "honest"])
    rows: list[list[Cell | str]] = []
    for concept in CONCEPTS:
        for point in POINTS:
            name = name_of(*point, concept)
            means = [view.mean("1", "honest", name, method, "", "AUC") for method in methods]
            errors = [
                standard_error(view.values("1", "honest", name, method, "", "AUC")) for method in methods
            ]
            rows.append(
                [
                    name,
                    *(
                        Cell(plus_minus(m, e, 3), strong=m >= max(means) - 1e-9)
                        for m, e in zip(means, errors)
                    ),
                ]
            )
        last = [_mean(view, "honest", method, concept, "AUC")[0] for method in methods]
        rows.append([f"{concept}, mean", *(f"{mean:.3f}" for mean in last)])
    return [
        Heading("Signs hidden, with peers"),
        Text(
            "The same problems with half of the columns mirrored, so that no ranker gains from knowing that large values mean "
            "class 1. Area under ROC-FS, means over the data sets."
        ),
        Table(["", *methods], rows, "Mean area ± standard error; the best of a row is bold."),
    ]
