"""The pictures of the pages on ROGER, EFR, SampledEFR, GramSchmidt and the problem space, and the figures they quote.

``python docs/pictures_ensembles.py`` writes to docs/pictures and prints the figures; it needs matplotlib. With names of
functions below, only these are run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

from tamis import EFR, ROGER, GramSchmidt, LinearWeights, SampledEFR, UnivariateAUC, datasets
from tamis.datasets import make_problem, problem_space
from tamis.features._aggregation import aggregated, column_order
from tamis.study.problem_space import problem_space as run_space
from tamis.study.problem_space_pictures import area_map
from tamis.study.roc_fs import roc_fs

FOLDER = Path(__file__).parent / "pictures"
DARK, LIGHT, GREY = "#0072B2", "#E69F00", "#666666"


def evolution() -> None:
    """The best area of five evolutions, on the training rows and on fresh ones."""
    data = make_problem(400, 100, 10, "ball", random_state=0)
    X, y = data.X.to_numpy(), np.asarray(data.y)
    figure, axes = plt.subplots()
    for seed in range(5):
        run = ROGER(random_state=seed).fit(X[:100], y[:100])
        history = run.history_
        axes.plot(history["n_evaluations"], history["auc"], color=DARK, alpha=0.7)
        values = run.decision_function(X[100:])
        fresh = float(UnivariateAUC().fit(values[:, None], y[100:]).scores_[0])
        relevant = np.isin(data.X.columns, data.informative)
        area = roc_fs(relevant, ranking=run.ranking_).auc
        print(
            f"evolution, ball, seed {seed}: area {run.auc_[0]:.3f} on 100 training rows after "
            f"{history['n_evaluations'][-1]:,} hypotheses, {fresh:.2f} on 300 fresh rows, ROC-FS {area:.2f}"
        )
    axes.set(xlabel="hypotheses judged", ylabel="area under the ROC curve, training rows", xscale="log")
    axes.set_title("Five evolutions: each perfect on its rows")
    save(figure, "roger_evolution")


def runs() -> None:
    """Area under ROC-FS of the majority of the first 1, 2, ... runs, over ten data sets a concept."""
    counts = (1, 3, 7, 15, 30, 60)
    figure, axes = plt.subplots()
    for concept, colour, style in (("linear", DARK, "-"), ("ball", LIGHT, "--")):
        areas = []
        for seed in range(10):
            data = make_problem(100, 100, 10, concept, random_state=seed)
            relevant = np.isin(data.X.columns, data.informative)
            found = EFR(ROGER(), n_estimators=max(counts), random_state=seed).fit(data.X, data.y).run_scores_
            areas.append([_area(relevant, found[:count]) for count in counts])
        mean, error = np.mean(areas, axis=0), np.std(areas, axis=0) / 3
        axes.errorbar(counts, mean, error, color=colour, linestyle=style, marker="o", label=concept)
        told = ", ".join(f"T={count} {value:.2f}" for count, value in zip(counts, mean))
        print(f"runs, {concept}, n = 100: {told}")
    axes.set(xlabel="runs of ROGER", ylabel="area under ROC-FS", xscale="log")
    axes.set_xticks(counts, counts)
    axes.set_title("One hypothesis ranks poorly, many rank well")
    axes.legend()
    save(figure, "efr_runs")


def _area(relevant: Any, scores: Any) -> float:
    order = column_order(aggregated(scores, "majority", 0.75), scores)
    ranking = np.empty(len(order))
    ranking[order] = np.arange(1, len(order) + 1)
    return float(roc_fs(relevant, ranking=ranking).auc)


def inclusion() -> None:
    """Inclusion of every column with its error, on a concept with two centres and one of pairs."""
    figure, panels = plt.subplots(1, 2, figsize=(7.6, 3.4), sharey=True)
    for axes, concept in zip(panels, ("two", "xor")):
        data = make_problem(100, 100, 10, concept, random_state=1)
        relevant = np.isin(data.X.columns, data.informative)
        model = SampledEFR(random_state=0).fit(data.X, data.y)
        order = np.argsort(-model.inclusion_, kind="stable")[:30]
        place = np.arange(len(order))
        for kind, colour, name in ((True, DARK, "relevant"), (False, LIGHT, "irrelevant")):
            chosen = relevant[order] == kind
            axes.bar(
                place[chosen],
                model.inclusion_[order][chosen],
                yerr=model.inclusion_error_[order][chosen],
                color=colour,
                ecolor="black",
                edgecolor="black",
                linewidth=0.4,
                label=name,
            )
        axes.set(title=concept, xlabel="the first 30 of 100 columns")
        area, alone = (
            roc_fs(relevant, ranking=model.ranking_).auc,
            UnivariateAUC(folded=True).fit(data.X, data.y),
        )
        print(
            f"inclusion, {concept}: area {area:.3f}, univariate {roc_fs(relevant, ranking=alone.ranking_).auc:.3f}, "
            f"agreement {model.agreement_[0]:.2f}, effective sample size {model.effective_sample_size_[0]:.0f}"
        )
    panels[0].set_ylabel("share of hypotheses that use it")
    panels[0].legend()
    save(figure, "sampled_efr_inclusion")


def probe() -> None:
    """Score of each column chosen, and the risk that noise would have been chosen by then."""
    table = datasets.load("ionosphere")
    history = GramSchmidt(stop="probe").fit(table.X, table.y).history_
    steps = np.arange(1, 16)
    figure, axes = plt.subplots()
    axes.bar(steps, history["score"][:15], color=DARK)
    names = [table.X.columns[j] for j in history["feature"][:15]]
    axes.set_xticks(steps, names, rotation=90)
    axes.set(xlabel="column of ionosphere, in the order of choice", ylabel="score when chosen")
    other = axes.twinx()
    other.plot(steps, history["probe_risk"][:15], "D--", color=LIGHT, markeredgecolor="black")
    other.axhline(0.05, color=GREY, linewidth=0.8)
    other.set_ylabel("risk of noise by then", color=GREY)
    kept = int((history["probe_risk"] <= 0.05).sum())
    print(f"probe, ionosphere: {kept} columns before a risk of 5 %: {', '.join(names[:kept])}")
    axes.set_title("The probe says where to stop")
    save(figure, "gram_schmidt_probe")


def linear() -> None:
    """Weights of ionosphere's columns in one model, averaged over samples, and the place in SVM-RFE."""
    table = datasets.load("ionosphere")
    once = LinearWeights().fit(table.X, table.y)
    bags = LinearWeights(step=None, n_bags=50, random_state=0).fit(table.X, table.y)
    order = np.argsort(once.ranking_)[:12]
    figure, axes = plt.subplots()
    places = np.arange(len(order))
    axes.bar(places - 0.2, once.scores_[order], 0.4, color=DARK, label="one model of all columns")
    axes.bar(
        places + 0.2, bags.scores_[order], 0.4, color=LIGHT, edgecolor="black", label="mean of 50 samples"
    )
    axes.set_xticks(places, [table.X.columns[j] for j in order], rotation=90)
    axes.set(xlabel="column of ionosphere, the last to be eliminated first", ylabel="share of the weights")
    axes.legend()
    axes.set_title("The order of elimination is not that of the weights at the start")
    save(figure, "linear_weights_order")


