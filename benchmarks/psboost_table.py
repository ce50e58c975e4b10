"""The PSBoost paper's table over many splits.

    python benchmarks/psboost_table.py [--splits 30] [--quick]

k = 1, as many rows as Hart's rule keeps, the paper's validation sizes. ``--quick`` is 3 splits. Sets that do not ship
with tamis (hepatitis) are looked for in the folder that TAMIS_DATA names, or fetched. Results go to benchmarks/results/
as psboost_table.json and .md. Accuracy against size for every row selector is row_sizes.py's.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from functools import cache
from pathlib import Path

import column_tables
import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.cluster import KMeans
from sklearn.neighbors import KNeighborsClassifier

from tamis import datasets
from tamis.neighbors import MixedSpace, nearest_rows, pair_distances
from tamis.neighbors._distance import CODE_GAP
from tamis.prototypes._quota import class_quotas
from tamis.prototypes.chance import RandomPrototypes
from tamis.prototypes.condensed import CondensedNN
from tamis.prototypes.psboost import PSBoost
from tamis.prototypes.reduced import ReducedNN
from tamis.prototypes.skalak import MonteCarloPrototypes
from tamis.table._encode import encode, encode_like
from tamis.table._table import Target

RESULTS = Path(__file__).parent / "results"
SIZES = (0.02, 0.05, 0.1, 0.2, 0.5)
COLUMNS = ("1NN", "CNN", "RNN", "PSB", "MC", "Ran")

# The paper's name: ours, rows in the validation set, and the printed row of the table.
PAPER = {
    "LED24": ("led24", 200, (66.5, 64.0, 62.5, 70.5, 66.0, 59.0)),
    "LED": ("led", 200, (83.0, 69.5, 69.5, 83.5, 82.5, 80.0)),
    "W.House": ("house_votes", 200, (92.5, 86.0, 86.5, 88.5, 92.0, 88.0)),
    "Hepatitis": ("hepatitis", 55, (70.9, 74.6, 72.7, 71.8, 74.5, 61.8)),
    "Horse": ("horse_colic", 168, (70.8, 67.3, 67.3, 73.8, 69.6, 60.1)),
    "Echo": ("echocardiogram", 61, (59.0, 63.9, 63.9, 59.0, 63.0, 60.1)),
    "Vehicle": ("vehicle", 446, (68.2, 61.9, 61.9, 69.7, 69.0, 61.1)),
    "H2": ("hard", 212, (56.6, 59.9, 59.9, 56.1, 58.0, 54.7)),
    "Xd6": ("xd6", 200, (73.5, 72.5, 72.5, 71.0, 74.0, 69.0)),
    "BreastW": ("breast_w", 299, (97.7, 96.3, 96.3, 97.7, 97.7, 94.0)),
    "Pima": ("pima", 300, (69.7, 59.0, 59.0, 73.7, 69.0, 66.0)),
    "German": ("german", 500, (67.4, 60.8, 60.8, 68.8, 65.6, 65.6)),
    "Ionosphere": ("ionosphere", 116, (91.4, 81.9, 80.2, 87.1, 84.3, 80.0)),
    "Tic-tac-toe": ("tic_tac_toe", 358, (78.2, 76.0, 76.3, 78.5, 74.6, 74.4)),
}
MADE = {
    "led24": lambda seed: datasets.make_led(600, irrelevant=17, random_state=seed),
    "led": lambda seed: datasets.make_led(600, random_state=seed),
    "xd6": lambda seed: datasets.make_xd6(600, random_state=seed),
    "hard": lambda seed: datasets.make_hard(618, random_state=seed),
}


def table_of(name, seed):
    """Rows and classes of a set: made, shipped, or one of column_tables.py."""
    if name in MADE:
        made = MADE[name](seed)
        return made.X, made.y
    return found_table(name)


@cache
def found_table(name):
    """Rows and classes of a set that is not made."""
    if name not in datasets.names():
        return column_tables.frame_of(name)
    found = datasets.load(name)
    return found.X, found.y


class Split:
    """Learning and validation rows of one split, scaled once."""

    def __init__(self, name, seed, n_held_out=None, n_most=None):
        frame, y = table_of(name, seed)
        order = np.random.default_rng(seed).permutation(len(y))[:n_most]
        n_out = len(order) // 3 if n_held_out is None else n_held_out
        held, learnt = order[:n_out].tolist(), order[n_out:].tolist()
        reader = BaseEstimator()
        table = encode(reader, frame[learnt])
        self.X, self.nominal = table.values, table.nominal
        self.y, self.y_new = y[learnt], y[held]
        self.space = MixedSpace.fit(table.values, table.nominal)
        self.rows = self.space.scaled(table.values)
        self.X_new = encode_like(reader, frame[held], table.schema).values
        self.new = self.space.scaled(self.X_new)
        self.seed = seed

    def kept(self, selector):
        """The rows that a selector keeps; its settings for nominal columns and chance are those of the split."""
        selector = clone(selector).set_params(categorical_features=self.nominal)
        if "random_state" in selector.get_params():
            selector.set_params(random_state=self.seed)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="PSBoost: kept")
            return selector.fit(self.X, self.y).sample_indices_

    def accuracy(self, kept):
        """1-NN on the kept rows, the lower on ties."""
        found, _ = nearest_rows(self.space, self.rows.take(kept), 1, self.new)
        return float(np.mean(self.y[kept][found[:, 0]] == self.y_new))

    def voted(self, kept, weights, n_neighbors):
        """The largest sum of weights among the nearest kept rows, ties to the nearest of the tied classes."""
        n_neighbors = min(n_neighbors, len(kept))
        found, _ = nearest_rows(self.space, self.rows.take(kept), n_neighbors, self.new)
        return float(np.mean(self._winners(self.y[kept][found], weights[found]) == self.y_new))

    def tied_1nn(self):
        """1-NN on all rows, every row at the smallest distance voting."""
        distances = pair_distances(self.space, self.new, self.rows)
        near = distances == distances.min(axis=1, keepdims=True)
        order = np.argsort(~near, axis=1, kind="stable")
        votes = np.take_along_axis(near, order, axis=1).astype(float)
        return float(np.mean(self._winners(self.y[order], votes) == self.y_new))

    def _winners(self, labels, weights):
        classes = np.unique(self.y)
        sums = np.stack([np.where(labels == label, weights, 0.0).sum(axis=1) for label in classes], axis=1)
        best = sums >= sums.max(axis=1, keepdims=True) - 1e-12
        allowed = np.take_along_axis(best, np.searchsorted(classes, labels), axis=1)
        return labels[np.arange(len(labels)), allowed.argmax(axis=1)]

    def k_means(self, share):
        """k-means in each class with proportional quotas, gaps filled, nominal columns one-hot; then 1-NN."""
        centres, labels = self.k_means_centres(share)
        model = KNeighborsClassifier(1).fit(centres, labels)
        return model.score(self.one_hot(self.new), self.y_new), len(labels) / len(self.y)

    def k_means_centres(self, share):
        """The centres of k-means in each class, and their classes."""
        classes, codes = np.unique(self.y, return_inverse=True)
        wanted = max(len(classes), round(share * len(codes)))
        quotas = class_quotas("k_means", Target(codes, classes), wanted, "proportional")
        rows = self.one_hot(self.rows)
        centres, labels = [], []
        for code, quota in enumerate(quotas):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # fewer different rows than centres
                model = KMeans(int(quota), n_init=3, random_state=self.seed).fit(rows[codes == code])
            centres.append(model.cluster_centers_)
            labels += [classes[code]] * len(model.cluster_centers_)
        return np.concatenate(centres), np.array(labels)

    def one_hot(self, rows):
        """Rows as numbers: gaps filled with means, nominal columns one-hot."""
        columns = []
        for j, nominal in enumerate(self.nominal):
            fitted, column = self.rows.coordinates[:, j], rows.coordinates[:, j]
            if nominal:  # two rows that differ are 1 apart, squared
                columns += [np.sqrt(0.5) * (column == value) for value in np.unique(fitted)]
            else:
                known = fitted[fitted >= 0]
                columns.append(
                    np.where(column == -CODE_GAP, known.mean() if len(known) else 0, column) / 2**10
                )
        return np.column_stack(columns).astype(float)


def paper_table(n_splits):
    """Accuracies of the paper's six columns, and of 1-NN with tied rows voting: (sets, splits, 7)."""
    found = np.empty((len(PAPER), n_splits, len(COLUMNS) + 1))
    for place, (name, held_out, _) in enumerate(PAPER.values()):
        for seed in range(n_splits):
            one = Split(name, seed, held_out)
            condensed = one.kept(CondensedNN())
            size = len(condensed)
            paper_mode = PSBoost(size, n_neighbors=1, remove_selected=False, class_quota=None)
            found[place, seed] = [
                one.accuracy(np.arange(len(one.y))),
                one.accuracy(condensed),
                one.accuracy(one.kept(ReducedNN())),
                one.accuracy(one.kept(paper_mode)),
                one.accuracy(one.kept(MonteCarloPrototypes(size))),
                one.accuracy(one.kept(RandomPrototypes(size))),
                one.tied_1nn(),
            ]
    return 100 * found


