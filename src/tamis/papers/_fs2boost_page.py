"""The FS2Boost paper's own part of its page: tables, pictures, claims."""

from __future__ import annotations

import numpy as np

from tamis.papers._fs2boost_readings import READINGS
from tamis.papers._paper import Claim
from tamis.papers._pictures import grouped_bars
from tamis.papers._readings import tried
from tamis.papers._view import View, fold_error, standard_error
from tamis.papers._words import beside_paper, plus_minus, verdict
from tamis.report._blocks import Block, Cell, Heading, Table, Text

ALL = "All Attributes"
COLUMNS = ("SFS", "FS2Boost", ALL)
BEYOND = {"SFS": "SFS, patience 4", "FS2Boost": "FS2Boost, patience 4"}
FOREST, RELIEF = "random forest, as many", "ReliefF, as many"
LITERAL, MINIMISED = "z_prime_literal", "z_prime_minimised"
READINGS_OF_Z = ("z_prime", MINIMISED, LITERAL)
FEW = (1, 2, 5, 10)  # numbers of rounds beside T = 50
SETS = {
    "monks1_test": "Monks 1",
    "monks2_test": "Monks 2",
    "monks3_test": "Monks 3",
    "artificial": "Artificial",
    "led": "LED",
    "led24": "LED24",
    "credit_crx": "Credit",
    "echocardiogram": "EchoCardio",
    "glass2": "Glass2",
    "heart_cleveland": "Heart",
    "hepatitis": "Hepatitis",
    "horse_colic": "Horse",
    "breast_w": "Breast Cancer",
    "xd6": "Xd6",
    "australian": "Australian",
    "house_votes": "White House",
    "pima": "Pima",
    "hard": "Hard",
    "vehicle": "Vehicle",
}
RULES = ("paper's stop", "patience 4")


def _record(view: View, protocol: str, first: str, second: str) -> tuple[int, int, int]:
    """Wins, ties and losses over the sets, by the percentage rounded to one decimal, as the paper's table shows it."""
    counts = [0, 0, 0]
    for name in view.sets("1", protocol):
        difference = round(view.mean("1", protocol, name, first), 1) - round(
            view.mean("1", protocol, name, second), 1
        )
        counts[1 if abs(difference) < 0.05 else 0 if difference > 0 else 2] += 1
    return counts[0], counts[1], counts[2]


def _honest_difference(view: View, first: str, second: str) -> tuple[float, float]:
    """Mean difference over the data sets in the honest part, with its standard error over the data sets."""
    differences = [
        view.mean("1", "honest", name, first) - view.mean("1", "honest", name, second)
        for name in view.sets("1", "honest")
    ]
    return float(np.mean(differences)), standard_error(differences)


def _words(record: tuple[int, int, int]) -> str:
    return f"{record[0]} won, {record[1]} tied, {record[2]} lost"


def claims(view: View) -> list[Claim]:
    """Return the paper's claims with their verdicts."""
    claims_of_paper: list[Claim] = []
    if view.shows("1"):
        claims_of_paper += [_relevant_claim(view), *_accuracy_claims(view)]
    if view.shows("figure 3"):
        claims_of_paper += _round_claims(view)
    return claims_of_paper


def _relevant_claim(view: View) -> Claim:
    sets = [
        n for n in view.sets("1", "paper") if len(view.values("1", "paper", n, "FS2Boost", "", "relevant"))
    ]
    shares = {
        m: np.mean([view.mean("1", "paper", n, m, "", "relevant") for n in sets])
        for m in ("FS2Boost", BEYOND["FS2Boost"])
    }
    few = [SETS[n] for n in sets if view.mean("1", "paper", n, "FS2Boost", "", "relevant") < 99]
    wrong = [view.values("1", "paper", n, "FS2Boost", "", "irrelevant") for n in sets]
    kept = np.mean([one.mean() for one in wrong if len(one)])
    return Claim(
        "relevant columns are found",
        "On sets whose relevant columns are known these are almost always selected, and sometimes irrelevant ones too.",
        "almost always",
        f"{shares['FS2Boost']:.0f} % of them ({shares[BEYOND['FS2Boost']]:.0f} % with patience 4); {kept:.0f} % of the irrelevant ones",
        "holds" if shares["FS2Boost"] >= 90 else "does not hold",
        f"With the paper's stop some are missed on: {', '.join(few) or 'none'}. Columns that help only together end the search early.",
    )


