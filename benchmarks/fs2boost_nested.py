"""Nested accuracy of the wrappers on the 19 data sets of the FS2Boost paper.

The columns are selected on nine tenths of the rows, the other tenth is classified by its nearest neighbours over the
columns kept (k = 9, the selectors' distance, all ties), ten times a seed. Unlike the paper's leave-one-out accuracy,
which is measured on the rows that chose the columns, this says what a user may expect.

Run it from the repository: ``python benchmarks/fs2boost_nested.py`` (four seeds, some 20 minutes on two processors),
or with ``--quick``. It writes results/fs2boost_nested.md and .json beside this file. Data sets that do not ship with
the package are looked for in the folder TAMIS_DATA and otherwise left out, which the table says.
"""

import argparse
import json
from pathlib import Path

import joblib
import numpy as np
from sklearn.model_selection import StratifiedKFold

from tamis import datasets
from tamis.features.fs2boost import FS2Boost
from tamis.neighbors import MixedSpace, nearest_groups
from tamis.table import TableError
from tamis.table._encode import encode

K = 9
FOLDS = 10
METHODS = {
    "SFS, paper's stop": {"criterion": "accuracy", "patience": 1},
    "SFS, patience 4": {"criterion": "accuracy"},
    "FS2Boost, paper's stop": {"patience": 1},
    "FS2Boost, patience 4": {},
    "iFS2Boost, paper's stop": {"criterion": "z_prime", "patience": 1},
    "iFS2Boost, patience 4": {"criterion": "z_prime"},
    "all columns": None,
}
REFERENCE = "FS2Boost, patience 4"
QUICK = ("monks1_test", "glass2", "heart_cleveland", "led", "house_votes", "xd6")


def predicted(train, codes, test, nominal):
    """Classes of new rows by the plain vote of their neighbours, ties to the larger class."""
    space = MixedSpace.fit(train, nominal, "l1")
    near = nearest_groups(space, train, min(K, len(train)), test)
    sizes = np.bincount(codes)
    votes = np.stack([near.sums(codes == code) for code in range(len(sizes))], axis=1)
    return (votes + sizes / sizes.sum() / 2).argmax(axis=1)


def fold_results(name, seed, fold):
    """Accuracy and number of columns of every method on one fold."""
    data = datasets.load(name)
    table = encode(FS2Boost(), data.X)
    codes = np.unique(data.y, return_inverse=True)[1]
    splits = StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(table.values, codes)
    train, test = list(splits)[fold]
    results = {}
    for method, options in METHODS.items():
        kept = np.ones(table.n_columns, dtype=bool)
        if options is not None:
            selector = FS2Boost(**options, categorical_features=table.nominal, n_neighbors=K)
            kept = selector.fit(table.values[train], codes[train]).support_
        columns = table.values[:, kept]
        found = predicted(columns[train], codes[train], columns[test], table.nominal[kept])
        results[method] = (float((found == codes[test]).mean()), int(kept.sum()))
    return results


def available(names):
    """The names that can be loaded, and those that cannot."""
    here, missing = [], []
    for name in names:
        try:
            datasets.load(name, download_if_missing=False)
            here.append(name)
        except TableError:
            missing.append(name)
    return here, missing


def standard_error(differences):
    """Of the mean of differences over repeated folds, which share training rows (Nadeau and Bengio's correction)."""
    return float(np.sqrt(np.var(differences, ddof=1) * (1 / len(differences) + 1 / (FOLDS - 1))))


def report(scores, sizes, missing, n_seeds):
    """The results as a page of text; scores and sizes are {data set: {method: list over folds}}."""
    methods = list(METHODS)
    lines = [
        f"# Nested accuracy, {FOLDS} folds, {n_seeds} seeds, k = {K}",
        "",
        "Percent of held-out rows classified rightly, and in brackets the mean number of columns kept.",
        "",
        "| data set | " + " | ".join(methods) + " |",
        "| --- |" + " ---: |" * len(methods),
    ]
    for name, by_method in scores.items():
        cells = [
            f"{100 * np.mean(by_method[method]):.1f} ({np.mean(sizes[name][method]):.1f})"
            for method in methods
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    means = [
        100 * np.mean([np.mean(by_method[method]) for by_method in scores.values()]) for method in methods
    ]
    lines.append("| mean | " + " | ".join(f"{mean:.1f}" for mean in means) + " |")
    lines += ["", f"## {REFERENCE} against the others", ""]
    lines += [
        "Wins, ties and losses over data sets: beyond two standard errors of the paired difference, and by the rounded",
        "percentage as the paper counts. The standard error of the mean difference is that over data sets.",
        "",
        "| against | wins | ties | losses | by rounded percentage | mean difference (points) | standard error |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for method in methods:
        if method == REFERENCE:
            continue
        sure, plain, gaps = [0, 0, 0], [0, 0, 0], []
        for by_method in scores.values():
            differences = 100 * (np.array(by_method[REFERENCE]) - np.array(by_method[method]))
            gap, error = differences.mean(), standard_error(differences)
            sure[1 if abs(gap) <= 2 * error else 0 if gap > 0 else 2] += 1
            rounded = round(100 * np.mean(by_method[REFERENCE]), 1) - round(
                100 * np.mean(by_method[method]), 1
            )
            plain[1 if abs(rounded) < 0.05 else 0 if rounded > 0 else 2] += 1
            gaps.append(gap)
        spread = np.std(gaps, ddof=1) / np.sqrt(len(gaps)) if len(gaps) > 1 else np.nan
        counts = "/".join(map(str, plain))
        lines.append(
            f"| {method} | {sure[0]} | {sure[1]} | {sure[2]} | {counts} | {np.mean(gaps):+.2f} | {spread:.2f} |"
        )
    if missing:
        lines += ["", f"Left out, since neither in the package nor in TAMIS_DATA: {', '.join(missing)}."]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one seed and six data sets; writes no files")
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    names, missing = available(QUICK if given.quick else datasets.names(paper="fs2boost"))
    n_seeds = 1 if given.quick else given.seeds
    fold_results(names[0], 0, 0)  # compiles
    scores = {name: {method: [] for method in METHODS} for name in names}
    sizes = {name: {method: [] for method in METHODS} for name in names}
    parallel = joblib.Parallel(given.jobs)
    for name in names:
        tasks = [(seed, fold) for seed in range(n_seeds) for fold in range(FOLDS)]
        for results in parallel(joblib.delayed(fold_results)(name, *task) for task in tasks):
            for method, (accuracy, size) in results.items():
                scores[name][method].append(accuracy)
                sizes[name][method].append(size)
        best = {method: round(100 * float(np.mean(found)), 1) for method, found in scores[name].items()}
        print(name, best, flush=True)
    page = report(scores, sizes, missing, n_seeds)
    print(page)
    if not given.quick:
        folder = Path(__file__).parent / "results"
        folder.mkdir(exist_ok=True)
        (folder / "fs2boost_nested.md").write_text(page, encoding="utf-8")
        (folder / "fs2boost_nested.json").write_text(
            json.dumps({"accuracy": scores, "columns": sizes}, indent=1) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
