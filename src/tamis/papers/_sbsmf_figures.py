"""The figures of the SBS-MF paper: H(x) and margins, areas on microarrays; and the names of its data sets and methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tamis.papers._folds import CLASSIFIERS
from tamis.papers._pictures import COLOURS, Line, drawn, panels
from tamis.papers._view import View, standard_error
from tamis.papers._words import plus_minus
from tamis.report._blocks import Block, Cell, Heading, Table, Text

ALL = "All-features"
SELECTORS = ("SBS-MF", "AdaBoost-CR", "BDSFS", "Simba")
COLUMNS = (ALL, *SELECTORS)
LIGHTGBM = "LightGBM-RFE"
SIZES = (1, 2, 5, 10, 20, 30, 50, 70, 100)
SETS = {
    "kr_vs_kp": "Chess",
    "ionosphere": "Ionosphere",
    "mushroom": "Mushroom",
    "musk1": "Musk clean1",
    "spambase": "Spambase",
    "dlbcl_shipp": "Lymphoma",
    "prostate_ge5966": "Prostate",
    "microarray": "synthetic microarray",
}


def margins(view: View, rounds: str, what: str) -> dict[str, list[float]]:
    """H or the margin of every training row, by class."""
    name = view.sets("figure 2", "paper")[0]
    by_method: dict[str, list[float]] = {}
    for method in sorted(view.methods["figure 2", "paper"]):
        rows = [
            view.values("figure 2", "paper", name, method, rounds, f"{what} {row:03d}") for row in range(1000)
        ]
        by_method[method] = [float(row[0]) for row in rows if len(row)]
    return by_method


def area(view: View, protocol: str, name: str, method: str, classifier: str, size: int) -> Any:
    """Areas under the ROC curve of one method at one size, one per repeat."""
    return view.values("figure 3", protocol, name, method, f"{classifier} {size}", "AUC")


def figure_one() -> list[Block]:
    """Return the picture of the two kinds of margins."""

    def draw(figure: Any) -> None:
        left, right = figure.subplots(1, 2)
        crosses, rings = [(0.2, 0.75), (0.35, 0.9), (0.3, 0.6)], [(0.75, 0.3), (0.6, 0.15), (0.85, 0.5)]
        for axis in (left, right):
            for points, marker, colour in ((crosses, "x", COLOURS[0]), (rings, "o", COLOURS[1])):
                axis.plot(*zip(*points), marker, color=colour, markersize=8)
            axis.set(xlim=(0, 1), ylim=(0, 1.05), xticks=[], yticks=[], aspect="equal")
            axis.spines[["top", "right"]].set_visible(False)
        left.plot([0.05, 0.95], [0.05, 0.95], color="#6b6b6b")
        left.annotate("", (0.45, 0.45), (0.3, 0.6), arrowprops={"arrowstyle": "<->"})
        left.set_title("sample margin: how far a row may move", fontsize=10)
        right.plot([0.05, 0.95], [0.05, 0.95], color="#6b6b6b")
        right.plot([0.05, 0.65], [0.35, 0.95], color="#6b6b6b", linestyle="--")
        right.annotate("", (0.15, 0.45), (0.3, 0.3), arrowprops={"arrowstyle": "<->"})
        right.set_title("hypothesis margin: how far the rule may move", fontsize=10)

    return [
        Heading("Figure 1: two kinds of margin"),
        drawn(
            "figure1.png",
            "A row that moves until it meets the border between two classes, and a border that moves until it meets a row",
            "Left: a row moves until it meets the border. Right: the border, which is the hypothesis, moves until a row changes "
            "sides. Boosting and 1-NN have margins of the second kind.",
            draw,
            (8.4, 3.9),
        ),
    ]


def figure_two(view: View) -> list[Block]:
    """Return the picture of H(x) and of the margins."""
    name = SETS[view.sets("figure 2", "paper")[0]]

    def draw(figure: Any) -> None:
        axes = figure.subplots(1, 3)
        for axis, rounds in zip(axes, ("10", "100")):
            start = 0
            for place, (label, values) in enumerate(margins(view, rounds, "H").items()):
                axis.scatter(
                    range(start, start + len(values)), values, s=14, color=COLOURS[place], label=label
                )
                start += len(values)
            axis.axhline(0, color="#6b6b6b", linewidth=0.8)
            axis.set_title(f"H(x) after {rounds} rounds", fontsize=10)
            axis.set_xlabel("training row", fontsize=9)
            axis.legend(fontsize=8, frameon=False)
        for place, rounds in enumerate(("10", "100")):
            sizes = np.sort(np.concatenate(list(margins(view, rounds, "margin").values())))
            axes[2].step(
                sizes,
                np.arange(1, len(sizes) + 1) / len(sizes),
                where="post",
                color=COLOURS[place + 2],
                label=f"{rounds} rounds",
            )
        axes[2].set_title("share of rows with a margin up to", fontsize=10)
        axes[2].set_xlabel("margin", fontsize=9)
        axes[2].legend(fontsize=8, frameon=False)
        for axis in axes:
            axis.spines[["top", "right"]].set_visible(False)
            axis.tick_params(labelsize=8)

    alt = f"H(x) of the training rows of {name} after 10 and 100 rounds, and the distribution of margins"
    return [
        Heading("Figure 2: H(x) and margins"),
        drawn(
            "figure2.png",
            alt,
            f"Training rows of {name}, sorted by class; classes balanced at the start.",
            draw,
            (10.5, 3.6),
        ),
    ]


def figure_three(view: View) -> list[Block]:
    """Return the curves of every microarray, and their figures."""
    blocks: list[Block] = [
        Heading("Figure 3: area under the ROC curve on microarrays"),
        Text(
            "Left as in the paper, ranked on all rows; right honest, ranked on the training folds. The folds are the same."
        ),
    ]
    for name in view.sets("figure 3", "honest"):
        parts: dict[str, Mapping[str, Line]] = {}
        rows: list[list[Cell | str]] = []
        for classifier in CLASSIFIERS:
            for protocol in ("paper", "honest"):
                lines: dict[str, Line] = {}
                for method in view.methods["figure 3", protocol]:
                    if method == ALL:
                        size = _all_size(view, protocol, name, classifier)
                        whole = float(np.mean(area(view, protocol, name, ALL, classifier, size)))
                        lines["all columns"] = ([SIZES[0], SIZES[-1]], [whole, whole])
                        continue
                    means = [
                        float(np.mean(area(view, protocol, name, method, classifier, size))) for size in SIZES
                    ]
                    lines[method] = (SIZES, means)
                    errors = [
                        standard_error(area(view, protocol, name, method, classifier, size)) for size in SIZES
                    ]
                    rows.append(
                        [
                            f"{classifier}, {protocol}: {method}",
                            *(plus_minus(m, e, 3) for m, e in zip(means, errors)),
                        ]
                    )
                parts[f"{classifier}, {'as in the paper' if protocol == 'paper' else 'honest'}"] = lines
        blocks += [
            Heading(SETS[name], 3),
            panels(
                f"figure3_{name}.png",
                f"Area under the ROC curve against the number of columns on {SETS[name]}",
                parts,
                "columns",
                "area under the ROC curve",
                "Means over the repeats.",
                log=True,
            ),
            Table(["columns kept", *map(str, SIZES)], rows, "Mean area ± standard error over the repeats."),
        ]
    return blocks


def _all_size(view: View, protocol: str, name: str, classifier: str) -> int:
    return next(size for size in (7129, 5966, 6000) if len(area(view, protocol, name, ALL, classifier, size)))