def _accuracy_claims(view: View) -> list[Claim]:
    versus_sfs = _record(view, "paper", "FS2Boost", "SFS")
    versus_all = _record(view, "paper", "FS2Boost", ALL)
    patient = _record(view, "paper", BEYOND["FS2Boost"], BEYOND["SFS"])
    patient_all = _record(view, "paper", BEYOND["FS2Boost"], ALL)
    n_sets = len(view.sets("1", "paper"))
    difference, error = _honest_difference(view, "FS2Boost", "SFS")
    even, even_error = _honest_difference(view, BEYOND["FS2Boost"], BEYOND["SFS"])
    whole, whole_error = _honest_difference(view, BEYOND["FS2Boost"], ALL)
    return [
        Claim(
            "almost always better than SFS",
            "The columns of FS2Boost almost always give a better leave-one-out accuracy than those of SFS.",
            "10 won, 7 tied, 2 lost",
            f"{_words(versus_sfs)}; with patience 4 {_words(patient)}",
            "holds"
            if versus_sfs[0] > n_sets / 2 or versus_sfs[0] >= 4 * max(versus_sfs[2], 1)
            else "does not hold",
            "SFS optimises the very figure by which the two are compared.",
        ),
        Claim(
            "better than all columns",
            "In the majority of cases the columns of FS2Boost give a better leave-one-out accuracy than all columns.",
            "13 won, 1 tied, 5 lost",
            f"{_words(versus_all)}; with patience 4 {_words(patient_all)}",
            "holds" if max(versus_all[0], patient_all[0]) > n_sets / 2 else "does not hold",
            "Leave-one-out on the rows that chose the columns: it favours the selection. Holds if either stop rule wins on a majority.",
        ),
        Claim(
            "better than SFS on rows not seen",
            "(The honest form.) FS2Boost classifies held-out rows better than SFS, both with the paper's stop.",
            "not looked at",
            f"{plus_minus(difference, error, sign=True)}; both with patience 4 {plus_minus(even, even_error, sign=True)}",
            verdict(difference, error),
            "Mean difference over the sets, its standard error over the sets; beyond two of them. The second figure says whether Z or the stop rule is the cause.",
        ),
        Claim(
            "better than all columns on rows not seen",
            "(The honest form.) FS2Boost with patience 4 classifies held-out rows better than all columns do.",
            "not looked at",
            plus_minus(whole, whole_error, sign=True),
            verdict(whole, whole_error),
            "Mean difference over the sets, its standard error over the sets; beyond two of them.",
        ),
    ]


def _round(view: View, name: str, criterion: str, rule: str) -> float:
    return view.mean("figure 3", "paper", name, criterion, rule, "rounds")


def _saved(
    view: View, criterion: str, rule: str
) -> tuple[list[str], tuple[float, float], tuple[float, float]]:
    """The data sets with the same subset; the means of T_Z - T_Z' and of G in percent, with their standard errors."""
    sets = view.sets("figure 3", "paper")
    same = [n for n in sets if view.mean("figure 3", "paper", n, criterion, rule, "same") == 1]
    gains = np.array([_round(view, n, "z", rule) - _round(view, n, criterion, rule) for n in sets])
    shares = gains / np.array([_round(view, n, criterion, rule) for n in sets])
    mean_share = float(100 * shares.mean()), 100 * standard_error(shares)
    return same, (float(gains.mean()), standard_error(gains)), mean_share


