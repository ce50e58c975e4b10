"""Every picture of the method pages, and every figure that they quote.

``python docs/pictures.py`` writes docs/pictures/*.png and prints the figures; it needs matplotlib. With names of
functions below, only these are run: ``python docs/pictures.py margins``.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from tamis import BDSFS, SBSMF, Decoys, SelectorCV, StabilitySelection, StumpAdaBoost, UnivariateAUC, datasets
from tamis.report import RowMarginDisplay

FOLDER = Path(__file__).parent / "pictures"
# Two colours that every kind of colour vision tells apart, and that differ in grey as well; line styles differ too.
DARK, LIGHT, GREY = "#0072B2", "#E69F00", "#666666"
FOLDS = StratifiedKFold(10, shuffle=True, random_state=0)


def margins() -> None:
    """Cumulative distribution of the margins of the training rows after 10 and 100 rounds."""
    table = datasets.load("ionosphere")
    model = StumpAdaBoost(n_rounds=100).fit(table.X, table.y)
    sign = np.where(table.y == model.classes_[1], 1, -1)
    sums = np.cumsum(model.stumps_[0].alpha)
    after = {
        rounds: np.sort(sign * voted / total)
        for rounds, (voted, total) in enumerate(zip(model.staged_decision_function(table.X), sums), start=1)
    }
    figure, axes = plt.subplots()
    share = np.arange(1, len(sign) + 1) / len(sign)
    for rounds, colour, style in ((10, LIGHT, "--"), (100, DARK, "-")):
        axes.step(after[rounds], share, where="post", color=colour, linestyle=style, label=f"{rounds} rounds")
        wrong = float((after[rounds] <= 0).mean())
        print(
            f"margins, ionosphere, {rounds} rounds: smallest {after[rounds][0]:.2f}, "
            f"mean {after[rounds].mean():.2f}, wrong {wrong:.1%}"
        )
    axes.axvline(0, color=GREY, linewidth=0.8)
    axes.annotate("wrong", (-0.02, 0.55), ha="right", color=GREY)
    axes.annotate("right", (0.02, 0.95), ha="left", color=GREY)
    axes.set(xlabel="margin of a training row (ionosphere)", ylabel="share of rows with at most this margin")
    axes.set_title("More rounds lift the small margins and lower the large ones")
    axes.legend(loc="lower right")
    save(figure, "stump_adaboost_margins")


def one_row() -> None:
    """What each column adds to the margin of the row of credit_crx that is furthest on the wrong side."""
    table = datasets.load("credit_crx")
    model = StumpAdaBoost(n_rounds=50).fit(table.X, table.y)
    told = model.row_margins(table.X, table.y)
    row = int(np.argmin(told.margins))
    (bound,) = model.margin_bound(table.X, table.y)
    print(f"one row, credit_crx: row {row}, margin {told.margins[row]:.2f}")
    print(
        f"Theorem 2.1, credit_crx: smallest edge {bound.edge:.3f}, mean margin {bound.mean_margin:.3f}, "
        f"{bound.n_hypotheses:.0f} stumps, bound {bound.bound:.0f}"
    )
    save(RowMarginDisplay.from_estimator(model, table.X, table.y, row=row).figure_, "stump_adaboost_row")


def elimination() -> None:
    """Score of each column in the model in which it went."""
    table = datasets.load("ionosphere")
    history = SBSMF().fit(table.X, table.y).history_
    score, steps = history["score"], np.arange(1, len(history["score"]) + 1)
    names = [table.X.columns[j] for j in history["feature"]]
    against = int((score < 0).sum())
    print(f"elimination, ionosphere: {against} of {len(score)} columns left with a negative margin fraction")
    print(f"elimination, ionosphere: {history['n_fits'][-1]} fits; best six: {', '.join(names[:-7:-1])}")
    figure, (early, late) = plt.subplots(1, 2, width_ratios=[2.2, 1], figsize=(7.6, 3.6))
    last = 10
    for axes, part in ((early, slice(0, -last)), (late, slice(-last, None))):
        colours = [LIGHT if value < 0 else DARK for value in score[part]]
        axes.bar(steps[part], score[part], color=colours, edgecolor="black", linewidth=0.4)
        axes.axhline(0, color="black", linewidth=0.8)
        axes.set_xticks(steps[part], names[part], rotation=90, fontsize=8)
        axes.set_title(f"the {'first' if axes is early else 'last'} {len(names[part])} to go", fontsize=9)
    early.set_ylabel("margin fraction when it went")
    figure.suptitle(
        f"{against} of {len(score)} columns worked against the margin when they went", fontsize=11
    )
    figure.supxlabel("column of ionosphere, in order of elimination", fontsize=9)
    save(figure, "sbsmf_elimination")


def sizes_of_sbsmf() -> None:
    """Accuracy of 1-NN against the number of columns, the elimination repeated in every fold."""
    table = datasets.load("ionosphere")
    X, y = table.X.to_numpy(), table.y
    figure, axes = plt.subplots()
    for name, criterion, colour, style in (
        ("SBS-MF", "margin_fraction", DARK, "-"),
        ("AdaBoost-CR", "contribution_ratio", LIGHT, "--"),
    ):
        search = SelectorCV(SBSMF(criterion=criterion), KNeighborsClassifier(1), cv=FOLDS).fit(X, y)
        size, mean = search.cv_results_["size"], search.cv_results_["mean_test_score"]
        axes.plot(size, mean, style, marker=".", color=colour, label=name)
        best = int(mean.argmax())
        print(f"sizes, ionosphere, {name}: best {mean[best]:.3f} at {size[best]}, all columns {mean[-1]:.3f}")
    axes.axhline(mean[-1], color=GREY, linestyle=":", label=f"all {size[-1]} columns that differ")
    axes.set(xlabel="columns kept (ionosphere)", ylabel="accuracy of 1-NN, rows held out")
    axes.set_title("Few columns serve 1-NN better than all of them")
    axes.legend(loc="lower right")
    save(figure, "sbsmf_sizes")


def noise() -> None:
    """Share of the 12 relevant columns among the first 12 of 60, by share of wrong labels and answer to them."""
    answers: dict[str, dict[str, float]] = {
        "as it is": {},
        "cap 3": {"weight_cap": 3},
        "cap 2": {"weight_cap": 2},
        "soft margin 0.1": {"soft_margin": 0.1},
        "soft margin 0.2": {"soft_margin": 0.2},
        "soft margin 0.3": {"soft_margin": 0.3},
        "rate 0.2, 100 rounds": {"learning_rate": 0.2},
        "rate 0.1, 200 rounds": {"learning_rate": 0.1, "n_rounds": 200},
        "rate 0.1, 200 rounds, cap 2": {"learning_rate": 0.1, "n_rounds": 200, "weight_cap": 2},
        "soft margin 0.2, rate 0.3": {"soft_margin": 0.2, "learning_rate": 0.3},
    }
    for name, answer in answers.items():
        told = []
        for wrong in (0.0, 0.1, 0.2):
            found = [_found(seed, wrong, answer) for seed in range(60)]
            told.append(f"{wrong:.0%} wrong {np.mean(found):.3f} +- {np.std(found) / np.sqrt(59):.3f}")
        print(f"noise, {name}: {', '.join(told)}")


def _found(seed: int, wrong: float, answer: dict[str, float]) -> float:
    random = np.random.default_rng(seed)
    X = random.normal(size=(300, 60))
    y = X[:, :12] @ random.uniform(0.5, 1.5, 12) > 0
    y ^= random.random(300) < wrong
    return float(SBSMF(12, **answer).fit(X, y).support_[:12].mean())


def gains() -> None:
    """Gain of each column when it was chosen, beside its gain at the start."""
    table = datasets.load("house_votes")
    selector = BDSFS().fit(table.X, table.y)
    order = selector.history_["feature"]
    place = np.arange(len(order))
    figure, axes = plt.subplots(figsize=(6.4, 4.2))
    axes.barh(place, selector.history_["gain"], color=DARK, height=0.6, label="when it was chosen")
    axes.plot(
        selector.scores_[order], place, "D", color=LIGHT, markeredgecolor="black", label="at the start", ms=6
    )
    axes.set_yticks(place, [table.X.columns[j] for j in order], fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel("information gain of the best stump (nats)")
    axes.legend(loc="lower right")
    alone = np.argsort(-selector.scores_, kind="stable")
    for j in alone[:3]:
        print(
            f"gains, house_votes: {table.X.columns[j]} alone {selector.scores_[j]:.2f}, rank {selector.ranking_[j]}"
        )
    name, rank = table.X.columns[alone[2]], selector.ranking_[alone[2]]
    axes.set_title(f"{name} is third alone, but number {rank} by what it adds", fontsize=10, loc="right")
    save(figure, "bdsfs_gains")


def band() -> None:
    """Mean score against size, the best size, its standard error and the chosen size."""
    table = datasets.load("german")
    search = SelectorCV(SBSMF(), StumpAdaBoost(n_rounds=50), cv=FOLDS).fit(table.X, table.y)
    size, mean = search.cv_results_["size"], search.cv_results_["mean_test_score"]
    error = search.cv_results_["standard_error"]
    best, chosen = int(mean.argmax()), list(size).index(search.size_)
    print(
        f"band, german: best {mean[best]:.3f} +- {error[best]:.3f} at {size[best]}, "
        f"chosen {search.size_} with {mean[chosen]:.3f}"
    )
    figure, axes = plt.subplots()
    axes.fill_between(size, mean - error, mean + error, color=DARK, alpha=0.2, label="one standard error")
    axes.plot(size, mean, marker=".", color=DARK, label="mean of 10 folds")
    axes.axhline(mean[best] - error[best], color=GREY, linestyle=":", label="best, less its standard error")
    for place, name, marker, colour in ((best, "best", "o", "white"), (chosen, "chosen", "D", LIGHT)):
        label = f"{name}: {size[place]}"
        axes.plot(size[place], mean[place], marker, color=colour, markeredgecolor="black", ms=8, label=label)
    axes.legend(loc="lower right", fontsize=8)
    axes.set_xticks(size)
    axes.set(xlabel="columns kept (german credit)", ylabel="accuracy, rows held out")
    axes.set_title(f"{search.size_} columns come within one standard error of the best, {size[best]}")
    save(figure, "selector_cv_band")


def folding() -> None:
    """Area of each column as it is, and folded at its median."""
    table = datasets.load("ionosphere")
    plain = UnivariateAUC().fit(table.X, table.y).scores_
    folded = UnivariateAUC(folded=True).fit(table.X, table.y).scores_
    order = np.argsort(-folded, kind="stable")
    place = np.arange(len(order))
    figure, axes = plt.subplots(figsize=(7.2, 3.6))
    axes.vlines(place, plain[order], folded[order], color=GREY, linewidth=1)
    axes.plot(place, folded[order], "o", color=DARK, label="the better of plain and folded")
    axes.plot(place, plain[order], "D", color=LIGHT, markeredgecolor="black", ms=5, label="plain")
    axes.set_xticks(place, [table.X.columns[j] for j in order], rotation=90, fontsize=8)
    axes.set(xlabel="column of ionosphere", ylabel="area under the ROC curve")
    axes.set_title("Folding at the median finds columns that a plain area misses")
    axes.legend()
    for j in order[:1]:
        print(f"folding, ionosphere: {table.X.columns[j]} plain {plain[j]:.2f}, folded {folded[j]:.2f}")
    print(f"folding, ionosphere: largest plain area {plain.max():.2f}")
    save(figure, "univariate_auc_folded")


def seconds() -> None:
    """Time of one fit of each method, compiled, on shipped sets."""
    for name in ("ionosphere", "musk1", "spambase", "mushroom"):
        table = datasets.load(name)
        shape = f"{table.X.shape[0]:,} x {table.X.shape[1]}"
        for method in (
            StumpAdaBoost(),
            SBSMF(),
            SBSMF(criterion="contribution_ratio"),
            BDSFS(),
            UnivariateAUC(),
        ):
            print(f"seconds, {name} ({shape}), {method}: {_seconds(method, table):.3f}")


def _seconds(method: Any, table: Any) -> float:
    method.fit(table.X, table.y)
    taken = []
    for _ in range(3):
        start = time.perf_counter()
        method.fit(table.X, table.y)
        taken.append(time.perf_counter() - start)
    return sorted(taken)[1]


def save(figure: Any, name: str) -> None:
    """Write a figure as a small PNG that depends on nothing but its data."""
    figure.savefig(FOLDER / f"{name}.png", metadata={"Software": None})
    plt.close(figure)


def against_decoys() -> None:
    """The columns of ionosphere and the decoys of each."""
    from tamis.report import DecoyDisplay

    table = datasets.load("ionosphere")
    decoys = Decoys(random_state=0).fit(table.X, table.y)
    print(
        f"against_decoys, ionosphere: {decoys.n_features_} of {table.X.width} columns kept at {decoys.fdr:g}"
    )
    figure, axes = plt.subplots(figsize=(6.8, 4.6))
    DecoyDisplay.from_estimator(decoys, n_shown=20, ax=axes)
    save(figure, "decoys_columns")


def halves_of_rows() -> None:
    """On how many halves of the rows of ionosphere each column is chosen, and by which a column is kept."""
    table = datasets.load("ionosphere")
    stable = StabilitySelection(random_state=0).fit(table.X, table.y)
    print(f"halves_of_rows, ionosphere: {stable.n_features_} of {table.X.width} columns kept")
    order = np.argsort(stable.ranking_)[:20]
    figure, axes = plt.subplots(figsize=(6.8, 3.6))
    colours = ["C0" if kept else "0.75" for kept in stable.support_[order]]
    axes.bar([table.X.columns[j] for j in order], stable.scores_[order], color=colours)
    axes.axhline(stable.threshold_, color="0.4", linestyle="--", linewidth=1)
    axes.set_ylabel("share of the halves")
    axes.set_title(
        f"The first {stable.n_chosen_} on each of {2 * stable.n_pairs} halves; kept: above the line"
    )
    axes.tick_params(axis="x", labelsize=8)
    save(figure, "stability_shares")


PARTS: tuple[Callable[[], None], ...] = (
    margins, one_row, against_decoys, halves_of_rows, elimination, sizes_of_sbsmf, noise, gains, band, folding, seconds,
)  # fmt: skip


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
