"""The pictures of the pages on neighbours (FS2Boost, NeighborAdaBoost, ReliefF, Simba) and pairs, and the figures they quote.

``python docs/pictures_wrappers.py`` writes docs/pictures/*.png and prints the figures; it needs matplotlib. With names
of functions below, only these are run. `lengths` reads what benchmarks/fs2boost_nested.py has written.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tamis import (
    FS2Boost,
    NeighborAdaBoost,
    PairScan,
    PermutationRanking,
    ReliefF,
    Simba,
    UnivariateAUC,
    datasets,
    stabilised_rounds,
)
from tamis.report import PairDisplay

FOLDER = Path(__file__).parent / "pictures"
NESTED = Path(__file__).parents[1] / "benchmarks" / "results" / "fs2boost_nested.json"
# Two colours that every kind of colour vision tells apart, and that differ in grey as well; line styles differ too.
DARK, LIGHT, GREY = "#0072B2", "#E69F00", "#666666"
FOLDS = StratifiedKFold(10, shuffle=True, random_state=0)


def path() -> None:
    """Z of every candidate at every step, and of the one chosen."""
    table = datasets.load("heart_cleveland")
    selector = FS2Boost().fit(table.X, table.y)
    history = selector.history_
    names = [table.X.columns[j] for j in history["feature"]]
    steps = np.arange(1, len(names) + 1)
    figure, axes = plt.subplots(figsize=(7.2, 4.2))
    for step, candidates in zip(steps, history["candidates"]):
        known = candidates[~np.isnan(candidates)]
        axes.plot(
            np.full(len(known), step), known, "_", color=GREY, ms=9, label="candidates" if step == 1 else None
        )
    axes.plot(steps, history["criterion"], color=DARK, label="chosen")
    kept = steps <= selector.n_features_
    axes.plot(steps[kept], history["criterion"][kept], "o", color=DARK, label="chosen and kept")
    axes.plot(
        steps[~kept], history["criterion"][~kept], "o", color="white", mec=DARK, label="chosen, not kept"
    )
    axes.set_xticks(steps, names, rotation=60, ha="right", fontsize=8)
    axes.set(xlabel="column that came in (heart_cleveland)", ylabel="Z with it")
    axes.set_title(
        f"{selector.n_features_} columns bring Z from {history['criterion'][0]:.2f} to {selector.criterion_:.2f}"
    )
    axes.legend(fontsize=8)
    print(f"path, heart_cleveland: {selector.n_features_} kept, order {', '.join(names)}")
    print(
        f"path, heart_cleveland: Z {np.round(history['criterion'], 4).tolist()}, kept {selector.criterion_:.4f}"
    )
    save(figure, "fs2boost_path")


def lengths() -> None:
    """Mean nested accuracy of every way to end the search, as a difference to the default."""
    found = json.loads(NESTED.read_text(encoding="utf-8"))
    n_seeds = min(len(by_seed) for by_seed in found.values())
    methods = list(next(iter(next(iter(found.values())).values())))
    means = np.array(
        [
            [
                np.mean([fold[0] for seed in range(n_seeds) for fold in by_seed[str(seed)][method]])
                for method in methods
            ]
            for by_seed in found.values()
        ]
    )
    reference = methods.index("FS2Boost, patience 4")
    gaps = 100 * (means - means[:, [reference]])
    error = gaps.std(axis=0, ddof=1) / np.sqrt(len(gaps))
    figure, axes = plt.subplots(figsize=(7.2, 3.8))
    others = [m for m in range(len(methods)) if m != reference]
    order = sorted(others, key=lambda m: gaps[:, m].mean())
    place = np.arange(len(order))
    axes.errorbar(gaps.mean(axis=0)[order], place, xerr=error[order], fmt="o", color=DARK, capsize=3)
    axes.axvline(0, color=GREY, linewidth=0.8)
    axes.set_yticks(place, [methods[m] for m in order], fontsize=8)
    axes.set_xlabel("points above FS2Boost, patience 4 (bars: one standard error)")
    axes.set_title(f"Rows held out, {len(found)} data sets, 10 folds, seeds: {n_seeds}")
    for m in order:
        print(
            f"lengths: {methods[m]} {gaps[:, m].mean():+.2f} +- {error[m]:.2f}, mean {100 * means[:, m].mean():.1f}"
        )
    save(figure, "fs2boost_lengths")


def rounds() -> None:
    """Z against the number of rounds, for three numbers of neighbours."""
    table = datasets.load("heart_cleveland")
    figure, axes = plt.subplots()
    for k, colour, style in ((3, LIGHT, "--"), (9, DARK, "-"), (25, GREY, ":")):
        model = NeighborAdaBoost(100, n_neighbors=k).fit(table.X, table.y)
        axes.plot(np.arange(1, 101), model.z_path_, style, color=colour, label=f"{k} neighbours")
        told = [f"{t} rounds {_accuracy(NeighborAdaBoost(t, n_neighbors=k), table):.3f}" for t in (1, 10, 50)]
        stopped = int((model.alphas_[0] > 0).sum())
        print(f"rounds, heart_cleveland, k = {k}: Z {model.z_:.3f}, {stopped} rounds ran; {', '.join(told)}")
    axes.set_xscale("log")
    axes.set(xlabel="rounds (heart_cleveland)", ylabel="Z, leave-one-out")
    axes.set_title("A few rounds do most of what boosting can do")
    axes.legend()
    save(figure, "neighbor_adaboost_rounds")


def _accuracy(model: Any, table: Any) -> float:
    return float(cross_val_score(model, table.X, table.y, cv=FOLDS).mean())


def together() -> None:
    """Weights of ReliefF beside areas of single columns, where two columns say something only together."""
    table = datasets.load("monks1_test")
    weights = ReliefF().fit(table.X, table.y).scores_
    areas = UnivariateAUC().fit(table.X, table.y).scores_
    figure, panels = plt.subplots(1, 2, figsize=(7.2, 3.2), sharey=True)
    place = np.arange(len(weights))
    for axes, values, what in (
        (panels[0], weights, "weight by ReliefF"),
        (panels[1], areas, "area of the column alone"),
    ):
        colours = [DARK if name in ("a", "b", "e") else LIGHT for name in table.X.columns]
        axes.barh(place, values, color=colours, edgecolor="black", linewidth=0.4)
        axes.set_yticks(place, table.X.columns)
        axes.set_xlabel(what)
    panels[0].axvline(0, color="black", linewidth=0.8)
    panels[1].set_xlim(0.45, None)
    panels[0].invert_yaxis()
    figure.suptitle("The class is a = b or e = 1: ReliefF sees a and b, which say nothing alone", fontsize=10)
    for name, weight, area in zip(table.X.columns, weights, areas):
        print(f"together, monks1_test: {name} ReliefF {weight:+.3f}, area {area:.3f}")
    save(figure, "relieff_together")


def pairs() -> None:
    """The best pair of a table, and the scores of its columns beside those with permuted classes."""
    table = datasets.load("monks1")
    names = list(table.X.columns)
    scan = PairScan(categorical_features=names).fit(table.X, table.y)
    figure, panels = plt.subplots(1, 2, figsize=(7.2, 3.4))
    PairDisplay.from_estimator(scan, table.X, table.y, ax=panels[0])
    labels = np.random.default_rng(0).permutation(table.y)
    permuted = PairScan(categorical_features=names).fit(table.X, labels).scores_
    place = np.arange(len(names))
    panels[1].bar(place - 0.2, scan.scores_, 0.4, color=DARK, label="the classes")
    panels[1].bar(place + 0.2, permuted, 0.4, color=LIGHT, label="permuted classes")
    panels[1].axhline(-np.log10(0.05), color=GREY, linewidth=0.8, linestyle="--", label="p = 0.05")
    panels[1].set_xticks(place, names)
    panels[1].set(xlabel="column (monks1)", ylabel="score")
    panels[1].legend(fontsize=8)
    print(
        f"pairs, monks1: scores {np.round(scan.scores_, 1).tolist()}, permuted {permuted.max():.1f} at most"
    )
    save(figure, "pair_scan_together")


def starts() -> None:
    """Weights and margins of Simba's starts."""
    table = datasets.load("ionosphere")
    history = Simba(random_state=0).fit(table.X, table.y).history_
    best = int(np.argmax(history["margin"]))
    order = np.argsort(-history["weights"][best], kind="stable")
    figure, axes = plt.subplots(figsize=(7.6, 3.6))
    for start, weights in enumerate(history["weights"]):
        colour, marker, front = (DARK, "o", 3) if start == best else (LIGHT, "D", 2)
        label = "largest margin" if start == best else "other starts" if start == int(best == 0) else None
        axes.plot(weights[order], marker, color=colour, mec="black", mew=0.4, ms=5, zorder=front, label=label)
        print(f"starts, ionosphere: start {start}, total margin {history['margin'][start]:.2f}")
    axes.set_xticks(np.arange(len(order)), [table.X.columns[j] for j in order], rotation=90, fontsize=8)
    axes.set(xlabel="column of ionosphere", ylabel="weight squared, largest 1")
    others = np.delete(history["margin"], best)
    axes.set_title(
        f"The best start has a total margin of {history['margin'][best]:.0f}, the next {others.max():.0f}"
    )
    axes.legend(loc="center right")
    print(f"starts, ionosphere: best six {', '.join(table.X.columns[j] for j in order[:6])}")
    save(figure, "simba_starts")


