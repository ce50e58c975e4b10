"""The pictures of the pages about rows, and the figures that these pages quote from them.

``python docs/pictures_rows.py`` writes docs/pictures/*.png and prints the figures; it needs matplotlib. With names of
functions below, only these are run. Accuracy against size is read from benchmarks/results/row_sizes.json.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from pictures import DARK, FOLDER, GREY, LIGHT, save
from pictures import main as settings_of_pictures
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from tamis import (
    DROP3,
    CondensedNN,
    EditedNN,
    HillClimbingPrototypes,
    MarginPrototypes,
    MonteCarloPrototypes,
    MovedPrototypes,
    PSBoost,
    RandomPrototypes,
    ReducedNN,
    RowValues,
    SelectorCV,
    datasets,
)

RESULTS = FOLDER.parent.parent / "benchmarks" / "results"


def crescents(n_rows: int = 400, seed: int = 0) -> tuple[Any, Any]:
    """Two crescents that touch, with columns from 0 to 1."""
    random = np.random.default_rng(seed)
    y = np.arange(n_rows) % 2
    angle = np.pi * random.random(n_rows) + np.pi * y
    X = np.column_stack([np.cos(angle) + y - 0.5, np.sin(angle) + 0.5 * y - 0.25])
    X += 0.22 * random.normal(size=X.shape)
    return (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0)), y


def shown(panels: dict[str, Any], name: str, title: str) -> None:
    """Kept rows and the regions of their 1-NN rule, one panel a set of rows; accuracy on 4,000 new rows."""
    X, y = crescents()
    new, new_y = crescents(4000, seed=1)
    mesh = np.stack(np.meshgrid(np.linspace(-0.02, 1.02, 160), np.linspace(-0.02, 1.02, 160)), axis=-1)
    figure, row = plt.subplots(1, len(panels), figsize=(2.6 * len(panels) + 0.2, 3.0), sharey=True)
    for axes, (label, kept) in zip(row, panels.items(), strict=True):
        rule = KNeighborsClassifier(1).fit(X[kept], y[kept])
        regions = rule.predict(mesh.reshape(-1, 2)).reshape(160, 160)
        axes.contour(mesh[..., 0], mesh[..., 1], regions, levels=[0.5], colors="black", linewidths=1)
        for label_of_class, colour, mark in ((0, DARK, "o"), (1, LIGHT, "D")):
            axes.plot(*X[y == label_of_class].T, mark, color=colour, ms=1.5, alpha=0.5)
            some = kept[y[kept] == label_of_class]
            axes.plot(*X[some].T, mark, color=colour, markeredgecolor="black", ms=5)
        accuracy = rule.score(new, new_y)
        axes.set_title(f"{label}\n{len(kept)} rows, {accuracy:.3f} right", fontsize=9)
        axes.set(xticks=[], yticks=[])
        print(f"{name}: {label} keeps {len(kept)} of {len(y)} rows, {accuracy:.3f} of 4,000 new rows right")
    figure.suptitle(title, fontsize=11)
    save(figure, name)


def kept(selector: Any) -> Any:
    """The rows that a selector keeps of the crescents."""
    return selector.fit(*crescents()).sample_indices_


def margin_rows() -> None:
    """Where the search of MarginPrototypes starts and ends."""
    selector = MarginPrototypes(20, random_state=0).fit(*crescents())
    print(f"margin_prototypes_rows: {len(selector.history_['loss'])} swaps")
    shown(
        {"the start": selector.start_indices_, "after the swaps": selector.sample_indices_},
        "margin_prototypes_rows",
        "20 random rows, and what swaps make of them",
    )


def moved_rows() -> None:
    """Where the made rows of MovedPrototypes start, and where they come to."""
    X, y = crescents()
    start, end = (MovedPrototypes(10, n_steps=n, random_state=0).fit(X, y) for n in (0, None))
    new, new_y = crescents(4000, seed=1)
    mesh = np.stack(np.meshgrid(np.linspace(-0.02, 1.02, 160), np.linspace(-0.02, 1.02, 160)), axis=-1)
    figure, row = plt.subplots(1, 2, figsize=(5.4, 3.0), sharey=True)
    for axes, (label, made) in zip(row, {"the start": start, "after the steps": end}.items(), strict=True):
        rule = KNeighborsClassifier(1).fit(made.prototypes_, made.labels_)
        regions = rule.predict(mesh.reshape(-1, 2)).reshape(160, 160)
        axes.contour(mesh[..., 0], mesh[..., 1], regions, levels=[0.5], colors="black", linewidths=1)
        for code, colour, mark in ((0, DARK, "o"), (1, LIGHT, "D")):
            axes.plot(*X[y == code].T, mark, color=colour, ms=1.5, alpha=0.5)
            axes.plot(
                *made.prototypes_[made.labels_ == code].T, mark, color=colour, markeredgecolor="black", ms=5
            )
        accuracy = rule.score(new, new_y)
        axes.set_title(f"{label}\n{len(made.labels_)} rows, {accuracy:.3f} right", fontsize=9)
        axes.set(xticks=[], yticks=[])
        print(f"moved_prototypes_rows: {label}, {accuracy:.3f} of 4,000 new rows right")
    figure.suptitle("10 kept rows, and where they move to", fontsize=11)
    save(figure, "moved_prototypes_rows")


def suspects() -> None:
    """The values of rows with and without turned labels."""
    X, y = crescents()
    turned = np.random.default_rng(7).random(len(y)) < 0.1
    found = RowValues().fit(X, np.where(turned, 1 - y, y))
    called = np.isin(np.arange(len(y)), found.suspects_)
    figure, axes = plt.subplots(figsize=(5.0, 3.0))
    edges = np.linspace(found.values_.min(), found.values_.max(), 40)
    axes.hist(found.values_[~turned], edges, color=DARK, alpha=0.7, label="labels as they were")
    axes.hist(found.values_[turned], edges, color=LIGHT, alpha=0.9, label="turned labels")
    axes.set(xlabel="value of a row", ylabel="rows")
    axes.legend(frameon=False, fontsize=8)
    axes.set_title("Rows with turned labels are worth least", fontsize=11)
    print(
        f"row_values_turned: {turned.sum()} turned, {called.sum()} suspects, {(called & turned).sum()} of them turned"
    )
    save(figure, "row_values_turned")


def psboost_rows() -> None:
    """The paper's PSBoost and the default."""
    paper = PSBoost(20, n_neighbors=1, remove_selected=False, class_quota=None)
    panels = {"as in the paper (k = 1)": kept(paper), "default (k = 5)": kept(PSBoost(20))}
    panels["default, 20 %"] = kept(PSBoost(0.2))
    shown(panels, "psboost_rows", "PSBoost keeps rows from the inside of the classes")


