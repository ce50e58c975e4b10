"""The SBS-MF paper's own part of its page: tables and claims."""

from __future__ import annotations

import numpy as np

from tamis.papers._folds import CLASSIFIERS
from tamis.papers._paper import Claim
from tamis.papers._readings import tried
from tamis.papers._sbsmf_figures import (
    ALL,
    COLUMNS,
    LIGHTGBM,
    SELECTORS,
    SETS,
    area,
    figure_one,
    figure_three,
    figure_two,
    margins,
)
from tamis.papers._sbsmf_readings import READINGS
from tamis.papers._view import View, fold_error, standard_error
from tamis.papers._words import BETTER, WORSE, beside_paper, paired_mark, plus_minus, verdict
from tamis.report._blocks import Block, Cell, Heading, Table, Text


def _marks(view: View, protocol: str, classifier: str) -> dict[tuple[str, str], str]:
    """The marks of the tests of every data set and method against all columns."""
    return {
        (SETS[name], method): paired_mark(
            view.values("2", protocol, name, method, classifier),
            view.values("2", protocol, name, ALL, classifier),
            corrected=protocol == "honest",
        )
        for name in view.sets("2", protocol)
        for method in view.methods["2", protocol]
        if method != ALL
    }


def _difference(view: View, protocol: str, classifier: str, first: str, second: str) -> tuple[float, float]:
    """Mean difference of two methods over the sets, fold by fold, with its standard error."""
    differences = [
        view.values("2", protocol, n, first, classifier) - view.values("2", protocol, n, second, classifier)
        for n in view.sets("2", protocol)
    ]
    error = float(np.sqrt(np.sum([fold_error(difference) ** 2 for difference in differences]))) / len(
        differences
    )
    return float(np.mean([difference.mean() for difference in differences])), error


def _best_sets(view: View, protocol: str, classifier: str) -> int:
    """On how many sets SBS-MF is best of the four selectors."""
    count = 0
    for name in view.sets("2", protocol):
        means = [view.mean("2", protocol, name, method, classifier) for method in SELECTORS]
        count += means[0] >= max(means) - 1e-9
    return count


def claims(view: View) -> list[Claim]:
    """Return the paper's claims with their verdicts."""
    all_claims: list[Claim] = []
    if view.shows("2"):
        all_claims += [*_best_claims(view), *_average_claims(view)]
    if view.shows("figure 2"):
        all_claims.append(_margin_claim(view))
    if view.shows("figure 3"):
        all_claims += _microarray_claims(view)
    return all_claims


def _best_claims(view: View) -> list[Claim]:
    n_sets = len(view.sets("2", "honest"))
    best = []
    for classifier, said, printed in (
        (
            "1-NN",
            "With 1-NN, SBS-MF has the largest accuracy on 3 of 5 sets.",
            "3 of 5 in the text, 5 of 5 in its table",
        ),
        (
            "SVM",
            "With the SVM, SBS-MF is best on three quarters of the sets.",
            "three quarters in the text, 5 of 5 in its table",
        ),
    ):
        counts = {protocol: _best_sets(view, protocol, classifier) for protocol in ("paper", "honest")}
        best.append(
            Claim(
                f"best on most sets, {classifier}",
                said,
                printed,
                f"{counts['paper']} of {n_sets}; honest {counts['honest']} of {n_sets}",
                "holds" if min(counts.values()) > n_sets / 2 else "does not hold",
                "Best of the four selectors by mean accuracy, under both protocols.",
            )
        )
    marks = {protocol: list(_marks(view, protocol, "SVM").items()) for protocol in ("paper", "honest")}
    words = []
    for protocol, pairs in marks.items():
        mine = [mark for (_, method), mark in pairs if method == "SBS-MF"]
        words.append(f"{protocol}: {mine.count(BETTER)} better, {mine.count(WORSE)} worse")
    paper_marks = [mark for (_, method), mark in marks["paper"] if method == "SBS-MF"]
    best.append(
        Claim(
            "never worse than all columns, SVM",
            "With the SVM, 40 % of the columns by SBS-MF are significantly better than all on three sets, worse on none.",
            "3 better, 0 worse",
            "; ".join(words),
            "holds" if paper_marks.count(WORSE) == 0 and paper_marks.count(BETTER) >= 3 else "does not hold",
            "Paired t-tests at 5 %, in the honest part corrected for folds that share training rows.",
        )
    )
    return best