def paper_report(found):
    """The table beside the printed one, averages, paired differences and the count of sets won."""
    n_splits = found.shape[1]
    lines = [
        f"# The paper's table over {n_splits} splits",
        "",
        "Mean accuracy (standard error), and the printed one.",
        "",
    ]
    lines += ["| set | " + " | ".join(COLUMNS) + " |", "| --- |" + " --- |" * len(COLUMNS)]
    means, errors = found.mean(axis=1), found.std(axis=1, ddof=1) / np.sqrt(n_splits)
    for place, (name, (_, _, printed)) in enumerate(PAPER.items()):
        cells = [
            f"{means[place, c]:.1f} ({errors[place, c]:.1f}), {printed[c]:.1f}" for c in range(len(COLUMNS))
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    printed = np.array([row for _, _, row in PAPER.values()])
    cells = [f"{means[:, c].mean():.1f}, {printed[:, c].mean():.1f}" for c in range(len(COLUMNS))]
    lines += ["| mean | " + " | ".join(cells) + " |", ""]
    selectors = means[:, 1:6]
    best = int(np.sum(selectors[:, 2] >= selectors.max(axis=1) - 1e-9))
    lines.append(f"PSBoost is best of the five selectors on {best} of {len(PAPER)} sets (paper: 9).")
    names = (*COLUMNS, "1NN with tied rows voting")
    for c in (1, 2, 4, 5, 0, 6):
        paired = (found[:, :, 3] - found[:, :, c]).mean(axis=0)
        error = paired.std(ddof=1) / np.sqrt(n_splits)
        lines.append(f"PSB - {names[c]}: {paired.mean():+.1f} +- {error:.1f}.  ")
    return "\n".join(lines) + "\n"


def means_by_split(records, method, size):
    """Mean accuracy over the sets, one number a split; and the mean share kept."""
    chosen = [r for r in records if r["method"] == method and r["size"] == size]
    splits = sorted({r["split"] for r in chosen})
    accuracies = [np.mean([r["accuracy"] for r in chosen if r["split"] == one]) for one in splits]
    return np.array(accuracies), float(np.mean([r["kept"] for r in chosen]))


def standard_error(values):
    """Standard error of a mean."""
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def compact(records):
    """Accuracies and shares kept, one entry a split in order: method -> size -> set."""
    packed = {}
    for r in records:
        sizes = packed.setdefault(r["method"], {}).setdefault(str(r["size"]), {})
        one = sizes.setdefault(r["set"], {"accuracy": [], "kept": []})
        one["accuracy"].append(round(r["accuracy"], 2))
        one["kept"].append(round(r["kept"], 2))
    return packed


def write(name, results, report):
    """Put figures and report side by side, and the report on the screen."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(results, indent=None) + "\n", encoding="utf-8")
    (RESULTS / f"{name}.md").write_text(report, encoding="utf-8")
    print(report)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=30)
    parser.add_argument("--quick", action="store_true", help="3 splits")
    options = parser.parse_args()
    n_splits = 3 if options.quick else options.splits
    ending = "_quick" if options.quick else ""
    start = time.perf_counter()
    found = paper_table(n_splits)
    write(
        f"psboost_table{ending}",
        {"sets": list(PAPER), "columns": COLUMNS, "accuracy": found.round(3).tolist()},
        paper_report(found),
    )
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