def condensed_rows() -> None:
    """Hart's and Gates's rows, and Hart's after editing."""
    X, y = crescents()
    edited = kept(EditedNN())
    panels = {"CondensedNN": kept(CondensedNN()), "ReducedNN": kept(ReducedNN())}
    panels["EditedNN, then CondensedNN"] = edited[CondensedNN().fit(X[edited], y[edited]).sample_indices_]
    shown(panels, "condensed_nn_rows", "Hart's rule keeps the border, and every row that lies wrong")


def edited_rows() -> None:
    """Wilson's rows and DROP3's."""
    shown(
        {"EditedNN": kept(EditedNN()), "DROP3": kept(DROP3())},
        "edited_nn_rows",
        "EditedNN drops rows that lie wrong, DROP3 thins what is left",
    )


def skalak_rows() -> None:
    """Chance, and Skalak's searches."""
    panels = {
        "RandomPrototypes": kept(RandomPrototypes(20, random_state=0)),
        "MonteCarloPrototypes": kept(MonteCarloPrototypes(20, random_state=0)),
        "HillClimbingPrototypes": kept(HillClimbingPrototypes(20, n_mutations=2000, random_state=0)),
    }
    shown(panels, "skalak_rows", "One random set, the best of 100, and one that climbed")


def sizes() -> None:
    """Accuracy against the share kept, mean of the sets of benchmarks/row_sizes.py."""
    results = json.loads((RESULTS / "row_sizes.json").read_text(encoding="utf-8"))
    lines = {
        "k-means per class (makes new rows)": (GREY, ":", "s"),
        "MarginPrototypes": (DARK, "-", "o"),
        "HillClimbingPrototypes, 2,000": (LIGHT, "-", "D"),
        "PSBoost": (DARK, "--", "^"),
        "RandomPrototypes": (GREY, "-.", "v"),
    }
    figure, axes = plt.subplots(figsize=(6.4, 4.0))
    for method, (colour, style, mark) in lines.items():
        shares = [100 * float(size) for size in results[method]]
        means = [mean_accuracy(results[method][size]) for size in results[method]]
        axes.plot(shares, means, style, marker=mark, color=colour, ms=5, label=method)
    everything = mean_accuracy(results["all rows"]["None"])
    axes.axhline(everything, color="black", linewidth=0.8)
    axes.annotate("all rows", (2, everything - 0.15), va="top", fontsize=8)
    axes.set_xscale("log")
    axes.set_xticks([2, 5, 10, 20, 50], ["2", "5", "10", "20", "50"])
    axes.minorticks_off()
    axes.set(xlabel="% of the rows kept", ylabel="accuracy of 1-NN, %, mean of 25 sets")
    axes.legend(fontsize=8)
    axes.set_title("Of rows that exist, those of MarginPrototypes do best")
    save(figure, "row_sizes")