def _average_claims(view: View) -> list[Claim]:
    averages = []
    for classifier in CLASSIFIERS:
        for second, said in (
            (ALL, "On average, 40 % of the columns by SBS-MF are better than all columns"),
            ("AdaBoost-CR", "On average, the margin fraction ranks better than the contribution ratio"),
            ("BDSFS", "On average, SBS-MF ranks better than BDSFS"),
            ("Simba", "On average, SBS-MF ranks better than Simba"),
        ):
            paper, paper_error = _difference(view, "paper", classifier, "SBS-MF", second)
            honest, honest_error = _difference(view, "honest", classifier, "SBS-MF", second)
            mine, other = (view.cell("2", "Ave.", column, classifier) for column in ("SBS-MF", second))
            printed = mine.cell.value - other.cell.value if mine and other else float("nan")
            averages.append(
                Claim(
                    f"better than {second}, {classifier}",
                    f"{said} ({classifier}).",
                    f"{printed:+.1f}",
                    f"{plus_minus(paper, paper_error, sign=True)}; honest {plus_minus(honest, honest_error, sign=True)}",
                    verdict(honest, honest_error),
                    "Judged by the honest part: holds beyond two corrected standard errors.",
                )
            )
    return averages


def _margin_claim(view: View) -> Claim:
    lowest = {
        rounds: min(min(v) for v in margins(view, rounds, "margin").values()) for rounds in ("10", "100")
    }
    return Claim(
        "boosting enlarges margins",
        "Boosting enlarges the smallest margins: between 10 and 100 rounds the classes draw apart (Figure 2).",
        "a picture",
        f"smallest margin {lowest['10']:.3f} after 10 rounds, {lowest['100']:.3f} after 100",
        "holds" if lowest["100"] > lowest["10"] else "does not hold",
        f"On {SETS[view.sets('figure 2', 'paper')[0]]}: the picture is of the paper's Prostate table, which is not to be had.",
    )


def _microarray_claims(view: View) -> list[Claim]:
    all_claims = []
    name = view.sets("figure 3", "honest")[0]
    same = name == "dlbcl_shipp"
    for classifier in CLASSIFIERS:
        words = []
        for protocol in ("paper", "honest"):
            means = {m: float(np.mean(area(view, protocol, name, m, classifier, 20))) for m in SELECTORS}
            best = max(means, key=lambda method: means[method])
            words.append(f"{protocol}: SBS-MF {means['SBS-MF']:.3f}, best {best} {means[best]:.3f}")
        honest = {m: area(view, "honest", name, m, classifier, 20) for m in SELECTORS}
        others = SELECTORS[1:]
        rival = max(others, key=lambda method: float(honest[method].mean()))
        differences = honest["SBS-MF"] - honest[rival]
        error = standard_error(differences)
        all_claims.append(
            Claim(
                f"best with 20 columns, {classifier}",
                f"On Lymphoma SBS-MF beats the other selectors with as few as 20 columns ({classifier}).",
                "a picture",
                "; ".join(words),
                verdict(float(differences.mean()), error) if same else "cannot be told",
                f"Honest area less that of the best other, {rival}: {plus_minus(float(differences.mean()), error, 3, sign=True)} over repeats."
                if same
                else "Lymphoma was not at hand; the figures are of the synthetic table.",
            )
        )
    difference = float(
        np.mean(area(view, "paper", name, "SBS-MF", "1-NN", 20))
        - np.mean(area(view, "honest", name, "SBS-MF", "1-NN", 20))
    )
    all_claims.append(
        Claim(
            "what ranking on all rows adds",
            "(Ours.) Ranking on all rows before cross-validating makes a ranking look better than it is.",
            "not looked at",
            f"{difference:+.3f} of area for SBS-MF with 20 columns, 1-NN",
            "holds" if difference > 0 else "does not hold",
            "The same folds, the ranking made on all rows or on the training folds.",
        )
    )
    return all_claims


def sections(view: View) -> list[Block]:
    """Return the paper's own part of the page."""
    blocks: list[Block] = figure_one() if view.shows("figure 2") else []
    if view.shows("1"):
        blocks += [
            Heading("Table I: the data sets"),
            beside_paper(view, "1", ("Features", "Instances"), "count", 0),
        ]
    if view.shows("2"):
        blocks += _table_two(view)
    if view.shows("figure 2"):
        blocks += figure_two(view)
    if view.shows("theorem 2.1"):
        blocks += _theorem(view)
    if view.shows("figure 3"):
        blocks += figure_three(view)
    words = (
        f"The columns are ranked on all rows, as in the paper. {len(READINGS)} other readings: 1-NN on numbers as they are and on z-scores, "
        "an SVM with an RBF kernel or with squares and products, and, where the method is boosted, 10, 30 and 500 rounds and classes "
        "balanced at the start."
    )
    return [*blocks, *tried(view, SETS, READINGS, words, str.startswith)]