def _round_claims(view: View) -> list[Claim]:
    n_sets = len(view.sets("figure 3", "paper"))
    rule = RULES[0]
    same, gain, share = _saved(view, "z_prime", rule)
    literal, literal_gain, literal_share = _saved(view, LITERAL, rule)
    least, least_gain, least_share = _saved(view, MINIMISED, rule)
    patient, patient_gain, patient_share = _saved(view, "z_prime", RULES[1])
    changed = [SETS[n] for n in ("glass2", "led24") if n not in same]
    return [
        Claim(
            "the subset stays",
            "iFS2Boost keeps the subset of FS2Boost on 10 of 12 sets; it changes on Glass2 and LED24.",
            "10 of 12",
            f"{len(same)} of {n_sets}; patience 4 {len(patient)}; Z' minimised {len(least)}, to the letter {len(literal)}; changed of the two: {', '.join(changed) or 'none'}",
            "holds" if len(same) >= 10 / 12 * n_sets else "does not hold",
            "All 19 sets, of which the paper names two; holds where the share is at least the paper's.",
        ),
        Claim(
            "fewer learners",
            "iFS2Boost needs 3.5 learners fewer on average.",
            "3.5",
            f"{plus_minus(*gain)}; patience 4 {plus_minus(*patient_gain)}; Z' minimised {plus_minus(*least_gain)}, to the letter {plus_minus(*literal_gain)}",
            verdict(*gain),
            "Mean of T_Z - T_Z' over the sets, with its standard error over the sets.",
        ),
        Claim(
            "relative gain",
            "The relative gain (T_Z - T_Z') / T_Z' is 22.5 % on average.",
            "22.5 %",
            f"{plus_minus(*share)} %; patience 4 {plus_minus(*patient_share)} %; Z' minimised {plus_minus(*least_share)} %, to the letter {plus_minus(*literal_share)} %",
            verdict(*share),
            "Holds where the mean is above zero by two standard errors over the sets. A few sets decide it, since T_Z is small on most.",
        ),
        Claim(
            "running time",
            "The gain of iFS2Boost is on average more than 20 % of the running time, without a change of the subset.",
            "more than 20 %",
            "none: see benchmarks/results/fs2boost_time.md",
            "does not hold",
            "Processor time of both searches, each at its own number of rounds, measured apart because times differ from run to run. Here neighbours "
            "take the time and rounds hardly any; where each round trains a learner, time is in proportion to the rounds above.",
        ),
    ]


def sections(view: View) -> list[Block]:
    """Return the paper's own part of the page."""
    blocks: list[Block] = []
    if view.shows("1"):
        sets = view.sets("1", "paper")
        blocks += [
            Heading("Table 1 as in the paper: leave-one-out"),
            Text(
                "Columns selected on all rows, and the leave-one-out accuracy of k-NN on the same rows. The rows have chosen the "
                "columns, so these figures are too good; they are what the paper prints."
            ),
            beside_paper(view, "1", COLUMNS),
            grouped_bars(
                "table1.png",
                "Leave-one-out accuracy of FS2Boost's columns, ours beside the paper's",
                [SETS[n] for n in sets],
                {
                    "paper": [
                        one.cell.value if (one := view.cell("1", SETS[n], "FS2Boost")) else float("nan")
                        for n in sets
                    ],
                    "tamis, paper's stop": [view.mean("1", "paper", n, "FS2Boost") for n in sets],
                    "tamis, patience 4": [view.mean("1", "paper", n, BEYOND["FS2Boost"]) for n in sets],
                },
                "FS2Boost, accuracy (%)",
            ),
            Heading("The same with other stop rules, and the columns kept", 3),
            _table(view, "paper"),
            Heading("Honest: ten folds, columns selected on nine"),
            Text(
                "The columns are selected on the training folds, and the held-out rows are classified over them. A random forest "
                "and ReliefF keep as many columns as FS2Boost with patience 4 does."
            ),
            _table(view, "honest"),
        ]
    if view.shows("figure 3"):
        blocks += _figure_three(view)
    words = (
        "The paper states neither k, nor distance, nor scaling, nor what becomes of categories, missing values and ties, nor which "
        "version of a set was used. Each of these was read otherwise, alone or with others, and Table 1 was measured again."
    )
    names = [reading.name for reading in READINGS]
    return [*blocks, *tried(view, SETS, names, words)]


