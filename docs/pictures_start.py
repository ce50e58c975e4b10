"""The pictures of the first pages: of README.md and docs/start.md.

``python docs/pictures_start.py`` writes docs/pictures/*.png and prints the figures that they show; it needs matplotlib.
With names of functions below, only these are run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from pictures import DARK, GREY, LIGHT, save
from pictures import main as settings_of_pictures
from pictures_rows import crescents
from sklearn.neighbors import KNeighborsClassifier

from tamis import SBSMF, MarginPrototypes, SelectorCV, Sieve, StumpAdaBoost, datasets


def heart() -> tuple[Any, Any]:
    """The table of the start page, and the search for the number of its columns."""
    table = datasets.load("heart_cleveland")
    return table, SelectorCV(SBSMF(), StumpAdaBoost(20), cv=10).fit(table.X, table.y)


def bars(axes: Any, table: Any, search: Any, scores: Any, label: str, size: float = 8) -> None:
    """Columns in the order of the ranking, the kept ones dark."""
    order = search.ranking_.argsort()
    scores = scores[order]
    colours = [DARK if search.support_[j] else "#c9ced6" for j in order]
    axes.barh(np.arange(len(order)), scores, color=colours, edgecolor=GREY, linewidth=0.4)
    axes.set_yticks(np.arange(len(order)), [table.X.columns[j] for j in order], fontsize=size)
    axes.invert_yaxis()
    axes.set_xlabel(label, fontsize=9)


def sieve() -> None:
    """What tamis does: fewer columns, fewer rows, and as many right as before."""
    figure, (columns, rows) = plt.subplots(1, 2, figsize=(7.8, 3.4), width_ratios=[1.15, 1])
    table = datasets.load("mushroom")
    search = Sieve(random_state=0).fit(table.X, table.y)
    honest, every = search.fold_scores_.mean(), search.cv_results_["mean_test_score"][-1]
    bars(columns, table, search, search.scores_, "score of Sieve", 6.5)
    columns.set_title(
        f"{search.n_features_} of {len(search.scores_)} columns: {honest:.2f} right\n"
        f"(all: {every:.2f}; poisonous mushrooms, rows not seen)",
        fontsize=10,
    )
    print(f"sieve: {search.n_features_} columns {honest:.3f}, all {every:.3f}")

    X, y = crescents()
    new, new_y = crescents(4000, seed=1)
    kept = MarginPrototypes(20, random_state=0).fit(X, y).sample_indices_
    rule = KNeighborsClassifier(1).fit(X[kept], y[kept])
    few, everything = rule.score(new, new_y), KNeighborsClassifier(1).fit(X, y).score(new, new_y)
    mesh = np.stack(np.meshgrid(np.linspace(-0.02, 1.02, 200), np.linspace(-0.02, 1.02, 200)), axis=-1)
    regions = rule.predict(mesh.reshape(-1, 2)).reshape(200, 200)
    rows.contour(mesh[..., 0], mesh[..., 1], regions, levels=[0.5], colors="black", linewidths=1)
    for label, colour, mark in ((0, DARK, "o"), (1, LIGHT, "D")):
        rows.plot(*X[y == label].T, mark, color=colour, ms=2, alpha=0.45)
        rows.plot(*X[kept][y[kept] == label].T, mark, color=colour, markeredgecolor="black", ms=6.5)
    rows.set(xticks=[], yticks=[])
    rows.set_title(
        f"{len(kept)} of {len(y)} rows: {few:.2f} right\n(all: {everything:.2f}; two crescents, 4,000 new rows)",
        fontsize=10,
    )
    print(f"sieve: {len(kept)} rows {few:.3f}, all {everything:.3f}")
    save(figure, "sieve")


def start() -> None:
    """The ranking of the start page's table, and accuracy against the number of columns."""
    table, search = heart()
    found = search.cv_results_
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.8, 3.4), width_ratios=[1.15, 1])
    left_at = np.zeros(len(table.X.columns))
    left_at[search.selector_.history_["feature"]] = search.selector_.history_["score"]
    bars(left, table, search, left_at, "part in the mean margin when it was dropped")
    left.set_title(f"SBSMF keeps {search.n_features_} of {len(table.X.columns)} columns", fontsize=10)
    low, high = (found["mean_test_score"] + sign * found["standard_error"] for sign in (-1, 1))
    best = int(found["mean_test_score"].argmax())
    right.fill_between(found["size"], low, high, color=DARK, alpha=0.15, label="one standard error")
    right.plot(found["size"], found["mean_test_score"], "o-", color=DARK, ms=4, label="ten folds")
    right.axhline(low[best], color=GREY, linewidth=0.9, linestyle=":")
    chosen = found["mean_test_score"][search.n_features_ - 1]
    right.plot(search.n_features_, chosen, "D", color=LIGHT, markeredgecolor="black", ms=9, label="chosen")
    right.set(xlabel="columns kept", ylabel="rows held out that are right", xticks=found["size"][::2])
    right.set_title("The smallest number within one\nstandard error of the best", fontsize=10)
    right.legend(loc="lower right", fontsize=8)
    print(f"start: best {best + 1} columns {found['mean_test_score'][best]:.3f}, chosen {chosen:.3f}")
    save(figure, "start_heart")


def sifted() -> None:
    """The answer of a sieve: the columns with their reasons, and what each number of them is worth."""
    table = datasets.load("heart_cleveland")
    answer = Sieve(random_state=0).fit(table.X, table.y)
    order, found = answer.ranking_.argsort(), answer.cv_results_
    figure, (left, right) = plt.subplots(1, 2, figsize=(6.2, 2.8), width_ratios=[1.3, 1])
    colours = [DARK if answer.support_[j] else "#c9ced6" for j in order]
    left.barh(np.arange(len(order)), answer.scores_[order], color=colours, edgecolor=GREY, linewidth=0.4)
    left.set_yticks(np.arange(len(order)), [table.X.columns[j] for j in order], fontsize=8)
    for place, j in enumerate(order):
        left.text(answer.scores_[j] + 0.003, place, answer.reasons_[j], va="center", fontsize=7)
    left.set(xlabel="fused score", xlim=(0, 1.45 * answer.scores_.max()))
    left.invert_yaxis()
    left.set_title(f"Sieve keeps {answer.n_features_} of {len(order)} columns", fontsize=10)
    mean, error = found["mean_test_score"], found["standard_error"]
    right.fill_between(
        found["size"], mean - error, mean + error, color=DARK, alpha=0.15, label="one standard error"
    )
    right.plot(found["size"], mean, "o-", color=DARK, ms=4, label="five folds")
    chosen = mean[found["size"].tolist().index(answer.n_features_)]
    right.plot(answer.n_features_, chosen, "D", color=LIGHT, markeredgecolor="black", ms=9, label="chosen")
    right.set(xlabel="columns kept", ylabel="accuracy, mean over the classes")
    right.legend(loc="lower right", fontsize=8)
    print(f"sifted: {answer.n_features_} columns {chosen:.3f}, all {mean[-1]:.3f}")
    save(figure, "sieve_heart")


PARTS: tuple[Callable[[], None], ...] = (sieve, start, sifted)


def main(names: list[str]) -> None:
    """Run the parts of these names, or all of them."""
    settings_of_pictures(["none"])
    for part in PARTS:
        if not names or part.__name__ in names:
            part()


if __name__ == "__main__":
    main(sys.argv[1:])