def seconds() -> None:
    """Time of one fit of each method, compiled, on shipped sets."""
    for name in ("ionosphere", "vehicle", "spambase"):
        table = datasets.load(name)
        shape = f"{table.X.shape[0]:,} x {table.X.shape[1]}"
        for method in (FS2Boost(), FS2Boost(5), NeighborAdaBoost(), ReliefF(), Simba(random_state=0)):
            print(f"seconds, {name} ({shape}), {method}: {_seconds(method, table):.3f}")
    table = datasets.load("glass2")
    start = time.perf_counter()
    n_rounds = stabilised_rounds(table.X, table.y).n_rounds
    print(f"seconds, glass2, stabilised_rounds: {time.perf_counter() - start:.2f} ({n_rounds} rounds)")


def _seconds(method: Any, table: Any) -> float:
    method.fit(table.X, table.y)
    taken = []
    for _ in range(3):
        start = time.perf_counter()
        method.fit(table.X, table.y)
        taken.append(time.perf_counter() - start)
    return sorted(taken)[1]


def shuffles() -> None:
    """What nearest neighbours lose when a column of breast_w is shuffled: in one go, and as columns leave."""
    table = datasets.load("breast_w")
    model = make_pipeline(SimpleImputer(), StandardScaler(), KNeighborsClassifier())
    figure, axes = plt.subplots()
    places = np.arange(table.X.shape[1])
    for step, colour, width in ((None, LIGHT, -0.4), (1, DARK, 0.4)):
        found = PermutationRanking(3, estimator=model, step=step, random_state=0).fit(table.X, table.y)
        label = "all columns at once" if step is None else "in the last round of each column"
        axes.bar(places, 100 * found.scores_, width=width, align="edge", color=colour, label=label)
    axes.set_xticks(places, table.X.columns)
    axes.set(xlabel="column of breast_w", ylabel="points of accuracy lost when shuffled")
    axes.set_title("Columns that stand in for each other look worthless at once")
    axes.legend()
    save(figure, "permutation_shuffles")


def save(figure: Any, name: str) -> None:
    """Write a figure as a small PNG that depends on nothing but its data."""
    figure.savefig(FOLDER / f"{name}.png", metadata={"Software": None})
    plt.close(figure)


PARTS: tuple[Callable[[], None], ...] = (path, lengths, rounds, together, pairs, starts, seconds, shuffles)


def main(names: list[str]) -> None:
    """Run the parts of these names, or all of them."""
    mpl.use("Agg")
    mpl.rcParams.update(
        {
            "figure.figsize": (6.4, 3.6),
            "figure.dpi": 120,
            "figure.constrained_layout.use": True,
            "font.size": 10,
            "axes.titlesize": 11,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "legend.frameon": False,
        }
    )
    FOLDER.mkdir(exist_ok=True)
    for part in PARTS:
        if not names or part.__name__ in names:
            part()


if __name__ == "__main__":
    main(sys.argv[1:])