def _table(view: View, protocol: str) -> Table:
    methods = list(view.methods["1", protocol])
    rows: list[list[Cell | str]] = []
    for name in view.sets("1", protocol):
        means = [view.mean("1", protocol, name, method) for method in methods]
        cells: list[Cell | str] = [SETS[name]]
        for method, mean in zip(methods, means):
            values = view.values("1", protocol, name, method)
            error = fold_error(values) if protocol == "honest" else standard_error(values)
            kept = view.mean("1", protocol, name, method, "", "columns")
            cells.append(
                Cell(plus_minus(mean, error), f"{kept:.1f} columns", strong=mean >= max(means) - 1e-9)
            )
        rows.append(cells)
    last = [
        f"{np.mean([view.mean('1', protocol, n, method) for n in view.sets('1', protocol)]):.1f}"
        for method in methods
    ]
    return Table(
        ["", *methods],
        [*rows, ["mean", *last]],
        "Accuracy in percent ± standard error; the best of a row is bold.",
    )


def _figure_three(view: View) -> list[Block]:
    sets = view.sets("figure 3", "paper")
    blocks: list[Block] = [
        Heading("Figure 3: rounds until the subset stays the same"),
        Text(
            "T_Z is the smallest number of rounds from which FS2Boost keeps the same columns up to 100 rounds, T_Z' the same for "
            "iFS2Boost, G the relative gain (T_Z - T_Z') / T_Z'."
        ),
    ]
    for place, rule in enumerate(RULES):
        gains = [100 * (_round(view, n, "z", rule) / _round(view, n, "z_prime", rule) - 1) for n in sets]
        blocks.append(
            grouped_bars(
                f"figure3_{place}.png",
                f"Relative gain of iFS2Boost in rounds, {rule}",
                [SETS[n] for n in sets],
                {"relative gain": gains},
                "G (%)",
                f"{rule[0].upper() + rule[1:]}; mean {np.mean(gains):.1f} % (the paper: 22.5 % over 12 sets).",
                from_zero=True,
                level=float(np.mean(gains)),
            )
        )
    rows: list[list[Cell | str]] = []
    for name in sets:
        cells: list[Cell | str] = [SETS[name]]
        for rule in RULES:
            cells.append(f"{_round(view, name, 'z', rule):.0f}")
            for criterion in READINGS_OF_Z:
                same = view.mean("figure 3", "paper", name, criterion, rule, "same") == 1
                cells.append(
                    Cell(f"{_round(view, name, criterion, rule):.0f}", "same" if same else "other columns")
                )
        rows.append(cells)
    headings = [
        f"{symbol}, {rule}" for rule in RULES for symbol in ("T_Z", "T_Z'", "Z' minimised", "to the letter")
    ]
    return [*blocks, Table(["", *headings], rows), *_few_rounds(view)]


def _few_rounds(view: View) -> list[Block]:
    """Z after a few rounds as an estimator of Z after 50, which the paper's conclusion asks for."""
    sets = view.sets("figure 3", "paper")
    rows: list[list[Cell | str]] = []
    for rule in RULES:
        counts = [
            sum(view.mean("figure 3", "paper", n, "z", f"{rule}, T = {few}", "same") == 1 for n in sets)
            for few in FEW
        ]
        rows.append([rule, *(f"{count} of {len(sets)}" for count in counts)])
    return [
        Heading("The paper's plan: estimators of the boosting coefficients", 3),
        Text(
            "The conclusion asks for estimators that make boosting shorter, with slight changes of the answer. The simplest is Z "
            "after a few rounds: on so many sets it keeps the columns of T = 50. An exact way, which leaves out candidates by a "
            "bound of Z and never changes the answer, is FS2Boost(bounded=True); benchmarks/results/fs2boost_time.md has what both save."
        ),
        Table(["", *(f"T = {few}" for few in FEW)], rows),
    ]