def mean_accuracy(sets: Any) -> float:
    """Mean over the sets of the mean over the splits."""
    return float(np.mean([np.mean(one["accuracy"]) for one in sets.values()]))


def chosen_size() -> None:
    """SelectorCV on the rows of ionosphere: the smallest share within a standard error of the best."""
    table = datasets.load("ionosphere")
    search = SelectorCV(
        MarginPrototypes(random_state=0),
        KNeighborsClassifier(1),
        cv=StratifiedKFold(10, shuffle=True, random_state=0),
        sizes=[0.01, 0.02, 0.05, 0.1, 0.2, 0.5],
    ).fit(table.X, table.y)
    results = search.cv_results_
    mean, error, size = (np.asarray(results[k]) for k in ("mean_test_score", "standard_error", "size"))
    best = int(mean.argmax())
    figure, axes = plt.subplots()
    axes.errorbar(100 * size, mean, error, color=DARK, marker="o", capsize=3)
    axes.axhline(mean[best] - error[best], color=GREY, linestyle="--", linewidth=1)
    axes.axvline(100 * search.size_, color=LIGHT)
    axes.set_xscale("log")
    axes.set_xticks(100 * size, [f"{100 * one:g}" for one in size])
    axes.minorticks_off()
    axes.set(xlabel="% of the rows of ionosphere kept", ylabel="accuracy of 1-NN, 10 folds")
    axes.set_title(f"Within one standard error of the best: {100 * search.size_:g} %")
    print(f"chosen_size: best {100 * size[best]:g} % with {mean[best]:.3f}; chosen {100 * search.size_:g} %")
    save(figure, "row_selector_cv")


PARTS: tuple[Callable[[], None], ...] = (
    margin_rows, moved_rows, suspects, psboost_rows, condensed_rows, edited_rows, skalak_rows, sizes, chosen_size,
)  # fmt: skip


def main(names: list[str]) -> None:
    """Run the parts of these names, or all of them."""
    settings_of_pictures(["the settings alone"])
    for part in PARTS:
        if not names or part.__name__ in names:
            part()


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    main(sys.argv[1:])