def space() -> None:
    """A map of the part of the space with 100 columns, for the plain univariate answer."""
    points = [point for point in problem_space() if point["d"] == 100 and not point["redundant"]]
    results = run_space(UnivariateAUC(folded=True), points, n_datasets=3)
    print(f"space: {results.height} data sets, mean area {results['auc'].mean():.3f}")
    figure = area_map(results)
    figure.set_size_inches(9, 3.2)
    figure.savefig(FOLDER / "problem_space_map.png", dpi=70, metadata={"Software": None})


def save(figure: Any, name: str) -> None:
    """Write a figure as a small PNG that depends on nothing but its data."""
    figure.savefig(FOLDER / f"{name}.png", metadata={"Software": None})
    plt.close(figure)


PARTS: tuple[Callable[[], None], ...] = (evolution, runs, inclusion, probe, linear, space)


def main(names: list[str]) -> None:
    """Run the parts of these names, or all of them."""
    mpl.use("Agg")
    mpl.rcParams.update(
        {
            "figure.figsize": (6.4, 3.6),
            "figure.dpi": 100,
            "figure.constrained_layout.use": True,
            "font.size": 10,
            "axes.titlesize": 11,
            "axes.spines.top": False,
            "legend.frameon": False,
        }
    )
    FOLDER.mkdir(exist_ok=True)
    for part in PARTS:
        if not names or part.__name__ in names:
            part()


if __name__ == "__main__":
    main(sys.argv[1:])