def _theorem(view: View) -> list[Block]:
    """Return what Theorem 2.1 says of the model of all columns on each set."""
    rows: list[list[Cell | str]] = []
    for name in view.sets("theorem 2.1", "paper"):
        found = {
            figure: view.mean("theorem 2.1", "paper", name, "StumpAdaBoost", "", figure)
            for figure in ("n_hypotheses", "edge", "mean_margin", "least_rounds", "bound", "wrong")
        }
        rows.append(
            [
                SETS[name],
                f"{found['n_hypotheses']:,.0f}",
                f"{found['edge']:.3f}",
                f"{found['mean_margin']:.3f}",
                f"{found['least_rounds']:,.0f}",
                f"{found['bound']:,.0f}",
                f"{found['wrong']:.1f} %",
            ]
        )
    return [
        Heading("Theorem 2.1: the bound by the mean margin"),
        Text(
            "The bound on the error on new rows that the paper quotes from Gao and Zhou, with delta = 0.05, for 100 boosted stumps on all "
            "columns. It falls nearly with the product of the smallest edge, the mean margin and the square root of the number of rows; "
            "above 1 it says nothing of the error, only how these hang together. The factor before "
            "the last logarithm of the printed number of rounds is not explained; 2 here."
        ),
        Table(
            [
                "",
                "stumps to choose from",
                "smallest edge",
                "mean margin",
                "rounds needed",
                "bound",
                "training rows wrong",
            ],
            rows,
        ),
    ]


def _table_two(view: View) -> list[Block]:
    blocks: list[Block] = [
        Heading("Table II as in the paper: ranked on all rows"),
        Text(
            f"Accuracy in percent with the best 40 % of the columns. {BETTER} and {WORSE}: significantly better or worse than "
            "all columns by a paired t-test at 5 %. The ranking has seen the rows on which it is tested: these figures are not "
            "what a user may expect."
        ),
    ]
    for classifier in CLASSIFIERS:
        blocks += [
            Heading(classifier, 3),
            beside_paper(view, "2", COLUMNS, classifier, 2, _marks(view, "paper", classifier)),
        ]
    blocks += [
        Heading("Table II, honest: ranked on the training folds"),
        Text(
            "The same folds, every ranking made without the held-out rows. ReliefF, a random forest and columns drawn by chance stand beside."
        ),
    ]
    for classifier in CLASSIFIERS:
        blocks += [Heading(classifier, 3), _honest_table(view, classifier)]
    if view.sets("2", "lightgbm"):
        blocks += [
            Heading("Table II, honest: beside backward elimination by LightGBM"),
            Text("The ten folds of the first repeat alone."),
            _beside_lightgbm(view),
        ]
    return blocks


def _beside_lightgbm(view: View) -> Table:
    """SBS-MF less LightGBM-RFE on the same folds."""
    rows: list[list[Cell | str]] = []
    for name in view.sets("2", "lightgbm"):
        for classifier in CLASSIFIERS:
            peer = view.values("2", "lightgbm", name, LIGHTGBM, classifier)
            ours = view.values("2", "honest", name, "SBS-MF", classifier)[: len(peer)]
            difference = plus_minus(float((ours - peer).mean()), fold_error(ours - peer), 2, sign=True)
            rows.append([SETS[name], classifier, f"{ours.mean():.2f}", f"{peer.mean():.2f}", difference])
    return Table(
        ["", "", "SBS-MF", LIGHTGBM, "difference"],
        rows,
        "Accuracy; the difference ± corrected standard error.",
    )


def _honest_table(view: View, classifier: str) -> Table:
    methods = list(view.methods["2", "honest"])
    marks = _marks(view, "honest", classifier)
    rows: list[list[Cell | str]] = []
    sets = view.sets("2", "honest")
    for name in sets:
        means = [view.mean("2", "honest", name, method, classifier) for method in methods]
        cells: list[Cell | str] = [SETS[name]]
        for method, mean in zip(methods, means):
            error = fold_error(view.values("2", "honest", name, method, classifier))
            mark = marks.get((SETS[name], method), "")
            cells.append(Cell(plus_minus(mean, error, 2) + mark, strong=mean >= max(means) - 1e-9))
        rows.append(cells)
    last = [
        f"{np.mean([view.mean('2', 'honest', n, method, classifier) for n in sets]):.2f}"
        for method in methods
    ]
    return Table(
        ["", *methods],
        [*rows, ["Ave.", *last]],
        "Accuracy ± corrected standard error; the best of a row is bold.",
    )
